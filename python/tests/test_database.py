"""Tables of a real PostgreSQL, started here: what is counted there is what the rows say."""

import datetime
import decimal

import pytest

import incrowd


# In every column some value is NULL, and texts are empty or look like NULL.
TYPED = r"""CREATE TABLE typed AS SELECT 20 + i % 4 AS age, nullif(i % 5, 0) AS visits, nullif(i % 3, 0) = 1 AS ok,
  CASE WHEN i % 4 > 0 THEN date '2020-02-01' + i % 2 END AS day,
  CASE WHEN i % 4 > 0 THEN timestamptz '2020-02-01 10:00:00+02' END AS moment,
  (CASE WHEN i % 4 > 0 THEN 1.5 + i % 2 END)::numeric(7,2) AS price,
  CASE WHEN i % 4 > 0 THEN 0.5 + (i % 2)::double precision END AS share,
  CASE i % 4 WHEN 0 THEN '' WHEN 1 THEN NULL WHEN 2 THEN '\N' ELSE 'x' END AS note
  FROM generate_series(1, 120) AS i"""


@pytest.fixture(scope="module")
def address(postgres):
    statement = """CREATE TABLE people AS SELECT i AS id, 20 + i % 40 AS age, i % 2 = 0 AS sex, i % 5 AS ill
                   FROM generate_series(1, 800) AS i"""
    for statement in (statement, TYPED):
        postgres.sql(statement)
    return postgres.address


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


@pytest.fixture(scope="module")
def typed(address):
    plain = ["visits", "ok", "day", "moment", "price", "share", "note"]
    return incrowd.anonymize(address, table="typed", k=5, quasi=["age"], plain=plain, unit="row", method="mondrian")


def test_types_null_and_texts_survive_in_arrow(typed):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(typed.table)
    assert {name: str(kind) for name, kind in zip(table.schema.names, table.schema.types)} == {
        "age": "string",
        "visits": "int32",
        "ok": "bool",
        "day": "date32[day]",
        "moment": "timestamp[us, tz=UTC]",
        "price": "decimal128(7, 2)",
        "share": "double",
        "note": "string",
    }
    nulls = {name: table[name].null_count for name in table.schema.names}
    assert nulls == {"age": 0, "visits": 24, "ok": 40, "day": 30, "moment": 30, "price": 30, "share": 30, "note": 30}
    notes = table["note"].to_pylist()
    assert {text: notes.count(text) for text in ("", None, "\\N", "x")} == {"": 30, None: 30, "\\N": 30, "x": 30}
    assert table["ok"].to_pylist().count(True) == 40
    assert set(table["day"].to_pylist()) == {None, datetime.date(2020, 2, 1), datetime.date(2020, 2, 2)}
    assert set(table["price"].to_pylist()) == {None, decimal.Decimal("1.50"), decimal.Decimal("2.50")}
    moment = datetime.datetime(2020, 2, 1, 8, tzinfo=datetime.timezone.utc)
    assert {it and it.astimezone(datetime.timezone.utc) for it in table["moment"].to_pylist()} == {None, moment}


def test_types_null_and_texts_survive_in_pandas(typed):
    pandas = pytest.importorskip("pandas")
    frame = pytest.importorskip("pyarrow").table(typed.table).to_pandas()
    assert str(frame["moment"].dtype) == "datetime64[us, UTC]" and frame["share"].dtype == "float64"
    # With NULL among them pandas holds whole numbers as floating-point ones.
    assert pandas.api.types.is_numeric_dtype(frame["visits"]) and frame["visits"].isna().sum() == 24
    assert frame["note"].isna().sum() == 30 and (frame["note"] == "").sum() == 30 and (frame["note"] == "\\N").sum() == 30


def test_types_null_and_texts_survive_in_polars(typed):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(typed.arrow)
    kinds = dict(zip(frame.columns, frame.dtypes))
    assert (kinds["visits"], kinds["ok"], kinds["day"]) == (polars.Int32, polars.Boolean, polars.Date)
    assert kinds["moment"] == polars.Datetime("us", "UTC") and kinds["price"] == polars.Decimal(7, 2)
    assert frame["note"].null_count() == 30 and (frame["note"] == "").sum() == 30 and (frame["note"] == "\\N").sum() == 30


def test_types_null_and_texts_survive_in_files(typed, tmp_path):
    typed.write(tmp_path / "out.csv")
    with open(tmp_path / "out.csv", encoding="utf-8") as file:
        lines = file.read().splitlines()[1:]
    notes = [line.rsplit(",", 1)[1] for line in lines]
    assert {text: notes.count(text) for text in ('""', "", "\\N", "x")} == {'""': 30, "": 30, "\\N": 30, "x": 30}
    parquet = pytest.importorskip("pyarrow.parquet")
    typed.write(tmp_path / "out.parquet")
    table = parquet.read_table(tmp_path / "out.parquet")
    assert str(table.schema.field("visits").type) == "int32" and table["visits"].null_count == 24
    assert table["note"].null_count == 30 and table["note"].to_pylist().count("") == 30


def test_only_databases_count():
    table = {"age": ["1", "1"]}
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(incrowd.IncrowdError, match="in_database"):
        incrowd.verify(pyarrow.table(table), k=2, quasi=["age"], in_database=True)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_new_rows_are_added_where_all_hold(address, postgres):
    asked = {"k": 4, "quasi": ["age", "sex"], "plain": ["ill"], "method": "datafly", "unit": "row"}
    made = incrowd.anonymize(address, table="people", **asked)
    recoding = made.recoding
    count = lambda table: int(postgres.sql(f"SELECT count(*) FROM {table}"))  # noqa: E731
    for there in (False, True):
        into = f"grown_{int(there)}"
        rows = {"table": "people", "where": "id <= 500", "into": into, "in_database": there}
        result = recoding.apply(address, **rows)
        before = count(into)
        assert result and before == 500
        recoding.apply(address, **{**rows, "where": "id > 500"}, append=True)
        assert count(into) == 800
        assert incrowd.verify(address, 4, ["age", "sex"], table=into)
        # A row of the old table that stands alone is not saved by new ones: nothing is written.
        postgres.sql(f"INSERT INTO {into} VALUES ('17', 'f', 1)")
        with pytest.raises(incrowd.IncrowdError, match="together do not hold") as refused:
            recoding.apply(address, **rows, append=True)
        assert count(into) == 801 and "17" not in str(refused.value).replace("people", "")
        postgres.sql(f"ALTER TABLE {into} ADD COLUMN seen date")
        with pytest.raises(incrowd.IncrowdError, match="has a column `seen`"):
            recoding.apply(address, **rows, append=True)
        assert count(into) == 801
        with pytest.raises(incrowd.IncrowdError, match="already"):
            recoding.apply(address, **rows)
        recoding.apply(address, **rows, replace=True, grant="PUBLIC")
        assert count(into) == 500
    assert recoding.apply(address, table="people", where="id <= 500").table.num_rows == 500
    for wrong in ({"append": True}, {"table": "people", "append": True}, {"table": "people", "into": "x", "append": True}):
        with pytest.raises(incrowd.IncrowdError):
            recoding.apply(address, **wrong)
