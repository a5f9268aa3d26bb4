"""`stcsim evidence rows`, `trace` and `papers`: the program checks the options and hands them on."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable, List, Mapping, Optional

from .._process import Error, find_program
from . import document, report, rows, trace, trace_report
from .model import TableError, Tables
from .program import config_folder, make_folder, program_version
from .tables import SHIPPED, read_tables

FINE, DIFFERENT, USAGE = 0, 1, 2
ROWS = "stcsim evidence rows"
#: Options of `trace` that `stcsim run` takes as they are.
RUN_OPTIONS = ("arch", "dtype", "batch", "tokens", "framework", "clock")


class Progress:
    """A line on a terminal that says how far it is."""

    def __init__(self, text: str):
        """:param text: with {} where the number done stands"""
        self._text, self._is_shown = text, sys.stderr.isatty()

    def __call__(self, done: int) -> None:
        if self._is_shown:
            print("\r" + self._text.format(done), end="", file=sys.stderr, flush=True)

    def wipe(self) -> None:
        if self._is_shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def write_together(folder: Path, texts: Mapping[str, str]) -> None:
    """All files, or none: each is written beside its name first."""
    try:
        with tempfile.TemporaryDirectory(dir=folder) as beside:
            for name, text in texts.items():
                (Path(beside) / name).write_bytes(text.encode())
            for name in texts:
                os.replace(Path(beside) / name, folder / name)
    except OSError as error:
        raise Error(f"cannot write into {folder}: {error.strerror}") from None


def write_page(html: Optional[str], svg: Optional[str], text: Callable[[], str]) -> None:
    """The page of --html and its charts of --svg; nothing without them."""
    if not html and not svg:
        return
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "answer.json").write_text(text(), encoding="utf-8")
        page = os.path.abspath(html) if html else "answer.html"
        charts = ["--svg", os.path.abspath(svg)] if svg else []
        done = subprocess.run([find_program(), "page", "answer.json", "-o", page, *charts], cwd=folder, check=False)
        if done.returncode != 0:
            sys.exit(done.returncode)


def run_rows(options: argparse.Namespace) -> int:
    folder = config_folder() / "validation"
    tables = read_tables([options.file] if options.file else [str(folder / name) for name in SHIPPED])
    machines = rows.Machines()
    rows.name_machines(tables, machines)
    tables = rows.keep(tables, options.machine, options.dtype, options.use)
    if not len(tables):
        raise TableError("no row is left by --machine, --dtype and --use")
    out = make_folder(options.out) if options.out else None
    progress = Progress(f"{{}} of {len(tables)} rows")
    rows.simulate(tables, options.jobs, progress)
    progress.wipe()
    if not len(tables):
        raise TableError(tables.bad_rows[0])
    tables.set_by_counters = machines.set_by_counters
    if out is not None:
        write_together(out, report.pages(tables, folder))
    write_page(options.html, options.svg, lambda: document.to_json(document.document(tables, program_version())))
    sys.stdout.write(_text(tables, options))
    for message in tables.bad_rows:
        print(message, file=sys.stderr)
    return DIFFERENT if tables.bad_rows else FINE


def run_trace(options: argparse.Namespace) -> int:
    words = [f"--{name}={value}" for name, value in vars(options).items() if value and name in RUN_OPTIONS]
    compared = trace.compare(options.file, words, options.network, options.jobs)
    text = document.to_json(trace_report.document(compared, program_version()))
    write_page(options.html, options.svg, lambda: text)
    if options.format == "markdown":
        text = trace_report.markdown(compared)
    elif options.format == "table":
        text = trace_report.text(compared, shutil.get_terminal_size((100, 24)).columns)
    sys.stdout.write(text)
    return FINE


def _text(tables: Tables, options: argparse.Namespace) -> str:
    width = shutil.get_terminal_size((100, 24)).columns
    if options.show == "cells":
        return document.cells_csv(tables) if options.format == "csv" else report.cells_text(tables, width)
    if options.format == "json":
        return document.to_json(document.document(tables, program_version()))
    return document.to_csv(tables) if options.format == "csv" else report.text(tables, width)


def parser() -> argparse.ArgumentParser:
    commands = argparse.ArgumentParser(prog="python3 -m stcsim.evidence")
    kinds = commands.add_subparsers(required=True)
    of_rows = kinds.add_parser("rows")
    of_rows.add_argument("file", nargs="?", default="")
    for name in ("out", "machine", "dtype", "use", "html", "svg"):
        of_rows.add_argument("--" + name, default="")
    of_rows.add_argument("--show", default="all")
    of_rows.add_argument("--format", default="table")
    of_trace = kinds.add_parser("trace")
    of_trace.add_argument("file")
    for name in (*RUN_OPTIONS, "network", "html", "svg"):
        of_trace.add_argument("--" + name, default="")
    of_trace.add_argument("--format", default="table")
    of_papers = kinds.add_parser("papers")
    of_papers.add_argument("papers", nargs="+")
    of_papers.add_argument("--out", default="out/papers")
    of_papers.add_argument("--cache", default="")
    for command, run in ((of_rows, run_rows), (of_trace, run_trace), (of_papers, run_papers)):
        command.add_argument("--jobs", type=int, default=1)
        command.set_defaults(run=run)
    return commands


def run_papers(options: argparse.Namespace) -> int:
    from . import papers  # pylint: disable=import-outside-toplevel
    return papers.run(options.papers, options.out, options.jobs, options.cache)


def main(words: List[str]) -> int:
    options = parser().parse_args(words)
    return guarded(f"stcsim evidence {words[0]}", lambda: options.run(options))


def guarded(who: str, run: Callable[[], int]) -> int:
    """The exit code of a command, whose error is a message on standard error."""
    try:
        return run()
    except (TableError, Error) as error:
        text = str(error)
        print(text if ": error: " in text else f"{who}: error: {text}", file=sys.stderr)
        return USAGE


def end_with(run: Callable[[], int]) -> None:
    """Ends the process as the program does: quietly where nobody reads, or who asked has given up."""
    try:
        sys.exit(run())
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    end_with(lambda: main(sys.argv[1:]))
