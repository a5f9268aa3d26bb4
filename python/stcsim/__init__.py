"""Drives stcsim, a cycle-level simulator of training on sparse tensor cores.

    >>> import stcsim
    >>> stcsim.gemm("a100", 1024, 8192, 1024, sparsity="2:4").speedup

GEMMs, layers, networks and design points go to one long-lived `stcsim eval`
(class Simulator), so that a call costs milliseconds; explain, run, sweeps of a
space and tta start the program once. Nothing but the standard library is needed;
`.frame()` needs pandas, `export_graph` torch.

Units: times are microseconds (`*_us`), cycles are counted at the clock beside
them (`clock_mhz`), energies are joules, areas square millimetres, sizes bytes.
A speedup is a ratio of times, dense over sparse, on the same machine.
"""

from ._calls import explain, run, sweep, tta
from ._process import Error, find_program
from ._results import Answer, Answers, Document, Step, Study, Tta
from ._simulator import Simulator, evaluate, gemm, layer, profile, step
from .torch_graph import export_graph

__all__ = [
    "Answer", "Answers", "Document", "Error", "Simulator", "Step", "Study", "Tta",
    "evaluate", "explain", "export_graph", "find_program", "gemm", "layer", "profile", "run", "step", "sweep", "tta",
]
__version__ = "0.1.0"
