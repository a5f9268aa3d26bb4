"""What `stcsim train` asks for: the experiment as the program has read and checked it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple

PHASES = ("forward", "dgrad", "wgrad")

Place = Tuple[int, int]  # a layer, -1 for the input, and how many of its operations have been done
INPUT = -1


@dataclass(frozen=True)
class Layer:
    """A conv, linear or bmm of a network."""

    name: str
    kind: str
    in_channels: int = 1
    out_channels: int = 1
    rows: int = 1  # tokens of a sample, or an image's height
    kernel: Tuple[int, int] = (1, 1)
    stride: int = 1
    pad: int = 0
    groups: int = 1
    bias: bool = False
    bmm: Mapping[str, Any] = field(default_factory=dict)
    after: Tuple[str, ...] = ()
    channels: int = 1  # of its product
    inputs: Tuple[Place, ...] = ()
    shortcut: Optional[Place] = None

    @staticmethod
    def of(keys: Mapping[str, Any], place: Mapping[str, Any]) -> Layer:
        """By the keys of a network's file, and where its values come from."""
        own: Dict[str, Any] = {key: keys[key] for key in ("stride", "pad", "groups", "bias") if key in keys}
        if keys["type"] == "conv":
            own.update(in_channels=keys["in_channels"], out_channels=keys["out_channels"],
                       rows=keys["input"][0], kernel=tuple(keys["kernel"]))
        elif keys["type"] == "linear":
            own.update(in_channels=keys["in_features"], out_channels=keys["out_features"],
                       rows=keys["tokens"])
        return Layer(keys["name"], keys["type"], **own, bmm=keys, after=tuple(keys["after"]),
                     channels=place["channels"], inputs=tuple(map(tuple, place["inputs"])),
                     shortcut=tuple(place["shortcut"]) if "shortcut" in place else None)


@dataclass(frozen=True)
class Rule:
    """The operands of a phase's product: their 8-bit type, and which tensor is pruned how ("": none)."""

    dtype: Optional[str] = None
    tensor: str = ""
    pattern: str = ""
    prune: str = ""
    mask_every: int = 1
    dense_channels: int = 0
    transposable: bool = False
    two_prunings: bool = False
    orders_rows: bool = False


@dataclass(frozen=True)
class Scheme:
    """How products are pruned, and how the network is trained so."""

    name: str
    optimizer: Mapping[str, Any]
    rules: List[Dict[str, Rule]]  # of every layer, by phase
    share_of_training: float = 1.0
    dense_steps: str = "last"
    freezes_variance: bool = False
    decay: float = 0.0
    masks: bool = False
    scale: Optional[float] = None

    @staticmethod
    def of(keys: Mapping[str, Any]) -> Scheme:
        rules = [{phase: Rule(**rule) for phase, rule in layer.items()} for layer in keys["rules"]]
        return Scheme(**{**keys, "rules": rules})


class Plan:
    """The whole request: `config` is the record's."""

    def __init__(self, request: Mapping[str, Any]):
        self.request = request
        self.config: Dict[str, Any] = json.loads(request["record"])["config"]
        network = self.config["network"]
        self.input: Dict[str, Any] = {"after": [], **network["input"]}
        self.batch: int = network["batch"]
        self.layers = [Layer.of(*pair) for pair in zip(network["layers"], request["places"])]
        self.schemes = [Scheme.of(keys) for keys in request["schemes"]]
        self.epochs: int = self.config["epochs"]
        self.steps_per_epoch: int = self.config["samples_per_epoch"] // self.batch
        self.steps = self.epochs * self.steps_per_epoch

    def timeline(self, scheme: Scheme) -> Timeline:
        return Timeline(scheme, self.steps, self.config["schedule"], self.config["published_steps"])


def rate_factor(schedule: Mapping[str, Any], x: float) -> float:
    """Part of the full learning rate at x, from 0 (start of the run) to 1 (end)."""
    rise = schedule["rise"]
    if x < rise:
        return x / rise
    fallen = (x - rise) / (1 - rise)
    return 1 - fallen if schedule["type"] == "peak" else 0.5 * (1 + math.cos(math.pi * fallen))


class Timeline:
    """The schedule of a scheme in a run of so many steps. Steps count from 0.

    `published_steps` is the length of the runs that periods in steps (mask_every) were published for: a
    period here is the same part of the run, at least one step.
    """

    ORDER_SEARCHES = 20  # Bi-Mask looks for a new order of rows at most so many times a run

    def __init__(self, scheme: Scheme, steps: int, schedule: Mapping[str, Any], published_steps: int):
        self._steps, self._schedule, self._published_steps = steps, schedule, published_steps
        self._freezes_variance = scheme.freezes_variance
        # The schedule begins anew here: half of the run, where a dense training comes before.
        self._pretraining = steps // 2 if scheme.dense_steps == "before" else 0
        sparse = round_half_up((steps - self._pretraining) * scheme.share_of_training)
        self._first = steps - sparse if scheme.dense_steps == "first" else self._pretraining
        self._end = self._first + sparse
        self.order_period = max(1, steps // self.ORDER_SEARCHES)

    def is_sparse(self, step: int) -> bool:
        return self._first <= step < self._end

    def freezes_variance(self, step: int) -> bool:
        return self._freezes_variance and self.is_sparse(step)

    def rate_factor(self, step: int) -> float:
        """Part of the full learning rate, in the middle of the step."""
        again = step >= self._pretraining
        begin = self._pretraining if again else 0
        length = self._steps - self._pretraining if again else self._pretraining
        return rate_factor(self._schedule, (step - begin + 0.5) / length)

    def period(self, published: int) -> int:
        """A period of the scheme's file in steps of this run; 0 (never again) stays 0."""
        return published and max(1, round_half_up(self._steps * (published / self._published_steps)))

    def is_due(self, period: int, step: int) -> bool:
        since = step - self._first
        return since == 0 or (period > 0 and since % period == 0)


def round_half_up(number: float) -> int:
    whole = math.floor(number)
    return whole + (number - whole >= 0.5)
