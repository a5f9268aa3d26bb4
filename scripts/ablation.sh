#!/usr/bin/env bash
# ablation.sh [JOBS [ONE_IN]]: writes results/ablation.md: what each mechanism of the machine files is worth, as
# errors on GEMMs timed on the device with it and without it. Takes one in ONE_IN of the rows (default 5).
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-1}
one_in=${2:-5}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Name and what to do with the machine files, as sed sees them.
mechanisms=(
  "everything|"
  "power does not limit the clock|s/^  limit_watts: .*/  limit_watts: 0/"
  "the limiter has no inertia|s/^  burst_joules: .*/  burst_joules: 0/"
  "the slow limiter holds at once (H100)|s/^  excursion_share: .*/  excursion_share: 1/"
  "a tile waits for the one before (H100)|s/persistent: true/persistent: false/; s/ping_pong: true/ping_pong: false/"
  "no library looks at the columns (H100)|s/, min_n: [0-9]*//"
  "warps convert and move results in no time|s/\\([ {]\\)elements_per_clk: [0-9]*/\\1elements_per_clk: unlimited/; s/\\(epilogue_elements_per_clk\\): [0-9]*/\\1: 1000000000/"
  "libraries never split K|s/splits_k: true/splits_k: false/"
  "heuristics do not count whole waves|s/dense_choice: whole_waves/dense_choice: heuristic/"
  "int8 has the tiles of 16-bit types|s/dtypes: .fp16, bf16, tf32., tile/tile/"
  "2:4 kernels are swizzled|s/raster_along_m: true/raster_along_m: false/"
  "metadata pass shared memory|s/metadata_in_registers: true/metadata_in_registers: false/"
  "as many CTAs to an SM as fit|s/max_ctas_per_sm: 1\\b/max_ctas_per_sm: 0/"
  "an SM takes in 128 bytes a clk|s/fill_bytes_per_clk: [0-9]*/fill_bytes_per_clk: 128/"
  "SMs get 88 bytes a clk however many they are (H100)|s/ read_bytes_per_clk: 8700/ read_bytes_per_clk: 1000000000/"
  "fills and reads share a port (H100)|s/has_fill_port: true/has_fill_port: false/"
  "no multicast (H100)|s/\\(multicast[_b]*\\): [0-9]*/\\1: 1/"
  "no bubbles between instructions (H100)|s/\\([ {]\\)bubble_cycles: [0-9.]*/\\1bubble_cycles: 0/"
  "GEMMs get all of DRAM|s/tile_share: [0-9.]*/tile_share: 1.0/"
)

awk -v n="$one_in" '/^#/ {next} !header {print; header=1; next} row++ % n == 0' \
  configs/validation/gemm_device.csv >"$scratch/sample.csv"

# CELLS.csv: mean |error| in per cent of rows of 20 us and more, a number for each column of the table below.
line_of() {
  awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["use"] == "scored" && $at["from_us"] + 0 > 0 && $at["stack"] == "" && $at["source"] == "" {
      cell = $at["machine"] " " $at["dtype"] " " $at["quantity"]
      error[cell] = 100 * $at["mean_absolute_error"]
    }
    END {
      n = split("a100_80gb bf16 dense;a100_pcie fp16 dense;a100_pcie fp16 sparse;a100_pcie int8 dense;a100_pcie int8 sparse;" \
                "h100_sxm bf16 dense;h100_pcie bf16 dense;h100_pcie bf16 sparse;h100_pcie fp8_e4m3 dense;h100_pcie fp8_e4m3 sparse;" \
                "h100_pcie int8 dense;h100_pcie int8 sparse", cells, ";")
      for (i = 1; i <= n; i++) printf " %.1f |", error[cells[i]]
    }' "$1"
}

{
  cat <<TEXT
# What each mechanism is worth

Made by \`scripts/ablation.sh\`: mean |error| in per cent on one in $one_in of the GEMMs of 20 µs and more in
\`configs/validation/gemm_device.csv\`, simulated with everything that the machine files say and with one mechanism left
out. Nothing is fitted again for a line: where another constant would make up for a part of what is left out, the line
shows more than the mechanism is worth.

| without | A100 SXM bf16 | A100 PCIe fp16 | 2:4 | int8 | 2:4 | H100 SXM bf16 | H100 PCIe bf16 | 2:4 | fp8 | 2:4 | int8 | 2:4 |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
TEXT
  for mechanism in "${mechanisms[@]}"; do
    rm -rf "$scratch/configs"
    cp -r configs "$scratch/configs"
    [[ -z "${mechanism#*|}" ]] || sed -i "${mechanism#*|}" "$scratch"/configs/{arch,libraries}/*.yaml
    STCSIM_CONFIG_DIR=$scratch/configs build/stcsim evidence rows "$scratch/sample.csv" --show cells --format csv \
      --jobs "$jobs" >"$scratch/cells.csv"
    name=${mechanism%%|*}
    [[ -n "${mechanism#*|}" ]] || name="(nothing left out)"
    echo "| $name |$(line_of "$scratch/cells.csv")"
  done
} >"$scratch/ablation.md"

mv "$scratch/ablation.md" results/ablation.md
echo "wrote results/ablation.md"
