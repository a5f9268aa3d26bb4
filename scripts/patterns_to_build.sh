#!/usr/bin/env bash
# patterns_to_build.sh [JOBS]: simulates GEMMs and training steps under seven patterns, each on an A100 with the selector and
# the ways of B that it needs, and writes results/patterns_to_build.md: one table, and one recommendation.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
jobs=${1:-1}
out=out/patterns_to_build
mkdir -p "$out"
rm -f "$out"/*.sqlite

report() { node scripts/exploration/patterns_to_build.mjs "$1" "$out" results/patterns_to_build.md; }

simulate() {  # NAME: of a space
  build/stcsim sweep run "$out/$1.yaml" --jobs "$jobs" --results "$out/$1.sqlite"
  build/stcsim sweep export "$out/$1.yaml" --results "$out/$1.sqlite" --format json --output "$out/$1.json"
}

report spaces
for machine in "$out"/machine_*.yaml; do
  build/stcsim list machine "$machine" --format json > "${machine%.yaml}.json"
done
simulate steps
simulate gemms
report stages
simulate stages
report page
echo "wrote results/patterns_to_build.md"
