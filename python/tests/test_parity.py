"""The questions of the parity test, asked with frames and with files: the answers must be those of the command line.

The environment variable INCROWD_PARITY names the folder with the questions, the tables and the expected answers.
"""

import importlib.util
import json
import logging
import os
import pathlib
import subprocess
import sys

import pandas
import polars
import pyarrow
import pytest

import incrowd


def _folder():
    named = os.environ.get("INCROWD_PARITY")
    assert named, "INCROWD_PARITY must name the folder of the parity test: crates/incrowd-run/tests/parity"
    return pathlib.Path(named)


@pytest.fixture(scope="module")
def expect():
    """What the reference answers with, and how answers are compared."""
    path = _folder() / "expect.py"
    spec = importlib.util.spec_from_file_location("parity_expect", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tables(expect, tmp_path, monkeypatch):
    """A folder with all tables, in which the questions are asked."""
    expect.folder_of_tables(tmp_path)
    monkeypatch.chdir(tmp_path)
    # Warnings are compared by their codes; hundreds of them would hide what differs.
    monkeypatch.setattr(logging.getLogger("incrowd"), "disabled", True)
    return tmp_path


def _in_pandas(path, delimiter):
    return pandas.read_csv(path, sep=delimiter, dtype=str, keep_default_na=False)


def _in_pyarrow(path, delimiter):
    return pyarrow.Table.from_pandas(_in_pandas(path, delimiter), preserve_index=False)


def _in_polars(path, delimiter):
    return polars.DataFrame(_in_pyarrow(path, delimiter))


#: How a table is given.
GIVEN = {
    "pandas": _in_pandas,
    "polars": _in_polars,
    "pyarrow": _in_pyarrow,
    "file": lambda path, delimiter: path.name,
}


def _text(value):
    return "" if value is None or value != value else str(value)


def _rows(table):
    """The names of the columns, and the rows as text."""
    if isinstance(table, pandas.DataFrame):
        return list(table.columns), [list(map(_text, row)) for row in table.itertuples(index=False, name=None)]
    if isinstance(table, polars.DataFrame):
        return table.columns, [list(map(_text, row)) for row in table.rows()]
    columns = [column.to_pylist() for column in table.columns]
    return table.column_names, [list(map(_text, row)) for row in zip(*columns)]


def _answer(expect, question, data):
    try:
        result = incrowd.anonymize(data, **question["options"])
    except incrowd.IncrowdError as error:
        return expect.refusal(getattr(error, "check", None)), str(error)
    except TypeError as error:
        return expect.refusal(None), str(error)
    if not result:
        return expect.answer(question, result.facts, None, None), result.in_words
    return expect.answer(question, result.facts, *_rows(result.table)), result.in_words


@pytest.mark.parametrize("way", GIVEN)
def test_every_question_has_the_answer_of_the_command_line(expect, tables, way):
    expected = json.loads((_folder() / "expected.json").read_text(encoding="utf-8"))
    questions = expect.questions()
    assert len(questions) >= 100 and {question["name"] for question in questions} == expected.keys()
    given, differing = {}, []
    for question in questions:
        name = question["name"]
        path = tables / f"{question['table']}.csv"
        if path not in given:
            given[path] = GIVEN[way](path, expect.delimiter_of(path))
        found, said = _answer(expect, question, given[path])
        differing += expect.differences(question, expected[name], found, said)
    assert not differing, "\n".join(["", *differing])


def test_the_tables_are_those_that_their_script_makes():
    subprocess.run([sys.executable, "-B", _folder() / "make.py", "--check"], check=True)
