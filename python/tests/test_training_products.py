"""Tests of the products of trainings: against autograd's own, against sums in fp64, against what pruning has to keep."""

import tempfile
import unittest
from pathlib import Path

import numpy
import torch
from torch.nn import functional
from training_support import (OF_LINEARS, SHIPPED, assert_close, conv, dense_scheme, gemm_of, linear, plan_of, random_input,
                              random_weight, scheme_on, schemes_on, timeline_of, violations)

from stcsim.training.gemm import cast, dgrad_product, forward_product
from stcsim.training.model import Model
from stcsim.training.pruners import to_plain
from stcsim.training.trainer import save_gradients


def as_image(tensor):
    """As images of one row of pixels, a linear is a 1x1 convolution."""
    if tensor.dim() == 4:
        return tensor.double()
    tokens = tensor.shape[1] if tensor.dim() == 3 else 1
    return tensor.reshape(len(tensor), tokens, 1, -1).permute(0, 3, 1, 2).double()


def as_filter(weight):
    return weight.double().reshape(*weight.shape, *[1] * (4 - weight.dim()))


class Operands:
    """What the products of a layer that has run once took."""

    def __init__(self, gemm, x, dy):
        self.forward_x, self.forward_w = gemm.operand("forward", "activation", x), gemm.forward_weight
        self.dgrad_dy, self.dgrad_w = gemm.operand("dgrad", "output_gradient", dy), gemm.dgrad_weight
        self.wgrad_dy, self.wgrad_x = gemm.operand("wgrad", "output_gradient", dy), gemm.operand("wgrad", "activation", x)


def plain_products(layer, own):
    """The three products by their definitions, a sum over the taps, in fp64: Y, dX, dW."""
    stride, pad = layer.stride, [layer.pad] * 4
    x, wgrad_x = (functional.pad(as_image(tensor), pad) for tensor in (own.forward_x, own.wgrad_x))
    dy, wgrad_dy = as_image(own.dgrad_dy), as_image(own.wgrad_dy)
    w, dgrad_w = as_filter(own.forward_w), as_filter(own.dgrad_w)
    y, dx, dw = torch.zeros_like(dy), torch.zeros_like(x), torch.zeros_like(w)
    height, width = dy.shape[2:]
    for r in range(w.shape[2]):
        for s in range(w.shape[3]):
            taken = (slice(None), slice(None), slice(r, r + stride * (height - 1) + 1, stride),
                     slice(s, s + stride * (width - 1) + 1, stride))
            y += torch.einsum("oc,bchw->bohw", w[:, :, r, s], x[taken])
            dx[taken] += torch.einsum("oc,bohw->bchw", dgrad_w[:, :, r, s], dy)
            dw[:, :, r, s] = torch.einsum("bohw,bchw->oc", wgrad_dy, wgrad_x[taken])
    return y, dx[:, :, layer.pad:dx.shape[2] - layer.pad, layer.pad:dx.shape[3] - layer.pad], dw


class Trial:
    """A layer with a scheme, run forward and backward once."""

    def __init__(self, layer, scheme, step):
        self.x = random_input(layer, 4).requires_grad_(True)
        self.weight = random_weight(layer).requires_grad_(True)
        self.gemm = gemm_of(layer, scheme, self.weight, 11)
        self.gemm.prepare(step)
        self.y = self.gemm.forward(self.x)
        self.dy = torch.randn(self.y.shape)
        self.y.backward(self.dy)
        self.operands = Operands(self.gemm, self.x.detach(), self.dy)


