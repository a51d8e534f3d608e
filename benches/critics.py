#!/usr/bin/env python3
"""What labels and boxes give away, reckoned anew from the files: the figures of `incrowd verify` and `incrowd risk --control`.

    benches/critics.py labels RELEASE QUASI [K]               fields with a value that surely occurs, classes told whole
    benches/critics.py outside RELEASE CONTROL QUASI          boxes that no control row fits, ratio, isolation advantage
    benches/critics.py downcoding PROGRAM [ROUNDS]            rows lost on clustered people: tight, safe, in passes
    benches/critics.py adult PROGRAM FOLDER                   both for Adult; compares with PROGRAM, which is incrowd

It reads `[a-b]`, `{a, b}`, `{a, ..., b}`, `a*`, `*` and single values, knows nothing of how the program does it, and shares no
code with it. FOLDER holds adult.csv (`;` between fields) and adult_hierarchy_COLUMN.csv.
"""

import collections
import csv
import json
import math
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

COLUMNS = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]


def rows_of(path):
    with open(path, newline="") as file:
        text = file.read()
    first = text.split("\n", 1)[0]
    return list(csv.DictReader(text.splitlines(), delimiter=";" if ";" in first else ","))


def named(label):
    """The values that a label names, each of which occurs if the label was fitted to its class; None for a single value."""
    span = re.fullmatch(r"\[(-?[\d.]+)(?:-| to )(-?[\d.]+)\]", label)
    if span:
        return None if span[1] == span[2] else {span[1], span[2]}
    if label.startswith("{") and label.endswith("}"):
        return set(next(csv.reader([label[1:-1]], skipinitialspace=True))) - {"..."}
    return set() if label.endswith("*") else None


def labels(rows, quasi):
    """Shares of generalized fields with a sure value, of labels that tell their whole class, and that list it."""
    sizes = collections.Counter(tuple(row[column] for column in quasi) for row in rows)
    fields = sure = pairs = whole = listed = 0
    for key, size in sizes.items():
        for label in key:
            values = named(label)
            if values is None:
                continue
            fields += size
            pairs += 1
            sure += min(len(values), size)
            whole += len(values) == size
            if label.startswith("["):
                low, high = sorted(map(float, values))
                listed += len(values) == size == high - low + 1
            else:
                listed += len(values) == size and "..." not in label
    return {"fields": fields, "sure": sure / max(fields, 1), "whole": whole / max(pairs, 1),
            "listed": listed / max(pairs, 1)}


def holds(label, order, trees, column):
    """The values of a column that a label contains."""
    domain = order[column]
    if label == "*":
        return set(domain)
    if label in trees.get(column, {}):
        return trees[column][label]
    span = re.fullmatch(r"\[?(-?[\d.]+)(?:-| to )(-?[\d.]+)\]?", label)
    if span and column == "age":
        return {value for value in domain if float(span[1]) <= float(value) <= float(span[2])}
    if label.startswith("{"):
        parts, found = next(csv.reader([label[1:-1]], skipinitialspace=True)), set()
        for at, part in enumerate(parts):
            if part == "...":
                low, high = parts[at - 1], parts[at + 1]
                found |= {value for value in domain if low <= value <= high}
            else:
                found.add(part)
        return found
    if label.endswith("*"):
        return {value for value in domain if value.startswith(label[:-1])}
    return {label}


def outside(rows, others, quasi, trees):
    """How many of other people fit each box."""
    order = {column: sorted({row[column] for row in others}) for column in quasi}
    bits = {column: collections.Counter() for column in quasi}
    for at, row in enumerate(others):
        for column in quasi:
            bits[column][row[column]] |= 1 << at
    known = {}

    def fitting(column, label):
        if (column, label) not in known:
            total = 0
            for value in holds(label, order, trees, column):
                total |= bits[column].get(value, 0)
            known[column, label] = total
        return known[column, label]

    sizes = collections.Counter(tuple(row[column] for column in quasi) for row in rows)
    scale = len(rows) / len(others)
    ratios, gained, empty = [], 0.0, 0
    for key, size in sizes.items():
        people = (1 << len(others)) - 1
        for column, label in zip(quasi, key):
            people &= fitting(column, label)
        count = people.bit_count()
        ratio = scale * count / size
        ratios.append(ratio)
        empty += count == 0
        gained += size * ((1 - 1 / size) ** (size - 1) - ratio * math.exp(-ratio))
    return {"boxes": len(sizes), "empty": empty / len(sizes), "ratio": statistics.median(ratios),
            "advantage": gained / len(rows)}


def hierarchies(folder, columns):
    trees, options = {}, []
    for column in columns:
        path = folder / f"adult_hierarchy_{column}.csv"
        tree = collections.defaultdict(set)
        for line in path.read_text().splitlines():
            value, *above = line.split(";")
            for label in above:
                tree[label].add(value)
        trees[column] = tree
        options += ["--hierarchy", f"{column}={path}"]
    return trees, options


