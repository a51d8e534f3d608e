"""Tables by connections of ADBC, DuckDB and the Python Database API, real ones: what comes out is what went in."""

import datetime
import decimal
import sqlite3
import threading

import duckdb
import pytest

import incrowd

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

dbapi_postgres = pytest.importorskip("adbc_driver_postgresql.dbapi")
dbapi_sqlite = pytest.importorskip("adbc_driver_sqlite.dbapi")
psycopg = pytest.importorskip("psycopg")

ASK = {"k": 5, "quasi": ["age"], "unit": "row", "method": "mondrian"}

# Types of PostgreSQL, each with two values; every fourth row has NULL.
TYPES = {
    "smallint": ("-1", "2"),
    "integer": ("1", "2147483647"),
    "bigint": ("1", "9223372036854775807"),
    "real": ("0.1", "'Infinity'"),
    "double precision": ("0.1", "1e300"),
    "numeric": ("1.50", "123456789012345678901234567890.000000000001"),
    "numeric(10,2)": ("1.50", "-2.25"),
    "money": ("'$1.50'", "'$2'"),
    "boolean": ("true", "false"),
    "text": ("''", "'a\tb''\\N'"),
    "character varying(9)": ("''", "'é'"),
    "character(4)": ("'a'", "'b'"),
    "name": ("'a'", "'b'"),
    "\"char\"": ("'a'", "'b'"),
    "bytea": (r"'\xff00'", r"'\x61'"),
    "date": ("'2026-01-02'", "'0001-01-01'"),
    "time without time zone": ("'01:02:03.000004'", "'00:00'"),
    "time with time zone": ("'01:02:03+02'", "'00:00+00'"),
    "timestamp without time zone": ("'2026-01-02 03:04:05.678901'", "'1700-01-01'"),
    "timestamp with time zone": ("'2026-01-02 03:04:05+02'", "'1700-01-01+00'"),
    "timestamp(3) with time zone": ("'2026-01-02 03:04:05.123+02'", "'2026-01-02 03:04:05+00'"),
    "interval": ("'1 mon 2 days 00:00:03'", "'-1 day'"),
    "uuid": ("'00000000-0000-0000-0000-000000000001'", "'00000000-0000-0000-0000-000000000002'"),
    "json": ("'{\"a\": 1}'", "'[1,  2]'"),
    "jsonb": ("'{\"a\": 1}'", "'[1, 2]'"),
    "xml": ("'<a/>'", "'<b>x</b>'"),
    "inet": ("'192.0.2.1/24'", "'::1'"),
    "cidr": ("'192.0.2.0/24'", "'2001:db8::/32'"),
    "macaddr": ("'08:00:2b:01:02:03'", "'08:00:2b:01:02:04'"),
    "macaddr8": ("'08:00:2b:01:02:03:04:05'", "'08:00:2b:01:02:03:04:06'"),
    "point": ("'(1,2)'", "'(0.1,-2)'"),
    "box": ("'(3,4),(1,2)'", "'(1,1),(0,0)'"),
    "bit(3)": ("B'101'", "B'000'"),
    "bit varying": ("B'1'", "B'1011'"),
    "integer[]": ("'{1,NULL}'", "'{}'"),
    "text[]": ("'{\"a,b\",NULL}'", "'{\"\"}'"),
    "numeric(5,1)[]": ("'{1.5}'", "'{-2.0}'"),
    "timestamp with time zone[]": ("'{2026-01-02 03:04:05+02}'", "'{}'"),
    "int4range": ("'[1,5)'", "'empty'"),
    "tstzrange": ("'[2026-01-02 00:00+00,)'", "'(,2026-01-02 00:00+00]'"),
    "int4multirange": ("'{[1,2),[4,5)}'", "'{}'"),
    "tsvector": ("'a:1 b:2'", "'c'"),
    "mood": ("'glad'", "'sad'"),
    "pair": ("'(1,a)'", "'(2,\"b,c\")'"),
    "positive": ("1", "2"),
}


def rows_of(server, table):
    """The rows of a table in the database's own words, NULL apart from any text, with the type of the column."""
    kind = "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '{}'::regclass AND attname = 'kept'"
    values = server.sql(f"SELECT coalesce('=' || kept::text, 'NULL') FROM {table}")
    return sorted(values.splitlines()), server.sql(kind.format(table))


