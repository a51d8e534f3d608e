#!/usr/bin/env bash
# How many cells `cells`, `cover` and `balanced` blank on the Adult census data, k = 5: as it is, and after
# one recoding (ages to decades; education, country, marital status, occupation and work class one level up
# their hierarchies); a blank read as a value, and as matching anything.
#
#   benches/cells.sh FOLDER [K]        default: 5
#
# FOLDER holds adult.csv and adult_hierarchy_COLUMN.csv, `;`-separated. Every release is written and verified.
# Prints for each the blanked cells, the bound, the blanks per column, the rows by number of blanks, and the
# CPU seconds of the whole run: read, search, write, verify.
set -euo pipefail
folder=$(cd "$1" && pwd)
k=${2:-5}
cd "$(dirname "$0")/.."

cargo build --profile dist --quiet -p incrowd-cli
bin=${CARGO_TARGET_DIR:-target}/dist/incrowd
quasi=sex,age,race,marital-status,education,native-country,workclass,occupation
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The recoding: with k = 1 the lattice has nothing to do but to take the levels that it is told to.
levels=(--max-level sex=0 --max-level race=0 --min-level age=2 --max-level age=2)
hierarchies=(--hierarchy "age=$folder/adult_hierarchy_age.csv")
for column in education native-country marital-status occupation workclass; do
  hierarchies+=(--hierarchy "$column=$folder/adult_hierarchy_$column.csv")
  levels+=(--min-level "$column=1" --max-level "$column=1")
done
"$bin" anonymize "$folder/adult.csv" --delimiter ';' -k 1 --quasi "$quasi" -m lattice "${hierarchies[@]}" \
  "${levels[@]}" --sort --quiet --json -o "$scratch/recoded.csv" >"$scratch/recoding.json" 2>"$scratch/warnings"

# Blanks cells of a table and tells how many.
measure() {
  local name=$1 table=$2
  shift 2
  "$bin" anonymize "$table" --delimiter ';' -k "$k" --quasi "$quasi" --metric blanks --json --sort \
    -o "$scratch/release.csv" "$@" 2>"$scratch/warnings" |
    python3 -c '
import json, sys
r = json.load(sys.stdin)
b = r["blanks"]
bound = "-" if r["bound"] is None else "%d" % r["bound"]
print("%-34s %7d  bound %6s  %6.2f s" % (sys.argv[1], b["cells"], bound, r["cpu_seconds"]))
print("    by column: " + ", ".join("%s %d" % (name, blanks) for name, blanks in b["columns"]))
print("    by row:    " + ", ".join("%d in %d" % (at, rows) for at, rows in enumerate(b["rows"])))
if r["cover"]:
    c = r["cover"]
    print("    cover:     %d before the improvement, %.2f times the bound, guaranteed %.2f" % (c["before_improvement"], c["against_bound"], c["guaranteed"]))
' "$name"
}

for table in "$folder/adult.csv" "$scratch/recoded.csv"; do
  name=$(basename "$table" .csv)
  measure "$name cells" "$table" -m cells
  measure "$name cover, not improved" "$table" -m cover --option improve=off
  measure "$name cover" "$table" -m cover
  measure "$name balanced" "$table" -m balanced
  measure "$name cells, wildcards" "$table" -m cells --wildcards
  measure "$name cells, wildcards, crowd=own" "$table" -m cells --wildcards --option crowd=own
  measure "$name cells, wildcards, crowd=any" "$table" -m cells --wildcards --option crowd=any
done
