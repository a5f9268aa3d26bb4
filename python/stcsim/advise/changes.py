"""Changes of a training step as data: when they apply, what they can save at most, what they change in the experiment, what they
cost, and the lines that do it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence

from ..evidence.program import config_folder, read_yaml
from .situation import Situation
from .steps import Experiment, Row, Step

#: Bytes that loads of an operand's rows take at once.
ALIGNMENT_BYTES = 16
BYTES = {"fp16": 2, "bf16": 2, "tf32": 4, "int8": 1, "fp8_e4m3": 1, "fp8_e5m2": 1}
#: Tokens have many classes: kernels whose tiles are 64 wide and more have no rest then.
VOCABULARY_MULTIPLE = 64
#: Below that it is a colour or a class, not a width.
LEAST_WIDTH = 64
WIDTHS = ("in_features", "out_features", "in_channels", "out_channels", "features", "vocabulary")
#: The same software with torch.compile, or with parameters in 16 bits.
COMPILED = {"pytorch_2_eager": "pytorch_compiled", "pytorch_eager": "pytorch_compiled",
            "pytorch_2_11_eager": "pytorch_2_11_compiled"}
IN_16_BITS = {"pytorch_2_11_eager": "pytorch_2_11_eager_bf16"}
#: Where the recipe of a fused optimizer is.
FUSED = "pytorch_2_11_eager"
#: torchao's float8 training reads 16 bits for the largest value and again to cast, writes 8 bits, and turns them once.
CAST_BYTES = 2 + 2 + 1 + 2
FP8 = "fp8_e4m3"
NO_HOST = {"launch": {"host_us": 0, "host_read_before_optimizer": False}}


class Change(NamedTuple):
    name: str
    #: One of a group is advised.
    group: str
    applies: Callable[[Situation], Any]
    #: What it saves at most, microseconds: where that is little, nothing is simulated.
    most_us: Callable[[Situation], float]
    #: Keys of the experiment that it replaces.
    overrides: Callable[[Situation], Dict[str, Any]]
    title: Callable[[Situation], str]
    cost: str
    code: Callable[[Situation], List[str]]
    #: Makes the changed step of the simulated one; nothing: the board's clock, or what was measured.
    after: Optional[Callable[[Situation, Step], Step]] = None
    #: Lower ones come first, whatever they gain: 0 costs a number, 2 costs accuracy, or nobody knows.
    rank: int = 1


def padded(situation: Situation, dtype: str = "") -> Dict[int, int]:
    """Widths whose rows are not aligned, and the next that are.

    :param dtype: of the products, that of the step without it
    """
    found: Dict[int, int] = {}
    multiple = ALIGNMENT_BYTES // BYTES.get(dtype or situation.dtype, 2)
    for layer in situation.network["layers"]:
        for key in WIDTHS:
            width = layer.get(key, 0)
            if width < LEAST_WIDTH or width % multiple == 0:
                continue
            is_vocabulary = key == "vocabulary" or (layer.get("role") == "classifier" and key == "out_features")
            step = VOCABULARY_MULTIPLE if is_vocabulary else multiple
            found[width] = max(found.get(width, 0), math.ceil(width / step) * step)
    return found


def with_widths(network: Mapping[str, Any], widths: Mapping[int, int]) -> Dict[str, Any]:
    layers = [{key: widths.get(value, value) if key in WIDTHS else value for key, value in layer.items()}
              for layer in network["layers"]]
    return {**network, "name": network["name"] + "_padded", "layers": layers}


def _of_layers(situation: Situation, chosen: Callable[[Mapping[str, Any]], bool]) -> List[Row]:
    names = {layer["name"] for layer in situation.network["layers"] if chosen(layer)}
    return [row for row in situation.simulated.rows if row.is_product and row.layer in names]


def _pad_most(situation: Situation) -> float:
    widths = padded(situation)
    return sum(row.us for row in _of_layers(situation, lambda layer: any(layer.get(key) in widths for key in WIDTHS)))


def _pad_code(situation: Situation) -> List[str]:
    """Keys of the model's config.json, where it has these numbers; else its layers."""
    keys: Dict[str, Any] = {}
    if situation.model.endswith(".json"):
        keys = json.loads(Path(situation.model).read_text(encoding="utf-8"))
    lines = []
    for width, wide in padded(situation).items():
        named = [key for key, value in keys.items() if value == width]
        layers = list(dict.fromkeys(layer["name"] for layer in situation.network["layers"]
                                    if width in [layer.get(key) for key in WIDTHS]))
        is_vocabulary = wide % VOCABULARY_MULTIPLE == 0
        lines += [f'"{key}": {wide}' for key in named] or [
            f"{'vocab_size' if is_vocabulary else 'width'} = {wide}  # of {', '.join(layers)}"]
        if is_vocabulary:
            lines.append(f"model.resize_token_embeddings(pad_to_multiple_of={VOCABULARY_MULTIPLE})  # of a checkpoint")
    return lines


