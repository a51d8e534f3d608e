"""What random runs are judged by: values, labels, crowds and models, counted without anything of incrowd.

`.ci/nightly` and `.ci/nightly-people` import it. It reads labels and counts crowds as the documentation says, and shares no
code with the program, so that a mistake of the one is not repeated by the other.
"""

import collections
import datetime
import decimal
import itertools
import math
import re
import unicodedata

MISSING = ["", "NA", "N/A", "NaN", "NULL", "null", "?"]


def same(text):
    """What two visibly equal values share."""
    text = unicodedata.normalize("NFC", text)
    # Blanks of any kind and number look like one.
    return " ".join("".join(c for c in text if unicodedata.category(c) != "Cf").split())


def value(text):
    text = same(text)
    if text in MISSING:
        return ""
    try:
        number = decimal.Decimal(text)
        return ("n", number.normalize() + 0) if number.is_finite() else text
    except decimal.InvalidOperation:
        return text


def number(text):
    try:
        found = decimal.Decimal(text.strip())
        return found if found.is_finite() else None
    except decimal.InvalidOperation:
        return None


def contains(label, original):
    """Whether a released label contains an original value; None where this counter cannot tell."""
    if label == "*" or same(label) == same(original) or value(label) == value(original):
        return True
    text = label.strip()
    if text.startswith("[") and text.endswith("]"):
        inner = text[1:-1]
        ends = inner.split(" to ") if " to " in inner else None
        if ends is None:
            cuts = [(inner[:at], inner[at + 1:]) for at in range(1, len(inner)) if inner[at] == "-"]
            ends = next((cut for cut in cuts if number(cut[0]) is not None and number(cut[1]) is not None), None)
        if not ends:
            return None
        low, high, here = number(ends[0]), number(ends[1]), number(original)
        if low is None or high is None:
            return None
        return None if here is None else low <= here <= high
    if text.startswith("{") and text.endswith("}") and ", ..., " not in text and '"' not in text:
        parts = [part.strip() for part in text[1:-1].split(",")]
        if any("[" in part for part in parts):
            return None
        if any(part in MISSING for part in [original.strip(), *parts]):
            return None
        found = any(value(part) == value(original) for part in parts)
        # Words with commas in them are for a better reader.
        return found if number(original) is not None or "," not in original else None
    if text.endswith("*"):
        return True if original.strip().startswith(text.rstrip("*")) else None
    return None


def period(text):
    """The first and the last day of what a label of time names: 2018, 2010s, 2018-Q2, 2018-04, a day."""
    if found := re.fullmatch(r"(\d{3})0s", text):
        return datetime.date(int(found[1] + "0"), 1, 1), datetime.date(int(found[1] + "9"), 12, 31)
    if found := re.fullmatch(r"(\d{4})(?:-Q([1-4])|-(\d\d))?(?:-(\d\d))?", text):
        year, quarter, month, day = (int(part) if part else None for part in found.groups())
        if day:
            return (datetime.date(year, month, day),) * 2
        first = 3 * quarter - 2 if quarter else month or 1
        after = first + (3 if quarter else 1 if month else 12)
        end = datetime.date(year + (after > 12), (after - 1) % 12 + 1, 1)
        return datetime.date(year, first, 1), end - datetime.timedelta(days=1)
    return None


def holds(label, original):
    """`contains`, for dates as well."""
    day = period(original) if re.fullmatch(r"\d{4}-\d\d-\d\d", original) else None
    if day is None or label in ("*", original):
        return contains(label, original)
    if label.startswith("{"):
        found = [holds(part.strip(), original) for part in label[1:-1].split(",") if part.strip() != "..."]
        return True if True in found else None if None in found or "..." in label else False
    ends = label[1:-1].split(" to ") if label.startswith("[") else [label, label]
    ends = [period(end) for end in ends]
    return None if None in ends or len(ends) != 2 else ends[0][0] <= day[0] <= ends[1][1]


def may_be(label, original):
    """Whether a label may stand for a value: what cannot be read may."""
    found = holds(label, original)
    return not label.endswith("*") if found is None else found


def by_subject(rows, narrowed, subjects):
    """The different subjects in the class of each row."""
    people = collections.defaultdict(set)
    for at in rows:
        people[narrowed[at]].add(subjects[at])
    return {at: len(people[narrowed[at]]) for at in rows}


def gathered(rows, looks, groups):
    """The collection of each group of rows: how its rows look, in no order."""
    found = collections.defaultdict(list)
    for at in rows:
        found[groups[at]].append(looks[at])
    return {group: tuple(sorted(look)) for group, look in found.items()}


def by_collection(rows, looks, groups, subjects):
    """The different subjects that have a group of rows which looks like that of each row, where groups can be seen."""
    collection = gathered(rows, looks, groups)
    people = collections.defaultdict(set)
    for at in rows:
        people[collection[groups[at]]].add(subjects[at])
    return {at: len(people[collection[groups[at]]]) for at in rows}


def links(rows, column, subjects):
    """The share of the rows which share a value of a column with others that are all of one subject; 0 where these are few."""
    shared, records = collections.defaultdict(list), collections.Counter(subjects[at] for at in rows)
    for at in rows:
        if value(column[at]) != "":
            shared[column[at]].append(subjects[at])
    shared = [found for found in shared.values() if len(found) > 1]
    alike = [found for found in shared if len(set(found)) == 1]
    pairs, all_pairs = (sum(len(found) - 1 for found in alike), sum(count - 1 for count in records.values()))
    if len(records) < 2 or pairs < 3 or pairs < 0.1 * all_pairs:
        return 0
    return sum(map(len, alike)) / sum(map(len, shared))


