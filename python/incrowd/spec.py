"""Specs: everything about a run in one TOML file, the same that the command line reads and writes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _incrowd
from ._keywords import merge_models

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import FilePath
    from ._results import FrameT, Result
    from ._signatures import RunOptions, SpecOptions

__all__ = ["Spec"]


class Spec:
    """A run, written down: the table, what its columns are, what the release must guarantee.

    >>> spec = Spec.of("patients.csv", k=5, quasi=["age", "zip"], identifying=["name"])
    >>> spec.k, spec.quasi
    (5, ['age', 'zip'])
    >>> spec.replace(k=10).k
    10
    >>> print(str(spec).splitlines()[0])
    [data]
    """

    def __init__(self, text: str, path: str | os.PathLike[str] | None = None) -> None:
        self._text = text
        self.path = None if path is None else Path(path)
        name = "spec.toml" if path is None else os.fspath(path)
        self.facts: dict[str, Any] = json.loads(_incrowd.spec_facts(text, name))

    @classmethod
    def of(cls, input: str | os.PathLike[str] = "table", **options: Unpack[SpecOptions]) -> Spec:
        """A spec put together from the options of ``anonymize``."""
        return cls(_incrowd.spec_text(None, os.fspath(input), merge_models(dict(options))))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Spec:
        """Reads a spec file. Relative paths in it start at its folder."""
        return cls(Path(path).read_text(encoding="utf-8"), path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the spec file."""
        Path(path).write_text(self._text, encoding="utf-8")

    def replace(self, **options: Unpack[SpecOptions]) -> Spec:
        """The same spec with some options changed: those of ``anonymize``."""
        return Spec(_incrowd.spec_text(self._text, None, merge_models(dict(options))), self.path)

    @property
    def input(self) -> str:
        """The table as the spec names it, from the folder of its file."""
        named = Path(self.facts["input"])
        return os.fspath(self.path.parent / named if self.path is not None else named)

    @property
    def output(self) -> str | None:
        """The file that the release goes to, as the spec names it; none if it names none."""
        named: str | None = self.facts["output"]
        return named

    @property
    def k(self) -> int:
        """The least size of a class."""
        return int(self.facts["k"])

    @property
    def method(self) -> str:
        """The method, or auto."""
        return str(self.facts["method"])

    @property
    def quasi(self) -> list[str]:
        """The columns that others may know too."""
        return list(self.facts["quasi"])

    @property
    def identifying(self) -> list[str]:
        """The columns that name people."""
        return list(self.facts["identifying"])

    @property
    def sensitive(self) -> list[str]:
        """The columns that nobody must learn about a person."""
        return list(self.facts["sensitive"])

    @property
    def class_(self) -> list[str]:
        """The column that the release should predict well, if there is one."""
        return list(self.facts["class"])

    @property
    def plain(self) -> list[str]:
        """The columns that are released unchanged on purpose."""
        return list(self.facts["plain"])

    @property
    def undecided(self) -> list[str]:
        """The columns whose role is still to be decided."""
        return list(self.facts["undecided"])

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Spec {self.facts['input']!r}, k={self.k}, quasi={self.facts['quasi']}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spec) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Spec, (self._text, self.path))

    def run(self, data: FrameT | FilePath | None = None, **options: Unpack[RunOptions]) -> Result[FrameT]:
        """Runs the spec, on its own table or on another one."""
        from ._release import anonymize

        table: FrameT | FilePath = self.input if data is None else data
        return anonymize(table, spec=self, **options)
