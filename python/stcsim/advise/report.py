"""Advice as a screen, or as JSON."""

from __future__ import annotations

import json
import math
import textwrap
from typing import Any, Dict, Mapping, Tuple

from ..evidence.program import program_version
from .advice import SPARSITY, Advice, Advised
from .situation import Situation

SCHEMA = "stcsim.advice/1"
BELOW = "   "
VERDICTS = (("faster", "Also faster"), ("unclear", "Unclear, the interval holds 1"), ("slower", "Slower"))
#: Others of a verdict that are named.
MOST_NAMES = 3


def number_text(value: float) -> str:
    """With three digits."""
    return f"{value:,.{max(0, 2 - math.floor(math.log10(value)))}f}" if value > 0 else "0"


def time_text(us: float) -> str:
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if us >= size:
            return f"{number_text(us / size)} {unit}"
    return f"{number_text(us)} us"


def gain_text(value: float) -> str:
    return f"{value:.2f}"


def bytes_text(count: float) -> str:
    return f"{number_text(count / 1e9)} GB"


def samples_of(situation: Situation) -> Tuple[int, str]:
    """How many a step has, and what they are called."""
    layers = situation.network["layers"]
    if any(layer["type"] == "conv" for layer in layers):
        return situation.batch, "images"
    tokens = [layer["tokens"] for layer in layers if layer.get("tokens", 1) > 1]
    if not tokens:
        return situation.batch, "samples"
    return situation.batch * max(tokens), "tokens"


def peak_flops(situation: Situation) -> float:
    """Dense, a second, at the machine's clock."""
    accelerator = situation.machine["accelerator"]
    sm = accelerator["sm"]
    fma = [one["fma_per_clk"] for one in sm["tensor_core"]["multipliers"] if one["dtype"] == situation.dtype]
    return 2 * max(fma, default=0) * sm.get("sub_cores", 4) * accelerator["num_sms"] * situation.machine["clock_mhz"] * 1e6


def facts(advised: Advised) -> Dict[str, Any]:
    situation = advised.situation
    base = situation.base
    count, what = samples_of(situation)
    flops = 2 * sum(row.macs for row in base.rows if row.is_product)
    peak = peak_flops(situation)
    return {"step_us": base.us, "clock_mhz": base.clock_mhz, "samples": what, "samples_per_second": count / base.us * 1e6,
            "share_of_peak": flops / (base.us * 1e-6) / peak if peak else None, "peak_flops": peak,
            "memory_bytes": base.totals.get("memory_bytes"), "capacity_bytes": base.totals.get("capacity_bytes"),
            "batch": situation.batch, "largest_batch": situation.largest_batch or None,
            "parts": [{"name": name, "us": us} for name, us in base.parts()]}


def to_json(advised: Advised, request: Mapping[str, Any]) -> str:
    def plain(one: Advice) -> Dict[str, Any]:
        return {"name": one.name, "title": one.title, "verdict": one.gain.verdict, "before_us": one.before_us, "us": one.us,
                "saved_us": one.saved_us, "gain": one.gain.value, "low": one.gain.low, "high": one.gain.high, "cost": one.cost,
                "pays": one.pays, "code": one.code, "layers": one.layers,
                "clock_mhz": one.clock_mhz or advised.situation.base.clock_mhz}

    situation = advised.situation
    document = {"schema": SCHEMA, "version": program_version(), "network": situation.network["name"], "arch": request["arch"],
                "framework": situation.framework["name"], "dtype": situation.dtype, **facts(advised),
                "experiments": advised.simulated, "advice": [plain(one) for one in advised.advice],
                "others": [plain(one) for one in advised.others],
                "untried": [one._asdict() for one in advised.untried], "next": " ".join(request["run"])}
    return json.dumps(document, indent=2) + "\n"


def wrapped(text: str, width: int, first: str = "", below: str = "  ") -> str:
    return "\n".join(textwrap.wrap(text, width, initial_indent=first, subsequent_indent=below, break_long_words=False,
                                   break_on_hyphens=False)) + "\n"


