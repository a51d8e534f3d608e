"""Looks at tables on a cluster, and saved recodings applied there: the answers are those of the functions on frames."""

import json

import pytest

import incrowd
from conftest import QUASI, rows_of

SENSITIVE = ["occupation"]


@pytest.fixture(scope="module")
def release(spark, people, tmp_path_factory):
    """A release, as a pandas frame and as one of Spark."""
    made = incrowd.anonymize(
        people, k=5, quasi=QUASI, sensitive=SENSITIVE, models=[incrowd.LDiversity(2)], other="drop", seed=7, method="mondrian"
    ).table
    return made, spark.createDataFrame(made).repartition(3)


def alike(one, two):
    """Facts, but for what depends on where the table lies."""
    return {**one.facts, "seconds": None, "table": None} == {**two.facts, "seconds": None, "table": None}


def without_examples(verdict):
    """Facts, but for the classes that are told as examples: those of the first rows, and here rows have no order."""
    facts = json.loads(json.dumps(verdict.facts))
    for violation in facts["violations"]:
        violation["examples"] = len(violation.get("examples") or [])
    return facts


@pytest.mark.parametrize(
    "ask",
    [
        {"k": 5},
        {"k": 50},
        {"k": 5, "sensitive": SENSITIVE, "models": [incrowd.LDiversity(2)]},
        {"k": 5, "sensitive": SENSITIVE, "models": [incrowd.TCloseness(0.05)]},
        {"k": 5, "unchecked": SENSITIVE},
        {"k": 5, "max_risk": 0.1},
        {"k": 5, "identifying": ["occupation"]},
    ],
)
def test_verdicts_are_those_on_frames(release, ask):
    pandas, frame = release
    one = incrowd.verify(pandas, quasi=QUASI, **ask)
    two = incrowd.spark.verify(frame, quasi=QUASI, **ask)
    assert isinstance(two, incrowd.Verdict)
    assert bool(one) == bool(two) and without_examples(one) == without_examples(two)


def test_columns_that_nobody_has_named_are_told_of_alike(spark, release):
    pandas, _ = release
    rows = range(len(pandas))
    table = pandas.assign(
        number=list(rows), name=[f"person {at * 7 % 9973}" for at in rows], who=[f"ax{at // 2:07}q" for at in rows]
    )
    one = incrowd.verify(table, 5, QUASI, unchecked=["who"])
    two = incrowd.spark.verify(spark.createDataFrame(table).repartition(3), 5, QUASI, unchecked=["who"])
    assert one.notes == two.notes and len(one.notes) >= 2
    # Values that repeat and are codes show which rows belong together.
    one = incrowd.verify(table, 5, QUASI)
    two = incrowd.spark.verify(spark.createDataFrame(table).repartition(3), 5, QUASI)
    assert any("belong together" in note for note in two.notes)
    assert without_examples(one) == without_examples(two)


def test_nothing_is_null_where_nothing_is_empty(spark):
    rows = [("a", None), ("a", None), ("b", "x"), ("b", "x"), (None, "y"), (None, "y")]
    for more in ([], [("", "y"), ("", "y")]):
        frame = spark.createDataFrame(rows + more, "one string, two string")
        one = incrowd.verify(frame.toPandas(), 2, ["one", "two"])
        two = incrowd.spark.verify(frame, 2, ["one", "two"])
        assert one.facts == two.facts, more


def test_risks_are_those_on_frames(frame, people):
    for more in ({}, {"sampling_fraction": 0.1}, {"threshold": 0.05, "size": 2}):
        one = incrowd.risk(people, QUASI, **more)
        two = incrowd.spark.risk(frame, QUASI, **more)
        assert isinstance(two, incrowd.RiskResult) and alike(one, two), more
    weights = people.assign(weight=[1 + at % 3 for at in range(len(people))])
    one = incrowd.risk(weights, QUASI, weight_column="weight")
    assert alike(one, incrowd.spark.risk(frame.sparkSession.createDataFrame(weights), QUASI, weight_column="weight"))
    with pytest.raises(incrowd.InputError, match="not a probability"):
        incrowd.spark.risk(frame, QUASI, threshold=2)


