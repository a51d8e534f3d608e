"""What Spark does to tasks and partitions must not show in a release."""

import glob
import os
import signal
import sys
import tempfile
import threading
import time

import pytest

import incrowd
from conftest import QUASI, rows_of

try:
    from pyspark import cloudpickle

    # Executors do not have this file.
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
except ImportError:
    pass

# One order for all runs that are compared row by row.
KEY = os.path.join(tempfile.mkdtemp(), "order.key")
ASK = {"k": 5, "quasi": QUASI, "other": "drop", "method": "mondrian", "seed_file": KEY}


def written(path):
    """The rows of every file, in their order."""
    import pyarrow.parquet

    files = sorted(name for name in os.listdir(path) if name.endswith(".parquet"))
    return [pyarrow.parquet.read_table(os.path.join(path, name)).to_pylist() for name in files]


def test_the_same_key_gives_the_same_rows_in_the_same_order(spark, frame, tmp_path):
    for name in ("one", "two"):
        incrowd.spark.anonymize(frame, into=str(tmp_path / name), **ASK)
    one, two = written(tmp_path / "one"), written(tmp_path / "two")
    assert one == two and len(one) > 1
    other = incrowd.spark.anonymize(frame, into=str(tmp_path / "other"), **{**ASK, "seed_file": str(tmp_path / "key")})
    assert written(tmp_path / "other") != one
    assert rows_of(other.table.toPandas(), QUASI) == rows_of(spark.read.parquet(str(tmp_path / "one")).toPandas(), QUASI)


