"""Columns of every type that Spark's rows may have on their way: equal in value, in what is missing, and in type.

Nested columns, intervals and bytes are refused by name, see ``test_tables``.
"""

import pytest

import incrowd
from conftest import rows_of

#: Types of columns, each with two values; every fourth row has NULL.
TYPES = {
    "tinyint": ("-128", "127"),
    "smallint": ("-32768", "32767"),
    "int": ("-2147483648", "2147483647"),
    "bigint": ("'-9223372036854775808'", "9223372036854775807"),
    "float": ("0.1", "'-Infinity'"),
    "float as nan": ("'NaN'", "'-0.0'"),
    "double": ("0.1", "1e300"),
    "double as nan": ("'NaN'", "'Infinity'"),
    "decimal(1,0)": ("-9", "9"),
    "decimal(4,4)": ("0.0001", "-0.9999"),
    "decimal(5,0)": ("100", "-99999"),
    "decimal(9,2)": ("1.50", "-2.25"),
    "decimal(10,2)": ("1.50", "-2.25"),
    "decimal(18,0)": ("999999999999999999", "0"),
    "decimal(18,6)": ("0.000001", "-999999999999.999999"),
    "decimal(19,0)": ("9223372036854775808", "-1"),
    "decimal(20,2)": ("123456789012345678.90", "-0.01"),
    "decimal(38,0)": ("99999999999999999999999999999999999999", "-1"),
    "decimal(38,10)": ("0.0000000001", "-2"),
    "decimal(38,38)": ("0.00000000000000000000000000000000000001", "-0.5"),
    "boolean": ("true", "false"),
    "string": ("''", "'a,b\\n\"'"),
    "string as nulls": ("'NULL'", "'\\\\N'"),
    "string as numbers": ("'007'", "'1e3'"),
    "string as blanks": ("' '", "'  x '"),
    "string as letters": ("'é'", "'e\u0301'"),
    "string as signs": ("'日本'", "'\U0001f600'"),
    "string as one": ("'x'", "'x'"),
    "date": ("'2026-01-02'", "'1970-01-01'"),
    "date as first": ("'0001-01-01'", "'9999-12-31'"),
    "date as old": ("'1582-10-15'", "'1899-12-31'"),
    "timestamp": ("'2026-01-02 03:04:05.678901'", "'1970-01-01 00:00:00'"),
    "timestamp as old": ("'1900-01-01 00:00:00'", "'1969-12-31 23:59:59.999999'"),
    "timestamp as late": ("'9999-12-31 00:00:00'", "'2262-04-12 00:00:00'"),
    "timestamp_ntz": ("'2026-01-02 03:04:05.678901'", "'1970-01-01 00:00:00'"),
    "timestamp_ntz as first": ("'0001-01-01 00:00:00'", "'9999-12-31 23:59:59.999999'"),
    "timestamp_ntz as hidden": ("'2026-03-29 02:30:00'", "'2026-10-25 02:30:00'"),
    "varchar(9)": ("''", "'é'"),
    "char(4)": ("'a'", "'b'"),
    "int as none": ("NULL", "NULL"),
}


@pytest.mark.parametrize("read_once", [True, False])
def test_forty_types_are_kept(spark, tmp_path, read_once):
    assert len(TYPES) == 40
    columns = [
        f"CASE pmod(id, 4) WHEN 3 THEN NULL WHEN 1 THEN CAST({one} AS {kind}) ELSE CAST({other} AS {kind}) END AS c{at}"
        for at, (kind, one, other) in enumerate((kind.split(" as ")[0], *values) for kind, values in TYPES.items())
    ]
    frame = spark.range(200).repartition(3).selectExpr("20 + pmod(id, 4) AS age", *columns)
    source = str(tmp_path / "source")
    frame.write.parquet(source)
    frame = spark.read.parquet(source)
    kept = frame.columns[1:]
    result = incrowd.spark.anonymize(
        frame, k=5, quasi=["age"], plain=kept, accept=kept, unit="row", method="mondrian", into=str(tmp_path / "out"),
        read_once=read_once,
    )
    released = spark.read.parquet(str(tmp_path / "out"))
    kinds = [[field.dataType.simpleString() for field in table.schema.fields[1:]] for table in (frame, released)]
    assert kinds[0] == kinds[1] and released.columns == frame.columns
    # Spark's own texts, NULL apart from any.
    texts = [table.selectExpr(*(f"'=' || {name} AS {name}" for name in kept)) for table in (frame, released)]
    for name, kind in zip(kept, TYPES):
        before, after = (rows_of(table.select(name).toPandas(), [name]) for table in texts)
        assert before == after, kind
    assert result.released == 200
