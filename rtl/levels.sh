#!/usr/bin/env bash
# levels.sh PROGRAM [PATTERN:CIRCUIT]...: maps circuits that PROGRAM (build/rtl/stcsim_rtl) writes, all without any, to the
# gates of unit.genlib for the least delay, and prints a line of configs/costs/selector_levels.csv for each: gates, area
# (transistors) and levels as ABC's print_stats counts them. One group, 16-bit values, multiplexers as cases.
set -euo pipefail
program=$1
shift
library=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/unit.genlib
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ $# = 0 ]; then
  echo "# Levels of logic of selectors and metadata decoders of one group (16-bit values), mapped for the least delay by"
  echo "# $(yosys -V | cut -d' ' -f1,2) and its ABC to the gates of rtl/unit.genlib, whose delay is 1 each; area in transistors."
  echo "# Made by 'make rtl' (rtl/levels.sh says how)."
  echo "pattern,circuit,gates,area,levels,library"
  for pattern in 1:2 1:4 2:4 1:8 2:8 4:8 1:16 2:16 4:16 8:16 4:32 8:32 16:32; do
    for circuit in crossbar ordered butterfly index enumerated bitmask; do set -- "$@" "$pattern:$circuit"; done
  done
fi

verilog() {  # PATTERN CIRCUIT
  case $2 in
    crossbar | ordered | butterfly) "$program" selector "$1" "$2" case ;;
    *) "$program" decoder "$1" "$2" ;;
  esac
}

for one in "$@"; do
  pattern=${one%:*} circuit=${one##*:}
  # A table of more choices than rtl/ writes down is no circuit.
  if ! verilog "$pattern" "$circuit" > "$work/circuit.v" 2> "$work/refused"; then
    grep -q 'more choices' "$work/refused" && continue
    cat "$work/refused" >&2
    exit 1
  fi
  top=$(sed -n 's/^module \([a-z]*\) .*/\1/p' "$work/circuit.v")
  yosys -p "read_verilog $work/circuit.v; synth -top $top -flatten
            abc -genlib $library -script +strash;ifraig;dc2;dch,-f;map;print_stats" > "$work/log"
  stats=$(sed -nE 's/.* nd = *([0-9]+) .*area = *([0-9]+)\.[0-9]+ .*lev = *([0-9]+).*/\1,\2,\3/p' "$work/log")
  echo "$pattern,$circuit,${stats:-0,0,0},unit"  # what is wires only, yosys does not give to ABC
done