@pytest.fixture(scope="module")
def typed(postgres):
    """A table for each type."""
    postgres.sql(
        "CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE TYPE pair AS (x int, y text); "
        "CREATE DOMAIN positive AS int CHECK (value > 0)"
    )
    for number, (kind, (one, other)) in enumerate(TYPES.items()):
        postgres.sql(
            f"CREATE TABLE typed_{number} AS SELECT 20 + i % 4 AS age, "
            f"CASE i % 4 WHEN 1 THEN {one} WHEN 3 THEN NULL ELSE {other} END::{kind} AS kept FROM generate_series(1, 40) i"
        )
    return {kind: f"typed_{number}" for number, kind in enumerate(TYPES)}


@pytest.mark.parametrize("way", ["adbc", "psycopg"])
def test_every_type_of_postgresql(way, typed, postgres):
    open_ = {"adbc": lambda: dbapi_postgres.connect(postgres.address), "psycopg": lambda: psycopg.connect(postgres.words)}
    with open_[way]() as connection:
        for number, (kind, table) in enumerate(typed.items()):
            into = f"{way}_{number}"
            result = incrowd.anonymize(connection, table=table, into=into, plain=["kept"], accept=["kept"], **ASK)
            assert result, kind
            (made, of), (given, before) = rows_of(postgres, into), rows_of(postgres, table)
            assert of == before and made == given, kind
    left = "SELECT count(*) FROM pg_class WHERE relname LIKE 'incrowd%'"
    assert postgres.sql(left) == "0"


def test_every_kept_type_streamed_and_in_place(typed, postgres):
    kept = 0
    for number, (kind, table) in enumerate(typed.items()):
        for there in (False, True):
            into = f"way_{int(there)}_{number}"
            asked = {**ASK, "plain": ["kept"], "accept": ["kept"]}
            try:
                incrowd.anonymize(postgres.address, table=table, into=into, in_database=there, **asked)
            except incrowd.IncrowdError as error:
                assert "cannot be released" in str(error), (kind, error)
                continue
            (made, of), (given, before) = rows_of(postgres, into), rows_of(postgres, table)
            assert made == given, kind
            assert of == {"name": "text", "positive": "integer"}.get(before, before), kind
            kept += 1
    assert kept >= 2 * 20


@pytest.fixture
def people(tmp_path):
    """A file of SQLite with values of every class of storage, some of them in one column."""
    path = str(tmp_path / "people.sqlite")
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE people (age INTEGER, whole INTEGER, share REAL, note TEXT COLLATE NOCASE, raw BLOB, any_kind)")
    rows = [
        (20 + at % 4, None if at % 4 == 3 else at % 2, None if at % 4 == 3 else at % 2 + 0.1,
         (None, "", "x", "X")[at % 4], None if at % 4 == 3 else b"\xff" * (at % 2), (1, 1.0, "1", None)[at % 4])
        for at in range(400)
    ]
    connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", rows)
    connection.commit()
    yield path, connection
    connection.close()


PLAIN = ["whole", "share", "note", "raw", "any_kind"]


def of_sqlite(connection, table, columns=PLAIN):
    told = ", ".join(f"typeof({name}), {name}" for name in columns)
    return sorted(map(repr, connection.execute(f"SELECT {told} FROM {table}")))


def test_sqlite_by_its_own_module(people):
    _, connection = people
    result = incrowd.anonymize(connection, table="people", into="release", plain=PLAIN, accept=PLAIN, **ASK)
    assert of_sqlite(connection, "release") == of_sqlite(connection, "people")
    assert connection.execute("SELECT DISTINCT typeof(age) FROM release").fetchall() == [("text",)]
    assert result.recoding and not connection.in_transaction
    # A second time it is there; it can be replaced, and is whole then.
    with pytest.raises(incrowd.InputError, match="already"):
        incrowd.anonymize(connection, table="people", into="release", plain=PLAIN, accept=PLAIN, **ASK)
    query = "SELECT age, note FROM people WHERE note IS NOT NULL;"
    incrowd.anonymize(connection, query=query, where="age > 20", into="release", replace=True, plain=["note"], accept=["note"], **ASK)
    assert of_sqlite(connection, "release", ["note"]) == of_sqlite(connection, "people WHERE note IS NOT NULL AND age > 20", ["note"])
    assert [name for (name,) in connection.execute("SELECT name FROM sqlite_master ORDER BY 1")] == ["people", "release"]
    # Its looks say what a frame says.
    frame = connection.execute("SELECT age FROM people")
    assert incrowd.risk(frame, ["age"]).rows == 400
    assert incrowd.verify(connection, 5, ["age"], table="release")
    assert incrowd.inspect(connection, table="people").rows == 400
    assert incrowd.verify(
        incrowd.Relation(connection, "release"), 5, ["age"], original=incrowd.Relation(connection, query=query.rstrip(";"), where="age > 20")
    )


