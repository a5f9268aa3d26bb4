#!/usr/bin/env bash
# check_documents.sh [FILE...]: names tables of Markdown that are garbled (tables.awk) and links that lead nowhere
# (links.awk), in every document, and results that are typed by hand (typed_results.awk), in README.md and docs/; all in
# FILE, if any. Pages below results/ are made by commands, figures and all. Also says if README.md is no first page any more. Fails if it names any.
set -euo pipefail
cd "$(dirname "$0")/.."
failed=0
if [ $# -gt 0 ]; then
  tables=("$@") results=("$@")
else
  tables=(./*.md docs/*.md docs/reference/*.md results/*.md results/*/*.md)
  results=(README.md docs/*.md docs/reference/*.md)
  if [ "$(wc -l <README.md)" -gt 170 ]; then
    echo "README.md has more than 170 lines: what is not for the first page belongs in docs/"
    failed=1
  fi
fi
awk -f scripts/tables.awk "${tables[@]}" || failed=1
awk -f scripts/links.awk "${tables[@]}" || failed=1
awk -f scripts/typed_results.awk "${results[@]}" || failed=1
exit "$failed"
