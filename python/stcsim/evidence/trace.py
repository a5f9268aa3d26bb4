"""A profile of a training step, and the simulation of that step, side by side.

`stcsim list profile` says what ran on the GPU, and for which product; `stcsim run` simulates the step, and the
products that it reads from the profile itself. Times are microseconds of a whole step.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Dict, Iterable, List, Mapping, Sequence, Tuple

from .._process import Error
from .model import relative_error
from .program import ask

Object = Dict[str, Any]
PHASES = ("forward", "backward", "optimizer")
#: What sums are made of: kinds of kernels, finer ones below.
GROUPS = {"products": ("product", "attention"), "optimizer": ("optimizer",), "norm": ("norm",),
          "all else": ("elementwise", "fused", "copies", "fills", "reductions", "softmax and loss", "pooling", "embedding",
                       "pruning", "memset", "memcpy")}
GROUP_OF = {kind: group for group, kinds in GROUPS.items() for kind in kinds}
#: Kinds of kernels beside the products in results of `stcsim run`.
SIMULATED = {"gemm": "product", "attention": "attention", "optimizer": "optimizer", "normalisation": "norm",
             "activation": "elementwise", "dropout": "elementwise", "residual": "elementwise", "casts": "copies",
             "layout": "copies", "bias": "reductions", "softmax": "softmax and loss", "loss": "softmax and loss",
             "pooling": "pooling", "pruning": "pruning"}
_NORM, _LOSS = "(layer|batch|group|instance|rms)_?norm", "softmax|nll_loss|cross_entropy"
#: Of operators beside the products, the first that fits; of kernels that torch.compile made their names.
_MEASURED = tuple((re.compile(words), kind) for words, kind in (
    (_NORM, "norm"), (_LOSS, "softmax and loss"), ("pool", "pooling"), ("[eE]mbedding", "embedding"),
    ("aten::(copy_|cat|gather|index|stack|clone)", "copies"), ("aten::(fill_|zero_)", "fills"),
    ("aten::(sum|mean|all|any|amax|amin|max|min|argmax|norm|linalg_vector_norm|cumsum|std|var)$", "reductions")))
_COMPILED = tuple((re.compile(words), kind) for words, kind in ((_NORM, "norm"), (_LOSS, "softmax and loss")))
_OF_OPTIMIZER = re.compile("aten::_(foreach|fused_(adam|sgd|adagrad))")


@dataclass
class Kernels:
    """Equal kernels of one side. `shapes` are the operator's inputs; of simulated ones there are none."""

    phase: str
    kind: str
    operator: str            # simulated: the operation, "layer_norm"
    around: str              # the outermost operator, or autograd's node; simulated: the layer
    kernel: str
    shapes: str = ""
    count: float = 0
    us: float = 0.0


@dataclass
class Product:
    phase: str               # forward, dgrad, wgrad; of attention forward, backward
    sizes: Tuple[int, ...]   # m, n, k, products of that size in one
    is_attention: bool = False
    measured_count: float = 0
    measured_us: float = 0.0
    simulated_count: float = 0
    simulated_us: float = 0.0

    @property
    def ratio(self) -> Any:
        return self.simulated_us / self.measured_us if self.measured_us and self.simulated_us else None


@dataclass
class Comparison:
    """`profile` is the document of `stcsim list profile`, without its events; `total` what `run` says of the step."""

    profile: Object
    names: Object
    measured: List[Kernels]
    simulated: List[Kernels]
    products: List[Product]
    total: Object
    products_only: bool
    groups: Mapping[str, Sequence[str]] = field(default_factory=lambda: GROUPS)

    def sums(self, kinds: Sequence[str], phase: str = "") -> Tuple[float, float, float, float]:
        """Measured and simulated: times, then numbers of kernels."""
        sides = [[one for one in side if one.kind in kinds and phase in ("", one.phase)]
                 for side in (self.measured, self.simulated)]
        times = [sum(one.us for one in side) for side in sides]
        return (times[0], times[1], *(sum(one.count for one in side) for side in sides))  # type: ignore[return-value]

    def error(self, group: str) -> Any:
        measured, simulated, _, _ = self.sums(self.groups[group])
        return relative_error(simulated, measured) if measured else None


