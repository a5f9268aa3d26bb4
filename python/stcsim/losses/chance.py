"""Chance between seeds of one configuration, and how the loss at the end falls with a run's length."""

from __future__ import annotations

import math
import statistics
from typing import Dict, List, NamedTuple, Sequence, Tuple

from stcsim.losses.runs import MIXED, Run, by_configuration

#: Seeds that the spread of other configurations counts as, beside those of one's own.
PRIOR_SEEDS = 4
#: Ends of runs whose lengths differ by less than this factor differ by chance rather than by length.
LEAST_LENGTHS = 1.5
#: Both sides of a normal distribution's 95 %.
NORMAL_95 = 1.959964

Ends = Dict[Tuple[str, float], List[float]]


def ends_of(runs: Sequence[Run]) -> Ends:
    """Last losses of all configurations with several seeds that were measured equally long; none of mixed folders."""
    found: Ends = {}
    for (source, planned), seeds in by_configuration(runs).items():
        for last in {run.points[-1][0] for run in seeds}:
            ends = [run.end for run in seeds if run.points[-1][0] == last]
            if len(ends) > 1 and statistics.stdev(ends) < MIXED:
                found[source, last] = ends
    return found


def student_95(freedom: float) -> float:
    """Both sides of Student's distribution (Cornish and Fisher's expansion; 1 % too low at 3)."""
    z = NORMAL_95
    return (z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
            + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3))


def spread_of(ends: Ends) -> float:
    """The standard deviation (nats) of the middle configuration's seeds.

    Of few seeds most variances are too low: each is divided by the middle of its own distribution
    (Wilson and Hilferty, PNAS 17, 684, 1931).
    """
    return math.sqrt(statistics.median(statistics.variance(one) / (1 - 2 / (9 * (len(one) - 1))) ** 3
                                       for one in ends.values()))


def band_95(own: Sequence[float], spread: float) -> float:
    """What two further seeds differ by in 95 % of cases (nats), by what other seeds ended with (or none)."""
    freedom = max(0, len(own) - 1)
    squares = statistics.variance(own) * freedom if freedom else 0.0
    variance = (PRIOR_SEEDS * spread**2 + squares) / (PRIOR_SEEDS + freedom)
    return student_95(PRIOR_SEEDS + freedom) * math.sqrt(2 * variance)


def track_of(source: str) -> str:
    """ "records/track_3", of the speed-run. """
    return source.partition("records/")[2].partition("_")[0] + source.partition("track")[2][:2]


def pairs_inside(ends: Ends) -> Dict[str, Tuple[int, int]]:
    """By track: pairs of seeds, and those that differ by no more than 95 % do by all other seeds."""
    found: Dict[str, Tuple[int, int]] = {}
    for (source, last), own in ends.items():
        track = track_of(source)
        others = {key: one for key, one in ends.items() if key[0] != source}
        alike = {key: one for key, one in others.items() if track_of(key[0]) == track}
        spread = spread_of(alike or others)
        for at, one in enumerate(own):
            for to in range(at):
                rest = [value for place, value in enumerate(own) if place not in (at, to)]
                pairs, inside = found.get(track, (0, 0))
                found[track] = pairs + 1, inside + (abs(one - own[to]) <= band_95(rest, spread))
    return found


def spread_by_progress(runs: Sequence[Run], parts: int = 10) -> List[Tuple[float, float, int]]:
    """By tenths of the planned steps: the standard deviation between seeds (nats, pooled) and its freedom."""
    sums = [[0.0, 0] for _ in range(parts + 1)]
    for (_, planned), seeds in by_configuration(runs).items():
        if len(seeds) < 2 or statistics.stdev(run.end for run in seeds) >= MIXED:
            continue
        for step in {step for run in seeds for step, _ in run.points if 0 < step <= planned}:
            losses = [loss for run in seeds for at, loss in run.points if at == step]
            if len(losses) > 1:
                one = sums[round(parts * step / planned)]
                one[0] += statistics.variance(losses) * (len(losses) - 1)
                one[1] += len(losses) - 1
    return [(at / parts, math.sqrt(square / freedom), freedom) for at, (square, freedom) in enumerate(sums) if freedom]


# Loss at the end against the run's length: loss ~ tokens^-exponent, for runs of one model and recipe.


class Lengths(NamedTuple):
    """Two runs of one recipe, their tokens and losses at the end."""

    name: str
    short: Tuple[float, float]
    long: Tuple[float, float]

    @property
    def exponent(self) -> float:
        return math.log(self.short[1] / self.long[1]) / math.log(self.long[0] / self.short[0])


#: The speed-run's folders in which one recipe was run at two lengths.
TWO_LENGTHS = ("2024-11-10_ScaleShortcuts", "2024-11-14_QuantizedFP4")
TOKENS_A_STEP = 524288


def pairs_of_lengths(runs: Sequence[Run]) -> List[Lengths]:
    """Of the OLMo ladder, and of the speed-run's folders that trained one recipe twice."""
    recipes: Dict[str, Dict[float, List[float]]] = {}
    for run in runs:
        recipe = run.source.rpartition("/")[2].partition("-")[0] if "OLMo-ladder" in run.source else run.source
        if "OLMo-ladder" in run.source or run.source.endswith(TWO_LENGTHS):
            tokens = run.planned * (run.tokens_per_step or TOKENS_A_STEP)
            recipes.setdefault(recipe, {}).setdefault(tokens, []).append(run.end)
    found = []
    for recipe, ends in recipes.items():
        short, long = min(ends), max(ends)
        if long / short >= LEAST_LENGTHS:
            found.append(Lengths(recipe, (short, statistics.fmean(ends[short])), (long, statistics.fmean(ends[long]))))
    return found


#: Published laws, loss = E + A / parameters^a + B / tokens^b: B and b, as public repositories repeat them. Hoffmann et al.,
#: "Training Compute-Optimal Large Language Models", 2022; Besiroglu et al., "Chinchilla Scaling: A replication attempt", 2024.
PUBLISHED_LAWS = {"Hoffmann 2022": (410.7, 0.28), "Besiroglu 2024": (2085.43, 0.3658)}


def published_error(pair: Lengths, law: str) -> float:
    """By how much of what the longer run gains a published law is off."""
    scale, exponent = PUBLISHED_LAWS[law]
    gained = scale * (pair.short[0] ** -exponent - pair.long[0] ** -exponent)
    return gained / (pair.short[1] - pair.long[1]) - 1


def exponent_of(pairs: Sequence[Lengths]) -> float:
    return statistics.median(pair.exponent for pair in pairs)


def length_errors(pairs: Sequence[Lengths]) -> List[Tuple[Lengths, float]]:
    """By how much of the exponent of each that of the others is off."""
    return [(pair, exponent_of([other for other in pairs if other is not pair]) / pair.exponent - 1) for pair in pairs]
