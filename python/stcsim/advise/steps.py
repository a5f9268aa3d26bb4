"""Training steps as `stcsim eval` simulates them, at one clock, and how sure what lies between two of them is."""

from __future__ import annotations

import json
import math
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from .._process import Error
from .._results import Answer
from .._simulator import Simulator

Experiment = Dict[str, Any]
#: Of normal errors 95 % lie within so many mean absolute errors.
ENDS = 2.46
#: A gain below prints as 1.00.
SURE = 1.005
PHASES = ("forward", "dgrad", "wgrad")


class Row(NamedTuple):
    layer: str
    phase: str
    op: str
    is_product: bool
    is_sparse: bool
    #: Of all repeats, microseconds.
    us: float
    launches: float
    macs: float
    bound_by: str


def _row(row: Mapping[str, Any]) -> Row:
    times = row["repeat"] / row["every"]
    return Row(row["layer"], row["phase"], row["op"], row["kind"] == "gemm", row["ran_sparse"], row["time_us"] * times,
               row["launches"] * times, row["macs"] * times, row["bound_by"])


class Step:
    """A simulated step: `us` microseconds, of which `waits_us` the GPU waits for the host. At a locked clock no launch is
    slowed down for the power that it alone would draw."""

    def __init__(self, totals: Mapping[str, Any], rows: Sequence[Mapping[str, Any]] = (), is_locked: bool = False) -> None:
        self.is_locked = is_locked
        self.totals = {"simulated_us": totals["time_us"], **totals}
        self.rows = [_row(row) for row in rows]
        self.us: float = totals["time_us"]
        self.waits_us: float = totals["waits_time_us"]
        self.optimizer_us: float = totals["optimizer_time_us"]
        self.clock_mhz: float = totals["clock_mhz"]

    @property
    def products_us(self) -> float:
        return sum(self.totals[f"{phase}_time_us"] for phase in PHASES)

    @property
    def kernels_us(self) -> float:
        return self.us - self.waits_us

    @property
    def streams_us(self) -> float:
        """Kernels beside the products, but the optimizer."""
        return self.kernels_us - self.products_us - self.optimizer_us

    @property
    def launches(self) -> float:
        return sum(row.launches for row in self.rows)

    def parts(self) -> List[Tuple[str, float]]:
        """What it is made of, the largest first."""
        return sorted([("products", self.products_us), ("streams", self.streams_us), ("optimizer", self.optimizer_us),
                       ("host launches", self.waits_us)], key=lambda part: -part[1])

    def after(self, us: float, waits_us: Optional[float] = None) -> "Step":
        """The same kernels in another time."""
        totals = {**self.totals, "time_us": us, "waits_time_us": self.waits_us if waits_us is None else waits_us}
        step = Step(totals, is_locked=self.is_locked)
        step.rows = self.rows
        return step


class Steps:
    """Asks one simulator, which knows a kernel that ran before. A step is asked for once."""

    def __init__(self, jobs: int) -> None:
        self._simulator = Simulator(jobs=jobs)
        self._known: Dict[str, Any] = {}

    @property
    def simulated(self) -> int:
        """Experiments so far."""
        return len(self._known)

    def answers(self, experiments: Iterable[Experiment], rows: bool = True) -> List[Answer]:
        points = [{"experiment": experiment, **({"rows": True} if rows else {})} for experiment in experiments]
        texts = [json.dumps(point, sort_keys=True) for point in points]
        unknown = {text: point for text, point in zip(texts, points) if text not in self._known}
        for text, answer in zip(unknown, self._simulator.map(unknown.values())):
            self._known[text] = answer
        return [self._known[text] for text in texts]

    def run(self, experiments: Iterable[Experiment]) -> List[Union[Step, Error]]:
        """Of experiments with one network and the dense scheme alone; or why one cannot be simulated."""
        some = list(experiments)
        return [Error(answer.error) if answer.error else Step(answer["totals"][0], answer["rows"], "clock_mhz" in experiment)
                for answer, experiment in zip(self.answers(some), some)]

    def schemes(self, experiment: Experiment) -> List[Dict[str, Any]]:
        """Totals, one for each scheme of the experiment.

        :raises Error: where one cannot be simulated
        """
        answer = self.answers([experiment], rows=False)[0]
        return answer["steps"] if answer.error or "steps" in answer else [answer.data]

    def close(self) -> None:
        self._simulator.close()


