#!/usr/bin/env python3
"""measure.py: measures on a GPU, in ten minutes, what results/predictions.csv says of it, to prove it right or wrong.

    python3 measure/measure.py MACHINE --out DIR [--minutes 10] [--only pairs,steps,counters,traces,gemms]
    node scripts/sealed.mjs DIR/pairs.csv                                 # ratios of pairs beside their predictions
    stcsim evidence rows DIR/steps.csv                                    # and DIR/gemms.csv, DIR/counters.csv
    stcsim evidence trace DIR/traces/nanogpt_124m_b16.json.gz --arch MACHINE --dtype bf16 --network nanogpt_124m --batch 16

MACHINE is the machine that stands for the card, e.g. h200. Needs a PyTorch of 2.6 or later with cuSPARSELt
(torch.backends.cusparselt), for counters Nsight Compute (ncu) and leave to use it. What fits into --minutes is measured, the
most telling first: 30 pairs of steps or products, whose ratio was predicted (pairs.py); feed-forward steps; counters of
single launches; profiles of whole steps; and of 200 GEMMs a sample. What is left out is named. Every row is in its file as
soon as it is measured, so that nothing is lost by an interrupt; the same command goes on where it was.

Times are of launches in a row, divided by their number, after as many to warm up: timing `loop` of the tables. Products and
feed-forward steps are replays of a captured graph, since PyTorch's call of cuSPARSELt alone takes the host 0.4 to 1.1 ms.
A GEMM has two rows: the kernels that PyTorch takes by itself, and for 2:4 the best of cuSPARSELt's own search. A row has the
clock and the power that the card reported while the last launches ran, and the versions of PyTorch, CUDA and driver.
What PyTorch cannot run is left empty, and said on stderr.
"""

import argparse
import collections
import csv
import pathlib
import signal
import sys

import counters
from pairs import DTYPE, NETWORKS, PAIRS, Gemm, Step, hash_of
from rows import Budget, Table, Task, planned, run_all

ROOT = pathlib.Path(__file__).resolve().parent.parent  # networks' files are named from here
KINDS = ("pairs", "steps", "counters", "traces", "gemms")
PAIR_COLUMNS = ["source", "gpu", "machine", "pair", "dtype", "first", "second", "first_us", "second_us", "ratio", "first_state",
                "second_state", "hash"]
GEMM_COLUMNS = ["source", "gpu", "dtype", "M", "N", "K", "layout", "dense_value", "sparse_value", "unit", "speedup",
                "pattern", "timing", "stack", "note"]
STEP_COLUMNS = ["source", "gpu", "dtype", "network", "config", "phase", "dense", "sparse", "unit", "speedup", "pattern",
                "model", "batch", "phases", "scheme", "scope", "not_simulated", "framework", "optimizer", "note"]
#: Steps whose kernels are worth a profile.
TRACED = (Step("nanogpt_124m", 16), Step("bert_large_l6", 16), Step("resnet50", 64), Step("llama3_1b_l8", 1))
#: Seconds beside the launches that are timed: to build a model, to compile one, to count.
BUILD, COMPILE, COUNT, TRACE = 2, 35, 75, 10
SEARCHED = "cuda12_search"


class TimeUp(BaseException):
    """The time is over; no compiler catches it as an error of its own."""


def seconds_of(side, seconds):
    """What a side is expected to take."""
    is_compiled = isinstance(side, Step) and side.mode.startswith("compiled")
    return 2 * seconds + (COMPILE if is_compiled else BUILD)


class Bench:
    """Measures on the card. The only part of this file that needs PyTorch and a GPU."""

    def __init__(self, seconds):
        import models
        import products
        import timing

        self._models, self._products, self._timing, self._seconds = models, products, timing, seconds
        self.common = {"source": timing.source(), "gpu": timing.gpu()}

    def _gemm(self, gemm, dtype, is_searched=True):
        types = self._products.TYPES
        if gemm.is_sparse:
            return self._products.sparse_gemm(gemm.m, gemm.n, gemm.k, types[dtype], is_searched)
        return self._products.dense_gemm(gemm.m, gemm.n, gemm.k, types[dtype])

    def gemm(self, gemm, dtype, is_searched=True):
        """Microseconds as text, empty where there are none, and the card's state."""
        return self._timing.measured(f"{gemm.text} {dtype}", lambda: self._gemm(gemm, dtype, is_searched), self._seconds, 20)

    def part(self, name, tokens, width, inner, dtype, is_sparse):
        kind = self._products.TYPES[dtype]
        make = self._products.part_step
        return self._timing.measured(name, lambda: make(tokens, width, inner, kind, is_sparse), self._seconds, 1)

    def side(self, side):
        if isinstance(side, Gemm):
            return self.gemm(side, DTYPE)
        network = NETWORKS[side.network]
        if network.family == "mlp":
            return self.part(side.text, side.batch, network.sizes["width"], network.sizes["inner"], DTYPE, side.is_sparse)
        is_captured = side.mode.endswith("graph")
        return self._timing.measured(side.text, lambda: self._models.training_step(side), self._seconds, int(is_captured))

    def trace(self, step, path):
        import torch
        from torch.profiler import ProfilerActivity, profile, record_function

        run = self._models.training_step(step)
        for _ in range(5):
            run()
        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True) as profiled:
            run(record_function)
            torch.cuda.synchronize()
        half = path.with_name(f"half_{path.name}")
        profiled.export_chrome_trace(str(half))
        half.rename(path)


