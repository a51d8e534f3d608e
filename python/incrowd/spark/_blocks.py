"""More combinations than a driver holds: the table is cut into blocks, which executors solve.

Combinations stay with the executors, in Spark's cache, and are written to no file of ours. Only the values of each column and,
level by level, how many rows of a block have each of them come to the driver, which cuts blocks until each has few enough
combinations. A block is solved by a task. Rows are then brought to the recoding of their block by one shuffle.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from .. import _incrowd
from .._errors import InputError
from . import _passes
from ._passes import Batches

#: Columns that rows carry on their way to the recoding of their block.
BLOCK, RANK, PART, ROW, BYTES = (f"__incrowd_{name}" for name in ("block", "rank", "part", "row", "bytes"))


class Combine:
    """Counts the combinations of a partition and hands them on as rows."""

    def __init__(self, reading: bytes) -> None:
        self.reading = reading

    def __call__(self, batches: Batches) -> Batches:
        found = _incrowd.PartCombinations(self.reading)
        for batch in batches:
            full = found.add(batch)
            if full is not None:
                yield from _batches(full)
        yield from _batches(found.take())


def _batches(table: Any, rows: int = 50_000) -> Iterator[Any]:
    import pyarrow

    yield from pyarrow.table(table).to_batches(max_chunksize=rows)


class Margin:
    """How many rows have each value of each column."""

    def __init__(self, width: int) -> None:
        self.width = width

    def __call__(self, batches: Batches) -> Batches:
        found = _incrowd.PartMargins(self.width)
        for batch in batches:
            found.add(batch)
        yield _passes._row(_passes.part_number(), found.to_bytes())


class StartMargins:
    """Makes margins that merge."""

    def __init__(self, width: int) -> None:
        self.width = width

    def __call__(self) -> Any:
        return _incrowd.PartMargins(self.width)


class Measure:
    """How many rows of each open block have each code of each attribute."""

    def __init__(self, blocks: bytes) -> None:
        self.blocks = blocks

    def __call__(self, batches: Batches) -> Batches:
        blocks = _incrowd.Blocks.from_bytes(self.blocks)
        found = _incrowd.PartBlocks()
        for batch in batches:
            found.add(blocks, batch)
        yield _passes._row(_passes.part_number(), found.to_bytes())


def start_blocks() -> Any:
    """Makes counts of blocks that merge."""
    return _incrowd.PartBlocks()


class Assign:
    """Puts the block of each combination beside it."""

    def __init__(self, blocks: bytes) -> None:
        self.blocks = blocks

    def __call__(self, batches: Batches) -> Batches:
        blocks = _incrowd.Blocks.from_bytes(self.blocks)
        for batch in batches:
            yield _beside(batch, _column(blocks.of_combinations(batch)), BLOCK)


def _column(table: Any) -> Any:
    import pyarrow

    column = pyarrow.table(table).column(0)
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


def _beside(batch: Any, column: Any, name: str) -> Any:
    import pyarrow

    return pyarrow.RecordBatch.from_arrays([*batch.columns, column], names=[*batch.schema.names, name])


class Solve:
    """Solves one block: all of its combinations come as one table."""

    def __init__(
        self, schema: bytes, base: str | None, asked: dict[str, Any], implied: list[str], values: bytes | None,
        reading: bytes, margins: bytes, width: int, key: bytes | None,
    ) -> None:
        self.schema, self.base, self.asked, self.implied, self.values = schema, base, asked, implied, values
        self.reading, self.margins, self.width, self.key = reading, margins, width, key

    def __call__(self, table: Any) -> Any:
        import pyarrow

        tables = list(_passes.telling(self._solved, iter([table])))
        return pyarrow.Table.from_batches(tables)

    def _solved(self, tables: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        # In an order of their own: a task that is done again gets them in another one, and must solve the same problem.
        table = next(tables)
        table = table.sort_by([(name, "ascending") for name in table.column_names]).combine_chunks()
        block = table.column(BLOCK)[0].as_py()
        values = None
        if self.values is not None:
            values = _incrowd.PartValues()
            values.merge(self.values)
        schema = pyarrow.ipc.read_schema(pyarrow.py_buffer(self.schema))
        question = _incrowd.Question(schema, self.base, self.asked, values)
        question.implying(self.implied)
        margins = _incrowd.PartMargins.from_bytes(self.width, self.margins)
        batch = table.to_batches()[0]
        recoder, facts = _incrowd.solve_block(question, self.reading, margins, block, batch, self.key)
        arrays = [pyarrow.array([block], pyarrow.int64())]
        arrays += [pyarrow.array([found], pyarrow.binary()) for found in (recoder, facts)]
        yield pyarrow.RecordBatch.from_arrays(arrays, names=["block", "recoder", "facts"])


class Route:
    """Says where each row goes: its block, and its place in the table, by which the deal is the same every time."""

    def __init__(self, blocks: bytes, reading: bytes) -> None:
        self.blocks, self.reading = blocks, reading

    def __call__(self, batches: Batches) -> Batches:
        import numpy
        import pyarrow

        part, row = _passes.part_number(), 0
        blocks = _incrowd.Blocks.from_bytes(self.blocks)
        for batch in batches:
            rows = batch.num_rows
            extra = [
                _column(blocks.of_rows(self.reading, batch)),
                pyarrow.array(numpy.ones(rows, numpy.int32)),
                pyarrow.array(numpy.full(rows, part, numpy.int64)),
                pyarrow.array(numpy.arange(row, row + rows, dtype=numpy.int64)),
                pyarrow.nulls(rows, pyarrow.binary()),
            ]
            row += rows
            names = [*batch.schema.names, BLOCK, RANK, PART, ROW, BYTES]
            yield pyarrow.RecordBatch.from_arrays([*batch.columns, *extra], names=names)


class RecodeBlocks:
    """Recodes rows that come sorted by block, each block behind its recoding."""

    def __init__(self, columns: list[str]) -> None:
        self.columns = columns

    def __call__(self, batches: Batches) -> Batches:
        import numpy
        import pyarrow

        block, part = -1, None
        for batch in batches:
            numbers = batch.column(batch.schema.get_field_index(BLOCK)).to_numpy()
            recoders = batch.column(batch.schema.get_field_index(BYTES))
            # The recoding of a block comes first, in a row of its own.
            first = numpy.flatnonzero(recoders.is_valid().to_numpy(zero_copy_only=False))
            start = 0
            for end in [*first.tolist(), batch.num_rows]:
                if end > start:
                    if part is None or numbers[start] != block or numbers[end - 1] != block:
                        raise RuntimeError("rows came without the recoding of their block")
                    rows = batch.slice(start, end - start).select(self.columns)
                    yield from pyarrow.table(part.recode(rows)).to_batches()
                if end < batch.num_rows:
                    if part is not None:
                        part.finish()
                    block = int(numbers[end])
                    part = _incrowd.PartRecoder.from_bytes(recoders[end].as_py()).part(block)
                start = end + 1
        if part is not None:
            part.finish()


def portable(asked: dict[str, Any]) -> dict[str, Any]:
    """Options that mean the same on another machine: hierarchies in files travel as their rows."""
    hierarchies = asked.get("hierarchy")
    if not isinstance(hierarchies, dict):
        return asked
    return {**asked, "hierarchy": {name: _portable(given) for name, given in hierarchies.items()}}


def _portable(given: Any) -> Any:
    if not isinstance(given, (str, os.PathLike)) or not os.path.exists(given):
        return given
    path = os.fspath(given)
    if path.endswith(".toml"):
        raise InputError(
            f"the hierarchy {path} is a rule in a file, which executors cannot read",
            "give the rule itself, or a file of values and their groups",
        )
    import csv

    with open(path, newline="", encoding="utf-8-sig") as file:
        text = file.read()
    delimiter = ";" if text.partition("\n")[0].count(";") else ","
    return [row for row in csv.reader(text.splitlines(), delimiter=delimiter) if row]

