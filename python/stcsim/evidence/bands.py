"""Residuals of rows, bands of cells (conformal prediction), and shares of rows that lie in their bands."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from . import counters, errors
from .errors import group_by, total
from .model import QUANTITIES, GemmRow, NetworkRow, Product, Tables

#: Few columns move weights and multiply little; in a short launch latencies, the last wave and the kernel count.
REGIMES = ("few columns short", "few columns long", "many columns short", "many columns long")
FEW_COLUMNS, SHORT_US = 256, 100.0
#: Fewer rows of a card say nothing of it; so many stand for a card with the same SM: no single one is an end then.
FEWEST_ROWS, ROWS_OF_SIBLINGS = 6, 79
WIDE, NARROW = 0.95, 0.80
#: Bands of other cards are narrower: the error of a blind card is added.
WIDE_OF_OTHERS = 0.90
#: Quantiles of the normal distribution at (1 + share) / 2.
NORMAL = {WIDE: 1.959964, NARROW: 1.281552}
BITS = {**dict.fromkeys(("fp16", "bf16"), "16"), **dict.fromkeys(("tf32", "fp32", "int32"), "32"),
        **dict.fromkeys(("int8", "fp8_e4m3", "fp8_e5m2"), "8"), "int4": "4", "nvfp4": "4"}
#: Ends of ln(measured / simulated).
Range = Tuple[float, float]


def rounded(value: float) -> float:
    """To four digits behind the point, halves away from zero; without the sign of a zero."""
    scaled = abs(value) * 1e4
    whole = math.floor(scaled)
    return math.copysign(whole + (scaled - whole >= 0.5), value) / 1e4 + 0.0


class Residual(NamedTuple):
    """A measured value beside its prediction."""

    machine: str
    #: "" of steps and of kernels beside the GEMMs: all types together.
    dtype: str
    #: dense, sparse or speedup of GEMMs; stream, step.
    quantity: str
    #: One of REGIMES; of steps the framework.
    regime: str
    #: The network it is of, else M and K: rows of a group have much in common.
    group: str
    #: ln(measured / simulated)
    log_ratio: float


class Band(NamedTuple):
    """Ends between which 95 and 80 % of measured values lie."""

    wide: Range
    narrow: Range


class ErrorCell(NamedTuple):
    """Errors of a card (or of all with its SM, or of all), type (or its bits, or all) and regime (or all)."""

    machine: str
    dtype: str
    quantity: str
    regime: str
    rows: int
    mean_absolute_error: float
    bias: float
    #: None of rows that are too few for one.
    band: Optional[Band] = None


class KnownErrors(NamedTuple):
    """dies.csv: the die of each machine, which is the same SM. backtest_errors.csv: mean errors of a card nobody measured."""

    dies: Dict[str, str] = {}
    blind: Dict[str, float] = {}


def known_errors(folder: Path) -> KnownErrors:
    """Reads the folder's files; nothing if one of them is not there."""
    files = [folder / name for name in ("dies.csv", "backtest_errors.csv", "errors.csv")]
    if not all(file.exists() for file in files):
        return KnownErrors()
    texts = [file.read_text(encoding="utf-8").splitlines() for file in files[:2]]
    dies, blind = ([*csv.DictReader(line for line in lines if line and not line.startswith("#"))] for lines in texts)
    return KnownErrors({row["machine"]: row["die"] for row in dies},
                       {row["quantity"]: float(row["mean_absolute_error"]) for row in blind if not row["regime"]})


def regime_of(m: int, n: int, time_us: float) -> str:
    return REGIMES[(0 if min(m, n) <= FEW_COLUMNS else 2) + (0 if time_us < SHORT_US else 1)]


def group_of(row: Product) -> str:
    """The network that a note of one word names, else M and K."""
    return row.note if row.note and " " not in row.note else f"{row.m}x{row.k}"


def dense_steps(rows: Iterable[NetworkRow]) -> List[NetworkRow]:
    """Rows that say how long a whole dense training step takes."""
    return [row for row in rows if not row.skipped and row.scope == "step" and not row.is_inference
            and row.dense is not None and row.simulated_dense is not None]


