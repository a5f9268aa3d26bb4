"""The back-test: GEMMs of three GPUs, predicted from their predecessors, data sheets and instructions, beside measured times.

`python3 -m stcsim.evidence.backtest JOBS` says what results/backtest.md is made of (scripts/backtest.sh).
"""

from __future__ import annotations

import csv
import json
import math
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from . import bands, document, errors, report, rows
from .model import QUANTITIES, GemmRow, TableError, Tables, Times
from .program import config_folder, read_yaml
from .tables import read_tables

#: Tables that have rows of the three.
TABLES = ("gemm.csv", "gemm_device.csv", "gemm_new_machines.csv")
#: What stands for a machine in backtest_errors.csv, as sim/study/validated_errors.cpp reads it.
NAME = "backtest"
#: The mean error of gains that a pair may have.
BAR = 0.15
#: One row in so many says what a part of a machine file is worth.
PARTS_ONE_IN = 5


class Pair(NamedTuple):
    """A predecessor and its successor."""

    title: str
    #: The file that predicts each machine, below configs/validation/backtest.
    files: Dict[str, str]


PAIRS = (Pair("A100 to H100", {"h100_sxm": "h100_from_a100", "h100_pcie": "h100_pcie_from_a100"}),
         Pair("H100 to B200", {"b200": "b200_from_h100"}),
         Pair("RTX 3090 to RTX 4090", {"rtx4090": "rtx4090_from_rtx3090"}))
#: In the order of tables; nvfp4 is the successor's alone.
TYPES = {"fp16, bf16": ("fp16", "bf16"), "fp8": ("fp8_e4m3",), "int8": ("int8",), "tf32": ("tf32",), "nvfp4": ("nvfp4",)}
TITLES = {"dense": "dense time", "sparse": "sparse time", "speedup": "gain"}
PAIR_OF = {machine: pair.title for pair in PAIRS for machine in pair.files}

#: Parts of a machine file, by their keys.
PARTS = {"libraries": ("kernels", "libraries", "stacks", "other_stacks"), "clock and power": ("clock_mhz", "power"),
         "caches, memory and ways to them": ("accelerator",), "both of these": ("clock_mhz", "power", "accelerator")}
OF_WAYS = ("memory_bus", "l2_cache", "dram", "cta_scheduler")


def predicted_file(machine: str) -> Path:
    file = next(pair.files[machine] for pair in PAIRS if machine in pair.files)
    return config_folder() / "validation" / "backtest" / (file + ".yaml")


def measured(one_in: int = 1) -> List[GemmRow]:
    """One in so many scored rows of the successors, from 20 us on."""
    tables = read_tables([str(config_folder() / "validation" / name) for name in TABLES])
    rows.name_machines(tables, rows.Machines())
    scored = [row for row in tables.gemms if row.machine in PAIR_OF and row.is_scored and not row.unusable]
    return [row for row in scored if errors.is_large(row)][::one_in]


def simulated(of_rows: List[GemmRow], machines: Dict[str, Path], jobs: int) -> List[GemmRow]:
    """Copies of the rows, simulated on the machines that stand for theirs, under the names that theirs have."""
    tables = Tables(gemms=[replace(row, machine=str(machines.get(row.machine, row.machine)), simulated=Times(),
                                   roofline=Times(), tiles=Times(), likely={}) for row in of_rows])
    rows.simulate(tables, jobs, lambda done: None)
    wrong = tables.bad_rows + [row.where.error(row.skipped).args[0] for row in tables.gemms if row.skipped]
    if wrong:
        raise TableError(wrong[0])
    return [replace(row, machine=own.machine) for row, own in zip(tables.gemms, of_rows)]


def predicted(of_rows: List[GemmRow], jobs: int) -> List[GemmRow]:
    """The rows on the machines that know no time of theirs."""
    return simulated(of_rows, {machine: predicted_file(machine) for machine in PAIR_OF}, jobs)


def off_by(of_rows: List[GemmRow], quantity: str) -> List[float]:
    """simulated / measured - 1."""
    return [said / was - 1 for was, said in errors.points_of(of_rows, quantity)]


def _mean_of_pairs(by_pair: Dict[str, List[float]]) -> float:
    return errors.total(errors.total(values) / len(values) for values in by_pair.values()) / len(by_pair)


