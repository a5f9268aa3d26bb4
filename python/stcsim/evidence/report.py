"""Tables and pages of rows, for people: text of a terminal's width, and Markdown."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from . import bands, counters, document, errors
from .errors import group_by, statistics, total
from .model import (COUNTERS, QUANTITIES, CounterRow, Ends, GemmRow, InstructionRow, NetworkRow, Product, StreamRow,
                    SystemRow, Tables, relative_error)


def _exponent(value: float) -> int:
    return int(f"{value:.2e}".partition("e")[2]) if value and math.isfinite(value) else 0


def significant(value: float) -> str:
    """Three significant digits without an exponent: "1.73", "1234"."""
    return f"{value:.{max(0, 2 - _exponent(value))}f}"


def time_us(value: float) -> str:
    """ "1.23 ms"."""
    units = ["us", "ms", "s"]
    while len(units) > 1 and _exponent(value) >= 3:
        value, units = value / 1000, units[1:]
    return f"{significant(value)} {units[0]}"


def percent(fraction: float) -> str:
    return f"{100.0 * fraction:.1f} %"


def signed(error: float) -> str:
    return f"{error * 100.0:+.1f} %"


def gain(ratio: float) -> str:
    return significant(ratio) + "x"


def gains(ends: Ends) -> str:
    """ "1.50x", "1.30-1.50x", "up to 1.30x"."""
    low, high = ends
    if high is None:
        return "-" if low is None else f"from {gain(low)}"
    if low is None:
        return f"up to {gain(high)}"
    return gain(low) if low == high else f"{low:.2f}-{gain(high)}"


def or_dash(text: Callable[[Any], str], value: Any) -> str:
    return "-" if value is None else text(value)


def compared(text: Callable[[Any], str], measured: Any, simulated: Any,
             error: Callable[[Any, Any], Optional[float]] = relative_error) -> List[str]:
    """Cells of both values and of the error."""
    return [or_dash(text, measured), or_dash(text, simulated), or_dash(signed, error(simulated, measured))]


def mean_and_bias(off: Sequence[Optional[float]]) -> List[str]:
    """Cells of the errors that there are."""
    means = errors.means([error for error in off if error is not None])
    return [percent(means[0]), signed(means[1])] if means else ["-", "-"]


def wrap_words(text: str, width: int) -> List[str]:
    """Words on lines of at most `width` columns; a longer word has a line of its own."""
    first, *words = text.split(" ")
    lines = [first]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines


def wrap_lines(text: str, width: int) -> str:
    """Lines that are too wide go on two columns further in."""
    wrapped = []
    for line in text.splitlines():
        words = line.lstrip(" ")
        indent = line[:len(line) - len(words)]
        parts = wrap_words(words, width - min(width, len(indent) + 2)) if len(line) > width else [words]
        wrapped += [indent + parts[0], *(f"{indent}  {part}" for part in parts[1:])]
    return "".join(line + "\n" for line in wrapped)


def cut_middle(text: str, width: int) -> str:
    kept = width - 1
    return text if len(text) <= width else f"{text[:(kept + 1) // 2]}…{text[len(text) - kept // 2:]}"


#: Letters that a terminal would act on, or that turn the direction of text.
CONTROLS = re.compile("[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class _Column:
    """A column as it is printed."""

    def __init__(self, header: str, cells: List[str]):
        self.header, side, rank = re.findall(r"^(.*?)(?: ([<>])([0-9]?))?$", header)[0]
        self.is_right, self.rank = side == ">", int(rank or 0)
        self.cells, self.lines = cells, [self.header]
        self.width = max(map(len, [self.header, *cells]))

    def break_header(self) -> None:
        widest = max(map(len, self.cells), default=0)
        self.lines = wrap_words(self.header, widest)
        self.width = max(widest, *map(len, self.lines))

    def least(self) -> int:
        """Names can still be told apart."""
        return self.width if self.is_right else min(self.width, 16)

    def aligned(self, text: str) -> str:
        return text.rjust(self.width) if self.is_right else cut_middle(text, self.width).ljust(self.width)


class Table:
    """Cells below headers, which "; " separates.

    Behind a header " >" aligns to the right. A digit is a rank: a narrower table goes without the highest first.
    """

    def __init__(self, headers: str, cells: Callable[[Any], Iterable[str]], rows: Iterable[Any]):
        self.headers = headers.split("; ")
        self.rows = [[CONTROLS.sub(" ", cell) for cell in cells(row)] for row in rows]

    def _columns(self) -> List[_Column]:
        return [_Column(header, [row[at] for row in self.rows]) for at, header in enumerate(self.headers)]

    def markdown(self) -> str:
        columns = self._columns()
        head, *rows = ["| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |\n"
                       for line in [[column.header for column in columns], *self.rows]]
        return f"{head}|{''.join('---:|' if one.is_right else '---|' for one in columns)}\n{''.join(rows)}"

    def text(self, width: int) -> str:
        """In at most `width` columns, if that can be.

        Headers break between words, columns of a rank are left out and named below, long cells are cut.
        """
        columns = shown = self._columns()
        if _width(one.width for one in shown) > width:
            for one in shown:
                one.break_header()
        while _width(one.least() for one in shown) > width and any(one.rank for one in shown):
            most = max(one.rank for one in shown)
            shown = [one for one in shown if one.rank != most]
        _cut(shown, width)
        left_out = ", ".join(one.header for one in columns if one not in shown)
        return _printed(shown) + (wrap_lines(f"(too wide for: {left_out})", width) if left_out else "")


def _width(widths: Iterable[int]) -> int:
    widths = list(widths)
    return sum(widths) + 2 * (len(widths) - 1)


def _cut(shown: List[_Column], width: int) -> None:
    while _width(one.width for one in shown) > width and any(one.width > one.least() for one in shown):
        widest = max((one for one in shown if one.width > one.least()), key=lambda one: one.width)
        widest.width -= 1
    for one in shown:
        if len(one.lines[0]) > one.width:
            one.lines = wrap_words(one.header, one.width)


def _printed(shown: List[_Column]) -> str:
    height = max(len(one.lines) for one in shown)
    columns = [[""] * (height - len(one.lines)) + [*one.lines, "-" * one.width, *one.cells] for one in shown]
    lines = ("  ".join(one.aligned(cell) for one, cell in zip(shown, line)) for line in zip(*columns))
    return "".join(line.rstrip(" ") + "\n" for line in lines)


TITLES = {key: (title, gain if key == "speedup" else time_us) for key, title in QUANTITIES}


def shape_of(row: Product) -> str:
    return f"{row.m}×{row.n}×{row.k}" + (f"×{row.batch_count}" if row.batch_count != 1 else "")


def line_of(row: Any, is_alone: bool = True) -> str:
    """Behind its table if lines of several tables are named."""
    return str(row.where.line) if is_alone else f"{row.where.table}:{row.where.line}"


def _are_of_one_table(rows: Iterable[GemmRow]) -> bool:
    return len({row.where.file for row in rows}) <= 1


def skipped(rows: Sequence[Any], is_alone: bool = True) -> List[str]:
    """A sentence for each reason why rows were not simulated."""
    return [f"skipped {len(of_reason)} row{'s' if len(of_reason) > 1 else ''}, the first in line "
            f"{line_of(of_reason[0], is_alone)}: {reason}"
            for reason, of_reason in group_by(rows, lambda row: row.skipped).items() if reason]


def _simulated(rows: Sequence[Any]) -> List[Any]:
    return [row for row in rows if not row.skipped]


def grouped(headers: str, cells: Callable[[List[Any]], Iterable[str]], rows: Iterable[Any],
            names: Callable[[Any], List[Tuple[str, ...]]]) -> Table:
    """A line for each name of rows, of as many cells; a row may have several names."""
    named = [(name, row) for row in rows for name in names(row)]
    groups = group_by(named, lambda one: one[0]).items()
    return Table(headers, lambda one: (*one[0], *cells([row for _, row in one[1]])), groups)


def summary_table(rows: List[GemmRow]) -> Table:
    def cells(one: Tuple[str, str, errors.Summary]) -> List[str]:
        name, key, of = one
        return [name, TITLES[key][0], str(of.rows), percent(of.mean_absolute), signed(of.bias),
                or_dash("{:.3f}".format, of.correlation)]

    return Table("rows of; quantity; rows >; mean |error| >; bias >; r >", cells, errors.summaries(rows))


def _rows_of(cell: errors.Cell) -> str:
    """ "all", "fitting", "stack spatha", "fitting: UDC-GAC/venom, spatha"."""
    use = "not scored" if cell.use == "shown" else cell.use
    if cell.source:
        return f"{use}: {cell.source}, {cell.stack}"
    return f"stack {cell.stack}" if cell.stack else use or "all"


def fidelity_table(rows: List[GemmRow], with_sources: bool) -> Table:
    def cells(one: Tuple[errors.Cell, str]) -> List[str]:
        cell, key = one
        of = cell.simulated[key]
        spread = [percent(part) if key == "dense" and cell.spread.rows else "-" for part in cell.spread[1:]]
        return [cell.machine, cell.dtype, "from 20 us" if cell.is_large else "below", _rows_of(cell), TITLES[key][0],
                str(of.rows), percent(of.mean_absolute), signed(of.bias), percent(cell.roofline[key].mean_absolute),
                percent(cell.tiles[key].mean_absolute), *spread]

    return Table("machine; type; dense time; rows of; quantity; rows >; mean |error| >; bias >; roofline >2; tiles >2; "
                 "spread >3; within >3", cells, [(cell, key) for cell in errors.cells(rows) for key in TITLES
                                                 if cell.simulated[key].rows and (with_sources or not cell.source)])


def selection_table(chosen: Iterable[errors.Selection]) -> Table:
    return Table("machine; type; rows >; run sparse >; gain from >; claimed >; got >; too large by >",
                 lambda one: (one.machine, one.dtype, str(one.rows), str(one.sparse), gain(1 + one.threshold),
                              f"{one.claimed:.3f}x", f"{one.got:.3f}x", signed(one.excess)), chosen)


def worst_table(rows: List[GemmRow]) -> Table:
    """The ten largest errors of rows that are scored."""
    is_alone = _are_of_one_table(rows)

    def cells(one: Tuple[float, str, GemmRow]) -> List[str]:
        _, key, row = one
        dense, sparse = row.dense_kernel, row.sparse_kernel
        kernel = {"dense": dense, "sparse": sparse}.get(key, [f"{a} / {b}" for a, b in zip(dense, sparse)])
        return [line_of(row, is_alone), row.gpu, shape_of(row), TITLES[key][0],
                *compared(TITLES[key][1], row.measured.of(key), row.simulated.of(key)), *kernel]

    found = [(abs(row.error(key) or 0.0), key, row) for row in rows if row.is_scored for key in TITLES
             if row.error(key) is not None]
    return Table("line >; gpu; M×N×K; quantity; measured >; simulated >; error >; kernel <1; bound by <1", cells,
                 sorted(found, key=lambda one: -one[0])[:10])


def gemm_table(rows: List[GemmRow]) -> Table:
    triples = [f"{title} >{2 - at}; simulated >{2 - at}; error >{2 - at}" for at, (_, title) in enumerate(QUANTITIES)]
    return Table("line >; gpu; type; pattern; M×N×K; " + "; ".join(triples), lambda row: (
        line_of(row), row.gpu, row.dtype, row.pattern, shape_of(row),
        *(cell for key, (_, text) in TITLES.items()
          for cell in compared(text, row.measured.of(key), row.simulated.of(key)))), _simulated(rows))


def instruction_summary(rows: List[InstructionRow]) -> Table:
    lines = [(gpu, key, [abs(error) for row in rows if row.gpu == gpu for error in
                         [relative_error(getattr(row, f"simulated_{key}"), getattr(row, key))] if error is not None])
             for gpu in dict.fromkeys(row.gpu for row in _simulated(rows)) for key in ("latency", "throughput")]
    return Table("gpu; quantity; rows >; within 3 % >; mean |error| >; largest |error| >", lambda one: (
        *one[:2], str(len(one[2])), str(sum(error <= 0.03 for error in one[2])), percent(total(one[2]) / len(one[2])),
        percent(max(one[2]))), [one for one in lines if one[2]])


def instruction_table(rows: List[InstructionRow]) -> Table:
    return Table("line >; gpu; instruction; types; shape; warps >1; ILP >1; latency >; simulated >; error >; "
                 "FMA/clk/SM >; simulated >; error >", lambda row: (
                     line_of(row), row.gpu, row.name, row.types, row.shape, str(row.warps or "-"),
                     str(row.simulated_ilp or "-"), *compared(significant, row.latency, row.simulated_latency),
                     *compared(significant, row.throughput, row.simulated_throughput)), _simulated(rows))


def _beside_steps(rows: List[NetworkRow]) -> List[NetworkRow]:
    """Rows that were simulated, but those of dense steps and nothing else."""
    return [row for row in _simulated(rows) if row.simulated_dense is None or row.simulated_sparse is not None
            or row.simulated_speedup != (None, None)]


def network_table(rows: List[NetworkRow]) -> Table:
    return Table("line >; gpu; network; type; scheme <4; scope <2; dense time >3; simulated >3; error >3; "
                 "sparse time >1; simulated >1; error >1; speedup >; simulated >; error >; framework <5", lambda row: (
                     line_of(row), row.gpu, document.title_of(row), row.dtype, row.scheme, row.scope,
                     *compared(time_us, row.dense, row.simulated_dense),
                     *compared(time_us, row.sparse, row.simulated_sparse),
                     *compared(gains, row.speedup, row.simulated_speedup, errors.distance_from), row.framework),
                 _beside_steps(rows))


def _off(rows: Iterable[Any], quantity: str) -> List[Optional[float]]:
    error = errors.distance_from if quantity == "speedup" else relative_error
    return [error(getattr(row, f"simulated_{quantity}"), getattr(row, quantity)) for row in rows]


def _in_one(off: Sequence[Optional[float]]) -> str:
    """ "2.5 %, -2.3 %"."""
    cells = mean_and_bias(off)
    return "-" if "-" in cells else ", ".join(cells)


def _network_cells(rows: List[NetworkRow]) -> List[str]:
    return [str(len(rows)), *(_in_one(_off(rows, quantity)) for quantity in TITLES)]


def network_summary(rows: List[NetworkRow]) -> Table:
    return grouped("machine; phase; rows >; dense time >; sparse time >; gain >", _network_cells, _beside_steps(rows),
                   lambda row: [(row.machine, row.phase)])


def training_table(rows: List[NetworkRow]) -> Table:
    """Passes of sparse training, of each network on a GPU."""
    def cells(rows: List[NetworkRow]) -> List[str]:
        off = [error or 0.0 for error in _off(rows, "speedup")]
        return [*_network_cells(rows), *(str(sum(sign * error > 0.02 for error in off)) for sign in (1, -1))]

    passes = [row for row in _simulated(rows) if row.scope == "passes" and not row.is_inference
              and row.speedup[0] is not None and row.simulated_speedup[0] is not None]
    return grouped("gpu; network; rows >; dense time >1; sparse time >1; gain >; > 2 % too high >; too low >", cells,
                   passes, lambda row: [(row.gpu, row.network)])


def step_table(rows: List[NetworkRow]) -> Table:
    """Fine-tuning and parts of networks have lines of their own: their scripts are special, and a part is no step."""
    def names(row: NetworkRow) -> List[Tuple[str, ...]]:
        is_apart = row.phase in ("fine-tuning", "part of a network")
        return [(row.machine, row.phase if is_apart else "all"),
                (row.machine, row.framework + (f", {row.phase}" if is_apart else ""))]

    def cells(rows: List[NetworkRow]) -> List[str]:
        years = sorted(row.software_year for row in rows if row.software_year) or ["-"]
        return [str(years[0]) if years[0] == years[-1] else f"{years[0]} to {years[-1]}", str(len(rows)),
                *mean_and_bias(_off(rows, "dense"))]

    return grouped("machine; framework; software of <1; rows >; mean error >; bias >", cells, bands.dense_steps(rows),
                   names)


def step_rows_table(rows: List[NetworkRow]) -> Table:
    return Table("line >; machine; network; config <1; type; framework; measured >; simulated >; error >", lambda row: (
        line_of(row), row.machine, row.network, row.config, row.dtype, row.framework,
        *compared(time_us, row.dense, row.simulated_dense)), bands.dense_steps(rows))


def stream_table(rows: List[StreamRow]) -> Table:
    def cells(rows: List[StreamRow]) -> List[str]:
        off = [relative_error(row.simulated, row.time) for row in rows]
        return [str(len(rows)), time_us(min(row.time for row in rows)), *mean_and_bias(off)]

    return grouped("machine; operation; rows >; shortest >; mean error >; bias >", cells,
                   [row for row in rows if row.simulated is not None],
                   lambda row: [(row.machine, "all"), (row.machine, row.op)])


def _long_systems(rows: Iterable[SystemRow]) -> List[SystemRow]:
    """Rows that were predicted, but collectives of less than 1 MiB."""
    return [row for row in rows if row.simulated is not None and not (row.collective and row.bytes < 2**20)]


def system_table(rows: List[SystemRow]) -> Table:
    def names(row: SystemRow) -> List[Tuple[str, ...]]:
        of_collectives = "collectives" if row.nodes == 1 else "collectives between nodes"
        return [(row.system, of_collectives if row.collective else document.sharding(row), row.use)]

    def cells(rows: List[SystemRow]) -> List[str]:
        off = [relative_error(row.simulated, row.time) for row in rows]
        return [str(len(rows)), _in_one(off), _in_one(_off(rows, "scaling"))]

    return grouped("system; kind; use; rows >; time: error, bias >; scaling: error, bias >", cells, _long_systems(rows),
                   names)


def system_rows_table(rows: List[SystemRow]) -> Table:
    """Trainings, and collectives between nodes."""
    return Table("line >; system; what; GPUs >; measured >; predicted >; error >; scaling >; predicted >", lambda row: (
        line_of(row), row.system, document.what_system(row), str(row.gpus), *compared(time_us, row.time, row.simulated),
        *(["-", "-"] if row.simulated_scaling is None else [percent(row.scaling), percent(row.simulated_scaling)])),
                 [row for row in _long_systems(rows) if not row.collective or row.nodes > 1])


def counter_table(rows: List[CounterRow]) -> Table:
    """Errors of each counter, of each machine, type and pattern, with the kernels that ran and with those chosen."""
    def cells(one: Any) -> List[str]:
        group, title, named, own = one
        of_named = [percent(named.mean_absolute), signed(named.bias)] if named.rows else ["-", "-"]
        return [f"{group.machine} {group.dtype} {group.regime}", title, str(named.rows or own.rows), *of_named,
                percent(own.mean_absolute), signed(own.bias)]

    lines = [(group, title, *counters.errors_of(of_group, key))
             for group, of_group in counters.scored_groups(rows).items() for key, title in COUNTERS]
    return Table("rows of; counter; rows >; mean error >; bias >; own choice >; bias >", cells,
                 [one for one in lines if one[3].rows])


def counter_rows_table(rows: List[CounterRow]) -> Table:
    return Table("line >; machine; type; pattern; M x N x K; cycles >; error >; own choice >", lambda row: (
        line_of(row), row.machine, row.dtype, row.pattern, shape_of(row), significant(row.counted["cycles"]),
        *(or_dash(signed, relative_error(launch.counted.get("cycles"), row.counted["cycles"]))
          for launch in (row.as_measured, row.chosen))), _simulated(rows))


def _bytes_per_clk(row: CounterRow, counted: Dict[str, float]) -> str:
    """Bytes that an SM gets, in the mean of a launch."""
    launch = row.as_measured
    if "sm_bytes" not in counted or "cycles" not in counted or launch.waves <= 0:
        return "-"
    return f"{counted['sm_bytes'] / counted['cycles'] / min(launch.ctas, launch.ctas / launch.waves):.1f}"


def k_step_table(rows: List[CounterRow]) -> Table:
    def cells(step: counters.KStep) -> List[str]:
        last, both = step.last, (step.last.counted, step.last.as_measured.counted)
        return [f"{last.machine} {last.dtype} {last.pattern}", last.as_measured.tile, f"{last.m}×{last.n}",
                f"{step.first.k} to {last.k}", *compared("{:.0f}".format, step.counted, step.simulated),
                f"{step.multiplying:.0f}", *(or_dash(percent, counted.get("busy")) for counted in both),
                *(_bytes_per_clk(last, counted) for counted in both)]

    return Table("rows of; tile; M x N; K; counted >; simulated >; error >; multiplying >; busy, counted >; "
                 "simulated >; bytes/clk to an SM, counted >; simulated >", cells, counters.k_steps(rows))


def baseline_table(rows: List[CounterRow]) -> Table:
    lines = [(name, counters.baselines(rows, name == "sparse")) for name in ("dense", "sparse")]
    return Table("cycles of; rows >; simulated >; roofline >; nearest GEMM >; regression >", lambda one: (
        f"{one[0]} kernels", str(one[1].simulated.rows), *(percent(of.mean_absolute) for of in one[1])),
                 [one for one in lines if one[1]])


def band_table(rows: List[bands.Residual], known: bands.KnownErrors) -> Table:
    def cells(pair: Sequence[bands.Coverage]) -> List[str]:
        return [pair[0].quantity, pair[0].regime, str(pair[0].rows), *(cell for of in pair for cell in (
            percent(of.in_95 / of.rows), percent(of.in_80 / of.rows), f"{of.ratios[of.rows // 2]:.2f}"))]

    return Table("quantity; regime; rows >; card left out: in 95 % >; in 80 % >; high / low >; "
                 "network left out: in 95 % >; in 80 % >; high / low >", cells,
                 list(zip(*(bands.coverage(rows, known, by_card) for by_card in (True, False)))))


ERROR_LEGEND = (
    "An error is simulated / measured - 1, and the bias is its mean. r is Pearson's correlation of measured and "
    "simulated values.")
PAGE_LEGEND = (
    "Made by `make validation`. The band in the pictures is 10 % wide on either side. Every row is in "
    f"[validation_rows.csv](validation_rows.csv). {ERROR_LEGEND}")
FIDELITY_LEGEND = (
    "Sizes go by the measured dense time. Roofline and tiles are the mean |error| of two plain models: peak rate and "
    "DRAM bandwidth alone, and waves of 128x128 tiles at peak rate. The spread is half the distance between the least "
    "and the most of several measurements of one GEMM. Within is the share of simulated times between them.")
SELECTION_LEGEND = (
    "A GEMM runs sparse where its simulated gain exceeds 1 by more than gains are off, as `run` chooses. Gains are "
    "off by the mean |error| of rows from 20 us on. A GEMM that runs dense has a gain of 1. The claim is the mean of "
    "simulated gains; got is the mean of the measured gains of the same choices.")
INSTRUCTION_LEGEND = (
    "Latencies are cycles of a pass with one warp and one chain. FMA/clk/SM counts dense-equivalent "
    "multiply-accumulates.")
ILP_LEGEND = (
    " ILP is the number of independent chains per warp. If none is published, it is the smallest of 1 to 6 within 3 % "
    "of the best.")
NETWORK_LEGEND = (
    "A range is met only if all simulated values lie in it. Its error is that of the value furthest outside.")
MEANS_LEGEND = " Cells are the mean |error| and the bias."
TRAINING_LEGEND = (
    "Times are of forward and backward passes with what a scheme does in them, without the optimiser and the search "
    f"of masks.{MEANS_LEGEND}")
STREAM_LEGEND = (
    "Kernels of element-wise operations, softmax and layer normalisation ran on their own. They are held against "
    "kernels of a framework that move the same tensors: pytorch_2_eager, or the row's own.")
SYSTEM_LEGEND = (
    "Collectives of 1 MiB and more are predicted from latency, bandwidth and steps of a system's file, which were "
    "fitted to every second size. Trainings are dense updates on several GPUs; nothing was fitted to them. The "
    "scaling is samples per GPU over those of the fewest GPUs of a series.")
COUNTER_LEGEND = (
    "Each launch runs once, caches empty, at the clock it was counted at. Error and bias are with the kernel that "
    "ran, own choice is with the kernel that the simulator takes. Bytes to SMs count what a cluster shares for each "
    "SM, bytes from L2 count it once. Busy is the share of cycles in which tensor cores multiply. Launches in a row "
    "have the same operands and the clock that the board's power allows. Short kernels take 10,000 to 35,000 cycles; "
    "k cut kernels go through k in segments.")
BAND_LEGEND = (
    "Bands are said to hold 95 and 80 % of measured values; the table has the shares that they do hold. High / low is "
    "the median of the wider band's high end over its low end. With a card left out, bands are of the other cards, as "
    "of one that nobody measured. With a network left out, they are of all rows but the network's (of GEMMs: but "
    "those of a tenth of networks and shapes). Few columns are up to 256. Short GEMMs take less than 100 us as "
    "simulated.")
#: These three stand in counters.md.
LAUNCH_LEGEND = (
    "One launch each, caches empty, at the clock it was counted at. Error and bias: with the kernel that ran; own "
    "choice: with the one that the simulator takes by itself. To SMs and from L2: bytes; what a cluster shares counts "
    "for each SM, and once. Busy: share of the cycles in which tensor cores multiply. In a row: many launches on the "
    "same operands, at the clock that the board's power allows. Short: 10,000 to 35,000 cycles, else more; k cut: in "
    "segments.")
K_STEP_LEGEND = (
    "Cycles of a tile's main loop a k-step: the same kernel on the same C, of two K. Multiplying: of the multipliers "
    "alone. Where more is counted, something else bounds the loop: \"stcsim explain\" says what. Busy and bytes are of "
    "the launch with the larger K.")
BASELINE_LEGEND = (
    "Mean errors of cycles, of rows by which no number was set (their errors were seen). Simulated: with the kernels "
    "that ran. Roofline: the larger of multiplying and moving all operands once. Nearest GEMM: the counted one whose "
    "sizes are nearest, times the multiplications. Regression: of logarithms, over M, N, K and the kernel's tiles. "
    "Both know the rows that were looked at.")


class Page:
    """Blocks with an empty line between them: Markdown, or text of so many columns."""

    def __init__(self, width: Optional[int] = None):
        self.width, self.is_text = width, width is not None
        self._blocks: List[str] = []

    def __str__(self) -> str:
        return "\n".join(self._blocks)

    def heading(self, title: str, level: int = 2) -> None:
        self._blocks.append(("" if self.is_text else "#" * level + " ") + title + "\n")

    def table(self, table: Table) -> None:
        self._blocks.append(table.markdown() if self.width is None else table.text(self.width))

    def note(self, text: str) -> None:
        self._blocks.append(text + "\n" if self.width is None else wrap_lines(text, self.width))

    def section(self, title: str, legend: str, tables: Sequence[Table], level: int = 2) -> None:
        """A legend stands above the tables of a page, and below those of a text, which begins with the answer."""
        self.heading(title, level)
        if legend and not self.is_text:
            self.note(legend)
        for table in tables:
            self.table(table)
        if legend and self.is_text:
            self.note(legend)

    def list(self, sentences: Sequence[str]) -> None:
        if sentences:
            self.note("\n".join(("" if self.is_text else "- ") + sentence for sentence in sentences))


def _add_gemms(page: Page, rows: List[GemmRow]) -> None:
    page.table(summary_table(rows))
    if page.is_text:
        page.note(ERROR_LEGEND)
    page.section("By machine, type and size", FIDELITY_LEGEND, [fidelity_table(rows, not page.is_text)])
    chosen = selection_table(errors.selections(rows))
    if chosen.rows:
        page.section("Sparse where it pays", SELECTION_LEGEND, [chosen])
    page.section("Largest errors", "", [worst_table(rows)])
    if not page.is_text:
        page.heading("Rows that were not simulated")
    page.list(skipped(rows, _are_of_one_table(rows)))
    if not page.is_text:
        return
    page.heading("All rows")
    tables = dict.fromkeys(row.where.table for row in rows)
    for name in tables:
        if len(tables) > 1:
            page.heading(name)
        page.table(gemm_table([row for row in rows if row.where.table == name]))


def _sections(tables: Tables, is_text: bool) -> Iterable[Tuple[Sequence[Any], List[Tuple[str, str, List[Any], int]]]]:
    """Rows of a kind, and sections of them: title, legend, functions that make tables, level. Text has every row."""
    def of(summaries: List[Any], *every: Any) -> List[Any]:
        return [*summaries, *every] if is_text else summaries

    yield tables.instructions, [("Instructions", INSTRUCTION_LEGEND + (ILP_LEGEND if is_text else ""),
                                 of([instruction_summary], instruction_table), 2)]
    yield tables.networks, [
        ("Networks", NETWORK_LEGEND + ("" if is_text else MEANS_LEGEND),
         [network_table if is_text else network_summary], 2),
        ("Sparse training", TRAINING_LEGEND, [training_table], 3),
        ("Dense training steps", "", of([step_table], step_rows_table), 3)]
    yield tables.streams, [("Kernels beside the products", STREAM_LEGEND, [stream_table], 2)]
    yield tables.systems, [("Several GPUs", SYSTEM_LEGEND, of([system_table], system_rows_table), 2)]
    if is_text:
        yield tables.counters, [("Counters", COUNTER_LEGEND, [counter_table, counter_rows_table], 2)]


def _add_kinds(page: Page, tables: Tables) -> None:
    if tables.gemms:
        _add_gemms(page, tables.gemms)
    for rows, sections in _sections(tables, page.is_text):
        for title, legend, functions, level in sections if rows else []:
            made = [function(rows) for function in functions]
            if level == 2 or made[0].rows:
                page.section(title, legend, made, level)
        page.list(skipped(rows))


def _software(tables: Tables) -> List[str]:
    return [f"software of {machine}: {stack}" for machine, stack in tables.software]


def text(tables: Tables, width: int) -> str:
    """Errors summed up, every row, and why rows were skipped, of each kind; at the end the machines' software."""
    page = Page(width)
    _add_kinds(page, tables)
    page.list(_software(tables))
    return str(page)


