#!/usr/bin/env bash
# soak.sh [CASES] [SEED] [JOBS]: compares fast-forward on with off on many random cases (20,000
# unless told otherwise). Prints the seed of every batch that fails; that batch is repeated by
#   STCSIM_SEED=SEED build/tests/stcsim_test_property_heavy --gtest_filter='*FastForward*/0'
set -euo pipefail
cd "$(dirname "$0")/.."
cases=${1:-20000}
seed=${2:-1}
jobs=${3:-$(nproc)}
export STCSIM_CONFIG_DIR=$PWD/configs
cases_per_process=50

run_batch() {
  if ! output=$(STCSIM_SEED=$1 build/tests/stcsim_test_property_heavy \
                  --gtest_filter='*FastForward*/0' --gtest_brief=1 2>&1); then
    printf 'batch of seed %s failed\n%s\n' "$1" "$output"
    return 1
  fi
}
export -f run_batch

last=$((seed + cases - 1))
echo "comparing seeds $seed to $last"
if ! seq "$seed" "$cases_per_process" "$last" |
     xargs --max-args=1 --max-procs="$jobs" bash -c 'run_batch "$1" || exit 1' _; then
  echo "soak: failed" >&2
  exit 1
fi
echo "soak: $cases cases, fast-forward on and off equal"
