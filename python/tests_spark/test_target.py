"""Where releases go: what is replaced, what never is, and what is left when something goes wrong."""

import os
import shutil
import stat
import subprocess
import threading
import time

import pytest

import incrowd
from conftest import QUASI, rows_of
from incrowd.spark import _files, _folder, _owner, _target

ASK = {"quasi": QUASI, "other": "drop", "method": "mondrian", "seed": 7}


@pytest.fixture(params=["folder", "table"])
def place(request, spark, tmp_path):
    """Where a release goes: a folder, and a table of the catalog; and how it is read."""
    if request.param == "folder":
        into = str(tmp_path / "out" / "release")
        yield into, lambda: spark.read.parquet(into).toPandas(), lambda: os.listdir(tmp_path / "out")
    else:
        name = "target_of_a_test"

        def tables():
            return [it.name for it in spark.catalog.listTables() if it.tableType == "MANAGED"]

        yield name, lambda: spark.table(name).toPandas(), tables
        for table in tables():
            spark.sql(f"DROP TABLE {table}")


def smallest(table):
    """The size of the smallest class."""
    return table.groupby(QUASI, dropna=False).size().min()


def fail(monkeypatch, spark, into, times):
    """Lets so many renames to a place fail."""
    left = [times]
    rename, sql = os.rename, type(spark).sql

    def strike(meant):
        if meant and left[0] > 0:
            left[0] -= 1
            raise OSError("the disk is on fire")

    def renamed(source, to):
        strike(str(to) == into)
        return rename(source, to)

    def run(session, text, *more, **options):
        strike(text.endswith(f"RENAME TO `{into}`"))
        return sql(session, text, *more, **options)

    monkeypatch.setattr(os, "rename", renamed)
    monkeypatch.setattr(type(spark), "sql", run)


def test_a_swap_that_fails_leaves_the_earlier_release(spark, frame, place, monkeypatch):
    into, read, beside = place
    incrowd.spark.anonymize(frame, k=5, into=into, **ASK)
    before = rows_of(read(), QUASI)
    with monkeypatch.context() as patch:
        fail(patch, spark, into, 1)
        with pytest.raises(OSError, match="on fire"):
            incrowd.spark.anonymize(frame, k=20, into=into, overwrite=True, **ASK)
    assert rows_of(read(), QUASI) == before
    assert beside() == [os.path.basename(into)]
    # The same again, on a disk that is not on fire.
    incrowd.spark.anonymize(frame, k=20, into=into, overwrite=True, **ASK)
    assert smallest(read()) >= 20 and beside() == [os.path.basename(into)]


def test_where_nothing_can_be_renamed_both_are_kept_and_named(spark, frame, place, monkeypatch):
    into, _, beside = place
    incrowd.spark.anonymize(frame, k=5, into=into, **ASK)
    with monkeypatch.context() as patch:
        fail(patch, spark, into, 9)
        with pytest.raises(incrowd.FileError, match="is kept as (.+), the verified release as (.+)") as told:
            incrowd.spark.anonymize(frame, k=20, into=into, overwrite=True, **ASK)
    words = told.value.message.replace(",", "").split()
    old, new = words[words.index("as") + 1], words[-1]
    read = spark.read.parquet if "/" in into else spark.table
    assert 5 <= smallest(read(old).toPandas()) < 20 <= smallest(read(new).toPandas())
    # The next run puts the earlier one back, when the swap cannot be one that goes on.
    monkeypatch.setattr(_target, "CUT", -1.0)
    with pytest.raises(incrowd.FileError, match="there already"):
        incrowd.spark.anonymize(frame, k=20, into=into, **ASK)
    assert beside() == [os.path.basename(into)]
    assert smallest(read(into).toPandas()) < 20


def test_two_runs_with_one_target_publish_their_own_rows(spark, frame, place):
    into, read, beside = place
    incrowd.spark.anonymize(frame, k=2, into=into, **ASK)
    seen = []

    def listen(news):
        if news["phase"] == "verify" and not seen:
            incrowd.spark.anonymize(frame, k=20, into=into, overwrite=True, **ASK)
            seen.append(read())

    outer = incrowd.spark.anonymize(frame, k=5, into=into, overwrite=True, progress=listen, **ASK)
    assert smallest(seen[0]) >= 20 and len(seen[0]) == 4000
    assert 5 <= smallest(read()) < 20 and len(read()) == outer.released == 4000
    assert beside() == [os.path.basename(into)]


