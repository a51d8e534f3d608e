"""Tables that outgrow one machine, on Apache Spark.

:func:`anonymize` counts, recodes and verifies a Spark data frame where its rows are; only the distinct combinations of
quasi-identifiers come to the driver, which searches. Executors need this package installed, and nothing else.
"""

from __future__ import annotations

from ._result import SparkResult
from ._run import anonymize

__all__ = ["SparkResult", "anonymize"]
