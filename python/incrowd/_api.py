"""The functions: the commands of the command line, for data frames and files."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar, cast

from . import _incrowd
from ._errors import InputError
from ._frames import taken
from ._keywords import merge_models
from ._progress import listener, logger
from ._results import (
    AttackResult,
    Comparison,
    Evaluation,
    FrontierResult,
    Inspection,
    Recoding,
    Result,
    RiskResult,
    Verdict,
)
from .spec import Spec

__all__ = [
    "anonymize",
    "apply",
    "attack",
    "check_hierarchy",
    "classification",
    "compare",
    "demo",
    "evaluate",
    "form",
    "frontier",
    "goal",
    "hierarchy",
    "init",
    "inspect",
    "methods",
    "nearest_structure",
    "queries",
    "record",
    "risk",
    "structure",
    "verify",
]

Names = str | Sequence[str]
OnInterrupt = Literal["raise", "return"]
T = TypeVar("T")

#: Keywords that name columns.
_NAMING = ("quasi", "identifying", "sensitive", "plain", "class_")


def watched(progress: Any, call: Callable[[Any], T]) -> T:
    """Calls something that tells of its progress."""
    tell, close = listener(progress)
    try:
        return call(tell)
    finally:
        close()


def _named(options: Mapping[str, Any], spec: Spec | None) -> list[str]:
    """All columns that a call gives a role or a treatment."""
    names: list[str] = []
    for keyword in _NAMING:
        given = options.get(keyword)
        if given is not None:
            names.extend([given] if isinstance(given, str) else map(str, given))
    for value in options.values():
        if isinstance(value, Mapping):
            names.extend(map(str, value))
    if spec is not None:
        for role in ("quasi", "identifying", "sensitive", "class", "plain"):
            names.extend(spec.facts[role])
    return names


def _options(options: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Options as the library takes them; unknown ones are refused at once."""
    options = {name: value for name, value in {**more, **options}.items() if value is not None}
    options = merge_models(options)
    known = _incrowd.keywords()
    for name in options:
        if name.rstrip("_") not in known:
            near = difflib.get_close_matches(name, known, 1)
            help = f"did you mean `{near[0]}`?" if near else "incrowd.options() lists them"
            raise TypeError(f"there is no option `{name}`: {help}")
    return options


def _spec(spec: Spec | str | os.PathLike[str] | None) -> Spec | None:
    if spec is None or isinstance(spec, Spec):
        return spec
    return Spec.load(spec)


def _text_list(values: Any) -> list[str]:
    if values is None:
        return []
    return [values] if isinstance(values, str) else [str(value) for value in values]