def ratio_of(first, second):
    return f"{float(first) / float(second):.4f}" if first and second else ""


class Measurements:
    """Tasks of all kinds, and the tables that they write."""

    def __init__(self, out, machine, bench, budget, seconds):
        """:raises ValueError: where the folder has measurements of another card"""
        self.out, self.machine, self.bench, self.budget, self.seconds = out, machine, bench, budget, seconds
        (out / "traces").mkdir(parents=True, exist_ok=True)
        self.tables = {kind: Table(out / f"{kind}.csv", columns) for kind, columns in (
            ("pairs", PAIR_COLUMNS), ("steps", STEP_COLUMNS), ("counters", counters.COLUMNS), ("gemms", GEMM_COLUMNS))}
        for table in self.tables.values():
            others = {row["gpu"] for row in table.rows} - {bench.common["gpu"]}
            if others:
                raise ValueError(f"{table.path} has rows of {others.pop()}, not of {bench.common['gpu']}: name another --out")

    def _add(self, kind, **row):
        self.tables[kind].add({**self.bench.common, **row})

    def pair(self, pair):
        (first, state), (second, other) = self.bench.side(pair.first), self.bench.side(pair.second)
        self._add("pairs", machine=self.machine, pair=pair.name, dtype=DTYPE, first=pair.first.text, second=pair.second.text,
                  first_us=first, second_us=second, ratio=ratio_of(first, second), first_state=state, second_state=other,
                  hash=hash_of(pair))

    def step(self, row):
        tokens, width, inner = (int(row[name]) for name in ("n", "k", "m"))
        name = f"{row['network']}, {tokens} tokens"
        (dense, state), (sparse, other) = (self.bench.part(f"{name}, {what}", tokens, width, inner, row["dtype"], what == "2:4")
                                           for what in ("dense", "2:4"))
        self._add("steps", dtype=row["dtype"], network=row["network"], config=f"{tokens} tokens", phase="training", dense=dense,
                  sparse=sparse, unit="us", speedup=ratio_of(dense, sparse), pattern="2:4", model=str(ROOT / row["model"]),
                  batch=tokens, phases="forward;dgrad;wgrad", scheme=row["scheme"], scope="step", framework="pytorch_2_11_part",
                  optimizer="sgd_momentum", note=f"dense {state}; 2:4 {other}")

    def gemm(self, row):
        sizes, dtype = [int(row[name]) for name in ("m", "n", "k")], row["dtype"]
        dense, state = self.bench.gemm(Gemm(*sizes), dtype)
        for stack in ("", SEARCHED):
            if self.tables["gemms"].has(**dict(zip("MNK", sizes)), dtype=dtype, stack=stack):
                continue
            sparse, other = self.bench.gemm(Gemm(*sizes, True), dtype, stack == SEARCHED)
            self._add("gemms", dtype=dtype, **dict(zip("MNK", sizes)), unit="us", pattern="2:4", timing="loop", stack=stack,
                      dense_value="" if stack else dense, sparse_value=sparse,
                      note=f"2:4 {other}" if stack else f"dense {state}; 2:4 {other}")

    def count(self):
        rows, why = counters.counted({**self.bench.common, "note": "cold caches, one launch"}, self.budget.left)
        for row in rows:
            self.tables["counters"].add(row)
        if why:
            print(f"no counters: {why}", file=sys.stderr)

    def trace(self, step):
        try:
            self.bench.trace(step, self.trace_of(step))
        except RuntimeError as error:
            print(f"{step.text}: {str(error).splitlines()[0]}", file=sys.stderr)

    def trace_of(self, step):
        return self.out / "traces" / f"{step.network}_b{step.batch}.json.gz"

    def tasks(self, predictions, kinds):
        """What is not measured yet, the most telling first."""
        tables, part = self.tables, 2 * self.seconds + BUILD

        def both(pair):
            return sum(seconds_of(side, self.seconds) for side in pair[1:])

        steps, gemms = (shapes_of(predictions, kind) for kind in ("step", "gemm"))
        gemms = [gemms[at * 73 % len(gemms)] for at in range(len(gemms))] if gemms else []  # a part is a sample of all
        found = {
            "pairs": [Task("pairs", pair.name, both(pair), lambda pair=pair: self.pair(pair))
                      for pair in PAIRS if not tables["pairs"].has(pair=pair.name, machine=self.machine)],
            "steps": [Task("steps", f"{row['network']} {row['n']}", 2 * part, lambda row=row: self.step(row))
                      for row in steps if not tables["steps"].has(network=row["network"], batch=row["n"])],
            "counters": [] if tables["counters"].rows else [Task("counters", "of ncu", COUNT, self.count)],
            "traces": [Task("traces", step.text, TRACE, lambda step=step: self.trace(step))
                       for step in TRACED if not self.trace_of(step).exists()],
            "gemms": [Task("gemms", f"{row['m']}x{row['n']}x{row['k']}", 3 * part, lambda row=row: self.gemm(row))
                      for row in gemms if not tables["gemms"].has(
                          M=row["m"], N=row["n"], K=row["k"], dtype=row["dtype"], stack=SEARCHED)],
        }
        return [task for kind in KINDS if kind in kinds for task in found[kind]]


