"""Faults at any moment: afterwards the target is a release that passes, or what it was before, and nothing is left beside it.

A few faults of each kind are injected in an ordinary run, and 30 of each, 210 in all, with INCROWD_THOROUGH=1:

    INCROWD_THOROUGH=1 .ci/spark -k faults
"""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

import incrowd
from conftest import QUASI, rows_of
from test_habits import Slow, executors

#: Faults of each kind.
TIMES = 30 if os.environ.get("INCROWD_THOROUGH") else 1
ASK = {"quasi": QUASI, "other": "drop", "method": "mondrian"}
PHASES = ["read", "search", "recode", "verify"]


class Place:
    """A target with a release in it, and what must be true of it after a fault."""

    def __init__(self, spark, frame, folder):
        self.spark, self.frame, self.folder = spark, frame, pathlib.Path(folder)
        self.into = str(self.folder / "release")
        incrowd.spark.anonymize(frame, k=5, into=self.into, overwrite=True, **ASK)
        self.before = self.rows()

    def rows(self):
        """The rows that are there."""
        self.spark.catalog.refreshByPath(self.into)
        return rows_of(self.spark.read.parquet(self.into).toPandas(), QUASI)

    def check(self):
        """The target is as before or a release of its own, and nothing is beside it."""
        rows = self.rows()
        if rows != self.before:
            assert sum(rows.values()) >= 3900 and min(rows.values()) >= 5, "a release that is not whole"
        self.before = rows
        assert os.path.exists(f"{self.into}/_INCROWD_RELEASE")
        assert [name for name in os.listdir(self.folder) if name != "release"] == []


@pytest.fixture(scope="module")
def place(spark, folder, tmp_path_factory):
    """A target in a folder of its own, through all faults."""
    return Place(spark, spark.read.parquet(folder), tmp_path_factory.mktemp("faults"))


def attempt(run):
    """Runs something that may fail, but only as people are told."""
    try:
        return run()
    except Exception as error:
        assert str(error).strip()
        return None


def test_an_executor_dies(place):
    chance = random.Random(1)
    for _ in range(TIMES):
        phase, wait = chance.choice(PHASES), chance.random()
        struck = []

        def strike():
            time.sleep(wait)
            pids = executors()
            if pids:
                os.kill(chance.choice(pids), signal.SIGKILL)

        def listen(news):
            if news["phase"] == phase and not struck:
                struck.append(threading.Thread(target=strike))
                struck[0].start()

        slow = place.frame.mapInArrow(Slow(0.1), place.frame.schema)
        attempt(lambda: incrowd.spark.anonymize(slow, k=20, into=place.into, overwrite=True, progress=listen, **ASK))
        for thread in struck:
            thread.join()
        place.check()


def test_a_run_is_interrupted(place):
    chance = random.Random(2)
    for _ in range(TIMES):
        phase, kind = chance.choice(PHASES), chance.choice([KeyboardInterrupt, RuntimeError])

        def listen(news):
            if news["phase"] == phase:
                raise kind("enough")

        with pytest.raises(kind):
            incrowd.spark.anonymize(place.frame, k=20, into=place.into, overwrite=True, progress=listen, **ASK)
        place.check()


def test_a_disk_fails(place, monkeypatch):
    chance = random.Random(3)
    for _ in range(TIMES):
        left = [chance.randrange(3)]
        rename, remove = os.rename, shutil.rmtree

        def strike():
            left[0] -= 1
            if left[0] == -1:
                raise OSError("no space left on device")

        def renamed(*names):
            strike()
            return rename(*names)

        def removed(*names, **how):
            strike()
            return remove(*names, **how)

        with monkeypatch.context() as patch:
            patch.setattr(os, "rename", renamed)
            patch.setattr(shutil, "rmtree", removed)
            attempt(lambda: incrowd.spark.anonymize(place.frame, k=20, into=place.into, overwrite=True, **ASK))
        # What could not be removed then, or could not get its name back, is seen to by the next start.
        incrowd.spark.anonymize(place.frame, k=5, into=str(place.folder / "next"), overwrite=True, **ASK)
        remove(place.folder / "next")
        place.check()


def test_the_scratch_is_full(spark, frame, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk], capture_output=True)
    if mounted.returncode:
        pytest.skip("no small disk can be made here")
    try:
        place = Place(spark, frame, disk)
        chance = random.Random(4)
        for _ in range(TIMES):
            # Room for some of the release, not for all of it.
            room = shutil.disk_usage(disk).free
            (disk / "filler").write_bytes(b"x" * max(0, room - chance.randrange(4096, 40_000)))
            assert attempt(
                lambda: incrowd.spark.anonymize(frame, k=5, files=9, into=place.into, overwrite=True, **ASK)
            ) is None
            (disk / "filler").unlink()
            assert place.rows() == place.before
            place.check()
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def test_two_runs_want_one_target(place):
    chance = random.Random(5)
    for _ in range(TIMES):
        ks = [10, 20]
        threads = [
            threading.Thread(
                target=lambda k=k, wait=chance.random(): (
                    time.sleep(wait),
                    attempt(lambda: incrowd.spark.anonymize(place.frame, k=k, into=place.into, overwrite=True, **ASK)),
                )
            )
            for k in ks
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        place.check()


def test_the_source_changes_in_between(place, people, tmp_path_factory):
    import pyarrow
    import pyarrow.parquet

    chance = random.Random(6)
    source = tmp_path_factory.mktemp("changing") / "people"
    source.mkdir()
    for _ in range(TIMES):
        for part in range(4):
            rows = pyarrow.Table.from_pandas(people[part * 1000 : (part + 1) * 1000], preserve_index=False)
            pyarrow.parquet.write_table(rows, source / f"part-{part}.parquet")
        phase = chance.choice(["search", "recode", "verify"])
        part, take = chance.randrange(4), chance.randrange(100, 1000)
        changed = []

        def listen(news):
            if news["phase"] == phase and not changed:
                changed.append(part)
                rows = pyarrow.Table.from_pandas(people[take : take + 500], preserve_index=False)
                pyarrow.parquet.write_table(rows, source / f"part-{part}.parquet")

        place.spark.catalog.refreshByPath(str(source))
        frame = place.spark.read.parquet(str(source))
        attempt(
            lambda: incrowd.spark.anonymize(
                frame, k=20, into=place.into, overwrite=True, read_once=False, progress=listen, **ASK
            )
        )
        place.check()


def test_the_driver_is_killed(place, folder):
    chance = random.Random(7)
    for _ in range(TIMES):
        phase, wait = chance.choice([*PHASES, "verify"]), chance.random() * 0.8
        driver = subprocess.Popen(
            [sys.executable, str(pathlib.Path(__file__).parent / "killed_driver.py"), folder, place.into, "20"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True,
        )
        for line in driver.stdout:
            if line.strip() == phase:
                break
        time.sleep(wait)
        # The driver and its Java, all at once.
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
        # The next start in the same folder cleans up.
        incrowd.spark.anonymize(place.frame, k=5, into=str(place.folder / "next"), overwrite=True, **ASK)
        shutil.rmtree(place.folder / "next")
        place.check()
