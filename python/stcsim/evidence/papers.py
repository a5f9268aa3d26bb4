"""Publications whose figures are redone: what the folders of configs/papers say (docs/reference/papers.md has the keys)."""

from __future__ import annotations

import difflib
import functools
import json
import math
import os
import re
import sys
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from .._process import Error
from .errors import total
from .program import ask, config_folder, make_folder, place_in_yaml, read_yaml
from .quantities import NO_QUANTITY, QUANTITIES, Answer, Published, Quantity
from .tables import BITS, Row as Fields, Table, nearest, number_in, read_tables

PAPER_FILE, BEST = "paper.yaml", "best"
FOLDERS = {"machine": "arch", "network": "networks", "scheme": "schemes", "experiment": "experiments",
           "framework": "frameworks"}
SUFFIXES = (".yaml", ".yml", ".json", ".csv", ".onnx", ".gz")
PRODUCTS = ["forward", "dgrad", "wgrad"]
WAYS = ("measured", "estimated", "counted", "simulated", "derived", "accuracy", "proved")
#: Ways of pruning that copy what they keep; those that prune a second time for dgrad.
METHODS = ("unstructured", "random", "magnitude", "transposable", "transposable-exactly", "transposable-greedy",
           "transposable-greedy-published", "transposable-transport", "transposable-exhaustive", "bi-mask", "slope",
           "sr-ste", "asp", "asp-2d-greedy", "asp-2d-best", "asp-permuted")
TWICE = ("bi-mask", "slope")


class PaperError(Error):
    """What is wrong in a paper's file, with the path of the key."""


def is_number(value: Any, least: float = -math.inf, most: float = math.inf) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value <= most


def canonical_pattern(text: Any) -> str:
    """The pattern as the program writes it; "" if it is none."""
    plain = re.fullmatch(r"([1-9]\d*):([1-9]\d*)( pairs)?", str(text))
    if plain:
        n, m = int(plain[1]), int(plain[2])
        is_right = n <= m <= 128 and not (plain[3] and (n % 2 or m % 2))
        return "" if not is_right else text if n < m else "dense"
    return text if re.fullmatch(r"dense|[1-9]\d*:2:[1-9]\d*|[1-9]\d*:[1-9]\d*x[1-9]\d*:[1-9]\d*", str(text)) else ""


