"""The pairs that are sealed and measured: that both sides are what was predicted. Times with a fake of PyTorch; the networks
are built by PyTorch where it is installed, on the CPU."""

import contextlib
import importlib
import importlib.util
import io
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from stcsim._process import call

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path += [str(REPOSITORY / "measure"), str(REPOSITORY / "scripts/predictions")]

import measure  # noqa: E402
import pairs  # noqa: E402
import predict_pairs  # noqa: E402

PREDICTIONS = measure.read_predictions(REPOSITORY / "results/predictions.csv")


class Pairs(unittest.TestCase):
    def test_those_that_are_sealed_are_those_that_are_measured(self):
        asked = [(pair.name, pairs.hash_of(pair)) for pair in pairs.PAIRS]
        self.assertEqual(len(dict(asked)), 30)
        found = {}
        for row in (row for row in PREDICTIONS if row["kind"] == "pair"):
            found.setdefault(row["machine"], []).append((row["network"], row["config_hash"]))
        self.assertEqual(found, {machine: asked for machine in ("h200", "h100_sxm", "a100", "rtx5080", "b200")})

    def test_ratios_lie_within_intervals_that_have_a_width(self):
        for row in (row for row in PREDICTIONS if row["kind"] == "pair"):
            first, second, ratio, low, high = (float(row[key]) for key in (
                "dense_us", "sparse_us", "speedup", "speedup_low", "speedup_high"))
            self.assertTrue(math.isclose(first / second, ratio, rel_tol=2e-4), row)
            self.assertTrue(low < ratio < high, row)

    def test_a_change_of_either_side_or_of_its_network_changes_the_hash(self):
        pair = next(pair for pair in pairs.PAIRS if pair.name == "fused_llama3_1b_l8_b1")
        before = pairs.hash_of(pair)
        self.assertNotEqual(pairs.hash_of(pair._replace(second=pair.second._replace(batch=2))), before)
        wider = {**pairs.NETWORKS, "llama3_1b_l8": pairs.Network("llama", {**pairs.LLAMA, "inner": 8193})}
        with mock.patch.object(pairs, "NETWORKS", wider):
            self.assertNotEqual(pairs.hash_of(pair), before)

    def test_networks_have_the_parameters_that_the_program_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, network in pairs.NETWORKS.items():
                file = REPOSITORY / "configs" / network.file
                if not network.file:
                    file = Path(folder) / f"{name}.yaml"
                    entry = predict_pairs.network_of(pairs.Step(name, 1))
                    file.write_text(json.dumps({"description": "a pair's", **entry}), encoding="utf-8")
                counted = json.loads(call(["list", "layers", str(file), "--format=json"]))
                self.assertEqual((counted["parameters"], name), (pairs.parameters(network), name))

    def test_generated_layers_are_those_of_the_shipped_networks(self):
        for name, layers in (
                ("networks/nanogpt_124m.yaml", predict_pairs.gpt_layers(768, 12, 12, 1024, 50304)),
                ("validation/networks/mlp_1024_4096.yaml", predict_pairs.mlp_layers(1024, 4096))):
            shipped = json.loads(call(["list", "yaml", str(REPOSITORY / "configs" / name), "--format=json"]))["content"]
            self.assertEqual(layers, shipped["layers"])

    def test_a_replay_is_its_framework_without_the_host(self):
        steps = [("resnet50", 8, "eager"), ("resnet50", 8, "compiled"), ("llama3_1b_l8", 1, "eager"),
                 ("mlp_1024_2731", 1, "graph")]
        self.assertEqual([predict_pairs.framework_of(pairs.Step(*step)) for step in steps], [
            "pytorch_2_11_eager", "pytorch_2_11_compiled", "pytorch_2_11_eager_bf16", "pytorch_2_11_part"])
        self.assertEqual(predict_pairs.framework_of(pairs.Step("resnet50", 8, "compiled graph")), {
            "extends": "pytorch_2_11_compiled", "name": "pytorch_2_11_compiled_graph",
            "launch": {"host_us": 0, "host_read_before_optimizer": False}})

    @unittest.skipUnless(shutil.which("node"), "needs node")
    def test_what_is_sealed_is_not_predicted_again(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "predictions.csv"
            shutil.copy(REPOSITORY / "results/predictions.csv", file)
            done = subprocess.run(["node", "scripts/predictions/predictions.mjs", "/bin/false", str(file), "h200", "b200"],
                                  cwd=REPOSITORY, capture_output=True, text=True, check=True, env={**os.environ, "KINDS": ""})
            self.assertEqual(done.stderr, f"{file}: 0 lines added; what is sealed stays.\n")
            self.assertEqual(file.read_bytes(), (REPOSITORY / "results/predictions.csv").read_bytes())


def fake_torch(launch_ms):
    """What timing.py needs of PyTorch: events that a launch moves on."""
    torch, cuda = types.ModuleType("torch"), types.SimpleNamespace()
    clock = types.SimpleNamespace(now=0.0)

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self):
            self.at = clock.now

        def elapsed_time(self, end):
            return end.at - self.at

    class Graph:
        calls = 0

        def replay(self):
            clock.now += self.calls * launch_ms

    @contextlib.contextmanager
    def graph(one):
        before = clock.now
        yield
        one.calls, clock.now = round((clock.now - before) / launch_ms), before

    stream = types.SimpleNamespace(wait_stream=lambda other: None)
    vars(cuda).update(Event=Event, CUDAGraph=Graph, graph=graph, Stream=lambda: stream, current_stream=lambda: stream,
                      stream=lambda one: contextlib.nullcontext(), synchronize=lambda: None, empty_cache=lambda: None,
                      clock_rate=lambda: 1980, power_draw=lambda: 699600, get_device_name=lambda: "NVIDIA H200")
    torch.cuda, torch.version, torch.__version__ = cuda, types.SimpleNamespace(cuda="13.0"), "2.11.0"
    torch.launch = lambda: setattr(clock, "now", clock.now + launch_ms)
    return torch


