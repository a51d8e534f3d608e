"""The extension module: tables by Arrow, options as dicts, results as JSON."""

import os
from collections.abc import Callable
from typing import Any, final

__version__: str

_Data = Table | str | os.PathLike[str]
_Tell = Callable[[dict[str, Any]], None] | None
_Points = list[tuple[Any, ...]]

@final
class Table:
    @staticmethod
    def from_stream(stream: Any) -> Table: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def types(self) -> list[str]: ...
    @property
    def nbytes(self) -> int: ...
    def __len__(self) -> int: ...

@final
class Run:
    def json(self) -> str: ...
    @property
    def notes(self) -> list[str]: ...
    def table(self) -> Table | None: ...
    def write(self, path: str | os.PathLike[str], delimiter: str = ",") -> None: ...
    def recoding(self) -> str | None: ...
    def page(self, confidential: bool = False) -> str | None: ...
    def spec(self) -> str | None: ...
    def trace(self) -> _Points: ...

def anonymize(
    data: _Data,
    base: str | None,
    options: dict[str, Any],
    population: _Data | None = None,
    progress: _Tell = None,
    keep: bool = False,
) -> Run: ...
def apply(
    recoding: str,
    data: _Data,
    unseen: str = "refuse",
    suppressed: str = "drop",
    earlier: list[str] = ...,
    seed: int | None = None,
    threads: int | None = None,
    progress: _Tell = None,
) -> Run: ...
def frontier(
    data: _Data,
    base: str | None,
    options: dict[str, Any],
    ks: list[int],
    limits: list[str],
    progress: _Tell = None,
    keep: bool = False,
) -> tuple[str, list[str], bool]: ...
def compare(
    data: _Data,
    base: str | None,
    options: dict[str, Any],
    ks: list[int],
    methods: list[str],
    time_limit: str | None = None,
    cache: str | os.PathLike[str] | None = None,
    no_cache: bool = False,
    progress: _Tell = None,
    keep: bool = False,
) -> tuple[str, str, str, str, list[str], bool]: ...
def inspect(data: _Data, options: dict[str, Any]) -> str: ...
def draft(data: _Data, input: str, options: dict[str, Any]) -> tuple[str, str]: ...
def verify(
    data: _Data,
    base: str | None,
    options: dict[str, Any],
    original: _Data | None = None,
    unchecked: list[str] = ...,
) -> tuple[str, str]: ...
def risk(
    data: _Data,
    options: dict[str, Any],
    threshold: float,
    size: int,
    population: _Data | None = None,
    sampling_fraction: float | None = None,
    population_size: int | None = None,
    weight_column: str | None = None,
    progress: _Tell = None,
    keep: bool = False,
) -> tuple[str, str, bool]: ...
def evaluate(
    release: _Data,
    original: _Data,
    options: dict[str, Any],
    k: int | None = None,
    blank_suppressed: bool = False,
    all: bool = True,
) -> tuple[str, str]: ...
def queries(
    release: _Data,
    original: _Data,
    options: dict[str, Any],
    queries: int,
    dimensions: int,
    selectivity: float,
    columns: list[str],
    seed: int,
) -> str: ...
def classification(
    release: _Data,
    options: dict[str, Any],
    class_: str,
    folds: int,
    seed: int,
    least_leaf: int,
    depth: int,
    original: _Data | None = None,
    test: _Data | None = None,
) -> str: ...
def spec_text(base: str | None, input: str | None, options: dict[str, Any]) -> str: ...
def spec_facts(text: str, path: str) -> str: ...
def spec_from_folder(text: str, path: str) -> str: ...
def keywords() -> list[str]: ...
def methods(name: str | None = None) -> str: ...
def build_hierarchy(data: _Data, column: str, options: dict[str, Any]) -> list[list[str]]: ...
def check_hierarchy(
    path: str,
    data: _Data | None = None,
    column: str | None = None,
    options: dict[str, Any] | None = None,
) -> tuple[list[str], int | None]: ...
def structure(
    k: int,
    domains: list[int],
    rows: int | None = None,
    repeats: int = 1,
    blanks: int | None = None,
    limit: int = ...,
    time_limit: float | None = None,
) -> str: ...
def nearest_structure(data: _Data, columns: list[str], k: int, limit: int) -> str: ...
def check_recoding(text: str) -> str: ...
def trace_chart(title: str, traces: list[tuple[str, _Points]], wall: bool = False) -> str | None: ...
def charts_of(page: str) -> list[str]: ...
def lines_chart(title: str, x: str, y: str, lines: list[tuple[str, list[tuple[float, float]]]]) -> str: ...
def command_line(args: list[str]) -> int: ...
def command_options() -> list[tuple[str, str, bool, str]]: ...
def demo_people(rows: int, seed: int = 1, wide: bool = False) -> str: ...
