"""What is found of tables and releases: who stands out, what was lost, which method costs what."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from typing import Any, Literal

from . import _incrowd
from ._facts import SVG, Facts, Paged
from ._frames import to_frame

__all__ = [
    "AttackResult",
    "ClassificationEvaluation",
    "Comparison",
    "Evaluation",
    "FrontierResult",
    "Inspection",
    "LearningEvaluation",
    "QueryEvaluation",
    "RiskResult",
]


class Inspection(Facts):
    """What is in a table: columns, types, missing values, who stands out, likely roles."""

    rows: int
    """Rows of the table."""
    columns: list[dict[str, Any]]
    """What each column is like."""
    combinations: dict[str, Any]
    """What the likely quasi-identifiers do together."""
    risk: dict[str, Any] | None
    """The risk from all likely quasi-identifiers together, if there are any."""
    tells: list[dict[str, Any]]
    """Which columns tell the value of a likely quasi-identifier, most first."""
    notes: list[str]
    """What to know of how the table was looked at."""

    @property
    def roles(self) -> dict[str, list[str]]:
        """The likely roles, as keywords to look at and to pass on."""
        found: dict[str, list[str]] = {}
        for column in self.columns:
            found.setdefault(column["role"], []).append(column["name"])
        return found

    @property
    def table(self) -> Any:
        """The columns as a data frame."""
        columns = self.columns
        return to_frame(
            {
                "column": [c["name"] for c in columns],
                "kind": [str(c["kind"]) for c in columns],
                "missing": [c["missing"] for c in columns],
                "distinct": [_deep(c, "distinct") for c in columns],
                "min": [c["min"] for c in columns],
                "max": [c["max"] for c in columns],
                "role": [c["role"] for c in columns],
                "reason": [c["reason"] for c in columns],
            }
        )

    def __repr__(self) -> str:
        columns = self.columns
        width = max((len(c["name"]) for c in columns), default=0)
        lines = [f"{self.rows:,} rows, {len(columns)} columns"]
        lines += [f"  {c['name']:<{width}}  {c['role']:<12} {c['reason']}" for c in columns]
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        table = self.table
        return table._repr_html_() if hasattr(table, "_repr_html_") else f"<pre>{html.escape(repr(self))}</pre>"


def _deep(column: dict[str, Any], name: str) -> Any:
    """A fact of a column, or of how unique it is."""
    if name in column:
        return column[name]
    return (column.get("uniqueness") or {}).get(name)


class _Assessment(Paged):
    """Facts about risks, with a page."""

    def __init__(self, facts: dict[str, Any], page: str) -> None:
        super().__init__(facts)
        self._page = page

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {', '.join(f'{name}={value!r}' for name, value in self._short().items())}>"

    def _short(self) -> dict[str, Any]:
        return {k: v for k, v in self.facts.items() if isinstance(v, (int, float, str)) and not isinstance(v, bool)}


class RiskResult(_Assessment):
    """Who could be found in a table, and what gives them away."""

    _unless_told = {"labels": type(None), "outside": type(None)}

    labels: dict[str, Any] | None
    """What the labels of a release tell beyond the values that they contain; none where nothing is generalized."""
    outside: dict[str, Any] | None
    """How people of the control group fit the boxes of the release; none without a control group."""
    table: str
    """What the table is called."""
    quasi: list[str]
    """The columns that it was looked at by."""
    rows: int
    """Rows of the table."""
    classes: int
    """Groups of rows that look alike."""
    smallest_class: int
    """Rows of the smallest class."""
    unique_rows: int
    """Rows that look like no other."""
    unique_share: float
    """The same as a share of all rows."""
    prosecutor: dict[str, Any]
    """The risk from somebody who knows that a person is in the table."""
    journalist: dict[str, Any] | None
    """The risk from somebody who knows that a person is in the population; none if nothing is known of it."""
    marketer: dict[str, float | None]
    """The risk from somebody who tries everybody."""
    class_sizes: list[dict[str, int]]
    """Classes by size."""
    weights: dict[str, Any] | None
    """The weights of the rows, if they have any."""
    population: dict[str, Any] | None
    """The population itself, if it was given."""
    population_uniqueness: dict[str, Any] | None
    """Estimates for the population, if its size is known."""
    unique_combinations: dict[str, Any] | None
    """What singles people out; none if it was not looked for."""
    complete: bool
    """Whether everything that was asked for has been looked at."""
    notes: list[str]
    """What to know to read the figures."""


class CheckedCertificate(Facts):
    """What a check of a certificate confirmed; true if it is all that is claimed."""

    holds: bool
    """Whether as much is confirmed as is claimed, and the release can cost what it does."""
    claimed: int
    """The bound that the certificate claims, in its units."""
    bound: int | None
    """The bound that follows; none if there is no release at all."""
    cases: int
    """How many cases were closed."""
    cost: int | None
    """What the release costs, if one was named."""

    def __init__(self, facts: dict[str, Any], text: str) -> None:
        super().__init__(facts)
        self._text = text

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return self._text


class AttackResult(_Assessment):
    """What can be guessed of people from a release, beyond what can be guessed of others.

    ``found`` says whether any attack found people; ``table`` has a row for each attack.
    """

    _unless_told = {"outside": type(None)}

    released: int
    """Rows of the release."""
    original: int
    """Rows of the original."""
    control: int | None
    """Rows of the control group, if there is one."""
    baseline: Literal["control", "left-out"]
    """What attacks are compared with."""
    known: list[str]
    """The columns that the attacker knows."""
    secret: list[str]
    """The columns that the attacker wants to know."""
    confidence: float
    """In which share of cases all intervals hold together."""
    seed: int
    """What chance comes from."""
    found: bool
    """Whether any attack found people, beyond what chance explains."""
    outside: dict[str, Any] | None
    """How people of the control group fit the boxes of the release."""
    precision: list[dict[str, Any]]
    """How precise the surest 1 %, 10 % and all guesses are, attack by attack."""
    singling_out: dict[str, Any]
    """Exactly one released row fits."""
    linkability: dict[str, Any] | None
    """Two halves of what is known lead to the same row; none with fewer than two known columns."""
    inference: list[dict[str, Any]]
    """Columns that were guessed."""
    notes: list[str]
    """What a reader should know."""

    @property
    def table(self) -> Any:
        """The attacks as a data frame."""
        rows = [("singling out", self.singling_out)]
        if self.linkability is not None:
            rows.append(("linkability", self.linkability))
        rows += [(f"inference of {it['column']}", it) for it in self.inference]
        return to_frame({
            "attack": [name for name, _ in rows],
            "right": [it["attack"]["share"] for _, it in rows],
            "control": [it["control"]["share"] for _, it in rows],
            "risk": [it["risk"] for _, it in rows],
            "low": [it["low"] for _, it in rows],
            "high": [it["high"] for _, it in rows],
        })


class _Measurement(Paged):
    """Figures about a release, some with a page."""

    def __init__(self, facts: dict[str, Any], page: str | None = None) -> None:
        super().__init__(facts)
        self._page = page

    def _figures(self) -> dict[str, Any]:
        """The figures that are shown first."""
        raise NotImplementedError

    @property
    def table(self) -> Any:
        """The figures as a data frame."""
        figures = self._figures()
        return to_frame({"metric": list(figures), "value": list(figures.values())})

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {json.dumps(self._figures())[:300]}>"

    def _repr_html_(self) -> str:
        return super()._repr_html_() if self._page else f"<pre>{html.escape(self.to_json(2))}</pre>"


class Evaluation(_Measurement):
    """What a release lost, and what it is good for."""

    rows: int
    """Rows of the original."""
    released: int
    """Rows of the release; those that count as suppressed are left out."""
    suppressed: int
    """Rows of the original that are not in the release."""
    classes: int
    """Groups of released rows that look alike."""
    class_sizes: dict[str, Any]
    """How large they are."""
    k: int
    """The k that the average class size is divided by."""
    metrics: dict[str, float | None]
    """Every metric; none where it cannot be told."""
    refused: list[str]
    """Why some metrics cannot be told."""
    before: dict[str, float]
    """The risk by the quasi-identifiers before."""
    after: dict[str, float]
    """And after."""
    columns: list[dict[str, Any]]
    """What is kept of each quasi-identifier."""
    bias: list[dict[str, Any]]
    """How shares of categories differ from the original's; empty where nothing is suppressed."""
    queries: dict[str, Any] | None
    """How far counts taken from the release are off, if that was asked for."""
    classification: dict[str, Any] | None
    """How well the class column is predicted, if that was asked for and there is one."""
    statistics: dict[str, Any] | None
    """What analysts find in both tables, if that was asked for."""
    release_file: str
    """The release's file, without its folder."""
    original_file: str
    """The original's file, without its folder."""

    def _figures(self) -> dict[str, Any]:
        return dict(self.metrics)


