#!/usr/bin/env bash
# format.sh [--check]: formats every source in place; with --check only says what it would change,
# and fails if that is anything.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(-i)
[ "${1:-}" != --check ] || mode=(--dry-run -Werror)
find cli common curves pruning wasm workloads models sim reports tests -name '*.[ch]pp' -print0 | sort -z |
  xargs -0 clang-format "${mode[@]}"
