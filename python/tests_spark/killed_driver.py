"""A driver of its own, to be killed: anonymizes a folder of Parquet files into a target, telling each phase.

    python killed_driver.py SOURCE TARGET K
"""

import sys


def main():
    """Runs until it is killed, or to the end."""
    from pyspark.sql import SparkSession

    import incrowd

    source, into, k = sys.argv[1:]
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.log.level", "OFF")
        .getOrCreate()
    )
    quasi = ["age", "sex", "race", "marital-status", "education"]
    incrowd.spark.anonymize(
        spark.read.parquet(source), k=int(k), quasi=quasi, other="drop", method="mondrian", into=into, overwrite=True,
        progress=lambda news: print(news["phase"], flush=True),
    )
    print("done", flush=True)


if __name__ == "__main__":
    main()
