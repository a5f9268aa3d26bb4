"""Launches beside hardware counters: errors by group, cycles of a k-step, and models without a simulator."""

from __future__ import annotations

import math
import re
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

from .errors import Point, Summary, group_by, statistics, total
from .model import COUNTERS, SCORED, CounterRow

#: Kernels of fewer cycles are scored apart, those of fewer than the least not at all.
LONG_CYCLES, LEAST_CYCLES = 35_000, 10_000


class Group(NamedTuple):
    """Rows that are scored together."""

    machine: str
    dtype: str
    pattern: str
    is_long: bool
    segments_k: bool

    @property
    def regime(self) -> str:
        """ "2:4, short"."""
        return self.pattern + (", k cut" if self.segments_k else "" if self.is_long else ", short")


def group_of(row: CounterRow) -> Group:
    return Group(row.machine, row.dtype, row.pattern, row.counted["cycles"] >= LONG_CYCLES, row.segments_k)


def is_dense(row: CounterRow) -> bool:
    return row.pattern == "dense"


def points_of(rows: Iterable[CounterRow], counter: str, launch: str = "as_measured") -> List[Point]:
    """Counted and simulated values; `launch` is as_measured or chosen."""
    pairs = ((row.counted.get(counter), getattr(row, launch).counted.get(counter)) for row in rows)
    return [(counted, simulated) for counted, simulated in pairs if counted and counted > 0 and simulated is not None]


def errors_of(rows: Iterable[CounterRow], counter: str) -> Tuple[Summary, Summary]:
    """With the kernels that ran, and with those that the simulator takes by itself."""
    rows = list(rows)
    return statistics(points_of(rows, counter)), statistics(points_of(rows, counter, "chosen"))


def scored_groups(rows: Iterable[CounterRow]) -> Dict[Group, List[CounterRow]]:
    scored = (row for row in rows if not row.skipped and row.is_scored)
    return group_by((row for row in scored if row.counted["cycles"] >= LEAST_CYCLES), group_of)


def cells(rows: Iterable[CounterRow]) -> List[Tuple[Group, str, Summary]]:
    """Group, key of the counter (behind "own " that of the kernels chosen) and errors."""
    found = [(group, own + key, errors) for group, of_group in scored_groups(rows).items() for key, _ in COUNTERS
             for own, errors in zip(("", "own "), errors_of(of_group, key))]
    return [one for one in found if one[2].rows]


def long_rows(rows: Iterable[CounterRow], sparse: bool) -> List[CounterRow]:
    """Scored kernels of 35,000 cycles and more, dense or sparse, of all machines and types."""
    return [row for row in rows if not row.skipped and row.use in SCORED and is_dense(row) != sparse
            and group_of(row).is_long and not row.segments_k]


class KStep(NamedTuple):
    """Cycles of a kernel's main loop a k-step and tile: from the least K to the most, on one shape of C."""

    first: CounterRow
    last: CounterRow
    #: Tiles that follow each other on an SM.
    tiles_in_turn: int
    counted: float
    simulated: float
    #: The multipliers' alone.
    multiplying: float


def _k_step(first: CounterRow, last: CounterRow) -> KStep:
    of_last, of_first = last.as_measured, first.as_measured
    tiles = math.ceil(of_last.waves)
    first_steps, last_steps = (row.k / int(row.as_measured.tile.split("x")[2]) for row in (first, last))
    steps = (last_steps - first_steps) * tiles
    multiplying = [launch.counted["busy"] * launch.counted["cycles"] for launch in (of_last, of_first)]
    # Shares of multipliers are of all SMs, also where the last wave leaves some without a tile.
    return KStep(first, last, tiles, (last.counted["cycles"] - first.counted["cycles"]) / steps,
                 (of_last.counted["cycles"] - of_first.counted["cycles"]) / steps,
                 (multiplying[0] - multiplying[1]) / steps * tiles / of_last.waves)


def k_steps(rows: Iterable[CounterRow]) -> List[KStep]:
    """K-steps of kernels of 10,000 cycles and more that were counted with two and more K on one C."""
    counted = (row for row in rows if "cycles" in row.as_measured.counted and row.counted["cycles"] >= LEAST_CYCLES)
    shapes = group_by(counted, lambda row: (row.machine, row.kernel_name, row.m, row.n))
    of_k = [list(group_by(of_shape, lambda row: row.k).values()) for of_shape in shapes.values()]
    return [_k_step(by_k[0][0], by_k[-1][0]) for by_k in of_k if len(by_k) > 1]


