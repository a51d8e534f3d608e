#!/usr/bin/env python3
"""Makes the tables of the parity test. All people are made up; the same bytes come out every time.

    python3 make.py            writes the tables into the folder `tables` beside this file
    python3 make.py --check    fails if they differ from what would be written
"""

import csv
import datetime
import io
import pathlib
import sys

TABLES = pathlib.Path(__file__).resolve().parent / "tables"

FIRST = ["Ada", "Ben", "Cleo", "David", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Klara", "Luis", "Mona",
         "Nils", "Olga", "Pavel", "Rosa", "Said", "Tilda", "Uwe", "Vera", "Wanda", "Yusuf", "Zoe"]
LAST = ["Abel", "Brandt", "Conti", "Dorn", "Engel", "Fuchs", "Gomez", "Haas", "Ivanov", "Jansen", "Keller", "Lorenz",
        "Moreau", "Nagel", "Okafor", "Peters", "Quint", "Reuter", "Silva", "Thoma", "Unger", "Vogel", "Weiss", "Zhang"]
ZIPS = ["53703", "53704", "53711", "53713", "53590", "53562", "53202", "53211", "54301", "54401"]
TOWNS = {"53703": "Madison", "53704": "Madison", "53711": "Fitchburg", "53713": "Monona", "53590": "Sun Prairie",
         "53562": "Middleton", "53202": "Milwaukee", "53211": "Shorewood", "54301": "Green Bay", "54401": "Wausau"}
ILL = ["flu", "asthma", "fracture", "migraine", "gastritis", "diabetes"]
REGIONS = ["north", "south", "east", "west"]
SEXES = ["f", "m"]


class Draw:
    """A small generator of random numbers (splitmix64), the same in every version of Python."""

    def __init__(self, seed):
        self.state = seed

    def below(self, end):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return (z ^ (z >> 31)) % end

    def between(self, low, high):
        return low + self.below(high - low + 1)

    def one(self, values):
        return values[self.below(len(values))]

    def percent(self, share):
        return self.below(100) < share

    def distinct(self, low, high, count):
        """So many different numbers, in no order."""
        seen = []
        known = set()
        while len(seen) < count:
            number = self.between(low, high)
            if number not in known:
                known.add(number)
                seen.append(number)
        return seen

    def day(self, first, days):
        return datetime.date.fromisoformat(first) + datetime.timedelta(days=self.below(days))


def patients():
    """One row for each patient: a number, a name, and what others may know."""
    draw = Draw(1)
    numbers = draw.distinct(100_000, 999_999, 300)
    yield ["patient", "name", "age", "sex", "zip", "ward", "diagnosis"]
    for number in numbers:
        yield [number, f"{draw.one(FIRST)} {draw.one(LAST)}", draw.between(20, 79), draw.one(SEXES), draw.one(ZIPS),
               draw.one(["A", "B", "C"]), draw.one(ILL)]


def population():
    """Everybody of the region: the patients and others."""
    yield ["age", "sex", "zip"]
    for row in list(patients())[1:]:
        yield row[2:5]
    draw = Draw(2)
    for _ in range(500):
        yield [draw.between(20, 79), draw.one(SEXES), draw.one(ZIPS)]


def earlier(rows):
    """An earlier release of the first patients: ages in groups of twenty, and the sex."""
    yield ["age", "sex", "diagnosis"]
    for _, _, age, sex, _, _, diagnosis in sorted(list(patients())[1 : 1 + rows], key=str):
        low = age - age % 20
        yield [f"[{low}-{low + 19}]", sex, diagnosis]


def visits():
    """Several rows for each patient, two numbers that tell patients apart, and a date for each visit."""
    draw = Draw(3)
    cards = draw.distinct(10_000_000, 99_999_999, 120)
    yield ["visit", "patient", "card", "age", "sex", "zip", "seen", "diagnosis"]
    visit = 5_000
    for at in range(120):
        person = [f"P{1000 + 7 * at}", cards[at], draw.between(20, 69), draw.one(SEXES), draw.one(ZIPS[:5])]
        for _ in range(draw.between(1, 5)):
            visit += draw.between(1, 9)
            yield [visit, *person, draw.day("2024-01-01", 700), draw.one(ILL)]


def survey():
    """Answers with survey weights, and measurements of many digits."""
    draw = Draw(4)
    yield ["record", "weight", "age", "sex", "region", "income", "temperature", "score", "vote"]
    for record in range(1, 321):
        at = draw.below(4)
        yield [record, ["120.5", "310.25", "87.0", "412.75"][at], draw.between(18, 80), draw.one(SEXES), REGIONS[at],
               draw.between(9_000, 180_000), f"{draw.between(356, 391) / 10:.1f}", draw.between(1, 10),
               draw.one(["yes", "no"])]


def copies():
    """Columns that say again, or nearly again, what others may know."""
    draw = Draw(5)
    yield ["age", "band", "born", "sex", "zip", "town", "job", "diagnosis"]
    for _ in range(320):
        age, zip_code = draw.between(20, 69), draw.one(ZIPS)
        job = draw.one(["nurse", "clerk", "cook", "driver", "none"])
        yield [age, f"{age - age % 5} to {age - age % 5 + 4}", 2025 - age, draw.one(SEXES), zip_code, TOWNS[zip_code],
               job, draw.one(ILL)]


