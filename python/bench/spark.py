"""incrowd.spark measured on one machine: where the time goes, CPU beside a plain read and write, memory of the driver.

    python python/bench/spark.py growth 1000000 10000000 30000000    the same people in more and more rows
    python python/bench/spark.py blocks 5000000                      so many distinct combinations, the driver limited

Each size runs in a process of its own, on local-cluster[2,1,...]: two workers with a core each. CPU is that of all processes
of the session, Java's and Python's, driver and executors. Ratios are what counts: the machine is yours.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

QUASI = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass", "occupation"]


def session(driver: str, executor: int):
    """Two workers on this machine; the driver's Java has so much memory."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"--driver-memory {driver} pyspark-shell"
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master(f"local-cluster[2,1,{executor}]")
        .config("spark.executor.memory", f"{executor}m")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.sql.shuffle.partitions", "8")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "50000")
        .getOrCreate()
    )


class Meter:
    """CPU seconds of this process and all below it, those that ended too, and the most memory of the driver's Python and
    Java."""

    def __init__(self) -> None:
        self.most = {"python": 0.0, "java": 0.0}
        self._cpu: dict[int, float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._stop.wait(0.25):
            self.look()

    def look(self) -> None:
        tick = os.sysconf("SC_CLK_TCK")
        stats: dict[int, tuple[int, float, float, str]] = {}
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open(f"/proc/{name}/stat") as file:
                        fields = file.read().rpartition(")")[2].split()
                    with open(f"/proc/{name}/cmdline") as file:
                        command = file.read().replace("\0", " ")
                except OSError:
                    continue
                cpu = (int(fields[11]) + int(fields[12])) / tick
                stats[int(name)] = (int(fields[1]), cpu, int(fields[21]) * 4096 / 2**20, command)
        mine = {os.getpid()}
        grown = True
        while grown:
            more = {pid for pid, (parent, *_) in stats.items() if parent in mine} - mine
            grown = bool(more)
            mine |= more
        for pid in mine & set(stats):
            _, cpu, memory, command = stats[pid]
            self._cpu[pid] = max(cpu, self._cpu.get(pid, 0.0))
            if pid == os.getpid():
                self.most["python"] = max(self.most["python"], memory)
            elif "SparkSubmit" in command:
                self.most["java"] = max(self.most["java"], memory)

    def cpu(self) -> float:
        self.look()
        return sum(self._cpu.values())

    def close(self) -> None:
        self._stop.set()


def people(spark, rows: int, path: str) -> None:
    """Made-up people, repeated: the combinations stay, the rows grow."""
    import incrowd

    base = min(rows, 500_000)
    csv = path + ".csv"
    subprocess.run([sys.executable, "-m", "incrowd", "demo", "--rows", str(base), "--write", csv], check=True)
    frame = spark.read.csv(csv, header=True, inferSchema=True)
    times = spark.range(rows // base).withColumnRenamed("id", "copy")
    frame.crossJoin(times).drop("copy").repartition(max(4, rows // 1_000_000)).write.parquet(path)
    os.remove(csv)
    assert incrowd.__version__


def growth(rows: int) -> dict[str, object]:
    import incrowd

    folder = tempfile.mkdtemp()
    spark = session("2g", 2048)
    try:
        path = os.path.join(folder, "people")
        people(spark, rows, path)
        meter = Meter()
        before, since = meter.cpu(), time.monotonic()
        spark.read.parquet(path).write.parquet(os.path.join(folder, "plain"))
        plain, plain_wall = meter.cpu() - before, time.monotonic() - since
        # By Spark's own means: rows put into a random order on their way.
        before = meter.cpu()
        spark.read.parquet(path).selectExpr("*", "rand(1) as r").repartition(8, "r").sortWithinPartitions("r").drop("r").write.parquet(
            os.path.join(folder, "shuffled")
        )
        shuffled = meter.cpu() - before
        before, since = meter.cpu(), time.monotonic()
        steps: dict[str, float] = {}
        last: list[tuple[str, float]] = []

        def heard(news: dict[str, object]) -> None:
            if not last or last[-1][0] != news["phase"]:
                last.append((str(news["phase"]), meter.cpu()))

        result = incrowd.spark.anonymize(
            spark.read.parquet(path), k=10, quasi=QUASI, other="drop", method="mondrian",
            into=os.path.join(folder, "release"), progress=heard,
        )
        last.append(("end", meter.cpu()))
        for (phase, start), (_, end) in zip(last, last[1:]):
            steps[phase] = steps.get(phase, 0.0) + end - start
        found = {
            "rows": rows,
            "combinations": result.cells,
            "classes": result.classes,
            "wall": time.monotonic() - since,
            "cpu": meter.cpu() - before,
            "seconds": {step: round(seconds, 1) for step, seconds in result.seconds.items()},
            "cpu of phases": {phase: round(cpu, 1) for phase, cpu in steps.items()},
            "plain read and write, cpu": plain,
            "plain read and write, wall": plain_wall,
            "shuffled read and write, cpu": shuffled,
            "driver python MB": meter.most["python"],
            "driver java MB": meter.most["java"],
            "verified k": result.k,
        }
        meter.close()
        return found
    finally:
        spark.stop()
        shutil.rmtree(folder, ignore_errors=True)


def blocks(combinations: int) -> dict[str, object]:
    """A table in which every row is a combination of its own, the driver with 2 GB in all; beside it one machine."""
    import incrowd

    folder = tempfile.mkdtemp()
    spark = session("1g", 3072)
    try:
        path = os.path.join(folder, "rows")
        # Seven columns whose values depend on each other a little, no two rows alike.
        spark.range(combinations).selectExpr(
            "cast(20 + pmod(hash(id, 1), 60) as int) as age",
            "cast(pmod(hash(id, 2), 2) as int) as sex",
            "cast(10000 + pmod(hash(id, 3), 3000) as int) as zip",
            "cast(pmod(hash(id, 4), 16) as int) as education",
            "cast(pmod(hash(id, 5), 40) as int) as hours",
            "cast(1000 * (20 + pmod(hash(id, 6), 80)) as int) as income",
        ).repartition(8).write.parquet(path)
        frame = spark.read.parquet(path)
        ask = {"k": 10, "quasi": frame.columns, "method": "mondrian"}
        meter = Meter()
        since = time.monotonic()
        result = incrowd.spark.anonymize(frame, into=os.path.join(folder, "release"), **ask)
        found = {
            "combinations": result.cells,
            "wall": time.monotonic() - since,
            "seconds": {step: round(seconds, 1) for step, seconds in result.seconds.items()},
            "driver python MB": meter.most["python"],
            "driver java MB": meter.most["java"],
            "penalty": result.cost,
            "notes": result.notes,
            "verified k": result.k,
        }
        meter.close()
    finally:
        spark.stop()
    one = os.path.join(folder, "one.parquet")
    import pyarrow.dataset
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.dataset.dataset(path).to_table(), one)
    single = incrowd.anonymize(one, **ask)
    found["penalty of one machine"] = single.cost
    shutil.rmtree(folder, ignore_errors=True)
    return found


def main() -> None:
    if len(sys.argv) == 4 and sys.argv[1] == "one":
        print(json.dumps({"growth": growth, "blocks": blocks}[sys.argv[2]](int(sys.argv[3]))))
        return
    if len(sys.argv) < 3 or sys.argv[1] not in ("growth", "blocks"):
        raise SystemExit(__doc__)
    for size in sys.argv[2:]:
        done = subprocess.run([sys.executable, __file__, "one", sys.argv[1], size], stdout=subprocess.PIPE, text=True, check=True)
        found = json.loads(done.stdout.splitlines()[-1])
        for name, value in found.items():
            print(f"{name:32} {value:,.1f}" if isinstance(value, float) else f"{name:32} {value}")
        print()


if __name__ == "__main__":
    main()
