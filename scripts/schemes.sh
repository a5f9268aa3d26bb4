#!/usr/bin/env bash
# schemes.sh [JOBS]: writes reports/schemes.md: every scheme on several machines and networks, from the files in
# configs/.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
jobs=${1:-1}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

{
  cat <<'TEXT'
# Schemes side by side

Made by `make schemes`: `stcsim run schemes --format markdown` and `stcsim run ideal --format markdown`.

Speedups are dense cycles / cycles on the same machine; dense runs in fp16 with its own best kernel. *GEMM
time saved* is the share of the dense GEMMs' time that the scheme saves, first as publications count it
(choosing, sampling and compressing cost nothing), then with the scheme's own kernels charged. *Step* is a
whole training step: GEMMs, normalisations, activations, optimizer and the scheme's own kernels; *pruning free*
leaves the latter out. *Published* is what the scheme's authors say, where they say it in figures; what was
measured is held against the simulation row by row in [validation.md](validation.md#networks).

- `a100` exists: 2:4 only. A scheme with another pattern runs dense there (see the notes).
- `a100_nm` is the same with operand selectors for all of SDGP's patterns, 1:4 to 16:32. How much of a pattern's
  factor is left is decided by shared memory, L2 and tiles, which are the A100's.
- `ideal` has every pattern, and nothing but the multipliers takes time: what counting multiplications
  promises. Where less than that is left on the other two, it is the machine's doing.

SDGP's estimate (the share of dgrad, and what 2:4 and 1:4 save of the convolutions' time) is that of `ideal`;
on a machine with the A100's memory dgrad is not shortened by the factor of its multiplications, and what
pruning the output gradients costs in kernels of its own (PyTorch's way, `pruning_kernels: separate`) takes
most of that on ResNet-18 and more than that on ResNet-50.

TEXT
  build/stcsim run schemes --format markdown --jobs "$jobs"
  echo
  build/stcsim run ideal --format markdown --jobs "$jobs"
} >"$scratch/schemes.md"

mv "$scratch/schemes.md" reports/schemes.md
echo "wrote reports/schemes.md"
