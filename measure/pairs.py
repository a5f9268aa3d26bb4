"""The 30 pairs whose ratio is predicted and measured, and the networks that their steps train.

Both sides are said once: scripts/predictions/predict_pairs.py asks the simulator for them, models.py builds them in PyTorch.
Nothing here needs PyTorch.
"""

import hashlib
import json
from typing import NamedTuple, Tuple, Union

DTYPE = "bf16"


class Network(NamedTuple):
    """Sizes of a network of a family. `file` names the simulator's network, below configs/; empty: its layers follow from the
    sizes."""

    family: str
    sizes: dict
    file: str = ""


class Gemm(NamedTuple):
    """C = A B; A, of m x k, is 2:4 where it is sparse."""

    m: int
    n: int
    k: int
    is_sparse: bool = False

    @property
    def text(self):
        return f"{self.m}x{self.n}x{self.k}{' 2:4' if self.is_sparse else ''}"


class Step(NamedTuple):
    """A training step. `mode` is eager, compiled, graph (a replay of the eager step) or compiled graph; of a part of a
    network always a replay."""

    network: str
    batch: int
    mode: str = "eager"
    optimizer: str = ""  # empty: the network's
    is_sparse: bool = False

    @property
    def text(self):
        more = [text for text in (self.mode, self.optimizer, "2:4" if self.is_sparse else "") if text]
        return f"{self.network} batch {self.batch}, {', '.join(more)}"


Side = Union[Gemm, Step]


class Pair(NamedTuple):
    """The prediction is the time of `first` over that of `second`."""

    name: str
    first: Side
    second: Side


