#!/usr/bin/env bash
# check_documents.sh [FILE...]: names tables of Markdown that are garbled (tables.awk), in every document, and results
# that are typed by hand (typed_results.awk), in README.md and docs/; both in FILE, if any. Pages below reports/ are made
# by commands, figures and all. Fails if it names any.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -eq 0 ]; then
  tables=(./*.md docs/*.md reports/*.md reports/*/*.md)
  results=(README.md docs/*.md)
else
  tables=("$@") results=("$@")
fi
failed=0
awk -f scripts/tables.awk "${tables[@]}" || failed=1
awk -f scripts/typed_results.awk "${results[@]}" || failed=1
exit "$failed"
