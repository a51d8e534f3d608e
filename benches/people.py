"""Random questions about people with several records each, for `.ci/nightly-people`: tables, roles and options.

A question follows from its number. Which columns follow from which is known, since they are made here: what a release gives
away can be counted without finding it out.
"""

import collections
import datetime
import random

import counter

METHODS = (
    "auto auto auto mondrian cluster-up cluster-down best-local bottom-up top-down optimal k-optimize climb anneal genetic "
    "datafly samarati mingen incognito lattice mu-argus cells cover balanced"
).split()
ILLS = ["flu", "cold", "gout", "angina", "cough"]
DAY = datetime.date(2020, 1, 1)
RULES = {"age": "intervals:5,10,20", "zip": "prefix", "birth": "date:month,year,decade", "visit": "date:month,year"}
# What follows from what, and of which kind the rule is.
FUNCTIONS = {
    "band": (["age"], "value"), "senior": (["age"], "value"), "year": (["birth"], "part"), "town": (["zip"], "value"),
    "region": (["zip"], "part"), "total": (["age", "height"], "arithmetic"), "above": (["age", "height"], "arithmetic"),
    "unit_code": (["sex", "ward"], "value"), "visit_year": (["visit"], "part"),
}


def date(days):
    return str(DAY + datetime.timedelta(days=days))


