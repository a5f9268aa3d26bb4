"""Figures of publications: quantities and their units, answers, verdicts and how they are counted."""

from __future__ import annotations

from typing import Dict, Iterable, NamedTuple, Optional, Tuple

from .report import gain, significant


class Quantity(NamedTuple):
    """A figure that stands beside published ones.

    Times are those of dense and sparse GEMMs of the same layers and products. A gain is dense time / time, a saving
    is in percent of the dense time.
    """

    scope: str
    #: As files write it, once for each scope; as people read it.
    name: str
    title: str
    #: A ratio is how many times as fast, points are percentage points of difference.
    unit: str
    #: The figure of no effect; None if it has no direction, as a time.
    neutral: Optional[float] = None


NO_QUANTITY = Quantity("", "", "", "value")
QUANTITIES = (
    Quantity("layers", "share", "share of the GEMMs' time", "percent"),
    Quantity("layers", "share_of_dense", "part of the dense GEMMs' time", "percent"),
    Quantity("layers", "gemm_gain", "gain of the GEMMs", "ratio", 1.0),
    Quantity("layers", "gemm_saved", "GEMM time saved", "percent", 0.0),
    Quantity("layers", "gemm_ms", "time of the GEMMs", "ms"),
    Quantity("layers", "block_gain", "gain of the layers with all else", "ratio", 1.0),
    Quantity("step", "step_gain", "gain of the step", "ratio", 1.0),
    Quantity("step", "step_saved", "step time saved", "percent", 0.0),
    Quantity("step", "step_ms", "time of the step", "ms"),
    Quantity("inference", "inference_gain", "gain of inference", "ratio", 1.0),
    Quantity("inference", "inference_ms", "time of inference", "ms"),
    Quantity("two_steps", "step_ratio", "step against the other's", "ratio", 1.0),
    Quantity("two_steps", "memory_share", "memory against the other's", "percent", 100.0),
    Quantity("gemm", "gain", "gain of the GEMM", "ratio", 1.0),
    Quantity("gemm", "tflops", "throughput", "TFLOP/s"),
    Quantity("gemm", "us", "time of the GEMM", "us"),
    Quantity("gemm", "cycles", "cycles of the GEMM", "cycles"),
    Quantity("training", "hours", "hours of the whole training", "value"),
    Quantity("training", "gain", "gain of the whole training", "ratio", 1.0),
    Quantity("mask", "retained", "magnitude kept", "percent"),
    Quantity("mask", "of_optimum", "magnitude kept of what the best transposable mask keeps", "percent"),
    Quantity("mask", "fitting", "groups that have the pattern already", "percent"),
    Quantity("estimate", "bias", "bias (part of the squared norm)", "value"),
    Quantity("estimate", "variance", "variance (part of the squared norm)", "value"),
    Quantity("estimate", "mean_square_error", "mean square error (part of the squared norm)", "value"),
    Quantity("estimate", "retained", "magnitude kept", "percent"),
    Quantity("trained", "accuracy", "accuracy", "percent"),
    Quantity("trained", "difference", "difference of the accuracies", "points", 0.0),
)


def figure_text(unit: str, value: float) -> str:
    """ "1.44x", "16.6 %", "+0.40 points", "1.23 ms", "73728 cycles"."""
    if unit == "percent":
        return f"{value:.{2 if abs(value) < 10 else 1}f} %"
    texts = {"ratio": gain, "points": "{:+.2f} points".format, "cycles": "{:.0f} cycles".format}
    if unit in texts:
        return texts[unit](value)
    digits = ("-" if value < 0 else "") + significant(abs(value))
    return digits if unit == "value" else f"{digits} {unit}"