def run(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return done.stdout


def adult(program, folder):
    quasi, table = ",".join(COLUMNS), folder / "adult.csv"
    trees, named_trees = hierarchies(folder, COLUMNS)
    far = []

    def compare(what, ours, theirs):
        shown = ", ".join(f"{name} {ours[name]:.4f} ({theirs[name]:.4f})" for name in theirs)
        print(f"{what:<28} {shown}")
        far.extend(f"{what}: {name}" for name in theirs if abs(ours[name] - theirs[name]) > 0.001)

    with tempfile.TemporaryDirectory() as scratch:
        release, half, other = (pathlib.Path(scratch) / f"{name}.csv" for name in ("release", "half", "other"))
        asked = ["--quasi", quasi, "--other", "drop", "--unit", "row", "--quiet"]
        for k in (2, 5):
            run(program, "anonymize", table, "-k", k, *asked, "-m", "best-local", "-o", release)
            told = json.loads(run(program, "verify", release, "-k", k, "--quasi", quasi, "--json"))["refinement"]
            compare(f"labels, k = {k}", labels(rows_of(release), COLUMNS),
                    {"sure": told["sure_share"], "whole": told["determined_share"], "listed": told["listed_share"]})
        lines = table.read_text().splitlines()
        for path, start in ((half, 1), (other, 2)):
            path.write_text("\n".join([lines[0], *lines[start::2]]) + "\n")
        for method, options in (("best-local", []), ("mondrian", []), ("optimal", []), ("levels", named_trees)):
            choice = ["--kind", "levels"] if method == "levels" else ["-m", method]
            run(program, "anonymize", half, "-k", 5, *asked, *choice, *options, "-o", release)
            told = json.loads(run(program, "risk", release, "--quasi", quasi, "--size", 0, "--control", other,
                                  *options, "--json"))["outside"]
            compare(f"outside, {method}", outside(rows_of(release), rows_of(other), COLUMNS, trees if options else {}),
                    {"empty": told["empty_share"], "ratio": told["median_ratio"],
                     "advantage": told["isolation_advantage"]})
    if far:
        sys.exit("these differ: " + "; ".join(far))


def clustered(seed, k, clusters=40, columns=3):
    """Clusters far apart, each hardly larger than k; in each column one person in 2k lies off (Cohen 2022)."""
    dice = random.Random(seed)
    return [
        [str(1000 * (cluster * (2 * column + 3) % clusters) + 50 * (dice.randrange(2 * k) == 0) + dice.randrange(50))
         for column in range(columns)]
        for cluster in range(clusters)
        for _ in range(k + dice.randrange(k))
    ]


def in_passes(rows, k, widths=(1, 50, 100, 1000, 10000, None)):
    """A local recoding in passes: the finest full-domain bins of all rows that are left, and what is too rare goes on."""
    left, released = list(range(len(rows))), {}
    for width in widths:
        label = lambda value: "*" if width is None else value if width == 1 else \
            f"[{int(value) // width * width}-{int(value) // width * width + width - 1}]"
        labels = {row: tuple(label(value) for value in rows[row]) for row in left}
        sizes = collections.Counter(labels.values())
        released.update((row, text) for row, text in labels.items() if sizes[text] >= k)
        left = [row for row in left if row not in released]
    return [list(released[row]) for row in sorted(released)]


def downcoding(program, rounds):
    k, names = 5, ["a", "b", "c"]
    shares = {"tight": [], "safe": [], "passes": []}
    for seed in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            rows = clustered(seed, k)
            write = lambda name, rows: (folder / name).write_text("\n".join(
                ",".join(row) for row in [names, *rows]) + "\n")
            write("people.csv", rows)
            write("passes.csv", in_passes(rows, k))
            for labels in ("tight", "safe"):
                run(program, "anonymize", str(folder / "people.csv"), "-k", str(k), "--quasi", "a,b,c", "--labels", labels,
                    "-m", "best-local", *(["--ranges", "tight"] if labels == "tight" else []), "--quiet", "-o", str(folder / f"{labels}.csv"))
            for name in shares:
                told = json.loads(run(
                    program, "attack", str(folder / f"{name}.csv"), "--refine", str(folder / "finer.csv"), "--original",
                    str(folder / "people.csv"), "--known", "a,b,c", "--json"))
                shares[name].append((told["score"]["right_share"], told["score"]["guessed_share"]))
    print("| labels | rows lost | by guesses |\n| --- | --- | --- |")
    for name, found in shares.items():
        lost, guessed = (statistics.mean(column) for column in zip(*found))
        off = 2.576 * statistics.stdev(column[0] for column in found) / len(found) ** 0.5 if len(found) > 1 else 0
        print(f"| {name} | {100 * lost:.1f} % (± {100 * off:.1f}) | {100 * guessed:.1f} % |")


def main():
    what, *words = sys.argv[1:] or [""]
    if len(words) < (1 if what == "downcoding" else 2):
        sys.exit(__doc__)
    if what == "labels":
        print(labels(rows_of(words[0]), words[1].split(",")))
    elif what == "outside":
        print(outside(rows_of(words[0]), rows_of(words[1]), words[2].split(","), {}))
    elif what == "downcoding":
        downcoding(words[0], int(words[1]) if len(words) > 1 else 20)
    else:
        adult(words[0], pathlib.Path(words[1]).resolve())


if __name__ == "__main__":
    main()
