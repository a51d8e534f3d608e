"""Frames of pandas."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from ._errors import InputError
from ._frames import Frame, refuse_alike, stream
from ._stand_ins import StandIns


def take_pandas(frame: Any, named: set[str], read: set[str], what: str) -> Frame:
    """Takes a frame of pandas."""
    _refuse_names(frame, what)
    refuse_alike(list(frame.columns), what)
    frame, levels, left_out = _without_index(frame, named, what)
    stand_ins = StandIns()
    types = dict(zip(frame.columns, frame.dtypes))
    try:
        import pyarrow
    except ImportError:
        from ._columns import table_of_columns

        lists = {name: _plain_list(frame[name], name in read, stand_ins) for name in frame.columns}
        data = table_of_columns(lists, what)
    else:
        arrays = [_array(pyarrow, name, frame[name], name in read, stand_ins, what) for name in frame.columns]
        data = stream(pyarrow.table(arrays, names=list(frame.columns)), what)

    def back(released: Any, generalized: set[str]) -> Any:
        return _indexed(_typed(_pandas_of(released), types, stand_ins, generalized), levels)

    orders = {name: order for name in frame.columns if (order := _order(frame[name]))}
    return Frame(data, back, orders, left_out)


def _refuse_names(frame: Any, what: str) -> None:
    pandas = sys.modules["pandas"]
    if isinstance(frame.columns, pandas.MultiIndex):
        raise InputError(
            f"the columns of {what} have several levels",
            "make names of them: df.columns = ['_'.join(map(str, name)) for name in df.columns]",
        )
    odd = [name for name in frame.columns if not isinstance(name, str)]
    if odd:
        raise InputError(
            f"the column name {odd[0]!r} of {what} is a {type(odd[0]).__name__}, not text",
            "rename it: df.columns = df.columns.map(str)",
        )


# The index


def _without_index(frame: Any, named: set[str], what: str) -> tuple[Any, list[str], list[str]]:
    """The frame with the levels of its index that are named as columns, their names, and those of the levels that are left
    out: an index says whose row it is."""
    pandas = sys.modules["pandas"]
    index = frame.index
    if isinstance(index, pandas.RangeIndex):
        return frame, [], []
    kept = [name for name in index.names if isinstance(name, str) and name in named]
    both = [name for name in kept if name in frame.columns]
    if both:
        raise InputError(
            f"{what} has a column and a level of its index named {both[0]!r}", "rename one of them"
        )
    others = [str(name) for name in index.names if name is not None and name not in kept]
    levels = index.to_frame(index=False)
    levels.columns = list(range(index.nlevels))
    numbers = [index.names.index(name) for name in kept]
    columns = levels[numbers].set_axis(kept, axis=1)
    return pandas.concat([columns, frame.reset_index(drop=True)], axis=1), kept, others


def _indexed(frame: Any, levels: list[str]) -> Any:
    """Released columns that were levels of the index are that again."""
    released = [name for name in levels if name in frame.columns]
    return frame.set_index(released) if released else frame


# Columns on their way to the library


def _array(pyarrow: Any, name: str, series: Any, read: bool, stand_ins: StandIns, what: str) -> Any:
    from ._arrow import is_read

    if read:
        return _read_array(pyarrow, name, series, what)
    array = None
    if not _is_odd(series):
        try:
            array = pyarrow.Array.from_pandas(_with_text_categories(series))
        except (pyarrow.ArrowException, OverflowError, TypeError, ValueError):
            array = None
    # What Python's own objects become by Arrow would come back as something else.
    exact = array is not None and (series.dtype != object or pyarrow.types.is_string(array.type))
    if array is not None and exact and is_read(pyarrow, array.type):
        return _whole(array)
    return pyarrow.array(_stood_in(name, series, stand_ins), pyarrow.string())


def _read_array(pyarrow: Any, name: str, series: Any, what: str) -> Any:
    """A column whose values the library must understand."""
    pandas = sys.modules["pandas"]
    if isinstance(series.dtype, pandas.PeriodDtype):
        series = series.astype("string").where(series.notna(), None)
    elif isinstance(series.dtype, pandas.DatetimeTZDtype):
        # Labels tell the time on the clocks of the zone.
        series = series.dt.tz_localize(None)
    try:
        return _whole(pyarrow.Array.from_pandas(_with_text_categories(series)))
    except (pyarrow.ArrowException, OverflowError, TypeError, ValueError) as error:
        values = [value for value in series if not _is_missing(value)]
        if values and all(isinstance(value, int) for value in values):
            # Beyond 64 bits numbers travel as text, which the engine reads exactly.
            texts = [None if _is_missing(value) else str(value) for value in series]
            return pyarrow.array(texts, pyarrow.string())
        kinds = sorted({type(value).__name__ for value in values})
        raise InputError(
            f"column {name!r} of {what} holds values of several kinds ({', '.join(kinds)})",
            f"make them one kind, for example df[{name!r}] = df[{name!r}].astype(str)",
        ) from error


def _whole(array: Any) -> Any:
    return array.combine_chunks() if hasattr(array, "combine_chunks") else array


def _is_odd(series: Any) -> bool:
    """Whether a type travels as something else, or not at all."""
    pandas = sys.modules["pandas"]
    return isinstance(series.dtype, (pandas.PeriodDtype, pandas.IntervalDtype, pandas.SparseDtype))


def _stood_in(name: str, series: Any, stand_ins: StandIns) -> list[str | None]:
    plain = series.reset_index(drop=True)

    def take(rows: list[int | None]) -> Any:
        if None not in rows:
            return plain.take(rows).reset_index(drop=True)
        return plain.reindex([-1 if row is None else row for row in rows]).reset_index(drop=True)

    return stand_ins.texts(name, plain, take, _is_missing)


def _is_missing(value: Any) -> bool:
    pandas = sys.modules["pandas"]
    return value is None or value is pandas.NA or value is pandas.NaT or (isinstance(value, float) and value != value)


def _with_text_categories(series: Any) -> Any:
    categories = getattr(series.dtype, "categories", None)
    if categories is None or categories.dtype != object:
        return series
    # Categories of several kinds have no type: they are text.
    return series.cat.rename_categories([str(category) for category in categories])


def _plain_list(series: Any, read: bool, stand_ins: StandIns) -> list[Any]:
    """A column as Python's own values, where there is no pyarrow."""
    pandas = sys.modules["pandas"]
    if read and isinstance(series.dtype, pandas.PeriodDtype):
        series = series.astype("string")
    elif read and isinstance(series.dtype, pandas.DatetimeTZDtype):
        series = series.dt.tz_localize(None)
    values = [None if _is_missing(value) else _own(value) for value in series]
    kinds = {type(value) for value in values if value is not None}
    if read or len(kinds) <= 1 and kinds <= {bool, int, float, str}:
        return values
    return list(_stood_in(str(series.name), series, stand_ins))


