"""A run on Spark, step by step."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .. import _incrowd
from .._asked import OnInterrupt, asked_of, check_enough, spec_of, spec_text, texts
from .._errors import InputError
from .._frames import taken_if_any
from .._notices import log
from .._options import Columns, FilePath
from .._progress import Progress, watched
from ..spec import Spec
from . import _blocks, _passes
from ._folder import Folder
from ._frame import arrow_schema, frame_of, partitions, quoted, told
from ._result import Finished, SparkResult
from ._table import Table
from ._target import Target

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._signatures import AnonymizeOptions, Models

__all__ = ["anonymize"]

#: So many combinations may come to the driver, if nothing else is said.
MOST_COMBINATIONS = 2_000_000
#: Combinations of a block, if nothing else is said.
BLOCK = 250_000
#: Results of so many parts are brought together in one place.
TOGETHER = 16
#: Rows that change places go to so many places of each file at least, so that files get about as many each...
PLACES = 8
#: ... and so many rows come to one place, about: a task holds those of one place in its memory.
ROWS_OF_PLACE = 200_000


def anonymize(
    df: Any,
    *,
    k: int | None = None,
    quasi: Columns | None = None,
    into: FilePath,
    format: str = "parquet",
    writing: Mapping[str, str] | None = None,
    overwrite: bool = False,
    partition_by: Columns | None = None,
    files: int | None = None,
    most_combinations: int | None = None,
    block: int | None = None,
    read_once: bool = True,
    spec: Spec | FilePath | None = None,
    models: Models | None = None,
    population: Any = None,
    recoding: FilePath | None = None,
    report: FilePath | None = None,
    progress: Progress = None,
    on_interrupt: OnInterrupt = "raise",
    **options: Unpack[AnonymizeOptions],
) -> SparkResult:
    """Anonymizes a Spark data frame into a folder or a table.

    Takes the options of :func:`incrowd.anonymize`, and refuses what that refuses. Rows are counted, recoded, written and
    verified by the executors; the combinations of quasi-identifiers with their counts come to the driver, which
    searches. The release is written under a private name of this run, read back, and gets its name when the independent
    verifier has found every requirement met; otherwise it is removed. ``overwrite=True`` lets it take the place of an earlier
    release, which stays until then; what incrowd has not made, and what the data frame is read from, is never replaced.

    ``into`` is the path of a folder (it has a slash) or the name of a table. ``format`` is Spark's name of a format and
    ``writing`` its options; ``files`` is how many files there shall be, and ``partition_by`` names columns of the release by
    whose values files lie apart. ``population``, if given, is a frame that fits into
    the driver's memory.

    Where there are more than ``most_combinations`` combinations (two million), they do not come to the driver: the table is
    cut into blocks of at most ``block`` combinations (a quarter of a million), which executors solve one by one. That needs
    the kind local; nothing is proven of the cost then.

    The data frame is read once: what rows are recoded from (codes of their values, and the columns that are released as they
    are) is kept by the executors, in memory and on their disks, until the release is written. With ``read_once=False``, and where
    columns are treated on their way to the release or combinations are too many, it is read again for each step. If it is not
    the same each time then (a sample without a seed, a table that somebody writes to, an executor lost with what it kept), it
    is refused.
    """
    base = spec_of(spec)
    asked = asked_of(options, k=k, quasi=quasi, models=models)
    check_enough(base, asked, on_interrupt)
    if files is not None and files < 1:
        raise InputError(f"there cannot be {files} files", "give a number from 1 on, or leave it out")
    df = frame_of(df)
    goes_to = target_of(df, os.fspath(into), format, dict(writing or {}), overwrite, partition_by=partition_by)
    people = taken_if_any(population, what="the population")
    if min(most_combinations or 1, block or 1) < 1:
        raise InputError("there must be room for a combination", "give numbers from 1 on, or leave them out")
    run = Run(df, goes_to, files, most_combinations or MOST_COMBINATIONS, block or BLOCK, read_once)
    keep = on_interrupt == "return"
    question = Search(spec_text(base), asked)
    result = watched(progress, lambda tell: run.run(question, people, tell, keep))
    log(result.facts)
    if recoding is not None and result:
        result.recoding.save(recoding)
    if report is not None:
        result.report(report)
    return result


def target_of(
    df: Any, into: str, format: str, options: dict[str, str], overwrite: bool, append: bool = False,
    partition_by: Columns | None = None,
) -> Target:
    """The target that a name stands for: a path has a slash in it, a table has none."""
    if not into or not into.strip():
        raise InputError("no place for the release is given", 'give into="folder/release" or into="table"')
    kind: type[Target] = Folder if "/" in into or "\\" in into else Table
    return kind(df, into.rstrip("/") or "/", format, options, overwrite, append, texts(partition_by))


class Search:
    """A question that a search answers."""

    def __init__(self, base: str | None, asked: dict[str, Any]) -> None:
        self.base = base
        self.asked = asked

    def treated(self) -> list[str]:
        """The columns whose values must be known before they are read."""
        return _incrowd.apart_treated(self.base, self.asked)

    def put(self, schema: Any, values: Any) -> Any:
        """The question put to a table."""
        return _incrowd.Question(schema, self.base, self.asked, values)

    def too_many(self, most: int) -> None:
        """What becomes of it where there are more combinations than the driver takes: blocks."""


class Earlier:
    """Rows that go into the release with those of the table. There are none unless rows are added to a release."""

    #: Whether they are written as they are, beside those of the table; else they are recoded with them.
    stay = False

    def joined(self, rows: Any) -> Any:
        """The rows with the earlier ones."""
        return rows

    def check(self, solution: Any) -> None:
        """Checks that the earlier rows stay what they are."""

    def written(self, rows: Any, schema: Any) -> Any:
        """What is written: the released rows, and the earlier ones where they stay."""
        return rows

    def check_written(self, solution: Any, written: Any, found: Any) -> None:
        """Judges what was written as a whole, where earlier rows stay."""


class Run:
    """The steps of one run."""

    def __init__(
        self, df: Any, goes_to: Target, files: int | None, most: int, block: int, read_once: bool,
        earlier: Earlier | None = None,
    ) -> None:
        self.df = df
        self.spark = df.sparkSession
        self.goes_to = goes_to
        self.files = files
        self.most = most
        self.block = block
        self.read_once = read_once
        self.earlier = earlier or Earlier()
        self.parts = 1
        self.seconds: dict[str, float] = {}

    def run(
        self,
        asking: Search,
        population: Any,
        tell: Callable[[dict[str, Any]], None] | None,
        keep: bool,
    ) -> SparkResult:
        """Counts, searches, recodes, writes, verifies, renames."""
        self._tell(tell, "read")
        with self._timed("count"), told():
            values = self._treated(asking)
            question = asking.put(arrow_schema(self.df.schema), values)
            rows = self.earlier.joined(self.df.select([quoted(name) for name in question.columns()]))
            parts = partitions(rows)
            keeps = self.read_once and question.can_keep()
        implied: list[str] | None = None
        while True:
            with self._timed("count"), told():
                reading = question.reading(parts, self.most)
                found = _passes.mapped(rows, _passes.Count(reading, keeps), _passes.PARTS)
            with self._kept(found, keeps) as found:
                with self._timed("count"), told():
                    counts = _incrowd.PartCounts(reading)
                    for each in self._merged(found.filter("part >= 0"), _passes.StartCounts(reading), parts):
                        counts.merge(each)
                    number, _, self.parts, too_many = counts.facts()
                    if implied is None:
                        implied = question.implied(reading, counts)
                        if implied:
                            # Classes are narrowed by columns that follow from quasi-identifiers: they are counted, too.
                            continue
                if not too_many:
                    handed = found.filter("part < 0") if keeps else rows
                    return self._in_one(handed, keeps, number, question, reading, counts, population, tell, keep)
            asking.too_many(self.most)
            return self._in_blocks(rows, asking, values, implied, question, reading, counts, tell)

    @contextmanager
    def _kept(self, found: Any, keeps: bool) -> Any:
        """What a pass found, kept by the executors for as long as it is needed."""
        if not keeps:
            yield found
            return
        from pyspark import StorageLevel

        found = found.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            yield found
        finally:
            found.unpersist()

    def _in_one(
        self, rows: Any, kept: bool, number: int, question: Any, reading: bytes, counts: Any, population: Any, tell: Any,
        keep: bool,
    ) -> SparkResult:
        """Searches on the driver; rows are as the table has them, or as they were kept."""
        with self._timed("search"):
            solution = question.solve(reading, counts, population, tell, keep)
            self.earlier.check(solution)
        if not solution.has_release:
            return SparkResult(Finished(solution, solution.unsolved(), None), self.goes_to.name, None, self.seconds)
        with self.goes_to.private(), told():
            self._tell(tell, "recode")
            recoder = self._dealt(rows, kept, solution)
            schema = self._schema(recoder)
            with self._shared(recoder) as shared:
                if recoder.shuffles and self._groups_arrow():
                    released = self._in_parcels(rows, kept, shared, recoder, schema, number)
                else:
                    extras = self._with_extras(recoder, schema)
                    released = _passes.mapped(rows, _passes.Recode(shared, kept), extras)
                    released = self._in_rows(released, solution, schema, self.parts)
                return self._finished(released, solution, recoder, schema, tell)

    def _finished(self, released: Any, solution: Any, recoder: Any, schema: Any, tell: Any) -> SparkResult:
        """Writes released rows, verifies what was written and gives it its name."""
        # Units stand beside the rows for the verifier's eyes only: kept by the executors, never written.
        with self._kept(released, recoder.has_unit or self.earlier.stay) as beside:
            with self._timed("recode and write"):
                self.goes_to.write(self.earlier.written(beside.drop(_incrowd.UNIT_COLUMN), schema), schema)
            self._tell(tell, "verify")
            facts, page = self._verified(beside, solution, recoder, schema)
        solution.commit(self.goes_to.commit)
        read = lambda: self.goes_to.read(schema)  # noqa: E731
        return SparkResult(Finished(solution, facts, page), self.goes_to.name, read, self.seconds)

    def _in_blocks(
        self, rows: Any, asking: Search, values: Any, implied: list[str], question: Any, reading: bytes, counts: Any,
        tell: Any,
    ) -> SparkResult:
        """The same where the combinations are too many for the driver."""
        names, number = _incrowd.combination_columns(reading)
        columns = ", ".join([*(f"{name} string" for name in names), f"{number} bigint"])
        found = _passes.mapped(rows, _blocks.Combine(reading), columns)
        found = found.groupBy(*names).sum(number).toDF(*names, number)
        parts = partitions(found)
        with told(), self._kept(found, True) as combined:
            with self._timed("combinations"):
                margins = _incrowd.PartMargins(len(names))
                start = _blocks.StartMargins(len(names))
                for each in self._gathered(combined, _blocks.Margin(len(names)), start, parts):
                    margins.merge(each)
                schema = arrow_schema(self.df.schema)
                solution = question.outline(reading, counts, margins, tell)
            if not solution.has_release:
                return SparkResult(Finished(solution, solution.unsolved(), None), self.goes_to.name, None, self.seconds)
            self._tell(tell, "search")
            with self._timed("cut"):
                blocks = solution.blocks()
                open_ = True
                while open_:
                    counted = _incrowd.PartBlocks()
                    measure = _blocks.Measure(blocks.to_bytes())
                    for each in self._gathered(combined, measure, _blocks.start_blocks, parts):
                        counted.merge(each)
                    open_ = blocks.refine(counted, self.block)
            cut = blocks.to_bytes()
            solve = _blocks.Solve(
                schema.serialize().to_pybytes(), asking.base, _blocks.portable(asking.asked), implied,
                None if values is None else values.to_bytes(), reading, margins.to_bytes(), len(names),
                solution.order_key(),
            )
            placed = _passes.mapped(combined, _blocks.Assign(cut), f"{columns}, {_blocks.BLOCK} bigint")
            solved = placed.groupBy(_blocks.BLOCK).applyInArrow(
                _passes.function(solve), "block bigint, recoder binary, facts binary"
            )
            with self._kept(solved, True) as solved:
                with self._timed("search"):
                    for row in solved.select("facts").toLocalIterator():
                        solution.add_block(bytes(row["facts"]))
                return self._blocks_recoded(rows, reading, solution, solved, cut, len(blocks), tell)

    def _blocks_recoded(
        self, rows: Any, reading: bytes, solution: Any, solved: Any, cut: bytes, number: int, tell: Any
    ) -> SparkResult:
        """Brings rows to the recodings of their blocks, and to their place."""
        with self.goes_to.private(), told():
            self._tell(tell, "recode")
            recoder = solution.recoder()
            schema = self._schema(recoder)
            routed = _passes.mapped(rows, _blocks.Route(cut, reading), self._routed(rows.schema))
            together = routed.unionByName(self._as_rows(solved, rows.schema))
            sort = [_blocks.BLOCK, _blocks.RANK, _blocks.PART, _blocks.ROW]
            files = max(self.parts, 1)
            together = together.repartition(max(files, min(number, 4 * files)), _blocks.BLOCK)
            released = _passes.mapped(
                together.sortWithinPartitions(*sort),
                _blocks.RecodeBlocks(list(rows.columns)),
                self._with_extras(recoder, schema),
            )
            released = self._in_rows(released, solution, schema, files)
            return self._finished(released, solution, recoder, schema, tell)

    @staticmethod
    def _routed(schema: Any) -> Any:
        """The columns of rows on their way to the recoding of their block."""
        from pyspark.sql.types import BinaryType, IntegerType, LongType, StructField, StructType

        extra = [
            StructField(_blocks.BLOCK, LongType(), True),
            StructField(_blocks.RANK, IntegerType(), True),
            StructField(_blocks.PART, LongType(), True),
            StructField(_blocks.ROW, LongType(), True),
            StructField(_blocks.BYTES, BinaryType(), True),
        ]
        fields = [StructField(field.name, field.dataType, True) for field in schema.fields]
        return StructType([*fields, *extra])

    @staticmethod
    def _as_rows(solved: Any, schema: Any) -> Any:
        """Recodings of blocks as rows that come before those of the block."""
        from pyspark.sql import functions

        columns = [functions.lit(None).cast(field.dataType).alias(field.name) for field in schema.fields]
        nothing = functions.lit(0)
        extra = [
            solved["block"].alias(_blocks.BLOCK),
            nothing.cast("int").alias(_blocks.RANK),
            nothing.cast("bigint").alias(_blocks.PART),
            nothing.cast("bigint").alias(_blocks.ROW),
            solved["recoder"].alias(_blocks.BYTES),
        ]
        return solved.select(*columns, *extra)

    def _treated(self, asking: Search) -> Any:
        """The values of treated columns: how they are written must be known before they are read."""
        names = [name for name in asking.treated() if name in self.df.columns]
        if not names:
            return None
        rows = self.df.select([quoted(name) for name in names]).distinct()
        values = _incrowd.PartValues()
        for found in self._gathered(rows, _passes.Values(), _passes.start_values, partitions(rows)):
            values.merge(found)
        return values

    def _gathered(self, rows: Any, each: _passes.Pass, start: Callable[[], Any], parts: int) -> list[bytes]:
        """What a pass found, brought together."""
        return self._merged(_passes.mapped(rows, each, _passes.PARTS), start, parts)

    def _merged(self, found: Any, start: Callable[[], Any], parts: int) -> list[bytes]:
        """Results brought together by the executors as far as few enough come to the driver."""
        while parts > 2 * TOGETHER:
            parts = -(-parts // TOGETHER)
            found = _passes.mapped(found.repartition(parts, "part"), _passes.Merge(start), _passes.PARTS)
        return [bytes(row["bytes"]) for row in found.collect()]

    @contextmanager
    def _shared(self, recoder: Any) -> Any:
        try:
            broadcast = self.spark.sparkContext.broadcast
        except Exception:  # noqa: BLE001 - Spark Connect has no context
            broadcast = None
        shared = _passes.Shared(secrets.token_hex(8), recoder.to_bytes(), broadcast)
        try:
            yield shared
        finally:
            shared.close()

    def _dealt(self, rows: Any, kept: bool, solution: Any) -> Any:
        """The recoder; where rows are dealt out it is told how many of each kind every partition has."""
        recoder = solution.recoder()
        if not recoder.deals_rows:
            return recoder
        with self._timed("deal"), self._shared(recoder) as shared:
            found = _passes.mapped(rows, _passes.Tally(shared, kept), _passes.PARTS).collect()
            recoder.deal([(row["part"], bytes(row["bytes"])) for row in found])
        return recoder

    def _in_parcels(
        self, rows: Any, kept: bool, shared: _passes.Shared, recoder: Any, schema: Any, number: int
    ) -> Any:
        """Recoded rows in an order that says nothing: by keys of 64 random bits, drawn from a secret and the partition, rows go
        to places, and lie there. They travel as classes, in parcels; what classes show is put in at the end."""
        files = self.files or max(1, self.parts)
        places = files * max(PLACES if files > 1 else 1, -(-number // (files * ROWS_OF_PLACE)))
        parcels = _passes.mapped(rows, _passes.Pack(shared, kept, places), _passes.PARTS)
        with_unit = self._with_unit(recoder, schema)
        unpack = _passes.Unpack(shared, arrow_schema(with_unit).serialize().to_pybytes())
        # Files get whole places.
        together = parcels.repartition(files, "part").groupBy("part")
        return together.applyInArrow(_passes.function(unpack), with_unit)

    def _groups_arrow(self) -> bool:
        """Whether this Spark gives the rows of a group as Arrow, which it does from 4.0 on, and with the types that we know."""
        from pyspark.sql import GroupedData

        large = self.spark.conf.get("spark.sql.execution.arrow.useLargeVarTypes", "false")
        return hasattr(GroupedData, "applyInArrow") and str(large).lower() != "true"

    def _in_rows(self, released: Any, solution: Any, schema: Any, parts: int) -> Any:
        """Recoded rows in their order: one by one, where they cannot travel in parcels."""
        if solution.order == "shuffle":
            order = quoted(_incrowd.ORDER_COLUMN)
            files = self.files or max(1, parts)
            return released.repartition(files, order).sortWithinPartitions(order).drop(_incrowd.ORDER_COLUMN)
        if solution.order == "sort":
            return released.orderBy([quoted(field.name) for field in schema.fields])
        return released

    def _verified(self, beside: Any, solution: Any, recoder: Any, schema: Any) -> tuple[str, str | None]:
        """Has the written release read back and judged, with the units of the same rows where they count."""
        with self._timed("verify"):
            checking = solution.checking()
            written = self.goes_to.written(schema)
            released = self._checked(written, checking, True)
            found: tuple[str, str | None]
            if self.earlier.stay:
                found = solution.finish(self._checked(beside, checking, True), None, self.goes_to.name)
                self.earlier.check_written(solution, written, released)
            elif recoder.has_unit:
                found = solution.finish(self._checked(beside, checking, False), released, self.goes_to.name)
            else:
                found = solution.finish(released, None, self.goes_to.name)
            return found

    def _checked(self, written: Any, checking: bytes, without_unit: bool) -> Any:
        parts = partitions(written)
        start = _passes.StartCheck(checking, without_unit)
        merged = None
        for found in self._gathered(written, _passes.Check(checking, without_unit), start, parts):
            if merged is None:
                merged = start()
            merged.merge(found)
        return start() if merged is None else merged

    def _schema(self, recoder: Any) -> Any:
        """The columns of the release: labels are text, copies are as they were."""
        from pyspark.sql.types import StringType, StructField, StructType

        types = {field.name: field.dataType for field in self.df.schema.fields}
        fields = [
            StructField(name, StringType() if copied is None else types[copied], True)
            for name, copied in recoder.released()
        ]
        self._check_partitions([field.name for field in fields])
        return StructType(fields)

    def _check_partitions(self, names: list[str]) -> None:
        """Refuses to cut a release by columns that it does not have, or by all of them."""
        asked = self.goes_to.partition_by
        for name in asked:
            if name not in names:
                raise InputError(f"the release has no column {name!r} to be cut by", f"its columns are {', '.join(names)}")
        if asked and len(asked) >= len(names):
            raise InputError("the release is cut by all of its columns", "leave one out of partition_by")

    def _with_unit(self, recoder: Any, schema: Any) -> Any:
        from pyspark.sql.types import StringType, StructField, StructType

        unit = [StructField(_incrowd.UNIT_COLUMN, StringType(), True)] if recoder.has_unit else []
        return StructType([*schema.fields, *unit])

    def _with_extras(self, recoder: Any, schema: Any) -> Any:
        from pyspark.sql.types import LongType, StructField, StructType

        order = [StructField(_incrowd.ORDER_COLUMN, LongType(), True)] if recoder.shuffles else []
        return StructType([*self._with_unit(recoder, schema).fields, *order])

    @contextmanager
    def _timed(self, step: str) -> Any:
        since = time.monotonic()
        try:
            yield
        finally:
            self.seconds[step] = self.seconds.get(step, 0.0) + time.monotonic() - since

    @staticmethod
    def _tell(tell: Callable[[dict[str, Any]], None] | None, phase: str) -> None:
        if tell is not None:
            nothing = dict.fromkeys(("part", "rows", "done", "cost", "bound", "gap", "nodes"))
            tell({"phase": phase, **nothing})
