"""Asks the program what it says of rows of measurements."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from .._process import Error
from .model import CounterRow, GemmRow, InstructionRow, Kernel, Launch, NetworkRow, Place, Product, StreamRow, SystemRow, Tables
from .model import hardware_pattern
from .program import config_folder, eval_lines, read_yaml
from .tables import BACKWARD, OPERATIONS

Line = Dict[str, Any]
Answer = Dict[str, Any]
#: A row's work: a generator that yields lines, is sent their answers, and fills in the row.
Task = Iterator[List[Line]]

#: Loops of an instruction whose number of chains nobody says: the least of these that is nearly as good as the best.
MOST_CHAINS, CONVERGED = 6, 0.03
#: Errors that say that the machine cannot do it; others that the row is wrong.
CANNOT = re.compile(r"does not multiply|has no |no hardware|holds at most|is not simulated|is not m\.\.n|multiple of a warp group")


class WrongRow(Exception):
    """Why a row is left out."""


class Machines:
    """Machines that stand for GPUs. Case, punctuation, NVIDIA and GeForce make no difference."""

    def __init__(self) -> None:
        known = read_yaml(config_folder() / "validation" / "gpus.yaml")
        self._machines = {self._key(gpu["name"]): gpu["machine"] for gpu in known["gpus"]}
        self.set_by_counters = {one["machine"]: one["numbers"] for one in known.get("set_by_counters", [])}

    @staticmethod
    def _key(gpu: str) -> str:
        return re.sub("^(nvidia|geforce)+", "", re.sub("[^a-z0-9]", "", gpu.lower()))

    def of(self, gpu: str) -> str:
        """ "" if none stands for it."""
        return self._machines.get(self._key(gpu), "")


def keep(tables: Tables, machine: str, dtype: str, use: str) -> Tables:
    """The rows of a machine, type and use; "" is any. Some kinds have no use, collectives no type."""

    def passes(row: Any) -> bool:
        return (not use or getattr(row, "use", "") == use) and (not machine or row.machine == machine) \
            and (not dtype or (getattr(row, "dtype", "") == dtype and not getattr(row, "collective", "")))

    return Tables(*([row for row in kind if passes(row)] for kind in tables.kinds()), bad_rows=tables.bad_rows)


def name_machines(tables: Tables, machines: Machines) -> None:
    for kind in tables.kinds():
        for row in kind:
            row.machine = getattr(row, "machine", "") or machines.of(row.gpu)


def simulate(tables: Tables, jobs: int, progress: Callable[[int], None]) -> None:
    """Fills in what is simulated for all rows; wrong ones are left out and named."""
    trainings = [row for row in tables.systems if not row.collective]
    collectives = [row for row in tables.systems if row.collective]
    done = 0
    for rows, task in ((tables.networks, _network), (trainings, _training), (tables.instructions, _instruction),
                       (tables.streams, _stream), (collectives, _collective), (tables.counters, _counter),
                       (tables.gemms, _gemm)):
        before = done
        rows[:] = _run_tasks(rows, task, jobs, tables.bad_rows, lambda count: progress(before + count))
        done += len(rows)
    tables.systems[:] = trainings + collectives
    _find_scaling(tables.systems)
    _take_software(tables)


def _left_out(row: Any, error: Exception, bad_rows: List[str]) -> None:
    where: Place = row.where
    bad_rows.append(str(where.error(str(error))))


def _run_tasks(rows: List[Any], task: Callable[[Any], Task], jobs: int, bad_rows: List[str],
               progress: Callable[[int], None]) -> List[Any]:
    """Sends all lines of all rows at once and each row its answers."""
    tasks: List[Tuple[Any, Optional[Task], List[Line]]] = []
    for row in rows:
        of_row = task(row)
        lines = next(of_row, None)
        tasks.append((row, of_row if lines else None, lines or []))
    answers = eval_lines([line for _, _, lines in tasks for line in lines], jobs)
    right = []
    for row, of_row, lines in tasks:
        try:
            if of_row is not None:
                _finish(of_row, [next(answers) for _ in lines])
            right.append(row)
        except WrongRow as error:
            _left_out(row, error, bad_rows)
        progress(len(right))
    return right


def _finish(task: Task, answers: List[Answer]) -> None:
    try:
        task.send(answers)  # type: ignore[attr-defined]
    except StopIteration:
        pass


def _refused(answer: Answer) -> str:
    """Why the machine cannot do it; "" if it did.

    :raises WrongRow: for other errors
    """
    error = re.sub(r"^the line(:\d+)*: ", "", answer.get("error", "")).replace("method is", "timing is", 1)
    if error and not CANNOT.search(error):
        raise WrongRow(error)
    return error


def _product_line(row: Product) -> Line:
    line: Line = {"arch": row.machine, "m": row.m, "n": row.n, "k": row.k, "dtype": row.dtype}
    if row.batch_count > 1:
        line["batch_count"] = row.batch_count
    if row.layout:
        line["layout"] = "tt"
    if row.stack:
        line["stack"] = row.stack
    if row.clock_mhz:
        line["clock"] = row.clock_mhz
    return line


def _why_not(row: Product) -> str:
    return row.unusable or ("" if row.machine else f"no machine for GPU '{row.gpu}'")


def _why_dense(row: Product, answer: Answer) -> str:
    """Why a sparse row's answer is of a dense product, or of one that gathers no columns."""
    if row.selects_columns and answer["reason"].startswith("no kernel"):
        return answer["reason"]
    is_dense = answer["hardware_pattern"] == "dense" and "ran as dense" not in answer["reason"]
    return f"{row.machine} has no hardware for {hardware_pattern(row.pattern)}" if is_dense else ""