def is_in_fp8(layer: Mapping[str, Any]) -> bool:
    return layer["type"] == "linear" and layer.get("role") != "classifier"


def _in_fp8(situation: Situation) -> Dict[str, Any]:
    network = with_widths(situation.network, padded(situation, FP8))
    return {**network, "name": network["name"] + "_fp8", "layers": [*filter(is_in_fp8, network["layers"])]}


def _fp8_step(situation: Situation, step: Step) -> Step:
    """Linear layers but the classifier, and the casts of what they multiply."""
    base = situation.simulated
    ours = {(row.layer, row.phase): row for row in step.rows if row.is_product}
    rows = [ours.get((row.layer, row.phase), row) if row.is_product else row for row in base.rows]
    elements = 0
    for layer in filter(is_in_fp8, situation.network["layers"]):
        samples = situation.batch * layer.get("tokens", 1)
        wide, out = layer["in_features"], layer["out_features"]
        elements += layer.get("repeat", 1) * (samples * (wide + out) + wide * out)
    casts = CAST_BYTES * elements / (situation.machine["accelerator"]["dram"]["bytes_per_clk"] * base.clock_mhz)
    rows.append(Row("casts", "other", "casts to fp8", False, False, casts, 0, 0, "dram"))
    changed = base.after(sum(row.us for row in rows))
    changed.rows = rows
    return situation.placed(changed) if situation.measured_us else changed


def batch_factor(situation: Situation) -> int:
    """How many times the batch the host's time is filled, a power of two that fits; 2 where it does not wait."""
    base = situation.base
    wanted = 2 ** math.ceil(math.log2(max(2.0, situation.host_us / max(base.kernels_us, 1.0))))
    while wanted > 1 and wanted * situation.batch > situation.largest_batch:
        wanted //= 2
    return wanted


def _batch_step(situation: Situation, step: Step) -> Step:
    """Of the same samples. Kernels are taken to need as much longer as there are more samples."""
    base, factor = situation.base, batch_factor(situation)
    kernels = (base.kernels_us - base.optimizer_us) + base.optimizer_us / factor
    us = max(kernels, situation.host_us / factor)
    changed = step.after(us, us - kernels)
    changed.rows = [row._replace(us=row.us / factor) if row.phase == "optimizer" else row for row in step.rows]
    return changed


def _host_share(situation: Situation, framework: str) -> float:
    ours = situation.framework["launch"]["host_us"]
    theirs = read_yaml(config_folder() / "frameworks" / f"{framework}.yaml")["launch"]["host_us"]
    return theirs / ours if ours else 1


def _fused(situation: Situation) -> Dict[str, Any]:
    optimizer = situation.network["optimizer"] + "_fused"
    recipe = read_yaml(config_folder() / "frameworks" / f"{FUSED}.yaml")["optimizers"][optimizer]
    framework = {**situation.framework, "name": situation.framework["name"] + "_fused",
                 "optimizers": {**situation.framework["optimizers"], optimizer: recipe}}
    return {"framework": framework, "networks": [{**situation.network, "optimizer": optimizer}]}


def _other(names: Mapping[str, str]) -> Callable[[Situation], Optional[str]]:
    return lambda situation: None if situation.is_profile else names.get(situation.framework["name"])


def _waits(situation: Situation) -> bool:
    return situation.base.waits_us > 0


def _has_fp8(situation: Situation) -> bool:
    types = [one["dtype"] for one in situation.machine["accelerator"]["sm"]["tensor_core"]["multipliers"]]
    return FP8 in types and BYTES.get(situation.dtype, 0) == 2 and not situation.is_profile


def _beside(situation: Situation) -> float:
    return situation.base.streams_us + situation.base.waits_us + situation.base.optimizer_us


