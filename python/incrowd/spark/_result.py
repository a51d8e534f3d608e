"""What a run on Spark returns."""

from __future__ import annotations

import os
from typing import Any

from .._errors import InputError, NoRelease
from .._frames import Frame
from .._results import Result

__all__ = ["SparkResult"]


class Finished:
    """The facts of a run, as :class:`incrowd.Result` asks for them."""

    def __init__(self, solution: Any, facts: str, page: str | None) -> None:
        self._solution = solution
        self._facts = facts
        self._page = page

    def json(self) -> str:
        """The facts of the run."""
        return self._facts

    def table(self) -> Any:
        """Rows stay where they are."""
        return None

    def recoding(self) -> str | None:
        """The recoding as JSON."""
        found: str | None = self._solution.recoding()
        return found

    def page(self) -> str | None:
        """The report."""
        return self._page

    def spec(self) -> str | None:
        """The spec that was run."""
        found: str | None = self._solution.spec()
        return found

    def trace(self) -> list[tuple[Any, ...]]:
        """How the search went."""
        return list(self._solution.trace())


class SparkResult(Result[Any]):
    """A run on Spark. As :class:`incrowd.Result`, but the released table stays where it was written: ``table`` is a Spark
    data frame of it, ``into`` its name, and ``seconds`` says how long each step took."""

    def __init__(self, run: Finished, into: str, read: Any, seconds: dict[str, float]) -> None:
        super().__init__(run, Frame(None, lambda table, _: table))
        self.into = into
        self.seconds = seconds
        self._read = read

    @property
    def table(self) -> Any:
        """The released table as a Spark data frame, read from where it was written."""
        if not self or self._read is None:
            raise NoRelease(f"there is no release: {self.in_words}", kind=str(self.facts["outcome"]))
        return self._read()

    @property
    def arrow(self) -> Any:
        """The released table in memory, collected."""
        return self.table.toArrow()

    def write(self, path: str | os.PathLike[str], delimiter: str = ",") -> None:
        """The release is written already."""
        raise InputError(f"the release is written already: it is in {self.into}")

    def __getstate__(self) -> dict[str, Any]:
        raise InputError("a result of Spark holds a session and cannot be pickled", "keep result.facts and result.recoding")