def test_cursors_are_tables(people):
    _, connection = people
    cursor = connection.execute("SELECT age, note FROM people")
    result = incrowd.anonymize(cursor, plain=["note"], accept=["note"], **ASK)
    notes = result.table["note"].to_pylist()
    assert {note: notes.count(note) for note in (None, "", "x", "X")} == dict.fromkeys((None, "", "x", "X"), 100)
    with pytest.raises(incrowd.InputError, match="types are not known"):
        incrowd.anonymize(connection.execute("SELECT age FROM people"), into="release", **ASK)
    with pytest.raises(incrowd.InputError, match="no table"):
        incrowd.anonymize(connection, **ASK)
    for wrong in ({"in_database": True}, {"grant": ["x"]}):
        with pytest.raises(incrowd.InputError, match="not possible with a connection"):
            incrowd.anonymize(connection, table="people", into="release", **wrong, **ASK)


def test_sqlite_by_adbc(people):
    path, own = people
    plain = ["whole", "share", "note"]
    with dbapi_sqlite.connect(path) as connection:
        incrowd.anonymize(connection, table="people", into="release", plain=plain, accept=plain, identifying=["raw", "any_kind"], **ASK)
        saved = incrowd.anonymize(incrowd.Relation(connection, "people"), plain=plain, accept=plain, identifying=["raw", "any_kind"], **ASK)
        assert saved.table.num_rows == 400
        saved.recoding.apply(connection, table="people", where="age < 23", into="later")
    assert of_sqlite(own, "release", plain) == of_sqlite(own, "people", plain)
    assert of_sqlite(own, "later", plain) == of_sqlite(own, "people WHERE age < 23", plain)


def test_duckdb_connections():
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE people AS SELECT 20 + i % 4 AS age, CASE WHEN i % 4 < 3 THEN (i % 2)::HUGEINT END AS wide, "
        "CASE WHEN i % 4 < 3 THEN (i % 2)::DECIMAL(9,3) END AS price, CASE i % 4 WHEN 0 THEN '' WHEN 1 THEN 'x' END AS note, "
        "CASE WHEN i % 4 < 3 THEN [i % 2] END AS list, CASE WHEN i % 4 < 3 THEN INTERVAL (i % 2) DAY END AS span, "
        "CASE WHEN i % 4 < 3 THEN ('0000000000000000000000000000000' || (i % 2))::UUID END AS who FROM range(400) t(i)"
    )
    plain = ["wide", "price", "note", "list", "span", "who"]
    result = incrowd.anonymize(connection, table="people", into="release", plain=plain, accept=plain, **ASK)
    listed = ", ".join(plain)
    made, given = (connection.sql(f"SELECT {listed} FROM {table}") for table in ("release", "people"))
    assert made.types == given.types and sorted(map(repr, made.fetchall())) == sorted(map(repr, given.fetchall()))
    assert result.table.columns == ["age", *plain]
    incrowd.anonymize(connection, table="people", into="release", replace=True, plain=["note"], accept=["note"], **ASK)
    assert connection.sql("SHOW TABLES").fetchall() == [("people",), ("release",)]
    connection.begin()
    with pytest.raises(incrowd.InputError, match="transaction"):
        incrowd.anonymize(connection, table="people", into="other", plain=["note"], accept=["note"], **ASK)


