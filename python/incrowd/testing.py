"""For the tests of whoever publishes tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._asked import texts
from ._release import verify

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Columns
    from ._signatures import AssertOptions

__all__ = ["assert_k_anonymous"]


def assert_k_anonymous(data: Any, k: int, quasi: Columns, **options: Unpack[AssertOptions]) -> None:
    """Fails unless every row shares its quasi-identifiers with at least ``k - 1`` others.

    Takes everything that :func:`incrowd.verify` takes: ``sensitive``, ``l_diversity``, ``original`` and so on.

    >>> import pyarrow
    >>> table = pyarrow.table({"age": ["30-39", "30-39", "40-49"]})
    >>> assert_k_anonymous(table.slice(0, 2), 2, ["age"])
    >>> assert_k_anonymous(table, 2, ["age"])
    Traceback (most recent call last):
        ...
    AssertionError: ...
    """
    __tracebackhide__ = True
    verdict = verify(data, k=k, quasi=quasi, **options)
    if not verdict:
        raise AssertionError(f"not {k}-anonymous by {', '.join(texts(quasi))}:\n{verdict}")
