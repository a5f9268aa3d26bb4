#!/usr/bin/env bash
# mutants.sh [NAME|FOLDER/...]: breaks the program on purpose, one patch of tests/mutants/ at a time, those of these
# names and those that touch these folders, or all, and says which fast test notices first. Fails if a patch no longer
# applies, no longer builds, or is noticed by none of the fast tests. After all of them it builds the worked examples of
# CONTRIBUTING.md (docs/examples/*.patch), of which no test may fail.
# `mutants.sh --check` only tries whether every patch applies to the working tree.
#
# Works in build-mutants/, a copy of the last commit that is kept, so that little is compiled anew. Of every patch, the
# tests of the folders that it touches are built and run first, the other programs only if those notice nothing.
set -uo pipefail
cd "$(dirname "$0")/.."
root=$PWD
copy=$root/build-mutants

check_patches() {
  local failed=0 patch
  for patch in tests/mutants/*.patch; do
    if ! git apply --check "$patch"; then
      echo "$patch does not apply" >&2
      failed=1
    elif [[ $(head -n 1 "$patch") == diff* ]]; then
      echo "$patch: its first line has to say what it breaks" >&2
      failed=1
    fi
  done
  return "$failed"
}

prepare_copy() {
  [ -d "$copy/.git" ] || git clone --quiet --shared "$root" "$copy" || return 1
  cd "$copy" && git checkout --quiet --force --detach "$(git -C "$root" rev-parse HEAD)" && git clean --quiet -fd &&
    scripts/configure.sh release &&
    cmake -S . -B build -DSTCSIM_BUILD_BENCH=OFF -DSTCSIM_BUILD_HEAVY_TESTS=OFF >/dev/null
}

# Test programs; those named like a folder of the patch first, then those that look at what the folder is part of.
programs_for() {
  local folders program folder
  local all=(common io curves pruning workloads models functional sim config sweep design reports timing golden property cli python)
  ! command -v verilator >/dev/null || all+=(rtl)
  folders=$(sed -n 's|^[+][+][+] b/\(.*\)/[^/]*$|\1|p' "$1" | tr '/' '\n' | tac)
  {
    for folder in $folders; do
      for program in "${all[@]}"; do [ "$program" != "$folder" ] || echo "$program"; done
    done
    case "$folders" in *models*) printf '%s\n' timing property golden ;; esac
    printf '%s\n' "${all[@]}"
  } | awk '!seen[$0]++'
}

# Builds and runs the tests of one program; prints the first that fails. Returns 1 if one did, 2 if it does not build.
run_tests() {
  local program=$1
  [ "$program" != python ] || { run_python_tests; return; }
  cmake --build build --target "stcsim_test_$program" >build/log 2>&1 || return 2
  ! ctest --test-dir build -R "^$program\." -j "$(nproc)" --stop-on-failure --output-on-failure --no-tests=error >build/log 2>&1 || return 0
  # Of cases that share a process, the program says which; else ctest does.
  sed -n 's/^.*\[  FAILED  \] \([^ ,]*\).*/'"$program"'.\1/p; s/^[[:space:]]*[0-9]* - \([^ ]*\).*/\1/p' build/log | head -n 1
  return 1
}

# The same of the tests of the Python package, which ask the program.
run_python_tests() {
  cmake --build build --target stcsim >build/log 2>&1 || return 2
  ! STCSIM=$PWD/build/stcsim PYTHONPATH=python /usr/bin/python3 -B -m unittest discover --failfast -s python/tests >build/log 2>&1 || return 0
  sed -n 's/^\(FAIL\|ERROR\): \([^ ]*\).*/python.\2/p' build/log | head -n 1
  return 1
}

# Prints the first test that notices the patch, or why it counts as a survivor.
verdict_on() {
  local patch=$1 program first status
  git apply "$patch" 2>/dev/null || { echo 'DOES NOT APPLY' && return; }
  for program in $(programs_for "$patch"); do
    first=$(run_tests "$program")
    status=$?
    [ "$status" -ne 2 ] || { echo "DOES NOT BUILD: $(grep -m 1 'error' build/log)" && return; }
    [ "$status" -ne 1 ] || { echo "$first" && return; }
  done
  echo SURVIVES
}

if [ "${1:-}" = --check ]; then
  check_patches
  exit
fi
prepare_copy || exit 1
if ! { cmake --build build && ctest --test-dir build -j "$(nproc)"; } >build/log 2>&1; then
  echo 'the last commit does not pass its own tests; see build-mutants/build/log' >&2
  exit 1
fi

names=()
for asked in "$@"; do
  if [[ $asked == */ ]]; then
    for patch in $(grep -l "^[+][+][+] b/$asked" "$root"/tests/mutants/*.patch); do names+=("$(basename "$patch" .patch)"); done
  else
    names+=("$asked")
  fi
done
if [ $# -eq 0 ]; then
  for patch in "$root"/tests/mutants/*.patch; do names+=("$(basename "$patch" .patch)"); done
fi
survivors=0
for name in "${names[@]}"; do
  verdict=$(verdict_on "$root/tests/mutants/$name.patch")
  case "$verdict" in SURVIVES | DOES*) survivors=$((survivors + 1)) ;; esac
  printf '%-40s %s\n' "$name" "$verdict"
  git checkout --quiet --force -- .
done
echo "${#names[@]} mutants, $survivors not noticed"
[ $# -eq 0 ] || exit "$((survivors > 0))"

broken=0
for patch in "$root"/docs/examples/*.patch; do
  verdict=$(verdict_on "$patch")
  [ "$verdict" = SURVIVES ] && verdict='all tests pass' || broken=$((broken + 1))
  printf '%-40s %s\n' "$(basename "$patch")" "$verdict"
  git checkout --quiet --force -- . && git clean --quiet -fd -- models tests
done
[ "$survivors" -eq 0 ] && [ "$broken" -eq 0 ]
