"""What calls return: facts as attributes, tables as frames, pages and charts."""

from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import _incrowd
from ._errors import InputError, NoRelease
from ._frames import Frame, taken, to_frame
from ._progress import Progress, watched

__all__ = [
    "SVG",
    "Comparison",
    "Evaluation",
    "FrontierResult",
    "Inspection",
    "Recoding",
    "Result",
    "RiskResult",
    "Verdict",
]


class SVG(str):
    """A chart: an SVG file as text, shown as a picture in notebooks."""

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the chart to a file."""
        Path(path).write_text(self, encoding="utf-8")


def write_private(path: str | os.PathLike[str], text: str) -> None:
    """Writes a file that only its owner may read, in one step."""
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=".incrowd-", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


class Facts:
    """Facts by name, as attributes and as a dict (``facts``)."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.facts = facts

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "facts":
            raise AttributeError(name)
        try:
            return self.facts[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no {name!r}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.facts]

    def to_json(self, indent: int | None = None) -> str:
        """The facts as JSON, with the names that the command line gives them with ``--json``."""
        return json.dumps(self.facts, indent=indent, ensure_ascii=False)


class Paged(Facts):
    """Facts with a page about them."""

    _page: str | None = None

    def page(self) -> str:
        """The page as one HTML file."""
        if self._page is None:
            raise InputError("there is no page about this")
        return self._page

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file: one HTML file, nothing loaded from anywhere."""
        Path(path).write_text(self.page(), encoding="utf-8")

    def charts(self) -> list[SVG]:
        """The charts of the page."""
        return [SVG(chart) for chart in _incrowd.charts_of(self.page())]

    def plot(self, number: int = 0) -> SVG:
        """A chart of the page."""
        charts = self.charts()
        if not charts:
            raise InputError("there is nothing to draw")
        return charts[number]

    def _repr_html_(self) -> str:
        # In a frame of its own, so that the page's style and the notebook's leave each other alone.
        page = html.escape(self.page(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:600px;border:0" loading="lazy"></iframe>'


class Verdict(Facts):
    """What the independent verifier found; true if every requirement is met."""

    def __init__(self, facts: dict[str, Any], words: str) -> None:
        super().__init__(facts)
        self.words = words

    def __bool__(self) -> bool:
        return bool(self.facts["holds"])

    def __repr__(self) -> str:
        return self.words

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.words)}</pre>"


class Recoding:
    """A recoding: which values become which, to apply it to new rows. As confidential as the data it was made of.

    ``save`` writes and ``load`` reads the file that the command line writes with ``--recoding``.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.facts: dict[str, Any] = json.loads(_incrowd.check_recoding(text))

    @property
    def k(self) -> int:
        """The least size of a class."""
        return int(self.facts["k"])

    @property
    def quasi(self) -> list[str]:
        """The columns that it generalizes."""
        return list(self.facts["quasi"])

    def __repr__(self) -> str:
        return f"<Recoding {self.facts['kind']}, k={self.k}, quasi={self.quasi}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recoding) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Recoding, (self._text,))

    def to_json(self) -> str:
        """The recoding as the text of its file."""
        return self._text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the recoding to a file that only its owner may read; the file is there whole or not at all."""
        write_private(path, self._text)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Recoding:
        """Reads a recoding from a file."""
        return cls(Path(path).read_text(encoding="utf-8"))

    def apply(
        self,
        data: Any,
        *,
        unseen: str = "refuse",
        suppressed: str = "drop",
        earlier: Sequence[str | os.PathLike[str]] = (),
        seed_file: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Result:
        """Applies the recoding to new rows. Classes that are too small among them are suppressed, and the release
        is verified again. A release is refused that tells fewer than k people apart when one of the ``earlier`` ones
        (paths) is subtracted from it."""
        frame = taken(data, [*self.quasi, *self.facts["plain"], *self.facts["identifying"]])
        run = watched(progress, lambda tell: _incrowd.apply(
            self._text, frame.data, unseen, suppressed, [os.fspath(path) for path in earlier], seed_file, threads, tell
        ))
        return Result(run, frame)


class Result(Paged):
    """A run: the released table, what it costs and protects, and how it was made.

    Every field that the command line prints with ``--json`` is an attribute.
    """

    def __init__(self, run: Any, frame: Frame) -> None:
        super().__init__(json.loads(run.json()))
        self._run = run
        self._frame: Frame | None = frame
        self._table: Any = None
        self._recoding: Recoding | None = None
        self._spec: str | None = None
        self._trace: list[tuple[Any, ...]] | None = None
        self._given: Any = None

    @property
    def left_out(self) -> list[str]:
        """The columns that are not released because nobody has named them."""
        return list(self.facts.get("left_out", []))

    @property
    def arrow(self) -> Any:
        """The released table as it is in memory: anything that reads the Arrow PyCapsule interface takes it."""
        if self._given is not None:
            return self._given
        table = self._run.table() if self._run is not None else None
        if table is None:
            raise NoRelease(f"there is no release: {self.in_words}", kind=str(self.facts["outcome"]))
        return table

    @property
    def table(self) -> Any:
        """The released table, as the kind of frame that was given; of files as a pyarrow table."""
        if self._table is None:
            arrow = self.arrow
            generalized = self.facts["quasi"]
            self._table = self._frame.back(arrow, generalized) if self._frame is not None else arrow
        return self._table

    @property
    def k(self) -> int | None:
        """The size of the smallest class in the release, as the verifier found it."""
        return self.facts["achieved_k"]  # type: ignore[no-any-return]

    @property
    def verdict(self) -> Verdict | None:
        """What the independent verifier found in the release."""
        verdict = self.facts["verdict"]
        return None if verdict is None else Verdict(verdict, _verdict_words(verdict))

    @property
    def recoding(self) -> Recoding:
        """The recoding, to apply it to new rows. As confidential as the data."""
        if self._recoding is None:
            text = self._run.recoding() if self._run is not None else None
            if text is None:
                raise NoRelease(f"there is no recoding: {self.in_words}", kind=str(self.facts["outcome"]))
            self._recoding = Recoding(text)
        return self._recoding

    @property
    def spec(self) -> Any:
        """The spec that was run."""
        from .spec import Spec

        if self._spec is None and self._run is not None:
            self._spec = self._run.spec()
        return None if self._spec is None else Spec(self._spec)

    @property
    def trace(self) -> Any:
        """How the search went, as a data frame: seconds, CPU seconds, nodes, cost and bound."""
        names = ["seconds", "cpu_seconds", "nodes", "cost", "bound"]
        points = self._points()
        return to_frame({name: [point[at] for point in points] for at, name in enumerate(names)})

    def _points(self) -> list[tuple[Any, ...]]:
        if self._trace is None:
            self._trace = list(self._run.trace()) if self._run is not None else []
        return self._trace

    @property
    def metrics(self) -> dict[str, Any]:
        """Every metric that applies."""
        return dict(self.facts["metrics"] or {})

    def page(self) -> str:
        self._has_page()
        return super().page()

    def plot_search(self, wall: bool = False) -> SVG:
        """Cost and bound over time."""
        chart = _incrowd.trace_chart("Cost over time", [(str(self.method), self._points())], wall)
        if chart is None:
            raise InputError("the search told nothing to draw")
        return SVG(chart)

    def write(self, path: str | os.PathLike[str], delimiter: str = ",") -> None:
        """Writes the release to a file, as the command line does: .csv (also .gz, .zst), .parquet or .xlsx."""
        if self._run is None:
            raise InputError("the result was pickled, and holds the table only", "write result.table itself")
        self._run.write(path, delimiter)

    def __bool__(self) -> bool:
        return self.facts["metrics"] is not None

    def __repr__(self) -> str:
        if not self:
            return f"<Result {self.in_words}>"
        return (
            f"<Result k={self.k}, {self.released:,} of {self.rows:,} rows in {self.classes:,} classes, "
            f"{self.metric} {self.cost:,.6g}, by {self.method}: {self.in_words}>"
        )

    def _repr_html_(self) -> str:
        said = f"<p>{html.escape(repr(self))}</p>"
        return said + super()._repr_html_() if self._has_page() else said

    def internal_report(self, path: str | os.PathLike[str]) -> None:
        """Writes a report that tells of suppressed rows, too: confidential, for the owner of the table. Only its owner may
        read the file."""
        page = self._run.page(True) if self._run is not None else None
        if page is None:
            raise InputError("there is no internal report of this", "it can be made where the run was made, not from a pickle")
        write_private(path, page)

    def _has_page(self) -> bool:
        if self._page is None and self._run is not None:
            self._page = self._run.page()
        return self._page is not None

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = {"facts": self.facts, "_run": None, "_frame": None}
        state["_page"] = self.page() if self._has_page() else None
        state["_table"] = self.table if self else None
        state["_recoding"] = self.recoding if self else None
        state["_spec"] = None if self.spec is None else str(self.spec)
        state["_trace"] = self._points()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._given = self._table


def _verdict_words(verdict: dict[str, Any]) -> str:
    if verdict["holds"]:
        return f"holds: every class has at least {verdict['k']} rows"
    return "does not hold: " + "; ".join(str(v.get("message", v)) for v in verdict["violations"])


class Inspection(Facts):
    """What is in a table: columns, types, missing values, who stands out, likely roles."""

    @property
    def roles(self) -> dict[str, list[str]]:
        """The likely roles, as keywords to look at and to pass on."""
        found: dict[str, list[str]] = {}
        for column in self.facts["columns"]:
            found.setdefault(column["role"], []).append(column["name"])
        return found

    @property
    def table(self) -> Any:
        """The columns as a data frame."""
        columns = self.facts["columns"]
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
        columns = self.facts["columns"]
        width = max((len(c["name"]) for c in columns), default=0)
        lines = [f"{self.facts['rows']:,} rows, {len(columns)} columns"]
        lines += [f"  {c['name']:<{width}}  {c['role']:<12} {c['reason']}" for c in columns]
        lines += [f"note: {note}" for note in self.facts["notes"]]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        table = self.table
        return table._repr_html_() if hasattr(table, "_repr_html_") else f"<pre>{html.escape(repr(self))}</pre>"


def _deep(column: dict[str, Any], name: str) -> Any:
    """A fact of a column, or of how unique it is."""
    if name in column:
        return column[name]
    return (column.get("uniqueness") or {}).get(name)


class RiskResult(Paged):
    """Who could be found in a table, and what gives them away."""

    def __init__(self, facts: dict[str, Any], page: str) -> None:
        super().__init__(facts)
        self._page = page

    def __repr__(self) -> str:
        return f"<RiskResult {', '.join(f'{name}={value!r}' for name, value in self._short().items())}>"

    def _short(self) -> dict[str, Any]:
        return {k: v for k, v in self.facts.items() if isinstance(v, (int, float, str)) and not isinstance(v, bool)}


class AttackResult(RiskResult):
    """What can be guessed of people from a release, beyond what can be guessed of others.

    ``found`` says whether any attack found people; ``table`` has a row for each attack.
    """

    @property
    def found(self) -> bool:
        return bool(self.facts["found"])

    @property
    def table(self) -> Any:
        """The attacks as a data frame."""
        rows = [("singling out", self.facts["singling_out"])]
        if self.facts.get("linkability"):
            rows.append(("linkability", self.facts["linkability"]))
        rows += [(f"inference of {it['column']}", it) for it in self.facts["inference"]]
        return to_frame({
            "attack": [name for name, _ in rows],
            "right": [it["attack"]["share"] for _, it in rows],
            "control": [it["control"]["share"] for _, it in rows],
            "risk": [it["risk"] for _, it in rows],
            "low": [it["low"] for _, it in rows],
            "high": [it["high"] for _, it in rows],
        })


class Evaluation(Paged):
    """What a release lost, and what it is good for."""

    def __init__(self, facts: dict[str, Any], page: str | None = None) -> None:
        super().__init__(facts)
        self._page = page

    @property
    def table(self) -> Any:
        """The metrics as a data frame."""
        metrics = self.facts.get("metrics") or {}
        return to_frame({"metric": list(metrics), "value": [metrics[name] for name in metrics]})

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {json.dumps(self.facts.get('metrics') or self.facts)[:300]}>"

    def _repr_html_(self) -> str:
        return super()._repr_html_() if self._page else f"<pre>{html.escape(self.to_json(2))}</pre>"


class Comparison(Paged):
    """Many methods, many k: what each release costs."""

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

    def __init__(self, answers: list[dict[str, Any]], notes: list[str], interrupted: bool) -> None:
        super().__init__({"answers": answers, "notes": notes, "interrupted": interrupted})

    @property
    def table(self) -> Any:
        """The answers as a data frame."""
        answers = self.facts["answers"]
        plain = [n for n in (answers[0] if answers else {}) if not isinstance(answers[0][n], (list, dict))]
        return to_frame({name: [answer[name] for answer in answers] for name in plain})

    def __iter__(self) -> Any:
        return iter(self.facts["answers"])

    def __len__(self) -> int:
        return len(self.facts["answers"])

    def plot(self) -> SVG:
        """Cost over k, a line for each limit."""
        lines: dict[str, list[tuple[float, float]]] = {}
        for answer in self.facts["answers"]:
            if answer["cost"] is not None:
                lines.setdefault(f"{answer['kind']}, limit {answer['limit']}", []).append((answer["k"], answer["cost"]))
        return SVG(_incrowd.lines_chart("Least cost over k", "k", "cost", list(lines.items())))

    def __repr__(self) -> str:
        return "\n".join(f"{a['kind']}, k={a['k']}, limit {a['limit']}: cost {a['cost']}, {a['outcome']}" for a in self)

    def _repr_html_(self) -> str:
        table = self.table
        return table._repr_html_() if hasattr(table, "_repr_html_") else f"<pre>{html.escape(repr(self))}</pre>"
