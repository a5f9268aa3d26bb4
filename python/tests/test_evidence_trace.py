"""Tests of a profile beside its simulation: what is counted as what, what is paired, what is said."""

import io
import json
import re
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

from stcsim import Error
from stcsim.evidence import __main__ as command
from stcsim.evidence import trace, trace_report

NETWORK = """
name: two_layers
description: a convolution without, a linear layer with a bias
batch: 1
optimizer: sgd_momentum
layers:
  - {name: fc, type: linear, in_features: 256, out_features: 128, tokens: 512, bias: true, after: [bias, relu]}
"""


class Profile:
    """Events of a step, each launch one microsecond after the one before; kernels of 10 us and more in a row."""

    def __init__(self):
        self.events, self.time, self.correlation = [], 1000.0, 0
        self.gpu_time = 2000.0

    def op(self, name, inside=(), thread=1, length=10.0, dims=(), **args):
        """An operator; `inside` are functions that add what it calls."""
        start = self.time
        self.time += 1
        for add in inside:
            add()
        end = max(start + length, self.time + 1)
        self.time = end + 1
        self.events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": thread, "ts": start,
                            "dur": end - start, "args": {"Input Dims": list(dims), **args}})

    def launch(self, kernel, us, thread=1, category="kernel"):
        self.correlation += 1
        self.events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": thread,
                            "ts": self.time, "dur": 0.5, "args": {"correlation": self.correlation}})
        self.time += 1
        self.events.append({"ph": "X", "cat": category, "name": kernel, "pid": 0, "tid": 7, "ts": self.gpu_time,
                            "dur": us, "args": {"correlation": self.correlation}})
        self.gpu_time += us + 1

    def phase(self, name, add):
        start = self.time
        self.time += 1
        add()
        self.time += 1
        self.events.append({"ph": "X", "cat": "user_annotation", "name": name, "pid": 1, "tid": 1, "ts": start,
                            "dur": self.time - start})

    def write(self, folder):
        path = Path(folder) / "step.json"
        path.write_text(json.dumps({"deviceProperties": [{"id": 0, "name": "A GPU"}], "traceEvents": self.events}))
        return str(path)


def small_step(with_marks=True):
    """An autocast linear layer with ReLU, its backward on another thread, an optimizer."""
    one = Profile()
    addmm = [[128], [512, 256], [256, 128]]

    def forward():
        one.op("aten::linear", [
            lambda: one.op("aten::to", [lambda: one.op("aten::copy_", [lambda: one.launch("copy<bf16>", 3)])]),
            lambda: one.op("aten::addmm", [lambda: one.launch("Memset (Device)", 1, category="gpu_memset"),
                                           lambda: one.launch("nvjet_tst", 20)], dims=addmm, **{"Sequence number": 5})],
               dims=[[512, 256], [128, 256], [128]])
        one.op("aten::relu", [lambda: one.op("aten::clamp_min_", [lambda: one.launch("vectorized<relu>", 4)])])

    def backward():
        def node(name, inside):
            one.op("autograd::engine::evaluate_function: " + name, [lambda: one.op(name, inside, 2, **{
                "Sequence number": 5, "Fwd thread id": 1})], 2)

        node("ReluBackward0", [lambda: one.op("aten::threshold_backward", [lambda: one.launch("relu_back", 6, 2)], 2)])
        node("AddmmBackward0", [
            lambda: one.op("aten::mm", [lambda: one.launch("nvjet_nn", 21, 2)], 2, dims=[[512, 128], [128, 256]]),
            lambda: one.op("aten::mm", [lambda: one.launch("nvjet_nt", 22, 2),
                                        lambda: one.launch("splitKreduce", 2, 2)], 2, dims=[[128, 512], [512, 256]]),
            lambda: one.op("aten::sum", [lambda: one.launch("reduce_kernel<512>", 5, 2)], 2)])

    def step():
        one.op("aten::_foreach_add_", [lambda: one.launch("multi_tensor_apply_kernel", 7)])
        one.op("aten::fill_", [lambda: one.launch("FillFunctor", 1)])

    if with_marks:
        for name, add in (("phase:forward", forward), ("phase:backward", backward), ("phase:optimizer", step)):
            one.phase(name, add)
    else:
        forward()
        backward()
        one.phase("Optimizer.step#SGD.step", step)
    return one


