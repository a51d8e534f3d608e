"""Columns of every kind: what is not generalized comes back equal in value, in what is missing, and in type."""

import datetime
import decimal
import fractions
import subprocess
import sys
import uuid

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pytest

import incrowd

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

ROWS = 40


class Shape:
    """An object of somebody else's, which Arrow knows nothing of."""

    def __init__(self, sides):
        self.sides = sides

    def __eq__(self, other):
        return isinstance(other, Shape) and self.sides == other.sides

    def __hash__(self):
        return hash(self.sides)


def two(one, other, missing=True):
    """Values, each in enough rows; some are missing."""
    return ([one, other, None, one] if missing else [one, other, other, one]) * (ROWS // 4)


day, moment = datetime.date(2026, 1, 2), datetime.datetime(2026, 1, 2, 3, 4, 5, 678901)
oslo = datetime.timezone(datetime.timedelta(hours=2))
D = decimal.Decimal

PANDAS = {
    "int64": two(1, 2, False),
    "int8": pandas.array(two(1, 2, False), dtype="int8"),
    "uint64": pandas.array(two(2**64 - 1, 2, False), dtype="uint64"),
    "Int64": pandas.array(two(2**62 + 1, 2), dtype="Int64"),
    "float16": numpy.array(two(1.5, 2.5, False), dtype="float16"),
    "float64": two(0.1, float("inf")),
    "boolean": pandas.array(two(True, False), dtype="boolean"),
    "str": pandas.array(two("", "a,b\n"), dtype="string"),
    "texts": pandas.Series(two("", "x"), dtype=object),
    "arrow text": pandas.array(two("", "é"), dtype=pandas.ArrowDtype(pyarrow.string())),
    "arrow list": pandas.array(two([1], [1, 2]), dtype=pandas.ArrowDtype(pyarrow.list_(pyarrow.int64()))),
    "categories": pandas.Categorical(two("x", "y")),
    "whole categories": pandas.Categorical(two(1, 2)),
    "ordered": pandas.Categorical(two("low", "high"), categories=["low", "high"], ordered=True),
    "datetime": pandas.to_datetime(two(moment, datetime.datetime(1700, 1, 1, 1))),
    "nanoseconds": pandas.to_datetime(two(1, 2**62 + 1), unit="ns"),
    "seconds": pandas.to_datetime(two("2026-01-01", "2026-01-02")).as_unit("s"),
    "zoned": pandas.to_datetime(two(moment, moment)).tz_localize("Europe/Oslo"),
    "period": pandas.PeriodIndex(two("2026-01", "2026-02"), freq="M"),
    "interval": pandas.arrays.IntervalArray.from_tuples(two((0, 1), (1, 2))),
    "timedelta": pandas.to_timedelta(two(1, 2**40 + 1), unit="ns"),
    "complex": pandas.Series(two(1 + 2j, 3j, False)),
    "sparse": pandas.arrays.SparseArray(two(0, 1, False)),
    "dates": pandas.Series(two(day, datetime.date(1, 1, 1)), dtype=object),
    "times": pandas.Series(two(datetime.time(1, 2, 3, 4), datetime.time(0)), dtype=object),
    "decimals": pandas.Series(two(D("1.5"), D("2.50")), dtype=object),
    "large decimals": pandas.Series(two(D(10) ** 60, D("0.1")), dtype=object),
    "large integers": pandas.Series(two(2**70, -1), dtype=object),
    "integers or none": pandas.Series(two(1, 2), dtype=object),
    "bytes": pandas.Series(two(b"\xff\x00", b"a"), dtype=object),
    "lists": pandas.Series(two([1], ["x", None]), dtype=object),
    "dicts": pandas.Series(two({"a": 1}, {"b": [2]}), dtype=object),
    "arrays": pandas.Series(two(numpy.array([1, 2]), numpy.array([1])), dtype=object),
    "mixed": pandas.Series(two(1, "1"), dtype=object),
    "alike": pandas.Series(two(True, 1), dtype=object),
    "zones": pandas.Series(two(moment.replace(tzinfo=oslo), moment), dtype=object),
    "objects": pandas.Series(two(Shape(3), Shape(4)), dtype=object),
    "fractions": pandas.Series(two(fractions.Fraction(1, 3), fractions.Fraction(2)), dtype=object),
}

POLARS = {
    "Int8": polars.Series(two(1, 2), dtype=polars.Int8),
    "Int16": polars.Series(two(-(2**15), 2), dtype=polars.Int16),
    "Int32": polars.Series(two(-(2**31), 2), dtype=polars.Int32),
    "Int64": polars.Series(two(-(2**63), 2), dtype=polars.Int64),
    "UInt8": polars.Series(two(255, 2), dtype=polars.UInt8),
    "UInt16": polars.Series(two(2**16 - 1, 2), dtype=polars.UInt16),
    "UInt32": polars.Series(two(2**32 - 1, 2), dtype=polars.UInt32),
    "UInt64": polars.Series(two(2**64 - 1, 2), dtype=polars.UInt64),
    "Int128": polars.Series(two(2**100, -1), dtype=polars.Int128),
    "Float32": polars.Series(two(0.1, 2.5), dtype=polars.Float32),
    "Float64": polars.Series(two(0.1, float("-inf"))),
    "not a number": polars.Series(two(float("nan"), 1e300)),
    "Boolean": polars.Series(two(True, False)),
    "String": polars.Series(two("", "x")),
    "Enum": polars.Series(two("b", "a"), dtype=polars.Enum(["b", "a", "never"])),
    "Decimal": polars.Series(two(D("1.50"), D("-2.25"))),
    "wide Decimal": polars.Series(two(D("1e25"), D("-2")), dtype=polars.Decimal(38, 4)),
    "Date": polars.Series(two(day, datetime.date(1, 1, 1))),
    "Datetime": polars.Series(two(moment, datetime.datetime(1, 1, 1))),
    "Datetime ms": polars.Series(two(moment, datetime.datetime(1, 1, 1))).cast(polars.Datetime("ms")),
    "Datetime ns": polars.Series(two(1, 2**62 + 1)).cast(polars.Datetime("ns")),
    "zoned": polars.Series(two(moment, moment)).dt.replace_time_zone("Asia/Tokyo"),
    "zoned ns": polars.Series(two(moment, moment)).cast(polars.Datetime("ns")).dt.replace_time_zone("UTC"),
    "Time": polars.Series(two(1, 86_399_999_999_999)).cast(polars.Time),
    "Duration": polars.Series(two(1, 2**40 + 1)).cast(polars.Duration("ns")),
    "Duration us": polars.Series(two(1, 2**40 + 1)).cast(polars.Duration("us")),
    "Duration ms": polars.Series(two(1, -(2**40))).cast(polars.Duration("ms")),
    "Binary": polars.Series(two(b"\xff\x00", b"a")),
    "List": polars.Series(two([1], [])),
    "List of texts": polars.Series(two(["", None], [])),
    "List of lists": polars.Series(two([[1], []], [])),
    "List of dates": polars.Series(two([day], [])),
    "Array": polars.Series(two([1, 2], [3, 4]), dtype=polars.Array(polars.Int8, 2)),
    "Array of texts": polars.Series(two(["", "b"], ["a", None]), dtype=polars.Array(polars.String, 2)),
    "Struct": polars.Series(two({"x": 1}, {"x": 2})),
    "Struct of lists": polars.Series(two({"x": [1], "y": ""}, {"x": [], "y": None})),
    "List of structs": polars.Series(two([{"x": 1}], [])),
    "Object": polars.Series(two(Shape(3), Shape(4)), dtype=polars.Object),
    "Null": polars.Series([None] * ROWS),
}

ARROW = {
    "bool": pyarrow.array(two(True, False)),
    "int16": pyarrow.array(two(1, 2), pyarrow.int16()),
    "text": pyarrow.array(two("", "a,b\n")),
    "half": pyarrow.array(numpy.array(two(1.5, 2.5, False), dtype="float16")),
    "large text": pyarrow.array(two("", "x"), pyarrow.large_string()),
    "text view": pyarrow.array(two("", "x"), pyarrow.string_view()),
    "large binary": pyarrow.array(two(b"\xff", b""), pyarrow.large_binary()),
    "binary view": pyarrow.array(two(b"\xff", b""), pyarrow.binary_view()),
    "time32": pyarrow.array(two(1, 86_399), pyarrow.time32("s")),
    "time64": pyarrow.array(two(1, 86_399_999_999_999), pyarrow.time64("ns")),
    "date64": pyarrow.array(two(day, datetime.date(1, 1, 1)), pyarrow.date64()),
    "timestamp": pyarrow.array(two(1, 2), pyarrow.timestamp("s")),
    "zoned": pyarrow.array(two(1, 2), pyarrow.timestamp("us", "America/Lima")),
    "timestamp ns": pyarrow.array(two(1, 2**62 + 1), pyarrow.timestamp("ns")),
    "duration s": pyarrow.array(two(1, -2), pyarrow.duration("s")),
    "duration": pyarrow.array(two(1, 2**40 + 1), pyarrow.duration("ns")),
    "interval": pyarrow.array(two((1, 1, 1), (2, 2, 2)), pyarrow.month_day_nano_interval()),
    "decimal": pyarrow.array(two(D("1.50"), D(-2)), pyarrow.decimal128(10, 2)),
    "decimal32": pyarrow.array(two(D("1.50"), D(-2)), pyarrow.decimal32(9, 2)),
    "decimal64": pyarrow.array(two(D("1.50"), D(-2)), pyarrow.decimal64(18, 2)),
    "decimal256": pyarrow.array(two(D(10) ** 45, D(-2)), pyarrow.decimal256(60, 2)),
    "decimal of hundreds": pyarrow.array(two(D(100), D(200)), pyarrow.decimal128(5, -2)),
    "binary": pyarrow.array(two(b"\xff", b"")),
    "two bytes": pyarrow.array(two(b"aa", b"bb"), pyarrow.binary(2)),
    "list": pyarrow.array(two([1], [])),
    "large list": pyarrow.array(two([1], []), pyarrow.large_list(pyarrow.int8())),
    "list of two": pyarrow.array(two([1, 2], [3, None]), pyarrow.list_(pyarrow.int8(), 2)),
    "struct": pyarrow.array(two({"x": 1}, {"x": None})),
    "map": pyarrow.array(two([("a", 1)], []), pyarrow.map_(pyarrow.string(), pyarrow.int64())),
    "dictionary": pyarrow.array(two("x", "y")).dictionary_encode().cast(pyarrow.dictionary(pyarrow.int8(), pyarrow.string())),
    "dictionary of integers": pyarrow.array(two(1, 2)).dictionary_encode(),
    "ordered dictionary": pyarrow.DictionaryArray.from_arrays(pyarrow.array(two(1, 0), pyarrow.int32()), ["b", "a"], ordered=True),
    "null": pyarrow.nulls(ROWS),
}

DUCKDB = {
    "TINYINT": "i % 2 - 128",
    "SMALLINT": "i % 2",
    "INTEGER": "i % 2",
    "BIGINT": "(i % 2) + 9223372036854775806",
    "HUGEINT": "(i % 2)::HUGEINT * 170141183460469231731687303715884105727",
    "UTINYINT": "i % 2",
    "USMALLINT": "i % 2",
    "UINTEGER": "i % 2",
    "UBIGINT": "18446744073709551614 + i % 2",
    "UHUGEINT": "(i % 2)::UHUGEINT * 340282366920938463463374607431768211455",
    "BIGNUM": "i % 2",
    "FLOAT": "CASE i % 4 WHEN 1 THEN 'nan' WHEN 2 THEN '-inf' ELSE '0.1' END",
    "DOUBLE": "CASE i % 4 WHEN 1 THEN 'nan' WHEN 2 THEN '-0.0' ELSE '0.1' END",
    "DECIMAL(4,1)": "i % 2",
    "DECIMAL(9,2)": "i % 2",
    "DECIMAL(18,4)": "i % 2",
    "DECIMAL(30,2)": "i % 2",
    "DECIMAL(38,10)": "i % 2",
    "BOOLEAN": "i % 2 = 0",
    "VARCHAR": "CASE i % 4 WHEN 1 THEN '' ELSE 'x' END",
    "DATE": "DATE '0001-01-01' + (i % 2)::INTEGER",
    "TIME": "TIME '01:02:03.000004'",
    "TIME_NS": "TIME_NS '01:02:03.000004567'",
    "TIMETZ": "TIMETZ '01:02:03+02'",
    "TIMESTAMP": "TIMESTAMP '1700-01-01 00:00:00.000001'",
    "TIMESTAMP_S": "TIMESTAMP_S '2026-01-01 00:00:00'",
    "TIMESTAMP_MS": "TIMESTAMP_MS '2026-01-01 00:00:00.123'",
    "TIMESTAMP_NS": "TIMESTAMP_NS '2026-01-01 00:00:00.123456789'",
    "TIMESTAMPTZ": "TIMESTAMPTZ '2026-01-01 00:00:00+02'",
    "INTERVAL": "INTERVAL (i % 2) DAY",
    "BLOB": r"'\xFF\x00'",
    "BIT": "CASE i % 4 WHEN 1 THEN '101' ELSE '0' END",
    "UUID": "'00000000-0000-0000-0000-00000000000' || (i % 2)",
    "ENUM ('sad', 'glad', 'never')": "CASE i % 4 WHEN 1 THEN 'glad' ELSE 'sad' END",
    "JSON": "'{\"a\":  1}'",
    "INTEGER[]": "[i % 2, NULL]",
    "INTEGER[2]": "[i % 2, 1]",
    "INTEGER[][]": "[[i % 2], []]",
    "VARCHAR[]": "['', NULL]",
    "STRUCT(x INTEGER)": "{'x': i % 2}",
    "STRUCT(x INTEGER, y VARCHAR[])": "{'x': i % 2, 'y': ['a']}",
    "MAP(VARCHAR, INTEGER)": "MAP {'a': i % 2}",
    "UNION(a INTEGER, b VARCHAR)": "(i % 2)::INTEGER",
}

AGES = [20 + row % 4 for row in range(ROWS)]
ASK = {"k": 5, "quasi": ["age"], "plain": ["kept"], "accept": ["kept"]}


def said(values):
    """Values with their types, in an order of their own."""
    return sorted(f"{type(value).__name__} {value!r}" if not isinstance(value, Shape) else f"Shape {value.sides}"
                  for value in values)


def of_pandas(series):
    missing = series.isna()
    return said(value for value, gone in zip(series, missing) if not gone), int(missing.sum())


@pytest.mark.parametrize("kind", PANDAS)
def test_pandas(kind):
    given = pandas.DataFrame({"age": AGES, "kept": PANDAS[kind]})
    out = incrowd.anonymize(given, **ASK).table
    assert list(out.columns) == ["age", "kept"] and len(out) == ROWS
    assert out["kept"].dtype == given["kept"].dtype
    assert of_pandas(out["kept"]) == of_pandas(given["kept"])
    left = incrowd.anonymize(given, k=5, quasi=["age"], identifying=["kept"]).table
    assert list(left.columns) == ["age"]


@pytest.mark.parametrize("kind", POLARS)
def test_polars(kind):
    given = polars.DataFrame({"age": AGES, "kept": POLARS[kind]})
    out = incrowd.anonymize(given, **ASK).table
    assert out.columns == ["age", "kept"] and out.height == ROWS
    assert out["kept"].dtype == given["kept"].dtype
    assert said(out["kept"].to_list()) == said(given["kept"].to_list())
    lazy = incrowd.anonymize(given.lazy(), k=5, quasi=["age"], identifying=["kept"]).table
    assert lazy.collect().columns == ["age"]


def test_categoricals_of_polars_come_back_with_their_own_values_only():
    # A Categorical shares its values with all others of the process, those of suppressed rows too.
    given = polars.DataFrame({"age": AGES, "kept": polars.Series(two("b", "a"), dtype=polars.Categorical)})
    out = incrowd.anonymize(given, **ASK).table
    assert out["kept"].dtype == polars.Enum(["a", "b"])
    assert said(out["kept"].to_list()) == said(given["kept"].to_list())


@pytest.mark.parametrize("kind", ARROW)
def test_arrow(kind):
    given = pyarrow.table({"age": AGES, "kept": ARROW[kind]})
    out = incrowd.anonymize(given, **ASK).table
    assert out.column_names == ["age", "kept"] and out.num_rows == ROWS
    assert out["kept"].type == given["kept"].type
    if pyarrow.types.is_time64(given["kept"].type) or pyarrow.types.is_duration(given["kept"].type):
        out, given = [table.set_column(1, "kept", table["kept"].cast("int64")) for table in (out, given)]
    assert said(out["kept"].to_pylist()) == said(given["kept"].to_pylist())


@pytest.mark.parametrize("kind", DUCKDB)
def test_duckdb(kind):
    value = f"CASE WHEN i % 4 > 0 THEN ({DUCKDB[kind]})::{kind} END"
    given = duckdb.sql(f"SELECT 20 + i % 4 AS age, {value} AS kept FROM range({ROWS}) t(i)")
    out = incrowd.anonymize(given, **ASK).table
    assert (out.columns, out.types[1]) == (given.columns, given.types[1])
    rows = [said(row[0] for row in table.select("kept").fetchall()) for table in (out, given)]
    assert rows[0] == rows[1]


#: Of the types of Arrow those that the library reads from Parquet as they are.
PARQUET = ["bool", "int16", "large text", "timestamp", "zoned", "decimal"]
MORE_OF_PARQUET = {
    "int8": pyarrow.array(two(-1, 2), pyarrow.int8()),
    "int32": pyarrow.array(two(-1, 2**31 - 1), pyarrow.int32()),
    "int64": pyarrow.array(two(-1, 2**63 - 1), pyarrow.int64()),
    "uint8": pyarrow.array(two(1, 255), pyarrow.uint8()),
    "uint16": pyarrow.array(two(1, 2**16 - 1), pyarrow.uint16()),
    "uint32": pyarrow.array(two(1, 2**32 - 1), pyarrow.uint32()),
    "uint64": pyarrow.array(two(1, 2**64 - 1), pyarrow.uint64()),
    "float": pyarrow.array(two(0.5, float("-inf")), pyarrow.float32()),
    "double": pyarrow.array(two(0.1, 1e300)),
    "text": pyarrow.array(two("", "a,b\n")),
    "date32": pyarrow.array(two(day, datetime.date(1, 1, 1))),
    "timestamp ms": pyarrow.array(two(1, 2**40), pyarrow.timestamp("ms")),
    "timestamp ns": pyarrow.array(two(1, 2**62 + 1), pyarrow.timestamp("ns")),
    "utc": pyarrow.array(two(1, 2), pyarrow.timestamp("us", "UTC")),
    "small decimal": pyarrow.array(two(D("0.5"), D("-9.5")), pyarrow.decimal128(2, 1)),
    "wide decimal": pyarrow.array(two(D("1e30"), D("-2")), pyarrow.decimal128(38, 4)),
}


# The types that only Parquet's own writer tells apart are among those of Arrow.
ARROW |= MORE_OF_PARQUET


@pytest.mark.parametrize("kind", [*PARQUET, *MORE_OF_PARQUET])
def test_parquet(kind, tmp_path):
    """From a file of Parquet into one: values, what is missing, and types."""
    from pyarrow import parquet

    given = pyarrow.table({"age": AGES, "kept": MORE_OF_PARQUET[kind] if kind in MORE_OF_PARQUET else ARROW[kind]})
    parquet.write_table(given, tmp_path / "in.parquet")
    given = parquet.read_table(tmp_path / "in.parquet")
    out = incrowd.anonymize(tmp_path / "in.parquet", output=tmp_path / "out.parquet", **ASK).table
    for made in (out, parquet.read_table(tmp_path / "out.parquet")):
        kinds = [pyarrow.types.is_large_string(it) or pyarrow.types.is_string(it) or it for it in (made["kept"].type, given["kept"].type)]
        assert kinds[0] == kinds[1]
        times = pyarrow.types.is_timestamp(kinds[0]) if kinds[0] is not True else False
        values = [said((it["kept"].cast("int64") if times else it["kept"]).to_pylist()) for it in (made, given)]
        assert values[0] == values[1]


def test_what_is_generalized_is_read():
    """A column that is not understood is refused where its values matter."""
    for values in (PANDAS["timedelta"], PANDAS["mixed"], PANDAS["lists"]):
        with pytest.raises(incrowd.InputError, match="unsupported type|several kinds"):
            incrowd.anonymize(pandas.DataFrame({"age": values}), k=5, quasi=["age"])
    months = incrowd.anonymize(pandas.DataFrame({"age": pandas.period_range("2020-01", periods=ROWS, freq="M")}), k=10, quasi=["age"])
    assert all("20" in label for label in months.table["age"].astype(str))
    large = polars.DataFrame({"age": polars.Series([2**100 + row for row in range(10)], dtype=polars.Int128)})
    assert set(incrowd.anonymize(large, k=5, quasi=["age"]).table["age"].cast(str)) == {
        f"[{2**100}-{2**100 + 4}]", f"[{2**100 + 5}-{2**100 + 9}]",
    }


def test_equal_values_count_as_equal():
    """The checks see what is equal: a column of objects that tells everybody apart is refused, as texts are."""
    given = pandas.DataFrame({"age": AGES, "kept": [uuid.UUID(int=row) for row in range(ROWS)]})
    with pytest.raises(incrowd.RefusedColumns):
        incrowd.anonymize(given, k=5, quasi=["age"], plain=["kept"])
    shapes = pandas.DataFrame({"age": AGES, "kept": [Shape(3) for _ in range(ROWS)]})
    assert incrowd.anonymize(shapes, k=5, quasi=["age"], plain=["kept"])


def test_clocks_of_the_zone():
    """Labels of instants tell the time where they were, in every kind of frame, and are verified against it."""
    night = pandas.to_datetime(["2026-01-01 23:30"] * 5 + ["2026-06-02 00:30"] * 5).tz_localize("Asia/Tokyo")
    given = pandas.DataFrame({"at": night})
    ask = {"k": 5, "quasi": ["at"]}
    arrow = pyarrow.Table.from_pandas(given, preserve_index=False)
    for frame in (given, arrow, polars.DataFrame(arrow)):
        out = incrowd.anonymize(frame, **ask).table
        texts = set(map(str, out["at"].to_list() if hasattr(out["at"], "to_list") else out["at"].to_pylist()))
        assert texts == {"2026-01-01 23:30", "2026-06-02 00:30"} or all("T23:30" in t or "T00:30" in t for t in texts), texts
        assert incrowd.verify(out, original=frame, **ask)


def test_orders_of_categories():
    levels = ["low", "middle", "high"]
    stages = pandas.Categorical([levels[row % 3] for row in range(30)], categories=levels, ordered=True)
    given = pandas.DataFrame({"stage": stages})
    out = incrowd.anonymize(given, k=12, quasi=["stage"]).table
    plain = pandas.DataFrame({"stage": stages.as_unordered()})
    by_hand = incrowd.anonymize(plain, k=12, quasi=["stage"], order={"stage": levels}).table
    assert sorted(set(out["stage"])) == sorted(set(by_hand["stage"]))
    other = incrowd.anonymize(given, k=12, quasi=["stage"], hierarchy={"stage": {"some": ["low", "high"], "none": ["middle"]}})
    assert other


BARE = """
import sys
for name in {hidden!r}:
    sys.modules[name] = None
import incrowd
people = incrowd.demo(300)
assert type(people).__name__ == {kind!r}, type(people)
import datetime
result = incrowd.anonymize(people, k=5, quasi=["age", "sex"], plain=["income"])
assert result and type(result.table) is type(people)
assert incrowd.verify(result.table, k=5, quasi=["age", "sex"], original=people)
assert incrowd.risk(people, ["age", "sex"]).rows == 300
days = {{"age": list(range(40)), "day": [datetime.date(2026, 1, 1 + row % 2) for row in range(40)],
         "at": [datetime.datetime(1960, 1, 1, 1, 1, 1, 5), None] * 20, "ok": [True, False] * 20, "x": [0.1, 2] * 20}}
if {kind!r} == "dict":
    out = incrowd.anonymize(days, k=5, quasi=["age"], plain=[name for name in days if name != "age"]).table
    assert list(out) == list(days)
    for name in ("day", "at", "ok", "x"):
        assert sorted(map(repr, out[name])) == sorted(repr(float(v)) if name == "x" else repr(v) for v in days[name]), name
else:
    import pandas
    frame = pandas.DataFrame(days).assign(month=pandas.PeriodIndex(["2026-01", "2026-02"] * 20, freq="M"))
    out = incrowd.anonymize(frame, k=5, quasi=["age"], plain=[*frame.columns[1:]]).table
    for name in frame.columns[1:]:
        assert out[name].dtype == frame[name].dtype, name
        assert sorted(map(repr, out[name])) == sorted(map(repr, frame[name])), name
"""


@pytest.mark.parametrize(
    ("hidden", "kind"), [(["pandas", "polars", "pyarrow", "duckdb"], "dict"), (["polars", "pyarrow", "duckdb"], "DataFrame")]
)
def test_bare_environments(hidden, kind):
    program = BARE.format(hidden=hidden, kind=kind)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_dicts_of_columns():
    with pytest.raises(incrowd.InputError, match="not equally long"):
        incrowd.anonymize({"a": [1, 2], "b": [1]}, k=2, quasi=["a"])
    with pytest.raises(incrowd.InputError, match="several kinds"):
        incrowd.anonymize({"a": [1, "x"]}, k=2, quasi=["a"])
    assert incrowd.anonymize({"a": [2**70, 2**70 + 1]}, k=2, quasi=["a"]).table == {"a": [f"[{2**70}-{2**70 + 1}]"] * 2}
