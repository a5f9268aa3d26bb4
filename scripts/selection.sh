#!/usr/bin/env bash
# selection.sh: writes results/selection.md: what skipping zeros, narrow and ordered selectors and unstructured bitmaps
# gain over plain 2:4 and 1:8, by data, stage by stage, and for how many transistors.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
selector=accelerator.sm.operand_selector
# An eighth of the SMs, with an eighth of L2's width, so that two waves are a GEMM that can be simulated with its values. Its
# CTAs share tiles with the square root of 8 times fewer others, so that they ask DRAM for 2.8 times as much each: it has a
# third of the channels and of L2's capacity.
eighth=(--set accelerator.num_sms=13 --set accelerator.l2_cache.slices=10 --set accelerator.l2_cache.capacity_bytes=14680064
        --set accelerator.l2_cache.write_bytes_per_clk=480 --set accelerator.dram.channels=14 --set accelerator.dram.bytes_per_clk=353
        --set accelerator.dram.write_queue_bytes=3670016)
as_a100=(--arch a100_nm "${eighth[@]}" --set accelerator.l2_cache.read_bytes_per_clk=480 --set $selector.b_bytes_per_clk=64
         --set accelerator.sm.operand_fetch.register_bytes_per_clk=192)
# Selector, registers, shared memory, its fills, bus and L2 as wide as a100_nm8's, four times what 2:4 needs; accumulators and
# decoder as fast as the multipliers can be.
sm=accelerator.sm
wide=(--arch a100_nm "${eighth[@]}" --set accelerator.l2_cache.read_bytes_per_clk=1920 --set accelerator.memory_bus.sm_read_bytes_per_clk=256
      --set $sm.copy_engine.issue_bytes_per_clk=512 --set $sm.shared_memory.fill_bytes_per_clk=256 --set $sm.shared_memory.bank_bytes=16
      --set $sm.operand_fetch.accumulator_bytes_per_clk=1024 --set $selector.metadata_decode_cycles=2)

kernel=sparse_128x128x64_s3
# simulate COMMAND PATTERN OPTION...: a GEMM on hardware that runs it with that pattern, as CSV.
simulate() {
  local command=$1
  shift 2
  build/stcsim $command "${size[@]}" --kernel "$kernel" --functional --detail stages --format csv \
    --set "$selector.native_patterns=[\"2:4\", \"1:8\", \"2:8\", \"16:32\"]" "$@" 2> >(grep -v ': note: ' >&2)
}

# grid PATTERN OPTION...: a line that says how much of the machine the GEMM has.
grid() {
  simulate gemm "$@" | awk -F, '
    NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    {
      gsub(/"[^"]*"/, "x")
      printf "- M %d, N %d, K %d, tiles of %s: %d CTAs on %d SMs, %.2f waves\n", $at["m"], $at["n"], $at["k"], $at["tile"],
        $at["kernel.ctas"], $at["copy_engine.instances"], $at["kernel.waves"]
    }'
}

# run PATTERN OPTION...: what that hardware takes: cycles of the GEMM, cycles of the core's pace, multiplications done (cycles of the multipliers), bytes of
# fragments and of metadata through the stages; with energies, joules of the GEMM, and of the tensor cores and what feeds them from registers.
run() {
  simulate gemm "$@" | awk -F, -v pattern="$1" '
    NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    {
      gsub(/"[^"]*"/, "x")
      if ($at["functional.mismatches"] != 0 || $at["hardware_pattern"] != pattern) exit 1
      printf "%s %s %s %s %s ", $at["cycles"], $at["tensor_core.busy"], $at["multipliers.busy"], $at["traffic.fragment_bytes"],
        $at["traffic.decoded_metadata_bytes"]
    }'
  "$with_energy" || return 0
  simulate "gemm --energy" "$@" | awk -F, '
    NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    $at["kind"] == "energy" {
      all += $at["joules"]
      if ($at["unit"] ~ /^(multipliers|operand_selector|metadata_buffer|register_file)$/) core += $at["joules"]
    }
    END { print all, core }'
}

# transistors PATTERN LANES: per multiplier, fewest to most of the table.
transistors() {
  awk -F, -v pattern="$1" -v lanes="$2" '
    $1 == pattern && $2 == lanes {
      split(pattern, n, ":"); each = $5 / n[1]
      if (!least || each < least) least = each
      if (each > most) most = each
    }
    END { if (most) printf "%.0f to %.0f", least, most; else printf "-" }' configs/costs/selector_gates.csv
}

