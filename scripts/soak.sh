#!/usr/bin/env bash
# soak.sh [CASES] [SEED] [JOBS]: what takes hours. Fast-forward on against off on many random cases (20,000 unless
# told otherwise); in proportion, random GEMMs that no port may carry too fast, GEMMs that more hardware may not make
# slower, any values of any numbers of machine files, and five times as many mutated files of learning curves; then every
# number of every shipped machine in all launches, the shipped experiments with all of their batches, sweeps that are
# killed a hundred times, the site with all machines, the archive and the wheel on three releases of Debian, the program as
# WebAssembly beside the native one, and the tests of the program under the sanitizers. Prints the seed of every batch that
# fails; that batch is repeated by
#   STCSIM_SEED=SEED build/tests/stcsim_test_property_heavy --gtest_filter=FILTER
set -euo pipefail
cd "$(dirname "$0")/.."
cases=${1:-20000}
seed=${2:-1}
jobs=${3:-$(nproc)}
export STCSIM_CONFIG_DIR=$PWD/configs
failed=0

# run_test PROGRAM FILTER: silent if all is well.
run_test() {
  local output
  if ! output=$("$1" --gtest_filter="$2" --gtest_brief=1 2>&1); then
    printf '%s %s failed, seed %s\n%s\n' "$1" "$2" "${STCSIM_SEED:-of its own}" "$output"
    return 1
  fi
}
run_batch() { STCSIM_SEED=$3 run_test "$1" "$2"; }
export -f run_test run_batch

# soak NAME FILTER CASES STEP [PROGRAM]: batches of a program, of the heavy property tests as a rule, each with its seed.
soak() {
  local name=$1 filter=$2 count=$3 step=$4 program=${5:-build/tests/stcsim_test_property_heavy}
  echo "$name: $count cases from seed $seed on"
  seq "$seed" "$step" $((seed + count - 1)) |
    xargs --max-args=1 --max-procs="$jobs" bash -c 'run_batch "$@" || exit 1' _ \
      "$program" "$filter" || failed=1
}

# soak_all PROGRAM: all tests of a program, each in a process of its own.
soak_all() {
  echo "$1"
  "$1" --gtest_list_tests | awk '/^[^ ]/ { suite = $1 } /^ / { print suite $1 }' |
    xargs --max-args=1 --max-procs="$jobs" bash -c 'run_test "$@" || exit 1' _ "$1" || failed=1
}

soak 'fast-forward on and off' '*FastForward*/0' "$cases" 50
soak 'ports and multipliers' '*PhysicsTest*/0' $((cases / 4)) 300
soak 'more hardware' '*/HardwareTest.*/0' $((cases / 4)) 250
soak 'more hardware, ranked' '*/HardwareRanking.*/0' $((cases / 4)) 250
soak 'least times' '*/LeastCycles.*/0' "$cases" 100
soak 'choice of kernels' '*KernelRegret*:RasterGroup*' $((cases / 1000)) 1
soak 'values of machine files' '*AnyValueTest*/0' $((cases / 2)) 100
soak 'mutated files of curves, of each format' '*MutatedCurves*' $((cases * 5)) 2000 build/tests/unit/stcsim_test_curves
soak 'stages by messages and in closed form' '*RigidStages*/0' $((cases / 10)) 25 build/tests/stcsim_test_property
soak 'selection by data' '*SelectionByData*/0' $((cases / 40)) 50 build/tests/stcsim_test_property
for circuit in CrossbarOfTwoOfFour OrderedTwoOfFour CrossbarOfOneOfEight OrderedFourOfEight; do
  [ ! -x build/tests/rtl/stcsim_test_rtl ] ||
    soak "the verilated $circuit" "Verilated.$circuit" $((cases / 160)) 13 build/tests/rtl/stcsim_test_rtl
done
soak_all build/tests/stcsim_test_property_soak
soak_all build/tests/cli/stcsim_test_cli_soak
echo 'rows of measurements that repeat others, and 200 GEMMs with mapped kernels'
STCSIM_ALL_ROWS=1 STCSIM_CASES=200 STCSIM_SEED=$seed STCSIM=$PWD/build/stcsim PYTHONPATH=python python3 -B -m unittest discover -s python/tests/heavy || failed=1
echo 'the page in a browser, eight times beside two busy loops'
scripts/browser_runs.sh 8 || failed=1
echo 'the site with all machines'
STCSIM_ALL_MACHINES=1 node tests/page/site.mjs "$PWD/build/stcsim" "$PWD/build/page/packages" >build/site.log || failed=1
echo 'the Debian package in a root of its own'
scripts/package_test.sh || failed=1
echo 'the archive and the wheel on Debian 11, 12 and 13'
scripts/anywhere.sh "$jobs" || failed=1
echo 'the program as WebAssembly'
if [ "$(id -u)" -eq 0 ]; then
  { scripts/wasm.sh "$jobs" >build/wasm.log 2>&1 || { tail build/wasm.log >&2; false; }; } && node scripts/wasm_check.mjs 200 "$seed" &&
    node scripts/live_check.mjs 10 "$seed" || failed=1
fi
echo 'the program under the sanitizers'
{ scripts/configure.sh asan -B build-soak '-DSTCSIM_TESTS_LEFT_OUT=reports;validation;timing;golden' &&
  cmake --build build-soak --parallel "$jobs" --target stcsim_test_cli &&
  UBSAN_OPTIONS=print_stacktrace=1 ctest --test-dir build-soak --tests-regex '^cli[.]' --parallel "$((2 * jobs))" --output-on-failure \
    --no-tests=error >build-soak/log; } || { failed=1 && tail -n 40 build-soak/log; }
if [ "$failed" -ne 0 ]; then
  echo "soak: failed" >&2
  exit 1
fi
echo "soak: all is well"
