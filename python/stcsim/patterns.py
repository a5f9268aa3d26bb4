"""What patterns of a sparse tensor core bring to a network: gain as wide as the machine is, what must be wider, and what that takes.

The program checks the options and hands them on as JSON on standard input.
"""

from __future__ import annotations

import copy
import csv
import json
import sys
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ._process import Error
from .advise.published import Loss, losses_of
from .advise.report import gain_text, wrapped
from .advise.steps import SURE, Experiment, Steps
from .evidence.__main__ import Progress, end_with, guarded, write_page
from .evidence.program import config_folder, program_version

SCHEMA = "stcsim.patterns/1"
#: Of the sparse products' time, what those have for which widths are searched.
MOST_OF_TIME = 0.7
#: Gains that differ by less are the same.
EVEN = 0.001
#: How much wider than the machine a part may be.
FACTORS = (1, 2, 4, 8)
#: How much wider all parts are where a search begins.
STARTS = (2, 8)
#: Parts of a machine by name, what takes most area first: keys below `accelerator` that grow together.
PARTS: Mapping[str, Sequence[str]] = {
    "storage of an SM": ("sm.shared_memory.capacity_bytes", "sm.shared_memory.max_bytes_per_cta", "sm.registers"),
    "DRAM": ("dram.bytes_per_clk",),
    "L2 cache": ("l2_cache.read_bytes_per_clk",),
    "bus": ("memory_bus.sm_read_bytes_per_clk", "memory_bus.read_bytes_per_clk"),
    "epilogue": ("sm.epilogue.elements_per_clk", "memory_bus.sm_write_bytes_per_clk", "l2_cache.write_bytes_per_clk"),
    "shared memory": ("sm.shared_memory.bank_bytes", "sm.shared_memory.fill_bytes_per_clk", "sm.copy_engine.issue_bytes_per_clk"),
    "accumulators": ("sm.operand_fetch.accumulator_bytes_per_clk",),
    "registers' ports": ("sm.operand_fetch.register_bytes_per_clk",),
    "selector": ("sm.operand_selector.b_bytes_per_clk",),
    "metadata decoder": ("sm.operand_selector.metadata_decode_cycles",),
}
#: Of keys that stand for no limit.
UNLIMITED = 1 << 40

Machine = Dict[str, Any]


class Trial(NamedTuple):
    """The network's sparse products on one machine."""
    gain: float
    us: float
    dense_us: float
    sparse: int
    products: int
    joules: Optional[float]
    dense_joules: Optional[float]
    area_mm2: float

    @property
    def worth(self) -> float:
        """Gain for area."""
        return self.gain / self.area_mm2


class Gates(NamedTuple):
    """Of the selector of a multiplier, by synthesis."""
    transistors: Tuple[int, int]
    depth: Tuple[int, int]


class Row(NamedTuple):
    pattern: Mapping[str, Any]
    today: Trial
    then: Trial
    factors: Dict[str, int]
    #: Of the whole training step.
    step_gain: float
    gates: Optional[Gates]
    losses: Sequence[Loss]


def _place(machine: Machine, key: str) -> Tuple[Dict[str, Any], str]:
    *above, last = key.split(".")
    node = machine["accelerator"]
    for name in above:
        node = node.get(name, {})
    return node, last


def widened(machine: Machine, factors: Mapping[str, int]) -> Machine:
    """With parts so many times as wide; what that makes of instructions is not stated then."""
    wide = copy.deepcopy(machine)
    for part, factor in factors.items():
        for key in PARTS[part]:
            node, last = _place(wide, key)
            value = node.get(last)
            if isinstance(value, (int, float)) and 0 < value < UNLIMITED:
                node[last] = value // factor if last.endswith("_cycles") else value * factor
    if wide != machine:
        for instruction in wide["accelerator"]["sm"]["tensor_core"].get("instructions", []):
            instruction.pop("interval_cycles", None)
    return wide


def changes(machine: Any, base: Any) -> Any:
    """Keys of `machine` that differ from those of `base`; lists as a whole."""
    return {key: changes(value, base[key]) if isinstance(value, dict) and key in base else value
            for key, value in machine.items() if value != base.get(key)}


def parts_of(machine: Machine) -> List[str]:
    """Those that the machine has and that have a limit."""
    return [part for part in PARTS if widened(machine, {part: 2}) != machine]


