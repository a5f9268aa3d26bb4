"""The rest of a run: by other seeds of its configuration, or, where it is new, by runs of the speed-run's track 3."""

from __future__ import annotations

import math
import statistics
from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from stcsim.least_squares import dot, solve
from stcsim.losses.runs import Points, Run, by_configuration, crossing_of, quantile, value_at

#: The model, data and batch of these runs are one; their optimizers differ.
TRACK = "records/track_3_optimization"
#: What nine of ten lie within.
LIKELY = 0.9
#: More of a lead (nats) than three seeds' standard deviations is none of chance, and the decay takes it back.
MOST_LEAD = 0.003
#: Seeds of a configuration differ by less than this (nats, root mean square) where both were seen.
ALIKE = 0.004
#: Points of a curve that its rest is predicted of, and by; what a large coefficient costs.
SEEN_POINTS, REST_POINTS, RIDGE = 10, 8, 0.1
#: Learning rates that it is predicted of too, of the first three quarters of the rest.
RATES, RATES_UP_TO = 16, 0.75


class Prediction(NamedTuple):
    """The step that reaches the target, and between what it lies in nine of ten cases; None: not by the planned end."""

    step: Optional[float]
    low: Optional[float] = None
    high: Optional[float] = None
    siblings: int = 0


def track_runs(runs: Sequence[Run], target: float) -> List[Run]:
    return [run for run in runs if TRACK in run.source and run.crossing(target)]


def elsewhere(items: Sequence[Any], source: str) -> List[Any]:
    """Those of other folders."""
    return [item for item in items if getattr(item, "run", item).source != source]


# By other seeds of its configuration: their mean curve, moved by what is left of its lead.



def mean_curve(runs: Sequence[Run]) -> Points:
    end = min(run.points[-1][0] for run in runs)
    steps = sorted({step for run in runs for step, _ in run.points if step <= end})
    return [(step, statistics.fmean(run.at(step) for run in runs)) for step in steps]


def lead_of(seen: Run, mean: Points) -> float:
    """By how much a run is above the mean where it was last measured (nats)."""
    step, loss = seen.points[-1]
    return max(-MOST_LEAD, min(MOST_LEAD, loss - value_at(mean, step)))


class Lead(NamedTuple):
    """Of a run against its siblings: where it was last seen, and where their mean reaches the target."""

    run: Run
    mean: Points
    target: float
    seen: float
    then: float


def leads(runs: Sequence[Run], seen: float, target: float) -> Iterator[Lead]:
    for of_one in by_configuration([run for run in runs if run.crossing(target)]).values():
        for run in of_one:
            siblings = [other for other in of_one if other is not run]
            mean = mean_curve(siblings) if siblings else []
            step = crossing_of(mean, target)
            if step is not None:
                yield Lead(run, mean, target, lead_of(run.until(seen), mean), run.at(step) - target)


def kept_of(known: Sequence[Lead]) -> float:
    """The part of a lead that is left at the target."""
    most = 3 * MOST_LEAD
    return (sum(lead.seen * max(-most, min(most, lead.then)) for lead in known)
            / sum(lead.seen ** 2 for lead in known))


def moved(mean: Points, by: float) -> Points:
    return [(step, loss + by) for step, loss in mean]


def band_of(known: Sequence[Lead], kept: float) -> float:
    """How far (nats) nine of ten runs are from the target where they should have reached it."""
    steps = [crossing_of(moved(lead.mean, kept * lead.seen), lead.target) for lead in known]
    return quantile([abs(lead.run.at(step) - lead.target) for lead, step in zip(known, steps) if step], LIKELY)


def between(curve: Points, target: float, band: float, siblings: int = 0) -> Prediction:
    return Prediction(crossing_of(curve, target), crossing_of(curve, target + band), crossing_of(curve, target - band),
                      siblings)


def sibling_prediction(seen: Run, siblings: Sequence[Run], target: float, known: Sequence[Lead]) -> Prediction:
    """By runs of the same configuration, and the leads of others."""
    mean = mean_curve(siblings)
    kept = kept_of(known)
    return between(moved(mean, kept * lead_of(seen, mean)), target, band_of(known, kept), len(siblings))


