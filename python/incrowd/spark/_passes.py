"""What runs on executors: a function for each pass over the rows of a partition, given Arrow batches.

Nothing here decides anything: batches go to the compiled steps of :mod:`incrowd._incrowd`, bytes come back. A task that is
tried again, or run twice, gives the same rows: they depend on the partition and on the order of its rows only.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .. import _incrowd

#: The columns of what passes return: the number of a part and what was found in it.
PARTS = "part bigint, bytes binary"

Batches = Iterator[Any]
Pass = Callable[[Batches], Batches]

#: Starts the message of an error of the library, which travels as text inside of Spark's errors.
MARK = "incrowd-error:"


def part_number() -> int:
    """The number of the partition that this task works on."""
    from pyspark import TaskContext

    context = TaskContext.get()
    if context is None:
        raise RuntimeError("there is no task context: this engine does not say which partition a task works on")
    return int(context.partitionId())


def _row(part: int, found: bytes) -> Any:
    import pyarrow

    arrays = [pyarrow.array([part], pyarrow.int64()), pyarrow.array([found], pyarrow.binary())]
    return pyarrow.RecordBatch.from_arrays(arrays, names=["part", "bytes"])


def telling(each: Callable[[Batches], Batches], batches: Batches) -> Batches:
    """Runs a pass; errors of the library travel as JSON in their message, so that the driver can tell them again."""
    from .._errors import IncrowdError

    try:
        yield from each(batches)
    except IncrowdError as error:
        told = [type(error).__name__, error.message, error.help, error.kind, error.columns]
        raise RuntimeError(f"{MARK}{json.dumps(told)}:{MARK}") from error


def keep_others_out() -> None:
    """Closes the executor's folder of blocks. Original values go through it, in shuffles and caches; Spark lets everybody on
    the machine read it, and leaves it behind when it is killed."""
    for folder in os.environ.get("SPARK_LOCAL_DIRS", "").split(","):
        # Only the folder that Spark has made for this executor, and not the one that it lies in.
        if os.path.basename(folder).startswith("blockmgr-"):
            try:
                os.chmod(folder, 0o700)
            except OSError:
                # Somebody else's, whose rules count.
                continue


class Named:
    """A pass over columns of these names, whose errors can be told again by the driver."""

    def __init__(self, names: list[str], each: Pass, alone: bool) -> None:
        self.names = names
        self.each = each
        self.alone = alone

    def __call__(self, batches: Batches) -> Batches:
        if self.alone:
            keep_others_out()
        return telling(self.each, self._named(batches))

    def _named(self, batches: Batches) -> Batches:
        import pyarrow

        for batch in batches:
            yield pyarrow.RecordBatch.from_arrays(batch.columns, names=self.names)


def mapped(frame: Any, each: Pass, schema: Any) -> Any:
    """Runs a pass over a frame. Columns travel by number: a name with a dot or a backtick in it would not arrive."""
    names = list(frame.columns)
    # A shuffle service of another user reads the blocks of executors.
    served = str(frame.sparkSession.conf.get("spark.shuffle.service.enabled", "false")).lower() == "true"
    return frame.toDF(*(f"c{at}" for at in range(len(names)))).mapInArrow(Named(names, each, not served), schema)


def function(each: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What is done with the table of a group, as a function: Spark looks at how many arguments there are."""

    def of_group(table: Any) -> Any:
        return each(table)

    return of_group


class Values:
    """The distinct values of the columns that are treated."""

    def __call__(self, batches: Batches) -> Batches:
        found = _incrowd.PartValues()
        for batch in batches:
            found.add(batch)
        yield _row(part_number(), found.to_bytes())


class Count:
    """The first pass: combinations and all else that is to be known before the search. With ``keeps`` the rows are handed on as
    well, as what they are recoded from; those have a number below 0, see :func:`_by_part`."""

    def __init__(self, reading: bytes, keeps: bool) -> None:
        self.reading = reading
        self.keeps = keeps

    def __call__(self, batches: Batches) -> Batches:
        part = part_number()
        counts = _incrowd.PartCounts(self.reading)
        counts.add(part)
        for batch in batches:
            if not self.keeps:
                counts.add(part, batch)
            elif (kept := counts.add_keeping(part, batch)) is not None:
                yield _row(-1 - part, kept)
        if self.keeps:
            # So that a part without rows is known, too.
            yield _row(-1 - part, b"")
        yield _row(part, counts.to_bytes())


def _by_part(batches: Batches, kept: bool) -> Iterator[tuple[int, Iterator[Any]]]:
    """The rows of each part: of the one that this task works on as the table has them, or of those that were kept."""
    if not kept:
        yield part_number(), batches
        return
    rows = (row for batch in batches for row in zip(batch.column("part").to_pylist(), batch.column("bytes")))
    for number, of_part in itertools.groupby(rows, key=lambda row: row[0]):
        yield -1 - number, (kept for kept in (row[1].as_py() for row in of_part) if kept)