# row TITLE HARDWARE PATTERN LANES OPTION...: a line of the table; the pattern and lanes of its multiplexers.
row() {
  local title=$1 hardware=$2 pattern=$3 lanes=$4 figures
  shift 4
  figures=$(run "$hardware" "$@")
  awk -v title="$title" -v base="$base" -v gates="$(transistors "$pattern" "$lanes")" '{
    split(base, b, " ")
    printf "| %s | %.2f | %.2f | %.2f | %.2f | %.2f |", title, b[1] / $1, b[2] / $2, $3 / b[3], $4 / b[4], b[5] ? $5 / b[5] : 0
    if (NF > 5) printf " %.2f | %.2f | %s |", $6 / b[6], $7 / b[7], gates
    printf "\n"
  }' <<<"$figures"
}
skips() { echo --set "$selector.skipped_zeros=$1" --set "$selector.skip_window=$2"; }
with_energy=true
header="| what | GEMM | core | products | bytes | metadata | energy | of cores | transistors |
|---|---:|---:|---:|---:|---:|---:|---:|---:|"
short_header="| what | GEMM | core | products | bytes | metadata |
|---|---:|---:|---:|---:|---:|"

# table TITLE K OPTION...: of one way of feeding the core; of a long GEMM what gains, without energies.
table() {
  local title=$1 size=(--m 1024 --n 1024 --k "$2") header=$header
  if [ "$2" != 1024 ]; then
    with_energy=false header=$short_header
  fi
  shift 2
  base=$(run 2:4 --sparsity 2:4 --prune magnitude "$@")
  printf '\n## %s\n\nThe grids of 2:4 and of 1:8:\n\n' "$title"
  grid 2:4 --sparsity 2:4 --prune magnitude "$@"
  kernel=sparse_128x128x32_s4 grid 1:8 --sparsity 1:8 --prune magnitude "$@"
  printf '\n%s\n' "$header"
  row 'plain 2:4, magnitude' 2:4 2:4 ordered --sparsity 2:4 --prune magnitude "$@"
  if ! "$with_energy"; then
    row 'half of what 2:4 keeps is 0, skipped by row' 2:4 2:4 crossbar --sparsity 2:4 --prune magnitude --a-zeros 0.5 $(skips a unlimited) "$@"
    row 'half of B is 0 (ReLU), skipped in windows of 16' 2:4 2:4 ordered --sparsity 2:4 --prune magnitude --b-zeros 0.5 $(skips b unlimited) "$@"
    row 'both sides, a quarter of A and half of B 0' 2:4 2:4 crossbar --sparsity 2:4 --prune magnitude --a-zeros 0.25 --b-zeros 0.5 $(skips both unlimited) "$@"
    kernel=sparse_128x128x32_s4 row 'plain 1:8' 1:8 1:8 ordered --sparsity 1:8 --prune magnitude "$@"
    row 'plain 2:8' 2:8 2:8 crossbar --sparsity 2:8 --prune magnitude --set $selector.lanes=crossbar "$@"
    return
  fi
  row 'pruned along both axes (SLoPe), padded' 2:4 2:4 ordered --sparsity 2:4 --prune slope "$@"
  row 'slots of A skipped by all rows or none' 2:4 2:4 crossbar --sparsity 2:4 --prune slope $(skips a 1) "$@"
  row 'the same, by group' 2:4 2:4 crossbar --sparsity 2:4 --prune slope $(skips a 2) "$@"
  row 'the same, by row' 2:4 2:4 crossbar --sparsity 2:4 --prune slope $(skips a unlimited) "$@"
  row 'half of what 2:4 keeps is 0, by group' 2:4 2:4 crossbar --sparsity 2:4 --prune magnitude --a-zeros 0.5 $(skips a 2) "$@"
  row 'the same, by row' 2:4 2:4 crossbar --sparsity 2:4 --prune magnitude --a-zeros 0.5 $(skips a unlimited) "$@"
  row 'MVUE of gradients, skipped by row' 2:4 2:4 crossbar --sparsity 2:4 --prune mvue $(skips a unlimited) "$@"
  row 'half of B is 0 (ReLU), skipped in windows of 4' 2:4 2:4 ordered --sparsity 2:4 --prune magnitude --b-zeros 0.5 $(skips b 4) "$@"
  row 'the same, in windows of 16' 2:4 2:4 ordered --sparsity 2:4 --prune magnitude --b-zeros 0.5 $(skips b unlimited) "$@"
  row 'both sides, a quarter of A and half of B 0' 2:4 2:4 crossbar --sparsity 2:4 --prune magnitude --a-zeros 0.25 --b-zeros 0.5 $(skips both unlimited) "$@"
  row 'lanes of two inputs' 2:4 1:2 crossbar --sparsity 2:4 --prune magnitude --set $selector.lane_inputs=2 "$@"
  row 'lanes of three inputs' 2:4 2:4 ordered --sparsity 2:4 --prune magnitude --set $selector.lane_inputs=3 "$@"
  kernel=sparse_128x128x32_s4 row 'plain 1:8' 1:8 1:8 ordered --sparsity 1:8 --prune magnitude "$@"
  kernel=sparse_128x128x32_s4 row '1:8, lanes of four inputs' 1:8 1:4 crossbar --sparsity 1:8 --prune magnitude --set $selector.lane_inputs=4 "$@"
  row 'plain 2:8' 2:8 2:8 crossbar --sparsity 2:8 --prune magnitude --set $selector.lanes=crossbar "$@"
  row '2:8 through a butterfly' 2:8 - - --sparsity 2:8 --prune magnitude --set $selector.lanes=butterfly "$@"
  row 'unstructured, a quarter kept: 16:32 by bitmap, packed, by row' 16:32 16:32 crossbar --sparsity 16:32 --a-zeros 0.5 $(skips a unlimited) --set $selector.has_packed_slots=true --set $selector.metadata_coding=bitmask "$@"
  row 'the same by indices (CSR in 32 columns)' 16:32 16:32 crossbar --sparsity 16:32 --a-zeros 0.5 $(skips a unlimited) --set $selector.has_packed_slots=true "$@"
}

