"""Errors of rows: their means, by GPU and use, in cells, and where sparse is chosen by simulated times."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Tuple

from .model import QUANTITIES, USES, Ends, GemmRow

#: In the order of tables.
DTYPES = ("fp16", "bf16", "tf32", "int8", "int4", "fp8_e4m3", "fp8_e5m2", "nvfp4", "fp32", "int32")
#: Shorter GEMMs tell of hosts and launches besides, and stand apart.
VALIDATED_FROM_US = 20.0
#: A measured value, above 0, and what was predicted for it.
Point = Tuple[float, float]


def total(values: Iterable[float]) -> float:
    """The sum, added one by one: sum() adds in another way from Python 3.12 on."""
    result = 0.0
    for value in values:
        result += value
    return result


def group_by(rows: Iterable[Any], key: Callable[[Any], Any]) -> Dict[Any, List[Any]]:
    """Rows by their keys, in the order of the keys."""
    groups: Dict[Any, List[Any]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return dict(sorted(groups.items()))


class Summary(NamedTuple):
    """Means of the absolute errors and of the signed ones, and Pearson's r if values differ."""

    rows: int = 0
    mean_absolute: float = 0.0
    bias: float = 0.0
    correlation: Optional[float] = None


def statistics(points: Iterable[Point]) -> Summary:
    points = list(points)
    if not points:
        return Summary()
    errors = [predicted / measured - 1 for measured, predicted in points]
    return Summary(len(points), *means(errors), _correlation(points))


def means(errors: List[float]) -> List[float]:
    """The mean of absolute values and that of the values; nothing of no errors."""
    return [total(values) / len(errors) for values in (map(abs, errors), errors)] if errors else []


def _correlation(points: List[Point]) -> Optional[float]:
    mean_x, mean_y = (total(point[at] / len(points) for point in points) for at in (0, 1))
    xx = total((x - mean_x) * (x - mean_x) for x, _ in points)
    yy = total((y - mean_y) * (y - mean_y) for _, y in points)
    xy = total((x - mean_x) * (y - mean_y) for x, y in points)
    return xy / math.sqrt(xx * yy) if xx > 0 and yy > 0 else None


def distance_from(simulated: Ends, measured: Ends) -> Optional[float]:
    """Distance of the end of `simulated` that is furthest outside, as a signed fraction of the end that it misses.

    It is 0 only if all of `simulated` lies in `measured`, and None if one of them is empty.
    """
    low, high = measured
    if simulated == (None, None) or measured == (None, None):
        return None
    furthest = 0.0
    for end in simulated:
        if end is None:
            continue
        distance = end / high - 1 if high is not None and end > high else 0.0
        distance = end / low - 1 if low is not None and end < low else distance
        furthest = distance if abs(distance) > abs(furthest) else furthest
    return furthest


def points_of(rows: Iterable[GemmRow], quantity: str, model: str = "simulated") -> List[Point]:
    """Points of rows that have both values; `model` is simulated, roofline or tiles."""
    pairs = ((row.measured.of(quantity), getattr(row, model).of(quantity)) for row in rows)
    return [(measured, predicted) for measured, predicted in pairs if measured is not None and predicted is not None]


def summaries(rows: List[GemmRow]) -> List[Tuple[str, str, Summary]]:
    """Words for the rows, key of the quantity, and errors: of each GPU, and of all rows by their use."""
    scored = [row for row in rows if row.is_scored]
    of_use = {use: [row for row in rows if row.use == use] for use in USES}
    gpus = dict.fromkeys(row.gpu for row in rows)
    named = [(gpu, [row for row in scored if row.gpu == gpu], "simulated") for gpu in gpus]
    named.append(("all", scored, "simulated"))
    if of_use["fitting"]:
        named += [(f"all, {use}", of_use[use], "simulated") for use in ("fitting", "testing")]
    named += [("all, V:2:m", [row for row in scored if row.selects_columns], "simulated"),
              ("all, not scored", of_use["shown"], "simulated"), ("all, sealed", of_use["sealed"], "simulated"),
              ("all, by a roofline", scored, "roofline")]
    errors = [(name, key, statistics(points_of(of_name, key, model)))
              for name, of_name, model in named for key, _ in QUANTITIES]
    return [one for one in errors if one[2].rows]


class Spread(NamedTuple):
    """Distances between measurements of the same GEMM: no model is closer to all of them."""

    rows: int = 0
    #: Mean of half the distance between the least and the most, as a share of the measured time.
    half_range: float = 0.0
    #: Share of the rows whose simulated time lies between them.
    within: float = 0.0


