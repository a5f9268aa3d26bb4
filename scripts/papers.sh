#!/usr/bin/env bash
# papers.sh [JOBS]: reproduces every paper of configs/papers into out/papers/ (JSON and Markdown, a page of most), and
# writes the Markdown to results/papers/.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
jobs=${1:-1}

build/stcsim evidence papers all claims --jobs "$jobs" --cache out/papers/cache --out out/papers
mkdir -p results/papers
cp out/papers/*.md results/papers/
echo "wrote results/papers"
