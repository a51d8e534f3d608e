"""Whether messages tell values of people."""

from __future__ import annotations

from . import _incrowd

__all__ = ["show_values"]


class _Shown:
    """Ends what ``show_values`` has begun."""

    def __init__(self, before: bool) -> None:
        self._before = before

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        _incrowd.show_values(self._before)


def show_values(show: bool = True) -> _Shown:
    """Lets exceptions, warnings, verdicts and notes of this process tell values of people, which they keep back otherwise:
    messages end in logs, and logs are shared where tables are not.

    Holds until it is called again, or for a block:

    >>> import incrowd, pyarrow
    >>> table = pyarrow.table({"age": ["30-39", "30-39", "40-49"]})
    >>> "40-49" in str(incrowd.verify(table, k=2, quasi=["age"]))
    False
    >>> with show_values():
    ...     "40-49" in str(incrowd.verify(table, k=2, quasi=["age"]))
    True
    """
    return _Shown(_incrowd.show_values(show))
