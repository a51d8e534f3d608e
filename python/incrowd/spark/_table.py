"""A release as a table of the session's catalog."""

from __future__ import annotations

import hashlib
import itertools
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._errors import FileError, InputError, TryAgain
from ._files import PRIVATE, Files, files_of
from ._frame import quoted, sums_of
from ._owner import me
from ._sources import tried
from ._target import CUT, Scratch, Target, logger, running

#: Properties of tables: that it is a release, and of a run's private ones the name they shall have, since when, and whose
#: they are.
RELEASE = "incrowd.release"
PLACE = "incrowd.place"
SINCE = "incrowd.since"
OWNER = "incrowd.owner"

#: A catalog that can replace a table at one stroke, and formats that do so in the session's own catalog.
STAGING = "org.apache.spark.sql.connector.catalog.StagingTableCatalog"
_STAGED_FORMATS = ("delta", "iceberg")

#: The session's own catalog.
SESSION = "spark_catalog"

#: The places in which runs of this process put their releases.
_committing: dict[str, threading.Lock] = {}

_PRIVATE = re.compile(r"incrowd_([0-9a-f]{32})_(new|old)")
_PART = re.compile(r"`((?:[^`]|``)+)`|([^.`]+)")


class Table(Target):
    """A table of the session's catalog. Private tables of a run are in the same database; their names are drawn by lot, and
    properties mark them."""

    def _scratch(self, run: str) -> Scratch:
        parts = [marked.replace("``", "`") if marked else plain for marked, plain in _PART.findall(self.name)]
        self._database = [*parts[:-1]]
        self._catalog, self._namespace = self._resolved()
        self._replaces = self._can_stage()
        self._opened: tuple[Files, str, int] | None = None
        return self._names(run, parts[-1])

    @staticmethod
    def _names(run: str, place: str) -> Scratch:
        return Scratch(run, f"incrowd_{run}_new", f"incrowd_{run}_old", place)

    def _quoted(self, name: str) -> str:
        return ".".join(_identifier(part) for part in [*self._database, name])

    def _resolved(self) -> tuple[str, list[str]]:
        """The catalog, and the namespace in it."""
        manager = tried(lambda: self.spark._jsparkSession.sessionState().catalogManager())
        first = self._database[0] if self._database else None
        if manager is not None and first is not None and bool(manager.isCatalogRegistered(first)):
            return first, self._database[1:]
        catalog = str(tried(self.spark.catalog.currentCatalog) or SESSION)
        return catalog, self._database or list(tried(lambda: list(manager.currentNamespace())) or [])

    def _can_stage(self) -> bool:
        """Whether a table is replaced at one stroke, so that the earlier one is there until then and its history after it."""
        if self._catalog == SESSION and self.format.lower() not in _STAGED_FORMATS:
            return False

        def stages() -> bool:
            catalog = self.spark._jsparkSession.sessionState().catalogManager().catalog(self._catalog)
            return bool(self.spark._jvm.java.lang.Class.forName(STAGING).isInstance(catalog))

        return bool(tried(stages))

    def write(self, frame: Any, schema: Any) -> None:
        # The table comes first and its rows after it: so it is marked, and its folder private, before there is a row.
        made = self._quoted(self.scratch.made)
        columns = ", ".join(f"{_identifier(field.name)} {field.dataType.simpleString()}" for field in schema.fields)
        marks = {PLACE: self.scratch.place, SINCE: str(int(time.time())), OWNER: me()}
        self.spark.sql(f"CREATE TABLE {made} ({columns}) {self._how(marks)}")
        self._close(self._location(self.scratch.made))
        # Columns by which a table is cut may come last in it, and rows go in by the order of columns.
        frame.select([quoted(name) for name in self.spark.table(made).columns]).write.insertInto(made)

    def _how(self, marks: dict[str, str]) -> str:
        options = f" OPTIONS ({_pairs(self.options)})" if self.options else ""
        cut = f" PARTITIONED BY ({', '.join(map(_identifier, self.partition_by))})" if self.partition_by else ""
        return f"USING {_identifier(self.format)}{options}{cut} TBLPROPERTIES ({_pairs(marks)})"

    def commit(self) -> None:
        if not self._replaces:
            super().commit()
            return
        with self._alone():
            self._check(f"{self.name} has come to be while the release was made")
            self._check_continued(self.scratch.place)
            # The catalog puts the rows in place when all are written, or not at all; the verified table is only read.
            is_new = not self._exists(self.scratch.place)
            marks = {RELEASE: self.scratch.run, SINCE: str(int(time.time()))}
            place, made = self._quoted(self.scratch.place), self._quoted(self.scratch.made)
            verb = "CREATE" if is_new else "REPLACE"
            self.spark.sql(f"{verb} TABLE {place} {self._how(marks)} AS SELECT * FROM {made}")
            self._check_copy(is_new)

    def _check_copy(self, is_new: bool) -> None:
        """The catalog has copied the verified rows: they must be the same, one for one."""
        place, made = self._quoted(self.scratch.place), self._quoted(self.scratch.made)
        if sums_of(self.spark.table(place)) == sums_of(self.spark.table(made)):
            return
        if self._release_of(self.scratch.place) not in (None, self.scratch.run):
            # Somebody else has put a release there meanwhile.
            return
        if is_new:
            self.spark.sql(f"DROP TABLE IF EXISTS {place}")
            raise FileError(f"the catalog did not store the rows of {self.name} as they were verified", "nothing was released")
        # Without the mark it is a table like others, which stays.
        self.spark.sql(f"ALTER TABLE {made} UNSET TBLPROPERTIES IF EXISTS ({_text(PLACE)})")
        raise FileError(
            f"the catalog did not store the rows of {self.name} as they were verified; they are in {made}",
            f"restore {self.name}, or replace it by that table",
        )

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Runs that put a release in the same place go one after the other: a table that one of them makes says that it is
        there. That of a run that was killed is removed as the rest of it."""
        run = hashlib.md5(self.scratch.place.lower().encode(), usedforsecurity=False).hexdigest()
        name = self._names(run, self.scratch.place).made
        with _committing.setdefault(self._quoted(name), threading.Lock()):
            running.add(run)
            try:
                self._wait_for(name)
                try:
                    yield
                finally:
                    self.spark.sql(f"DROP TABLE IF EXISTS {self._quoted(name)}")
            finally:
                running.discard(run)

    def _wait_for(self, name: str) -> None:
        """Makes the table that only one run has."""
        until = time.monotonic() + CUT
        while True:
            marks = {PLACE: self.scratch.place, SINCE: str(int(time.time())), OWNER: me()}
            how = f"USING {_identifier(self.format)} TBLPROPERTIES ({_pairs(marks)})"
            try:
                self.spark.sql(f"CREATE TABLE {self._quoted(name)} (at int) {how}")
                return
            except Exception as error:
                if not self._exists(name):
                    raise
                if time.monotonic() > until:
                    raise TryAgain(
                        f"another run is putting its release in the place of {self.name}",
                        f"try again; if there is no such run any more, drop {self._quoted(name)}",
                    ) from error
                time.sleep(0.5)

    def _close(self, location: str | None) -> None:
        """Keeps others out of the folder of a table that is not verified, where there is one and Spark can reach it."""
        if location is None or getattr(self.spark, "_jvm", None) is None:
            return
        files, path = files_of(self.spark, location)
        try:
            mode = files.mode(path)
            files.set_mode(path, PRIVATE)
        except Exception:  # noqa: BLE001 - the folder may belong to the catalog
            logger.warning("others cannot be kept out of %s while the release is made", location, exc_info=True)
            return
        self._opened = files, path, mode

    def written(self, schema: Any) -> Any:
        return self._table(self.scratch.made, schema)

    def read(self, schema: Any) -> Any:
        return self._table(self.scratch.place, schema)

    def _table(self, name: str, schema: Any) -> Any:
        return self.spark.table(self._quoted(name)).select([quoted(field.name) for field in schema.fields])

    def earlier(self) -> Any:
        return self.spark.table(self._quoted(self.scratch.place))

    def _release_of(self, name: str) -> str | None:
        return self._properties(name).get(RELEASE)

    def _exists(self, name: str) -> bool:
        return bool(self.spark.catalog.tableExists(self._quoted(name)))

    def _move(self, name: str, to: str) -> None:
        # The table stays in its catalog and database: in the session's catalog a name that stands alone means that.
        within = [] if self._catalog == SESSION else self._namespace
        self.spark.sql(f"ALTER TABLE {self._quoted(name)} RENAME TO {'.'.join(map(_identifier, [*within, to]))}")

    def _clear(self, scratch: Scratch) -> None:
        for name in (scratch.made, scratch.replaced):
            if self._exists(name) and {PLACE, RELEASE} & self._properties(name).keys():
                self.spark.sql(f"DROP TABLE IF EXISTS {self._quoted(name)}")

    def _sign(self) -> None:
        marks = _pairs({RELEASE: self.scratch.run, SINCE: str(int(time.time()))})
        self.spark.sql(f"ALTER TABLE {self._quoted(self.scratch.made)} SET TBLPROPERTIES ({marks})")
        if self._opened is not None:
            files, path, mode = self._opened
            files.set_mode(path, mode)

    def _check_not_source(self) -> None:
        place = self.scratch.place
        if not self._exists(place) or self._kind(place) == "TEMPORARY":
            return
        found = self.spark.catalog.getTable(self._quoted(place))
        if self._sources.has_table(".".join([found.catalog or "", *(found.namespace or []), found.name])):
            raise InputError(
                f"{self.name} is a table that the given one is read from", "give the release a name of its own"
            )
        location = self._location(place)
        if location is not None and getattr(self.spark, "_jvm", None) is not None:
            self._refuse_source(*files_of(self.spark, location))

    def _check_ours(self) -> None:
        kind = self._kind(self.scratch.place)
        if kind != "MANAGED":
            named = {"VIEW": "a view", "TEMPORARY": "a temporary view", "EXTERNAL": "a table over files elsewhere"}
            raise FileError(f"{self.name} is not replaced: it is {named.get(kind, kind)}", "give another name")
        if RELEASE not in self._properties(self.scratch.place):
            raise FileError(
                f"{self.name} is not replaced: incrowd has not made it (it has no property {RELEASE})",
                "give another name, or drop it yourself if nobody needs it",
            )

    def _kind(self, name: str) -> str:
        return str(self.spark.catalog.getTable(self._quoted(name)).tableType)

    def _properties(self, name: str) -> dict[str, str]:
        return {row[0]: row[1] for row in self.spark.sql(f"SHOW TBLPROPERTIES {self._quoted(name)}").collect()}

    def _location(self, name: str) -> str | None:
        described = self.spark.sql(f"DESCRIBE TABLE EXTENDED {self._quoted(name)}").collect()
        # Facts of the table come after its columns, one of which may have that name.
        facts = itertools.dropwhile(lambda row: row[0] != "# Detailed Table Information", described)
        return next((row[1] for row in facts if row[0] == "Location" and row[1]), None)

    def _remains(self) -> Iterator[tuple[Scratch, float, str]]:
        within = f" IN {'.'.join(_identifier(part) for part in self._database)}" if self._database else ""
        listed = self.spark.sql(f"SHOW TABLES{within} LIKE 'incrowd_*'").collect()
        found = [match for match in (_PRIVATE.fullmatch(row["tableName"]) for row in listed) if match]
        # What was made tells more of a run than what it replaces.
        for run in sorted({match[1] for match in found}):
            names = sorted(match[0] for match in found if match[1] == run)
            marks = self._properties(names[0])
            if PLACE in marks and marks.get(SINCE, "").isdigit():
                yield self._names(run, marks[PLACE]), time.time() - int(marks[SINCE]), marks.get(OWNER, "")


def _identifier(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _pairs(given: dict[str, str]) -> str:
    """Options or properties, as SQL has them."""
    return ", ".join(f"{_text(key)} = {_text(str(value))}" for key, value in given.items())


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
