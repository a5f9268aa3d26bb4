#!/usr/bin/env bash
# study.sh [JOBS]: writes results/study.md from the curves of `make trainings`, configs/curves/study.csv: final values, the
# orderings that publications claim beside what was measured, and time to accuracy with the steps of real networks;
# out/study/study.html is the page of it.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
jobs=${1:-1}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

mapfile -t tasks < <(awk -v to=out/study -f scripts/unpack_curves.awk configs/curves/study.csv)

# files TASK SCHEME: its curves, a line each.
files() { printf '%s\n' "out/study/$1/$2"/seed*.csv; }

# figure KEY FIELD: of the JSON of `stcsim tta --curves-only` on standard input, the number FIELD of the line KEY.
figure() { sed -n "s/^ *\"$1\": .*\"final\":{[^}]*\"$2\":\([-0-9.e]\+\|\[[^]]*\]\|true\|false\).*/\1/p"; }

# metric TASK, shown TASK VALUE: accuracies in percent, of text the loss.
metric() { [ "$1" = text ] && echo eval_loss || echo eval_accuracy; }
shown() { [ "$1" = text ] && printf '%.3f' "$2" || awk -v x="$2" 'BEGIN { printf "%.1f", 100 * x }'; }

# row TASK SCHEME: a line of the table of final values.
row() {
  local json runs mean interval
  mapfile -t runs < <(files "$1" "$2")
  json=$(build/stcsim tta --curves-only "${runs[@]}" --metric "$(metric "$1")" --format json)
  mean=$(figure figures mean <<<"$json")
  interval=$(figure figures interval <<<"$json" | tr -d '[]')
  [[ $interval != *,* ]] || interval="$(shown "$1" "${interval%,*}") to $(shown "$1" "${interval#*,}")"
  [[ $interval == *to* ]] || interval='one run'
  echo "| $2 | ${#runs[@]} | $(shown "$1" "$mean") | $interval |"
}

# claims TASK: the table of what publications claim, from what `stcsim tta` printed.
claims() { awk '/^###/ { on = $0 == "### What was claimed" } on && /^\|/' "out/study/$1.md"; }

# times TASK: the rest of it.
times() { awk '/^###/ || /^- / { on = $0 != "### What was claimed" } on' "out/study/$1.md" | sed 's/^###/####/'; }

for task in "${tasks[@]}"; do
  build/stcsim tta "tta_$task" --jobs "$jobs" --cache "$scratch/cache" --format markdown >"out/study/$task.md"
  build/stcsim tta "tta_$task" --jobs "$jobs" --cache "$scratch/cache" --format json >"out/study/$task.json"
done
documents=("${tasks[@]/#/out/study/}")
build/stcsim page "${documents[@]/%/.json}" -o out/study/study.html

# named PREFIX: experiments of the tasks, as a sentence has them.
named() { printf ", \`$1_%s\`" "${tasks[@]}" | sed 's/^, //; s/\(.*\), /\1 and /'; }

{
  cat <<TEXT
# Small networks trained with every scheme

Made by \`make study\` from the curves of \`make trainings\`: \`stcsim train\` of $(named train), then \`stcsim tta --curves-only\`.
[docs/accuracy.md](../docs/accuracy.md#training) describes tasks, networks and what was assumed. These are small networks on
little data: what they show of a scheme is a hint, not what a large network would do. Other hyperparameters than
dense training's were not looked for. Where tasks contradict each other or a publication, both are shown.

## Accuracy at the end

In % (of text the loss, lower is better), the mean over the seeds and its 95 % interval (bootstrap).
TEXT
  for task in "${tasks[@]}"; do
    printf '\n### %s\n\n| scheme | seeds | at the end | interval |\n|---|---:|---:|---|\n' "${task^}"
    for folder in out/study/$task/*/; do row $task "$(basename "$folder")"; done
  done
  cat <<'TEXT'

## Orderings that publications claim

The difference of the means of the final accuracies (1 is 100 %; of text of the losses), and the p-value of a permutation test of the runs, two-sided;
`least p` is the least that so many runs can give. *Cannot be told apart*: p is not below .05, which does not say that there is
no difference. p-values are not corrected for the number of comparisons, which is said below each task's times: one in
twenty comes below .05 by chance.
TEXT
  for task in "${tasks[@]}"; do
    printf '\n### %s\n\n' "${task^}: what was claimed"
    claims $task
  done
  cat <<TEXT

## Time to accuracy

These curves with the simulated steps of real networks: \`stcsim tta\` of $(named tta)
([docs/accuracy.md](../docs/accuracy.md#time-to-accuracy)). That the epochs carry over from one to the other is assumed.
\`make study\` also writes \`out/study/study.html\`, a page with curves, times with intervals and these tables.

TEXT
  for task in "${tasks[@]}"; do
    printf '### %s\n\n' "${task^}"
    times $task
    echo
  done
} >"$scratch/study.md"

mv "$scratch/study.md" results/study.md
echo "wrote results/study.md"
