"""Proofs that another program checks."""

import random
from pathlib import Path

import incrowd
import pandas as pd
import pytest


@pytest.fixture
def people(tmp_path: Path) -> Path:
    dice = random.Random(3)
    rows = [(dice.randrange(18, 70), dice.choice("fm"), dice.choice("abc")) for _ in range(200)]
    path = tmp_path / "people.csv"
    pd.DataFrame(rows, columns=["age", "sex", "ill"]).to_csv(path, index=False)
    return path


def test_a_certificate_is_written_and_checked(people: Path, tmp_path: Path) -> None:
    proof, release = tmp_path / "proof.certificate", tmp_path / "release.csv"
    result = incrowd.anonymize(
        people, k=3, quasi=["age", "sex"], plain=["ill"], method="optimal", metric="dm", output=release,
        certificate=proof, certified=True, progress=False,
    )
    assert result.facts["certificate"]["holds"] and "certificate checked" in result.facts["in_words"]
    checked = incrowd.check(people, proof, release)
    assert checked and checked.bound == checked.claimed == checked.cost
    assert "no release of this kind costs less" in str(checked)


def test_a_certificate_of_a_frame_is_about_its_values(people: Path, tmp_path: Path) -> None:
    proof = tmp_path / "proof.certificate"
    frame = pd.read_csv(people)
    incrowd.anonymize(
        frame, k=3, quasi=["age", "sex"], plain=["ill"], method="optimal", metric="dm", certificate=proof,
        progress=False,
    )
    assert incrowd.check(people, proof)


def test_what_is_no_certificate_is_an_error(people: Path) -> None:
    with pytest.raises(incrowd.IncrowdError, match="certificate"):
        incrowd.check(people, people)
    with pytest.raises(incrowd.InputError, match="certificate"):
        incrowd.anonymize(people, k=3, quasi=["age"], certified=True, progress=False)
