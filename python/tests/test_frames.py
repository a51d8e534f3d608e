"""Any kind of frame in, the same kind out, the same release from all of them and from the command line."""

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import incrowd

ASKED = {"k": 5, "method": "mondrian", "other": "drop", "sort": True}


def rows(table):
    """The rows of a table as text, in their order."""
    if isinstance(table, polars.LazyFrame):
        table = table.collect()
    if isinstance(table, polars.DataFrame):
        table = table.cast(polars.String).to_dicts()
    elif isinstance(table, pandas.DataFrame):
        table = table.astype(str).to_dict("records")
    elif isinstance(table, duckdb.DuckDBPyRelation):
        table = [dict(zip(table.columns, map(str, row))) for row in table.fetchall()]
    else:
        table = [{name: str(value) for name, value in row.items()} for row in table.to_pylist()]
    return table


def frames(people):
    """The same table in every kind of frame."""
    arrow = pyarrow.Table.from_pandas(people, preserve_index=False)
    return {
        pandas.DataFrame: people,
        polars.DataFrame: polars.DataFrame(arrow),
        polars.LazyFrame: polars.DataFrame(arrow).lazy(),
        pyarrow.Table: arrow,
        duckdb.DuckDBPyRelation: duckdb.from_arrow(arrow),
    }


def test_the_same_release_from_all_of_them(people, quasi, tmp_path, command):
    people.to_csv(tmp_path / "people.csv", index=False)
    command(
        "anonymize", tmp_path / "people.csv", "-k", 5, "--quasi", ",".join(quasi), "-m", "mondrian",
        "--other", "drop", "--sort", "-o", tmp_path / "release.csv", "--quiet",
    )
    expected = pandas.read_csv(tmp_path / "release.csv", dtype=str, keep_default_na=False).to_dict("records")
    found = {}
    for kind, frame in frames(people).items():
        result = incrowd.anonymize(frame, quasi=quasi, **ASKED)
        assert isinstance(result.table, kind), kind
        assert rows(result.table) == expected, kind
        found[kind] = result.cost
        assert result.k >= 5 and result.verdict
    assert len(set(found.values())) == 1
    from_file = incrowd.anonymize(tmp_path / "people.csv", quasi=quasi, **ASKED)
    assert isinstance(from_file.table, pyarrow.Table) and rows(from_file.table) == expected
    from_file.write(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "release.csv").read_bytes()
    from_frame = incrowd.anonymize(people, quasi=quasi, output=tmp_path / "frame.csv", **ASKED)
    assert (tmp_path / "frame.csv").read_bytes() == (tmp_path / "release.csv").read_bytes()
    assert from_frame.cost == from_file.cost


def test_plain_columns_keep_their_types():
    given = pandas.DataFrame(
        {
            "age": list(range(20, 60)),
            "weight": [float(at % 2) + 0.5 for at in range(40)],
            "sick": [at % 2 == 0 for at in range(40)],
            "day": pandas.to_datetime(["2026-01-01", "2026-02-01"] * 20),
            "zoned": pandas.to_datetime(["2026-01-01", "2026-02-01"] * 20).tz_localize("Europe/Oslo"),
            "count": pandas.array([1, None] * 20, dtype="Int64"),
            "word": pandas.array(["a", "b"] * 20, dtype="string"),
            "level": pandas.Categorical(
                ["low", "high"] * 20, categories=["none", "low", "high"], ordered=True
            ),
        }
    )
    plain = [name for name in given.columns if name != "age"]
    out = incrowd.anonymize(given, k=5, quasi=["age"], plain=plain).table
    for name in plain:
        if name != "level":
            assert out[name].dtype == given[name].dtype, name
    assert out["level"].cat.ordered and list(out["level"].cat.categories) == ["low", "high"]
    assert out["count"].isna().sum() == 20
    assert set(out["zoned"]) == set(given["zoned"])
    arrow = incrowd.anonymize(
        pyarrow.Table.from_pandas(given[["age", "day", "level"]], preserve_index=False),
        k=5, quasi=["age"], plain=["day", "level"],
    ).table
    assert pyarrow.types.is_timestamp(arrow.schema.field("day").type)
    assert pyarrow.types.is_dictionary(arrow.schema.field("level").type)


def test_files_of_all_kinds(people, quasi, tmp_path):
    people.to_csv(tmp_path / "t.csv", index=False, sep=";")
    people.to_parquet(tmp_path / "t.parquet", index=False)
    costs = {
        incrowd.anonymize(str(tmp_path / name), quasi=quasi, **ASKED).cost for name in ("t.csv", "t.parquet")
    }
    assert len(costs) == 1
    with pytest.raises(incrowd.FileError) as error:
        incrowd.anonymize(tmp_path / "none.csv", quasi=quasi, **ASKED)
    assert "none.csv" in str(error.value) and isinstance(error.value, OSError)


def test_whatever_speaks_arrow(people, quasi):
    class Speaks:
        def __arrow_c_stream__(self, requested_schema=None):
            return pyarrow.Table.from_pandas(people, preserve_index=False).__arrow_c_stream__()

    assert rows(incrowd.anonymize(Speaks(), quasi=quasi, **ASKED).table)
    arrow = pyarrow.Table.from_pandas(people, preserve_index=False)
    batch = arrow.combine_chunks().to_batches()[0]
    assert isinstance(incrowd.anonymize(batch, quasi=quasi, **ASKED).table, pyarrow.Table)
    reader = pyarrow.RecordBatchReader.from_batches(arrow.schema, arrow.to_batches(max_chunksize=100))
    assert incrowd.anonymize(reader, quasi=quasi, **ASKED).released > 0
