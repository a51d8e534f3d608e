"""What analysts find in releases of the Adult data: `evaluate statistics` and models of scikit-learn, by kind of release and k.

    python benches/usefulness.py releases [K ...]     our releases, at k = 5 and 10 unless others are named
    python benches/usefulness.py others               the figures of pycanon and anjana, where they are installed, beside ours

The package `incrowd` must be installed. Every fourth row is kept out of the releases and is what models are judged on. Prints the
versions of all that was used.
"""

from __future__ import annotations

import gzip
import importlib.metadata
import io
import sys
from pathlib import Path

import pandas

import incrowd

DATA = Path(__file__).resolve().parent.parent / "crates/incrowd-testing/data/adult"
QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
CLASS = "salary-class"
SECONDS = 20


def adult() -> tuple[pandas.DataFrame, pandas.DataFrame]:
    """The rows to be released, and those to be judged on."""
    with gzip.open(DATA / "adult.csv.gz", "rt", encoding="utf-8") as file:
        table = pandas.read_csv(io.StringIO(file.read()), sep=None, engine="python", dtype=str)
    table = table[[*QUASI, CLASS]]
    held_out = table.index % 4 == 3
    return table[~held_out].reset_index(drop=True), table[held_out].reset_index(drop=True)


def trees() -> dict[str, str]:
    return {column: str(DATA / f"adult_hierarchy_{column}.csv") for column in QUASI}


def versions(*names: str) -> None:
    found = []
    for name in names:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name} is not installed")
    print(", ".join([*found, f"Python {sys.version.split()[0]}"]))


HEADER = ["release", "k", "rows", "GCP", "IL1s", "mean age", "overlap", "pMSE ratio", "Pearson, V, ratio", "2-marginals", "3-marginals",
          "AUC logistic", "AUC forest", "worst subgroup"]


def line(name: str, k: int | str, release: pandas.DataFrame, people: pandas.DataFrame, test: pandas.DataFrame, **more: object) -> None:
    found = incrowd.statistics(release, people, QUASI, class_=CLASS, **more)
    told = found.statistics
    models = incrowd.learning(release, people, test, QUASI, CLASS, **{key: it for key, it in more.items() if key == "hierarchy"})
    age = next(it for it in told["numbers"] if it["column"] == "age")
    overlap = {of["outcome"]: of["overlap"] for of in told["regressions"]}
    lost = ", ".join(f"{it['mean_difference']:.3f}" for it in told["association_loss"])
    score = {it["columns"]: it["score"] for it in told["marginals"]}
    worst = max(
        ((value["gcp"], f"{loss['column']}={value['value']}") for loss in told["subgroups"] for value in loss["values"] if value["gcp"] is not None),
        default=(0.0, ""),
    )
    gcp = found.metrics["gcp"]
    cells = [
        name, str(k), f"{found.released:,}", "?" if gcp is None else f"{gcp:.4f}", f"{told['il1s']:.3f}" if told["il1s"] is not None else "?",
        " to ".join("?" if age["mean"][when] is None else f"{age['mean'][when]:.2f}" for when in ("before", "after")),
        ", ".join(f"{outcome} {share:.2f}" for outcome, share in overlap.items()),
        f"{told['propensity']['ratio']:.2f}" if told["propensity"] and told["propensity"]["ratio"] is not None else "?",
        lost, f"{score.get(2, 0):.0f}", f"{score.get(3, 0):.0f}",
        *(f"{models.release[model] or 0:.4f} ({models.original[model] or 0:.4f})" for model in ("logistic", "forest")),
        f"{worst[1]} {100 * worst[0]:.1f} %",
    ]
    print("| " + " | ".join(cells) + " |", flush=True)


def releases(sizes: list[int]) -> None:
    people, test = adult()
    versions("incrowd", "scikit-learn", "numpy", "pandas")
    print(f"{len(people):,} rows released, {len(test):,} kept out; {SECONDS} s for each search; AUC of the original in brackets\n")
    print("| " + " | ".join(HEADER) + " |")
    print("| " + " | ".join("---" for _ in HEADER) + " |")
    for k in sizes:
        for kind in ("local", "global", "levels", "cells"):
            more: dict[str, object] = {"hierarchy": trees()} if kind == "levels" else {}
            made = incrowd.anonymize(people, k=k, quasi=QUASI, class_=CLASS, kind=kind, time_limit=SECONDS, seed=1, on_interrupt="raise", **more)
            line(kind, k, made.table.astype(str), people, test, **more)


def others() -> None:
    people, test = adult()
    versions("incrowd", "pycanon", "anjana", "anonymeter", "scikit-learn", "numpy", "pandas")
    def mondrian(k: int) -> pandas.DataFrame:
        return incrowd.anonymize(people, k=k, quasi=QUASI, class_=CLASS, method="mondrian", seed=1).table.astype(str)

    release = mondrian(10)
    ours = incrowd.evaluate(release, people, QUASI, class_=CLASS, all=False, k=10)
    print(f"ours    k {ours.class_sizes['smallest']}, C_avg {ours.metrics['c_avg']:.6f}, DM {ours.metrics['dm']}, CM {ours.metrics['cm_share']}")
    try:
        from pycanon import metrics
        from pycanon.anonymity import k_anonymity

        print(
            f"pycanon k {k_anonymity(release, QUASI)}, C_avg {metrics.average_ecsize(people, release, QUASI, sup=False):.6f}, "
            f"DM {metrics.discernability_metric(people, release, QUASI)}"
        )
    except ImportError as missing:
        print(f"pycanon: {missing}")
    print("\n| " + " | ".join(HEADER) + " |")
    print("| " + " | ".join("---" for _ in HEADER) + " |")
    for k in (5, 10):
        line("incrowd, mondrian", k, mondrian(k), people, test)
    try:
        import anjana.anonymity
    except ImportError as missing:
        print(f"anjana: {missing}")
        return
    ladders = {}
    for column, path in trees().items():
        rows = pandas.read_csv(path, sep=None, engine="python", header=None, dtype=str)
        ladders[column] = {level: rows[level].to_numpy() for level in rows.columns}
    for k in (5, 10):
        theirs = anjana.anonymity.k_anonymity(people.copy(), [], QUASI, k, 5, ladders)
        line("anjana, 5 % suppressed at most", k, theirs[[*QUASI, CLASS]].astype(str), people, test, hierarchy=trees())


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["releases", *sizes]:
            releases([int(k) for k in sizes] or [5, 10])
        case ["others"]:
            others()
        case _:
            raise SystemExit(__doc__)
