"""A layer's operands as its scheme prunes them.

As pruning sees them, activations are samples x height x width x channels (of tokens: samples x tokens x 1 x
channels), weights C_out x kernel height x kernel width x C_in per group.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List, Optional

import torch

from . import pruning
from .plan import PHASES, Rule, Scheme, Timeline

Tensor = torch.Tensor

ROWS, COLUMNS = 0, 3  # axes of weights: C_out, C_in


def to_plain(tensor: Tensor) -> Tensor:
    """A copy as pruning sees it."""
    if tensor.dim() == 4:
        return tensor.permute(0, 2, 3, 1).clone(memory_format=torch.contiguous_format)
    shape = list(tensor.shape)
    shape[-1:-1] = [1] * (4 - tensor.dim())
    return tensor.clone(memory_format=torch.contiguous_format).view(shape)


def from_plain(plain: Tensor, like: Tensor) -> Tensor:
    """The inverse, for a tensor of the shape of `like`."""
    return plain.permute(0, 3, 1, 2) if like.dim() == 4 else plain.view(like.shape)


def _prune(values: Tensor, rule: Rule, **options: Any) -> pruning.Pruned:
    return pruning.prune(values.data_ptr(), values.shape, rule.prune, rule.pattern, **options)


class TensorPruner:
    """Prunes the activations of one layer, or the gradients of its output."""

    def __init__(self, rules: Dict[str, Rule], timeline: Timeline, seed: int):
        self._rules, self._timeline, self._seed = rules, timeline, seed

    def prunes(self, phase: str, tensor: str, step: int) -> bool:
        return self._rules[phase].tensor == tensor and self._timeline.is_sparse(step)

    def prune(self, phase: str, tensor: Tensor, step: int) -> Tensor:
        """The operand of the phase: groups run along the channels of a pixel in forward and dgrad, along the
        pixels or tokens of all samples in their order in wgrad."""
        plain = to_plain(tensor)
        pruned = plain.view(-1, plain.shape[-1])
        dense = self._rules[phase].dense_channels
        rows = pruned.clone() if dense else pruned
        along = 0 if phase == "wgrad" else 1
        # Random numbers of the phases are apart: one gradient may be pruned for two of them.
        _prune(pruned, self._rules[phase], axis=along, rows_axis=1 - along, draw=step,
               seed=self._seed * len(PHASES) + PHASES.index(phase))
        if dense:  # the channels with most values that are not zero, of equal ones the first
            filled = (rows != 0).sum(0)
            kept = torch.sort(filled, descending=True, stable=True).indices[:dense]
            pruned[:, kept] = rows[:, kept]
        return from_plain(plain, tensor)


class WeightPruner:
    """Prunes the weights of one layer."""

    def __init__(self, scheme: Scheme, rules: Dict[str, Rule], timeline: Timeline, seed: int):
        self._timeline, self._seed, self._scale = timeline, seed, scheme.scale
        self._rules = {phase: rule for phase, rule in rules.items() if rule.tensor == "weight"}
        self._kept: Dict[str, Tensor] = {}
        self.order: List[int] = []  # rows of Bi-Mask's second pruning, in the order they are grouped in
        self.forward = self.dgrad = torch.empty(0)  # what these phases multiply by
        self.mask: Optional[Tensor] = None  # 1 where forward keeps the weight; none if it prunes none now
        self.flips, self.compared = 0, 0  # of the mask, beside that of the training step before
        self._mask_before: Optional[Tensor] = None

    @property
    def scale(self) -> Optional[float]:
        """That of s-ste, once it is known."""
        return self._scale

    @property
    def prunes(self) -> bool:
        """Whether the weights are pruned in any phase of this layer."""
        return bool(self._rules)

    def prepare(self, weights: Tensor, step: int, training: bool = True) -> None:
        """Prunes for a step; masks are chosen anew where they are due, but not without `training`."""
        self._choose(weights, step, training)
        if training:
            if self.mask is not None and self._mask_before is not None:
                self.flips += int((self.mask != self._mask_before).sum())
                self.compared += self.mask.numel()
            self._mask_before = self.mask

    def _choose(self, weights: Tensor, step: int, training: bool) -> None:
        self.mask = None
        self.forward = self.dgrad = weights
        if not self.prunes or not self._timeline.is_sparse(step):
            return
        forward, dgrad = self._rules.get("forward"), self._rules.get("dgrad")
        if forward and forward.two_prunings:
            self._prune_twice(weights, forward, dgrad, step, training)
        else:
            if forward:
                self.forward = self.dgrad = self._pruned(weights, "forward", forward, step, training)
            one_mask = dgrad and forward and forward.transposable \
                and (forward.prune, forward.pattern) == (dgrad.prune, dgrad.pattern)
            if dgrad and not one_mask:
                self.dgrad = self._pruned(weights, "dgrad", dgrad, step, training)
        if forward:
            self.mask = (self.forward != 0).to(torch.float32)

    def _prune_twice(self, weights: Tensor, forward: Rule, dgrad: Optional[Rule], step: int,
                     training: bool) -> None:
        """Magnitude along C_in, and what that leaves once more along C_out, rows in their order."""
        by_magnitude = replace(forward, prune="magnitude")
        self.forward = self.dgrad = self._pruned(weights, "forward", by_magnitude, step, training)
        if not dgrad:
            return
        self.order = self.order or list(range(len(weights)))
        if forward.orders_rows and training and self._timeline.is_due(self._timeline.order_period, step):
            self.order = _prune(weights.clone(), forward, axis=COLUMNS, rows_axis=ROWS,
                                seed=self._seed + step, orders_rows=True).rows_order
        order = torch.tensor(self.order)
        twice = self._pruned(self.forward[order], "dgrad", replace(dgrad, prune="magnitude"), step, training)
        self.dgrad = torch.empty_like(twice)
        self.dgrad[order] = twice

    def _pruned(self, weights: Tensor, phase: str, rule: Rule, step: int, training: bool) -> Tensor:
        """By the function of a rule, with a mask that stays for its period."""
        period = self._timeline.period(rule.mask_every)
        if period == 1:
            return self._call(weights, phase, rule, step)
        if phase not in self._kept or (training and self._timeline.is_due(period, step)):
            self._kept[phase] = self._call(weights, phase, rule, step) != 0
        return weights.masked_fill(~self._kept[phase], 0)

    def _call(self, weights: Tensor, phase: str, rule: Rule, step: int) -> Tensor:
        values = weights.clone()
        along, across = (COLUMNS, ROWS) if phase == "forward" else (ROWS, COLUMNS)
        result = _prune(values, rule, axis=along, rows_axis=across, seed=self._seed, draw=step,
                        beta=self._scale)
        self._scale = self._scale if result.beta is None else result.beta
        return values