class Trace(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory()) if hasattr(self, "enterContext") else None
        if self.folder is None:
            held = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
            self.addCleanup(held.cleanup)
            self.folder = held.name
        self.network = str(Path(self.folder) / "two_layers.yaml")
        Path(self.network).write_text(NETWORK)

    def compared(self, profile, network=True):
        return trace.compare(profile.write(self.folder), ["--arch=a100", "--dtype=bf16"],
                             self.network if network else "")

    def test_what_ran_is_counted_by_operator_and_phase_of_its_launch(self):
        expected = {("forward", "copies", "aten::copy_", "aten::linear"): (1, 3),
                    ("forward", "memset", "aten::addmm", "aten::linear"): (1, 1),
                    ("forward", "product", "aten::addmm", "aten::linear"): (1, 20),
                    ("forward", "elementwise", "aten::clamp_min_", "aten::relu"): (1, 4),
                    ("backward", "elementwise", "aten::threshold_backward", "ReluBackward0"): (1, 6),
                    ("backward", "product", "aten::mm", "AddmmBackward0"): (3, 45),
                    ("backward", "reductions", "aten::sum", "AddmmBackward0"): (1, 5),
                    ("optimizer", "optimizer", "aten::_foreach_add_", "aten::_foreach_add_"): (1, 7),
                    ("optimizer", "optimizer", "aten::fill_", "aten::fill_"): (1, 1)}
        for with_marks in (True, False):
            found = {}
            for one in self.compared(small_step(with_marks)).measured:
                key = (one.phase, one.kind, one.operator, one.around)
                count, us = found.get(key, (0, 0))
                found[key] = (count + one.count, round(us + one.us, 6))
            self.assertEqual(found, expected, with_marks)

    def test_the_parts_of_the_step_are_its_span(self):
        profile = self.compared(small_step()).profile
        # Eleven events with a microsecond between them, of which one is a memset.
        self.assertEqual({key: profile[key] for key in ("kernels_us", "fills_us", "copies_us", "idle_us", "span_us")},
                         {"kernels_us": 91, "fills_us": 1, "copies_us": 0, "idle_us": 10, "span_us": 102})
        self.assertEqual((profile["gpu"], profile["step"], profile["overlapping_us"]), ("A GPU", "", 0))

    def test_products_are_paired_by_phase_and_size(self):
        products = {one.phase: one for one in self.compared(small_step()).products}
        self.assertEqual({phase: (one.sizes, one.measured_us, one.measured_count, one.simulated_count)
                          for phase, one in products.items()},
                         {"forward": ((128, 512, 256, 1), 20, 1, 1), "dgrad": ((256, 512, 128, 1), 21, 1, 1),
                          "wgrad": ((128, 256, 512, 1), 24, 1, 1)})
        for one in products.values():
            self.assertAlmostEqual(one.ratio, one.simulated_us / one.measured_us)

    def test_a_product_of_one_side_is_listed(self):
        Path(self.network).write_text(NETWORK.replace("128, tokens", "64, tokens"))
        one = self.compared(small_step())
        self.assertEqual(sorted((bool(product.measured_us), product.sizes[:2]) for product in one.products
                                if product.phase == "forward"), [(False, (64, 512)), (True, (128, 512))])
        text = trace_report.text(one, 100)
        self.assertIn("products that are only measured", text)
        self.assertIn("products that are only simulated", text)

    def test_sums_are_those_of_the_kernels_and_of_the_simulated_step(self):
        one = self.compared(small_step())
        self.assertEqual([one.sums(kinds)[0] for kinds in one.groups.values()], [65, 8, 19])
        self.assertNotIn("norm", one.groups)  # the profile has none
        simulated = sum(one.sums(kinds)[1] for kinds in one.groups.values())
        waits = one.total["kinds"]["launches"]["time_us"]
        gaps = 13 * 1.0  # 13 kernels; in the profile 1 us is from an end to the next start
        self.assertAlmostEqual(simulated, one.total["step"]["time_us"] - waits - gaps, places=6)
        sums = trace_report.document(one, "1")["sums"]
        self.assertEqual(sum(row["measured_us"] for row in sums if row["kind"] == "all"),
                         sum(row["measured_us"] for row in sums if row["kind"] != "all"))

    def test_gaps_that_are_waits_for_the_host_do_not_count(self):
        starts = (0, 3, 7, 20, 21)
        events = [{"start_us": start, "us": 2} for start in starts]
        self.assertEqual(trace.gap_us(events), 1.5)  # of 1 and 2: 11 is a wait, and the last begins before an end
        self.assertEqual(trace.gap_us(events[:1]), 0)

    def test_the_first_line_is_the_answer(self):
        text = trace_report.text(self.compared(small_step()), 1000)
        self.assertRegex(text, r"^measured kernels 92\.0 us, simulated [\d.]+ us \([+-]\d+ %\); products [+-]\d+ %, "
                               r"optimizer [+-]\d+ %, all else [+-]\d+ %; the host: 102 us from the first to the last "
                               r"event on the GPU, 10\.0 us of it idle; simulated step by the clock [\d.]+ us\n")
        alone = trace_report.text(self.compared(small_step(), False), 1000)
        self.assertRegex(alone, r"^measured products of the profile 65\.0 us, simulated [\d.]+ us \([+-]\d+ %\); ")

    def test_every_form_has_every_kernel(self):
        one = self.compared(small_step())
        for text in (trace_report.text(one, 200), trace_report.markdown(one)):
            for row in one.measured:
                if row.kind not in trace.GROUPS["products"]:
                    self.assertIn(row.operator, text)
        self.assertEqual(len(re.findall(r"(?m)^# ", trace_report.markdown(one))), 1)

    def test_the_command_writes_json(self):
        out = io.StringIO()
        with redirect_stdout(out):
            code = command.main(["trace", small_step().write(self.folder), "--arch=a100", "--dtype=bf16",
                                 f"--network={self.network}", "--format=json"])
        document = json.loads(out.getvalue())
        self.assertEqual((code, document["schema"], document["network"]), (0, "stcsim.trace/1", "two_layers"))
        self.assertEqual(sum(row["us"] for row in document["measured"]), 92)

    def test_a_short_file_is_refused_by_name(self):
        one = small_step()
        path = Path(one.write(self.folder))
        path.write_text(path.read_text()[:700])
        for name, why in ((str(path), "cut off after 2 operators"), ("/nowhere.json", "cannot be read")):
            with self.assertRaisesRegex(Error, f"{re.escape(name)}: error: .*{why}"):
                trace.compare(name, ["--arch=a100"])


