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


def people_of_whom_few_are_rare(rows=600):
    """People of whom one group has rare combinations: suppression hits it."""
    state, columns = 5, {"age": [], "sex": [], "region": [], "weight": []}

    def below(end):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % end

    for _ in range(rows):
        rare = below(6) == 0
        columns["age"].append(20 + below(60) if rare else 30 + 10 * below(3))
        columns["sex"].append("f" if rare and below(4) else "fm"[below(2)])
        columns["region"].append("hills" if rare else ["coast", "plain"][below(2)])
        columns["weight"].append(3.5 if rare else 20.0)
    return pyarrow.table(columns)


def shares(values):
    return {value: values.count(value) / len(values) for value in set(values)}


def test_a_limit_on_bias_is_met():
    people = people_of_whom_few_are_rare()
    ask = {"k": 8, "quasi": ["age", "region"], "plain": "sex", "other": "drop", "kind": "levels", "hierarchy": {"age": "intervals:20"},
           "max_suppressed": "30%", "seed": 1}
    free = incrowd.anonymize(people, **ask)
    assert free.suppressed > 0
    before, after = shares(people.column("sex").to_pylist()), shares(free.table.column("sex").to_pylist())
    told = next(column for column in free.bias if column["column"] == "sex")
    assert abs(told["largest"] - abs(before["f"] - after["f"])) < 1e-9
    limited = incrowd.anonymize(people, max_bias=0.001, **{**ask, "plain": [], "sensitive": "sex"})
    after = shares(limited.table.column("sex").to_pylist())
    assert abs(before["f"] - after["f"]) <= 0.001 + 1e-9
    assert limited.facts["requirements"][-1]["requirement"] == "max-bias"


def test_weighted_totals_of_categories_are_kept():
    people = people_of_whom_few_are_rare()
    result = incrowd.anonymize(
        people, k=8, quasi=["age", "sex", "region"], survey_weight="weight", calibrate=["sex"], other="drop", kind="levels",
        hierarchy={"age": "intervals:20"}, max_level={"sex": 0}, max_suppressed="30%", seed=1,
    )
    assert result.suppressed > 0

    def totals(table):
        pairs = list(zip(table.column("sex").to_pylist(), table.column("weight").to_pylist()))
        return {sex: sum(float(weight) for other, weight in pairs if other == sex) for sex in "fm"}

    before, after = totals(people), totals(result.table)
    assert all(abs(after[sex] / before[sex] - 1) < 1e-3 for sex in "fm")
