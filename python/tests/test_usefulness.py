"""The statistics of `evaluate`, beside slow ones of numpy, scipy, statsmodels and scikit-learn.

Labels are read here by code of their own: all values of the original that a label holds are equally likely, and a blank is read
as the column's other labels are distributed.
"""

import itertools
import json
import math

import numpy
import pandas
import pytest
import scipy.optimize
import scipy.stats
import statsmodels.api

import incrowd

NUMBERS = ["age"]
CATEGORIES = ["sex", "race", "education"]
QUASI = [*NUMBERS, *CATEGORIES]
CLASS = "income"
K = 5


def held(label, domain):
    """The values of the original that a label holds; none for a blank."""
    if label == "*":
        return None
    if label in domain:
        return [label]
    if label.startswith("["):
        low, high = map(float, label[1:-1].split("-"))
        return [value for value in domain if low <= float(value) <= high]
    inside = label.strip("{}").split(", ")
    if len(inside) == 3 and inside[1] == "...":
        return [value for value in domain if inside[0] <= value <= inside[2]]
    assert set(inside) <= set(domain), label
    return inside


class Column:
    """A column before and after: for every row the chance of every value."""

    def __init__(self, before, after, numeric):
        key = float if numeric else str
        self.domain = sorted(set(before), key=key)
        self.count = {value: list(before).count(value) for value in self.domain}
        self.before = [[value] for value in before]
        self.after = [held(label, self.domain) for label in after]
        self.numeric = numeric
        known = {value: 0.0 for value in self.domain}
        for values in filter(None, self.after):
            for value in values:
                known[value] += 1 / len(values)
        total = sum(known.values())
        self.rest = {value: share / total for value, share in known.items()}

    def shares(self, side, blank=True):
        """For every row the chance of every value; of a blank nothing or that of the others."""
        rows = []
        for values in self.before if side == 0 else self.after:
            if values is None:
                rows.append(dict(self.rest) if blank else None)
            else:
                rows.append({value: 1 / len(values) for value in values})
        return rows

    def numbers(self, side, blank=True):
        rows = self.shares(side, blank)
        return numpy.array([numpy.nan if row is None else sum(float(v) * p for v, p in row.items()) for row in rows])


def columns_of(people, release, names):
    return {
        name: Column([str(v) for v in people[name]], [str(v) for v in release[name]], name in NUMBERS) for name in names
    }


def quantile(rows, share):
    mass = {}
    for row in rows:
        for value, chance in row.items():
            mass[float(value)] = mass.get(float(value), 0) + chance
    total, sofar = sum(mass.values()), 0.0
    for value in sorted(mass):
        sofar += mass[value]
        if sofar >= share * total * (1 - 1e-12):
            return value
    return max(mass)


def groups(column, most, least):
    """The values in the groups that a model tells apart, the reference first; the last may be all others."""
    order = sorted(column.domain, key=lambda value: (-column.count[value], column.domain.index(value)))
    kept = [value for value in order if column.count[value] >= least]
    kept = kept[: most if len(kept) == len(order) <= most else most - 1]
    return kept, len(kept) < len(order)


def design(columns, side):
    parts = [("", numpy.ones(len(next(iter(columns.values())).shares(side))))]
    for name, column in columns.items():
        if column.numeric:
            parts.append((name, column.numbers(side)))
            continue
        kept, others = groups(column, 20, K)
        rows = column.shares(side)
        for value in kept[1:]:
            parts.append((f"{name}={value}", numpy.array([row.get(value, 0) for row in rows])))
        if others:
            rest = numpy.array([sum(p for v, p in row.items() if v not in kept) for row in rows])
            parts.append((f"{name}=(other values)", rest))
    return [name for name, _ in parts[1:]], numpy.column_stack([part for _, part in parts])


def bins(column):
    """The bin of every value."""
    if not column.numeric:
        return {value: value for value in column.domain}
    values = sorted(float(value) for value in column.domain for _ in range(column.count[value]))
    edges = sorted({values[math.ceil(len(values) * at / 20) - 1] for at in range(1, 20)} - {values[-1]})
    return {value: sum(edge < float(value) for edge in edges) for value in column.domain}


def table(columns, names, side, blank=True):
    """The rows in every combination of bins."""
    cells = {}
    binned = [bins(columns[name]) for name in names]
    for rows in zip(*(columns[name].shares(side, blank) for name in names), strict=True):
        if any(row is None for row in rows):
            continue
        for values in itertools.product(*(row.items() for row in rows)):
            key = tuple(of[value] for of, (value, _) in zip(binned, values, strict=True))
            cells[key] = cells.get(key, 0) + math.prod(chance for _, chance in values)
    return cells


