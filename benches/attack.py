#!/usr/bin/env python3
"""How often `incrowd attack` cries wolf, and how often it finds what is there.

    benches/attack.py PROGRAM [ROUNDS] [ROWS]       default: 100 rounds of 1000 made-up people

Each round makes people up and attacks three tables: other people of the same kind (nothing of the first is in it: whatever is
found is a false alarm), a release of k = 5, and the table itself under other names of rows (a bad release). Prints the share of
rounds in which each question was told as found; for a false alarm at most the 1% that `--confidence 99%` leaves.
"""

import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

QUASI = "age,sex,race,education,marital-status"
SECRET = "occupation"


def run(*words):
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True).stdout


def attacked(program, table, original, seed):
    told = json.loads(run(program, "attack", table, "--original", original, "--known", QUASI, "--secret", SECRET,
                          "--seed", seed, "--json"))
    found = {name: told[name]["low"] > 0 for name in ("singling_out", "linkability")}
    found["inference"] = any(column["low"] > 0 for column in told["inference"])
    return found


def one_round(program, number, rows, folder):
    people, others, release = (folder / f"{number}-{name}.csv" for name in ("people", "others", "release"))
    run(program, "demo", "--rows", rows, "--seed", 2 * number + 1, "--write", people)
    run(program, "demo", "--rows", rows, "--seed", 2 * number + 2, "--write", others)
    run(program, "anonymize", people, "-k", 5, "--quasi", QUASI, "--plain", SECRET, "--other", "drop", "--unit", "row",
        "--effort", "quick", "--seed", number, "-o", release, "--quiet")
    found = {name: attacked(program, table, people, number)
             for name, table in (("other people", others), ("release of k = 5", release), ("the table itself", people))}
    for path in (people, others, release):
        path.unlink()
    return found


def main():
    program = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    rows = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for result in pool.map(lambda number: one_round(program, number, rows, pathlib.Path(folder)), range(rounds)):
            for table, found in result.items():
                counts.update((table, question) for question, is_found in found.items() if is_found)
                counts.update([(table, "any")] if any(found.values()) else [])
    print(f"{rounds} rounds of {rows} people, told as found: ")
    questions = ("singling_out", "linkability", "inference", "any")
    print(f"{'':<18}" + "".join(f"{question:>14}" for question in questions))
    for table in ("other people", "release of k = 5", "the table itself"):
        print(f"{table:<18}" + "".join(f"{counts[table, question] / rounds:>14.1%}" for question in questions))


main()
