#!/usr/bin/env bash
# blackwell.sh [JOBS]: writes results/blackwell.md: what fp8 with 2:4 weights gains on a B200, step and products, with
# intervals and what is assumed.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT

# product NAME M N K: one line of the table of products.
product() {
  build/stcsim gemm --arch b200 --dtype fp8_e4m3 --sparsity 2:4 --stack cuda12_search --m "$2" --n "$3" --k "$4" --format json |
    node -e '
      const d = JSON.parse(require("fs").readFileSync(0, "utf8"));
      const us = (value) => `${Math.round(value)} us`;
      const [low, high] = [d.speedup_interval?.low, d.speedup_interval?.high].map((one) => (one ? `${one.toFixed(2)}x` : "?"));
      console.log(`| ${process.argv[1]} | ${us(d.dense.time_us)} | ${us(d.time_us)} | ${d.speedup.toFixed(2)}x | ${low} to ${high} | ${(d.bound_by ?? "").replaceAll("_", " ")} |`);
    ' "$1, $2×$3×$4"
}

{
  cat <<'TEXT'
# Sparse fp8 on a B200

Made by `make blackwell`. Predicted: no training with sparse fp8 weights on Blackwell has been published. What it rests on is measured:
`tcgen05`'s intervals, and dense and 2:4 products of a B200 in fp8 ([validation](validation.md)). Both sides of each speedup are fp8.

What is assumed: `tcgen05.mma.sp` takes 2:4 metadata from tensor memory at the pace of its operands (no interval of it is published); the board
draws what its 1000 W allow, with an H100's energy for a multiply-accumulate scaled to its process; a scheme's own kernels run in 16 bits and cast
on the way; and 4-bit types are left out: pair-wise 4:8 needs rates of `mxf4` that nobody has measured with sparsity.

## Products

| forward product of 8192 tokens | dense | 2:4 | gain | likely | limited by |
|---|---:|---:|---:|---|---|
TEXT
  product 'LLaMA-3-8B, w1' 14336 8192 4096
  product 'LLaMA-3-8B, w2' 4096 8192 14336
  product 'LLaMA-3-8B, q' 4096 8192 4096
  product 'GPT-2 1.5B, c_fc' 6400 8192 1600
  product 'GPT-2 1.5B, c_proj' 1600 8192 6400
  echo
  build/stcsim run blackwell --format markdown --jobs "${1:-1}"
} >"$scratch"

mv "$scratch" results/blackwell.md
chmod 644 results/blackwell.md
echo "wrote results/blackwell.md"
