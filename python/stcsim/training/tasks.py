"""Tasks of networks: generated images, generated sequences of tokens, and the user's own files."""

from __future__ import annotations

import math
from typing import Any, Mapping, NamedTuple, Tuple

import numpy

from .._process import Error
from . import draws

NO_LABEL = -100  # is not scored


class Examples(NamedTuple):
    """Samples, and what is asked of them."""

    inputs: numpy.ndarray  # images: samples x height x width x channels; sequences: samples x tokens
    labels: numpy.ndarray  # a class of each image; of sequences one per token, NO_LABEL if nothing is asked

    def part(self, begin: int, count: int) -> Examples:
        return Examples(self.inputs[begin:begin + count], self.labels[begin:begin + count])


class Task:
    """All runs have the same evaluation."""

    evaluation: Examples

    def training(self, seed: int, first: int, count: int) -> Examples:
        """Samples first ... first + count - 1 of a run with that seed."""
        raise NotImplementedError


def _uniform(unit: numpy.ndarray, begin: float, end: float) -> numpy.ndarray:
    return begin + (end - begin) * unit


def _below(unit: numpy.ndarray, count: int) -> numpy.ndarray:
    return (unit * float(count)).astype(numpy.int64)


class ImageTask(Task):
    """Images of 10 classes, 16x16x3: five shapes, filled with one of two gratings.

    No linear classifier of the pixels does better than chance.
    """

    SIDE, CHANNELS, CLASSES, SHAPES = 16, 3, 10, 5

    def __init__(self, options: Mapping[str, Any]):
        self._options = options
        self._seed = draws.mix(options["seed"])
        self.evaluation = self._make(self._seed, 0, options["evaluation_samples"], 0)

    def training(self, seed: int, first: int, count: int) -> Examples:
        return self._make(self._seed + draws.mix(seed + 1), first, count, self._options["label_noise"])

    def _make(self, seed: int, first: int, count: int, label_noise: float) -> Examples:
        scene = 21 if self._options["distractor"] else 20
        values = self.SIDE * self.SIDE * self.CHANNELS
        unit = draws.units(seed, first, count, scene + values + 2)
        labels = _below(unit[:, 0], self.CLASSES)
        noise = draws.gauss(unit[:, scene:scene + values]).reshape(count, self.SIDE, self.SIDE, self.CHANNELS)
        pixels = _scene(unit[:, :scene, None, None], labels[:, None, None]) + self._options["noise"] * noise
        if label_noise > 0:
            replaced = unit[:, -2] < label_noise
            labels = numpy.where(replaced, _below(unit[:, -1], self.CLASSES), labels)
        return Examples(pixels.astype(numpy.float32), labels)


