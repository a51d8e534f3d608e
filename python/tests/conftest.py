"""Tables that the tests share."""

import inspect
import re
import subprocess
import sys
import typing

import pandas
import pytest

import incrowd
from incrowd import _signatures


@pytest.fixture(scope="session")
def people():
    """Made-up people of a census."""
    return incrowd.demo(3000, seed=3)


@pytest.fixture(scope="session")
def quasi(people):
    """The columns that others may know."""
    return [name for name in ("age", "sex", "race", "education") if name in people.columns]


@pytest.fixture(scope="session")
def small():
    """Few rows; the last of them is alone and is suppressed by what the tests ask for."""
    return pandas.DataFrame(
        {
            "age": [20 + at % 6 for at in range(40)] + [97],
            "town": pandas.Categorical([["Oslo", "Rome"][at % 2] for at in range(40)] + ["Thule"]),
            "ill": pandas.Categorical([["flu", "gout", "cold"][at // 6 % 3] for at in range(40)] + ["plague"]),
            "seen": pandas.to_datetime(["2026-01-05"] * 40 + ["2026-03-01"]),
        }
    )


@pytest.fixture
def command():
    """The command line."""

    def run(*args, code=0):
        done = subprocess.run([sys.executable, "-m", "incrowd", *map(str, args)], capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def keywords_of():
    """The keywords that a function declares, those of its options included, with their types."""

    def declared(function):
        found = {}
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
                found[name] = parameter.annotation
                continue
            group = re.fullmatch(r"Unpack\[(\w+)\]", parameter.annotation)
            assert group, f"{function.__qualname__} takes {parameter.annotation}"
            found |= typing.get_type_hints(getattr(_signatures, group[1]))
        return found

    return declared
