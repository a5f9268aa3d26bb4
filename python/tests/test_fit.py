"""`stcsim fit`: the method on functions whose minimum is known, and what a machine file says."""

import math
import unittest

from stcsim import fit
from stcsim.least_squares import minimise


def minimise_each(residuals, start, most=10.0, iterations=100):
    return minimise(lambda points: [residuals(*point) for point in points], start, most, iterations)


class LeastSquares(unittest.TestCase):
    def test_finds_the_line_of_least_squares(self):
        """y = a + b x through four points: the textbook's line, by 4 a + 6 b = 10, 6 a + 14 b = 20."""
        found = minimise_each(lambda a, b: [a + b * x - y for x, y in enumerate((1, 2, 2, 5))], [0.0, 0.0])
        self.assertAlmostEqual(found.at[0], 0.7, delta=0.01)
        self.assertAlmostEqual(found.at[1], 1.2, delta=0.01)

    def test_follows_rosenbrocks_valley(self):
        found = minimise_each(lambda x, y: [10 * (y - x * x), 1 - x], [-1.2, 1.0])
        self.assertAlmostEqual(found.at[0], 1, delta=0.01)
        self.assertAlmostEqual(found.at[1], 1, delta=0.02)

    def test_crosses_steps(self):
        """Numbers of a machine are rounded: derivatives are zero almost everywhere."""
        def rounded(x):
            return math.floor(30 * math.exp(x) + 0.5)
        found = minimise_each(lambda x: [math.log(rounded(x) / 47), math.log((rounded(x) + 100) / 147)], [0.0])
        self.assertEqual(rounded(found.at[0]), 47)

    def test_stays_within_its_bounds(self):
        self.assertEqual(minimise_each(lambda x, y: [x - 5, y + 5], [0.0, 0.0], 2.0).at, [2.0, -2.0])

    def test_leaves_what_nothing_depends_on_and_says_so(self):
        found = minimise_each(lambda x, y: [y - 0.5, y - 0.7], [0.25, 0.0])
        self.assertEqual(found.at[0], 0.25)
        self.assertAlmostEqual(found.at[1], 0.6, delta=1e-3)
        self.assertEqual(found.influence[0], 0)
        self.assertAlmostEqual(found.influence[1], math.sqrt(2), delta=1e-9)


class Machine(unittest.TestCase):
    def test_has_what_is_set_and_what_is_fitted(self):
        request = {"output": "cards/mine.yaml", "extends": "a100", "table": "times.csv",
                   "set": {"accelerator.num_sms": 98, "accelerator.sm.operand_selector.native_patterns": ["2:4"]}}
        self.assertEqual(fit.machine_text(request, {"accelerator.dram.bytes_per_clk": 700}, 20, "1 % off"),
                         "# Fitted by stcsim fit to 20 times of GEMMs in times.csv: 1 % off\n"
                         "accelerator:\n"
                         "  dram: {bytes_per_clk: 700}\n"
                         "  num_sms: 98\n"
                         "  sm:\n"
                         '    operand_selector: {native_patterns: ["2:4"]}\n'
                         "extends: a100\n"
                         "name: mine\n")

    def test_keys_are_whole_and_within_their_range(self):
        key = fit.Key("k", 100, 50, 180)
        self.assertEqual([key.at(math.log(factor)) for factor in (0.1, 1, 1.2345, 2)], [50, 100, 123, 180])


if __name__ == "__main__":
    unittest.main()
