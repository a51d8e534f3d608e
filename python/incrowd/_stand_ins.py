"""Values that the library does not read: texts stand in for them, and the values take their places again in a release.

So columns of intervals, bytes, lists or objects of any kind can be left out, or released as they are. Equal values have equal
texts: what is counted of a column is what its values say.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from typing import Any

#: Gives rows of a column in another order; none stands for a missing value.
Taker = Callable[[list["int | None"]], Any]


class StandIns:
    """The columns of a table that have texts in the place of their values."""

    def __init__(self) -> None:
        self._columns: dict[str, tuple[dict[str, int], int | None, Taker]] = {}
        #: Texts by values, and values by texts.
        self._known: dict[str, tuple[dict[tuple[type, Any], str], dict[str, Any]]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def texts(self, name: str, values: Iterable[Any], take: Taker, is_missing: Callable[[Any], bool]) -> list[str | None]:
        """The texts of a column; ``take`` gives its rows by their numbers."""
        first: dict[str, int] = {}
        known: dict[str, Any] = {}
        by_value: dict[tuple[type, Any], str] = {}
        missing: int | None = None
        texts: list[str | None] = []
        for row, value in enumerate(values):
            if is_missing(value):
                missing = row if missing is None else missing
                texts.append(None)
                continue
            key = _key(value)
            if key is not None and key in by_value:
                texts.append(by_value[key])
                continue
            text = plain = text_of(value, row)
            number = 1
            while text in first and not _same(known[text], value):
                number += 1
                text = f"{plain} ({number})"
            first.setdefault(text, row)
            known.setdefault(text, value)
            if key is not None:
                by_value[key] = text
            texts.append(text)
        self._columns[name] = (first, missing, take)
        self._known[name] = (by_value, known)
        return texts

    def again(self, name: str, values: Iterable[Any], is_missing: Callable[[Any], bool]) -> list[str | None]:
        """The texts that stand for values of a column elsewhere; a value that the column does not have has one of its own."""
        by_value, known = self._known[name]
        texts: list[str | None] = []
        for row, value in enumerate(values):
            if is_missing(value):
                texts.append(None)
                continue
            key = _key(value)
            text = by_value.get(key) if key is not None else None
            if text is None:
                text = next((text for text, other in known.items() if _same(other, value)), f"another value, {row}")
            texts.append(text)
        return texts

    def values(self, name: str, texts: Iterable[str | None]) -> Any:
        """The values of a column that was released as it was."""
        first, missing, take = self._columns[name]
        return take([missing if text is None else first[text] for text in texts])


def _key(value: Any) -> tuple[type, Any] | None:
    """What equal values have in common, where they say so."""
    try:
        hash(value)
    except TypeError:
        return None
    return type(value), value


def text_of(value: Any, row: int) -> str:
    if isinstance(value, (bytes, bytearray, memoryview)):
        held = bytes(value)
        try:
            return held.decode()
        except UnicodeDecodeError:
            return held.hex()
    own = (getattr(type(value), name) is not getattr(object, name) for name in ("__str__", "__repr__"))
    if not any(own):
        # Its text would be where it lies in memory.
        return f"{type(value).__name__} of row {row + 1}"
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - an object of somebody else may not know how
        return f"row {row + 1}"


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 - arrays have no truth
        pass
    try:
        return pickle.dumps(one) == pickle.dumps(other)
    except Exception:  # noqa: BLE001 - then nobody can tell
        return False
