"""Tables that the tests share."""

import dataclasses
import glob
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import typing

import pandas
import pytest

import incrowd
from incrowd import _signatures


@pytest.fixture(scope="session")
def people():
    """Made-up people of a census."""
    return incrowd.demo(3000, seed=3)


@pytest.fixture(scope="session")
def quasi(people):
    """The columns that others may know."""
    return [name for name in ("age", "sex", "race", "education") if name in people.columns]


@pytest.fixture(scope="session")
def small():
    """Few rows; the last of them is alone and is suppressed by what the tests ask for."""
    return pandas.DataFrame(
        {
            "age": [20 + at % 6 for at in range(40)] + [97],
            "town": pandas.Categorical([["Oslo", "Rome"][at % 2] for at in range(40)] + ["Thule"]),
            "ill": pandas.Categorical([["flu", "gout", "cold"][at // 6 % 3] for at in range(40)] + ["plague"]),
            "seen": pandas.to_datetime(["2026-01-05"] * 40 + ["2026-03-01"]),
        }
    )


@pytest.fixture
def command():
    """The command line."""

    def run(*args, code=0):
        done = subprocess.run([sys.executable, "-m", "incrowd", *map(str, args)], capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def keywords_of():
    """The keywords that a function declares, those of its options included, with their types."""

    def declared(function):
        found = {}
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
                found[name] = parameter.annotation
                continue
            group = re.fullmatch(r"Unpack\[(\w+)\]", parameter.annotation)
            assert group, f"{function.__qualname__} takes {parameter.annotation}"
            found |= typing.get_type_hints(getattr(_signatures, group[1]))
        return found

    return declared


@dataclasses.dataclass
class Server:
    """A real PostgreSQL, started for these tests."""

    bin: pathlib.Path
    folder: pathlib.Path

    @property
    def address(self):
        return f"postgres://postgres@{str(self.folder).replace('/', '%2F')}/postgres"

    @property
    def words(self):
        """The address as drivers of libpq take it."""
        return f"host={self.folder} user=postgres dbname=postgres"

    def sql(self, statement):
        words = [self.bin / "psql", "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "postgres"]
        done = subprocess.run([*words, "-c", statement], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@pytest.fixture(scope="session")
def mariadb(tmp_path_factory):
    """The socket of a real MariaDB, started for these tests."""
    server, install = shutil.which("mariadbd", path=f"{os.environ['PATH']}:/usr/sbin"), shutil.which("mariadb-install-db")
    if not server or not install:
        assert not os.environ.get("CI"), "MariaDB is missing"
        pytest.skip("MariaDB is not installed")
    folder = pathlib.Path(f"/tmp/incrowd-mariadb-{os.getpid()}")
    folder.mkdir()
    user = ["--user=root"] if os.geteuid() == 0 else []
    common = ["--no-defaults", f"--datadir={folder}/data", *user]
    with open(folder / "log", "w") as log:
        made = [install, *common, "--auth-root-authentication-method=normal", "--skip-test-db"]
        subprocess.run(made, check=True, stdout=log, stderr=log)
        # Its usual collations take capitals for small letters: what is written must not depend on them.
        options = [f"--socket={folder}/socket", "--skip-networking", "--innodb-flush-log-at-trx-commit=0"]
        child = subprocess.Popen([server, *common, *options, f"--pid-file={folder}/pid"], stdout=log, stderr=log)
    try:
        begun = time.monotonic()
        while not (folder / "socket").exists():
            assert child.poll() is None and time.monotonic() - begun < 120, (folder / "log").read_text()
            time.sleep(0.05)
        yield str(folder / "socket")
    finally:
        child.terminate()
        child.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres")) or [shutil.which("postgres")]
    if not found[-1]:
        assert not os.environ.get("CI"), "PostgreSQL is missing"
        pytest.skip("PostgreSQL is not installed")
    server = Server(pathlib.Path(found[-1]).parent, pathlib.Path(f"/tmp/incrowd-python-{os.getpid()}"))
    server.folder.mkdir()
    as_user = []
    if os.geteuid() == 0:
        shutil.chown(server.folder, "postgres")
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    run = lambda *words: subprocess.run([*as_user, *words], check=True, stdout=subprocess.DEVNULL)  # noqa: E731
    data = server.folder / "data"
    try:
        run(server.bin / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8")
        options = f"-k {server.folder} -c listen_addresses= -c fsync=off"
        run(server.bin / "pg_ctl", "-D", data, "-w", "-l", server.folder / "log", "-o", options, "start")
        yield server
    finally:
        subprocess.run([*as_user, server.bin / "pg_ctl", "-D", data, "-m", "immediate", "stop"], check=False)
        shutil.rmtree(server.folder, ignore_errors=True)