def test_what_another_run_is_still_writing_is_not_published(spark, frame, tmp_path, monkeypatch):
    into = str(tmp_path / "out")
    commit = _folder.Folder.commit
    written, published = threading.Event(), threading.Event()
    weak = []

    def listen(news):
        if news["phase"] == "verify":
            written.set()
            assert published.wait(120)

    def other():
        weak.append(incrowd.spark.anonymize(frame, k=2, into=into, overwrite=True, progress=listen, **ASK))

    def later(target):
        # A run with less to protect has written its rows when the first is about to give its own their name.
        monkeypatch.setattr(_folder.Folder, "commit", commit)
        thread.start()
        assert written.wait(120)
        commit(target)

    monkeypatch.setattr(_folder.Folder, "commit", later)
    thread = threading.Thread(target=other)
    try:
        incrowd.spark.anonymize(frame, k=20, into=into, overwrite=True, **ASK)
        assert smallest(spark.read.parquet(into).toPandas()) >= 20
    finally:
        published.set()
        thread.join()
    assert weak[0].k < 20 and smallest(spark.read.parquet(into).toPandas()) < 20
    assert os.listdir(tmp_path) == ["out"]


def test_of_two_that_want_a_new_name_one_is_refused(spark, frame, place):
    into, read, beside = place

    def listen(news):
        if news["phase"] == "verify" and not beside_has():
            incrowd.spark.anonymize(frame, k=20, into=into, **ASK)

    def beside_has():
        return os.path.basename(into) in beside()

    with pytest.raises(incrowd.FileError, match="has come to be"):
        incrowd.spark.anonymize(frame, k=5, into=into, progress=listen, **ASK)
    assert smallest(read()) >= 20 and beside() == [os.path.basename(into)]


@pytest.mark.parametrize("phase", ["recode", "verify"])
def test_an_interrupted_run_leaves_nothing(spark, frame, place, phase):
    into, read, beside = place
    incrowd.spark.anonymize(frame, k=5, into=into, **ASK)

    def listen(news):
        if news["phase"] == phase:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        incrowd.spark.anonymize(frame, k=20, into=into, overwrite=True, progress=listen, **ASK)
    assert beside() == [os.path.basename(into)] and smallest(read()) < 20


def test_others_cannot_enter_while_a_release_is_made_and_can_afterwards(spark, frame, place, tmp_path):
    into, _, _ = place
    warehouse = spark.conf.get("spark.sql.warehouse.dir").removeprefix("file:")
    root = os.path.dirname(into) if "/" in into else warehouse
    open_ = []

    def listen(news):
        if news["phase"] == "verify":
            made = [it for it in os.scandir(root) if "incrowd" in it.name]
            open_.extend(stat.S_IMODE(it.stat().st_mode) for it in made)

    incrowd.spark.anonymize(frame, k=5, into=into, progress=listen, **ASK)
    assert open_ == [0o700]
    os.mkdir(tmp_path / "ordinary")
    made = os.path.join(root, os.path.basename(into))
    assert os.stat(made).st_mode == os.stat(tmp_path / "ordinary").st_mode
    assert all(stat.S_IMODE(it.stat().st_mode) & 0o444 == 0o444 for it in os.scandir(made))


@pytest.mark.parametrize("format", ["parquet", "csv", "orc", "json"])
def test_an_earlier_release_is_replaced_in_every_format(spark, frame, tmp_path, format):
    into = str(tmp_path / "out")
    for k in (5, 20):
        made = incrowd.spark.anonymize(frame, k=k, into=into, format=format, overwrite=True, **ASK)
        assert smallest(made.table.toPandas()) >= k and made.table.count() == 4000
    # A release in another format is one, too.
    incrowd.spark.anonymize(frame, k=5, into=into, overwrite=True, **ASK)
    assert smallest(spark.read.parquet(into).toPandas()) < 20 and os.listdir(tmp_path) == ["out"]


def test_links_and_empty_folders_are_no_obstacle(spark, frame, tmp_path):
    (tmp_path / "disk" / "empty").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "disk" / "empty")
    for k in (5, 20):
        incrowd.spark.anonymize(frame, k=k, into=str(tmp_path / "link"), overwrite=True, **ASK)
        assert (tmp_path / "link").is_symlink() and os.listdir(tmp_path / "disk") == ["empty"]
        assert smallest(spark.read.parquet(str(tmp_path / "disk" / "empty")).toPandas()) >= k


