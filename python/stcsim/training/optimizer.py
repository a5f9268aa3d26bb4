"""PyTorch's SGD with momentum or AdamW, whose second moments may be frozen."""

from __future__ import annotations

import math
from typing import Any, List, Mapping, Sequence, Tuple

import torch

Tensor = torch.Tensor

ADAM_EPSILON = 1e-8


class Optimizer:
    """`weights` decay, `others` do not."""

    def __init__(self, options: Mapping[str, Any], weights: Sequence[Tensor], others: Sequence[Tensor]):
        self._options = options
        groups = [{"params": list(weights)}, {"params": list(others), "weight_decay": 0.0}]
        self._groups = [group for group in groups if group["params"]]
        common = {"lr": options["learning_rate"], "weight_decay": options["weight_decay"]}
        self._optimizer: torch.optim.Optimizer
        if options["type"] == "sgd":
            self._optimizer = torch.optim.SGD(self._groups, momentum=options["momentum"], **common)
        else:
            betas = (options["beta1"], options["beta2"])
            self._optimizer = torch.optim.AdamW(self._groups, betas=betas, eps=ADAM_EPSILON, **common)
        self._frozen: List[Tuple[Tensor, Tensor, float]] = []  # momentum, denominator, steps before

    def zero_gradients(self) -> None:
        self._optimizer.zero_grad(set_to_none=False)

    def step(self, rate_factor: float, freezes_variance: bool) -> None:
        """Changes all parameters by their gradients, with a part of the learning rate.

        To freeze the variance of adamw is to go on with the second moments as they are, corrected for bias as
        of the first such step (Lu et al., "STEP: Learning N:M Structured Sparsity Masks from Scratch with
        Precondition", ICML 2023).
        """
        rate = self._options["learning_rate"] * rate_factor
        if freezes_variance:
            self._step_frozen(rate)
            return
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.step()

    @torch.no_grad()
    def _step_frozen(self, rate: float) -> None:
        parameters = [(parameter, group["weight_decay"]) for group in self._optimizer.param_groups
                      for parameter in group["params"]]
        if not self._frozen:
            self._frozen = [self._freeze(parameter) for parameter, _ in parameters]
        for at, (parameter, decay) in enumerate(parameters):
            momentum, denominator, steps = self._frozen[at]
            if parameter.grad is None:
                continue
            self._frozen[at] = (momentum, denominator, steps + 1)
            beta1 = self._options["beta1"]
            momentum.mul_(beta1).add_(parameter.grad, alpha=1 - beta1)
            parameter.mul_(1 - rate * decay)
            parameter.addcdiv_(momentum, denominator, value=-rate / (1 - beta1 ** (steps + 1)))

    def _freeze(self, parameter: Tensor) -> Tuple[Tensor, Tensor, float]:
        state = self._optimizer.state.get(parameter)
        if not state:  # no step has been made before
            return torch.zeros_like(parameter), torch.ones_like(parameter), 0.0
        steps = float(state["step"])
        correction = 1 - math.pow(self._options["beta2"], steps)
        return state["exp_avg"].clone(), (state["exp_avg_sq"] / correction).sqrt() + ADAM_EPSILON, steps
