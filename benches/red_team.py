#!/usr/bin/env python3
"""Attacks that an outside red team has found, tried on made-up tables from the outside.

    benches/red_team.py --incrowd PROGRAM [--only 3] [--show]

Every case makes a table, types a command, pastes what a refusal offers until something is released or nothing is offered, and
attacks what came out. It is `closed` if the program refuses or the attack finds nothing, and `OPEN` with the damage otherwise.
Every kind has harmless twins, too, which must be released by the first command: a `FALSE REFUSAL` is a fault as well. Kinds are
numbered as in the list of the red team. `--show` prints commands and answers of what is open. Ends with 1 if anything is.
"""

import argparse
import collections
import csv
import datetime
import json
import pathlib
import random
import re
import shlex
import subprocess
import tempfile

K, QUASI, CASES = 5, ("age", "sex", "zip"), []


class Refused(Exception):
    """The program refuses, and offers nothing more."""


class Lab:
    """A folder, the program, what was said, and the last release."""

    def __init__(self, program, folder):
        self.program, self.folder, self.said, self.pasted, self.k = program, pathlib.Path(folder), [], 0, K
        self.rows, self.released, self.quasi, self.told, self.risk = [], [], (), {}, ""

    def write(self, rows, name="table.csv"):
        with open(self.folder / name, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)

    def read(self, name):
        return list(csv.DictReader((self.folder / name).read_text(encoding="utf-8").splitlines()))

    def run(self, *words):
        words = [str(word) for word in words]
        done = subprocess.run([self.program, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        self.said.append((shlex.join(["incrowd", *words]), done.returncode, done.stdout, done.stderr))
        return done

    def must(self, *words):
        done = self.run(*words)
        if done.returncode:
            raise Refused(done.stderr)
        return done

    def command(self, *options, quasi=QUASI, k=K, out="release.csv"):
        return ["anonymize", "table.csv", "-k", k, "--quasi", ",".join(quasi), *options, "-o", out]

    def release(self, rows, *options, quasi=QUASI, k=K, out="release.csv"):
        """The release of a table, after pasting what refusals offer."""
        self.write(rows)
        # Whatever becomes of columns that nobody names, here they are released.
        options += () if "--other" in options else ("--other", "plain")
        words = self.command(*options, "--effort", "quick", "--threads", 1, "--seed", 1, "--json", "-q", quasi=quasi, k=k, out=out)
        for self.pasted in range(8):
            done = self.run(*words)
            if done.returncode == 0:
                self.rows, self.quasi, self.k, self.told, self.released = rows, quasi, k, json.loads(done.stdout), self.read(out)
                self.risk = f"risk said {self.told['verdict']['risk']['highest']:.0%}"
                return self.released
            error = json.loads(done.stdout).get("error", {}) if done.stdout.startswith("{") else {}
            last = (error.get("help") or "").splitlines()[-1:]
            if not last or not last[0].startswith("incrowd "):
                break
            words = shlex.split(last[0])[1:]
        raise Refused(done.stderr)

    def spec(self, *options, **given):
        (self.folder / "spec.toml").write_text(self.must(*self.command(*options, **given), "--show-spec").stdout)

    def shows(self, *columns):
        """Whether columns are released and not generalized."""
        return bool(self.released) and all(column in self.released[0] and column not in self.told["quasi"] for column in columns)

    def collections(self, *columns):
        """How many people have each collection of rows, where columns tell which rows belong together."""
        of = collections.defaultdict(list)
        for row in self.released:
            of[tuple(row[column] for column in columns)].append(tuple(row[column] for column in self.quasi))
        return collections.Counter(tuple(sorted(labels)) for labels in of.values())


def add(kind, name, attack, *given, harmless=False):
    """A case: the attack is called with a lab and what is given, and says what damage it has done."""
    CASES.append((kind, name, harmless, lambda lab: attack(lab, *given)))


def damage(kind, name, rows, find, *options, **given):
    """A case that releases a table and looks for damage by a function and what it is given."""
    add(kind, name, lambda lab: lab.release(rows, *options, **given) and find[0](lab, *find[1:]) or "")


def harmless(kind, name, rows, column, *options, **given):
    """A table that must be released with this column by the first command."""
    def attack(lab):
        lab.release(rows, *options, **given)
        if lab.pasted or column and not lab.shows(column):
            raise Refused(lab.said[0][3])
    add(kind, name, attack, harmless=True)


def people(rows, seed, **more):
    """People with age, sex and ZIP code; more columns are made of the row, the draw and the row's number."""
    draw, made = random.Random(seed), []
    for at in range(rows):
        made.append({"age": draw.randint(18, 89), "sex": draw.choice("fm"), "zip": str(53700 + draw.randrange(40))})
        for name, make in more.items():
            made[-1][name] = make(made[-1], draw, at)
    return made


def several(persons, each, seed, visit=lambda d: {}, **fixed):
    """Several rows for each person; `fixed` columns are of the person, `visit` makes those of a row."""
    draw = random.Random(seed + 1)
    rows = [{**person, **visit(draw)} for person in people(persons, seed, **fixed) for _ in range(each)]
    draw.shuffle(rows)
    return rows


def numbered(column, values, each=1):
    """A table in which rows, or people of several rows, have values of their own."""
    rows = sorted(several(900 // each, each, 11), key=lambda row: tuple(row.values()))
    return [{**row, column: values[at // each]} for at, row in enumerate(rows)]


def only(rows, *columns):
    return [{name: row[name] for name in columns} for row in rows]


def day(number, start=datetime.date(2019, 1, 1)):
    return (start + datetime.timedelta(days=int(number))).isoformat()


def few(rows, columns, k):
    """How many rows have fewer than k like them by these columns."""
    crowds = collections.Counter(tuple(row[column] for column in columns) for row in rows)
    return sum(count for count in crowds.values() if count < k)


def ends(label):
    """The least and the greatest number of a label."""
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", label)]
    return (min(numbers), max(numbers)) if numbers else (float("-inf"), float("inf"))


def holds(label, value):
    """Whether a released label may stand for a value."""
    if label in ("*", str(value)) or label[:1] not in ("{", "["):
        return label in ("*", str(value))
    return str(value) in label.strip("{}").split(", ") if label[0] == "{" else ends(label)[0] <= float(value) <= ends(label)[1]


def few_people(lab, column):
    """Released rows of classes of fewer than k people: the same release in the order of the table tells who is where."""
    lab.must(*shlex.split(lab.said[-1][0])[1:], "--keep-order", "--suppressed", "blank")
    classes = collections.defaultdict(list)
    for row, original in zip(lab.read("release.csv"), lab.rows):
        classes[tuple(row[name] for name in lab.quasi)].append(original[column])
    count = sum(len(of) for labels, of in classes.items() if len(set(of)) < lab.k and set(labels) != {"*"})
    return f"{count} of {len(lab.released)} rows in classes of fewer than {lab.k} people, {lab.risk}" if count else ""


def linked(lab, *columns):
    """People whose rows hang together by columns, and who share all of them with fewer than k."""
    if not lab.shows(*columns):
        # Whoever says that rows are people is taken at their word; what shows which rows belong together is theirs to know.
        said = "--unit row" in lab.said[-1][0]
        return "" if said else few_people(lab, "patient" if "patient" in lab.rows[0] else columns[0])
    found = lab.collections(*columns)
    count = sum(count for labels, count in found.items() if count < K and len(labels) > 1)
    return f"{count} of {sum(found.values())} people alone with their rows, {lab.risk}" if count else ""


def told(lab, hidden, tell, *columns):
    """Classes that are split by what columns tell, and values told although the release hides them."""
    if not lab.shows(*columns):
        return ""
    split = few([{**row, "told": tell(row)} for row in lab.released], [*lab.quasi, "told"], lab.k)
    exact = f"{sum(row[hidden] != str(tell(row)) for row in lab.released)} values of {hidden} told, " if hidden else ""
    return f"{exact}{split} of {len(lab.released)} rows with fewer than {lab.k} like them, {lab.risk}" if split else ""


def alone(lab, column):
    """Rows with a value that nobody else has, of those that have one."""
    held = [row for row in lab.released if row[column] not in ("", "*")] if lab.shows(column) else []
    count = few(held, [column], 2)
    return f"{count} of {len(held)} rows with a value have it alone, {lab.risk}" if count > len(held) / 2 else ""


# 1. Numbers of persons and rows that a refusal itself, or `inspect`, proposes to release.
def proposed(lab, rows, column):
    lab.write(rows)
    found = json.loads(lab.must("inspect", "table.csv", "--json").stdout)["columns"]
    role = next(it["role"] for it in found if it["name"] == column)
    return f"inspect proposes {role}" if role not in ("identifying", "undecided") else ""

DRAW = random.Random(1)
GAPS = DRAW.sample(range(10_000, 900_000), 900)
for title, column, values, each in [
        ("unique numbers with gaps", "v12", [9_000_000 + 7 * number for number in GAPS], 1),
        ("unique numbers of any length", "qx", DRAW.sample(range(7, 30_000), 900), 1),
        ("survey sequence numbers", "SEQN", sorted(DRAW.sample(range(93_703, 96_000), 900)), 1),
        ("person numbers, a tenth twice", "nrc", GAPS[:810] + DRAW.sample(GAPS[:810], 90), 1),
        ("household numbers", "household_serial", GAPS, 1), ("numbers of admissions", "admission", GAPS, 1),
        ("household times 100 and person", "pidp", [100 * (7_000 + 13 * (at // 3)) + at % 3 + 1 for at in range(900)], 1),
        ("panel ids, three rows each", "xpid", GAPS, 3), ("panel ids with decimals", "xwave", [f"{number}.0" for number in GAPS], 3)]:
    damage(1, title, numbered(column, values, each), (alone if each == 1 else linked, column))
    add(1, f"{title}, by inspect", proposed, numbered(column, values, each), column)
for title, make in [("a count", lambda r, d, at: min(int(d.expovariate(.2)), 40)), ("a score", lambda r, d, at: f"{d.uniform(0, 100):.2f}"),
                    ("a percentage by age", lambda r, d, at: max(0, min(100, round(d.gauss(110 - r["age"], 25)))))]:
    harmless(1, title, people(900, 12, x=make), "x")

# 2. Ids of people and households that nobody named; also released on purpose, and not counted in the risk that is said.
TRIPS = [{"hour": DRAW.randint(5, 23), "from": f"S{DRAW.randrange(25)}", "to": f"S{DRAW.randrange(25)}", "card": f"C{card}"}
         for card in range(250) for _ in range(DRAW.randint(4, 9))]
HOMES = [{"age": DRAW.randint(0, 89), "sex": DRAW.choice("fm"), "zip": str(53700 + home * 7 % 40), "hid": 20_000 + 3 * home}
         for home in range(700) for _ in range(DRAW.randint(1, 5))]
PANEL = several(500, 4, 21, lambda d: {"later": d.randrange(5), "mood": d.randint(1, 10)}, pid=lambda r, d, at: 1_000 + 7 * at)
RATED = several(94, 5, 22, lambda d: {"score": f"{d.uniform(2, 5):.1f}", "students": d.randint(5, 300)}, prof=lambda r, d, at: at + 1)
for title, table, column, quasi in [
        ("a panel", [{**row, "age": row["age"] + row["later"]} for row in PANEL], "pid", QUASI), ("households", HOMES, "hid", QUASI),
        ("professors", only(RATED, "age", "sex", "prof", "score", "students"), "prof", ("age", "sex")),
        ("households by age and sex", only(HOMES, "age", "sex", "hid"), "hid", ("age", "sex")), ("trips", TRIPS, "card", ("hour", "from", "to"))]:
    for how, options in [("nothing said", ()), ("plain", ("--plain", column)), ("plain, unit row", ("--plain", column, "--unit", "row"))]:
        damage(2, f"{title}, {how}", table, (linked, column), *options, quasi=quasi)
for title, make in [("a clinic", lambda r, d, at: 100 + d.randrange(45)), ("an interviewer", lambda r, d, at: f"I{d.randrange(60)}")]:
    harmless(2, title, people(1_500, 25, x=make), "x")

# 3. Columns that follow from quasi-identifiers, or from which these follow.
PLACES = people(2_000, 31, x=lambda r, d, at: d.random(), y=lambda r, d, at: d.random(), lat=lambda r, d, at: f"{43 + r['x'] / 5:.4f}",
                lon=lambda r, d, at: f"{-89 - r['y'] / 5:.4f}", area=lambda r, d, at: f"N{int(6 * r['x'])}{int(6 * r['y'])}",
                precinct=lambda r, d, at: min(range(14), key=lambda n: (n * .37 % 1 - r["x"]) ** 2 + (n * .61 % 1 - r["y"]) ** 2))
AGES = people(1_500, 33, ten=lambda r, d, at: f"{r['age'] // 10 * 10}+", five=lambda r, d, at: f"{r['age'] // 5 * 5}+",
              old=lambda r, d, at: "yes" if r["age"] > 64 else "no")
BIRTHS = people(1_500, 32, birth=lambda r, d, at: day(d.randrange(21_900) - 28_000), year=lambda r, d, at: r["birth"][:4],
                month=lambda r, d, at: int(r["birth"][5:7]), quarter=lambda r, d, at: (r["month"] + 2) // 3)
STAYS = people(1_500, 34, at=lambda r, d, at: d.randrange(700), days=lambda r, d, at: min(int(d.expovariate(.1)) + 1, 60),
               start=lambda r, d, at: day(r["at"]), end=lambda r, d, at: day(r["at"] + r["days"]), weekday=lambda r, d, at: r["at"] % 7,
               week=lambda r, d, at: r["at"] // 7, hours=lambda r, d, at: f"{24 * r['at'] + d.uniform(0, 24):.2f}")
for table, quasi, columns in [(PLACES, ("lat", "lon", "sex"), ("area", "precinct")), (AGES, QUASI, ("ten", "five", "old")),
                              (BIRTHS, ("birth", "sex", "zip"), ("year", "month", "quarter")),
                              (STAYS, ("start", "end", "sex"), ("days", "weekday", "week", "hours"))]:
    for column in columns:
        tell = (lambda row: float(row["hours"]) // 24) if column == "hours" else (lambda row, column=column: row[column])
        for how, options in [("nothing said", ()), ("plain", ("--plain", column)), ("sensitive", ("--sensitive", column))]:
            damage(3, f"{column} beside {quasi[0]}, {how}", only(table, *quasi, column), (told, None, tell, column), *options, quasi=quasi)
harmless(3, "a coin of 95 %", people(1_500, 35, coin=lambda r, d, at: "no" if d.random() < .95 else "yes"), "coin")
SALARY = people(1_500, 36, salary=lambda r, d, at: d.random() < (.05 + .35 * (35 < r["age"] < 60)) * (1.2 if r["sex"] == "m" else .6))
harmless(3, "a salary class", SALARY, "salary", "--class", "salary")
harmless(3, "a salary class, k = 100", SALARY, "salary", "--class", "salary", "--kind", "levels", "--hierarchy", "age=intervals:10,20", k=100)
harmless(3, "an illness of men", people(1_500, 39, x=lambda r, d, at: d.choice("abcc" if r["sex"] == "m" else "bc")), "x", "--sensitive", "x")
harmless(3, "marital status", people(1_500, 37, status=lambda r, d, at: "single" if d.random() < .9 - r["age"] / 100 else "married"), "status")
harmless(3, "a town where the ZIP code is left out", people(1_500, 38, town=lambda r, d, at: f"Town {int(r['zip']) // 4}"), "town",
         "--identifying", "zip", quasi=("age", "sex"))

# 4. Shares of all rows instead of rows that have a value.
for title, column, share, make in [
        ("the twentieth diagnosis", "diag20", .03, lambda r, d: f"{d.choice('ABCDEFGHIJK')}{d.randrange(1000):03}"),
        ("the day of death", "death", .03, lambda r, d: day(d.randrange(2_000))), ("a place", "lat", .03, lambda r, d: f"{43 + d.random():.5f}"),
        ("a second telephone number", "v9", .03, lambda r, d: f"608-555-{d.randrange(10_000):04}"),
        ("a number of few", "trial", .03, lambda r, d: d.randrange(100_000, 900_000)), ("a second ZIP code", "second", .07, lambda r, d: r["zip"]),
        ("a name of few", "guardian", .03, lambda r, d: f"{d.choice('ABCDEF')}a{d.randrange(9999)} Roe")]:
    table = people(2_000, 41, **{column: lambda r, d, at, make=make, share=share: make(r, d) if d.random() < share else ""})
    damage(4, title, table, (told, "zip", lambda row: row["second"] or row["zip"], "second") if column == "second" else (alone, column))
harmless(4, "a rare complication", people(2_000, 42, x=lambda r, d, at: d.choice(["fever", "fall"]) if d.random() < .05 else ""), "x")


# 5. Columns that reveal together, and pseudonyms of a quasi-identifier.
def intersected(lab, *columns):
    """Exact ZIP codes from the labels that go with one pseudonym."""
    meets = collections.defaultdict(lambda: (0, 1e9))
    keys = [tuple(row[column] for column in columns) for row in lab.released] if lab.shows(*columns) else []
    for key, row in zip(keys, lab.released):
        meets[key] = (max(meets[key][0], ends(row["zip"])[0]), min(meets[key][1], ends(row["zip"])[1]))
    found, before = sum(meets[key][0] == meets[key][1] for key in keys), sum(row["zip"].isdigit() for row in lab.released)
    return f"exact ZIP codes of {found} of {len(keys)} rows, {before} without it" if found > before + len(keys) / 10 else ""

HALVES = {"east": lambda r, d, at: f"e{(int(r['zip']) - 53700) // 7}", "north": lambda r, d, at: f"n{(int(r['zip']) - 53700) % 7}"}
COPY = {"copy": lambda r, d, at: r["zip"]}
YEARS = people(1_500, 51, visit_year=lambda r, d, at: d.randint(1970, 2023), birth_year=lambda r, d, at: r["visit_year"] - r["age"])
for title, table, quasi, columns, tell in [
        ("age = visit year - birth year", YEARS, QUASI, ("visit_year", "birth_year"), lambda row: int(row["visit_year"]) - int(row["birth_year"])),
        ("end = start + days", only(STAYS, "start", "days", "end", "sex"), ("end", "sex"), ("start", "days"),
         lambda row: day(row["days"], datetime.date.fromisoformat(row["start"]))),
        ("zip in two halves", people(1_500, 52, **HALVES), QUASI, HALVES, lambda row: 53700 + 7 * int(row["east"][1:]) + int(row["north"][1:]))]:
    for how, options in [("nothing said", ()), ("plain", ("--plain", ",".join(columns)))]:
        damage(5, f"{title}, {how}", table, (told, title.split()[0], tell, *columns), *options, quasi=quasi)
for treat, columns in [("pseudonym", COPY), ("random", COPY), ("last:2", COPY), ("pseudonym", HALVES)]:
    words = [word for column in columns for word in ("--treat", f"{column}={treat}", "--identifying", column)]
    damage(5, f"ZIP code as {treat}, columns: {len(columns)}", people(1_500, 53, **columns), (intersected, *columns), *words)
harmless(5, "a pseudonym of a firm", people(1_500, 54, x=lambda r, d, at: f"F{d.randrange(30)}"), "x", "--treat", "x=pseudonym", "--plain", "x")
harmless(5, "two years", people(1_500, 55, hired=lambda r, d, at: d.randint(2000, 2023), wave=lambda r, d, at: d.randint(2015, 2023)), "hired")

# 6. Treatments and second numbers that tell which rows are of one person. 7. What linked releases say of the risk.
VISITS = several(400, 3, 61, lambda d: {"month": d.randint(1, 12), "ward": f"W{d.randrange(9)}", "season": d.choice("1234")},
                 patient=lambda r, d, at: f"P{at:05}", card=lambda r, d, at: 70_000 + at * 7919 % 10_007, height=lambda r, d, at: 150 + at % 21,
                 enrolled=lambda r, d, at: day(at // 21 * 9), home=lambda r, d, at: f"H{at // 4}", blood=lambda r, d, at: d.choice("AABB0"),
                 illness=lambda r, d, at: d.choice(["flu", "hiv", "gout", "acne", "asthma"]))
UNIT, CARD, BY, SEASON = ("--unit", "patient"), ("--unit", "patient", "--identifying", "card"), ("age", "sex", "month"), ("sex", "season")
PSEUDONYM, LINKED = ("--identifying", "patient", "--treat", "patient=pseudonym"), (*UNIT, "--treat", "patient=pseudonym", "--linked")
for title, columns, options in [
        ("a pseudonym", ["patient"], PSEUDONYM), ("a mask", ["patient"], (*PSEUDONYM[:3], "patient=last:4")),
        ("a pseudonym of the unit", ["patient"], (*UNIT, *PSEUDONYM)), ("a pseudonym, unit row", ["patient"], ("--unit", "row", *PSEUDONYM)),
        ("a second number", ["card"], UNIT), ("a second number, plain", ["card"], (*UNIT, "--plain", "card")),
        ("a second number, sensitive", ["card"], (*UNIT, "--sensitive", "card")), ("a second number, class", ["card"], (*UNIT, "--class", "card")),
        ("a second number, hashed", ["card"], (*CARD, "--treat", "card=pseudonym")), ("a second, mask", ["card"], (*CARD, "--treat", "card=last:4")),
        ("two columns", ["height", "enrolled"], UNIT), ("two columns, plain", ["height", "enrolled"], (*UNIT, "--plain", "height,enrolled"))]:
    quasi = ("month", "ward", "season") if len(columns) > 1 else BY
    damage(6, title, only(VISITS, *dict.fromkeys((*quasi, "patient", *columns))), (linked, *columns), *options, quasi=quasi)
for column in ("blood", "ward", "height"):
    harmless(6, f"{column} beside a unit", only(VISITS, *BY, "patient", column), column, *UNIT, quasi=BY)


def understated(lab, who):
    """What a linked release, its forms or its verifier say of the risk."""
    lab.release(only(VISITS, *SEASON, "patient"), *LINKED, quasi=SEASON)
    least, said = min(lab.collections("patient").values()), lab.told["verdict"]["risk"]["highest"]
    if who == "verify":
        said = json.loads(lab.run("verify", "release.csv", "-k", K, "--quasi", "sex,season", "--json").stdout)["risk"]["highest"]
    elif who != "run":
        lab.spec(*LINKED, quasi=SEASON)
        said = float(re.search(r"[Hh]ighest[^\n]*?(0\.\d+)", lab.must("forms", who, "release.csv", "--spec", "spec.toml").stdout).group(1))
    return f"risk said {said:.1%}, by linked rows {1 / least:.1%}" if said < 1 / least - 1e-3 else ""

for who in ("run", "clinical", "iso27559", "verify"):
    add(7, f"the risk of linked rows, by {who}", understated, who)
for how, options in [("nothing said", ()), ("plain", ("--plain", "home"))]:
    damage(7, f"linked rows and a household, {how}", only(VISITS, *SEASON, "patient", "home"), (linked, "home"), *LINKED, *options, quasi=SEASON)
harmless(7, "linked rows", only(VISITS, *SEASON, "patient"), "patient", *LINKED, quasi=SEASON)


# 8. Columns that follow others: names, and towns of people who are all left out.
def listed(lab, column, word):
    count = sum(word in row[column] for row in lab.released) if lab.shows(column) else 0
    return f"{count} of {len(lab.released)} rows list {word}" if count else ""

GHOSTS = people(900, 81, job=lambda r, d, at: d.choice(["cook", "nurse"]), town=lambda r, d, at: f"Town {int(r['zip']) // 6}")
GHOSTS = [{**row, "zip": str(int(row["zip"]) // 2 * 2)} for row in GHOSTS] + [{**GHOSTS[n], "zip": "53719", "town": "Ghost", "job": n} for n in range(7)]
FAMILIES = [{**row, "zip": 53000 + at // 3, "name": f"Roe{at // 3}"} for at, row in enumerate(people(900, 83))]
LEVELS = ("--kind", "levels", "--hierarchy", "age=intervals:20,40", "--min-level", "age=1", "--max-level", "age=1")
ZIPS = ("--hierarchy", "zip=intervals:20", "--min-level", "zip=1")
damage(8, "names follow the ZIP code", people(900, 82, name=lambda r, d, at: f"Ann{at} Roe"), (listed, "name", "Roe"), "--follows", "name=zip")
damage(8, "family names follow the ZIP code", FAMILIES, (listed, "name", "Roe"), "--follows", "name=zip")
damage(8, "a town of which all are left out", GHOSTS, (listed, "town", "Ghost"), "--follows", "town=zip", "--narrowing", "job", *LEVELS, *ZIPS)
harmless(8, "a town follows its ZIP code", people(900, 84, town=lambda r, d, at: f"Town {int(r['zip']) // 5}"), "town", "--follows", "town=zip")


# 9. The values of the classes of all rows of a person, intersected.
def meeting(lab):
    values, places, seen, of = collections.defaultdict(set), {}, [set() for _ in lab.rows], collections.defaultdict(list)
    for row in lab.released:
        values[tuple((column, row[column]) for column in lab.quasi)].add(row["illness"])
    for cells, illnesses in values.items():
        for column, label in set(cells) - set(places):
            places[column, label] = {at for at, row in enumerate(lab.rows) if holds(label, row[column])}
        for at in set.intersection(*(places[cell] for cell in cells)):
            seen[at] |= illnesses
    for at, row in enumerate(lab.rows):
        of[row["patient"], row["illness"]].append(seen[at])
    count = sum(set.intersection(*sets) == {illness} for (_, illness), sets in of.items())
    return f"the illness of {count} of {len(of)} people told" if count else ""

for title, options in [("local", ()), ("global", ("--kind", "global")), ("levels", LEVELS)]:
    options = (*UNIT, "--sensitive", "illness", "--l-diversity", 2, *options)
    damage(9, f"l-diversity of a unit, {title}", only(VISITS, *BY, "patient", "illness"), (meeting,), *options, quasi=BY)
harmless(9, "a value that changes", only(VISITS, *BY, "patient", "season"), "season", *UNIT, "--sensitive", "season", "--l-diversity", 2, quasi=BY)


# 10. Releases of a table that grows.
def grown(lab, more, *options, apply=()):
    rows = people(600, 101, job=lambda r, d, at: d.choice(["cook", "nurse"]), patient=lambda r, d, at: f"P{at}")
    more = [{"age": 33, "sex": "f", "zip": "53703", "job": job, "patient": f"N{who}"} for who, job in more]
    options, quasi = (*LEVELS, "--identifying", "patient", *options), ("age", "sex")
    before = lab.release(rows, "--recoding", "saved.json", *options, quasi=quasi, out="before.csv")
    if apply:
        lab.write(rows + more)
        lab.must("apply", "saved.json", "table.csv", "-o", "after.csv", *apply)
    after = lab.read("after.csv") if apply else lab.release(rows + more, "--earlier", "before.csv", *options, quasi=quasi)
    one, two = (collections.Counter((row["age"], row["sex"]) for row in rows) for rows in (before, after))
    count = sum(0 < abs(two[labels] - one[labels]) < K for labels in one | two)
    # `apply` knows no earlier release unless it is named: it says so, and what to add.
    warned = apply and "--earlier" in lab.said[-1][3]
    return f"fewer than {K} newcomers told apart in {count} class, nothing said" if count and not warned else ""

RARE, TWICE = [(who, "cook" if who < 4 else f"job {who}") for who in range(6)], [(who, "cook") for who in (1, 2, 3, 4, 5, 5, 6, 6, 7, 7)]
add(10, "earlier release, narrowing leaves rows out", grown, RARE, "--plain", "zip", "--narrowing", "job")
add(10, "earlier release, linked rows are left out", grown, TWICE, *UNIT, *PSEUDONYM[2:], "--linked", "--other", "drop")
add(10, "a saved recoding", lambda lab: grown(lab, RARE[:1], "--other", "drop", apply=("--unseen", "refuse")))
add(10, "a saved recoding beside the earlier release", lambda lab: grown(lab, RARE[:1], "--other", "drop", apply=("--earlier", "before.csv")))
add(10, "ten newcomers", grown, TWICE, "--other", "drop", "--unit", "row", harmless=True)

# 11. Identifiers called sensitive or class, or plain without being counted.
for title, each, values in [
        ("names", 1, [f"{DRAW.choice('ABCDEFG')}nn {DRAW.choice(['Roe', 'Doe'])}{at}" for at in range(900)]), ("numbers, three rows each", 3, GAPS),
        ("e-mail addresses", 1, [f"a{at}@example.org" for at in range(900)]), ("numbers with gaps", 1, GAPS),
        ("names, three rows each", 3, [f"Ann Roe{chr(97 + at % 26)}{chr(97 + at // 26)}" for at in range(300)]),
        ("free text", 1, [" ".join(DRAW.choice(["saw", "her", "son", "home", "pain"]) for _ in range(9)) for _ in range(900)])]:
    for role in ("sensitive", "class", "plain"):
        damage(11, f"{title} as {role}", numbered("x", values, each), (alone if each == 1 else linked, "x"), f"--{role}", "x")
for role in ("sensitive", "class"):
    damage(11, f"cards of trips as {role}", TRIPS, (linked, "card"), f"--{role}", "card", quasi=("hour", "from", "to"))
for column, make in [("income", lambda r, d, at: d.randint(9_000, 99_000)), ("charges", lambda r, d, at: int(d.lognormvariate(8, 1))),
                     ("diag", lambda r, d, at: f"{d.choice('ABCDE')}{int(d.expovariate(.1)):02}")]:
    harmless(11, f"{column} as sensitive", people(900, 112, **{column: make}), column, "--sensitive", column)


# 12. What is shared tells of people who are left out: others are left out, and the release is the same. 13. Hashes in the record.
def interferes(lab, whats, others):
    seen = []
    for left_out in others:
        rows = [row for row in people(1_200, 121) if 20 <= row["age"] < 60] + [{"age": age, "sex": "f", "zip": "53700"} for age in left_out]
        lab.release(rows, "--kind", "global", "--sort", "--report", "report.html")
        shown = {"messages": lab.said[-1][3], "report": (lab.folder / "report.html").read_text()}
        lab.spec("--kind", "global")
        for form in ("clinical", "iso27559", "expert-determination", "motivated-intruder", "croissant"):
            shown[form] = lab.must("forms", form, "release.csv", "--spec", "spec.toml", "--original", "table.csv").stdout
        assert lab.told["suppressed"] == len(left_out), "others are left out"
        seen.append(((lab.folder / "release.csv").read_text(), *(shown[what] for what in whats)))
    assert len({release for release, *_ in seen}) == 1, "the releases differ"
    return f"the same release, other {' or '.join(whats)}: {seen[0][1].strip()[:80]}" if len(set(seen)) > 1 else ""

for whats in (["report"], ["clinical", "iso27559", "croissant"], ["expert-determination", "motivated-intruder"], ["messages"]):
    add(12, f"the age of somebody left out, {whats[0]}", interferes, whats, [(99,), (98,), (117,)])
    add(12, f"how many are left out, {whats[0]}", interferes, whats, [(99,), (98, 99), (99, 117, 101)])
harmless(12, "a report", people(600, 122), None, "--report", "report.html")


def recorded(lab, what):
    lab.release(people(600, 131))
    lab.spec("--seed", 7)
    for name in ("one", "two"):
        (lab.folder / name).mkdir()
        lab.must("record", "release.csv", "--spec", "spec.toml", "--original", "table.csv", "--into", f"{name}/record.jsonl")
    one, two = (json.loads((lab.folder / name / "record.jsonl").read_text().splitlines()[0]) for name in ("one", "two"))
    return f"the same hash in two records: whoever guesses the {what} can check it" if what and one[what] and one[what] == two[what] else ""

for what in ("original", "seed", ""):
    add(13, f"hash of the {what}" if what else "a record", recorded, what, harmless=not what)


# 14. Shifted dates of records without a subject.
def shifted(lab):
    found = [[datetime.date.fromisoformat(row["seen"]).toordinal() for row in rows] for rows in (lab.released, lab.rows)]
    after, lost = collections.Counter(found[0]), collections.Counter(date for date, row in zip(found[1], lab.rows) if not row["patient"])
    fit = sorted((sum(min(count, after[date + by]) for date, count in lost.items()), by) for by in range(-365, 366))
    return f"a shift by {fit[-1][1]} days fits {fit[-1][0]} of {lost.total()}, most fit {fit[365][0]}" if fit[-1][0] > .95 * lost.total() else ""

SEEN = several(300, 3, 141, lambda d: {"seen": day(d.randrange(900))}, patient=lambda r, d, at: f"P{at}")
SHIFT = (*UNIT, "--treat", "seen=shift:365", "--plain", "seen")
damage(14, "records without a subject", [{**row, "patient": row["patient"] * (len(row["patient"]) > 3)} for row in SEEN], (shifted,), *SHIFT)
harmless(14, "shifted dates", SEEN, "seen", *SHIFT)


# 15. One is no crowd. 16. Tables of twenty rows.
def passes(lab, words):
    lab.write(people(300, 151))
    if words[0] == "run":
        lab.spec(k=1)
    return re.search(r"verified .*|The release holds.|.holds.: true", lab.must(*words).stdout).group()[:95]

MADE, HELD = ["anonymize", "table.csv", "--quasi", "age,sex,zip", "-o", "release.csv"], ["verify", "table.csv", "--quasi", "age,sex,zip"]
for words, more in [(MADE, "-k 1"), (MADE, "-k 1 --json"), (MADE, "--max-risk 1"), (["run", "spec.toml"], ""), (["run", "spec.toml"], "--json"),
                    (HELD, "-k 1"), (HELD, "-k 1 --json")]:
    add(15, f"k = 1, {words[0]} {more}", passes, words + more.split())
harmless(15, "k = 1 and l = 3", people(900, 152, x=lambda r, d, at: d.choice("abcdef")), "x", "--sensitive", "x", "--l-diversity", 3, k=1)
harmless(15, "k = 2", people(900, 152), None, k=2)
for title, make in [("names", lambda r, d, at: f"{d.choice('ABCDEFG')}nn Roe{chr(97 + at)}"), ("row numbers", lambda r, d, at: 101 + at),
                    ("e-mail", lambda r, d, at: f"a{at}@example.org"), ("gaps", lambda r, d, at: GAPS[at]), ("codes", lambda r, d, at: f"K{GAPS[at]}"),
                    ("days", lambda r, d, at: day(d.randrange(900))), ("times", lambda r, d, at: f"{day(d.randrange(900))}T09:{at + 10}:11"),
                    ("free text", lambda r, d, at: f"She was seen at home number {at} by her son and sent away again")]:
    damage(16, f"20 rows, {title}", people(20, 161, x=make), (alone, "x"), k=2)
damage(16, "20 rows, birth year beside age", people(20, 161, x=lambda r, d, at: 2024 - r["age"]), (told, None, lambda row: row["x"], "x"), k=2)
damage(16, "20 rows of five patients", several(5, 4, 162, patient=lambda r, d, at: f"P{at}"), (few_people, "patient"), *PSEUDONYM[:2], k=2)
harmless(16, "20 rows with an illness", people(20, 163, illness=lambda r, d, at: d.choice(["flu", "gout"])), "illness", k=2)


# 17. Classes of rows that look alike and differ in bytes, for the verifier. 18. Safe Harbor beside what tells more.
def verified(lab, rows):
    lab.write(rows)
    found = json.loads(lab.run("verify", "table.csv", "-k", 4, "--quasi", "age,sex", "--json").stdout)
    k = min(collections.Counter(tuple(row.values()) for row in rows).values())
    if k >= 4 and not found["holds"]:
        raise Refused("it does not hold")
    return f"k = {found['k']} said where it is {k}" if found["holds"] and k < 4 else ""

for title, other in [("case", "A b"), ("a blank behind", "a b "), ("two blanks", "a  b"), ("width", "\uff41 b"), ("a hard blank", "a\u00a0b"),
                     ("what is hidden", "a\u200b b")]:
    add(17, f"rows that differ in {title}", verified, [{"age": "30", "sex": sex} for sex in ["a b"] * 3 + [other] * 3])
add(17, "age_min and age_max beside age", verified, [{"age": "30", "sex": "f", "age_min": 20 + at, "age_max": 40 + at} for at in range(6)])
add(17, "a release that holds", verified, [{"age": "30", "sex": "f"}] * 6, harmless=True)


def harbor(lab, make, column, is_harmless):
    lab.write(only(people(600, 181, **{column: make}), "age", "sex", column))
    lab.must(*lab.command("--plain", column, "--effort", "quick", quasi=("age", "sex")))
    lab.spec("--plain", column, quasi=("age", "sex"))
    attest = ("--attest", "R=J. Doe looked", "--attest", "knowledge=J. Doe")
    done = lab.run("forms", "safe-harbor", "release.csv", "--spec", "spec.toml", "--original", "table.csv", *attest)
    if is_harmless and done.returncode:
        raise Refused(done.stdout)
    return "" if done.returncode or is_harmless else done.stdout.splitlines()[-1]

CITIES = ["Madison", "Monona", "Verona", "Stoughton"]
for title, column, make in [
        ("epoch seconds", "t", lambda r, d, at: 1_600_000_000 + d.randrange(10**7)), ("weeks", "week", lambda r, d, at: d.randint(1, 52)),
        ("month/day", "md", lambda r, d, at: f"{d.randint(1, 12)}/{d.randint(1, 28)}"), ("a year", "year", lambda r, d, at: d.randint(2015, 2023)),
        ("days as digits", "v3", lambda r, d, at: day(d.randrange(900)).replace("-", "")), ("cities", "residence", lambda r, d, at: d.choice(CITIES)),
        ("births before 1935", "birth_year", lambda r, d, at: 2024 - d.randint(85, 99)), ("an illness", "illness", lambda r, d, at: d.choice("ab")),
        ("short notes", "notes", lambda r, d, at: f"lives with son in {d.choice(CITIES)}"), ("telephones", "x", lambda r, d, at: f"608-555-{at:04}"),
        ("long notes", "notes", lambda r, d, at: f"seen at home with son in {d.choice(CITIES)}"), ("ages", "years", lambda r, d, at: d.randint(80, 99))]:
    add(18, f"Safe Harbor beside {title}", harbor, make, column, title in ("a year", "an illness"), harmless=title in ("a year", "an illness"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--incrowd", required=True, help="the program")
    parser.add_argument("--only", type=int, help="one kind alone")
    parser.add_argument("--show", action="store_true", help="print commands and answers of what is open")
    given = parser.parse_args()
    chosen, wrong = [case for case in CASES if given.only in (None, case[0])], 0
    for kind, name, is_harmless, attack in chosen:
        with tempfile.TemporaryDirectory() as folder:
            lab = Lab(pathlib.Path(given.incrowd).resolve(), folder)
            try:
                found = attack(lab)
                word = "OPEN" if found else "released" if is_harmless else "closed"
                found = (found or "no damage") + (f", after {lab.pasted} pasted" if lab.pasted else "")
            except Refused as refused:
                lines = [line for line in str(refused).splitlines() if not line.startswith("warning")]
                word, found = "FALSE REFUSAL" if is_harmless else "closed", "refused: " + "".join(lines[:1])[:100]
        wrong += word in ("OPEN", "FALSE REFUSAL")
        print(f"{kind:>2}  {word:<13}  {name:<46}  {found}", flush=True)
        for command, code, out, err in lab.said if given.show and word in ("OPEN", "FALSE REFUSAL") else []:
            print(f"      $ {command}\n      exit {code}\n      " + "\n      ".join((err or out).splitlines()[:12]))
    print(f"{wrong} of {len(chosen)} open or falsely refused")
    raise SystemExit(1 if wrong else 0)

if __name__ == "__main__":
    main()
