#!/usr/bin/env python3
"""What the kind mixed loses beside an office's two steps: choose levels, then suppress single values.

    benches/mixed.py FOLDER [K] [PROGRAM]        default: 10, no program

FOLDER holds adult.csv and adult_hierarchy_COLUMN.csv, `;`-separated. The two steps are made here, with levels that
an office would choose by hand. Local suppression goes through the sets of columns, smallest first and those with most
categories first, and blanks a set in the rows that k rows then fit. It is made for both readings of a blank: a value
like any other, and one that matches anything. With a PROGRAM (an `incrowd` command) its kinds mixed, global and cells
are run, each verified, without hierarchies.

Loss: a number range by its width, a set by its values, each relative to the column, a blank and a suppressed row 1;
the mean over rows and columns. It is `released_gcp` of incrowd's reports.
"""

import collections
import csv
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
# Levels of the hierarchies by column; 0 where none is named. Ages: 1 to 3 are bands of 5, 10 and 20 years.
CHOICES = {
    "ages in fives": {"age": 1},
    "ages in tens": {"age": 2},
    "ages in tens, country": {"age": 2, "native-country": 1},
    "ages in tens, country, education": {"age": 2, "native-country": 1, "education": 1},
    "ages in tens, country, education, marital status": {
        "age": 2, "native-country": 1, "education": 1, "marital-status": 1},
    "all but sex and race one level up, ages in tens": {
        "age": 2, "native-country": 1, "education": 1, "marital-status": 1, "workclass": 1, "occupation": 1},
    "all but sex and race one level up, ages in fives": {
        "age": 1, "native-country": 1, "education": 1, "marital-status": 1, "workclass": 1, "occupation": 1},
    "country and marital status, ages in fives": {"age": 1, "native-country": 1, "marital-status": 1},
}


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter=";"))


def recoded(columns, hierarchies, levels):
    """The table at these levels, and what each label costs."""
    table, prices = [], []
    for name, values in zip(QUASI, columns):
        level = levels.get(name, 0)
        up = {row[0]: row[level] for row in hierarchies.get(name, [])}
        labels = [up.get(value, value) for value in values]
        members = collections.defaultdict(set)
        for value, label in zip(values, labels):
            members[label].add(value)
        if name == "age":
            ages = [float(value) for value in set(values)]
            wide = max(ages) - min(ages)
            price = {}
            for label in members:
                low, _, high = label.partition("-")
                price[label] = (float(high) - float(low)) / wide if high else 0.0
        else:
            number = len(set(values))
            price = {label: len(held) / number if len(held) > 1 else 0.0 for label, held in members.items()}
        table.append(labels)
        prices.append(price)
    return list(zip(*table)), prices


def blanked(table, k, wildcards):
    """By row, the columns that local suppression blanks, and how many rows are left over."""
    width = len(QUASI)
    categories = [len(set(column)) for column in zip(*table)]
    order = sorted(range(width), key=lambda at: -categories[at])
    blanks = [None] * len(table)
    open_rows = list(range(len(table)))
    for size in range(width + 1):
        for blank in itertools.combinations(order, size):
            kept = [at for at in range(width) if at not in blank]
            key = lambda row: tuple(table[row][at] for at in kept)  # noqa: E731
            rows = range(len(table)) if wildcards else open_rows
            counts = collections.Counter(map(key, rows))
            left = []
            for row in open_rows:
                if counts[key(row)] >= k:
                    blanks[row] = blank
                else:
                    left.append(row)
            open_rows = left
            if not open_rows:
                return blanks, 0
    return blanks, len(open_rows)


def loss(table, prices, blanks):
    cost = 0.0
    for row, blank in zip(table, blanks):
        if blank is None:
            cost += len(QUASI)
            continue
        cost += sum(1.0 if at in blank else prices[at][label] for at, label in enumerate(row))
    return cost / (len(table) * len(QUASI))


def run(program, source, k, more):
    with tempfile.TemporaryDirectory() as folder:
        asked = [program, "anonymize", source, "--delimiter", ";", "-k", str(k), "--quasi", ",".join(QUASI), "--other", "drop"]
        asked += ["-o", f"{folder}/out.csv", "--json", *more]
        told = json.loads(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)
    blanks = told["blanks"]["cells"] if told.get("blanks") else 0
    return told["released_gcp"], told["suppressed"], blanks, told["cpu_seconds"]


def main():
    folder, k = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10
    header, *rows = rows_of(folder / "adult.csv")
    columns = [[row[header.index(name)] for row in rows] for name in QUASI]
    hierarchies = {name: rows_of(path) for name in QUASI if (path := folder / f"adult_hierarchy_{name}.csv").exists()}
    print(f"k = {k}, {len(rows)} rows, {len(QUASI)} columns")
    for name, levels in CHOICES.items():
        table, prices = recoded(columns, hierarchies, levels)
        told = []
        for wildcards in (False, True):
            blanks, left = blanked(table, k, wildcards)
            cells = sum(len(QUASI) if blank is None else len(blank) for blank in blanks)
            told.append(f"{loss(table, prices, blanks):.4f} ({cells} blanks, {left} rows left over)")
        print(f"office, {name}: {told[0]}; a blank matches anything: {told[1]}")
    if len(sys.argv) > 3:
        few = ["-m", "recode-and-blank", "--option", "steps=400", "--option", "chains=2", "--option"]
        strict = [*few, "climb=100", "--option", "blanking=10"]
        weaker = [*few, "climb=20", "--option", "blanking=5", "--wildcards"]
        for more in (strict, weaker, ["--kind", "mixed"], ["--kind", "mixed", "--wildcards"], ["--kind", "global"], ["--kind", "cells"]):
            lost, suppressed, cells, seconds = run(sys.argv[3], str(folder / "adult.csv"), k, more)
            print(f"incrowd {' '.join(more)}: {lost:.4f} ({cells} blanks, {suppressed} rows suppressed, {seconds:.1f} s)")


if __name__ == "__main__":
    main()
