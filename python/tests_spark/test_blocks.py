"""More combinations than a driver may hold."""

import os

import pytest

import incrowd
from conftest import QUASI, rows_of

ASK = {"k": 5, "quasi": QUASI, "other": "drop"}


# Blocks have room for many classes, as real ones do: where a block has a few dozen only, its borders cost more.
@pytest.mark.parametrize(("method", "block"), [("mondrian", 400), ("best-local", 1500)])
def test_blocks_are_nearly_as_good_as_one_machine(spark, frame, people, tmp_path, method, block):
    one = incrowd.anonymize(people, method=method, **ASK)
    many = incrowd.spark.anonymize(
        frame, into=str(tmp_path / "out"), method=method, most_combinations=500, block=block, **ASK
    )
    assert many.k >= 5 and bool(many.verdict) and many.released + many.suppressed == len(people)
    assert many.cost <= 1.05 * one.cost
    assert many.bound is None and any("blocks" in note for note in many.notes)
    assert os.listdir(tmp_path) == ["out"]
    released = many.table.toPandas()
    assert incrowd.verify(released, k=5, quasi=QUASI, original=people[QUASI])


def test_blocks_with_a_model(spark, frame, people, tmp_path):
    many = incrowd.spark.anonymize(
        frame, into=str(tmp_path / "out"), sensitive=["occupation"], models=[incrowd.LDiversity(2), incrowd.TCloseness(0.5)],
        method="mondrian", most_combinations=500, block=800, **ASK,
    )
    assert bool(many.verdict) and many.released == len(people)
    assert rows_of(many.table.toPandas(), ["occupation"]) == rows_of(people, ["occupation"])


def test_what_cannot_be_done_in_blocks_is_refused(spark, frame, tmp_path):
    into = str(tmp_path / "out")
    with pytest.raises(incrowd.InputError, match="kind local"):
        incrowd.spark.anonymize(frame, into=into, method="datafly", most_combinations=100, **ASK)
    assert os.listdir(tmp_path) == []
