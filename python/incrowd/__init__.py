"""k-anonymization of data frames and files: safe by default, searched well, verified independently.

>>> import incrowd, pyarrow
>>> people = pyarrow.table({"age": [21, 22, 23, 61, 62, 63], "ill": ["flu", "gout", "flu", "flu", "gout", "gout"]})
>>> result = incrowd.anonymize(people, k=3, quasi=["age"], sensitive=["ill"], models=[incrowd.LDiversity(2)])
>>> sorted(set(result.table["age"].to_pylist()))
['[21-23]', '[61-63]']
"""

from __future__ import annotations

from . import _incrowd, spark, testing
from ._assess import (
    attack,
    check,
    classification,
    evaluate,
    form,
    goal,
    init,
    inspect,
    learning,
    queries,
    record,
    risk,
    statistics,
)
from ._connections import Relation
from ._errors import (
    ColumnsLeftOutWarning,
    FileError,
    IncrowdError,
    InputError,
    NoRelease,
    NotVerified,
    RefusedColumns,
    RowsLeftOutWarning,
    TryAgain,
    UnseenValues,
)
from ._facts import SVG
from ._findings import (
    AttackResult,
    CheckedCertificate,
    ClassificationEvaluation,
    Comparison,
    Evaluation,
    FrontierResult,
    Inspection,
    LearningEvaluation,
    QueryEvaluation,
    RiskResult,
)
from ._release import anonymize, apply, compare, frontier, verify
from ._results import Recoding, Result, Verdict
from ._tools import check_hierarchy, demo, hierarchy, methods, nearest_structure, options, structure
from ._values import show_values
from .models import AlphaK, BetaLikeness, DeltaDisclosure, LDiversity, Model, TCloseness
from .spec import Spec

__version__: str = _incrowd.__version__

__all__ = [
    "SVG",
    "AlphaK",
    "AttackResult",
    "BetaLikeness",
    "CheckedCertificate",
    "ClassificationEvaluation",
    "ColumnsLeftOutWarning",
    "Comparison",
    "DeltaDisclosure",
    "Evaluation",
    "FileError",
    "FrontierResult",
    "IncrowdError",
    "InputError",
    "Inspection",
    "LDiversity",
    "LearningEvaluation",
    "Model",
    "NoRelease",
    "NotVerified",
    "QueryEvaluation",
    "Recoding",
    "RefusedColumns",
    "Relation",
    "Result",
    "RiskResult",
    "RowsLeftOutWarning",
    "Spec",
    "TCloseness",
    "TryAgain",
    "UnseenValues",
    "Verdict",
    "__version__",
    "anonymize",
    "apply",
    "attack",
    "check",
    "check_hierarchy",
    "classification",
    "compare",
    "demo",
    "evaluate",
    "form",
    "frontier",
    "goal",
    "hierarchy",
    "init",
    "inspect",
    "learning",
    "methods",
    "nearest_structure",
    "options",
    "queries",
    "record",
    "risk",
    "show_values",
    "spark",
    "statistics",
    "structure",
    "testing",
    "verify",
]
