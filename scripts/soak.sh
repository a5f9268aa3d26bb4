#!/usr/bin/env bash
# soak.sh [CASES] [SEED] [JOBS]: compares fast-forward on with off on many random cases (20,000
# unless told otherwise), then a tenth as many GEMMs on pairs of machines of which the second has
# more hardware. Prints the seed of every batch that fails; that batch is repeated by
#   STCSIM_SEED=SEED build/tests/stcsim_test_property_heavy --gtest_filter='*FastForward*/0'
# or --gtest_filter='*/Hardware*/0'.
set -euo pipefail
cd "$(dirname "$0")/.."
cases=${1:-20000}
seed=${2:-1}
jobs=${3:-$(nproc)}
export STCSIM_CONFIG_DIR=$PWD/configs

# run_batch SEED FILTER
run_batch() {
  if ! output=$(STCSIM_SEED=$1 build/tests/stcsim_test_property_heavy \
                  --gtest_filter="$2" --gtest_brief=1 2>&1); then
    printf 'batch of seed %s failed (%s)\n%s\n' "$1" "$2" "$output"
    return 1
  fi
}
export -f run_batch

# run_all FILTER STEP LAST: every STEP-th seed up to LAST
run_all() {
  echo "$1: seeds $seed to $3"
  if ! seq "$seed" "$2" "$3" |
       xargs --max-args=1 --max-procs="$jobs" bash -c 'run_batch "$1" "$0" || exit 1' "$1"; then
    echo "soak: failed" >&2
    exit 1
  fi
}

# A case of fast-forward has a seed of its own, 50 of which are run at a time.
run_all '*FastForward*/0' 50 $((seed + cases - 1))
echo "soak: $cases cases, fast-forward on and off equal"

# A seed makes 250 GEMMs on 50 pairs of machines. SystemC elaborates once in a process.
gemms=$((cases / 10 > 250 ? cases / 10 : 250))
last=$((seed + (gemms + 249) / 250 - 1))
run_all '*/HardwareTest.*/0' 1 "$last"
run_all '*/HardwareRanking.*/0' 1 "$last"
echo "soak: $gemms GEMMs, more hardware did not hurt"
