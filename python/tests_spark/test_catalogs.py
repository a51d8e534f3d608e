"""Releases as tables of other catalogs: of one that replaces a table at a stroke, as those of Delta and Iceberg do, and of one
that renames. Both are in ``catalogs/`` and keep their tables in memory. And releases that are cut by columns."""

import os
import threading

import pytest

import incrowd
from conftest import QUASI, rows_of

ASK = {"quasi": QUASI, "other": "drop", "method": "mondrian", "seed": 7}


def smallest(table):
    """The size of the smallest class."""
    return table.groupby(QUASI, dropna=False).size().min()


@pytest.fixture(params=["staged", "plain"])
def table(request, spark):
    """The name of a table in a catalog, which is empty again afterwards."""
    yield f"{request.param}.db.release"
    for row in spark.sql(f"SHOW TABLES IN {request.param}.db").collect():
        spark.sql(f"DROP TABLE {request.param}.db.`{row['tableName']}`")


def tables(spark, name):
    """The tables beside one."""
    return [row["tableName"] for row in spark.sql(f"SHOW TABLES IN {name.rpartition('.')[0]}").collect()]


def test_a_table_is_made_replaced_and_continued(spark, frame, people, table):
    made = incrowd.spark.anonymize(frame, k=5, into=table, **ASK)
    assert 5 <= smallest(spark.table(table).toPandas()) < 20 and made.table.count() == 4000
    with pytest.raises(incrowd.FileError, match="there already"):
        incrowd.spark.anonymize(frame, k=20, into=table, **ASK)
    incrowd.spark.anonymize(frame, k=20, into=table, overwrite=True, partition_by="sex", **ASK)
    assert smallest(spark.table(table).toPandas()) >= 20 and tables(spark, table) == ["release"]
    with pytest.raises(incrowd.InputError, match="read from"):
        incrowd.spark.anonymize(spark.table(table), k=20, into=table, overwrite=True, **ASK)
    recoding = incrowd.anonymize(people, k=5, kind="global", quasi=QUASI, other="drop").recoding
    first = incrowd.spark.apply(recoding, frame, into=table, overwrite=True)
    added = incrowd.spark.apply(recoding, frame.limit(50), into=table, append=True)
    assert added.rows == first.released + 50 and spark.table(table).count() == added.released
    assert tables(spark, table) == ["release"]


def test_what_others_have_made_is_not_replaced(spark, frame, table):
    spark.sql(f"CREATE TABLE {table} (a int)")
    with pytest.raises(incrowd.FileError, match="has not made it"):
        incrowd.spark.anonymize(frame, k=5, into=table, overwrite=True, **ASK)
    assert spark.table(table).columns == ["a"] and tables(spark, table) == ["release"]


def test_a_catalog_that_fails_keeps_the_earlier_release(spark, frame):
    table, system = "staged.db.fragile", spark._jvm.java.lang.System
    incrowd.spark.anonymize(frame, k=5, into=table, **ASK)
    before = rows_of(spark.table(table).toPandas(), QUASI)
    system.setProperty("incrowd.test.fail", "yes")
    try:
        with pytest.raises(Exception, match="on fire"):
            incrowd.spark.anonymize(frame, k=20, into=table, overwrite=True, **ASK)
    finally:
        system.clearProperty("incrowd.test.fail")
    assert rows_of(spark.table(table).toPandas(), QUASI) == before and tables(spark, table) == ["fragile"]
    spark.sql(f"DROP TABLE {table}")


def test_a_catalog_that_stores_other_rows_is_told_of(spark, frame):
    table, system = "staged.db.lossy", spark._jvm.java.lang.System
    system.setProperty("incrowd.test.lose", "yes")
    try:
        with pytest.raises(incrowd.FileError, match="as they were verified"):
            incrowd.spark.anonymize(frame, k=5, into=table, **ASK)
        assert tables(spark, table) == []
        system.clearProperty("incrowd.test.lose")
        incrowd.spark.anonymize(frame, k=5, into=table, **ASK)
        system.setProperty("incrowd.test.lose", "yes")
        with pytest.raises(incrowd.FileError, match="they are in") as told:
            incrowd.spark.anonymize(frame, k=20, into=table, overwrite=True, **ASK)
    finally:
        system.clearProperty("incrowd.test.lose")
    # The verified rows stay, and no later run takes them for something that was left.
    (kept,) = set(tables(spark, table)) - {"lossy"}
    assert kept in str(told.value) and smallest(spark.table(f"staged.db.{kept}").toPandas()) >= 20
    incrowd.spark.anonymize(frame, k=5, into=table, overwrite=True, **ASK)
    assert sorted(tables(spark, table)) == sorted(["lossy", kept])
    for name in ("lossy", kept):
        spark.sql(f"DROP TABLE staged.db.{name}")


def test_of_two_that_add_rows_at_once_none_loses_those_of_the_other(spark, people, table):
    recoding = incrowd.anonymize(people, k=5, kind="global", quasi=QUASI, other="drop").recoding
    first = incrowd.spark.apply(recoding, spark.createDataFrame(people[:3000]), into=table)
    told, made = [], []

    def add(rows):
        try:
            made.append(incrowd.spark.apply(recoding, rows, into=table, append=True, unseen="suppress"))
        except incrowd.TryAgain as error:
            told.append(error)

    parts = [spark.createDataFrame(people[at : at + 300]) for at in (3000, 3300)]
    threads = [threading.Thread(target=add, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) >= 1 and len(made) + len(told) == 2
    assert spark.table(table).count() == max(result.released for result in made)
    made.sort(key=lambda result: result.rows)
    assert [result.rows for result in made] == [before.released + 300 for before in (first, *made[:-1])]
    assert tables(spark, table) == ["release"]


def test_a_folder_is_cut_by_columns(spark, frame, tmp_path):
    into, format = str(tmp_path / "out"), "csv"
    whole = incrowd.spark.anonymize(frame, k=5, into=str(tmp_path / "whole"), format=format, **ASK)
    for _ in range(2):
        cut = incrowd.spark.anonymize(
            frame, k=5, into=into, format=format, partition_by=["sex", "race"], overwrite=True, **ASK
        )
        assert cut.table.columns == whole.table.columns
        assert rows_of(cut.table.toPandas(), QUASI) == rows_of(whole.table.toPandas(), QUASI)
    folders = [name for name in os.listdir(into) if os.path.isdir(os.path.join(into, name))]
    assert folders and all(name.startswith("sex=") for name in folders)
    assert rows_of(spark.read.format(format).option("header", True).load(into).toPandas(), QUASI) == rows_of(
        whole.table.toPandas(), QUASI
    )


def test_a_table_is_cut_by_columns_of_the_release_only(spark, frame, tmp_path):
    made = incrowd.spark.anonymize(frame, k=5, into="cut_by_sex", partition_by="sex", **ASK)
    described = [row[0] for row in spark.sql("DESCRIBE TABLE cut_by_sex").collect()]
    assert "# Partition Information" in described and made.table.columns == QUASI
    spark.sql("DROP TABLE cut_by_sex")
    with pytest.raises(incrowd.InputError, match="no column 'occupation'"):
        incrowd.spark.anonymize(frame, k=5, into=str(tmp_path / "out"), partition_by="occupation", **ASK)
    with pytest.raises(incrowd.InputError, match="all of its columns"):
        incrowd.spark.anonymize(frame, k=5, into=str(tmp_path / "out"), partition_by=QUASI, **ASK)
    assert os.listdir(tmp_path) == []