class Published(NamedTuple):
    """A figure as published: a range, or twice the same."""

    least: float
    most: float

    def text(self, unit: str) -> str:
        """ "15.0 % to 25.0 %", or one figure where both ends read alike."""
        first, last = (figure_text(unit, end) for end in self)
        return first if first == last else f"{first} to {last}"

    def holds(self, value: float) -> bool:
        return self.least <= value <= self.most

    def deviation(self, unit: str, value: float) -> float:
        """By what part of the nearer end a value lies outside; of points the difference."""
        if self.holds(value):
            return 0.0
        end = self.least if value < self.least else self.most
        return value - end if unit == "points" or end == 0 else (value - end) / abs(end)


class Answer(NamedTuple):
    """What a column says to a row."""

    column: str
    #: The machine and software it was simulated with, or its numbers: "a100 with pytorch_eager".
    where: str
    value: float
    #: Where the value lies, as far as that is known; else both are the value.
    low: float
    high: float
    #: Why it is what it is, in half a line.
    because: str = ""
    #: Probability of a difference as large by chance alone.
    p_value: Optional[float] = None


MEASURED, ESTIMATED, TRAINING, ARITHMETIC, FITTED = KINDS = (
    "against measured", "against estimated", "own training", "arithmetic", "fitted")
VERDICTS = ("reproduced", "direction only", "cannot be told apart", "not reproduced", "consistent", "not consistent",
            "no test", "same direction", "other direction", "no direction")
#: Verdicts that leave nothing to explain.
MET = ("reproduced", "consistent", "no test", "same direction")
#: Differences that chance alone makes more often have no direction.
BY_CHANCE = 0.05


def simulated_kind(obtained: str, sort: str, is_fitted: bool) -> str:
    """The kind of a simulation on a sort of machine beside a figure that was `obtained` so; "" if it is no test.

    A measured figure is not judged beside a machine that nobody can measure. A figure that nobody claims ("derived")
    is judged beside a machine that counts alone.
    """
    if obtained == "measured" and sort != "built":
        return ""
    if sort == "counting":
        return ARITHMETIC
    return FITTED if is_fitted else {"derived": "", "measured": MEASURED}.get(obtained, ESTIMATED)


def verdict(kind: str, published: Published, quantity: Quantity, tolerance: float, answer: Answer) -> str:
    """One of VERDICTS; docs/evidence.md says what they mean."""
    if kind == FITTED:
        return "no test"
    least, most = (tolerance * (1.0 if quantity.unit == "points" else abs(end)) for end in published)
    is_close = answer.high >= published.least - least and answer.low <= published.most + most
    if kind == ARITHMETIC:
        return "consistent" if is_close else "not consistent"
    neutral = quantity.neutral or 0.0
    has_effect = quantity.neutral is not None and not published.holds(neutral)
    effect = (published.least + published.most) / 2 - neutral if has_effect else 0.0
    if kind == TRAINING:
        is_chance = answer.p_value is None or answer.p_value >= BY_CHANCE
        same = (answer.value - neutral) * effect
        return "no direction" if is_chance or same == 0 else "same direction" if same > 0 else "other direction"
    has_direction = all((end - neutral) * effect > 0 for end in (answer.low, answer.high))
    if is_close:
        return "reproduced" if effect == 0 or has_direction else "cannot be told apart"
    return "direction only" if has_direction else "not reproduced"


#: By kind and column: how often each verdict was given.
Tally = Dict[Tuple[str, str], Dict[str, int]]


def tally(given: Iterable[Tuple[str, str, str]]) -> Tally:
    """Counts kinds, columns and verdicts: by kind, and then as columns came; never added over kinds."""
    counts: Tally = {}
    for kind, column, one in given:
        counts.setdefault((kind, column), dict.fromkeys(VERDICTS, 0))[one] += 1
    return {part: {name: count for name, count in of.items() if count}
            for part, of in sorted(counts.items(), key=lambda one: KINDS.index(one[0][0]))}


def tally_text(counts: Tally, mark: str) -> str:
    """ "- against measured, A100: 2 reproduced, 9 direction only" on lines of their own."""
    return "".join(f"{mark}{kind}, {column}: {', '.join(f'{count} {name}' for name, count in of.items())}\n"
                   for (kind, column), of in counts.items())
