"""What is done to folders, on this machine and on whatever else Spark reaches: private ones are made, names change hands.

A move never replaces anything and never puts a folder into another one, which Hadoop's own rename does where the name is
taken: of two runs that want the same name, one is told so.
"""

from __future__ import annotations

import os
import shutil
import time
from typing import Any

from .._errors import FileError, InputError

#: Nobody but the owner may enter.
PRIVATE = 0o700


def files_of(spark: Any, name: str) -> tuple[Files, str]:
    """The file system that a name belongs to, and the name in full, with links followed."""
    jvm = getattr(spark, "_jvm", None)
    if jvm is None:
        raise InputError(
            "a folder cannot be renamed through this session (Spark Connect)",
            'name a table instead: into="release"',
        )
    path = jvm.org.apache.hadoop.fs.Path(name)
    system = path.getFileSystem(spark._jsc.hadoopConfiguration())
    # A relative name is Java's to resolve: its working folder is not always that of Python.
    path = system.makeQualified(path)
    if path.toUri().getScheme() == "file":
        return LocalFiles(), os.path.realpath(path.toUri().getPath())
    return HadoopFiles(spark, system), str(path.toString())


class Files:
    """A file system. Names are full ones."""

    def url(self, path: str) -> str:
        """A name as Spark takes it."""
        return path

    def parent(self, path: str) -> str | None:
        """The folder that something lies in; the root lies in none."""
        raise NotImplementedError

    def exists(self, path: str) -> bool:
        """Whether there is something of this name."""
        raise NotImplementedError

    def is_folder(self, path: str) -> bool:
        """Whether this is a folder."""
        raise NotImplementedError

    def names(self, path: str) -> list[str]:
        """What lies in a folder; folders have a slash at their end."""
        raise NotImplementedError

    def make(self, path: str) -> None:
        """Makes a folder and those that it lies in."""
        raise NotImplementedError

    def make_private(self, path: str) -> None:
        """Makes a folder that was not there, and that others cannot enter."""
        raise NotImplementedError

    def note(self, path: str, text: str) -> None:
        """Makes a file that was not there."""
        raise NotImplementedError

    def text(self, path: str) -> str:
        """What a short file says."""
        raise NotImplementedError

    def move(self, source: str, to: str) -> None:
        """Gives a folder another name, which nothing must have."""
        raise NotImplementedError

    def remove(self, path: str) -> None:
        """Removes a folder and all that is in it, if it is there."""
        raise NotImplementedError

    def mode(self, path: str) -> int:
        """Who may do what."""
        raise NotImplementedError

    def set_mode(self, path: str, mode: int) -> None:
        """Says who may do what."""
        raise NotImplementedError

    def is_mine(self, path: str) -> bool:
        """Whether the user of this session made it."""
        raise NotImplementedError

    def seconds(self, path: str) -> float:
        """How long ago a file was made."""
        raise NotImplementedError

    def is_within(self, path: str, folder: str) -> bool:
        """Whether something is a folder or lies in it, at any depth."""
        raise NotImplementedError


class LocalFiles(Files):
    """The files of this machine."""

    def url(self, path: str) -> str:
        return f"file:{path}"

    def parent(self, path: str) -> str | None:
        parent = os.path.dirname(path)
        return None if parent == path else parent

    def exists(self, path: str) -> bool:
        return os.path.lexists(path)

    def is_folder(self, path: str) -> bool:
        return os.path.isdir(path) and not os.path.islink(path)

    def names(self, path: str) -> list[str]:
        with os.scandir(path) as entries:
            return [f"{it.name}/" if it.is_dir() else it.name for it in entries]

    def make(self, path: str) -> None:
        os.makedirs(path, exist_ok=True)

    def make_private(self, path: str) -> None:
        os.mkdir(path, PRIVATE)

    def note(self, path: str, text: str) -> None:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)

    def text(self, path: str) -> str:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(1 << 12)

    def move(self, source: str, to: str) -> None:
        # Of two that come at the same time the system lets one pass: it renames no folder over one with files in it.
        if os.path.lexists(to):
            raise FileExistsError(f"{to} is there already")
        os.rename(source, to)

    def remove(self, path: str) -> None:
        if os.path.lexists(path):
            shutil.rmtree(path)

    def mode(self, path: str) -> int:
        return os.stat(path).st_mode & 0o7777

    def set_mode(self, path: str, mode: int) -> None:
        os.chmod(path, mode)

    def is_mine(self, path: str) -> bool:
        return not hasattr(os, "geteuid") or os.lstat(path).st_uid == os.geteuid()

    def seconds(self, path: str) -> float:
        return time.time() - os.stat(path).st_mtime

    def is_within(self, path: str, folder: str) -> bool:
        if not os.path.exists(folder):
            return False
        at: str | None = os.path.realpath(path)
        while at is not None:
            # By what is there and not by spelling: a disk may be mounted twice, or not care for case.
            if os.path.exists(at) and os.path.samefile(at, folder):
                return True
            at = self.parent(at)
        return False


