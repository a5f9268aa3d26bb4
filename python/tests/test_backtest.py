"""Tests of the back-test: what is made of its rows, and what its machine files say."""

import math
import re
import unittest
from pathlib import Path

from stcsim.evidence import backtest, bands
from stcsim.evidence.model import GemmRow, Place, Times

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "configs/validation/backtest"
#: Whether the mean error of a pair's gains is within the bar. Where one changes, results/backtest.md says something else.
HOLDS = {"A100 to H100": True, "H100 to B200": False, "RTX 3090 to RTX 4090": False}


def body(path):
    """A table without its comments."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("#"))


def gemm(machine, off, time=50.0):
    """A dense row of many columns, simulated as long and measured e^off times as long."""
    return GemmRow(Place("t.csv", 1), "s", machine, "", 512, 512, 512, 1, "", "fp16", "dense", "", "testing", machine=machine,
                   measured=Times(time * math.exp(off)), simulated=Times(time))


def rows_of_pairs():
    return [gemm("h100_sxm", 0.1)] * 4 + [gemm("h100_pcie", 0.2)] * 2 + [gemm("b200", -0.2)] * 11 \
        + [gemm("b200", -0.9)] + [gemm("rtx4090", 0.3)] * 6 + [gemm("rtx4090", 0.0, 200.0)] * 5


class Cells(unittest.TestCase):
    """Errors of all pairs, each of which counts the same."""

    def test_pairs_count_the_same_in_means_and_bands(self):
        short, every = backtest.cells(rows_of_pairs())
        self.assertEqual((short.regime, short.rows, every.regime, every.rows), ("many columns short", 24, "", 29))
        off = [math.expm1(-value) for value in (0.1, 0.2, -0.2, -0.9, 0.3)]
        of_h100, of_b200 = (4 * off[0] + 2 * off[1]) / 6, (11 * off[2] + off[3]) / 12
        self.assertAlmostEqual(short.bias, (of_h100 + of_b200 + off[4]) / 3, places=12)
        self.assertAlmostEqual(short.mean_absolute_error, (-of_h100 + of_b200 - off[4]) / 3, places=12)
        # Of 25 parts, one for the next row, 8 are of each pair: 16 are above -0.1, 7.3 more at -0.2: 93 %. -0.9 is beyond 90 %.
        self.assertEqual(short.band, bands.Band((-0.9, 0.3), (-0.2, 0.3)))

    def test_a_regime_needs_six_rows_of_every_pair(self):
        rows = rows_of_pairs()
        self.assertEqual([cell.regime for cell in backtest.cells(rows[:18] + rows[19:])], [""])
        self.assertEqual(backtest.cells(rows_of_pairs()[6:]), [])


class ShippedTables(unittest.TestCase):
    """What `make backtest` wrote."""

    @classmethod
    def setUpClass(cls):
        cls.said = backtest.read_rows(body(ROOT / "results/backtest_rows.csv"))

    def test_errors_are_those_of_the_rows(self):
        self.assertEqual(body(ROOT / "configs/validation/backtest_errors.csv"), backtest.csv_text(self.said).replace("\r", ""))

    def test_pairs_hold_the_bar_or_not_as_the_page_says(self):
        means = {}
        for pair in backtest.PAIRS:
            points = [(row.measured.speedup or row.measured.dense / row.measured.sparse, row.simulated.speedup)
                      for row in self.said if row.machine in pair.files and row.simulated.speedup
                      and (row.measured.speedup or (row.measured.dense and row.measured.sparse))]
            means[pair.title] = sum(abs(said / was - 1) for was, said in points) / len(points)
        self.assertEqual({title: mean <= 0.15 for title, mean in means.items()}, HOLDS)
        text = (ROOT / "results/backtest.md").read_text(encoding="utf-8")
        for title, mean in means.items():
            self.assertIn(f"{title} ({100 * mean:.1f} %)", text)


class MachineFiles(unittest.TestCase):
    """The files of configs/validation/backtest."""

    def test_every_value_has_a_source_beside_or_above_it(self):
        files = sorted(FOLDER.glob("*.yaml"))
        self.assertEqual(len(files), 4)
        for file in files:
            lines = file.read_text(encoding="utf-8").splitlines()
            self.assertLessEqual(len(lines), 120, file.name)
            for before, line, after in zip(["", *lines], lines, [*lines[1:], ""]):
                stated = re.match(r" *([a-z_0-9]+):(?! *$)", line)
                opens_list = re.match(r" *[a-z_]+: *$", line) and re.match(r" *(- |\[)", after)
                if (stated and stated[1] not in ("extends", "name", "description")) or opens_list:
                    self.assertTrue(re.search(r" # ?\S", line) or before.lstrip().startswith("#"), f"{file.name}: {line}")

    def test_a_short_name_that_a_comment_cites_is_explained(self):
        rules = set(re.findall(r"^#   \[(\w+)\]", (FOLDER / "h100_from_a100.yaml").read_text(encoding="utf-8"), re.M))
        for file in FOLDER.glob("*.yaml"):
            text = file.read_text(encoding="utf-8")
            explained = rules | set(re.findall(r"^#(?:   | Source: )\[(\w+)\]", text, re.M))
            self.assertLessEqual(set(re.findall(r"# .*?\[(\w+)\]", text)), explained, file.name)


if __name__ == "__main__":
    unittest.main()
