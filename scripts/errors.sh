#!/usr/bin/env bash
# errors.sh: writes configs/validation/errors.csv, the errors that `run` takes simulated times to have, from
# reports/validation_cells.csv (`make validation`): all scored rows of a machine and type from 20 us on, and the last
# lines of the file as it is, those of quantity `stream`.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
file=configs/validation/errors.csv
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT
{
  sed -n '/^#/p' "$file"
  echo machine,dtype,quantity,rows,mean_absolute_error,bias
  awk -F, '$3 == 20 && $4 == "" && $5 == "" && $6 == "scored" {
    printf "%s,%s,%s,%s,%.4f,%.4f\n", $1, $2, $7, $8, $9, $10
  }' reports/validation_cells.csv
  grep ',stream,' "$file"
} >"$scratch"
cp "$scratch" "$file"
