"""Columns of Python's own values, where no library speaks Arrow."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

from . import _incrowd
from ._errors import InputError
from ._frames import Frame

#: The types of values that travel, and what the library calls them.
KINDS: dict[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "text",
    datetime.date: "date",
    datetime.datetime: "moment",
    decimal.Decimal: "text",
}


def take_columns(columns: dict[Any, Any], what: str) -> Frame:
    """Takes a dict from names to lists of values."""
    odd = [name for name in columns if not isinstance(name, str)]
    if odd:
        raise InputError(f"the column name {odd[0]!r} of {what} is a {type(odd[0]).__name__}, not text", "rename it")
    lists = {name: list(values) for name, values in columns.items()}
    lengths = {len(values) for values in lists.values()}
    if len(lengths) > 1:
        raise InputError(f"the columns of {what} are not equally long", "give every column a value for each row")
    return Frame(table_of_columns(lists, what), lambda table, _: columns_of_table(table))


def table_of_columns(columns: dict[str, list[Any]], what: str) -> Any:
    """A table of the library from lists of values."""
    given = []
    for name, values in columns.items():
        kinds = {type(value) for value in values if value is not None}
        if kinds == {int, float}:
            kinds = {float}
        called = {KINDS[kind] for kind in kinds if kind in KINDS}
        if len(called) > 1 or kinds - KINDS.keys():
            listed = ", ".join(sorted(kind.__name__ for kind in kinds))
            raise InputError(
                f"column {name!r} of {what} holds values of several kinds ({listed})", "make them one kind, such as text"
            )
        kind = called.pop() if called else "text"
        if kind == "integer" and any(value is not None and not -(2**63) <= value < 2**63 for value in values):
            kind = "text"
        given.append((name, kind, [None if value is None else sent(value, kind) for value in values]))
    return _incrowd.Table.from_columns(given)


#: Dates and moments travel as days and microseconds from here.
START = datetime.datetime(1970, 1, 1)
STEP = datetime.timedelta(microseconds=1)


def sent(value: Any, kind: str) -> Any:
    if kind == "moment":
        if value.tzinfo is not None:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return (value - START) // STEP
    if kind == "date":
        return (value - START.date()).days
    return str(value) if kind == "text" else value


def columns_of_table(table: Any) -> dict[str, list[Any]]:
    """The columns of a table of the library as lists of values."""
    got: dict[str, Any] = {
        "date": lambda days: START.date() + datetime.timedelta(days=days),
        "moment": lambda microseconds: START + microseconds * STEP,
    }
    columns: dict[str, list[Any]] = {}
    for name, kind, values in table.to_columns():
        change = got.get(kind)
        columns[name] = values if change is None else [None if it is None else change(it) for it in values]
    return columns
