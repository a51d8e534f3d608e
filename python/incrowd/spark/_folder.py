"""A release as a folder of files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .._errors import FileError, InputError
from ._files import files_of
from ._frame import quoted
from ._owner import me
from ._target import Scratch, Target

#: Files that say what a folder is: a release and of which run, the private folder of a run and whose, and that a swap has
#: begun. Readers skip names that begin like this.
RELEASE = "_INCROWD_RELEASE"
SCRATCH = "_INCROWD_SCRATCH"
SWAP = "_INCROWD_SWAP"

#: What Spark and its formats put into a folder of rows.
_OF_SPARK = re.compile(
    r"part-.*[^/]|_SUCCESS|_(metadata|common_metadata)|_(committed|started)_\w+|_delta_log/|[^/=._][^/=]*=[^/]*/"
)
_PRIVATE = re.compile(r"\.incrowd-([0-9a-f]{32})/")


class Folder(Target):
    """A folder of files on whatever file system Spark reaches. The private folder of a run lies beside it, so that a name
    is all that changes in the end:

    .incrowd-RUN/new/NAME    the release while it is made
    .incrowd-RUN/old/NAME    what it replaces, while names are swapped
    """

    def _scratch(self, run: str) -> Scratch:
        self._files, place = files_of(self.spark, self.name)
        parent = self._files.parent(place)
        if parent is None:
            raise InputError(f"{self.name} is a whole file system", 'name a folder in it: into="folder/release"')
        self._parent, self._base = parent.rstrip("/"), place.rpartition("/")[2]
        return self._names(run, self._base)

    def _names(self, run: str, base: str) -> Scratch:
        private = self._private(run)
        return Scratch(run, f"{private}/new/{base}", f"{private}/old/{base}", f"{self._parent}/{base}")

    def _private(self, run: str) -> str:
        return f"{self._parent}/.incrowd-{run}"

    def _prepare(self) -> None:
        private = self._private(self.scratch.run)
        self._files.make(self._parent or "/")
        self._files.make_private(private)
        self._files.note(f"{private}/{SCRATCH}", me())
        for name in ("new", "old"):
            self._files.make(f"{private}/{name}")

    def write(self, frame: Any, schema: Any) -> None:
        writer = frame.write.mode("errorifexists").format(self.format).options(**self.options)
        if self.partition_by:
            writer = writer.partitionBy(*self.partition_by)
        writer.save(self._files.url(self.scratch.made))

    def written(self, schema: Any) -> Any:
        return self._load(self.scratch.made, schema)

    def read(self, schema: Any) -> Any:
        return self._load(self.scratch.place, schema)

    def _load(self, path: str, schema: Any) -> Any:
        read = self.spark.read.format(self.format).options(**self.options).schema(schema)
        # Columns by which a folder is cut come last.
        return read.load(self._files.url(path)).select([quoted(field.name) for field in schema.fields])

    def earlier(self) -> Any:
        return self.spark.read.format(self.format).options(**self.options).load(self._files.url(self.scratch.place))

    def _release_of(self, name: str) -> str | None:
        mark = f"{name}/{RELEASE}"
        return self._files.text(mark) if self._files.exists(mark) else None

    def _exists(self, name: str) -> bool:
        return self._files.exists(name)

    def _move(self, name: str, to: str) -> None:
        self._files.move(name, to)

    def _clear(self, scratch: Scratch) -> None:
        self._files.remove(self._private(scratch.run))

    def _sign(self) -> None:
        self._files.note(f"{self.scratch.made}/{RELEASE}", self.scratch.run)
        self._files.note(f"{self._private(self.scratch.run)}/{SWAP}", me())

    def commit(self) -> None:
        super().commit()
        # Frames of this session that read the folder see what is there now.
        self.spark.catalog.refreshByPath(self._files.url(self.scratch.place))

    def _check_not_source(self) -> None:
        self._refuse_source(self._files, self.scratch.place)

    def _check_ours(self) -> None:
        place = self.scratch.place
        if not self._files.is_folder(place):
            raise FileError(f"{self.name} is not a folder, and not a release", "give another name")
        # Checksums of files are hidden beside them.
        names = [re.sub(r"^\.(.+)\.crc$", r"\1", name) for name in self._files.names(place)]
        strange = sorted({name for name in names if name != RELEASE and not _OF_SPARK.fullmatch(name)})
        if strange:
            listed = ", ".join(strange[:5]) + (f" and {len(strange) - 5} more" if len(strange) > 5 else "")
            raise FileError(f"{self.name} is not replaced: it holds {listed}", "give the release a folder of its own")
        # An empty folder may be anybody's: nothing is lost.
        if names and RELEASE not in names:
            raise FileError(
                f"{self.name} is not replaced: incrowd has not made it (there is no {RELEASE} in it)",
                "give another name, or remove it yourself if nobody needs it",
            )

    def _remains(self) -> Iterator[tuple[Scratch, float, str]]:
        if not self._files.exists(self._parent or "/"):
            return
        for name in self._files.names(self._parent or "/"):
            run = _PRIVATE.fullmatch(name)
            private = f"{self._parent}/{name.rstrip('/')}"
            if run is None or not self._files.is_mine(private):
                continue
            held = self._files.names(private)
            marks = [f"{private}/{mark}" for mark in (SCRATCH, SWAP) if mark in held]
            if not marks:
                continue
            old = self._files.names(f"{private}/old") if "old/" in held else []
            base = old[0].rstrip("/") if old else self._base
            seconds = min(self._files.seconds(mark) for mark in marks)
            yield self._names(run[1], base), seconds, self._files.text(marks[0])
