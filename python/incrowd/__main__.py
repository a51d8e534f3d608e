"""The command line: ``python -m incrowd`` and ``incrowd`` are the same."""

from __future__ import annotations

import signal
import sys

from . import _incrowd


def main() -> int:
    """Runs the command line."""
    # The command has a handler of its own, and a second Ctrl-C ends it at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.flush()
    code = _incrowd.command_line(["incrowd", *sys.argv[1:]])
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
