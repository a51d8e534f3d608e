#!/usr/bin/env bash
# Measures the whole run against a plain parse, side by side, on made-up census tables.
#
#   benches/pipeline.sh [ROWS...]        default: 1000000 10000000
#
# For each size it writes a CSV with the demo generator, then reports CPU seconds, wall seconds and
# peak memory of (a) a plain parse of all columns to dictionary codes and (b) the whole
# `anonymize -m mondrian -k 5`: read, solve, recode, shuffle, verify, write. The last column is the
# ratio of CPU times (b)/(a). Each figure is the best of REPEAT runs (default 3).
set -euo pipefail
cd "$(dirname "$0")/.."
repeat=${REPEAT:-3}
sizes=("$@")
[ ${#sizes[@]} -gt 0 ] || sizes=(1000000 10000000)

# Together: built alone, the parse would have other features of dependencies, and everything would be built twice.
cargo build --profile dist --quiet -p incrowd-cli -p incrowd-data --bin incrowd --example parse
bin=${CARGO_TARGET_DIR:-target}/dist
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
quasi=age,sex,race,marital-status,education,native-country,workclass,occupation

# Runs a command, prints "cpu wall peak_mb".
measure() {
  python3 - "$@" <<'PY'
import resource, subprocess, sys, time
start = time.time()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
wall = time.time() - start
if done.returncode != 0:
    sys.exit(done.stderr)
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{use.ru_utime + use.ru_stime:.2f} {wall:.2f} {use.ru_maxrss / 1024:.0f}")
PY
}

printf '%-12s %-14s %10s %10s %10s %8s\n' rows step 'CPU s' 'wall s' 'peak MB' ratio
for rows in "${sizes[@]}"; do
  "$bin/incrowd" demo --rows "$rows" --write "$folder/people.csv"
  # In turn, so that a machine that others slow down now and then does so to both.
  for _ in $(seq "$repeat"); do
    measure "$bin/examples/parse" "$folder/people.csv" >>"$folder/parse"
    measure "$bin/incrowd" anonymize "$folder/people.csv" -k 5 -m mondrian --quasi "$quasi" -o "$folder/release.csv" --quiet >>"$folder/anonymize"
  done
  read -r parse_cpu parse_wall parse_peak < <(sort -n "$folder/parse")
  read -r cpu wall peak < <(sort -n "$folder/anonymize")
  ratio=$(python3 -c "print(f'{$cpu / $parse_cpu:.2f}')")
  printf '%-12s %-14s %10s %10s %10s %8s\n' "$rows" 'plain parse' "$parse_cpu" "$parse_wall" "$parse_peak" 1.00
  printf '%-12s %-14s %10s %10s %10s %8s\n' "$rows" 'anonymize' "$cpu" "$wall" "$peak" "$ratio"
  rm -f "$folder"/*
done
