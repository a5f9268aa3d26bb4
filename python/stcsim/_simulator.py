"""One `stcsim eval` that answers point after point."""

from __future__ import annotations

import atexit
import collections
import json
import os
import subprocess
import threading
from typing import Any, Deque, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Type

from ._process import Error, find_program
from ._results import Answer, Answers, Step

Point = Mapping[str, Any]


def kind_of(point: Point) -> Type[Answer]:
    return Step if {"network", "profile", "experiment"} & set(point) else Answer


class Simulator:
    """Answers points, maps of options of `stcsim gemm` or `stcsim run`, in one process.

        with stcsim.Simulator(jobs=2) as simulator:
            answer = simulator.evaluate({"arch": "a100", "m": 512, "n": 512, "k": 512,
                                         "pattern": "2:4"})
            for answer in simulator.map(points):
                print(answer.error or answer.speedup)

    A point may have `set`, values that replace those of its machine
    ({"accelerator.l2_cache.read_bytes_per_clk": 3840}). Threads may share a simulator.

    :param jobs: worker processes, or "auto" for all cores
    :param figures: names of the figures that answers have; all of them without
    """

    def __init__(self, jobs: Any = 1, figures: Optional[Sequence[str]] = None,
                 program: Optional[str] = None) -> None:
        command = [program or find_program(), "eval", f"--jobs={jobs}",
                   f"--figures={','.join(figures) if figures else 'all'}"]
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except OSError as error:
            raise Error(f"cannot start {command[0]}: {error.strerror}") from error
        self._owner = os.getpid()
        self._lock = threading.Lock()

    def evaluate(self, point: Point) -> Answer:
        """The answer to a point; `error` says what is wrong with it."""
        return next(self.map([point]))

    def map(self, points: Iterable[Point]) -> Answers:
        """The answers, in the order of the points, as they come. Points are taken as they are
        needed: there may be any number of them. Another call waits until all are taken, or the
        iterator is closed."""
        return Answers(self._map(points))

    def _map(self, points: Iterable[Point]) -> Iterator[Answer]:
        with self._lock:
            waiting: Deque[Point] = collections.deque()
            sender = threading.Thread(target=self._send, args=(iter(points), waiting),
                                      daemon=True)
            self._sending = threading.Semaphore(self._AHEAD)
            self._is_closed = False
            self._failure: Optional[BaseException] = None
            self._sent = 0
            self._all_sent = threading.Event()
            self._more = threading.Semaphore(0)
            sender.start()
            taken = 0
            try:
                while self._wait_for_point(taken):
                    point = waiting.popleft()
                    taken += 1
                    answer = self._receive()
                    self._sending.release()
                    yield kind_of(point)(answer, point)
            finally:
                self._is_closed = True
                self._sending.release()
                while sender.is_alive() or taken < self._sent:  # sent, and not wanted any more
                    if taken < self._sent and self._process.poll() is None:
                        self._receive()
                        taken += 1
                    else:
                        taken = self._sent if self._process.poll() is not None else taken
                        sender.join(0.01)
            if self._failure is not None:
                raise self._failure

    _AHEAD = 256

    def _wait_for_point(self, taken: int) -> bool:
        """False if there are no more than those taken."""
        self._more.acquire()
        return not (self._all_sent.is_set() and taken == self._sent)

    def _send(self, points: Iterator[Point], waiting: Deque[Point]) -> None:
        try:
            while True:
                self._sending.acquire()
                if self._is_closed:
                    return
                point = next(points, None)
                if point is None:
                    return
                line = json.dumps({key: plain(value) for key, value in point.items()})
                waiting.append(point)
                self._sent += 1
                self._stdin().write(line.encode() + b"\n")
                self._stdin().flush()
                self._more.release()
        except BaseException as error:  # of the caller's points, or of a pipe that broke
            self._failure = error
        finally:
            self._all_sent.set()
            self._more.release()

    def _stdin(self) -> Any:
        if self._process.stdin is None or self._process.stdin.closed:
            raise Error("the simulator is closed")
        return self._process.stdin

    def _receive(self) -> Dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise Error(self._why_it_ended())
        return json.loads(line)

    def _why_it_ended(self) -> str:
        assert self._process.stderr is not None
        lines = self._process.stderr.read().decode(errors="replace").strip().splitlines()
        self._process.wait()
        return lines[-1] if lines else "stcsim eval has ended"

    def close(self) -> None:
        """Ends the process."""
        if os.getpid() != self._owner:
            return
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    pass
        self._process.wait()

    def __enter__(self) -> "Simulator":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def plain(value: Any) -> Any:
    """NumPy's numbers, as pandas has them, as Python's."""
    return value.item() if hasattr(value, "item") else value


_shared: List[Simulator] = []


def shared() -> Simulator:
    """The simulator that the functions below use, started with the first of them."""
    if _shared and (_shared[0]._owner != os.getpid() or _shared[0]._process.poll() is not None):
        _shared.clear()
    if not _shared:
        _shared.append(Simulator())
        atexit.register(_shared[0].close)
    return _shared[0]


def evaluate(point: Point) -> Answer:
    """The answer to a point, as Simulator.evaluate() has it.

    :raises Error: if there is something wrong with it
    """
    answer = shared().evaluate(point)
    if answer.error:
        raise Error(answer.error)
    return answer


def gemm(arch: str, m: int, n: int, k: int, sparsity: str = "dense", **options: Any) -> Answer:
    """C[m x n] = A[m x k] B[k x n] on a machine, beside the same GEMM dense.

    :param arch: a shipped machine (`stcsim list arch`), or a file
    :param m, n, k: extents in elements
    :param sparsity: of A: "dense", or "n:m", n kept out of m
    :param options: of `stcsim gemm`: dtype="fp16", stack="best", batch_count=8,
        clock=1410 (MHz), set={"accelerator.num_sms": 64}, ...
    :raises Error: for what cannot be simulated
    """
    return evaluate({"arch": arch, "m": m, "n": n, "k": k, "pattern": sparsity, **options})


def layer(arch: str, name: str, phase: str = "forward", **options: Any) -> Answer:
    """A layer's GEMM, as gemm().

    :param name: "resnet50:layer3.0.conv2"
    :param phase: "forward", "dgrad" or "wgrad"
    :param options: scheme="sdgp", batch=64 (samples), part=1, and those of gemm()
    """
    return evaluate({"arch": arch, "layer": name, "phase": phase, **options})


def step(network: str, arch: str, scheme: str = "dense", **options: Any) -> Answer:
    """A training step of a network under a scheme.

    :param options: of `stcsim run`: batch=256 (samples), dtype="fp16",
        framework="pytorch_2_eager", phase=..., set={...}
    """
    if "schemes" in options:
        raise Error("'schemes' must be scheme, one of them; stcsim.run takes several")
    return evaluate({"network": network, "arch": arch, "scheme": scheme, **options})


def profile(file: str, arch: str, scheme: str = "dense", **options: Any) -> Answer:
    """Your own step with a scheme: what the scheme does not touch keeps its measured time. `kernels_speedup` is the
    kernels' gain, `speedup` that by the clock, with the waits for the host.

    :param file: a PyTorch profile with shapes, of the card that `arch` stands for
    :param options: of `stcsim run`: measured_step="290ms", dtype="bf16", set={...}
    """
    return evaluate({"profile": file, "arch": arch, "scheme": scheme, **options})
