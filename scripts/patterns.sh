#!/usr/bin/env bash
# patterns.sh [JOBS]: writes results/patterns.md: patterns (2N-2):2N on 2:4 hardware, held against measurements.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
{
  cat <<'TEXT'
# Patterns (2N-2):2N as windows of 2:4, held against measurements

Written by `make patterns`; rows of configs/validation/gemm_patterns.csv.

```text
TEXT
  COLUMNS=120 build/stcsim evidence rows configs/validation/gemm_patterns.csv --show cells --jobs "${1:-1}" | sed '/^next:/,$d'
  echo '```'
} >results/patterns.md.new
mv results/patterns.md.new results/patterns.md
