"""What a release never takes the place of: people's own folders and tables, and what it is made from. And a driver that
is killed leaves nothing for others to read."""

import os
import pathlib
import signal
import stat
import subprocess
import sys
import textwrap
import time

import pytest

import incrowd
from conftest import QUASI

ASK = {"k": 5, "quasi": QUASI, "other": "drop", "method": "mondrian", "seed": 7}


def held(folder):
    """All that a folder holds."""
    folder = pathlib.Path(folder)
    return {str(it.relative_to(folder)): it.read_bytes() for it in folder.rglob("*") if it.is_file()}


@pytest.mark.parametrize("what", ["notes", "project", "rows of Spark", "a release with notes", "a file"])
def test_folders_of_people_are_not_replaced(spark, frame, tmp_path, what):
    into = tmp_path / "mine"
    if what in ("notes", "project"):
        into.mkdir()
        (into / "part-0.parquet").write_text("looks like rows")
        (into / "notes.txt").write_text("mine")
        if what == "project":
            (into / "source").mkdir()
            (into / "source" / "code.py").write_text("mine")
        match = "notes.txt, source/" if what == "project" else "notes.txt"
    elif what == "rows of Spark":
        frame.write.parquet(str(into))
        match = "incrowd has not made it"
    elif what == "a release with notes":
        incrowd.spark.anonymize(frame, into=str(into), **ASK)
        (into / "notes.txt").write_text("mine")
        match = "notes.txt"
    else:
        into.write_text("mine")
        match = "not a folder"
    before = held(tmp_path)
    with pytest.raises(incrowd.FileError, match=match):
        incrowd.spark.anonymize(frame, into=str(into), overwrite=True, **ASK)
    assert held(tmp_path) == before


def test_what_becomes_somebodys_own_meanwhile_is_not_replaced(spark, frame, tmp_path):
    into = tmp_path / "out"
    incrowd.spark.anonymize(frame, into=str(into), **ASK)

    def listen(news):
        if news["phase"] == "verify":
            (into / "notes.txt").write_text("mine")

    with pytest.raises(incrowd.FileError, match=r"notes\.txt"):
        incrowd.spark.anonymize(frame, into=str(into), overwrite=True, progress=listen, **ASK)
    assert (into / "notes.txt").read_text() == "mine" and os.listdir(tmp_path) == ["out"]


@pytest.fixture(scope="module")
def earlier(spark, folder, tmp_path_factory):
    """An earlier release, of which another is to be made."""
    path = tmp_path_factory.mktemp("earlier") / "data" / "earlier"
    incrowd.spark.anonymize(spark.read.parquet(folder), into=str(path), **ASK)
    return path


def spelled(path, tmp_path, how):
    """A folder by another name."""
    if how == "link":
        (tmp_path / "link").symlink_to(path)
        return str(tmp_path / "link")
    if how == "linked parent":
        (tmp_path / "link").symlink_to(path.parent)
        return str(tmp_path / "link" / path.name)
    return {
        "as it is": str(path), "slash": f"{path}/", "scheme": f"file:{path}", "whole scheme": f"file://{path}",
        "dots": f"{path}/../{path.name}", "relative": os.path.relpath(path), "parent": str(path.parent), "child": f"{path}/out",
    }[how]


SPELLINGS = ["as it is", "slash", "scheme", "whole scheme", "dots", "relative", "link", "linked parent", "parent", "child"]


@pytest.mark.parametrize("how", SPELLINGS)
def test_the_source_is_not_replaced_however_it_is_spelled(spark, earlier, tmp_path, how):
    before = held(earlier)
    source = spark.read.parquet(str(earlier))
    with pytest.raises(incrowd.InputError, match="read from"):
        incrowd.spark.anonymize(source, into=spelled(earlier, tmp_path, how), overwrite=True, **ASK)
    assert held(earlier) == before


PLANS = ["kept", "joined", "subquery", "view", "nothing left", "external table", "second reader", "link"]


