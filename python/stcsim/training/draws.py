"""splitmix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014)."""

from __future__ import annotations

import math
from typing import Callable

import numpy

MASK = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15


def mix(word: int) -> int:
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
    return word ^ (word >> 31)


def _mix_all(words: numpy.ndarray) -> numpy.ndarray:
    words = (words ^ (words >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return words ^ (words >> numpy.uint64(31))


def units(seed: int, first: int, streams: int, count: int) -> numpy.ndarray:
    """The first `count` draws of each of `streams` streams, a row each: uniform in [0, 1).

    Streams of different (seed, index) are apart; `first` is the index of the first.
    """
    indices = numpy.uint64(first) + numpy.arange(streams, dtype=numpy.uint64)
    start = numpy.uint64(mix(seed & MASK)) ^ _mix_all(~indices)
    steps = numpy.arange(1, count + 1, dtype=numpy.uint64) * numpy.uint64(STEP)
    return (_mix_all(start[:, None] + steps) >> numpy.uint64(11)) * 2.0 ** -53


def exactly(function: Callable[[float], float], numbers: numpy.ndarray) -> numpy.ndarray:
    """A function of `math` of each: NumPy's own differ in the last bit from processor to processor."""
    flat = map(function, numbers.ravel().tolist())
    return numpy.fromiter(flat, numpy.float64, numbers.size).reshape(numbers.shape)


def gauss(uniform: numpy.ndarray) -> numpy.ndarray:
    """Mean 0, variance 1, by Box and Muller: two numbers of two draws, one after the other."""
    radius = numpy.sqrt(-2 * exactly(math.log, 1 - uniform[..., 0::2]))
    angle = 2 * math.pi * uniform[..., 1::2]
    pairs = [radius * exactly(math.cos, angle), radius * exactly(math.sin, angle)]
    return numpy.stack(pairs, -1).reshape(uniform.shape)