class Board:
    """The clock at which the power of the board suffices, as sim/run/machine_runner.cpp finds it, for a step that was
    simulated at another clock. What waits for DRAM keeps its time there, all else its cycles."""

    def __init__(self, machine: Mapping[str, Any]) -> None:
        power = machine.get("power") or {}
        self._limit = power.get("limit_watts", 0)
        self._idle = power.get("idle_watts", 0)
        self._floor = power.get("voltage_floor", 1)
        self._step = power.get("clock_step_mhz", 1)
        self._most = machine["clock_mhz"]

    def _voltage(self, mhz: float) -> float:
        return self._floor + (1 - self._floor) * mhz / self._most

    def _at(self, step: Step, mhz: float) -> float:
        """Its time in microseconds."""
        fixed = step.waits_us + sum(row.us for row in step.rows if row.bound_by == "dram")
        return fixed + (step.us - fixed) * step.clock_mhz / mhz

    def _watts(self, step: Step, mhz: float) -> float:
        joules = step.totals["joules"] - self._idle * step.totals["time_us"] * 1e-6
        voltage = self._voltage(mhz) / self._voltage(step.clock_mhz)
        return self._idle + joules * voltage ** 2 / (self._at(step, mhz) * 1e-6)

    def at_its_clock(self, step: Step) -> Step:
        """The step at the clock that it could keep."""
        if not self._limit or not step.rows:
            return step
        mhz = self._most
        while self._watts(step, mhz) > self._limit and mhz > self._step:
            mhz = (math.ceil(mhz / self._step) - 1) * self._step
        if abs(mhz - step.clock_mhz) <= self._step:
            return step
        there = step.after(self._at(step, mhz))
        there.clock_mhz = mhz
        return there


def _changed(before: Step, after: Step) -> Tuple[Dict[bool, float], Dict[bool, float]]:
    """Shares of either step in rows whose time the change moved, of products (True) and of others."""
    def times(step: Step) -> Dict[Tuple[str, str, str, bool], float]:
        found: Dict[Tuple[str, str, str, bool], float] = {}
        for row in step.rows:
            key = (row.layer, row.phase, row.op, row.is_product)
            found[key] = found.get(key, 0) + row.us
        return found

    sides = times(before), times(after)
    same = {key for key, us in sides[0].items() if math.isclose(us, sides[1].get(key, 0), rel_tol=1e-3)}
    first, second = ({is_product: sum(us for key, us in side.items() if key not in same and key[-1] == is_product) / step.us
                      for is_product in (True, False)} for side, step in zip(sides, (before, after)))
    return first, second


class Gain(NamedTuple):
    value: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        if self.low > SURE:
            return "faster"
        return "slower" if self.high < 1 / SURE else "unclear"


def gain_of(before: Step, after: Step, is_measured: bool = False, is_bound_by_host: bool = False) -> Gain:
    """What a change gains, and where 95 % of measured gains would lie.

    Errors of products and of other kernels are those of `configs/validation/errors.csv`, each independent on either side where
    the change moved a kernel's time; what it did not move errs on both sides alike. What recipes of frameworks leave
    out takes its time on both sides, so that the gain is nearer to 1; nothing of it is unknown in a step that was measured.

    :param is_bound_by_host: the measured time says nothing of the kernels, whose errors then are those of whole steps
    """
    value = before.us / after.us
    squares = 0.0
    errors = {True: before.totals["product_error"], False: before.totals["stream_error"]}
    for shares in _changed(before, after):
        squares += sum((ENDS * errors[of] * share) ** 2 for of, share in shares.items())
    below = above = squares
    totals = before.totals
    if not totals.get("time_us_high"):
        return Gain(value, value * math.exp(-math.sqrt(below)), value * math.exp(math.sqrt(above)))
    low, high = (math.log(totals[f"time_us_{end}"] / totals["simulated_us"]) for end in ("low", "high"))
    if is_bound_by_host:
        below, above = below + high ** 2, above + low ** 2
    elif not is_measured:
        others = min(step.streams_us + step.optimizer_us for step in (before, after))
        for more in (before.us * math.expm1(high), -min(-before.us * math.expm1(low), others)):
            moved = math.log((before.us + more) / (after.us + more) / value)
            below, above = below + min(moved, 0) ** 2, above + max(moved, 0) ** 2
    return Gain(value, value * math.exp(-math.sqrt(below)), value * math.exp(math.sqrt(above)))