class Names(unittest.TestCase):
    def test_of_kernels_are_short(self):
        for long, short in (
                ("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, x>(int)",
                 "vectorized_elementwise_kernel CUDAFunctor_add"),
                ("nvjet_sm90_tst_128x256_64x4", "nvjet_sm90_tst_128x256_64x4"),
                ("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>(int)",
                 "vectorized_layer_norm_kernel"), ("Memset (Device)", "Memset ")):
            self.assertEqual(trace.short_name(long), short)

    def test_of_compiled_kernels_tell_their_kind(self):
        event = {"what": "kernel", "product": "", "phase": "forward", "operator": "x", "around": "x"}
        for name, kind in (("triton_red_fused_native_layer_norm_1", "norm"), ("triton_per_fused__log_softmax_2",
                           "softmax and loss"), ("triton_poi_fused_gelu_3", "fused")):
            self.assertEqual(trace.kind_of({**event, "name": name}), kind)


class Zeros(unittest.TestCase):
    def test_are_of_the_dgrad_of_their_layer(self):
        rows = [{"layer": "a", "phase": "dgrad", "op": "gemm", "time_us": 5.0},
                {"layer": "a", "phase": "other", "op": "zero_fill backward", "time_us": 3.0},
                {"layer": "b", "phase": "other", "op": "zero_fill backward", "time_us": 2.0},
                {"layer": "a", "phase": "other", "op": "relu backward", "time_us": 1.0}]
        self.assertEqual([(row["layer"], row["op"], row["time_us"]) for row in trace.with_zeros(rows)],
                         [("a", "gemm", 8.0), ("b", "zero_fill backward", 2.0), ("a", "relu backward", 1.0)])


if __name__ == "__main__":
    unittest.main()
