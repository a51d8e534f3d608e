"""Specs: everything about a run in one TOML file, the same that the command line reads and writes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from . import _incrowd
from ._keywords import merge_models

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
    def of(cls, input: str | os.PathLike[str] = "table", **options: Any) -> Spec:
        """A spec put together from the options of ``anonymize``."""
        return cls(_incrowd.spec_text(None, os.fspath(input), merge_models(dict(options))))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Spec:
        """Reads a spec file. Relative paths in it start at its folder."""
        return cls(Path(path).read_text(encoding="utf-8"), path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the spec file."""
        Path(path).write_text(self._text, encoding="utf-8")

    def replace(self, **options: Any) -> Spec:
        """The same spec with some options changed: those of ``anonymize``."""
        return Spec(_incrowd.spec_text(self._text, None, merge_models(dict(options))), self.path)

    @property
    def input(self) -> str:
        """The table as the spec names it, from the folder of its file."""
        named = Path(self.facts["input"])
        return os.fspath(self.path.parent / named if self.path is not None else named)

    @property
    def k(self) -> int:
        """The least size of a class."""
        return int(self.facts["k"])

    def __getattr__(self, name: str) -> Any:
        if name in ("quasi", "identifying", "sensitive", "plain", "undecided", "method"):
            return self.facts[name]
        raise AttributeError(name)

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

    def run(self, data: Any = None, **options: Any) -> Any:
        """Runs the spec, on its own table or on another one."""
        from ._release import anonymize

        return anonymize(self.input if data is None else data, spec=self, **options)