def test_mariadb(mariadb):
    pymysql = pytest.importorskip("pymysql")
    connection = pymysql.connect(unix_socket=mariadb, user="root", charset="utf8mb4")
    with connection.cursor() as cursor:
        for statement in (
            "CREATE DATABASE clinic CHARACTER SET latin1", "USE clinic",
            "CREATE TABLE people (age int, tiny tinyint(1), big bigint unsigned, price decimal(10,2), share double, "
            "note varchar(20) CHARACTER SET utf8mb4, raw varbinary(5), day date, at datetime(6), span time, many json, "
            "mood enum('sad', 'glad'), year year)",
        ):
            cursor.execute(statement)
        day = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901)
        values = [
            (1, 2**64 - 1, "1.50", 0.1, "", b"\xff", day.date(), day, "01:02:03", '{"a": [1]}', "sad", 2026),
            (0, 0, "-2.25", 1e300, "é\\'x", b"", day.date(), day, "-00:00:01", "[]", "glad", 1999),
            (None,) * 12,
        ]
        rows = [(20 + at % 3, *values[at % 3]) for at in range(60)]
        cursor.executemany(f"INSERT INTO people VALUES ({', '.join(['%s'] * 13)})", rows)
        connection.commit()
        cursor.execute("SELECT column_name FROM information_schema.columns WHERE table_schema = 'clinic' ORDER BY ordinal_position")
        plain = [name for (name,) in cursor.fetchall() if name != "age"]
        incrowd.anonymize(connection, table="people", into="people_release", plain=plain, accept=plain, **ASK)

        def told(table):
            cursor.execute(f"SELECT {', '.join(plain)} FROM {table}")
            return sorted(map(repr, cursor.fetchall()))

        def kinds(table):
            cursor.execute(
                "SELECT column_name, column_type, character_set_name, collation_name FROM information_schema.columns "
                "WHERE table_name = %s AND column_name <> 'age' ORDER BY 1", (table,)
            )
            return cursor.fetchall()

        assert told("people_release") == told("people") and kinds("people_release") == kinds("people")
        cursor.execute("SELECT count(DISTINCT age), max(collation(age)) FROM people_release")
        assert cursor.fetchone() == (3, "utf8mb4_bin")
        # Where the making of a table cannot be undone, it has a private name until it is judged.
        failing = connection
        with pytest.MonkeyPatch.context() as patch:
            def fill(self, frame, table, name, changed, before=incrowd._connections._DbApi.fill):
                before(self, frame, table, name, changed)
                assert name.startswith("`incrowd_")
                self.execute(f"UPDATE {name} SET note = 'other' LIMIT 1")

            patch.setattr(incrowd._connections._DbApi, "fill", fill)
            with pytest.raises(incrowd.IncrowdError):
                incrowd.anonymize(failing, table="people", into="other", plain=plain, accept=plain, **ASK)
        cursor.execute("SHOW TABLES")
        assert sorted(cursor.fetchall()) == [("people",), ("people_release",)]
    connection.close()


class Cursor:
    """A cursor that fails at a chosen step."""

    def __init__(self, cursor, steps):
        self._cursor, self._steps = cursor, steps

    def __getattr__(self, name):
        found = getattr(self._cursor, name)
        if name not in ("execute", "executemany", "fetchmany"):
            return found

        def step(*args):
            self._steps[0] -= 1
            if self._steps[0] == 0:
                raise RuntimeError("Ann has the plague")
            return found(*args)

        return step


class Connection:
    """A connection that fails at a chosen step, or tells rows that nobody has written."""

    def __init__(self, connection, step=0, tamper=""):
        self._connection, self._steps, self._tamper = connection, [step], tamper

    def __getattr__(self, name):
        return getattr(self._connection, name)

    def cursor(self):
        if self._tamper and self._connection.in_transaction:
            self._connection.execute(self._tamper)
        return Cursor(self._connection.cursor(), self._steps)


# A module of its own would be asked for its ways.
Connection.__module__ = Cursor.__module__ = "sqlite3"


def test_faults_leave_the_database_as_it_was(people):
    _, connection = people
    asked = {"table": "people", "into": "release", "plain": PLAIN, "accept": PLAIN, **ASK}
    struck = 0
    for step in range(1, 60):
        failing = Connection(connection, step)
        try:
            incrowd.anonymize(failing, **asked)
        except incrowd.IncrowdError as error:
            assert "Ann" not in str(error) and error.__cause__ is None
        except RuntimeError:
            # While rows were read: nothing had begun.
            pass
        else:
            assert of_sqlite(connection, "release") == of_sqlite(connection, "people")
            break
        struck += 1
        assert [name for (name,) in connection.execute("SELECT name FROM sqlite_master")] == ["people"], step
        assert not connection.in_transaction
    assert 6 <= struck < 59


