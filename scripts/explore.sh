#!/usr/bin/env bash
# explore.sh [JOBS]: simulates the spaces of configs/spaces/exploration_*.yaml, asks `stcsim design` what each pattern
# takes, halves and doubles every assumed number of the machine that comes out best, and writes
# results/exploration.md with its pictures; out/explore/exploration.html is the page of all points.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
jobs=${1:-1}
out=out/explore
# What a stcsim with other results has left there is of no use here.
if [ -e "$out/steps.sqlite" ] && ! problem=$(build/stcsim sweep status exploration_steps \
  --results "$out/steps.sqlite" 2>&1) && [[ $problem == *"of a stcsim with other results"* ]]; then
  rm -r "$out"
fi
mkdir -p "$out"

# simulate SPACE NAME: its points, into NAME.sqlite and NAME.json.
simulate() {
  build/stcsim sweep run "$1" --jobs "$jobs" --results "$out/$2.sqlite"
  build/stcsim sweep export "$1" --results "$out/$2.sqlite" --format json --output "$out/$2.json"
}

simulate exploration_steps steps
simulate exploration_gemms gemms
node scripts/exploration/plan.mjs designs "$out"
for space in "$out"/design_*.yaml; do
  build/stcsim design "$space" --at-least 90% --jobs "$jobs" --results "${space%.yaml}.sqlite" --format json \
    --output "${space%.yaml}.json" || [ $? -eq 1 ]  # 1: no machine of the space gets there
done
node scripts/exploration/plan.mjs recommended "$out"
simulate "$out/recommended.yaml" recommended
simulate "$out/built.yaml" built
simulate "$out/assumptions.yaml" assumptions
build/stcsim page "$out"/{steps,gemms,recommended,built}.json -o "$out/exploration.html"
node scripts/exploration/report.mjs "$out" build/page/packages results
echo "wrote results/exploration.md"
