"""Recodings as SQL: what DuckDB makes of them is what `apply` makes of the same rows; other dialects can be read."""

import csv
import random

import duckdb
import pytest

DIALECTS = ["postgres", "duckdb", "spark", "bigquery", "snowflake", "sqlserver"]


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


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: " ".join(asked))
def test_duckdb_makes_what_apply_makes(rows, asked, command, tmp_path):
    more = "weight,born" in asked
    sensitive = "--sensitive" in asked
    write(tmp_path / "people.csv", rows)
    later = rows[100:] + [dict(rows[0], age="99"), dict(rows[0], age="30.0"), dict(rows[0], sex="x")] * 6
    write(tmp_path / "later.csv", later)
    recoding = tmp_path / "r.json"
    command(
        "anonymize", tmp_path / "people.csv", "-k", 4, "--quasi", "age,sex,zip", "--unit", "row", "--quiet",
        "--identifying", "id" if more else "id,born,weight", "--recoding", recoding,
        *([] if sensitive else ["--plain", "ill"]), *asked,
    )
    command(
        "apply", recoding, tmp_path / "later.csv", "--unseen", "suppress", "-o", tmp_path / "applied.csv", "--quiet"
    )
    expected = read(tmp_path / "applied.csv")
    connection = duckdb.connect()
    connection.execute(
        f"CREATE TABLE later AS SELECT * FROM read_csv('{tmp_path / 'later.csv'}', all_varchar=true, header=true)"
    )
    script = command("sql", recoding, "--dialect", "duckdb", "--table", "later", "--into", "made").stdout
    check = connection.execute(script).fetchall()
    assert check == [], "the check query returns a class that fails"
    names = [name for name, _ in expected[0]]
    listed = ", ".join(f'"{name}"' for name in names)
    made = connection.execute(f"SELECT {listed} FROM made").fetchall()
    made = sorted(tuple(zip(names, ["" if it is None else str(it) for it in row])) for row in made)
    assert made == expected
    view = command("sql", recoding, "--dialect", "duckdb", "--table", "later", "--into", "seen", "--as", "view").stdout
    connection.execute(view)
    assert connection.execute("SELECT count(*) FROM seen").fetchone()[0] == len(expected)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_can_be_read(rows, dialect, command, tmp_path):
    sqlglot = pytest.importorskip("sqlglot")
    names = {"sqlserver": "tsql"}
    write(tmp_path / "people.csv", rows)
    for asked in ASKED:
        more = "weight,born" in asked
        command(
            "anonymize", tmp_path / "people.csv", "-k", 4, "--quasi", "age,sex,zip", "--unit", "row", "--quiet",
            "--identifying", "id" if more else "id,born,weight", "--recoding", tmp_path / "r.json",
            *([] if "--sensitive" in asked else ["--plain", "ill"]), *asked,
        )
        for what in ["table", "view", "insert", "select"]:
            text = command("sql", tmp_path / "r.json", "--dialect", dialect, "--as", what).stdout
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
