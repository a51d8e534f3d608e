"""Exceptions: what is wrong, how to fix it, and which columns it is about."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = [
    "ColumnsLeftOutWarning",
    "FileError",
    "IncrowdError",
    "InputError",
    "NoRelease",
    "NotVerified",
    "RefusedColumns",
    "RowsLeftOutWarning",
    "TryAgain",
    "UnseenValues",
]


class IncrowdError(Exception):
    """Whatever incrowd has to complain about.

    ``message`` says what is wrong, ``help`` how to fix it, ``kind`` is the code that the command line gives with
    ``--json``, and ``columns`` lists the columns it is about, each with the role that would be safe and the reason.
    ``check`` is the id of the check that refused the release (``incrowd checks`` lists them), None if none did.
    """

    message: str
    help: str | None
    kind: str
    columns: list[dict[str, str]]
    check: str | None

    def __init__(
        self,
        message: str,
        help: str | None = None,
        kind: str = "input",
        columns: list[dict[str, str]] | None = None,
        text: str | None = None,
        check: str | None = None,
    ) -> None:
        self.message = message
        self.help = help
        self.kind = kind
        self.columns = columns or []
        self.check = check
        self._text = text or (message if help is None else f"{message}\n  help: {help}")
        super().__init__(self._text)

    def __str__(self) -> str:
        return self._text

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.message, self.help, self.kind, self.columns, self._text, self.check))

    @property
    def keywords(self) -> dict[str, list[str]]:
        """The roles that would let the same call go on, as keyword arguments to look at."""
        found: dict[str, list[str]] = {}
        for column in self.columns:
            found.setdefault(column["role"], []).append(column["column"])
        return found


class InputError(IncrowdError, ValueError):
    """Something that was asked for, or in the data, makes no sense."""


class FileError(IncrowdError, OSError):
    """A file could not be read or written."""

    __str__ = IncrowdError.__str__


class RefusedColumns(InputError):
    """Columns would give people away, and nobody said that it is meant."""


class ColumnsLeftOutWarning(UserWarning):
    """Columns that nobody has named are not in the release: ``result.left_out`` lists them."""


class RowsLeftOutWarning(UserWarning):
    """A saved recoding leaves out most of the new rows."""


class TryAgain(InputError):
    """A database could not do it just now: a lost connection, a conflict with another session, a lock. The same call may
    succeed later."""


class UnseenValues(InputError):
    """Rows have values that a saved recoding has not seen."""


class NotVerified(IncrowdError):
    """The independent verifier refused the release. Nothing comes out."""


class NoRelease(IncrowdError):
    """There is no release: the requirements cannot be met, or the search was stopped before it found anything."""


_CLASSES: dict[str, type[IncrowdError]] = {
    "file": FileError,
    "not-verified": NotVerified,
    "no-role": RefusedColumns,
    "try-again": TryAgain,
    "unseen-values": UnseenValues,
    "exposed-columns": RefusedColumns,
    "undecided-columns": RefusedColumns,
    "undoing-columns": RefusedColumns,
}

_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]+)")


def _in_python(text: str) -> str:
    """Options are keywords here."""
    text = text.replace("--show-values", "incrowd.show_values()")
    return _FLAG.sub(lambda found: "`" + found.group(1).replace("-", "_") + "`", text)


def made(told: str, text: str) -> BaseException:
    """The exception for an error of the library."""
    error = json.loads(told)["error"]
    kind = error["code"]
    if kind == "interrupted":
        return KeyboardInterrupt()
    columns = error.get("columns") or []
    help = error.get("help")
    if help is not None:
        help = _in_python(help)
    text = _in_python(text)
    exception = _CLASSES.get(kind, InputError)(
        _in_python(error["message"]), help, kind, columns, text, error.get("check")
    )
    if columns:
        ways = ", ".join(f"{role}={names!r}" for role, names in exception.keywords.items())
        exception._text += f"\n  to go on, look at the roles and pass: {ways}"
        exception.args = (exception._text,)
    return exception
