"""Attacks, treatments, goals, forms and the record."""

import pytest

import incrowd


@pytest.fixture(scope="module")
def groups():
    return [incrowd.demo(800, seed=seed) for seed in (1, 2, 3)]


KNOWN = ["age", "sex", "race", "marital-status"]


def test_attacks_tell_a_copy_from_other_people(groups):
    people, others, control = groups
    copy = incrowd.attack(people, people, known=KNOWN, secret="income", attempts=300)
    none = incrowd.attack(others, people, known=KNOWN, secret="income", attempts=300)
    assert copy.found and not none.found
    assert copy.facts["baseline"] == "left-out"
    with_control = incrowd.attack(others, people, control=control, known=KNOWN, attempts=300)
    assert not with_control.found and with_control.facts["control"] == 800
    assert list(with_control.table["attack"])[:2] == ["singling out", "linkability"]


def test_treatments_are_keywords(tmp_path, groups):
    people = groups[0][["age", "sex", "race", "income"]].copy()
    people["patient"] = [f"p{at}" for at in range(len(people))]
    people["town"] = people["race"].astype(str) + " town"
    ask = {
        "k": 5, "quasi": ["age", "sex", "race"], "plain": ["income"], "identifying": ["patient"], "unit": "patient",
        "linked": True, "treat": {"patient": "pseudonym"}, "follows": {"town": "race"}, "key_file": str(tmp_path / "k.key"),
        "method": "mondrian", "sort": True,
    }
    result = incrowd.anonymize(people, **ask)
    assert set(result.table["patient"]).isdisjoint(people["patient"])
    assert result.table.equals(incrowd.anonymize(people, **ask).table)
    assert "town" in result.table.columns
    assert incrowd.verify(
        result.table, k=5, quasi=["age", "sex", "race"], original=people, unit="patient", linked=True,
        treat={"patient": "pseudonym"}, plain=["income"], follows={"town": "race"},
    )


def test_goals_have_reasons():
    told = incrowd.goal("public", "member", "medium")
    assert told["proposal"]["k"] == 11 and "0.09" in told["proposal"]["why"][0]
    assert len(told["guidance"]) >= 5
    with pytest.raises(incrowd.InputError):
        incrowd.goal("nobody", "member", "medium")


def test_forms_and_record(tmp_path, groups):
    table = tmp_path / "people.csv"
    groups[0][["age", "sex", "income"]].to_csv(table, index=False)
    spec = tmp_path / "spec.toml"
    spec.write_text(
        '[data]\ninput = "people.csv"\n[columns]\nage = { role = "quasi", top = 90 }\nsex.role = "quasi"\n'
        'income.role = "sensitive"\n[privacy]\nk = 5\n[release]\noutput = "out.csv"\n'
    )
    out = tmp_path / "out.csv"
    incrowd.anonymize(spec=spec, output=out)
    checklist = incrowd.form("safe-harbor", out, spec, original=table)
    assert not checklist["done"] and len(checklist["items"]) == 19
    attest = {"R": "J. Doe looked", "knowledge": "J. Doe knows of nothing"}
    assert incrowd.form("safe-harbor", out, spec, original=table, attest=attest)["done"]
    assert incrowd.form("clinical", out, spec).startswith("# Anonymisation report")
    assert incrowd.form("expert-determination", out, spec, original=table).startswith("# HIPAA expert determination")
    assert "Inference of `income`" in incrowd.form("motivated-intruder", out, spec, original=table)
    assert incrowd.form("croissant", out, spec)["incrowd:anonymization"]["holds"]
    line = incrowd.record(out, spec, tmp_path / "record.jsonl", original=table, approved_by="J. Doe")
    assert line["number"] == 1
    assert incrowd.verify(str(out), k=5, quasi=["age", "sex"], record=tmp_path / "record.jsonl")
