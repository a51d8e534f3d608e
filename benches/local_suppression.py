#!/usr/bin/env python3
"""Blanks under the reading in which a blank matches anything, beside the local suppression of other tools.

    benches/local_suppression.py [--incrowd PATH] [--rows 1470] [--tables 2] [--k 3,5,10] [--known 2,3] [--keep FOLDER]

Makes up tables of employees with eight keys, correlated and skewed like the table of a personnel office: with ages in
bands of five years, and with ages in years. Blanks them as sdcMicro 5.8 goes about it (`local_suppression`, written
anew from its documentation and its steps), as mu-Argus goes about few keys (`argus_suppression`), and with `incrowd`.
Every release is checked by `incrowd verify --wildcards`, those of the references, too. Prints the blanks in percent
of all cells, and how far the values that are left in a column are from those of the table (total variation in
percent: the mean of all columns, and the column that is farthest).
"""

import argparse
import csv
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

KEYS = ["age", "gender", "department", "education", "role", "marital", "travel", "level"]
BLANK = "*"

# Roles by department with their shares, and the levels that each of them has.
DEPARTMENTS = {
    "research": (0.65, {"scientist": 0.31, "technician": 0.28, "manufacturing": 0.15,
                        "healthcare": 0.13, "manager": 0.06, "director": 0.07}),
    "sales": (0.30, {"executive": 0.73, "representative": 0.18, "manager": 0.09}),
    "personnel": (0.05, {"personnel": 0.80, "manager": 0.20}),
}
LEVELS = {
    "scientist": [0.80, 0.19, 0.01, 0, 0], "technician": [0.75, 0.22, 0.03, 0, 0],
    "manufacturing": [0, 0.62, 0.31, 0.07, 0], "healthcare": [0, 0.60, 0.33, 0.07, 0],
    "executive": [0, 0.72, 0.24, 0.04, 0], "representative": [0.93, 0.07, 0, 0, 0],
    "personnel": [0.63, 0.25, 0.12, 0, 0], "manager": [0, 0, 0.12, 0.44, 0.44],
    "director": [0, 0, 0.33, 0.33, 0.34],
}


def drawn(chance, shares):
    """One of the keys of a table of shares."""
    names = list(shares)
    return chance.choices(names, [shares[name] for name in names])[0]


