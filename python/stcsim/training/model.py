"""A network with weights, that is run forward and backward."""

from __future__ import annotations

import math
from typing import Dict, List, Optional, Sequence

import numpy
import torch
from torch.nn import functional

from . import draws
from .gemm import GemmLayer
from .plan import INPUT, Layer, Place, Plan, Scheme

Tensor = torch.Tensor

EPSILON = 1e-5  # of normalisations
MOMENTUM = 0.1  # of running averages, as in PyTorch
EMBEDDING_DEVIATION = 0.02  # of first values, as in BERT and GPT-2


def normal(seed: int, stream: int, deviation: float, shapes: Sequence[Sequence[int]]) -> List[Tensor]:
    """Tensors drawn one after the other."""
    counts = [math.prod(shape) for shape in shapes]
    count = sum(counts)
    drawn = draws.gauss(draws.units(seed, stream, 1, count + count % 2)[0])[:count]
    parts = torch.from_numpy((deviation * drawn).astype(numpy.float32)).split(counts)
    return [part.view(*shape) for part, shape in zip(parts, shapes)]


def first_weight(layer: Layer, seed: int, stream: int) -> Tensor:
    """He et al., "Delving Deep into Rectifiers", 2015: variance 2 / fan-in before a relu, else 1 / fan-in."""
    in_channels = layer.in_channels // layer.groups
    fan_in = in_channels * layer.kernel[0] * layer.kernel[1]
    deviation = math.sqrt((2.0 if "relu" in layer.after else 1.0) / fan_in)
    if layer.kind == "linear":
        return normal(seed, stream, deviation, [(layer.out_channels, layer.in_channels)])[0]
    shape = (layer.out_channels, *layer.kernel, in_channels)
    return normal(seed, stream, deviation, [shape])[0].permute(0, 3, 1, 2)


class Learnt:
    """Values that the operations after a layer have learnt."""

    bias: Optional[Tensor] = None
    scale: Optional[Tensor] = None  # of a normalisation, as is `shift`
    shift: Optional[Tensor] = None
    mean: Optional[Tensor] = None  # of batch normalisation, for evaluation, as is `variance`
    variance: Optional[Tensor] = None
    gemm: Optional[GemmLayer] = None


