#!/usr/bin/env python3
"""What somebody who knows a person's quasi-identifiers can make of a release: an independent count.

    benches/attacker.py ORIGINAL RELEASE --quasi age,sex -k 5 [--subject person] [--added COLUMNS] [--identifiers COLUMNS]
    benches/attacker.py --self-test

Needs pandas and nothing of incrowd, so that a mistake of the program is not repeated here. The release must keep the order of the
rows (`--keep-order`): it is then a subsequence of the original, and rows are matched by what both show. Rows that could be matched
in several ways count as other people and say nothing else, so that no finding depends on a guess.

The attacker knows the quasi-identifiers of a person in all of the person's records, and what can be computed from them. Counted are
subjects: people, or whatever the subject column tells apart, whether it is released or not. Findings that make a release unsafe:

classes     a class of equal labels holds fewer than k subjects.
implied     an unchanged column is an exact function of one or two quasi-identifiers (99 % of at least 50 records whose predictor
            also occurs with other subjects, or arithmetic and parts of dates), the labels alone do not tell it, and the class of a
            record narrowed by it holds fewer than k subjects. A record is narrowed only where the prediction is right.
identifier  a column numbers rows or subjects, is different in nearly every row, or was called an identifier beforehand. Decimal
            numbers are measurements: they differ by nature, and nobody knows them.
link        equal values of a column (or of its number without the last digits) tell which rows are of one subject, and fewer than k
            subjects share the collection of classes that is visible then.
reveals     a column, alone, with another label, or as sum or difference with a second one, tells the original value that a label
            hides, for more than 10 % of the rows beyond what it tells where people of the label have their values exchanged.

Not looked for: many weak columns together, values that are told up to one or two others, predictions that are right less often.
"""

import argparse
import csv
import itertools
import json
import re
import sys

import numpy as np
import pandas as pd

MISSING = {"", "NA", "N/A", "NaN", "NULL", "null", "?"}
AGREE, COVERED, CONTROL_ERRORS, CONTROL_SHARE = 0.99, 50, 5, 0.2
NEARLY_ALL, DENSE, LINKS, LINKED, REVEALED, CANDIDATE = 0.95, 0.2, 0.95, 0.10, 0.10, 0.95
NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
DATES = ((r"\d{4}-\d\d?-\d\d?([T ].*)?$", {}), (r"\d{4}/\d\d?/\d\d?( .*)?$", {}), (r"\d\d?[-.]\d\d?[-.]\d{4}$", {"dayfirst": True}))


class Column:
    """The values of a column as text (missing ones empty), as codes, and as numbers or days where all values are such."""

    def __init__(self, values):
        self.text = np.array(["" if value.strip() in MISSING else value for value in values], dtype=object)
        self.codes, self.distinct = pd.factorize(self.text)
        filled = [value for value in self.distinct if value != ""]
        numbers = pd.to_numeric(pd.Series(self.distinct), errors="coerce").to_numpy(dtype=float)
        is_number, self.is_date = filled and int(np.isfinite(numbers).sum()) == len(filled), False
        for form, options in DATES:
            if filled and all(re.match(form, value) for value in filled):
                days = pd.to_datetime(pd.Series(self.distinct), format="mixed", errors="coerce", utc=True, **options)
                numbers, self.is_date = ((days - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)).to_numpy(dtype=float), True
        self.values = numbers if is_number or self.is_date else None
        self.numbers = self.values[self.codes] if self.values is not None else None
        self.present = self.text != ""


def period(text):
    """The first day and the day after the last of what a label of time names: 2018, 2010s, 2018-Q2, 2018-04, a day, an hour."""
    text = re.sub(r"^(\d{4})-Q([1-4])$", lambda found: f"{found[1]}-{3 * int(found[2]) - 2:02}-Q", text.removesuffix("Z"))
    forms = {r"\d{3}0s": "120M", r"\d{4}": "12M", r"\d{4}-\d\d-Q": "3M", r"\d{4}-\d\d": "1M", r"\d{4}-\d\d-\d\d": "1D",
             r".{10}[T ]\d\dh": "1h", r".{10}[T ]\d\d:\d\d": "1min", r".{10}[T ]\d\d:\d\d:\d\d": "1s", r".{10}[T ]\d\d:.*\.\d+": "1ms"}
    unit = next((unit for form, unit in forms.items() if re.fullmatch(form, text)), None)
    if not unit:
        return None
    start = pd.Timestamp(text.removesuffix("-Q").removesuffix("s").replace("h", ":00"))
    end = start + (pd.DateOffset(months=int(unit[:-1])) if unit.endswith("M") else pd.Timedelta(unit))
    return tuple((moment - pd.Timestamp(0)) / pd.Timedelta(days=1) for moment in (start, end))


