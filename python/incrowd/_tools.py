"""The functions beside releases: hierarchies, balanced structures, methods and options, made-up people."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import _incrowd
from ._asked import asked_of, texts
from ._errors import InputError
from ._frames import taken
from ._options import Columns, FilePath

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import ReadingOptions


def hierarchy(data: Any, column: str, rule: Any, **options: Unpack[ReadingOptions]) -> list[list[str]]:
    """The hierarchy of a column's values by a rule: a row for each value, the value first, then its groups.

    >>> import pyarrow
    >>> hierarchy(pyarrow.table({"zip": ["53711", "53706"]}), "zip", "prefix:3")
    [['53706', '537**', '*'], ['53711', '537**', '*']]
    """
    asked = asked_of(options, k=1, quasi=[column], hierarchy={column: rule})
    return list(_incrowd.build_hierarchy(taken(data, [column]).data, column, asked))


def check_hierarchy(
    path: FilePath, data: Any = None, column: str | None = None, **options: Unpack[ReadingOptions]
) -> list[str]:
    """What is wrong with a hierarchy in a file, a sentence each; nothing if it is sound.

    With ``data`` and ``column`` also which values of the column it does not cover.
    """
    if data is None or column is None:
        return list(_incrowd.check_hierarchy(os.fspath(path))[0])
    asked = asked_of(options, k=1, quasi=[column])
    return list(_incrowd.check_hierarchy(os.fspath(path), taken(data, [column]).data, column, asked)[0])


def structure(
    k: int,
    domains: Iterable[int],
    *,
    rows: int | None = None,
    repeats: int = 1,
    blanks: int | None = None,
    limit: int = 1_000_000,
    time_limit: float | None = None,
) -> dict[str, Any]:
    """Looks for a balanced structure: rows over columns of so many values each, in which every row has k - 1 others that look
    alike once its blanks are taken out.

    >>> structure(2, [2, 2, 2])["outcome"]
    'found'
    """
    found = _incrowd.structure(k, list(domains), rows, repeats, blanks, limit, time_limit)
    return dict(json.loads(found))


def nearest_structure(data: Any, k: int, columns: Columns | None = None, limit: int = 1_000_000) -> dict[str, Any]:
    """Maps a small table, or some of its columns, to the balanced structure with the fewest blanks."""
    names = texts(columns)
    return dict(json.loads(_incrowd.nearest_structure(taken(data, names).data, names, k, limit)))


def methods(name: str | None = None) -> Any:
    """The methods there are, or one of them with its options.

    >>> [m["name"] for m in methods()][0]
    'auto'
    """
    return json.loads(_incrowd.methods(name))


def demo(rows: int = 1000, seed: int = 1, wide: bool = False) -> Any:
    """Made-up people, to try things on: as a pandas frame, else a polars one."""
    import csv
    import io

    from ._frames import to_frame

    lines = list(csv.reader(io.StringIO(_incrowd.demo_people(rows, seed, wide))))
    columns: dict[str, list[Any]] = {}
    for at, name in enumerate(lines[0]):
        values = [line[at] for line in lines[1:]]
        whole = all(value.lstrip("-").isdigit() for value in values)
        columns[name] = [int(value) for value in values] if whole else values
    return to_frame(columns)


def options(command: str = "anonymize") -> dict[str, str]:
    """The options of a command of the command line, as keywords, and what they do.

    >>> "max_suppressed" in options()
    True
    """
    found = {_keyword(option): help for of, option, _, help in _incrowd.command_options() if of == command}
    if not found:
        raise InputError(f"there is no command {command!r}")
    return found


def _keyword(option: str) -> str:
    name = option.replace("-", "_")
    return "class_" if name == "class" else name