def anonymize(
    data: Any = None,
    *,
    k: int | None = None,
    quasi: Names | None = None,
    identifying: Names | None = None,
    sensitive: Names | None = None,
    plain: Names | None = None,
    class_: str | None = None,
    spec: Spec | str | os.PathLike[str] | None = None,
    models: Any = None,
    hierarchy: Mapping[str, Any] | None = None,
    method: str | None = None,
    kind: str | None = None,
    effort: str | None = None,
    metric: str | None = None,
    max_suppressed: int | str | None = None,
    time_limit: float | str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    population: Any = None,
    k_map: Any = None,
    output: str | os.PathLike[str] | None = None,
    recoding: str | os.PathLike[str] | None = None,
    report: str | os.PathLike[str] | None = None,
    internal_report: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[dict[str, Any]], None] | None = None,
    on_interrupt: OnInterrupt = "raise",
    **options: Any,
) -> Result:
    """Anonymizes a table: hides everybody in a crowd of at least ``k``, losing as little as possible.

    ``data`` is a data frame (pandas, polars, pyarrow, DuckDB, whatever speaks Arrow) or the path of a file (CSV,
    Parquet, Excel, SPSS, Stata, SAS transport). The release comes back as the same kind of frame in
    ``result.table``, shuffled, and only after an independent verifier has found every requirement met.

    ``quasi`` are columns that others may know too, ``identifying`` name people and are never released, ``sensitive``
    must not be learned about a person and are protected by ``models`` such as ``LDiversity(3)``, ``plain`` are
    released unchanged on purpose. Columns that nobody names are released too, unless they single people out: then
    :class:`RefusedColumns` says what to pass.

    Every option of the command line is a keyword here, in snake case; those about a column take a dict from columns to
    values: ``bins={"age": 5}``, ``weight={"age": 2}``, ``round={"income": 1000}``. :func:`incrowd.options` lists all.
    ``hierarchy`` maps columns to files, rules (``"prefix"``, ``{"intervals": [5, 10]}``), dicts (``{"Oslo": "north"}``,
    ``{"north": ["Oslo"]}``), rows or frames.

    ``k_map`` is the population that the table is a part of, a frame or a file with the same quasi-identifiers: ``k`` then
    counts its people who fit a class instead of rows. ``max_average_risk=0.05``, ``max_at_risk="5%@0.2"`` and
    ``known_columns=3`` ask for other risks.

    ``progress`` is ``True`` for a bar (tqdm) or a function that hears of phase, cost, bound and gap. Ctrl-C ends the
    call; with ``on_interrupt="return"`` it ends the search, and what was found by then is released.

    >>> import pyarrow
    >>> people = pyarrow.table({"age": [21, 22, 23, 24, 61, 62], "ill": ["a", "b", "a", "b", "a", "b"]})
    >>> result = anonymize(people, k=2, quasi=["age"], plain=["ill"])
    >>> result.k >= 2, result.table.num_rows, bool(result.verdict)
    (True, 6, True)
    """
    base = _spec(spec)
    data = _table(data, base, "anonymize")
    asked = _options(
        options,
        k=k,
        quasi=quasi,
        identifying=identifying,
        sensitive=sensitive,
        plain=plain,
        class_=class_,
        models=models,
        hierarchy=hierarchy,
        method=method,
        kind=kind,
        effort=effort,
        metric=metric,
        max_suppressed=max_suppressed,
        time_limit=time_limit,
        seed=seed,
        threads=threads,
    )
    population = _k_map(asked, k_map, population)
    _enough(base, asked, on_interrupt)
    frame = taken(data, _named(asked, base))
    people = None if population is None else taken(population, what="the population").data
    run = watched(progress, lambda tell: _incrowd.anonymize(
        frame.data, _text(base), asked, people, tell, on_interrupt == "return"
    ))
    result = Result(run, frame)
    _log(result, run.notes)
    if output is not None and result:
        result.write(output, str(asked.get("output_delimiter", ",")))
    if recoding is not None and result:
        result.recoding.save(recoding)
    if report is not None:
        result.report(report)
    if internal_report is not None:
        result.internal_report(internal_report)
    return result


def _enough(base: Spec | None, asked: dict[str, Any], on_interrupt: str) -> None:
    """Refuses a call that does not say what every call must."""
    if base is None and "quasi" not in asked:
        raise InputError(
            "no column is a quasi-identifier",
            "name the columns that could be matched with other data: quasi=[\"age\", \"sex\", \"zip\"]",
        )
    # A highest risk says k in other words.
    if base is None and not {"k", "max_risk"} & asked.keys():
        raise InputError("how many rows must look alike is not said", "give k, such as k=5")
    if on_interrupt not in ("raise", "return"):
        raise InputError(f"unknown choice on_interrupt={on_interrupt!r}", "known: 'raise', 'return'")


def _k_map(asked: dict[str, Any], k_map: Any, population: Any) -> Any:
    """The population; one that is given as ``k_map`` is what k counts."""
    if k_map is None or k_map is False:
        return population
    asked["k_map"] = True
    if k_map is True:
        return population
    if population is not None:
        raise InputError("two populations are given", "leave out population, or write k_map=True")
    return k_map


def _text(spec: Spec | None) -> str | None:
    """A spec as text, its paths as seen from here, its outputs left to the call."""
    if spec is None:
        return None
    if spec.path is None:
        return str(spec)
    return str(_incrowd.spec_from_folder(str(spec), os.fspath(spec.path)))