def test_inspections_are_those_on_frames(frame, people):
    columns = [*QUASI, "occupation"]
    one, two = incrowd.inspect(people[columns]), incrowd.spark.inspect(frame.select(columns))
    assert isinstance(two, incrowd.Inspection) and two.notes == [] and one.facts == two.facts
    named = frame.selectExpr("*", "concat('person ', monotonically_increasing_id()) AS who")
    found = incrowd.spark.inspect(named.select("who", *columns))
    assert found.facts["columns"] == two.facts["columns"]
    assert "who" in found.notes[0] and "4000 different values" in found.notes[0]


def test_tables_are_known_by_name_and_combinations_are_bounded(spark, frame):
    frame.createOrReplaceTempView("people_of_functions")
    assert incrowd.spark.risk("people_of_functions", QUASI).facts == incrowd.spark.risk(frame, QUASI).facts
    for look in (
        lambda: incrowd.spark.risk(frame, QUASI, most_combinations=100),
        lambda: incrowd.spark.verify(frame, 2, QUASI, most_combinations=100),
        lambda: incrowd.spark.inspect(frame, most_combinations=100),
    ):
        with pytest.raises(incrowd.InputError, match="at most 100 come to the driver"):
            look()
    with pytest.raises(TypeError, match="no Spark data frame"):
        incrowd.spark.verify(3, 2, QUASI)
    with pytest.raises(incrowd.InputError, match="nope"):
        incrowd.spark.verify(frame, 2, ["nope"])


@pytest.fixture(scope="module")
def recodings(people):
    """Recodings of the first rows."""
    ask = {"k": 5, "quasi": QUASI, "plain": ["income"], "accept": ["income"], "other": "drop", "seed": 7}
    methods = {"local": "mondrian", "global": "datafly"}
    return {kind: incrowd.anonymize(people[:2500], method=method, **ask).recoding for kind, method in methods.items()}


@pytest.mark.parametrize("kind", ["local", "global"])
def test_a_recoding_is_applied_as_to_frames(spark, people, recodings, tmp_path, kind):
    new = people[2500:]
    one = recodings[kind].apply(new, unseen="suppress")
    two = incrowd.spark.apply(
        recodings[kind], spark.createDataFrame(new).repartition(3), into=str(tmp_path / "out"), unseen="suppress"
    )
    columns = list(one.table.columns)
    assert two.table.columns == columns
    assert rows_of(two.table.toPandas(), columns) == rows_of(one.table, columns)
    assert (one.k, one.rows, one.released, one.suppressed, one.cost) == (two.k, two.rows, two.released, two.suppressed, two.cost)
    told = [warning["code"] for warning in two.facts["warnings"]]
    assert told == [warning["code"] for warning in one.facts["warnings"]]
    assert bool(two.verdict) and two.method == "saved" and two.recoding == recodings[kind]


def test_rows_that_a_recoding_leaves_out_are_told_of(spark, people, recodings, tmp_path):
    few = spark.createDataFrame(people[2500:2900])
    with pytest.warns(incrowd.RowsLeftOutWarning, match="are left out"):
        incrowd.spark.apply(recodings["local"], few, into=str(tmp_path / "few"), unseen="suppress")
    strange = few.withColumn("race", few["race"].substr(1, 2))
    with pytest.raises(incrowd.UnseenValues, match="has not seen"):
        incrowd.spark.apply(recodings["global"], strange, into=str(tmp_path / "strange"))
    assert not (tmp_path / "strange").exists()
    with pytest.raises(incrowd.InputError, match="more than 10 combinations"):
        incrowd.spark.apply(recodings["global"], few, into=str(tmp_path / "strange"), most_combinations=10)
    path = tmp_path / "saved.json"
    recodings["global"].save(path)
    again = incrowd.spark.apply(path, few, into=str(tmp_path / "again"), unseen="suppress", suppressed="blank")
    assert again.table.count() == again.released


