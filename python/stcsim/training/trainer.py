"""One run: a scheme, a seed, one thread."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Callable, NamedTuple, Optional

import numpy
import torch
from torch.nn import functional

from .._process import Error
from . import draws
from .model import Model
from .optimizer import Optimizer
from .plan import Plan, Scheme
from .pruners import to_plain
from .tasks import NO_LABEL, Task

EVALUATED_AT_ONCE = 250


class Epoch(NamedTuple):
    """A point of a learning curve, after so many epochs."""

    epoch: int
    step: int
    samples: int
    train_loss: float  # mean over the epoch's steps
    eval_loss: float = math.nan
    eval_accuracy: float = math.nan  # 0 to 1
    flip_rate: Optional[float] = None  # of forward's masks from step to step, mean; none where nothing is pruned
    scale: Optional[float] = None  # of s-ste, mean over layers
    fp16_zeros: Optional[float] = None  # of the last step's dY, what is not 0 and would be in fp16, unscaled


class Run:
    """Trains the network. The same bytes on the same machine for the same plan, scheme and seed.

    Weights and masks go to `save_weights` at the end, gradients of the last step to `save_gradients`.
    """

    def __init__(self, plan: Plan, task: Task, scheme: Scheme, seed: int, save_weights: Optional[Path] = None,
                 save_gradients: Optional[Path] = None):
        torch.set_num_threads(1)
        self._plan, self._task, self._seed = plan, task, seed
        self._save_weights, self._save_gradients = save_weights, save_gradients
        self._timeline = plan.timeline(scheme)
        self._model = Model(plan, scheme, draws.mix(seed), plan.config["casts"])
        self._optimizer = Optimizer(scheme.optimizer, self._model.weights, self._model.others)

    def train(self, on_step: Callable[[int], None], on_epoch: Callable[[Epoch], None]) -> Epoch:
        """Tells of every step and epoch. A run whose numbers are no longer finite ends with an epoch of NaN.

        :returns: the last epoch
        """
        for epoch in range(1, self._plan.epochs + 1):
            result = self._train_epoch(epoch, on_step)
            on_epoch(result)
            if not math.isfinite(result.train_loss):
                break
        if self._save_weights:
            save_weights(self._save_weights, self._model)
        if self._save_gradients:
            save_gradients(self._save_gradients, self._model)
        return result

    def _train_epoch(self, epoch: int, on_step: Callable[[int], None]) -> Epoch:
        steps = self._plan.steps_per_epoch
        loss = 0.0
        for step in range((epoch - 1) * steps, epoch * steps):
            loss += self._train_step(step) / steps
            if not math.isfinite(loss):
                break
            on_step(step + 1)
        model = self._model
        result = Epoch(epoch, epoch * steps, epoch * steps * self._plan.batch, loss, flip_rate=model.take_flip_rate(),
                       scale=model.scale, fp16_zeros=model.fp16_zeros)
        return self._evaluate(result) if math.isfinite(loss) else result

    def _train_step(self, step: int) -> float:
        """The loss before the step; NaN if there is none to be made."""
        model = self._model
        samples = self._task.training(self._seed, step * self._plan.batch, self._plan.batch)
        if step + 1 == self._plan.steps and self._save_gradients:
            model.keep_output_gradients()
        model.count_fp16_zeros((step + 1) % self._plan.steps_per_epoch == 0)
        try:
            model.prepare(step)
            loss = _loss(model.forward(samples.inputs, True), samples.labels, "mean")
            value = loss.item()
            if not math.isfinite(value):
                return math.nan
            self._optimizer.zero_gradients()
            loss.backward()
            model.change_gradients()
            self._optimizer.step(self._timeline.rate_factor(step), self._timeline.freezes_variance(step))
            model.mask_weights()
            return value
        except Error:  # pruning refuses numbers that are not finite
            return math.nan

    @torch.no_grad()
    def _evaluate(self, result: Epoch) -> Epoch:
        self._model.prepare(result.step - 1, training=False)
        loss, right, asked = 0.0, 0, 0
        for begin in range(0, len(self._task.evaluation.labels), EVALUATED_AT_ONCE):
            part = self._task.evaluation.part(begin, EVALUATED_AT_ONCE)
            logits = self._model.forward(part.inputs, False)
            loss += _loss(logits, part.labels, "sum").item()
            found = logits.reshape(-1, logits.shape[-1]).argmax(1).numpy()
            right += int((found == part.labels.reshape(-1)).sum())
            asked += int((part.labels != NO_LABEL).sum())
        return result._replace(eval_loss=loss / asked, eval_accuracy=right / asked)


def _loss(logits: torch.Tensor, labels: numpy.ndarray, reduction: str) -> torch.Tensor:
    """Rows are samples, or their tokens."""
    rows, wanted = logits.reshape(-1, logits.shape[-1]), torch.from_numpy(labels).reshape(-1)
    return functional.cross_entropy(rows, wanted, ignore_index=NO_LABEL, reduction=reduction)


def _save(file: Path, numbers: numpy.ndarray) -> None:
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    with open(beside, "wb") as stream:
        numpy.save(stream, numbers)
    os.replace(beside, file)


def save_weights(folder: Path, model: Model) -> None:
    """Weights of every conv and linear as NumPy files, C_out x kernel height x kernel width x C_in: LAYER.npy
    as trained, and where the scheme prunes weights LAYER.forward.npy, what forward multiplies by, and
    LAYER.dgrad.npy, if dgrad multiplies by others."""
    folder.mkdir(parents=True, exist_ok=True)
    for gemm in model.gemms:
        name = gemm.layer.name
        _save(folder / f"{name}.npy", to_plain(gemm.weight.detach()).numpy())
        if gemm.pruner.prunes:
            forward, dgrad = to_plain(gemm.forward_weight).numpy(), to_plain(gemm.dgrad_weight).numpy()
            _save(folder / f"{name}.forward.npy", forward)
            if (forward != dgrad).any():
                _save(folder / f"{name}.dgrad.npy", dgrad)


def save_gradients(folder: Path, model: Model) -> None:
    """The gradients that Model.keep_output_gradients() has kept as NumPy files LAYER.npy: dY of every conv
    and linear, a matrix of pixels or tokens (of all samples in their order) x C_out."""
    folder.mkdir(parents=True, exist_ok=True)
    for gemm in model.gemms:
        if gemm.output_gradient is not None:
            plain = to_plain(gemm.output_gradient).numpy()
            _save(folder / f"{gemm.layer.name}.npy", plain.reshape(-1, plain.shape[-1]))
