"""The program's pruning functions on numbers in memory, by its library (pruning/c_api.cpp)."""

from __future__ import annotations

import ctypes
import functools
import math
import os
from pathlib import Path
from typing import Any, List, NamedTuple, Optional, Sequence

from .._process import Error, find_program

LIBRARY = "libstcsim_pruning.so"


class Options(ctypes.Structure):
    """How to prune: groups run along `axis`; `beta` is the scale of s-ste, NaN to compute it."""

    _fields_ = [("scheme", ctypes.c_char_p), ("pattern", ctypes.c_char_p), ("axis", ctypes.c_int64),
                ("rows_axis", ctypes.c_int64), ("seed", ctypes.c_uint64), ("draw", ctypes.c_uint32),
                ("beta", ctypes.c_double)]


class Pruned(NamedTuple):
    """What else a function gives: the scale of s-ste, and the order of rows, if it was asked for."""

    beta: Optional[float]
    rows_order: List[int]


@functools.lru_cache(maxsize=None)
def load() -> ctypes.CDLL:
    """:raises Error: if the library is not where the program is"""
    beside = Path(os.path.realpath(find_program())).parent
    for path in (beside / LIBRARY, beside.parent / "lib/stcsim" / LIBRARY):
        if path.is_file():
            try:
                library = ctypes.CDLL(str(path))
            except OSError as error:
                raise Error(f"error: cannot load {path}: {error}") from error
            library.stcsim_message.restype = ctypes.c_char_p
            extents = ctypes.POINTER(ctypes.c_int64)
            library.stcsim_prune.argtypes = [ctypes.POINTER(Options), extents, ctypes.c_size_t,
                                             ctypes.c_void_p, extents]
            return library
    raise Error(f"error: {LIBRARY} is not beside the program; archives and wheels do not have it")


def prune(values: Any, shape: Sequence[int], scheme: str, pattern: str, *, axis: int, rows_axis: int,
          seed: int = 1, draw: int = 0, beta: Optional[float] = None, orders_rows: bool = False) -> Pruned:
    """Prunes fp32 numbers where they are: a ctypes array, or the address of contiguous ones.

    :param orders_rows: of schemes that have an order of rows, give it
    :raises Error: for an unknown scheme, what does not fit it, and numbers that are not finite
    """
    library = load()
    options = Options(scheme.encode(), pattern.encode(), axis, rows_axis, seed, draw,
                      math.nan if beta is None else beta)
    order = (ctypes.c_int64 * shape[rows_axis])() if orders_rows else None
    if library.stcsim_prune(options, (ctypes.c_int64 * len(shape))(*shape), len(shape), values, order):
        raise Error(library.stcsim_message().decode())
    return Pruned(None if math.isnan(options.beta) else options.beta, list(order or []))