def contained(label, column):
    """Which of the distinct values of a column a label may stand for, or None if it cannot be read."""
    distinct, values = column.distinct, column.values
    same = distinct == ("" if label.strip() in MISSING else label)
    if same.any() or label == "*":
        return same | (label == "*")
    if label.startswith("{") and label.endswith("}"):
        members = next(csv.reader([label[1:-1]], skipinitialspace=True), [])
        if len(members) == 3 and members[1] == "...":
            return (distinct >= members[0]) & (distinct <= members[2])
        masks = [contained(member, column) for member in members]
        return np.any([mask for mask in masks if mask is not None] or [same], axis=0)
    if column.is_date:
        ends = label[1:-1].split(" to ") if label.startswith("[") else [label]
        first, last = period(ends[0]), period(ends[-1])
        return (values > first[0] - 1e-9) & (values < last[1] - 1e-9) if first and last else None
    if values is not None:
        found, ends = re.match(rf"\[({NUMBER})(?:-| to )({NUMBER})\]$", label), None
        if found:
            ends = float(found[1]), float(found[2])
        elif re.match(rf"{NUMBER}\+?$", label):
            ends = float(label.rstrip("+")), np.inf if label.endswith("+") else float(label)
        elif re.match(rf"<=?{NUMBER}$", label):
            ends = -np.inf, float(label.lstrip("<=")) - (0 if "=" in label else 1e-6)
        if ends:
            slack = 1e-9 * max(1, np.nanmax(np.abs(values)))
            return (values >= ends[0] - slack) & (values <= ends[1] + slack)
    if label.endswith("*"):
        return np.array([value.startswith(label.rstrip("*")) for value in distinct])
    return None


def align(original, release, labelled):
    """For each released row the original one it comes from, or -1 where several fit; and what every label may stand for."""
    changed = [name for name in release if name in labelled or not set(release[name].distinct) <= set(original[name].distinct)]
    same = [name for name in release if name not in changed]
    count, released = len(next(iter(original.values())).text), len(next(iter(release.values())).text)
    tables = {}
    for name in changed:
        masks = [contained(label, original[name]) for label in release[name].distinct]
        unread = [label for label, mask in zip(release[name].distinct, masks) if mask is None]
        if unread and name in labelled:
            raise ValueError(f"label {unread[0]!r} of {name} cannot be read")
        tables |= {name: np.array(masks)} if not unread else {}

    def keys(frame, rows):
        columns = pd.DataFrame({name: frame[name].text for name in same}, index=range(rows), dtype=object)
        return pd.util.hash_pandas_object(columns, index=False).to_numpy() if same else np.zeros(rows, dtype=np.uint64)

    def fits(row, at):
        return right[row] == left[at] and all(table[release[name].codes[row], original[name].codes[at]] for name, table in tables.items())

    def walk(rows, places):
        places, found = iter(places), np.empty(released, dtype=int)
        for row in rows:
            found[row] = next((at for at in places if fits(row, at)), -1)
            if found[row] < 0:
                raise ValueError(f"row {row + 1} of the release is no row of the original in the same order")
        return found

    left, right = keys(original, count), keys(release, released)
    first, last = walk(range(released), range(count)), walk(reversed(range(released)), reversed(range(count)))
    return np.where(first == last, first, -1), tables


def joined(*codes):
    """One code for each combination of codes."""
    key = np.zeros(len(codes[0]), dtype=np.int64)
    for code in codes:
        key = pd.factorize(key * (int(code.max()) + 2) + code + 1)[0].astype(np.int64)
    return key


