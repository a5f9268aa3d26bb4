"""Tests of what a training step decides: masks, schedules, optimizers."""

import math
import unittest

import torch
from training_support import PEAK, conv, dense_scheme, scheme_on, timeline_of, violations

from stcsim.training.optimizer import Optimizer
from stcsim.training.plan import rate_factor
from stcsim.training.pruners import WeightPruner
from stcsim.training.pruning import prune

LAYER = conv(16, 32, 8, 3, 1, 1)


def pruner_of(scheme, timeline=None):
    return WeightPruner(scheme, scheme.rules[0], timeline or timeline_of(scheme), 1)


class Masks(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.before, self.after = torch.randn(2, 32, 3, 3, 16)

    def test_one_transposable_mask_serves_forward_and_dgrad(self):
        for name in ("transposable", "transposable-2-4", "fst", "torchao-semisparse"):
            scheme = scheme_on(LAYER, name)
            pruner = pruner_of(scheme)
            pruner.prepare(self.before, 0)
            self.assertTrue(torch.equal(pruner.dgrad, pruner.forward), name)
            for axis in (0, 3):
                self.assertEqual(violations(pruner.forward, axis, scheme.rules[0]["forward"].pattern), 0, name)

    def test_stay_for_their_period(self):
        scheme = scheme_on(LAYER, "transposable")
        pruner = pruner_of(scheme, timeline_of(scheme, 100, 400))  # 40 of 400 steps are 10 of 100
        pruner.prepare(self.before, 0)
        first = pruner.forward == 0
        for step, training, stays in ((9, True, True), (10, False, True), (10, True, False)):  # only training chooses anew
            pruner.prepare(self.after, step, training)
            self.assertEqual(torch.equal(pruner.forward == 0, first), stays, (step, training))

    def test_flips_are_counted_from_one_training_step_to_the_next(self):
        def kept(weights):
            values = weights.clone()
            prune(values.data_ptr(), values.shape, "magnitude", "2:4", axis=3, rows_axis=0)
            return values != 0

        pruner = pruner_of(scheme_on(LAYER, "sr-ste"))
        changed = int((kept(self.before) != kept(self.after)).sum())
        self.assertGreater(changed, 0)
        for weights, step, training in ((self.before, 0, True), (self.after, 1, True), (self.before, 1, False),
                                        (self.after, 2, True), (self.before, 3, True)):
            pruner.prepare(weights, step, training)
        self.assertEqual((pruner.flips, pruner.compared), (2 * changed, 3 * self.before.numel()))

    def test_of_asp_are_chosen_once_after_the_dense_half(self):
        pruner = pruner_of(scheme_on(LAYER, "asp"))
        pruner.prepare(self.before, 49)
        self.assertTrue(torch.equal(pruner.forward, self.before))
        self.assertIsNone(pruner.mask)
        pruner.prepare(self.before, 50)
        chosen = pruner.forward == 0
        self.assertEqual(violations(pruner.forward, 3, "2:4"), 0)
        self.assertTrue(torch.equal(pruner.mask == 0, chosen))
        pruner.prepare(self.after, 99)
        self.assertTrue(torch.equal(pruner.forward == 0, chosen))

    def test_of_bi_mask_have_their_patterns_in_their_order_of_rows(self):
        pruner = pruner_of(scheme_on(LAYER, "bi-mask"))
        for step in (0, 1, 5):
            pruner.prepare(self.after if step == 1 else self.before, step)
            self.assertEqual(violations(pruner.forward, 3, "2:4"), 0)
            self.assertEqual(sorted(pruner.order), list(range(32)))
            self.assertEqual(violations(pruner.dgrad[pruner.order], 0, "2:4"), 0, step)
            kept = pruner.dgrad != 0
            self.assertTrue(torch.equal(pruner.dgrad[kept], pruner.forward[kept]))

    def test_of_s_ste_freeze_the_scale_of_the_first_weights(self):
        def softened(weights, beta):
            values = weights.clone()
            beta = prune(values.data_ptr(), values.shape, "s-ste", "2:4", axis=3, rows_axis=0, beta=beta).beta
            return values, beta

        scheme = scheme_on(LAYER, "s-ste-fp16")
        pruner = pruner_of(scheme)
        wanted, beta = softened(self.before, None)
        pruner.prepare(self.before, 0)
        self.assertTrue(torch.equal(pruner.forward, wanted))
        pruner.prepare(self.after, 1)
        self.assertTrue(torch.equal(pruner.forward, softened(self.after, beta)[0]))
        self.assertFalse(torch.equal(pruner.forward, softened(self.after, None)[0]))
        self.assertTrue(torch.equal(pruner.dgrad, pruner.forward))
        plain = pruner_of(scheme_on(LAYER, "s-ste-fp16", training={"scale": 1}))
        plain.prepare(self.after, 0)
        self.assertTrue(torch.equal(plain.forward, softened(self.after, 1.0)[0]))

    def test_leave_layers_alone_that_the_scheme_does_not_prune(self):
        pruner = pruner_of(scheme_on(LAYER, "fst", everywhere=False))  # linear layers of the FFN
        self.assertFalse(pruner.prunes)
        pruner.prepare(self.before, 0)
        self.assertTrue(torch.equal(pruner.forward, self.before))


class Timelines(unittest.TestCase):
    def test_follow_the_share_and_the_place_of_the_schemes_file(self):
        # 5/6, then dense; half, then sparse; trained, pruned, trained again
        for name, wanted in (("fst", range(500)), ("step", range(300, 600)), ("asp", range(300, 600)), ("sdgp", range(600))):
            timeline = timeline_of(scheme_on(LAYER, name), 600)
            self.assertEqual([step for step in range(600) if timeline.is_sparse(step)], list(wanted), name)

    def test_count_periods_as_parts_of_the_run(self):
        timeline = timeline_of(dense_scheme(), 600)
        self.assertEqual([timeline.period(steps) for steps in (0, 1, 40, 5000)], [0, 1, 1, 10])

    def test_raise_and_lower_the_learning_rate(self):
        for x, wanted in ((0, 0), (0.1, 0.5), (0.2, 1), (0.6, 0.5), (1, 0)):
            self.assertAlmostEqual(rate_factor(PEAK, x), wanted, places=14)
        for x, wanted in ((0, 1), (0.5, 0.5), (1, 0)):
            self.assertAlmostEqual(rate_factor({"type": "cosine", "rise": 0}, x), wanted, places=14)

    def test_go_through_the_schedule_twice_where_a_training_is_repeated(self):
        twice = timeline_of(scheme_on(LAYER, "asp"), 200)
        self.assertEqual([twice.rate_factor(step) for step in range(100)],
                         [twice.rate_factor(step + 100) for step in range(100)])


class Optimizers(unittest.TestCase):
    ADAMW = {"type": "adamw", "learning_rate": 0.1, "weight_decay": 0.01, "beta1": 0.9, "beta2": 0.98}

    @staticmethod
    def parameter(value):
        return torch.full((1,), float(value)).requires_grad_(True)

    def test_sgd_has_momentum_and_decays_weights_only(self):
        weight, other = self.parameter(2), self.parameter(2)
        options = {"type": "sgd", "learning_rate": 0.5, "weight_decay": 0.1, "momentum": 0.9}
        optimizer = Optimizer(options, [weight], [other])
        values, velocities = [2.0, 2.0], [0.0, 0.0]
        for gradient in (1.0, -0.5, 0.25):
            for at, (tensor, decay) in enumerate(((weight, 0.1), (other, 0.0))):
                tensor.grad = torch.full((1,), gradient)
                velocities[at] = 0.9 * velocities[at] + gradient + decay * values[at]
                values[at] -= 0.25 * velocities[at]
            optimizer.step(0.5, False)
            self.assertAlmostEqual(weight.item(), values[0], places=6)
            self.assertAlmostEqual(other.item(), values[1], places=6)

    def test_adamw_is_pytorchs_own_while_nothing_is_frozen(self):
        torch.manual_seed(2)
        start = torch.randn(4)
        own, reference = (start.clone().requires_grad_(True) for _ in range(2))
        optimizer = Optimizer(self.ADAMW, [own], [])
        wanted = torch.optim.AdamW([reference], lr=0.1, betas=(0.9, 0.98), eps=1e-8, weight_decay=0.01)
        for _ in range(5):
            own.grad = torch.randn(4)
            reference.grad = own.grad.clone()
            optimizer.step(1.0, False)
            wanted.step()
            self.assertTrue(torch.equal(own, reference))

    def test_adamw_goes_on_with_the_variance_it_had_when_frozen(self):
        weight = self.parameter(1)
        optimizer = Optimizer(self.ADAMW, [weight], [])
        w, m, v, frozen = 1.0, 0.0, 0.0, 0.0
        for step, gradient in enumerate((0.3, -0.2, 0.5, 4.0, -3.0, 2.0), 1):
            freezes = step > 3
            weight.grad = torch.full((1,), gradient)
            optimizer.step(1, freezes)
            m = 0.9 * m + 0.1 * gradient
            if not freezes:
                v = 0.98 * v + 0.02 * gradient * gradient
                frozen = v / (1 - 0.98 ** step)
            w *= 1 - 0.1 * 0.01
            w -= 0.1 * m / (1 - 0.9 ** step) / (math.sqrt(frozen) + 1e-8)
            self.assertAlmostEqual(weight.item(), w, delta=2e-6)


if __name__ == "__main__":
    unittest.main()