def knowing(machine: Machine, pattern: Mapping[str, Any], dtype: str) -> Machine:
    """The machine with the pattern's multiplexers, its widths as they are."""
    made = copy.deepcopy(machine)
    selector = made["accelerator"]["sm"]["operand_selector"]
    native = selector["native_patterns"]
    for of_type in selector.get("native_patterns_by_type", []):
        native = of_type["patterns"] if of_type["dtype"] == dtype else native
    if pattern["pattern"] not in native:
        native.append(pattern["pattern"])
    for key in ("lane_inputs", "block_inputs"):
        if isinstance(selector.get(key), int):
            selector[key] = max(selector[key], pattern[key])
    return made


def _products(answer: Mapping[str, Any]) -> List[Mapping[str, Any]]:
    return [row for row in answer["rows"] if row["kind"] == "gemm" and row["scheme"] != "dense"]


def _sparse(products: Sequence[Mapping[str, Any]], scheme: str) -> List[Mapping[str, Any]]:
    """:raises Error: where there are none"""
    rows = [row for row in products if row["sparse_operand"] != "none"]
    if not rows:
        raise Error(f"'{scheme}' makes no product of this network sparse; --schemes takes another ('stcsim list schemes')")
    return rows


class Question:
    """One network under one scheme, each product with the best kernel that the machine could run."""

    def __init__(self, request: Mapping[str, Any], steps: Steps) -> None:
        self._steps = steps
        self.experiment: Experiment = {**request["experiment"], "stack": "best"}
        self.machine: Machine = self.experiment["machines"][0]
        self.dtype: str = self.experiment["dtype"]
        #: At which widths are searched for, whatever the board can feed.
        self.clock_mhz: float = self.experiment.get("clock_mhz") or self.machine["clock_mhz"]
        self.scheme: str = request["scheme"]
        self._file: str = request["machine"]
        self._most: Dict[str, Any] = {}
        self._progress = Progress("{} steps simulated")

    def _answer(self, pattern: str, machine: Machine, **keys: Any) -> Mapping[str, Any]:
        """:raises Error: where it cannot be simulated"""
        scheme = {"extends": self.scheme, "name": "asked", "pattern": pattern}
        changed = {**changes(machine, self.machine), "extends": self._file, "name": self.machine["name"]}
        asked = {**self.experiment, "machines": [changed], "schemes": ["dense", scheme], **keys}
        answer = self._steps.answers([asked])[0]
        self._progress(self._steps.simulated)
        if answer.error:
            raise Error(answer.error)
        return answer.data

    def trial(self, pattern: str, machine: Machine) -> Trial:
        """At the clock at which widths are searched for, of the products that take most of the sparse ones' time, with the
        kernel ranked first."""
        if not self._most:
            first = self._answer(pattern, self.machine, **self._quick())
            self._most = self._heaviest(_sparse(_products(first), self.scheme))
        return self._trial(self._answer(pattern, machine, **self._quick(), **self._most))

    def _quick(self) -> Dict[str, Any]:
        return {"stream_kernels": False, "clock_mhz": self.clock_mhz, "kernel_candidates": 1}

    def _heaviest(self, rows: Sequence[Mapping[str, Any]]) -> Dict[str, Any]:
        """Keys of an experiment with those layers and phases alone."""
        times: Dict[str, float] = {}
        for row in rows:
            times[row["layer"]] = times.get(row["layer"], 0) + row["time_us"] * row["repeat"] / row["every"]
        names, left = [], (1 - MOST_OF_TIME) * sum(times.values())
        for name in sorted(times, key=lambda one: times[one]):
            left -= times[name]
            if left < 0:
                names.append(name)
        network = self.experiment["networks"][0]
        layers = [{key: value for key, value in layer.items() if key not in ("inputs", "after")}
                  for layer in network["layers"] if layer["name"] in names]
        alone = {**network, "name": network["name"] + "_heaviest", "layers": layers}
        return {"networks": [alone], "phases": list(dict.fromkeys(row["phase"] for row in rows))}

    def step(self, pattern: str, machine: Machine) -> Tuple[Trial, float]:
        """Its products, and the gain of the training, some of whose steps may be dense, at the clock of its step."""
        answer = self._answer(pattern, machine, stream_kernels=True)
        return self._trial(answer), answer["totals"][1]["training_speedup"]

    def done(self) -> None:
        self._progress.wipe()

    def _trial(self, answer: Mapping[str, Any]) -> Trial:
        products = _products(answer)
        rows = _sparse(products, self.scheme)

        def total(key: str) -> Any:
            values = [(row[key], row["repeat"] / row["every"]) for row in rows]
            return None if any(value is None for value, _ in values) else sum(value * times for value, times in values)

        us, dense_us = total("time_us"), total("dense_time_us")
        return Trial(dense_us / us, us, dense_us, len(rows), len(products), total("joules"), total("dense_joules"),
                     answer["totals"][1]["area_mm2"])


