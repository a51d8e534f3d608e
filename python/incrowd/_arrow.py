"""Tables of pyarrow, and whatever else speaks Arrow; relations of DuckDB."""

from __future__ import annotations

from typing import Any

from ._frames import Frame, refuse_alike, stream
from ._stand_ins import StandIns


#: Types of DuckDB that Arrow has nothing like, as DuckDB names them.
_NOT_IN_ARROW = ("HUGEINT", "UHUGEINT", "BIT", "TIME WITH TIME ZONE")


def take_arrow(data: Any, read: set[str], what: str) -> Frame:
    """Takes a table of pyarrow, or what becomes one; without pyarrow it travels as it is."""
    try:
        import pyarrow
    except ImportError:
        return Frame(stream(data, what), lambda table, _: table)
    table = pyarrow.table(data)
    refuse_alike(table.column_names, what)
    stand_ins = StandIns()
    given = {field.name: field.type for field in table.schema}
    columns = [_travels(pyarrow, name, table[name], name in read, stand_ins) for name in given]

    def back(released: Any, generalized: set[str]) -> Any:
        released = pyarrow.table(released).unify_dictionaries()
        for at, name in enumerate(released.column_names):
            kind = given.get(name)
            if kind is None or name in generalized:
                continue
            column = released.column(at)
            if name in stand_ins:
                values = stand_ins.values(name, column.to_pylist())
            else:
                values = _of_type(pyarrow, column, kind)
            released = released.set_column(at, name, values)
        return released

    def again(other: Any, changed: set[str]) -> Any:
        other = pyarrow.table(other)
        columns = [
            pyarrow.array(
                stand_ins.again(name, _plain_values(pyarrow, other[name]), lambda value: value is None), pyarrow.string()
            ) if name in stand_ins and name not in changed else other[name]
            for name in other.column_names
        ]
        return stream(pyarrow.table(columns, names=other.column_names), what)

    orders = {name: order for name, kind in given.items() if (order := _order(pyarrow, table[name], kind))}
    return Frame(stream(pyarrow.table(columns, names=list(given)), what), back, orders, again=again)


def take_duckdb(relation: Any, read: set[str], what: str, connection: Any = None) -> Frame:
    """Takes a relation of DuckDB; what comes back is one of a connection, or of the usual one."""
    import duckdb

    given = dict(zip(relation.columns, relation.types))
    # Arrow has no integers of 128 bits, no bits and no zones of times of day; texts of them say the same.
    as_text = [name for name, kind in given.items() if str(kind) in _NOT_IN_ARROW]

    def narrow(relation: Any) -> Any:
        if not any(name in as_text for name in relation.columns):
            return relation
        return relation.project(", ".join(
            f"CAST({_quoted(name)} AS VARCHAR) AS {_quoted(name)}" if name in as_text else _quoted(name)
            for name in relation.columns
        ))

    frame = take_arrow(narrow(relation), read, what)

    def back(released: Any, generalized: set[str]) -> Any:
        found = (connection or duckdb).from_arrow(frame.back(released, generalized))
        as_they_were = {name: given[name] for name in found.columns if name in given and name not in generalized}
        if all(as_they_were.get(name, kind) == kind for name, kind in zip(found.columns, found.types)):
            return found
        casts = [
            f"CAST({_quoted(name)} AS {as_they_were[name]}) AS {_quoted(name)}"
            if as_they_were.get(name, kind) != kind
            else _quoted(name)
            for name, kind in zip(found.columns, found.types)
        ]
        return found.project(", ".join(casts))

    def again(other: Any, changed: set[str]) -> Any:
        return frame.again(narrow(other), changed)

    return Frame(frame.data, back, frame.orders, again=again)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def is_read(pyarrow: Any, kind: Any) -> bool:
    """Whether the library reads values of a type, and a column of them comes back as it was."""
    types = pyarrow.types
    if types.is_dictionary(kind):
        return bool(is_read(pyarrow, kind.value_type))
    if types.is_decimal(kind):
        return bool(0 <= kind.scale <= kind.precision)
    return bool(
        types.is_null(kind) or types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind)
        or types.is_string(kind) or types.is_large_string(kind) or _is_string_view(types, kind)
        or types.is_date(kind) or types.is_timestamp(kind)
    )


def _is_string_view(types: Any, kind: Any) -> bool:
    return hasattr(types, "is_string_view") and bool(types.is_string_view(kind))


def _travels(pyarrow: Any, name: str, column: Any, read: bool, stand_ins: StandIns) -> Any:
    """A column as it travels."""
    kind = column.type
    if read:
        if pyarrow.types.is_timestamp(kind) and kind.tz is not None:
            from pyarrow import compute

            # Labels tell the time on the clocks of the zone.
            return compute.local_timestamp(column)
        return column
    if is_read(pyarrow, kind):
        return column

    def take(rows: list[int | None]) -> Any:
        try:
            return column.take(pyarrow.array(rows, pyarrow.int64()))
        except pyarrow.ArrowNotImplementedError:
            # Arrow picks no rows of some types, as views of bytes.
            given = column.to_pylist()
            return pyarrow.array([None if row is None else given[row] for row in rows], kind)

    values = _plain_values(pyarrow, column)
    return pyarrow.array(stand_ins.texts(name, values, take, lambda value: value is None), pyarrow.string())


def _plain_values(pyarrow: Any, column: Any) -> list[Any]:
    """Values as Python has them, exactly: nanoseconds, which it lacks, are whole numbers."""
    types = pyarrow.types
    kind = column.type
    if types.is_time(kind) or types.is_duration(kind):
        wide = pyarrow.int32() if types.is_time32(kind) else pyarrow.int64()
        texts = column.cast(pyarrow.string()).to_pylist() if types.is_time(kind) else None
        return list(texts if texts is not None else column.cast(wide).to_pylist())
    return list(column.to_pylist())


def _of_type(pyarrow: Any, column: Any, kind: Any) -> Any:
    """A column of the type that it had; of a dictionary the values that are there, in its order."""
    if column.type == kind:
        return column
    if pyarrow.types.is_null(kind):
        return pyarrow.chunked_array([pyarrow.nulls(len(column))])
    try:
        if not pyarrow.types.is_dictionary(kind):
            return column.cast(kind)
        if pyarrow.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        encoded = column.cast(kind.value_type).combine_chunks().dictionary_encode()
        chunks = encoded.chunks if hasattr(encoded, "chunks") else [encoded]
        indices = [chunk.indices.cast(kind.index_type) for chunk in chunks]
        arrays = [
            pyarrow.DictionaryArray.from_arrays(index, chunk.dictionary, ordered=kind.ordered)
            for index, chunk in zip(indices, chunks)
        ]
        return pyarrow.chunked_array(arrays, kind)
    except (pyarrow.ArrowException, ValueError):
        # A treated column may be text now.
        return column


def _order(pyarrow: Any, column: Any, kind: Any) -> list[str] | None:
    """The order of the texts of a dictionary that says that it has one, as its first batch has it."""
    if not pyarrow.types.is_dictionary(kind) or not kind.ordered or not pyarrow.types.is_string(kind.value_type):
        return None
    return list(column.chunk(0).dictionary.to_pylist()) if column.num_chunks else None
