#!/usr/bin/env bash
# errors.sh: writes configs/validation/errors.csv, the errors that simulated times are taken to have, from
# results/validation_errors.csv (`make validation`), below the comments that stand there.
set -euo pipefail
cd "$(dirname "$0")/.."
file=configs/validation/errors.csv
comments=$(sed -n '/^#/p' "$file")
{ echo "$comments" && sed '/^#/d; s/\r$//' results/validation_errors.csv; } >"$file"