def cells_text(tables: Tables, width: int) -> str:
    return fidelity_table(tables.gemms, True).text(width)


def _validation_page(tables: Tables, known: bands.KnownErrors) -> str:
    page = Page()
    page.heading("Predictions beside measurements", 1)
    page.note(PAGE_LEGEND)
    page.list(_software(tables))
    _add_kinds(page, tables)
    if tables.counters:
        page.section("Counters", "Launches stand beside hardware counters in [counters.md](counters.md).", [])
    page.section("Intervals", BAND_LEGEND, [band_table(bands.residuals(tables), known)])
    return str(page)


def counter_summary(rows: List[CounterRow]) -> str:
    """Says how far cycles and clocks are off with the kernels that ran."""
    sentences = []
    for kind in ("dense", "sparse"):
        of_kind = counters.long_rows(rows, kind == "sparse")
        cycles, clocks = (statistics(counters.points_of(of_kind, key)) for key in ("cycles", "row_mhz"))
        if cycles.rows:
            sentences.append(f"Of {cycles.rows} {kind} kernels of 35,000 cycles and more, simulated cycles are "
                             f"{percent(cycles.mean_absolute)} off in the mean ({signed(cycles.bias)}).")
        if cycles.rows and clocks.rows:
            sentences.append(f"The clock of {clocks.rows} of them in a row is {percent(clocks.mean_absolute)} off "
                             f"({signed(clocks.bias)}).")
    return " ".join(sentences)


