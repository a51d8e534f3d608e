#!/usr/bin/env bash
# What local releases of the Adult census data lose as they are searched and as they are printed, without and with
# hierarchies.
#
#   cargo build --release -p incrowd-cli && benches/labels.sh FOLDER [K...]        default: 2 3 5 10 25 50 100
#
# FOLDER holds adult.csv and adult_hierarchy_COLUMN.csv, `;`-separated. INCROWD is the command, target/release/incrowd
# unless it is set. Prints for each k the GCP of the groups that were found and that of their labels:
#
#   meant     without hierarchies, labels=meant: groups are searched by what they hold
#   printed   without hierarchies, labels=printed (the default): by what is printed of them
#   auto      without hierarchies, the method that is chosen; its labels alone
#   node      with hierarchies, each class told by the node above its values (the default)
#   nodes     with hierarchies, each class told by a set of nodes (summary nodes)
set -euo pipefail
folder=$(cd "${1:?usage: labels.sh FOLDER [K...]}" && pwd)
shift
cd "$(dirname "$0")/.."
ks=("$@")
[ ${#ks[@]} -gt 0 ] || ks=(2 3 5 10 25 50 100)
incrowd=${INCROWD:-${CARGO_TARGET_DIR:-target}/release/incrowd}
quasi=sex,age,race,marital-status,education,native-country,workclass,occupation
node=()
nodes=()
for column in ${quasi//,/ }; do
  node+=(--hierarchy "$column=$folder/adult_hierarchy_$column.csv")
  nodes+=(--summary "$column=nodes")
done

# Runs once; prints the GCP of the groups and that of the labels.
measure() {
  "$incrowd" anonymize "$folder/adult.csv" --delimiter ';' --quasi "$quasi" --other drop --seed 1 --json "$@" 2>/dev/null |
    python3 -c 'import json, sys; m = json.load(sys.stdin)["metrics"]; print("%.4f %.4f" % (m["gcp"], m["released_gcp"]))'
}

line='%4s | %8s %8s | %8s %8s | %8s | %8s | %8s\n'
# shellcheck disable=SC2059
printf "$line" '' 'meant' '' 'printed' '' 'auto' 'node' 'nodes'
# shellcheck disable=SC2059
printf "$line" k groups labels groups labels labels labels labels
for k in "${ks[@]}"; do
  read -r meant_groups meant_labels <<<"$(measure -k "$k" -m best-local --option labels=meant)"
  read -r groups labels <<<"$(measure -k "$k" -m best-local)"
  read -r _ auto <<<"$(measure -k "$k")"
  read -r _ by_node <<<"$(measure -k "$k" -m best-local "${node[@]}")"
  read -r _ by_nodes <<<"$(measure -k "$k" -m best-local "${node[@]}" "${nodes[@]}")"
  # shellcheck disable=SC2059
  printf "$line" "$k" "$meant_groups" "$meant_labels" "$groups" "$labels" "$auto" "$by_node" "$by_nodes"
done