def _log_ratio(measured: float, simulated: float) -> float:
    return rounded(math.log(measured / simulated))


def _of_gemm(row: GemmRow) -> Iterator[Residual]:
    for key, _ in QUANTITIES:
        for measured, simulated in errors.points_of([row], key):
            time = row.simulated.dense if key == "dense" else row.simulated.sparse
            yield Residual(row.machine, row.dtype, key, regime_of(row.m, row.n, time or 0.0), group_of(row),
                           _log_ratio(measured, simulated))


def residuals(tables: Tables) -> List[Residual]:
    """Residuals of scored GEMMs from 20 us on, dense training steps, and kernels beside the GEMMs."""
    gemms = (row for row in tables.gemms if not row.skipped and row.is_scored and errors.is_large(row))
    found = [residual for row in gemms for residual in _of_gemm(row)]
    found += [Residual(row.machine, "", "step", row.framework, row.model, _log_ratio(row.dense, row.simulated_dense))
              for row in dense_steps(tables.networks)]
    return found + [Residual(row.machine, "", "stream", "", row.op, _log_ratio(row.time, row.simulated))
                    for row in tables.streams if row.simulated is not None]


def middle_of(values: Iterable[float], share: float) -> Optional[Range]:
    """The middle `share` of values, which holds the next one as often if it comes as they came.

    The ends have rank (1 - share) / 2 of (values + 1), which needs no distribution (conformal prediction; Vovk et al.,
    Algorithmic Learning in a Random World, 2005). None where that rank is below 1: 95 % takes 39 values.
    """
    values = sorted(values)
    rank = int((1 - share) / 2 * (len(values) + 1) + 1e-9)
    return (values[rank - 1], values[-rank]) if rank >= 1 else None


