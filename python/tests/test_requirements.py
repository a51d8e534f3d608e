"""Risks beyond k: average risk, share at risk, populations, few known columns, survey weights."""

import pyarrow
import pytest

import incrowd


def table(rows, seed=1):
    """People with three columns that others may know."""
    state = seed
    columns = {"age": [], "sex": [], "zip": []}
    for _ in range(rows):
        for name, size in (("age", 60), ("sex", 2), ("zip", 8)):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            columns[name].append((state >> 33) % size)
    return pyarrow.table(columns)


QUASI = ["age", "sex", "zip"]


def test_average_risk_and_share_at_risk():
    people = table(300)
    result = incrowd.anonymize(people, k=2, quasi=QUASI, max_average_risk=0.1, effort="quick", seed=1)
    assert result.facts["requirements"][0]["achieved"] <= 0.1
    assert incrowd.verify(result.table, k=2, quasi=QUASI, max_average_risk=0.1)
    assert not incrowd.verify(result.table, k=2, quasi=QUASI, max_average_risk=0.001)
    result = incrowd.anonymize(people, k=2, quasi=QUASI, max_at_risk="5%@0.2", effort="quick", seed=1)
    assert incrowd.verify(result.table, k=2, quasi=QUASI, max_at_risk="5%@0.2")
    assert incrowd.anonymize(people, quasi=QUASI, max_risk=0.2, effort="quick", seed=1).k >= 5


def test_a_k_map_takes_a_frame():
    everybody = table(1000)
    some = everybody.slice(0, 200)
    result = incrowd.anonymize(some, k=5, quasi=QUASI, k_map=everybody, effort="quick", seed=1)
    assert result.facts["requirements"][0]["requirement"] == "k-map"
    assert incrowd.verify(result.table, k=5, quasi=QUASI, k_map=everybody)
    assert not incrowd.verify(result.table, k=500, quasi=QUASI, k_map=everybody)
    with pytest.raises(incrowd.InputError):
        incrowd.anonymize(some, k=5, quasi=QUASI, k_map=everybody, population=everybody)
    with pytest.raises(incrowd.IncrowdError):
        incrowd.anonymize(some, k=5, quasi=QUASI, k_map=True)


def test_few_known_columns():
    result = incrowd.anonymize(table(300), k=4, quasi=QUASI, known_columns=2, effort="quick", seed=1)
    assert incrowd.verify(result.table, k=4, quasi=QUASI, known_columns=2)


def test_survey_weights_keep_their_total():
    people = table(300)
    weights = [1 + (7 * row) % 40 for row in range(300)]
    people = people.append_column("weight", pyarrow.array(weights))
    result = incrowd.anonymize(people, k=5, quasi=QUASI, survey_weight="weight", effort="quick", seed=1)
    released = [float(weight) for weight in result.table.column("weight").to_pylist()]
    assert abs(sum(released) - sum(weights)) < 1e-3 * sum(weights)
