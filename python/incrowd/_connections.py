"""Tables of any database, by a connection that is open: of ADBC, of DuckDB, or of whatever keeps to the Python Database API.

Rows come in batches. A release goes into a new table, is read back from there and judged, and only then shown: in the
transaction that has made it, or under its name where a database cannot undo the making of a table.
"""

from __future__ import annotations

import contextlib
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from . import _incrowd
from ._errors import IncrowdError, InputError
from ._frames import Frame, _is
from ._sql import Dialect, dialect_of

__all__ = ["Relation", "Target", "as_relation", "is_connection", "target_of"]

#: Rows that are Python's own values at a time.
BATCH = 10_000


class Relation:
    """A table of a database, or what a query tells of it, by an open connection; wherever a data frame may stand.

    ``connection`` is a connection or cursor of ADBC, of DuckDB, or of the Python Database API (PEP 249). A cursor that has
    been asked something needs neither ``table`` nor ``query``: its rows are the table.

    >>> import sqlite3
    >>> connection = sqlite3.connect(":memory:")
    >>> _ = connection.execute("CREATE TABLE people AS SELECT 20 + value % 4 AS age FROM json_each('[1,2,3,4,5,6,7,8]')")
    >>> import incrowd
    >>> incrowd.anonymize(incrowd.Relation(connection, "people"), k=4, quasi=["age"], into="release").k
    4
    >>> connection.execute("SELECT DISTINCT age FROM release ORDER BY age").fetchall()
    [('[20-21]',), ('[22-23]',)]
    """

    def __init__(
        self, connection: Any, table: str | None = None, *, query: str | None = None, where: str | None = None
    ) -> None:
        if not is_connection(connection):
            raise TypeError(f"a {type(connection).__name__} is no connection of a database")
        if table is not None and query is not None:
            raise InputError("a table and a query are given", "keep one of the two")
        self._database = _database_of(connection)
        if table is None and query is None and not self._database.is_asked:
            raise InputError("no table of the connection is named", "name one: table=\"people\", or write a query=\"SELECT ..\"")
        self._query = query
        self._table = table
        self._where = where

    def __repr__(self) -> str:
        return f"<Relation {self._table or 'of a query'}>"

    def selected(self, none: bool = False) -> str | None:
        """What is read, or none of its rows, as it stands behind FROM; nothing for the rows of a cursor."""
        if self._query is not None:
            asked = f"(\n{self._query.strip().rstrip(';')}\n)"
        elif self._table is not None:
            asked = self._database.dialect.table(self._table)
        else:
            if self._where is not None:
                raise InputError("a condition needs a table or a query", "put it into the statement of the cursor")
            return None
        conditions = [] if self._where is None else [f"(\n{self._where}\n)"]
        conditions += ["1 = 0"] if none else []
        alias = f"{asked} AS incrowd_source" if self._query is not None else asked
        return " WHERE ".join([alias, *([" AND ".join(conditions)] if conditions else [])])

    def taken(self, read: set[str], what: str) -> Frame:
        """The rows."""
        return self._database.taken(self.selected(), read, what)

    def target(self, into: str, replace: bool) -> Target:
        """Where a release goes; checked before hours are spent."""
        return Target(self, into, replace)


def is_connection(data: Any) -> bool:
    """Whether something is a connection of a database, or a cursor."""
    if isinstance(data, (str, bytes, Mapping, Relation)) or _is(data, "duckdb", "DuckDBPyRelation"):
        return False
    if _is(data, "duckdb", "DuckDBPyConnection"):
        return True
    named = (("cursor", "commit", "rollback"), ("execute", "fetchmany", "description"))
    return any(all(hasattr(data, name) for name in names) for names in named)


def as_relation(data: Any, asked: dict[str, Any]) -> Any:
    """What a call gives as its table: a connection with what the call says of it, anything else as it is."""
    if not is_connection(data):
        if isinstance(data, Relation):
            _refuse(asked)
        return data
    relation = Relation(data, asked.pop("table", None), query=asked.pop("query", None), where=asked.pop("where", None))
    _refuse(asked)
    return relation


