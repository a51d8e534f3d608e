#!/bin/sh
# Requirements that count people: k-maps by survey weights, and columns that narrow classes.
#
#   cargo build --release -p incrowd-cli && sh benches/people.sh FOLDER [EFFORT]
#
# FOLDER holds adult.csv (with ";" between fields); INCROWD is the command, target/release/incrowd unless it is set. It is run in
# the folder of the repository, for examples/survey.csv.
set -eu
folder=${1:?usage: people.sh FOLDER [EFFORT]}
effort=${2:-quick}
incrowd=${INCROWD:-target/release/incrowd}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints a line: what was asked, loss as printed, classes, released and suppressed rows, seconds.
run() {
    name=$1
    shift
    if "$incrowd" anonymize "$@" --quiet --other drop --unit row --seed 1 --json > "$work/told.json" 2> "$work/error"; then
        python3 - "$name" "$work/told.json" <<'PYTHON'
import json, sys
told = json.load(open(sys.argv[2]))
print(f"| {sys.argv[1]} | {100 * told['released_gcp']:.2f}% | {told['classes']} | {told['released']} | {told['suppressed']} "
      f"| {told['outcome']} | {told['wall_seconds']:.1f} |")
PYTHON
    else
        echo "| $name | $(head -1 "$work/error") |"
    fi
}

# A survey in four strata, drawn one in 10, 40, 160 and 640: age and household size, region, work.
awk 'BEGIN {
    OFS = ","; print "age", "size", "region", "work", "weight"; state = 17
    split("10 40 160 640", weight, " "); split("60 90 150 300", rows, " ")
    for (stratum = 1; stratum <= 4; stratum++) for (i = 0; i < rows[stratum]; i++) {
        for (j = 1; j <= 4; j++) { state = (state * 16807) % 2147483647; dice[j] = state }
        print 18 + dice[1] % 63, 1 + dice[2] % 5, "r" stratum, "w" dice[3] % 4, weight[stratum] + dice[4] % 3 / 2 } }' \
    > "$work/strata.csv"

echo "| asked | loss as printed | classes | rows | suppressed | outcome | seconds |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
for kind in local global levels cells; do
    run "survey, 500-map, $kind" examples/survey.csv -k 500 --k-map examples/survey.csv --population-weight weight \
        --survey-weight weight --quasi age,sex,region,work --bins age=10@10 --kind $kind --effort "$effort"
done
run "survey, 500-map, optimal" examples/survey.csv -k 500 --k-map examples/survey.csv --population-weight weight \
    --survey-weight weight --quasi age,sex,region,work --bins age=10@10 -m optimal
for kind in local global; do
    run "strata, 400-map, $kind" "$work/strata.csv" -k 400 --k-map "$work/strata.csv" --population-weight weight \
        --quasi age,size,region,work --kind $kind --effort "$effort"
done
for kind in local global levels cells; do
    run "survey, k = 3 with work known, $kind" examples/survey.csv -k 3 --quasi age,sex,region --plain work --narrowing work \
        --kind $kind --effort "$effort"
done
run "survey, k = 3 with work known, optimal" examples/survey.csv -k 3 --quasi age,sex,region --plain work --narrowing work \
    -m optimal
adult=$folder/adult.csv
for kind in local global; do
    run "Adult, 4 columns, k = 5 with workclass known, $kind" "$adult" --delimiter ';' -k 5 --plain workclass \
        --quasi age,sex,marital-status,race --narrowing workclass --kind $kind --effort "$effort"
done
run "Adult, 8 columns, k = 5 with occupation known, local" "$adult" --delimiter ';' -k 5 --plain occupation --narrowing occupation \
    --quasi age,sex,race,marital-status,education,native-country,workclass,salary-class --effort "$effort"