def _gemm(row: GemmRow) -> Task:
    measured = row.measured
    is_sparse = row.pattern != "dense" and (measured.sparse is not None or measured.speedup is not None)
    row.skipped = _why_not(row)
    if row.skipped:
        return
    line = {**_product_line(row), "method": row.timing}
    if row.pattern != "dense":
        line["pattern"] = hardware_pattern(row.pattern)
    [answer] = yield [line]
    row.skipped = _refused(answer) or (_why_dense(row, answer) if row.pattern != "dense" else "")
    row.stack = row.stack or answer.get("software", "").partition(" (")[0]
    nothing = measured.dense is None and measured.sparse is None and measured.speedup is None
    row.skipped = row.skipped or ("nothing was measured" if nothing else "")
    if row.skipped:
        return
    row.command = _command(row)
    if is_sparse:
        _take(row, answer, "sparse", "")
    if measured.dense is not None or measured.speedup is not None:
        _take(row, answer, "dense", "dense_")
    for times in (row.simulated, row.roofline, row.tiles):
        if times.dense is not None and times.sparse is not None:
            times.speedup = times.dense / times.sparse
    if row.simulated.speedup is not None and "speedup_low" in answer:
        row.likely["speedup"] = (answer["speedup_low"], answer["speedup_high"])


def _take(row: GemmRow, answer: Answer, quantity: str, prefix: str) -> None:
    for times, key in ((row.simulated, "time_us"), (row.roofline, "roofline_us"), (row.tiles, "tiles_us")):
        setattr(times, quantity, answer[prefix + key])
    kernel = Kernel(answer[prefix + "kernel"], answer[prefix + "bound_by"])
    setattr(row, quantity + "_kernel", kernel)
    ends = f"{prefix}time_us_low", f"{prefix}time_us_high"
    if ends[0] in answer:
        row.likely[quantity] = (answer[ends[0]], answer[ends[1]])


def _command(row: GemmRow) -> str:
    """One call says both times."""
    call = f"stcsim gemm --arch {row.machine} --m {row.m} --n {row.n} --k {row.k} --dtype {row.dtype}"
    options = {"batch-count": row.batch_count if row.batch_count > 1 else None,
               "sparsity": hardware_pattern(row.pattern) if row.pattern != "dense" else None,
               "layout": "tt" if row.layout else None, "stack": row.stack, "method": row.timing, "clock": row.clock_mhz}
    return call + "".join(f" --{name} {value}" for name, value in options.items() if value is not None)


#: A launch's counters, as answers call them.
_COUNTED = {"cycles": "cycles", "sm_bytes": "sm_read_bytes", "l2_bytes": "l2_read_bytes", "dram_bytes": "dram_read_bytes",
            "busy": "utilization"}


def _counter(row: CounterRow) -> Task:
    row.skipped = _why_not(row)
    if row.skipped:
        return
    line = _product_line(row)
    if row.pattern != "dense":
        line["pattern"] = hardware_pattern(row.pattern)
    in_a_row = {**{key: value for key, value in line.items() if key != "clock"}, "method": "same_operands"}
    named = {"kernel": _kernel(row)} if row.kernel_name else None
    lines = [line, in_a_row] if "row_us" in row.counted else [line]
    answers = yield lines + ([{**one, **named} for one in lines] if named else [])
    row.skipped = _refused(answers[0]) or (_why_dense(row, answers[0]) if row.pattern != "dense" else "")
    if row.skipped:
        return
    row.roofline_cycles = answers[0]["dense_roofline_us" if row.pattern == "dense" else "roofline_us"] * _clock(row, answers[0])
    row.chosen = _launch(answers[:len(lines)])
    error = answers[len(lines)].get("error", "") if named else "the table names no kernel"
    row.no_kernel = "the kernel's name does not say its tile" if error.startswith("kernel is") else error
    if not row.no_kernel:
        row.as_measured = _launch(answers[len(lines):])


