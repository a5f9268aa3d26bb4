"""Pages of papers: Markdown, the document `stcsim.paper/2` (docs/reference/results.md), tables for a terminal."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Tuple

from .._process import call
from .answers import Result, RowAnswers
from .document import number, to_json
from .papers import Figure, Row, stack_text
from .program import program_version
from .quantities import (ARITHMETIC, MET, TRAINING, Answer, Tally, figure_text, simulated_kind, tally, tally_text,
                         verdict)
from .report import Table, wrap_words

ABOUT_KINDS = ("Kinds are not added up: *arithmetic* checks how the paper was read, not what it claims, "
               "*fitted* is no test, and *own training*, of other networks, a hint.")


def _kind(figure: Figure, row: Row, answer: Answer) -> str:
    """The verdict's kind; "" where the answer cannot be judged."""
    if row.quantity.scope == "trained":
        return TRAINING if row.quantity.neutral is not None else ""
    column = next((one for one in figure.columns if one.name == answer.column), None)
    if column is None:
        return ARITHMETIC  # needs no machine
    return "" if column.is_beside else simulated_kind(row.obtained, column.sort, bool(row.fitted))


def judged(figure: Figure, row: Row, answer: Answer) -> Tuple[str, str]:
    """Kind and verdict; both "" where nothing was published, or where it cannot be judged."""
    kind = _kind(figure, row, answer)
    if not row.published or not kind:
        return "", ""
    return kind, verdict(kind, row.published, row.quantity, row.tolerance, answer)


def tally_of(result: Result) -> Tally:
    rows = ((figure, row, of_row.answers) for figure, answers in zip(result.paper.figures, result.answers)
            for row, of_row in zip(figure.rows, answers))
    given = ((*judged(figure, row, answer), answer.column) for figure, row, of_row in rows for answer in of_row)
    return tally((kind, column, one) for kind, one, column in given if kind)


def sentence(result: Result) -> str:
    """The paper's result with the figures filled in."""
    text_, at = "", 0
    for named in result.paper.named():
        text_ += result.paper.result[at:named.begin] + result.text_of(named)
        at = named.end
    return text_ + result.paper.result[at:]


def spread_text(result: Result) -> str:
    """ "With other software, 1.11x: by the libraries' own rules 1.09x, best of all kernels 1.12x."."""
    figures = (f"{figure}: {', '.join(f'{stack_text(stack)} {value}' for stack, value in software)}"
               for figure, software in result.spread)
    return f"With other software, {'; '.join(figures)}." if result.spread else ""


def _cell(figure: Figure, row: Row, answer: Optional[Answer]) -> str:
    """ "11.0 % (8.1 % to 13.9 %); against estimated: not reproduced, -33.7 %"."""
    if answer is None:
        return "-"
    unit = row.quantity.unit
    value, low, high = (figure_text(unit, end) for end in (answer.value, answer.low, answer.high))
    kind, given = judged(figure, row, answer)
    off = ""
    if kind and row.published:
        by = row.published.deviation(unit, answer.value)
        shown = f"{by:+.2f}" if unit == "points" else f"{100 * by:+.1f} %"
        off = f"; {kind}: {given}, " + (shown if answer.p_value is None else f"p = {answer.p_value:.3f}")
    return value + (f" ({low} to {high})" if answer.low < answer.high else "") + off


def _reasons(figure: Figure, row: Row, of_row: RowAnswers) -> List[str]:
    """Reasons for verdicts that leave something to explain, of columns that say the same together."""
    unmet = [one for one in of_row.answers if judged(figure, row, one)[1] not in ("", *MET)]
    if unmet and row.why:
        return [row.why]
    reasons: Dict[str, List[str]] = {}
    for answer in unmet:
        reasons.setdefault(answer.because, []).append(answer.column)
    return [f"{', '.join(columns)}: {because}" for because, columns in reasons.items() if because]


def _remarks(figure: Figure, row: Row, of_row: RowAnswers) -> str:
    remarks = [row.fitted and f"fitted: {row.fitted}", *_reasons(figure, row, of_row), row.setting, row.note,
               row.not_obtained, row.not_compared and f"not compared: {row.not_compared}", *of_row.not_run]
    return "; ".join(filter(None, remarks)) or "-"


def figure_table(figure: Figure, answers: List[RowAnswers]) -> Table:
    """Columns that some row has an answer in, then those of rows without a machine."""
    answered = [answer.column for of_row in answers for answer in of_row.answers]
    columns = list(dict.fromkeys([*(one.name for one in figure.columns if one.name in answered), *answered]))

    def cells(one: Tuple[Row, RowAnswers]) -> Iterable[str]:
        row, of_row = one
        published = ", ".join(filter(None, [row.published_text, row.obtained])) if row.published else "-"
        return [row.says, row.quantity.title, published, *(_cell(figure, row, of_row.of(column)) for column in columns),
                _remarks(figure, row, of_row)]

    table = Table("", cells, zip(figure.rows, answers))
    table.headers = ["figure", "quantity", "published >", *columns, "remarks"]
    return table