def marginal_score(columns, size):
    apart = []
    for names in itertools.combinations(columns, size):
        before, after = (table(columns, names, side) for side in (0, 1))
        both = [sum(before.values()), sum(after.values())]
        cells = set(before) | set(after)
        apart.append(sum(abs(before.get(c, 0) / both[0] - after.get(c, 0) / both[1]) for c in cells))
    return (2 - sum(apart) / len(apart)) * 500


def cramers_v(columns, names, side):
    cells = table(columns, names, side, blank=False)
    lines, places = (sorted({key[at] for key in cells}) for at in (0, 1))
    counts = numpy.array([[cells.get((line, place), 0) for place in places] for line in lines])
    if min(counts.shape) < 2:
        return 0.0
    squares = scipy.stats.chi2_contingency(counts, correction=False).statistic
    return math.sqrt(squares / counts.sum() / (min(counts.shape) - 1))


@pytest.fixture(scope="module")
def original():
    return incrowd.demo(500, seed=11)[[*QUASI, CLASS]].astype(str)


@pytest.fixture(scope="module", params=["local", "global", "cells", "suppressed"])
def measured(request, original):
    kind = "global" if request.param == "suppressed" else request.param
    more = {"max_suppressed": "20%", "metric": "dm"} if request.param == "suppressed" else {}
    made = incrowd.anonymize(original, k=K, quasi=QUASI, class_=CLASS, kind=kind, time_limit=5, **more)
    release = made.table.astype(str)
    found = incrowd.statistics(release, original, QUASI, class_=CLASS, k=K).statistics
    columns = columns_of(original, release, [*QUASI, CLASS])
    json.dumps(found, allow_nan=False)
    return original, release, columns, found


def near(value):
    return pytest.approx(value, rel=1e-6, abs=1e-9)


def test_means_and_quantiles(measured):
    _, _, columns, found = measured
    (shift,) = found["numbers"]
    for side, when in enumerate(("before", "after")):
        rows = [row for row in columns["age"].shares(side, blank=False) if row]
        expected = [sum(float(v) * p for v, p in row.items()) for row in rows]
        assert shift["mean"][when] == near(numpy.mean(expected))
        squares = [sum(float(v) ** 2 * p for v, p in row.items()) for row in rows]
        assert shift["deviation"][when] == near(math.sqrt(numpy.mean(squares) - numpy.mean(expected) ** 2))
        for told in shift["quantiles"]:
            assert told[when] == quantile(rows, told["share"])
    assert [told["share"] for told in shift["quantiles"]] == [0.05, 0.25, 0.5, 0.75, 0.95]


def test_shares(measured):
    _, _, columns, found = measured
    for told in found["categories"]:
        column = columns[told["column"]]
        apart = 0.0
        for value in column.domain:
            before, after = (numpy.mean([row.get(value, 0) for row in column.shares(side)]) for side in (0, 1))
            apart += abs(before - after) / 2
        assert told["distance"] == near(apart)


def test_il1s(measured):
    original, release, columns, found = measured
    age = columns["age"]
    values = numpy.array([float(v) for v in original["age"]])
    scale = math.sqrt(2) * numpy.std(values, ddof=1)
    after = age.numbers(1)
    paid = []
    for values_held, z in zip(age.after, after, strict=True):
        inside = [float(v) for v in original["age"] if values_held is None or v in values_held]
        paid.append(numpy.mean(numpy.abs(numpy.array(inside) - z)))
    lost = (len(original) - len(release)) * numpy.mean(numpy.abs(values - numpy.mean(after)))
    assert found["il1s"] == near((sum(paid) + lost) / len(original) / scale)


def test_regressions(measured):
    _, _, columns, found = measured
    assert {of["outcome"] for of in found["regressions"]} == {"age", CLASS}
    for of in found["regressions"]:
        others = {name: column for name, column in columns.items() if name != of["outcome"]}
        fits = []
        for side in (0, 1):
            names, matrix = design(others, side)
            if of["model"] == "linear":
                y = columns["age"].numbers(side, blank=False)
                known = ~numpy.isnan(y)
                fit = statsmodels.api.OLS(y[known], matrix[known]).fit()
            else:
                y = numpy.array([row.get(of["event"], 0) for row in columns[CLASS].shares(side)])
                fit = statsmodels.api.GLM(y, matrix, family=statsmodels.api.families.Binomial()).fit(tol=1e-12)
            fits.append((fit, numpy.linalg.matrix_rank(matrix) == matrix.shape[1]))
        if not (fits[0][1] and fits[1][1]):
            continue
        assert [f"{it['column']}={it['category']}" if it["category"] else it["column"] for it in of["coefficients"]] == names
        overlaps = []
        for at, told in enumerate(of["coefficients"], start=1):
            ends = []
            for (fit, _), when in zip(fits, ("before", "after"), strict=True):
                value, error = fit.params[at], fit.bse[at]
                if error > 100 * abs(value) or error > 1e3:
                    break  # Separated: no finite estimate exists.
                assert told[when]["estimate"] == pytest.approx(value, rel=1e-4, abs=1e-6)
                assert told[when]["low"] == pytest.approx(value - 1.959963984540054 * error, rel=1e-4, abs=1e-4)
                ends.append((told[when]["low"], told[when]["high"]))
            if len(ends) == 2:
                common = max(0.0, min(ends[0][1], ends[1][1]) - max(ends[0][0], ends[1][0]))
                overlap = sum(common / (high - low) for low, high in ends) / 2
                assert told["overlap"] == near(overlap)
            overlaps.append(told["overlap"])
        assert of["overlap"] == near(numpy.mean(overlaps))