def target_of(data: Any, asked: dict[str, Any]) -> Target | None:
    """Where the release of a relation goes, if it goes into a table; the call keeps nothing of it."""
    if not isinstance(data, Relation):
        return None
    into, replace = asked.pop("into", None), asked.pop("replace", False)
    if into is None and replace:
        raise InputError("replace needs a table for the release, and none is named", "name one: into=\"people_release\"")
    return None if into is None else data.target(str(into), bool(replace))


def _refuse(asked: Mapping[str, Any]) -> None:
    for name in ("in_database", "grant", "append", "table", "query", "where"):
        if asked.get(name):
            raise InputError(
                f"{name} is not possible with a connection", "give the address of a PostgreSQL database: \"postgres://host/name\""
            )


def _database_of(connection: Any) -> _Database:
    if _is(connection, "duckdb", "DuckDBPyConnection"):
        return _DuckDb(connection)
    if hasattr(connection, "adbc_get_info") or hasattr(connection, "adbc_ingest"):
        return _Adbc(connection)
    return _DbApi(connection)


class _Database:
    """What is asked of a database."""

    dialect: Dialect
    #: Whether a cursor was given that has rows to tell.
    is_asked = False

    def execute(self, statement: str) -> None:
        raise NotImplementedError

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """All rows of a statement that tells few."""
        raise NotImplementedError

    def begin(self) -> None:
        raise NotImplementedError

    def commit(self) -> None:
        raise NotImplementedError

    def roll_back(self) -> None:
        raise NotImplementedError

    def has_changes(self) -> bool:
        """Whether somebody has changes waiting on the connection, where that is to be learned."""
        found = self.rows(self.dialect.changes) if self.dialect.changes else []
        return bool(found and found[0][0])

    def check(self) -> None:
        """Refuses a connection on which something waits that is not ours to commit."""
        if self.dialect.transactional and self.has_changes():
            raise InputError(
                "the connection has changes that are not committed",
                "commit them or roll them back first: the release is made in a transaction of its own",
            )

    def holds(self, parts: list[str]) -> bool:
        """Whether there is a table of this name."""
        name = ".".join(map(self.dialect.quote, parts))
        literal = self.dialect.literal
        if self.dialect.name == "postgres":
            return bool(self.rows(f"SELECT to_regclass({literal(name)}) IS NOT NULL")[0][0])
        if self.dialect.name == "sqlite":
            listed = ", ".join(map(literal, reversed(parts)))
            return bool(self.rows(f"SELECT count(*) FROM pragma_table_info({listed})")[0][0])
        try:
            self.rows(f"SELECT 1 FROM {name} WHERE 1 = 0")
        except Exception:  # noqa: BLE001 - every driver has its own classes
            return False
        return True

    def taken(self, selected: str | None, read: set[str], what: str) -> Frame:
        raise NotImplementedError

    def fill(self, frame: Frame, table: Any, name: str, changed: set[str]) -> None:
        """Puts a released table into an empty table of the database."""
        raise NotImplementedError

    def read_back(self, frame: Frame, name: str, names: list[str], changed: set[str]) -> Any:
        """The rows of a table of the database, as a table of the library."""
        raise NotImplementedError