def _cell(quantity: str, regime: str, residuals: List[bands.Residual]) -> Optional[bands.ErrorCell]:
    """Each pair counts the same. None where a pair has too few rows for it."""
    by_pair = {pair: [row.log_ratio for row in of_pair]
               for pair, of_pair in errors.group_by(residuals, lambda row: PAIR_OF[row.machine]).items()}
    if len(by_pair) < len(PAIRS) or min(map(len, by_pair.values())) < bands.FEWEST_ROWS:
        return None
    off = {pair: [math.expm1(-value) for value in values] for pair, values in by_pair.items()}
    band = bands.Band(*(bands.middle_of_cards(by_pair, share) for share in (bands.WIDE, bands.NARROW)))
    sizes = {pair: [*map(abs, values)] for pair, values in off.items()}
    return bands.ErrorCell(NAME, "", quantity, regime, len(residuals), _mean_of_pairs(sizes), _mean_of_pairs(off), band)


def cells(of_rows: List[GemmRow]) -> List[bands.ErrorCell]:
    """Errors of all pairs, by quantity: in each regime in which all have rows, and in any."""
    residuals = bands.residuals(Tables(gemms=of_rows))
    of = {quantity: [row for row in residuals if row.quantity == quantity] for quantity, _ in QUANTITIES}
    found = [_cell(quantity, regime, [row for row in of[quantity] if regime in ("", row.regime)])
             for quantity, _ in QUANTITIES for regime in (*sorted(bands.REGIMES), "")]
    return [cell for cell in found if cell]


def csv_text(of_rows: List[GemmRow]) -> str:
    """backtest_errors.csv without its comments."""
    return document.csv_text(bands.ERROR_COLUMNS, [bands.csv_row(cell) for cell in cells(of_rows)])


#: Columns of results/backtest_rows.csv: a row of a table, and its times as predicted.
ROW_COLUMNS = ("table", "line", "machine", "dense_us", "sparse_us")


def rows_text(of_rows: List[GemmRow]) -> str:
    """results/backtest_rows.csv."""
    lines = [(row.where.table, row.where.line, row.machine, row.simulated.dense, row.simulated.sparse) for row in of_rows]
    return document.csv_text(ROW_COLUMNS, [dict(zip(ROW_COLUMNS, line)) for line in lines])


def read_rows(text: str) -> List[GemmRow]:
    """The rows with their times as rows_text() wrote them."""
    times = {(row["table"], row["line"]): [float(row[key]) if row[key] else None for key in ROW_COLUMNS[3:]]
             for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))}
    of_rows = measured()
    for row in of_rows:
        dense, sparse = times[row.where.table, str(row.where.line)]
        row.simulated = Times(dense, sparse, dense / sparse if dense and sparse else None)
    return of_rows


def _merged(base: Any, own: Any) -> Any:
    if not (isinstance(base, dict) and isinstance(own, dict)):
        return own
    return {**base, **{key: _merged(base.get(key), value) for key, value in own.items()}}


def _content(machine: str) -> Dict[str, Any]:
    """What the shipped file says, with all that it extends."""
    own = read_yaml(config_folder() / "arch" / (machine + ".yaml"))
    return _merged(_content(own["extends"]), own) if "extends" in own else own


def _with_part(machine: str, part: str, folder: Path) -> Path:
    """The predicted file with a part of the shipped one, which knows times."""
    shipped = _content(machine)
    own = {key: shipped[key] for key in PARTS[part] if key in shipped}
    if "accelerator" in own:
        ways = {key: own["accelerator"][key] for key in OF_WAYS}
        own["accelerator"] = {**ways, "sm": {"shared_memory": own["accelerator"]["sm"]["shared_memory"]}}
    file = folder / (machine + ".yaml")
    file.write_text(json.dumps({"extends": str(predicted_file(machine)), "name": machine, **own}), encoding="utf-8")
    return file


def parts(of_rows: List[GemmRow], jobs: int) -> Iterator[Tuple[str, List[GemmRow]]]:
    """Rows on predicted machines that have one part of the shipped ones."""
    for part in PARTS:
        with tempfile.TemporaryDirectory() as folder:
            yield part, simulated(of_rows, {machine: _with_part(machine, part, Path(folder)) for machine in PAIR_OF}, jobs)


def _share_within(values: List[float], share: float) -> float:
    """The least that so many of the values are within, one more value counted."""
    values = sorted(map(abs, values))
    return values[min(len(values), math.ceil(share * (len(values) + 1))) - 1]


def _numbers(values: List[float]) -> List[str]:
    mean, bias = errors.means(values)
    return [report.percent(mean), report.signed(bias), report.percent(_share_within(values, 0.9))]


def _kinds(of_rows: List[GemmRow]) -> Iterator[Tuple[str, List[GemmRow]]]:
    for name, types in TYPES.items():
        yield name, [row for row in of_rows if row.dtype in types]
    yield "all", of_rows


