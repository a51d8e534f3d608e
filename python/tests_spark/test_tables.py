"""Types, names, roles, units, models, targets and refusals: as on one machine."""

import datetime
import decimal
import os

import pytest

import incrowd
from conftest import QUASI, rows_of
from test_release import both


def test_types_are_kept(spark, tmp_path):
    from pyspark.sql.types import (
        BooleanType, DateType, DecimalType, DoubleType, LongType, StringType, StructField, StructType, TimestampType,
    )

    schema = StructType(
        [
            StructField("age", LongType()),
            StructField("pay", DecimalType(10, 2)),
            StructField("born", DateType()),
            StructField("seen", TimestampType()),
            StructField("weight", DoubleType()),
            StructField("paid", BooleanType()),
            StructField("town", StringType()),
        ]
    )
    rows = [
        (
            20 + at % 9 if at % 11 else None,
            decimal.Decimal(f"{at % 4}.50"),
            datetime.date(1990 + at % 3, 1, 1),
            datetime.datetime(2026, 1, 1 + at % 2, 8, 30),
            float(at % 5),
            bool(at % 2),
            ["Oslo", "Rome", None][at % 3],
        )
        for at in range(600)
    ]
    frame = spark.createDataFrame(rows, schema).repartition(4)
    plain = ["pay", "seen", "weight", "paid", "town"]
    result = incrowd.spark.anonymize(
        frame, k=5, quasi=["age", "born"], plain=plain, method="mondrian", into=str(tmp_path / "out")
    )
    released = result.table
    kinds = {field.name: field.dataType.simpleString() for field in released.schema.fields}
    assert kinds == {
        "age": "string", "pay": "decimal(10,2)", "born": "string", "seen": "timestamp", "weight": "double",
        "paid": "boolean", "town": "string",
    }
    before, after = frame.toPandas(), released.toPandas()
    assert rows_of(before, plain) == rows_of(after, plain)
    one = incrowd.anonymize(frame.toArrow(), k=5, quasi=["age", "born"], plain=plain, method="mondrian")
    assert rows_of(after, ["age", "born"]) == rows_of(one.table.to_pandas(), ["age", "born"])


def test_odd_names(spark, tmp_path):
    names = ["a.b", "with blank", "quo`te", "`x`.y"]
    frame = spark.createDataFrame([(at % 7, at % 3, at % 2, "kept") for at in range(300)], names)
    result = incrowd.spark.anonymize(
        frame, k=5, quasi=names[:3], plain=names[3:], method="mondrian", into=str(tmp_path / "an odd name")
    )
    assert result.table.columns == names and result.released == 300


@pytest.mark.parametrize(
    ("column", "what"),
    [("array(1, 2)", "nested"), ("struct(1 as x)", "nested"), ("map('a', 1)", "nested"), ("cast('x' as binary)", "bytes"),
     ("INTERVAL '1' DAY", "unsupported")],
)
def test_nested_and_binary_columns_are_refused(spark, tmp_path, column, what):
    frame = spark.range(100).selectExpr("id % 10 as age", f"{column} as odd")
    ask = {"k": 5, "quasi": ["age"], "into": str(tmp_path / "out")}
    with pytest.raises(incrowd.InputError, match=f"odd.*{what}"):
        incrowd.spark.anonymize(frame, other="plain", **ask)
    assert os.listdir(tmp_path) == []
    # What is left out may be anything.
    assert incrowd.spark.anonymize(frame, identifying=["odd"], **ask).released == 100


def test_the_same_columns_are_refused(spark, people, tmp_path):
    named = people.assign(name=[f"person {at}" for at in range(len(people))])
    ask = {"k": 5, "quasi": QUASI, "other": "plain"}
    with pytest.raises(incrowd.RefusedColumns) as one:
        incrowd.anonymize(named, **ask)
    with pytest.raises(incrowd.RefusedColumns) as many:
        incrowd.spark.anonymize(spark.createDataFrame(named), into=str(tmp_path / "out"), **ask)
    assert [it["column"] for it in one.value.columns] == [it["column"] for it in many.value.columns]
    copied = people[QUASI].assign(years=people["age"].map(lambda age: 2026 - int(age)))
    for frame, call in ((copied, incrowd.anonymize), (spark.createDataFrame(copied), incrowd.spark.anonymize)):
        more = {"into": str(tmp_path / "out")} if call is incrowd.spark.anonymize else {}
        with pytest.raises(incrowd.RefusedColumns, match="years"):
            call(frame, k=25, quasi=QUASI, method="mondrian", other="plain", **more)
    assert os.listdir(tmp_path) == []