class Model:
    """Parameters are `weights`, which decay, and `others`, which do not."""

    def __init__(self, plan: Plan, scheme: Scheme, seed: int, casts: bool = False):
        self._plan, self._scheme = plan, scheme
        self.gemms: List[GemmLayer] = []
        self.others: List[Tensor] = []
        self._learnt: List[Learnt] = []
        timeline = plan.timeline(scheme)
        for stream, layer in enumerate(plan.layers):
            learnt = self._make_learnt(layer.after, layer.channels)
            self._learnt.append(learnt)
            if layer.kind == "bmm":
                continue
            weight = first_weight(layer, seed, stream).detach().requires_grad_(True)
            learnt.gemm = GemmLayer(layer, scheme, scheme.rules[stream], timeline,
                                    draws.mix(seed + 1 & draws.MASK) + stream, weight, casts)
            self.gemms.append(learnt.gemm)
            if layer.bias:
                learnt.bias = self._other(torch.zeros(layer.out_channels))
        if "tokens" in plan.input:
            shapes = [(plan.input[extent], plan.input["features"]) for extent in ("vocabulary", "tokens")]
            embeddings = normal(seed, len(plan.layers), EMBEDDING_DEVIATION, shapes)
            self._token_embedding, self._position_embedding = (self._other(start) for start in embeddings)
        channels = plan.input["features" if "tokens" in plan.input else "channels"]
        self._learnt.append(self._make_learnt(plan.input["after"], channels))
        self._wanted = {place for layer in plan.layers for place in (*layer.inputs, layer.shortcut)}
        self._values: Dict[Place, Tensor] = {}

    @property
    def weights(self) -> List[Tensor]:
        return [gemm.weight for gemm in self.gemms]

    def _other(self, start: Tensor) -> Tensor:
        self.others.append(start.detach().requires_grad_(True))
        return self.others[-1]

    def _make_learnt(self, operations: Sequence[str], channels: int) -> Learnt:
        learnt = Learnt()
        if "batch_norm" in operations or "layer_norm" in operations:
            learnt.scale, learnt.shift = self._other(torch.ones(channels)), self._other(torch.zeros(channels))
        if "batch_norm" in operations:
            learnt.mean, learnt.variance = torch.zeros(channels), torch.ones(channels)
        return learnt

    def forward(self, inputs: numpy.ndarray, training: bool) -> Tensor:
        """Logits, the outputs of the last layer before its softmax: samples (x tokens) x classes. In
        training, they are normalised with the statistics of these samples, which are learnt."""
        self._values = {}
        given = torch.from_numpy(inputs)
        if "tokens" in self._plan.input:
            x = torch.embedding(self._token_embedding, given) + self._position_embedding
        else:
            x = given.permute(0, 3, 1, 2)
        self._run_operations(INPUT, self._plan.input["after"], x, training)
        for index, layer in enumerate(self._plan.layers):
            x = self._run_operations(index, layer.after, self._product(index, layer), training)
        self._values = {}
        return x

    def _run_operations(self, index: int, operations: Sequence[str], x: Tensor, training: bool) -> Tensor:
        """All operations after a layer; the softmax after the last one is part of the loss."""
        self._note((index, 0), x)
        for done, operation in enumerate(operations, 1):
            if index + 1 < len(self._plan.layers) or operation != "softmax":
                x = self._apply(operation, index, x, training)
                self._note((index, done), x)
        return x

    def _note(self, place: Place, value: Tensor) -> None:
        if place in self._wanted:
            self._values[place] = value

    def _product(self, index: int, layer: Layer) -> Tensor:
        if layer.kind == "bmm":
            return self._attention(layer)
        x = self._values[layer.inputs[0]]
        if layer.kind == "linear" and x.dim() == 4:
            x = x.permute(0, 2, 3, 1).reshape(len(x), layer.rows, layer.in_channels)
        if layer.kind == "linear" and layer.rows == 1:
            x = x.reshape(len(x), layer.in_channels)
        gemm = self._learnt[index].gemm
        assert gemm is not None
        return gemm.forward(x)

    def _attention(self, layer: Layer) -> Tensor:
        first, second = (self._values[place] for place in layer.inputs)
        heads = layer.bmm["count"]
        second = _split_heads(second, heads)
        if layer.bmm["attention"] == "values":
            return _join_heads(torch.matmul(first, second))
        first = _split_heads(first, heads) * (1 / math.sqrt(layer.bmm["k"]))
        scores = torch.matmul(first, second.transpose(2, 3))
        if not layer.bmm.get("causal"):
            return scores
        later = torch.ones(layer.bmm["n"], layer.bmm["m"]).triu(1).to(torch.bool)
        return scores.masked_fill(later, -math.inf)

    def _apply(self, operation: str, index: int, x: Tensor, training: bool) -> Tensor:
        own = self._learnt[index]
        if operation == "bias":
            return x if own.bias is None else x + own.bias
        if operation == "batch_norm":
            return torch.batch_norm(x, own.scale, own.shift, own.mean, own.variance, training, MOMENTUM,
                                    EPSILON, False)
        if operation == "layer_norm":
            return torch.layer_norm(x, [x.shape[-1]], own.scale, own.shift, EPSILON)
        if operation == "residual_add":
            shortcut = self._plan.layers[index].shortcut
            assert shortcut is not None
            return x + self._values[shortcut]
        return OPERATIONS[operation](x)

    def prepare(self, step: int, training: bool = True) -> None:
        """Prunes the weights for a step, or, without `training`, to evaluate what the step made of them."""
        for gemm in self.gemms:
            gemm.prepare(step, training)

    def take_flip_rate(self) -> Optional[float]:
        """Share of decisions of forward's masks that changed from one step to the next, since it was asked last."""
        pruners = [gemm.pruner for gemm in self.gemms]
        flips, compared = sum(one.flips for one in pruners), sum(one.compared for one in pruners)
        for one in pruners:
            one.flips = one.compared = 0
        return flips / compared if compared else None

    @property
    def scale(self) -> Optional[float]:
        """Mean over layers of s-ste's scale."""
        scales = [gemm.pruner.scale for gemm in self.gemms if gemm.pruner.scale is not None]
        return sum(scales) / len(scales) if scales else None

    def count_fp16_zeros(self, is_asked: bool) -> None:
        """Whether the next backward pass counts them, anew."""
        for gemm in self.gemms:
            gemm.fp16_zeros = (0, 0) if is_asked else None

    @property
    def fp16_zeros(self) -> Optional[float]:
        """Share of the elements of all dY that are not 0, but would be in fp16 without a scaled loss."""
        counts = [gemm.fp16_zeros for gemm in self.gemms if gemm.fp16_zeros]
        elements = sum(count[1] for count in counts)
        return sum(count[0] for count in counts) / elements if elements else None

    def keep_output_gradients(self) -> None:
        """From now on, layers remember the gradients of their outputs."""
        for gemm in self.gemms:
            gemm.keeps_output_gradient = True

    def change_gradients(self) -> None:
        """Adds what a scheme does to the gradients of pruned weights: decay, masks."""
        for gemm in self.gemms:
            if gemm.mask is not None and self._scheme.decay:
                pruned = 1 - gemm.mask
                gemm.weight.grad = gemm.weight.grad + self._scheme.decay * pruned * gemm.weight.detach()
            if gemm.mask is not None and self._scheme.masks:
                gemm.weight.grad = gemm.weight.grad * gemm.mask

    def mask_weights(self) -> None:
        """Zeroes the others if only kept weights are updated."""
        for gemm in self.gemms:
            if gemm.mask is not None and self._scheme.masks:
                gemm.weight.detach().mul_(gemm.mask)


OPERATIONS = {
    "relu": torch.relu,
    "relu_squared": lambda x: torch.square(torch.relu(x)),
    "gelu": functional.gelu,
    "softmax": lambda x: torch.softmax(x, -1),
    "max_pool": lambda x: torch.max_pool2d(x, [3, 3], [2, 2], [1, 1]),
    "avg_pool": lambda x: torch.mean(x, [2, 3], True),
}


def _split_heads(x: Tensor, heads: int) -> Tensor:
    """samples x tokens x (heads x features) to samples x heads x tokens x features"""
    return x.view(x.shape[0], x.shape[1], heads, x.shape[2] // heads).permute(0, 2, 1, 3)


def _join_heads(x: Tensor) -> Tensor:
    return x.permute(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], x.shape[1] * x.shape[3])