def _log(result: Result, notes: Iterable[str]) -> None:
    for warning in result.facts["warnings"]:
        logger.warning("%s", warning["message"])
    for note in [*notes, *result.facts["notes"]]:
        logger.info("%s", note)


def apply(recoding: Recoding | str | os.PathLike[str], data: Any, **options: Any) -> Result:
    """Applies a saved recoding to new rows, and has the result verified again.

    ``recoding`` is a :class:`Recoding` or its file. See :meth:`Recoding.apply` for the options.
    """
    if not isinstance(recoding, Recoding):
        recoding = Recoding.load(recoding)
    return recoding.apply(data, **options)


def verify(
    data: Any,
    k: int | None = None,
    quasi: Names | None = None,
    *,
    original: Any = None,
    unchecked: Names | None = None,
    record: str | os.PathLike[str] | None = None,
    population: Any = None,
    k_map: Any = None,
    spec: Spec | str | os.PathLike[str] | None = None,
    in_database: bool = False,
    **options: Any,
) -> Verdict:
    """Has a release judged by the independent verifier; true if every requirement is met.

    With ``original`` it is also checked that every value is truthful and no row invented. Takes the options of
    ``anonymize`` about columns and models: ``sensitive``, ``identifying``, ``l_diversity``, ``hierarchy`` and so on.
    With ``in_database`` a table of a database is counted there, and only combinations of values leave it.

    >>> import pyarrow
    >>> table = pyarrow.table({"age": ["[30-39]", "[30-39]", "*"]})
    >>> bool(verify(table, k=2, quasi=["age"]))
    False
    """
    base = _spec(spec)
    asked = _options(options, k=k, quasi=quasi)
    named = _named(asked, base)
    frame = taken(data, named, "the release")
    before = None if original is None else taken(original, named, "the original").data
    population = _k_map(asked, k_map, population)
    people = None if population is None else taken(population, what="the population").data
    told, words = _incrowd.verify(frame.data, _text(base), asked, before, _text_list(unchecked), record, people,
                                 in_database)
    return Verdict(json.loads(told), words)


def inspect(data: Any, *, in_database: bool = False, **options: Any) -> Inspection:
    """Looks at a table: columns, types, missing values, who stands out, likely roles.

    With ``in_database`` a table of a database is counted there; columns that tell rows apart stay and are named in
    ``notes``.

    >>> import pyarrow
    >>> found = inspect(pyarrow.table({"name": ["Ann", "Bob", "Cid"], "sex": ["F", "M", "M"]}))
    >>> found.rows, sorted(sum(found.roles.values(), []))
    (3, ['name', 'sex'])
    """
    asked = _options(options, k=1)
    told, notes = _incrowd.inspect(taken(data, _named(asked, None)).data, asked, in_database)
    return Inspection({**json.loads(told), "notes": notes})


def init(data: Any, *, input: str | os.PathLike[str] | None = None, **options: Any) -> Spec:
    """A first spec for a table: every column with a role and the reason for it, every option as a comment.

    Look at the roles before you run it.
    """
    asked = _options(options, k=1)
    frame = taken(data, _named(asked, None))
    name = os.fspath(input) if input is not None else frame.data if isinstance(frame.data, str) else "table"
    text, _ = _incrowd.draft(frame.data, name, asked)
    return Spec(text)


