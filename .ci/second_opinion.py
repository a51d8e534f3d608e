"""k, l and t of random releases as pycanon measures them and as `incrowd verify` does."""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

import pandas
from pycanon import anonymity

program, count = sys.argv[1], int(sys.argv[2])
folder = pathlib.Path(tempfile.mkdtemp(prefix="incrowd-second-opinion-"))
ages = ["[20-29]", "[30-39]", "[40-59]", "60+", "*"]
places = ["Oslo", "Rome", "{Bern, Wien}", "5371*", "北京", "a b", "Ünder"]
illnesses = ["flu", "cold", "gout", "angina", "cough"]
fewest = 0


def verified(path, quasi, sensitive, **least):
    asked = [program, "verify", str(path), "--quasi", ",".join(quasi), "-k", str(least["k"]), "--json"]
    asked += ["--sensitive", sensitive, "--l-diversity", f"{sensitive}={least['l']}"]
    asked += ["--t-closeness", f"{sensitive}=equal:{least['t']}"]
    ended = subprocess.run(asked, capture_output=True, text=True)
    assert ended.returncode in (0, 1), ended.stderr
    return json.loads(ended.stdout)


for number in range(count):
    chance = random.Random(number)
    quasi = ["age", "place", "sex"][: chance.choice([1, 2, 3])]
    classes = [
        (chance.choice(ages), chance.choice(places), chance.choice(["m", "f"])) for _ in range(chance.randint(2, 8))
    ]
    rows = []
    for one in classes:
        for _ in range(chance.randint(1, 9)):
            rows.append([*one, chance.choice(illnesses[: chance.randint(1, 5)])])
    chance.shuffle(rows)
    table = pandas.DataFrame(rows, columns=["age", "place", "sex", "illness"])
    path = folder / f"{number}.csv"
    table.to_csv(path, index=False)

    k = anonymity.k_anonymity(table, quasi)
    l = anonymity.l_diversity(table, quasi, ["illness"])
    t = anonymity.t_closeness(table, quasi, ["illness"])
    ours = verified(path, quasi, "illness", k=k, l=l, t=min(1.0, t + 1e-9))
    assert ours["k"] == k, (number, ours["k"], k)
    reached = {next(iter(model["model"])): model["achieved"] for model in ours["models"]}
    assert reached["distinct_l"] == l, (number, reached, l)
    assert abs(reached["t_closeness"] - t) < 1e-6, (number, reached, t)
    assert ours["holds"], (number, ours["violations"])
    fewest = max(fewest, k)
    if number % 4 > 0:
        continue
    # One more than there is must be refused.
    more = verified(path, quasi, "illness", k=k + 1, l=l + 1, t=max(0.0, t - 1e-3))
    kinds = sorted(violation["kind"] for violation in more["violations"])
    assert "small_class" in kinds and kinds.count("model") == (2 if t > 1e-3 else 1), (number, more["violations"])

print(f"{count} releases, largest k {fewest}: k, l and t are those of pycanon")
