#!/usr/bin/env bash
# browser_runs.sh [RUNS]: the test of the page in a browser, RUNS (8) times in a row beside two busy loops; says what each run
# takes. All must pass. Needs build/stcsim, the page's packages and a Chromium (`make build`, scripts/install-deps.sh browser).
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-8}
export STCSIM_CONFIG_DIR=$PWD/configs
loops=()
trap 'kill "${loops[@]}"' EXIT
for loop in 1 2; do
  while :; do :; done &
  loops+=($!)
done
for run in $(seq "$runs"); do
  begun=$(date +%s%N)
  node tests/page/browser.mjs "$PWD/build/stcsim" "$PWD/build/page/packages" || { echo "run $run of $runs failed" >&2; exit 1; }
  awk -v run="$run" -v ns="$(($(date +%s%N) - begun))" 'BEGIN { printf "run %d passed in %.1f s\n", run, ns / 1e9 }'
done