class DenseGradients(unittest.TestCase):
    def check(self, layer, samples, run):
        x, weight = random_input(layer, samples), random_weight(layer)
        results = []
        for run_one in (lambda own_x, own: gemm_of(layer, dense_scheme(), own).forward(own_x), run):
            own_x, own = x.clone().requires_grad_(True), weight.clone().requires_grad_(True)
            y = run_one(own_x, own)
            torch.manual_seed(7)
            (y * torch.randn(y.shape)).sum().backward()
            results.append((y.detach(), own_x.grad, own.grad))
        for name, got, wanted in zip(("output", "input gradient", "weight gradient"), *results):
            assert_close(self, got, wanted, f"{name} of {layer}, {samples} samples")

    def test_of_convolutions_are_autograds_own(self):
        torch.manual_seed(1)
        for layer in (conv(3, 16, 16, 3, 1, 1), conv(16, 32, 16, 3, 2, 1), conv(5, 7, 9, 3, 2, 0), conv(8, 8, 7, 5, 3, 2),
                      conv(4, 6, 5, 1, 1, 0), conv(4, 6, 5, 1, 2, 0), conv(8, 16, 6, 3, 1, 1, groups=4)):
            for samples in (1, 3, 32):
                self.check(layer, samples, lambda x, w, own=layer: functional.conv2d(x, w, None, own.stride, own.pad, 1, own.groups))

    def test_of_linear_layers_are_autograds_own(self):
        torch.manual_seed(1)
        for layer in (linear(64, 10, 1), linear(64, 128, 32), linear(7, 5, 3)):
            for samples in (1, 5, 32):
                self.check(layer, samples, functional.linear)


class SmallGradients(unittest.TestCase):
    def test_that_fp16_would_lose_are_counted_if_asked(self):
        layer = linear(64, 128, 32)
        x, weight = random_input(layer, 1).requires_grad_(True), random_weight(layer).requires_grad_(True)
        gemm = gemm_of(layer, dense_scheme(), weight)
        dy = torch.ones(gemm.forward(x).shape)
        # Half of fp16's smallest number rounds to 0, more to that number; zeros are no loss.
        dy.view(-1)[:5] = torch.tensor([2.0**-25, -2.0**-25, 1.01 * 2.0**-25, 0.0, 1e-30])
        gemm.forward(x).backward(dy)
        self.assertIsNone(gemm.fp16_zeros)
        gemm.fp16_zeros = (0, 0)
        gemm.forward(x).backward(dy)
        self.assertEqual(gemm.fp16_zeros, (3, dy.numel()))


class DenseModels(unittest.TestCase):
    def check(self, name, inputs, reference):
        """Gradients of all parameters by the model and by a reference, which computes the same logits of them."""
        model = Model(plan_of(name, ["dense"]), dense_scheme(20), 3)
        parameters = [*model.weights, *model.others]
        model.prepare(0)
        logits = model.forward(inputs, True)
        direction = torch.randn(logits.shape)
        own = torch.autograd.grad((logits * direction).sum(), parameters)
        wanted = reference(model)
        assert_close(self, logits.detach(), wanted.detach(), "logits")
        for got, gradient in zip(own, torch.autograd.grad((wanted * direction).sum(), parameters)):
            # The bias of keys has no effect: its gradient is rounding alone.
            self.assertLessEqual(float((got - gradient).abs().max()), 1e-4 * float(gradient.abs().max()) + 1e-5, got.shape)

    def test_residual_network_is_the_one_written_by_hand(self):
        torch.manual_seed(5)
        pixels = torch.randn(8, 16, 16, 3)

        def by_hand(model):
            w, o = model.weights, model.others

            def block(x, i, stride):
                y = functional.conv2d(x, w[i], None, stride, 1)
                return torch.relu(functional.batch_norm(y, None, None, o[2 * i], o[2 * i + 1], True, 0.1, 1e-5))

            x = block(block(pixels.permute(0, 3, 1, 2), 0, 1), 1, 2)
            x = x + block(block(x, 2, 1), 3, 1)
            x = block(x, 4, 2)
            x = x + block(block(x, 5, 1), 6, 1)
            return functional.linear(x.mean((2, 3)), w[7], o[14])

        self.check("tiny_resnet9", pixels.numpy(), by_hand)

    def test_transformer_is_the_one_written_by_hand(self):
        torch.manual_seed(6)
        tokens = torch.randint(16, (4, 32))

        def by_hand(model):
            weights, others = iter(model.weights), iter(model.others)
            *_, embedding, position, scale, shift = model.others

            def linear_of(x):
                return functional.linear(x, next(weights), next(others))

            def before_norm(x):  # scale and shift of a layer's normalisation stand before its bias
                norm = (next(others), next(others))
                return linear_of(x), lambda y: functional.layer_norm(y, (64,), *norm, 1e-5)

            def heads(x):
                return x.view(4, 32, 4, 16).transpose(1, 2)

            x = functional.embedding(tokens, embedding) + position
            normal = functional.layer_norm(x, (64,), scale, shift, 1e-5)
            for _ in range(2):
                q, k, v = (heads(linear_of(normal)) for _ in range(3))
                p = torch.softmax(q @ k.transpose(2, 3) / 4.0 + torch.ones(32, 32).tril().log(), -1)
                mixed, norm = before_norm((p @ v).transpose(1, 2).reshape(-1, 32, 64))
                x = x + mixed
                down, last = before_norm(torch.relu(linear_of(norm(x))))
                x = x + down
                normal = last(x)
            return linear_of(normal)

        self.check("tiny_transformer", tokens.numpy(), by_hand)