class Search:
    """For the widths with the most gain of a pattern for the machine's area."""

    def __init__(self, question: Question, pattern: str, machine: Machine) -> None:
        self._question, self._pattern, self._machine = question, pattern, machine

    def _tried(self, factors: Mapping[str, int]) -> Trial:
        return self._question.trial(self._pattern, widened(self._machine, factors))

    def _narrowed(self, factors: Dict[str, int]) -> Tuple[Trial, Dict[str, int]]:
        """Takes parts back as far as a square millimetre brings as much then."""
        best, changed = self._tried(factors), True
        while changed:
            changed = False
            for part in factors:
                for factor in (one for one in FACTORS if one < factors[part]):
                    narrower = {**factors, part: factor}
                    trial = self._tried(narrower)
                    if trial.worth >= (1 - EVEN) * best.worth:
                        best, factors, changed = trial, narrower, True
                        break
        return best, factors

    def run(self) -> Dict[str, int]:
        """Parts and how many times as wide they are."""
        parts = parts_of(self._machine)
        found = [(self._tried({}), {})] + [self._narrowed(dict.fromkeys(parts, factor)) for factor in STARTS]
        factors = max(found, key=lambda one: one[0].worth)[1]
        return {part: factor for part, factor in factors.items() if factor > 1}


def gates_of(pattern: str) -> Optional[Gates]:
    """Of configs/costs/selector_gates.csv; nothing where the pattern was not synthesised."""
    kept = int(pattern.partition(":")[0])
    with open(config_folder() / "costs/selector_gates.csv", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(line for line in file if not line.startswith("#")) if row["pattern"] == pattern]
    if not rows:
        return None
    transistors, depth = ([int(row[key]) for row in rows] for key in ("transistors", "depth"))
    return Gates((min(transistors) // kept, max(transistors) // kept), (min(depth), max(depth)))


def row_of(question: Question, pattern: Mapping[str, Any]) -> Row:
    name = pattern["pattern"]
    machine = knowing(question.machine, pattern, question.dtype)
    today, step_gain = question.step(name, machine)
    then, factors = today, Search(question, name, machine).run()
    wider, gain = question.step(name, widened(machine, factors))
    if wider.worth > today.worth:
        then, step_gain = wider, gain
    else:
        factors = {}
    return Row(pattern, today, then, factors, step_gain, gates_of(name), losses_of(name, question.experiment["networks"][0]))


def _ratio(one: Optional[float], other: Optional[float]) -> Optional[float]:
    return one / other if one is not None and other else None


def figures(row: Row) -> Dict[str, Any]:
    """As JSON has them."""
    today, then, gates = row.today, row.then, row.gates
    joules = then.joules
    return {
        "pattern": row.pattern["pattern"], "at_most": row.pattern["at_most"], "sparse_products": then.sparse,
        "products": then.products, "gain_today": today.gain, "gain_then": then.gain, "over_todays_dense": today.dense_us / then.us,
        "step_gain_then": row.step_gain, "wider": [{"part": part, "factor": factor, "keys": list(PARTS[part])}
                                                    for part, factor in row.factors.items()],
        "area_mm2_today": today.area_mm2, "area_mm2": then.area_mm2, "area_ratio": then.area_mm2 / today.area_mm2,
        "joules": joules, "energy_ratio": _ratio(joules, then.dense_joules), "watts": _ratio(joules, then.us * 1e-6),
        "selector_transistors_low": gates and gates.transistors[0], "selector_transistors_high": gates and gates.transistors[1],
        "selector_depth_low": gates and gates.depth[0], "selector_depth_high": gates and gates.depth[1],
        "losses": [one._asdict() for one in row.losses]}


def to_json(rows: Sequence[Mapping[str, Any]], request: Mapping[str, Any]) -> str:
    experiment = request["experiment"]
    return json.dumps({"schema": SCHEMA, "version": program_version(), "network": experiment["networks"][0]["name"],
                       "machine": experiment["machines"][0]["name"], "scheme": request["scheme"], "dtype": experiment["dtype"],
                       "headline": headline(rows), "next": " ".join(request["next"]), "patterns": list(rows)}, indent=2) + "\n"


def _wider_text(row: Mapping[str, Any]) -> str:
    """"L2 cache x2, bus x2", those of one factor together."""
    by_factor: Dict[int, List[str]] = {}
    for one in row["wider"]:
        by_factor.setdefault(one["factor"], []).append(one["part"])
    return "; ".join(f"{', '.join(parts)} x{factor}" for factor, parts in sorted(by_factor.items(), reverse=True))


def headline(rows: Sequence[Mapping[str, Any]]) -> str:
    today = max(rows, key=lambda row: row["gain_today"])
    then = max(rows, key=lambda row: row["gain_then"])
    text = f"As wide as the machine is, {today['pattern']} gains most: {gain_text(today['gain_today'])}x of dense"
    if not then["wider"] or then["gain_then"] < SURE * today["gain_today"]:
        return text + "; wider parts are worth their area for no pattern."
    area = 100 * (then["area_ratio"] - 1)
    return f"{text}; made wider, {then['pattern']} does: {gain_text(then['gain_then'])}x with {area:.1f} % more area."


def _loss_text(losses: Sequence[Mapping[str, Any]]) -> str:
    if not losses:
        return "unknown"
    ends = [min(losses, key=lambda one: one["loss"]), max(losses, key=lambda one: one["loss"])]
    texts = [f"{one['loss']:g} {one['metric']} ({one['scheme']}, {one['network']})" for one in ends]
    return texts[0] if len(losses) == 1 else f"{texts[0]} to {texts[1]}, {len(losses)} figures"


COLUMNS = ("pattern", "at most", "gain", "wider", "step", "area", "energy", "watts", "transistors", "depth")


def _cells(row: Mapping[str, Any]) -> List[str]:
    def known(key: str, form: str) -> str:
        return "-" if row[key] is None else format(row[key], form)

    def between(key: str) -> str:
        low, high = row[f"selector_{key}_low"], row[f"selector_{key}_high"]
        return "-" if low is None else f"{low}..{high}"

    return [row["pattern"], f"{row['at_most']:.3g}x", gain_text(row["gain_today"]) + "x", gain_text(row["gain_then"]) + "x",
            gain_text(row["step_gain_then"]) + "x", f"{row['area_ratio']:.3f}", known("energy_ratio", ".3f"), known("watts", ".0f"),
            between("transistors"), between("depth")]


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    cells = [list(COLUMNS), *(_cells(row) for row in rows)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(COLUMNS))]
    lines = ["  ".join(text.rjust(width) if at else text.ljust(width) for at, (text, width) in enumerate(zip(line, widths)))
             for line in cells]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]]) + "\n"