def odd():
    """Missing values, spellings that differ in case, commas, quotes, accents, spaces and formulas."""
    draw = Draw(6)
    yield ["age", "town", "sex", "note", "diagnosis"]
    towns = ["Köln", "Aachen", "Bonn", "Bad Honnef, Rhein", 'the "Hof"', "São Paulo", "Zürich", "?"]
    for _ in range(260):
        age = "" if draw.percent(6) else "NA" if draw.percent(3) else draw.between(20, 59)
        sex = "" if draw.percent(4) else draw.one(SEXES)
        yield [age, draw.one(towns), sex, draw.one(["", "none", "=1+1", "see file", "a, b"]),
               draw.one(["flu", "Flu", "asthma", "migraine", "", "diabetes "])]


def stays():
    """Dates, exact costs, and a day that others may know."""
    draw = Draw(7)
    yield ["born", "sex", "region", "admitted", "discharged", "cost"]
    for _ in range(300):
        admitted = draw.day("2023-01-01", 600)
        days = datetime.timedelta(days=draw.between(1, 20))
        yield [draw.day("1940-01-01", 22_000), draw.one(SEXES), draw.one(REGIONS), admitted, admitted + days,
               f"{100 * draw.between(2, 60)}.50"]


def german():
    """Semicolons, decimal commas, dates with points."""
    draw = Draw(8)
    yield ["Alter", "Geschlecht", "PLZ", "Größe", "Gehalt", "Eintritt"]
    for _ in range(220):
        day = draw.day("2015-01-01", 2_000)
        yield [draw.between(20, 64), draw.one(["w", "m"]), draw.one(["50667", "50668", "50733", "53111", "53113"]),
               f"1,{draw.between(50, 99)}", f"{draw.between(2, 6)}.{100 * draw.between(0, 9):03d},00",
               f"{day.day:02d}.{day.month:02d}.{day.year}"]


def tiny():
    """Twelve people."""
    draw = Draw(9)
    yield ["age", "sex", "town", "diagnosis"]
    for at in range(12):
        yield [30 + 2 * at + draw.below(2), SEXES[at % 2], ["Bonn", "Ulm"][at // 6], ILL[at % 4]]


def accounts():
    """Several purchases for each customer, whose card is masked already."""
    draw = Draw(10)
    cards = draw.distinct(1_000, 9_999, 110)
    yield ["card", "age", "sex", "region", "bought", "amount"]
    for at in range(110):
        person = [f"****{cards[at]}", draw.between(20, 69), draw.one(SEXES), draw.one(REGIONS)]
        for _ in range(draw.between(1, 5)):
            yield [*person, draw.one(["food", "books", "fuel", "shoes"]), f"{draw.between(1, 40)}.00"]


def crowds():
    """People who are many of a kind: every combination of three columns occurs often."""
    draw = Draw(11)
    yield ["age", "sex", "region", "job", "employed"]
    for _ in range(400):
        yield [draw.one([25, 35, 45, 55]), draw.one(SEXES), draw.one(REGIONS[:3]), draw.one(["cook", "clerk", "nurse"]),
               draw.one(["yes", "no"])]


def together():
    """Whoever takes the year of birth from the year of the answer has the age."""
    draw = Draw(12)
    yield ["age", "sex", "region", "asked", "born", "answer"]
    for _ in range(400):
        age, asked = draw.between(20, 69), draw.between(2001, 2009)
        yield [age, draw.one(SEXES), draw.one(REGIONS), asked, asked - age, draw.one(["yes", "no", "perhaps"])]


FILES = {
    "patients.csv": (patients, ","),
    "patients-population.csv": (population, ","),
    "patients-earlier.csv": (lambda: earlier(200), ","),
    "patients-earlier-close.csv": (lambda: earlier(299), ","),
    "visits.csv": (visits, ","),
    "survey.csv": (survey, ","),
    "copies.csv": (copies, ","),
    "odd.csv": (odd, ","),
    "stays.csv": (stays, ","),
    "german.csv": (german, ";"),
    "tiny.csv": (tiny, ","),
    "accounts.csv": (accounts, ","),
    "crowds.csv": (crowds, ","),
    "together.csv": (together, ","),
}


def text_of(rows, delimiter):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


def main():
    check = sys.argv[1:] == ["--check"]
    TABLES.mkdir(exist_ok=True)
    differing = []
    for name, (rows, delimiter) in FILES.items():
        text = text_of(rows(), delimiter)
        path = TABLES / name
        if not check:
            path.write_bytes(text.encode())
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            differing.append(name)
    unknown = sorted(path.name for path in TABLES.iterdir() if path.name not in FILES)
    if unknown or differing:
        sys.exit(f"not as this script makes them: {', '.join(differing + unknown)}")


if __name__ == "__main__":
    main()
