"""What differs between databases that are reached by a connection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import _incrowd

__all__ = ["Dialect", "dialect_of"]


@dataclass(frozen=True)
class Dialect:
    """A database's SQL, as far as a release needs it."""

    name: str
    #: Whether making a table can be undone.
    transactional: bool = False
    #: Whether transactions must be begun by a statement.
    begins: bool = False
    #: Whether a table can be replaced without losing what hangs on it.
    replaces: bool = False
    #: A query that tells whether changes wait to be committed.
    changes: str = ""
    #: What stands for a value, where that is not the way of the module.
    marker: Callable[[int], str] | None = None

    def quote(self, name: str) -> str:
        """A name in quotes."""
        if self.name in ("mysql", "bigquery"):
            return "`" + name.replace("`", "``") + "`"
        return '"' + name.replace('"', '""') + '"'

    def literal(self, text: str) -> str:
        """A text."""
        return "'" + text.replace("'", "''") + "'"

    def parts(self, written: str) -> list[str]:
        """The parts of a table's name."""
        if self.name == "mysql" and written.startswith("`"):
            return [written.strip("`")]
        return _incrowd.name_parts(written)

    def table(self, written: str) -> str:
        """The name of a table, part by part in quotes. Databases that read names in capitals find theirs."""
        parts = self.parts(written)
        if self.name in ("snowflake", "oracle") and '"' not in written:
            return ".".join(parts)
        return ".".join(map(self.quote, parts))

    def beside(self, written: str, number: str) -> str:
        """A name that nobody else has, in the schema of a table."""
        parts = self.parts(written)
        return ".".join(map(self.quote, [*parts[:-1], f"incrowd_{number}"]))

    def nothing(self, longest: int) -> str:
        """NULL of the type of texts that are at most so long."""
        if self.name == "mysql":
            # Labels that differ in capitals alone must not be one class.
            return f"CAST(NULL AS CHAR({max(longest, 1)}) CHARACTER SET utf8mb4) COLLATE utf8mb4_bin"
        kind = {"postgres": "text", "sqlite": "TEXT", "bigquery": "STRING"}.get(self.name, "VARCHAR")
        return f"CAST(NULL AS {kind})"

    def rename(self, made: str, name: str, last: str) -> str:
        """The statement that gives a table its name."""
        if self.name == "mysql":
            return f"RENAME TABLE {made} TO {name}"
        if self.name in ("snowflake", "oracle"):
            return f"ALTER TABLE {made} RENAME TO {name}"
        return f"ALTER TABLE {made} RENAME TO {self.quote(last)}"


_DIALECTS = {
    "postgres": Dialect(
        "postgres", transactional=True, changes="SELECT pg_current_xact_id_if_assigned() IS NOT NULL",
    ),
    "sqlite": Dialect("sqlite", transactional=True, begins=True, replaces=True),
    "duckdb": Dialect("duckdb", transactional=True, replaces=True),
    "mysql": Dialect("mysql"),
    "snowflake": Dialect("snowflake"),
    "bigquery": Dialect("bigquery"),
}

#: Words in the names of modules and vendors.
_WORDS = {
    "postgres": "postgres", "psycopg": "postgres", "pg8000": "postgres", "redshift": "redshift", "sqlite": "sqlite",
    "duckdb": "duckdb", "mysql": "mysql", "maria": "mysql", "snowflake": "snowflake", "bigquery": "bigquery", "google": "bigquery",
}


def dialect_of(said: str) -> Dialect:
    """The dialect of a module or a vendor; of those that nobody knows what the standard says."""
    name = next((name for word, name in _WORDS.items() if word in said.lower()), said.lower())
    return _DIALECTS.get(name, Dialect(name))