def alike(seen: Run, runs: Sequence[Run]) -> List[Run]:
    """The configuration of the same length whose mean curve is nearest, if a seed of it would be as near."""
    first = 0.5 * seen.points[-1][0]
    nearest: Tuple[float, List[Run]] = (ALIKE, [])
    for (_, planned), seeds in by_configuration(runs).items():
        if planned == seen.planned:
            mean = mean_curve(seeds)
            apart = math.sqrt(statistics.fmean((loss - value_at(mean, step)) ** 2
                                               for step, loss in seen.points if step >= first))
            nearest = min(nearest, (apart, seeds), key=lambda one: one[0])
    return nearest[1]


# Where the configuration is new: a linear law from the seen part to the rest, fitted to the track.


class RestLaw(NamedTuple):
    means: List[float]
    scales: List[float]
    ends: List[float]
    slopes: List[List[float]]

    def rest(self, features: Sequence[float]) -> List[float]:
        scaled = [(value - mean) / scale for value, mean, scale in zip(features, self.means, self.scales)]
        return [end + dot(slope, scaled) for end, slope in zip(self.ends, self.slopes)]


def steps_of(planned: float, seen: float) -> Tuple[List[float], List[float]]:
    """Steps of the seen part and of the rest that the law is about."""
    first = [planned * seen * (0.25 + 0.75 * at / (SEEN_POINTS - 1)) for at in range(SEEN_POINTS)]
    return first, [planned * (seen + (1 - seen) * (at + 1) / REST_POINTS) for at in range(REST_POINTS)]


def features_of(run: Run, seen: float) -> List[float]:
    """The losses that were seen; the learning rate at their end, in the mean of the rest, and near its end."""
    cut = run.until(seen)
    rates = [run.decay.rate(seen + (1 - seen) * RATES_UP_TO * at / RATES) for at in range(RATES + 1)]
    return [*(cut.at(step) for step in steps_of(run.planned, seen)[0]), rates[0], statistics.fmean(rates), rates[-1]]


def rest_of(run: Run, seen: float) -> List[float]:
    """A run that ended before its plan keeps its last loss."""
    end = run.points[-1][0]
    return [run.at(min(step, end)) for step in steps_of(run.planned, seen)[1]]


def rest_law(runs: Sequence[Run], seen: float) -> RestLaw:
    """By least squares with a ridge; each folder counts the same."""
    counts = {run.source: sum(other.source == run.source for other in runs) for run in runs}
    weights = [1 / counts[run.source] for run in runs]
    total = sum(weights)
    columns = list(zip(*(features_of(run, seen) for run in runs)))
    means = [dot(weights, column) / total for column in columns]
    scales = [math.sqrt(dot(weights, [(value - mean) ** 2 for value in column]) / total) or 1.0
              for column, mean in zip(columns, means)]
    scaled = [[(value - mean) / scale for value in column] for column, mean, scale in zip(columns, means, scales)]
    heavy = [[value * weight for value, weight in zip(column, weights)] for column in scaled]
    normal = [[dot(one, other) + (RIDGE if at == to else 0.0) for to, other in enumerate(scaled)]
              for at, one in enumerate(heavy)]
    ends, slopes = [], []
    for column in zip(*(rest_of(run, seen) for run in runs)):
        ends.append(dot(weights, column) / total)
        above = [value - ends[-1] for value in column]
        slopes.append(solve([list(row) for row in normal], [dot(one, above) for one in heavy]))
    return RestLaw(means, scales, ends, slopes)


def continued(run: Run, law: RestLaw, seen: float) -> Points:
    """The last measured point, and the rest that the law says."""
    rest = zip(steps_of(run.planned, seen)[1], law.rest(features_of(run, seen)))
    return [run.until(seen).points[-1], *rest]


class RestError(NamedTuple):
    run: Run
    curve: Points
    off: float


def rest_errors(runs: Sequence[Run], seen: float, target: float) -> List[RestError]:
    """The rest of every run by a law of other folders, and how far (nats) it is off where it should reach the target."""
    found = []
    for source in dict.fromkeys(run.source for run in runs):
        law = rest_law(elsewhere(runs, source), seen)
        for run in runs:
            if run.source == source:
                curve = continued(run, law, seen)
                step = crossing_of(curve, target)
                found.append(RestError(run, curve, abs(run.at(step) - target) if step else math.inf))
    return found