def short_name(kernel: str) -> str:
    """A kernel's name without what every one of its template's has: "elementwise_kernel CUDAFunctor_add"."""
    name = re.sub(r"^void ", "", kernel).replace("(anonymous namespace)::", "")
    head = re.split(r"[<(]", name)[0].split("::")[-1] or name
    functor = re.search(r"(\w*(?:[Ff]unctor|_kernel_cuda|_kernel_impl|Ops?)\w*)(?=[<(,>])", name[len(head):])
    return head + (" " + functor.group(1) if functor and functor.group(1) not in head else "")


def kind_of(event: Mapping[str, Any]) -> str:
    """What a thing that ran is counted as: by its operator, since names of kernels do not tell a cast from an addition."""
    if event["what"] != "kernel":
        return "memset" if event["what"] == "fill" else "memcpy"
    if event["product"]:
        return event["product"]
    if event["phase"] == "optimizer" or _OF_OPTIMIZER.match(event["operator"]):
        return "optimizer"
    if event["name"].startswith("triton_"):
        return next((kind for words, kind in _COMPILED if words.search(event["name"])), "fused")
    texts = (event["operator"], event["around"] if "mbedding" in event["around"] else "")
    return next((kind for words, kind in _MEASURED if any(words.search(text) for text in texts)), "elementwise")


def _added_up(kernels: Iterable[Kernels]) -> List[Kernels]:
    sums: Dict[Tuple[str, ...], Kernels] = {}
    for one in kernels:
        key = (one.phase, one.kind, one.operator, one.around, one.kernel, one.shapes)
        same = sums.setdefault(key, Kernels(*key))
        same.count += one.count
        same.us += one.us
    return sorted(sums.values(), key=lambda one: (PHASES.index(one.phase), one.kind, -one.us))


def measured_kernels(profile: Mapping[str, Any]) -> List[Kernels]:
    return _added_up(Kernels(event["phase"], kind_of(event), event["operator"], event["around"],
                             short_name(event["name"]), str([one for one in event["shapes"] if one]), 1, event["us"])
                     for event in profile["events"])


class Layers:
    """The layers of a network of `stcsim run`, as its results name them.

    :param is_imported: from a profile, whose products of attention are those that one kernel computed
    """

    def __init__(self, study: Mapping[str, Any], is_imported: bool):
        self._of = {layer["name"]: layer for layer in study["config"]["networks"][0]["layers"]}
        self._is_fused = is_imported or study["totals"][0]["attention"] == "on_chip"

    def is_attention(self, row: Mapping[str, Any]) -> bool:
        """A product of activations that attention's kernel computes."""
        layer = self._of.get(row["layer"], {})
        fused = layer.get("type") == "bmm" and layer.get("role") == "attention"
        return row["kind"] == "attention" or (row["kind"] == "gemm" and fused and self._is_fused)

    def kind_of(self, row: Mapping[str, Any]) -> str:
        if self.is_attention(row):
            return "attention"
        if row["op"].startswith(("zero fill", "zero_fill")):
            return "fills"
        is_embedding = self._of.get(row["layer"], {}).get("type") == "embedding" and row["kind"] == "layout"
        return "embedding" if is_embedding else SIMULATED[row["kind"]]

    def measured_us(self, row: Mapping[str, Any]) -> float:
        """Of an imported layer's product."""
        layer = self._of[row["layer"]]
        return layer.get("measured", {}).get(row["phase"] + "_ns", 0) * layer["repeat"] / 1000


def _phase_of(row: Mapping[str, Any]) -> str:
    if row["phase"] in ("forward", "optimizer"):
        return row["phase"]
    return "forward" if row["op"].endswith(" forward") else "backward"


def simulated_kernels(study: Mapping[str, Any], layers: Layers) -> List[Kernels]:
    def kernels(row: Mapping[str, Any]) -> Kernels:
        times = row["repeat"] / row["every"]
        name = re.sub(" (forward|backward)$", "", row["op"])
        is_product = layers.kind_of(row) in GROUPS["products"]
        return Kernels(_phase_of(row), layers.kind_of(row), row["phase"] if is_product else name, row["layer"],
                       row["kernel"]["name"] if is_product else name, "", times * row["launches"],
                       times * row["time_us"])

    return _added_up(kernels(row) for row in study["results"])


def product_of(row: Mapping[str, Any], is_attention: bool) -> Tuple[str, Tuple[int, ...]]:
    """Phase and sizes (m, n, k, products of that size in one) of a row of a study; of attention the direction alone."""
    if is_attention:
        return ("forward" if row["phase"] == "forward" else "backward"), ()
    # C and its transpose are one product.
    m, n = sorted((row["m"], row["n"]))
    return row["phase"], (m, n, row["k"], row["batch_count"] * row["gemm_count"])


