#!/usr/bin/env bash
# levels_test.sh PROGRAM: maps a circuit of each kind anew, which has to give the lines of configs/costs/selector_levels.csv;
# 77, skipped, where yosys is another one than the table's.
set -euo pipefail
cd "$(dirname "$0")/../.."
table=configs/costs/selector_levels.csv
grep -qF "$(yosys -V | cut -d' ' -f1,2)" "$table" || { echo "yosys is not that of $table"; exit 77; }
circuits=(2:4:crossbar 2:4:ordered 2:4:butterfly 2:4:enumerated 4:8:bitmask 2:8:ordered 1:8:index 8:32:ordered)
diff <(rtl/levels.sh "$1" "${circuits[@]}") <(for one in "${circuits[@]}"; do grep "^${one%:*},${one##*:}," "$table"; done)
