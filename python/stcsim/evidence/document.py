"""The document `stcsim.validation/1` (docs/reference/results.md), and rows and cells as CSV."""

from __future__ import annotations

import json
import math
from dataclasses import MISSING, fields
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from . import errors
from .errors import Cell, Summary, distance_from
from .model import (COUNTERS, CounterRow, GemmRow, InstructionRow, NetworkRow, Place, Product, StreamRow,
                    SystemRow, Tables, relative_error)

SCHEMA = "stcsim.validation/1"
Object = Dict[str, Any]
#: Keys of the quantities of a GEMM, behind "measured_".
KEYS = {"dense": "dense_us", "sparse": "sparse_us", "speedup": "speedup"}


def number(value: Optional[float]) -> Optional[float]:
    """A finite float without the sign of a zero, for data files."""
    if value is not None and not math.isfinite(value):
        raise ValueError("a number is not finite")
    return None if value is None else float(value) + 0.0


def compared(key: str, name: str, measured: Optional[float], simulated: Optional[float]) -> Object:
    return {f"measured_{key}": number(measured), f"simulated_{key}": number(simulated),
            f"{name}_error": number(relative_error(simulated, measured))}


def _place(row: Any) -> Object:
    return {"line": row.where.line, "source": row.source, "gpu": row.gpu}


def _gemm(row: GemmRow) -> Object:
    values = {"table": row.where.table, **_place(row), "machine": row.machine, "dtype": row.dtype,
              "pattern": row.pattern, "m": row.m, "n": row.n, "k": row.k, "batch_count": row.batch_count,
              "stack": row.stack, "timing": row.timing, "clock_mhz": row.clock_mhz, "command": row.command,
              "use": row.use, "skipped": row.skipped}
    for name, key in KEYS.items():
        simulated = row.simulated.of(name)
        low, high = row.likely.get(name, (None, None)) if simulated is not None else (None, None)
        values.update(compared(key, name, row.measured.of(name), simulated))
        values.update({f"likely_{key}_low": number(low), f"likely_{key}_high": number(high)})
    for name, kernel in (("dense", row.dense_kernel), ("sparse", row.sparse_kernel)):
        values.update({f"{name}_kernel": kernel.name, f"{name}_bound_by": kernel.bound_by})
    return values


def _instruction(row: InstructionRow) -> Object:
    return {**_place(row), "machine": row.machine, "instr": row.name, "types": row.types, "shape": row.shape,
            "pattern": row.pattern, "warps": row.warps, "ilp": row.simulated_ilp, "skipped": row.skipped,
            **compared("latency_cycles", "latency", row.latency, row.simulated_latency),
            **compared("fma_per_clk_sm", "throughput", row.throughput, row.simulated_throughput)}


def _network(row: NetworkRow) -> Object:
    names = ("network", "config", "phase", "pattern", "dtype", "model", "batches", "scheme", "scope", "framework",
             "accumulation", "skipped")
    gains = {f"{name}_speedup_{end}": number(value) for name, ends in (("measured", row.speedup),
                                                                     ("simulated", row.simulated_speedup))
             for end, value in zip(("low", "high"), ends)}
    return {**_place(row), "machine": row.machine, **{name: getattr(row, name) for name in names},
            **compared("dense_us", "dense", row.dense, row.simulated_dense),
            **compared("sparse_us", "sparse", row.sparse, row.simulated_sparse), **gains,
            "speedup_error": number(distance_from(row.simulated_speedup, row.speedup))}


def _stream(row: StreamRow) -> Object:
    return {**_place(row), "machine": row.machine, "op": row.op, "dtype": row.dtype, "rows": row.rows,
            "columns": row.columns, "skipped": row.skipped, **compared("us", "time", row.time, row.simulated)}


def sharding(row: SystemRow) -> str:
    return row.parallel.get("sharding", "ddp")


def _system(row: SystemRow) -> Object:
    return {**_place(row), "system": row.system, "collective": row.collective or None, "bytes": number(row.bytes),
            "series": row.series, "sharding": sharding(row), "gpus": row.gpus, "nodes": row.nodes,
            "use": row.use, "skipped": row.skipped, **compared("us", "time", row.time, row.simulated),
            **compared("scaling", "scaling", row.scaling, row.simulated_scaling)}