def test_the_same_on_any_file_system_of_hadoop(spark, frame, tmp_path, monkeypatch):
    def hadoop(session, name):
        path = session._jvm.org.apache.hadoop.fs.Path(name)
        system = path.getFileSystem(session._jsc.hadoopConfiguration())
        return _files.HadoopFiles(session, system), str(system.makeQualified(path).toString())

    monkeypatch.setattr(_folder, "files_of", hadoop)
    monkeypatch.setattr(_target, "files_of", hadoop)
    into, open_ = str(tmp_path / "out"), []

    def listen(news):
        if news["phase"] == "verify":
            open_.extend(stat.S_IMODE(it.stat().st_mode) for it in os.scandir(tmp_path) if "incrowd" in it.name)

    for k in (5, 20):
        incrowd.spark.anonymize(frame, k=k, into=into, overwrite=True, progress=listen, **ASK)
        assert smallest(spark.read.parquet(into).toPandas()) >= k and os.listdir(tmp_path) == ["out"]
    assert open_ == [0o700, 0o700]
    files, path = hadoop(spark, into)
    with pytest.raises(incrowd.InputError, match="read from"):
        incrowd.spark.anonymize(spark.read.parquet(into), k=5, into=into, overwrite=True, **ASK)
    (tmp_path / "other" / "own").mkdir(parents=True)
    with pytest.raises(Exception, match="there already"):
        files.move(f"file:{tmp_path}/other", path)
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(incrowd.FileError, match=r"notes\.txt"):
        incrowd.spark.anonymize(frame, k=5, into=into, overwrite=True, **ASK)
    assert files.is_mine(path) and files.seconds(f"{path}/notes.txt") < 60


def test_a_move_never_replaces_and_never_nests(tmp_path):
    files = _files.LocalFiles()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    with pytest.raises(FileExistsError):
        files.move(str(tmp_path / "one"), str(tmp_path / "two"))
    files.move(str(tmp_path / "one"), str(tmp_path / "three"))
    assert os.listdir(tmp_path / "two") == ["two"] and os.listdir(tmp_path / "three") == ["one"]
    with pytest.raises(FileExistsError):
        files.make_private(str(tmp_path / "two"))


def left(folder, seconds):
    """What a run that was killed has left so many seconds ago."""
    private = folder / f".incrowd-{os.urandom(16).hex()}"
    private.mkdir(mode=0o700)
    for name in ("new/out", "old"):
        (private / name).mkdir(parents=True)
    (private / "new" / "out" / "part-0.parquet").write_text("rows")
    mark = private / _folder.SCRATCH
    mark.touch()
    os.utime(mark, (time.time() - seconds,) * 2)
    return private


def test_what_killed_runs_have_left_is_removed_and_nothing_else(spark, frame, tmp_path):
    days = 24 * 3600
    stale, alive = left(tmp_path, 8 * days), left(tmp_path, 2 * days)
    alike = tmp_path / ".incrowd-notes"
    alike.mkdir()
    unmarked = left(tmp_path, 8 * days)
    (unmarked / _folder.SCRATCH).unlink()
    incrowd.spark.anonymize(frame, k=5, into=str(tmp_path / "out"), **ASK)
    assert not stale.exists()
    assert alive.exists() and alike.exists() and unmarked.exists()


def test_tables_that_killed_runs_have_left_are_removed_and_no_others(spark, frame, place):
    into, _, beside = place
    if "/" in into:
        pytest.skip("folders have a test of their own")
    names = {which: f"incrowd_{os.urandom(16).hex()}_new" for which in ("stale", "alive", "unmarked")}
    for which, name in names.items():
        days = {"stale": 8, "alive": 2}.get(which)
        spark.sql(f"CREATE TABLE {name} (a int) USING parquet")
        if days:
            marks = f"'incrowd.place' = '{into}', 'incrowd.since' = '{int(time.time()) - days * 86400}'"
            spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ({marks})")
    incrowd.spark.anonymize(frame, k=5, into=into, **ASK)
    assert sorted(beside()) == sorted([into, names["alive"], names["unmarked"]])


def test_what_a_driver_that_is_gone_has_left_is_removed_at_once(spark, frame, tmp_path):
    gone = subprocess.Popen(["sleep", "60"])
    marks = {}
    for which, owner in (("gone", _owner._start_of(gone.pid)), ("alive", _owner._start_of(os.getpid()))):
        pid = gone.pid if which == "gone" else os.getpid()
        marks[which] = left(tmp_path, 60)
        text = " ".join((_owner._machine(), str(pid), owner))
        (marks[which] / _folder.SCRATCH).write_text(text if which == "gone" else text + "0")
    elsewhere = left(tmp_path, 60)
    (elsewhere / _folder.SCRATCH).write_text(f"elsewhere {gone.pid} 17")
    gone.kill()
    gone.wait()
    # A number that was given out again is another process.
    assert _owner.is_dead(" ".join((_owner._machine(), str(os.getpid()), "17"))) and not _owner.is_dead(_owner.me())
    incrowd.spark.anonymize(frame, k=5, into=str(tmp_path / "out"), **ASK)
    assert not marks["gone"].exists() and not marks["alive"].exists() and elsewhere.exists()
    shutil.rmtree(elsewhere)
    assert os.listdir(tmp_path) == ["out"]
