#!/usr/bin/env python3
"""What people wait for in `incrowd serve`, measured at its calls.

    benches/serve.py PROGRAM [ADULT]       PROGRAM: an incrowd of the profile dist; ADULT: adult.csv
    benches/serve.py PROGRAM tables [N]    only tables: N launches on 30,000 rows (200), 300 columns, 1,000,000 rows

Prints how long a million rows take to open and a change of roles to be counted, how soon Stop is answered with every method,
and what 200 status requests a second change about a search: the same search with and without, in turns, shortest of three.
"""

import atexit
import http.client
import json
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time


class Server:
    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, "serve", folder, "--no-browser"], stdout=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)
        while "#" not in (line := self.process.stdout.readline()):
            if not line:
                raise SystemExit("the server did not start")
        address = next(word for word in line.split() if word.startswith("http"))
        self.host = address.split("//")[1].split("/")[0]
        self.token = address.split("#")[1].split("=")[-1]

    def call(self, name, given=None):
        link = http.client.HTTPConnection(self.host)
        headers = {"Authorization": f"Bearer {self.token}", "Origin": f"http://{self.host}", "Content-Type": "application/json"}
        link.request("POST", f"/api/{name}", json.dumps(given or {}), headers)
        answer = link.getresponse()
        body = json.loads(answer.read())
        link.close()
        if answer.status != 200:
            raise RuntimeError(f"{name}: {body}")
        return body

    def asking(self, name):
        """A call that can be made again and again over one connection, as a page does, for little work of its own."""
        link = socket.create_connection(self.host.split(":"))
        head = (f"POST /api/{name} HTTP/1.1\r\nHost: {self.host}\r\nOrigin: http://{self.host}\r\n"
                f"Authorization: Bearer {self.token}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}")
        question = head.encode()

        def ask():
            link.sendall(question)
            got = link.recv(1 << 16)
            if not got.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(got[:200])
            head, body = got.split(b"\r\n\r\n", 1)
            length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
            left = length - len(body)
            while left > 0:
                left -= len(link.recv(1 << 16))

        return ask

    def wait(self, until, limit=600.0):
        since = time.monotonic()
        while not until(state := self.call("state")):
            if time.monotonic() - since > limit:
                raise RuntimeError(f"waited too long: {state['error']}, {state['work']}")
            time.sleep(0.02)
        return time.monotonic() - since

    def idle(self, limit=600.0):
        return self.wait(lambda state: state["work"] is None and not state["look"]["pending"], limit)

    def open(self, path):
        self.call("open", {"path": path})
        spent = self.wait(lambda state: state["work"] is None)
        return spent, self.wait(lambda state: not state["look"]["pending"])

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def end(self):
        self.call("quit")
        self.process.wait()


def roles(server, quasi):
    columns = {column["name"]: {"role": "quasi" if column["name"] in quasi else "identifying"}
               for column in server.call("state")["columns"]}
    server.call("spec", {"columns": columns, "privacy": {"unit": "row"}})


def launches(program, folder, count):
    """Fresh launches on 30,000 rows: how many tell no risk, or another one than the first."""
    subprocess.run([program, "demo", "--rows", "30000", "--write", f"{folder}/people.csv"], check=True,
                   stdout=subprocess.DEVNULL)
    first, wrong, failed, slowest = None, 0, 0, 0.0
    for _ in range(count):
        server = Server(program, folder)
        try:
            since = time.monotonic()
            server.open("people.csv")
            roles(server, ["age", "sex", "race"])
            server.call("spec", {"algorithm": {"method": "mondrian"}})
            server.idle()
            server.call("search")
            server.idle()
            server.call("begin-risk")
            server.wait(lambda state: not state["aside"])
            told = server.call("risk")["told"]
            figures = [told["before"]["prosecutor"], told["after"]["prosecutor"], told["after"]["smallest_class"]]
            first = first or figures
            wrong += figures != first
            slowest = max(slowest, time.monotonic() - since)
        except (RuntimeError, KeyError, TypeError) as error:
            failed += 1
            print(f"failed: {error}")
        finally:
            server.end()
    print(f"{count} launches on 30,000 rows: {wrong} wrong and {failed} failed risks; the slowest took {slowest:.1f} s")


def wide(program, folder):
    dice = random.Random(7)
    with open(f"{folder}/wide.csv", "w") as file:
        file.write(",".join(f"column{at}" for at in range(300)) + "\n")
        for row in range(10_000):
            file.write(",".join(str(dice.randrange(2 + at)) for at in range(300)) + "\n")
    server = Server(program, folder)
    spent, look = server.open("wide.csv")
    print(f"300 columns, 10,000 rows: open after {spent:.1f} s, what follows from the roles {look:.1f} s later")
    server.end()