class ShippedSchemes(unittest.TestCase):
    def check_patterns(self, trial, rules, sparse):
        """The pattern holds along the axis over which the phase's product reduces; the rest of the operands is as it was."""
        own = trial.operands

        def pruned(phase, tensor):
            return rules[phase].pattern if sparse and rules[phase].tensor == tensor else ""

        for got, before, pattern in (
                (own.forward_x, trial.x.detach(), pruned("forward", "activation")),
                (own.forward_w, trial.weight.detach(), pruned("forward", "weight")),
                (own.dgrad_dy, trial.dy, pruned("dgrad", "output_gradient"))):
            self.assertEqual(torch.equal(got, before), not pattern)
            if pattern:
                self.assertEqual(violations(to_plain(got), 3, pattern), 0)
        dgrad = pruned("dgrad", "weight")
        if dgrad and not trial.gemm.pruner.order:
            self.assertEqual(violations(to_plain(own.dgrad_w), 0, dgrad), 0)
        elif not dgrad:
            self.assertTrue(torch.equal(own.dgrad_w, own.forward_w))
        for got, before, kind in ((own.wgrad_x, trial.x.detach(), "activation"), (own.wgrad_dy, trial.dy, "output_gradient")):
            pattern = pruned("wgrad", kind)
            rows, all_rows = (to_plain(tensor).reshape(-1, to_plain(tensor).shape[-1]) for tensor in (got, before))
            as_before = (rows == all_rows).all(0)
            self.assertEqual(int(as_before.sum()), rules["wgrad"].dense_channels if pattern else rows.shape[1])
            if pattern:
                self.assertEqual(violations(rows.masked_fill(as_before, 0), 0, pattern), 0)

    def test_products_are_those_of_the_pruned_operands(self):
        torch.manual_seed(1)
        for layer in (conv(16, 32, 8, 3, 2, 1), conv(8, 16, 5, 3, 1, 1), linear(16, 24, 8), linear(48, 16, 1)):
            names = [name for name in SHIPPED if layer.kind == "linear" or name not in OF_LINEARS]
            for name, scheme in schemes_on(layer, names).items():
                for step in (0, 60, 99):  # dense or sparse, as the scheme's shares say
                    with self.subTest(layer=layer, scheme=name, step=step):
                        trial = Trial(layer, scheme, step)
                        self.check_patterns(trial, scheme.rules[0], timeline_of(scheme).is_sparse(step))
                        y, dx, dw = plain_products(layer, trial.operands)
                        assert_close(self, as_image(trial.y.detach()), y, "Y")
                        assert_close(self, as_image(trial.x.grad), dx, "dX")
                        assert_close(self, as_filter(trial.weight.grad), dw, "dW")


def largest(group, count):
    """What brute force keeps of each row: the largest, of equal ones the first."""
    kept = numpy.zeros_like(group)
    for row, numbers in enumerate(group):
        for at in sorted(range(len(numbers)), key=lambda i: (-abs(numbers[i]), i))[:count]:
            kept[row, at] = numbers[at]
    return kept


