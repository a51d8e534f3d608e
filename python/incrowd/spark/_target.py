"""Where a release goes: under a private name of this run until it is verified, and only then under its own.

What stands under that name already is moved aside, never removed first: at every moment the earlier release, or the new one, or
both are there. Nothing is replaced or removed that incrowd has not made.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from .._errors import FileError, InputError, TryAgain
from ._files import Files, files_of
from ._owner import is_dead, me
from ._sources import Sources

logger = logging.getLogger("incrowd")

#: What a run has left whose driver is certainly gone is removed at once. Of a run on another machine that is not known: what
#: it has left is removed after so many seconds, a week...
STALE = 7 * 24 * 3600.0
#: ... but a swap that was cut in the middle is mended after so many, in which a swap that goes on would have ended.
CUT = 600.0
#: Where a run fails, tasks that are being stopped may still write: what they write is removed after these seconds, too.
WRITERS_STOP = (0.0, 0.5, 1.5)


#: The runs of this process that go on.
running: set[str] = set()


class Scratch(NamedTuple):
    """The names of a run: what it makes, what it replaces, and the name that both want."""

    run: str
    made: str
    replaced: str
    place: str


class Target:
    """A place for a release. Kinds of places say what a name is, and how it is given to something else."""

    def __init__(
        self, df: Any, name: str, format: str, options: dict[str, str], overwrite: bool, append: bool = False,
        partition_by: Sequence[str] = (),
    ) -> None:
        self.spark = df.sparkSession
        self.name = name
        self.format = format
        self.options = {"header": "true", **options} if format == "csv" else options
        # What rows are added to is replaced by it and them.
        self.overwrite = overwrite or append
        self.partition_by = list(partition_by)
        if any(key.lower() == "path" for key in options):
            raise InputError("an option of the format cannot say where the release goes", "leave out path; into= says it")
        self._sources = Sources(df)
        self.scratch = self._scratch(uuid.uuid4().hex)
        self._mend()
        self._check(f"{name} is there already")
        self._continues: str | None = None
        if append:
            if not self._exists(self.scratch.place):
                raise FileError(f"{name} is not there: there is nothing to add rows to", "leave out append=True")
            self._continues = self._release_of(self.scratch.place) or ""

    def _scratch(self, run: str) -> Scratch:
        """The names of a run."""
        raise NotImplementedError

    def _prepare(self) -> None:
        """Makes the private place of the run."""

    def write(self, frame: Any, schema: Any) -> None:
        """Writes the release under its private name."""
        raise NotImplementedError

    def written(self, schema: Any) -> Any:
        """The release as it was written, under its private name."""
        raise NotImplementedError

    def read(self, schema: Any) -> Any:
        """The release under its own name."""
        raise NotImplementedError

    def earlier(self) -> Any:
        """The release that rows are added to."""
        raise NotImplementedError

    def _release_of(self, name: str) -> str | None:
        """The run that has made a release."""
        raise NotImplementedError

    def _exists(self, name: str) -> bool:
        raise NotImplementedError

    def _move(self, name: str, to: str) -> None:
        """Gives something another name, which nothing must have."""
        raise NotImplementedError

    def _clear(self, scratch: Scratch) -> None:
        """Removes all that a run has under private names."""
        raise NotImplementedError

    def _sign(self) -> None:
        """Marks what was made as a release: it is verified."""
        raise NotImplementedError

    def _check_not_source(self) -> None:
        """Refuses a name that the table is read from."""
        raise NotImplementedError

    def _check_ours(self) -> None:
        """Refuses to replace what incrowd has not made."""
        raise NotImplementedError

    def _remains(self) -> Iterator[tuple[Scratch, float, str]]:
        """Private names that other runs have beside this place, for how many seconds, and whose they are."""
        raise NotImplementedError

    @contextmanager
    def private(self) -> Any:
        """A private place, for as long as the release is made. Nothing of it stays, whatever happens."""
        pauses: tuple[float, ...] = WRITERS_STOP
        running.add(self.scratch.run)
        try:
            self._prepare()
            yield
            pauses = (0.0,)
        finally:
            running.discard(self.scratch.run)
            self._settle(self.scratch, pauses)

    def commit(self) -> None:
        """Gives the verified release its name; what had it before is kept aside until then, and comes back on failure."""
        self._check(f"{self.name} has come to be while the release was made")
        self._check_continued(self.scratch.place)
        self._sign()
        if self.overwrite and self._exists(self.scratch.place):
            try:
                self._move(self.scratch.place, self.scratch.replaced)
            except Exception as error:
                if self._exists(self.scratch.place):
                    raise
                raise TryAgain(f"{self.name} was replaced by others just now", "nothing was changed") from error
            # Others may have come before: now nobody can.
            self._check_continued(self.scratch.replaced)
        self._move(self.scratch.made, self.scratch.place)

    def _check_continued(self, name: str) -> None:
        """Refuses to put old and new rows in the place of others than the old ones."""
        if self._continues is None:
            return
        if not self._exists(name) or (self._release_of(name) or "") != self._continues:
            raise TryAgain(f"{self.name} was replaced while rows were added to it", "add them again: nothing was changed")

    def _check(self, taken: str) -> None:
        self._check_not_source()
        if not self._exists(self.scratch.place):
            return
        if not self.overwrite:
            raise FileError(taken, "give another name, or overwrite=True to replace it when the release is verified")
        self._check_ours()

    def _settle(self, scratch: Scratch, pauses: tuple[float, ...] = (0.0,)) -> None:
        """Ends a run, or what one that was killed has left: a swap that was cut in the middle is taken back, and the rest
        removed, again after each pause."""
        made, replaced, place = scratch.made, scratch.replaced, scratch.place
        if self._exists(replaced):
            free = not self._exists(place)
            if not free and self._exists(made):
                raise FileError(
                    f"{place} was taken by somebody else; what was there is kept as {replaced}, the verified release as {made}",
                    "give one of them the name that it shall have, and remove the others",
                )
            if free:
                try:
                    self._move(replaced, place)
                except Exception as error:
                    raise FileError(
                        f"{place} could not be replaced; what was there is kept as {replaced}, the verified release as {made}",
                        "rename one of them by hand",
                    ) from error
        failure: Exception | None = None
        for pause in pauses:
            time.sleep(pause)
            try:
                self._clear(scratch)
                failure = None
            except Exception as error:  # noqa: BLE001 - the release is in place, or there is an error that says more
                failure = error
        if failure is not None:
            logger.warning("%s could not be removed, and nobody needs it any more: %s", made, failure)

    def _mend(self) -> None:
        """Ends what runs that were killed have left."""
        try:
            for scratch, seconds, owner in self._remains():
                is_over = is_dead(owner) or owner == me() and scratch.run not in running
                if is_over or seconds > (CUT if self._exists(scratch.replaced) else STALE):
                    self._settle(scratch)
        except Exception as error:  # noqa: BLE001 - that is no reason not to make this release
            logger.warning("an earlier run has left something that could not be removed: %s", error)

    def _refuse_source(self, files: Files, place: str) -> None:
        """Refuses a folder that the table is read from, or that holds, or lies in, one that is."""
        for root in sorted(self._sources.roots):
            other, path = files_of(self.spark, root)
            if type(other) is type(files) and (files.is_within(path, place) or files.is_within(place, path)):
                raise InputError(
                    f"{self.name} is, holds or lies in {root}, which the table is read from",
                    "give the release a place of its own",
                )