def test_people_with_several_rows(spark, people, tmp_path):
    visits = people[[*QUASI, "occupation"]].loc[people.index.repeat(3)].reset_index(drop=True)
    visits["patient"] = [f"p{at // 3}" for at in range(len(visits))]
    frame = spark.createDataFrame(visits).repartition(4)
    ask = {"k": 5, "quasi": QUASI, "identifying": ["patient"], "other": "drop", "method": "mondrian"}
    for call, given, more in (
        (incrowd.anonymize, visits, {}), (incrowd.spark.anonymize, frame, {"into": str(tmp_path / "out")})
    ):
        with pytest.raises(incrowd.InputError, match="rows are not people"):
            call(given, **ask, **more)
    one, many = both(spark, frame, visits, tmp_path / "out", **ask, unit="patient")
    assert many.facts["unit"] == "patient" and "patient" not in many.table.columns
    assert many.verdict.units == one.verdict.units == len(people)


def test_models_and_reports(spark, frame, people, tmp_path):
    one, many = both(
        spark, frame, people, tmp_path / "out", k=4, quasi=QUASI[:3], sensitive=["occupation"], plain=["workclass"],
        other="drop", method="mondrian", models=[incrowd.LDiversity(3), incrowd.TCloseness(0.4)],
    )
    assert [it["column"] for it in many.unchanged] == [it["column"] for it in one.unchanged]
    for here, there in zip(one.unchanged, many.unchanged):
        assert here == there
    assert many.facts["metrics"] == pytest.approx(one.facts["metrics"])
    page = many.page()
    assert page.startswith("<!") and "4-anonym" in page or "html" in page
    assert many.recoding.k == 4 and str(many.spec)
    assert [it["code"] for it in many.warnings] == [it["code"] for it in one.warnings]


def test_treated_columns_and_hierarchies(spark, frame, people, tmp_path):
    both(
        spark, frame, people, tmp_path / "out", k=5, quasi=["age", "sex"], plain=["workclass"], other="drop",
        top={"age": 70}, round={"age": 5}, method="mondrian",
    )


def test_suppressed_values_are_told(spark, frame, people, tmp_path):
    one, many = both(
        spark, frame, people, tmp_path / "out", k=30, quasi=QUASI, plain=["workclass"], other="drop", method="datafly",
        max_suppressed="10%",
    )
    assert one.suppressed > 0 and many.losses == one.losses


def test_tables_formats_and_orders(spark, frame, tmp_path):
    ask = {"k": 5, "quasi": QUASI, "other": "drop", "method": "mondrian"}
    result = incrowd.spark.anonymize(frame, into="release_of_people", **ask)
    assert spark.table("release_of_people").count() == result.released
    with pytest.raises(incrowd.FileError, match="there already"):
        incrowd.spark.anonymize(frame, into="release_of_people", **ask)
    incrowd.spark.anonymize(frame, into="release_of_people", overwrite=True, **ask)
    assert not [table.name for table in spark.catalog.listTables() if "unverified" in table.name]
    spark.sql("DROP TABLE release_of_people")
    csv = incrowd.spark.anonymize(frame, into=str(tmp_path / "csv"), format="csv", sort=True, **ask)
    rows = [tuple(row) for row in csv.table.collect()]
    assert len(rows) == csv.released and rows == sorted(rows)
    again = incrowd.spark.anonymize(frame, into=str(tmp_path / "csv"), overwrite=True, format="csv", **ask)
    assert again.released == csv.released and os.listdir(tmp_path) == ["csv"]
    with pytest.raises(incrowd.FileError):
        incrowd.spark.anonymize(frame, into=str(tmp_path / "csv"), **ask)


def test_what_makes_no_sense_is_refused_before_anything_is_read(spark, frame, tmp_path):
    into = str(tmp_path / "out")
    with pytest.raises(incrowd.InputError, match="quasi"):
        incrowd.spark.anonymize(frame, k=5, into=into)
    with pytest.raises(incrowd.InputError, match="no column `nobody`"):
        incrowd.spark.anonymize(frame, k=5, quasi=["nobody"], into=into)
    with pytest.raises(TypeError, match="no option"):
        incrowd.spark.anonymize(frame, k=5, quasi=QUASI, into=into, nonsense=1)
    with pytest.raises(TypeError, match="no Spark data frame"):
        incrowd.spark.anonymize([1, 2], k=5, quasi=QUASI, into=into)
    with pytest.raises(incrowd.InputError, match="no rows"):
        incrowd.spark.anonymize(frame.limit(0), k=5, quasi=QUASI, other="drop", into=into)
    assert os.listdir(tmp_path) == []
