"""Levenberg's and Marquardt's method (SIAM J. Appl. Math. 11, 431, 1963), for functions that have steps.

Times of a simulated machine have steps, since its numbers are whole. Slopes are central differences over more than a
step, five dampings are tried at a time, and where none helps the best of the points that slopes were taken from is
next, or else half the step.
"""

from __future__ import annotations

import math
from typing import Callable, List, NamedTuple, Sequence

Point = List[float]
#: The residuals at each of several points, as many at each: points may be evaluated side by side.
Residuals = Callable[[List[Point]], List[Point]]

DAMPINGS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)
#: A coordinate moves no further in one iteration.
MOST_MOVE = 0.3
#: Less of a gain than this share is none.
LEAST_GAIN = 1e-3
#: Half of what slopes are taken over, at first; below the least, steps are those of rounding.
FIRST_STEP, LEAST_STEP = 0.1, 0.01
#: Mean square of residuals that are none.
NOTHING = 1e-8


class Fit(NamedTuple):
    at: Point
    residuals: Point
    #: The length of each coordinate's slopes, the largest that were taken: 0 where nothing depends on it.
    influence: List[float]


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other))


def _within(value: float, most: float) -> float:
    return min(max(value, -most), most)


def solve(matrix: List[Point], right: Point) -> Point:
    """Gaussian elimination; the matrix is symmetric and positive."""
    size = len(right)
    for pivot in range(size):
        for row in range(pivot + 1, size):
            factor = matrix[row][pivot] / matrix[pivot][pivot]
            for at in range(pivot, size):
                matrix[row][at] -= factor * matrix[pivot][at]
            right[row] -= factor * right[pivot]
    for row in reversed(range(size)):
        for at in range(row + 1, size):
            right[row] -= matrix[row][at] * right[at]
        right[row] /= matrix[row][row]
    return right


def _around(at: Point, step: float, most: float) -> List[Point]:
    """Two points for each coordinate, a step above and below."""
    return [[*at[:axis], _within(at[axis] + sign * step, most), *at[axis + 1:]]
            for axis in range(len(at)) for sign in (1.0, -1.0)]


def _slopes(points: List[Point], values: List[Point]) -> List[Point]:
    slopes = []
    for axis in range(len(points) // 2):
        above, below = 2 * axis, 2 * axis + 1
        apart = points[above][axis] - points[below][axis]
        slopes.append([(high - low) / apart for high, low in zip(values[above], values[below])])
    return slopes


def _moved(at: Point, slopes: List[Point], residuals: Point, damping: float, most: float) -> Point:
    normal = [[dot(one, other) + (damping if one is other else 0.0) for other in slopes] for one in slopes]
    move = solve(normal, [-dot(slope, residuals) for slope in slopes])
    return [_within(value + _within(by, MOST_MOVE), most) for value, by in zip(at, move)]


def minimise(residuals: Residuals, start: Point, most: float, iterations: int = 12) -> Fit:
    """A point of a small sum of squares; each coordinate stays within -most .. most."""
    best = Fit(start, residuals([start])[0], [0.0] * len(start))
    step = FIRST_STEP
    while iterations > 0 and step >= LEAST_STEP and dot(best.residuals, best.residuals) >= NOTHING * len(best.residuals):
        iterations -= 1
        points = _around(best.at, step, most)
        values = residuals(points)
        slopes = _slopes(points, values)
        influence = [max(known, math.sqrt(dot(slope, slope))) for known, slope in zip(best.influence, slopes)]
        moves = [_moved(best.at, slopes, best.residuals, damping, most) for damping in DAMPINGS]
        least, at = min(zip(values + residuals(moves), points + moves), key=lambda one: dot(one[0], one[0]))
        if dot(least, least) < dot(best.residuals, best.residuals) * (1 - LEAST_GAIN):
            best = Fit(at, least, influence)
        else:
            best, step = best._replace(influence=influence), step / 2
    return best