@pytest.mark.parametrize("how", PLANS)
def test_the_source_is_found_in_any_plan(spark, frame, earlier, tmp_path, how):
    read = spark.read.parquet(str(earlier))
    if how == "kept":
        read = read.cache()
        read.count()
    elif how == "joined":
        read = frame.select(QUASI).join(read.select("sex").distinct(), "sex")
    elif how == "subquery":
        read.createOrReplaceTempView("of_people")
        frame.createOrReplaceTempView("people")
        read = spark.sql("SELECT * FROM people WHERE sex IN (SELECT sex FROM of_people)")
    elif how == "view":
        read.createOrReplaceTempView("of_people")
        read = spark.table("of_people").where("sex is not null")
    elif how == "nothing left":
        read = read.where("1 = 0")
    elif how == "external table":
        spark.sql(f"CREATE TABLE over_release USING parquet LOCATION '{earlier}'")
        read = spark.table("over_release")
    elif how == "second reader":
        spark.conf.set("spark.sql.sources.useV1SourceList", "")
        read = spark.read.parquet(str(earlier))
    else:
        (tmp_path / "link").symlink_to(earlier)
        read = spark.read.parquet(str(tmp_path / "link"))
    before = held(earlier)
    try:
        with pytest.raises(incrowd.InputError, match="read from"):
            incrowd.spark.anonymize(read, into=str(earlier), overwrite=True, **ASK)
        assert held(earlier) == before
    finally:
        read.unpersist()
        spark.conf.unset("spark.sql.sources.useV1SourceList")
        spark.sql("DROP TABLE IF EXISTS over_release")


def test_a_table_is_not_replaced_by_what_is_read_from_it(spark, frame):
    incrowd.spark.anonymize(frame, into="of_people_itself", **ASK)
    spark.sql("CREATE OR REPLACE VIEW over_people AS SELECT * FROM of_people_itself")
    before = spark.table("of_people_itself").count()
    location = spark.conf.get("spark.sql.warehouse.dir").removeprefix("file:") + "/of_people_itself"
    try:
        for source in (spark.table("of_people_itself"), spark.table("over_people"), spark.read.parquet(location)):
            for into in ("of_people_itself", "default.of_people_itself", "spark_catalog.default.`OF_people_itself`", location):
                with pytest.raises(incrowd.InputError, match="read from"):
                    incrowd.spark.anonymize(source, into=into, overwrite=True, **ASK)
        # A table belongs to its catalog: its folder is no release of ours.
        with pytest.raises(incrowd.FileError, match="has not made it"):
            incrowd.spark.anonymize(frame, into=location, overwrite=True, **ASK)
        assert spark.table("of_people_itself").count() == before
        # By its name, and from elsewhere, it is replaced; so it is with its database before it.
        incrowd.spark.anonymize(frame, into="of_people_itself", overwrite=True, **ASK)
        incrowd.spark.anonymize(frame, into="spark_catalog.default.of_people_itself", overwrite=True, **ASK)
        assert spark.table("over_people").count() == before
    finally:
        spark.sql("DROP VIEW over_people")
        spark.sql("DROP TABLE of_people_itself")


@pytest.mark.parametrize("what", ["table", "view", "temporary view", "external table"])
def test_tables_and_views_of_people_are_not_replaced(spark, frame, tmp_path, what):
    few = spark.range(3)
    if what == "table":
        few.write.saveAsTable("mine")
    elif what == "view":
        spark.sql("CREATE VIEW mine AS SELECT id FROM range(3)")
    elif what == "temporary view":
        few.createOrReplaceTempView("mine")
    else:
        few.write.option("path", str(tmp_path / "files")).saveAsTable("mine")
    try:
        with pytest.raises(incrowd.FileError, match="mine is not replaced"):
            incrowd.spark.anonymize(frame, into="mine", overwrite=True, **ASK)
        assert spark.table("mine").count() == 3
    finally:
        spark.catalog.dropTempView("mine")
        spark.sql(f"DROP {'VIEW' if what == 'view' else 'TABLE'} IF EXISTS mine")


