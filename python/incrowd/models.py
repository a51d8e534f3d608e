"""Privacy models beyond k, as small objects.

Each names the sensitive column that it protects, unless there is only one.

>>> LDiversity(3)
LDiversity(3)
>>> TCloseness(0.2, distance="ordered", column="income")
TCloseness(0.2, distance='ordered', column='income')
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

__all__ = ["AlphaK", "BetaLikeness", "DeltaDisclosure", "LDiversity", "Model", "TCloseness"]


@dataclass(frozen=True, repr=False)
class Model:
    """A requirement on every class of rows that look alike."""

    keyword: ClassVar[str] = ""

    def __repr__(self) -> str:
        first, *rest = fields(self)
        said = [repr(getattr(self, first.name))]
        for field in rest:
            value = getattr(self, field.name)
            if value != field.default:
                said.append(f"{field.name}={value!r}")
        return f"{type(self).__name__}({', '.join(said)})"

    def _plain(self) -> dict[str, Any]:
        """The keys of the model in a spec."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) is not None}


@dataclass(frozen=True, repr=False)
class LDiversity(Model):
    """At least ``l`` different sensitive values in each class.

    ``kind`` is ``"distinct"``, ``"entropy"``, or ``"recursive"``, which needs ``c``.
    """

    keyword: ClassVar[str] = "l_diversity"
    l: float  # noqa: E741
    kind: Literal["distinct", "entropy", "recursive"] = "distinct"
    c: float | None = None
    column: str | None = None


@dataclass(frozen=True, repr=False)
class TCloseness(Model):
    """Sensitive values distributed in each class nearly as in the table: at most ``t`` apart.

    ``distance`` is ``"equal"``, ``"ordered"`` or ``"hierarchical"``.
    """

    keyword: ClassVar[str] = "t_closeness"
    t: float
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"
    column: str | None = None


@dataclass(frozen=True, repr=False)
class AlphaK(Model):
    """No sensitive value above the share ``alpha`` of a class."""

    keyword: ClassVar[str] = "alpha"
    alpha: float
    column: str | None = None


@dataclass(frozen=True, repr=False)
class BetaLikeness(Model):
    """No sensitive value much likelier in a class than in the table. ``kind`` is ``"basic"`` or ``"enhanced"``."""

    keyword: ClassVar[str] = "beta_likeness"
    beta: float
    kind: Literal["basic", "enhanced"] = "basic"
    column: str | None = None


@dataclass(frozen=True, repr=False)
class DeltaDisclosure(Model):
    """No sensitive value much likelier or unlikelier in a class than in the table."""

    keyword: ClassVar[str] = "delta_disclosure"
    delta: float
    column: str | None = None
