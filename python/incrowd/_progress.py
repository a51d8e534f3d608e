"""Who hears how far a call has come."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

logger = logging.getLogger("incrowd")

Listener = Callable[[dict[str, Any]], None]
#: What calls take: a bar where true, or somebody who hears.
Progress = bool | Listener | None
T = TypeVar("T")

_PHASES = {
    "read": "reading",
    "search": "searching",
    "recode": "recoding",
    "verify": "verifying",
    "work": "working",
}


def listener(progress: Progress) -> tuple[Listener | None, Callable[[], None]]:
    """What to call with events, and what to call at the end."""
    heard: list[Listener] = []
    close: Callable[[], None] = lambda: None  # noqa: E731
    if callable(progress):
        heard.append(progress)
    elif progress:
        bar = _bar()
        heard.append(bar)
        close = bar.close
    if logger.isEnabledFor(logging.DEBUG):
        heard.append(_Log())
    if not heard:
        return None, close

    def tell(news: dict[str, Any]) -> None:
        for one in heard:
            one(news)

    return tell, close


class _Log:
    def __init__(self) -> None:
        self._phase: str | None = None

    def __call__(self, news: dict[str, Any]) -> None:
        if news["phase"] != self._phase:
            self._phase = news["phase"]
            logger.debug("%s", _PHASES.get(self._phase or "", self._phase))


def _bar() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError("progress=True needs tqdm: pip install tqdm, or give a function") from error
    return _Bar(tqdm(total=100, unit="%", bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}{postfix}"))


class _Bar:
    def __init__(self, bar: Any) -> None:
        self._bar = bar

    def __call__(self, news: dict[str, Any]) -> None:
        what = _PHASES.get(news["phase"] or "", "working")
        if news["part"]:
            what = f"{what}: {news['part']}"
        self._bar.set_description(what, refresh=False)
        told = {}
        for name in ("cost", "bound"):
            if news[name] is not None:
                told[name] = f"{news[name]:,.6g}"
        if news["gap"] is not None:
            told["gap"] = f"{100 * news['gap']:.2f}%"
        self._bar.set_postfix(told, refresh=False)
        self._bar.n = round(100 * (news["done"] or 0))
        self._bar.refresh()

    def close(self) -> None:
        self._bar.close()


def watched(progress: Progress, call: Callable[[Any], T]) -> T:
    """Calls something that tells of its progress."""
    tell, close = listener(progress)
    try:
        return call(tell)
    finally:
        close()
