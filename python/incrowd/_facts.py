"""What all results have in common: facts by name, pages, charts."""

from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from . import _incrowd
from ._errors import InputError

__all__ = ["SVG", "Facts", "Paged", "write_private"]


class SVG(str):
    """A chart: an SVG file as text, shown as a figure in notebooks."""

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the chart to a file."""
        Path(path).write_text(self, encoding="utf-8")


def write_private(path: str | os.PathLike[str], text: str) -> None:
    """Writes a file that only its owner may read, in one step."""
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=".incrowd-", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


class Facts:
    """Facts by name, as attributes and as a dict (``facts``).

    Each class declares its facts with their types. Those in ``_unless_told`` are among ``facts`` only where there is something
    to tell; their attributes are always there.
    """

    _unless_told: ClassVar[Mapping[str, Callable[[], Any]]] = {}

    facts: dict[str, Any]
    """All facts, as JSON has them."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.facts = facts

    # Type checkers go by what the classes declare: to them, other names are mistakes.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name == "facts":
                raise AttributeError(name)
            if name in self.facts:
                return self.facts[name]
            if name in self._unless_told:
                return self._unless_told[name]()
            raise AttributeError(f"{type(self).__name__} has no {name!r}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.facts, *self._unless_told]

    def to_json(self, indent: int | None = None) -> str:
        """The facts as JSON, with the names that the command line gives them with ``--json``."""
        return json.dumps(self.facts, indent=indent, ensure_ascii=False)


class Paged(Facts):
    """Facts with a page about them."""

    _page: str | None = None

    def page(self) -> str:
        """The page as one HTML file."""
        if self._page is None:
            raise InputError("there is no page about this")
        return self._page

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file: one HTML file, nothing loaded from anywhere."""
        Path(path).write_text(self.page(), encoding="utf-8")

    def charts(self) -> list[SVG]:
        """The charts of the page."""
        return [SVG(chart) for chart in _incrowd.charts_of(self.page())]

    def plot(self, number: int = 0) -> SVG:
        """A chart of the page."""
        charts = self.charts()
        if not charts:
            raise InputError("there is nothing to draw")
        return charts[number]

    def _repr_html_(self) -> str:
        # In a frame of its own, so that the page's style and the notebook's leave each other alone.
        page = html.escape(self.page(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:600px;border:0" loading="lazy"></iframe>'
