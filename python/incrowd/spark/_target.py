"""Where a release goes: a folder of files or a table, under another name until it is verified."""

from __future__ import annotations

from typing import Any

from .._errors import FileError, InputError

#: Put behind the name of what is not verified yet.
UNVERIFIED = "_unverified"
#: Put behind the name of rows beside which units stand, for the verifier's eyes only.
WITH_UNITS = "_unverified_units"


def target(spark: Any, into: str, format: str, options: dict[str, str], overwrite: bool) -> Target:
    """The target that a name stands for: a path has a slash in it, a table has none."""
    if not into or not into.strip():
        raise InputError("where the release goes is not said", 'give into="folder/release" or into="table"')
    kind: type[Target] = Folder if "/" in into or "\\" in into else Table
    return kind(spark, into.rstrip("/"), format, options, overwrite)


class Target:
    """A place for a release."""

    def __init__(self, spark: Any, name: str, format: str, options: dict[str, str], overwrite: bool) -> None:
        self.spark = spark
        self.name = name
        self.format = format
        self.options = {"header": "true", **options} if format == "csv" else options
        self.overwrite = overwrite
        if self.exists(name) and not overwrite:
            raise FileError(
                f"{name} is there already", "give another name, or overwrite=True to replace it when the release is verified"
            )

    def exists(self, name: str) -> bool:
        """Whether there is something of this name."""
        raise NotImplementedError

    def write(self, frame: Any, ending: str) -> None:
        """Writes rows under the name with an ending, in place of what an earlier run may have left there."""
        raise NotImplementedError

    def read(self, ending: str, schema: Any) -> Any:
        """What was written."""
        raise NotImplementedError

    def drop(self, ending: str) -> None:
        """Removes what was written."""
        raise NotImplementedError

    def commit(self) -> None:
        """Gives the verified release its name."""
        raise NotImplementedError

    def write_aside(self, frame: Any, ending: str) -> None:
        """Writes what is needed on the way, whatever the format of the release."""
        raise NotImplementedError

    def read_aside(self, ending: str) -> Any:
        """What was written aside."""
        raise NotImplementedError


class Folder(Target):
    """A folder of files on whatever file system Spark reaches."""

    def _path(self, name: str) -> tuple[Any, Any]:
        jvm = getattr(self.spark, "_jvm", None)
        if jvm is None:
            raise InputError(
                "a folder cannot be renamed through this session (Spark Connect)",
                'name a table instead: into="release"',
            )
        path = jvm.org.apache.hadoop.fs.Path(name)
        return path.getFileSystem(self.spark._jsc.hadoopConfiguration()), path

    def exists(self, name: str) -> bool:
        files, path = self._path(name)
        return bool(files.exists(path))

    def write(self, frame: Any, ending: str) -> None:
        frame.write.mode("overwrite").format(self.format).options(**self.options).save(self.name + ending)

    def read(self, ending: str, schema: Any) -> Any:
        return self.spark.read.format(self.format).options(**self.options).schema(schema).load(self.name + ending)

    def write_aside(self, frame: Any, ending: str) -> None:
        frame.write.mode("overwrite").parquet(self.name + ending)

    def read_aside(self, ending: str) -> Any:
        return self.spark.read.parquet(self.name + ending)

    def drop(self, ending: str) -> None:
        files, path = self._path(self.name + ending)
        files.delete(path, True)

    def commit(self) -> None:
        files, made = self._path(self.name + UNVERIFIED)
        _, wanted = self._path(self.name)
        if not self.overwrite and files.exists(wanted):
            raise FileError(f"{self.name} has come to be while the release was made", "nothing was replaced")
        replaced = None
        if files.exists(wanted):
            _, replaced = self._path(self.name + "_replaced")
            files.delete(replaced, True)
            if not files.rename(wanted, replaced):
                raise FileError(f"{self.name} cannot be replaced")
        if not files.rename(made, wanted):
            if replaced is not None:
                files.rename(replaced, wanted)
            raise FileError(f"the verified release cannot be given the name {self.name}")
        if replaced is not None:
            files.delete(replaced, True)


class Table(Target):
    """A table of the session's catalog."""

    def _quoted(self, ending: str = "") -> str:
        parts = [part.strip("`") for part in self.name.split(".")]
        parts[-1] += ending
        return ".".join("`" + part.replace("`", "``") + "`" for part in parts)

    def exists(self, name: str) -> bool:
        return bool(self.spark.catalog.tableExists(self._quoted()))

    def write(self, frame: Any, ending: str) -> None:
        self.drop(ending)
        frame.write.mode("overwrite").format(self.format).options(**self.options).saveAsTable(self._quoted(ending))

    def read(self, ending: str, schema: Any) -> Any:
        return self.spark.table(self._quoted(ending))

    def write_aside(self, frame: Any, ending: str) -> None:
        self.drop(ending)
        frame.write.mode("overwrite").format("parquet").saveAsTable(self._quoted(ending))

    def read_aside(self, ending: str) -> Any:
        return self.spark.table(self._quoted(ending))

    def drop(self, ending: str) -> None:
        self.spark.sql(f"DROP TABLE IF EXISTS {self._quoted(ending)}")

    def commit(self) -> None:
        if self.overwrite:
            self.drop("")
        self.spark.sql(f"ALTER TABLE {self._quoted(UNVERIFIED)} RENAME TO {self._quoted()}")
