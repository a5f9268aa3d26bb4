"""Writes logs of training as CSV, which `stcsim tta` reads.

    python3 -m stcsim.curves trainer_state.json > run.csv
    python3 -m stcsim.curves --over samples result_0.txt > run.csv

Three kinds of log are read: the `trainer_state.json` of Hugging Face's Trainer, lines
`:::MLLOG {...}` of MLPerf, and charts that Weights & Biases exported. The first column counts epochs, steps, samples or
seconds; each other one is a metric. Runs of a log follow each other.
"""

import argparse
import csv
import io
import json
import math
import sys

MARK = ":::MLLOG"
#: Numbers of a trainer's entry that say how fast it went, or where it was.
NO_METRIC = {"step", "epoch", "total_flos", "num_input_tokens_seen"}
NO_METRIC_ENDS = ("_runtime", "_per_second", "_compilation_time")


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def trainer_values(text):
    """Yields run, axis, x, metric and value of a trainer_state.json, over steps and over epochs."""
    state = json.loads(text)
    if not isinstance(state, dict) or not isinstance(state.get("log_history"), list):
        raise ValueError("'log_history' is missing, must be there as in a trainer_state.json")
    for entry in state["log_history"]:
        for name, value in entry.items():
            if not _is_number(value) or name in NO_METRIC or name.endswith(NO_METRIC_ENDS):
                continue
            for axis, key in (("steps", "step"), ("epochs", "epoch")):
                if _is_number(entry.get(key)):
                    yield 0, axis, entry[key], name, value


def _events(text):
    """Objects behind the marks, with their lines' numbers; a line that is cut is left out."""
    for number, line in enumerate(text.splitlines(), 1):
        _, mark, rest = line.partition(MARK)
        if not mark:
            continue
        try:
            event = json.loads(rest)
        except ValueError:
            event = None
        if isinstance(event, dict):
            yield event
        else:
            print(f"line {number}: no JSON object behind {MARK}; left out", file=sys.stderr)


def mlperf_values(text):
    """Yields run, axis, x, metric and value of an MLPerf log.

    A metric is a number whose metadata has `epoch_num`, `samples_count` or `step_num`. The
    `epoch_num` of BERT counts samples. A `run_start` behind values begins the next run.
    """
    run, start_ms, has_values, is_bert = 0, None, False, False
    for event in _events(text):
        key, value, time_ms = event.get("key"), event.get("value"), event.get("time_ms")
        metadata = event.get("metadata") or {}
        if key == "run_start":
            if has_values:
                run, has_values, start_ms = run + 1, False, None
            start_ms = time_ms if start_ms is None else start_ms
        elif key == "run_stop":
            if metadata.get("status") != "success":
                print(f"run {run + 1} ended '{metadata.get('status')}'", file=sys.stderr)
            if not has_values:
                start_ms = None
        elif key == "submission_benchmark":
            is_bert = value == "bert"
        elif _is_number(value):
            epoch, samples, step = (metadata.get(one) for one in ("epoch_num", "samples_count", "step_num"))
            if epoch is None and samples is None and step is None:
                continue
            has_values = True
            if is_bert:
                epoch, samples = None, epoch if samples is None else samples
            seconds = (time_ms - start_ms) / 1000 if time_ms is not None and start_ms is not None else None
            for axis, x in (("epochs", epoch), ("samples", samples), ("steps", step), ("seconds", seconds)):
                if x is not None:
                    yield run, axis, x, key, value


def wandb_values(text):
    """Yields run, axis, x, metric and value of a chart: columns `RUN - METRIC` and their extremes."""
    header, *rows = csv.reader(io.StringIO(text))
    names = [name.rpartition(" - ") for name in header]
    columns = [(at, run, metric) for at, (run, dash, metric) in enumerate(names)
               if dash and not metric.startswith("_") and not metric.endswith(("__MIN", "__MAX"))]
    runs = list(dict.fromkeys(run for _, run, _ in columns))
    for row in rows:
        for at, run, metric in columns:
            if row[at]:
                yield runs.index(run), "steps", float(row[0]), metric, float(row[at])


def table(values, over=None):
    """Returns the rows of the CSV, its header first.

    The axis is `over`, or the first of steps (a trainer's), epochs, samples and seconds that the
    log counts. A later value at the same x replaces an earlier one, as after a resumed run.
    """
    values = list(values)
    axes = {axis for _, axis, *_ in values}
    axis = over or next((one for one in ("epochs", "samples", "steps", "seconds") if one in axes), None)
    if axis not in axes:
        raise ValueError(f"no value is counted in {axis}, must be one of {', '.join(sorted(axes))}" if axes
                         else "no line has a value and how much was trained")
    cells = {}
    for run, counted, x, metric, value in values:
        if counted == axis:
            cells.setdefault((run, x), {})[metric] = value
    metrics = list(dict.fromkeys(metric for row in cells.values() for metric in row))
    finite = [[x, *("" if value is None or not math.isfinite(value) else value
                    for value in map(row.get, metrics))] for (_, x), row in sorted(cells.items())]
    return [[axis, *metrics], *finite]


def convert(text, over=None):
    """Returns the rows of a log of any kind."""
    if MARK in text:
        return table(mlperf_values(text), over)
    if " - " in text.partition("\n")[0]:
        return table(wandb_values(text), over)
    return table(trainer_values(text), over or "steps")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="stcsim.curves", description=__doc__.splitlines()[0])
    parser.add_argument("file", help="trainer_state.json, a log with lines :::MLLOG, or a chart")
    parser.add_argument("--over", choices=("epochs", "steps", "samples", "seconds"), help="what x counts")
    options = parser.parse_args(arguments)
    try:
        with open(options.file, encoding="utf-8") as log:
            rows = convert(log.read(), options.over)
    except OSError as error:
        sys.exit(f"{options.file}: error: {error.strerror}")
    except ValueError as error:
        sys.exit(f"{options.file}: error: {error}")
    csv.writer(sys.stdout, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
