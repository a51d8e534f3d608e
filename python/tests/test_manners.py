"""Interrupts, progress, limits, logging, threads, the command line."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import incrowd


EVERYTHING = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass", "occupation"]


class Interrupt:
    """Interrupts half a second after a search has begun: its time does not depend on how fast the table is read."""

    def __init__(self):
        self.sent = None
        self.timer = None

    def __call__(self, news):
        if news["phase"] == "search" and self.timer is None:
            self.timer = threading.Timer(0.5, self.send)
            self.timer.start()

    def send(self):
        self.sent = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.timer is not None:
            self.timer.cancel()


def hard(people, quasi, **more):
    return incrowd.anonymize(people, k=7, quasi=quasi, other="drop", method="optimal", metric="dm", **more)


def endless(**more):
    """A search that takes minutes if nobody ends it."""
    people = incrowd.demo(20_000, seed=8)
    return incrowd.anonymize(people, k=7, quasi=EVERYTHING, other="drop", method="optimal", metric="ncp", **more)


def test_an_interrupt_ends_a_search_at_once():
    with Interrupt() as interrupt:
        with pytest.raises(KeyboardInterrupt):
            endless(progress=interrupt, time_limit="60s")
        assert time.monotonic() - interrupt.sent < 1.5


def test_an_interrupt_returns_what_was_found():
    with Interrupt() as interrupt:
        result = endless(progress=interrupt, time_limit="60s", on_interrupt="return")
        assert result.outcome == "stopped" and result.k >= 7
        assert time.monotonic() - interrupt.sent < 20


def test_progress_and_limits(people, quasi):
    heard = []
    result = hard(people, quasi, time_limit=1.0, progress=heard.append)
    assert result.wall_seconds < 20 and heard
    assert {news["phase"] for news in heard} <= {"read", "search", "recode", "verify", "work", None}
    assert set(heard[-1]) >= {"phase", "cost", "bound", "gap", "rows", "done", "nodes"}
    assert hard(people, quasi, time_limit="500ms", progress=True)

    def angry(news):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        hard(people, quasi, progress=angry)


def test_threads_do_not_change_a_release(people, quasi):
    ask = {"k": 5, "quasi": quasi, "other": "drop", "method": "mondrian", "sort": True}
    one, two = (incrowd.anonymize(people, threads=threads, **ask) for threads in (1, 3))
    assert one.table.equals(two.table)


def test_warnings_are_logged(small, caplog):
    with caplog.at_level(logging.INFO, "incrowd"):
        incrowd.anonymize(small[["age", "ill"]], k=2, quasi=["age"], sensitive=["ill"])
    assert any("ill" in record.getMessage() for record in caplog.records)


def test_the_command_line_comes_along(command, tmp_path):
    assert "incrowd" in command("--version").stdout
    script = os.path.join(os.path.dirname(sys.executable), "incrowd")
    if os.path.exists(script):
        assert subprocess.run([script, "--version"], capture_output=True).returncode == 0
    bad = command("anonymize", tmp_path / "none.csv", "-k", 5, "--quasi", "a", "--json", code=2)
    assert '"code": "file"' in bad.stdout


def test_every_option_of_the_command_line_is_here(keywords_of):
    """A new option of a command must be a keyword, too, and have a type."""
    here = {
        "anonymize": (incrowd.anonymize, {"json", "quiet", "show-spec", "verbose", "trace"}),
        "verify": (incrowd.verify, {"json", "quiet", "original-delimiter"}),
        "risk": (
            incrowd.risk,
            {"json", "quiet", "population-delimiter", "max-risk", "max-average-risk", "max-unique"},
        ),
        "attack": (incrowd.attack, {"json", "quiet", "original-delimiter", "max-risk", "refine"}),
        "inspect": (incrowd.inspect, {"json", "quiet"}),
        "init": (incrowd.init, {"output", "force"}),
        "frontier": (incrowd.frontier, {"json", "quiet", "output"}),
        "compare": (incrowd.compare, {"json", "quiet", "demo", "demo-rows", "svg", "csv"}),
        "apply": (incrowd.Recoding.apply, {"json", "quiet", "output", "delimiter", "verbose"}),
        "evaluate all": (incrowd.evaluate, {"json", "quiet", "original", "release-delimiter"}),
        "evaluate statistics": (incrowd.statistics, {"json", "quiet", "original", "release-delimiter"}),
        "evaluate queries": (incrowd.queries, {"json", "quiet", "original", "original-delimiter"}),
        "evaluate classification": (incrowd.classification, {"json", "quiet", "original-delimiter"}),
    }
    # For pipelines there are assertions: incrowd.testing and the plugin of pytest.
    gates = {"junit", "sarif", "max-loss"}
    missing = []
    for command, option, _, _ in incrowd._incrowd.command_options():
        function, not_here = here.get(command, (None, set()))
        # Messages of the package end in exceptions, which show what the program's messages keep back.
        if function is None or option in not_here | gates or option == "show-values":
            continue
        named = {name.rstrip("_") for name in keywords_of(function)}
        if option.replace("-", "_") not in named:
            missing.append(f"{command} --{option}")
    assert not missing, f"give these a place in the spec, or in python/incrowd/_release.py or _signatures.py: {missing}"