class _Cursors(_Database):
    """A connection with cursors."""

    def __init__(self, given: Any) -> None:
        is_cursor = hasattr(given, "fetchmany")
        self._cursor: Any = given if is_cursor else None
        self.is_asked = is_cursor and getattr(given, "description", None) is not None
        self._connection: Any = getattr(given, "connection", None) if is_cursor else given
        #: Whether a transaction was begun by a statement.
        self._began = False

    def _open(self) -> Any:
        if self._connection is None:
            raise InputError("the cursor does not tell its connection", "give the connection itself")
        return self._connection.cursor()

    def execute(self, statement: str) -> None:
        cursor = self._open()
        try:
            cursor.execute(statement)
        finally:
            cursor.close()

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        cursor = self._open()
        try:
            cursor.execute(statement)
            return [tuple(row) for row in cursor.fetchall()]
        finally:
            cursor.close()

    def begin(self) -> None:
        # Others begin by themselves.
        by_hand = getattr(self._connection, "autocommit", None) is True
        if by_hand or (self.dialect.begins and not getattr(self._connection, "in_transaction", False)):
            self.execute("BEGIN")
            self._began = True

    def commit(self) -> None:
        self._end("COMMIT", self._connection.commit)

    def roll_back(self) -> None:
        self._end("ROLLBACK", self._connection.rollback)

    def _end(self, statement: str, usual: Callable[[], Any]) -> None:
        if self._began and getattr(self._connection, "in_transaction", True):
            self.execute(statement)
        else:
            usual()
        self._began = False

    def has_changes(self) -> bool:
        if self.dialect.name == "sqlite" and hasattr(self._connection, "in_transaction"):
            # One that is always in a transaction does not tell.
            return bool(self._connection.in_transaction) and getattr(self._connection, "autocommit", None) is not False
        return super().has_changes()

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """A transaction that only reads ends with the reading: a search can take hours."""
        clean = bool(self.dialect.changes) and not self.has_changes()
        try:
            yield
        finally:
            if clean:
                self.roll_back()

    def kinds(self, selected: str | None) -> dict[str, str]:
        """The types of columns as the database writes them, where it has types whose values are told as texts."""
        if self.dialect.name != "postgres" or selected is None:
            return {}
        probe = "incrowd_probe_" + secrets.token_hex(4)
        self.execute(f"CREATE TEMPORARY TABLE {probe} AS SELECT * FROM {selected} LIMIT 0")
        found = self.rows(
            "SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute "
            f"WHERE attrelid = 'pg_temp.{probe}'::regclass AND attnum > 0 ORDER BY attnum"
        )
        self.execute(f"DROP TABLE pg_temp.{probe}")
        return {str(name): str(kind) for name, kind in found}

    def statement(self, selected: str, kinds: Mapping[str, str], native: Callable[[str], bool]) -> str:
        """The query for rows; values of types that do not travel are told as texts."""
        if not kinds or all(map(native, kinds.values())):
            return f"SELECT * FROM {selected}"
        quote = self.dialect.quote
        columns = [
            quote(name) if native(kind) else f"CAST({quote(name)} AS text) AS {quote(name)}" for name, kind in kinds.items()
        ]
        return f"SELECT {', '.join(columns)} FROM {selected}"


def _base(kind: str) -> str:
    """The name of a type without its digits."""
    before, _, rest = kind.partition("(")
    return before.strip() + rest.partition(")")[2]


_NUMBERS = ("smallint", "integer", "bigint", "real", "double precision")
_TEXTS = ("text", "character varying", "character", "name", "\"char\"")
_MOMENTS = ("date", "timestamp without time zone", "timestamp with time zone")


class _DbApi(_Cursors):
    """A connection of the Python Database API."""

    def __init__(self, given: Any) -> None:
        super().__init__(given)
        module = type(self._connection if self._connection is not None else given).__module__.partition(".")[0]
        self.dialect = dialect_of(module)
        self._marker = self.dialect.marker or _marker(getattr(sys.modules.get(module), "paramstyle", "qmark"))
        self._kinds: dict[str, str] = {}

    @staticmethod
    def _native(kind: str) -> bool:
        known = ("boolean", "numeric", "bytea", "uuid", "time without time zone", *_NUMBERS, *_TEXTS, *_MOMENTS)
        return _base(kind) in known

    def taken(self, selected: str | None, read: set[str], what: str) -> Frame:
        if selected is None:
            data, reader = self._told(self._cursor, read, what)
        else:
            with self.reading():
                self._kinds = self.kinds(selected)
                cursor = self._reading()
                cursor.execute(self.statement(selected, self._kinds, self._native))
                data, reader = self._told(cursor, read, what)
                cursor.close()
        return Frame(data, lambda table, _: _as_frame(dict(zip(table.names, reader.values(table, set())))), source=reader)

    @staticmethod
    def _told(cursor: Any, read: set[str], what: str) -> tuple[Any, Any]:
        from ._cells import CellReader

        reader = CellReader([str(column[0]) for column in cursor.description], read, what)
        return reader.table(_batches(cursor)), reader

    def _reading(self) -> Any:
        module, by_hand = type(self._connection).__module__, getattr(self._connection, "autocommit", None) is True
        if self.dialect.name == "postgres" and module.startswith("psycopg") and (self._began or not by_hand):
            # Without a name all rows would come at once.
            return self._connection.cursor(name="incrowd_" + secrets.token_hex(4))
        return self._open()

    def fill(self, frame: Frame, table: Any, name: str, changed: set[str]) -> None:
        quoted = ", ".join(map(self.dialect.quote, table.names))
        cursor = self._open()
        copies = self.dialect.name == "postgres" and hasattr(cursor, "copy")
        kinds = {column: kind for column, kind in self._kinds.items() if not self._native(kind)}
        slots = [
            f"CAST({self._marker(at)} AS {kinds[column]})" if column in kinds and column not in changed else self._marker(at)
            for at, column in enumerate(table.names)
        ]
        try:
            for start in range(0, len(table), BATCH):
                rows = list(zip(*frame.source.values(table.slice(start, BATCH), changed)))
                if copies:
                    with cursor.copy(f"COPY {name} ({quoted}) FROM STDIN") as copy:
                        for row in rows:
                            copy.write_row(row)
                else:
                    cursor.executemany(f"INSERT INTO {name} ({quoted}) VALUES ({', '.join(slots)})", rows)
        finally:
            cursor.close()

    def read_back(self, frame: Frame, name: str, names: list[str], changed: set[str]) -> Any:
        told = {column: self._kinds.get(column, "text") if column not in changed else "text" for column in names}
        statement = self.statement(name, told if self._kinds else {}, self._native)
        if not self._kinds:
            statement = f"SELECT {', '.join(map(self.dialect.quote, names))} FROM {name}"
        cursor = self._reading()
        try:
            cursor.execute(statement)
            return frame.source.again(names, changed).written(_batches(cursor))
        finally:
            cursor.close()


