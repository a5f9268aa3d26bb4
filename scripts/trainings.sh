#!/usr/bin/env bash
# trainings.sh [JOBS]: trains all schemes on all three small tasks into out/study/ (hours, but for runs that lie there: remove
# them where python/stcsim/training has changed) and writes configs/curves/study.csv, a line for each run and epoch; then
# configs/papers/trained.csv and gradients.csv, which `stcsim evidence papers` reads. SEEDS=n trains so many seeds. TASKS='text'
# trains that alone: lines of other tasks stay as they are shipped, and so does what they say they were made from.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
jobs=${1:-1}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

curves=configs/curves/study.csv
shipped=(images tokens text)
read -ra tasks <<<"${TASKS:-${shipped[*]}}"
named() { [[ " ${tasks[*]} " == *" $1 "* ]]; }
for task in "${tasks[@]}"; do
  [[ " ${shipped[*]} " == *" $task "* ]] || { echo "trainings.sh: TASKS has '$task', must be of ${shipped[*]}" >&2; exit 2; }
done

! named text || node scripts/text_task.mjs out/study/text_task
for task in "${tasks[@]}"; do
  build/stcsim train "train_$task" ${SEEDS:+--seeds "$SEEDS"} --jobs "$jobs" --resume --out "out/study/$task"
done

# lines TASK: of the table, those of a task: of the runs that lie there, or as they are shipped.
lines() {
  local run scheme seed
  named "$1" || { grep "^$1," "$curves"; return; }
  for run in out/study/"$1"/*/seed*.csv; do
    scheme=$(basename "$(dirname "$run")")
    seed=${run##*/seed}
    cut -d, -f1-6 "$run" | sed "1d; s/^/$1,$scheme,${seed%.csv},/"
  done
}

{
  grep '^# made from' "$curves" || true
  cat <<'TEXT'
# Learning curves of small networks on small tasks, trained with every scheme: a line for each run and epoch.
# docs/accuracy.md says what was trained. Written by `make trainings`; scripts/unpack_curves.awk makes a file of each run.
task,scheme,seed,epoch,step,samples,train_loss,eval_loss,eval_accuracy
TEXT
  for task in "${shipped[@]}"; do lines "$task"; done
} >"$scratch/study.csv"

mv "$scratch/study.csv" "$curves"
echo "wrote $curves"
scripts/trained.sh
! named images && ! named tokens || scripts/gradients.sh
