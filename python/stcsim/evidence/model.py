"""Rows of tables of measurements, and what is simulated for each.

Times are microseconds. None is what was not measured, or not simulated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

#: Uses of a row. `shown` contradicts other measurements, `sealed` was predicted before it was measured:
#: these two count in no score but their own.
USES = ("fitting", "testing", "shown", "sealed")
SCORED = USES[:2]


class TableError(ValueError):
    """What is wrong, after FILE:LINE:COLUMN."""


class Place(NamedTuple):
    """Of a row or a field; lines and columns count from 1."""

    file: str
    line: int = 0
    column: int = 0

    @property
    def table(self) -> str:
        """The file's name without its folders."""
        return self.file.rpartition("/")[2]

    def error(self, what: str) -> TableError:
        return TableError(":".join([self.file, *(str(at) for at in (self.line, self.column) if at)]) + f": error: {what}")


@dataclass
class Times:
    """Of a GEMM; the speedup is dense time / sparse time."""

    dense: Optional[float] = None
    sparse: Optional[float] = None
    speedup: Optional[float] = None

    def of(self, quantity: str) -> Optional[float]:
        return getattr(self, quantity)


#: Key and title of the quantities of a GEMM.
QUANTITIES = (("dense", "dense time"), ("sparse", "sparse time"), ("speedup", "speedup"))


class Kernel(NamedTuple):
    """The kernel that a GEMM ran with, and what bounds it."""

    name: str = ""
    bound_by: str = ""


@dataclass
class Product:
    """What a row says of a GEMM and of the card that ran it."""

    where: Place
    source: str
    gpu: str
    note: str
    m: int
    n: int
    k: int
    batch_count: int
    #: "row": B is row-major; "" otherwise.
    layout: str
    dtype: str
    #: As written; not every measured pattern is n:m.
    pattern: str
    stack: str
    use: str
    #: Why the row cannot be simulated, whatever the machine; "" if it can.
    unusable: str = ""
    clock_mhz: Optional[int] = None
    #: The machine that stands for the card; "" if none does.
    machine: str = ""
    #: Why it was not simulated; "" if it was.
    skipped: str = ""

    @property
    def is_scored(self) -> bool:
        return self.use in SCORED

    @property
    def selects_columns(self) -> bool:
        """Whether the pattern is V:2:m."""
        return hardware_pattern(self.pattern).count(":") == 2


def hardware_pattern(text: str) -> str:
    """ "2:10 (V=128)" as `stcsim gemm` has it, "128:2:10"; anything else as it is."""
    pattern, found, rows = text.partition(" (V=")
    return f"{rows[:-1]}:{pattern}" if found and rows.endswith(")") else text


@dataclass
class GemmRow(Product):
    measured: Times = field(default_factory=Times)
    #: The least and the most of several measurements of the dense time, whose median `measured` has.
    dense_range: Optional[Tuple[float, float]] = None
    #: How the times were taken, a name in configs/validation/timing.yaml.
    timing: str = "events"
    #: The call that gives the same times; "" if the row is skipped.
    command: str = ""
    simulated: Times = field(default_factory=Times)
    #: By quantity: where measured values are said to lie.
    likely: Dict[str, Tuple[float, float]] = field(default_factory=dict)
    #: Peak rate and DRAM bandwidth alone; waves of 128x128 tiles at peak rate.
    roofline: Times = field(default_factory=Times)
    tiles: Times = field(default_factory=Times)
    dense_kernel: Kernel = Kernel()
    sparse_kernel: Kernel = Kernel()

    def error(self, quantity: str) -> Optional[float]:
        return relative_error(self.simulated.of(quantity), self.measured.of(quantity))


def relative_error(simulated: Optional[float], measured: Optional[float]) -> Optional[float]:
    """Simulated / measured - 1."""
    return None if simulated is None or measured is None else simulated / measured - 1


#: What a GPU's counters say of a launch: key and title. Cycles of the SMs; bytes from the L2 cache to SMs (what a
#: cluster shares counts once for each of its SMs), those that SMs ask for (counts once), those from DRAM; the share of
#: the cycles in which tensor cores multiply; the mean clock, MHz, and the time of launches in a row.
COUNTERS = (("cycles", "cycles"), ("sm_bytes", "to SMs"), ("l2_bytes", "from L2"), ("dram_bytes", "from DRAM"),
            ("busy", "busy"), ("row_mhz", "clock in a row"), ("row_us", "time in a row"))


@dataclass
class Launch:
    """A simulated launch: counters by key, and its kernel."""

    counted: Dict[str, float] = field(default_factory=dict)
    #: "128x256x64", rows, columns and k, uncompressed, in elements of the operands' type; "" where nothing was simulated.
    tile: str = ""
    stages: int = 0
    split_k: int = 1
    ctas: int = 0
    #: CTAs over those that the machine holds at a time.
    waves: float = 0.0

    @property
    def kernel(self) -> str:
        """ "128x256x64_s4 in 2 slices"."""
        if not self.tile:
            return ""
        return f"{self.tile}_s{self.stages}" + (f" in {self.split_k} slices" if self.split_k > 1 else "")


