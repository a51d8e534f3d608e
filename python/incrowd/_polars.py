"""Frames of polars."""

from __future__ import annotations

import sys
from typing import Any

from ._frames import Frame, stream
from ._stand_ins import StandIns

#: Types whose values the library does not read; not every version has all of them.
_UNREAD = ("Duration", "Time", "List", "Array", "Struct", "Object", "Binary", "Int128", "UInt128")
#: Of them those whose text says the same.
_AS_TEXT = ("Int128", "UInt128")


def take_polars(frame: Any, read: set[str], what: str) -> Frame:
    """Takes a frame of polars."""
    polars = sys.modules["polars"]
    stand_ins = StandIns()
    given = dict(zip(frame.columns, frame.dtypes))
    columns = []
    for name, kind in given.items():
        column = frame[name]
        if kind == polars.Null:
            # Columns without any value have no type, which does not travel.
            column = column.cast(polars.String)
        elif name in read:
            if _is_of(kind, _AS_TEXT):
                column = column.cast(polars.String)
            elif kind == polars.Datetime and kind.time_zone is not None:
                # Labels tell the time on the clocks of the zone.
                column = column.dt.replace_time_zone(None, ambiguous="earliest")
        elif _is_of(kind, _UNREAD):
            texts = stand_ins.texts(name, column.to_list(), _taker(column), lambda value: value is None)
            column = polars.Series(name, texts, dtype=polars.String)
        columns.append(column)

    def back(table: Any, generalized: set[str]) -> Any:
        released = polars.DataFrame(table)
        for name, kind in zip(released.columns, released.dtypes):
            column = released[name]
            as_it_was = given.get(name) if name not in generalized else None
            if name in stand_ins and as_it_was is not None:
                column = stand_ins.values(name, column.to_list()).alias(name)
            elif as_it_was == polars.Categorical or as_it_was is None:
                column = _of_its_own(column)
            elif kind != as_it_was:
                try:
                    column = column.cast(as_it_was)
                except polars.exceptions.PolarsError:
                    # A treated column may be text now.
                    column = _of_its_own(column)
            released = released.with_columns(column)
        return released

    travels = polars.DataFrame(columns) if columns else frame
    return Frame(stream(travels, what), back)


def _is_of(kind: Any, names: tuple[str, ...]) -> bool:
    polars = sys.modules["polars"]
    kinds = [getattr(polars, name) for name in names if hasattr(polars, name)]
    return any(kind == one for one in kinds)


def _taker(column: Any) -> Any:
    polars = sys.modules["polars"]

    def take(rows: list[int | None]) -> Any:
        if column.dtype == polars.Object:
            values = column.to_list()
            picked = [None if row is None else values[row] for row in rows]
            return polars.Series(column.name, picked, dtype=polars.Object)
        return column.gather(polars.Series(rows, dtype=polars.UInt32))

    return take


def _of_its_own(column: Any) -> Any:
    """Categoricals of polars share their values with all others of the process: an Enum holds its own only."""
    polars = sys.modules["polars"]
    if column.dtype != polars.Categorical:
        return column
    texts = column.cast(polars.String)
    return texts.cast(polars.Enum(texts.drop_nulls().unique().sort()))