def test_propensity(measured):
    _, _, columns, found = measured
    matrix = numpy.vstack([design(columns, side)[1] for side in (0, 1)])
    rows = [len(design(columns, side)[1]) for side in (0, 1)]
    y = numpy.repeat([0.0, 1.0], rows)
    spread = matrix.std(axis=0)
    scaled = (matrix - matrix.mean(axis=0)) / numpy.where(spread > 0, spread, 1)
    scaled[:, 0] = 1

    def loss(at):
        # Newton's method alone diverges where columns nearly follow from each other.
        scores = scaled @ at
        return numpy.sum(numpy.logaddexp(0, scores) - y * scores), scaled.T @ (1 / (1 + numpy.exp(-scores)) - y)

    options = {"maxiter": 5000, "gtol": 1e-9}
    fit = scipy.optimize.minimize(loss, numpy.zeros(scaled.shape[1]), jac=True, method="BFGS", options=options)
    share = rows[1] / sum(rows)
    pmse = numpy.mean((1 / (1 + numpy.exp(-scaled @ fit.x)) - share) ** 2)
    told = found["propensity"]
    assert told["pmse"] == pytest.approx(pmse, rel=1e-4, abs=1e-9)
    slopes = numpy.linalg.matrix_rank(matrix) - 1
    assert told["coefficients"] == slopes
    unit = (1 - share) ** 2 * share / sum(rows)
    assert told["expected"] == near(slopes * unit)
    assert told["ratio"] == near(told["pmse"] / (slopes * unit))
    assert told["standardized"] == near((told["pmse"] - slopes * unit) / (math.sqrt(2 * slopes) * unit))


def test_associations(measured):
    _, _, columns, found = measured
    for pair in found["associations"]:
        one, other = pair["columns"]
        for side, when in enumerate(("before", "after")):
            if pair["measure"] == "cramers-v":
                assert pair[when] == near(cramers_v(columns, (one, other), side))
                continue
            assert pair["measure"] == "correlation-ratio"
            number, category = (one, other) if one == "age" else (other, one)
            x, rows = columns[number].numbers(side, blank=False), columns[category].shares(side, blank=False)
            known = [(value, row) for value, row in zip(x, rows, strict=True) if row is not None and not math.isnan(value)]
            mean = numpy.mean([value for value, _ in known])
            between = 0.0
            for value in columns[category].domain:
                weight = sum(row.get(value, 0) for _, row in known)
                if weight:
                    between += weight * (sum(row.get(value, 0) * x for x, row in known) / weight - mean) ** 2
            total = sum((value - mean) ** 2 for value, _ in known)
            wanted = math.sqrt(between / total) if total > 0 else 0.0
            assert pair[when] == near(wanted)
        assert pair["difference"] == near(abs(pair["before"] - pair["after"]))
    assert len(found["associations"]) == 10


def test_correlation():
    random = numpy.random.default_rng(5)
    x = random.normal(size=200).round(2)
    people = pandas.DataFrame({"x": x, "y": (x + random.normal(size=200)).round(2), "g": random.integers(0, 3, 200)})
    release = people.copy()
    release["g"] = "*"
    found = incrowd.statistics(release, people, ["g"], plain=["x", "y"], k=1).statistics
    (pair,) = (pair for pair in found["associations"] if pair["measure"] == "pearson" and "g" not in pair["columns"])
    wanted = numpy.corrcoef(people["x"], people["y"])[0, 1]
    assert pair["before"] == near(wanted) and pair["after"] == near(wanted)


def test_marginals(measured):
    _, _, columns, found = measured
    assert [told["columns"] for told in found["marginals"]] == [2, 3]
    for told in found["marginals"]:
        assert told["score"] == near(marginal_score(columns, told["columns"]))
        assert told["marginals"] == math.comb(len(columns), told["columns"])


