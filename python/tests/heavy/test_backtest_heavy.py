"""A test of the back-test's times: one row in twenty is simulated again, some five seconds."""

import unittest
from pathlib import Path

from stcsim.evidence import backtest, errors

ROWS = Path(__file__).resolve().parents[3] / "results/backtest_rows.csv"
ONE_IN, JOBS = 20, 2


class PredictedTimes(unittest.TestCase):
    """Rows on machines that know no time of theirs."""

    @classmethod
    def setUpClass(cls):
        cls.again = backtest.predicted(backtest.measured(ONE_IN), JOBS)

    def test_rows_are_what_is_simulated(self):
        kept = backtest.read_rows(ROWS.read_text(encoding="utf-8"))[::ONE_IN]
        self.assertGreater(len(kept), 50)
        self.assertEqual(*([(row.where.line, row.simulated) for row in of_rows] for of_rows in (kept, self.again)))

    def test_gains_of_the_h100_are_within_the_bar(self):
        points = errors.points_of([row for row in self.again if row.machine in ("h100_sxm", "h100_pcie")], "speedup")
        self.assertGreater(len(points), 9)
        off = [abs(said / was - 1) for was, said in points]
        self.assertLessEqual(sum(off) / len(off), 0.15)


if __name__ == "__main__":
    unittest.main()
