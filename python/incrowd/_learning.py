"""Models of scikit-learn that learn from a release and are judged by rows that are in neither table."""

from __future__ import annotations

from typing import Any

from ._errors import InputError

__all__ = ["areas"]


def areas(columns: list[str], tables: list[tuple[bytes, list[str]]], seed: int, trees: int) -> dict[str, Any]:
    """The area under the ROC curve of both models, by what they learned from."""
    try:
        import numpy
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.metrics import roc_auc_score
    except ImportError as missing:
        raise InputError("scikit-learn is not installed", "pip install scikit-learn") from missing

    def rows(table: tuple[bytes, list[str]]) -> tuple[Any, Any]:
        numbers, labels = table
        return numpy.frombuffer(numbers).reshape(len(labels), len(columns)), numpy.array(labels)

    release, original, test = map(rows, tables)
    known = sorted(set(test[1]))
    if len(known) < 2 or not columns:
        raise InputError("there is nothing to predict", "give test rows of at least two classes, and columns that tell something")

    def area(model: Any, learned: tuple[Any, Any]) -> float | None:
        # A class that is not in what was learned from cannot be predicted.
        if set(known) - set(learned[1]):
            return None
        model.fit(*learned)
        chances = model.predict_proba(test[0])
        places = [list(model.classes_).index(label) for label in known]
        if len(known) == 2:
            return float(roc_auc_score(test[1] == known[1], chances[:, places[1]]))
        each = [roc_auc_score(test[1] == label, chances[:, place]) for label, place in zip(known, places, strict=True)]
        return float(sum(each) / len(each))

    def found(learned: tuple[Any, Any]) -> dict[str, float | None]:
        return {
            "logistic": area(LogisticRegression(max_iter=1000), learned),
            "forest": area(RandomForestClassifier(trees, random_state=seed, min_samples_leaf=5), learned),
        }

    return {
        "classes": known,
        "columns": columns,
        "rows": {"release": len(release[1]), "original": len(original[1]), "test": len(test[1])},
        "release": found(release),
        "original": found(original),
        "settings": {"seed": seed, "trees": trees},
    }