def employees(rows, seed, years):
    """A table of so many employees, with ages in years or in bands of five."""
    chance = random.Random(seed)
    table = []
    for _ in range(rows):
        department = drawn(chance, {name: share for name, (share, _) in DEPARTMENTS.items()})
        role = drawn(chance, DEPARTMENTS[department][1])
        level = 1 + chance.choices(range(5), LEVELS[role])[0]
        age = min(60, max(18, round(chance.gauss(29 + 4.2 * level, 7.5))))
        low = 15 + 5 * ((age - 15) // 5)
        gender = drawn(chance, {"male": 0.6, "female": 0.4})
        education = 1 + chance.choices(range(5), [0.12 if age < 30 else 0.10, 0.19, 0.39, 0.27, 0.03 if age < 30 else 0.04])[0]
        single = 0.55 if age < 25 else 0.30
        marital = drawn(chance, {"single": single, "married": 0.78 - single, "divorced": 0.22})
        travel = drawn(chance, {"rarely": 0.71, "frequently": 0.19, "never": 0.10})
        table.append([str(age) if years else f"{low}-{low + 4}", gender, department, str(education), role, marital, travel, str(level)])
    return table


class Bits:
    """A table as sets of rows, one bit each: by column and value, and the blanks of each column."""

    def __init__(self, table, columns):
        self.table, self.columns = table, columns
        self.all = (1 << len(table)) - 1
        self.of = [{} for _ in columns]
        for row, values in enumerate(table):
            for at, column in enumerate(columns):
                value = values[column]
                self.of[at][value] = self.of[at].get(value, 0) | 1 << row

    def fitting(self, at, value):
        """The rows that may be equal to a value of a column."""
        return self.all if value == BLANK else self.of[at].get(value, 0) | self.of[at].get(BLANK, 0)

    def crowd(self, row):
        """How many rows may be equal to a row."""
        fit = self.all
        for at, column in enumerate(self.columns):
            fit &= self.fitting(at, self.table[row][column])
        return fit.bit_count()

    def nearest(self, row):
        """The rows that differ in the fewest columns, but in one at least."""
        exactly = [self.all]
        for at, column in enumerate(self.columns):
            same = self.fitting(at, self.table[row][column])
            more = [bits & ~same for bits in exactly] + [0]
            exactly = [bits & same for bits in exactly] + [0]
            exactly = [here | (more[count - 1] if count else 0) for count, here in enumerate(exactly)]
        return next((bits for bits in exactly[1:] if bits), 0)

    def blank(self, row, at):
        column = self.columns[at]
        self.of[at][self.table[row][column]] &= ~(1 << row)
        self.of[at][BLANK] = self.of[at].get(BLANK, 0) | 1 << row
        self.table[row][column] = BLANK


def suppress_for(table, columns, k, rank):
    """k for some columns, as sdcMicro's local suppression goes about it, in place.

    Of equal rows k are looked at. In every pass each row with a crowd below k, smallest crowds first, loses one value:
    among the columns in which it differs from the rows nearest to it, the one that may be blanked first.
    """
    times, kept = {}, []
    first = {at: next((row[column] for row in table if row[column] != BLANK), BLANK) for at, column in enumerate(columns)}
    for row in table:
        key = tuple(first[at] if row[column] == BLANK else row[column] for at, column in enumerate(columns))
        times[key] = times.get(key, 0) + 1
        if times[key] <= k:
            kept.append(row)
    bits = Bits(kept, columns)
    order = sorted(range(len(columns)), key=lambda at: -rank[columns[at]])
    while True:
        crowds = [bits.crowd(row) for row in range(len(kept))]
        problems = sorted((row for row, crowd in enumerate(crowds) if crowd < k), key=lambda row: crowds[row])
        if not problems:
            return
        for row in problems:
            near = bits.nearest(row)
            for at in order:
                mine = kept[row][columns[at]]
                if mine != BLANK and near & ~bits.fitting(at, mine):
                    bits.blank(row, at)
                    break


def ranks(table):
    """How readily each column is blanked: those with most values first."""
    width = len(table[0])
    values = [len({row[at] for row in table}) for at in range(width)]
    order = sorted(range(width), key=lambda at: values[at])
    return {at: place for place, at in enumerate(order)}


def local_suppression(table, k, known=None):
    """The blanked table: k for all columns, or for every set of so many columns, one set after the other."""
    table = [row[:] for row in table]
    rank, width = ranks(table), len(table[0])
    for columns in itertools.combinations(range(width), known or width):
        suppress_for(table, list(columns), k, rank)
    return table


def argus_suppression(table, k, known):
    """The blanked table, as mu-Argus goes about it: combinations of up to so many values that fewer than k rows of the
    original have are unsafe; every row loses the value that is in most of its unsafe combinations until none is left."""
    width = len(table[0])
    unsafe = [[] for _ in table]
    for size in range(1, known + 1):
        for columns in itertools.combinations(range(width), size):
            keys = [tuple(row[at] for at in columns) for row in table]
            times = {}
            for key in keys:
                times[key] = times.get(key, 0) + 1
            for row, key in enumerate(keys):
                if times[key] < k:
                    unsafe[row].append(columns)
    blanked = [row[:] for row in table]
    for row, combinations in zip(blanked, unsafe):
        while combinations:
            worst = max(range(width), key=lambda at: sum(at in columns for columns in combinations))
            row[worst] = BLANK
            combinations = [columns for columns in combinations if worst not in columns]
    return blanked


def written(path, table):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([KEYS] + table)


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def distances(table, blanked):
    """The total variation between the values of each column and those that are left, in percent."""
    found = []
    for at in range(len(KEYS)):
        all_values = [row[at] for row in table]
        left = [row[at] for row in blanked if row[at] != BLANK]
        of = lambda values, value: values.count(value) / max(len(values), 1)
        found.append(50 * sum(abs(of(all_values, value) - of(left, value)) for value in set(all_values)))
    return found


class Bench:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words):
        done = subprocess.run([self.program, *words], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(words)}\n{done.stderr}")
        return done

    def verified(self, name, k, known, wildcards):
        """Whether the verifier accepts a release."""
        words = ["verify", self.path(name), "-k", str(k), "--quasi", ",".join(KEYS), "--original", self.path("table.csv")]
        words += ["--known-columns", str(known)] if known else []
        words += ["--wildcards"] if wildcards else []
        return self.run(*words).returncode == 0

    def incrowd(self, k, known, *more, wildcards=True):
        """Blanks the table with incrowd."""
        words = ["anonymize", self.path("table.csv"), "-k", str(k), "--quasi", ",".join(KEYS), "--method", "cells",
                 "--metric", "blanks", "--keep-order", "--quiet", "--json", "-o", self.path("release.csv"), *more]
        words += ["--known-columns", str(known)] if known else []
        words += ["--wildcards"] if wildcards else []
        done = self.run(*words)
        if done.returncode:
            sys.exit(f"{' '.join(words)}\n{done.stderr}")
        return read(self.path("release.csv")), json.loads(done.stdout)["cpu_seconds"]

    def line(self, name, table, blanked, k, known=None, seconds=None, wildcards=True):
        if seconds is None:
            written(self.path("release.csv"), blanked)
        holds = "verified" if self.verified("release.csv", k, known, wildcards) else "FAILS"
        blanks = [sum(row[at] == BLANK for row in blanked) for at in range(len(KEYS))]
        share = 100 * sum(blanks) / len(KEYS) / len(table)
        far = distances(table, blanked)
        time = "" if seconds is None else f"  {seconds:.1f} s"
        print(f"  k = {k:<2} {name:<34} {share:6.2f} %  {holds}  distance {sum(far) / len(far):5.2f}, at most {max(far):5.2f}"
              f"  most in a row {max(row.count(BLANK) for row in blanked)}{time}")
        print("         " + ", ".join(f"{key} {count}" for key, count in zip(KEYS, blanks)))

    def compare(self, table, ks, knowns):
        written(self.path("table.csv"), table)
        for k in ks:
            self.line("sdcMicro's steps", table, local_suppression(table, k), k)
            for name, options in [("incrowd", []), ("incrowd, marginals=off", ["--option", "marginals=off"]),
                                  ("incrowd, marginals=200", ["--option", "marginals=200"]),
                                  ("incrowd, crowd=own", ["--option", "crowd=own"])]:
                blanked, seconds = self.incrowd(k, None, *options)
                self.line(name, table, blanked, k, None, seconds)
        for known in knowns:
            print(f"  every {known} columns")
            for k in ks[:1]:
                self.line("sdcMicro's steps", table, local_suppression(table, k, known), k, known)
                self.line("mu-Argus' steps", table, argus_suppression(table, k, known), k, known)
                for name, options, wildcards in [("incrowd", [], True), ("incrowd, crowd=own", ["--option", "crowd=own"], True),
                                                 ("incrowd, a blank is a value", [], False)]:
                    blanked, seconds = self.incrowd(k, known, *options, wildcards=wildcards)
                    self.line(name, table, blanked, k, known, seconds, wildcards)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--incrowd", default="incrowd")
    parser.add_argument("--rows", type=int, default=1470)
    parser.add_argument("--tables", type=int, default=2)
    parser.add_argument("--k", default="3,5,10")
    parser.add_argument("--known", default="2,3")
    parser.add_argument("--keep", help="a folder for the table and the release, which stay there")
    asked = parser.parse_args()
    numbers = lambda text: [int(number) for number in text.split(",") if number]
    with tempfile.TemporaryDirectory() as scratch:
        if asked.keep:
            os.makedirs(asked.keep, exist_ok=True)
        bench = Bench(asked.incrowd, asked.keep or scratch)
        for years in (False, True):
            for seed in range(1, asked.tables + 1):
                print(f"{asked.rows} employees, seed {seed}, ages in {'years' if years else 'bands'}")
                bench.compare(employees(asked.rows, seed, years), numbers(asked.k), numbers(asked.known))


if __name__ == "__main__":
    main()
