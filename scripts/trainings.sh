#!/usr/bin/env bash
# trainings.sh [JOBS]: trains all schemes on both generated tasks into out/study/ (hours, but for runs that lie there: remove
# them where python/stcsim/training has changed) and writes configs/curves/study.csv, a line for each run and epoch; then
# configs/papers/trained.csv and gradients.csv, which `stcsim evidence papers` reads. SEEDS=n trains so many seeds,
# TASKS='images tokens text' on text too, which takes as long again.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
jobs=${1:-1}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

read -ra tasks <<<"${TASKS:-images tokens}"
[[ " ${tasks[*]} " != *' text '* ]] || node scripts/text_task.mjs out/study/text_task
for task in "${tasks[@]}"; do
  build/stcsim train "train_$task" ${SEEDS:+--seeds "$SEEDS"} --jobs "$jobs" --resume --out "out/study/$task"
done

{
  cat <<'TEXT'
# Learning curves of small networks on generated tasks, trained with every scheme: a line for each run and epoch.
# docs/accuracy.md says what was trained. Written by `make trainings`; scripts/unpack_curves.awk makes a file of each run.
task,scheme,seed,epoch,step,samples,train_loss,eval_loss,eval_accuracy
TEXT
  for task in "${tasks[@]}"; do
    for run in out/study/"$task"/*/seed*.csv; do
      scheme=$(basename "$(dirname "$run")")
      seed=${run##*/seed}
      sed "1d; s/^/$task,$scheme,${seed%.csv},/" "$run"
    done
  done
} >"$scratch/study.csv"

mv "$scratch/study.csv" configs/curves/study.csv
echo "wrote configs/curves/study.csv"
scripts/trained.sh
scripts/gradients.sh
