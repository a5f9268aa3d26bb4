#!/usr/bin/env bash
# trained.sh [DIR]: writes configs/papers/trained.csv, the accuracies of our own small trainings after every epoch, from
# the curves that `make trainings` left in DIR (default out/study): DIR/TASK/SCHEME/seedN.csv.
set -euo pipefail
cd "$(dirname "$0")/.."
study=${1:-out/study}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# line TASK SCHEME EPOCH: mean and interval of the accuracies after so many epochs, which `stcsim tta --curves-only` says of curves
# that end there.
line() {
  local task=$1 scheme=$2 epoch=$3 run
  rm -f "$scratch"/seed*.csv
  for run in "$study/$task/$scheme"/seed*.csv; do
    # A run that ended early (numbers no longer finite) has no such epoch.
    grep -q "^$epoch," "$run" || return 0
    head -n "$((epoch + 1))" "$run" >"$scratch/$(basename "$run")"
  done
  build/stcsim tta --curves-only "$scratch"/seed*.csv --metric eval_accuracy --format json |
    awk -v name="$task,$scheme,$epoch" '
      match($0, /"final":{"runs":[0-9]+,"mean":[-0-9.e]+,"interval":(null|\[[^]]*\])/) {
        split(substr($0, RSTART, RLENGTH), part, /[:,\[\]]+/)
        alone = part[7] == "null"  # one run has no interval
        printf "%s,%d,%.5f,%.5f,%.5f\n", name, part[3], part[5], alone ? part[5] : part[7], alone ? part[5] : part[8]
      }'
}

{
  cat <<'TEXT'
# Accuracy (1 is all right) of small networks on generated tasks after every epoch, trained with every scheme: mean over the seeds
# and its 95 % interval (bootstrap). docs/accuracy.md says what was trained. Written by `make trainings` (scripts/trained.sh).
task,scheme,epoch,seeds,mean,low,high
TEXT
  for task in images tokens; do
    for folder in "$study/$task"/*/; do
      scheme=$(basename "$folder")
      epochs=$(tail -n 1 "$folder/seed1.csv" | cut -d, -f1)
      for epoch in $(seq "$epochs"); do line "$task" "$scheme" "$epoch"; done
    done
  done
} >"$scratch/trained.csv"

mv "$scratch/trained.csv" configs/papers/trained.csv
echo "wrote configs/papers/trained.csv"