class Cell(NamedTuple):
    """Errors by quantity of the rows of a machine, type and size.

    An empty source or stack stands for all; without a use rows are those that are scored.
    """

    machine: str
    dtype: str
    is_large: bool
    #: The source's name, without the version behind " @".
    source: str = ""
    stack: str = ""
    use: Optional[str] = None
    simulated: Dict[str, Summary] = {}
    roofline: Dict[str, Summary] = {}
    tiles: Dict[str, Summary] = {}
    spread: Spread = Spread()

    @property
    def is_total(self) -> bool:
        return not self.source and not self.stack and self.use is None


def is_large(row: GemmRow) -> bool:
    """Whether the dense time, as measured or else as simulated, is 20 us and more; else goes by the sparse time."""
    times = (row.measured.dense, row.simulated.dense, row.measured.sparse, VALIDATED_FROM_US)
    return next(time for time in times if time is not None) >= VALIDATED_FROM_US


def _source_name(row: GemmRow) -> str:
    return row.source.partition(" @")[0]


def _parts(rows: List[GemmRow]) -> List[Tuple[str, str, Optional[str]]]:
    """Source, stack and use of the cells: all; by use and by stack where there are several; each by itself."""
    sources = sorted({(_source_name(row), row.stack, USES.index(row.use)) for row in rows})
    stacks = sorted({row.stack for row in rows if row.is_scored})
    parts: List[Tuple[str, str, Optional[str]]] = [("", "", None)]
    if len({source[:2] for source in sources}) > 1:
        parts += [("", "", use) for use in USES]
    if len(stacks) > 1:
        parts += [("", stack, None) for stack in stacks]
    return parts + [(source, stack, USES[use]) for source, stack, use in sources]


def _is_in(row: GemmRow, source: str, stack: str, use: Optional[str]) -> bool:
    return (row.use == use if use else row.is_scored) and stack in ("", row.stack) and source in ("", _source_name(row))


def _spread_of(rows: List[GemmRow]) -> Spread:
    spread = [(row.dense_range, row) for row in rows if row.dense_range and row.simulated.dense is not None]
    if not spread:
        return Spread()
    half = total((most - least) / 2 / row.measured.dense for (least, most), row in spread)
    within = total(least <= row.simulated.dense <= most for (least, most), row in spread)
    return Spread(len(spread), half / len(spread), within / len(spread))


def cells(rows: List[GemmRow]) -> List[Cell]:
    """A cell of each machine, data type and size, and of its parts that have rows."""
    found = []
    groups = group_by((row for row in rows if not row.skipped),
                      lambda row: (row.machine, DTYPES.index(row.dtype), not is_large(row)))
    for (machine, dtype, is_small), of_group in groups.items():
        for part in _parts(of_group):
            of_part = [row for row in of_group if _is_in(row, *part)]
            errors = [{key: statistics(points_of(of_part, key, model)) for key, _ in QUANTITIES}
                      for model in ("simulated", "roofline", "tiles")]
            if of_part:
                found.append(Cell(machine, DTYPES[dtype], not is_small, *part, *errors, _spread_of(of_part)))
    return found


class Selection(NamedTuple):
    """Claim and gain of choosing the faster kernel by simulated times, for scored 2:4 rows of a machine and type."""

    machine: str
    dtype: str
    rows: int
    #: Those that run sparse: their simulated gain exceeds 1 + threshold.
    sparse: int
    #: The mean |error| of simulated gains, of rows from 20 us on.
    threshold: float
    #: Mean gains, 1 where dense is taken: as simulated, and as measured of the same choices.
    claimed: float
    got: float

    @property
    def excess(self) -> float:
        """By how much the claim is too large."""
        return self.claimed / self.got - 1


def selections(rows: List[GemmRow]) -> List[Selection]:
    off = {(cell.machine, cell.dtype): cell.simulated["speedup"].mean_absolute
           for cell in cells(rows) if cell.is_large and cell.is_total}
    found = []
    chosen_from = (row for row in rows if not row.skipped and row.is_scored and row.pattern == "2:4")
    for (machine, dtype), of_type in group_by(chosen_from, lambda row: (row.machine, DTYPES.index(row.dtype))).items():
        gains = points_of(of_type, "speedup")
        threshold = off.get((machine, DTYPES[dtype]), 0.0)
        taken = [(measured, simulated) if simulated > 1 + threshold else (1.0, 1.0) for measured, simulated in gains]
        sparse = sum(simulated > 1 + threshold for _, simulated in gains)
        if gains:
            got, claimed = (total(gain[at] for gain in taken) / len(gains) for at in (0, 1))
            found.append(Selection(machine, DTYPES[dtype], len(gains), sparse, threshold, claimed, got))
    return found