def _counter(row: CounterRow) -> Object:
    values = {**_place(row), "machine": row.machine, "dtype": row.dtype, "pattern": row.pattern, "m": row.m, "n": row.n,
              "k": row.k, "clock_mhz": row.clock_mhz, "use": row.use, "measured_kernel": row.kernel_name,
              "kernel": row.as_measured.kernel, "chosen_kernel": row.chosen.kernel, "no_kernel": row.no_kernel,
              "skipped": row.skipped}
    for key, _ in COUNTERS:
        counted, chosen = row.counted.get(key), row.chosen.counted.get(key)
        values.update(compared(key, key, counted, row.as_measured.counted.get(key)))
        values.update({f"chosen_{key}": number(chosen), f"chosen_{key}_error": number(relative_error(chosen, counted))})
    return values


def title_of(row: NetworkRow) -> str:
    return f"{row.network}, {row.config}" if row.config else row.network


def _what_product(row: Product) -> str:
    return f"{row.dtype} {row.pattern} {row.m}x{row.n}x{row.k}" + (f"x{row.batch_count}" if row.batch_count > 1 else "")


def what_system(row: SystemRow) -> str:
    return f"{row.collective}, {row.bytes / 2**20:.0f} MiB" if row.collective else row.series


class Kind(NamedTuple):
    """Rows of a kind: their list in Tables and in the document, and what is said of one."""

    rows: str
    key: str
    type: type
    object_of: Callable[[Any], Object]
    what: Callable[[Any], str]

    def of(self, tables: Tables) -> List[Any]:
        return getattr(tables, self.rows)

    @property
    def columns(self) -> List[str]:
        blank = {one.name: Place("") if one.name == "where" else 0 for one in fields(self.type)
                 if one.default is MISSING and one.default_factory is MISSING}
        return list(self.object_of(self.type(**blank)))


KINDS = (
    Kind("gemms", "results", GemmRow, _gemm, _what_product),
    Kind("instructions", "instructions", InstructionRow, _instruction,
         lambda row: f"{row.name} {row.types} {row.shape}"),
    Kind("networks", "networks", NetworkRow, _network, lambda row: f"{title_of(row)}, {row.dtype} {row.pattern}"),
    Kind("streams", "streams", StreamRow, _stream, lambda row: f"{row.op} {row.dtype} {row.rows}x{row.columns}"),
    Kind("systems", "systems", SystemRow, _system, lambda row: f"{what_system(row)}, {row.gpus} GPUs"),
    Kind("counters", "counters", CounterRow, _counter, _what_product),
)


def _means(prefix: str, summary: Summary) -> Object:
    return {f"{prefix}mean_absolute_error": number(summary.mean_absolute), f"{prefix}bias": number(summary.bias)}


def _summary(gpu: str, quantity: str, summary: Summary) -> Object:
    return {"gpu": gpu, "quantity": quantity, "rows": summary.rows, **_means("", summary),
            "pearson_r": number(summary.correlation)}


def _cell(cell: Cell, quantity: str) -> Object:
    models = [model.get(quantity, Summary()) for model in (cell.simulated, cell.roofline, cell.tiles)]
    spread = cell.spread if quantity == "dense" else errors.Spread()
    return {"machine": cell.machine, "dtype": cell.dtype, "from_us": errors.VALIDATED_FROM_US if cell.is_large else 0.0,
            "stack": cell.stack, "source": cell.source, "use": cell.use or "scored", "quantity": quantity,
            "rows": models[0].rows, **_means("", models[0]), **_means("roofline_", models[1]),
            **_means("tiles_", models[2]), "spread_rows": spread.rows,
            "spread_half_range": number(spread.half_range) if spread.rows else None,
            "within_spread": number(spread.within) if spread.rows else None}


def cell_objects(tables: Tables) -> List[Object]:
    return [_cell(cell, key) for cell in errors.cells(tables.gemms) for key in KEYS if cell.simulated[key].rows]


