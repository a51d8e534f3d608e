"""Hostile use: each a clear exception or a right answer."""

import datetime
import decimal
import multiprocessing
import threading

import numpy
import pandas
import polars
import pyarrow
import pytest

import incrowd

ASK = {"k": 2, "quasi": ["a"]}


def released(frame, **more):
    result = incrowd.anonymize(frame, **{**ASK, **more})
    assert result.verdict and result.k >= 2
    return result.table


def refused(frame, match, **more):
    with pytest.raises((incrowd.IncrowdError, TypeError), match=match) as error:
        incrowd.anonymize(frame, **{**ASK, **more})
    return error.value


def test_empty_and_tiny_frames():
    refused(pandas.DataFrame({"a": pandas.Series([], dtype="int64")}), "no rows")
    refused(pandas.DataFrame(), "no column")
    refused(polars.DataFrame({"a": []}), "no rows")
    refused(pyarrow.table({"a": pyarrow.array([], pyarrow.string())}), "no rows")
    refused(pandas.DataFrame({"a": [1]}), "1 row|k")
    assert len(released(pandas.DataFrame({"a": [1, 1]}))) == 2


def test_names():
    frame = pandas.DataFrame([[1, 1], [1, 1]], columns=["a", "a"])
    refused(frame, "several columns named 'a'")
    refused(pandas.DataFrame([[1], [1]], columns=[7]), "not text")
    refused(pandas.DataFrame([[1], [1]], columns=[("a", "b")]), "levels|not text")
    refused(pandas.DataFrame([[1, 2]], columns=pandas.MultiIndex.from_tuples([("a", "b"), ("a", "c")])), "levels")
    refused(pyarrow.table([[1, 1], [2, 2]], names=["a", "a"]), "several columns|a")
    refused(pandas.DataFrame({"b": [1, 1]}), "no column `a`")
    odd = "a=b,'\"\n é]"
    table = incrowd.anonymize(pandas.DataFrame({odd: [1, 2, 3, 4]}), k=2, quasi=[odd], weight={odd: 2}).table
    assert list(table.columns) == [odd]


def test_values_that_are_missing():
    frame = pandas.DataFrame({"a": [1.5, 1.5, numpy.nan, None], "b": ["x", None, numpy.nan, "x"]})
    out = released(frame, plain=["b"])
    assert len(out) == 4 and out["b"].isna().sum() == 2
    days = pandas.DataFrame({"a": pandas.to_datetime(["2026-01-01", "2026-01-02", None, None])})
    assert len(released(days)) == 4
    assert len(released(polars.DataFrame({"a": [1, 1, None, None]}))) == 4
    everything = pandas.DataFrame({"a": [None] * 4})
    assert len(released(everything)) == 4


def test_object_and_nested_columns():
    mixed = pandas.DataFrame({"a": pandas.Series([1, "x", 2.5, "x"], dtype=object)})
    assert "several kinds" in str(refused(mixed, "several kinds"))
    refused(pandas.DataFrame({"a": [[1], [2]]}), "unsupported type")
    nested = released(polars.DataFrame({"a": [1, 1], "b": [{"x": 1}, {"x": 2}]}), other="plain")
    assert sorted(it["x"] for it in nested["b"]) == [1, 2]
    dropped = released(polars.DataFrame({"a": [1, 1], "b": [{"x": 1}, {"x": 2}]}), identifying=["b"])
    assert dropped.columns == ["a"]
    refused(pandas.DataFrame({"a": pandas.to_timedelta([1, 1], unit="s")}), "unsupported type")
    refused(pandas.DataFrame({"a": [1 + 2j, 1 + 2j]}), "several kinds|complex|Arrow")
    dates = pandas.DataFrame({"a": [datetime.date(2026, 1, 1)] * 2 + [datetime.date(2026, 2, 1)] * 2})
    assert len(released(dates)) == 4
    money = pandas.DataFrame({"a": [decimal.Decimal("1.10"), decimal.Decimal("1.20")]})
    assert released(money)["a"].iloc[0] == "[1.10-1.20]"


def test_huge_integers():
    huge = 2**63
    frame = pandas.DataFrame({"a": [huge, huge + 1, huge * 4, huge * 4 + 1]})
    out = released(frame)
    assert set(out["a"]) == {f"[{huge}-{huge + 1}]", f"[{huge * 4}-{huge * 4 + 1}]"}
    near = pandas.DataFrame({"a": numpy.array([2**53, 2**53 + 1, 2**62, 2**62 + 1], dtype="int64")})
    assert len(set(released(near)["a"])) == 2


def test_categories_with_unused_levels_and_time_zones():
    frame = pandas.DataFrame({"a": pandas.Categorical(["x", "x", "y", "y"], categories=["x", "y", "secret"])})
    assert "secret" not in list(released(frame)["a"].cat.categories)
    numbers = pandas.DataFrame({"a": pandas.Categorical([1, 1, 2, 2])})
    assert len(released(numbers)) == 4
    zoned = pandas.DataFrame({"a": pandas.to_datetime(["2026-01-01 01:00", "2026-01-01 02:00"] * 2).tz_localize("Asia/Tokyo")})
    assert len(released(zoned)) == 4
    enums = polars.DataFrame({"a": ["x", "x", "y", "y"]}, schema={"a": polars.Enum(["x", "y", "secret"])})
    out = released(enums)
    assert "secret" not in list(out["a"].dtype.categories)


def test_wrong_arguments():
    frame = pandas.DataFrame({"a": [1, 1]})
    for bad in (0, -1, "five", 2.5):
        with pytest.raises((incrowd.InputError, TypeError)):
            incrowd.anonymize(frame, k=bad, quasi=["a"])
    with pytest.raises(incrowd.InputError, match="quasi"):
        incrowd.anonymize(frame, k=2)
    with pytest.raises(incrowd.InputError, match="k is missing"):
        incrowd.anonymize(frame, quasi=["a"])
    with pytest.raises(TypeError, match="did you mean `max_suppressed`"):
        incrowd.anonymize(frame, max_supressed=1, **ASK)
    with pytest.raises(TypeError, match="data frame"):
        incrowd.anonymize([1, 2], **ASK)
    with pytest.raises(incrowd.InputError, match="both quasi and plain"):
        incrowd.anonymize(frame, plain=["a"], **ASK)
    with pytest.raises(incrowd.InputError, match="known: |did you mean"):
        incrowd.anonymize(frame, method="mondrain", **ASK)
    assert incrowd.anonymize(frame, k=numpy.int64(2), quasi=numpy.array(["a"])).k == 2


def test_threads_at_once(people, quasi):
    found, errors = [], []

    def go():
        try:
            found.append(incrowd.anonymize(people, k=5, quasi=quasi, other="drop", method="mondrian", seed=1).cost)
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=go) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and len(set(found)) == 1 and len(found) == 6


def _child(people, quasi, send):
    send.put(incrowd.anonymize(people, k=5, quasi=quasi, other="drop", method="mondrian", seed=1).cost)


def test_fork_after_use(people, quasi):
    here = incrowd.anonymize(people, k=5, quasi=quasi, other="drop", method="mondrian", seed=1).cost
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_child, args=(people, quasi, queue))
    child.start()
    assert queue.get(timeout=60) == here
    child.join(10)
    assert child.exitcode == 0
