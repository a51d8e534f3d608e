"""Recodings as SQL: what DuckDB, SQLite and MariaDB make of them is what `apply` makes of the same rows; other dialects can be
read."""

import csv
import random
import sqlite3
import subprocess
import sys

import duckdb
import pytest

DIALECTS = ["postgres", "duckdb", "spark", "bigquery", "snowflake", "sqlserver", "mysql", "sqlite"]


class DuckDb:
    dialect = "duckdb"

    def __init__(self, _):
        self._connection = duckdb.connect()

    def run(self, script):
        """The rows of the last statement."""
        return self._connection.execute(script).fetchall()

    def load(self, table, columns, rows):
        self.run(f"CREATE TABLE {table} ({', '.join(f'{name} VARCHAR' for name in columns)})")
        self._connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", rows)


class Sqlite(DuckDb):
    dialect = "sqlite"

    def __init__(self, _):
        self._connection = sqlite3.connect(":memory:", isolation_level=None)

    def run(self, script):
        found = []
        statement = ""
        for line in script.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                found = self._connection.execute(statement).fetchall()
                statement = ""
        return found if not statement.strip() else self._connection.execute(statement).fetchall()


class MariaDb:
    dialect = "mysql"

    def __init__(self, request):
        pymysql = pytest.importorskip("pymysql")
        self._connection = pymysql.connect(
            unix_socket=request.getfixturevalue("mariadb"), user="root", charset="utf8mb4", autocommit=True,
            client_flag=pymysql.constants.CLIENT.MULTI_STATEMENTS,
        )
        self.run("DROP DATABASE IF EXISTS people; CREATE DATABASE people")
        self.run("USE people")

    def run(self, script):
        with self._connection.cursor() as cursor:
            cursor.execute(script)
            found = cursor.fetchall()
            while cursor.nextset():
                found = cursor.fetchall()
            return list(found)

    def load(self, table, columns, rows):
        self.run(f"CREATE TABLE {table} ({', '.join(f'{name} VARCHAR(40)' for name in columns)})")
        with self._connection.cursor() as cursor:
            cursor.executemany(f"INSERT INTO {table} VALUES ({', '.join(['%s'] * len(columns))})", rows)


ENGINES = [DuckDb, Sqlite, MariaDb]


@pytest.fixture(scope="module")
def rows():
    """Made-up people; some values are missing."""
    dice = random.Random(5)
    people = []
    for at in range(900):
        age = "" if dice.random() < 0.03 else str(18 + dice.randrange(55))
        people.append(
            {
                "id": str(at),
                "age": age,
                "sex": dice.choice("fm"),
                "zip": str(53700 + dice.randrange(9)),
                "weight": f"{50 + dice.randrange(30) / 2}",
                "born": f"19{50 + dice.randrange(40)}-0{1 + dice.randrange(9)}-1{dice.randrange(9)}",
                "ill": dice.choice(["flu", "it's", 'a "b"', "x\\y"]),
            }
        )
    return people


def write(path, people):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, list(people[0]))
        writer.writeheader()
        writer.writerows(people)


def read(path):
    with open(path, newline="") as file:
        return sorted(tuple(row.items()) for row in csv.DictReader(file))


ASKED = [
    ["-m", "optimal", "--metric", "dm", "--time-limit", "2s"],
    ["-m", "datafly", "--hierarchy", "zip=prefix:4,3", "--bins", "age=5@15"],
    ["-m", "mondrian"],
    ["-m", "mondrian", "--summary", "age=columns"],
    ["--kind", "local", "--effort", "quick"],
    ["--kind", "cells", "--effort", "quick"],
    ["--kind", "mixed", "--effort", "quick"],
    ["-m", "mondrian", "--sensitive", "ill", "--l-diversity", "ill=3"],
    ["-m", "mondrian", "--quasi", "weight,born", "--max-suppressed", "all"],
]


@pytest.fixture(scope="module")
def applied(rows, tmp_path_factory):
    """For each question a saved recoding, later rows, and what `apply` makes of them."""
    folder = tmp_path_factory.mktemp("applied")
    write(folder / "people.csv", rows)
    odd = [dict(rows[0], age="99"), dict(rows[0], age="30.0"), dict(rows[0], age=" 30 "), dict(rows[0], age="3e1")]
    odd += [dict(rows[0], age=""), dict(rows[0], age="NA"), dict(rows[0], sex="F"), dict(rows[0], sex="x")]
    later = rows[100:] + odd * 6
    write(folder / "later.csv", later)
    known = {}

    def of(asked):
        name = "-".join(asked).replace("/", "")
        if name not in known:
            recoding, out = folder / f"{len(known)}.json", folder / f"{len(known)}.csv"
            more = "weight,born" in asked
            run(
                "anonymize", folder / "people.csv", "-k", 4, "--quasi", "age,sex,zip", "--unit", "row", "--quiet",
                "--identifying", "id" if more else "id,born,weight", "--recoding", recoding,
                *([] if "--sensitive" in asked else ["--plain", "ill"]), *asked,
            )
            run("apply", recoding, folder / "later.csv", "--unseen", "suppress", "-o", out, "--quiet")
            known[name] = recoding, read(out)
        recoding, expected = known[name]
        return recoding, later, expected

    return of


