"""A profile beside its simulation for people, and as the document `stcsim.trace/1` (docs/reference/results.md)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Dict, List, Sequence, Tuple

from .document import number
from .model import relative_error
from .report import Table, or_dash, significant, signed, time_us, wrap_lines
from .trace import GROUPS, PHASES, Comparison, Kernels, Product

SCHEMA = "stcsim.trace/1"


def _whole(error: float) -> str:
    return f"{100 * error:+.0f} %"


def _times(times: Tuple[float, ...]) -> List[str]:
    measured, simulated = times[:2]
    error = relative_error(simulated, measured) if measured else None
    return [time_us(measured), time_us(simulated), or_dash(signed, error)]


def answer(one: Comparison) -> str:
    """The first lines: kernels' times, errors by kind, the host."""
    kinds = [kind for kinds in one.groups.values() for kind in kinds]
    if one.products_only:
        kinds = list(one.groups["products"])
    measured, simulated, _, _ = one.sums(kinds)
    errors = [f"{group} {or_dash(_whole, one.error(group))}" for group in one.groups]
    subject = "products of the profile" if one.products_only else "kernels"
    text = (f"measured {subject} {time_us(measured)}, simulated {time_us(simulated)} "
            f"({or_dash(_whole, relative_error(simulated, measured) if measured else None)})")
    text += "" if one.products_only else "; " + ", ".join(errors)
    span, idle = one.profile["span_us"], one.profile["idle_us"]
    text += f"; the host: {time_us(span)} from the first to the last event on the GPU, {time_us(idle)} of it idle"
    if not one.products_only:
        text += f"; simulated step by the clock {time_us(one.total['step']['time_us'])}"
    return text


def _about(one: Comparison) -> str:
    names, profile = one.names, one.profile
    text = (f"{profile['gpu'] or 'a GPU'}, {profile['step'] or 'the whole profile as one step'}"
            f"{', whose file is cut off' if profile['is_cut'] else ''}; {names['network']} on {names['machine']}")
    if one.products_only:
        return text + ": the products that the profile has; --network compares all kernels"
    text += f", batch {names['batch']}"
    if "norm" not in one.groups:
        text += "; norms are in all else, as the profile has no kernels of their own"
    return text + f", {names['framework']}"


def _sums(one: Comparison) -> Table:
    def cells(row: Tuple[str, Sequence[str]]) -> List[str]:
        sums = one.sums(row[1])
        return [row[0], *_times(sums), *(f"{count:.0f}" for count in sums[2:])]

    groups = {"products": one.groups["products"]} if one.products_only else one.groups
    rows: List[Tuple[str, Sequence[str]]] = []
    for group, kinds in groups.items():
        rows.append((group, kinds))
        finer = [kind for kind in kinds if any(one.sums([kind]))]
        rows += [(f"- {kind}", [kind]) for kind in finer if len(finer) > 1]
    return Table("kind; measured >; simulated >; error >; measured kernels >1; simulated kernels >1", cells, rows)


def _sizes(product: Product) -> str:
    if product.is_attention:
        return "attention"
    sizes = "x".join(map(str, product.sizes[:3]))
    return sizes + (f", {product.sizes[3]} of it" if product.sizes[3] > 1 else "")


def _products(rows: Sequence[Product]) -> Table:
    return Table("phase; m x n x k; measured count >1; simulated count >1; measured >; simulated >; ratio >",
                 lambda one: [one.phase, _sizes(one), f"{one.measured_count:g}", f"{one.simulated_count:g}",
                              time_us(one.measured_us), time_us(one.simulated_us), or_dash(significant, one.ratio)], rows)


def _kernels(rows: Sequence[Kernels], is_simulated: bool) -> Table:
    if is_simulated:
        return Table("operation; count >; time >",
                     lambda one: [one.operator, f"{one.count:.0f}", time_us(one.us)], rows)
    return Table("operator; around; kernel 1; count >; time >",
                 lambda one: [one.operator, one.around, one.kernel, f"{one.count:.0f}", time_us(one.us)], rows)


