#!/usr/bin/env bash
# spcompress.sh [JOBS]: writes results/spcompress.md: what training, inference and attention gain if a unit prunes on the fly.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# study NAME EXPERIMENT [OPTIONS]: the results of the experiment as JSON.
study() { build/stcsim run "$2" --format json --cache "$scratch/cache" --jobs "$jobs" "${@:3}" >"$scratch/$1.json" 2>/dev/null; }
jobs=${1:-1}
rubin() { echo "{extends: rubin, name: rubin_$1, accelerator: {sm: {epilogue: {compress_elements_per_clk: $2}}}}"; }
study networks on_the_fly --set "machines=[$(rubin lanes 0), $(rubin half 64), rubin, $(rubin double 256), a100, a100_spc]"
study nvfp4 nvfp4_training
study large nvfp4_training --set "networks=[{name: llama3_8b, batch: 8, accumulation: 16}, {name: gpt2_1558m, batch: 64, accumulation: 16}]"
study always nvfp4_training --set sparse_where=always
sed 's/machines: \[rubin\]/machines: [b200]/; s/"2:4"/"4:8 pairs"/' configs/experiments/nvfp4_training.yaml >"$scratch/blackwell.yaml"
study blackwell "$scratch/blackwell.yaml"
build/stcsim sweep run spcompress --results "$scratch/attention.sqlite" --jobs "$jobs" >/dev/null 2>&1
build/stcsim sweep export spcompress --results "$scratch/attention.sqlite" --format json >"$scratch/attention.json"

node scripts/spcompress.mjs "$scratch"/{networks,nvfp4,large,always,blackwell,attention}.json >results/spcompress.md.new
mv results/spcompress.md.new results/spcompress.md
echo "wrote results/spcompress.md"
