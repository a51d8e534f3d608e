"""What runs return: releases, recodings, verdicts."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal

from . import _incrowd
from ._asked import texts
from ._connections import Relation, as_relation, target_of
from ._errors import InputError, NoRelease
from ._facts import SVG, Facts, Paged, write_private
from ._frames import Frame, taken, to_frame
from ._notices import log
from ._progress import Progress, watched

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from ._options import FilePath
    from ._signatures import Kind, Suppressed, Unseen
    from .spec import Spec

    #: The kind of frame that was given, and comes back; anything where a type checker does not know it.
    FrameT = TypeVar("FrameT", default=Any)
else:
    from typing import TypeVar

    FrameT = TypeVar("FrameT")

__all__ = ["FrameT", "Recoding", "Result", "Verdict"]


class Verdict(Facts):
    """What the independent verifier found; true if every requirement is met."""

    _unless_told = {"unit": type(None), "units": type(None), "refinement": type(None), "risks": list}

    holds: bool
    """Whether every requirement is met."""
    reading: Literal["value", "wildcard"]
    """Whether `*` was a value like any other or matched anything."""
    required_k: int
    """The k that was asked for."""
    k: int | None
    """The largest k that holds; none for a release without rows."""
    unit: str | None
    """The column that tells apart who is protected, where that is not the rows."""
    units: int | None
    """How many of them there are in the release."""
    rows: int
    """Rows of the release."""
    classes: int
    """Distinct combinations of released quasi-identifier values."""
    sizes: dict[str, Any] | None
    """How large the classes are."""
    risk: dict[str, float] | None
    """How easily a row can be tied to a person."""
    refinement: dict[str, Any] | None
    """What labels tell beyond the values that they contain."""
    models: list[dict[str, Any]]
    """What the sensitive columns reach."""
    risks: list[dict[str, Any]]
    """What the release reaches of requirements on risks."""
    original: dict[str, Any] | None
    """What the comparison with the original gave, if there was one."""
    violations: list[dict[str, Any]]
    """The requirements that are not met."""
    notes: list[str]
    """What the reader of this verdict should know."""
    words: str
    """The verdict in words."""

    def __init__(self, facts: dict[str, Any], words: str) -> None:
        super().__init__(facts)
        self.words = words

    def __bool__(self) -> bool:
        return self.holds

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

    def save(self, path: FilePath) -> None:
        """Writes the recoding to a file that only its owner may read; the file is there whole or not at all."""
        write_private(path, self._text)

    @classmethod
    def load(cls, path: FilePath) -> Recoding:
        """Reads a recoding from a file."""
        return cls(Path(path).read_text(encoding="utf-8"))

    def apply(
        self,
        data: FrameT | FilePath,
        *,
        unseen: Unseen = "refuse",
        suppressed: Suppressed = "drop",
        earlier: FilePath | Sequence[FilePath] = (),
        seed_file: FilePath | None = None,
        threads: int | None = None,
        progress: Progress = None,
        table: str | None = None,
        query: str | None = None,
        where: str | None = None,
        into: str | None = None,
        replace: bool = False,
        append: bool = False,
        grant: str | Sequence[str] = (),
        in_database: bool = False,
    ) -> Result[FrameT]:
        """Applies the recoding to new rows. Classes that are too small among them are suppressed, and the release
        is verified again. A release is refused that tells fewer than k people apart when one of the ``earlier`` ones
        (paths) is subtracted from it.

        Rows of a database are given by its address or a connection, with ``table`` or ``query``. Their release goes ``into`` a
        table there. With ``append`` released rows are added to a table of PostgreSQL that is there, if it holds with them what
        the recoding asks for; nothing is written otherwise."""
        paths = [earlier] if isinstance(earlier, (str, os.PathLike)) else earlier
        asked: dict[str, Any] = {
            "table": table, "query": query, "where": where, "into": into, "replace": replace, "append": append,
            "grant": texts(grant), "in_database": in_database,
        }
        data = as_relation(data, asked)
        target = target_of(data, asked)
        places = None if isinstance(data, Relation) else _places(data, asked)
        frame = taken(data, [*self.quasi, *self.facts["plain"], *self.facts["identifying"]], read=self.quasi)
        run = watched(progress, lambda tell: _incrowd.apply(
            self._text, frame.data, unseen, suppressed, [os.fspath(path) for path in paths], seed_file, threads, tell, places
        ))
        result: Result[FrameT] = Result(run, frame)
        if target is not None and result:
            target.place(run, frame, result.facts)
        log(result.facts, levels=frame.left_out)
        return result


class Result(Paged, Generic[FrameT]):
    """A run: the released table, what it costs and protects, and how it was made.

    Every field that the command line prints with ``--json`` is an attribute.
    """

    _unless_told = {
        "requirements": list,
        "bias": list,
        "context": type(None),
        "treated": list,
        "follows": list,
        "narrowing": list,
        "left_out": list,
        "guesses": list,
        "accepted": list,
        "unlinked": type(None),
        "failing_rows": int,
        "journalist": type(None),
        "subgroups": list,
        "node_labels": type(None),
    }

    outcome: Literal["optimal", "feasible", "stopped", "infeasible", "refused"]
    """How the search ended."""
    in_words: str
    """The outcome in words, with what is proven of the cost."""
    why: str | None
    """Why there is no release, or why the search stopped."""
    method: str
    """The method that made the release, be it named or chosen."""
    kind: Kind
    """What the release is like."""
    auto: dict[str, Any] | None
    """How the method was chosen, where none was named."""
    metric: str
    """The metric that was minimized."""
    cost: float | None
    """The cost under that metric."""
    bound: float | None
    """A proven lower bound of the cost."""
    gap: float | None
    """The gap between cost and bound, as a share of the cost."""
    proven: str | None
    """What is proven of every release of this kind, in a sentence."""
    most_kept: float | None
    """The most of the detail that any release of this kind can keep, where that is proven."""
    columns: list[dict[str, Any]]
    """What happened to each column: `column`, `what` and, from 0 to 1, how much of its detail is `kept`."""
    unit: str
    """Who is protected: the column that tells people apart, or `row`."""
    wildcards: bool
    """Whether a blank is taken to match anything, the weaker reading of k."""
    achieved_k: int | None
    """The size of the smallest class, as `k` has it."""
    requirements: list[dict[str, Any]]
    """What was asked of risks beyond k, and what the release reaches."""
    rows: int
    """Rows of the input."""
    cells: int
    """Distinct combinations of quasi-identifiers in the input."""
    classes: int
    """Classes released."""
    released: int
    """Rows released, blank ones included."""
    suppressed: int
    """Rows suppressed."""
    released_gcp: float | None
    """What the labels leave open as they are printed, from 0 to 1."""
    node_labels: dict[str, Any] | None
    """What a local release loses by labels of one hierarchy node, and by sets of nodes."""
    ranges: list[dict[str, Any]]
    """How the ranges of numbers end, for each column that shows any."""
    quasi: list[str]
    """The quasi-identifiers."""
    unchanged: list[dict[str, Any]]
    """Columns that are released as they are, and how many rows they single out."""
    unchanged_together: dict[str, Any] | None
    """All of them together, if there are several."""
    tells: list[dict[str, Any]]
    """What they tell of the original values of quasi-identifiers."""
    context: dict[str, Any] | None
    """What the release is for, and what suits that; none if nothing was said."""
    treated: list[dict[str, Any]]
    """Columns whose values were replaced, and how."""
    follows: list[list[str]]
    """Columns that follow a quasi-identifier, each with its own."""
    narrowing: list[str]
    """Columns by which k holds, too."""
    left_out: list[str]
    """The columns that are not released because nobody has named them."""
    guesses: list[dict[str, Any]]
    """Roles that were guessed."""
    accepted: list[str]
    """Columns that somebody accepts although they look as if they named people."""
    unlinked: dict[str, int] | None
    """Units and rows left out because too few share all their linked rows; none where rows are not linked."""
    failing_rows: int
    """Rows left out because their class lost others so, and then failed."""
    checks: list[dict[str, Any]]
    """What every check found, in the order of the list."""
    warnings: list[dict[str, Any]]
    """What to think about before the release is shared."""
    losses: list[dict[str, Any]]
    """Values that disappear with suppressed rows, and groups that lose far more than their share."""
    bias: list[dict[str, Any]]
    """How suppression moves the shares of categories, by column; empty where nothing is suppressed."""
    subgroups: list[dict[str, Any]]
    """The loss by value of every column with few values; empty where there is none."""
    unrelated_sets: list[dict[str, Any]]
    """Columns released in sets of values that nothing relates to each other."""
    notes: list[str]
    """What to know of the search, such as automatic bins."""
    recoding_kind: str | None
    """The kind of recoding."""
    nodes: int
    """Nodes that the search looked at."""
    lattice: dict[str, Any] | None
    """What a search of full-domain generalizations has to tell."""
    blanks: dict[str, Any] | None
    """Where the blanks are, of a method that blanks cells."""
    cover: dict[str, Any] | None
    """How good a cover is."""
    cpu_seconds: float
    """CPU time of the whole run."""
    wall_seconds: float
    """Wall time of the whole run."""
    output: str | None
    """The file that the run itself has written; none where the release is in memory."""
    journalist: dict[str, Any] | None
    """What somebody who has the population can hope for; none if none was given."""

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
    def arrow(self) -> Any:
        """The released table as it is in memory: anything that reads the Arrow PyCapsule interface takes it."""
        if self._given is not None:
            return self._given
        table = self._run.table() if self._run is not None else None
        if table is None and self:
            raise InputError(f"the release is not kept here: it was written to {self.output}", "read it from there")
        if table is None:
            raise NoRelease(f"there is no release: {self.in_words}", kind=str(self.facts["outcome"]))
        return table

    @property
    def table(self) -> FrameT:
        """The released table, as the kind of frame that was given; of files as a pyarrow table."""
        if self._table is None:
            arrow = self.arrow
            generalized = self.facts["quasi"]
            self._table = self._frame.back(arrow, generalized) if self._frame is not None else arrow
        table: FrameT = self._table
        return table

    @property
    def k(self) -> int | None:
        """The size of the smallest class in the release, as the verifier found it."""
        return self.achieved_k

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
    def spec(self) -> Spec | None:
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
    def metrics(self) -> dict[str, float | None]:
        """Every metric that applies."""
        return dict(self.facts["metrics"] or {})

    def page(self) -> str:
        self._has_page()
        return super().page()

    def plot_search(self, wall: bool = False) -> SVG:
        """Cost and bound over time."""
        chart = _incrowd.trace_chart("Cost over time", [(str(self.method), self._points())], wall)
        if chart is None:
            raise InputError("the search reported nothing to draw")
        return SVG(chart)

    def write(self, path: FilePath, delimiter: str = ",") -> None:
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

    def internal_report(self, path: FilePath) -> None:
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


def _places(data: Any, asked: dict[str, Any]) -> tuple[str, str | None, str | None, str, list[str], bool] | None:
    """What of a database is read by its address, and where a release goes there."""
    if not str(data).startswith(("postgres://", "postgresql://")):
        said = [name for name, value in asked.items() if value]
        if said:
            raise InputError(f"{said[0]} is for tables of a database", "leave it out, or give an address or a connection")
        return None
    table, query = asked["table"], asked["query"]
    if (table is None) == (query is None):
        raise InputError("the input is a database, but no table is named" if table is None else "a table and a query are given",
                         "name a table: table=\"people\", or write a query=\"SELECT ..\"")
    if asked["into"] is None and (asked["replace"] or asked["append"] or asked["grant"] or asked["in_database"]):
        raise InputError("no table is named for the release", "name one: into=\"people_release\"")
    if asked["replace"] and asked["append"]:
        raise InputError("a table can be replaced or added to, not both", "leave out one of replace and append")
    placement = "append" if asked["append"] else "replace" if asked["replace"] else "create"
    relation = table if table is not None else f"(\n{query}\n)"
    return relation, asked["where"], asked["into"], placement, asked["grant"], asked["in_database"]


def _verdict_words(verdict: dict[str, Any]) -> str:
    if verdict["holds"]:
        return f"holds: every class has at least {verdict['k']} rows"
    return "does not hold: " + "; ".join(str(v.get("message", v)) for v in verdict["violations"])
