"""Which keywords a function takes beside those that it spells out: the groups of ``_options``, put together.

Only type checkers read this. What a call gives is held to the list of the library, ``_incrowd.keywords()``, which is longer:
a function ignores some keywords that it does not need.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from ._asked import OnInterrupt
from ._options import (
    ColumnOptions,
    Columns,
    FilePath,
    FinishingOptions,
    GoalOptions,
    ReadingOptions,
    RequirementOptions,
    SearchOptions,
    WritingOptions,
)
from ._progress import Progress
from .models import Model
from .spec import Spec

#: One model, or several.
Models = Model | Sequence[Model]
#: What happens to rows with values that a recoding does not know.
Unseen = Literal["refuse", "suppress"]
#: What happens to suppressed rows.
Suppressed = Literal["drop", "blank"]
#: What a release is like.
Kind = Literal["local", "global", "levels", "cells", "mixed"]


class ModelsOption(TypedDict, total=False):
    """Models as objects."""

    models: Models


class ThreadsOption(TypedDict, total=False):
    """The threads alone, where nothing is searched."""

    threads: int


class AnonymizeOptions(
    ReadingOptions,
    ColumnOptions,
    FinishingOptions,
    GoalOptions,
    RequirementOptions,
    SearchOptions,
    WritingOptions,
    total=False,
):
    """Every option of one release."""


class SpecOptions(AnonymizeOptions, ModelsOption, total=False):
    """Everything that a spec can say."""

    k: int
    quasi: Columns
    population: FilePath
    k_map: bool | FilePath
    into: str
    output: FilePath
    recoding: FilePath
    report: FilePath
    internal_report: FilePath


class RunOptions(AnonymizeOptions, ModelsOption, total=False):
    """What ``anonymize`` takes beside the table and the spec."""

    k: int
    quasi: Columns
    population: Any
    k_map: Any
    into: str
    output: FilePath
    recoding: FilePath
    report: FilePath
    internal_report: FilePath
    progress: Progress
    on_interrupt: OnInterrupt


class VerifyOptions(
    ReadingOptions, ColumnOptions, FinishingOptions, RequirementOptions, ModelsOption, ThreadsOption, total=False
):
    """What a release is held to, and how it is read."""

    wildcards: bool


class AssertOptions(VerifyOptions, total=False):
    """What ``verify`` takes beside the table, k and the quasi-identifiers."""

    original: Any
    unchecked: Columns
    record: FilePath
    population: Any
    k_map: Any
    spec: Spec | FilePath
    in_database: bool
    known: Columns
    links: str


class QuestionOptions(ReadingOptions, ColumnOptions, GoalOptions, RequirementOptions, ModelsOption, total=False):
    """What a release must be like, whatever makes it."""

    k_map: bool | FilePath


class CompareOptions(QuestionOptions, total=False):
    """A question that several methods answer."""

    max_suppressed: int | str


class FrontierOptions(QuestionOptions, total=False):
    """A question for several k, and how it is searched."""

    method: str
    option: Mapping[str, str | float | bool]
    gap: str
    time_limit: float | str | datetime.timedelta
    prove: bool


class MeasureOptions(ReadingOptions, ThreadsOption, total=False):
    """How tables are read, and what released groups contain."""

    hierarchy: Mapping[str, Any]


class InspectOptions(ReadingOptions, ThreadsOption, total=False):
    """How a table is read."""


class RiskOptions(ReadingOptions, ThreadsOption, total=False):
    """How a table is read, who has several rows in it, and what released groups contain."""

    unit: str
    hierarchy: Mapping[str, Any]


class ApplyOptions(ThreadsOption, total=False):
    """What ``Recoding.apply`` takes beside the rows."""

    unseen: Unseen
    suppressed: Suppressed
    earlier: FilePath | Sequence[FilePath]
    seed_file: FilePath
    progress: Progress
    table: str
    query: str
    where: str
    into: str
    replace: bool
    append: bool
    grant: str | Sequence[str]
    in_database: bool