def votes(group, value, subject):
    """For each record: other subjects of its group with its value, the most for another value, and all others' votes."""
    cell, subject = joined(group, value), pd.factorize(subject)[0]
    once = pd.unique(cell * (len(subject) + 1) + subject) // (len(subject) + 1)
    size = np.bincount(once)
    owner = np.empty(len(size), dtype=np.int64)
    owner[cell] = group
    order = np.lexsort((-size, owner))
    starts = np.flatnonzero(np.r_[True, np.diff(owner[order]) != 0])
    group_of = np.empty(len(size), dtype=np.int64)
    group_of[order] = np.cumsum(np.r_[False, np.diff(owner[order]) != 0])
    everybody = np.add.reduceat(size[order], starts)
    ends = np.r_[starts[1:], len(order)]
    second = np.where(ends - starts > 1, size[order][np.minimum(starts + 1, len(order) - 1)], 0)
    best = np.where(np.arange(len(size)) == order[starts][group_of], second[group_of], size[order][starts][group_of])
    return size[cell] - 1, best[cell], everybody[group_of][cell] - 1


def fitted(target, matrix):
    """Records whose number is a linear function of others, to the digits that are written; few outliers do not matter."""
    usable = np.flatnonzero(np.isfinite(target) & np.all(np.isfinite(matrix), axis=1))
    if len(usable) < COVERED or not np.std(target[usable]) > 0:
        return None
    for rows in (usable[:: max(1, len(usable) // 300)], usable):  # a few first: most functions are none
        x, y = np.column_stack([matrix[rows], np.ones(len(rows))]), target[rows]
        x, chosen = x / np.maximum(np.abs(x).max(axis=0), 1e-300), np.arange(len(rows))
        for _ in range(4):
            error = np.abs(x @ np.linalg.lstsq(x[chosen], y[chosen], rcond=None)[0] - y)
            chosen = np.argsort(error, kind="stable")[: max(COVERED, int(0.9 * len(y)))]
        close = error <= min(0.02 * np.std(y), max(1e-5 * np.abs(y).max(), 0.4 * np.all(y == np.round(y))))
        if close.mean() < (AGREE if rows is usable else 0.95):
            return None
    return np.isin(np.arange(len(target)), usable[close])


def features(columns):
    """What is commonly computed from one or two numbers or dates: (name, matrix) pairs."""
    numeric = [(name, column.numbers) for name, column in columns.items() if column.numbers is not None]
    with np.errstate(all="ignore"):
        for name, x in numeric:
            single = {"": x, "log ": np.log(x), "log(1+) ": np.log1p(x), "square of ": x * x, "root of ": np.sqrt(x), "1/": 1 / x}
            single.update({f"whole part of {step}ths of ": np.floor(x / step) for step in (1, 5, 10, 100)})
            if columns[name].is_date:
                dates = pd.to_datetime(pd.Series(x), unit="D").dt
                parts = ("year", "month", "day", "dayofweek", "dayofyear")
                single = {f"{part} of ": getattr(dates, part).to_numpy(dtype=float) for part in parts}
            yield from ((how + name, value[:, None]) for how, value in single.items())
        for (one, x), (two, y) in itertools.permutations(numeric, 2):
            if one < two:
                yield f"{one} and {two}", np.column_stack([x, y])
                yield f"{one} * {two}", (x * y)[:, None]
            yield f"{one} / {two}", (x / y)[:, None]
            yield f"{one} / {two} squared", (x / (y * y))[:, None]


class Attack:
    def __init__(self, original, release, quasi, k, subject=None, added=(), identifiers=()):
        """Frames of texts as read from the files; `added` are further columns that the program has generalized."""
        self.original = {name: Column(original[name]) for name in original}
        self.release = {name: Column(release[name]) for name in release if name in self.original}
        self.named = [name for name in quasi if name in self.release]
        self.labelled = self.named + [name for name in added if name in self.release and name not in quasi]
        self.plain = [name for name in self.release if name not in self.labelled]
        self.quasi = {name: self.original[name] for name in quasi}
        self.k, self.identifiers, self.foreign = k, identifiers, [name for name in release if name not in self.original]
        self.rows, self.has_subject = len(original), subject is not None
        self.owner = np.arange(self.rows) + self.rows
        if subject:
            self.owner = np.where(self.original[subject].present, self.original[subject].codes, self.owner)
        self.at, self.tables = align(self.original, self.release, self.labelled)
        self.sure = self.at >= 0
        self.subject = np.where(self.sure, self.owner[self.at], -1 - np.arange(len(self.at)))
        labels = [self.release[name].codes for name in self.labelled]
        self.classes = joined(*labels) if labels else np.zeros(len(self.at), dtype=np.int64)
        self.label_groups = [self.classes, np.zeros_like(self.classes), *labels]
        self.reasons = []

    def subjects_in(self, groups):
        """For each released row the number of different subjects in its group."""
        return pd.DataFrame({"g": groups, "s": self.subject}).groupby("g")["s"].transform("nunique").to_numpy()

    def blame(self, kind, columns, records, **figures):
        self.reasons.append({"kind": kind, "columns": [*columns], "records": int(records), **figures})

    def counts(self, column, right, covered):
        """Whether a rule tells clearly more than the released labels do: all together, each alone, or none of them."""
        rows = np.flatnonzero(self.sure & covered[self.at])
        if len(rows) < COVERED:
            return False
        guesses = (votes(group[rows], column.codes[self.at[rows]], self.subject[rows]) for group in self.label_groups)
        control = min(int((own <= best).sum()) for own, best, _ in guesses)
        return control >= CONTROL_ERRORS and (~right[self.at[rows]]).sum() <= CONTROL_SHARE * control

    def rule(self, column):
        """What the best-known function of quasi-identifiers gets right of an original column: (how, right) or None."""
        if len(column.distinct) < 2:
            return None
        groups = [((name,), known.codes, known.present) for name, known in self.quasi.items()]
        groups += [((one, two), joined(self.quasi[one].codes, self.quasi[two].codes), self.quasi[one].present & self.quasi[two].present)
                   for one, two in itertools.combinations(self.quasi, 2)]
        arithmetic = None if column.numbers is None or len(column.distinct) < 5 else features(self.quasi)
        for names, group, present in groups:
            if len(names) == 2 and arithmetic is not None:
                for how, matrix in arithmetic:
                    right = fitted(column.numbers, matrix)
                    if right is not None and self.counts(column, right, column.present & np.all(np.isfinite(matrix), axis=1)):
                        return how, right
                arithmetic = None
            usable = np.flatnonzero(present & column.present)
            if len(usable) < COVERED:
                continue
            own, best, everybody = votes(group[usable], column.codes[usable], self.owner[usable])
            repeated, agree = everybody > 0, own > best
            again = pd.Series(joined(group[usable], column.codes[usable], self.owner[usable])).duplicated().to_numpy()
            tried = repeated & ~again
            if tried.sum() < COVERED or agree[tried].mean() < AGREE:
                continue
            # What is learned from pairs that repeat by chance is not said of those that do not.
            alone = (len(names) == 1 or repeated.mean() >= 0.5) & ~repeated
            right, covered = np.zeros(self.rows, dtype=bool), np.zeros(self.rows, dtype=bool)
            right[usable], covered[usable] = agree & repeated | alone, repeated
            if self.counts(column, right, covered):
                return " and ".join(names), right
        return None

    def check_implied(self):
        found = {name: rule for name in self.plain if (rule := self.rule(self.original[name]))}
        self.rules = {name: rule[0] for name, rule in found.items()}
        if not found:
            return
        right = np.column_stack([rule[1][self.at] & self.sure for rule in found.values()])
        codes, crowd = [self.release[name].codes for name in found], self.crowd.copy()
        patterns, which = np.unique(right, axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            mine = which.ravel() == number
            crowd[mine] = self.subjects_in(joined(self.classes, *itertools.compress(codes, pattern)))[mine]
        narrow = (crowd < self.k) & (self.crowd >= self.k)
        if narrow.any():
            alone = [self.subjects_in(joined(self.classes, code)) < self.k for code in codes]
            guilt = {name: int((narrow & right[:, at] & alone[at]).sum()) for at, name in enumerate(found)}
            names = sorted((name for name in found if guilt[name]), key=lambda name: -guilt[name]) or list(found)
            by = {name: self.rules[name] for name in names}
            self.blame("implied", names, narrow.sum(), smallest=int(crowd[narrow].min()), by=by)

    def numbers_people(self, name):
        """Why a column names rows or subjects, or None."""
        column = self.release[name]
        where = self.sure & column.present
        number = column.numbers[where] if column.numbers is not None and not column.is_date else None
        values = len(np.unique(column.codes[where]))
        if values < 20 or number is not None and np.any(number != np.round(number)):
            return None
        subject = pd.factorize(self.subject[where])[0]
        pairs, subjects = joined(column.codes[where], subject).max() + 1, subject.max() + 1
        if self.has_subject and min(values, subjects) >= NEARLY_ALL * pairs:
            return "it numbers the subjects"
        if number is None or values < NEARLY_ALL * where.sum():
            return "nearly every row has a value of its own" if values >= NEARLY_ALL * where.sum() else None
        rising = np.all(np.diff(self.original[name].numbers[self.original[name].present]) > 0)
        return "it numbers the rows" if rising or number.min() >= 1e5 or values >= DENSE * (np.ptp(number) + 1) else None

    def check_identifiers(self):
        for name in self.plain + self.foreign:
            why = "it was called an identifier beforehand" if name in self.identifiers else None
            why = why or (self.numbers_people(name) if name in self.release else None)
            if why:
                self.blame("identifier", [name], len(self.at), why=why)

    def check_links(self):
        sizes = np.unique(self.subject[self.sure], return_counts=True)[1]
        linkable = (sizes * (sizes - 1) / 2).sum()
        for name in self.plain if self.has_subject and linkable else ():
            column = self.release[name]
            where, number = self.sure & column.present, column.numbers
            whole = number is not None and not column.is_date and np.all(number[where] == np.round(number[where]))
            for step in (1, 10, 100) if whole else (1,):
                value = column.codes if step == 1 else pd.factorize(np.nan_to_num(number) // step)[0]
                frame = pd.DataFrame({"v": value[where], "s": self.subject[where], "c": self.classes[where]})
                pairs, linked = ((n * (n - 1) / 2).sum() for n in (frame.groupby(by).size() for by in (["v"], ["v", "s"])))
                if linked < LINKED * linkable or linked < LINKS * pairs:
                    continue
                seen = frame.sort_values("c").groupby("v")
                seen = seen.agg(seen=("c", tuple), s=("s", "first"), subjects=("s", "nunique"), rows=("s", "size"))
                seen["crowd"] = seen.groupby("seen")["s"].transform("nunique")
                bare = seen[(seen["crowd"] < self.k) & (seen["subjects"] == 1) & (seen["rows"] > 1)]
                if len(bare):
                    self.blame("link", [name], bare["rows"].sum(), smallest=int(bare["crowd"].min()), step=step)
                    break

    def told(self, group, codes, value, hidden):
        """The share of rows whose hidden value nearly all others of equal codes have, with far fewer exceptions than in the group."""
        cells = (votes(cell, value, self.subject[self.sure]) for cell in (joined(group, codes), group))
        (own, _, everybody), (usual, _, all_others) = cells
        clear = (everybody - own + 1) / (everybody + 2) <= CONTROL_SHARE * (1 - usual / np.maximum(all_others, 1))
        return (hidden & clear & (own >= CANDIDATE * everybody)).mean()

    def tells(self, columns, quasi, share):
        if not any(reason.get("quasi") == quasi and reason["columns"][0] in columns for reason in self.reasons):
            self.blame("reveals", columns, round(share * self.sure.sum()), quasi=quasi, share=round(float(share), 3))

    def check_reveals(self):
        rows, views, random = self.at[self.sure], {}, np.random.default_rng(1)
        if len(rows) < COVERED:
            return
        for name in self.plain:
            column = self.release[name]
            codes, numbers = column.codes[self.sure], column.numbers[self.sure] if column.numbers is not None else None
            if numbers is not None and len(np.unique(codes)) > len(rows) / 5:  # very many values: bins of about 20 neighbours
                ranks = pd.Series(numbers).rank(method="dense")
                codes = pd.factorize(pd.qcut(ranks, max(2, len(rows) // 20), labels=False, duplicates="drop"))[0]
            if len(column.distinct) > 1:
                views[name] = codes, numbers
        for name in self.named:
            original, label = self.original[name], self.release[name].codes[self.sure]
            value, hidden = original.codes[rows], (self.tables[name].sum(axis=1) > 1)[label] & original.present[rows]
            if hidden.mean() <= REVEALED:
                continue
            if original.numbers is not None:
                known = {column: numbers for column, (_, numbers) in views.items() if numbers is not None}
                self.check_arithmetic(name, hidden, known, rows)
            tries = [((column,), view[0], label) for column, view in views.items()]
            for other in sorted({*self.labelled} - {name}):
                both = joined(label, self.release[other].codes[self.sure])
                tries += [((column, f"label of {other}"), view[0], both) for column, view in views.items()]
            for columns, codes, group in tries:
                raw, chance = self.told(group, codes, value, hidden), []
                for _ in range(3 if raw > REVEALED else 0):  # by chance: every subject has the value of another one of the group
                    unit = joined(group, pd.factorize(self.subject[self.sure])[0])
                    first = np.unique(unit, return_index=True)[1]
                    shuffled = np.empty(len(first), dtype=np.int64)
                    shuffled[np.argsort(group[first], kind="stable")] = value[first][np.lexsort((random.random(len(first)), group[first]))]
                    chance.append(self.told(group, codes, shuffled[unit], hidden))
                if chance and raw - np.mean(chance) > REVEALED:
                    self.tells(columns, name, raw - np.mean(chance))

    def check_arithmetic(self, name, hidden, known, rows):
        """A hidden number that is the sum or difference of two that are shown: age from the years of birth and visit."""
        mine = self.original[name].numbers[rows]
        for other in (other for other in sorted({*self.labelled} - {name}) if self.original[other].numbers is not None):
            single = (self.tables[other].sum(axis=1) == 1)[self.release[other].codes[self.sure]]
            known[f"label of {other}"] = np.where(single, self.original[other].numbers[rows], np.nan)
        known = {column: number for column, number in known.items() if len(np.unique(number[np.isfinite(number)])) > 4}
        shown = [(column, number) for column, number in known.items() if not column.startswith("label of ")]
        tries = [((one,), x[:, None]) for one, x in shown]
        tries += [((one, two), np.column_stack([x, y])) for (one, x), (two, y) in itertools.product(shown, known.items())
                  if one < two or two.startswith("label of ")]
        for columns, matrix in tries:
            if (right := fitted(mine, matrix)) is not None and (right & hidden).mean() > REVEALED:
                self.tells(columns, name, (right & hidden).mean())

    def loss(self):
        """How much of the named quasi-identifiers is left open, 0 to 1: widths of ranges, sizes of sets; rows left out count as 1."""
        lost = []
        for name in self.named:
            column, table = self.original[name], self.tables[name]
            if column.values is None:
                width = (table.sum(axis=1) - 1) / max(1, len(column.distinct) - 1)
            else:
                span = np.nanmax(column.values) - np.nanmin(column.values)
                ends = [column.values[mask & np.isfinite(column.values)] for mask in table]
                width = np.array([(end.max() - end.min()) / span if len(end) and span else 0 for end in ends])
            lost.append((width[self.release[name].codes].sum() + self.rows - len(self.at)) / self.rows)
        return float(np.mean(lost)) if lost else None

    def judge(self):
        self.rules, self.crowd = {}, self.subjects_in(self.classes)
        if len(self.at) and self.crowd.min() < self.k:
            self.blame("classes", self.labelled, (self.crowd < self.k).sum(), smallest=int(self.crowd.min()))
        for check in (self.check_implied, self.check_identifiers, self.check_links, self.check_reveals):
            check()
        return {"verdict": "unsafe" if self.reasons else "safe", "reasons": self.reasons, "rows": len(self.at), "functions": self.rules,
                "left_out": self.rows - len(self.at), "unsure": int((~self.sure).sum()), "loss": self.loss(), "columns": list(self.release)}


def read(path):
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    return frame.rename(columns={name: "row" for name in frame.columns[:1] if name.startswith("Unnamed:")})


def judge(original, release, *question, **more):
    """The judgement of a release file; a release that cannot be matched is `unclear`."""
    try:
        return Attack(read(original), read(release), *question, **more).judge()
    except ValueError as error:
        return {"verdict": "unclear", "reasons": [{"kind": "unclear", "columns": [], "records": 0, "why": str(error)}]}


def self_test():
    random, count = np.random.default_rng(7), 600
    age, sex, year = random.integers(20, 60, count), random.choice(["f", "m"], count), random.integers(1990, 2010, count)
    base = {"age": age, "sex": sex, "income": random.uniform(100, 9000, count).round(2), "coin": random.random(count) < 0.95}
    person = np.arange(count) // 3
    constant = {"person": person, "age": age[3 * person], "sex": sex[3 * person]}

    def judged(more, width=10, keep=None, drop=(), **options):
        original = pd.DataFrame({**base, **more}).astype(str)
        low = original["age"].astype(int) // width * width
        released = original.assign(age=[f"[{a}-{a + width - 1}]" if width > 1 else str(a) for a in low]).drop(columns=list(drop))
        return Attack(original, released if keep is None else released[keep], ["age", "sex"], 5, **options).judge()

    def kinds(more, **options):
        return {(reason["kind"], reason["columns"][0]) for reason in judged(more, **options)["reasons"]}

    of_people = {"subject": "person", "drop": ["person"]}
    few = judged({}, keep=random.random(count) < 0.9)
    assert few["verdict"] == "safe" and few["unsure"] == 0 and few["left_out"] > 0
    for more, options, expected in (
            ({}, {}, set()),  # incomes and coins are harmless
            ({"town": random.integers(0, 40, count)}, {}, set()),
            ({"old": age >= 40}, {}, set()),  # the labels tell it
            ({"birth": 2020 - age}, {}, {("implied", "birth"), ("reveals", "birth")}),
            ({"agesq": age * age}, {}, {("implied", "agesq"), ("reveals", "agesq")}),
            ({"year": year, "birth": year - age}, {}, {("reveals", "birth")}),
            ({"id": random.permutation(count) + 1}, {}, {("identifier", "id")}),
            ({"id": [f"P{number}" for number in range(count)]}, {}, {("identifier", "id")}),
            ({"note": "x"}, {"identifiers": ["note"]}, {("identifier", "note")}),
            ({"person": person}, of_people, set()),
            (constant, {**of_people, "width": 1}, {("classes", "age")}),
            ({**constant, "house": person * 10 + 7}, of_people, {("identifier", "house")}),  # k share every collection
            ({"person": person, "card": person * 100 + random.integers(0, 100, count)}, of_people, {("link", "card")})):
        assert kinds(more, **options) == expected, (list(more), kinds(more, **options))
    pounds, inches = random.integers(90, 250, count), random.integers(58, 76, count)
    days = pd.to_datetime("2006-01-01") + pd.to_timedelta(random.integers(0, 2000, count), unit="D")
    table = pd.DataFrame({"w": pounds, "h": inches, "bmi": (703 * pounds / inches**2).round(4)}).astype(str)
    assert Attack(table, table.assign(w="*", h="*"), ["w", "h"], 5).judge()["functions"] == {"bmi": "w / h squared"}
    table = pd.DataFrame({"date": days.strftime("%Y-%m-%d"), "sex": sex, "month": days.month}).astype(str)
    assert Attack(table, table.assign(date="[2006 to 2012]"), ["date", "sex"], 150).judge()["functions"] == {"month": "date"}
    inside = (("[16-20]", "18"), ("90+", "91"), ("<=18", "18"), ("2018-Q2", "2018-06-30"), ("[2018-04 to 2018-09]", "2018-09-30"),
              ("{a, \"b, c\"}", "b, c"), ("537*", "53711"), ("{[16-20], 31}", "31"), ("*", "x"), ("2018-04-03T10h", "2018-04-03T10:59"))
    outside = (("[-4 to 0]", "-5"), ("<0", "0"), ("2010s", "2020-01-01"), ("{a, b}", "c"), ("2018-04", "2018-05-01"))
    assert all(contained(label, Column([value]))[0] for label, value in inside)
    assert not any(contained(label, Column([value]))[0] for label, value in outside)
    print("the counter passes its tests")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs=2)
    parser.add_argument("--subject")
    parser.add_argument("-k", type=int, default=5)
    for name in ("quasi", "added", "identifiers"):
        parser.add_argument(f"--{name}", default=[], type=lambda text: text.split(","))
    options = parser.parse_args()
    more = {name: getattr(options, name) for name in ("subject", "added", "identifiers")}
    result = judge(*options.files, options.quasi, options.k, **more)
    print(json.dumps(result, indent=1))
    return result["verdict"] != "safe"


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1:] == ["--self-test"] else main())