def test_what_is_changed_on_the_way_is_not_released(people):
    _, connection = people
    for tamper in (
        "UPDATE release SET note = 'other' WHERE rowid = 7", "DELETE FROM release WHERE rowid = 7",
        "INSERT INTO release SELECT * FROM release WHERE rowid = 7", "UPDATE release SET age = '*' WHERE rowid = 7",
    ):
        wrapped = Connection(connection)
        run = incrowd._connections.Target.place

        def place(self, run_, frame, facts, tamper=tamper):
            database = self._database
            fill = database.fill
            database.fill = lambda *args: (fill(*args), database.execute(tamper))
            return run(self, run_, frame, facts)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(incrowd._connections.Target, "place", place)
            with pytest.raises(incrowd.IncrowdError):
                incrowd.anonymize(wrapped, table="people", into="release", plain=PLAIN, accept=PLAIN, **ASK)
        assert [name for (name,) in connection.execute("SELECT name FROM sqlite_master")] == ["people"]


def test_a_killed_backend_leaves_no_table(postgres):
    postgres.sql("CREATE TABLE cut AS SELECT 20 + i % 40 AS age, i % 5 AS ill FROM generate_series(1, 20000) i")
    for way, wait in ((way, wait) for wait in (0.05, 0.2, 0.5) for way in ("adbc", "psycopg")):
        connection = dbapi_postgres.connect(postgres.address) if way == "adbc" else psycopg.connect(postgres.words)
        end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        timer = threading.Timer(wait, postgres.sql, [end])
        timer.start()
        try:
            incrowd.anonymize(connection, table="cut", into="cut_release", plain=["ill"], accept=["ill"], **ASK)
        except Exception:  # noqa: BLE001 - drivers have their own
            assert postgres.sql("SELECT to_regclass('cut_release') IS NULL") == "t"
        else:
            assert postgres.sql("SELECT count(*) FROM cut_release") == "20000"
            postgres.sql("DROP TABLE cut_release")
        timer.join()


def test_others_and_grants_see_what_is_committed(postgres):
    postgres.sql(
        "CREATE TABLE seen AS SELECT 20 + i % 4 AS age FROM generate_series(1, 40) i; CREATE ROLE anybody; "
        "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC"
    )
    try:
        with psycopg.connect(postgres.words) as connection:
            incrowd.anonymize(connection, table="seen", into="seen_release", **ASK)
        assert postgres.sql("SELECT has_table_privilege('anybody', 'seen_release', 'SELECT')") == "f"
    finally:
        postgres.sql("ALTER DEFAULT PRIVILEGES REVOKE SELECT ON TABLES FROM PUBLIC")
    with psycopg.connect(postgres.words) as connection:
        connection.execute("CREATE TABLE waiting ()")
        with pytest.raises(incrowd.InputError, match="not committed"):
            incrowd.anonymize(connection, table="seen", into="seen_again", **ASK)
        connection.rollback()


def test_values_are_python_s_own():
    connection = sqlite3.connect(":memory:", detect_types=sqlite3.PARSE_DECLTYPES)
    sqlite3.register_converter("money", lambda text: decimal.Decimal(text.decode()))
    sqlite3.register_adapter(decimal.Decimal, str)
    connection.execute("CREATE TABLE people (age INTEGER, price money)")
    connection.executemany("INSERT INTO people VALUES (?, ?)", [(20 + at % 2, decimal.Decimal("1.50")) for at in range(20)])
    connection.commit()
    out = incrowd.anonymize(connection, table="people", plain=["price"], accept=["price"], **ASK).table
    assert set(out["price"].to_pylist()) == {decimal.Decimal("1.50")}
    moment = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901)
    rows = [(20 + at % 2, (moment, moment.date(), None)[at % 2]) for at in range(20)]

    class Told:
        description = [("age",), ("at",)]

        def __init__(self):
            self.left = [rows[:10], rows[10:], []]

        def execute(self, statement):
            raise AssertionError(statement)

        def fetchmany(self, many):
            return self.left.pop(0)

    out = incrowd.anonymize(Told(), plain=["at"], accept=["at"], **ASK).table
    told = out["at"].to_pylist() if hasattr(out["at"], "to_pylist") else out["at"]
    assert sorted(map(repr, told)) == sorted(repr(at) for _, at in rows)
