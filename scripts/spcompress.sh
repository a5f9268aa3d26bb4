#!/usr/bin/env bash
# spcompress.sh [JOBS]: writes results/spcompress.md: what attention gains if a unit prunes scores on the fly.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

build/stcsim sweep run spcompress --results "$scratch/attention.sqlite" --jobs "${1:-1}" >/dev/null 2>&1
build/stcsim sweep export spcompress --results "$scratch/attention.sqlite" --format json >"$scratch/attention.json"

{
  cat <<'TEXT'
# 2:4 on the fly: what would attention gain?

Made by `make spcompress`, of `stcsim sweep run spcompress`. NVIDIA states 50 PFLOPS of NVFP4 for Rubin, "with adaptive compression", beside 35
without. If they come from 2:4 that is made on the fly, scores of attention are where: Q Kᵀ is dense, what is kept of its result goes
through softmax, and the product with the values is sparse. No time of Rubin is public: all of it is predicted.

| what | where from |
|---|---|
| 35 and 50 PFLOPS NVFP4, 17.5 fp8, 224 SMs, 22 TB/s, 288 GB, 576 columns of tensor memory, twice the special functions | published, second-hand: [rubin.yaml](../configs/arch/rubin.yaml) |
| `tcgen05.ld.spcompress` compresses to 2:4 what is loaded from tensor memory | PTX 9.4, second-hand |
| that the 50 PFLOPS are this, and that it serves attention so | our reading |
| 4096 FMA/clk/SM of bf16, as the B200's: about the 4 PFLOPS of NVIDIA's sheet | second-hand, not checked again |
| 128 elements in a clk and SM for the unit; no limit of power; L2, latencies, 26 elements in a clk for the epilogue's warps | assumed |

TEXT
  node scripts/spcompress.mjs "$scratch/attention.json"
} >results/spcompress.md.new
mv results/spcompress.md.new results/spcompress.md
echo "wrote results/spcompress.md"
