"""All runs of an experiment, each a process of one thread; curves do not depend on how many run at once."""

from __future__ import annotations

import ctypes
import math
import mmap
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional

import numpy

from .._process import Error
from .plan import Plan, Scheme
from .tasks import Task, make_task
from .trainer import Epoch, Run

NAME = "stcsim train"
ASKED_EVERY_S = 0.2


class Interrupted(Exception):
    """A signal ended the runs."""


def printable(text: str) -> str:
    return "".join(" " if ord(letter) < 32 or 127 <= ord(letter) < 160 else letter for letter in text)


def say(text: str) -> None:
    print(f"{NAME}: {printable(text)}", file=sys.stderr, flush=True)


class Curve:
    """A learning curve as CSV: a header, then a line per epoch, each written out at once into PATH.partial,
    which an interrupted run leaves."""

    def __init__(self, path: Path):
        """Begins anew: removes the curve of a run before, makes the folder."""
        self._path, self._partial = path, path.with_name(path.name + ".partial")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        self._stream = open(self._partial, "w", encoding="utf-8")
        self._write(",".join(Epoch._fields))

    def add(self, epoch: Epoch) -> None:
        figures = ["" if figure is None else f"{figure:.7g}" for figure in epoch[3:]]
        self._write(",".join([str(count) for count in epoch[:3]] + figures))

    def complete(self) -> None:
        """Gives the file its name."""
        self._stream.close()
        os.replace(self._partial, self._path)

    def _write(self, line: str) -> None:
        self._stream.write(line + "\n")
        self._stream.flush()


class Planned(NamedTuple):
    scheme: Scheme
    seed: int

    @property
    def name(self) -> str:
        return f"{self.scheme.name} seed {self.seed}"

    def curve(self, out: Path) -> Path:
        return out / self.scheme.name / f"seed{self.seed}.csv"


def runs_of(plan: Plan, out: Path) -> List[Planned]:
    """Every scheme with every seed, seed by seed, so that schemes can be compared early; to resume, without
    those whose curves lie in `out`."""
    first = plan.config["first_seed"]
    seeds = range(first, first + plan.config["seeds"])
    runs = [Planned(scheme, seed) for seed in seeds for scheme in plan.schemes]
    left = [run for run in runs if not (plan.request["resume"] and run.curve(out).exists())]
    if len(left) < len(runs):
        say(f"{len(runs) - len(left)} of {len(runs)} runs lie in {out}")
    return left


class Progress:
    """Says on standard error how far runs are: a line for each that ended, on a terminal one that changes."""

    def __init__(self, steps: int, runs: int):
        self._steps, self._runs, self._ended = steps, runs, 0
        self._on_terminal, self._drawn = sys.stderr.isatty(), False
        self._started = time.monotonic()

    def ended(self, name: str, accuracy: float, loss: float, done: int) -> None:
        self.wipe()
        self._ended += 1
        what = "numbers no longer finite"
        if math.isfinite(accuracy):
            what = f"accuracy {100 * accuracy:.2f} %, loss {loss:.4f}"
        text = f"{self._ended}/{self._runs} {printable(name)}: {what}, {self._left(done)}"
        print(text, file=sys.stderr, flush=True)

    def draw(self, done: int) -> None:
        if self._on_terminal:
            self.wipe()
            text = f"{100 * done // self._steps:3} % of {self._runs} runs, {self._left(done)}"
            print(text, end="", file=sys.stderr, flush=True)
            self._drawn = True

    def wipe(self) -> None:
        if self._drawn:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        self._drawn = False

    def _left(self, done: int) -> str:
        seconds = math.ceil((time.monotonic() - self._started) * (self._steps - done) / max(done, 1))
        return f"{seconds // 60}:{seconds % 60:02} left"


