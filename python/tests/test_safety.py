"""Nothing leaks: not what nobody named, not by an index, categories, dictionaries or metadata."""

import pandas
import polars
import pyarrow
import pytest

import incrowd


def test_identifying_columns_are_refused_with_what_to_pass(small):
    small = small.assign(name=[f"person {at}" for at in range(len(small))])
    with pytest.raises(incrowd.RefusedColumns) as error:
        incrowd.anonymize(small, k=3, quasi=["age", "town"], plain=["ill", "seen"], other="plain")
    refused = error.value
    assert refused.kind == "exposed-columns" and refused.keywords == {"identifying": ["name"]}
    assert "identifying=['name']" in str(refused) and 'identifying=["name"]' in str(refused)
    assert "--" not in str(refused)
    done = incrowd.anonymize(small, k=3, quasi=["age", "town"], plain=["ill", "seen"], **refused.keywords)
    assert "name" not in done.table.columns


def test_an_index_is_left_out_unless_it_is_named(small):
    ask = {"k": 3, "quasi": ["age", "town"], "plain": ["ill", "seen"]}
    columns = ["age", "town", "ill", "seen"]
    names = small.set_index(pandas.Index([f"p{at}" for at in range(len(small))], name="name"))
    several = small.set_index([small["age"].rename("a"), small["ill"].rename("b")])
    for indexed, levels in ((names, "'name'"), (several, "'a', 'b'")):
        with pytest.warns(incrowd.ColumnsLeftOutWarning, match=f"the index .{levels}. is left out"):
            done = incrowd.anonymize(indexed, **ask)
        assert list(done.table.columns) == columns and isinstance(done.table.index, pandas.RangeIndex)
        # Nobody who gives all other columns away has said that of the index.
        with pytest.warns(incrowd.ColumnsLeftOutWarning):
            done = incrowd.anonymize(indexed, k=3, quasi=["age", "town"], other="plain")
        assert list(done.table.columns) == columns and isinstance(done.table.index, pandas.RangeIndex)
    # Numbers of rows that some filter has left say nothing but whose row it is.
    filtered = incrowd.anonymize(small[small["age"] > 20], **ask)
    assert isinstance(filtered.table.index, pandas.RangeIndex)
    done = incrowd.anonymize(names, identifying=["name"], **ask)
    assert list(done.table.columns) == columns
    assert isinstance(done.table.index, pandas.RangeIndex)
    for level, others in (("ill", ["age", "town", "seen"]), ("age", ["town", "ill", "seen"])):
        done = incrowd.anonymize(small.set_index(level), **ask)
        assert list(done.table.columns) == others and done.table.index.names == [level]
        assert incrowd.verify(done.table, k=3, quasi=["age", "town"])
    with pytest.raises(incrowd.InputError, match="a column and a level"):
        incrowd.anonymize(small.set_index("age", drop=False), **ask)
    assert incrowd.anonymize(small.reset_index(drop=True), **ask)


def test_what_is_suppressed_is_nowhere_in_the_release(small):
    ask = {
        "k": 4,
        "quasi": ["age", "town"],
        "plain": ["ill", "seen"],
        "method": "datafly",
        "hierarchy": {"town": {"here": ["Oslo", "Rome"], "there": ["Thule"]}, "age": {"intervals": [10, 50]}},
        "max_suppressed": "10%",
    }
    arrow = pyarrow.Table.from_pandas(small, preserve_index=False)
    arrow = arrow.replace_schema_metadata({"owner": "Thule"})
    for frame in (small, polars.DataFrame(arrow), arrow):
        result = incrowd.anonymize(frame, **ask)
        assert result.suppressed == 1
        table = result.table
        if isinstance(table, pandas.DataFrame):
            there = [*table["town"].cat.categories, *table["ill"].cat.categories]
            assert table.attrs == {}
        elif isinstance(table, polars.DataFrame):
            there = [*table["town"].dtype.categories, *table["ill"].dtype.categories]
        else:
            there = [
                value
                for name in ("town", "ill")
                for chunk in table[name].chunks
                for value in chunk.dictionary.to_pylist()
            ]
            assert table.schema.metadata is None
            assert all(table.schema.field(name).metadata is None for name in table.column_names)
        assert there and not {"Thule", "plague", "there"} & set(there), there
        buffers = pyarrow.table(result.arrow)
        seen = b"".join(
            bytes(buffer)
            for column in buffers.columns
            for chunk in column.chunks
            for buffer in chunk.buffers()
            if buffer is not None
        )
        assert b"plague" not in seen and b"Thule" not in seen


def test_rows_are_shuffled_and_a_key_repeats_it(people, quasi, tmp_path):
    ask = {"k": 5, "quasi": quasi, "other": "drop", "method": "mondrian"}
    first = incrowd.anonymize(people, seed_file=tmp_path / "key", **ask).table
    assert first.equals(incrowd.anonymize(people, seed_file=tmp_path / "key", **ask).table)
    assert not first.equals(incrowd.anonymize(people, seed=1, **ask).table)
    assert not first.equals(incrowd.anonymize(people, **ask).table)


def test_an_impossible_question_is_an_outcome(small):
    result = incrowd.anonymize(
        small[["age", "ill"]], k=3, quasi=["age"], sensitive=["ill"], models=[incrowd.LDiversity(5)], max_suppressed=0
    )
    assert result.outcome == "infeasible" and not result
    with pytest.raises(incrowd.NoRelease, match="no release"):
        _ = result.table
    with pytest.raises(incrowd.NoRelease):
        _ = result.recoding
    assert "infeasible" in repr(result)


def test_messages_keep_values_of_people_back_until_they_are_asked_for():
    few = pyarrow.table({"age": ["30-39", "30-39", "Zzyzx"]})
    original = pyarrow.table({"age": ["31", "32", "Zzyzx"]})

    def said(**options):
        verdict = incrowd.verify(few, k=2, quasi=["age"], **options)
        with pytest.raises(AssertionError) as error:
            incrowd.testing.assert_k_anonymous(few, 2, ["age"], **options)
        return str(verdict) + str(verdict.violations) + str(error.value)

    assert "Zzyzx" not in said() and "Zzyzx" not in said(original=original)
    people = pandas.DataFrame({"age": [21, 22, 23, 61, 62, 63], "town": list("aaabbb")})
    recoding = incrowd.anonymize(people, k=3, quasi=["age", "town"]).recoding
    new = people.assign(town=["Zzyzx"] * 6)
    with pytest.raises(incrowd.UnseenValues) as error:
        recoding.apply(new)
    assert "Zzyzx" not in str(error.value) and "incrowd.show_values()" in str(error.value)
    with incrowd.show_values():
        assert "Zzyzx" in said()
        with pytest.raises(incrowd.UnseenValues, match="Zzyzx"):
            recoding.apply(new)
    assert "Zzyzx" not in said()