class Map:
    """A map of a file. It knows which keys it was asked for: no other may be there."""

    def __init__(self, values: Any, file: str, path: str = ""):
        self.values, self.file, self.path = values, file, path
        self._asked: List[str] = []
        if not isinstance(values, dict):
            raise self.error(f"{path or 'the file'} must be a map of keys and values")

    def at(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def error(self, what: str, key: str = "") -> PaperError:
        return PaperError(f"{place_in_yaml(self.file, self.at(key) if key else self.path)}: error: {what}")

    def fail(self, key: str, what: str) -> PaperError:
        return self.error(f"{self.at(key)}: {what}", key)

    def has(self, key: str) -> bool:
        self._asked.append(key)
        return key in self.values

    def get(self, key: str, is_right: Callable[[Any], Any], right: str, otherwise: Any = None) -> Any:
        """The value of a key, for which a check holds; of one that may be left out, `otherwise`."""
        if self.has(key):
            value = self.values[key]
            if not is_right(value):
                shown = f"'{value}'" if isinstance(value, str) else json.dumps(value)
                raise self.error(f"'{self.at(key)}' is {shown}, must be {right}", key)
            return value
        if otherwise is not None:
            return otherwise
        for other in difflib.get_close_matches(key, [one for one in self.values if one not in self._asked], 1, 0.8):
            raise self.error(f"unknown key '{self.at(other)}'; did you mean '{key}'?", other)
        raise self.error(f"'{self.at(key)}' is missing")

    def text(self, key: str, otherwise: Optional[str] = None) -> str:
        return self.get(key, lambda value: isinstance(value, str) and value.strip(), "a text (numbers in quotes)",
                        otherwise).rstrip("\n")

    def texts(self, key: str, otherwise: Optional[List[str]] = None) -> List[str]:
        return self.get(key, lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
                        "a list of texts", otherwise)

    def flag(self, key: str) -> bool:
        return self.get(key, lambda value: isinstance(value, bool), "true or false", False)

    def number(self, key: str, otherwise: float, most: int) -> float:
        return float(self.get(key, lambda value: is_number(value, 0, most), f"a number from 0 to {most}", otherwise))

    def whole(self, key: str, otherwise: Optional[int] = None, least: int = 1, most: int = 1_000_000) -> int:
        return self.get(key, lambda value: isinstance(value, int) and is_number(value, least, most),
                        f"a whole number from {least} to {most}", otherwise)

    def one_of(self, key: str, known: Iterable[str], otherwise: Optional[str] = None) -> str:
        known = list(known)
        hint = nearest(str(self.values.get(key)), known)
        return self.get(key, lambda value: value in known, f"one of {', '.join(known)}{hint}", otherwise)

    def pattern(self, key: str, otherwise: Optional[str] = None) -> str:
        right = '"n:m", "n:m pairs", "n:mxn:m" of blocks, "V:2:m", or dense'
        return canonical_pattern(self.get(key, canonical_pattern, right, otherwise))

    def map(self, key: str) -> Map:
        return Map(self.get(key, lambda _: True, ""), self.file, self.at(key))

    def maps(self, key: str) -> List[Map]:
        values = self.get(key, lambda value: isinstance(value, list), "a list")
        return [Map(one, self.file, f"{self.at(key)}.{at}") for at, one in enumerate(values)]

    def file_of(self, kind: str, key: str, otherwise: Optional[str] = None) -> str:
        """The path of a configuration: a shipped one, or a file beside this one."""
        name = self.text(key, otherwise)
        if "/" in name or name.endswith(SUFFIXES):
            path = os.path.abspath(os.path.join(os.path.dirname(self.file), name))
            if not os.path.exists(path):
                raise self.fail(key, f"{kind} file '{path}' does not exist")
            return path
        shipped = {one.stem: os.path.abspath(one) for one in (config_folder() / FOLDERS[kind]).glob("*.yaml")}
        if name not in shipped:
            raise self.fail(key, f"unknown {kind} '{name}', must be a path or a shipped one{nearest(name, shipped)}")
        return shipped[name]

    def quantity(self, *scopes: str) -> Quantity:
        known = {one.name: one for one in QUANTITIES if one.scope in scopes}
        return known[self.one_of("quantity", known)]

    def finish(self) -> None:
        asked = list(dict.fromkeys(self._asked))
        for key in self.values:
            if key not in asked:
                hint = nearest(key, asked) or f"; known keys: {', '.join(asked)}"
                raise self.error(f"unknown key '{self.at(key)}'{hint}", key)


class Machine(NamedTuple):
    name: str
    #: Software that was written for it, the best of all kernels last.
    stacks: List[str]
    #: Libraries of dense and of sparse products, by the software that its file names.
    libraries: Dict[str, Tuple[Any, Any]]
    #: What its file says, with that of the machines it extends.
    config: Dict[str, Any]

    @property
    def sort(self) -> str:
        """By what it can say of a published figure: times of the ideal machine are counts."""
        return "counting" if self.name == "ideal" else "built" if len(self.stacks) > 1 else "hypothetical"

    def stacks_beside(self, stack: str) -> List[str]:
        """Other software of the same libraries that users of the machine could have run."""
        own = self.libraries.get(stack)
        return [name for name, of in self.libraries.items() if name != stack and of == own] + [BEST] if own else []


@functools.lru_cache(maxsize=None)
def machine_in(file: str) -> Machine:
    """A machine's facts, which stand beside every product that it multiplies."""
    product = ask(["gemm", f"--arch={file}", "--m=1", "--n=1", "--k=1", "--format=json"])
    config = product["config"]["machine"]
    libraries = {one["name"]: (one.get("dense"), one.get("sparse")) for one in config.get("stacks", [])}
    is_other = product["stack"].startswith(f"{BEST} ")  # its libraries are of other hardware
    return Machine(config["name"], [*([] if is_other else libraries), BEST], libraries, config)


def _preferred_stacks(framework: str) -> List[str]:
    """The software that a framework names, or that the one which it extends names."""
    values = Map(read_yaml(Path(framework)), framework)
    if "stacks" in values.values or "extends" not in values.values:
        return values.values.get("stacks", [])
    return _preferred_stacks(values.file_of("framework", "extends"))


class Column(NamedTuple):
    """Where steps and GEMMs of a paper are simulated."""

    #: As people read it: "A100 with N:M".
    name: str
    machine: str = ""
    machine_file: str = ""
    sort: str = "built"
    framework: str = ""
    framework_file: str = ""
    #: Software that its GEMMs run on: its own, else the first of the framework's that the machine has.
    stack: str = ""
    #: The paper's own assumptions: pruning is free, and its shares of products are taken for ours.
    assumed: bool = False
    #: Another column with other software: shown, not judged.
    is_beside: bool = False

    @property
    def where(self) -> str:
        return f"{self.machine} with {self.framework}" + (
            f", {self.stack}" if self.stack and self.sort != "counting" else "")

    def with_stack(self, stack: str) -> Column:
        return self._replace(name=f"{self.name}, {stack_text(stack)}", stack=stack, is_beside=True)


def stack_text(stack: str) -> str:
    if stack == BEST:
        return "best of all kernels"
    if stack.endswith("_search"):
        return "with searched kernels"
    return "by the libraries' own rules" if stack.endswith("_rule") else f"with {stack}"


def _read_column(values: Map) -> Column:
    machine_file, framework = values.file_of("machine", "machine"), values.file_of("framework", "framework")
    machine = machine_in(machine_file)
    preferred = [one for one in _preferred_stacks(framework) if one in machine.stacks]
    stack = values.one_of("stack", [*machine.libraries, BEST], (preferred or machine.stacks)[0])
    column = Column(values.text("name"), machine.name, machine_file, machine.sort, read_yaml(Path(framework))["name"],
                    framework, stack, values.flag("assumed"))
    values.finish()
    return column


def read_columns(values: Map) -> List[Column]:
    """The list `columns`.

    A machine that nobody has built chooses from all kernels: behind a built one beside it stands the same doing so.
    """
    entries = values.maps("columns")
    columns = [_read_column(entry) for entry in entries]
    names = [column.name for column in columns]
    for entry, name in zip(entries, names):
        if names.count(name) > 1:
            raise entry.fail("name", f"'{name}' is in 'columns' twice, must have a name of its own")
    if not columns:
        raise values.fail("columns", "is an empty list, must name one")
    is_needed = any(column.sort == "hypothetical" for column in columns)
    return [one for column in columns for one in (
        [column, column.with_stack(BEST)] if is_needed and column.sort == "built" and not column.assumed
        and column.stack != BEST else [column])]


#: The pattern is that which it is asked for, "" for its own; the name has it too: "sdgp-1:4".
Scheme = NamedTuple("Scheme", [("file", str), ("pattern", str), ("name", str)])


class StepRow(NamedTuple):
    """Some layers and products of a network under a scheme, or a whole step."""

    quantity: Quantity
    network: str
    scheme: Scheme
    batch: Optional[int] = None
    dtype: str = ""
    #: None named: all.
    layers: Sequence[str] = ()
    products: Sequence[str] = PRODUCTS
    against: Optional[Scheme] = None

    @property
    def is_inference(self) -> bool:
        return self.quantity.scope == "inference" or list(self.products) == ["inference"]


#: A GEMM, and of gains what it is held against.
GemmRow = NamedTuple("GemmRow", [("quantity", Quantity), ("m", int), ("n", int), ("k", int), ("dtype", str),
                                 ("pattern", str), ("against", str), ("against_dtype", str)])
#: A whole training with a scheme: an experiment of `stcsim tta`.
TrainingRow = NamedTuple("TrainingRow", [("quantity", Quantity), ("experiment", str), ("scheme", str)])
#: What a method keeps of normal numbers drawn from `seed`, `seed` + 1, ...
MaskRow = NamedTuple("MaskRow", [("quantity", Quantity), ("method", str), ("pattern", str), ("size", int),
                                 ("seed", int), ("seeds", int), ("is_dgrad", bool), ("zeros_percent", int)])
#: What tables of our own results answer.
OwnRow = NamedTuple("OwnRow", [("quantity", Quantity), ("answer", Answer)])
Experiment = Union[None, StepRow, GemmRow, TrainingRow, MaskRow, OwnRow]


@functools.lru_cache(maxsize=None)
def layers_of(file: str) -> Dict[str, List[str]]:
    """The network's layers, with the products of each."""
    layers: Dict[str, List[str]] = {}
    for gemm in ask(["list", "layers", file, "--format=json"])["gemms"]:
        layers.setdefault(gemm["layer"], []).append(gemm["phase"])
    return layers


def _read_scheme(values: Map) -> Scheme:
    file, pattern = values.file_of("scheme", "scheme", "dense"), values.pattern("pattern", "")
    return Scheme(file, pattern, read_yaml(Path(file))["name"] + (f"-{pattern}" if pattern else ""))


def _read_map(values: Map, key: str, read: Callable[[Map], Any]) -> Any:
    """Reads a map that is a key's value, all of it."""
    entry = values.map(key)
    found = read(entry)
    entry.finish()
    return found


def _check_step(values: Map, row: StepRow) -> None:
    scope, effect = row.quantity.scope, f"has no effect on {row.quantity.name}"
    for key in ("layers", "products", "each"):
        if values.has(key) and scope != "layers":
            raise values.fail(key, f"{effect}, which is of a whole step or pass")
    if row.products != ["inference"] and not (row.products and set(row.products) <= set(PRODUCTS)):
        raise values.fail("products", "must name some of forward, dgrad and wgrad, or inference alone")
    if row.against and scope != "two_steps":
        raise values.fail("against", f"{effect}, must be with step_ratio or memory_share")
    if scope == "two_steps" and not row.against:
        raise values.fail("quantity", "compares two schemes, must have 'against' beside it")


def read_steps(values: Map) -> List[StepRow]:
    """The map `step`: a row, or with `each: layer` one of every layer and product."""
    row = StepRow(values.quantity("layers", "step", "inference", "two_steps"), values.file_of("network", "network"),
                  _read_scheme(values), values.whole("batch") if values.has("batch") else None,
                  values.one_of("dtype", BITS, ""), values.texts("layers", []), values.texts("products", PRODUCTS),
                  _read_map(values, "against", _read_scheme) if values.has("against") else None)
    is_each = values.one_of("each", ["layer"], "") == "layer"
    _check_step(values, row)
    if not is_each and not row.layers:
        return [row]
    layers = layers_of(row.network)
    for layer in set(row.layers) - set(layers):
        hint = nearest(layer, layers) or "; 'stcsim list layers' lists them"
        raise values.fail("layers", f"the network has no layer '{layer}'{hint}")
    return [row] if not is_each else [row._replace(layers=[layer], products=[product]) for layer, has in layers.items()
                                      for product in row.products if product != "dgrad" or product in has]


def read_gemm(values: Map) -> GemmRow:
    quantity, dtype = values.quantity("gemm"), values.one_of("dtype", BITS, "fp16")
    for key in ("against", "against_dtype"):
        if values.has(key) and quantity.name != "gain":
            raise values.fail(key, "has no effect but on quantity: gain")
    return GemmRow(quantity, *(values.whole(key) for key in "mnk"), dtype, values.pattern("pattern", "dense"),
                   values.pattern("against", "dense"), values.one_of("against_dtype", BITS, dtype))


def read_training(values: Map) -> TrainingRow:
    return TrainingRow(values.quantity("training"), values.file_of("experiment", "experiment"), values.text("scheme"))


def read_mask(values: Map) -> MaskRow:
    quantity, pattern = values.quantity("mask"), values.pattern("pattern")
    if "x" in pattern or pattern == "dense":
        raise values.fail("pattern", f"is {pattern}, must be n:m with n < m")
    group = int(pattern.split(" ")[0].split(":")[-1])
    row = MaskRow(quantity, values.one_of("method", METHODS), pattern, values.whole("size", max(256, group), 1, 4096),
                  values.whole("seed", 1, 0, 10**9), values.whole("seeds", 5, 1, 1000),
                  values.one_of("phase", ("forward", "dgrad"), "forward") == "dgrad",
                  values.whole("zeros_percent", 0, 0, 100))
    if row.size < group:
        raise values.fail("size", f"is {row.size}, must be at least one group of {group}")
    if quantity.name == "fitting" and (row.method != "unstructured" or row.size % group or " " in pattern):
        raise values.fail("quantity", f"'fitting' is of unstructured n:m, and of a size of whole groups of {group}")
    if values.has("zeros_percent") != (quantity.name == "fitting"):
        raise values.fail("zeros_percent", "is of quantity: fitting, which needs it")
    if row.is_dgrad and row.method not in TWICE:
        raise values.fail("phase", f"'{row.method}' has no pruning of its own for dgrad")
    if quantity.name == "of_optimum" and not re.fullmatch(r"\d+:\d+", pattern):
        raise values.fail("pattern", f"is {pattern}, the best transposable mask is known of n:m")
    return row


@functools.lru_cache(maxsize=None)
def _rows_in(file: Path, columns: str) -> List[Fields]:
    """Rows of a table of our own results."""
    bad_rows: List[str] = []
    table = Table(str(file), bad_rows)
    table.check_columns(columns.split(" "), [])
    if bad_rows:
        raise PaperError(bad_rows[0])
    return table.rows


def _figure(fields: Fields, column: str) -> float:
    value = number_in(fields.text(column))
    if value is None or value < 0:
        raise fields[column].refuse(column, "a number from 0 on")
    return value


def _known(values: Map, key: str, value: str, table: str, known: Iterable[str]) -> str:
    if value not in known:
        raise values.fail(key, f"'{value}' is not in {table}, which has {', '.join(sorted(set(known)))}")
    return value


def _epochs(values: Map, key: str, rows: List[Fields], task: str, scheme: str) -> List[List[float]]:
    """Mean, low and high accuracy of the scheme's runs, and how many, after every epoch."""
    of_task = [one for one in rows if one.text("task") == task]
    _known(values, key, scheme, f"trained.csv of {task}", [one.text("scheme") for one in of_task])
    return [[_figure(one, column) for column in ("mean", "low", "high", "seeds")] for one in of_task
            if one.text("scheme") == scheme]


def read_trained(values: Map) -> OwnRow:
    """An accuracy of our own trainings, or a difference.

    A difference has the interval of two independent means (Zou and Donner, "Construction of Confidence Limits about
    Effect Measures", Statistics in Medicine, 2008), and the chance of a normal distribution whose 95 % reach as far.
    """
    rows = _rows_in(config_folder() / "papers/trained.csv", "task scheme epoch seeds mean low high metric")
    rows = [one for one in rows if one.text("metric") == "eval_accuracy"]
    accuracy, difference = QUANTITIES[-2:]
    usual = difference if values.has("against") else accuracy
    quantity = values.quantity("trained") if values.has("quantity") else usual
    if values.has("against") and quantity is accuracy:
        raise values.fail("against", "is of the quantity difference")
    task, scheme = values.text("task"), values.text("scheme")
    _known(values, "task", task, "the accuracies of trained.csv", [one.text("task") for one in rows])
    against = "" if quantity is accuracy else values.text("against", "dense")
    epochs = _epochs(values, "scheme", rows, task, scheme)
    others = _epochs(values, "against", rows, task, against) if against else epochs
    last = min(len(epochs), len(others))
    epoch = values.whole("epoch", last, 1, last)
    (mean, low, high, seeds), (other, other_low, other_high, _) = epochs[epoch - 1], others[epoch - 1]
    what = f"{seeds:g} seed" + ("" if seeds == 1 else "s") + (f", against {against}" if against else "")
    answer = Answer("our training", f"{task}, {scheme}, {what}, epoch {epoch}", 100 * mean, 100 * low, 100 * high)
    if quantity is accuracy:
        return OwnRow(quantity, answer)
    gap = mean - other
    below, above = math.hypot(mean - low, other_high - other), math.hypot(high - mean, other - other_low)
    reach = below if gap > 0 else above
    return OwnRow(quantity, answer._replace(
        value=100 * gap, low=100 * (gap - below), high=100 * (gap + above),
        because="" if gap - below > 0 or gap + above < 0 else "the interval holds 0: they cannot be told apart",
        p_value=math.erfc(abs(gap) / reach * 1.959964 / math.sqrt(2)) if reach > 0 else None))


def read_estimate(values: Map) -> OwnRow:
    """The mean over the layers of what an estimator makes of gradients, between the least and the most."""
    rows = _rows_in(config_folder() / "papers/gradients.csv",
                    "task layer phase method pattern seeds elements zeros retained bias variance mean_square_error")
    quantity, task = values.quantity("estimate"), values.text("task")
    named = f"{values.text('method')} {values.pattern('pattern')}"
    _known(values, "task", task, "gradients.csv", [one.text("task") for one in rows])
    found = [(f"{one.text('method')} {one.text('pattern')}", one) for one in rows
             if (one.text("task"), one.text("phase")) == (task, "wgrad")]
    _known(values, "method", named, f"gradients.csv of {task}", [method for method, _ in found])
    layers = [_figure(one, quantity.name) for method, one in found if method == named]
    scale = 100 if quantity.name == "retained" else 1
    return OwnRow(quantity, Answer(
        "computed", f"gradients of {task}, {len(layers)} layers, wgrad", scale * total(layers) / len(layers),
        scale * min(layers), scale * max(layers), "low and high are of the least and the most layer"))


#: What reads the map of an experiment.
READERS: Dict[str, Callable[[Map], Any]] = {
    "step": read_steps, "gemm": read_gemm, "training": read_training, "mask": read_mask, "estimate": read_estimate,
    "trained": read_trained}


class Row(NamedTuple):
    """A figure that a paper gives, or one of ours beside it; docs/reference/papers.md says what its texts mean."""

    says: str
    #: None where the paper has no number.
    published: Optional[Published] = None
    obtained: str = ""
    setting: str = ""
    note: str = ""
    why: str = ""
    fitted: str = ""
    not_obtained: str = ""
    not_compared: str = ""
    #: Part of the published figure by which ours may differ.
    tolerance: float = 0.1
    experiment: Experiment = None

    @property
    def quantity(self) -> Quantity:
        return self.experiment.quantity if self.experiment else NO_QUANTITY

    @property
    def published_text(self) -> str:
        return self.published.text(self.quantity.unit) if self.published else ""


class Figure(NamedTuple):
    """A figure or table of a paper."""

    name: str
    title: str
    shows: str
    source: str
    columns: List[Column]
    rows: List[Row]
    not_obtained: Sequence[str] = ()


#: A figure that a paper's sentence has in braces: ours of a column, or the published one (""). Numbers count from 0.
Named = NamedTuple("Named", [("text", str), ("begin", int), ("end", int), ("figure", int), ("row", int),
                             ("column", str)])


class Paper(NamedTuple):
    name: str
    title: str
    source: str
    about: str
    #: The result in a sentence, with figures in braces; "" of single claims, which get no page.
    result: str
    file: str
    figures: List[Figure]

    def no_figure(self, name: str) -> PaperError:
        return PaperError(f"{self.file}: error: 'result' has '{name}', must be {{FIGURE.ROW}} or "
                          "{FIGURE.ROW.COLUMN} of a figure that has been simulated")

    def named(self) -> List[Named]:
        """The figures of the sentence, in its order."""
        found = []
        rows = {figure.name: (at, len(figure.rows)) for at, figure in enumerate(self.figures)}
        for braces in re.finditer(r"\{([^}]*)(\}?)", self.result):
            parts = re.fullmatch(r"([^.]*)\.(\d+)(?:\.(.*))?", braces[1])
            figure, count = rows.get(parts[1], (0, 0)) if parts else (0, 0)
            if not parts or not braces[2] or not 1 <= int(parts[2]) <= count:
                raise self.no_figure(braces[1])
            found.append(Named(braces[1], braces.start(), braces.end(), figure, int(parts[2]) - 1, parts[3] or ""))
        return found


def _read_published(values: Map) -> Published:
    value = values.values["published"]
    ends = value if isinstance(value, list) else [value, value]
    if len(ends) != 2 or not all(map(is_number, ends)) or ends[1] < ends[0]:
        raise values.fail("published", "must be a number or [least, most]")
    return Published(*map(float, ends))


@functools.lru_cache(maxsize=None)
def _measured_gemms(file: Path) -> List[Any]:
    return read_tables([str(file)]).gemms


def _take_measured(values: Map, row: Row) -> Row:
    """The gain that gemm.csv has of the row's GEMM, and whether machines were fitted to it."""
    gemm, source = row.experiment, _read_map(values, "published", lambda entry: entry.text("source"))
    if not isinstance(gemm, GemmRow) or gemm.quantity.name != "gain":
        raise values.fail("published", "only a gain of a 'gemm' has its 'published' from a source")
    for known in _measured_gemms(config_folder() / "validation" / "gemm.csv"):
        shape = (known.m, known.n, known.k, known.dtype, known.pattern, known.batch_count, known.layout)
        if known.source.startswith(source) and shape == (*gemm[1:6], 1, ""):
            gain = known.measured.speedup or 0.0
            fitted = "looked at when the machine's kernels were set" if known.use == "fitting" else row.fitted
            return row._replace(published=Published(gain, gain), fitted=fitted)
    raise values.fail("published", f"gemm.csv has no such GEMM of '{source}'")


def _read_experiments(values: Map, not_compared: str) -> List[Experiment]:
    kinds = [key for key in READERS if values.has(key)]
    if len(kinds) + bool(not_compared) != 1:
        raise values.fail((kinds or ["says"])[-1], f"a row has one of {', '.join(READERS)}, or not_compared")
    if not kinds:
        return [None]
    found = _read_map(values, kinds[0], READERS[kinds[0]])
    return found if isinstance(found, list) else [found]


def _read_rows(values: Map, usual: Row) -> List[Row]:
    """An entry of the list `rows`: a row, or those that it stands for."""
    texts = {key: values.text(key, "") for key in ("setting", "note", "why", "not_obtained", "not_compared")}
    row = Row(values.text("says"), obtained=values.one_of("obtained", WAYS, usual.obtained), **texts,
              tolerance=values.number("tolerance", usual.tolerance, 10), fitted=values.text("fitted", usual.fitted))
    is_from_table = values.has("published") and isinstance(values.values["published"], dict)
    if values.has("published") and not is_from_table:
        row = row._replace(published=_read_published(values))
    rows = [row._replace(experiment=one) for one in _read_experiments(values, row.not_compared)]
    values.finish()
    if is_from_table:
        return [_take_measured(values, one) for one in rows]
    setting = "; ".join(filter(None, [row.says, row.setting]))
    return rows if len(rows) == 1 else [
        one._replace(says=f"{one.experiment.layers[0]} {one.experiment.products[0]}", setting=setting)  # type: ignore
        for one in rows]


def _load_figure(folder: Path, name: str, source: str, columns: List[Column]) -> Figure:
    file = folder / f"{name}.yaml"
    values = Map(read_yaml(file), str(file))
    usual = Row("", obtained=values.one_of("obtained", WAYS, ""), fitted=values.text("fitted", ""),
                tolerance=values.number("tolerance", 0.1, 10))
    own_columns = read_columns(values) if values.has("columns") else columns
    if not own_columns:
        raise values.fail("columns", "neither this figure nor its paper says where to simulate")
    figure = Figure(name, values.text("title"), values.text("shows"), values.text("source", source), own_columns,
                    [row for entry in values.maps("rows") for row in _read_rows(entry, usual)],
                    values.texts("not_obtained", []))
    values.finish()
    return figure


def list_papers() -> List[str]:
    """Names of the shipped papers."""
    return sorted(file.parent.name for file in (config_folder() / "papers").glob(f"*/{PAPER_FILE}"))


def _folder_of(name: str) -> Path:
    is_path = "/" in name or Path(name, PAPER_FILE).is_file()
    folder = Path(name) if is_path else config_folder() / "papers" / name
    if (folder / PAPER_FILE).is_file():
        return folder
    if is_path:
        raise PaperError(f"{name}: there is no {PAPER_FILE} in it")
    raise PaperError(f"no paper '{name}'{nearest(name, list_papers()) or '; shipped are ' + ', '.join(list_papers())}")


def load_paper(name: str) -> Paper:
    """A shipped paper, or a folder with a paper.yaml.

    :raises Error: which names the file and the key
    """
    folder = _folder_of(name)
    file = folder / PAPER_FILE
    values = Map(read_yaml(file), str(file))
    title, source, about = (values.text(key) for key in ("title", "source", "about"))
    result = values.text("result", "")
    columns = read_columns(values) if values.has("columns") else []
    figures = values.texts("figures")
    values.finish()
    return Paper(os.path.basename(os.path.realpath(folder)), title, source, about, result, str(file),
                 [_load_figure(folder, one, source, columns) for one in figures])


def papers_named(names: Iterable[str]) -> List[Paper]:
    """Papers by name; `all` are the shipped ones with a page, `claims` those without."""
    found: List[Paper] = []
    for name in names:
        of_name = [load_paper(one) for one in (list_papers() if name in ("all", "claims") else [name])]
        found += [one for one in of_name if name not in ("all", "claims") or bool(one.result) == (name == "all")]
    for paper in found:
        if [other.name for other in found].count(paper.name) > 1:
            raise PaperError(f"two papers are named '{paper.name}', their pages would both be {paper.name}.html")
    return found


def run(names: Sequence[str], folder: str, jobs: int, cache: str) -> int:
    """Redoes papers: writes their pages into a folder and says on standard output what came out."""
    from . import answers, paper_report  # pylint: disable=import-outside-toplevel,cyclic-import
    asker, papers = answers.Asker(jobs, cache), papers_named(names)
    out = make_folder(folder)
    for paper in papers:
        result = answers.run_paper(paper, asker)
        paper_report.write(result, out)
        sys.stdout.write(paper_report.text(result, out))
        sys.stdout.flush()
    print("next: stcsim evidence rows")
    return 3 if asker.has_failed else 0
