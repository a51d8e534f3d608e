"""Everything that a call returns, and the calls beside `anonymize`."""

import json
import pickle
import xml.etree.ElementTree
from pathlib import Path

import pandas
import pytest

import incrowd


@pytest.fixture(scope="module")
def result(people, quasi):
    return incrowd.anonymize(people, k=5, quasi=quasi, other="drop", method="mondrian", seed=4)


def test_the_contract(result):
    for name in ("table", "k", "cost", "bound", "gap", "outcome", "suppressed", "verdict", "warnings", "metrics"):
        getattr(result, name)
    facts = json.loads(result.to_json())
    for name in ("outcome", "metric", "cost", "bound", "k", "classes", "released", "suppressed", "metrics",
                 "cpu_seconds", "wall_seconds", "nodes", "method", "kind", "released_gcp", "gap", "unchanged"):
        assert name in facts
    assert result.k == facts["achieved_k"] and result.verdict and "k=" in repr(result)
    assert result.spec.k == 5 and len(result.trace) >= 0


def test_pages_and_charts(result, tmp_path):
    result.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!doctype html>") or "<html" in page
    assert "<iframe" in result._repr_html_()
    for chart in result.charts():
        xml.etree.ElementTree.fromstring(chart)
    assert result.plot()._repr_svg_().startswith("<svg")
    result.plot().save(tmp_path / "chart.svg")


def test_pickling(result, people):
    again = pickle.loads(pickle.dumps(result))
    assert again.cost == result.cost and again.table.equals(result.table)
    assert again.recoding == result.recoding and again.page() == result.page()
    assert again.recoding.apply(people).k >= 5
    error = pickle.loads(pickle.dumps(incrowd.InputError("what", "how", "input")))
    assert (error.message, error.help) == ("what", "how")
    assert pickle.loads(pickle.dumps(result.spec)) == result.spec


