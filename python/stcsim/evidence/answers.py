"""Answers to rows of papers: steps, GEMMs and trainings that the program simulates, and masks that it prunes."""

from __future__ import annotations

import array
import hashlib
import itertools
import json
import math
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from .._process import Error, find_program
from .errors import total
from .papers import (PRODUCTS, Column, Figure, GemmRow, MaskRow, Named, OwnRow, Paper, Scheme, StepRow, TrainingRow,
                     machine_in)
from .program import ask, eval_lines
from .quantities import Answer, figure_text
from .report import gain, percent

Object = Dict[str, Any]
FAILED = "some of it could not be simulated"
#: Gains that differ by less read as one.
SAME_GAIN = 0.005


class RowAnswers(NamedTuple):
    """Answers of the columns that have one, in their order; columns that could not be run, and why."""

    answers: List[Answer]
    not_run: List[str]

    def of(self, column: str) -> Optional[Answer]:
        return next((one for one in self.answers if one.column == column), None)

    def add(self, column: Column, answer: Optional[Answer], why_not: str) -> None:
        if answer:
            self.answers.append(answer)
        else:
            self.not_run.append(f"{column.name}: {why_not}")


class Result(NamedTuple):
    """A paper with its answers, by figure and row."""

    paper: Paper
    answers: List[List[RowAnswers]]
    #: Figures of the sentence, each with its stacks and what it is with them.
    spread: List[Tuple[str, List[Tuple[str, str]]]]
    #: SHA-256 of what was simulated.
    config_hash: str

    def text_of(self, named: Named) -> str:
        """A figure of the sentence: "1.11x"."""
        row = self.paper.figures[named.figure].rows[named.row]
        answer = self.answers[named.figure][named.row].of(named.column)
        text = figure_text(row.quantity.unit, answer.value) if answer else "" if named.column else row.published_text
        if not text:
            raise self.paper.no_figure(named.text)
        return text


class Refused(Error):
    """What is wrong with a study that the program does not take."""


