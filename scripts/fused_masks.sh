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

{
  cat <<'TEXT'
# Masks in the kernel before

Made by `make fused_masks`: `stcsim run fused_masks --format json`, the same with `--set scheme_work=false` (pruning is free), and with
`--set sparse_where=always` for the last two columns. Schemes that prune output gradients launch a kernel that reads what the one before
has just written. With `fused: true` in the scheme that one prunes and packs: it writes kept values and metadata beside the gradient, and
compares as often. Where no kernel of the layer writes its gradient (attention's, a product's), packing stays a launch of its own that
reads nothing: more than an epilogue takes. Choosing masks once in many steps, and sums over a tensor, stay kernels.

Gains are of a whole training step in fp16 over the dense one, each product sparse only where that is faster; *cost* is the share of the
dense step that pruning takes if every product that can runs sparse. Nobody has measured such fused kernels in a training: predicted.

TEXT
  node scripts/fused_masks.mjs "$scratch"/{faster,free,always}.json
  cat <<'TEXT'

## Attention with pruned scores

`stcsim sweep run dfss`: the epilogue of the scores' product prunes them (`configs/schemes/dfss.yaml`), forward in bf16. *Speedup* is over
attention whose scores are in memory (`attention_in_memory`), published as 1.27 to 1.89 on an A100 by Chen et al., and over
FlashAttention-2 (`pytorch_2_eager`), which has no scores in memory to save. `a100_nm` is hypothetical.

TEXT
  build/stcsim sweep run dfss --results "$scratch/dfss.sqlite" --jobs "${1:-1}" >/dev/null 2>&1
  build/stcsim sweep export dfss --results "$scratch/dfss.sqlite" | node scripts/fused_masks.mjs --attention
} >results/fused_masks.md.new
mv results/fused_masks.md.new results/fused_masks.md
echo "wrote results/fused_masks.md"
