#!/usr/bin/env bash
# A table of PostgreSQL anonymized three ways, side by side: streamed, in the database, and by hand (export as CSV, anonymize
# the file, import the release). Starts a server of its own in a temporary folder.
#
#   benches/databases.sh [ROWS] [METHOD]        default: 1000000 mondrian; `auto` for the default method
#
# Prints for each the wall time, the bytes that went over the connection, and whether the released quasi-identifiers are the
# same multiset. Needs PostgreSQL (Debian: postgresql) and the shipped profile, which it builds.
set -euo pipefail
rows=${1:-1000000}
method=${2:-mondrian}
cd "$(dirname "$0")/.."

if [ -z "${INCROWD:-}" ]; then
  cargo build --profile dist --quiet -p incrowd-cli
  INCROWD=${CARGO_TARGET_DIR:-target}/dist/incrowd
fi
INCROWD=$(realpath "$INCROWD")
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
[ -n "$bin" ] || bin=$(dirname "$(command -v postgres)")

scratch=$(mktemp -d)
as=()
if [ "$(id -u)" = 0 ]; then
  chown postgres "$scratch"
  as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
fi
cleanup() {
  "${as[@]}" "$bin/pg_ctl" -D "$scratch/data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap cleanup EXIT
"${as[@]}" "$bin/initdb" -D "$scratch/data" -U postgres -A trust --no-sync -E UTF8 --locale=C.UTF-8 >/dev/null
"${as[@]}" "$bin/pg_ctl" -D "$scratch/data" -w -l "$scratch/log" \
  -o "-k $scratch -c listen_addresses= -c fsync=off -c shared_buffers=256MB -c max_wal_size=4GB" start >/dev/null
psql() { "$bin/psql" -X -q -t -A -v ON_ERROR_STOP=1 -h "$scratch" -U postgres "$@"; }
address="postgres://postgres@${scratch//\//%2F}/postgres"

work=$(mktemp -d)
trap 'rm -rf "$work"; cleanup' EXIT
"$INCROWD" demo --rows "$rows" --seed 5 --write "$work/people.csv" >/dev/null
columns=$(head -1 "$work/people.csv")
typed=$(tr ',' '\n' <<<"$columns" | sed 's/.*/"&" text/' | paste -sd,)
psql -c "CREATE TABLE people ($typed)" -c "\\copy people FROM '$work/people.csv' (FORMAT csv, HEADER true)" -c "ANALYZE people"
size=$(psql -c "SELECT pg_table_size('people')")
quasi=${QUASI:-age,sex,race,marital-status,education}
asked=(-k 10 --quasi "$quasi" --other drop --unit row -m "$method" --quiet --json)
names=$(sed 's/[^,]*/"&"/g' <<<"$quasi")

printf '%s rows, %s, table of %s bytes\n\n' "$rows" "$method" "$size"
printf '%-14s %9s %14s %14s\n' way seconds 'bytes out' 'bytes in'

timed() {
  local name=$1
  shift
  local since
  since=$(date +%s.%N)
  "$@" >"$work/$name.json" 2>"$work/$name.err" || { cat "$work/$name.err" >&2; exit 1; }
  seconds=$(python3 -c "import time,sys; print(f'{time.time() - float(sys.argv[1]):.1f}')" "$since")
}
moved() { grep -o 'moved [0-9]* bytes out.*it' "$work/$1.err" | grep -o '[0-9]*' | paste -sd' ' || true; }

timed streamed "$INCROWD" anonymize "$address" --table people --into streamed "${asked[@]}"
read -r out in <<<"$(moved streamed)"
printf '%-14s %9s %14s %14s\n' streamed "$seconds" "$out" "$in"
timed pushed "$INCROWD" anonymize "$address" --table people --into pushed --in-database "${asked[@]}"
read -r out in <<<"$(moved pushed)"
printf '%-14s %9s %14s %14s\n' in-database "$seconds" "$out" "$in"
by_hand() {
  psql -c "\\copy people TO '$work/export.csv' (FORMAT csv, HEADER true)"
  "$INCROWD" anonymize "$work/export.csv" -o "$work/release.csv" "${asked[@]}"
  local released
  released=$(head -1 "$work/release.csv" | tr ',' '\n' | sed 's/.*/"&" text/' | paste -sd,)
  psql -c "CREATE TABLE by_hand ($released)" -c "\\copy by_hand FROM '$work/release.csv' (FORMAT csv, HEADER true)"
}
timed by_hand by_hand
printf '%-14s %9s %14s %14s\n\n' 'by hand' "$seconds" "$(stat -c %s "$work/export.csv")" "$(stat -c %s "$work/release.csv")"

for table in streamed pushed; do
  differ=$(psql -c "SELECT count(*) FROM ((TABLE counted_$table EXCEPT TABLE counted_hand) UNION ALL (TABLE counted_hand EXCEPT TABLE counted_$table)) AS d" 2>/dev/null) || {
    psql -c "CREATE TABLE IF NOT EXISTS counted_hand AS SELECT $names, count(*) AS n FROM by_hand GROUP BY $names"
    psql -c "CREATE TABLE counted_$table AS SELECT $names, count(*) AS n FROM $table GROUP BY $names"
    differ=$(psql -c "SELECT count(*) FROM ((TABLE counted_$table EXCEPT TABLE counted_hand) UNION ALL (TABLE counted_hand EXCEPT TABLE counted_$table)) AS d")
  }
  printf '%s: %s classes differ from those made by hand\n' "$table" "$differ"
done