def shapes_of(predictions, kind):
    """Rows of a kind, each once whatever machines it is of."""
    names = ("dtype", "m", "n", "k", "network")
    return list({tuple(row[name] for name in names): row for row in predictions if row["kind"] == kind}.values())


def read_predictions(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def print_left_out(tasks, when):
    names = collections.defaultdict(list)
    for task in tasks:
        names[task.kind].append(task.name)
    for kind, some in names.items():
        more = f" and {len(some) - 3} more" if len(some) > 3 else ""
        print(f"left out {when}: {len(some)} of {kind}: {', '.join(some[:3])}{more}", flush=True)


def stop_in(seconds):
    def over(*_):
        raise TimeUp

    signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))


def measure(measurements, predictions, kinds):
    """Measures what the time allows, and says what it leaves out."""
    tasks, budget = measurements.tasks(predictions, kinds), measurements.budget
    plan = planned(tasks, budget.left)
    print(f"{len(plan)} of {len(tasks)} things to measure fit into {budget.left:.0f} s", flush=True)
    print_left_out([task for task in tasks if task not in plan], "by the plan")
    try:
        left = run_all(tasks, budget)
    except TimeUp:
        left = measurements.tasks(predictions, kinds)
    print_left_out(left, "in the end; the same command goes on with it")


def parsed(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("machine")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the tables")
    parser.add_argument("--minutes", type=float, default=10, help="of the GPU's time at most (10)")
    parser.add_argument("--only", default=",".join(KINDS), help="kinds to measure, with ',' between: " + ", ".join(KINDS))
    parser.add_argument("--predictions", type=pathlib.Path, default=ROOT / "results/predictions.csv")
    parser.add_argument("--seconds", type=float, default=0.5, help="of launches that are timed, for clocks and power to "
                        "settle (0.5)")
    options = parser.parse_args(words)
    options.kinds = options.only.split(",")
    for kind in options.kinds:
        if kind not in KINDS:
            parser.error(f"--only has '{kind}', must be of {', '.join(KINDS)}")
    return options


def card(bench, seconds):
    """:raises ValueError: where there is no PyTorch or no GPU that can do it"""
    try:
        return bench(seconds)
    except (ImportError, AttributeError, AssertionError, RuntimeError) as error:
        raise ValueError(f"{error}; needs PyTorch 2.6 or later with CUDA and cuSPARSELt, and a GPU") from error


def main(words=None, bench=Bench):
    options = parsed(words)
    budget = Budget(60 * options.minutes)
    stop_in(60 * options.minutes)
    predictions = read_predictions(options.predictions)
    if not any(row["kind"] == "pair" and row["machine"] == options.machine for row in predictions):
        print(f"no pairs of '{options.machine}' are sealed in {options.predictions}: `make predictions MACHINES=...` seals "
              "them, and proves nothing after they are measured", file=sys.stderr)
    try:
        measurements = Measurements(options.out, options.machine, card(bench, options.seconds), budget, options.seconds)
        measure(measurements, predictions, options.kinds)
    except (ValueError, TimeUp) as error:
        sys.exit(f"measure.py: {error or 'the time was over before anything was measured'}")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


if __name__ == "__main__":
    main()
