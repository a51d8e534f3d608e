#!/usr/bin/env python3
"""The areas of three digits of ZIP codes in which 20,000 people or fewer live, from a file of the Census Bureau.

    benches/zip3_areas.py DECENNIALDHC2020.P1-Data.csv

The file is table P1 (total population) of the 2020 Census Demographic and Housing Characteristics File by ZIP Code
Tabulation Area, as data.census.gov exports it. Any CSV file will do whose first column ends with the five digits of an
area and in which the last field that is a number is its population, such as that of 2010. The lists are in
crates/incrowd-data/src/mask_method.rs (ZipCensus), and those of the verifier in
crates/incrowd-verify/src/column_format.rs.
"""

import csv
import re
import sys
from collections import Counter


def main() -> None:
    people: Counter[str] = Counter()
    areas = 0
    with open(sys.argv[1], encoding="utf-8-sig", newline="") as file:
        for row in csv.reader(file):
            code = re.search(r"(\d{1,5})$", row[0]) if row else None
            numbers = [field for field in row[1:] if field.isdigit()]
            if code and numbers:
                people[code[1].zfill(5)[:3]] += int(numbers[-1])
                areas += 1
    small = sorted(area for area, count in people.items() if count <= 20_000)
    print(f"{areas} tabulation areas, {len(people)} areas of three digits, {sum(people.values())} people")
    print(f"{len(small)} of 20,000 people or fewer: {' '.join(small)}")


main()