class QueryEvaluation(_Measurement):
    """How far counts taken from a release are from the true ones."""

    rows: int
    """Rows of the original."""
    released: int
    """Rows of the release."""
    workload: dict[str, Any]
    """The questions."""
    errors: dict[str, float]
    """How far the answers were off."""

    def _figures(self) -> dict[str, Any]:
        return dict(self.errors)


class ClassificationEvaluation(_Measurement):
    """How well a decision tree predicts a column from a release."""

    _unless_told = {"test": type(None)}

    settings: dict[str, int]
    """How trees were grown and judged."""
    release: dict[str, Any]
    """The errors of trees that learned from the release."""
    original: dict[str, Any] | None
    """The same from the original, if it was given."""
    with_suppressed: dict[str, Any] | None
    """The error over all rows of the original, where suppressed rows are predicted with the release's most frequent class."""
    test: dict[str, Any] | None
    """The errors on rows that were kept out of the release, if there were any."""

    def _figures(self) -> dict[str, Any]:
        return {name: value for name, value in self.release.items() if isinstance(value, (int, float))}


class LearningEvaluation(_Measurement):
    """How well models of scikit-learn that learned from a release rank rows that are in neither table."""

    classes: list[str]
    """The classes of the test rows."""
    columns: list[str]
    """What models learn from: numbers, and a column for each category."""
    rows: dict[str, int]
    """How many rows each table has."""
    release: dict[str, float | None]
    """The area under the ROC curve of ``logistic`` and ``forest`` that learned from the release; the mean over classes of more than two."""
    original: dict[str, float | None]
    """The same from the original."""
    settings: dict[str, int]
    """The seed and the number of trees."""

    def _figures(self) -> dict[str, Any]:
        return {name: value for name, value in self.release.items()}