class PrunedGradients(unittest.TestCase):
    def test_of_dgrad_keep_the_largest_channels_of_a_pixel(self):
        torch.manual_seed(2)
        layer = conv(8, 16, 4, 3, 1, 1)
        trial = Trial(layer, scheme_on(layer, "sdgp", dgrad={"prune": "magnitude", "pattern": "2:8"}), 0)
        before, after = (tensor.permute(0, 2, 3, 1).reshape(-1, 8).numpy() for tensor in (trial.dy, trial.operands.dgrad_dy))
        numpy.testing.assert_array_equal(after, largest(before, 2))

    def test_of_wgrad_keep_the_largest_tokens_of_a_channel(self):
        torch.manual_seed(3)
        layer = linear(8, 6, 8)
        trial = Trial(layer, scheme_on(layer, "mvue-2-4", wgrad={"prune": "magnitude"}), 0)
        before, after = (tensor.reshape(-1, 6).T.reshape(-1, 4).numpy() for tensor in (trial.dy, trial.operands.wgrad_dy))
        numpy.testing.assert_array_equal(after, largest(before, 2))

    def test_of_mvue_have_the_mean_of_the_gradient_and_the_least_variance(self):
        torch.manual_seed(4)
        layer, steps = linear(16, 32, 32), 2000
        weight, dy = random_weight(layer).requires_grad_(True), torch.randn(4, 32, 32)
        for name, scheme in schemes_on(layer, ("mvue-1-2", "mvue-2-4", "mvue-transposable")).items():
            gemm = gemm_of(layer, scheme, weight, 5, timeline=timeline_of(scheme, steps))
            total, squares = torch.zeros(dy.shape, dtype=torch.float64), 0.0
            for step in range(steps):
                gemm.prepare(step)
                apart = gemm.operand("wgrad", "output_gradient", dy).double() - dy
                total += apart
                squares += float(apart.square().sum()) / steps
            # About 1 if the estimate is unbiased: what is left of the mean, in units of what chance makes of it.
            ratio = float((total / steps).square().sum()) / (squares / steps)
            self.assertTrue(0.85 < ratio < 1.15, (name, ratio))
            if name == "mvue-1-2":  # of a pair (a, b), |a| + |b| is kept in the place of one: 2 |a| |b|
                pairs = dy.reshape(-1, 2, 32).abs()
                self.assertAlmostEqual(squares / float(2 * (pairs[:, 0] * pairs[:, 1]).sum()), 1, delta=0.02)

    def test_differ_from_step_to_step_and_are_the_same_for_the_same_seed(self):
        torch.manual_seed(5)
        layer = linear(16, 32, 32)
        scheme, dy, weight = scheme_on(layer, "mvue-2-4"), torch.randn(4, 32, 32), random_weight(layer).requires_grad_(True)

        def drawn(seed, step):
            gemm = gemm_of(layer, scheme, weight, seed)
            gemm.prepare(step)
            return gemm.operand("wgrad", "output_gradient", dy)

        self.assertTrue(torch.equal(drawn(5, 3), drawn(5, 3)))
        self.assertFalse(torch.equal(drawn(5, 3), drawn(5, 4)))
        self.assertFalse(torch.equal(drawn(5, 3), drawn(6, 3)))


