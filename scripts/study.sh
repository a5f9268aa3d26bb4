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

# row TASK SCHEME: a line of the table of final values. The last value of a run that ended early is the one before its numbers
# were no longer finite.
row() {
  local json runs mean interval ended
  mapfile -t runs < <(files "$1" "$2")
  json=$(build/stcsim tta --curves-only "${runs[@]}" --metric "$(metric "$1")" --format json)
  mean=$(figure figures mean <<<"$json")
  interval=$(figure figures interval <<<"$json" | tr -d '[]')
  [[ $interval != *,* ]] || interval="$(shown "$1" "${interval%,*}") to $(shown "$1" "${interval#*,}")"
  [[ $interval == *to* ]] || interval='one run'
  ended=$(cat "${runs[@]}" | grep -c nan || true)
  [ "$ended" = 0 ] || interval+="; $ended ended early"
  echo "| $2 | ${#runs[@]} | $(shown "$1" "$mean") | $interval |"
}

# claims TASK: the table of what publications claim, from what `stcsim tta` printed.
claims() { awk '/^###/ { on = $0 == "### What was claimed" } on && /^\|/' "out/study/$1.md"; }

# signs TASK: a line: how many differences have the sign that was published (better is higher, of text lower), how likely
# coins would have so many or more, and in how many p is below .05.
signs() {
  claims "$1" | awk -F ' *[|] *' -v task="${1^}" -v better="$([ "$1" = text ] && echo -1 || echo 1)" '
    NR > 2 {
      same = $5 * better > 0
      ++count[same]
      if ($8 == "they differ") ++sure[same]
    }
    END {
      n = count[0] + count[1]
      for (k = 0; k <= n; ++k) { ways = k ? ways * (n - k + 1) / k : 1; if (k >= count[1]) more += ways }
      printf "| %s | %d | %d | %.2g | %d | %d | %d |\n", task, n, count[1], more / 2 ^ n, sure[1], count[0], sure[0]
    }'
}

# times TASK: the rest of it.
times() { awk '/^###/ || /^- / { on = $0 != "### What was claimed" } on' "out/study/$1.md" | sed 's/^###/####/'; }

for task in "${tasks[@]}"; do
  # Notes name files of curves by their whole paths.
  build/stcsim tta "tta_$task" --jobs "$jobs" --cache "$scratch/cache" --format markdown | sed "s|$PWD/||g" >"out/study/$task.md"
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
dense training's were not looked for. Where tasks contradict each other or a publication, both are shown. Text is real, but of
one kind, in windows of 32 bytes, and partly recall: it cannot tell what large networks, long context or long trainings do.

## Accuracy at the end

In % (of text the loss of a byte in nats, lower is better), the mean over the seeds and its 95 % interval (bootstrap). A run whose
numbers are no longer finite has *ended early*: the last finite value counts, here and below, which is no result of a training.
TEXT
  for task in "${tasks[@]}"; do
    printf '\n### %s\n\n| scheme | seeds | at the end | interval |\n|---|---:|---:|---|\n' "${task^}"
    for folder in out/study/$task/*/; do row $task "$(basename "$folder")"; done
  done
  cat <<'TEXT'

## Orderings that publications claim

The difference of the means of the final accuracies (1 is 100 %; of text of the losses, so that below 0 is better), and the
p-value of a permutation test of the runs, two-sided; `least p` is the least that so many runs can give. *Cannot be told
apart*: p is not below .05, which does not say that there is no difference. p-values are not corrected for the number of
comparisons, which is said below each task's times: one in twenty comes below .05 by chance.

How many differences have the published sign, and how likely coins would give so many or more. Claims share runs and are no
independent coins: that chance is a hint.

| task | claims | sign as published | chance of coins | of these p < .05 | other sign | of these p < .05 |
|---|---:|---:|---:|---:|---:|---:|
TEXT
  for task in "${tasks[@]}"; do signs "$task"; done
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