def _kernel(row: CounterRow) -> str:
    """The kernel's name, with the size of its cluster where only the table says it."""
    if not row.cluster or "_cgasize" in row.kernel_name:
        return row.kernel_name
    return re.sub(r"(_tilesize\d+x\d+x\d+)", rf"\1_cgasize{row.cluster}x1x1", row.kernel_name)


def _clock(row: CounterRow, answer: Answer) -> float:
    return float(row.clock_mhz) if row.clock_mhz else answer["clock_mhz"]


def _launch(answers: List[Answer]) -> Launch:
    """One launch, and after it many in a row where the table has their time."""
    answer = answers[0]
    counted = {key: float(answer[name]) for key, name in _COUNTED.items() if answer.get(name) is not None}
    if len(answers) > 1:
        counted.update(row_mhz=answers[1]["clock_mhz"], row_us=answers[1]["time_us"])
    return Launch(counted, answer["tile"], answer["stages"], answer["split_k"], answer["ctas"], answer["waves"])


def _instruction(row: InstructionRow) -> Task:
    if not row.machine:
        row.skipped = f"no machine for GPU '{row.gpu}'"
    elif row.latency is None and row.throughput is None:
        row.skipped = "nothing was measured"
    elif row.throughput is not None and not row.warps:
        row.skipped = "the number of warps is not given"
    if row.skipped:
        return
    line = {"arch": row.machine, "instruction": row.name, "dtype": row.types, "shape": row.shape, "sparse": row.pattern != "dense"}
    is_searched = row.ilp == 0 and not re.match("wgmma|tcgen05", row.name)
    chains = range(1, MOST_CHAINS + 1) if is_searched else [max(row.ilp, 1)]
    of_latency = [line] if row.latency is not None else []
    loops = [{**line, "warps": row.warps, "chains": count} for count in chains] if row.throughput is not None else []
    answers = yield of_latency + loops
    row.skipped = next(filter(None, map(_refused, answers)), "")
    if row.skipped:
        return
    if of_latency:
        row.simulated_latency = answers[0]["latency_cycles"]
    if loops:
        figures = [answer["fma_per_clk"] for answer in answers[len(of_latency):]]
        at = next(at for at, figure in enumerate(figures) if figure >= max(figures) * (1.0 - CONVERGED))
        row.simulated_ilp, row.simulated_throughput = list(chains)[at], figures[at]


def _stream(row: StreamRow) -> Task:
    if not row.machine:
        row.skipped = f"no machine for GPU '{row.gpu}'"
        return
    line = _stream_line(row.machine, OPERATIONS.get(row.op) or BACKWARD[row.op], row.rows, row.columns, row.dtype)
    [answer] = yield [{**line, "framework": row.framework, "backward": row.op in BACKWARD}]
    row.skipped = _refused(answer)
    if not row.skipped:
        row.simulated = answer["time_us"] + row.overhead


def _stream_line(machine: str, op: str, rows: int, columns: int, dtype: str) -> Line:
    return {"arch": machine, "op": op, "rows": rows, "columns": columns, "dtype": dtype}


def _named_at(where: Place, name: str) -> str:
    """A configuration's name; a path as seen from the table's folder."""
    is_path = "/" in name or name.endswith(".yaml")
    return str((Path(where.file).parent / name).resolve()) if is_path else name


def _network(row: NetworkRow) -> Task:
    if not row.skipped and not row.machine:
        row.skipped = f"no machine for GPU '{row.gpu}'"
    if not row.skipped and row.dense is None and row.sparse is None and row.speedup == (None, None):
        row.skipped = "nothing was measured"
    if row.skipped:
        return
    answers = yield [{"experiment": _experiment(row, batch), "rows": True} for batch in row.batches]
    row.skipped = next(filter(None, map(_refused, answers)), "")
    if row.skipped:
        return
    found = [_figures(row, answer) for answer in answers]
    gains = [figures[2] for figures in found if figures]
    if len(found) == 1 and found[0]:
        row.simulated_dense, row.simulated_sparse = found[0][:2]
    if row.scheme == "dense":
        row.simulated_sparse = None
    elif gains:
        row.simulated_speedup = (min(gains), max(gains))
    if not gains:
        row.skipped = "nothing runs sparse"


def _experiment(row: NetworkRow, batch: int) -> Dict[str, Any]:
    network: Dict[str, Any] = {"name": _named_at(row.where, row.model), "batch": batch}
    if not row.is_inference:
        network["accumulation"] = row.accumulation
    if row.optimizer:
        network["optimizer"] = row.optimizer
    experiment = {"machines": [row.machine], "networks": [network], "schemes": [_named_at(row.where, row.scheme)],
                  "phases": row.phases, "sparse_where": "always", "pruning_kernels": "separate", "dtype": row.dtype,
                  "framework": _named_at(row.where, row.framework)}
    if row.stack:
        experiment["stack"] = row.stack
    if row.clock_mhz:
        experiment["clock_mhz"] = row.clock_mhz
    return experiment