class Comparison(Paged):
    """Many methods, many k: what each release costs."""

    version: str
    """The version that has compared them."""
    rows: int
    """Rows of the table."""
    cells: int
    """Distinct combinations of quasi-identifiers."""
    quasi: list[str]
    """The quasi-identifiers."""
    models: list[str]
    """The models beyond k, in words."""
    metric: str
    """The metric that prices every release."""
    max_suppressed: str | None
    """Most rows that may be suppressed; each method's own default if nothing is said."""
    time_limit: str | None
    """How long each search could take."""
    k: list[int]
    """The k, ascending."""
    methods: list[dict[str, Any]]
    """The methods."""
    optimum: list[dict[str, Any]]
    """What is proven of the least cost, for each k."""
    runs: list[dict[str, Any]]
    """What each method did for each k."""
    missing: list[dict[str, Any]]
    """What was not run because the comparison was ended before."""
    cached: int
    """How many results were known before."""
    interrupted: bool
    """Whether it was ended early."""
    csv: str
    """The results as CSV."""

    def __init__(self, facts: dict[str, Any], page: str, chart: str, csv: str, interrupted: bool) -> None:
        super().__init__(facts)
        self._page = page
        self._chart = chart
        self.csv = csv
        self.interrupted = interrupted

    @property
    def table(self) -> Any:
        """The results as a data frame, a row for each method and k."""
        import csv as reader
        import io

        rows = list(reader.reader(io.StringIO(self.csv)))
        return to_frame({name: [_value(row[at]) for row in rows[1:]] for at, name in enumerate(rows[0])})

    def plot(self, number: int = 0) -> SVG:
        """The chart of cost over k."""
        return SVG(self._chart) if number == 0 else super().plot(number)

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(sorted({str(m) for m in _methods(self.csv)}))}>"


def _methods(csv: str) -> list[str]:
    return [line.split(",")[0] for line in csv.splitlines()[1:]]


def _value(text: str) -> Any:
    if text == "":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


class FrontierResult(Facts):
    """The least cost for several k and limits."""

    answers: list[dict[str, Any]]
    """An answer for each kind, k and limit, in the order asked for."""
    notes: list[str]
    """What to know of how the table was taken, such as automatic bins."""
    interrupted: bool
    """Whether it was ended early."""

    def __init__(self, answers: list[dict[str, Any]], notes: list[str], interrupted: bool) -> None:
        super().__init__({"answers": answers, "notes": notes, "interrupted": interrupted})

    @property
    def table(self) -> Any:
        """The answers as a data frame."""
        answers = self.answers
        plain = [n for n in (answers[0] if answers else {}) if not isinstance(answers[0][n], (list, dict))]
        return to_frame({name: [answer[name] for answer in answers] for name in plain})

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.answers)

    def __len__(self) -> int:
        return len(self.answers)

    def plot(self) -> SVG:
        """Cost over k, a line for each limit."""
        lines: dict[str, list[tuple[float, float]]] = {}
        for answer in self.answers:
            if answer["cost"] is not None:
                lines.setdefault(f"{answer['kind']}, limit {answer['limit']}", []).append((answer["k"], answer["cost"]))
        return SVG(_incrowd.lines_chart("Least cost over k", "k", "cost", list(lines.items())))

    def __repr__(self) -> str:
        return "\n".join(f"{a['kind']}, k={a['k']}, limit {a['limit']}: cost {a['cost']}, {a['outcome']}" for a in self)

    def _repr_html_(self) -> str:
        table = self.table
        return table._repr_html_() if hasattr(table, "_repr_html_") else f"<pre>{html.escape(repr(self))}</pre>"