def _numbers_note(rows: List[CounterRow], machine: str, numbers: List[str]) -> str:
    """Counts the numbers of a machine's file that rows set, and these rows."""
    fitting = sum(row.machine == machine and row.use == "fitting" for row in rows)
    return f"{fitting} rows marked fitting set {len(numbers)} numbers of the file {machine}.yaml, one for " \
           f"{fitting / len(numbers):.1f} rows: {', '.join(numbers)}." if fitting and numbers else ""


def _counter_page(tables: Tables) -> str:
    rows, page = tables.counters, Page()
    page.heading("Cycles, bytes and clocks beside hardware counters", 1)
    page.note(counter_summary(rows))
    page.note(LAUNCH_LEGEND)
    page.table(counter_table(rows))
    for machine, numbers in sorted(tables.set_by_counters.items()):
        page.note(_numbers_note(rows, machine, numbers))
    page.section("What a k-step takes", K_STEP_LEGEND, [k_step_table(rows)])
    page.section("Without a simulator", BASELINE_LEGEND, [baseline_table(rows)])
    page.heading("All launches")
    page.table(counter_rows_table(rows))
    page.list(skipped(rows))
    return str(page)


def pages(tables: Tables, errors_folder: Path) -> Dict[str, str]:
    """Texts by the names of their files; counters.md if there are counters."""
    known = bands.known_errors(Path(errors_folder))
    files = {"validation.md": _validation_page(tables, known), "validation_cells.csv": document.cells_csv(tables),
             "validation_errors.csv": document.csv_text(bands.ERROR_COLUMNS, bands.error_rows(tables, known)),
             "validation_rows.csv": document.rows_csv(tables)}
    return {**files, "counters.md": _counter_page(tables)} if tables.counters else files