class Shared:
    """A recoder on its way to the executors: by a broadcast where there is one, else with the pass itself. A Python
    worker makes it of its bytes once."""

    _made: dict[str, Any] = {}

    def __init__(self, name: str, bytes_: bytes, broadcast: Callable[[bytes], Any] | None) -> None:
        self.name = name
        self._bytes = None if broadcast is not None else bytes_
        self._broadcast = None if broadcast is None else broadcast(bytes_)

    def get(self) -> Any:
        """The recoder."""
        if self.name not in Shared._made:
            # Of another run, or of a step before: nobody needs it any more.
            Shared._made.clear()
            given: Any = self._bytes if self._broadcast is None else self._broadcast.value
            Shared._made[self.name] = _incrowd.PartRecoder.from_bytes(given)
        return Shared._made[self.name]

    def close(self) -> None:
        """Takes the broadcast back."""
        if self._broadcast is not None:
            self._broadcast.destroy()


class Tally:
    """Between the passes: how many rows of each kind a partition has, of those that are dealt out."""

    def __init__(self, recoder: Shared, kept: bool) -> None:
        self.recoder = recoder
        self.kept = kept

    def __call__(self, batches: Batches) -> Batches:
        for number, rows in _by_part(batches, self.kept):
            part = self.recoder.get().part(number)
            for batch in rows:
                part.count(batch)
            part.finish()
            yield _row(number, part.numbers())


class Recode:
    """The second pass: rows become what their classes are released as."""

    def __init__(self, recoder: Shared, kept: bool) -> None:
        self.recoder = recoder
        self.kept = kept

    def __call__(self, batches: Batches) -> Batches:
        import pyarrow

        for number, rows in _by_part(batches, self.kept):
            part = self.recoder.get().part(number)
            for batch in rows:
                yield from pyarrow.table(part.recode(batch)).to_batches()
            # Only now is it known that these are the rows that were counted; until then nothing is committed.
            part.finish()


class Pack:
    """The second pass where rows change places: those that go to the same place travel in parcels."""

    def __init__(self, recoder: Shared, kept: bool, places: int) -> None:
        self.recoder = recoder
        self.kept = kept
        self.places = places

    def __call__(self, batches: Batches) -> Batches:
        for number, rows in _by_part(batches, self.kept):
            part = self.recoder.get().part(number)
            parcels = _incrowd.PartParcels(self.places)
            for batch in rows:
                yield from self._rows(parcels.add(part, batch))
            yield from self._rows(parcels.finish())
            # As above: a part that was read otherwise fails its task, and all that came of it.
            part.finish()

    @staticmethod
    def _rows(parcels: list[tuple[int, bytes]]) -> Batches:
        # One at a time: a batch of many could be too large for Arrow.
        return (_row(place, parcel) for place, parcel in parcels)


class Unpack:
    """What the rows in all parcels that came to a place are released as."""

    def __init__(self, recoder: Shared, schema: bytes) -> None:
        self.recoder = recoder
        self.schema = schema

    def __call__(self, table: Any) -> Any:
        return next(telling(self._shown, iter([table])))

    def _shown(self, tables: Batches) -> Batches:
        import pyarrow

        parcels = [parcel.as_py() for table in tables for parcel in table.column("bytes")]
        # Spark wants its own types: times say their zone in another way, for one.
        schema = pyarrow.ipc.read_schema(pyarrow.py_buffer(self.schema))
        yield pyarrow.table(self.recoder.get().unpack(parcels)).cast(schema)


class Check:
    """The last pass: the written rows, as everybody can see them."""

    def __init__(self, checking: bytes, without_unit: bool) -> None:
        self.checking = checking
        self.without_unit = without_unit

    def __call__(self, batches: Batches) -> Batches:
        part = part_number()
        check = _incrowd.PartCheck(self.checking, part, self.without_unit)
        for batch in batches:
            check.add(batch)
        yield _row(part, check.to_bytes())


class Merge:
    """Brings what was found in several parts together; ``start`` makes something that can merge."""

    def __init__(self, start: Callable[[], Any]) -> None:
        self.start = start

    def __call__(self, batches: Batches) -> Batches:
        merged = None
        for found in _found(batches):
            if merged is None:
                merged = self.start()
            merged.merge(found)
        if merged is not None:
            yield _row(part_number(), merged.to_bytes())


def _found(batches: Iterable[Any]) -> Iterator[bytes]:
    for batch in batches:
        for value in batch.column("bytes"):
            yield value.as_py()


class StartCounts:
    """Makes counts that merge."""

    def __init__(self, reading: bytes) -> None:
        self.reading = reading

    def __call__(self) -> Any:
        return _incrowd.PartCounts(self.reading)


class StartCheck:
    """Makes checks that merge."""

    def __init__(self, checking: bytes, without_unit: bool) -> None:
        self.checking = checking
        self.without_unit = without_unit

    def __call__(self) -> Any:
        return _incrowd.PartCheck(self.checking, 0, self.without_unit)


def start_values() -> Any:
    """Makes values that merge."""
    return _incrowd.PartValues()