def _gpt(width, blocks, vocabulary=50304, tokens=1024, file=""):
    sizes = {"width": width, "blocks": blocks, "heads": width // 64, "tokens": tokens, "vocabulary": vocabulary}
    return Network("gpt", sizes, file)


def _bert(width, blocks, file):
    sizes = {"width": width, "blocks": blocks, "heads": width // 64, "inner": 4 * width, "tokens": 384,
             "vocabulary": 30522, "positions": 512, "segments": 2}
    return Network("bert", sizes, file)


def _mlp(width, inner):
    return Network("mlp", {"width": width, "inner": inner})


LLAMA = {"width": 2048, "blocks": 8, "heads": 32, "kv_heads": 8, "inner": 8192, "tokens": 2048, "vocabulary": 128256}
NETWORKS = {
    "nanogpt_124m": _gpt(768, 12, file="networks/nanogpt_124m.yaml"),
    "nanogpt_50257": _gpt(768, 12, 50257),
    "nanogpt_wide": _gpt(1536, 6),
    "nanogpt_short": _gpt(768, 12, tokens=128),
    "bert_base_s384": _bert(768, 12, "networks/bert_base_s384.yaml"),
    "bert_large_l6": _bert(1024, 6, "validation/networks/bert_large_l6.yaml"),
    "llama3_1b_l8": Network("llama", LLAMA, "validation/networks/llama3_1b_l8.yaml"),
    "resnet50": Network("resnet", {"stages": (3, 4, 6, 3), "classes": 1000, "rows": 224}, "networks/resnet50.yaml"),
    **{f"mlp_{width}_{inner}": _mlp(width, inner) for width, inner in (
        (1024, 2731), (1024, 2736), (1536, 6144), (2048, 5461), (2048, 5464), (3072, 12288), (5120, 13824), (6144, 24576))},
}
OPTIMIZERS = {"gpt": "adam_fused", "bert": "adam", "llama": "adam", "resnet": "sgd_momentum", "mlp": "sgd_momentum"}


def parameters(network: Network) -> int:
    """All that its optimizer updates."""
    of = network.sizes
    if network.family == "resnet":
        return _resnet_parameters(of["stages"], of["classes"])
    width = of["width"]
    if network.family == "mlp":
        return 2 * width * of["inner"] + of["inner"] + width
    words, blocks = of["vocabulary"] * width, of["blocks"]
    if network.family == "gpt":
        return words + of["tokens"] * width + blocks * (12 * width**2 + 2 * width) + width
    if network.family == "llama":
        keys = width * of["kv_heads"] // of["heads"]
        return 2 * words + blocks * (2 * width * (width + keys) + 3 * width * of["inner"] + 2 * width) + width
    block = 4 * width * (width + 1) + 2 * width * of["inner"] + of["inner"] + width + 4 * width
    return words + (of["positions"] + of["segments"] + 2) * width + blocks * block + 2 * width + 2


def _resnet_parameters(stages, classes):
    """Convolutions without biases, a scale and a shift behind each."""
    convolutions, wide = [(3, 64, 7)], 64
    for stage, blocks in enumerate(stages):
        narrow = 64 * 2**stage
        for block in range(blocks):
            if block == 0:
                convolutions.append((wide, 4 * narrow, 1))
            convolutions += [(wide, narrow, 1), (narrow, narrow, 3), (narrow, 4 * narrow, 1)]
            wide = 4 * narrow
    return sum(i * o * size**2 + 2 * o for i, o, size in convolutions) + (wide + 1) * classes


def _sparse_gemm(m, n, k):
    return Pair(f"sparse_gemm_{m}x{n}x{k}", Gemm(m, n, k), Gemm(m, n, k, True))


def _sparse_step(network, tokens):
    return Pair(f"sparse_{network}_n{tokens}", Step(network, tokens, "graph"), Step(network, tokens, "graph", is_sparse=True))


def _modes(network, batch, first, second, optimizer=""):
    """The same step run in two ways."""
    return Pair(f"{second.replace(' ', '_')}_{network}_b{batch}", Step(network, batch, first, optimizer),
                Step(network, batch, second, optimizer))


def _padded(network, wide, batch, mode="eager"):
    return Pair(f"padded_{network}_b{batch}", Step(network, batch, mode), Step(wide, batch, mode))


def _fused(network, batch):
    foreach, fused = (Step(network, batch, optimizer=name) for name in ("adam", "adam_fused"))
    return Pair(f"fused_{network}_b{batch}", foreach, fused)


def _batches(network, first, second):
    return Pair(f"batch_{network}_b{first}_b{second}", Step(network, first), Step(network, second))


#: The quick ones first: what takes a compiler comes last.
PAIRS: Tuple[Pair, ...] = (
    _sparse_gemm(5120, 512, 5120), _sparse_gemm(5120, 2048, 5120), _sparse_gemm(5120, 8192, 5120),
    _sparse_gemm(13824, 4096, 5120), _sparse_gemm(1536, 8192, 6144),
    _sparse_step("mlp_1536_6144", 4096), _sparse_step("mlp_1536_6144", 16384), _sparse_step("mlp_3072_12288", 8192),
    _sparse_step("mlp_5120_13824", 8192), _sparse_step("mlp_6144_24576", 8192),
    _padded("mlp_2048_5461", "mlp_2048_5464", 8192, "graph"), _padded("mlp_1024_2731", "mlp_1024_2736", 16384, "graph"),
    _padded("nanogpt_50257", "nanogpt_124m", 4), _padded("nanogpt_50257", "nanogpt_124m", 16),
    _fused("nanogpt_124m", 4), _fused("bert_large_l6", 8), _fused("llama3_1b_l8", 1),
    _modes("resnet50", 2, "eager", "graph"), _modes("resnet50", 8, "eager", "graph"),
    _modes("bert_base_s384", 1, "eager", "graph", "adam_fused"), _modes("bert_base_s384", 2, "eager", "graph", "adam_fused"),
    _batches("nanogpt_124m", 8, 24), _batches("resnet50", 32, 128), _batches("llama3_1b_l8", 1, 2),
    _modes("nanogpt_124m", 16, "eager", "compiled"), _modes("bert_large_l6", 16, "eager", "compiled"),
    _modes("resnet50", 64, "eager", "compiled"), _modes("nanogpt_wide", 8, "eager", "compiled"),
    _modes("bert_base_s384", 64, "eager", "compiled"), _modes("nanogpt_short", 1, "eager", "compiled graph"),
)


def hash_of(pair: Pair) -> str:
    """Of all that the pair says: what is measured is what was predicted."""
    sides = [(side, NETWORKS[side.network]) if isinstance(side, Step) else side for side in pair[1:]]
    return hashlib.sha256(json.dumps(sides).encode()).hexdigest()
