#!/usr/bin/env bash
# errors.sh: writes configs/validation/errors.csv, the errors that `run` takes simulated times to have, from
# results/validation_cells.csv (`make validation`): all scored rows of a machine and type from 20 us on; and from
# results/validation.md all kernels beside the products of a machine, quantity `stream`, and by how much gains are
# claimed too large where sparse is chosen by simulated times, quantity `selection`.
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
  }' results/validation_cells.csv
  awk -F'|' '/^## / { on = /^## Sparse where/ } on && $4 ~ /[0-9]/ {
    gsub(/[ %+]/, "")
    printf "%s,%s,selection,%s,%.4f,%.4f\n", $2, $3, $4, ($9 < 0 ? -$9 : $9) / 100, $9 / 100
  }' results/validation.md
  awk -F'|' '/^## Kernels beside/ { on = 1 } on && $3 ~ /^ all $/ {
    gsub(/[ %+]/, "")
    printf "%s,,stream,%s,%.4f,%.4f\n", $2, $4, $6 / 100, $7 / 100
  }' results/validation.md
} >"$scratch"
cp "$scratch" "$file"
