"""Reads tables of measurements (CSV): GEMMs, instructions, networks, kernels beside them, systems, counters.

docs/reference/measurements.md lists their columns, which are found by their names.
"""

from __future__ import annotations

import difflib
import math
import re
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from .model import (USES, CounterRow, GemmRow, InstructionRow, NetworkRow, Place, StreamRow, SystemRow, TableError, Tables,
                    Times, hardware_pattern)

MOST_BYTES, MOST_ROWS, MOST_COLUMNS = 64 << 20, 1_000_000, 10_000
LARGEST = 2_147_483_647
#: Elements of a group of a pattern.
MOST_OF_GROUP = 128
MICROSECONDS = {"s": 1e6, "ms": 1e3, "us": 1.0}
#: Times of the host below this are mostly those of launching.
SHORTEST_HOST_US = 50
RATES = ("seq/s", "images/s", "img/s")
SCOPES = ("step", "passes", "sparse_gemms", "sparse_layers", "best_layer", "scheme_work")
PHASES = ("forward", "dgrad", "wgrad")
#: Bits of the types that operands of GEMMs have, and what products of them are written in.
BITS = {"fp16": 16, "bf16": 16, "tf32": 32, "int8": 8, "int4": 4, "fp8_e4m3": 8, "fp8_e5m2": 8, "nvfp4": 4}
OUTPUT_BITS = {"fp16": 16, "bf16": 16, "tf32": 32, "int8": 8, "int4": 32, "fp8_e4m3": 16, "fp8_e5m2": 16, "nvfp4": 16}
ACCUMULATORS = {"int8": "int32", "int4": "int32"}
#: The operation of a framework whose forward kernel moves what the published one does: additions of two tensors stand
#: for all that read two, ReLU for all that read one.
OPERATIONS = {**dict.fromkeys(("add", "mul", "div", "pow"), "residual_add"),
              **dict.fromkeys(("addu", "mulu", "divu", "powu", "relu", "tanh"), "relu"),
              "gelu": "gelu", "softmax": "softmax", "ln": "layer_norm", "gelu_tanh": "gelu_tanh", "silu": "silu",
              "dropout": "dropout", "copy": "relu"}
#: Those whose backward kernels move it: sums of rows are what a bias gets.
BACKWARD = {"ln_backward": "layer_norm", "gelu_backward": "gelu", "sum_rows": "bias"}


class Field(NamedTuple):
    text: str
    where: Place

    def refuse(self, name: str, right: str) -> TableError:
        return self.where.error(f"{name} is '{self.text}', must be {right}")


def nearest(word: str, known: Iterable[str]) -> str:
    """ "; did you mean 'k'?", or "" if nothing is near."""
    found = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean '{found[0]}'?" if found else ""


