#!/bin/sh
# What risks beyond k cost, on the Adult census data: average risk, k-map with the whole table as the population of every
# tenth row, and twenty quasi-identifiers of which somebody knows three.
#
#   cargo build --release -p incrowd-cli && sh benches/requirements.sh FOLDER [EFFORT]
#
# FOLDER holds adult.csv and adult_hierarchy_COLUMN.csv (with ";" between fields); INCROWD is the command, target/release/incrowd unless it is set.
set -eu
folder=${1:?usage: requirements.sh FOLDER [EFFORT]}
effort=${2:-quick}
incrowd=${INCROWD:-target/release/incrowd}
quasi=sex,age,race,marital-status,education,native-country,workclass,occupation
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints a line: what was asked, loss as printed, classes, released and suppressed rows, what is reached, seconds.
run() {
    name=$1
    shift
    "$incrowd" anonymize "$@" --quiet --delimiter ';' --other drop --effort "$effort" --seed 1 -o "$work/release.csv" --json \
        > "$work/told.json"
    python3 - "$name" "$work/told.json" <<'PYTHON'
import json, sys
told = json.load(open(sys.argv[2]))
reached = "; ".join(it["text"] for it in told.get("requirements", [])) or f"k = {told['achieved_k']}"
average = told["classes"] / max(told["released"], 1)
print(f"| {sys.argv[1]} | {100 * told['released_gcp']:.2f}% | {told['classes']} | {told['released']} | {told['suppressed']} "
      f"| {average:.4f} | {reached} | {told['wall_seconds']:.1f} |")
PYTHON
    rm -f "$work"/release*
}

echo "| asked | loss as printed | classes | rows | suppressed | average risk | reached | seconds |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
adult=$folder/adult.csv
run "k = 2" "$adult" -k 2 --quasi $quasi
run "k = 20" "$adult" -k 20 --quasi $quasi
run "k = 2, average risk 0.05" "$adult" -k 2 --max-average-risk 0.05 --quasi $quasi
run "k = 2, 5% above 0.1" "$adult" -k 2 --max-at-risk 5%@0.1 --quasi $quasi

set --
for column in $(echo $quasi | tr , ' '); do set -- "$@" --hierarchy "$column=$folder/adult_hierarchy_$column.csv"; done
run "k = 2, levels" "$adult" -k 2 --quasi $quasi --kind levels "$@"
run "k = 20, levels" "$adult" -k 20 --quasi $quasi --kind levels "$@"
run "k = 10, levels" "$adult" -k 10 --quasi $quasi --kind levels "$@"
run "k = 2, average risk 0.05, levels" "$adult" -k 2 --max-average-risk 0.05 --quasi $quasi --kind levels "$@"
run "k = 2, 5% above 0.1, levels" "$adult" -k 2 --max-at-risk 5%@0.1 --quasi $quasi --kind levels "$@"

# Every tenth row, of which the whole table is the population.
awk 'NR == 1 || NR % 10 == 2' "$adult" > "$work/sample.csv"
run "sample, k = 5" "$work/sample.csv" -k 5 --quasi $quasi
run "sample, 5-map" "$work/sample.csv" -k 5 --k-map "$adult" --quasi $quasi
run "sample, 5-map estimated" "$work/sample.csv" -k 5 --sampling-fraction 0.1 --quasi $quasi
run "sample, 5-map estimated, levels" "$work/sample.csv" -k 5 --sampling-fraction 0.1 --quasi $quasi --kind levels "$@"
run "sample, k = 5, levels" "$work/sample.csv" -k 5 --quasi $quasi --kind levels "$@"
run "sample, 5-map, levels" "$work/sample.csv" -k 5 --k-map "$adult" --quasi $quasi --kind levels "$@"

# Twelve more columns of 2 to 50 values that have nothing to do with the others.
awk -F';' -v OFS=';' '
    NR == 1 { for (i = 1; i <= 12; i++) more = more OFS "c" i; print $0 more; next }
    { line = $0; split("2 2 3 3 4 5 6 8 10 12 20 50", sizes, " ")
      for (i = 1; i <= 12; i++) { state = (state * 16807 + 12345 + NR) % 2147483647; line = line OFS state % sizes[i] }
      print line }' "$adult" > "$work/wide.csv"
twenty=$quasi,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12
run "20 columns, k = 5" "$work/wide.csv" -k 5 --quasi $twenty
run "20 columns, k = 5 for any 3" "$work/wide.csv" -k 5 --known-columns 3 --quasi $twenty
run "20 columns, k = 5 for any 2" "$work/wide.csv" -k 5 --known-columns 2 --quasi $twenty
