"""pycanon agrees on k, distinct l and t, for a hundred releases.

Its t of text takes all values as equally far apart (`equal` here), its t of numbers takes them by rank (`ordered` here).
"""

import numpy
import pandas
import pycanon.anonymity
import pytest

import incrowd

QUASI = ["a", "b"]


def release(seed):
    """A release of a random table; every other one leaves rows as they are."""
    random = numpy.random.default_rng(seed)
    rows = int(random.integers(30, 80))
    table = pandas.DataFrame(
        {
            "a": random.integers(20, 20 + int(random.integers(2, 12)), rows),
            "b": random.choice(["x", "y", "z"], rows),
            "ill": random.choice(["flu", "gout", "cold", "rash"], rows, p=[0.4, 0.3, 0.2, 0.1]),
            "pay": random.integers(1, 7, rows),
        }
    )
    if seed % 2:
        return table.astype({"a": str})
    return incrowd.anonymize(
        table, k=3, quasi=QUASI, sensitive=["ill", "pay"], method="mondrian", seed=seed
    ).table


@pytest.mark.parametrize("seed", range(100))
def test_pycanon_agrees(seed):
    table = release(seed)
    assert incrowd.verify(table, k=2, quasi=QUASI).k == pycanon.anonymity.k_anonymity(table, QUASI)
    asked = incrowd.verify(
        table,
        k=2,
        quasi=QUASI,
        sensitive=["ill", "pay"],
        l_diversity={"ill": 1},
        t_closeness=[incrowd.TCloseness(1, column="ill"), incrowd.TCloseness(1, "ordered", column="pay")],
    )
    l_ill, t_ill, t_pay = (model["achieved"] for model in asked.models)
    assert l_ill == pycanon.anonymity.l_diversity(table, QUASI, ["ill"])
    assert t_ill == pytest.approx(pycanon.anonymity.t_closeness(table, QUASI, ["ill"]), abs=1e-9)
    assert t_pay == pytest.approx(pycanon.anonymity.t_closeness(table, QUASI, ["pay"]), abs=1e-9)