def _products(imported: Mapping[str, Any], study: Mapping[str, Any], of_study: Layers) -> List[Product]:
    products: Dict[Any, Product] = {}
    of_profile = Layers(imported, True)
    for is_measured, results, layers in ((True, imported["results"], of_profile), (False, study["results"], of_study)):
        for row in results:
            if layers.kind_of(row) not in GROUPS["products"]:
                continue
            is_attention = layers.is_attention(row)
            key = (*product_of(row, is_attention), is_attention)
            one = products.setdefault(key, Product(*key))
            # Attention as products: two forward and four backward are one kernel each.
            parts = (2 if key[0] == "forward" else 4) if is_attention and row["kind"] == "gemm" else 1
            if not is_measured:
                one.simulated_us += row["time_us"] * row["repeat"]
                one.simulated_count += row["repeat"] / parts
            elif layers.measured_us(row):
                one.measured_us += layers.measured_us(row)
                one.measured_count += row["repeat"]
    return sorted((one for one in products.values() if one.measured_count or one.simulated_count),
                  key=lambda one: (one.phase != "forward", one.phase, -one.measured_us, one.sizes))


def _groups(measured: Sequence[Kernels]) -> Mapping[str, Sequence[str]]:
    """Norms are all else where the profile has none of their own: torch.compile's kernels, norms in pieces."""
    kinds = {one.kind for one in measured}
    if "norm" in kinds and "fused" not in kinds:
        return GROUPS
    groups = {name: kinds for name, kinds in GROUPS.items() if name != "norm"}
    return {**groups, "all else": (*groups["all else"], "norm")}


def gap_us(events: Sequence[Object]) -> float:
    """What a launch takes beside its kernel: the median from an end to the next start, where the host does not bound (5 us)."""
    gaps = [after["start_us"] - before["start_us"] - before["us"] for before, after in zip(events, events[1:])]
    return median([gap for gap in gaps if 0 <= gap < 5] or [0.0])


def with_zeros(rows: Sequence[Object]) -> List[Object]:
    """Rows of a study, of a strided dgrad with the zeros of pixels that no tap reaches: cuDNN's kernel writes both."""
    dgrads = {row["layer"]: row for row in rows if row["phase"] == "dgrad"}
    zeros = [row for row in rows if row["op"] == "zero_fill backward" and row["layer"] in dgrads]
    for row in zeros:
        dgrads[row["layer"]]["time_us"] += row["time_us"]
    return [row for row in rows if not any(row is one for one in zeros)]


def _run(words: Sequence[str], gap: float) -> Object:
    """A study of `stcsim run`, without its waits for the host and the gaps between kernels, which no profile counts as kernels."""
    study = ask(["run", "--no-spread", "--format=json", *words])
    if study["failures"]:
        raise Error(f"a simulation failed: {study['failures'][0]}")
    study["results"] = [row for row in study["results"] if row["kind"] != "launches"]
    for row in study["results"]:
        row["time_us"] -= gap * row["launches"]
    study["results"] = with_zeros(study["results"])
    return study


def compare(file: str, run_options: Sequence[str], network: str = "", jobs: int = 1) -> Comparison:
    """
    :param run_options: machine, type, batch and so on, as words for `stcsim run`
    :param network: a shipped one or a file; without it the products that the profile itself has
    :raises Error: the file is no profile with shapes, an option is wrong
    """
    profile = ask(["list", "profile", file])
    alone = [word for word in run_options if word.startswith(("--arch", "--dtype", "--clock"))]
    gap = gap_us(profile["events"])
    imported = _run([f"--network={file}", f"--jobs={jobs}", *(alone if network else run_options)], gap)
    study = _run([f"--network={network}", f"--jobs={jobs}", *run_options], gap) if network else imported
    layers = Layers(study, not network)
    simulated = simulated_kernels(study, layers)
    if not network:
        simulated = [one for one in simulated if one.kind in GROUPS["products"]]
    measured = measured_kernels(profile)
    total = study["totals"][0]
    profile.pop("events")
    names = {"machine": total["machine"], "network": total["network"], "framework": total["framework"],
             "batch": study["config"]["networks"][0]["batch"], "clock_mhz": total["clock_mhz"]}
    return Comparison(profile, names, measured, simulated, _products(imported, study, layers), total, not network,
                      _groups(measured))
