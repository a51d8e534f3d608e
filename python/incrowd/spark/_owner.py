"""Whose private names are: a run whose driver was killed is known by it, and what it has left is nobody's any more."""

from __future__ import annotations

import hashlib
import os
import socket


def me() -> str:
    """This process, so that others can tell whether it is still there."""
    return " ".join((_machine(), str(os.getpid()), _start_of(os.getpid())))


def is_dead(owner: str) -> bool:
    """Whether a process is certainly gone. Of one on another machine, or in another container, nothing is known."""
    words = owner.split(" ")
    if len(words) != 3 or words[0] != _machine() or not words[1].isdigit():
        return False
    try:
        os.kill(int(words[1]), 0)
    except ProcessLookupError:
        return True
    except OSError:
        # It is there, and somebody else's.
        pass
    # Numbers of processes are given out again.
    start = _start_of(int(words[1]))
    return bool(start and words[2]) and start != words[2]


def _machine() -> str:
    """Where numbers of processes mean the same: the host since it was started, and the container."""
    try:
        container = os.readlink("/proc/self/ns/pid")
    except OSError:
        container = ""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            started = file.read().strip()
    except OSError:
        started = ""
    # The name of a machine is nobody's business who reads the release.
    return hashlib.sha256("/".join((socket.gethostname(), started, container)).encode()).hexdigest()[:32]


def _start_of(process: int) -> str:
    try:
        with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
            # The name of the program, which may have blanks in it, stands between brackets.
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
