#!/usr/bin/env bash
# backtest.sh [JOBS]: writes results/backtest.md and backtest_rows.csv, how far off the program is for a machine that nobody has
# measured yet, and configs/validation/backtest_errors.csv, the errors that such machines are taken to have.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs STCSIM=$PWD/build/stcsim
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
PYTHONPATH=python python3 -B -m stcsim.evidence.backtest "${1:-1}" >"$scratch/backtest.json"
node scripts/backtest.mjs "$scratch/backtest.json"
echo "wrote results/backtest.md"
