#!/usr/bin/env bash
# docs.sh [--check]: writes what commands print into README.md, docs/*.md and docs/reference/*.md. A block begins with a comment that holds
# the command, on one line or several, and ends with `<!-- end -->`:
#
#     <!-- $ stcsim gemm --arch a100 --m 1024 --n 8192 --k 1024 | head -n 4 -->
#     ...
#     <!-- end -->
#
# The command is run by bash in the root of the repository with build/stcsim. Tables of Markdown stand as they are,
# everything else as a block of text, with the command above it (without what follows ` | `) if that begins with `$ `.
# With --check, nothing is written, and what differs is named. Needs build/stcsim.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs PATH=$PWD/build:$PATH LC_ALL=C
unset COLUMNS
check=${1:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
differences=0
if [ -n "$check" ]; then word=differs; else word=new; fi
[ -x build/stcsim ] || { echo "docs.sh: build/stcsim is missing (make build)" >&2; exit 1; }

# block FILE COMMAND: what stands between the comments.
block() {
  local command=$2 output
  output=$(bash -euo pipefail -c "${command#\$ }" </dev/null 2>"$scratch/errors") || {
    printf '%s: failed: %s\n%s\n' "$1" "$command" "$(<"$scratch/errors")" >&2
    return 1
  }
  if [[ $output == '|'* ]]; then
    printf '\n%s\n\n' "$output"
  else
    printf '```text\n'
    if [[ $command == '$ '* ]]; then printf '%s\n' "${command%% | *}"; fi
    printf '%s\n```\n' "$output"
  fi
}

# rewrite FILE: FILE with new blocks into $scratch/file; names blocks that differ if only checking.
rewrite() {
  local line command
  while IFS= read -r line; do
    printf '%s\n' "$line" >&3
    [[ $line == '<!--'* ]] || continue
    command=$line
    while [[ $command != *'-->' ]]; do
      IFS= read -r line || { echo "$1: a comment does not end: $command" >&2; return 1; }
      printf '%s\n' "$line" >&3
      command+=$'\n'$line
    done
    command=${command#'<!--'} command=${command%'-->'}
    command=${command#[[:space:]]} command=${command%[[:space:]]}
    : >"$scratch/old"
    while IFS= read -r line && [[ $line != '<!-- end -->' ]]; do printf '%s\n' "$line" >>"$scratch/old"; done
    [[ $line == '<!-- end -->' ]] || { echo "$1: no <!-- end --> after: $command" >&2; return 1; }
    block "$1" "$command" >"$scratch/new"
    if ! diff -u --label "$1" --label "now" "$scratch/old" "$scratch/new" >"$scratch/diff"; then
      differences=$((differences + 1))
      printf '%s: %s: %s\n' "$1" "$word" "${command%%$'\n'*}"
      if [ -n "$check" ]; then cat "$scratch/diff"; fi
    fi
    cat "$scratch/new" >&3
    printf '%s\n' "$line" >&3
  done <"$1" 3>"$scratch/file"
}

for file in README.md docs/*.md docs/reference/*.md; do
  rewrite "$file"
  if [ -z "$check" ] && ! cmp -s "$file" "$scratch/file"; then cat "$scratch/file" >"$file"; fi
done
if [ -n "$check" ] && [ "$differences" -ne 0 ]; then
  echo "docs.sh: $differences blocks are not what the program prints; make docs writes them anew" >&2
  exit 1
fi