class Asker:
    """Asks the program for studies and trainings. It remembers whether some of them failed."""

    def __init__(self, jobs: int, cache: str):
        self.jobs, self.has_failed, self._number = jobs, False, 0
        self._options = [f"--jobs={jobs}", "--format=json", *([f"--cache={cache}"] if cache else [])]

    def show(self, text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def study(self, experiment: Object) -> Object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "experiment.yaml"
            path.write_text(json.dumps(experiment), encoding="utf-8")
            return self.ask(["run", str(path), "--no-spread"])

    def ask(self, words: List[str]) -> Object:
        """A document; its key "failed" says whether a part of it could not be simulated.

        :raises Refused: if there is something wrong with what is asked
        """
        self._number += 1
        self.show(f"study {self._number}")
        done = subprocess.run([find_program(), *words, *self._options], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, encoding="utf-8", check=False)
        messages = done.stderr.strip().splitlines() or [f"stcsim ended with exit code {done.returncode}"]
        if done.returncode == 2:
            raise Refused(messages[-1].partition("error: ")[2] or messages[-1])
        if done.returncode not in (0, 3) or not done.stdout:
            raise Error(messages[-1])
        for message in messages if done.returncode else []:
            print(message, file=sys.stderr)
        self.has_failed = self.has_failed or done.returncode == 3
        return {**json.loads(done.stdout), "failed": done.returncode == 3}


class Study(NamedTuple):
    """The things that rows have in common which one study answers."""

    machine: str
    framework: str
    stack: str
    assumed: bool
    network: str
    #: 0 is the network's own.
    batch: int
    dtype: str

    def experiment(self, rows: List[StepRow]) -> Object:
        schemes = dict.fromkeys(one for row in rows for one in (row.scheme, row.against) if one)
        infers = {row.is_inference for row in rows}
        return {"machines": [self.machine], "framework": self.framework, "stack": self.stack,
                "networks": [{"name": self.network, **({"batch": self.batch} if self.batch else {})}],
                "schemes": [{"name": one.file, "pattern": one.pattern} if one.pattern else one.file for one in schemes],
                "phases": (PRODUCTS if False in infers else []) + (["inference"] if True in infers else []),
                "scheme_work": not self.assumed, "sparse_where": "always",
                **({"dtype": self.dtype} if self.dtype else {})}


class _Time(NamedTuple):
    """Microseconds that products take, dense and as the scheme runs them."""

    dense: float = 0.0
    sparse: float = 0.0

    @property
    def gain(self) -> float:
        return self.dense / self.sparse if self.sparse > 0 else 1.0


def _sum(times: Iterable[_Time]) -> _Time:
    dense, sparse = map(total, zip(_Time(), *times))
    return _Time(dense, sparse)


def _time_of(one: Object) -> _Time:
    times = float(one["repeat"]) / float(one["every"])
    us_per_cycle = one["time_us"] / float(one["cycles"]) if one["cycles"] > 0 else 0.0
    return _Time(times * us_per_cycle * float(one["dense_cycles"]), times * one["time_us"])


def _product_times(results: List[Object]) -> Dict[str, _Time]:
    gemms = [one for one in results if one["kind"] == "gemm"]
    return {phase: _sum(_time_of(one) for one in gemms if one["phase"] == phase)
            for phase in sorted({one["phase"] for one in gemms})}


def _saved(ratio: float) -> float:
    """Percent of the dense time."""
    return 100 * (1 - 1 / ratio)


def _layers_value(row: StepRow, results: List[Object]) -> float:
    name, times = row.quantity.name, _product_times(results)
    chosen = _sum(times[one] for one in row.products if one in times)
    if name == "block_gain":
        return _sum(_time_of(one) for one in results if one["phase"] not in ("inference", "optimizer")).gain
    if name in ("share", "share_of_dense"):
        whole = _sum(time for product, time in times.items() if product != "inference")
        return 100 * chosen.sparse / (whole.sparse if name == "share" else whole.dense)
    return {"gemm_saved": _saved(chosen.gain), "gemm_gain": chosen.gain, "gemm_ms": chosen.sparse / 1000}[name]


def _whole_values(row: StepRow, column: Column, own: Object, against: Object) -> List[float]:
    """The figure of a whole step or pass, and where it lies."""
    name, step = row.quantity.name, own["step"]
    if name in ("step_ms", "inference_ms"):
        return [step["time_us"] / 1000] * 3
    if name == "step_ratio":
        return [against["step"]["time_us"] / step["time_us"]] * 3
    if name == "memory_share":
        return [100 * float(own["memory"]["total_bytes"]) / float(against["memory"]["total_bytes"])] * 3
    interval = None if column.assumed else own["step_interval"]  # what is assumed has no error
    gains = [step["speedup"], *((interval["low"], interval["high"]) if interval else [step["speedup"]] * 2)]
    return [_saved(one) for one in gains] if name == "step_saved" else gains


def kept_part(pattern: str) -> float:
    """The share of elements that a pattern keeps."""
    parts = [re.findall(r"\d+", part)[-2:] for part in pattern.split("x") if part != "dense"]
    return math.prod(int(n) for n, _ in parts) / math.prod(int(m) for _, m in parts)


def _counted_gain(results: List[Object], phase: str) -> float:
    """The gain that counting multiplications promises of a phase."""
    everything = left = 0.0
    for one in results:
        if one["phase"] == phase and one["kind"] == "gemm":
            macs = float(one["repeat"]) * float(one["macs"])
            everything += macs
            left += macs - float(one["repeat"]) * float(one["sparse_macs"]) * (1 - kept_part(one["hardware_pattern"]))
    return everything / left if left > 0 else 1.0


def _gain_reasons(results: List[Object], own: Object, is_whole: bool) -> str:
    """What is left of the gain that counting promises each product, and where the rest went."""
    is_training = own["pass"] == "training"
    counted = [(phase, part, _counted_gain(results, phase))
               for phase, part in (zip(PRODUCTS, PRODUCTS) if is_training else [("inference", "gemms")])]
    parts = [f"{phase} {gain(own[part]['speedup'])} of {gain(promised)} counted" for phase, part, promised in counted
             if promised >= 1 + SAME_GAIN]
    if not parts:
        why = (one["reason"] for one in results if one["pattern"] != "dense" and not one["ran_sparse"])
        return "all GEMMs run dense: " + next(why, "nothing is pruned here")
    if is_whole:
        dense, gemms = (own[part]["speedup"] * float(own[part]["cycles"]) for part in ("step", "gemms"))
        parts.append(f"GEMMs are {percent(gemms / dense)} of the dense {'step' if is_training else 'pass'}")
        work = float(own["scheme_work"]["cycles"])
        parts += [f"pruning takes {percent(work / dense)} of it"] if work > 0 else []
    return "; ".join(parts)


def _because(row: StepRow, of_scheme: List[Object], own: Object) -> str:
    """Why an answer that has a direction is what it is."""
    if row.quantity.neutral is None or row.quantity.name == "memory_share":
        return ""
    if row.quantity.scope != "layers":
        return _gain_reasons(of_scheme, own, True)
    times = _product_times([one for one in of_scheme if not row.layers or one["layer"] in row.layers])
    gains = [f"{product} {gain(time.gain)}" for product, time in times.items()
             if product in row.products and time.sparse < time.dense]
    return ", ".join(gains) or _gain_reasons(of_scheme, own, False)


def step_answer(row: StepRow, column: Column, study: Object) -> Optional[Answer]:
    """The answer of a study of the row's network; None if some of it could not be simulated."""
    def total_of(scheme: Scheme) -> Optional[Object]:
        return next((one for one in study["totals"] if one["scheme"] == scheme.name and one["complete"]
                     and (one["pass"] == "inference") == row.is_inference), None)

    own, against = total_of(row.scheme), total_of(row.against or row.scheme)
    if own is None or against is None:
        return None
    of_scheme = [one for one in study["results"] if one["scheme"] == row.scheme.name]
    if row.quantity.scope == "layers":
        values = [_layers_value(row, [one for one in of_scheme if not row.layers or one["layer"] in row.layers])] * 3
    else:
        values = _whole_values(row, column, own, against)
    return Answer(column.name, column.where, *values, _because(row, of_scheme, own))  # type: ignore[call-arg,arg-type]


_Asked = Tuple[Any, Column, RowAnswers]


def _answer_steps(asked: Iterable[_Asked], asker: Asker) -> str:
    """Answers the rows, study after study, and returns the studies' configuration hashes."""
    studies: Dict[Study, List[_Asked]] = {}
    for row, column, to in asked:
        study = Study(column.machine_file, column.framework_file, column.stack, column.assumed, row.network,
                      row.batch or 0, row.dtype)
        studies.setdefault(study, []).append((row, column, to))
    hashes = ""
    for study, rows in sorted(studies.items(), key=lambda one: one[0]):
        try:
            document, why_not = asker.study(study.experiment([row for row, *_ in rows])), FAILED
        except Refused as error:
            document, why_not = {"config_hash": "", "totals": []}, str(error)
        hashes += document["config_hash"]
        for row, column, to in rows:
            to.add(column, step_answer(row, column, document), why_not)
    return hashes


def gemm_lines(row: GemmRow, column: Column) -> List[Object]:
    """Lines of `stcsim eval`: the GEMM, and of a gain what it is held against, if that is not the same dense."""
    line = {"arch": column.machine_file, "m": row.m, "n": row.n, "k": row.k, "stack": column.stack}
    lines = [{**line, "dtype": dtype, "pattern": pattern}
             for dtype, pattern in ((row.dtype, row.pattern), (row.against_dtype, row.against))]
    is_usual = row.quantity.name != "gain" or (row.against, row.against_dtype) == ("dense", row.dtype)
    return lines[:1] if is_usual else lines


def gemm_answer(row: GemmRow, column: Column, answers: List[Object]) -> Answer:
    own, us = answers[0], answers[0]["time_us"]
    against_us = answers[1]["time_us"] if len(answers) > 1 else own["dense_time_us"]
    value = {"tflops": 2 * float(row.m * row.n * row.k) / us / 1e6, "us": us, "cycles": float(own["cycles"]),
             "gain": against_us / us}[row.quantity.name]
    limit = "nothing alone limits" if own["bound_by"] == "unclear" else f"bound by {own['bound_by']}"
    return Answer(column.name, f"{column.machine}, {column.stack}", value, value, value,
                  f"multipliers busy {percent(own['utilization'])}, {limit}")


def _answer_gemms(asked: List[_Asked], jobs: int) -> None:
    lines = [gemm_lines(row, column) for row, column, _ in asked]
    answers = eval_lines([one for of_row in lines for one in of_row], jobs) if lines else iter(())
    for (row, column, to), of_row in zip(asked, lines):
        own = list(itertools.islice(answers, len(of_row)))
        errors = [one["error"] for one in own if "error" in one]
        to.add(column, None if errors else gemm_answer(row, column, own), errors[0] if errors else "")


def training_words(row: TrainingRow, column: Column) -> List[str]:
    """The call for the experiment on the column's machine."""
    values = {"machines": [column.machine_file], "framework": column.framework_file, "scheme_work": not column.assumed,
              "stack": column.stack}
    return ["tta", row.experiment, *(f"--set={key}={json.dumps(value)}" for key, value in values.items())]


def training_answer(row: TrainingRow, column: Column, document: Object) -> Optional[Answer]:
    if document["failed"]:
        return None
    hours = {one["scheme"]: one["training_hours"] for one in document["results"]}
    if row.scheme not in hours or "dense" not in hours:
        raise Error(f"{row.experiment}: 'schemes' must have dense and '{row.scheme}'")
    if hours[row.scheme] is None:
        raise Error(f"{row.experiment}: 'time_to_accuracy' does not say how long a training is ('epochs')")
    value = hours[row.scheme] if row.quantity.name == "hours" else hours["dense"] / hours[row.scheme]
    return Answer(column.name, column.where, value, value, value)


def _answer_trainings(asked: Iterable[_Asked], asker: Asker) -> None:
    known: Dict[str, Object] = {}
    for row, column, to in asked:
        words = training_words(row, column)
        document = known[str(words)] = known.get(str(words)) or asker.ask(words)
        to.add(column, training_answer(row, column, document), FAILED)


def _values_in(file: Path) -> array.array:
    """Numbers of a NumPy file of fp32."""
    data = file.read_bytes()
    return array.array("f", data[10 + int.from_bytes(data[8:10], "little"):])


def _pruned(row: MaskRow, seed: int, parts: Iterable[str], *how: str) -> List[array.array]:
    """Files that `stcsim prune` writes of normal numbers, groups along columns."""
    with tempfile.TemporaryDirectory() as folder:
        ask(["prune", f"--input=normal:{row.size}x{row.size}", "--axis=1", f"--seed={seed}", f"--output={folder}/y.npy",
             "--format=json", *how])
        return [_values_in(Path(folder) / f"y{part}.npy") for part in parts]


def _kept(row: MaskRow, method: str, seed: int, part: str = "") -> float:
    """Sum of the magnitudes that a method keeps."""
    more = ["--skip-optimum"] if method.startswith(("transposable", "asp-2d")) else []
    return total(map(abs, _pruned(row, seed, [part], f"--scheme={method}", f"--pattern={row.pattern}", *more)[0]))


def _share(row: MaskRow, seed: int) -> float:
    if row.quantity.name == "of_optimum":
        return _kept(row, row.method, seed) / _kept(row, "transposable", seed)
    # SR-STE writes what it keeps, and what it drops times `decay`.
    both = _pruned(row, seed, ("", ".decay"), "--scheme=sr-ste", "--pattern=1:2", "--decay=1")
    magnitudes = [abs(one or other) for one, other in zip(*both)]
    if row.quantity.name == "fitting":
        least = sorted(magnitudes)[min(len(magnitudes) * row.zeros_percent // 100, len(magnitudes) - 1)]
        kept, of = map(int, row.pattern.split(":"))
        groups = [magnitudes[at:at + of] for at in range(0, len(magnitudes), of)]
        return sum(sum(one >= least for one in group) <= kept for group in groups) / len(groups)
    if row.method != "unstructured":
        return _kept(row, row.method, seed, ".backward" if row.is_dgrad else "") / total(magnitudes)
    most_left_out = sorted(magnitudes)[-int(len(magnitudes) * kept_part(row.pattern)) - 1]
    return total(one for one in magnitudes if one > most_left_out) / total(magnitudes)


def interval_of_mean(values: List[float], seed: int) -> Tuple[float, float]:
    """The middle 95 % of the means of the values drawn again: of up to five values of all draws, else of 10,000."""
    if len(values) <= 5:
        draws: Iterable[Iterable[float]] = map(sorted, itertools.product(values, repeat=len(values)))
    else:
        draws = (random.Random(f"{seed} {draw}").choices(values, k=len(values)) for draw in range(10_000))
    means = sorted(total(draw) / len(values) for draw in draws)
    left_out = int((1 - 0.95) / 2 * len(means) + 1e-9)
    return means[left_out], means[len(means) - 1 - left_out]


def mask_answer(row: MaskRow) -> Answer:
    shares = sorted(100 * _share(row, row.seed + at) for at in range(row.seeds))
    return Answer("computed", f"normal {row.size}x{row.size}, {row.seeds} seed{'' if row.seeds == 1 else 's'}",
                  total(shares) / len(shares), *interval_of_mean(shares, row.seed))


def _answer(figures: List[Figure], asker: Asker) -> Tuple[List[List[RowAnswers]], str]:
    """Answers to every row in every column of its figure, and the configuration hashes of the steps."""
    answers = [[RowAnswers([], []) for _ in figure.rows] for figure in figures]
    rows = [(figure, row.experiment, to) for figure, of_figure in zip(figures, answers)
            for row, to in zip(figure.rows, of_figure)]

    def asked(kind: type) -> List[_Asked]:
        return [(row, column, to) for figure, row, to in rows if isinstance(row, kind) for column in figure.columns]

    for _, row, to in rows:
        if isinstance(row, (MaskRow, OwnRow)):
            to.answers.append(mask_answer(row) if isinstance(row, MaskRow) else row.answer)
    hashes = _answer_steps(asked(StepRow), asker)
    _answer_gemms(asked(GemmRow), asker.jobs)
    _answer_trainings(asked(TrainingRow), asker)
    for figure, _, to in rows:
        names = {column.name: at for at, column in enumerate(figure.columns)}
        to.answers.sort(key=lambda one: names.get(one.column, len(names)))
    return answers, hashes


def _spread(result: Result, asker: Asker) -> Iterator[Tuple[str, List[Tuple[str, str]]]]:
    """Figures of the sentence with other software that users of the machine could have run, if no column has it."""
    asked = []
    for named in result.paper.named():
        figure, known = result.paper.figures[named.figure], result.answers[named.figure][named.row]
        columns = [column.with_stack(stack) for column in figure.columns
                   if column.name == named.column and not column.assumed
                   for stack in machine_in(column.machine_file).stacks_beside(column.stack)]
        unknown = [one for one in columns if known.of(one.name) is None]
        asked.append((named, columns, known, figure._replace(rows=[figure.rows[named.row]], columns=unknown)))
    found, _ = _answer([one[-1] for one in asked], asker)
    for (named, columns, known, figure), [new] in zip(asked, found):
        answers = [(column.stack, known.of(column.name) or new.of(column.name)) for column in columns]
        unit = figure.rows[0].quantity.unit
        texts = [(stack, figure_text(unit, answer.value)) for stack, answer in answers if answer]
        if texts:
            yield result.text_of(named), texts


def run_paper(paper: Paper, asker: Asker) -> Result:
    """Does every experiment of a paper in every column of its figure: steps of one network on one machine together."""
    answers, hashes = _answer(paper.figures, asker)
    files = {column.machine: column.machine_file for figure in paper.figures for column in figure.columns}
    machines = "".join(json.dumps(machine_in(file).config) for _, file in sorted(files.items()))
    result = Result(paper, answers, [], hashlib.sha256((hashes + machines).encode()).hexdigest())
    result.spread.extend(_spread(result, asker))
    asker.show("")
    return result
