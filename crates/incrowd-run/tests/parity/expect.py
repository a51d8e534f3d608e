#!/usr/bin/env python3
"""Asks the command line all questions and writes its answers to expected.json, which the other front ends are compared with.

    python3 expect.py PROGRAM            asks this `incrowd` program, and writes expected.json beside this file
    python3 expect.py PROGRAM --check    compares the answers with expected.json and writes nothing
    python3 expect.py PROGRAM NAME...    prints the answers to these questions

A question says in `meant` how it is meant to end: `released`, `infeasible`, `invalid`, or `refused:CHECK`. Answers that are not
meant so are listed, and the exit code is 1.
"""

import csv
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
#: The key of pseudonyms and shifted dates. Keys that others may read are refused, so it is no file of the repository.
KEY_FILE, KEY = "parity.key", "5" * 64

#: Options that take a list of columns.
ROLES = ("quasi", "identifying", "sensitive", "plain")
#: Models, which take a number, a short notation, or a table from columns to these.
MODELS = ("l_diversity", "t_closeness", "alpha", "beta_likeness", "delta_disclosure")
#: Options that take a table from columns to values.
OF_COLUMNS = ("hierarchy", "bins", "order", "weight", "type", "summary", "cut_at", "never_cut_at", "min_level", "max_level",
              "argus", "breaks", "top", "bottom", "round", "keep_prefix", "age_at", "date_unit", "rename", "treat", "follows",
              "date_format")
#: Keys of rules for hierarchies.
RULES = ("intervals", "start", "prefix", "date", "groups", "tree", "rows", "ready", "other")


def questions():
    """All questions, in their order."""
    return json.loads((HERE / "questions.json").read_text(encoding="utf-8"))


def delimiter_of(path):
    """The character between the fields of a table."""
    with open(path, encoding="utf-8") as file:
        return ";" if ";" in file.readline() else ","


def folder_of_tables(folder):
    """Copies all tables into a folder and puts the key beside them."""
    for path in sorted((HERE / "tables").iterdir()):
        shutil.copy(path, folder)
    key = pathlib.Path(folder) / KEY_FILE
    key.write_text(KEY + "\n", encoding="ascii")
    os.chmod(key, 0o600)


def name_of(column):
    """A column's name in a list of names."""
    return '"' + column.replace('"', '""') + '"' if "," in column or '"' in column else column


