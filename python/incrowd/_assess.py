"""The functions that look at a table or a release: what it holds, who could be found in it, what it is still good for."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from . import _incrowd
from ._asked import OnInterrupt, asked_of, named, texts
from ._connections import as_relation
from ._errors import InputError
from ._findings import (
    AttackResult,
    CheckedCertificate,
    ClassificationEvaluation,
    Evaluation,
    Inspection,
    LearningEvaluation,
    QueryEvaluation,
    RiskResult,
)
from ._frames import taken, taken_if_any
from ._learning import areas
from ._options import Columns, FilePath
from ._progress import Progress, watched
from .spec import Spec

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._signatures import InspectOptions, MeasureOptions, QuestionOptions, RiskOptions


def inspect(data: Any, *, in_database: bool = False, **options: Unpack[InspectOptions]) -> Inspection:
    """Looks at a table: columns, types, missing values, who stands out, likely roles.

    With ``in_database`` a table of a database is counted there; columns that tell rows apart stay and are named in
    ``notes``.

    >>> import pyarrow
    >>> found = inspect(pyarrow.table({"name": ["Ann", "Bob", "Cid"], "sex": ["F", "M", "M"]}))
    >>> found.rows, sorted(sum(found.roles.values(), []))
    (3, ['name', 'sex'])
    """
    asked = asked_of(options, k=1)
    data = as_relation(data, asked)
    told, notes = _incrowd.inspect(taken(data, named(asked, None)).data, asked, in_database)
    return Inspection({**json.loads(told), "notes": notes})


def init(data: Any, *, input: FilePath | None = None, **options: Unpack[InspectOptions]) -> Spec:
    """A first spec for a table: every column with a role and the reason for it, every option as a comment.

    Look at the roles before you run it.
    """
    asked = asked_of(options, k=1)
    data = as_relation(data, asked)
    frame = taken(data, named(asked, None))
    name = os.fspath(input) if input is not None else frame.data if isinstance(frame.data, str) else "table"
    text, _ = _incrowd.draft(frame.data, name, asked)
    return Spec(text)


def risk(
    data: Any,
    quasi: Columns,
    *,
    population: Any = None,
    sampling_fraction: float | None = None,
    population_size: int | None = None,
    weight_column: str | None = None,
    control: Any = None,
    threshold: float = 0.2,
    size: int = 3,
    in_database: bool = False,
    report: FilePath | None = None,
    progress: Progress = None,
    on_interrupt: OnInterrupt = "raise",
    **options: Unpack[RiskOptions],
) -> RiskResult:
    """Who could be found in a table or a release by its quasi-identifiers, and what gives them away.

    ``labels`` of the result says what the labels of a release tell beyond the values that they contain, and ``outside`` how
    many people of ``control``, who did not go into it, fit each of its boxes.

    With ``in_database`` a table of a database is counted there, and only combinations of values leave it.
    """
    check_risk(threshold, sampling_fraction)
    asked = asked_of(options, k=1, quasi=quasi)
    data = as_relation(data, asked)
    names = named(asked, None)
    frame = taken(data, names)
    people = taken_if_any(population, names, "the population")
    others = taken_if_any(control, names, "the control group")
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
        others,
    ))
    found = RiskResult(json.loads(told), page)
    if report is not None:
        found.report(report)
    return found


def check_risk(threshold: float, sampling_fraction: float | None) -> None:
    """Refuses probabilities and shares that are none."""
    if not 0 < threshold <= 1:
        raise InputError(f"the threshold {threshold} is not a probability", "give one above 0 and at most 1, such as 0.2")
    if sampling_fraction is not None and not 0 < sampling_fraction <= 1:
        raise InputError(
            f"the sampling fraction {sampling_fraction} is not possible",
            "it is the share of the population that is in the table: above 0 and at most 1",
        )


def attack(
    release: Any,
    original: Any,
    *,
    control: Any = None,
    known: Columns | None = None,
    secret: Columns | None = None,
    attempts: int = 1_000,
    confidence: float = 0.99,
    seed: int = 1,
    report: FilePath | None = None,
    **options: Unpack[MeasureOptions],
) -> AttackResult:
    """Tries to find people in a release of any tool: singling out, linkability, inference.

    ``control`` are people who did not go into the release; without them the release is rebuilt without each person's own row.
    """
    asked = asked_of(options, k=1)
    names = named(asked, None)
    frames = [taken(release, names, "the release"), taken(original, names, "the original")]
    others = taken_if_any(control, names, "the control group")
    told, page = _incrowd.attack(
        frames[0].data, frames[1].data, asked, texts(known), texts(secret), attempts, confidence, seed, others
    )
    found = AttackResult(json.loads(told), page)
    if report is not None:
        found.report(report)
    return found


def check(table: FilePath, certificate: FilePath, release: FilePath | None = None) -> CheckedCertificate:
    """Checks the certificate of a bound against its table, by code that the search does not share.

    ``anonymize(.., method="optimal", metric="dm", certificate=..)`` writes one. The table and the release are CSV files. With
    ``certified=True`` the run checks it itself, and claims only what is confirmed.
    """
    told, text = _incrowd.check(table, certificate, release)
    return CheckedCertificate(json.loads(told), text)


def evaluate(
    release: Any,
    original: Any,
    quasi: Columns,
    *,
    k: int | None = None,
    blank_suppressed: bool = False,
    all: bool = True,
    outcomes: Columns | None = None,
    subgroups: Columns | None = None,
    same_order: bool = False,
    report: FilePath | None = None,
    **options: Unpack[QuestionOptions],
) -> Evaluation:
    """Measures how useful a release is: every metric, and with ``all`` random questions, decision trees and statistics, too.

    Give the same options about columns (``hierarchy``, ``bins``, ``weight``) as when the release was made.
    """
    asked = asked_of(options, k=1, quasi=quasi)
    compared = (texts(outcomes), texts(subgroups), same_order)
    return _evaluated(release, original, asked, k, blank_suppressed, all, all, compared, report)


def statistics(
    release: Any,
    original: Any,
    quasi: Columns,
    *,
    k: int | None = None,
    blank_suppressed: bool = False,
    outcomes: Columns | None = None,
    subgroups: Columns | None = None,
    same_order: bool = False,
    report: FilePath | None = None,
    **options: Unpack[QuestionOptions],
) -> Evaluation:
    """What analysts find in a release, beside what they find in its original: the fact ``statistics`` of an evaluation.

    ``outcomes`` are what regressions predict, ``subgroups`` columns by whose values the loss is told; ``same_order`` says that
    the rows of both tables are the same, one by one.
    """
    asked = asked_of(options, k=1, quasi=quasi)
    compared = (texts(outcomes), texts(subgroups), same_order)
    return _evaluated(release, original, asked, k, blank_suppressed, False, True, compared, report)


def _evaluated(
    release: Any,
    original: Any,
    asked: dict[str, Any],
    k: int | None,
    blank_suppressed: bool,
    all: bool,
    statistics: bool,
    compared: tuple[list[str], list[str], bool],
    report: FilePath | None,
) -> Evaluation:
    names = named(asked, None)
    told, page = _incrowd.evaluate(
        taken(release, names, "the release").data,
        taken(original, names, "the original").data,
        asked,
        k,
        blank_suppressed,
        all,
        statistics,
        *compared,
    )
    found = Evaluation(json.loads(told), page)
    if report is not None:
        found.report(report)
    return found


def learning(
    release: Any,
    original: Any,
    test: Any,
    quasi: Columns,
    class_: str,
    *,
    seed: int = 1,
    trees: int = 100,
    **options: Unpack[MeasureOptions],
) -> LearningEvaluation:
    """How well models that learned from a release rank rows that are in neither table: the area under the ROC curve.

    Logistic regression and a random forest of scikit-learn, which must be installed, learn from the release and from the
    original. ``test`` are rows that were kept out of both.
    """
    asked = asked_of(options, k=1, quasi=quasi, class_=class_)
    names = named(asked, None)
    columns, tables = _incrowd.learning(
        taken(release, names, "the release").data,
        taken(original, names, "the original").data,
        taken(test, names, "the test rows").data,
        asked,
    )
    return LearningEvaluation(areas(columns, tables, seed, trees))


def queries(
    release: Any,
    original: Any,
    quasi: Columns,
    *,
    queries: int = 1000,
    dimensions: int = 2,
    selectivity: float = 0.05,
    columns: Columns | None = None,
    seed: int = 1,
    **options: Unpack[MeasureOptions],
) -> QueryEvaluation:
    """How far counts taken from a release are from the true ones."""
    if not 0 < selectivity <= 1:
        raise InputError(f"{selectivity} is not a share", "give a selectivity above 0 and at most 1, such as 0.05")
    asked = asked_of(options, k=1, quasi=quasi)
    names = named(asked, None)
    told = _incrowd.queries(
        taken(release, names, "the release").data,
        taken(original, names, "the original").data,
        asked,
        queries,
        dimensions,
        selectivity,
        texts(columns),
        seed,
    )
    return QueryEvaluation(json.loads(told))


def classification(
    release: Any,
    quasi: Columns,
    class_: str,
    *,
    original: Any = None,
    test: Any = None,
    folds: int = 10,
    seed: int = 1,
    least_leaf: int = 5,
    depth: int = 30,
    **options: Unpack[MeasureOptions],
) -> ClassificationEvaluation:
    """How well a decision tree predicts a column from a release; ``test`` are rows kept out of it."""
    if folds < 2:
        raise InputError(f"{folds} folds are too few", "give at least 2")
    asked = asked_of(options, k=1, quasi=quasi)
    names = [*named(asked, None), class_]
    told = _incrowd.classification(
        taken(release, names, "the release").data,
        asked,
        class_,
        folds,
        seed,
        least_leaf,
        depth,
        taken_if_any(original, names, "the original"),
        taken_if_any(test, names, "the test rows"),
    )
    return ClassificationEvaluation(json.loads(told))


def goal(
    audience: Literal["public", "agreement", "internal"],
    knowledge: Literal["member", "sample"],
    harm: Literal["low", "medium", "high"],
) -> dict[str, Any]:
    """Which k and which models suit a purpose, with reasons, and what guidance says.

    ``audience`` is public, agreement or internal; ``knowledge`` is member or sample; ``harm`` is low, medium or high.
    """
    return cast("dict[str, Any]", json.loads(_incrowd.goal(audience, knowledge, harm)))


def form(
    kind: Literal["safe-harbor", "croissant", "clinical", "iso27559", "expert-determination", "motivated-intruder"],
    release: FilePath,
    spec: FilePath,
    *,
    original: FilePath | None = None,
    attest: Mapping[str, str] | None = None,
) -> Any:
    """What approvers file about a release: ``safe-harbor`` and ``croissant`` as dictionaries, the others as Markdown.

    ``clinical``, ``expert-determination`` and ``motivated-intruder`` hold the results of attacks where the original is given.
    """
    told = _incrowd.form(kind, release, spec, original, list((attest or {}).items()))
    return json.loads(told) if kind in ("safe-harbor", "croissant") else told


def record(
    release: FilePath,
    spec: FilePath,
    into: FilePath,
    *,
    original: FilePath | None = None,
    approved_by: str | None = None,
    remark: str | None = None,
) -> dict[str, Any]:
    """Puts a release on record, a line tied to the one before by its hash."""
    return cast("dict[str, Any]", json.loads(_incrowd.record(release, spec, into, original, approved_by, remark)))
