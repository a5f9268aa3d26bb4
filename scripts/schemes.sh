#!/usr/bin/env bash
# schemes.sh [JOBS]: writes results/schemes.md: every scheme on several machines and networks, from the files in
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

Speedups are ratios of times on the same machine; both sides run in fp16 with one generation of libraries, chosen the
same way. *GEMM time saved* is the share of the dense GEMMs' time that the scheme saves, first as publications count it
(choosing, sampling and compressing cost nothing), then with the scheme's own kernels charged. *Step* is a
whole training step: GEMMs, normalisations, activations, optimizer and the scheme's own kernels; *step without pruning*
leaves the latter out. What the schemes' authors say in figures stands beside the simulation in [papers](papers), what
was measured on GPUs row by row in [validation.md](validation.md#networks).

- `a100` exists: 2:4 only. A scheme with another pattern runs dense there (see the notes).
- `a100_nm` is the same with operand selectors for all of SDGP's patterns, 1:4 to 16:32. How much of a pattern's
  factor is left is decided by shared memory, L2 and tiles, which are the A100's.
- `ideal` has every pattern, and nothing but the multipliers takes time: what counting multiplications
  promises. Where less than that is left on the other two, it is the machine's doing.

TEXT
  build/stcsim run schemes --format markdown --jobs "$jobs"
  echo
  build/stcsim run ideal --format markdown --jobs "$jobs"
} >"$scratch/schemes.md"

mv "$scratch/schemes.md" results/schemes.md
echo "wrote results/schemes.md"
