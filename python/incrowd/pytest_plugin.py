"""A plugin of pytest: releases are tests.

``pytest --incrowd people.toml`` adds a test for each spec: the release that the spec names is verified against the spec and
against the table that it was made of. The option can be given several times, and as ``incrowd = [...]`` in the configuration of
pytest, from its folder. The assertions of :mod:`incrowd.testing` need no plugin.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

__all__ = ["ReleaseTest", "SpecFile"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option, and the same in the configuration."""
    group = parser.getgroup("incrowd", "releases of incrowd")
    group.addoption("--incrowd", action="append", default=[], metavar="SPEC", help="verify the release of this spec file")
    parser.addini("incrowd", "spec files whose releases are verified", type="paths", default=[])


def pytest_collection(session: pytest.Session) -> None:
    """Remembers that nothing was added yet."""
    session.config.stash[_ADDED] = False


_ADDED: pytest.StashKey[bool] = pytest.StashKey()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Adds a test for each spec that was named."""
    if config.stash.get(_ADDED, False):
        return
    config.stash[_ADDED] = True
    named = [Path(config.invocation_params.dir, name) for name in config.getoption("--incrowd") or ()]
    for path in dict.fromkeys([*named, *map(Path, config.getini("incrowd"))]):
        items.extend(SpecFile.from_parent(session, path=path).collect())


class SpecFile(pytest.File):
    """A spec file and its release."""

    def collect(self) -> Iterator[pytest.Item]:
        """One test."""
        yield ReleaseTest.from_parent(self, name="release")


class ReleaseTest(pytest.Item):
    """A release meets its spec, and tells the truth about the table that it was made of."""

    def runtest(self) -> None:
        """Verifies the release."""
        import incrowd

        spec = incrowd.Spec.load(self.path)
        if spec.output is None:
            raise incrowd.InputError(f"{self.path.name} names no release", 'add output = "release.csv" to [release]')
        release = self.path.parent / spec.output
        verdict = incrowd.verify(release, spec=spec, original=spec.input)
        assert verdict, f"{release} is not what {self.path.name} asks for:\n{verdict}"

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """What went wrong, without the lines of this plugin."""
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, int, str]:
        """How it is called."""
        return self.path, 0, f"release of {self.path.name}"
