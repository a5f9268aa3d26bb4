#!/usr/bin/env bash
# validation.sh [JOBS]: compares with published measurements and writes results/validation.md, its tables and pictures, and
# configs/validation/errors.csv, the errors that simulated times are taken to have.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
mkdir -p out
build/stcsim evidence rows --jobs "${1:-1}" --out results --format json >out/validation.json
node scripts/validation/pictures.mjs out/validation.json build/page/packages results
scripts/errors.sh
