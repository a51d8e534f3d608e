"""The questions of the parity test, asked on a cluster: the answers must be those of the command line.

The environment variable INCROWD_PARITY names the folder with the questions, the tables and the expected answers.
"""

import importlib.util
import json
import logging
import os
import pathlib

import pandas
import pyarrow
import pyarrow.parquet
import pytest

import incrowd

#: What needs the rows in one place: such questions are refused.
LACKING = ("treat", "linked", "follows")
#: Of the questions that release something every so many is asked: each takes seconds.
EVERY = 3


def _folder():
    named = os.environ.get("INCROWD_PARITY")
    assert named, "INCROWD_PARITY must name the folder of the parity test: crates/incrowd-run/tests/parity"
    return pathlib.Path(named)


@pytest.fixture(scope="module")
def expect():
    """What the reference answers with, and how answers are compared."""
    spec = importlib.util.spec_from_file_location("parity_expect", _folder() / "expect.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def frames(spark, expect, tmp_path, monkeypatch):
    """All tables as Spark frames of two files each, every column as text; questions are asked in their folder."""
    expect.folder_of_tables(tmp_path)
    monkeypatch.chdir(tmp_path)
    # Warnings are compared by their codes; hundreds of them would hide what differs.
    monkeypatch.setattr(logging.getLogger("incrowd"), "disabled", True)
    found = {}
    for name in sorted({question["table"] for question in expect.questions()}):
        path = tmp_path / f"{name}.csv"
        table = pandas.read_csv(path, sep=expect.delimiter_of(path), dtype=str, keep_default_na=False)
        table = pyarrow.Table.from_pandas(table, preserve_index=False)
        folder = tmp_path / "frames" / name
        folder.mkdir(parents=True)
        half = table.num_rows // 2
        pyarrow.parquet.write_table(table.slice(0, half), folder / "part-0.parquet")
        pyarrow.parquet.write_table(table.slice(half), folder / "part-1.parquet")
        found[name] = spark.read.parquet(str(folder))
    return found


def _is_asked(expect, at, question, expected):
    """Whatever ends before anything is written, and some of the others."""
    ends_early = expected["outcome"] != "released" or expect.is_lacking(question, LACKING)
    return ends_early or at % EVERY == 2


def _rows(folder):
    """The names of the columns, and the rows as text, from the files that were written."""
    table = pyarrow.parquet.read_table(folder)
    columns = [["" if value is None else str(value) for value in column.to_pylist()] for column in table.columns]
    return table.column_names, [list(row) for row in zip(*columns)]


def _answer(expect, question, frame, into):
    try:
        result = incrowd.spark.anonymize(frame, into=str(into), files=1, **question["options"])
    except incrowd.IncrowdError as error:
        assert not into.exists(), f"{question['name']} is refused, and yet there is a release"
        return expect.refusal(getattr(error, "check", None)), str(error)
    except TypeError as error:
        return expect.refusal(None), str(error)
    if not result:
        return expect.answer(question, result.facts, None, None), result.in_words
    return expect.answer(question, result.facts, *_rows(into)), result.in_words


def test_questions_have_the_answer_of_the_command_line(expect, frames, tmp_path):
    answers = json.loads((_folder() / "expected.json").read_text(encoding="utf-8"))
    released, differing = 0, []
    for at, question in enumerate(expect.questions()):
        name = question["name"]
        expected = answers[name]
        if not _is_asked(expect, at, question, expected):
            continue
        found, said = _answer(expect, question, frames[question["table"]], tmp_path / "released" / name)
        released += found["outcome"] == "released"
        differing += expect.differences(question, expected, found, said, in_order=False, lacks=LACKING)
    assert not differing, "\n".join(["", *differing])
    assert released >= 40, f"only {released} questions were released"
