"""The keywords of functions, with their types: made from the table of options by the tests of incrowd-spec."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from .models import Model

#: One column, or several.
Columns = str | Sequence[str]
#: A file or a folder.
FilePath = str | os.PathLike[str]
#: A value of a column, as text or as what it stands for.
ColumnValue = str | float | datetime.date
#: A model beyond k: a number, its short notation, its keys, or one for each of several columns.
ModelOption = float | str | Model | Mapping[str, Any] | Sequence[Any]


class ReadingOptions(TypedDict, total=False):
    """How a table is read."""

    missing: ColumnValue | Sequence[ColumnValue]
    """Fields that mean "no value", beside NA, NULL, ? and the like."""

    missing_only: ColumnValue | Sequence[ColumnValue]
    """The only fields that mean "no value"."""

    table: str
    """The table of a database: people, schema.people or "Odd name"."""

    query: str
    """A query of a database in the place of a table: one SELECT."""

    where: str
    """Only its rows for which this SQL condition holds."""

    delimiter: str
    """The character between fields, or `tab`."""

    encoding: str
    """The encoding of text, such as windows-1252."""

    sheet: str
    """The sheet of a workbook, by name or number."""

    max_expansion: int
    """How many times its size a file may unpack to."""

    date_format: str | Mapping[str, str]
    """How dates are written: d/m/y, m/d/y, d.m.y h:m:s, d-mon-y, ..."""

    decimal: Literal[",", "."]
    """The decimal sign, `,` or `.`."""

    rename: Mapping[str, str]
    """Give a column another name in the release."""

    breaks: Mapping[str, ColumnValue | Sequence[ColumnValue]]
    """Put numbers between breaks: <0, [0-17], [18-64], 65+."""

    top: float | str | Mapping[str, float | str]
    """Release numbers from this one on as 90+."""

    bottom: Mapping[str, float | str]
    """Release numbers up to this one as <=18."""

    round: Mapping[str, float | str]
    """Round numbers to the nearest multiple."""

    keep_prefix: Mapping[str, int]
    """Keep so many characters of a code, such as 3 of a ZIP code."""

    age_at: Mapping[str, ColumnValue]
    """Release the age on a day in place of a birth date."""

    date_unit: Mapping[str, Literal["second", "minute", "hour", "day", "week", "month", "quarter", "year", "decade"]]
    """Release the hour, day, week, month, ..., decade of a date."""


class ColumnOptions(TypedDict, total=False):
    """What columns are."""

    identifying: Columns
    """Columns that name people: never released."""

    sensitive: Columns
    """Columns that nobody must learn about a person."""

    class_: str
    """The column that the release should predict well."""

    plain: Columns
    """Columns released unchanged on purpose."""

    roles: Literal["guess"]
    """guess: columns named by no option get the roles that their values suggest."""

    unit: str
    """The column that tells people apart who have several rows, or row."""

    survey_weight: str
    """The column of survey weights: recoded, and grown to the total."""

    calibrate: Columns
    """Quasi-identifiers whose categories keep their weighted totals."""

    other: Literal["drop", "guess", "plain", "error"]
    """Columns without a role: drop, guess, plain or error."""

    type: Mapping[str, Literal["number", "date", "text"]]
    """Read a column as number, date or text."""

    weight: Mapping[str, float]
    """How much a column counts in the cost."""

    bins: Mapping[str, float | str | Sequence[float] | Mapping[str, float]]
    """Put numbers into bins: width and start."""

    order: Mapping[str, str | Sequence[str]]
    """The order of text values."""

    hierarchy: Mapping[str, Any]
    """A hierarchy: a file, prefix, intervals:5,10, date:month, ..."""

    summary: Mapping[str, Literal["range", "mean", "median", "columns", "node", "nodes"]]
    """Release groups as range, mean, median, columns, node or nodes."""

    cut_at: Mapping[str, ColumnValue | Sequence[ColumnValue]]
    """Boundaries to keep, each named by the first value beyond it."""

    never_cut_at: Mapping[str, ColumnValue | Sequence[ColumnValue]]
    """Boundaries that must not be made."""

    min_level: Mapping[str, int]
    """The lowest hierarchy level to release a column at."""

    max_level: Mapping[str, int]
    """The highest hierarchy level to release a column at."""

    argus: Mapping[str, Literal["most", "more", "identifying"]]
    """For mu-argus, how well columns identify: most, more, identifying."""

    accept: Columns | Mapping[str, bool]
    """Columns released although they look as if they named people."""


class FinishingOptions(TypedDict, total=False):
    """Columns that are no quasi-identifiers, and rows that belong together."""

    linked: bool
    """Released columns may tell which rows are of one unit: k units share all theirs."""

    same_box: bool
    """All rows of a unit are in one class: knowing several tells no more than one."""

    treat: Mapping[str, str]
    """Replace values: pseudonym, last:4, initials, shift:365, fixed:TEXT, drop."""

    follows: Mapping[str, str]
    """Release a column as the values that belong to a quasi-identifier's groups."""

    narrowing: Columns | Mapping[str, bool]
    """Released columns that somebody may know: k must hold with them, too."""