class HadoopFiles(Files):
    """Any file system that Hadoop knows."""

    def __init__(self, spark: Any, system: Any) -> None:
        self._jvm = spark._jvm
        self._gateway = spark.sparkContext._gateway
        self._configuration = spark._jsc.hadoopConfiguration()
        self._system = system

    def _path(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(path)

    def parent(self, path: str) -> str | None:
        parent = self._path(path).getParent()
        return None if parent is None else str(parent.toString())

    def exists(self, path: str) -> bool:
        return bool(self._system.exists(self._path(path)))

    def is_folder(self, path: str) -> bool:
        return bool(self._system.getFileStatus(self._path(path)).isDirectory())

    def names(self, path: str) -> list[str]:
        found = self._system.listStatus(self._path(path))
        return [f"{it.getPath().getName()}/" if it.isDirectory() else str(it.getPath().getName()) for it in found]

    def make(self, path: str) -> None:
        self._system.mkdirs(self._path(path))

    def make_private(self, path: str) -> None:
        if self.exists(path):
            raise FileError(f"{path} is there already")
        self._system.mkdirs(self._path(path), self._permission(PRIVATE))
        self.set_mode(path, PRIVATE)

    def note(self, path: str, text: str) -> None:
        file = self._system.create(self._path(path), False)
        try:
            file.write(bytearray(text.encode()))
        finally:
            file.close()

    def text(self, path: str) -> str:
        file = self._system.open(self._path(path))
        try:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(file, "UTF-8"))
        finally:
            file.close()

    def move(self, source: str, to: str) -> None:
        if self.exists(to):
            raise FileError(f"{to} is there already")
        old, new = self._path(source), self._path(to)
        hadoop = self._jvm.org.apache.hadoop.fs
        try:
            context = hadoop.FileContext.getFileContext(old.toUri(), self._configuration)
        except Exception:  # noqa: BLE001 - a file system without the newer interface
            if not self._system.rename(old, new):
                raise FileError(f"{source} cannot be renamed to {to}") from None
            return
        # Without options a name that is taken is an error, at one stroke on HDFS.
        context.rename(old, new, self._gateway.new_array(getattr(hadoop, "Options$Rename"), 0))

    def remove(self, path: str) -> None:
        self._system.delete(self._path(path), True)

    def _permission(self, mode: int) -> Any:
        return self._jvm.org.apache.hadoop.fs.permission.FsPermission(f"{mode:o}")

    def mode(self, path: str) -> int:
        return int(self._system.getFileStatus(self._path(path)).getPermission().toShort())

    def set_mode(self, path: str, mode: int) -> None:
        self._system.setPermission(self._path(path), self._permission(mode))

    def is_mine(self, path: str) -> bool:
        owner = str(self._system.getFileStatus(self._path(path)).getOwner() or "")
        me = self._jvm.org.apache.hadoop.security.UserGroupInformation.getCurrentUser().getShortUserName()
        # Stores without owners name nobody.
        return owner in ("", str(me))

    def seconds(self, path: str) -> float:
        return time.time() - int(self._system.getFileStatus(self._path(path)).getModificationTime()) / 1000

    def is_within(self, path: str, folder: str) -> bool:
        inner, outer = self._parts(path), self._parts(folder)
        return inner[: len(outer)] == outer

    def _parts(self, path: str) -> list[str]:
        found = self._path(path).toUri()
        scheme = str(found.getScheme() or "")
        # One store has several schemes, and a port may be said or not.
        scheme = "s3" if scheme in ("s3a", "s3n") else scheme
        return [scheme, str(found.getHost() or found.getAuthority() or ""), *filter(None, str(found.getPath()).split("/"))]
