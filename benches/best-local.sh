#!/usr/bin/env bash
# What best-local reaches on the Adult census data, without and with hierarchies.
#
#   benches/best-local.sh FOLDER [K...]        default: 2 5 10 25 50 100
#
# FOLDER holds adult.csv and adult_hierarchy_COLUMN.csv, `;`-separated. Prints for each k the GCP of the labels and
# of the groups without hierarchies, and the loss with them, each with the CPU seconds of the whole run: read, search,
# verify. benches/labels.sh compares labels of several kinds.
set -euo pipefail
folder=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
ks=("$@")
[ ${#ks[@]} -gt 0 ] || ks=(2 5 10 25 50 100)

cargo build --profile dist --quiet -p incrowd-cli
bin=${CARGO_TARGET_DIR:-target}/dist/incrowd
quasi=sex,age,race,marital-status,education,native-country,workclass,occupation
hierarchies=()
for column in ${quasi//,/ }; do
  hierarchies+=(--hierarchy "$column=$folder/adult_hierarchy_$column.csv")
done

# Runs best-local, prints some metrics and the CPU seconds.
measure() {
  local metrics=$1
  shift
  "$bin" anonymize "$folder/adult.csv" --delimiter ';' --quasi "$quasi" -m best-local --json "$@" |
    python3 -c '
import json, sys
r = json.load(sys.stdin)
print(*(r["metrics"][name] for name in sys.argv[1].split(",")), r["cpu_seconds"])' "$metrics"
}

printf '%6s %10s %10s %8s %10s %8s\n' k labels groups 'CPU s' loss 'CPU s'
for k in "${ks[@]}"; do
  read -r labels groups gcp_cpu <<<"$(measure released_gcp,gcp -k "$k")"
  read -r loss loss_cpu <<<"$(measure loss -k "$k" --metric loss "${hierarchies[@]}")"
  printf '%6d %10.4f %10.4f %8.2f %10.4f %8.2f\n' "$k" "$labels" "$groups" "$gcp_cpu" "$loss" "$loss_cpu"
done
