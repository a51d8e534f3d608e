"""Databases side by side, in one run: what a verified release costs beside moving the rows, and a connection beside an address.

    python python/bench/databases.py postgres [ROWS]    COPY out and CREATE TABLE AS; streamed; by a connection of ADBC
    python python/bench/databases.py verify [ROWS]      verify of a pandas frame against k, l and t of pycanon, each

Starts a PostgreSQL of its own. Seconds are the least of three of the wall clock. Ratios are what counts: the machine is yours.
"""

from __future__ import annotations

import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import incrowd

QUASI = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass", "occupation"]


def best(work: Callable[[], Any], times: int = 3) -> float:
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        found.append(time.perf_counter() - begun)
    return min(found)


def postgres(rows: int) -> None:
    import adbc_driver_postgresql.dbapi

    programs = pathlib.Path(sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))[-1]).parent
    folder = pathlib.Path(tempfile.mkdtemp(prefix="incrowd-bench-"))
    user = []
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    call = lambda *words: subprocess.run([*user, *words], check=True, stdout=subprocess.DEVNULL)  # noqa: E731
    call(programs / "initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8")
    options = f"-k {folder} -c listen_addresses= -c shared_buffers=512MB -c max_wal_size=8GB"
    call(programs / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log", "-o", options, "start")
    psql = [programs / "psql", "-X", "-q", "-h", folder, "-U", "postgres", "-v", "ON_ERROR_STOP=1"]
    sql = lambda statement: subprocess.run([*psql, "-c", statement], check=True)  # noqa: E731
    address = f"postgres://postgres@{str(folder).replace('/', '%2F')}/postgres"
    try:
        with tempfile.TemporaryDirectory() as work:
            csv = os.path.join(work, "people.csv")
            subprocess.run([sys.executable, "-m", "incrowd", "demo", "--rows", str(rows), "--write", csv], check=True)
            with open(csv, encoding="utf-8") as file:
                names = file.readline().strip().split(",")
            sql("CREATE TABLE people (" + ", ".join(f'"{name}" text' for name in names) + ")")
            sql(f"\\copy people FROM '{csv}' (FORMAT csv, HEADER true)")
            sql("VACUUM ANALYZE people")
            plain = [name for name in names if name not in QUASI]
            ask = {"k": 10, "quasi": QUASI, "plain": plain, "accept": plain, "unit": "row", "method": "mondrian"}

            def moved() -> None:
                with open(os.path.join(work, "out.csv"), "wb") as file:
                    subprocess.run([*psql, "-c", "COPY people TO STDOUT (FORMAT csv)"], check=True, stdout=file)
                sql("DROP TABLE IF EXISTS copied; CREATE TABLE copied AS SELECT * FROM people")

            def streamed() -> None:
                sql("DROP TABLE IF EXISTS released")
                incrowd.anonymize(address, table="people", into="released", **ask)

            def by_adbc() -> None:
                sql("DROP TABLE IF EXISTS released")
                with adbc_driver_postgresql.dbapi.connect(address) as connection:
                    incrowd.anonymize(connection, table="people", into="released", **ask)

            base, there, adbc = best(moved), best(streamed), best(by_adbc)
            print(f"COPY out and CREATE TABLE AS   {base:7.2f} s")
            print(f"streamed                       {there:7.2f} s   {there / base:.2f} of the first (at most 2.5)")
            print(f"by a connection of ADBC        {adbc:7.2f} s   {adbc / there:.2f} of streamed (at most 1.2)")
    finally:
        call(programs / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def verify(rows: int) -> None:
    import pandas
    from pycanon import anonymity

    with tempfile.TemporaryDirectory() as work:
        csv = os.path.join(work, "people.csv")
        subprocess.run([sys.executable, "-m", "incrowd", "demo", "--rows", str(rows), "--write", csv], check=True)
        people = pandas.read_csv(csv)
    quasi = ["age", "sex", "race", "education"]
    target = [name for name in people.columns if name not in quasi][-1]
    release = incrowd.anonymize(people, k=10, quasi=quasi, sensitive=[target], accept=[target], unit="row", method="mondrian",
                                models=[incrowd.LDiversity(1)]).table.astype({name: str for name in quasi})
    for what, ours, theirs in (
        ("k", {}, lambda: anonymity.k_anonymity(release, quasi)),
        ("l", {"models": [incrowd.LDiversity(1)]}, lambda: anonymity.l_diversity(release, quasi, [target])),
        ("t", {"models": [incrowd.TCloseness(1.0)]}, lambda: anonymity.t_closeness(release, quasi, [target])),
    ):
        asked = {"sensitive": [target]} if ours else {}
        mine = best(lambda: incrowd.verify(release, 2, quasi, **asked, **ours))  # noqa: B023 - used at once
        other = best(theirs, 1)
        print(f"{what}   verify {mine:7.2f} s   pycanon {other:7.2f} s   {mine / other:.2f}")


if __name__ == "__main__":
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    {"postgres": postgres, "verify": verify}.get(what, lambda _: sys.exit(__doc__))(count)
