#!/usr/bin/env bash
# study.sh [JOBS]: trains all schemes on both generated tasks into out/study/ and writes reports/study.md: final values,
# the orderings that publications claim beside what was measured, and time to accuracy with the steps of real networks.
# SEEDS=n trains so many seeds.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
jobs=${1:-1}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
metric=eval_accuracy

for task in images tokens; do
  build/stcsim train "train_$task" ${SEEDS:+--seeds "$SEEDS"} --jobs "$jobs" --out "out/study/$task"
done

# files TASK SCHEME: its curves, a line each.
files() { printf '%s\n' "out/study/$1/$2"/seed*.csv; }

# figure KEY FIELD: of the JSON of `stcsim curves` on standard input, the number FIELD of the line KEY.
figure() { sed -n "s/^ *\"$1\": .*\"final\":{[^}]*\"$2\":\([-0-9.e]\+\|\[[^]]*\]\|true\|false\).*/\1/p"; }

percent() { awk -v x="$1" -v form="${2:-%.1f}" 'BEGIN { printf form, 100 * x }'; }

# row TASK SCHEME: a line of the table of final values.
row() {
  local json runs mean interval
  mapfile -t runs < <(files "$1" "$2")
  json=$(build/stcsim curves "${runs[@]}" --metric $metric --format json)
  mean=$(figure figures mean <<<"$json")
  interval=$(figure figures interval <<<"$json" | tr -d '[]' | awk -F, 'NF == 2 { printf "%.1f to %.1f", 100 * $1, 100 * $2 }')
  echo "| $2 | ${#runs[@]} | $(percent "$mean") | ${interval:-one run} |"
}

# ordering TASK LOWER HIGHER CLAIM: a line of the table of orderings.
ordering() {
  local json lower higher against=() file difference p verdict
  mapfile -t lower < <(files "$1" "$2")
  mapfile -t higher < <(files "$1" "$3")
  for file in "${higher[@]}"; do against+=(--against "$file"); done
  json=$(build/stcsim curves "${lower[@]}" "${against[@]}" --metric $metric --format json)
  difference=$(figure difference mean <<<"$json")
  p=$(figure difference p_value <<<"$json")
  verdict="not distinguishable"
  if [ "$(figure difference differ <<<"$json")" = true ]; then
    verdict=$(awk -v d="$difference" 'BEGIN { print d > 0 ? "higher" : "lower" }')
  fi
  echo "| $4 | $1 | $3 less $2 | $(percent "$difference" %+.1f) | $(awk -v p="$p" 'BEGIN { printf "%.3f", p }') | $verdict |"
  comparisons=$((comparisons + 1))
}

comparisons=0
orderings() {
  local task
  for task in images tokens; do
    ordering $task sdgp-random sdgp-magnitude "SDGP: magnitude is better than random (McDanel et al.)"
    ordering $task sdgp-magnitude sdgp "SDGP: rescaling is no worse than magnitude (McDanel et al.)"
    ordering $task sdgp-1:8 sdgp-2:8 "SDGP: half the ratio is better"
    ordering $task sdgp-4:8 sdgp-16:32 "SDGP: larger groups at one ratio are no worse (McDanel et al.)"
    ordering $task magnitude-1-2 mvue-1-2 "wgrad 1:2: unbiased is better than biased (Chmiel et al.)"
    ordering $task magnitude-2-4 mvue-2-4 "wgrad 2:4: unbiased is better than biased (Chmiel et al.)"
    ordering $task mvue-1-2 mvue-2-4 "MVUE: 2:4 is no worse than 1:2 (Chmiel et al.)"
    ordering $task transposable-2-4 transposable "transposable: 4:8 is no worse than 2:4 (Hubara et al.)"
    ordering $task sr-ste s-ste "S-STE is no worse than SR-STE (Hu et al.)"
    ordering $task s-ste-unscaled s-ste "S-STE: its scale is no worse than none (Hu et al.)"
    ordering $task sr-ste step "STEP is no worse than SR-STE (Lu et al.)"
  done
}

{
  cat <<'TEXT'
# Small networks trained with every scheme

Made by `make study`: `stcsim train train_images` and `stcsim train train_tokens`, then `stcsim curves`.
[docs/training.md](../docs/training.md) describes tasks, networks and what was assumed. These are small networks on
generated tasks: what they show of a scheme is a hint, not what a large network would do. Other hyperparameters than
dense training's were not looked for.

## Accuracy at the end

In %, the mean over the seeds and its 95 % interval (bootstrap).
TEXT
  for task in images tokens; do
    printf '\n### %s\n\n| scheme | seeds | accuracy | interval |\n|---|---:|---:|---|\n' "${task^}"
    for folder in out/study/$task/*/; do row $task "$(basename "$folder")"; done
  done
  cat <<'TEXT'

## Orderings that publications claim

The difference of the means in points, and the p-value of a permutation test of the runs, two-sided. *Not distinguishable*:
p is not below .05, which does not say that there is no difference. On images `step` is trained with AdamW and `sr-ste` with
SGD: what differs there may be the optimizer.

| claim | task | compared | difference | p | the second is |
|---|---|---|---:|---:|---|
TEXT
  orderings
  cat <<TEXT

$comparisons comparisons; p-values are not corrected for their number. If no scheme differed from another, about one in twenty would
come below .05 by chance.

## Time to accuracy

These curves with the simulated steps of real networks: \`stcsim tta tta_images\` and \`stcsim tta tta_tokens\`
([docs/tta.md](../docs/tta.md#time-to-accuracy)). That the epochs carry over from one to the other is assumed.

TEXT
  for task in images tokens; do
    printf '### %s\n\n' "${task^}"
    build/stcsim tta "tta_$task" --jobs "$jobs" --format markdown | sed 's/^###/####/'
    echo
  done
} >"$scratch/study.md"

mv "$scratch/study.md" reports/study.md
echo "wrote reports/study.md"
