"""Tables on a cluster that are looked at by counts of combinations. Only these come to the driver, and of columns that tell rows
apart how many values they have; the functions are then those for frames."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .. import _incrowd
from .._asked import OnInterrupt, asked_of, population_of, spec_of, spec_text, texts
from .._assess import check_risk
from .._errors import InputError
from .._findings import Inspection, RiskResult
from .._frames import taken_if_any
from .._options import Columns, FilePath
from .._progress import Progress, watched
from .._results import Verdict
from ..spec import Spec
from . import _passes
from ._apply import combinations
from ._frame import frame_of, quoted, told
from ._passes import Batches
from ._run import MOST_COMBINATIONS

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._signatures import InspectOptions, RiskOptions, VerifyOptions


def verify(
    df: Any,
    k: int | None = None,
    quasi: Columns | None = None,
    *,
    unchecked: Columns | None = None,
    population: Any = None,
    k_map: Any = None,
    spec: Spec | FilePath | None = None,
    known: Columns | None = None,
    links: str | None = None,
    most_combinations: int | None = None,
    **options: Unpack[VerifyOptions],
) -> Verdict:
    """Has a release judged by the independent verifier: a Spark data frame, or the table of this name.

    Takes the options of :func:`incrowd.verify`, and gives the same verdict. Executors count the combinations of the columns
    that matter; at most ``most_combinations`` of them (two million) come to the driver. A comparison with the original needs
    rows: :func:`incrowd.spark.anonymize` and :func:`incrowd.spark.apply` make it for what they write.
    """
    base = spec_of(spec)
    asked = asked_of(options, k=k, quasi=quasi)
    df = frame_of(df)
    population = population_of(asked, k_map, population)
    people = taken_if_any(population, what="the population")
    text, left, beside = spec_text(base), texts(unchecked), texts(known)
    table = _incrowd.CountedTable.to_verify(list(df.columns), text, asked, left, beside, links)
    _count(df, table, _incrowd.missing_tokens(text, asked), most_combinations)
    found, words = _incrowd.verify(table, text, asked, None, left, None, people, False, beside, links)
    return Verdict(json.loads(found), words)


def risk(
    df: Any,
    quasi: Columns,
    *,
    population: Any = None,
    sampling_fraction: float | None = None,
    population_size: int | None = None,
    weight_column: str | None = None,
    threshold: float = 0.2,
    size: int = 3,
    report: FilePath | None = None,
    most_combinations: int | None = None,
    progress: Progress = None,
    on_interrupt: OnInterrupt = "raise",
    **options: Unpack[RiskOptions],
) -> RiskResult:
    """Who could be found in a Spark data frame, or the table of this name, by its quasi-identifiers.

    Takes the options of :func:`incrowd.risk`, and gives the same result. Executors count the combinations of
    quasi-identifiers; at most ``most_combinations`` of them (two million) come to the driver.
    """
    check_risk(threshold, sampling_fraction)
    asked = asked_of(options, k=1, quasi=quasi)
    df = frame_of(df)
    people = taken_if_any(population, what="the population")
    table = _incrowd.CountedTable.to_assess(list(df.columns), asked, weight_column)
    _count(df, table, _incrowd.missing_tokens(None, asked), most_combinations)
    found, page, _ = watched(progress, lambda tell: _incrowd.risk(
        table, asked, threshold, size, people, sampling_fraction, population_size, weight_column, False, tell,
        on_interrupt == "return",
    ))
    result = RiskResult(json.loads(found), page)
    if report is not None:
        result.report(report)
    return result


def inspect(df: Any, *, most_combinations: int | None = None, **options: Unpack[InspectOptions]) -> Inspection:
    """Looks at a Spark data frame, or the table of this name: columns, types, missing values, who stands out, likely roles.

    Columns that tell rows apart stay where they are and are named in ``notes``. The combinations of the others come to the
    driver, at most ``most_combinations`` (two million).
    """
    asked = asked_of(options, k=1)
    df = frame_of(df)
    table = _incrowd.CountedTable.to_inspect(list(df.columns), asked)
    _count(df, table, _incrowd.missing_tokens(None, asked), most_combinations)
    found, notes = _incrowd.inspect(table, asked, False)
    return Inspection({**json.loads(found), "notes": notes})


def _count(df: Any, table: Any, missing: list[str], most: int | None) -> None:
    """Counts what a table is asked for."""
    if most is not None and most < 1:
        raise InputError("there must be room for a combination", "give a number from 1 on, or leave it out")
    with told():
        names = table.tallied()
        for name, *facts in _tallied(df, names, missing) if names else []:
            table.tell(name, *facts)
        names = table.counted()
        for batch in combinations(df, names, most or MOST_COMBINATIONS) if names else []:
            table.add(batch)


def _tallied(df: Any, names: list[str], missing: list[str]) -> list[tuple[Any, ...]]:
    """How many values columns have, by hashes of them, which stay with the executors."""
    from pyspark.sql import functions as of

    rows = df.select([quoted(name) for name in names])
    found = _passes.mapped(rows, Tally(names, missing), "at int, hash bigint, rows bigint, code boolean, number bigint")
    values = found.groupBy("at", "hash").agg(
        of.sum("rows").alias("rows"), of.max("code").alias("code"), of.max("number").alias("number")
    )
    columns = values.groupBy("at").agg(
        of.sum("rows").alias("present"),
        of.count("*").alias("different"),
        of.sum(of.col("code").cast("bigint")).alias("codes"),
        of.count("number").alias("numbers"),
        of.min("number").alias("least"),
        of.max("number").alias("greatest"),
    )
    told_of = {row["at"]: row for row in columns.collect()}

    def facts(at: int) -> tuple[Any, ...]:
        row = told_of.get(at)
        if row is None:
            return 0, 0, 0, None
        whole = row["numbers"] == row["different"]
        return row["present"], row["different"], row["codes"], (row["least"], row["greatest"]) if whole else None

    return [(name, *facts(at)) for at, name in enumerate(names)]


class Tally:
    """Counts the values of each column of a partition."""

    def __init__(self, names: list[str], missing: list[str]) -> None:
        self.names = names
        self.missing = missing

    def __call__(self, batches: Batches) -> Batches:
        import pyarrow

        found = _incrowd.PartTally(self.names, self.missing)
        for batch in batches:
            if (full := found.add(batch)) is not None:
                yield from pyarrow.table(full).to_batches()
        yield from pyarrow.table(found.take()).to_batches(max_chunksize=50_000)
