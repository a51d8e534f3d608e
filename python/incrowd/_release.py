"""The functions that make, repeat, check and compare releases."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _incrowd
from ._asked import (
    OnInterrupt,
    asked_of,
    check_enough,
    named,
    population_of,
    read_by,
    spec_of,
    spec_text,
    table_of,
    texts,
    whole,
    with_orders,
)
from ._connections import as_relation, target_of
from ._errors import InputError
from ._findings import Comparison, FrontierResult
from ._frames import taken, taken_if_any
from ._notices import log
from ._options import Columns, FilePath
from ._progress import Progress, logger, watched
from ._results import FrameT, Recoding, Result, Verdict
from .spec import Spec

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._signatures import (
        AnonymizeOptions,
        ApplyOptions,
        CompareOptions,
        FrontierOptions,
        Kind,
        Models,
        VerifyOptions,
    )


def anonymize(
    data: FrameT | FilePath | None = None,
    *,
    k: int | None = None,
    quasi: Columns | None = None,
    spec: Spec | FilePath | None = None,
    models: Models | None = None,
    population: Any = None,
    k_map: Any = None,
    into: str | None = None,
    output: FilePath | None = None,
    recoding: FilePath | None = None,
    report: FilePath | None = None,
    internal_report: FilePath | None = None,
    progress: Progress = None,
    on_interrupt: OnInterrupt = "raise",
    **options: Unpack[AnonymizeOptions],
) -> Result[FrameT]:
    """Anonymizes a table: hides everybody in a crowd of at least ``k``, losing as little as possible.

    ``data`` is a data frame (pandas, polars, pyarrow, DuckDB, whatever speaks Arrow) or the path of a file (CSV,
    Parquet, Excel, SPSS, Stata, SAS transport). The release comes back as the same kind of frame in
    ``result.table``, shuffled, and only after an independent verifier has found every requirement met.

    A database is given by its address (``"postgres://.."``) or by a connection (ADBC, DuckDB, the Python Database API), with
    ``table`` or ``query``; ``into`` is the table there that the release goes into.

    ``quasi`` are columns that others may know too, ``identifying`` name people and are never released, ``sensitive``
    must not be learned about a person and are protected by ``models`` such as ``LDiversity(3)``, ``plain`` are
    released unchanged on purpose. Columns that nobody names are left out: ``result.left_out`` lists them, and a
    :class:`ColumnsLeftOutWarning` says so. ``roles="guess"`` gives them the roles that their values suggest and leaves out
    what is doubtful. What would give people away is refused: :class:`RefusedColumns` says what to pass.

    Every option of the command line is a keyword here, in snake case; those about a column take a dict from columns to
    values: ``bins={"age": 5}``, ``weight={"age": 2}``, ``round={"income": 1000}``. :func:`incrowd.options` lists all.
    ``hierarchy`` maps columns to files, rules (``"prefix"``, ``{"intervals": [5, 10]}``), dicts (``{"Oslo": "north"}``,
    ``{"north": ["Oslo"]}``), rows or frames.

    ``k_map`` is the population that the table is a part of, a frame or a file with the same quasi-identifiers: ``k`` then
    counts its people who fit a class instead of rows. ``max_average_risk=0.05``, ``max_at_risk="5%@0.2"`` and
    ``known_columns=3`` ask for other risks; ``max_bias="2%"`` limits how far suppression moves shares of categories.

    ``progress`` is ``True`` for a bar (tqdm) or a function that hears of phase, cost, bound and gap. Ctrl-C ends the
    call; with ``on_interrupt="return"`` it ends the search, and what was found by then is released.

    >>> import pyarrow
    >>> people = pyarrow.table({"age": [21, 22, 23, 24, 61, 62], "ill": ["a", "b", "a", "b", "a", "b"]})
    >>> result = anonymize(people, k=2, quasi=["age"], plain=["ill"])
    >>> result.k >= 2, result.table.num_rows, bool(result.verdict)
    (True, 6, True)
    """
    base = spec_of(spec)
    table = table_of(data, base, "anonymize")
    asked = asked_of(options, k=k, quasi=quasi, models=models, into=into)
    population = population_of(asked, k_map, population)
    check_enough(base, asked, on_interrupt)
    table = as_relation(table, asked)
    target = target_of(table, asked)
    frame = taken(table, named(asked, base), read=read_by(asked, base))
    asked = with_orders(asked, base, frame.orders)
    people = taken_if_any(population, what="the population")
    run = watched(progress, lambda tell: _incrowd.anonymize(
        frame.data, spec_text(base), asked, people, tell, on_interrupt == "return"
    ))
    result: Result[FrameT] = Result(run, frame)
    if target is not None and result:
        target.place(run, frame, result.facts)
    log(result.facts, run.notes, frame.left_out)
    if output is not None and result:
        result.write(output, str(asked.get("output_delimiter", ",")))
    if recoding is not None and result:
        result.recoding.save(recoding)
    if report is not None:
        result.report(report)
    if internal_report is not None:
        result.internal_report(internal_report)
    return result


def apply(
    recoding: Recoding | FilePath, data: FrameT | FilePath, **options: Unpack[ApplyOptions]
) -> Result[FrameT]:
    """Applies a saved recoding to new rows, and has the result verified again.

    ``recoding`` is a :class:`Recoding` or its file. See :meth:`Recoding.apply` for the options.
    """
    if not isinstance(recoding, Recoding):
        recoding = Recoding.load(recoding)
    return recoding.apply(data, **options)


def verify(
    data: Any,
    k: int | None = None,
    quasi: Columns | None = None,
    *,
    original: Any = None,
    unchecked: Columns | None = None,
    record: FilePath | None = None,
    population: Any = None,
    k_map: Any = None,
    spec: Spec | FilePath | None = None,
    in_database: bool = False,
    known: Columns | None = None,
    links: str | None = None,
    **options: Unpack[VerifyOptions],
) -> Verdict:
    """Has a release judged by the independent verifier; true if every requirement is met.

    With ``original`` it is also checked that every value is truthful and no row invented. Takes the options of
    ``anonymize`` about columns and models: ``sensitive``, ``identifying``, ``l_diversity``, ``hierarchy`` and so on.
    With ``in_database`` a table of a database is counted there, and only combinations of values leave it. ``known`` are
    columns that others may know beside the quasi-identifiers; by the column ``links`` they can see which rows belong together.

    >>> import pyarrow
    >>> table = pyarrow.table({"age": ["[30-39]", "[30-39]", "*"]})
    >>> bool(verify(table, k=2, quasi=["age"]))
    False
    """
    base = spec_of(spec)
    asked = asked_of(options, k=k, quasi=quasi)
    data = as_relation(data, asked)
    names = named(asked, base)
    frame = taken(data, names, "the release")
    before = taken_if_any(original, names, "the original")
    population = population_of(asked, k_map, population)
    people = taken_if_any(population, what="the population")
    told, words = _incrowd.verify(frame.data, spec_text(base), asked, before, texts(unchecked), record, people,
                                 in_database, texts(known), links)
    return Verdict(json.loads(told), words)


def compare(
    data: Any = None,
    *,
    k: int | Sequence[int] | None = None,
    methods: str | Sequence[str] | None = None,
    quasi: Columns | None = None,
    spec: Spec | FilePath | None = None,
    time_limit: float | str | None = None,
    cache: FilePath | None = None,
    no_cache: bool = False,
    report: FilePath | None = None,
    progress: Progress = None,
    on_interrupt: OnInterrupt = "return",
    **options: Unpack[CompareOptions],
) -> Comparison:
    """Many methods, many k: what each release costs. Every release is made and verified; none comes out."""
    base = spec_of(spec)
    data = table_of(data, base, "compare")
    asked = asked_of(options, quasi=quasi, **({"k": 1} if base is None else {}))
    data = as_relation(data, asked)
    frame = taken(data, named(asked, base))
    if isinstance(time_limit, (int, float)):
        time_limit = f"{time_limit}s"
    told, page, chart, csv, notes, interrupted = watched(progress, lambda tell: _incrowd.compare(
        frame.data,
        spec_text(base),
        asked,
        whole(k),
        texts(methods),
        time_limit,
        cache,
        no_cache,
        tell,
        on_interrupt == "return",
    ))
    for note in notes:
        logger.info("%s", note)
    found = Comparison(json.loads(told), page, chart, csv, interrupted)
    if report is not None:
        found.report(report)
    return found


def frontier(
    data: Any = None,
    *,
    k: int | Sequence[int],
    max_suppressed: int | str | Sequence[int | str] = "all",
    kinds: Kind | Sequence[Kind] = "global",
    quasi: Columns | None = None,
    spec: Spec | FilePath | None = None,
    progress: Progress = None,
    on_interrupt: OnInterrupt = "return",
    **options: Unpack[FrontierOptions],
) -> FrontierResult:
    """The least cost for a list of k and of limits on suppressed rows, proven, in one go; for several ``kinds`` of release
    (``["local", "global", "levels"]``) side by side."""
    base = spec_of(spec)
    data = table_of(data, base, "frontier")
    ks = whole(k)
    if not ks or min(ks) < 1:
        raise InputError("k must be whole numbers of at least 1", "for example k=[5, 10, 20]")
    limits = texts(max_suppressed if isinstance(max_suppressed, (str, list, tuple)) else [max_suppressed])
    asked = asked_of(options, k=max(ks), quasi=quasi, method="optimal")
    data = as_relation(data, asked)
    frame = taken(data, named(asked, base))
    told, notes, interrupted = watched(progress, lambda tell: _incrowd.frontier(
        frame.data, spec_text(base), asked, ks, limits, texts(kinds), tell, on_interrupt == "return"
    ))
    return FrontierResult(json.loads(told), notes, interrupted)