@pytest.mark.parametrize(("kind", "place"), [("local", "folder"), ("global", "table")])
def test_rows_are_added_and_judged_together(spark, people, recodings, tmp_path, kind, place):
    into = str(tmp_path / "out") if place == "folder" else f"added_to_{kind}"
    first = spark.createDataFrame(people[:2500]).repartition(2)
    made = incrowd.spark.apply(recodings[kind], first, into=into)
    old = made.table.toPandas()
    columns = list(old.columns)
    # So few that hardly any of them would be released by themselves.
    few = spark.createDataFrame(people[2500:2600])
    added = incrowd.spark.apply(recodings[kind], few, into=into, append=True, unseen="suppress")
    both = added.table.toPandas()
    assert added.rows == len(old) + 100 and added.released == len(both)
    assert len(both) > len(old) + 50
    assert not rows_of(old, columns) - rows_of(both, columns), "old rows are lost"
    assert both.groupby(QUASI, dropna=False).size().min() >= 5 and added.k >= 5 and bool(added.verdict)
    assert bool(incrowd.spark.verify(added.table, 5, QUASI))
    if place == "table":
        spark.sql(f"DROP TABLE {into}")


@pytest.mark.parametrize("place", ["folder", "table"])
def test_rows_are_added_beside_others_where_groups_overlap(spark, people, tmp_path, place):
    ask = {"k": 5, "quasi": QUASI, "plain": ["income"], "accept": ["income"], "other": "drop", "seed": 7}
    recoding = incrowd.anonymize(people[:2500], method="best-local", **ask).recoding
    into = str(tmp_path / "out") if place == "folder" else "added_beside"
    made = incrowd.spark.apply(recoding, spark.createDataFrame(people[:2500]), into=into)
    old = made.table.toPandas()
    added = incrowd.spark.apply(recoding, spark.createDataFrame(people[2500:]), into=into, append=True, unseen="suppress")
    assert added.rows == 1500 and 0 < added.released < 1500, "no groups overlap"
    both = added.table.toPandas()
    columns = list(old.columns)
    assert len(both) == len(old) + added.released
    assert not rows_of(old, columns) - rows_of(both, columns), "old rows are lost"
    assert both.groupby(QUASI, dropna=False).size().min() >= 5
    # Equal rows lie together: nothing says which of them are new.
    order = [tuple(row) for row in both.astype(str).itertuples(index=False)]
    assert order != sorted(order) and order[: len(old)] != [tuple(row) for row in old.astype(str).itertuples(index=False)]
    if place == "table":
        spark.sql(f"DROP TABLE {into}")


def test_rows_are_added_to_releases_of_the_same_recoding_only(spark, people, recodings, tmp_path):
    new = spark.createDataFrame(people[2500:])
    into = str(tmp_path / "out")
    with pytest.raises(incrowd.FileError, match="nothing to add rows to"):
        incrowd.spark.apply(recodings["local"], new, into=into, append=True)
    incrowd.spark.apply(recodings["local"], new, into=into, unseen="suppress")
    before = rows_of(spark.read.parquet(into).toPandas(), QUASI)
    with pytest.raises(incrowd.IncrowdError, match="no label|not be released as they are"):
        incrowd.spark.apply(recodings["global"], new, into=into, append=True, unseen="suppress")
    assert rows_of(spark.read.parquet(into).toPandas(), QUASI) == before
    (tmp_path / "own").mkdir()
    spark.createDataFrame(people[:100]).write.parquet(str(tmp_path / "own" / "rows"))
    with pytest.raises(incrowd.FileError, match="has not made it"):
        incrowd.spark.apply(recodings["local"], new, into=str(tmp_path / "own" / "rows"), append=True)
    with pytest.raises(incrowd.InputError, match="blank"):
        incrowd.spark.apply(recodings["local"], new, into=into, append=True, suppressed="blank")


def test_of_two_that_add_rows_one_is_told_to_try_again(spark, people, recodings, tmp_path):
    into = str(tmp_path / "out")
    incrowd.spark.apply(recodings["global"], spark.createDataFrame(people[:2500]), into=into)
    one, two = (spark.createDataFrame(people[at : at + 400]) for at in (2500, 2900))
    added = []

    def listen(news):
        if news["phase"] == "verify" and not added:
            added.append(None)
            added[0] = incrowd.spark.apply(recodings["global"], two, into=into, append=True, unseen="suppress").released

    with pytest.raises(incrowd.TryAgain, match="was replaced while rows were added"):
        incrowd.spark.apply(recodings["global"], one, into=into, append=True, unseen="suppress", progress=listen)
    assert spark.read.parquet(into).count() == added[0]
    again = incrowd.spark.apply(recodings["global"], one, into=into, append=True, unseen="suppress")
    assert again.rows == added[0] + 400 and sorted(path.name for path in tmp_path.iterdir()) == ["out"]
