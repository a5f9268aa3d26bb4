#!/usr/bin/env bash
# outputs.sh [JOBS]: writes results/outputs.md: what hardware that computes only wanted gradients of weights gains.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

build/stcsim run outputs --jobs "${1:-1}" --format json >"$scratch/steps.json" 2>/dev/null
build/stcsim sweep run outputs --results "$scratch/gemms.sqlite" --jobs "${1:-1}" >/dev/null 2>&1
build/stcsim sweep export outputs --results "$scratch/gemms.sqlite" --format json >"$scratch/gemms.json"

{
  cat <<'TEXT'
# Products that compute only what is wanted

Made by `make outputs`: `stcsim run outputs` and `stcsim sweep run outputs`, each as JSON. A fixed mask of weights says which of their
gradients are wanted: n of m in each row of what wgrad computes. No hardware leaves out the others. The machine `a100_outputs` is an
A100 whose tensor cores do: [docs/machine.md](../docs/machine.md) says what they read, select, hold and write. Nobody has built or
measured one: predicted.

TEXT
  node scripts/outputs.mjs "$scratch"/{steps,gemms}.json
} >results/outputs.md.new
mv results/outputs.md.new results/outputs.md
echo "wrote results/outputs.md"