def keep_memory() -> None:
    """Memory that is freed stays with this process and those it starts: a small network's step asks for the same tensors
    every time, and to get their pages from the kernel anew takes longer than its products."""
    libc = ctypes.CDLL(None)
    for option in (-3, -1):  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD
        libc.mallopt(option, 1 << 30)


class Pool:
    """The processes of the runs. They share memory: steps done, accuracy and loss of the last epoch."""

    def __init__(self, plan: Plan):
        self._plan, self._out = plan, Path(plan.request["out"])
        self._task: Task = make_task(plan.config["task"], plan.input, plan.layers[-1].out_channels)
        self._runs = runs_of(plan, self._out)
        shared = mmap.mmap(-1, 24 * max(len(self._runs), 1))
        self._reports = numpy.frombuffer(shared, numpy.float64).reshape(-1, 3)
        self._progress = Progress(len(self._runs) * plan.steps, len(self._runs))
        self._running: Dict[Any, Any] = {}  # by what tells of the end: index, process, why it failed
        self._caught: Optional[int] = None
        self._failed = 0

    def run(self) -> int:
        """:returns: how many runs failed
        :raises Interrupted: on SIGINT or SIGTERM, after ending the runs"""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._note)
        waiting = list(range(len(self._runs)))[::-1]
        try:
            while waiting or self._running:
                while waiting and len(self._running) < self._plan.request["jobs"]:
                    self._start(waiting.pop())
                for sentinel in multiprocessing.connection.wait(list(self._running), ASKED_EVERY_S):
                    self._take(*self._running.pop(sentinel))
                if self._caught is not None:
                    raise Interrupted(self._caught)
                self._progress.draw(self._done())
        finally:
            self._progress.wipe()
            for _, process, _ in self._running.values():
                process.kill()
                process.join()
        return self._failed

    def _note(self, number: int, _: Any) -> None:
        self._caught = number

    def _done(self) -> int:
        return int(self._reports[:, 0].sum())

    def _start(self, index: int) -> None:
        context = multiprocessing.get_context("fork")
        failures, failure = context.Pipe(duplex=False)
        process = context.Process(target=self._train, args=(index, failure, os.getpid()))
        process.start()
        failure.close()
        self._running[process.sentinel] = (index, process, failures)

    def _take(self, index: int, process: Any, failures: Any) -> None:
        process.join()
        if process.exitcode == 0:
            _, accuracy, loss = self._reports[index]
            self._progress.ended(self._runs[index].name, accuracy, loss, self._done())
            return
        try:
            why = failures.recv()
        except EOFError:
            how = f"ended with status {process.exitcode}"
            if process.exitcode < 0:
                how = f"was killed by signal {-process.exitcode} ({signal.strsignal(-process.exitcode)})"
            why = f"the worker process {how}"
        self._progress.wipe()
        say(f"{self._runs[index].name} failed: {why}")
        self._failed += 1

    def _train(self, index: int, failure: Any, parent: int) -> None:
        """In a process of its own, which ends with the one that started it."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)
        try:
            self._train_one(index)
        except Exception as error:  # pylint: disable=broad-except
            failure.send(str(error))
            os._exit(1)

    def _train_one(self, index: int) -> None:
        planned, report = self._runs[index], self._reports[index]
        path = planned.curve(self._out)
        saved = path.with_suffix("")
        asked = self._plan.request
        try:
            curve = Curve(path)
            run = Run(self._plan, self._task, planned.scheme, planned.seed,
                      saved if asked["save_weights"] else None,
                      saved / "gradients" if asked["save_gradients"] else None)

            def on_step(steps: int) -> None:
                report[0] = steps

            last = run.train(on_step, curve.add)
            curve.complete()
        except OSError as error:
            raise Error(f"cannot write {error.filename or path}: {error.strerror or error}") from error
        report[1:] = last.eval_accuracy, last.eval_loss


def train_all(plan: Plan) -> int:
    """:returns: how many runs failed"""
    keep_memory()
    return Pool(plan).run()