def _head(advised: Advised, request: Mapping[str, Any], width: int) -> str:
    situation, known = advised.situation, facts(advised)
    rate = known["samples_per_second"]
    how = "measured" if situation.measured_us or situation.is_profile else "simulated"
    batch = "" if situation.is_profile else f" of batch {situation.batch}"
    text = (f"{situation.network['name']} on {request['arch']}: a step{batch} takes "
            f"{time_text(known['step_us'])} ({how}), {number_text(rate)} {known['samples']} a second")
    if known["share_of_peak"]:
        text += f", {100 * known['share_of_peak']:.0f} % of the dense peak of {situation.dtype}"
    lines = wrapped(text + ".", width)
    parts = [f"{part['name']} {100 * part['us'] / known['step_us']:.0f} %" for part in known["parts"] if part["us"] > 0]
    lines += wrapped(f"What bounds it: {', '.join(parts)}.", width)
    if known["memory_bytes"] and not situation.is_profile:
        fits = f"batch {known['largest_batch']:,} is the largest that fits" if known["largest_batch"] else "no batch fits"
        lines += wrapped(f"It needs {bytes_text(known['memory_bytes'])} of {bytes_text(known['capacity_bytes'])}; {fits}.", width)
    return lines


def _advice(number: int, one: Advice, width: int) -> str:
    clock = f", at {one.clock_mhz:.0f} MHz" if one.clock_mhz else ""
    text = (f"{number}. {one.title}: {time_text(one.before_us)} -> {time_text(one.us)}, {gain_text(one.gain.value)}x "
            f"({gain_text(one.gain.low)}..{gain_text(one.gain.high)}){clock}")
    lines = wrapped(text, width, below=BELOW)
    if one.layers:
        lines += wrapped("in:    " + ", ".join(one.layers), width, BELOW, BELOW + "       ")
    lines += wrapped("costs: " + one.cost, width, BELOW, BELOW + "       ")
    return lines + "".join(f"{BELOW}{'code:  ' if at == 0 else '       '}{line}\n" for at, line in enumerate(one.code))


def _fastest_scheme(advised: Advised, width: int) -> str:
    """Where none is advised."""
    schemes = [one for one in advised.others if one.group == SPARSITY and "@" not in one.name]
    if not schemes or any(one.group == SPARSITY for one in advised.advice):
        return ""
    best = max(schemes, key=lambda one: one.gain.value)
    gain = f"{gain_text(best.gain.value)}x ({gain_text(best.gain.low)}..{gain_text(best.gain.high)})"
    if best.gain.verdict != "faster":
        return wrapped(f"None of {len(schemes)} schemes is surely faster; {best.title}, the best, gains {gain}.", width)
    return wrapped(f"Of {len(schemes)} schemes {best.title} is the fastest: {time_text(best.before_us)} -> {time_text(best.us)}, "
                    f"{gain}; {best.cost}.", width)


def _rest(advised: Advised, width: int) -> str:
    lines = _fastest_scheme(advised, width)
    for verdict, words in VERDICTS:
        some = sorted((one for one in advised.others if one.gain.verdict == verdict), key=lambda one: -one.gain.value)
        names = ", ".join(f"{one.title} {gain_text(one.gain.value)}x" for one in some[:MOST_NAMES])
        more = f" and {len(some) - MOST_NAMES} more" if len(some) > MOST_NAMES else ""
        if some:
            lines += wrapped(f"{words}: {names}{more}.", width)
    untried = ", ".join(one.name for one in advised.untried)
    return lines + (wrapped(f"Not simulated: {untried} (--format json says why).", width) if untried else "")


def to_text(advised: Advised, request: Mapping[str, Any]) -> str:
    width = request["width"]
    lines = _head(advised, request, width) + "\n"
    if not advised.advice:
        lines += "Nothing that was tried is surely faster.\n"
    for number, one in enumerate(advised.advice, 1):
        lines += _advice(number, one, width)
    lines += "\n" + _rest(advised, width)
    words = [*request["run"], "--schemes all"]
    text = "next:"
    for word in words:
        is_too_wide = len(text.rpartition("\n")[2]) + len(word) + 3 > width
        text += (" \\\n    " if is_too_wide else " ") + word
    return lines + text + "\n"
