#!/usr/bin/env bash
# mutants.sh [NAME...]: breaks the program on purpose, one patch of tests/mutants/ at a time, and says which test
# notices. Works in a scratch copy of the last commit. Fails if a patch no longer applies, no longer builds, or is
# noticed by none of the fast tests.
set -uo pipefail
cd "$(dirname "$0")/.."
root=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

git clone --quiet "$root" "$scratch/copy" && cd "$scratch/copy" || exit 1
scripts/configure.sh release || exit 1
cmake -S . -B build -DSTCSIM_BUILD_BENCH=OFF -DSTCSIM_BUILD_HEAVY_TESTS=OFF >/dev/null || exit 1
cmake --build build >/dev/null || exit 1

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for patch in "$root"/tests/mutants/*.patch; do names+=("$(basename "$patch" .patch)"); done
fi
survivors=0
for name in "${names[@]}"; do
  patch=$root/tests/mutants/$name.patch
  if ! git apply "$patch"; then
    verdict='DOES NOT APPLY'
  elif ! cmake --build build >"$scratch/log" 2>&1; then
    verdict='DOES NOT BUILD'
  elif ctest --test-dir build -j "$(nproc)" --stop-on-failure >"$scratch/log" 2>&1; then
    verdict=SURVIVES
  else
    verdict=$(sed -n 's/^\s*[0-9]* - \(.*\) (.*)$/\1/p' "$scratch/log" | head -n 1)
  fi
  case "$verdict" in [A-Z]*' '* | SURVIVES) survivors=$((survivors + 1)) ;; esac
  printf '%-30s %s\n' "$name" "$verdict"
  git checkout --quiet -- .
done
[ "$survivors" -eq 0 ]
