"""What a run has to say beside its release."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from ._errors import ColumnsLeftOutWarning, RowsLeftOutWarning
from ._progress import logger

__all__ = ["log"]


def log(facts: Mapping[str, Any], notes: Iterable[str] = (), levels: Iterable[str] = ()) -> None:
    """Tells the log; what must not be overlooked is a warning. ``levels`` are those of an index that were left out."""
    if levels := list(levels):
        warnings.warn(
            f"the index ({', '.join(map(repr, levels))}) is left out: give its levels a role to keep them",
            ColumnsLeftOutWarning,
            stacklevel=3,
        )
    for warning in facts["warnings"]:
        said = warning["message"].replace("--show-values", "incrowd.show_values()")
        # Whoever calls, not this library, is where it is mended.
        if warning["code"] == "left-out":
            warnings.warn(said, ColumnsLeftOutWarning, stacklevel=3)
        elif warning["code"] == "most-rows-left-out":
            warnings.warn(said.replace("--kind global", "kind='global'"), RowsLeftOutWarning, stacklevel=3)
        else:
            logger.warning("%s", said)
    for note in [*notes, *facts["notes"]]:
        logger.info("%s", note)
