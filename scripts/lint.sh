#!/usr/bin/env bash
# lint.sh [JOBS]: clang-format on every source, clang-tidy (.clang-tidy) on every source outside tests/; whether README.md
# and docs/ say what the program prints, type no results by hand, and have no garbled tables and no dead links; in a git
# checkout, whether the patches that `make mutants` goes through still apply. Needs build/ configured, and build/stcsim.
# Reports everything it finds, then fails if it found something.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
failed=0

echo "clang-format: all sources"
scripts/format.sh --check || failed=1

echo "documentation: tables, links, and results typed by hand"
scripts/check_documents.sh || failed=1

echo "one of each: jobs, quantities, verdicts"
scripts/one_of_each.sh || failed=1

echo "sentences: of what the last commit touches"
python3 scripts/sentences.py || failed=1

echo "budget: lines and files of C++"
scripts/budget.sh || failed=1

# Those take hours to make: `make pages` does, `make release-check` insists.
echo "pages: which are stale"
node scripts/pages.mjs stale || echo "(no failure: make pages makes them anew)"

# One command after the other, so beside what follows.
documentation=$(mktemp)
trap 'rm -f "$documentation"' EXIT
scripts/docs.sh --check >"$documentation" 2>&1 &
documenting=$!

echo "machine files: what siblings say of one library"
awk -f scripts/siblings.awk configs/arch/*.yaml configs/libraries/*.yaml || failed=1

if git rev-parse --git-dir >/dev/null 2>&1; then
  echo "patches: mutants and worked examples"
  scripts/mutants.sh --check || failed=1
  scripts/examples.sh || failed=1
fi

# What the build compiles: most sources two dozen at a time, so that their headers are read once; of a line below, all its
# targets together, none of which has a name that another has.
echo "clang-tidy: all sources outside tests/"
mapfile -t sources < <(sed -n 's/^  "file": "\(.*\)",\?$/\1/p' build/compile_commands.json | grep "^$PWD/" |
  grep -v "^$PWD/\(build/\)\?tests/" | sort -u)
rm -rf build/lint
mkdir build/lint
while read -r name targets; do
  mapfile -t together < <(printf '%s\n' "${sources[@]}" | grep -E "/stcsim_($targets)\.dir/")
  mapfile -t sources < <(printf '%s\n' "${sources[@]}" | grep -vE "/stcsim_($targets)\.dir/")
  sources+=("$PWD/build/lint/$name.cxx")
  printf '#include "%s"\n' "${together[@]}" >"build/lint/$name.cxx"
done <<'TARGETS'
models   models|bounds|cores|functional
kernels  kernel|sweep
sim      cost|design|explain|job|parallel|study|config|functional_check
papers   design_reports|evidence|papers|tta
TARGETS
printf '%s\0' "${sources[@]}" | xargs -0 --max-args=1 --max-procs="$jobs" \
  clang-tidy -p build --quiet --extra-arg=-Wno-unknown-warning-option --extra-arg="-I$PWD" --extra-arg=-std=c++20 \
  2> >(grep -vE '^[0-9]+ warnings?( and [0-9]+ errors?)? generated\.$' >&2) || failed=1

echo "documentation: what commands print"
wait "$documenting" || failed=1
cat "$documentation"

if [ "$failed" -ne 0 ]; then
  echo "lint: failed" >&2
  exit 1
fi
echo "lint: clean"
