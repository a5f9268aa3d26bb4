#!/usr/bin/env bash
# atlas.sh [JOBS]: every network and scheme on every machine that exists, as the page out/atlas/atlas.html, and
# results/atlas.svg.
set -euo pipefail
cd "$(dirname "$0")/.."
node scripts/atlas/atlas.mjs build/stcsim out/atlas "${1:-1}"
build/stcsim page out/atlas/atlas.json -o out/atlas/atlas.html
cp out/atlas/atlas.svg results/atlas.svg
