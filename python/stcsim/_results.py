"""What comes back: figures by name, as attributes, as rows of a pandas frame."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple

from ._notebook import shown
from ._process import Error


def frame_of(rows: Iterable[Mapping[str, Any]]) -> Any:
    """A pandas.DataFrame of rows.

    :raises ImportError: where pandas is not installed
    """
    import pandas  # only here: everything else goes without

    return pandas.DataFrame(list(rows))


class Document:
    """A JSON object of the program: `document.key`, `document["key"]`, and `data`, all of
    it as Python has it. Notebooks show it as a table with its charts, which node draws."""

    #: Columns of rows() that a notebook shows first.
    _main: Tuple[str, ...] = ("machine", "m", "n", "k", "dtype", "pattern", "answer")

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data: Dict[str, Any] = dict(data)

    def __getattr__(self, name: str) -> Any:
        data = self.__dict__.get("data", {})
        if name not in data:
            raise AttributeError(f"no figure is called '{name}'; there are {', '.join(data)}")
        return data[name]

    def __getitem__(self, name: str) -> Any:
        return self.data[name]

    def __contains__(self, name: object) -> bool:
        return name in self.data

    def __repr__(self) -> str:
        figures = ", ".join(f"{name}={value!r}" for name, value in self.data.items()
                            if not isinstance(value, (dict, list)))
        return f"{type(self).__name__}({figures})"

    def _repr_html_(self) -> str:
        return shown(self.rows(), self._main, self.data)

    def rows(self) -> List[Dict[str, Any]]:
        """Its figures as rows of a table: one, of what is no list or object."""
        return [{name: value for name, value in self.data.items()
                 if not isinstance(value, (dict, list))}]

    def frame(self) -> Any:
        """rows() as a pandas.DataFrame; needs pandas."""
        return frame_of(self.rows())


class Answer(Document):
    """A GEMM, layer or design point: the figures that `sweep export` has, e.g. `time_us`
    (microseconds), `dense_time_us`, `speedup` (dense time / time), `speedup_low` and
    `speedup_high` (where it is likely to lie), `cycles` (at `clock_mhz`), `kernel`,
    `bound_by`, `board_watts`, `joules`, `area_mm2` (of the chip, as far as simulated).

    `error` says why there are none, and is "" otherwise: a figure then raises Error.
    `point` is what was asked for.
    """

    _main = ("arch", "layer", "m", "n", "k", "pattern", "dtype", "time_us", "dense_time_us", "speedup", "speedup_low",
             "speedup_high", "bound_by", "kernel", "error")

    def __init__(self, data: Mapping[str, Any], point: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__({key: value for key, value in data.items() if key not in ("id", "error")})
        self.error: str = data.get("error", "")
        self.point: Dict[str, Any] = dict(point or {})

    def __getattr__(self, name: str) -> Any:
        if self.__dict__.get("error"):
            raise Error(self.error)
        return super().__getattr__(name)

    def __getitem__(self, name: str) -> Any:
        if self.error:
            raise Error(self.error)
        return super().__getitem__(name)

    def __repr__(self) -> str:
        return f"Answer(error={self.error!r})" if self.error else super().__repr__()

    def rows(self) -> List[Dict[str, Any]]:
        """One row: what was asked for, the figures, and `error` if there is one."""
        asked: Dict[str, Any] = {}
        for key, value in self.point.items():
            asked.update(value if isinstance(value, Mapping) else {key: value})
        row = {**asked, **super().rows()[0]}
        return [{**row, "error": self.error}] if self.error else [row]


class Step(Answer):
    """A training step of a network under a scheme, or of an experiment: `time_us`,
    `speedup`, `training_speedup`, `memory_bytes`, `fits`, and times of its parts. Where
    there are several, `steps` lists them."""

    _main = ("network", "arch", "machine", "scheme", "time_us", "dense_time_us", "speedup", "speedup_low", "speedup_high",
             "training_speedup", "memory_bytes", "fits", "error")

    def rows(self) -> List[Dict[str, Any]]:
        if self.error or "steps" not in self.data:
            return super().rows()
        return [dict(step) for step in self.data["steps"]]


class Answers(Iterator[Answer]):
    """Answers one after the other, as they come; `.frame()` is all that are left."""

    def __init__(self, answers: Iterable[Answer]) -> None:
        self._answers = iter(answers)

    def __iter__(self) -> "Answers":
        return self

    def __next__(self) -> Answer:
        return next(self._answers)

    def frame(self) -> Any:
        """A pandas.DataFrame with a row for each answer that is left; needs pandas."""
        return frame_of(row for answer in self for row in answer.rows())


class Study(Document):
    """What `stcsim run` says: `totals`, a training step of every machine, network and scheme
    (times in microseconds), and `results`, the GEMMs and kernels they are made of."""

    _main = ("network", "machine", "scheme", "step_time_us", "step_speedup", "training_speedup", "speedup_interval_low",
             "speedup_interval_high", "verdict")

    def rows(self) -> List[Dict[str, Any]]:
        """A row for each total: its plain figures, and `step_time_us`, `step_speedup`, ... of
        its parts."""
        return [flat(total) for total in self.data["totals"]]


class Tta(Document):
    """What `stcsim tta` says: which scheme reaches an accuracy first, and how sure that is."""

    _main = ("machine", "scheme", "verdict", "hours_mean", "speedup_value", "to_target_reached", "to_target_runs", "break_even")

    def rows(self) -> List[Dict[str, Any]]:
        """A row for each machine and scheme."""
        return [flat(result) for result in self.data["results"]]


def flat(data: Mapping[str, Any], prefix: str = "") -> Dict[str, Any]:
    """{"step": {"time_us": 1}} as {"step_time_us": 1}; lists stay as they are."""
    row: Dict[str, Any] = {}
    for name, value in data.items():
        if isinstance(value, Mapping):
            row.update(flat(value, f"{prefix}{name}_"))
        else:
            row[prefix + name] = value
    return row
