"""The anonymity loss coefficient of attacks, as the package of its authors reckons it."""

import random

import incrowd
import pandas as pd
import pytest
from anonymity_loss_coefficient import AnonymityLossCoefficient


def people(seed: int, rows: int = 600) -> pd.DataFrame:
    dice = random.Random(seed)
    ages = [dice.randrange(18, 80) for _ in range(rows)]
    return pd.DataFrame(
        {
            "age": ages,
            "zip": [dice.randrange(30) for _ in ages],
            "ill": [f"i{age // 20}" if dice.random() < 0.6 else f"i{dice.randrange(5)}" for age in ages],
        }
    )


@pytest.mark.parametrize("seed", range(20))
def test_losses_are_those_of_the_package(seed: int) -> None:
    original = people(seed)
    asked = incrowd.anonymize(
        original,
        k=2 + seed % 5,
        quasi=["age", "zip"],
        plain=["ill"],
        method=["mondrian", "best-local", "climb"][seed % 3],
        progress=False,
    )
    found = incrowd.attack(
        asked.table, original, control=people(seed + 100), known=["age", "zip"], secret=["ill"], attempts=300
    )
    package = AnonymityLossCoefficient()
    compared = 0
    for attack in found.precision:
        for best in attack["best"]:
            control = best["control"]
            expected = package.alc(
                p_base=control["share"],
                r_base=control["tries"] / 300,
                p_attack=best["share"],
                r_attack=best["tries"] / 300,
            )
            assert best["anonymity_loss"] == pytest.approx(expected, abs=0.01)
            assert best["tries"] == round(best["recall"] * 300)
            compared += 1
    assert compared == 6  # linkability and one column, at three depths


def test_risk_tells_what_labels_give_away_and_who_fits_outside() -> None:
    original = people(1)
    released = incrowd.anonymize(
        original, k=3, quasi=["age", "zip"], plain=["ill"], method="best-local", labels="tight", progress=False
    )
    found = incrowd.risk(released.table, ["age", "zip"], control=people(2))
    assert found.labels is not None and 0 < found.labels["sure_share"] <= 1
    assert found.labels["sure_share"] == released.verdict.refinement["sure_share"]
    assert found.outside is not None and 0 < found.outside["empty_share"] < 1
    # The values of the original are no labels.
    plain = incrowd.risk(original, ["age", "zip"])
    assert plain.labels is None and plain.outside is None