def _student(z: float, degrees: float) -> float:
    """The quantile of Student's t where the normal distribution has z (Abramowitz and Stegun, 26.7.5)."""
    z2 = z * z
    first = z * (z2 + 1) / 4
    second = z * (5 * z2 * z2 + 16 * z2 + 3) / 96
    third = z * (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / 384
    return z + first / degrees + second / (degrees * degrees) + third / degrees**3


def middle_of_few(values: List[float], share: float) -> Range:
    """The same of few values: their ends, or a normal distribution's prediction interval if that is wider."""
    middle = middle_of(values, share)
    if middle:
        return middle
    rows = float(len(values))
    mean = total(value / rows for value in values)
    squares = total((value - mean) * (value - mean) for value in values)
    half = _student(NORMAL[share], rows - 1) * math.sqrt(squares / (rows - 1) * (1 + 1 / rows))
    return min(*values, mean - half), max(*values, mean + half)


def _weighted_rank(values: List[Tuple[float, float]], share: float) -> float:
    """The least value at or below which `share` of the weight lies, one value's weight more counted."""
    weight = 0.0
    for value, own in values:
        weight += own * len(values) / (len(values) + 1)
        if weight >= share:
            return value
    return values[-1][0]


def middle_of_cards(by_card: Dict[str, List[float]], share: float) -> Range:
    """The middle `share` of several cards' values, in which each card counts the same."""
    weighted = [(value, 1 / len(by_card) / len(values)) for values in by_card.values() for value in values]
    down, up = (_weighted_rank(sorted((sign * value, weight) for value, weight in weighted), (1 + share) / 2)
                for sign in (-1, 1))
    return -down, up


#: Cells are in the order of quantities, and of scopes, those of the fewest rows first.
_RANKS = ("dense", "sparse", "speedup", "step", "stream")
_OWN_ALL, _OWN, _OWN_BITS, _SAME_SM, _ANY_CARD, _ANYTHING = range(6)
#: Rank of the quantity, scope, machine, type, regime.
_Name = Tuple[int, int, str, str, str]


def _names_of(row: Residual, dies: Dict[str, str]) -> List[_Name]:
    rank = _RANKS.index(row.quantity)
    if row.quantity == "stream":
        return [(rank, _OWN, row.machine, "", "")]
    if row.quantity == "step":
        return [(rank, _OWN, row.machine, "", row.regime), (rank, _OWN_ALL, row.machine, "", ""),
                (rank, _ANYTHING, "", "", "")]
    names = [(rank, _OWN_ALL, row.machine, row.dtype, ""), (rank, _OWN, row.machine, row.dtype, row.regime),
             (rank, _OWN_BITS, row.machine, BITS.get(row.dtype, ""), row.regime),
             (rank, _ANY_CARD, "", "", row.regime), (rank, _ANYTHING, "", "", "")]
    return names + ([(rank, _SAME_SM, dies[row.machine], "", row.regime)] if row.machine in dies else [])


def _band_of(quantity: str, scope: int, rows: List[Residual]) -> Optional[Band]:
    values = [row.log_ratio for row in rows]
    if quantity == "step" and scope == _ANYTHING:
        cards = group_by(rows, lambda row: row.machine)
        by_card = {card: [row.log_ratio for row in own] for card, own in cards.items()}
        return Band(middle_of_cards(by_card, WIDE_OF_OTHERS), middle_of_cards(by_card, NARROW))
    if quantity in ("step", "stream"):
        return Band(middle_of_few(values, WIDE), middle_of_few(values, NARROW)) if len(rows) >= FEWEST_ROWS else None
    if scope == _OWN_ALL or (scope == _SAME_SM and len(rows) < ROWS_OF_SIBLINGS):
        return None
    wide, narrow = middle_of(values, WIDE), middle_of(values, NARROW)
    return Band(wide, narrow) if wide and narrow else None


def error_cells(rows: Iterable[Residual], dies: Dict[str, str]) -> List[ErrorCell]:
    """Cells as configs/validation/errors.csv keeps them (docs/configuration.md).

    GEMMs: of each card and type all rows, without a band. With a band, where there are 39 rows, of a regime: the
    card's type, its bits, cards with its SM (79 rows), and all cards; all in any regime besides. Steps: of a card and
    framework, of a card, of all cards. Kernels beside the GEMMs: of a card.
    """
    by_name: Dict[_Name, List[Residual]] = {}
    for row in rows:
        for name in _names_of(row, dies):
            by_name.setdefault(name, []).append(row)
    cells = []
    for (rank, scope, machine, dtype, regime), of_name in sorted(by_name.items()):
        off = [math.expm1(-row.log_ratio) for row in of_name]
        mean, bias = (total(value / len(off) for value in values) for values in (map(abs, off), off))
        band = _band_of(_RANKS[rank], scope, of_name)
        if band or scope == _OWN_ALL or _RANKS[rank] == "step":
            cells.append(ErrorCell(machine, dtype, _RANKS[rank], regime, len(off), mean, bias, band))
    return cells


def csv_row(cell: ErrorCell) -> Dict[str, Any]:
    (low_95, high_95), (low_80, high_80) = cell.band or ((None, None), (None, None))
    ends = {"low_95": low_95, "low_80": low_80, "high_80": high_80, "high_95": high_95}
    numbers = {"mean_absolute_error": cell.mean_absolute_error, "bias": cell.bias, **ends}
    return {"machine": cell.machine, "dtype": cell.dtype, "quantity": cell.quantity, "regime": cell.regime,
            "rows": cell.rows, **{key: None if value is None else rounded(value) for key, value in numbers.items()}}


def error_rows(tables: Tables, known: KnownErrors) -> List[Dict[str, Any]]:
    """Rows of validation_errors.csv: cells of residuals, how far selections claim too much, and counters."""
    cells = error_cells(residuals(tables), known.dies)
    cells += [ErrorCell(one.machine, one.dtype, "selection", "", one.rows, abs(one.excess), one.excess)
              for one in errors.selections(tables.gemms)]
    cells += [ErrorCell(group.machine, group.dtype, key, group.regime, found.rows, found.mean_absolute, found.bias)
              for group, key, found in counters.cells(tables.counters)]
    return [csv_row(cell) for cell in cells]


#: Columns of validation_errors.csv.
ERROR_COLUMNS = tuple(csv_row(ErrorCell("", "", "", "", 0, 0.0, 0.0)))


class Bands:
    """Bands of any machine, by cells; they hold what was simulated, 0."""

    def __init__(self, cells: Iterable[ErrorCell], known: KnownErrors):
        self._known = known
        self._cells = {(cell.quantity, cell.machine, cell.dtype, cell.regime): cell for cell in cells}

    def of(self, row: Residual) -> Band:
        return self._of_step(row.machine, row.regime) if row.quantity == "step" else self._of_gemm(row)

    def _of_gemm(self, row: Residual) -> Band:
        """The first that there is: of the type, its bits, the same SM, all cards, all cards in any regime."""
        own = [(row.machine, row.dtype), (row.machine, BITS.get(row.dtype, "")),
               (self._known.dies.get(row.machine, ""), ""), ("", "")]
        for name in [*((*one, row.regime) for one in own), ("", "", "")]:
            cell = self._cells.get((row.quantity, *name))
            if cell and cell.band:
                return _with_zero(cell.band)
        return Band((0.0, 0.0), (0.0, 0.0))

    def _of_step(self, machine: str, framework: str) -> Band:
        """That of the framework, or of the card if it has rows of it; else of all cards, and a blind card's error."""
        own, card, every = (self._cells.get(("step", *name))
                            for name in ((machine, "", framework), (machine, "", ""), ("", "", "")))
        for cell in (own, card):
            if own and cell and cell.band:
                return _with_zero(cell.band)
        if not every or not every.band:
            return Band((0.0, 0.0), (0.0, 0.0))
        blind = self._known.blind.get("dense", 0.0)
        return Band(*((-math.hypot(low, blind), math.hypot(high, blind)) for low, high in _with_zero(every.band)))


def _with_zero(band: Band) -> Band:
    return Band(*((min(low, 0.0), max(high, 0.0)) for low, high in band))


class Coverage(NamedTuple):
    """Counts of rows that lie in bands that were made without them."""

    quantity: str
    #: The card of steps.
    regime: str
    rows: int
    in_95: int
    in_80: int
    #: High end / low end of the bands of 95 %, in rising order.
    ratios: List[float]


def _folds(rows: List[Residual], by_card: bool) -> List[str]:
    """Names of the rows that are left out together: of a card; else of a step's network, or of a tenth of groups."""
    number = {group: at % 10 for at, group in enumerate(sorted({row.group for row in rows}))}
    return [row.machine if by_card else f"{row.machine} {row.group}" if row.quantity == "step"
            else str(number[row.group]) for row in rows]


def coverage(rows: List[Residual], known: KnownErrors, by_card: bool) -> List[Coverage]:
    """Coverages of GEMMs and steps, by quantity and regime, with a card left out, or a network."""
    held: List[Tuple[Residual, Band]] = []
    for of_steps in (False, True):
        some = [row for row in rows if row.quantity != "stream" and (row.quantity == "step") == of_steps]
        folds = _folds(some, by_card)
        for fold in sorted(set(folds)):
            others = [row for row, own in zip(some, folds) if own != fold]
            bands = Bands(error_cells(others, known.dies), known)
            held += [(row, bands.of(row)) for row, own in zip(some, folds) if own == fold]
    named = [((row.quantity, row.machine if row.quantity == "step" else row.regime), row, band) for row, band in held]
    return [_coverage(name, of_name) for name, of_name in group_by(named, lambda one: one[0]).items()]


def _coverage(name: Tuple[str, str], held: List[Tuple[Any, Residual, Band]]) -> Coverage:
    inside = [sum(band[at][0] <= row.log_ratio <= band[at][1] for _, row, band in held) for at in (0, 1)]
    return Coverage(*name, len(held), *inside, sorted(math.exp(band.wide[1] - band.wide[0]) for *_, band in held))
