"""Answers as notebooks show them: a table, and the charts that the program draws of a document."""

from __future__ import annotations

import base64
import html
import json
import re
import tempfile
from pathlib import Path
from typing import Any, List, Mapping, Sequence

from ._process import Error, call


def shown(rows: Sequence[Mapping[str, Any]], main: Sequence[str], data: Mapping[str, Any]) -> str:
    """Rows with the columns of `main`, all figures folded below, and the charts of the document `data`."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    first = [name for name in main if name in columns] or columns
    rest = f"<details><summary>all {len(columns)} figures</summary>{_table(rows, columns)}</details>" if len(first) < len(columns) else ""
    return _table(rows, first) + rest + _charts(data)


def _table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(_text(row.get(name)))}</td>" for name in columns) + "</tr>" for row in rows)
    return f'<div style="overflow-x: auto"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def _charts(data: Mapping[str, Any]) -> str:
    """The charts of the page of a document; nothing of what is none, and where node is missing, which draws them."""
    if "schema" not in data:
        return ""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "answer.json").write_text(json.dumps(data), encoding="utf-8")
        try:
            call(["page", str(folder / "answer.json"), "-o", str(folder / "page.html"), "--svg", str(folder / "charts")])
        except Error:
            return ""
        files: List[Path] = sorted((folder / "charts").glob("*.svg"))
        return "".join(_picture(file.read_text(encoding="utf-8")) for file in files)


def _picture(svg: str) -> str:
    """As an image of its own: names inside one chart do not meet those of another."""
    found = re.search("<title>(.*?)</title>", svg)
    title = found.group(1) if found else ""
    data = base64.b64encode(svg.encode()).decode()
    return (f'<figure style="display: inline-block; vertical-align: top; margin: .5em"><img alt="{title}" src="data:image/svg+xml;base64,{data}">'
            f"<figcaption>{title}</figcaption></figure>")