def text_of(value):
    """A value of an option as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(map(text_of, value))
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)


def toml(value):
    """A value in the notation of TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key, ensure_ascii=False)} = {toml(it)}" for key, it in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def hierarchy(column, value, folder):
    """A hierarchy on the command line: a word, or a file for a rule, rows, groups of values, or the group of each value."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        value = {"rows": value}
    elif not all(key in RULES for key in value):
        nested = any(isinstance(below, (list, dict)) for below in value.values())
        value = {"tree": value} if nested else {"rows": [[it, group, "*"] for it, group in value.items()]}
    name = f"hierarchy-{column}.toml"
    lines = [f"{json.dumps(key)} = {toml(it)}\n" for key, it in value.items()]
    (pathlib.Path(folder) / name).write_text("".join(lines), encoding="utf-8")
    return name


def words(options, folder):
    """The options of the command line that keyword arguments of Python stand for."""
    found = []
    population = options.get("population") if options.get("k_map") is True else None
    for keyword, value in options.items():
        option = "--" + keyword.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if keyword in ROLES:
            listed = value if isinstance(value, list) else [value]
            found += [option, ",".join(map(name_of, listed))]
        elif keyword == "k":
            found += ["-k", text_of(value)]
        elif keyword == "population" and population:
            continue
        elif keyword == "k_map" and population:
            found += [option, population]
        elif keyword in MODELS:
            for one in value if isinstance(value, list) else [value]:
                pairs = one.items() if isinstance(one, dict) else [(None, one)]
                for column, number in pairs:
                    found.append(f"{option}={text_of(number) if column is None else f'{name_of(column)}={text_of(number)}'}")
        elif keyword == "hierarchy":
            for column, rule in value.items():
                found += [option, f"{column}={hierarchy(column, rule, folder)}"]
        elif keyword in ("narrowing", "accept"):
            found += [option, ",".join(name_of(column) for column, narrows in value.items() if narrows)]
        elif keyword == "option" or keyword in OF_COLUMNS and isinstance(value, dict):
            for column, it in value.items():
                found += [option, f"{column}={text_of(it)}"]
        elif value is True:
            found.append(option)
        else:
            found.append(f"{option}={text_of(value)}")
    return found


def digest(header, rows):
    """The hash of rows in any order, below their header."""
    lines = ["\x1f".join(header), *sorted("\x1f".join(row) for row in rows)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def some_columns(header, rows, keep):
    """The columns that are to be kept."""
    places = [at for at, name in enumerate(header) if keep(name)]
    return [header[at] for at in places], [[row[at] for at in places] for row in rows]


def is_label(quasi):
    """Whether a released column is a quasi-identifier, or one end of its ranges."""
    labels = {name + end for name in quasi for end in ("", "_min", "_max")}
    return lambda name: name in labels


def answer(question, facts, header, rows):
    """The answer to a question, from the facts of its run and the released rows."""
    told = {
        "outcome": "released" if rows is not None else "infeasible",
        "check": None,
        "warnings": sorted(warning["code"] for warning in facts["warnings"]),
        "checks": {check["id"]: check["status"] for check in facts.get("checks", [])},
    }
    if rows is None:
        return told
    fresh = question.get("fresh", [])
    verdict = facts["verdict"]
    return {
        **told,
        "columns": list(header),
        "rows": digest(*some_columns(header, rows, lambda name: name not in fresh)),
        "labels": digest(*some_columns(header, rows, is_label(facts["quasi"]))),
        "k": verdict["k"],
        "holds": verdict["holds"],
    }


def refusal(check):
    """The answer to a question that was refused, or that makes no sense."""
    return {"outcome": "invalid" if check is None else "refused", "check": check}


def comparable(told, question, in_order):
    """What of an answer can be compared with another back end. Whole rows can be if all rows of one combination go into one
    class, or if the back end takes the rows in the order of the table. What is said of spreadsheets is about text files."""
    told = dict(told)
    if question["options"].get("csv_safe") or not in_order and "deals" in question["features"]:
        told.pop("rows", None)
    if "warnings" in told:
        told["warnings"] = [code for code in told["warnings"] if code != "formulas"]
    return told


def is_lacking(question, lacks):
    """Whether a question needs a feature that a back end lacks."""
    return any(feature in lacks for feature in question["features"])


def differences(question, expected, found, said, in_order=True, lacks=()):
    """What differs between the answer of the command line and that of a back end, in words."""
    if is_lacking(question, lacks):
        # What is refused anyway may be refused for either reason.
        either = expected["outcome"] in ("invalid", "refused") and found["outcome"] == expected["outcome"]
        if either or (found["outcome"], found["check"]) == ("refused", "back-end"):
            return []
        return [f"{question['name']}: a feature is lacking, but it is not refused by `back-end`: {found}: {said}"]
    expected, found = comparable(expected, question, in_order), comparable(found, question, in_order)
    if expected == found:
        return []
    lines = []
    for part in sorted(expected.keys() | found.keys()):
        one, other = expected.get(part), found.get(part)
        if part == "checks" and one and other:
            each = sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key))
            lines += [f"    check {key}: expected {one.get(key)}, found {other.get(key)}" for key in each]
        elif one != other:
            lines.append(f"    {part}: expected {one}, found {other}")
    return [f"{question['name']}: {said}".split("\n")[0], *lines]


def ask(program, question):
    """What a program answers to a question."""
    with tempfile.TemporaryDirectory() as folder:
        folder_of_tables(folder)
        table = question["table"] + ".csv"
        command = [program, "anonymize", table, *words(question["options"], folder), "-o", "release.csv", "--json", "--quiet"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8")
        release = pathlib.Path(folder) / "release.csv"
        if not done.stdout.strip():
            # A command line that cannot be understood has no answer in JSON.
            if done.returncode == 2 and "error:" in done.stderr:
                return refusal(None), done.stderr
            raise SystemExit(f"{question['name']} ends with {done.returncode}: {done.stderr}")
        facts = json.loads(done.stdout)
        if "error" in facts:
            if release.exists():
                raise SystemExit(f"{question['name']} is refused, and yet there is a release")
            return refusal(facts["error"].get("check")), f"{facts['error']['code']}: {facts['error']['message']}"
        said = facts["in_words"]
        if facts["outcome"] == "infeasible":
            return answer(question, facts, None, None), said
        if not release.exists():
            raise SystemExit(f"{question['name']} has no release: {said}")
        delimiter = question["options"].get("output_delimiter", delimiter_of(HERE / "tables" / table))
        with open(release, encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(io.StringIO(file.read()), delimiter=delimiter)
        return answer(question, facts, header, rows), said


def main():
    program, *names = sys.argv[1:] or sys.exit(__doc__)
    program = os.path.abspath(program)
    check = names == ["--check"]
    found, wrong = {}, []
    for question in questions():
        name = question["name"]
        if names and not check and name not in names:
            continue
        if name in found:
            sys.exit(f"there are two questions named {name}")
        told, said = ask(program, question)
        found[name] = told
        ended = told["outcome"] if told["check"] is None else f"{told['outcome']}:{told['check']}"
        if ended != question["meant"]:
            wrong.append(f"{name}: meant is {question['meant']}, but it ends {ended}: {said}")
        if names and not check:
            print(name, json.dumps(told, indent=1), said, sep="\n")
    path = HERE / "expected.json"
    if check:
        expected = json.loads(path.read_text(encoding="utf-8"))
        for name in sorted(expected.keys() | found.keys()):
            one, other = expected.get(name), found.get(name)
            if one != other:
                wrong.append(f"{name}:\n  expected {json.dumps(one)}\n  found    {json.dumps(other)}")
    elif not names:
        lines = [f"{json.dumps(name)}: {json.dumps(told)}" for name, told in found.items()]
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(found)} questions")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
