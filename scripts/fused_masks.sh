#!/usr/bin/env bash
# fused_masks.sh [JOBS]: writes results/fused_masks.md: what schemes gain if the kernel before prunes gradients and packs them.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# study NAME [OPTIONS]: the results of the experiment as JSON.
study() { build/stcsim run fused_masks --format json --cache "$scratch/cache" "${@:2}" >"$scratch/$1.json" 2>/dev/null; }
study faster --jobs "${1:-1}"
study free --jobs "${1:-1}" --set scheme_work=false
study always --jobs "${1:-1}" --set sparse_where=always
build/stcsim sweep run dfss --results "$scratch/dfss.sqlite" --jobs "${1:-1}" >/dev/null 2>&1
build/stcsim sweep export dfss --results "$scratch/dfss.sqlite" --format json >"$scratch/attention.json"

{
  cat <<'TEXT'
# Masks in the kernel before

Made by `make fused_masks`: `stcsim run fused_masks --format json`, the same with `--set scheme_work=false` (pruning is free), and with
`--set sparse_where=always` for the last two columns. A scheme that prunes launches a kernel that reads what the one before has just
written. With `fused: true` that one prunes and packs: it writes kept values and metadata beside the tensor, and compares as often. Where
no kernel of the layer is known to write it (a product does, or attention), packing stays a launch that reads nothing: more than an
epilogue takes. Masks that are chosen once in many steps, decay, and sums over a tensor, stay kernels.

Gains are of a whole training step in fp16 over the dense one, each product sparse only where that is faster; *cost* is the share of the
dense step that pruning takes if every product that can runs sparse. Nobody has measured such fused kernels in a training: predicted.

TEXT
  node scripts/fused_masks.mjs "$scratch"/{faster,free,always,attention}.json
} >results/fused_masks.md.new
mv results/fused_masks.md.new results/fused_masks.md
echo "wrote results/fused_masks.md"