def table(chance, mode):
    """The columns of a table by name, and how many records people have at most."""
    sizes = [3, 6, 10, 15, 25, 40, 60, 60, 90, 90, 150, 250, 400]
    rows = chance.choice(sizes if mode != "linked" else sizes[4:])
    each = chance.choice([1, 2, 3, 5])
    if mode == "linked":
        each = chance.choice([1, 2, 2])
    elif mode == "none":
        each = chance.choice([1, 1, 1, 3])
    regular = mode == "linked" or chance.random() < 0.3
    few = mode == "linked" or chance.random() < 0.5
    pools = {
        "age": [str(chance.randint(18, 90)) for _ in range(chance.choice([3, 5]) if few else chance.choice([10, 30]))],
        "sex": ["f", "m"],
        "zip": [f"{chance.randint(10, 13)}{chance.randint(0, 999):03}" for _ in range(2 if few else 9)],
        "birth": [date(-chance.randint(7000, 30000)) for _ in range(3 if few else 30)],
        "height": [str(chance.randint(150, 195)) for _ in range(3 if few else 20)],
        "ward": chance.sample("ABCDEF", 2 if few else 4),
        "visit": [date(chance.randint(0, 900)) for _ in range(2 if few else 25)],
        "days": [str(chance.randint(0, 40)) for _ in range(3 if few else 25)],
    }
    if chance.random() < 0.15:
        pools[chance.choice(["age", "zip", "ward"])].append("")
    spelled = chance.choice(["P-{:04}", "{}", "pat{:03}"])
    constant_ill = chance.random() < 0.5
    records, person = [], 1000
    house = 0
    while len(records) < rows:
        person += 1
        house += chance.random() < 0.6 or house == 0
        fixed = {name: chance.choice(pools[name]) for name in ("age", "sex", "zip", "birth", "height")}
        fixed |= {"person": spelled.format(person), "house": f"H{house + 500}", "card": f"C{person * 7919 % 99991:05}"}
        fixed |= {"name": f"{chance.choice('ABCDEFGH')}nn {chance.choice('KLMNOPQRSTUV')}{chance.choice('aeiou')}ll{person}"}
        fixed |= {"job": chance.choice(["cook", "clerk", "nurse"]), "ill": chance.choice(ILLS)}
        visits = chance.choice(pools["visit"])
        for _ in range(each if regular else chance.randint(1, each)):
            record = {**fixed, "ward": chance.choice(pools["ward"]), "visit": chance.choice(pools["visit"])}
            if mode == "linked":
                record["ward"], record["visit"] = pools["ward"][int(fixed["sex"] == "f")], visits
            record["days"] = chance.choice(pools["days"])
            record["ill"] = fixed["ill"] if constant_ill else chance.choice(ILLS)
            begin = chance.randint(0, 600)
            record |= {"begin": date(begin), "end": date(begin + int(record["days"]))}
            record["coin"], record["note"] = chance.choice(["yes", "no"]), chance.choice(["seen", "sent", "asked"])
            records.append(record)
    chance.shuffle(records)
    records = records[:rows]
    for at, record in enumerate(records):
        age, height = record["age"], int(record["height"])
        record["lab"] = f"{chance.randint(100, 999)}.{chance.randint(0, 99)}{at:04}"
        record["band"] = f"{int(age) // 10 * 10}s" if age else ""
        record["senior"] = ("old" if int(age) >= 60 else "young") if age else ""
        record["year"], record["visit_year"], record["region"] = record["birth"][:4], record["visit"][:4], record["zip"][:2]
        record["town"] = f"Town {chr(65 + int(record['zip'] or 0) % 7)}" if record["zip"] else ""
        record["total"], record["above"] = (str(int(age) + height), str(height - int(age))) if age else ("", "")
        record["unit_code"] = f"{record['sex']}{record['ward']}" if record["ward"] else ""
    if chance.random() < 0.05:
        for record in chance.sample(records, max(1, rows // 20)):
            record["person"] = ""
    if chance.random() < 0.08:
        # One and the same person, spelled with blanks or as a decimal.
        for record in chance.sample(records, max(1, rows // 4)):
            record["person"] += "" if not record["person"] else ".0" if spelled == "{}" else " "
    return {name: [record[name] for record in records] for name in records[0]}


class Question:
    """What a run asks: options, and what they mean to the counter."""

    def __init__(self, number):
        chance = self.chance = random.Random(number)
        self.mode = chance.choices(["person", "house", "row", "none", "linked"], [38, 10, 18, 14, 20])[0]
        self.columns = table(chance, self.mode)
        self.k = chance.choice([2, 2, 2, 3, 4])
        self.features = {f"unit {self.mode}"}
        self.roles, self.options, self.treats, self.follows = {}, [], {}, {}
        self.narrowing, self.known, self.model, self.accepted = [], None, None, []
        pool = ["age", "sex", "zip", "birth", "height", "ward", "visit", "days"]
        count = chance.choice([1, 2, 2]) if self.mode == "linked" else chance.choice([1, 2, 2, 3, 4])
        self.quasi = chance.sample(pool, count)
        if count > 1 and chance.random() < 0.15:
            # Two that a third column is made of.
            self.quasi[:2] = chance.choice([["sex", "ward"], ["sex", "ward"], ["age", "height"]])
            self.quasi = list(dict.fromkeys(self.quasi))
        self.roles |= {name: "quasi" for name in self.quasi}
        self.choose_unit(chance)
        self.choose_functions(chance)
        self.choose_more(chance)
        self.choose_method(chance, number)

    def choose_unit(self, chance):
        names = ["person", "house", "card", "name"]
        self.roles |= {name: "identifying" for name in names}
        linked = chance.choice(["person", "person", "house"])
        self.subject = {"person": "person", "house": "house", "linked": linked}.get(self.mode)
        if self.mode != "none":
            self.options += ["--unit", self.subject or "row"]
        if self.subject and chance.random() < 0.3:
            # The unit needs no role of its own.
            del self.roles[self.subject]
        if self.mode == "linked":
            self.options.append("--linked")
            self.features.add("linked")
            how = chance.choice(["pseudonym", "pseudonym", "random", "last:4", "card", "both", "none"])
            if how in ("pseudonym", "random", "last:4"):
                self.treat(chance, chance.choice([self.subject, "person"]), how)
            elif how == "card":
                self.treat(chance, "card", "pseudonym:cards")
            elif how == "both":
                self.treat(chance, "person", "pseudonym")
                self.treat(chance, "house", "pseudonym")
        elif chance.random() < 0.08:
            self.treat(chance, chance.choice(names), chance.choice(["pseudonym", "last:4", "last:2", "initials"]))
        elif chance.random() < 0.2:
            self.treat(chance, "name", chance.choice(["initials", "fixed:somebody", "drop"]))

    def treat(self, chance, name, how):
        self.roles[name] = chance.choice(["identifying", "plain"]) if name in self.roles else "plain"
        if how != "drop" and name == self.subject:
            self.roles[name] = "plain"
        self.treats[name] = how
        self.features.add(f"treat {how.split(':')[0]}")

    def choose_functions(self, chance):
        implied = [name for name, (known, _) in FUNCTIONS.items() if set(known) <= set(self.quasi)]
        # Values that few share leave no release: such columns are seldom asked for.
        implied = [name for name in implied if self.are_shared(name) or chance.random() < 0.2]
        some = chance.sample(implied, min(len(implied), chance.choice([0, 0, 1, 1, 2])))
        for name in chance.sample(sorted(FUNCTIONS), 2) + some:
            # Columns that follow cost much: most runs have none, so that others are tested, too.
            follows = {*FUNCTIONS[name][0]} <= {*self.quasi}
            if name in some or chance.random() < 0.2 and (not follows or self.are_shared(name)):
                role = chance.choice(["plain", "plain", "plain", "class"])
                self.roles[name] = role if role not in self.roles.values() else "plain"
        for name in [name for name, (known, _) in FUNCTIONS.items() if name in self.roles and {*known} <= {*self.quasi}]:
            self.features.add("implied pair" if len(FUNCTIONS[name][0]) > 1 else "implied")
            known = FUNCTIONS[name][0]
            if len(known) == 1 and chance.random() < 0.35:
                self.roles[name], self.follows[name] = "plain", known[0]
                self.features.add("follows")
            elif self.roles[name] == "plain" and chance.random() < 0.15:
                self.treat(chance, name, chance.choice(["pseudonym", "last:1", "initials"]))
                self.roles[name] = "plain"
        if "days" in self.quasi and chance.random() < 0.25:
            self.roles |= {"begin": "plain", "end": "plain"}
            self.features.add("two reveal one")
            if self.subject and chance.random() < 0.5:
                self.treats |= {"begin": "shift:60", "end": "shift:60"}
        elif chance.random() < 0.15 and self.subject:
            # Dates cannot be shifted where nobody says whose they are.
            self.roles["begin"] = "plain"
            self.treats["begin"] = chance.choice(["shift:30", "shift:364:weekday"])
            self.features.add("treat shift")

    def are_shared(self, name):
        return len(set(self.columns[name])) * self.k * 3 <= len(self.columns[name])

    def choose_more(self, chance):
        self.unique = chance.random() < 0.85
        if self.unique:
            self.roles["lab"] = "plain"
        options, self.model = counter.models(chance)
        if chance.random() < 0.8 or self.model:
            self.roles["ill"] = "sensitive" if self.model else chance.choice(["plain", "sensitive"])
        if self.model:
            self.options += options
            self.features.add("model " + options[0][2:] + (" entropy" if "entropy" in options[1] else ""))
        for name in ("job", "coin", "note"):
            if chance.random() < 0.25:
                self.roles[name] = "plain"
        if self.roles.get("job") and chance.random() < 0.4 and len(self.columns["job"]) >= 25:
            self.narrowing.append("job")
            self.features.add("narrowing")
        if self.roles.get("coin") and chance.random() < 0.3:
            self.treats["coin"] = "fixed:x"
            self.features.add("treat fixed")
        if self.mode in ("row", "none") and len(self.quasi) > 1 and chance.random() < 0.3:
            self.known = chance.randint(1, len(self.quasi) - 1)
            self.options += ["--known-columns", str(self.known)]
            self.features.add("known-columns")
        if chance.random() < 0.08:
            taken = chance.choice([name for name, role in self.roles.items() if role == "plain"] or [None])
            self.accepted = [taken] if taken else []
            self.features.add("accept") if taken else None
        other = chance.choices([None, "plain", "guess"], [80, 10, 10])[0]
        if other == "plain":
            # What singles people out is refused unless it is named.
            alone = ["begin", "end", "lab", "visit", "birth", "zip", "total", "above", *chance.sample(sorted(FUNCTIONS), 5)]
            self.roles |= {name: "identifying" for name in alone if name not in self.roles}
        if other:
            self.options += ["--roles", "guess"] if other == "guess" else ["--other", "plain"]
            self.features.add("roles guess" if other == "guess" else "other plain")

    def choose_method(self, chance, number):
        method = METHODS[number % len(METHODS)]
        self.features.add(f"method {method}")
        if method == "auto":
            kind = chance.choice(["local", "global", "levels", "cells"])
            self.options += ["--kind", kind, "--effort", "quick"]
            self.features.add(f"kind {kind}")
        else:
            self.options += ["-m", method]
        for name in self.quasi:
            if name in RULES and chance.random() < 0.4 and "" not in self.columns[name]:
                self.options += ["--hierarchy", f"{name}={RULES[name]}"]
        self.blank = chance.random() < 0.4
        self.options += ["--suppressed", "blank" if self.blank else "drop"]
        self.features.add("blank" if self.blank else "drop")
        limits = [[], ["--max-suppressed", "all"], ["--max-suppressed", "all"], ["--max-suppressed", "20%"]]
        limit = chance.choice(limits if self.mode != "linked" else limits[1:])
        strict = any(word in option for option in self.options for word in ("entropy", "alpha", "closeness"))
        if method in ("optimal", "k-optimize", "climb") and strict:
            limit = ["--max-suppressed", "0"]  # they refuse such models where something may be suppressed
        self.options += limit
        self.earlier = chance.random() < 0.12
        if self.earlier:
            self.features.add("earlier")

    def asked(self, program, source, target):
        asked = [program, "anonymize", str(source), "-k", str(self.k), "-o", str(target), "--keep-order", "--json", *self.options]
        roles = collections.defaultdict(list)
        for name, role in self.roles.items():
            roles[role].append(name)
        for role, names in roles.items():
            asked += [f"--{role}", ",".join(names)]
        for name, how in self.treats.items():
            asked += ["--treat", f"{name}={how}"]
        for name, known in self.follows.items():
            asked += ["--follows", f"{name}={known}"]
        for option, names in (("--narrowing", self.narrowing), ("--accept", self.accepted)):
            asked += [option, ",".join(names)] if names else []
        return asked + ["--seed", "7", "--time-limit", "2s", "--threads", "1"]
