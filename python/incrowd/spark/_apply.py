"""A saved recoding applied to rows that lie on a cluster, be it as a release of their own or beside those of an earlier one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _incrowd
from .._errors import InputError, NotVerified
from .._notices import log
from .._options import Columns, FilePath
from .._progress import Progress, watched
from .._results import Recoding
from . import _blocks, _passes
from ._frame import frame_of, hashed, partitions, quoted, sums_of
from ._passes import Batches
from ._result import SparkResult
from ._run import BLOCK, MOST_COMBINATIONS, Earlier, Run, Search, target_of
from ._target import Target

if TYPE_CHECKING:
    from .._signatures import Suppressed, Unseen

#: The place of rows that are written beside those of an earlier release.
PLACE = "__incrowd_place"


def apply(
    recoding: Recoding | FilePath,
    df: Any,
    *,
    into: FilePath,
    unseen: Unseen = "refuse",
    suppressed: Suppressed = "drop",
    earlier: FilePath | Sequence[FilePath] = (),
    append: bool = False,
    format: str = "parquet",
    writing: Mapping[str, str] | None = None,
    overwrite: bool = False,
    partition_by: Columns | None = None,
    files: int | None = None,
    most_combinations: int | None = None,
    read_once: bool = True,
    seed_file: FilePath | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> SparkResult:
    """Applies a saved recoding to the rows of a Spark data frame, and has the release verified before it gets its name.

    Takes the options of :func:`incrowd.apply`, and those of :func:`incrowd.spark.anonymize` about where the release goes. Rows
    are counted, recoded and verified by the executors. Classes that are too small are suppressed; where most rows are left out
    a :class:`incrowd.RowsLeftOutWarning` says so.

    With ``append=True`` the rows are added to the release of this name, which this recoding has made. Old and new rows are
    counted, judged and written together: a class may be large enough by both. The facts of the result are those of all rows.
    Where groups of the recoding overlap and an old row would not stay as it is, the new rows must be a release by themselves;
    then old and new ones are judged together as they are written, and the facts are those of the new rows. It is refused if
    somebody else has replaced the release meanwhile.
    """
    if not isinstance(recoding, Recoding):
        recoding = Recoding.load(recoding)
    if files is not None and files < 1:
        raise InputError(f"there cannot be {files} files", "give a number from 1 on, or leave it out")
    if most_combinations is not None and most_combinations < 1:
        raise InputError("there must be room for a combination", "give a number from 1 on, or leave it out")
    if append and suppressed != "drop":
        raise InputError("rows that are added cannot stay as blank ones", 'leave out suppressed, or give suppressed="drop"')
    df = frame_of(df)
    goes_to = target_of(df, os.fspath(into), format, dict(writing or {}), overwrite, append, partition_by)
    paths = [earlier] if isinstance(earlier, (str, os.PathLike)) else earlier
    question = _Application(recoding._text, unseen, suppressed, [os.fspath(path) for path in paths], seed_file, threads)
    rows_of = _incrowd.PartReleased(recoding._text) if append else None

    def run(tell: Any) -> SparkResult:
        def with_rows(earlier: Earlier | None) -> SparkResult:
            steps = Run(df, goes_to, files, most_combinations or MOST_COMBINATIONS, BLOCK, read_once, earlier)
            return steps.run(question, None, tell, False)

        if rows_of is None:
            return with_rows(None)
        try:
            return with_rows(_Restored(goes_to, rows_of))
        except _Overlap:
            return with_rows(_AsTheyAre(goes_to, files))

    result = watched(progress, run)
    log(result.facts)
    return result


class _Application(Search):
    """A saved recoding in the place of a search."""

    def __init__(
        self, text: str, unseen: str, suppressed: str, earlier: list[str], seed_file: FilePath | None, threads: int | None
    ) -> None:
        super().__init__(None, {})
        self.how = (text, unseen, suppressed, earlier, seed_file, threads)

    def treated(self) -> list[str]:
        # How values are treated was saved with the recoding.
        return []

    def put(self, schema: Any, values: Any) -> Any:
        return _incrowd.Question.applying(schema, *self.how)

    def too_many(self, most: int) -> None:
        raise InputError(
            f"there are more than {most:,} combinations of the quasi-identifiers",
            "give most_combinations=, if the driver has the memory: some hundred bytes for each",
        )


class _Overlap(Exception):
    """Rows of the earlier release would not stay as they are."""


class _Restored(Earlier):
    """The rows of the release that others are added to, counted and recoded again with these."""

    def __init__(self, goes_to: Target, rows_of: Any) -> None:
        self.rows_of = rows_of
        self.release = goes_to.earlier()
        missing = [name for name in self.rows_of.columns() if name not in self.release.columns]
        if missing:
            raise InputError(
                f"{goes_to.name} has no column {missing[0]!r}, which this recoding releases",
                "add rows only to a release that this recoding has made",
            )

    def joined(self, rows: Any) -> Any:
        from pyspark.sql import functions
        from pyspark.sql.types import StringType, StructField, StructType

        labels, names = self.rows_of.columns(), self.rows_of.names()
        there = {field.name: field.dataType for field in self.release.schema.fields}
        beside = [name for name in rows.columns if name in there and name not in labels]
        restored = StructType(
            [StructField(name, StringType(), True) for name in names]
            + [StructField(name, there[name], True) for name in beside]
        )
        old = self.release.select([quoted(name) for name in [*labels, *beside]])
        old = _passes.mapped(old, Restore(self.rows_of.to_bytes()), restored)

        def column(field: Any) -> Any:
            if field.name in names:
                value = old[quoted(field.name)]
                # A value that is missing is an empty text here.
                value = value if isinstance(field.dataType, StringType) else functions.nullif(value, functions.lit(""))
            elif field.name in beside:
                value = old[quoted(field.name)]
            else:
                value = functions.lit(None)
            return value.cast(field.dataType).alias(field.name)

        return rows.unionAll(old.select([column(field) for field in rows.schema.fields]))

    def check(self, solution: Any) -> None:
        labels = self.rows_of.columns()
        if not all([solution.keeps(self.rows_of, batch) for batch in combinations(self.release, labels, None)]):
            raise _Overlap


class _AsTheyAre(Earlier):
    """The rows of the release that others are added to, which are a release by themselves."""

    stay = True

    def __init__(self, goes_to: Target, files: int | None) -> None:
        self.goes_to = goes_to
        self.files = files
        # Their labels are those of the recoding: that was found out before.
        self.release = goes_to.earlier()
        self._written: Any = None

    def written(self, rows: Any, schema: Any) -> Any:
        from pyspark.sql import functions

        there = {field.name: field.dataType for field in self.release.schema.fields}
        if there.keys() != {field.name for field in schema.fields}:
            raise InputError(
                f"{self.goes_to.name} has not the columns of the new rows", "add rows of the table that it was made of"
            )
        names = [quoted(field.name) for field in schema.fields]
        both = self.goes_to.read(schema).select(names).unionAll(rows.select(names))
        # What is written says neither which rows are new nor where they were: their order is that of hashes of what they show.
        place = functions.xxhash64(*hashed(both))
        parts = self.files or max(1, partitions(both))
        self._written = both
        return both.withColumn(PLACE, place).repartition(parts, PLACE).sortWithinPartitions(PLACE).drop(PLACE)

    def check_written(self, solution: Any, written: Any, found: Any) -> None:
        if sums_of(written) != sums_of(self._written):
            raise NotVerified(
                "the release failed verification: rows were lost, changed or added while it was written",
                "nothing was released; try again, and check whether another program writes to the same place",
            )
        solution.holds_with(found)


class Restore:
    """Rows of a release as rows of a table: with a value in the place of each label."""

    def __init__(self, rows_of: bytes) -> None:
        self.rows_of = rows_of

    def __call__(self, batches: Batches) -> Batches:
        import pyarrow

        rows_of = _incrowd.PartReleased.from_bytes(self.rows_of)
        for batch in batches:
            yield from pyarrow.table(rows_of.restored(batch)).to_batches()


def combinations(df: Any, names: list[str], most: int | None) -> list[Any]:
    """The combinations of some columns and how many rows have each, as batches here: at most so many of them."""
    reading = _incrowd.columns_reading(names)
    values, number = _incrowd.combination_columns(reading)
    columns = ", ".join([*(f"{name} string" for name in values), f"{number} bigint"])
    found = _passes.mapped(df.select([quoted(name) for name in names]), _blocks.Combine(reading), columns)
    found = found.groupBy(*values).sum(number).toDF(*values, number).persist()
    try:
        if most is not None and (counted := found.count()) > most:
            raise InputError(
                f"there are {counted:,} combinations of {', '.join(names)}, and at most {most:,} come to the driver",
                "give most_combinations=, if the driver has the memory, or fewer columns: df.select(...)",
            )
        return list(_arrow(found).to_batches())
    finally:
        found.unpersist()


def _arrow(df: Any) -> Any:
    if hasattr(df, "toArrow"):
        return df.toArrow()
    import pyarrow

    return pyarrow.Table.from_pandas(df.toPandas(), preserve_index=False)