def to_text(rows: Sequence[Mapping[str, Any]], request: Mapping[str, Any]) -> str:
    experiment, width = request["experiment"], request["width"]
    first = rows[0]
    lines = wrapped(headline(rows), width)
    lines += wrapped(f"{experiment['networks'][0]['name']} on {experiment['machines'][0]['name']}, {request['scheme']}: "
                     f"{first['sparse_products']} of {first['products']} products are sparse; the best "
                     "kernels that a machine could run.", width)
    lines += "\n" + _table(rows) + "\n"
    for row in rows:
        wider = _wider_text(row)
        lines += wrapped(f"{row['pattern']}: wider {wider}." if wider else f"{row['pattern']}: nothing need be wider.", width)
        lines += wrapped(f"  loss published: {_loss_text(row['losses'])}", width, below="    ")
    lines += wrapped("gain: of the sparse products as wide as the machine is; wider: with the parts named below, "
                     "the most gain for area; step: all of it, then. area: of the machine's; energy: of dense, "
                     "then; watts: what the board would draw; transistors, depth: of the selector of a multiplier, by synthesis.",
                     width, first="\n")
    return lines + wrapped("next: " + " ".join(request["next"]), width, below="    ")


def run(request: Dict[str, Any]) -> int:
    steps = Steps(request["jobs"])
    question = Question(request, steps)
    try:
        rows = [figures(row_of(question, pattern)) for pattern in request["patterns"]]
    finally:
        question.done()
        steps.close()
    write_page(request["html"], request["svg"], lambda: to_json(rows, request))
    sys.stdout.write((to_json if request["format"] == "json" else to_text)(rows, request))
    return 0


if __name__ == "__main__":
    end_with(lambda: guarded("stcsim patterns", lambda: run(json.load(sys.stdin))))
