"""Without Python on the executors: a saved recoding as Spark SQL makes what `apply` makes of the same rows."""

import csv
import random
import subprocess
import sys

import pytest

ASKED = [
    ["-m", "optimal", "--metric", "dm", "--time-limit", "2s"],
    ["-m", "datafly", "--hierarchy", "zip=prefix:4,3", "--bins", "age=5@15"],
    ["-m", "mondrian"],
    ["--kind", "local", "--effort", "quick"],
    ["-m", "mondrian", "--sensitive", "ill", "--l-diversity", "ill=3"],
]


def command(*args):
    done = subprocess.run([sys.executable, "-m", "incrowd", *map(str, args)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def statements(script):
    """What a notebook or `spark-sql -f` runs one after the other."""
    lines = [line for line in script.splitlines() if not line.startswith("--")]
    return [part.strip() for part in "\n".join(lines).split(";\n") if part.strip().rstrip(";")]


@pytest.fixture(scope="module")
def rows():
    """Made-up people; some values are missing, some hold what SQL would take for its own."""
    dice = random.Random(8)

    def person():
        return {
            "age": "" if dice.random() < 0.03 else str(18 + dice.randrange(55)),
            "sex": dice.choice("fm"),
            "zip": str(53700 + dice.randrange(9)),
            "ill": dice.choice(["flu", "it's", 'a "b"', "x\\y", "`c`"]),
        }

    return [person() for _ in range(700)]


def write(path, people):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, list(people[0]))
        writer.writeheader()
        writer.writerows(people)


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: " ".join(asked))
def test_spark_sql_makes_what_apply_makes(spark, rows, asked, tmp_path):
    write(tmp_path / "people.csv", rows)
    later = rows[100:] + [dict(rows[0], age="99"), dict(rows[0], age="30.0"), dict(rows[0], sex="x")] * 6
    write(tmp_path / "later.csv", later)
    recoding = tmp_path / "r.json"
    command(
        "anonymize", tmp_path / "people.csv", "-k", 4, "--quasi", "age,sex,zip", "--unit", "row", "--quiet",
        "--recoding", recoding, *([] if "--sensitive" in asked else ["--plain", "ill"]), *asked,
    )
    command("apply", recoding, tmp_path / "later.csv", "--unseen", "suppress", "-o", tmp_path / "applied.csv", "--quiet")
    with open(tmp_path / "applied.csv", newline="") as file:
        applied = list(csv.reader(file))
    names, expected = applied[0], sorted(map(tuple, applied[1:]))

    texts = ", ".join(f"{name} string" for name in later[0])
    spark.createDataFrame([tuple(row[name] or None for name in row) for row in later], texts).createOrReplaceTempView("later")
    *makes, check = statements(command("sql", recoding, "--dialect", "spark", "--table", "later", "--into", "made"))
    spark.sql("DROP TABLE IF EXISTS made")
    for statement in makes:
        spark.sql(statement)
    assert spark.sql(check).collect() == [], "the check query returns a class that fails"
    made = spark.sql(f"SELECT {', '.join(f'`{name}`' for name in names)} FROM made").collect()
    assert sorted(tuple("" if it is None else str(it) for it in row) for row in made) == expected
    spark.sql("DROP TABLE made")
