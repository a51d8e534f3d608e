"""Releases made on a cluster, beside those of one machine."""

import os

import pytest

import incrowd
from conftest import QUASI, rows_of


def both(spark, frame, people, into, whole=True, **ask):
    """The same question to one machine and to Spark: the same released quasi-identifiers, and whole rows where no
    combination is split."""
    one = incrowd.anonymize(people, **ask)
    many = incrowd.spark.anonymize(frame, into=str(into), **ask)
    assert many.cost == pytest.approx(one.cost, rel=1e-12)
    assert (many.k, many.classes, many.released, many.suppressed) == (one.k, one.classes, one.released, one.suppressed)
    released = many.table.toPandas()
    assert list(released.columns) == list(one.table.columns)
    quasi = [name for name in released.columns if name in QUASI or name.rsplit("_", 1)[0] in QUASI]
    assert rows_of(released, quasi) == rows_of(one.table, quasi)
    if whole:
        assert rows_of(released, released.columns) == rows_of(one.table, released.columns)
    assert bool(many.verdict) and not [name for name in os.listdir(into.parent) if "unverified" in name]
    return one, many


@pytest.mark.parametrize(
    "ask",
    [
        {"method": "mondrian"},
        {"method": "datafly", "max_suppressed": "5%"},
        {"kind": "global", "effort": "quick"},
        {"method": "datafly", "max_suppressed": "5%", "suppressed": "blank"},
    ],
    ids=["mondrian", "datafly", "global", "blank"],
)
def test_the_release_is_that_of_one_machine(spark, frame, people, tmp_path, ask):
    both(spark, frame, people, tmp_path / "out", k=5, quasi=QUASI, other="drop", **ask)


@pytest.mark.parametrize(
    "ask",
    [{"method": "best-local", "models": [incrowd.LDiversity(2)]}, {"method": "mondrian", "option": {"mode": "relaxed"}}],
    ids=["best-local", "relaxed"],
)
def test_dealt_rows(spark, frame, people, tmp_path, ask):
    one, many = both(
        spark, frame, people, tmp_path / "out", False, k=5, quasi=QUASI, sensitive=["occupation"], other="drop", **ask
    )
    assert "deal" in many.seconds
    # Which rows of a combination go where may differ, but not how many of each sensitive value a class has.
    assert rows_of(many.table.toPandas(), [*QUASI, "occupation"]) == rows_of(one.table, [*QUASI, "occupation"])
