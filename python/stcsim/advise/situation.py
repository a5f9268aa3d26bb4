"""The step that is advised upon, and what is known of it."""

from __future__ import annotations

import copy
import json
import math
from typing import Any, Dict, Mapping

from .steps import Board, Experiment, Row, Step


class Situation:
    """The step that is advised upon. What was measured of it is kept: a step that takes longer than its kernels likely do
    waits for the host, another's kernels take so much longer than simulated."""

    def __init__(self, request: Mapping[str, Any], base: Step, locked: Step) -> None:
        """:param locked: the same at a clock that is locked, as all changes are simulated"""
        self.experiment: Experiment = plain_experiment(request)
        self.name: str = self.experiment["networks"][0]["name"]
        self.network: Dict[str, Any] = self.experiment["networks"][0]
        self.framework: Dict[str, Any] = self.experiment["framework"]
        self.machine: Dict[str, Any] = request["experiment"]["machines"][0]
        self.model: str = request["model"]
        self.dtype: str = self.experiment["dtype"]
        self.board = Board(self.machine)
        measured = request["experiment"]["networks"][0].get("measured_step") or {}
        self.is_profile = bool(measured.get("gpu"))
        self.measured_us = 0 if self.is_profile else measured.get("span_ns", 0) / 1000
        self.host_us, self.scale = 0.0, 1.0
        self.simulated, self._locked = base, locked
        if self.measured_us > base.totals.get("time_us_high", base.us):
            self.host_us = self.measured_us
        elif self.measured_us:
            self.scale = self.measured_us / base.us
        elif base.waits_us:
            self.host_us = base.us
        self.base = self.placed(base) if self.measured_us else base

    def placed(self, step: Step, host: float = 1) -> Step:
        """A simulated step as it would be measured.

        :param host: of the host's time for a launch, the share that is left
        """
        if not self.measured_us and not step.is_locked:
            return step
        if not self.measured_us:
            there = self.board.at_its_clock(step)
            return there if there.clock_mhz < step.clock_mhz else self._slowed(there)
        kernels = self.scale * step.kernels_us
        ours = self.host_us * host * step.launches / self.simulated.launches
        return step.after(max(kernels, ours), max(0.0, ours - kernels))

    def _slowed(self, step: Step) -> Step:
        """With products slowed down as those of the step advised upon are, if the clock is not locked."""
        ours, locked = ({(row.layer, row.phase): row.us for row in one.rows if row.is_product}
                        for one in (self.simulated, self._locked))
        ratio = sum(ours.values()) / sum(locked.values()) if locked else 1

        def slowed(row: Row) -> Row:
            key = (row.layer, row.phase)
            if not row.is_product:
                return row
            is_same = key in ours and math.isclose(row.us, locked[key], rel_tol=1e-6)
            return row._replace(us=ours[key] if is_same else row.us * ratio)

        rows = [slowed(row) for row in step.rows]
        changed = step.after(step.us + sum(row.us for row in rows) - sum(row.us for row in step.rows))
        changed.clock_mhz, changed.rows = step.clock_mhz, rows
        return changed

    def keeps_clock(self, step: Step) -> bool:
        """Whether the step, simulated at the clock of the one advised upon, has that of the machine without its being locked:
        then kernels that both have need not be simulated again."""
        is_free = not self.measured_us and not self.is_profile and self.base.clock_mhz == self.machine["clock_mhz"]
        return is_free and self.board.at_its_clock(step).clock_mhz == step.clock_mhz

    def on(self, experiment: Experiment, simulated: Step, locked: Step) -> "Situation":
        """The same with another network, whose step was simulated."""
        other = copy.copy(self)
        other.experiment, other.network = experiment, experiment["networks"][0]
        other.base = self.placed(simulated)
        other.simulated = simulated if self.measured_us else other.base
        other._locked = locked
        return other

    @property
    def batch(self) -> int:
        return self.network["batch"]

    @property
    def largest_batch(self) -> int:
        """0 where nobody says what a step needs."""
        totals = self.base.totals
        if not totals.get("samples_bytes"):
            return 0
        left = totals["capacity_bytes"] - (totals["memory_bytes"] - totals["samples_bytes"])
        return max(0, int(left // (totals["samples_bytes"] / self.batch)))


def plain_experiment(request: Mapping[str, Any]) -> Experiment:
    """Its machine by name; a measured step, but a profile's, is none of the simulator's."""
    experiment = json.loads(json.dumps(request["experiment"]))
    experiment["machines"] = [request["arch"]]
    measured = experiment["networks"][0].get("measured_step") or {}
    if measured and not measured.get("gpu"):
        del experiment["networks"][0]["measured_step"]
    return experiment