def error_table(said: List[GemmRow], informed: List[GemmRow]) -> report.Table:
    """Errors by pair, type and quantity: on predicted machines, and on shipped ones."""
    lines = []
    for pair in PAIRS:
        both = [[row for row in of_rows if row.machine in pair.files] for of_rows in (said, informed)]
        for (kind, blind), (_, knows) in zip(*map(_kinds, both)):
            for quantity, title in TITLES.items():
                off = [off_by(of_rows, quantity) for of_rows in (blind, knows)]
                if off[0]:
                    lines.append([pair.title, kind, title, str(len(off[0])), *_numbers(off[0]), *_numbers(off[1])])
    return report.Table("pair; type; what; rows >; mean error >; bias >; 9 of 10 within >; shipped file: mean error >; bias >; "
                        "9 of 10 within >", lambda line: line, lines)


def regime_table(said: List[GemmRow]) -> report.Table:
    """Errors of gains by what a launch is like, where a pair has six rows and more."""
    lines = []
    for pair in PAIRS:
        named = [(kind, bands.regime_of(row.m, row.n, row.simulated.sparse or 0.0), row)
                 for kind, of_kind in _kinds([row for row in said if row.machine in pair.files]) for row in of_kind
                 if kind != "all" and errors.points_of([row], "speedup")]
        for (kind, regime), of_regime in errors.group_by(named, lambda one: one[:2]).items():
            off = off_by([row for *_, row in of_regime], "speedup")
            if len(off) >= bands.FEWEST_ROWS:
                lines.append([pair.title, kind, regime, str(len(off)), *_numbers(off)])
    return report.Table("pair; type; launch; rows >; mean error >; bias >; 9 of 10 within >", lambda line: line, lines)


def part_table(of_parts: Dict[str, List[GemmRow]]) -> report.Table:
    """Mean errors of sampled rows by pair, with one part of the shipped files at a time."""
    lines = [[pair.title, part, str(len([row for row in of_rows if row.machine in pair.files])),
              *(" ".join(_numbers(off_by([row for row in of_rows if row.machine in pair.files], quantity))[:2])
                for quantity in TITLES)]
             for pair in PAIRS for part, of_rows in of_parts.items()]
    return report.Table("pair; of the shipped file; rows >; dense time >; sparse time >; gain >", lambda line: line, lines)


def _ends(ends: bands.Range) -> str:
    return f"{math.exp(min(ends[0], 0)):.2f} to {math.exp(max(ends[1], 0)):.2f}"


def band_table(now: List[bands.ErrorCell]) -> report.Table:
    """Where measured values lie, as a factor on what is simulated."""
    return report.Table("what; regime; rows >; 95 % of measured values >; 80 % >", lambda cell: (
        TITLES[cell.quantity], cell.regime or "any other", str(cell.rows), *map(_ends, cell.band or ())), now)


def answer(said: List[GemmRow]) -> str:
    """The first lines of the page."""
    gains = {pair.title: off_by([row for row in said if row.machine in pair.files], "speedup") for pair in PAIRS}
    together = [value for values in gains.values() for value in values]
    mean = {title: errors.means(values)[0] for title, values in {**gains, "all three": together}.items()}
    holds, fails = ([f"{title} ({report.percent(one)})" for title, one in mean.items() if (one <= BAR) == is_held]
                    for is_held in (True, False))
    of_times = " and ".join(f"{report.percent(errors.means(off_by(said, quantity))[0])} ({TITLES[quantity]})"
                            for quantity in ("dense", "sparse"))
    within = report.percent(_share_within(together, 0.9))
    return (f"How far off is this program for a machine that nobody has measured yet? Gains of 2:4 (dense time / sparse time) "
            f"are {report.percent(mean['all three'])} off in the mean of {len(together)} measured rows, and 9 of 10 within "
            f"{within}. Times are {of_times} off.\n\n"
            f"The bar is a mean error of gains of {report.percent(BAR)}. It holds for {', '.join(holds) or 'none'}. "
            f"It does not hold for {', '.join(fails) or 'none'}.\n")


def page(jobs: int) -> str:
    """What scripts/backtest.mjs makes the page and both tables of, as JSON."""
    every, some = measured(), measured(PARTS_ONE_IN)
    said = predicted(every, jobs)
    of_parts = {"nothing": predicted(some, jobs), **dict(parts(some, jobs))}
    tables = {"errors": error_table(said, simulated(every, {}, jobs)), "regimes": regime_table(said),
              "parts": part_table(of_parts), "bands": band_table(cells(said))}
    return json.dumps({"answer": answer(said), "csv": csv_text(said), "rows": rows_text(said),
                       **{name: table.markdown() for name, table in tables.items()}})


if __name__ == "__main__":
    print(page(int(sys.argv[1])))