def test_recodings_are_saved_and_applied(result, people, tmp_path, command):
    result.recoding.save(tmp_path / "recoding.json")
    assert oct((tmp_path / "recoding.json").stat().st_mode)[-3:] == "600"
    loaded = incrowd.Recoding.load(tmp_path / "recoding.json")
    assert loaded == result.recoding and loaded.k == 5
    again = incrowd.apply(tmp_path / "recoding.json", people, seed_file=tmp_path / "key")
    assert again.verdict and again.released == result.released
    people.to_csv(tmp_path / "people.csv", index=False)
    command("apply", tmp_path / "recoding.json", tmp_path / "people.csv", "-o", tmp_path / "out.csv", "--seed-file", tmp_path / "key", "-q")
    again.write(tmp_path / "mine.csv")
    assert (tmp_path / "mine.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
    strange = people.assign(sex=["other"] * 200 + list(people["sex"][200:]))
    with pytest.raises(incrowd.UnseenValues, match="unseen="):
        loaded.apply(strange)
    assert loaded.apply(strange, unseen="suppress").suppressed >= 200
    with pytest.raises(incrowd.NotVerified, match="none of the 200 rows"):
        loaded.apply(strange.head(200), unseen="suppress")
    with pytest.raises(incrowd.InputError):
        incrowd.Recoding("{}")


def test_verify(result, people, quasi):
    assert incrowd.verify(result.table, k=5, quasi=quasi)
    assert incrowd.verify(result.table, k=5, quasi=quasi, original=people)
    worse = incrowd.verify(result.table, k=10_000, quasi=quasi)
    assert not worse and worse.violations and str(worse)
    invented = result.table.copy()
    invented.loc[:, "age"] = "[200-201]"
    assert not incrowd.verify(invented, k=5, quasi=quasi, original=people)
    incrowd.testing.assert_k_anonymous(result.table, 5, quasi)
    with pytest.raises(AssertionError, match="10000-anonymous"):
        incrowd.testing.assert_k_anonymous(result.table, 10_000, quasi)


def test_inspect_and_init(people, tmp_path):
    found = incrowd.inspect(people)
    assert found.rows == len(people) and len(found.table) == len(people.columns)
    assert set(sum(found.roles.values(), [])) == set(people.columns)
    assert "<" in found._repr_html_() and str(found)
    people.to_csv(tmp_path / "people.csv", index=False)
    spec = incrowd.init(tmp_path / "people.csv", input="people.csv")
    spec.save(tmp_path / "people.toml")
    assert incrowd.Spec.load(tmp_path / "people.toml") == spec and "role" in str(spec)


def test_specs_run_like_the_command(people, quasi, tmp_path, command):
    people.to_csv(tmp_path / "people.csv", index=False)
    spec = incrowd.Spec.of("people.csv", k=5, quasi=quasi, other="drop", method="mondrian", sort=True)
    spec.save(tmp_path / "spec.toml")
    command("run", tmp_path / "spec.toml", "-o", tmp_path / "cli.csv", "--no-report", "-q")
    result = incrowd.anonymize(spec=tmp_path / "spec.toml")
    result.write(tmp_path / "mine.csv")
    assert (tmp_path / "mine.csv").read_bytes() == (tmp_path / "cli.csv").read_bytes()
    assert incrowd.Spec.load(tmp_path / "spec.toml").run(k=20).k >= 20
    with pytest.raises(incrowd.InputError, match="spec.toml:"):
        incrowd.Spec("[data]\ninput = 3\n")


def test_risk_and_evaluate(result, people, quasi, tmp_path):
    risk = incrowd.risk(people, quasi, report=tmp_path / "risk.html")
    assert (tmp_path / "risk.html").stat().st_size > 1000 and risk.plot()
    found = incrowd.evaluate(result.table, people, quasi)
    assert found.rows == len(people) and found.metrics["ncp"] == pytest.approx(result.metrics["ncp"])
    assert len(found.table) and "<iframe" in found._repr_html_()
    asked = incrowd.queries(result.table, people, quasi, queries=50)
    assert asked.errors["queries"] <= 50
    ill = people.columns[-1]
    release = incrowd.anonymize(people, k=5, quasi=quasi, plain=[ill], other="drop", method="mondrian").table
    trees = incrowd.classification(release, quasi, ill, original=people, folds=3)
    assert 0 <= trees.release["error"] <= 1


def test_compare_and_frontier(people, quasi):
    quasi = quasi[:2]
    board = incrowd.compare(
        people, k=[5, 20], methods=["mondrian", "datafly"], quasi=quasi, other="drop", no_cache=True
    )
    assert len(board.table) == 4 and board.plot().startswith("<svg") and "<iframe" in board._repr_html_()
    found = incrowd.frontier(people, k=[5, 20], quasi=quasi, other="drop", metric="dm", time_limit=20)
    assert len(found) == 2 and len(found.table) == 2 and found.plot().startswith("<svg")
    assert found.answers[0]["cost"] <= found.answers[1]["cost"]


def test_hierarchies_in_every_form(tmp_path):
    frame = pandas.DataFrame({"zip": ["53711", "53706", "53711", "53706"], "n": [1, 2, 1, 2]})
    rows = incrowd.hierarchy(frame, "zip", "prefix:3")
    assert rows == [["53706", "537**", "*"], ["53711", "537**", "*"]]
    (tmp_path / "zip.csv").write_text("\n".join(";".join(row) for row in rows) + "\n")
    forms = [
        "prefix:3",
        {"prefix": [3]},
        rows,
        pandas.DataFrame(rows),
        {"53706": "537**", "53711": "537**"},
        {"537**": ["53706", "53711"]},
        str(tmp_path / "zip.csv"),
        tmp_path / "zip.csv",
    ]
    for form in forms:
        result = incrowd.anonymize(
            frame, k=4, quasi=["zip"], plain=["n"], hierarchy={"zip": form}, method="datafly", max_suppressed=0
        )
        assert set(result.table["zip"]) == {"537**"}, form
    with pytest.raises(incrowd.InputError):
        incrowd.anonymize(frame, k=2, quasi=["zip"], hierarchy={"zip": [["53706", "a"], ["53706", "b"]]})


def test_models_as_objects_and_as_options(people, quasi):
    ill = [name for name in people.columns if name not in quasi][-1]
    ask = {"k": 5, "quasi": quasi, "sensitive": [ill], "other": "drop", "method": "mondrian", "seed": 1}
    costs = {
        incrowd.anonymize(people, models=[incrowd.LDiversity(2)], **ask).cost,
        incrowd.anonymize(people, l_diversity=2, **ask).cost,
        incrowd.anonymize(people, l_diversity={ill: "distinct:2"}, **ask).cost,
        incrowd.anonymize(people, l_diversity=incrowd.LDiversity(2, column=ill), **ask).cost,
    }
    assert len(costs) == 1
    close = incrowd.anonymize(people, models=[incrowd.TCloseness(0.3), incrowd.LDiversity(2)], **ask)
    assert incrowd.verify(close.table, k=5, quasi=quasi, sensitive=[ill], l_diversity=2)
    assert repr(incrowd.BetaLikeness(1.5, column="x")) == "BetaLikeness(1.5, column='x')"


def test_the_internal_report_is_confidential(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"age": [20 + at % 7 for at in range(60)] + [99, 98], "sex": ["f", "m"] * 31})
    result = incrowd.anonymize(frame, k=4, quasi=["age", "sex"], method="optimal", max_suppressed=3, seed=1,
                               report=tmp_path / "page.html", internal_report=tmp_path / "own.html")
    assert result.k >= 4
    shared, own = (tmp_path / "page.html").read_text(), (tmp_path / "own.html").read_text()
    assert "Confidential" in own and "Confidential" not in shared
    assert (tmp_path / "own.html").stat().st_mode & 0o777 == 0o600
    result.recoding.save(tmp_path / "r.json")
    assert (tmp_path / "r.json").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["own.html", "page.html", "r.json"]