class _Adbc(_Cursors):
    """A connection of ADBC."""

    def __init__(self, given: Any) -> None:
        super().__init__(given)
        if self._connection is None:
            raise InputError("the cursor does not tell its connection", "give the connection itself")
        self.dialect = dialect_of(str(self._connection.adbc_get_info().get("vendor_name", "")))
        self._kinds: dict[str, str] = {}

    def begin(self) -> None:
        # A connection of ADBC is in a transaction unless it was told to commit every statement.
        if getattr(self._connection, "_autocommit", False):
            raise InputError("the connection commits every statement by itself", "open it without autocommit")

    @staticmethod
    def _native(kind: str) -> bool:
        return _base(kind) in ("boolean", *_NUMBERS, *_TEXTS, *_MOMENTS)

    def taken(self, selected: str | None, read: set[str], what: str) -> Frame:
        from ._arrow import take_arrow

        if selected is None:
            return take_arrow(self._cursor.fetch_record_batch(), read, what)
        with self.reading():
            self._kinds = self.kinds(selected)
            cursor = self._open()
            cursor.execute(self.statement(selected, self._kinds, self._native))
            frame = take_arrow(_decimals(cursor.fetch_record_batch(), self._kinds), read, what)
            cursor.close()
        return frame

    def fill(self, frame: Frame, table: Any, name: str, changed: set[str]) -> None:
        import pyarrow

        given = pyarrow.table(frame.back(table, changed))
        told = {column for column, kind in self._kinds.items() if not self._native(kind) and column not in changed}
        # Dictionaries are values, and what was told as text goes there as text.
        given = pyarrow.table(
            [_plain(pyarrow, given[column], column in told) for column in given.column_names], names=given.column_names
        )
        quoted = ", ".join(map(self.dialect.quote, given.column_names))
        cursor = self._open()
        try:
            if self.dialect.name != "postgres":
                self._ingest(cursor, name, given)
                return
            stage = "incrowd_stage_" + secrets.token_hex(4)
            cursor.adbc_ingest(stage, given, mode="create", temporary=True)
            kinds = {**self._kinds, **{column: "text" for column in changed}}
            cast = ", ".join(
                f"CAST({self.dialect.quote(column)} AS {kinds[column]})" if column in kinds else self.dialect.quote(column)
                for column in given.column_names
            )
            cursor.execute(f"INSERT INTO {name} ({quoted}) SELECT {cast} FROM pg_temp.{stage}")
            cursor.execute(f"DROP TABLE pg_temp.{stage}")
        finally:
            cursor.close()

    def _ingest(self, cursor: Any, name: str, given: Any) -> None:
        parts = self.dialect.parts(name)
        if len(parts) > 1:
            cursor.adbc_ingest(parts[-1], given, mode="append", db_schema_name=parts[-2])
        else:
            cursor.adbc_ingest(parts[-1], given, mode="append")

    def read_back(self, frame: Frame, name: str, names: list[str], changed: set[str]) -> Any:
        kinds = {column: self._kinds.get(column, "text") if column not in changed else "text" for column in names}
        quote = self.dialect.quote
        listed = ", ".join(
            f"CAST({quote(column)} AS text) AS {quote(column)}" if self._kinds and not self._native(kind) else quote(column)
            for column, kind in kinds.items()
        )
        cursor = self._open()
        try:
            cursor.execute(f"SELECT {listed} FROM {name}")
            table = _decimals(cursor.fetch_record_batch(), {} if not self._kinds else kinds)
            return frame.again(table, changed)
        finally:
            cursor.close()


