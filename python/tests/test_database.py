"""Tables of a real PostgreSQL, started here: what is counted there is what the rows say."""

import glob
import os
import pathlib
import shutil
import subprocess

import pytest

import incrowd


def programs():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres")) or [shutil.which("postgres")]
    return pathlib.Path(found[-1]).parent if found[-1] else None


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    bin = programs()
    if bin is None:
        assert not os.environ.get("CI"), "PostgreSQL is missing"
        pytest.skip("PostgreSQL is not installed")
    folder = pathlib.Path(f"/tmp/incrowd-python-{os.getpid()}")
    folder.mkdir()
    as_user = []
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    run = lambda *words: subprocess.run([*as_user, *words], check=True, stdout=subprocess.DEVNULL)  # noqa: E731
    try:
        run(bin / "initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8")
        options = f"-k {folder} -c listen_addresses= -c fsync=off"
        run(bin / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log", "-o", options, "start")
        statement = """CREATE TABLE people AS SELECT i AS id, 20 + i % 40 AS age, i % 2 = 0 AS sex, i % 5 AS ill
                       FROM generate_series(1, 800) AS i"""
        run(bin / "psql", "-X", "-q", "-h", folder, "-U", "postgres", "-c", statement)
        yield f"postgres://postgres@{str(folder).replace('/', '%2F')}/postgres"
    finally:
        subprocess.run([*as_user, bin / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop"], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def test_counts_say_what_rows_say(address):
    for asked in (dict(quasi=["age"]), dict(quasi=["age", "sex"], k=30)):
        looks = [
            incrowd.verify(address, table="people", unchecked=["id", "ill"], in_database=there, **{"k": 5, **asked})
            for there in (False, True)
        ]
        assert bool(looks[0]) == bool(looks[1])
        assert looks[0].facts["sizes"] == looks[1].facts["sizes"]
    risks = [incrowd.risk(address, ["age", "sex"], table="people", in_database=there).facts for there in (False, True)]
    assert risks[0] == risks[1]
    # What a column is made from is counted as it is.
    risks = [
        incrowd.risk(address, ["age"], table="people", round={"age": 10}, in_database=there).facts for there in (False, True)
    ]
    assert risks[0] == risks[1] and risks[0] != incrowd.risk(address, ["age"], table="people").facts
    found = incrowd.inspect(address, table="people", in_database=True)
    assert "id" not in [column["name"] for column in found.facts["columns"]]
    assert "`id` has 800 different values" in found.facts["notes"][0] and "note:" in repr(found)


def test_only_databases_count():
    table = {"age": ["1", "1"]}
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(incrowd.IncrowdError, match="in_database"):
        incrowd.verify(pyarrow.table(table), k=2, quasi=["age"], in_database=True)
