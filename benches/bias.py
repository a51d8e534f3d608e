#!/usr/bin/env python3
"""How suppression moves the shares of categories, by kind and method, with and without a limit on bias.

    cargo build --release -p incrowd-cli && benches/bias.py FOLDER [--incrowd PROGRAM] [--only adult,people] [--ks 5,10,25] [--limits]

FOLDER holds adult.csv.gz and adult_hierarchy_COLUMN.csv (with ";" between fields), such as crates/incrowd-testing/data/adult. Made-up
people are made by `incrowd demo`. Every line is one run with the effort quick and seed 1: rows suppressed, loss of the printed labels,
the share that moves most with its column, and how far the weighted total of the worst category would be off. The class column is
released as it is: its shares are counted again here, from the two files, and must be those that the run tells.

--limits compares limits on suppressed rows instead, for the kind global: what fewer suppressed rows cost.
"""

import argparse
import collections
import csv
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

ADULT = "sex,age,race,marital-status,education,native-country,workclass,occupation"
PEOPLE = "age,sex,race,marital-status,education,native-country,workclass,occupation"


def rows_of(path, delimiter):
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path, encoding="utf-8")
    with opened as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def largest_shift(before, after, column):
    """The farthest that a share moves, counted row by row."""
    was, left = (collections.Counter(row[column] for row in rows) for rows in (before, after))
    return max(abs(left[value] / len(after) - was[value] / len(before)) for value in was)


class Bench:
    def __init__(self, program, folder, work):
        self.program, self.work = program, pathlib.Path(work)
        self.tables = {
            "adult": (folder / "adult.csv.gz", ";", ADULT, "salary-class",
                      [f"{column}={folder}/adult_hierarchy_{column}.csv" for column in ADULT.split(",")]),
            "people": (self.work / "people.csv", ",", PEOPLE, "income", []),
        }
        subprocess.run([program, "demo", "--rows", "10000", "--write", str(self.work / "people.csv")], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def run(self, table, k, more):
        path, delimiter, quasi, target, hierarchies = self.tables[table]
        release = self.work / "release.csv"
        release.unlink(missing_ok=True)
        words = [self.program, "anonymize", str(path), "-k", str(k), "--quasi", quasi, "--class", target, "--delimiter", delimiter,
                 "--other", "drop", "--effort", "quick", "--seed", "1", "--quiet", "--json", "-o", str(release), *more]
        if "levels" in more:
            words += [word for it in hierarchies for word in ("--hierarchy", it)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            return None, (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[0]
        told = json.loads(done.stdout)
        counted = largest_shift(rows_of(path, delimiter), rows_of(release, delimiter), target)
        of_target = [it["largest"] for it in told.get("bias", []) if it["column"] == target] or [0.0]
        assert abs(counted - of_target[0]) < 1e-9, (counted, of_target)
        return told, None

    def line(self, table, k, name, more):
        told, why = self.run(table, k, more)
        if told is None:
            print(f"| {table} | {name} | {k} | {why} | | | | |", flush=True)
            return
        worst = max(told.get("bias", []), key=lambda it: it["largest"], default=None)
        shift = f"{100 * worst['largest']:.2f} ({worst['column']})" if worst else "0"
        off = max((abs(it["shift"]) / it["before"] for of in told.get("bias", []) for it in of["categories"]
                   if it["before"] >= 0.01), default=0.0)
        print(f"| {table} | {name} | {k} | {100 * told['suppressed'] / told['rows']:.2f} % | {100 * told['released_gcp']:.2f} % "
              f"| {shift} | {100 * off:.1f} % | {told['cpu_seconds']:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--incrowd", default="target/release/incrowd")
    parser.add_argument("--only", default="adult,people")
    parser.add_argument("--ks", default="5,10,25")
    parser.add_argument("--limits", action="store_true")
    asked = parser.parse_args()
    global_ways = [(f"global, {limit} suppressed", ["--kind", "global", "--max-suppressed", limit])
                   for limit in ("all", "5%", "2%", "1%", "0")]
    ways = [(f"{name}{', max-bias ' + limit if limit else ''}", more + (["--max-bias", limit] if limit else []))
            for name, more in (("global", ["--kind", "global"]), ("levels", ["--kind", "levels"]), ("local", ["--kind", "local"]))
            for limit in ("", "2%", "1%")]
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(asked.incrowd, asked.folder, work)
        print("| table | kind | k | suppressed | loss as printed | largest shift, points | worst total off by | CPU s |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        for table in asked.only.split(","):
            for k in asked.ks.split(","):
                for name, more in global_ways if asked.limits else ways:
                    if table == "people" and "levels" in more:
                        continue
                    bench.line(table, k, name, more)
    return 0


if __name__ == "__main__":
    sys.exit(main())