class _DuckDb(_Database):
    """A connection of DuckDB, whose relations are frames."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.dialect = dialect_of("duckdb")

    def execute(self, statement: str) -> None:
        self._connection.execute(statement)

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        return list(self._connection.execute(statement).fetchall())

    def begin(self) -> None:
        try:
            self._connection.begin()
        except Exception as error:  # noqa: BLE001 - its own classes are not imported here
            raise InputError(
                "the connection is in a transaction", "commit it or roll it back first"
            ) from error

    def commit(self) -> None:
        self._connection.commit()

    def roll_back(self) -> None:
        self._connection.rollback()

    def check(self) -> None:
        self.begin()
        self.roll_back()

    def taken(self, selected: str | None, read: set[str], what: str) -> Frame:
        from ._arrow import take_duckdb

        return take_duckdb(self._connection.sql(f"SELECT * FROM {selected}"), read, what, self._connection)

    def fill(self, frame: Frame, table: Any, name: str, changed: set[str]) -> None:
        quoted = ", ".join(map(self.dialect.quote, table.names))
        frame.back(table, changed).create_view("incrowd_released", replace=True)
        try:
            self.execute(f"INSERT INTO {name} ({quoted}) SELECT {quoted} FROM incrowd_released")
        finally:
            self.execute("DROP VIEW IF EXISTS incrowd_released")

    def read_back(self, frame: Frame, name: str, names: list[str], changed: set[str]) -> Any:
        quoted = ", ".join(map(self.dialect.quote, names))
        return frame.again(self._connection.sql(f"SELECT {quoted} FROM {name}"), changed)


class Target:
    """A table that a release goes into."""

    def __init__(self, relation: Relation, into: str, replace: bool) -> None:
        self._relation = relation
        self._database = relation._database
        self._dialect = dialect = self._database.dialect
        self._into = into
        self._name = dialect.table(into)
        if relation.selected() is None:
            raise InputError(
                "a release of a cursor's rows cannot go into a table: their types are not known",
                "give the connection, and the query: query=\"SELECT ..\"",
            )
        if replace and not dialect.replaces:
            raise InputError(
                "a table with grants and comments cannot be replaced by a connection",
                "give the address of a PostgreSQL database, or another name for the release",
            )
        self._database.check()
        self._there = self._database.holds(dialect.parts(into))
        if self._there and not replace:
            raise InputError(f"there is a table `{into}` already", "choose another name, or pass replace=True")

    def place(self, run: Any, frame: Frame, facts: Mapping[str, Any]) -> None:
        """Makes the table of a release, reads it back, has it judged, and shows it: whole, or not at all."""
        table = run.table()
        names = list(table.names)
        changed = _changed(frame, table, facts)
        database, dialect = self._database, self._dialect
        made = self._name if dialect.transactional and not self._there else dialect.beside(self._into, secrets.token_hex(8))
        step = "make the table"
        try:
            if dialect.transactional:
                database.begin()
            longest = _longest(table, changed)
            columns = ", ".join(
                f"{dialect.nothing(longest.get(name, 1))} AS {dialect.quote(name)}" if name in changed
                else dialect.quote(name)
                for name in names
            )
            database.execute(f"CREATE TABLE {made} AS SELECT {columns} FROM {self._relation.selected(none=True)}")
            self._close(made)
            step = "write the table"
            database.fill(frame, table, made, changed)
            step = "read the table back"
            run.judge_copy(database.read_back(frame, made, names, changed))
            step = "name the table"
            if made != self._name:
                if self._there:
                    database.execute(f"DROP TABLE {self._name}")
                database.execute(dialect.rename(made, self._name, dialect.parts(self._into)[-1]))
            step = "commit the table"
            database.commit()
        except BaseException as error:
            self._undo(made)
            if isinstance(error, (IncrowdError, KeyboardInterrupt, SystemExit)) or not isinstance(error, Exception):
                raise
            raise _failed(step, error) from (error if _incrowd.values_are_shown() else None)

    def _undo(self, made: str) -> None:
        try:
            self._database.roll_back()
        except Exception:  # noqa: BLE001 - a connection that is gone has rolled back by itself
            pass
        if not self._dialect.transactional:
            try:
                self._database.execute(f"DROP TABLE IF EXISTS {made}")
            except Exception:  # noqa: BLE001 - the first error is the one to tell
                pass

    def _close(self, made: str) -> None:
        """Takes back what the database grants by default."""
        if self._dialect.name != "postgres":
            return
        granted = self._database.rows(
            "SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END "
            "FROM pg_class c, aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee "
            f"WHERE c.oid = to_regclass({self._dialect.literal(made)}) AND a.grantee <> c.relowner"
        )
        for (role,) in granted:
            self._database.execute(f"REVOKE ALL ON {made} FROM {role}")


def _changed(frame: Frame, table: Any, facts: Mapping[str, Any]) -> set[str]:
    """The columns of a release that are not as the table had them: they are texts."""
    before = dict(zip(frame.data.names, frame.data.types))
    made = {*facts["quasi"], *(it["column"] for it in facts.get("treated") or ()), *(it[0] for it in facts.get("follows") or ())}
    now_text = {
        name for name, kind in zip(table.names, table.types)
        if "Utf8" in kind and name in before and "Utf8" not in before[name] and before[name] != "Null"
    }
    return {name for name in table.names if name in made or name in now_text or name not in before}


def _failed(step: str, error: Exception) -> IncrowdError:
    """What went wrong in the database. Its own words may tell values of people."""
    state = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
    told = str(error).strip() if _incrowd.values_are_shown() else type(error).__name__ + (f" {state}" if state else "")
    return InputError(f"cannot {step}: {told}", "nothing was made; incrowd.show_values() lets errors tell what the database says")


def _batches(cursor: Any) -> Iterator[list[tuple[Any, ...]]]:
    while rows := cursor.fetchmany(BATCH):
        yield rows


def _marker(style: str) -> Callable[[int], str]:
    return {
        "format": lambda at: "%s",
        "pyformat": lambda at: "%s",
        "numeric": lambda at: f":{at + 1}",
    }.get(style, lambda at: "?")


def _longest(table: Any, names: set[str]) -> dict[str, int]:
    """How long the texts of columns are at most."""
    longest: dict[str, int] = {}
    for start in range(0, len(table), BATCH):
        for name, _, values in table.slice(start, BATCH).to_columns():
            if name in names:
                most = max((len(str(value)) for value in values if value is not None), default=1)
                longest[name] = max(longest.get(name, 1), most)
    return longest


def _as_frame(columns: dict[str, list[Any]]) -> Any:
    """Columns as a table of pyarrow, where that is installed and takes them; as they are otherwise."""
    # Arrow would make values of one type of those of several.
    mixed = any(len({type(value) for value in values if value is not None}) > 1 for values in columns.values())
    try:
        import pyarrow
    except ImportError:
        return columns
    try:
        return columns if mixed else pyarrow.table(columns)
    except (pyarrow.ArrowException, TypeError, ValueError):
        return columns


def _plain(pyarrow: Any, column: Any, as_text: bool) -> Any:
    if pyarrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pyarrow.string()) if as_text else column


def _decimals(reader: Any, kinds: Mapping[str, str]) -> Any:
    """Decimal numbers that were told as texts, as such where their type says how many digits there are."""
    import pyarrow

    table = reader.read_all() if hasattr(reader, "read_all") else pyarrow.table(reader)
    for name, kind in kinds.items():
        digits = kind[len("numeric("):-1].split(",") if kind.startswith("numeric(") else []
        if len(digits) == 2 and all(it.strip().isdigit() for it in digits) and int(digits[0]) <= 38:
            try:
                values = table[name].cast(pyarrow.decimal128(int(digits[0]), int(digits[1])))
            except pyarrow.ArrowException:
                continue
            table = table.set_column(table.column_names.index(name), name, values)
    return table