class GoalOptions(TypedDict, total=False):
    """The cost, and the threads."""

    metric: Literal["dm", "cm", "ncp", "loss", "geometric-loss", "precision", "entropy", "average-class-size", "blanks"]
    """The cost: ncp, dm, cm, loss, entropy, precision, ..."""

    threads: int
    """How many threads to use."""


class RequirementOptions(TypedDict, total=False):
    """Models and risks beyond k."""

    l_diversity: ModelOption
    """L different values in each class: 3, entropy:3, recursive:2,3."""

    t_closeness: ModelOption
    """Classes distributed like the table: 0.2, ordered:0.2, ..."""

    alpha: ModelOption
    """No sensitive value above this share of a class."""

    beta_likeness: ModelOption
    """No sensitive value much likelier in a class than in the table."""

    delta_disclosure: ModelOption
    """No sensitive value much likelier or unlikelier in a class."""

    count_missing: bool
    """Let a missing sensitive value count towards l."""

    reference: Literal["original", "release", "both"]
    """Shares to compare with: original, release or both."""

    max_risk: float | str
    """The highest risk of anybody: 0.2 is k = 5."""

    max_average_risk: float | str
    """The highest average risk: classes divided by rows."""

    max_at_risk: str
    """The most rows above a risk: 5%@0.2."""

    population_weight: str
    """The population's column that says how many people a row is."""

    sampling_fraction: float | str
    """The same, estimated: the population's share in the table."""

    delta_presence: str
    """Which share of those who fit a class may be in the table: 0,0.5."""

    max_population_unique: float | str
    """The most rows that only one of the population fits."""

    known_columns: int
    """k for every so many columns, not for all together."""

    min_outside: int
    """How many people outside must fit each box, with 99% confidence."""

    max_bias: float | str
    """How far suppression may move the share of a category: 2%."""


class SearchOptions(TypedDict, total=False):
    """How one release is searched for."""

    kind: Literal["local", "global", "levels", "cells", "mixed"]
    """Kind of release: local (loses least), global, levels, cells or mixed."""

    effort: Literal["quick", "normal", "thorough"]
    """How hard to search: quick, normal or thorough."""

    gap: str
    """End when the cost is proven to be within this share of the least."""

    option: Mapping[str, str | float | bool]
    """An option of the method: see `incrowd methods NAME`."""

    wildcards: bool
    """Take a blank to match anything: weaker; for cells and mixed only."""

    max_suppressed: int | str
    """Most rows that may be suppressed: 100, 2% or all."""

    method: str
    """The method: `incrowd methods` lists them."""

    time_limit: float | str | datetime.timedelta
    """Stop searching after this long: 500ms, 60s, 5m, 1h."""

    seed: int
    """The seed of the search, for methods that make random choices."""

    prove: bool
    """Prove how little a local release can cost, whatever it takes."""


class WritingOptions(TypedDict, total=False):
    """How one release is written."""

    keep_order: bool
    """Keep the input's order of rows, which can help to recognize people."""

    sort: bool
    """Sort the released rows instead of shuffling them."""

    output_delimiter: str
    """The release's delimiter."""

    in_database: bool
    """Count, recode and check in the database: no row leaves it."""

    earlier: FilePath | Sequence[FilePath]
    """Earlier releases of the table, which must not lay bare who came since."""

    replace: bool
    """Replace the table of the release, if it is there."""

    grant: str | Sequence[str]
    """Roles that may read the table that is made."""

    csv_safe: bool
    """Mark texts that a spreadsheet would take for formulas."""

    byte_order_mark: bool
    """Begin text files with a byte order mark, by which Excel knows UTF-8."""

    ranges: Literal["tight", "rounded", "fixed"]
    """Ends of ranges: tight, rounded, or fixed to bins and breaks."""

    labels: Literal["tight", "safe"]
    """Where labels come from: tight, fitted to the values of each class, or safe, from lists made before."""

    label_chance: float | str
    """The chance, by a secret draw, that a safe label is one level coarser than needed."""

    suppressed: Literal["drop", "blank"]
    """Suppressed rows: drop them, or blank."""

    failing: Literal["suppress", "write"]
    """What mu-argus leaves failing: suppress, write."""

    certificate: FilePath
    """The proof of the bound, for another program to check. As confidential as the data."""

    certified: bool
    """Check the certificate before the release is written, and claim only what is confirmed."""

    key_file: FilePath
    """The key of pseudonyms and shifted dates; made if it is not there."""

    seed_file: FilePath
    """The key that rows are shuffled by; made if it is not there."""

    audience: Literal["public", "agreement", "internal"]
    """Who gets it."""

    knowledge: Literal["member", "sample"]
    """What they can know."""

    harm: Literal["low", "medium", "high"]
    """How bad it would be for a person to be found."""