def _scene(unit: numpy.ndarray, labels: numpy.ndarray) -> numpy.ndarray:
    """The images before their noise, by all that is drawn of them, in the order it is drawn."""
    row, column = numpy.mgrid[:ImageTask.SIDE, :ImageTask.SIDE].astype(numpy.float64)
    radius = _uniform(unit[:, 3], 3.5, 6)
    turn = _uniform(unit[:, 4], -0.5, 0.5)
    x = (column + 0.5 - _uniform(unit[:, 1], 5, 11)) / radius
    y = (row + 0.5 - _uniform(unit[:, 2], 5, 11)) / radius
    cosine, sine = draws.exactly(math.cos, turn), draws.exactly(math.sin, turn)
    u = cosine * x - sine * y
    v = sine * x + cosine * y
    covered = numpy.clip(0.5 - _distance(labels % ImageTask.SHAPES, u, v) * radius, 0.0, 1.0)
    slopes = _uniform(unit[:, 12:14], -0.08, 0.08)
    behind = slopes[:, 0] * (column - 8) + slopes[:, 1] * (row - 8)
    if unit.shape[1] > 20:
        behind = behind + _uniform(unit[:, 20], 0, 0.5) * _grating(
            column, row, _uniform(unit[:, 18], 1, 2.2), _uniform(unit[:, 17], 0, math.pi),
            _uniform(unit[:, 19], 0, 2 * math.pi))
    angle = (labels // ImageTask.SHAPES) * math.pi / 2 + _uniform(unit[:, 16], -0.45, 0.45)
    texture = 1 + 0.6 * _grating(column, row, _uniform(unit[:, 14], 1.4, 2.2), angle,
                                 _uniform(unit[:, 15], 0, 2 * math.pi))
    sign = numpy.where(_below(unit[:, 5], 2) == 0, -1.0, 1.0)
    channels = []
    for at in (6, 8, 10):
        background = _uniform(unit[:, at], -0.6, 0.6)
        foreground = background + sign * _uniform(unit[:, at + 1], 0.3, 1.2)
        shape = background + (foreground - background) * texture
        channels.append((1 - covered) * (background + behind) + covered * shape)
    return numpy.stack(channels, -1)


def _grating(x: numpy.ndarray, y: numpy.ndarray, frequency: numpy.ndarray, angle: numpy.ndarray,
             phase: numpy.ndarray) -> numpy.ndarray:
    along_x, along_y = frequency * draws.exactly(math.cos, angle), frequency * draws.exactly(math.sin, angle)
    return draws.exactly(math.sin, along_x * x + along_y * y + phase)


def _distance(shapes: numpy.ndarray, u: numpy.ndarray, v: numpy.ndarray) -> numpy.ndarray:
    """Signed distance from the edge of a shape of radius 1: disc, square, cross, triangle, ring."""
    x, y = numpy.abs(u), numpy.abs(v)
    length = numpy.hypot(u, v)
    return numpy.choose(shapes, [
        length - 1,
        numpy.maximum(x, y) - 0.85,
        numpy.minimum(numpy.maximum(x, 3 * y), numpy.maximum(y, 3 * x)) - 1,
        numpy.maximum(v - 0.7, 1.5 * x - 0.5 * v - 0.7),
        numpy.abs(length - 0.75) - 0.27])


class TokenTask(Task):
    """Sequences of a second-order grammar: the token that follows two others is the one of table A with
    probability `likely`, else that of table B.

    Networks are trained on the token that follows, and scored against A.
    """

    def __init__(self, options: Mapping[str, Any], vocabulary: int, length: int):
        self._vocabulary, self._length, self._likely = vocabulary, length, options["likely"]
        self._seed = draws.mix(options["seed"])
        unit = draws.units(self._seed, draws.MASK, 1, 2 * vocabulary * vocabulary)[0]
        self._table = _below(unit[0::2], vocabulary)
        self._other = (self._table + 1 + _below(unit[1::2], vocabulary - 1)) % vocabulary
        self.evaluation = self._make(self._seed, 0, options["evaluation_samples"], True)

    def training(self, seed: int, first: int, count: int) -> Examples:
        return self._make(self._seed + draws.mix(seed + 1), first, count, False)

    def _make(self, seed: int, first: int, count: int, scores: bool) -> Examples:
        """`scores` asks for the likely token, not for the one that follows."""
        unit = draws.units(seed, first, count, self._length)
        tokens = numpy.zeros((count, self._length), numpy.int64)
        labels = numpy.full((count, self._length), NO_LABEL)  # the second token follows from nothing
        following = _below(unit[:, 0], self._vocabulary)
        for at in range(1, self._length):
            tokens[:, at] = following
            pair = tokens[:, at - 1] * self._vocabulary + following
            following = numpy.where(unit[:, at] < self._likely, self._table[pair], self._other[pair])
            labels[:, at] = self._table[pair] if scores else following
        return Examples(tokens, labels)


class FileTask(Task):
    """The user's own samples, shuffled anew each time all have been used; the last are held back."""

    def __init__(self, examples: Examples, evaluation_share: float):
        count = len(examples.labels)
        held = min(max(math.floor(count * evaluation_share + 0.5), 1), count - 1)
        self._training = examples.part(0, count - held)
        self.evaluation = examples.part(count - held, held)
        self._pass: Tuple[int, int] = (-1, -1)
        self._order = numpy.empty(0, numpy.int64)

    def training(self, seed: int, first: int, count: int) -> Examples:
        samples = len(self._training.labels)
        chosen = numpy.empty(count, numpy.int64)
        for at in range(count):
            passed, place = divmod(first + at, samples)
            if (seed, passed) != self._pass:
                self._shuffle(seed, passed)
            chosen[at] = self._order[place]
        return Examples(self._training.inputs[chosen], self._training.labels[chosen])

    def _shuffle(self, seed: int, passed: int) -> None:
        order = list(range(len(self._training.labels)))
        unit = draws.units(draws.mix(seed + 1), passed, 1, len(order) - 1)[0] if len(order) > 1 else []
        for left, draw in zip(range(len(order), 1, -1), unit):
            other = int(draw * float(left))
            order[left - 1], order[other] = order[other], order[left - 1]
        self._order = numpy.array(order)
        self._pass = (seed, passed)


def _read(file: str) -> numpy.ndarray:
    """Numbers of a NumPy file, as fp32; bytes stay bytes.

    :raises Error: if it cannot be read, or has other numbers
    """
    try:
        numbers = numpy.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        why = getattr(error, "strerror", None) or error
        raise Error(f"{file}: error: cannot read it as a NumPy file: {why}") from error
    if not isinstance(numbers, numpy.ndarray) or numbers.dtype.str not in ("<f4", "<f2", "|u1", "<i4", "<i8"):
        kind = numbers.dtype.str if isinstance(numbers, numpy.ndarray) else "an archive"
        raise Error(f"{file}: error: holds {kind}; must be '<f4', '<f2', '|u1', '<i4' or '<i8'")
    if numbers.size == 0 or numbers.ndim == 0:
        raise Error(f"{file}: error: has no numbers")
    return numbers if numbers.dtype.str == "|u1" else numbers.astype(numpy.float32)


def _refuse_first(file: str, numbers: numpy.ndarray, wrong: numpy.ndarray, what: str) -> None:
    if wrong.any():
        place = numpy.unravel_index(int(wrong.argmax()), numbers.shape)
        at = ", ".join(str(int(index)) for index in place)
        raise Error(f"{file}: error: element [{at}] is {what.format(numbers[place])}")


def _expect_shape(file: str, numbers: numpy.ndarray, wanted: Tuple[int, ...], meaning: str) -> None:
    """Refuses a file of another shape; the number of samples is free."""
    if numbers.ndim != 1 + len(wanted) or numbers.shape[1:] != wanted:
        shape = "x".join(str(extent) for extent in numbers.shape)
        raise Error(f"{file}: error: has the shape {shape}, must be {meaning}")


def _whole(file: str, numbers: numpy.ndarray, limit: int, negative_is_none: bool) -> numpy.ndarray:
    """Whole numbers below `limit`; negative ones are NO_LABEL where that is allowed."""
    numbers = numbers.astype(numpy.float32)
    none = (numbers < 0) & negative_is_none
    wrong = ~none & ~((numbers >= 0) & (numbers < limit) & (numbers == numpy.floor(numbers)))
    _refuse_first(file, numbers, wrong, "{:g}, must be a whole number from 0 to " + str(limit - 1))
    return numpy.where(none, NO_LABEL, numbers).astype(numpy.int64)


def read_examples(options: Mapping[str, Any], network_input: Mapping[str, Any], classes: int) -> Examples:
    """:raises Error: that names the file, and what does not fit the network"""
    files = (options["inputs"], options["labels"])
    inputs, labels = (_read(file) for file in files)
    if "tokens" in network_input:
        length = network_input["tokens"]
        meaning = f"samples x {length} tokens"
        _expect_shape(files[0], inputs, (length,), meaning)
        _expect_shape(files[1], labels, (length,), meaning)
        inputs = _whole(files[0], inputs, network_input["vocabulary"], False)
    else:
        shape = (network_input["channels"], *network_input["pixels"])
        _expect_shape(files[0], inputs, shape, "samples x {} channels x {} x {}".format(*shape))
        _expect_shape(files[1], labels, (), "a number for every sample")
        unit = numpy.float32(255 if inputs.dtype == numpy.uint8 else 1)
        _refuse_first(files[0], inputs, ~numpy.isfinite(inputs), "not finite")
        inputs = numpy.ascontiguousarray(inputs.transpose(0, 2, 3, 1)).astype(numpy.float32) / unit
    if len(labels) != len(inputs):
        raise Error(f"{files[1]}: error: has {len(labels)} samples, {files[0]} has {len(inputs)}")
    wanted = _whole(files[1], labels, classes, "tokens" in network_input)
    if len(inputs) < 2:
        raise Error(f"{files[0]}: error: has one sample, needs at least two")
    return Examples(inputs, wanted)


def make_task(options: Mapping[str, Any], network_input: Mapping[str, Any], classes: int) -> Task:
    if options["type"] == "images":
        return ImageTask(options)
    if options["type"] == "tokens":
        return TokenTask(options, network_input["vocabulary"], network_input["tokens"])
    return FileTask(read_examples(options, network_input, classes), options["evaluation_share"])
