#!/usr/bin/env bash
# examples.sh: the worked examples of CONTRIBUTING.md (docs/examples/*.patch) apply, each without touching more files
# than such a change may. That they build and pass all tests is checked by `make mutants`.
set -euo pipefail
cd "$(dirname "$0")/.."
failed=0

# check NAME MOST
check() {
  local patch=docs/examples/$1.patch files
  git apply --check "$patch" || failed=1
  files=$(git apply --numstat "$patch" | wc -l)
  if [ "$files" -gt "$2" ]; then
    echo "$patch touches $files files, must be at most $2" >&2
    failed=1
  fi
}

check new_counter 4
check new_format 5
check new_operation 8
check new_option 3
check new_parameter 7
check new_selector 6
check new_unit 16
check new_work 8
exit "$failed"
