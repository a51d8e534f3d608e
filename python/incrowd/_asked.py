"""What a call asks for: its keywords as options of the library, its table, its spec."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from . import _incrowd
from ._errors import InputError
from ._keywords import merge_models
from ._options import FilePath
from .spec import Spec

OnInterrupt = Literal["raise", "return"]

#: Keywords that name columns.
_NAMING = ("quasi", "identifying", "sensitive", "plain", "class_")


def named(options: Mapping[str, Any], spec: Spec | None) -> list[str]:
    """All columns that a call gives a role or a treatment."""
    names: list[str] = []
    for keyword in _NAMING:
        names.extend(texts(options.get(keyword)))
    for value in options.values():
        if isinstance(value, Mapping):
            names.extend(map(str, value))
    if spec is not None:
        for role in ("quasi", "identifying", "sensitive", "class", "plain"):
            names.extend(spec.facts[role])
    return names


def read_by(options: Mapping[str, Any], spec: Spec | None) -> list[str]:
    """The columns whose values the library must understand: those that are generalized, and those that an option treats."""
    names = texts(options.get("quasi"))
    for value in options.values():
        if isinstance(value, Mapping):
            names.extend(map(str, value))
    return [*names, *(spec.facts["quasi"] if spec is not None else [])]


def with_orders(asked: dict[str, Any], spec: Spec | None, orders: Mapping[str, list[str]]) -> dict[str, Any]:
    """Options with the orders that categories of the table have; whoever says something else of a column is right."""
    if spec is not None:
        return asked
    said = {name for keyword in ("hierarchy", "order", "type") for name in asked.get(keyword) or {}}
    wanted = [*texts(asked.get("quasi")), *texts(asked.get("sensitive"))]
    found = {name: orders[name] for name in wanted if name in orders and name not in said}
    return {**asked, "order": {**(asked.get("order") or {}), **found}} if found else asked


def asked_of(options: Mapping[str, object], **more: object) -> dict[str, Any]:
    """Options as the library takes them; unknown ones are refused at once."""
    given = {**more, **options}
    # Columns are known in the order of their roles, however a call is written.
    names = [*(name for name in _NAMING if name in given), *(name for name in given if name not in _NAMING)]
    asked = merge_models({name: given[name] for name in names if given[name] is not None})
    known = _incrowd.keywords()
    for name in asked:
        if name.rstrip("_") not in known:
            near = difflib.get_close_matches(name, known, 1)
            help = f"did you mean `{near[0]}`?" if near else "incrowd.options() lists them"
            raise TypeError(f"there is no option `{name}`: {help}")
    return asked


def spec_of(spec: Spec | FilePath | None) -> Spec | None:
    """The spec that was given, read if it is a file."""
    if spec is None or isinstance(spec, Spec):
        return spec
    return Spec.load(spec)


def spec_text(spec: Spec | None) -> str | None:
    """A spec as text, its paths as seen from here, its outputs left to the call."""
    if spec is None:
        return None
    if spec.path is None:
        return str(spec)
    return str(_incrowd.spec_from_folder(str(spec), os.fspath(spec.path)))


def table_of(data: Any, base: Spec | None, function: str) -> Any:
    """The table that was given, or the one that the spec names."""
    if data is not None:
        return data
    if base is None:
        raise TypeError(f"{function}() needs a table: a data frame, a path, or a spec that names one")
    return base.input


def population_of(asked: dict[str, Any], k_map: Any, population: Any) -> Any:
    """The population; one that is given as ``k_map`` is what k counts."""
    if k_map is None or k_map is False:
        return population
    asked["k_map"] = True
    if k_map is True:
        return population
    if population is not None:
        raise InputError("two populations are given", "leave out population, or write k_map=True")
    return k_map


def check_enough(base: Spec | None, asked: dict[str, Any], on_interrupt: str) -> None:
    """Refuses a call that does not say what every call must."""
    guessed = "guess" in (asked.get("roles"), asked.get("other"))
    if base is None and not guessed and "quasi" not in asked:
        raise InputError(
            "no column is a quasi-identifier",
            "name the columns that could be matched with other data: quasi=[\"age\", \"sex\", \"zip\"]",
        )
    # A highest risk says k in other words.
    if base is None and not {"k", "max_risk"} & asked.keys():
        raise InputError("k is missing", "give one, such as k=5")
    if on_interrupt not in ("raise", "return"):
        raise InputError(f"unknown choice on_interrupt={on_interrupt!r}", "known: 'raise', 'return'")


def texts(values: Any) -> list[str]:
    """None, one or several, as a list."""
    if values is None:
        return []
    return [values] if isinstance(values, str) else [str(value) for value in values]


def whole(values: int | Sequence[int] | None) -> list[int]:
    """The same of numbers."""
    if values is None:
        return []
    return [int(value) for value in ([values] if isinstance(values, int) else values)]
