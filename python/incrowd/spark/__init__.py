"""Tables that outgrow one machine, on Apache Spark.

:func:`anonymize` counts, recodes and verifies a Spark data frame where its rows are, and :func:`apply` does so with a saved
recoding; only the distinct combinations of quasi-identifiers come to the driver. :func:`verify`, :func:`risk` and
:func:`inspect` look at a table by counts of combinations. Executors need this package installed, and nothing else.
"""

from __future__ import annotations

from ._apply import apply
from ._counted import inspect, risk, verify
from ._result import SparkResult
from ._run import anonymize

__all__ = ["SparkResult", "anonymize", "apply", "inspect", "risk", "verify"]