def carried(rows, sensitive, subjects):
    """How many subjects carry each value: who carries one twice counts once."""
    return collections.Counter(found for _, found in {(subjects[at], value(sensitive[at])) for at in rows})


def evident(values, known, subjects, kind):
    """Whether the rows show that a column follows from others, by the figures in docs/concepts/roles.md (`rules::`)."""
    rows = [at for at in range(len(values)) if value(values[at]) != "" and all(value(column[at]) != "" for column in known)]
    if len(rows) < 10 or len(set(values)) < 2:
        return False
    usual = collections.Counter(values[at] for at in rows).most_common(1)[0][0]
    if kind == "arithmetic":
        return len(set(values)) >= 10
    # Parts of dates and codes are read off: whoever shares the part is evidence.
    key = {at: values[at] if kind == "part" else tuple(column[at] for column in known) for at in rows}
    people = collections.defaultdict(set)
    for at in rows:
        people[key[at]].add(subjects[at])
    covered = [at for at in rows if len(people[key[at]]) > 1]
    least = min(50, max(10, len(rows) // 4))
    return len(covered) >= max(least, len(rows) / 2) and sum(values[at] != usual for at in covered) >= 5


def subtracted(then, now, pools, least):
    """What two releases tell apart: fewer rows than `least`, found by subtracting classes as docs/concepts/attacker-and-risk.md says."""
    def classes(rows):
        found = collections.Counter()
        # A label that is itself a value stands for nothing else.
        pool_of = [{same(text) for text in pool} for pool in pools]

        def stands_for(label, v, exact):
            if same(label) in exact:
                return same(v) == same(label)
            # A value that is missing lies in no range: a label that stands for it, too, names it, or says nothing.
            if value(v) == "" and label != "*":
                return any(value(part) == "" for part in label.strip("{}").split(", "))
            return may_be(label, v)

        for labels in rows:
            found[tuple(frozenset(v for v in pool if stands_for(label, v, exact))
                        for label, pool, exact in zip(labels, pools, pool_of))] += 1
        every = tuple(frozenset(pool) for pool in pools)
        # Rows of which nothing is shown may lie anywhere.
        return {box: count for box, count in found.items() if len(pools) == 1 or box != every}

    then, now = classes(then), classes(now)
    meets = {box: [other for other in then if all(a & b for a, b in zip(box, other))] for box in now}
    met = {box: [other for other in now if box in meets[other]] for box in then}
    for box in now:
        if box in then and 0 < abs(then[box] - now[box]) < least:
            return f"{abs(then[box] - now[box])} rows in a class that reads the same"
    for ours, theirs, near, far in ((now, then, meets, met), (then, now, met, meets)):
        for box in ours:
            inside = [theirs[other] for other in near[box] if len(far[other]) == 1]
            if inside and box not in theirs and 0 < abs(ours[box] - sum(inside)) < least:
                return f"{abs(ours[box] - sum(inside))} rows beyond those that lie inside"
    seen = set()
    for start in now:
        if start in seen or not meets[start]:
            continue
        ours, theirs, todo = {start}, set(), [start]
        while todo:
            for other in set(meets[todo.pop()]) - theirs:
                theirs.add(other)
                more = set(met[other]) - ours
                ours |= more
                todo += more
        seen |= ours
        apart = abs(sum(now[box] for box in ours) - sum(then[box] for box in theirs))
        if 0 < apart < least:
            return f"{apart} rows in classes that hang together"
    return None


def models(chance, kinds=("none", "none", "distinct", "entropy", "alpha", "closeness")):
    """Options of a model and the check of a class: its sensitive values, those of the whole table, and its people or rows."""
    kind = chance.choice(kinds)
    if kind == "distinct":
        least = chance.randint(2, 3)
        return ["--l-diversity", str(least)], lambda mine, *_: len(varied(mine)) >= least
    if kind == "entropy":
        least = chance.choice([1.2, 1.7, 2.0])

        def entropy(mine, *_):
            counts = list(varied(mine).values())
            rows = sum(counts)
            return -sum(n / rows * math.log(n / rows) for n in counts) >= math.log(least) - 1e-9

        return ["--l-diversity", f"entropy:{least}"], entropy
    if kind == "alpha":
        most = chance.choice([0.5, 0.7, 0.9])
        return ["--alpha", str(most)], lambda mine, _, crowd: max(mine.values()) <= most * crowd + 1e-9
    if kind == "closeness":
        most = chance.choice([0.3, 0.5, 0.8])

        def close(mine, whole, _):
            rows, all_rows = sum(mine.values()), sum(whole.values())
            apart = sum(abs(mine.get(v, 0) / rows - n / all_rows) for v, n in whole.items())
            return apart / 2 <= most + 1e-9

        return ["--t-closeness", f"equal:{most}"], close
    return [], None


def varied(mine):
    """Whoever has no value may have any: a missing one adds nothing to a variety."""
    return {found: count for found, count in mine.items() if found != ""}


def subsets(names, most):
    """All sets of at most so many names."""
    return [chosen for size in range(1, most + 1) for chosen in itertools.combinations(names, size)]