class Timing(unittest.TestCase):
    def setUp(self):
        self.torch = fake_torch(launch_ms=0.25)
        with mock.patch.dict(sys.modules, {"torch": self.torch}):
            sys.modules.pop("timing", None)
            self.timing = importlib.import_module("timing")
        sys.modules.pop("timing", None)

    def test_a_call_takes_its_share_of_those_in_a_row(self):
        for calls in (0, 1, 20):
            self.assertEqual(self.timing.measured("", lambda: self.torch.launch, 0.1, calls), ("250.000", "1980 MHz 700 W"))

    def test_what_pytorch_refuses_is_empty_and_said(self):
        def refuse():
            raise RuntimeError("not on this card\nwhy")

        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertEqual(self.timing.measured("8x8x8", refuse, 0.1, 20), ("", ""))
        self.assertEqual(said.getvalue(), "8x8x8: not on this card\n")

    def test_rows_say_what_measured_them(self):
        with mock.patch.object(self.timing, "asked", return_value="580.65"):
            self.assertEqual(self.timing.source(), "measure.py, PyTorch 2.11.0, CUDA 13.0, driver 580.65")
        self.assertEqual(self.timing.gpu(), "H200")

    def test_nvidia_smi_says_the_clock_where_pytorch_cannot(self):
        self.torch.cuda.clock_rate = mock.Mock(side_effect=ModuleNotFoundError)
        with mock.patch.object(self.timing, "asked", return_value="1755, 612.40"):
            self.assertEqual(self.timing.state(), "1755 MHz 612 W")
        with mock.patch.object(self.timing, "asked", return_value=""):
            self.assertEqual(self.timing.state(), "")


#: Networks of each family that a CPU trains at once.
TINY = {
    "gpt": {"width": 64, "blocks": 2, "heads": 4, "tokens": 16, "vocabulary": 97},
    "bert": {"width": 64, "blocks": 2, "heads": 4, "inner": 96, "tokens": 16, "vocabulary": 97, "positions": 32, "segments": 2},
    "llama": {"width": 64, "blocks": 2, "heads": 4, "kv_heads": 2, "inner": 96, "tokens": 16, "vocabulary": 97},
    "resnet": {"stages": (1, 2, 1, 1), "classes": 10, "rows": 64},
}


def attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, enable_gqa=False):
    """As PyTorch 2's, which Debian's has not."""
    import torch

    k, v = (one.repeat_interleave(q.shape[1] // one.shape[1], 1) for one in (k, v))
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if is_causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -math.inf)
    return scores.softmax(-1) @ v


@unittest.skipUnless(importlib.util.find_spec("torch"), "needs PyTorch")
class Models(unittest.TestCase):
    def setUp(self):
        import models
        import torch

        torch.manual_seed(1)
        self.torch, self.models = torch, models
        for patched in (mock.patch.dict(pairs.NETWORKS, {name: pairs.Network(name, sizes) for name, sizes in TINY.items()}),
                        mock.patch.object(torch.nn.functional, "scaled_dot_product_attention", attention, create=True)):
            patched.start()
            self.addCleanup(patched.stop)

    def test_modules_have_the_parameters_of_their_networks(self):
        for name, sizes in TINY.items():
            counted = sum(one.numel() for one in self.models.model_of(pairs.NETWORKS[name]).parameters())
            self.assertEqual((name, counted), (name, pairs.parameters(pairs.Network(name, sizes))))

    def test_a_step_moves_all_parameters_in_its_three_phases(self):
        for name in TINY:
            model, phases = self.models.model_of(pairs.NETWORKS[name]), []
            with mock.patch.object(self.models, "model_of", return_value=model):
                run = self.models.training_step(pairs.Step(name, 2, optimizer="" if name == "resnet" else "adam"), "cpu")
            before = [one.detach().clone() for one in model.parameters()]
            run(lambda phase: phases.append(phase) or contextlib.nullcontext())
            self.assertEqual(phases, ["phase:forward", "phase:backward", "phase:optimizer"])
            self.assertEqual([one.grad is None for one in model.parameters()], [False] * len(before), name)
            self.assertTrue(any((one != old).any() for one, old in zip(model.parameters(), before)), name)

    def test_a_compiled_bert_reads_a_mask_of_its_padding(self):
        def compiled(model, dynamic):
            asked.append(dynamic)
            return lambda *inputs: asked.append(inputs[-1]) or model(*inputs)

        masks, bert = [], self.models.Bert
        for mode in ("eager", "compiled"):
            asked = []
            with mock.patch.object(self.torch, "compile", compiled, create=True), \
                    mock.patch.object(bert, "forward", autospec=True, side_effect=bert.forward) as forward:
                self.models.training_step(pairs.Step("bert", 2, mode, "adam"), "cpu")()
            masks.append(forward.call_args.args[-1])
        self.assertIsNone(masks[0])
        self.assertEqual((asked[0], asked[1] is masks[1], masks[1].dtype, tuple(masks[1].shape)),
                         (False, True, self.torch.bool, (2, 1, 16, 16)))


if __name__ == "__main__":
    unittest.main()
