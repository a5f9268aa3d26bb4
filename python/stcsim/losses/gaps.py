"""Whether a law predicts published losses of N:M trainings better than the nearest published one does."""

from __future__ import annotations

import math
import re
import statistics
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence

from stcsim.losses.runs import table

#: What names the authors of a source; several sources are one publication's.
PAPERS = {"mcdanel": "SDGP", "nvidia": "ASP", "nm-sparsity": "SR-STE", "bi-mask": "Bi-Mask", "mozaffari": "SLoPe",
          "pytorch": "torchao", "s-ste": "S-STE", "adaptive-sparse": "AST", "mixture-of-memory": "CAST",
          "neuralmagic": "Sparse Llama"}


class Gap(NamedTuple):
    """A published loss: percent of the dense value, of perplexities of its logarithm."""

    paper: str
    network: str
    metric: str
    operands: str
    kept: int
    of: int
    percent: float

    @property
    def halvings(self) -> float:
        return math.log2(self.of / self.kept)


def gap_of(row: Dict[str, str]) -> Optional[Gap]:
    """None of a row without both values, with another kind of pattern, or of no share, F1 or perplexity."""
    pattern = re.fullmatch(r"(\d+):(\d+)", row["pattern"])
    metric = next((one for one in ("top-1", "accuracy", "perplexity", "SQuAD F1") if row["metric"].startswith(one)), None)
    if not pattern or not metric or not row["dense"] or not row["sparse"] or not float(row["dense"]):
        return None
    dense, sparse = float(row["dense"]), float(row["sparse"])
    share = math.log(sparse / dense) / math.log(dense) if metric == "perplexity" else (dense - sparse) / dense
    operands = row["operands"].lower()
    kind = "inference" if "inference" in operands else "gradients" if operands.startswith("data gradient") else "weights"
    source = row["source"].lower()
    paper = next((name for word, name in PAPERS.items() if word in source), source)
    return Gap(paper, row["network"], metric, kind, int(pattern[1]), int(pattern[2]), 100 * share)


def published_gaps() -> List[Gap]:
    return [gap for gap in map(gap_of, table("final_values.csv")) if gap]


def nearest(one: Gap, others: Sequence[Gap]) -> float:
    """The middle of those with most in common: density first, then operands, metric, network and group."""
    def apart(other: Gap) -> float:
        return (3 * abs(other.halvings - one.halvings) + 2 * (other.operands != one.operands) + (other.metric != one.metric)
                + 0.5 * (other.network != one.network) + 0.3 * abs(math.log2(other.of / one.of)))
    least = min(map(apart, others))
    return statistics.median(other.percent for other in others if apart(other) <= least + 1e-9)


def of_density(one: Gap, others: Sequence[Gap]) -> float:
    return statistics.median(other.percent / other.halvings**2 for other in others) * one.halvings**2


def of_density_and_operands(one: Gap, others: Sequence[Gap]) -> float:
    return of_density(one, [other for other in others if other.operands == one.operands] or others)


LAWS: Dict[str, Callable[[Gap, Sequence[Gap]], float]] = {
    "the nearest published one": nearest,
    "no loss at all": lambda one, others: 0.0,
    "the middle of all": lambda one, others: statistics.median(other.percent for other in others),
    "the square of the halvings of density": of_density,
    "the same, by operands": of_density_and_operands}


class GapErrors(NamedTuple):
    """Percent of the dense value: the median over rows, their mean, and the median over papers."""

    law: str
    rows: int
    median: float
    mean: float
    of_papers: float


def gap_errors(gaps: Sequence[Gap]) -> List[GapErrors]:
    """Each paper by what the others say."""
    found = []
    for name, law in LAWS.items():
        by_paper: Dict[str, List[float]] = {}
        for one in gaps:
            others = [other for other in gaps if other.paper != one.paper]
            by_paper.setdefault(one.paper, []).append(abs(law(one, others) - one.percent))
        every = [off for paper in by_paper.values() for off in paper]
        found.append(GapErrors(name, len(every), statistics.median(every), statistics.fmean(every),
                               statistics.median(map(statistics.median, by_paper.values()))))
    return found