def test_the_order_says_nothing_of_the_table(spark, tmp_path):
    rows = [(20 + at // 100, at) for at in range(4000)]
    frame = spark.createDataFrame(rows, ["age", "arrival"]).repartition(3)
    ask = {"k": 5, "quasi": ["age"], "plain": ["arrival"], "accept": ["arrival"]}
    result = incrowd.spark.anonymize(frame, into=str(tmp_path / "out"), files=1, **ask)
    arrivals = [row["arrival"] for row in written(tmp_path / "out")[0]]
    assert sorted(arrivals) == list(range(4000)) and result.released == 4000
    mean = sum(arrivals) / len(arrivals)
    place = sum((at - 1999.5) * (arrival - mean) for at, arrival in enumerate(arrivals))
    assert abs(place / sum((arrival - mean) ** 2 for arrival in arrivals)) < 0.06


class FailsOnce:
    """A partition whose first try dies in the middle, and whose rows come again."""

    def __init__(self, folder, every):
        self.folder, self.every = folder, every

    def __call__(self, batches):
        from pyspark import TaskContext

        context = TaskContext.get()
        for number, batch in enumerate(batches):
            yield batch
            if number == 0 and context.attemptNumber() == 0 and context.partitionId() % self.every == 0:
                raise RuntimeError("this try dies")


def test_tasks_that_are_tried_again(spark, frame, tmp_path):
    shaky = frame.mapInArrow(FailsOnce(str(tmp_path), 2), frame.schema)
    whole = incrowd.spark.anonymize(frame, into=str(tmp_path / "whole"), **ASK)
    again = incrowd.spark.anonymize(shaky, into=str(tmp_path / "again"), **ASK)
    assert written(tmp_path / "whole") == written(tmp_path / "again")
    assert again.cost == whole.cost


def drawn(batches):
    """Rows that are others whenever they are read."""
    import random

    import pyarrow

    for batch in batches:
        ages = pyarrow.array([random.randrange(20, 80) for _ in range(batch.num_rows)], pyarrow.int64())
        yield pyarrow.RecordBatch.from_arrays([ages], names=["age"])


def test_tables_that_are_not_read_twice_alike_are_refused(spark, frame, tmp_path):
    frame = frame.mapInArrow(drawn, "age long")
    with pytest.raises(incrowd.InputError, match="not those that were counted|not read twice alike|changed"):
        incrowd.spark.anonymize(frame, k=5, quasi=["age"], into=str(tmp_path / "out"), read_once=False)
    assert os.listdir(tmp_path) == []


def test_tables_are_read_once(spark, frame, tmp_path):
    rows = frame.count()
    drawn_once = frame.mapInArrow(drawn, "age long")
    result = incrowd.spark.anonymize(drawn_once, k=5, quasi=["age"], max_suppressed=0, into=str(tmp_path / "out"))
    assert result.table.count() == rows and result.k >= 5
    # Nothing is kept longer than it is needed.
    assert spark.sparkContext._jsc.sc().getPersistentRDDs().size() == 0


@pytest.mark.parametrize("method", ["mondrian", "best-local"])
def test_tables_that_are_read_again_give_the_same_release(spark, frame, tmp_path, method):
    ask = {**ASK, "method": method}
    once = incrowd.spark.anonymize(frame, into=str(tmp_path / "once"), **ask)
    again = incrowd.spark.anonymize(frame, into=str(tmp_path / "again"), read_once=False, **ask)
    assert written(tmp_path / "once") == written(tmp_path / "again")
    assert once.cost == again.cost


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_adaptive_execution_empty_partitions_and_skew(spark, people, tmp_path, adaptive):
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    try:
        frame = spark.createDataFrame(people[["age", "sex", "occupation"]])
        # A shuffle of the table's own, partitions without rows, and one with nearly all of them.
        skewed = frame.repartition(12, "sex").unionAll(frame.limit(0))
        result = incrowd.spark.anonymize(
            skewed, k=5, quasi=["age", "sex"], plain=["occupation"], method="mondrian", into=str(tmp_path / "out")
        )
    finally:
        spark.conf.unset("spark.sql.adaptive.enabled")
    one = incrowd.anonymize(
        people[["age", "sex", "occupation"]], k=5, quasi=["age", "sex"], plain=["occupation"], method="mondrian"
    )
    released = result.table.toPandas()
    assert rows_of(released, released.columns) == rows_of(one.table, released.columns)


def executors():
    """The processes of executors that this session started: those below this one."""
    parents, found = {}, []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
            with open(f"/proc/{name}/cmdline") as file:
                if "CoarseGrainedExecutorBackend" in file.read():
                    found.append(int(name))
        except OSError:
            continue

    def is_mine(pid):
        while pid in parents and pid != os.getpid():
            pid = parents[pid]
        return pid == os.getpid()

    return [pid for pid in found if is_mine(pid)]


class Slow:
    """Batches that take their time, so that there is a middle to be killed in."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __call__(self, batches):
        for batch in batches:
            time.sleep(self.seconds)
            yield batch


def begun(folder, name):
    """Whether a file of the release is being written, under the private name of its run."""
    made = glob.glob(os.path.join(folder, ".incrowd-*", "new", name))
    return any(name.startswith("part-") for path in made for _, _, names in os.walk(path) for name in names)


@pytest.mark.parametrize("moment", ["recoding", "writing", "verifying"])
def test_an_executor_is_killed_in_the_middle(spark, frame, tmp_path, moment):
    whole = incrowd.spark.anonymize(frame, into=str(tmp_path / "whole"), **ASK)
    killed = []

    def listen(news):
        if news["phase"] == ("verify" if moment == "verifying" else "recode") and not killed:
            killed.append(None)
            threading.Thread(target=strike).start()

    def strike():
        until = time.monotonic() + 60
        while moment == "writing" and not begun(tmp_path, "hurt") and time.monotonic() < until:
            time.sleep(0.01)
        if moment == "recoding":
            time.sleep(0.5)
        pids = executors()
        if pids:
            os.kill(pids[0], signal.SIGKILL)
            killed.append(pids[0])

    slow = frame.mapInArrow(Slow(0.7), frame.schema)
    hurt = incrowd.spark.anonymize(slow, into=str(tmp_path / "hurt"), progress=listen, **ASK)
    assert len(killed) == 2, "no executor was found"
    assert written(tmp_path / "whole") == written(tmp_path / "hurt")
    assert hurt.cost == whole.cost and bool(hurt.verdict)
