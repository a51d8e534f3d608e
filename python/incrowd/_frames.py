"""Tables from whatever kind of frame, and back to the same kind.

Columns travel by Arrow. What a frame carries beside its columns (an index, attributes, metadata, levels of categories
that no row has) does not travel.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

from . import _incrowd
from ._errors import InputError

__all__ = ["Frame", "taken", "to_frame"]


def _library(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def _is(value: Any, module: str, name: str) -> bool:
    """Whether a value is of a class of a library; one that was never imported has none of its values."""
    loaded = sys.modules.get(module)
    kind = getattr(loaded, name, None) if loaded is not None else None
    return kind is not None and isinstance(value, kind)


class Frame:
    """A table as it was given: what the library reads, and how a release is given back."""

    def __init__(
        self, data: Any, back: Callable[[Any], Any], types: dict[str, Any] | None = None
    ) -> None:
        self.data = data
        self._back = back
        self._types = types

    def back(self, table: Any, generalized: Iterable[str] = ()) -> Any:
        """A released table as the kind of frame that this one was. Generalized columns are text, whatever they were, so
        that their type does not depend on the data."""
        frame = self._back(table)
        if self._types is None:
            return frame
        skip = set(generalized)
        return _pandas_typed(frame, {name: kind for name, kind in self._types.items() if name not in skip})


def taken(data: Any, named: Iterable[str] = (), what: str = "the table") -> Frame:
    """Takes a table; ``named`` are the columns that the call names, which may be levels of an index."""
    if isinstance(data, (str, os.PathLike)):
        return Frame(os.fspath(data), _arrow_back)
    if isinstance(data, _incrowd.Table):
        return Frame(data, lambda table: table)
    if _is(data, "pandas", "DataFrame"):
        return _pandas(data, set(named), what)
    if _is(data, "polars", "LazyFrame"):
        return Frame(_stream(_typed(_collected(data)), what), lambda table: _polars_back(table).lazy())
    if _is(data, "polars", "DataFrame"):
        return Frame(_stream(_typed(data), what), _polars_back)
    if _is(data, "duckdb", "DuckDBPyRelation"):
        return Frame(_stream(data, what), _duckdb_back)
    if _library(data) == "pyspark" and hasattr(data, "toArrow"):
        data = data.toArrow()
    if _is(data, "pyarrow", "RecordBatch"):
        data = sys.modules["pyarrow"].Table.from_batches([data])
    if not hasattr(data, "__arrow_c_stream__") and hasattr(data, "to_table"):
        data = data.to_table()
    if hasattr(data, "__arrow_c_stream__"):
        return Frame(_stream(data, what), _arrow_back)
    raise TypeError(
        f"{what} cannot be a {type(data).__name__}: give a data frame of pandas, polars, pyarrow or DuckDB, "
        "anything else with __arrow_c_stream__, or the path of a file"
    )


def taken_if_any(data: Any, named: Iterable[str] = (), what: str = "the table") -> Any:
    """What the library takes of a table that need not be given."""
    return None if data is None else taken(data, named, what).data


def _collected(lazy: Any) -> Any:
    try:
        return lazy.collect(engine="streaming")
    except TypeError:
        return lazy.collect()


def _stream(data: Any, what: str) -> Any:
    """A table in memory from an Arrow stream."""
    names = getattr(data, "columns", None) or getattr(data, "column_names", None)
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        _unlike(names, what)
    try:
        return _incrowd.Table.from_stream(data)
    except (ValueError, NotImplementedError) as error:
        raise InputError(f"{what} cannot be read as Arrow: {error}") from error


def _unlike(names: list[str], what: str) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            f"{what} has several columns named {', '.join(map(repr, twice))}",
            "rename them: every column needs a name of its own",
        )


# pandas


def _pandas(frame: Any, named: set[str], what: str) -> Frame:
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
    _unlike(list(frame.columns), what)
    frame = _without_index(frame, named, what)
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("pandas frames travel by Arrow: pip install pyarrow") from error
    arrays = [_pandas_array(pyarrow, name, frame[name], what) for name in frame.columns]
    schema = pyarrow.schema([(name, array.type) for name, array in zip(frame.columns, arrays)])
    table = pyarrow.Table.from_arrays(arrays, schema=schema)
    types = dict(zip(frame.columns, frame.dtypes))
    return Frame(_stream(table, what), _pandas_back, types)


def _without_index(frame: Any, named: set[str], what: str) -> Any:
    """An index is a column that nobody sees: it is one, or it is left out on purpose."""
    pandas = sys.modules["pandas"]
    index = frame.index
    if isinstance(index, pandas.RangeIndex):
        return frame
    levels = [name for name in index.names if name is not None]
    if levels and len(levels) == index.nlevels and all(name in named for name in levels):
        return frame.reset_index()
    called = f" ({', '.join(map(repr, levels))})" if levels else ""
    raise InputError(
        f"{what} has an index{called}, and no role is given for it",
        "leave it out with df.reset_index(drop=True), or make columns of it with df.reset_index() and give them a role",
        "no-role",
    )


def _pandas_array(pyarrow: Any, name: str, series: Any, what: str) -> Any:
    categories = getattr(series.dtype, "categories", None)
    if categories is not None and categories.dtype == object:
        # Categories of several kinds have no type: they are text.
        series = series.cat.rename_categories([str(category) for category in categories])
    try:
        array = pyarrow.Array.from_pandas(series)
        return array.combine_chunks() if hasattr(array, "combine_chunks") else array
    except (pyarrow.ArrowException, OverflowError, TypeError, ValueError) as error:
        values = [value for value in series if value is not None and value == value]
        if values and all(isinstance(value, int) for value in values):
            # Beyond 64 bits numbers travel as text, which the engine reads exactly.
            texts = [None if value is None or value != value else str(value) for value in series]
            return pyarrow.array(texts, pyarrow.string())
        kinds = sorted({type(value).__name__ for value in values})
        raise InputError(
            f"column {name!r} of {what} holds values of several kinds ({', '.join(kinds)})",
            f"make them one kind, for example df[{name!r}] = df[{name!r}].astype(str)",
        ) from error


def _pandas_back(table: Any) -> Any:
    import pyarrow

    return pyarrow.table(table).to_pandas()


def _pandas_typed(frame: Any, types: dict[str, Any]) -> Any:
    """Columns that are released as they are get the types that they had."""
    import pandas
    import pyarrow

    for name in frame.columns:
        given, got = types.get(name), frame[name].dtype
        if given is None or given == got:
            continue
        if isinstance(given, pandas.CategoricalDtype):
            if isinstance(got, pandas.CategoricalDtype) and given.ordered:
                # In their order, and of them only those that a released row has.
                there = set(got.categories)
                kept = [category for category in given.categories if category in there]
                if len(kept) == len(there):
                    frame[name] = frame[name].cat.set_categories(kept, ordered=True)
            elif not isinstance(got, pandas.CategoricalDtype):
                frame[name] = frame[name].astype("category")
            continue
        try:
            same = frame[name].astype(given)
        except (ValueError, TypeError, NotImplementedError, pyarrow.ArrowException):
            # A treated column may be text now.
            continue
        frame[name] = same
    return frame


# polars


def _typed(frame: Any) -> Any:
    """Columns without any value have no type, which does not travel: they are text."""
    polars = sys.modules["polars"]
    untyped = [name for name, kind in zip(frame.columns, frame.dtypes) if kind == polars.Null]
    return frame.with_columns([polars.col(name).cast(polars.String) for name in untyped]) if untyped else frame


def _polars_back(table: Any) -> Any:
    import polars

    frame = polars.DataFrame(table)
    for name, kind in zip(frame.columns, frame.dtypes):
        if kind == polars.Categorical:
            # Categoricals of polars share their values with all others of the process: an Enum holds its own only.
            texts = frame[name].cast(polars.String)
            there = texts.drop_nulls().unique().sort()
            frame = frame.with_columns(texts.cast(polars.Enum(there)))
    return frame


# DuckDB and Arrow


def _duckdb_back(table: Any) -> Any:
    import duckdb

    return duckdb.from_arrow(_arrow_back(table))


def _arrow_back(table: Any) -> Any:
    try:
        import pyarrow
    except ImportError:
        return table
    return pyarrow.table(table).unify_dictionaries()


def to_frame(columns: dict[str, list[Any]]) -> Any:
    """Facts as a data frame: of pandas, else of polars, else as they are."""
    try:
        import pandas

        return pandas.DataFrame(columns)
    except ImportError:
        pass
    try:
        import polars

        return polars.DataFrame(columns, strict=False)
    except ImportError:
        return columns
