#!/usr/bin/env bash
# gates.sh PROGRAM FILE: synthesises the selectors that PROGRAM (build/rtl/stcsim_rtl) writes and puts their transistors,
# as yosys estimates them, and the cells on their longest path into FILE. Each of two ways to write a multiplexer, with and
# without ABC's mapping to CMOS gates: `mux` keeps multiplexers as such (12 transistors each). Of one group, 16-bit values,
# no registers, no wires.
set -euo pipefail
program=$1
into=$2
patterns=(1:2 1:4 2:4 1:8 2:8 4:8 1:16 2:16 4:16 8:16 4:32 8:32 16:32)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

transistors_and_depth() {  # PATTERN LANES STYLE FLOW
  local abc="-g cmos"
  [ "$4" = cmos ] || abc="-g AND,OR,XOR,MUX"
  "$program" selector "$1" "$2" "$3" > "$work/selector.v"
  yosys -q -p "read_verilog $work/selector.v; synth -top selector -flatten; abc $abc; opt_clean;
               tee -o $work/stat stat -tech cmos; tee -o $work/path ltp -noff" > /dev/null
  local transistors
  transistors=$(grep -i 'estimated number of transistors' "$work/stat" | grep -o '[0-9]*+\?$' | tr -d +)
  echo "$transistors,$(sed -n 's/.*(length=\([0-9]*\)).*/\1/p' "$work/path")"
}

{
  echo "# Transistors of the selector of one group (16-bit values, combinational): estimates of $(yosys -V | cut -d' ' -f1,2)"
  echo "# for generic CMOS gates, no cell library; depth: cells on the longest path. Made by 'make rtl' (rtl/gates.sh says how)."
  echo "pattern,lanes,coding,flow,transistors,depth"
  for pattern in "${patterns[@]}"; do
    for lanes in crossbar ordered; do
      for style in case part; do
        for flow in cmos mux; do
          echo "$pattern,$lanes,$style,$flow,$(transistors_and_depth "$pattern" "$lanes" "$style" "$flow")"
        done
      done
    done
  done
} > "$work/table"
mv "$work/table" "$into"
