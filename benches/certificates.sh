#!/usr/bin/env bash
# Certificates of the Adult census data: what they take to write and to check, and how large they are.
#
#   benches/certificates.sh [INSTANCE...]
#
# An instance is METHOD,CODING,METRIC,K,LIMIT such as optimal,coarse,dm,50,0 or best-local,fine,ncp,5,0; the limit may be
# `none`. Prints a line of CSV for each: the claim, which share of it is confirmed, cases, bytes, and CPU seconds of the
# search without and with a certificate and of the check. Only what is needed is built.
set -euo pipefail
cd "$(dirname "$0")/.."
instances=("$@")
if [ ${#instances[@]} -eq 0 ]; then
  for coding in coarse fine; do
    for k in 1000 500 250 100 50 25 10 5; do
      for limit in 0 100 none; do
        instances+=("optimal,$coding,dm,$k,$limit")
      done
    done
  done
  for k in 2 5 10 25 50 100; do
    instances+=("lattice,fine,dm,$k,none" "lattice,fine,cm,$k,none")
  done
  instances+=(best-local,fine,ncp,2,0 best-local,fine,ncp,5,0 best-local,fine,ncp,10,0)
fi
INCROWD_CERTIFICATES="${instances[*]}" cargo test --quiet --release -p incrowd-check --test all -- \
  --ignored --nocapture adult_figures | grep ,