def number_in(text: str) -> Optional[float]:
    if not re.fullmatch(r"-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def size_in(field: Field, name: str, or_else: str = "") -> int:
    if re.fullmatch(r"\d{1,10}", field.text) and 1 <= int(field.text) <= LARGEST:
        return int(field.text)
    raise field.refuse(name, f"a whole number from 1 to {LARGEST}{or_else}")


class _Scanner:
    """Records of a text, each with the place of every field."""

    BLANK = re.compile(r"[ \t]*")
    TOKEN = re.compile(r'[ \t]*(?:"((?:[^"]|"")*)"[ \t]*|([^,\r\n]*))')

    def __init__(self, text: str, file: str):
        self.text, self.file, self.at, self.line, self.start = text, file, 0, 1, 0

    def place(self, at: int) -> Place:
        return Place(self.file, self.line, len(self.text[self.start:at].encode()) + 1)

    def skip_empty_lines(self) -> bool:
        """Goes to the next line that says something; False at the end."""
        while self.at < len(self.text):
            end = self.text.find("\n", self.at)
            line = self.text[self.at:end if end >= 0 else len(self.text)]
            if line.strip() and not line.startswith("#"):
                return True
            self.end_line(end)
        return False

    def end_line(self, end: int) -> None:
        self.at = self.start = end + 1 if end >= 0 else len(self.text)
        self.line += 1

    def skip_line(self) -> None:
        if self.at > self.start:
            self.end_line(self.text.find("\n", self.at))

    def record(self) -> List[Field]:
        fields: List[Field] = []
        while True:
            if len(fields) == MOST_COLUMNS:
                raise self.place(self.at).error(f"a row has more than {MOST_COLUMNS} fields")
            fields.append(self.field())
            if self.at >= len(self.text) or self.text[self.at] != ",":
                break
            self.at += 1
        rest = re.compile(r"\r?(\n|\Z)").match(self.text, self.at)
        if not rest:
            raise self.place(self.at).error("text after a closing quote, must be a comma or the line's end")
        self.end_line(rest.end() - 1)
        return fields

    def field(self) -> Field:
        blank = self.BLANK.match(self.text, self.at)
        assert blank
        where = self.place(blank.end())
        match = self.TOKEN.match(self.text, self.at)
        assert match
        quoted, plain = match.groups()
        if quoted is None and plain.startswith('"'):
            self.at += 1  # skip_line skips the rest
            raise where.error("this quote is never closed")
        self.at = match.end()
        if quoted is None:
            return Field(plain.rstrip(" \t"), where)
        breaks = quoted.count("\n")
        if breaks:
            self.line += breaks
            self.start = self.text.rfind("\n", 0, self.at) + 1
        return Field(quoted.replace('""', '"'), where)


def _text_of(file: str) -> str:
    try:
        with open(file, "rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise TableError(f"table '{file}' does not exist, must be the path of a CSV file") from None
    except IsADirectoryError:
        raise TableError(f"table '{file}' is a directory, must be the path of a CSV file") from None
    except OSError as error:
        raise TableError(f"cannot read {file}: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise TableError(f"cannot read {file}: it is larger than 64 MiB, must be a table")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise Place(file, 1, 1).error("the text is UTF-16, must be UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[:error.start]
        where = Place(file, before.count(b"\n") + 1, error.start - before.rfind(b"\n"))
        raise where.error(f"byte 0x{data[error.start]:02x} is not UTF-8 (is the text Latin-1?), must be text in UTF-8") from None


class Row:
    """Fields of a row by the names of their columns."""

    def __init__(self, fields: List[Field], columns: Dict[str, int]):
        self._fields, self._columns = fields, columns

    def __getitem__(self, column: str) -> Field:
        return self._fields[self._columns[column]]

    def text(self, column: str) -> str:
        """ "" if the table has no such column."""
        return self[column].text if column in self._columns else ""

    def given(self, column: str) -> Optional[Field]:
        return self[column] if self.text(column) not in ("", "MISSING") else None

    def number(self, column: str) -> Optional[float]:
        """Above 0; None if the field is empty, 0, MISSING or not there."""
        field = self.given(column)
        if field is None:
            return None
        value = number_in(field.text)
        if value is None or value < 0:
            raise field.refuse(column, "a number above 0, MISSING or empty")
        return value or None

    def count(self, column: str) -> Optional[int]:
        """At least 1; None if the field is empty or not there."""
        return size_in(self[column], column, " or empty") if self.text(column) else None

    def one_of(self, column: str, known: Sequence[str], right: str = "") -> str:
        if self[column].text not in known:
            raise self[column].refuse(column, right or "one of " + ", ".join(known))
        return self[column].text


class Table:
    """A file's header and rows."""

    def __init__(self, file: str, bad_rows: List[str]):
        scanner = _Scanner(_text_of(file), file)
        if not scanner.skip_empty_lines():
            raise scanner.place(scanner.at).error("the table is empty, must have a header")
        self.header = scanner.record()
        self.columns: Dict[str, int] = {}
        for at, field in enumerate(self.header):
            if field.text in self.columns:
                raise field.where.error(f"column '{field.text}' is here a second time")
            self.columns[field.text] = at
        self.rows: List[Row] = []
        while scanner.skip_empty_lines():
            where = scanner.place(scanner.at)
            if len(self.rows) == MOST_ROWS:
                raise where.error(f"the table has more than {MOST_ROWS} rows")
            try:
                self._take(scanner.record(), where)
            except TableError as error:
                bad_rows.append(str(error))
                scanner.skip_line()
        if not self.rows:
            raise TableError(bad_rows[0] if bad_rows else
                             f"{file}: error: the table has no rows, must have at least one measurement")

    def _take(self, fields: List[Field], where: Place) -> None:
        if len(fields) != len(self.header):
            raise where.error(f"the row has {len(fields)} fields, must have {len(self.header)} like the header")
        self.rows.append(Row(fields, self.columns))

    def check_columns(self, required: Sequence[str], optional: Sequence[str]) -> None:
        known = [*required, *optional]
        for field in self.header:
            if field.text not in known:
                hint = nearest(field.text, known) or "; known columns: " + ", ".join(known)
                raise field.where.error(f"unknown column '{field.text}'{hint}")
        self.require(required)

    def require(self, columns: Sequence[str]) -> None:
        for name in columns:
            if name not in self.columns:
                raise self.header[0].where.error(f"the table has no column '{name}'{nearest(name, self.columns)}")


def _read_layout(field: Optional[Field], row: Any) -> None:
    """ "row" or "row.row", and "batch=n", in any order; else free text."""
    if field is None:
        return
    order = field.text
    batch = re.search(r"batch=([^ ,;]*)", order)
    if batch:
        row.batch_count = size_in(Field(batch.group(1), field.where), "batch")
        order = order.replace(batch.group(), "", 1)
    if re.sub("[ ,;]", "", order) in ("row", "row.row"):
        row.layout = "row"


def _read_operand_type(field: Optional[Field], row: Any) -> None:
    """Eight bits without a name for their format are e4m3 in measurements of GEMMs, four are NVIDIA's."""
    if field is None:
        return
    name, slash, accumulator = field.text.partition(" ")[0].partition("/")
    dtype = {"fp4": "nvfp4", "fp8": "fp8_e4m3"}.get(name, name)
    if dtype not in BITS:
        row.unusable = f"data type '{field.text}' is not simulated"
        return
    row.dtype = dtype
    usual = ACCUMULATORS.get(dtype, "fp32")
    if slash and accumulator != usual:
        row.unusable = f"data type '{field.text}' is not simulated: GEMMs of {dtype} accumulate in {usual}"


def _is_pattern(text: str) -> bool:
    """n:m with m up to 128, "n:m pairs" with both even, V:2:m with m from 4, or dense."""
    found = re.fullmatch(r"([1-9]\d{0,4}:(?=2:))?([1-9]\d{0,2}):([1-9]\d{0,2})( pairs)?", text)
    if not found:
        return text == "dense"
    n, m = int(found[2]), int(found[3])
    if found[1]:
        return 4 <= m <= MOST_OF_GROUP and not found[4]
    return n <= m <= MOST_OF_GROUP and not (found[4] and (n % 2 or m % 2))


def _product(fields: Row) -> Dict[str, Any]:
    """What a row says of a product beside what was measured, as arguments of a row."""
    use = fields.text("use") or "testing"
    if use not in USES:
        raise fields["use"].refuse("use", "fitting, testing, shown or empty")
    return {"where": fields["gpu"].where, "source": fields.text("source"), "gpu": fields.text("gpu"),
            "note": fields.text("note"), "stack": fields.text("stack"), "m": size_in(fields["M"], "M"),
            "n": size_in(fields["N"], "N"), "k": size_in(fields["K"], "K"), "batch_count": 1, "layout": "",
            "dtype": "fp16", "pattern": fields.text("pattern"), "use": use}


def _take_product(fields: Row, row: Any) -> None:
    _read_layout(fields.given("layout"), row)
    _read_operand_type(fields.given("dtype"), row)
    if not _is_pattern(hardware_pattern(row.pattern)):
        row.unusable = f"pattern '{row.pattern}' is not n:m or V:2:m"


def _gemm_us(value: float, unit: Field, flop: float) -> float:
    if unit.text in MICROSECONDS:
        return value * MICROSECONDS[unit.text]
    if unit.text in ("TFLOPS", "TFLOP/s"):
        return flop / (value * 1e12) * 1e6
    raise unit.refuse("unit", "s, ms, us or TFLOPS")


def _number_after(word: str, note: str) -> Optional[float]:
    found = re.search(word + r" ([0-9.]+)", note)
    return number_in(found[1]) if found else None


def _read_timing(fields: Row, row: GemmRow) -> None:
    timing = fields.given("timing")
    if timing:
        row.timing = timing.text
    elif "incl. launch overhead" in row.note:
        row.timing = "host"
    times = [time for time in (row.measured.dense, row.measured.sparse) if time is not None]
    if row.timing == "host" and any(time < SHORTEST_HOST_US for time in times) and not row.unusable:
        row.unusable = "timed on the host and below 50 us: mostly launch overhead"


def _gemm(fields: Row) -> GemmRow:
    row = GemmRow(**_product(fields))
    _take_product(fields, row)
    flop = 2.0 * float(row.m * row.n * row.k * row.batch_count)

    def time(column: str) -> Optional[float]:
        value = fields.number(column)
        return None if value is None else _gemm_us(value, fields["unit"], flop)

    row.measured = Times(time("dense_value"), time("sparse_value"), fields.number("speedup"))
    ends = [number for number in (_number_after(word, row.note) for word in ("least", "most")) if number]
    if len(ends) == 2 and row.measured.dense is not None:
        values = [_gemm_us(end, fields["unit"], flop) for end in ends]
        row.dense_range = (min(values), max(values))
    _read_timing(fields, row)
    row.clock_mhz = fields.count("clock_mhz") if fields.given("clock_mhz") else None
    return row


def half_up(value: float) -> int:
    """The nearest whole number, halves away from zero."""
    return math.floor(abs(value) + 0.5) * (1 if value >= 0 else -1)


def _counter(fields: Row) -> CounterRow:
    row = CounterRow(**_product(fields), kernel_name=fields.text("kernel"))
    _take_product(fields, row)
    row.cluster = half_up(fields.number("cluster") or 0)
    cycles = fields.number("sm_cycles")
    if cycles is None:
        raise fields["sm_cycles"].where.error("sm_cycles is missing")
    sectors, percent, row_us = (fields.number(name) for name in ("l2_sectors_from_sm", "tensor_active_percent", "row_us"))
    stored = row.batch_count * (row.m * row.n * OUTPUT_BITS[row.dtype] // 8)
    counted = {"cycles": cycles, "sm_bytes": fields.number("l2_to_sm_bytes"),
               "l2_bytes": None if sectors is None else sectors * 32 - stored,
               "dram_bytes": fields.number("dram_read_bytes"), "busy": None if percent is None else percent / 100,
               "row_mhz": None if row_us is None else cycles / row_us, "row_us": row_us}
    row.counted = {key: value for key, value in counted.items() if value is not None}
    time_ns = fields.number("time_ns")
    if time_ns:
        row.clock_mhz = half_up(cycles / time_ns * 1e3)
    if fields.given("clock_mhz"):
        row.clock_mhz = fields.count("clock_mhz")
    if (fields.number("part") or 0) > 0:
        row.unusable = "a further launch of the same call"
    return row


def _instruction(fields: Row) -> InstructionRow:
    sparse = fields.one_of("sparse", ("0", "1"), "0 or 1")
    types = fields.text("dtype")
    # NVIDIA's instruction set: 1:2 for tf32, 4:8 pairs for 4-bit types, 2:4 for the others.
    of_types = {"tf32": "1:2", "int4": "4:8 pairs", "nvfp4": "4:8 pairs"}.get(types.partition("/")[0], "2:4")
    return InstructionRow(where=fields["source"].where, source=fields.text("source"), gpu=fields.text("gpu"),
                          machine=fields.text("machine"), name=fields.text("instr"), types=types,
                          shape=fields.text("shape"), pattern=of_types if sparse == "1" else "dense", warps=fields.count("warps") or 0,
                          ilp=fields.count("ilp") or 0, latency=fields.number("latency_cycles"),
                          throughput=fields.number("throughput_fma_per_clk_sm"))


def _interval(field: Field) -> Tuple[Optional[float], Optional[float]]:
    """ "1.5", "1.3-1.5", "up to 1.85"."""
    text = field.text
    if not text:
        return None, None

    def value(part: str) -> float:
        number = number_in(part)
        if number is None or not 0 < number <= 1e9:
            raise field.refuse("speedup", "a number above 0, a range like 1.3-1.5, or 'up to 1.3'")
        return number

    if text.startswith("up to "):
        return None, value(text[6:])
    low, dash, high = text.partition("-")
    ends = value(low), value(high if dash else low)
    if ends[0] > ends[1]:
        raise field.refuse("speedup", "a number above 0, a range like 1.3-1.5, or 'up to 1.3'")
    return ends


def _why_no_network(fields: Row) -> str:
    types, pattern = fields.text("dtype"), fields.text("pattern")
    if "no tensor cores" in types:
        return "ran without tensor cores"
    if not _is_pattern(pattern) or pattern.count(":") == 2:
        return f"pattern '{pattern}' is not n:m"
    if fields.text("not_simulated"):
        return fields.text("not_simulated")
    if types and types not in BITS and types != "fp32":
        return f"data type '{types}' is not simulated"
    return "" if fields.text("model") else f"no network file stands for '{fields.text('network')}'"


def _batches(field: Field) -> List[int]:
    parts = [part for part in field.text.split(";") if part]
    if not parts:
        raise field.refuse("batch", "the samples per step, as 'model' is given")
    if not all(re.fullmatch(r"\d{1,7}", part) and 1 <= int(part) <= 1_000_000 for part in parts):
        raise field.refuse("batch", "whole numbers from 1 to 1000000 with ';' between them")
    return [int(part) for part in parts]


def _phases(field: Field) -> List[str]:
    parts = field.text.split(";")
    if field.text != "inference" and not all(part in PHASES for part in parts):
        raise field.refuse("phases", "inference, or forward, dgrad and wgrad with ';' between them")
    return parts


def _step_us(fields: Row, column: str, batches: List[int]) -> Optional[float]:
    """The time of a step; None if no value is given, or a rate of several batches."""
    value, unit = fields.number(column), fields["unit"]
    if value is None:
        return None
    if unit.text in MICROSECONDS:
        return value * MICROSECONDS[unit.text]
    if unit.text not in RATES:
        raise unit.refuse("unit", "s, ms, us, seq/s, images/s or img/s")
    return float(batches[0]) / value * 1e6 if len(batches) == 1 else None


def _network(fields: Row) -> NetworkRow:
    texts = {name: fields.text(name) for name in ("source", "gpu", "network", "config", "phase", "pattern")}
    row = NetworkRow(where=fields["source"].where, dtype="fp16", speedup=_interval(fields["speedup"]),
                     skipped=_why_no_network(fields), **texts)
    if row.skipped:
        return row
    row.dtype = fields.text("dtype") or "fp16"
    row.model, row.scheme, row.stack = (fields.text(name) for name in ("model", "scheme", "stack"))
    row.framework = fields.text("framework") or "ideal"
    row.accumulation = fields.count("accumulation") or 1
    if fields.given("optimizer"):
        row.optimizer = fields.one_of("optimizer", ("sgd_momentum", "adam", "lamb"), "sgd_momentum, adam or lamb")
    row.clock_mhz, row.software_year = fields.number("clock_mhz"), fields.count("software_year")
    row.batches, row.phases = _batches(fields["batch"]), _phases(fields["phases"])
    row.scope = fields.one_of("scope", SCOPES, ", ".join(SCOPES[:-1]) + " or " + SCOPES[-1])
    row.dense, row.sparse = (_step_us(fields, name, row.batches) for name in ("dense", "sparse"))
    return row


def _stream(fields: Row) -> StreamRow:
    fields.one_of("op", [*OPERATIONS, *BACKWARD])
    time = fields.number("time_us")
    if time is None:
        raise fields["time_us"].where.error("time_us is missing")
    return StreamRow(where=fields["source"].where, source=fields.text("source"), gpu=fields.text("gpu"),
                     machine=fields.text("machine"), op=fields.text("op"),
                     dtype=fields.one_of("dtype", ("fp32", "fp16", "bf16"), "fp32, fp16 or bf16"), rows=size_in(fields["rows"], "rows"),
                     columns=size_in(fields["columns"], "columns"), time=time, overhead=fields.number("overhead_us") or 0.0,
                     framework=fields.text("framework") or "pytorch_2_eager")


def _system(fields: Row) -> SystemRow:
    return SystemRow(where=fields["source"].where, source=fields.text("source"), gpu=fields.text("gpu"),
                     system=fields.text("system"), use=fields.one_of("use", USES[:3]), gpus=size_in(fields["gpus"], "gpus"),
                     time=0.0)


def _collective(fields: Row) -> SystemRow:
    row = _system(fields)
    row.collective = fields.one_of("collective", ("all_reduce", "all_gather", "reduce_scatter", "all_to_all"))
    row.nodes, row.bytes = fields.count("nodes") or 1, fields.number("bytes") or 0.0
    time, rate = fields.number("time_us"), fields.number("bus_gb_per_s")
    if not row.bytes or (time is None) == (rate is None):
        raise fields["bytes"].where.error("a row must have bytes, and one of time_us and bus_gb_per_s")
    moved = row.bytes * float(row.gpus - 1) / float(row.gpus) * (2.0 if row.collective == "all_reduce" else 1.0)
    row.time = time if time is not None else moved / 1.0 / 1000 / rate  # type: ignore[operator]
    row.skipped = "" if row.system else f"no system for GPU '{row.gpu}'"
    return row


def _training(fields: Row) -> SystemRow:
    row = _system(fields)
    unit = fields.one_of("unit", ("sequences/s", "images/s", "samples/s", "tokens/s/GPU"),
                         "sequences/s, images/s, samples/s or tokens/s/GPU")
    row.series, row.model, row.framework = (fields.text(name) for name in ("series", "model", "framework"))
    row.dtype = fields.text("dtype") or "fp16"
    row.micro_batch, row.accumulation = fields.count("micro_batch") or 1, fields.count("accumulation") or 1
    row.parallel = {key: fields.text(key) for key in ("sharding", "gradients") if fields.text(key)}
    if fields.text("overlap"):
        row.parallel["overlap"] = fields.one_of("overlap", ("true", "false")) == "true"
    value, samples = fields.number("value"), row.micro_batch * row.accumulation
    if value is None:
        raise fields["value"].refuse("value", "a number above 0")
    times = (fields.count("tokens") or 1) if unit == "tokens/s/GPU" else row.gpus
    row.time = float(samples) * float(times) / value * 1e6
    row.skipped = fields.text("not_simulated")
    return row


#: A profiler's columns that are not compared.
_FURTHER = ("watts", "sm_to_l2_bytes", "l2_bytes", "l2_read_sectors", "l2_write_sectors", "l2_sectors_from_sm_hit",
            "l2_fabric_sectors", "dram_write_bytes", "warp_instructions", "wgmma_instructions", "tensor_instructions",
            "shared_bank_reads", "shared_bank_writes", "ctas", "threads", "registers", "shared_bytes")


class Kind(NamedTuple):
    """Tables that have the column `mark`."""

    mark: str
    rows: str
    read: Callable[[Row], Any]
    required: Sequence[str]
    optional: Sequence[str]


KINDS = (
    Kind("instr", "instructions", _instruction,
         ("source", "gpu", "instr", "dtype", "shape", "sparse", "warps", "ilp", "latency_cycles", "throughput_fma_per_clk_sm"),
         ("machine", "note")),
    Kind("collective", "systems", _collective, ("source", "gpu", "collective", "gpus", "bytes", "use"),
         ("system", "note", "nodes", "time_us", "bus_gb_per_s")),
    Kind("sharding", "systems", _training, ("source", "gpu", "gpus", "value", "unit", "micro_batch", "accumulation", "use"),
         ("system", "note", "network", "task", "precision", "software", "series", "model", "framework", "dtype",
          "tokens", "sharding", "gradients", "overlap", "not_simulated")),
    Kind("network", "networks", _network,
         ("source", "gpu", "dtype", "network", "config", "phase", "dense", "sparse", "unit", "speedup", "pattern", "model",
          "batch", "phases", "scheme", "scope", "not_simulated"),
         ("framework", "stack", "accumulation", "optimizer", "clock_mhz", "software_year", "note")),
    Kind("op", "streams", _stream, ("source", "gpu", "op", "dtype", "rows", "columns", "time_us"),
         ("machine", "overhead_us", "framework", "note")),
    Kind("sm_cycles", "counters", _counter, ("gpu", "dtype", "M", "N", "K", "pattern", "sm_cycles"),
         ("source", "layout", "note", "stack", "use", "kernel", "cluster", "part", "time_ns", "clock_mhz", "l2_to_sm_bytes",
          "l2_sectors_from_sm", "dram_read_bytes", "tensor_active_percent", "row_us", *_FURTHER)),
    Kind("", "gemms", _gemm,
         ("source", "gpu", "dtype", "M", "N", "K", "layout", "dense_value", "sparse_value", "unit", "speedup", "pattern",
          "note"), ("timing", "use", "stack", "clock_mhz")),
)

#: The tables that come with the program, in the order of their rows.
SHIPPED = ("gemm.csv", "instructions.csv", "networks.csv", "stream.csv", "systems.csv", "collectives.csv", "counters.csv",
           "gemm_device.csv", "gemm_new_machines.csv", "gemm_h200.csv", "gemm_mi300x.csv")


def read_tables(files: Iterable[str]) -> Tables:
    """Rows of tables of any kind. Wrong rows are left out and named, unless a table has no others.

    :raises TableError: with FILE:LINE:COLUMN
    """
    tables = Tables()
    for file in files:
        before = len(tables.bad_rows)
        table = Table(file, tables.bad_rows)
        kind = next(one for one in KINDS if not one.mark or one.mark in table.columns)
        table.check_columns(kind.required, kind.optional)
        rows = list(_right_rows(table.rows, kind.read, tables.bad_rows))
        if not rows:
            raise TableError(tables.bad_rows[before])
        getattr(tables, kind.rows).extend(rows)
    return tables


def _right_rows(rows: Iterable[Row], read: Callable[[Row], Any], bad_rows: List[str]) -> Iterator[Any]:
    for fields in rows:
        try:
            yield read(fields)
        except TableError as error:
            bad_rows.append(str(error))
