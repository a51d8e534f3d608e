"""Tables from whatever kind of frame, and back to the same kind.

Columns travel by Arrow. What a frame carries beside its columns (attributes, metadata, levels of categories that no row has)
does not travel. Columns that are released as they are come back with the values and the type that they had.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

from . import _incrowd
from ._errors import InputError

__all__ = ["Frame", "taken", "taken_if_any", "to_frame"]


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
        self,
        data: Any,
        back: Callable[[Any, set[str]], Any],
        orders: dict[str, list[str]] | None = None,
        left_out: Iterable[str] = (),
        again: Callable[[Any, set[str]], Any] | None = None,
        source: Any = None,
    ) -> None:
        self.data = data
        self._back = back
        self._again = again
        #: What took the rows, where a database told them.
        self.source = source
        #: Columns whose categories have an order, with that.
        self.orders = orders or {}
        #: What was given beside the columns, and is not released.
        self.left_out = list(left_out)

    def back(self, table: Any, generalized: Iterable[str] = ()) -> Any:
        """A released table as the kind of frame that this one was. Generalized columns are text, whatever they were, so
        that their type does not depend on the data."""
        return self._back(table, set(generalized))

    @property
    def names(self) -> list[str]:
        """The columns of a table in memory."""
        return list(self.data.names)

    def again(self, table: Any, changed: set[str]) -> Any:
        """What the library reads of a frame that :meth:`back` gave, be it from elsewhere; but for the changed columns its
        values must be those of this frame."""
        assert self._again is not None
        return self._again(table, changed)


def taken(data: Any, named: Iterable[str] = (), what: str = "the table", read: Iterable[str] | None = None) -> Frame:
    """Takes a table; ``named`` are the columns that the call names, which may be levels of an index. Of them, ``read`` are
    those whose values the library must understand: all, unless said."""
    named = set(named)
    read = named if read is None else set(read)
    if isinstance(data, (str, os.PathLike)):
        return Frame(os.fspath(data), lambda table, _: _arrow_or_own(table))
    if isinstance(data, _incrowd.Table):
        return Frame(data, lambda table, _: table)
    if isinstance(data, dict):
        from ._columns import take_columns

        return take_columns(data, what)
    from ._connections import Relation, is_connection

    if isinstance(data, Relation) or is_connection(data):
        relation = data if isinstance(data, Relation) else Relation(data)
        return relation.taken(read, what)
    if _is(data, "pandas", "DataFrame"):
        from ._pandas import take_pandas

        return take_pandas(data, named, read, what)
    if _is(data, "polars", "LazyFrame"):
        from ._polars import take_polars

        frame = take_polars(_collected(data), read, what)
        return Frame(frame.data, lambda table, generalized: frame.back(table, generalized).lazy())
    if _is(data, "polars", "DataFrame"):
        from ._polars import take_polars

        return take_polars(data, read, what)
    if _is(data, "duckdb", "DuckDBPyRelation"):
        from ._arrow import take_duckdb

        return take_duckdb(data, read, what)
    if _library(data) == "pyspark" and hasattr(data, "toArrow"):
        data = data.toArrow()
    if _is(data, "pyarrow", "RecordBatch"):
        data = sys.modules["pyarrow"].Table.from_batches([data])
    if not hasattr(data, "__arrow_c_stream__") and hasattr(data, "to_table"):
        data = data.to_table()
    if hasattr(data, "__arrow_c_stream__"):
        from ._arrow import take_arrow

        return take_arrow(data, read, what)
    raise TypeError(
        f"{what} cannot be a {type(data).__name__}: give a data frame of pandas, polars, pyarrow or DuckDB, "
        "anything else with __arrow_c_stream__, a dict of columns, or the path of a file"
    )


def taken_if_any(data: Any, named: Iterable[str] = (), what: str = "the table") -> Any:
    """What the library takes of a table that need not be given."""
    return None if data is None else taken(data, named, what).data


def _collected(lazy: Any) -> Any:
    try:
        return lazy.collect(engine="streaming")
    except TypeError:
        return lazy.collect()


def stream(data: Any, what: str) -> Any:
    """A table in memory from an Arrow stream."""
    names = getattr(data, "columns", None) or getattr(data, "column_names", None)
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        refuse_alike(names, what)
    try:
        return _incrowd.Table.from_stream(data)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise InputError(f"{what} cannot be read as Arrow: {error}") from error


def refuse_alike(names: list[str], what: str) -> None:
    """Refuses columns of the same name."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            f"{what} has several columns named {', '.join(map(repr, twice))}",
            "rename them: every column needs a name of its own",
        )


def _arrow_or_own(table: Any) -> Any:
    """A table of pyarrow; without it the library's own."""
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
