"""Tables that grow while they are measured, and what of them fits into the time."""

import csv
import time
from typing import Callable, Iterable, List, NamedTuple


class Table:
    """A CSV file, made with its first row. A row is in it as soon as it is added; rows that an earlier run wrote stay."""

    def __init__(self, path, columns):
        """:raises ValueError: where the file has other columns"""
        self.path, self.columns, self.rows = path, columns, []
        if path.exists():
            self._read()

    def _read(self):
        text = self.path.read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]
        if whole != text:  # a row that was cut off is measured again
            self.path.write_text(whole, encoding="utf-8")
        reader = csv.DictReader(whole.splitlines())
        if whole and reader.fieldnames != self.columns:
            raise ValueError(f"{self.path} has other columns: name another folder with --out")
        self.rows = list(reader)

    def has(self, **key):
        return any(all(row[name] == str(value) for name, value in key.items()) for row in self.rows)

    def add(self, row):
        with self.path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, self.columns, restval="", lineterminator="\n")
            if file.tell() == 0:
                writer.writeheader()
            writer.writerow(row)
        self.rows.append({name: str(row.get(name, "")) for name in self.columns})


class Task(NamedTuple):
    kind: str
    name: str
    #: What it is expected to take.
    seconds: float
    run: Callable[[], None]


class Budget:
    """Seconds that are left."""

    def __init__(self, seconds, clock=time.monotonic):
        self._clock, self._end = clock, clock() + seconds

    @property
    def left(self):
        return self._end - self._clock()


def planned(tasks: Iterable[Task], seconds) -> List[Task]:
    """Those that fit, in their order; a long one does not keep out shorter ones behind it."""
    fit = []
    for task in tasks:
        if task.seconds <= seconds:
            fit.append(task)
            seconds -= task.seconds
    return fit


def run_all(tasks: Iterable[Task], budget: Budget) -> List[Task]:
    """Runs what fits into the time that is really left.

    :returns: what was left out
    """
    left_out = []
    for task in tasks:
        if task.seconds > budget.left:
            left_out.append(task)
        else:
            task.run()
    return left_out