def risk(
    data: Any,
    quasi: Names,
    *,
    population: Any = None,
    sampling_fraction: float | None = None,
    population_size: int | None = None,
    weight_column: str | None = None,
    threshold: float = 0.2,
    size: int = 3,
    in_database: bool = False,
    report: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[dict[str, Any]], None] | None = None,
    on_interrupt: OnInterrupt = "raise",
    **options: Any,
) -> RiskResult:
    """Who could be found in a table or a release by its quasi-identifiers, and what gives them away.

    With ``in_database`` a table of a database is counted there, and only combinations of values leave it.
    """
    if not 0 < threshold <= 1:
        raise InputError(f"the threshold {threshold} is not a chance", "give one above 0 and at most 1, such as 0.2")
    if sampling_fraction is not None and not 0 < sampling_fraction <= 1:
        raise InputError(
            f"the sampling fraction {sampling_fraction} is not possible",
            "it is the share of the population that is in the table: above 0 and at most 1",
        )
    asked = _options(options, k=1, quasi=quasi)
    named = _named(asked, None)
    frame = taken(data, named)
    people = None if population is None else taken(population, named, "the population").data
    told, page, _ = watched(progress, lambda tell: _incrowd.risk(
        frame.data,
        asked,
        threshold,
        size,
        people,
        sampling_fraction,
        population_size,
        weight_column,
        in_database,
        tell,
        on_interrupt == "return",
    ))
    found = RiskResult(json.loads(told), page)
    if report is not None:
        found.report(report)
    return found


def attack(
    release: Any,
    original: Any,
    *,
    control: Any = None,
    known: Names | None = None,
    secret: Names | None = None,
    attempts: int = 1_000,
    confidence: float = 0.99,
    seed: int = 1,
    report: str | os.PathLike[str] | None = None,
    **options: Any,
) -> AttackResult:
    """Tries to find people in a release of any tool: singling out, linkability, inference.

    ``control`` are people who did not go into the release; without them the release is rebuilt without each person's own row.
    """
    asked = _options(options, k=1)
    named = _named(asked, None)
    frames = [taken(release, named, "the release"), taken(original, named, "the original")]
    others = None if control is None else taken(control, named, "the control group").data
    told, page = _incrowd.attack(
        frames[0].data, frames[1].data, asked, _listed(known), _listed(secret), attempts, confidence, seed, others
    )
    found = AttackResult(json.loads(told), page)
    if report is not None:
        found.report(report)
    return found


def _listed(names: Names | None) -> list[str]:
    if names is None:
        return []
    return [names] if isinstance(names, str) else list(names)


def goal(audience: str, knowledge: str, harm: str) -> dict[str, Any]:
    """Which k and which models suit a purpose, with reasons, and what guidance says.

    ``audience`` is public, agreement or internal; ``knowledge`` is member or sample; ``harm`` is low, medium or high.
    """
    return cast("dict[str, Any]", json.loads(_incrowd.goal(audience, knowledge, harm)))


def form(
    kind: str,
    release: str | os.PathLike[str],
    spec: str | os.PathLike[str],
    *,
    original: str | os.PathLike[str] | None = None,
    attest: Mapping[str, str] | None = None,
) -> Any:
    """What approvers file about a release: ``safe-harbor`` and ``croissant`` as dictionaries, ``clinical`` and ``iso27559`` as Markdown."""
    told = _incrowd.form(kind, release, spec, original, list((attest or {}).items()))
    return json.loads(told) if kind in ("safe-harbor", "croissant") else told


def record(
    release: str | os.PathLike[str],
    spec: str | os.PathLike[str],
    into: str | os.PathLike[str],
    *,
    original: str | os.PathLike[str] | None = None,
    approved_by: str | None = None,
    remark: str | None = None,
) -> dict[str, Any]:
    """Puts a release on record, a line tied to the one before by its hash."""
    return cast("dict[str, Any]", json.loads(_incrowd.record(release, spec, into, original, approved_by, remark)))


