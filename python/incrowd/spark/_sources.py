"""What a data frame is read from: a release never takes the place of its own source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote


class Sources:
    """Where the rows of a frame come from, as far as Spark tells."""

    def __init__(self, df: Any) -> None:
        #: Folders, files and locations of tables that the plan names.
        self.roots: set[str] = set()
        #: Tables, by their full names.
        self.tables: set[str] = set()
        self._plan_text = ""
        if hasattr(df, "_jdf"):
            # As it was asked for: of a frame that is kept, or optimized to nothing, Spark lists no files.
            for leaf in _leaves(df._jdf.queryExecution().analyzed()):
                self._add(leaf)
        else:
            # Spark Connect shows plans as text only.
            self._plan_text = str(tried(lambda: df._explain_string(extended=True)) or "").lower()
        if not self.roots:
            self.roots.update(unquote(file) for file in tried(df.inputFiles) or [])

    def _add(self, leaf: Any) -> None:
        # The ways in which kinds of relations say it; a relation answers to some of them.
        for roots in (lambda: leaf.relation().location().rootPaths(), lambda: leaf.table().fileIndex().rootPaths()):
            self.roots.update(str(root.toString()) for root in _each(tried(roots)))
        for table in (lambda: leaf.catalogTable().get(), lambda: leaf.tableMeta()):
            described = tried(table)
            if described is not None:
                self.tables.add(str(described.identifier().unquotedString()).lower())
                location = tried(described.location)
                if location is not None:
                    # By way of a path: the text of a URI writes blanks and others otherwise.
                    self.roots.add(_path_of(location))
        name = tried(lambda: leaf.identifier().get().toString())
        if name is not None:
            catalog = tried(lambda: leaf.catalog().get().name())
            self.tables.add(f"{catalog}.{name}".lower() if catalog else str(name).lower())

    def has_table(self, full_name: str) -> bool:
        """Whether a table is read, by itself or through views."""
        name = full_name.lower()
        return name in self.tables or re.search(rf"(?<![\w.`]){re.escape(name)}(?![\w.`])", self._plan_text) is not None


def _path_of(uri: Any) -> str:
    scheme, host, path = uri.getScheme(), uri.getAuthority(), uri.getPath()
    return f"{scheme + ':' if scheme else ''}{'//' + host if host else ''}{path}"


def _leaves(plan: Any) -> Iterator[Any]:
    """The relations of a plan and of the subqueries in its expressions."""
    for part in [plan, *_each(tried(plan.subqueriesAll))]:
        yield from _each(part.collectLeaves())


def _each(sequence: Any) -> list[Any]:
    return [] if sequence is None else [sequence.apply(at) for at in range(sequence.size())]


def tried(call: Callable[[], Any]) -> Any:
    """What a call gives; nothing where there is no such thing in this version of Spark, or for this kind of relation."""
    try:
        return call()
    except Exception:  # noqa: BLE001 - Java raises whatever it likes
        return None
