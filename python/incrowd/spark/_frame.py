"""What is asked of data frames of Spark."""

from __future__ import annotations

import inspect
import json
from contextlib import contextmanager
from typing import Any

from .. import _errors, _incrowd
from .._errors import IncrowdError, InputError
from . import _passes


def frame_of(given: Any) -> Any:
    """A data frame, or the table of this name."""
    if isinstance(given, str):
        from pyspark.sql import SparkSession

        session = SparkSession.getActiveSession()
        if session is None:
            raise InputError(f"there is no session to read the table {given} with", "start one, or give a data frame")
        given = session.table(given)
    if not hasattr(given, "mapInArrow"):
        raise TypeError(
            f"a {type(given).__name__} is no Spark data frame: the functions of incrowd take other frames, and files"
        )
    session_can(given)
    return given


def session_can(df: Any) -> None:
    """Columns must be told apart by their names, as Spark does: by default without regard to case."""
    names = list(df.columns)
    sensitive = str(df.sparkSession.conf.get("spark.sql.caseSensitive", "false")).lower() == "true"
    seen: dict[str, str] = {}
    for name in names:
        key = name if sensitive else name.lower()
        if key in seen:
            raise InputError(
                f"the table has columns named {seen[key]!r} and {name!r}",
                "rename one: every column needs a name of its own",
            )
        seen[key] = name
    for name in (_incrowd.ORDER_COLUMN, _incrowd.UNIT_COLUMN):
        if name in names:
            raise InputError(f"the table has a column {name!r}, a name that is needed here", "rename it")


def quoted(name: str) -> str:
    """A column's name as Spark reads it, dots and blanks and all."""
    return "`" + name.replace("`", "``") + "`"


def arrow_schema(schema: Any) -> Any:
    """The types of a frame's columns; one that Arrow has no type for is told by Spark's name."""
    import pyarrow
    from pyspark.sql.pandas.types import to_arrow_type

    # Newer versions want to be told the time zone; which one does not matter here.
    zone = {"timezone": "UTC"} if "timezone" in inspect.signature(to_arrow_type).parameters else {}
    fields = []
    for field in schema.fields:
        try:
            kind = to_arrow_type(field.dataType, **zone)
        except Exception:  # noqa: BLE001 - Spark raises whatever comes to its mind
            # What cannot travel cannot be read: bytes are refused where they are needed.
            kind = pyarrow.struct([(field.dataType.simpleString(), pyarrow.null())])
        fields.append(pyarrow.field(field.name, kind))
    return pyarrow.schema(fields)


@contextmanager
def told() -> Any:
    """Errors of the library that happened on an executor, told as what they are."""
    try:
        yield
    except Exception as error:
        text = str(error)
        if _passes.MARK not in text:
            raise
        sent = text.split(_passes.MARK)[1].rstrip(":")
        try:
            name, message, help, kind, columns = json.loads(sent)
        except ValueError:
            raise error from None
        known = getattr(_errors, name, InputError)
        kind_of: type[IncrowdError] = known if issubclass(known, IncrowdError) else InputError
        raise kind_of(message, help, kind, columns) from error


def hashed(frame: Any) -> list[Any]:
    """The columns of a frame for a hash, in an order of their own; a hash passes over what is missing."""
    return [field for name in sorted(frame.columns) for column in [frame[quoted(name)]] for field in (column.isNull(), column)]


def sums_of(frame: Any) -> tuple[Any, ...]:
    """How many rows a frame has, and two sums over them, which do not depend on their order."""
    from pyspark.sql import functions as of

    fields = hashed(frame)
    sums = [of.sum(of.xxhash64(of.lit(salt), *fields).cast("decimal(20,0)")) for salt in (1, 2)]
    return tuple(frame.agg(of.count(of.lit(1)), *sums).collect()[0])


def partitions(frame: Any) -> int:
    """How many partitions a frame has, about: nothing is run to find out."""
    try:
        plan = frame._jdf.queryExecution().executedPlan()
        if plan.nodeName() != "AdaptiveSparkPlan":
            return max(1, int(frame._jdf.queryExecution().toRdd().getNumPartitions()))
        # Adaptive execution decides while it runs.
        return max(1, int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    except Exception:  # noqa: BLE001 - Spark Connect says nothing of it
        return 8