def evaluate(
    release: Any,
    original: Any,
    quasi: Names,
    *,
    k: int | None = None,
    blank_suppressed: bool = False,
    all: bool = True,
    report: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Evaluation:
    """Measures how useful a release is: every metric, and with ``all`` random questions and decision trees, too.

    Give the same options about columns (``hierarchy``, ``bins``, ``weight``) as when the release was made.
    """
    asked = _options(options, k=1, quasi=quasi)
    named = _named(asked, None)
    told, page = _incrowd.evaluate(
        taken(release, named, "the release").data,
        taken(original, named, "the original").data,
        asked,
        k,
        blank_suppressed,
        all,
    )
    found = Evaluation(json.loads(told), page)
    if report is not None:
        found.report(report)
    return found


def queries(
    release: Any,
    original: Any,
    quasi: Names,
    *,
    queries: int = 1000,
    dimensions: int = 2,
    selectivity: float = 0.05,
    columns: Names | None = None,
    seed: int = 1,
    **options: Any,
) -> Evaluation:
    """How far counts taken from a release are from the true ones."""
    if not 0 < selectivity <= 1:
        raise InputError(f"{selectivity} is not a share", "give a selectivity above 0 and at most 1, such as 0.05")
    asked = _options(options, k=1, quasi=quasi)
    named = _named(asked, None)
    told = _incrowd.queries(
        taken(release, named, "the release").data,
        taken(original, named, "the original").data,
        asked,
        queries,
        dimensions,
        selectivity,
        _text_list(columns),
        seed,
    )
    return Evaluation(json.loads(told))


def classification(
    release: Any,
    quasi: Names,
    class_: str,
    *,
    original: Any = None,
    test: Any = None,
    folds: int = 10,
    seed: int = 1,
    least_leaf: int = 5,
    depth: int = 30,
    **options: Any,
) -> Evaluation:
    """How well a decision tree predicts a column from a release; ``test`` are rows kept out of it."""
    if folds < 2:
        raise InputError(f"{folds} folds are too few", "give at least 2")
    asked = _options(options, k=1, quasi=quasi)
    named = [*_named(asked, None), class_]
    told = _incrowd.classification(
        taken(release, named, "the release").data,
        asked,
        class_,
        folds,
        seed,
        least_leaf,
        depth,
        None if original is None else taken(original, named, "the original").data,
        None if test is None else taken(test, named, "the test rows").data,
    )
    return Evaluation(json.loads(told))


def compare(
    data: Any = None,
    *,
    k: int | Sequence[int] | None = None,
    methods: Names | None = None,
    quasi: Names | None = None,
    spec: Spec | str | os.PathLike[str] | None = None,
    time_limit: float | str | None = None,
    cache: str | os.PathLike[str] | None = None,
    no_cache: bool = False,
    report: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[dict[str, Any]], None] | None = None,
    on_interrupt: OnInterrupt = "return",
    **options: Any,
) -> Comparison:
    """Many methods, many k: what each release costs. Every release is made and verified; none comes out."""
    base = _spec(spec)
    data = _table(data, base, "compare")
    asked = _options(options, quasi=quasi, **({"k": 1} if base is None else {}))
    frame = taken(data, _named(asked, base))
    if isinstance(time_limit, (int, float)):
        time_limit = f"{time_limit}s"
    told, page, chart, csv, notes, interrupted = watched(progress, lambda tell: _incrowd.compare(
        frame.data,
        _text(base),
        asked,
        _whole(k),
        _text_list(methods),
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


def _table(data: Any, base: Spec | None, function: str) -> Any:
    """The table that was given, or the one that the spec names."""
    if data is not None:
        return data
    if base is None:
        raise TypeError(f"{function}() needs a table: a data frame, a path, or a spec that names one")
    return base.input


def _whole(values: int | Sequence[int] | None) -> list[int]:
    if values is None:
        return []
    return [int(value) for value in ([values] if isinstance(values, int) else values)]


def frontier(
    data: Any = None,
    *,
    k: int | Sequence[int],
    max_suppressed: Any = "all",
    kinds: Names = "global",
    quasi: Names | None = None,
    spec: Spec | str | os.PathLike[str] | None = None,
    progress: bool | Callable[[dict[str, Any]], None] | None = None,
    on_interrupt: OnInterrupt = "return",
    **options: Any,
) -> FrontierResult:
    """The least cost for a list of k and of limits on suppressed rows, proven, in one go; for several ``kinds`` of release
    (``["local", "global", "levels"]``) side by side."""
    base = _spec(spec)
    data = _table(data, base, "frontier")
    ks = _whole(k)
    if not ks or min(ks) < 1:
        raise InputError("k must be whole numbers of at least 1", "for example k=[5, 10, 20]")
    limits = _text_list(max_suppressed if isinstance(max_suppressed, (str, list, tuple)) else [max_suppressed])
    asked = _options(options, k=max(ks), quasi=quasi, method="optimal")
    frame = taken(data, _named(asked, base))
    told, notes, interrupted = watched(progress, lambda tell: _incrowd.frontier(
        frame.data, _text(base), asked, ks, limits, _text_list(kinds), tell, on_interrupt == "return"
    ))
    return FrontierResult(json.loads(told), notes, interrupted)


def hierarchy(data: Any, column: str, rule: Any, **options: Any) -> list[list[str]]:
    """The hierarchy of a column's values by a rule: a row for each value, the value first, then its groups.

    >>> import pyarrow
    >>> hierarchy(pyarrow.table({"zip": ["53711", "53706"]}), "zip", "prefix:3")
    [['53706', '537**', '*'], ['53711', '537**', '*']]
    """
    asked = _options(options, k=1, quasi=[column], hierarchy={column: rule})
    return list(_incrowd.build_hierarchy(taken(data, [column]).data, column, asked))


def check_hierarchy(
    path: str | os.PathLike[str], data: Any = None, column: str | None = None, **options: Any
) -> list[str]:
    """What is wrong with a hierarchy in a file, a sentence each; nothing if it is sound.

    With ``data`` and ``column`` also which values of the column it does not cover.
    """
    if data is None or column is None:
        return list(_incrowd.check_hierarchy(os.fspath(path))[0])
    asked = _options(options, k=1, quasi=[column])
    return list(_incrowd.check_hierarchy(os.fspath(path), taken(data, [column]).data, column, asked)[0])


def structure(
    k: int,
    domains: Iterable[int],
    *,
    rows: int | None = None,
    repeats: int = 1,
    blanks: int | None = None,
    limit: int = 1_000_000,
    time_limit: float | None = None,
) -> dict[str, Any]:
    """Looks for a balanced structure: rows over columns of so many values each, in which every row has k - 1 others that look
    alike once its blanks are taken out.

    >>> structure(2, [2, 2, 2])["outcome"]
    'found'
    """
    found = _incrowd.structure(k, list(domains), rows, repeats, blanks, limit, time_limit)
    return dict(json.loads(found))


def nearest_structure(data: Any, k: int, columns: Names | None = None, limit: int = 1_000_000) -> dict[str, Any]:
    """Maps a small table, or some of its columns, to the balanced structure with the fewest blanks."""
    named = [] if columns is None else [columns] if isinstance(columns, str) else list(columns)
    return dict(json.loads(_incrowd.nearest_structure(taken(data, named).data, named, k, limit)))


def methods(name: str | None = None) -> Any:
    """The methods there are, or one of them with its options.

    >>> [m["name"] for m in methods()][0]
    'auto'
    """
    return json.loads(_incrowd.methods(name))


def demo(rows: int = 1000, seed: int = 1, wide: bool = False) -> Any:
    """Made-up people, to try things on: as a pandas frame, else a polars one."""
    import csv
    import io

    from ._frames import to_frame

    lines = list(csv.reader(io.StringIO(_incrowd.demo_people(rows, seed, wide))))
    columns: dict[str, list[Any]] = {}
    for at, name in enumerate(lines[0]):
        values = [line[at] for line in lines[1:]]
        whole = all(value.lstrip("-").isdigit() for value in values)
        columns[name] = [int(value) for value in values] if whole else values
    return to_frame(columns)


def options(command: str = "anonymize") -> dict[str, str]:
    """The options of a command of the command line, as keywords, and what they do.

    >>> "max_suppressed" in options()
    True
    """
    found = {_keyword(option): help for of, option, _, help in _incrowd.command_options() if of == command}
    if not found:
        raise InputError(f"there is no command {command!r}")
    return found


def _keyword(option: str) -> str:
    name = option.replace("-", "_")
    return "class_" if name == "class" else name