def test_subgroups(measured):
    original, release, _, found = measured
    (told,) = (loss for loss in found["subgroups"] if loss["column"] == CLASS)
    assert told["exact"]
    sizes = release.groupby(QUASI)[CLASS].transform("size")
    for it in told["values"]:
        rows = (original[CLASS] == it["value"]).sum()
        kept = release[CLASS] == it["value"]
        gone = rows - kept.sum()
        assert it["rows"] == rows
        assert it["suppressed"] == (gone if gone == 0 or gone >= K else None)
        assert it["mean_class_size"] == near(sizes[kept].mean())
    for loss in found["subgroups"]:
        assert all(it["rows"] >= K for it in loss["values"])


def test_weights():
    people = incrowd.demo(300, seed=4)[["age", "sex"]]
    people["weight"] = numpy.random.default_rng(1).integers(1, 9, 300)
    found = incrowd.statistics(
        people, people, ["age", "sex"], plain=["weight"], survey_weight="weight", k=1, outcomes=["age"]
    ).statistics
    assert found["weight"] == "weight" and found["columns"] == ["age", "sex"]
    assert found["numbers"][0]["mean"]["before"] == near(numpy.average(people["age"], weights=people["weight"]))
    matrix = numpy.column_stack([numpy.ones(300), people["sex"] != people["sex"].mode()[0]])
    fit = statsmodels.api.WLS(people["age"].to_numpy(float), matrix, weights=people["weight"]).fit()
    (told,) = found["regressions"][0]["coefficients"]
    assert told["before"]["estimate"] == near(fit.params[1])
    assert told["before"]["high"] == near(fit.params[1] + 1.959963984540054 * fit.bse[1])
    assert found["regressions"][0]["overlap"] == near(1)


def test_the_same_order_gives_exact_distances():
    random = numpy.random.default_rng(2)
    people = pandas.DataFrame({"pay": random.normal(1000, 200, 100).round(), "job": random.choice(["a", "b"], 100)})
    release = people.copy()
    release["pay"] = release.groupby("job")["pay"].transform("mean").round(3)
    apart = (people["pay"] - release["pay"]).abs().mean() / (math.sqrt(2) * people["pay"].std())
    ask = {"hierarchy": {}, "summary": {"pay": "mean"}, "k": 1}
    found = incrowd.statistics(release, people, ["pay", "job"], same_order=True, **ask).statistics
    assert found["il1s"] == near(apart)
    assert incrowd.statistics(release, people, ["pay", "job"], **ask).statistics["il1s"] is None
    with pytest.raises(incrowd.InputError, match="their order is not the same"):
        incrowd.statistics(release.head(50), people, ["pay", "job"], same_order=True, **ask)


@pytest.mark.parametrize(
    "people",
    [
        {"a": ["1"] * 8, "b": ["x"] * 8},
        {"a": [str(at) for at in range(8)], "b": [""] * 4 + ["x"] * 4},
        {"a": ["", "2", "", "3", "4", "", "", "5"], "b": [f"v{at}" for at in range(8)]},
    ],
)
def test_poor_tables_have_no_figure_that_is_no_number(people):
    people = pandas.DataFrame(people)
    for release in (people, people.assign(a="*"), people.assign(a="*", b="*"), people.head(1)):
        found = incrowd.evaluate(release, people, ["a", "b"])
        json.dumps(found.facts, allow_nan=False)
        assert "What analysts find" in found.page()


def test_areas_are_those_of_scikit_learn():
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    people, test = incrowd.demo(800, seed=1), incrowd.demo(300, seed=2)
    quasi = ["age", "sex"]
    found = incrowd.learning(people, people, test, quasi, CLASS, trees=20)
    scaled = [(frame["age"] - people["age"].mean()) / people["age"].std(ddof=0) for frame in (people, test)]
    other = people["sex"].mode()[0]
    rows = [numpy.column_stack([age, frame["sex"] != other]) for age, frame in zip(scaled, (people, test), strict=True)]
    event = sorted(test[CLASS].unique())[1]
    model = LogisticRegression(max_iter=1000).fit(rows[0], people[CLASS] == event)
    wanted = roc_auc_score(test[CLASS] == event, model.predict_proba(rows[1])[:, 1])
    assert found.release["logistic"] == found.original["logistic"] == pytest.approx(wanted, abs=1e-3)
    assert found.release["forest"] > 0.5
    release = incrowd.anonymize(people[[*quasi, CLASS]], k=10, quasi=quasi, class_=CLASS, time_limit=5).table
    again = incrowd.learning(release, people, test, quasi, CLASS, trees=20)
    assert 0.5 < again.release["logistic"] <= 1 and again.original["logistic"] == found.original["logistic"]
    assert "logistic" in repr(again)