# tensor_grid FILE M K: a line of its grid.
tensor_grid() {
  local size=(--m "$2" --n "$((128 * 4096 / $2))" --k "$3")
  grid 2:4 --sparsity 2:4 --operand-a "$scratch/tokens/$1.npy" --prune magnitude "${wide[@]}"
}

# tensor TITLE FILE M K OPTION...: two lines, of a tensor of our own training without and with zeros skipped by row.
tensor() {
  local title=$1 file=$2 size=(--m "$3" --n "$((128 * 4096 / $3))" --k "$4")
  shift 4
  local with=(--sparsity 2:4 --operand-a "$scratch/tokens/$file.npy" "$@" "${wide[@]}")
  base=$(run 2:4 "${with[@]}")
  row "$title" 2:4 2:4 ordered "${with[@]}"
  row 'the same, its zeros skipped by row' 2:4 2:4 crossbar "${with[@]}" $(skips a unlimited)
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
build/stcsim train train_tokens --schemes dense,transposable-2-4 --seeds 1 --save-weights --save-gradients --out "$scratch/tokens" >"$scratch/log" 2>&1

table "As the A100 feeds its cores" 1024 "${as_a100[@]}" >"$scratch/table_1" &
table "Wide in all ways" 1024 "${wide[@]}" >"$scratch/table_2" &
table "Wide in all ways, K 8192" 8192 "${wide[@]}" >"$scratch/table_3" &
for running in $(jobs -p); do wait "$running"; done

mkdir -p results
{
  cat <<'TEXT'
# What a selector that knows its data gains

Written by `make selection` (`scripts/selection.sh`). GEMMs of fp16 of two waves and more, event by event (`detail: stages`, rigid queues), their
values carried and C checked. The machine is an eighth of an A100: 13 SMs, with an eighth of L2's width, and a third of DRAM's, as fewer CTAs share
what it reads. A is random with a normal distribution, pruned by the shipped schemes, but in the last table. *GEMM* and *core* are
gains over plain 2:4, of the whole kernel and of the pace of sub-cores; *products* the cycles of the multipliers, *bytes* and *metadata* what
moves out of the registers, as shares of plain 2:4's; so are *energy*, what the board draws for the whole kernel at the clock it sustains, and
that *of cores*: multipliers, selectors, metadata and registers (`gemm --energy`; dividing a multiply-accumulate's energy so is an assumption,
see its notes, and every selector counts as a crossbar). *Transistors* of selectors for each multiplier: fewest to most of two codings and two
flows (`configs/costs/selector_gates.csv`, generic CMOS); those that skip slots of A need the inputs of fewer values, so no ordered lanes.
TEXT
  cat "$scratch"/table_*
  printf '\n## Tensors of our own training\n\n'
  cat <<'TEXT'
The first feed-forward layer of the small Transformer of `train_tokens` after its last step (trained weights of large networks are not to be had
here): weights of 128 by 64, gradients of its outputs of 1024 by 128, half of them 0 behind a ReLU. Times as many columns as make a wave and
a quarter, on the machine that is wide in all ways; gains over the same tensor with nothing skipped. The grids of weights and of gradients:

TEXT
  tensor_grid dense/seed1/l1.ff1 128 64
  tensor_grid dense/seed1/gradients/l1.ff1 1024 128
  printf '\n%s\n' "$header"
  tensor 'weights of a dense training, 2:4 by magnitude' dense/seed1/l1.ff1 128 64 --prune magnitude
  tensor 'weights under transposable masks' transposable-2-4/seed1/l1.ff1.forward 128 64
  tensor 'gradients, 2:4 by magnitude along channels (dgrad)' dense/seed1/gradients/l1.ff1 1024 128 --prune magnitude
  tensor 'gradients, 2:4 by MVUE' dense/seed1/gradients/l1.ff1 1024 128 --prune mvue
  cat <<'TEXT'

What holds for these grids alone: as long as B comes into the core no faster than the A100's multipliers need it, the selector reads all of B
whatever is skipped, so that skipping saves products (energy) and no time. Sixteen rows and eight columns hardly ever find a slot that all
can leave out, so that only wide windows gain. Narrow lanes cost a pass as soon as one of sixteen rows needs it. Which selector to build
does not follow from them. Which pattern to build, [patterns_to_build.md](patterns_to_build.md) says.
TEXT
} > results/selection.md.new
mv results/selection.md.new results/selection.md