class OutputGradients(unittest.TestCase):
    def test_are_kept_as_backward_gets_them(self):
        torch.manual_seed(1)
        for layer in (linear(16, 32, 8), conv(4, 8, 6, 3, 1, 1)):
            gemm = gemm_of(layer, scheme_on(layer, "mvue-2-4"), random_weight(layer).requires_grad_(True))
            gemm.prepare(0)
            x = random_input(layer, 4)
            for keeps in (False, True, True):
                gemm.keeps_output_gradient = keeps
                y = gemm.forward(x)
                dy = torch.randn(y.shape)
                (y * dy).sum().backward()
                self.assertEqual(gemm.output_gradient is not None and torch.equal(gemm.output_gradient, dy), keeps)
            with torch.no_grad():
                self.assertEqual(len(gemm.forward(x)), 4)

    def test_are_written_as_rows_of_channels(self):
        torch.manual_seed(3)
        model = Model(plan_of("tiny_resnet9", ["dense"]), dense_scheme(8), 3)
        pixels, direction = torch.randn(8, 16, 16, 3).numpy(), torch.randn(8, 10)
        with tempfile.TemporaryDirectory() as folder:
            for keeps in (False, True):
                if keeps:
                    model.keep_output_gradients()
                model.prepare(0)
                (model.forward(pixels, True) * direction).sum().backward()
                save_gradients(Path(folder), model)
                self.assertEqual((Path(folder) / "fc.npy").exists(), keeps)
            numpy.testing.assert_array_equal(numpy.load(Path(folder) / "fc.npy"), direction.numpy())
            # Of an image, a row is a pixel: conv1 has 16 x 16 of them, 16 channels.
            first = numpy.load(Path(folder) / "conv1.npy")
            self.assertEqual(first.shape, (8 * 256, 16))
            numpy.testing.assert_array_equal(first[256 + 16 * 2 + 5], model.gemms[0].output_gradient[1, :, 2, 5].numpy())


class Casts(unittest.TestCase):
    def check(self, numbers, dtype, wanted):
        self.assertEqual(cast(torch.tensor(numbers), dtype).tolist(), torch.tensor(wanted).tolist())

    def test_of_three_bits_are_to_nearest_even(self):
        # With 448 as the largest nothing is scaled. 17 and 19 lie between 16, 18 and 20; subnormal numbers are multiples of 2^-9.
        self.check([448, 17, 19, 21.5, -17, 0.0011, 0.0009, 1], "fp8_e4m3", [448, 16, 20, 22, -16, 0.001953125, 0, 1])

    def test_of_two_bits_have_a_larger_range(self):
        self.check([57344, 9, 11, 1e-4], "fp8_e5m2", [57344, 8, 12, 0.0001068115234375])

    def test_are_scaled_by_the_largest_magnitude(self):
        self.check([-254.0, 1, 3, 5, 0], "int8", [-254.0, 0, 4, 4, 0])
        self.check([896.0, 34], "fp8_e4m3", [896.0, 32])

    def test_leave_other_types_and_zeros_alone(self):
        self.check([0.1, 3], "fp16", [0.1, 3])
        self.check([0.0, 0], "int8", [0.0, 0])

    def test_of_products_are_of_what_each_phase_names(self):
        """S-STE as published: e4m3 forward, e5m2 of the dense gradient and the pruned weights backward."""
        layer = linear(16, 8, 4)
        gemm = gemm_of(layer, scheme_on(layer, "s-ste"), random_weight(layer).requires_grad_(True), casts=True)
        gemm.prepare(0)
        x = random_input(layer, 2).requires_grad_(True)
        y = gemm.forward(x)
        e4m3 = (cast(tensor, "fp8_e4m3") for tensor in (x.detach(), gemm.forward_weight))
        self.assertTrue(torch.equal(y.detach(), forward_product(layer, *e4m3)))
        self.assertFalse(torch.equal(y.detach(), forward_product(layer, x.detach(), gemm.forward_weight)))
        dy = torch.randn(y.shape)
        y.backward(dy)
        e5m2 = (cast(tensor, "fp8_e5m2") for tensor in (dy, gemm.dgrad_weight))
        self.assertTrue(torch.equal(x.grad, dgrad_product(layer, *e5m2, x.detach())))

    def test_are_none_in_dense_steps(self):
        layer = linear(16, 8, 4)
        scheme = scheme_on(layer, "step", forward={"dtype": "int8"})  # the first half is dense
        gemm = gemm_of(layer, scheme, random_weight(layer).requires_grad_(True), casts=True)
        x = random_input(layer, 2)
        for step in (0, 99):
            gemm.prepare(step)
            exact = forward_product(layer, x, gemm.forward_weight)
            self.assertEqual(torch.equal(gemm.forward(x).detach(), exact), step == 0)


if __name__ == "__main__":
    unittest.main()