@dataclass
class CounterRow(Product):
    counted: Dict[str, float] = field(default_factory=dict)
    #: As the profiler names it; "" where it is not known.
    kernel_name: str = ""
    #: CTAs of a cluster; 0 where the table does not say.
    cluster: int = 0
    as_measured: Launch = field(default_factory=Launch)
    #: With the kernel that the simulator takes by itself.
    chosen: Launch = field(default_factory=Launch)
    #: Of a roofline at the launch's clock.
    roofline_cycles: float = 0.0
    #: Why there is no `as_measured`; "" if there is.
    no_kernel: str = ""

    @property
    def segments_k(self) -> bool:
        """Whether the kernel cuts the k axis where tiles do not fill the last wave."""
        return "segment_k_on" in self.kernel_name


@dataclass
class InstructionRow:
    where: Place
    source: str
    gpu: str
    machine: str
    #: As published: "mma.sync", "fp16/fp32", "m16n8k16".
    name: str
    types: str
    shape: str
    pattern: str
    warps: int
    #: Chains of instructions side by side; 0 where it is not given.
    ilp: int
    #: Of one instruction, cycles; dense-equivalent multiply-adds a clock of an SM.
    latency: Optional[float] = None
    throughput: Optional[float] = None
    simulated_ilp: int = 0
    simulated_latency: Optional[float] = None
    simulated_throughput: Optional[float] = None
    skipped: str = ""


#: A range of speedups; an end that is missing is open.
Ends = Tuple[Optional[float], Optional[float]]


@dataclass
class NetworkRow:
    where: Place
    source: str
    gpu: str
    network: str
    config: str
    phase: str
    pattern: str
    dtype: str
    #: How it is simulated.
    model: str = ""
    scheme: str = ""
    framework: str = "ideal"
    stack: str = ""
    accumulation: int = 1
    #: "" is the network file's.
    optimizer: str = ""
    #: Names, or "inference" alone.
    phases: List[str] = field(default_factory=list)
    batches: List[int] = field(default_factory=list)
    scope: str = "step"
    clock_mhz: Optional[float] = None
    software_year: Optional[int] = None
    #: Measured.
    dense: Optional[float] = None
    sparse: Optional[float] = None
    speedup: Ends = (None, None)
    machine: str = ""
    simulated_dense: Optional[float] = None
    simulated_sparse: Optional[float] = None
    simulated_speedup: Ends = (None, None)
    skipped: str = ""

    @property
    def is_inference(self) -> bool:
        return self.phases == ["inference"]


@dataclass
class StreamRow:
    """A kernel beside the products."""

    where: Place
    source: str
    gpu: str
    machine: str
    op: str
    dtype: str
    rows: int
    columns: int
    time: float
    overhead: float = 0.0
    framework: str = "pytorch_2_eager"
    simulated: Optional[float] = None
    skipped: str = ""


@dataclass
class SystemRow:
    """A collective, or an update of a training on several GPUs."""

    where: Place
    source: str
    gpu: str
    #: A file of configs/systems; "" if none stands for the GPUs.
    system: str
    use: str
    gpus: int
    time: float
    #: "" of trainings.
    collective: str = ""
    nodes: int = 1
    bytes: float = 0.0
    #: Rows of one script: their scaling is held against its fewest GPUs.
    series: str = ""
    model: str = ""
    framework: str = ""
    dtype: str = "fp16"
    micro_batch: int = 1
    accumulation: int = 1
    #: As an experiment's `parallel` has it: sharding, gradients, overlap.
    parallel: Dict[str, Any] = field(default_factory=dict)
    simulated: Optional[float] = None
    #: Samples a GPU over those of the series' fewest GPUs.
    scaling: float = 1.0
    simulated_scaling: Optional[float] = None
    skipped: str = ""


@dataclass
class Tables:
    """Rows by kind, and what is said of them."""

    gemms: List[GemmRow] = field(default_factory=list)
    instructions: List[InstructionRow] = field(default_factory=list)
    networks: List[NetworkRow] = field(default_factory=list)
    streams: List[StreamRow] = field(default_factory=list)
    systems: List[SystemRow] = field(default_factory=list)
    counters: List[CounterRow] = field(default_factory=list)
    #: Messages of rows that were left out because they are wrong.
    bad_rows: List[str] = field(default_factory=list)
    #: Machine and the software that multiplied there, in the order of the first row.
    software: List[Tuple[str, str]] = field(default_factory=list)
    #: By machine: the numbers of its file that counted rows set.
    set_by_counters: Dict[str, List[str]] = field(default_factory=dict)

    def kinds(self) -> List[list]:
        return [self.gemms, self.instructions, self.networks, self.streams, self.systems, self.counters]

    def __len__(self) -> int:
        return sum(map(len, self.kinds()))
