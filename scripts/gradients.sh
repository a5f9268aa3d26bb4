#!/usr/bin/env bash
# gradients.sh [DIR]: writes configs/papers/gradients.csv: what estimators make of real gradients. Trains the small networks
# of train_images and train_tokens densely with one seed (into DIR, default out/gradients) and prunes the gradients of their
# layers' outputs in the last step: along the tokens or pixels, as wgrad reduces over them, and along the channels, as dgrad does.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
out=${1:-out/gradients}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
draws=64

# line NAME: of the CSV of `stcsim prune` on standard input, what follows NAME in a line of the file. The mean of x^2 is
# what the variance of the mean of the draws is, times the draws, over the relative variance.
line() {
  awk -F, -v name="$1" '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["l2_retained"] == "" { next }  # all zeros
    {
      variance = $at["estimator.relative_variance"]
      bias = 1 - $at["l2_retained"] ^ 2
      if (variance > 0) {
        noise = $at["estimator.unbiased_rms"] ^ 2
        bias = ($at["estimator.bias_rms"] ^ 2 - noise) * variance / (noise * $at["estimator.draws"])
        if (bias < 0) bias = 0
      }
      printf "%s,1,%d,%.5f,%.5f,%.5f,%.5f,%.5f\n", name, $at["elements"], $at["input_fit.zeros"], $at["l1_retained"], bias,
             variance, bias + variance
    }'
}

for task in images tokens; do
  build/stcsim train "train_$task" --schemes dense --seeds 1 --save-gradients --out "$out/$task"
done

{
  cat <<'TEXT'
# What estimators make of the gradients of layers' outputs, dL/dY, in the last step of our own small dense trainings:
# share of zeros, share of the magnitudes that one estimate has, bias (of the mean of the estimates), variance and mean square
# error, each over the squared norm of the gradient. wgrad groups along tokens or pixels, dgrad along channels. docs/accuracy.md
# says what was trained. Written by `make trainings` (scripts/gradients.sh).
task,layer,phase,method,pattern,seeds,elements,zeros,retained,bias,variance,mean_square_error
TEXT
  for task in images tokens; do
    for gradient in "$out/$task"/dense/seed1/gradients/*.npy; do
      layer=$(basename "$gradient" .npy)
      for estimator in "mvue 1:2" "mvue 2:4" "mvue-pairs 2:4" "mvue-approximate 2:4" "magnitude 1:2" "magnitude 2:4" \
        "random 1:2" "random 2:4"; do
        read -r method pattern <<<"$estimator"
        drawn=(--draws "$draws")
        [[ $method == magnitude ]] && drawn=()
        for phase in "wgrad 0" "dgrad 1"; do
          read -r product axis <<<"$phase"
          build/stcsim prune --scheme "$method" --pattern "$pattern" --input "$gradient" --axis "$axis" "${drawn[@]}" \
            --format csv | line "$task,$layer,$product,$method,$pattern"
        done
      done
    done
  done
} >"$scratch/gradients.csv"

mv "$scratch/gradients.csv" configs/papers/gradients.csv
echo "wrote configs/papers/gradients.csv"