#: Rows and columns of tiles of C in names of cuBLASLt's kernels (columns first) and cuSPARSELt's.
_NAMES = ((re.compile(r"^nvjet_sm90_[a-z]+_([0-9]+)x([0-9]+)_[0-9]+x[0-9]+_[0-9]+x[0-9]+_"), (2, 1)),
          (re.compile(r"^sm90_xmma_sparse_gemm_.*_tilesize([0-9]+)x([0-9]+)x[0-9]+_"), (1, 2)))
Terms = List[float]


def tiles_of(row: CounterRow) -> int:
    """Tiles of C by the kernel's name; 1 if that does not say."""
    for name, (of_rows, of_columns) in _NAMES:
        found = name.search(row.kernel_name)
        if found:
            return -(-row.m // int(found[of_rows])) * -(-row.n // int(found[of_columns]))
    return 1


def _terms(row: CounterRow) -> Terms:
    """1, and the logarithms of M, N, K and the number of tiles."""
    return [1.0, *(math.log(count) for count in (row.m, row.n, row.k, tiles_of(row)))]


def _solution(equations: List[List[float]]) -> Terms:
    """Gauss's elimination, the largest factor first; a line ends with its sum."""
    size = len(equations)
    for at in range(size):
        largest = max(range(at, size), key=lambda line: abs(equations[line][at]))
        equations[at], equations[largest] = equations[largest], equations[at]
        for other in range(size):
            times = equations[other][at] / equations[at][at]
            if other != at:
                equations[other][at:] = [a - times * b for a, b in zip(equations[other][at:], equations[at][at:])]
    return [equations[at][size] / equations[at][at] for at in range(size)]


def _regression(rows: List[CounterRow]) -> Terms:
    """Numbers whose sum of squared errors in the logarithm of the cycles is least."""
    lines = [(_terms(row), math.log(row.counted["cycles"])) for row in rows]
    size = len(lines[0][0])
    equations = [[total(terms[i] * terms[j] for terms, _ in lines) for j in range(size)]
                 + [total(terms[i] * cycles for terms, cycles in lines)] for i in range(size)]
    for i in range(size):
        equations[i][i] += 1e-12  # keeps terms apart that depend on each other
    return _solution(equations)


def _by_nearest(row: CounterRow, known: List[CounterRow]) -> float:
    """Cycles of the row whose M, N and K are nearest (distances of logarithms), times the multiplications."""
    own = _terms(row)

    def distance(other: CounterRow) -> float:
        return total((a - b) * (a - b) for a, b in list(zip(own, _terms(other)))[1:4])

    nearest = min(known, key=distance)
    macs, theirs = (float(one.m * one.n * one.k * one.batch_count) for one in (row, nearest))
    return nearest.counted["cycles"] * macs / theirs


class Baselines(NamedTuple):
    """Errors of cycles of those who know the rows `fitting` of a kind, or less, beside the simulator's."""

    simulated: Summary
    roofline: Summary
    nearest: Summary
    regression: Summary


def baselines(rows: Iterable[CounterRow], sparse: bool) -> Optional[Baselines]:
    """Errors of rows `testing` of 35,000 cycles and more, if six rows `fitting` and more are of their kind."""
    points: List[List[Point]] = [[], [], [], []]
    simulated = (row for row in long_rows(rows, sparse) if "cycles" in row.as_measured.counted)
    for of_kind in group_by(simulated, group_of).values():
        fitting, testing = ([row for row in of_kind if row.use == use] for use in SCORED)
        if len(fitting) < 6:
            continue
        numbers = _regression(fitting)
        for row in testing:
            predicted = (row.as_measured.counted["cycles"], row.roofline_cycles, _by_nearest(row, fitting),
                         math.exp(total(term * number for term, number in zip(_terms(row), numbers))))
            for own, value in zip(points, predicted):
                own.append((row.counted["cycles"], value))
    return Baselines(*map(statistics, points)) if points[0] else None
