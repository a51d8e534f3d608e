"""Speed and memory of the package, side by side with the command line and with other packages.

    python python/bench/side_by_side.py frames [ROWS]     polars and pandas against the command line on the same Parquet file
    python python/bench/side_by_side.py others [ADULT]    anonypy, anjana and pycanon on the Adult data (a CSV file with a header)

CPU seconds are those of processes of their own, so that nothing is warm. Ratios are what counts: the machine is yours.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

QUASI = ["age", "sex", "race", "education"]


def cpu_of(command: list[str]) -> tuple[float, float, str]:
    """CPU seconds, the most memory in MB, and what was printed."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(write, 1)
        os.execvp(command[0], command)
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    _, status, used = os.wait4(child, 0)
    if status != 0:
        raise SystemExit(f"failed: {' '.join(command)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, said


def frames(rows: int) -> None:
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "people.parquet")
    csv = os.path.join(folder, "people.csv")
    subprocess.run([sys.executable, "-m", "incrowd", "demo", "--rows", str(rows), "--write", csv], check=True)
    import pyarrow.csv
    import pyarrow.parquet

    table = pyarrow.csv.read_csv(csv)
    pyarrow.parquet.write_table(table, path)
    print(f"{rows:,} rows, {table.nbytes / 1e6:.0f} MB in Arrow, k = 10, mondrian, {len(QUASI)} quasi-identifiers")
    ask = f"k=10, quasi={QUASI!r}, method='mondrian', other='drop', seed=1"
    command = [sys.executable, "-m", "incrowd", "anonymize", path, "-k", "10", "--quasi", ",".join(QUASI), "-m", "mondrian",
               "--other", "drop", "--seed", "1", "-o", os.path.join(folder, "out.parquet"), "--quiet"]
    base, base_memory, _ = cpu_of(command)
    print(f"{'command line, Parquet to Parquet':<40} {base:6.2f} CPU s  {base_memory:6.0f} MB  1.00")
    for name in ("polars", "pandas", "pyarrow.parquet"):
        read = "read_table" if name == "pyarrow.parquet" else "read_parquet"
        loads = f"import {name} as lib, incrowd; df = lib.{read}({path!r})"
        whole = f"{loads}; r = incrowd.anonymize(df, {ask}); assert len(r.table) and r.verdict"
        idle, idle_memory, _ = cpu_of([sys.executable, "-c", loads])
        spent, memory, _ = cpu_of([sys.executable, "-c", whole])
        print(f"{name + ', frame to verified frame':<40} {spent - idle:6.2f} CPU s  {memory - idle_memory:6.0f} MB more"
              f"  {(spent - idle) / base:4.2f}")


def others(adult: str) -> None:
    import pandas

    import incrowd

    people = pandas.read_csv(adult, skipinitialspace=True)
    people.columns = [name.strip() for name in people.columns]
    quasi = [name for name in ("age", "sex", "race", "education", "marital-status") if name in people.columns][:4]
    sensitive = people.columns[-1]
    table = people[[*quasi, sensitive]].dropna().reset_index(drop=True)
    print(f"{len(table):,} rows of {os.path.basename(adult)}, k = 10, by {', '.join(quasi)}")

    def timed(name, run):
        before = time.process_time()
        try:
            release = run()
        except Exception as error:  # noqa: BLE001
            print(f"{name:<24} failed: {type(error).__name__}: {str(error)[:80]}")
            return None
        spent = time.process_time() - before
        return spent, release

    def gcp(release):
        try:
            return f"{incrowd.evaluate(release, table, quasi, all=False).metrics['gcp']:.4f}"
        except incrowd.IncrowdError as error:
            return f"not measured ({error.message[:50]})"

    ours = timed("incrowd", lambda: incrowd.anonymize(
        table, k=10, quasi=quasi, sensitive=[sensitive], method="mondrian").table)
    print(f"{'incrowd mondrian':<24} {ours[0]:8.2f} s  GCP {gcp(ours[1])}  1.0")
    auto = timed("incrowd auto", lambda: incrowd.anonymize(table, k=10, quasi=quasi, sensitive=[sensitive]).table)
    print(f"{'incrowd auto':<24} {auto[0]:8.2f} s  GCP {gcp(auto[1])}  {auto[0] / ours[0]:.1f}")

    def with_anonypy():
        import anonypy

        typed = table.copy()
        for name in typed.columns:
            if typed[name].dtype == object or str(typed[name].dtype) in ("str", "string"):
                typed[name] = typed[name].astype("category")
        rows = anonypy.Preserver(typed, quasi, sensitive).anonymize_k_anonymity(k=10)
        found = pandas.DataFrame(rows)
        # Its cells are lists of one text.
        for name in quasi:
            found[name] = [value[0] if isinstance(value, list) and len(value) == 1 else value for value in found[name]]
        return found.loc[found.index.repeat(found["count"])].reset_index(drop=True) if "count" in found else found

    theirs = timed("anonypy", with_anonypy)
    if theirs:
        print(f"{'anonypy mondrian':<24} {theirs[0]:8.2f} s  GCP {gcp(theirs[1])}  {theirs[0] / ours[0]:.1f}")

    def with_anjana():
        from anjana.anonymity import k_anonymity

        levels = {}
        for name in quasi:
            rows = incrowd.hierarchy(table, name, {"intervals": [10, 50]} if name == "age" else _all_in_one(table[name]))
            levels[name] = {level: [row[level] for row in rows] for level in range(len(rows[0]))}
            if name == "age":
                levels[name][0] = [int(value) for value in levels[name][0]]
        return k_anonymity(table, [], quasi, 10, 10, levels)

    theirs = timed("anjana", with_anjana)
    if theirs:
        print(f"{'anjana':<24} {theirs[0]:8.2f} s  GCP {gcp(theirs[1])}  {theirs[0] / ours[0]:.1f}")

    released = ours[1]
    mine = timed("verify", lambda: incrowd.verify(released, k=1, quasi=quasi, sensitive=[sensitive], l_diversity=1).k)

    def with_pycanon():
        import pycanon.anonymity

        texts = released.astype(str)
        return (pycanon.anonymity.k_anonymity(texts, quasi), pycanon.anonymity.l_diversity(texts, quasi, [sensitive]))

    theirs = timed("pycanon", with_pycanon)
    print(f"{'incrowd.verify':<24} {mine[0]:8.2f} s  k {mine[1]}  1.0")
    if theirs:
        print(f"{'pycanon k and l':<24} {theirs[0]:8.2f} s  k {theirs[1][0]}  {theirs[0] / max(mine[0], 0.01):.1f}")


def _all_in_one(values):
    return [[value, "*"] for value in sorted(set(values))]


if __name__ == "__main__":
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what == "frames":
        frames(int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000)
    elif what == "others":
        others(sys.argv[2])
    else:
        raise SystemExit(__doc__)
