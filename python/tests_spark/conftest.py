"""A real Spark: two workers, each a process of its own, from PyPI's pyspark and the machine's Java."""

import collections
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import incrowd

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def _spark_or_not():
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "pyspark is not installed"
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "there is no Java"
    return None


def catalogs(folder):
    """The catalogs of the tests, compiled by the compiler that Spark's own shell has: as a jar."""
    import pyspark

    jars = pathlib.Path(pyspark.__file__).parent / "jars"
    java = shutil.which("java") or os.path.join(os.environ["JAVA_HOME"], "bin", "java")
    source = pathlib.Path(__file__).parent / "catalogs" / "Catalogs.scala"
    made = folder / "catalogs.jar"
    compiler = [java, "-cp", f"{jars}/*", "scala.tools.nsc.Main", "-usejavacp", "-nowarn"]
    subprocess.run([*compiler, "-d", str(made), str(source)], check=True, timeout=900)
    return str(made)


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """A session on a cluster of two workers. Where CI is set there must be one."""
    missing = _spark_or_not()
    if missing is not None:
        assert "CI" not in os.environ, missing
        pytest.skip(missing)
    from pyspark.sql import SparkSession

    jar = catalogs(tmp_path_factory.mktemp("catalogs"))
    session = (
        SparkSession.builder.master(os.environ.get("INCROWD_SPARK_MASTER", "local-cluster[2,1,1024]"))
        .appName("incrowd tests")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .config("spark.sql.files.openCostInBytes", "100")
        .config("spark.sql.files.maxPartitionBytes", "40k")
        .config("spark.task.maxFailures", "4")
        # Tasks that take longer than others are run twice, which must not show.
        .config("spark.speculation", "true")
        .config("spark.speculation.interval", "100ms")
        .config("spark.speculation.multiplier", "1.2")
        .config("spark.speculation.quantile", "0.3")
        .config("spark.speculation.minTaskRuntime", "400ms")
        .config("spark.log.level", "ERROR")
        .config("spark.jars", jar)
        .config("spark.driver.extraClassPath", jar)
        .config("spark.sql.catalog.staged", "org.apache.spark.sql.incrowd.StagedCatalog")
        .config("spark.sql.catalog.plain", "org.apache.spark.sql.incrowd.PlainCatalog")
        .getOrCreate()
    )
    yield session
    session.stop()


QUASI = ["age", "sex", "race", "marital-status", "education"]


@pytest.fixture(scope="session")
def people():
    """Made-up people of a census."""
    return incrowd.demo(4000, seed=5)


@pytest.fixture(scope="session")
def folder(people, tmp_path_factory):
    """The same people as a folder of Parquet files."""
    import pyarrow
    import pyarrow.parquet

    path = tmp_path_factory.mktemp("people") / "people"
    path.mkdir()
    table = pyarrow.Table.from_pandas(people, preserve_index=False)
    for number in range(5):
        pyarrow.parquet.write_table(table.slice(800 * number, 800), path / f"part-{number}.parquet")
    return str(path)


@pytest.fixture
def frame(spark, folder):
    """The people as a Spark frame."""
    return spark.read.parquet(folder)


def rows_of(table, columns):
    """The rows of a pandas frame as a multiset of texts."""
    texts = table[list(columns)].astype(object).where(table[list(columns)].notna(), None)
    return collections.Counter(tuple(None if v is None else str(v) for v in row) for row in texts.itertuples(index=False))