def _own(value: Any) -> Any:
    """A value of numpy or pandas as Python's own."""
    if hasattr(value, "to_pydatetime"):
        return value.to_pydatetime(warn=False)
    return value.item() if hasattr(value, "item") else value


def _order(series: Any) -> list[str] | None:
    """The order of categories that have one and are texts."""
    dtype = series.dtype
    if not getattr(dtype, "ordered", False) or not hasattr(dtype, "categories"):
        return None
    categories = list(dtype.categories)
    return categories if categories and all(isinstance(it, str) for it in categories) else None


# Columns on their way back


def _pandas_of(table: Any) -> Any:
    try:
        import pyarrow
    except ImportError:
        import pandas

        from ._columns import columns_of_table

        return pandas.DataFrame(columns_of_table(table))
    # Whole numbers beside missing ones would become floats, and lose digits.
    return pyarrow.table(table).to_pandas(integer_object_nulls=True)


def _typed(frame: Any, types: dict[str, Any], stand_ins: StandIns, generalized: Iterable[str]) -> Any:
    """Columns that are released as they are get the values and types that they had."""
    import pandas

    skip = set(generalized)
    columns = {}
    for name in frame.columns:
        column, given = frame[name], types.get(name)
        if given is None or name in skip:
            columns[name] = column
        elif name in stand_ins:
            texts = [None if _is_missing(text) else text for text in column]
            columns[name] = stand_ins.values(name, texts)
        elif given == column.dtype:
            columns[name] = column
        elif isinstance(given, pandas.CategoricalDtype):
            columns[name] = _categorical(column, given)
        else:
            columns[name] = _as(column, given)
    return pandas.DataFrame(columns) if columns else frame


def _as(column: Any, given: Any) -> Any:
    try:
        return column.astype(given)
    except Exception:  # noqa: BLE001 - a treated column may be text now
        return column


def _categorical(column: Any, given: Any) -> Any:
    """Of categories only those that a released row has, in their order."""
    import pandas

    if not isinstance(column.dtype, pandas.CategoricalDtype):
        column = column.astype("category")
    there = set(column.dtype.categories)
    kept = [category for category in given.categories if category in there]
    if len(kept) != len(there):
        return column
    return column.cat.set_categories(kept, ordered=given.ordered)
