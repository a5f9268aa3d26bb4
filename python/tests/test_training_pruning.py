"""Tests of the pruning functions as Python calls them: exact values of small tensors."""

import ctypes
import unittest

from stcsim._process import Error
from stcsim.training.pruning import prune


def pruned(values, shape, scheme, pattern, **options):
    numbers = (ctypes.c_float * len(values))(*values)
    result = prune(numbers, shape, scheme, pattern, **{"axis": 1, "rows_axis": 0, **options})
    return list(numbers), result


class Pruning(unittest.TestCase):
    def test_keeps_the_largest_along_the_axis(self):
        values = [1, -4, 3, 2, 8, 7, -6, 5]
        self.assertEqual(pruned(values, (2, 4), "magnitude", "2:4")[0], [0, -4, 3, 0, 8, 7, 0, 0])
        self.assertEqual(pruned(values, (2, 4), "magnitude", "1:2", axis=0, rows_axis=1)[0],
                         [0, 0, 0, 0, 8, 7, -6, 5])

    def test_gives_the_scale_that_s_ste_used(self):
        # S(w) = (2, 0, 0, 4) of (4, 1, 2, 6): <w, S(w)> / |S(w)|^2 = 32 / 20
        values, result = pruned([4, 1, 2, 6], (1, 4), "s-ste", "2:4")
        self.assertAlmostEqual(result.beta, 1.6, places=6)
        self.assertAlmostEqual(values[3], 6.4, places=5)
        values, result = pruned([4, 1, 2, 6], (1, 4), "s-ste", "2:4", beta=1.0)
        self.assertEqual((values, result.beta), ([2, 0, 0, 4], 1.0))

    def test_draws_by_seed_and_draw(self):
        values = [1.0] * 256
        first, _ = pruned(values, (4, 64), "mvue", "2:4", seed=3, draw=5)
        self.assertEqual(first, pruned(values, (4, 64), "mvue", "2:4", seed=3, draw=5)[0])
        self.assertNotEqual(first, pruned(values, (4, 64), "mvue", "2:4", seed=3, draw=6)[0])
        self.assertNotEqual(first, pruned(values, (4, 64), "mvue", "2:4", seed=4, draw=5)[0])
        self.assertEqual(set(first), {0.0, 2.0})

    def test_gives_the_order_of_rows_of_bi_mask(self):
        values = [float(i % 7 - 3) for i in range(64)]
        ordered = pruned(values, (8, 8), "bi-mask", "2:4", orders_rows=True)[1].rows_order
        self.assertEqual(sorted(ordered), list(range(8)))
        self.assertEqual(pruned(values, (8, 8), "magnitude", "2:4")[1].rows_order, [])

    def test_says_what_is_wrong(self):
        with self.assertRaisesRegex(Error, "magnitud"):
            pruned([1, 2, 3, 4], (1, 4), "magnitud", "2:4")
        with self.assertRaisesRegex(Error, "inf"):
            pruned([1, 2, 3, float("inf")], (1, 4), "magnitude", "2:4")
        with self.assertRaisesRegex(Error, "pattern '2;4'"):
            pruned([1, 2, 3, 4], (1, 4), "magnitude", "2;4")


if __name__ == "__main__":
    unittest.main()