def wrapped(table: Table, width: int) -> str:
    """The table in so many columns: long cells go on in lines below instead of being cut."""
    lines = table.text(width).splitlines(keepends=True)
    rule = next(at for at, line in enumerate(lines) if not set(line) - set("- \n"))
    widths = [len(dashes) for dashes in lines[rule].split()]
    text_ = "".join(lines[:rule + 1])
    for row in table.rows:
        parts = [[cell.rjust(width)] if at == 2 else wrap_words(cell, width)
                 for at, (cell, width) in enumerate(zip(row, widths))]
        for line in itertools.zip_longest(*parts, fillvalue=""):
            text_ += "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip(" ") + "\n"
    return text_


def tables(result: Result, width: int) -> str:
    return "".join(f"\n{figure.title}\n\n{wrapped(figure_table(figure, answers), width)}"
                   for figure, answers in zip(result.paper.figures, result.answers))


def markdown(result: Result) -> str:
    paper = result.paper
    assumed = ", without what pruning costs: the paper's own assumptions"
    columns = dict.fromkeys(f"- *{column.name}*: {column.where}{assumed if column.assumed else ', pruning charged'}"
                            for figure in paper.figures for column in figure.columns)
    parts = [f"# {paper.title}", sentence(result), spread_text(result), f"What it says: {paper.about}",
             f"{paper.source}.", "Verdicts:", tally_text(tally_of(result), "- "), ABOUT_KINDS, "\n".join(columns)]
    for figure, answers in zip(paper.figures, result.answers):
        parts += [f"## {figure.title}", figure.shows, f"{figure.source}." if figure.source != paper.source else "",
                  figure_table(figure, answers).markdown(), "\n".join(f"- {line}" for line in figure.not_obtained)]
    return "".join(part.rstrip("\n") + "\n\n" for part in parts if part)


def _answer_object(figure: Figure, row: Row, answer: Answer) -> Dict[str, Any]:
    kind, given = judged(figure, row, answer)
    published, chance = row.published, answer.p_value
    off = {"deviation": number(published.deviation(row.quantity.unit, answer.value))} if published else {}
    return {"column": answer.column, "where": answer.where, "value": number(answer.value), "low": number(answer.low),
            "high": number(answer.high), **off, "kind": kind, "verdict": given, "because": answer.because,
            **({} if chance is None else {"p_value": number(chance)})}


def _row_object(figure: Figure, row: Row, of_row: RowAnswers) -> Dict[str, Any]:
    published = {"published": row.published._asdict()} if row.published else {}
    return {"says": row.says, "quantity": row.quantity.title, "unit": row.quantity.unit, "obtained": row.obtained,
            "setting": row.setting, "note": row.note, **published,
            "answers": [_answer_object(figure, row, answer) for answer in of_row.answers],
            **{key: getattr(row, key) for key in ("fitted", "why", "not_obtained", "not_compared")},
            "not_run": of_row.not_run}


def document(result: Result) -> Dict[str, Any]:
    paper = result.paper
    figures = [{"name": figure.name, "title": figure.title, "shows": figure.shows, "source": figure.source,
                "columns": [column.name for column in figure.columns],
                "rows": [_row_object(figure, *one) for one in zip(figure.rows, answers)],
                "not_obtained": list(figure.not_obtained)} for figure, answers in zip(paper.figures, result.answers)]
    return {"schema": "stcsim.paper/2", "version": program_version(), "config_hash": result.config_hash,
            "paper": paper.name, "title": paper.title, "source": paper.source, "about": paper.about,
            "sentence": sentence(result), "spread": spread_text(result),
            "tally": [{"kind": kind, "column": column, "verdict": name, "count": count}
                      for (kind, column), of in tally_of(result).items() for name, count in of.items()],
            "figures": figures}


def write(result: Result, folder: Path) -> None:
    """PAPER.json and PAPER.md, and unless it is of claims PAPER.html; each appears when it is complete."""
    name = result.paper.name
    with tempfile.TemporaryDirectory(dir=folder) as beside:
        for end, text_ in (("json", to_json(document(result))), ("md", markdown(result))):
            (Path(beside) / end).write_bytes(text_.encode())
            os.replace(Path(beside) / end, folder / f"{name}.{end}")
    if result.paper.result:
        call(["page", str(folder / f"{name}.json"), "-o", str(folder / f"{name}.html")])


def text(result: Result, folder: Path) -> str:
    """Its sentence, totals and page; of claims all figures."""
    paper, counts, spread = result.paper, tally_text(tally_of(result), "  "), spread_text(result)
    if not paper.result:
        return f"{paper.name}: {paper.source}\n{counts}{tables(result, shutil.get_terminal_size((100, 24)).columns)}"
    other = f"  {spread}\n" if spread else ""
    return f"{paper.name}: {sentence(result)}\n{other}{counts}  {folder / paper.name}.html\n"
