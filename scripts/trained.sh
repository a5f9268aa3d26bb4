#!/usr/bin/env bash
# trained.sh: writes configs/papers/trained.csv, the accuracies (of text the losses) of our own small trainings after every
# epoch, from the curves of `make trainings`, configs/curves/study.csv.
set -euo pipefail
cd "$(dirname "$0")/.."
table=configs/papers/trained.csv
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
study=$scratch/study
mapfile -t tasks < <(awk -v to="$study" -f scripts/unpack_curves.awk configs/curves/study.csv)

# line TASK SCHEME EPOCH METRIC: mean and interval of the metric after so many epochs, which `stcsim tta --curves-only` says of
# curves that end there.
line() {
  local task=$1 scheme=$2 epoch=$3 metric=$4 run
  rm -f "$scratch"/seed*.csv
  for run in "$study/$task/$scheme"/seed*.csv; do
    # A run that ended early (numbers no longer finite) has no such epoch, or nan.
    grep -q "^$epoch,[^n]*$" "$run" || return 0
    head -n "$((epoch + 1))" "$run" >"$scratch/$(basename "$run")"
  done
  build/stcsim tta --curves-only "$scratch"/seed*.csv --metric "$metric" --format json |
    awk -v name="$task,$scheme,$epoch" -v metric="$metric" '
      match($0, /"final":{"runs":[0-9]+,"mean":[-0-9.e]+,"interval":(null|\[[^]]*\])/) {
        split(substr($0, RSTART, RLENGTH), part, /[:,\[\]]+/)
        alone = part[7] == "null"  # one run has no interval
        printf "%s,%d,%.5f,%.5f,%.5f,%s\n", name, part[3], part[5], alone ? part[5] : part[7], alone ? part[5] : part[8], metric
      }'
}

{
  grep '^# made from' "$table" || true
  cat <<'TEXT'
# Accuracy (1 is all right), of text the loss (lower is better), of small networks on small tasks after every epoch, trained
# with every scheme: mean over the seeds and its 95 % interval (bootstrap), as long as the numbers of all are finite.
# docs/accuracy.md says what was trained. Written by `make trainings` (scripts/trained.sh).
task,scheme,epoch,seeds,mean,low,high,metric
TEXT
  for task in "${tasks[@]}"; do
    metric=$([ "$task" = text ] && echo eval_loss || echo eval_accuracy)
    for folder in "$study/$task"/*/; do
      scheme=$(basename "$folder")
      epochs=$(tail -n 1 "$folder/seed1.csv" | cut -d, -f1)
      for epoch in $(seq "$epochs"); do line "$task" "$scheme" "$epoch" "$metric"; done
    done
  done
} >"$scratch/trained.csv"

mv "$scratch/trained.csv" "$table"
echo "wrote $table"