def test_an_option_of_the_format_does_not_say_where(spark, frame, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    for into in ("elsewhere", str(tmp_path / "out")):
        with pytest.raises(incrowd.InputError, match="path"):
            incrowd.spark.anonymize(frame, into=into, writing={"Path": str(tmp_path / "mine")}, **ASK)
    assert held(tmp_path) == {"mine/notes.txt": b"mine"}


def test_a_release_may_lie_beside_its_source(spark, frame, people, tmp_path):
    people.to_csv(tmp_path / "people.csv", index=False)
    frame.write.parquet(str(tmp_path / "people"))
    for source, into in (
        (spark.read.csv(str(tmp_path / "people.csv"), header=True), "people.release"),
        (spark.read.parquet(str(tmp_path / "people")), "people_release"),
    ):
        for overwrite in (False, True):
            made = incrowd.spark.anonymize(source, into=str(tmp_path / into), overwrite=overwrite, **ASK)
            assert made.released == 4000
    assert sorted(os.listdir(tmp_path)) == ["people", "people.csv", "people.release", "people_release"]


KILLED = """
    import os, signal, sys, time
    import incrowd
    from pyspark.sql import SparkSession

    class Slow:
        def __call__(self, batches):
            for batch in batches:
                time.sleep(0.5)
                yield batch

    source, into, local, warehouse, moment = sys.argv[1:]
    spark = (
        SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.log.level", "ERROR")
        .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2").config("spark.local.dir", local)
        .config("spark.sql.warehouse.dir", warehouse).getOrCreate()
    )

    def listen(news):
        if news["phase"] == moment:
            # Java first: it would clean up when Python is gone.
            os.kill(spark.sparkContext._gateway.proc.pid, signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)

    frame = spark.read.parquet(source)
    if moment == "none":
        frame = frame.mapInArrow(Slow(), frame.schema)
    incrowd.spark.anonymize(
        frame, k=5, quasi=["age", "sex", "race", "marital-status", "education"], other="drop",
        method="mondrian", into=into, most_combinations=500, block=400, progress=listen,
    )
"""


def started(folder, tmp_path, into, moment):
    """A driver of its own, which kills itself at a moment."""
    for name in ("out", "local", "warehouse"):
        (tmp_path / name).mkdir()
    (tmp_path / "run.py").write_text(textwrap.dedent(KILLED))
    given = [folder, into, str(tmp_path / "local"), str(tmp_path / "warehouse"), moment]
    command = [sys.executable, str(tmp_path / "run.py"), *given]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=tmp_path)


def test_a_driver_that_is_interrupted_cleans_up(spark, folder, tmp_path):
    run = started(folder, tmp_path, str(tmp_path / "out" / "release"), "none")
    until = time.monotonic() + 200
    while not list((tmp_path / "out").glob(".incrowd-*/new/release/_temporary/*/*")) and time.monotonic() < until:
        time.sleep(0.05)
    assert run.poll() is None
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=200)
    assert "KeyboardInterrupt" in said
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(("kind", "moment"), [("folder", "verify"), ("table", "recode")])
def test_a_driver_that_is_killed_leaves_nothing_to_read(spark, folder, tmp_path, kind, moment):
    into = str(tmp_path / "out" / "release") if kind == "folder" else "release"
    run = started(folder, tmp_path, into, moment)
    _, said = run.communicate(timeout=300)
    assert run.returncode == -signal.SIGKILL, said
    shut = [it for it in tmp_path.rglob("*") if it.is_dir() and not stat.S_IMODE(it.stat().st_mode) & 0o077]
    files = [it for it in tmp_path.rglob("*") if it.is_file() and it.name != "run.py"]
    open_ = [str(it.relative_to(tmp_path)) for it in files if not set(it.parents) & set(shut)]
    assert open_ == []
    # Combinations are not written beside the release at all, and nothing has its name.
    assert any(tmp_path.joinpath("local").rglob("shuffle_*.data"))
    assert not any("combinations" in str(it) for it in files) and not (tmp_path / "out" / "release").exists()
    if kind == "folder":
        left = list((tmp_path / "out").iterdir())
        assert len(left) == 1 and left[0].name.startswith(".incrowd-")
        # It keeps nobody from making a release, and what it left behind is removed then.
        made = incrowd.spark.anonymize(spark.read.parquet(folder), into=into, **ASK)
        assert made.released == 4000 and not left[0].exists()
