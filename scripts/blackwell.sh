#!/usr/bin/env bash
# blackwell.sh [JOBS]: writes results/blackwell.md: what fp8 and nvfp4 with sparse weights gain on a B200, step and products,
# with intervals and what is assumed.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT

# product DTYPE PATTERN NAME M N K: one line of the table of products.
product() {
  build/stcsim gemm --arch b200 --dtype "$1" --sparsity "$2" --stack cuda12_search --m "$4" --n "$5" --k "$6" --format json |
    node -e '
      const d = JSON.parse(require("fs").readFileSync(0, "utf8"));
      const us = (value) => `${Math.round(value)} us`;
      const [low, high] = [d.speedup_interval?.low, d.speedup_interval?.high].map((one) => (one ? `${one.toFixed(2)}x` : "?"));
      console.log(`| ${process.argv[1]} | ${us(d.dense.time_us)} | ${us(d.time_us)} | ${d.speedup.toFixed(2)}x | ${low} to ${high} | ${(d.bound_by ?? "").replaceAll("_", " ")} |`);
    ' "$3, $4×$5×$6"
}

# products DTYPE PATTERN: the table.
products() {
  echo "| forward product of 8192 tokens, $1 | dense | $2 | gain | likely | limited by |"
  echo '|---|---:|---:|---:|---|---|'
  product "$1" "$2" 'LLaMA-3-8B, w1' 14336 8192 4096
  product "$1" "$2" 'LLaMA-3-8B, w2' 4096 8192 14336
  product "$1" "$2" 'LLaMA-3-8B, q' 4096 8192 4096
  product "$1" "$2" 'GPT-2 1.5B, c_fc' 6400 8192 1600
  product "$1" "$2" 'GPT-2 1.5B, c_proj' 1600 8192 6400
  echo
}

{
  cat <<'TEXT'
# Sparse fp8 and fp4 on a B200

Made by `make blackwell`. Predicted: no training with sparse fp8 or fp4 weights on Blackwell has been published. What it rests on is measured:
`tcgen05`'s intervals, dense and 2:4 products of a B200 in fp8, and products of `nvfp4` with pair-wise 4:8, of which nothing was set
([validation](validation.md)). Both sides of each speedup are of the same type.

What is assumed: `tcgen05.mma.sp` takes metadata from tensor memory at the pace of its operands (no interval of it is published); the board
draws what its 1000 W allow, with an H100's energy for a multiply-accumulate scaled to its process, and one of `nvfp4` has to one of fp8 what fp8
has to bf16; scales of blocks take their room and their bytes, and no time of their own on the way to tensor memory; operands of both sides are
written in their type by the kernels before, as if quantising cost nothing more; a scheme's own kernels run in 16 bits and cast on the way; and
every product is in fp4, where recipes leave some layers in 16 bits.

## Products

TEXT
  products fp8_e4m3 2:4
  products nvfp4 '4:8 pairs'
  build/stcsim run blackwell --format markdown --jobs "${1:-1}"
  echo
  echo '# The same in nvfp4'
  echo
  echo 'Pairs are kept or dropped together; schemes whose masks hold for both orientations have none of pairs.'
  echo
  build/stcsim run blackwell --set dtype=nvfp4 \
    --set 'schemes=[dense, {name: slope, pattern: "4:8 pairs"}, {name: sr-ste, pattern: "4:8 pairs"}]' \
    --format markdown --jobs "${1:-1}"
} >"$scratch"

mv "$scratch" results/blackwell.md
chmod 644 results/blackwell.md
echo "wrote results/blackwell.md"
