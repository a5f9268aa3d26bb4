"""`stcsim fit`: a machine file whose numbers fit measured times of GEMMs.

The program checks the options and hands them on as JSON on standard input: the machine's values, the keys that are
set, and the columns that a table may have.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional

from ._process import Error
from .evidence.__main__ import Progress, end_with, guarded
from .evidence.model import Place, TableError
from .evidence.program import eval_lines
from .evidence.report import percent, signed
from .evidence.tables import Table, number_in
from .least_squares import Fit, Point, minimise

#: What data sheets do not say, and times of GEMMs tell.
KEYS = ("accelerator.cta_scheduler.launch_cycles", "accelerator.cta_scheduler.cta_setup_cycles",
        "accelerator.sm.epilogue.setup_cycles", "accelerator.sm.epilogue.elements_per_clk",
        "accelerator.sm.shared_memory.fill_bytes_per_clk", "accelerator.sm.shared_memory.barrier_cycles",
        "accelerator.memory_bus.sm_read_bytes_per_clk", "accelerator.l2_cache.read_bytes_per_clk",
        "accelerator.l2_cache.near_hit_cycles", "accelerator.dram.bytes_per_clk")
#: A key stays within a half and twice of what the first machine has.
MOST_FACTOR = 2
ROWS_PER_KEY = 2
#: Every such row is left out of the first fit.
LEFT_OUT = 3
#: Less is not told by the rows: a tenth more or less of the key changes no time by a thousandth.
LEAST_INFLUENCE = 0.01
STANDARD_STREAM = "-"


class Key(NamedTuple):
    name: str
    first: int
    least: int
    most: int

    def at(self, logarithm: float) -> int:
        return min(max(math.floor(self.first * math.exp(logarithm) + 0.5), self.least), self.most)


class Row(NamedTuple):
    #: As a line of `eval` has them.
    options: Dict[str, str]
    time_us: float
    where: Place


def read_rows(file: str, options: List[str]) -> List[Row]:
    """:param options: names of those that GEMMs have
    :raises TableError: with FILE:LINE:COLUMN"""
    columns = ["pattern" if name == "sparsity" else name.replace("-", "_") for name in options]
    bad_rows: List[str] = []
    table = Table(file, bad_rows)
    if bad_rows:
        raise TableError(bad_rows[0])
    table.require(("m", "n", "k", "time_us"))
    rows = []
    for row in table.rows:
        time = number_in(row["time_us"].text)
        if not time or time < 0:
            raise row["time_us"].where.error(f"time_us is '{row['time_us'].text}', must be a time above 0")
        rows.append(Row({name: row.text(name) for name in columns if row.text(name)}, time, row["m"].where))
    return rows


class MachineFit:
    """Points have the logarithm of each key's factor."""

    def __init__(self, request: Dict[str, Any]):
        self._arch, self._set, self._jobs = request["from"], request["set"], request["jobs"]
        self.rows = read_rows(request["table"], request["options"])
        self.keys = [self._key(name, first) for name in KEYS if name not in self._set
                     for first in [_number(request["machine"], name)] if first is not None]
        needed = ROWS_PER_KEY * len(self.keys)
        if len(self.rows) < needed:
            raise Error(f"{request['table']} has {len(self.rows)} rows, {len(self.keys)} keys are fitted: "
                        f"must be {needed} rows at least")
        self._progress = Progress("fitting: {} machines simulated")
        self._simulated = 0

    def values(self, point: Point) -> Dict[str, int]:
        return {key.name: key.at(part) for key, part in zip(self.keys, point)}

    def errors(self, points: List[Point], rows: List[Row]) -> List[Point]:
        """ln(simulated / measured) of each row."""
        lines = [{**row.options, "arch": self._arch, "set": {**self._set, **self.values(point)}}
                 for point in points for row in rows]
        answers = eval_lines(lines, self._jobs, "time_us")
        try:
            errors = [[_error(row, next(answers)) for row in rows] for _ in points]
        except TableError:
            self._progress.wipe()  # its message has a line of its own
            raise
        self._simulated += len(points)
        self._progress(self._simulated)
        return errors

    def fit(self, rows: List[Row], start: Point) -> Fit:
        fitted = minimise(lambda points: self.errors(points, rows), start, math.log(MOST_FACTOR))
        self._progress.wipe()
        return fitted

    def rows_of(self, is_left_out: bool) -> List[Row]:
        return [row for at, row in enumerate(self.rows) if (at % LEFT_OUT == LEFT_OUT - 1) == is_left_out]

    def _key(self, name: str, first: int) -> Key:
        return Key(name, first, self._allowed(name, max(1, first // MOST_FACTOR), first),
                   self._allowed(name, first * MOST_FACTOR, first))

    def _allowed(self, name: str, value: int, first: int) -> int:
        """The value nearest to `value` that a machine may have, in halves of the way to one that it has."""
        while value != first:
            line = {"arch": self._arch, "m": 1, "n": 1, "k": 1, "set": {**self._set, name: value}}
            if "error" not in next(eval_lines([line], 1, "time_us")):
                break
            value = first + int((value - first) / 2)
        return value


def _error(row: Row, answer: Dict[str, Any]) -> float:
    if "error" in answer:
        raise row.where.error(answer["error"])
    return math.log(answer["time_us"] / row.time_us)


def _number(machine: Any, key: str) -> Optional[int]:
    for part in key.split("."):
        machine = machine.get(part) if isinstance(machine, dict) else None
    return machine if isinstance(machine, int) else None


def mean(errors: Point) -> float:
    return sum(abs(math.expm1(error)) for error in errors) / len(errors)


def _yaml(value: Any, indent: str) -> str:
    """A map, block by block; a map of plain values is one line, and the rest as JSON writes it."""
    if not isinstance(value, dict):
        text = value if isinstance(value, str) else json.dumps(value)
        return " " + (text if text.replace("_", "a").isalnum() and text[0].isalpha() else json.dumps(value))
    if not any(isinstance(one, dict) for one in value.values()) and indent:
        return " {" + ", ".join(f"{key}:{_yaml(one, indent)}" for key, one in sorted(value.items())) + "}"
    return "".join(f"\n{indent}{key}:{_yaml(one, indent + '  ')}" for key, one in sorted(value.items()))


def machine_text(request: Dict[str, Any], values: Dict[str, Any], rows: int, summary: str) -> str:
    output = request["output"]
    name = "fitted" if output == STANDARD_STREAM else Path(output).stem
    machine: Dict[str, Any] = {"extends": request["extends"], "name": name}
    for key, value in {**request["set"], **values}.items():
        *above, last = key.split(".")
        within = machine
        for part in above:
            within = within.setdefault(part, {})
        within[last] = value
    return (f"# Fitted by stcsim fit to {rows} times of GEMMs in {request['table']}: {summary}"
            f"{_yaml(machine, '')}\n")


def keys_text(fit: MachineFit, result: Fit) -> str:
    rows = [("fitted key", "before", "after", "range", "")]
    for key, at, influence in zip(fit.keys, result.at, result.influence):
        value = key.at(at)
        is_at_end = value in (key.least, key.most)
        why = "no row depends on it" if influence <= LEAST_INFLUENCE else "at the end of its range" if is_at_end else ""
        rows.append((key.name, str(key.first), str(value), f"{key.least}..{key.most}", why))
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines) + "\n"


def _option(key: str) -> str:
    return "sparsity" if key == "pattern" else key.replace("_", "-")


def furthest_text(fit: MachineFit, errors: Point) -> str:
    """The rows that are still furthest off."""
    worst = sorted(zip(errors, fit.rows), key=lambda one: -abs(one[0]))[:3]
    return "furthest off still:\n" + "".join(
        f"  {signed(math.expm1(error))}  " + " ".join(f"--{_option(name)}={value}"
                                                       for name, value in row.options.items()) + "\n"
        for error, row in worst)


def next_text(output: str) -> str:
    text, width = "next:", shutil.get_terminal_size((100, 24)).columns
    for part in ("stcsim gemm", "--arch " + shlex.quote("./" + output), "1024 8192 1024", "--sparsity 2:4"):
        is_too_wide = len(text.rpartition("\n")[2]) + len(part) + 3 > width
        text += (" \\\n    " if is_too_wide else " ") + part
    return text + "\n"


def run(request: Dict[str, Any]) -> int:
    output = request["output"]
    try:
        beside_output = tempfile.TemporaryDirectory(dir=Path(output).parent)
    except OSError as error:
        raise Error(f"cannot write {output}: {error.strerror}") from None
    with beside_output as beside:
        fit = MachineFit(request)
        start = [0.0] * len(fit.keys)
        left_out = fit.rows_of(True)
        first = fit.fit(fit.rows_of(False), start)
        before, after = (mean(errors) for errors in fit.errors([start, first.at], left_out))
        all_before = mean(fit.errors([start], fit.rows)[0])
        result = fit.fit(fit.rows, first.at)
        summary = f"{percent(after)} off in the mean where it was not fitted"
        text = machine_text(request, fit.values(result.at), len(fit.rows), summary)
        if output == STANDARD_STREAM:
            sys.stdout.write(text)
            return 0
        written = Path(beside) / "machine.yaml"
        written.write_text(text, encoding="utf-8")
        os.replace(written, output)
    sys.stdout.write(f"{output}: times are {summary}, {percent(before)} before\n"
                     f"  {len(fit.rows)} rows fitted in the end: {percent(mean(result.residuals))} off, "
                     f"{percent(all_before)} before\n\n{keys_text(fit, result)}\n"
                     f"{furthest_text(fit, result.residuals)}{next_text(output)}")
    return 0


if __name__ == "__main__":
    end_with(lambda: guarded("stcsim fit", lambda: run(json.load(sys.stdin))))
