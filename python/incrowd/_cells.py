"""Values that a database's cursor tells, batch by batch, as columns of the library, and back.

A column has one kind. Values of kinds that the library has (truth values, numbers, texts, days, moments) travel as they are;
decimals, times, bytes and the like as texts that say the same; anything else as texts that stand in for it.
"""

from __future__ import annotations

import copy
import datetime
import decimal
import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import _incrowd
from ._columns import KINDS, START, STEP, sent
from ._errors import InputError
from ._stand_ins import text_of

__all__ = ["CellReader"]

_MICROSECOND = datetime.timedelta(microseconds=1)

#: Types whose texts say the same, with what makes the text and what reads it.
_WRITTEN: dict[type, tuple[Callable[[Any], str], Callable[[str], Any]]] = {
    decimal.Decimal: (str, decimal.Decimal),
    uuid.UUID: (str, uuid.UUID),
    datetime.time: (datetime.time.isoformat, datetime.time.fromisoformat),
    datetime.timedelta: (lambda it: str(it // _MICROSECOND), lambda text: int(text) * _MICROSECOND),
    bytes: (bytes.hex, bytes.fromhex),
}

#: A moment with a zone is another type than one without.
_ZONED = "zoned"


def _type_of(value: Any) -> Any:
    kind = type(value)
    if kind in (bytearray, memoryview):
        return bytes
    if kind is datetime.datetime and value.tzinfo is not None:
        return _ZONED
    if kind is int and not -(2**63) <= value < 2**63:
        return "large"
    return kind


class _Column:
    """How the values of one column travel."""

    def __init__(self, name: str, read: bool, what: str) -> None:
        self.name = name
        self._read = read
        self._what = what
        #: The type that all values had so far.
        self._type: Any = None
        #: Values by the texts that stand in for them, where their type says nothing.
        self._values: dict[str, Any] | None = None
        self._texts: dict[Any, str] = {}

    @property
    def kind(self) -> str:
        """What the library calls the values."""
        if self._values is not None or self._type is None:
            return "text"
        return KINDS.get(self._type, "moment" if self._type == _ZONED and self._read else "text")

    @property
    def is_text(self) -> bool:
        """Whether the values are texts, and nothing else."""
        return self._type in (None, str) and self._values is None

    def joins(self, values: Iterable[Any]) -> _Column | None:
        """Takes note of more values; the column as it was before if those before must travel otherwise now."""
        types = {_type_of(value) for value in values if value is not None}
        before = self._type
        if self._values is not None or not types:
            return None
        was = copy.copy(self)
        known = types if before is None else {before, *types}
        if len(known) == 1:
            (self._type,) = known
        elif known <= {int, "large"}:
            self._type = "large"
        elif self._read and known <= {int, float, decimal.Decimal, "large"}:
            self._type = float
        elif self._read:
            listed = ", ".join(sorted(str(getattr(kind, "__name__", kind)) for kind in known))
            raise InputError(
                f"column {self.name!r} of {self._what} holds values of several kinds ({listed})", "make them one kind, such as text"
            )
        else:
            self._values = {}
        if self._values is None and self._type not in {*KINDS, *_WRITTEN, _ZONED, "large"}:
            self._values = {}
        same = before is None or (before == self._type and self._values is None)
        return None if same else was

    def sent(self, values: Sequence[Any]) -> list[Any]:
        """Values as they travel."""
        return [None if value is None else self._sent(value) for value in values]

    def _sent(self, value: Any) -> Any:
        if self._values is not None:
            return self._stand_in(value)
        if self._type == _ZONED:
            # Labels tell the time on the clocks of the zone.
            return sent(value.replace(tzinfo=None), "moment") if self._read else value.isoformat()
        if self._type in _WRITTEN:
            return _WRITTEN[self._type][0](bytes(value) if self._type is bytes else value)
        if self._type is float:
            return float(value)
        kind = self.kind
        # What is of another kind is no value of this column: read back, it is a difference.
        return sent(value, kind) if KINDS.get(type(value)) == kind else str(value)

    def _stand_in(self, value: Any) -> str:
        assert self._values is not None
        try:
            key = (_type_of(value), value)
            if key in self._texts:
                return self._texts[key]
        except TypeError:
            key = (type(value), repr(value))
            if key in self._texts:
                return self._texts[key]
        plain = text = text_of(value, len(self._values))
        number = 1
        while text in self._values:
            number += 1
            text = f"{plain} ({number})"
        self._values[text] = value
        self._texts[key] = text
        return text

    def received(self, kind: str, values: Iterable[Any]) -> list[Any]:
        """Values from how they travelled."""
        if self._values is not None:
            known = self._values
            return [None if text is None else known[text] for text in values]
        if self._type == _ZONED and kind == "text":
            return [None if text is None else datetime.datetime.fromisoformat(text) for text in values]
        if self._type in _WRITTEN and kind == "text":
            read = _WRITTEN[self._type][1]
            return [None if text is None else read(text) for text in values]
        if self._type == "large" and kind == "text":
            return [None if text is None else int(text) for text in values]
        return plain_values(kind, values)


def plain_values(kind: str, values: Iterable[Any]) -> list[Any]:
    """Values of the library as Python's own."""
    if kind == "date":
        return [None if days is None else START.date() + datetime.timedelta(days=days) for days in values]
    if kind == "moment":
        return [None if at is None else START + at * STEP for at in values]
    return list(values)


class CellReader:
    """Takes rows in batches, as a cursor tells them, and gives rows of a release back in batches."""

    def __init__(self, names: Sequence[str], read: set[str], what: str) -> None:
        self._columns = [_Column(name, name in read, what) for name in names]
        self._by_name = {column.name: column for column in self._columns}

    def table(self, batches: Iterable[Sequence[Sequence[Any]]]) -> Any:
        """The rows of all batches as a table of the library."""
        tables: list[Any] = []
        for rows in batches:
            given = [list(values) for values in zip(*rows)]
            again = [column.joins(values) for column, values in zip(self._columns, given)]
            if any(again):
                tables = [self._anew(table, again) for table in tables]
            tables.append(_table_of((column, column.sent(values)) for column, values in zip(self._columns, given)))
        if not tables:
            return _table_of((column, []) for column in self._columns)
        # Columns without any value before have the kind of those that came.
        kinds = [column.kind for column in self._columns]
        tables = [table if [kind for _, kind, _ in _head(table)] == kinds else self._of_kinds(table) for table in tables]
        return _incrowd.Table.concat(tables)

    def _anew(self, table: Any, before: list[_Column | None]) -> Any:
        """A table whose columns travel otherwise now: their values are sent again."""
        columns = []
        for column, (_, kind, values), was in zip(self._columns, table.to_columns(), before):
            if was is not None:
                values = column.sent(was.received(kind, values))
            columns.append((column, values))
        return _table_of(columns)

    def _of_kinds(self, table: Any) -> Any:
        return _table_of((column, values) for column, (_, _, values) in zip(self._columns, table.to_columns()))

    def again(self, names: Sequence[str], changed: set[str]) -> CellReader:
        """A reader of rows that were written: what travelled as something must travel as that again."""
        reader = CellReader(names, set(), "the release")
        known = {name: column for name, column in self._by_name.items() if name not in changed}
        reader._columns = [known.get(name) or _text_column(name) for name in names]
        return reader

    def written(self, batches: Iterable[Sequence[Sequence[Any]]]) -> Any:
        """The rows of all batches as a table, by what is known of the columns; what does not fit reads as something else."""
        tables = []
        for rows in batches:
            given = [list(values) for values in zip(*rows)]
            tables.append(_table_of((column, _fitting(column, values)) for column, values in zip(self._columns, given)))
        return _incrowd.Table.concat(tables) if tables else _table_of((column, []) for column in self._columns)

    def values(self, table: Any, changed: set[str]) -> list[list[Any]]:
        """The columns of a released table as the database had them; changed ones as they travel."""
        return [
            self._by_name[name].received(kind, values) if name in self._by_name and name not in changed
            else plain_values(kind, values)
            for name, kind, values in table.to_columns()
        ]


def _text_column(name: str) -> _Column:
    column = _Column(name, False, "the release")
    column.joins([""])
    return column


def _fitting(column: _Column, values: list[Any]) -> list[Any]:
    try:
        return column.sent(values)
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(f"column {column.name!r} came back from the database as another kind") from error


def _head(table: Any) -> Any:
    return table.slice(0, 0).to_columns()


def _table_of(columns: Iterable[tuple[_Column, list[Any]]]) -> Any:
    return _incrowd.Table.from_columns([(column.name, column.kind, values) for column, values in columns])