CHANGES: Sequence[Change] = (
    Change("pad", "widths", padded, _pad_most,
           lambda s: {"networks": [with_widths(s.network, padded(s))]},
           lambda s: "pad " + ", ".join(f"{width} to {wide}" for width, wide in padded(s).items()),
           "nothing: rows of zeros leave the function as it is", _pad_code, rank=0),
    Change("compile", "launches", _other(COMPILED), _beside,
           lambda s: {"framework": COMPILED[s.framework["name"]]},
           lambda s: "torch.compile", "no accuracy; compilation before the first step",
           lambda s: ["model = torch.compile(model)"],
           lambda s, step: s.placed(step, _host_share(s, COMPILED[s.framework["name"]]))),
    Change("graph", "launches", _waits, lambda s: s.base.waits_us,
           lambda s: {} if s.is_profile else {"framework": {**s.framework, "name": s.framework["name"] + "_graph", **NO_HOST}},
           lambda s: "a CUDA graph of the step", "no accuracy; shapes that do not change",
           lambda s: ["with torch.cuda.graph(graph): train_step()  # once, then graph.replay()"],
           lambda s, step: step.after(step.kernels_us, 0) if s.is_profile else s.placed(step, 0)),
    Change("compiled_graph", "launches", lambda s: _waits(s) and _other(COMPILED)(s), _beside,
           lambda s: {"framework": {"extends": COMPILED[s.framework["name"]], "name": "compiled_graph", **NO_HOST}},
           lambda s: "torch.compile with CUDA graphs", "no accuracy; shapes that do not change",
           lambda s: ['model = torch.compile(model, mode="reduce-overhead")'],
           lambda s, step: s.placed(step, 0)),
    Change("fused_optimizer", "optimizer",
           lambda s: not s.is_profile and s.network["optimizer"] == "adam" and s.framework["name"].startswith("pytorch_"),
           lambda s: s.base.optimizer_us, _fused, lambda s: "a fused optimizer", "nothing",
           lambda s: ["torch.optim.AdamW(model.parameters(), fused=True)"]),
    Change("16_bit_parameters", "type", _other(IN_16_BITS), _beside,
           lambda s: {"framework": IN_16_BITS[s.framework["name"]]},
           lambda s: "parameters in bf16", "accuracy unknown: small updates are rounded away",
           lambda s: ["model = model.to(torch.bfloat16)  # without autocast"], rank=2),
    Change("fp8", "type", _has_fp8,
           lambda s: sum(row.us for row in _of_layers(s, is_in_fp8)) / 2,
           lambda s: {"dtype": FP8, "stream_kernels": False, "networks": [_in_fp8(s)]},
           lambda s: "fp8 in linear layers but the last", "accuracy unknown",
           lambda s: ["from torchao.float8 import convert_to_float8_training", "convert_to_float8_training(model)"],
           _fp8_step, rank=2),
    Change("batch", "batch", lambda s: not s.is_profile and s.largest_batch and batch_factor(s) > 1,
           lambda s: s.base.waits_us + s.base.optimizer_us, lambda s: {},
           lambda s: f"batch {s.batch * batch_factor(s)} instead of {s.batch}, times of {s.batch} samples",
           "the learning rate is to be found anew",
           lambda s: [f"batch_size = {s.batch * batch_factor(s)}"], _batch_step),
)


def unmeasured(experiment: Experiment) -> Experiment:
    """The products of a profile, simulated."""
    network = {key: value for key, value in experiment["networks"][0].items() if key != "measured_step"}
    layers = [{key: value for key, value in layer.items() if key != "measured"} for layer in network["layers"]]
    return {**experiment, "networks": [{**network, "name": network["name"] + "_products", "layers": layers}],
            "stream_kernels": False}


def with_products(base: Step, before: Step, after: Step) -> Step:
    """A measured step whose products take as much less time as they do when simulated."""
    ours, theirs = ({(row.layer, row.phase): row.us for row in step.rows} for step in (before, after))
    rows = []
    for row in base.rows:
        key = (row.layer, row.phase)
        rows.append(row._replace(us=row.us * theirs[key] / ours[key]) if row.is_product and ours.get(key) and key in theirs else row)
    changed = base.after(base.us + sum(row.us for row in rows) - sum(row.us for row in base.rows))
    changed.rows = rows
    return changed