def run(*args):
    done = subprocess.run([sys.executable, "-m", "incrowd", *map(str, args)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.dialect)
@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: " ".join(asked))
def test_databases_make_what_apply_makes(applied, asked, engine, request):
    recoding, later, expected = applied(asked)
    database = engine(request)
    # Empty texts and NULL are both no value.
    given = [[value or (None if at % 2 else "") for value in row.values()] for at, row in enumerate(later)]
    database.load("later", list(later[0]), given)
    names = [name for name, _ in expected[0]]
    quoted = ", ".join(names)

    def rows_of(table):
        found = database.run(f"SELECT {quoted} FROM {table}")
        return sorted(tuple(zip(names, ["" if it is None else str(it) for it in row])) for row in found)

    # As it comes, and where one statement may hold so little that values and boxes need tables of their own.
    for into, more in (("made", []), ("mapped", ["--longest", "2500"])):
        script = run("sql", recoding, "--dialect", engine.dialect, "--table", "later", "--into", into, *more)
        assert max(map(len, script.split(";\n"))) < 12_000 or not more, "a statement is too long"
        assert database.run(script) == [], "the check query returns a class that fails"
        assert rows_of(into) == expected
        view = run("sql", recoding, "--dialect", engine.dialect, "--table", "later", "--into", f"seen_{into}", "--as", "view", *more)
        database.run(view)
        assert rows_of(f"seen_{into}") == expected
        if not more:
            database.run(f"CREATE TABLE added AS SELECT * FROM {into} WHERE 1 = 0")
            database.run(run("sql", recoding, "--dialect", engine.dialect, "--table", "later", "--into", "added", "--as", "insert"))
            assert rows_of("added") == expected


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.dialect)
def test_labels_that_differ_in_capitals_are_two_classes(engine, request, tmp_path):
    people = [{"town": town, "ill": "flu"} for town in ["Ulm"] * 6 + ["ulm"] * 6 + ["é\\'"] * 6]
    write(tmp_path / "people.csv", people)
    run(
        "anonymize", tmp_path / "people.csv", "-k", 4, "--quasi", "town", "--plain", "ill", "--unit", "row", "-m", "datafly",
        "--recoding", tmp_path / "r.json", "--quiet",
    )
    database = engine(request)
    # Two of one spelling are too few, however many there are of the other.
    later = [[town, "flu"] for town in ["Ulm"] * 5 + ["ulm"] * 2 + ["é\\'"] * 5]
    database.load("later", ["town", "ill"], later)
    assert database.run(run("sql", tmp_path / "r.json", "--dialect", engine.dialect, "--table", "later", "--into", "made")) == []
    assert sorted(database.run("SELECT town FROM made")) == [("Ulm",)] * 5 + [("é\\'",)] * 5


@pytest.mark.parametrize("engine", [Sqlite, MariaDb], ids=lambda engine: engine.dialect)
def test_rows_come_in_an_order_of_their_own(applied, engine, request):
    recoding, later, _ = applied(ASKED[2])
    database = engine(request)
    database.load("later", list(later[0]), [list(row.values()) for row in later])
    orders = []
    for into in ("one", "other"):
        database.run(run("sql", recoding, "--dialect", engine.dialect, "--table", "later", "--into", into))
        orders.append(database.run(f"SELECT * FROM {into}"))
    assert orders[0] != orders[1] and sorted(orders[0], key=repr) == sorted(orders[1], key=repr)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_can_be_read(applied, dialect, command):
    sqlglot = pytest.importorskip("sqlglot")
    names = {"sqlserver": "tsql"}
    for asked in ASKED:
        recoding, _, _ = applied(asked)
        for what in ["table", "view", "insert", "select"]:
            text = command("sql", recoding, "--dialect", dialect, "--as", what).stdout
            parsed = [it for it in sqlglot.parse(text, read=names.get(dialect, dialect)) if it is not None]
            assert len(parsed) == (1 if what == "select" else 2), text
            assert all("Command" not in type(it).__name__ for it in parsed), text
            if dialect == "sqlserver" and what == "table":
                # RAND() would be drawn once for all rows.
                assert "NEWID()" in text


def test_folders_of_parquet_stream_through_duckdb(rows, tmp_path):
    import incrowd

    connection = duckdb.connect()
    connection.execute("SET memory_limit = '256MB'")
    write(tmp_path / "people.csv", rows)
    (tmp_path / "parts").mkdir()
    connection.execute(
        f"COPY (SELECT *, CAST(id AS INTEGER) % 3 AS part FROM '{tmp_path / 'people.csv'}') TO '{tmp_path / 'parts'}' "
        "(FORMAT parquet, PARTITION_BY part, OVERWRITE_OR_IGNORE)"
    )
    relation = connection.sql(f"SELECT age, sex, zip, ill FROM '{tmp_path / 'parts'}/**/*.parquet'")
    result = incrowd.anonymize(relation, k=4, quasi=["age", "sex", "zip"], plain=["ill"], method="mondrian", unit="row")
    assert result.k >= 4
    assert len(result.table.fetchall()) == len(rows)