def _selection(one: errors.Selection) -> Object:
    return {"machine": one.machine, "dtype": one.dtype, "rows": one.rows, "sparse": one.sparse,
            "threshold": number(one.threshold), "claimed_gain": number(one.claimed), "measured_gain": number(one.got)}


def document(tables: Tables, version: str) -> Object:
    """The document; intervals are those that rows have."""
    rows = {kind.key: [kind.object_of(row) for row in kind.of(tables)] for kind in KINDS}
    return {"schema": SCHEMA, "version": version,
            "software": [{"machine": machine, "stack": stack} for machine, stack in tables.software],
            "results": rows.pop("results"), "summary": [_summary(*one) for one in errors.summaries(tables.gemms)],
            "cells": cell_objects(tables), "selections": [_selection(one) for one in errors.selections(tables.gemms)],
            **rows, "bad_rows": list(tables.bad_rows)}


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def to_json(values: Object) -> str:
    """The document as text: a line for each key, and for each element of its lists."""
    lines = {key: "[\n    " + ",\n    ".join(map(_compact, value)) + "\n  ]" if isinstance(value, list) and value
             else _compact(value) for key, value in values.items()}
    return "{\n  " + ",\n  ".join(f"{_compact(key)}: {text}" for key, text in lines.items()) + "\n}\n"


def _field(value: Any) -> str:
    text = "" if value is None else value if isinstance(value, str) else _compact(value)
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\r\n') else text


def csv_text(columns: Sequence[str], rows: Iterable[Object]) -> str:
    lines = [columns, *([row[column] for column in columns] for row in rows)]
    return "".join(",".join(map(_field, line)) + "\r\n" for line in lines)


def to_csv(tables: Tables) -> str:
    """Rows of one kind: GEMMs if there are any or several kinds, else of the first kind there is."""
    is_mixed = bool(tables.instructions and tables.networks)
    given = [kind for kind in KINDS if kind.of(tables)] or [KINDS[-1]]
    kind = KINDS[0] if is_mixed else given[0]
    return csv_text(kind.columns, map(kind.object_of, kind.of(tables)))


def cells_csv(tables: Tables) -> str:
    return csv_text(list(_cell(Cell("", "", False), "dense")), cell_objects(tables))


ROW_COLUMNS = ("kind", "table", "line", "machine", "what", "quantity", "measured", "simulated", "error")
_Compared = Tuple[str, float, float, Optional[float]]


def _gains(row: NetworkRow) -> Iterator[_Compared]:
    """The ends of a range each have a line; an end that lies in the measured range is not off."""
    ends = [(*both, distance_from((both[1], both[1]), row.speedup)) for both in zip(row.speedup, row.simulated_speedup)]
    names = ["speedup"] if ends[0] == ends[1] else ["speedup_low", "speedup_high"]
    return ((name, *end) for name, end in zip(names, ends) if None not in end)  # type: ignore[misc]


def _compared_values(row: Any, values: Object) -> Iterator[_Compared]:
    """Quantity (its key in the document), measured, simulated and error, of all that has both values."""
    if isinstance(row, NetworkRow):
        yield from _gains(row)
        values = {key: value for key, value in values.items() if "speedup" not in key}
    for key, measured in values.items():
        _, is_measured, quantity = key.partition("measured_")
        for prefix, name in (("simulated_", quantity), ("chosen_", f"chosen_{quantity}")):
            simulated = values.get(prefix + quantity) if is_measured and isinstance(measured, float) else None
            if simulated is not None:
                yield name, measured, simulated, relative_error(simulated, measured)


def _short(value: float) -> str:
    return f"{float(f'{value:.5g}'):.15g}"


def rows_csv(tables: Tables) -> str:
    """A line for each row and quantity that was measured and simulated."""
    lines = [(kind.rows[:-1], row.where.table, row.where.line, row.system if kind.rows == "systems" else row.machine,
              kind.what(row), quantity, _short(measured), _short(simulated), f"{round(error or 0.0, 4) + 0.0:.4f}")
             for kind in KINDS for row in kind.of(tables)
             for quantity, measured, simulated, error in _compared_values(row, kind.object_of(row))]
    return csv_text(ROW_COLUMNS, (dict(zip(ROW_COLUMNS, line)) for line in lines))
