"""For the tests of whoever publishes tables: assertions about releases.

They raise ``AssertionError`` with the verdict in words, which names no value of anybody unless
:func:`incrowd.show_values` was called. ``pytest`` finds the option ``--incrowd SPEC`` beside them: see
:mod:`incrowd.pytest_plugin`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._asked import texts
from ._assess import risk
from ._release import verify

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Columns
    from ._signatures import AssertOptions

__all__ = ["assert_k_anonymous", "assert_l_diverse", "assert_risk", "assert_t_close"]


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


def assert_l_diverse(data: Any, l: int | str, quasi: Columns, *, k: int = 1, **options: Unpack[AssertOptions]) -> None:
    """Fails unless every class has at least ``l`` well represented values of each column that ``sensitive`` names. ``l`` is a
    number of different values, or as on the command line: ``"entropy:3"``, ``"2:3"``.

    >>> import pyarrow
    >>> table = pyarrow.table({"age": ["30-39"] * 3, "ill": ["flu", "cold", "flu"]})
    >>> assert_l_diverse(table, 2, ["age"], sensitive="ill")
    """
    __tracebackhide__ = True
    options["l_diversity"] = str(l)
    verdict = verify(data, k=k, quasi=quasi, **options)
    if not verdict:
        raise AssertionError(f"not {l}-diverse by {', '.join(texts(quasi))}:\n{verdict}")


def assert_t_close(data: Any, t: float | str, quasi: Columns, *, k: int = 1, **options: Unpack[AssertOptions]) -> None:
    """Fails unless the columns that ``sensitive`` names are distributed in every class as in the whole table, up to ``t``.
    ``t`` is a number, or as on the command line: ``"ordered:0.2"``.

    >>> import pyarrow
    >>> table = pyarrow.table({"age": ["30-39"] * 2 + ["40-49"] * 2, "ill": ["flu", "cold"] * 2})
    >>> assert_t_close(table, 0.1, ["age"], sensitive="ill")
    """
    __tracebackhide__ = True
    options["t_closeness"] = str(t)
    verdict = verify(data, k=k, quasi=quasi, **options)
    if not verdict:
        raise AssertionError(f"not {t}-close by {', '.join(texts(quasi))}:\n{verdict}")


def assert_risk(
    data: Any,
    quasi: Columns,
    *,
    highest: float | None = None,
    average: float | None = None,
    unique: float | None = None,
    unit: str | None = None,
) -> None:
    """Fails where people are at more risk than may be: the highest risk, the average one, the share of rows that look like no
    other.

    >>> import pyarrow
    >>> table = pyarrow.table({"age": ["30-39", "30-39", "40-49", "40-49"]})
    >>> assert_risk(table, ["age"], highest=0.5, unique=0)
    """
    __tracebackhide__ = True
    if highest is None and average is None and unique is None:
        raise TypeError("assert_risk() needs a limit: highest=0.2, average=0.05 or unique=0.01")
    found = risk(data, quasi, size=0) if unit is None else risk(data, quasi, size=0, unit=unit)
    figures = {
        "the highest risk": (found.prosecutor["highest"], highest),
        "the average risk": (found.prosecutor["average"], average),
        "the share of rows that look like no other": (found.unique_share, unique),
    }
    above = [
        f"{what} is {figure:.4g}, above {limit:g}"
        for what, (figure, limit) in figures.items()
        if limit is not None and figure > limit
    ]
    if above:
        raise AssertionError(f"too risky by {', '.join(texts(quasi))}: {'; '.join(above)}")
