#!/usr/bin/env bash
# performance.sh: writes results/performance.md: what the simulator in build/ takes on this machine,
# and where the time goes (callgrind).
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
report=results/performance.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# profile NAME ARGUMENT...: the functions that take most of `stcsim gemm ARGUMENT...`.
profile() {
  local name=$1
  shift
  valgrind --quiet --tool=callgrind --callgrind-out-file="$scratch/$name" \
    build/stcsim gemm --arch a100 "$@" >/dev/null 2>"$scratch/$name.log" ||
    { cat "$scratch/$name.log" >&2; return 1; }
  printf '\n### `stcsim gemm --arch a100 %s`\n\n| self | function |\n|---:|---|\n' "$*"
  callgrind_annotate "$scratch/$name" | scripts/summarise_callgrind.awk
}

{
  echo '# What stcsim takes'
  echo
  echo "Made by \`make performance\`, $(date -u '+%B %Y'). Times are of that machine; events and cycles are the"
  echo 'same on every machine. An event is one activation of a module of the simulated machine.'
  echo
  build/bench/performance_report build/stcsim
  printf '\n## Where the time goes\n\nShares of instructions executed, by callgrind.\n'
  profile on --m 2048 --n 12544 --k 1024
  profile off --m 1024 --n 8192 --k 1024 --fast-forward off
} >"$scratch/report.md"
mv "$scratch/report.md" "$report"
echo "wrote $report"
