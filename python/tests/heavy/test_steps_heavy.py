"""Tests of how near sums of a step's kernels come to measured ones (configs/validation/steps.csv): about half a minute."""

import csv
import unittest
from collections import Counter
from functools import lru_cache

from stcsim.evidence import program, rows, tables

VALIDATION = program.config_folder() / "validation"


def measured():
    with open(VALIDATION / "steps.csv", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def kind_of(row):
    if row["phase"] == "optimizer":
        return "optimizer"
    if row["phase"] != "other":
        return "products"
    return "norm" if row["kind"] == "normalisation" else "other"


def simulated(row):
    """Milliseconds by kind, without the gaps between kernels, which a profile does not count either."""
    network = row["network"]
    if network.endswith(".yaml"):
        network = str(VALIDATION / network)
    result = program.ask(["run", "--network", network, "--batch", row["batch"], "--dtype", row["dtype"], "--arch", row["machine"],
                          "--framework", row["framework"], "--schemes", "dense", "--no-spread", "--format", "json"])
    gap_us = float(row["gap_us"])
    sums = Counter()
    for one in result["results"]:
        sums[kind_of(one)] += (one["time_us"] - gap_us * one["launches"]) * one["repeat"] / 1000
    return sums


@lru_cache(maxsize=None)
def steps():
    """Rows, what was measured by kind, and what is simulated."""
    kinds = ("products", "optimizer", "norm", "other")
    return [(row, {kind: float(row[kind + "_ms"]) for kind in kinds}, simulated(row)) for row in measured()]


def mean(values):
    values = list(values)
    return sum(values) / len(values)


class StepsOfTheH200(unittest.TestCase):
    def test_sums_of_kernels_are_as_near_as_they_were(self):
        errors = [sum(sums.values()) / sum(times.values()) - 1 for _, times, sums in steps()]
        self.assertEqual(len(errors), 11)
        self.assertLessEqual(mean(map(abs, errors)), 0.07)
        self.assertLessEqual(abs(mean(errors)), 0.04)
        self.assertLessEqual(max(map(abs, errors)), 0.14)

    def test_what_runs_beside_products_is_near(self):
        errors = [(sums["norm"] + sums["other"]) / (times["norm"] + times["other"]) - 1 for _, times, sums in steps()]
        self.assertLessEqual(mean(map(abs, errors)), 0.08)
        self.assertLessEqual(max(map(abs, errors)), 0.25)

    def test_optimizers_are_near(self):
        errors = [sums["optimizer"] / times["optimizer"] - 1 for _, times, sums in steps()]
        self.assertLessEqual(mean(map(abs, errors)), 0.10)


class StreamsOfTheH200(unittest.TestCase):
    def test_operators_are_near(self):
        """52 rows of stream.csv. Dropout's loop does not overlap its random numbers with its loads, which it does here."""
        found = tables.read_tables([str(VALIDATION / "stream.csv")])
        found.streams = [row for row in found.streams if row.machine == "h200"]
        rows.simulate(found, 2, lambda done: None)
        errors = {}
        for row in found.streams:
            errors.setdefault(row.op, []).append(abs(row.simulated / row.time - 1))
        self.assertEqual(sum(map(len, errors.values())), 52)
        self.assertLessEqual(mean(one for some in errors.values() for one in some), 0.08)
        self.assertEqual([op for op, some in errors.items() if mean(some) > 0.15], ["dropout"])


if __name__ == "__main__":
    unittest.main()
