"""Keyword arguments made plain: what the library takes is numbers, text, lists and tables."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Mapping
from typing import Any

from .models import Model

__all__ = ["merge_models", "plain"]


def plain(name: str, value: Any) -> Any:
    """A value as numbers, text, lists or dicts; called for what is none of these."""
    if isinstance(value, Model):
        return value._plain()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return dict(value)
    kind = type(value).__module__.partition(".")[0]
    if kind == "numpy":
        return value.tolist()
    rows = _rows(value)
    if rows is not None:
        return rows
    if hasattr(value, "as_py"):
        return value.as_py()
    if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray)):
        return list(value)
    if hasattr(value, "__index__"):
        return int(value)
    if hasattr(value, "__float__"):
        return float(value)
    raise TypeError(f"`{name}` cannot be a {type(value).__name__}: give text, numbers, lists or dicts")


def _rows(value: Any) -> list[list[Any]] | None:
    """The rows of a data frame: a hierarchy, the values in the first column."""
    if hasattr(value, "itertuples") and hasattr(value, "columns"):
        return [list(row) for row in value.itertuples(index=False, name=None)]
    if hasattr(value, "iter_rows") and hasattr(value, "columns"):
        return [list(row) for row in value.iter_rows()]
    if hasattr(value, "to_pylist") and hasattr(value, "column_names"):
        return [list(row.values()) for row in value.to_pylist()]
    return None


def merge_models(options: dict[str, Any]) -> dict[str, Any]:
    """Models given as ``models=[...]`` are put below their own keywords."""
    models = options.pop("models", None)
    if models is None:
        return options
    if isinstance(models, Model):
        models = [models]
    for model in models:
        if not isinstance(model, Model):
            raise TypeError(f"`models` holds a {type(model).__name__}: give models such as incrowd.LDiversity(3)")
        given = options.get(model.keyword)
        before = [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]
        options[model.keyword] = [*before, model]
    return options
