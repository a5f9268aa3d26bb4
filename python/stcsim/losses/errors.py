"""How far off the laws are where they were not fitted: `python3 -m stcsim.losses` prints it."""

from __future__ import annotations

import math
import statistics
from typing import List, NamedTuple, Optional, Sequence, Tuple

from stcsim.least_squares import dot
from stcsim.losses.rest import (LIKELY, Prediction, alike, between, elsewhere, leads, rest_errors,
                                sibling_prediction, track_runs)
from stcsim.losses.runs import Run, by_configuration, quantile

#: The laws of a run's rest are tried on the loss that most runs of the track reach, by this part of their planned steps.
TRACK_TARGET, TRACK_SEEN = 3.30, 0.6

Found = List[Tuple[Run, Prediction]]


def by_siblings(runs: Sequence[Run], seen: float, target: float) -> Found:
    """What is left of a lead is that of other folders."""
    all_leads = list(leads(runs, seen, target))
    seeds = by_configuration(runs)
    return [(lead.run, sibling_prediction(lead.run.until(seen), [one for one in seeds[lead.run.configuration]
                                                                 if one is not lead.run],
                                          target, elsewhere(all_leads, lead.run.source))) for lead in all_leads]


def by_rest(runs: Sequence[Run], seen: float, target: float) -> Found:
    errors = rest_errors(runs, seen, target)
    return [(one.run, between(one.curve, target, quantile([other.off for other in elsewhere(errors, one.run.source)],
                                                          LIKELY))) for one in errors]


def by_alike(runs: Sequence[Run], seen: float, target: float) -> Found:
    """As `stcsim tta` does it, which is told no configuration: by runs that began alike, or else by the rest's law."""
    all_leads = list(leads(runs, seen, target))
    found = []
    for run, rest in by_rest(runs, seen, target):
        siblings = alike(run.until(seen), [other for other in runs if other is not run])
        found.append((run, sibling_prediction(run.until(seen), siblings, target, elsewhere(all_leads, run.source))
                      if siblings else rest))
    return found


def by_mean(runs: Sequence[Run], seen: float, target: float) -> Found:
    """The plain rival: the siblings' mean curve as it is."""
    return [(lead.run, between(lead.mean, target, 0.0)) for lead in leads(runs, seen, target)]


def by_share(runs: Sequence[Run], seen: float, target: float) -> Found:
    """The same share of the planned steps for all."""
    def share(run: Run) -> float:
        return statistics.median((other.crossing(target) or 0) / other.planned for other in elsewhere(runs, run.source))
    return [(run, Prediction(share(run) * run.planned)) for run in runs]


def by_power_law(runs: Sequence[Run], seen: float, target: float) -> Found:
    """A power law with a floor, fitted to the second half of what was seen: it knows of no decay of the learning rate."""
    found = []
    for run in runs:
        points = run.until(seen).points
        points = points[len(points) // 2:]
        fits = []
        for power in (0.05 * times for times in range(1, 60)):
            x, y = [step ** -power for step, _ in points], [loss for _, loss in points]
            mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
            slope = dot([a - mean_x for a in x], y) / dot([a - mean_x for a in x], x)
            floor = mean_y - slope * mean_x
            fits.append((sum((floor + slope * a - b) ** 2 for a, b in zip(x, y)), power, floor, slope))
        _, power, floor, slope = min(fits)
        step = ((target - floor) / slope) ** (-1 / power) if target > floor and slope > 0 else None
        found.append((run, Prediction(step)))
    return found


class LawErrors(NamedTuple):
    """Shares of the step at which runs reach the target."""

    law: str
    runs: int
    reached: int
    median: float
    nine_of_ten: float
    inside: Optional[float]
    width: Optional[float]


def errors_of(law: str, found: Found, target: float) -> LawErrors:
    real = [run.crossing(target) or math.nan for run, _ in found]
    off = [abs(one.step / step - 1) if one.step else math.inf for step, (_, one) in zip(real, found)]
    bounded = [(step, run, one) for step, (run, one) in zip(real, found) if one.low and one.high and one.low < one.high]
    return LawErrors(
        law, len(found), sum(one.step is not None for _, one in found), statistics.median(off), quantile(off, LIKELY),
        statistics.fmean(one.low <= step <= one.high for step, _, one in bounded) if bounded else None,
        statistics.fmean((one.high - one.low) / run.planned for _, run, one in bounded) if bounded else None)


LAWS = {"as `tta` does it: mean of runs that began alike, or else the linear law": by_alike,
        "mean of its siblings, moved by what is left of its lead": by_siblings,
        "linear law of the rest, of other configurations": by_rest,
        "mean of its siblings as it is": by_mean,
        "the same share of the planned steps": by_share,
        "power law with a floor, of the run alone": by_power_law}


def track_errors(runs: Sequence[Run]) -> List[LawErrors]:
    track = track_runs(runs, TRACK_TARGET)
    return [errors_of(name, law(track, TRACK_SEEN, TRACK_TARGET), TRACK_TARGET) for name, law in LAWS.items()]


def spread_of_crossings(runs: Sequence[Run], target: float) -> float:
    """Standard deviation between seeds of one configuration, as a share of the planned steps."""
    squares, freedom = 0.0, 0
    for seeds in by_configuration(runs).values():
        shares = [(run.crossing(target) or 0) / run.planned for run in seeds]
        squares += sum((share - statistics.fmean(shares)) ** 2 for share in shares)
        freedom += len(shares) - 1
    return math.sqrt(squares / freedom)
