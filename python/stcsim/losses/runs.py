"""Dense trainings that were published, run by run (configs/curves/dense_runs.csv)."""

from __future__ import annotations

import csv
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from stcsim.evidence.program import config_folder

Points = List[Tuple[float, float]]  # steps and losses

#: A folder whose runs differ by more (nats) holds several configurations.
MIXED = 0.01


class Decay(NamedTuple):
    """The last part of a run, in which the learning rate falls: what is left of a time^power, down to `end` of the full one."""

    share: float = 0.7
    power: float = 1.0
    end: float = 0.0

    def rate(self, part: float) -> float:
        """Of the full learning rate, at such a part of the planned steps."""
        if part <= 1 - self.share:
            return 1.0
        left = self.end ** (1 / self.power)
        return (left + (1 - left) * (1 - part) / self.share) ** self.power


class Run(NamedTuple):
    name: str
    source: str
    metric: str
    planned: float
    tokens_per_step: Optional[float]
    points: Points
    decay: Decay = Decay()

    @property
    def configuration(self) -> Tuple[str, float]:
        return self.source, self.planned

    @property
    def end(self) -> float:
        return self.points[-1][1]

    def until(self, part: float) -> Run:
        return self._replace(points=[point for point in self.points if point[0] <= part * self.planned])

    def at(self, step: float) -> float:
        return value_at(self.points, step)

    def crossing(self, target: float) -> Optional[float]:
        return crossing_of(self.points, target)


def value_at(points: Points, step: float) -> float:
    """On straight lines between points; the last one goes on."""
    at = 1
    while at < len(points) - 1 and points[at][0] < step:
        at += 1
    (x0, y0), (x1, y1) = points[at - 1], points[at]
    return y0 + (y1 - y0) * (step - x0) / (x1 - x0)


def crossing_of(points: Points, target: float) -> Optional[float]:
    """The first step at which the curve comes down to the target."""
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if y0 > target >= y1:
            return x0 + (x1 - x0) * (y0 - target) / (y0 - y1)
    return None


def table(name: str) -> List[Dict[str, str]]:
    """The rows of a shipped table of configs/curves."""
    with open(config_folder() / "curves" / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def shipped() -> List[Run]:
    return [Run(row["run"], row["source"], row["metric"], float(row["planned_steps"]),
                float(row["tokens_per_step"]) if row["tokens_per_step"] else None,
                [(float(step), float(loss)) for step, _, loss in
                 (point.partition(":") for point in row["points"].split())],
                Decay(*(float(row[key]) for key in ("decay", "decay_power", "end_rate"))) if row["decay"] else Decay())
            for row in table("dense_runs.csv")]


def by_configuration(runs: Sequence[Run]) -> Dict[Tuple[str, float], List[Run]]:
    found: Dict[Tuple[str, float], List[Run]] = {}
    for run in runs:
        found.setdefault(run.configuration, []).append(run)
    return found


def quantile(values: Sequence[float], share: float, weights: Optional[Sequence[float]] = None) -> float:
    """The least value that this share of the weights is at or below."""
    pairs = sorted(zip(values, weights or [1.0] * len(values)))
    left = share * sum(weight for _, weight in pairs) - 1e-9
    for value, weight in pairs:
        left -= weight
        if left <= 0:
            return value
    return pairs[-1][0]