def _figures(row: NetworkRow, study: Answer) -> Optional[Tuple[Optional[float], Optional[float], float]]:
    """Dense and sparse time, and gain, of the row's scope; None if nothing belongs to it."""
    total = study["totals"][-1]
    results = [one for one in study["rows"] if one["scheme"] == total["scheme"]]
    if row.scope == "best_layer":
        gains = [one["speedup"] for one in results if one["ran_sparse"]]
        return (None, None, max(gains)) if gains else None
    clock = total["clock_mhz"]
    if row.scope == "scheme_work":
        return _scheme_work(row, results, clock)
    share = total["share_of_training"] if row.scope in ("step", "passes") else 1.0
    own = dense = 0.0
    for one in _of_scope(results, row.scope):
        repeat = float(one["repeat"]) / float(one["every"])
        dense_cycles = repeat * float(one["dense_cycles"])
        own += share * repeat * float(one["cycles"]) + (1.0 - share) * dense_cycles
        dense += dense_cycles
    return (dense / clock, own / clock, dense / own) if own > 0 else None


def _of_scope(results: List[Answer], scope: str) -> List[Answer]:
    sparse = {one["layer"] for one in results if one["ran_sparse"]}
    belongs = {"step": lambda one: True, "passes": lambda one: "optimizer" not in (one["layer"], one["phase"]),
               "sparse_gemms": lambda one: one["ran_sparse"],
               "sparse_layers": lambda one: one["kind"] == "gemm" and one["layer"] in sparse}[scope]
    return [one for one in results if belongs(one)]


def _scheme_work(row: NetworkRow, results: List[Answer], clock: float) -> Optional[Tuple[float, float, float]]:
    """What a scheme does itself, against copies of the weights it works on: kernels that read and write as much."""
    work = [one for one in results if one["scheme_work"]]
    layers = {one["layer"] for one in work}
    weights = [one for one in results if one["kind"] == "gemm" and one["phase"] == "forward" and one["layer"] in layers]
    copies = eval_lines([_stream_line(row.machine, "relu", one["m"], one["k"] * one["batch_count"], "fp16")
                         for one in weights], 1)
    own = sum(float(one["repeat"]) / float(one["every"]) * float(one["cycles"]) for one in work)
    dense = sum(float(one["repeat"]) * float(copy["cycles"]) for one, copy in zip(weights, copies))
    return (dense / clock, own / clock, dense / own) if own > 0 else None


def _collective(row: SystemRow) -> Task:
    if row.skipped:
        return
    [answer] = yield [{"system": row.system, "collective": row.collective, "bytes": row.bytes, "gpus": row.gpus,
                       "nodes": row.nodes}]
    row.skipped = _refused(answer)
    row.simulated = answer.get("time_us")


def _training(row: SystemRow) -> Task:
    if row.skipped:
        return
    network = {"name": _named_at(row.where, row.model), "batch": row.micro_batch, "accumulation": row.accumulation}
    system = read_yaml(config_folder() / "systems" / (row.system + ".yaml"))
    [answer] = yield [{"rows": True, "experiment": {
        "machines": [system["machine"]], "networks": [network], "schemes": ["dense"], "dtype": row.dtype,
        "framework": _named_at(row.where, row.framework),
        "parallel": {"system": row.system, "gpus": [row.gpus], **row.parallel}}}]
    row.skipped = _refused(answer)
    row.simulated = None if row.skipped else answer["parallel"][-1]["time_us"]


def _find_scaling(rows: List[SystemRow]) -> None:
    """Time of a micro-batch on the series' fewest GPUs, over that on as many."""
    trainings = [row for row in rows if not row.collective and row.simulated is not None]
    fewest: Dict[str, SystemRow] = {}
    for row in trainings:
        if row.series not in fewest or row.gpus < fewest[row.series].gpus:
            fewest[row.series] = row
    for row in trainings:
        base = fewest[row.series]

        def scaling(of_base: float, own: float) -> float:
            return of_base / float(base.accumulation) / (own / float(row.accumulation))

        row.scaling = scaling(base.time, row.time)
        row.simulated_scaling = scaling(base.simulated or 0.0, row.simulated or 0.0)


def _take_software(tables: Tables) -> None:
    """The default software of machines on which a library's kernels were chosen."""
    rows: List[Any] = [*tables.gemms, *tables.networks]
    machines = list(dict.fromkeys(row.machine for row in rows if not row.skipped))
    answers = eval_lines([{"arch": machine, "m": 64, "n": 64, "k": 64} for machine in machines], 1)
    tables.software = [(machine, answer["software"]) for machine, answer in zip(machines, answers)]
