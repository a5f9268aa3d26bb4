"""The three products of a conv or linear, each of whatever operands its scheme's file names.

Activations of a conv are samples x channels x height x width, of a linear (anything) x channels; weights are
C_out x C_in per group x kernel height x kernel width of a conv, C_out x C_in of a linear.
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Tuple

import torch

from .plan import Layer, Rule, Scheme, Timeline
from .pruners import TensorPruner, WeightPruner, from_plain, to_plain

Tensor = torch.Tensor

#: 8-bit types: the largest number, bits behind the point, exponent of its least normal number.
EIGHT_BITS = {"fp8_e4m3": (448.0, 3, -6), "fp8_e5m2": (57344.0, 2, -14), "int8": (127.0, 0, 0)}


def cast(tensor: Tensor, dtype: str) -> Tensor:
    """Numbers as an 8-bit type has them, scaled so that the largest magnitude is the type's largest, rounded
    to nearest even, and scaled back. Other types are left as they are: training is in fp32."""
    magnitude = float(tensor.abs().max()) if dtype in EIGHT_BITS else 0
    if magnitude == 0:
        return tensor
    largest, mantissa, least_exponent = EIGHT_BITS[dtype]
    scale = largest / magnitude
    scaled = tensor * scale
    if dtype == "int8":
        return scaled.round_().clamp_(-largest, largest).div_(scale)
    # A quantum is a power of two: the bits of an fp32 that has an exponent alone.
    exponent = (scaled.view(torch.int32) >> 23 & 0xFF).clamp_min_(127 + least_exponent)
    quantum = (exponent - mantissa << 23).view(torch.float32)
    return scaled.div_(quantum).round_().mul_(quantum).clamp_(-largest, largest).div_(scale)


def _channels_last(tensor: Tensor) -> Tensor:
    return tensor.contiguous(memory_format=torch.channels_last)


def _image(tensor: Tensor) -> Tensor:
    """A linear is a 1x1 convolution over images whose pixels are its rows: the same sums, and in PyTorch
    without an optimised BLAS ten times as fast, if there are 16 images or more."""
    rows = tensor.numel() // tensor.shape[-1]
    samples = next((count for count in (32, 16, 64, 48) if rows % count == 0), 1)
    return tensor.contiguous().view(samples, rows // samples, 1, tensor.shape[-1]).permute(0, 3, 1, 2)


def _rows(image: Tensor, shape: Sequence[int]) -> Tensor:
    return image.permute(0, 2, 3, 1).reshape(shape)


def _filter(weight: Tensor) -> Tensor:
    return weight.contiguous().view(*weight.shape, 1, 1)


def forward_product(layer: Layer, x: Tensor, weight: Tensor) -> Tensor:
    """Y = W X"""
    if layer.kind == "conv":
        return torch.conv2d(_channels_last(x), _channels_last(weight), None, [layer.stride] * 2,
                            [layer.pad] * 2, [1, 1], layer.groups)
    return _rows(torch.conv2d(_image(x), _filter(weight)), [*x.shape[:-1], weight.shape[0]])


def _gradients(layer: Layer, dy: Tensor, x: Tensor, weight: Tensor, which: int) -> Tensor:
    return torch.ops.aten.convolution_backward(
        dy, x, weight, None, [layer.stride] * 2, [layer.pad] * 2, [1, 1], False, [0, 0], layer.groups,
        [which == 0, which == 1, False])[which]


def dgrad_product(layer: Layer, dy: Tensor, weight: Tensor, like: Tensor) -> Tensor:
    """dX = W^T dY, of the shape of `like`"""
    if layer.kind == "conv":
        return _gradients(layer, _channels_last(dy), _channels_last(like), _channels_last(weight), 0)
    return _rows(_gradients(layer, _image(dy), _image(like), _filter(weight), 0), like.shape)


def wgrad_product(layer: Layer, dy: Tensor, x: Tensor, like: Tensor) -> Tensor:
    """dW = dY X^T, of the shape of `like`"""
    if layer.kind == "conv":
        return _gradients(layer, _channels_last(dy), _channels_last(x), _channels_last(like), 1)
    return _gradients(layer, _image(dy), _image(x), _filter(like), 1).view(like.shape)


class PrunedProducts(torch.autograd.Function):
    """Forward and backward of a GemmLayer. Gradients go straight through pruning: that of the weights is the
    one of the pruned weights."""

    @staticmethod
    def forward(context: Any, x: Tensor, weight: Tensor, gemm: GemmLayer) -> Tensor:  # type: ignore[override]
        context.gemm = gemm
        context.save_for_backward(x, weight, gemm.as_cast("dgrad", gemm.dgrad_weight))
        return forward_product(gemm.layer, gemm.operand("forward", "activation", x),
                               gemm.as_cast("forward", gemm.forward_weight))

    @staticmethod
    def backward(context: Any, dy: Tensor) -> Tuple[Optional[Tensor], Tensor, None]:  # type: ignore[override]
        gemm: GemmLayer = context.gemm
        gemm.count_fp16_zeros(dy)
        x, weight, dgrad_weight = context.saved_tensors
        dx = None
        if context.needs_input_grad[0]:
            dx = dgrad_product(gemm.layer, gemm.operand("dgrad", "output_gradient", dy), dgrad_weight, x)
        dw = wgrad_product(gemm.layer, gemm.operand("wgrad", "output_gradient", dy),
                           gemm.operand("wgrad", "activation", x), weight)
        return dx, dw, None


class GemmLayer:
    """A conv or linear whose three products take the operands that a scheme prunes.

    `weight` are the dense weights, a leaf that requires its gradient; `seed` keys the random numbers of this
    layer in this run. With `casts`, each phase multiplies in the 8-bit type that the scheme names for it.
    """

    def __init__(self, layer: Layer, scheme: Scheme, rules: Dict[str, Rule], timeline: Timeline, seed: int,
                 weight: Tensor, casts: bool = False):
        self.layer, self.weight = layer, weight
        self.pruner = WeightPruner(scheme, rules, timeline, seed)
        self.mask: Optional[Tensor] = None  # 1 where forward keeps the weight; none if it prunes none now
        self.forward_weight = self.dgrad_weight = weight.detach()
        self.keeps_output_gradient = False
        self.fp16_zeros: Optional[Tuple[int, int]] = None  # of dY's elements, if they are to be counted
        self.output_gradient: Optional[Tensor] = None  # dY of the last backward pass, before pruning
        self._tensors = TensorPruner(rules, timeline, seed)
        self._types = {phase: rule.dtype for phase, rule in rules.items() if casts and rule.dtype}
        self._timeline, self._step = timeline, 0

    def prepare(self, step: int, training: bool = True) -> None:
        """Prunes the weights for a step, or, without `training`, to evaluate what the step made of them."""
        self._step = step
        if not self.pruner.prunes:
            return
        like = self.weight.detach()
        self.pruner.prepare(to_plain(like), step, training)
        self.forward_weight = from_plain(self.pruner.forward, like)
        self.dgrad_weight = from_plain(self.pruner.dgrad, like)
        self.mask = None if self.pruner.mask is None else from_plain(self.pruner.mask, like)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = PrunedProducts.apply(x, self.weight, self)
        if self.keeps_output_gradient and y.requires_grad:
            y.register_hook(self._keep)
        return y

    def _keep(self, dy: Tensor) -> None:
        self.output_gradient = dy.detach()

    def count_fp16_zeros(self, dy: Tensor) -> None:
        """Elements of dY that are 0 in fp16 only, and all, of every product of the step."""
        if self.fp16_zeros is not None:
            zeros, elements = self.fp16_zeros
            zeros += int(((dy.to(torch.float16) == 0) & (dy != 0)).sum())
            self.fp16_zeros = zeros, elements + dy.numel()

    def as_cast(self, phase: str, tensor: Tensor) -> Tensor:
        """As a phase's type has it, if products are cast and the step is none of dense ones."""
        is_cast = phase in self._types and self._timeline.is_sparse(self._step)
        return cast(tensor, self._types[phase]) if is_cast else tensor

    def operand(self, phase: str, kind: str, tensor: Tensor) -> Tensor:
        """The operand of a phase's product: pruned, or as it is; then cast."""
        if self._tensors.prunes(phase, kind, self._step):
            tensor = self._tensors.prune(phase, tensor, self._step)
        return self.as_cast(phase, tensor)
