#!/usr/bin/env bash
# What is proven on the Adult census data under the certainty penalty: global recodings without and with suppression, local
# ones. Two threads.
#
#   benches/proofs.sh FOLDER [PART...]     parts: global long free few local; default: all but long
#
# FOLDER holds adult.csv, `;`-separated. `global`: nobody suppressed, k = 50, 100, 250, a minute each; `long`: k = 25, 10 and 5,
# ten minutes each; `free`: any number suppressed, k = 10, 25, 100, two minutes each; `few`: four columns, any number
# suppressed, k = 10; `local`: best-local with --prove. Prints cost, bound and the share of the cost that could be saved at most.
set -euo pipefail
folder=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(global free few local)

if [ -z "${INCROWD:-}" ]; then
  cargo build --profile dist --quiet -p incrowd-cli
  INCROWD=${CARGO_TARGET_DIR:-target}/dist/incrowd
fi
quasi=sex,age,race,marital-status,education,native-country,workclass,occupation
other=(--other drop --unit row --threads 2 --metric ncp)

# Runs and prints a line: NAME OPTIONS...
measure() {
  local name=$1
  shift
  "$INCROWD" anonymize "$folder/adult.csv" --delimiter ';' "${other[@]}" --json --quiet "$@" 2>/dev/null |
    python3 -c '
import json, sys
run = json.load(sys.stdin)
told = lambda key, form: "" if run.get(key) is None else form.format(run[key])
print("{:<28} {:<12} {:>12.2f} {:>12} {:>7} {:>8.4f} {:>8.1f} {:>8.1f}".format(
    sys.argv[1], run["outcome"], run["cost"], told("bound", "{:.2f}"), told("gap", "{:.1%}"),
    run["metrics"]["gcp"], run["wall_seconds"], run["cpu_seconds"]))
' "$name"
}

printf '%-28s %-12s %12s %12s %7s %8s %8s %8s\n' run outcome cost bound gap GCP seconds 'CPU s'
for part in "${parts[@]}"; do
  case $part in
  global) for k in 50 100 250; do
    measure "global, none, k = $k" --quasi $quasi -k $k -m optimal --max-suppressed 0 --time-limit 60s
  done ;;
  long) for k in 25 10 5; do
    measure "global, none, k = $k" --quasi $quasi -k $k -m optimal --max-suppressed 0 --time-limit 600s
  done ;;
  free) for k in 10 25 100; do
    measure "global, any, k = $k" --quasi $quasi -k $k -m optimal --max-suppressed 100% --time-limit 120s
  done ;;
  few)
    measure "4 columns, any, k = 10" --quasi age,sex,race,education -k 10 -m optimal --max-suppressed 100% --time-limit 120s
    ;;
  local) for k in 2 5 10 25 50 100; do
    measure "local, k = $k" --quasi $quasi -k $k -m best-local --prove
  done ;;
  *)
    echo "unknown part $part" >&2
    exit 2
    ;;
  esac
done