def large(program, folder):
    people = f"{folder}/people.csv"
    subprocess.run([program, "demo", "--rows", "1000000", "--write", people], check=True, stdout=subprocess.DEVNULL)
    server = Server(program, folder)
    spent, look = server.open("people.csv")
    print(f"1,000,000 rows: columns after {spent:.1f} s, what follows from the roles {look:.1f} s later")
    roles(server, ["age", "sex", "race", "education", "occupation"])
    server.call("spec", {"algorithm": {"method": "best-local"}})
    print(f"a change of roles counted after {server.idle():.1f} s")
    server.call("begin-records")
    server.wait(lambda state: not state["aside"])
    server.call("search")
    pages, begun = [], time.monotonic()
    calls = [("state", {}), ("values", {"column": "age"}), ("records", {"from": 900_000, "count": 50}),
             ("records", {"from": 10, "count": 50, "column": "age", "descending": True, "at_most": 3})]
    while time.monotonic() - begun < 20 and server.call("state")["work"] is not None:
        for name, given in calls:
            since = time.monotonic()
            server.call(name, given)
            pages.append((time.monotonic() - since, name))
    print(f"{len(pages)} pages during a search: the slowest took {max(pages)[0] * 1000:.0f} ms ({max(pages)[1]})")
    since = time.monotonic()
    server.call("stop")
    server.wait(lambda state: state["work"] is None)
    print(f"stop answered after {time.monotonic() - since:.2f} s")
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]
    print(f"memory at most {int(peak) / 1024:.0f} MB")
    server.end()


def main():
    program, adult = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    if adult == "tables":
        with tempfile.TemporaryDirectory() as folder:
            launches(program, folder, int(sys.argv[3]) if len(sys.argv) > 3 else 200)
            wide(program, folder)
            large(program, folder)
        return
    with tempfile.TemporaryDirectory() as folder:
        people = f"{folder}/people.csv"
        subprocess.run([program, "demo", "--rows", "1000000", "--write", people], check=True, stdout=subprocess.DEVNULL)
        server = Server(program, folder)
        spent, look = server.open("people.csv")
        print(f"1,000,000 rows: open after {spent:.1f} s, what follows from the roles {look:.1f} s later")
        roles(server, ["age", "sex", "race"])
        print(f"a change of roles counted after {server.idle():.1f} s")
        server.end()
        if adult is None:
            return
        (pathlib.Path(folder) / "adult.csv").write_bytes(pathlib.Path(adult).read_bytes())
        server = Server(program, folder)
        server.open("adult.csv")
        quasi = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
        roles(server, quasi)
        server.idle()
        methods = [it["name"] for it in server.call("methods")["methods"]]
        for method in methods:
            try:
                server.call("spec", {"algorithm": {"method": method}})
                server.idle()
                server.call("search")
            except RuntimeError as error:
                print(f"stop, {method:<14} not asked: {str(error)[:90]}")
                continue
            time.sleep(3)
            running = server.call("state")["work"] is not None
            since = time.monotonic()
            server.call("stop")
            server.wait(lambda state: state["work"] is None)
            spent = time.monotonic() - since
            print(f"stop, {method:<14} answered after {spent:.2f} s" if running else f"stop, {method:<14} had ended before")
        # A search of a fixed number of steps, long enough to be compared.
        server.call("spec", {"algorithm": {"method": "best-local"}, "privacy": {"k": 10}})
        server.idle()
        spent = {False: [], True: []}
        for asked in [False, True] * 3:
            ended = threading.Event()

            def ask(once=server.asking("state")):
                while not ended.is_set():
                    since = time.monotonic()
                    once()
                    time.sleep(max(0.0, 0.005 - (time.monotonic() - since)))

            server.call("search")
            since = time.monotonic()
            thread = threading.Thread(target=ask) if asked else None
            if thread:
                thread.start()
            while server.call("state")["work"] is not None:
                time.sleep(0.05)
            spent[asked].append(time.monotonic() - since)
            ended.set()
            if thread:
                thread.join()
        least = {asked: min(times) for asked, times in spent.items()}
        print(f"a search takes {least[False]:.2f} s, with 200 requests a second {least[True]:.2f} s: "
              f"{least[True] / least[False]:.2f} times")
        server.end()


main()