def test_earlier_releases_lay_nobody_bare(tmp_path: Path) -> None:
    def people(rows: int) -> pandas.DataFrame:
        return pandas.DataFrame({"age": [17 + at * 7 % 60 for at in range(rows)], "sex": [at % 2 for at in range(rows)]})

    first = incrowd.anonymize(people(90), k=4, quasi=["age", "sex"], method="mondrian", output=tmp_path / "first.csv")
    assert incrowd.anonymize(people(90), k=4, quasi=["age", "sex"], method="mondrian", earlier=[tmp_path / "first.csv"])
    with pytest.raises(incrowd.IncrowdError) as refused:
        incrowd.anonymize(people(91), k=4, quasi=["age", "sex"], method="mondrian", earlier=[str(tmp_path / "first.csv")])
    assert refused.value.kind == "difference"
    with pytest.raises(incrowd.IncrowdError):
        first.recoding.apply(people(91), unseen="suppress", earlier=[tmp_path / "first.csv"])
    rounded = incrowd.anonymize(people(90), k=4, quasi=["age", "sex"], method="mondrian", ranges="rounded")
    assert rounded.ranges == [{"column": "age", "step": 5.0}]


def test_hierarchies_are_checked_and_structures_found(tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_text("Oslo;north;*\nRome;south;*\n")
    (tmp_path / "bad.csv").write_text("Oslo;north;*\nOslo;south;*\n")
    assert incrowd.check_hierarchy(tmp_path / "good.csv") == []
    assert incrowd.check_hierarchy(tmp_path / "bad.csv")
    towns = pandas.DataFrame({"town": ["Oslo", "Lima"]})
    assert incrowd.check_hierarchy(tmp_path / "good.csv", towns, "town")
    assert incrowd.structure(2, [2, 2, 2])["outcome"] == "found"
    table = pandas.DataFrame({"a": ["x", "x", "y", "y"], "b": ["1", "2", "1", "2"]})
    assert incrowd.nearest_structure(table, 2)["rows"] == 4


def test_risk_counts_people() -> None:
    visits = pandas.DataFrame({"patient": [f"p{at // 5}" for at in range(60)], "age": [at // 15 for at in range(60)]})
    assert incrowd.risk(visits, ["age"]).smallest_class == 15
    assert incrowd.risk(visits, ["age"], unit="patient").smallest_class == 3


def test_a_recoding_that_leaves_most_new_rows_out_warns_with_the_remedy():
    people = pandas.DataFrame({"age": list(range(20, 80)) * 4, "town": list("abcd") * 60})
    recoding = incrowd.anonymize(people, k=4, quasi=["age", "town"]).recoding
    # A few full groups, and many rows alone in theirs.
    few = pandas.concat([people[people["age"] < 24], people[people["age"] >= 24].drop_duplicates("age")])
    few = few.reset_index(drop=True)
    with pytest.warns(incrowd.RowsLeftOutWarning, match="kind='global'") as told:
        result = recoding.apply(few)
    assert 0 < len(result.table) < len(few) / 2
    assert f"{len(few) - len(result.table)} of {len(few)} rows" in str(told[0].message)
