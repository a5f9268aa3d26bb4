#!/usr/bin/env bash
# budget.sh: says how much C++ and how many words of documents there are, and fails where it is more than CONTRIBUTING.md allows.
set -euo pipefail
cd "$(dirname "$0")/.."
failed=0

# within WHAT COUNT EXPRESSION: the number that CONTRIBUTING.md has where the expression's dots are.
within() {
  local most
  most=$(tr '\n' ' ' <CONTRIBUTING.md | sed -n "s/.*$3.*/\1/p" | tr -d ,)
  echo "$1: $2 of $most"
  [ "$2" -le "$most" ] || failed=1
}

sources=$(git ls-files '*.cpp' '*.hpp' | grep -v '^tests/')
tests=$(git ls-files 'tests/*.cpp' 'tests/*.hpp')
within 'lines of C++ outside tests' "$(xargs cat <<<"$sources" | wc -l)" 'at most \([0-9,]*\) lines of C++ in'
within 'files of C++ outside tests' "$(wc -l <<<"$sources")" 'lines of C++ in \([0-9,]*\) files'
within 'lines of C++ in tests' "$(xargs cat <<<"$tests" | wc -l)" 'and \([0-9,]*\) lines below it'
within 'words of docs/*.md' "$(cat docs/*.md | wc -w)" 'at most \([0-9,]*\) words in'
within 'words of docs/reference/*.md' "$(cat docs/reference/*.md | wc -w)" 'words in [^ ]* and \([0-9,]*\) in'
exit "$failed"
