"""What starts the program for an answer of its own."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Iterable, Iterator, Mapping, Union

from ._process import Error, call, call_json, option_words
from ._results import Answer, Answers, Document, Study, Tta
from ._simulator import Simulator


def explain(arch: str, m: int, n: int, k: int, sparsity: str = "dense", **options: Any) -> Document:
    """Why a GEMM takes as long as it does, and what would help: `stcsim explain`, all its
    figures by the names of docs/reference/results.md. Options as of gemm()."""
    return Document(call_json(["explain"], {"arch": arch, "m": m, "n": n, "k": k,
                                            "sparsity": sparsity, **options}))


def run(experiment: Union[str, None] = None, **options: Any) -> Study:
    """An experiment (a shipped one, or a file), or network="resnet50", arch="a100",
    schemes=["asp", "slope"]: `stcsim run` with its options. Times are microseconds."""
    return Study(call_json(["run", *([experiment] if experiment else [])], options))


def tta(experiment: str, **options: Any) -> Tta:
    """Time to accuracy of an experiment that names learning curves: `stcsim tta`, e.g.
    target=75.9 (of the curves' metric), budget="2h". Times are seconds where names say so."""
    return Tta(call_json(["tta", experiment], options))


def sweep(what: Union[str, Iterable[Mapping[str, Any]]], jobs: Any = 1, **options: Any) -> Answers:
    """Answers of many points, as they come.

    :param what: points as Simulator has them, any number; or a space of `stcsim sweep` (a
        shipped one, or a file), whose points come when all are simulated
    :param jobs: worker processes, or "auto"
    :param options: of a space: set={...}, results="FILE.sqlite", which keeps what is simulated
        for the next sweep; of points: figures=[...]
    """
    if isinstance(what, Mapping):
        raise Error("sweep takes a list of points, each a mapping, or the name of a space")
    if isinstance(what, str):
        return Answers(_sweep_space(what, {"jobs": jobs, **options}))
    return Answers(_sweep_points(what, jobs, options))


def _sweep_points(points: Iterable[Mapping[str, Any]], jobs: Any,
                  options: Mapping[str, Any]) -> Iterator[Answer]:
    with Simulator(jobs=jobs, **options) as simulator:
        yield from simulator.map(points)


def _sweep_space(space: str, options: Mapping[str, Any]) -> Iterator[Answer]:
    with tempfile.TemporaryDirectory() as folder:
        where = {"results": options.get("results") or os.path.join(folder, "sweep.sqlite")}
        call(["sweep", "run", space, *option_words({**options, **where})], accept=(0, 3))
        asked = {key: value for key, value in options.items() if key == "set"}
        rows = call(["sweep", "export", space, *option_words({**asked, **where}),
                     "--format=json"])
        yield from (Answer(row) for row in json.loads(rows)["rows"])