def _without_shapes(rows: Sequence[Kernels], is_simulated: bool) -> List[Kernels]:
    """Simulated ones by their operation, whatever the layer."""
    sums: Dict[Tuple[str, ...], Kernels] = {}
    for one in rows:
        key = (one.phase, one.kind, one.operator, "" if is_simulated else one.around, one.kernel)
        same = sums.setdefault(key, Kernels(*key))
        same.count, same.us = same.count + one.count, same.us + one.us
    return sorted(sums.values(), key=lambda one: -one.us)


def _parts(one: Comparison) -> List[Tuple[str, Any]]:
    """Titles and tables of a phase's kinds, those that one side lacks too."""
    parts: List[Tuple[str, Any]] = []
    for phase in PHASES:
        for kind in (kind for group in one.groups.values() for kind in group if kind not in GROUPS["products"]):
            sums = one.sums([kind], phase)
            if not any(sums):
                continue
            measured, simulated, error = _times(sums)
            missing = "" if sums[0] and sums[1] else ", only " + ("simulated" if sums[1] else "measured")
            parts.append((f"{phase}, {kind}: measured {measured}, simulated {simulated} ({error}){missing}", None))
            for name, side in (("measured", one.measured), ("simulated", one.simulated)):
                is_simulated = name == "simulated"
                rows = _without_shapes([row for row in side if (row.phase, row.kind) == (phase, kind)], is_simulated)
                if rows:
                    parts.append((name, _kernels(rows, is_simulated)))
    return parts


def _tables(one: Comparison) -> List[Tuple[str, Any]]:
    both = [product for product in one.products if product.ratio]
    tables: List[Tuple[str, Any]] = [("sums by kind", _sums(one)), ("products", _products(both))]
    for side, count in (("measured", "simulated_count"), ("simulated", "measured_count")):
        rows = [product for product in one.products if not getattr(product, count)]
        if rows:
            tables.append((f"products that are only {side}", _products(rows)))
    return tables + ([] if one.products_only else _parts(one))


def text(one: Comparison, width: int) -> str:
    parts = [wrap_lines(answer(one), width) + wrap_lines(_about(one), width)]
    parts += [wrap_lines(title, width) + (table.text(width) if table else "") for title, table in _tables(one)]
    return "\n".join(parts)


def markdown(one: Comparison) -> str:
    parts = [f"# {answer(one)}\n", _about(one) + "\n"]
    for title, table in _tables(one):
        is_side = title in ("measured", "simulated")
        parts.append((f"{title}:\n" if is_side else f"## {title}\n") + ("\n" + table.markdown() if table else ""))
    return "\n".join(parts)


def _sum(one: Comparison, group: str, kind: str, phase: str, kinds: Sequence[str]) -> Dict[str, Any]:
    measured, simulated, measured_kernels, simulated_kernels = one.sums(kinds, "" if phase == "all" else phase)
    return {"group": group, "kind": kind, "phase": phase, "measured_us": number(measured),
            "simulated_us": number(simulated),
            "error": number(relative_error(simulated, measured) if measured else None),
            "measured_kernels": number(measured_kernels), "simulated_kernels": number(simulated_kernels)}


def document(one: Comparison, version: str) -> Dict[str, Any]:
    sums = []
    for group, kinds in one.groups.items():
        sums.append(_sum(one, group, "all", "all", kinds))
        for kind in kinds:
            sums += [_sum(one, group, kind, phase, [kind]) for phase in PHASES if any(one.sums([kind], phase))]
    products = [{"phase": product.phase, "product": _sizes(product), "m_n_k_count": list(product.sizes),
                 "measured_count": product.measured_count, "simulated_count": product.simulated_count,
                 "measured_us": number(product.measured_us), "simulated_us": number(product.simulated_us),
                 "ratio": number(product.ratio)} for product in one.products]
    profile = {key: value for key, value in one.profile.items() if key not in ("schema", "version")}
    return {"schema": SCHEMA, "version": version, "answer": answer(one), **one.names, "profile": profile,
            "step_us": number(one.total["step"]["time_us"]), "sums": sums, "products": products,
            "measured": [asdict(row) for row in one.measured], "simulated": [asdict(row) for row in one.simulated]}
