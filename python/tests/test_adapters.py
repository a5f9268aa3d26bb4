"""Tests of networks that are fine-tuned with adapters (`lora`), against figures counted by hand."""

import json
import subprocess
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from stcsim._process import find_program

NETWORK = """name: tiny
batch: 2
optimizer: adam
layers:
  - {name: embed, type: embedding, vocabulary: 32, features: 64, tokens: 16}
  - {name: up, type: linear, role: ffn, in_features: 64, out_features: 128, tokens: 16, repeat: 3, bias: true,
     after: [bias, gelu]}
  - {name: down, type: linear, role: ffn, in_features: 128, out_features: 64, tokens: 16, repeat: 3,
     after: [residual_add, layer_norm]}
  - {name: head, type: linear, role: classifier, in_features: 64, out_features: 32, tokens: 16, after: [softmax]}
"""
MACHINE = "extends: a100\nname: small\naccelerator: {num_sms: 4}\n"
TOKENS = 2 * 16
RANK = 4
ADAPTER_WEIGHTS = RANK * (64 + 128)
TRAINED = 3 * 2 * ADAPTER_WEIGHTS
BASE_WEIGHTS = 3 * 2 * 64 * 128
# Table, head, biases, scales and shifts of the normalisations.
OTHER_FROZEN = 32 * 64 + 64 * 32 + 3 * 128 + 3 * 2 * 64


class Adapters(unittest.TestCase):
    def setUp(self):
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        Path(self.folder, "small.yaml").write_text(MACHINE, encoding="utf-8")

    def program(self, *words):
        return subprocess.run([find_program(), *words], cwd=self.folder, capture_output=True, text=True, check=False)

    def layers(self, lora):
        Path(self.folder, "net.yaml").write_text(NETWORK + f"lora: {lora}\n", encoding="utf-8")
        listed = self.program("list", "layers", "./net.yaml", "--format", "json")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        return json.loads(listed.stdout)

    def step(self, lora, scheme):
        """Rows and the scheme's totals of a step of the network; without `lora` all is trained."""
        more = f"lora: {lora}\n" if lora else ""
        Path(self.folder, "net.yaml").write_text(NETWORK + more, encoding="utf-8")
        ran = self.program("run", "--network", "./net.yaml", "--arch", "./small.yaml", "--schemes", scheme,
                           "--set", "sparse_where=always", "--format", "json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        study = json.loads(ran.stdout)
        rows = [row for row in study["results"] if row["scheme"] == scheme]
        return rows, next(total for total in study["totals"] if total["scheme"] == scheme)

    def test_products_and_parameters_are_those_counted_by_hand(self):
        listed = self.layers("{rank: 4}")
        base = 3 * 2 * TOKENS * 64 * 128
        head = TOKENS * 64 * 32
        adapters = 3 * 2 * TOKENS * ADAPTER_WEIGHTS
        self.assertEqual(listed["macs"], {"forward": base + head + adapters, "dgrad": base + head + adapters,
                                          "wgrad": adapters})
        self.assertEqual(listed["trained_parameters"], TRAINED)
        self.assertEqual(listed["parameters"], TRAINED + BASE_WEIGHTS + OTHER_FROZEN)
        shapes = {(one["layer"], one["phase"]): (one["m"], one["n"], one["k"]) for one in listed["gemms"]}
        self.assertEqual(shapes["up.lora_A", "forward"], (RANK, TOKENS, 64))
        self.assertEqual(shapes["up.lora_B", "forward"], (128, TOKENS, RANK))
        self.assertEqual(shapes["up.lora_A", "wgrad"], (RANK, 64, TOKENS))
        self.assertEqual({layer for layer, phase in shapes if phase == "wgrad"},
                         {"up.lora_A", "up.lora_B", "down.lora_A", "down.lora_B"})

    def test_layers_that_are_named_have_one(self):
        names = {one["layer"] for one in self.layers("{rank: 4, layers: ['u*', head]}")["gemms"]}
        self.assertEqual(names, {"up", "up.lora_A", "up.lora_B", "down", "head", "head.lora_A", "head.lora_B"})

    def test_llama_has_as_many_as_its_shapes_say(self):
        text = "extends: llama3_1b\nname: tuned\nlora: {rank: 16, layers: ['*.q', '*.v']}\n"
        Path(self.folder, "tuned.yaml").write_text(text, encoding="utf-8")
        listed = json.loads(self.program("list", "layers", "./tuned.yaml", "--format", "json").stdout)
        self.assertEqual(listed["trained_parameters"], 16 * 16 * ((2048 + 2048) + (2048 + 512)))
        self.assertEqual(listed["parameters"], 1_235_814_400 + listed["trained_parameters"])

    def test_an_experiment_sets_its_rank(self):
        said = self.program("run", "--network", "llama3_1b", "--arch", "a100", "--set", "networks.0.lora.rank=2048")
        self.assertEqual(said.returncode, 2)
        self.assertIn("rank 2048 must be below the features of 'blk.q'", said.stderr)

    def test_wrong_ones_are_refused(self):
        for lora, says in (("{rank: 64}", "rank 64 must be below the features of 'up'"),
                           ("{rank: 4, layers: [embed]}", "no linear layer is named so"),
                           ("{layers: [up]}", "'rank' is missing")):
            Path(self.folder, "net.yaml").write_text(NETWORK + f"lora: {lora}\n", encoding="utf-8")
            listed = self.program("list", "layers", "./net.yaml")
            self.assertEqual(listed.returncode, 2)
            self.assertIn(says, listed.stderr)

    def test_a_network_that_is_run_has_none(self):
        said = self.program("run", "--network", "tiny_transformer", "--arch", "a100", "--set", "networks.0.lora.rank=4")
        self.assertEqual(said.returncode, 2)
        self.assertIn("a network that states its 'input' has no adapters", said.stderr)

    def test_memory_is_that_of_the_adapters(self):
        _, total = self.step("{rank: 4}", "dense")
        memory = total["memory"]
        self.assertEqual(memory["gradients_bytes"], 4 * TRAINED)
        self.assertEqual(memory["optimizer_bytes"], 8 * TRAINED)
        # Adapters in fp32 and 16 bits, what is frozen in 16 alone.
        self.assertEqual(memory["weights_bytes"], 6 * TRAINED + 2 * (BASE_WEIGHTS + OTHER_FROZEN))

    def test_what_only_frozen_products_read_is_not_kept(self):
        kept = {}
        for layers in ("[up, down]", "[up]", "[down]"):
            kept[layers] = self.step(f"{{rank: 4, layers: {layers}}}", "dense")[1]["memory"]["activations_bytes"]
        of_rank = 3 * TOKENS * RANK * 2
        self.assertEqual(kept["[up, down]"] - kept["[up]"], of_rank + 3 * TOKENS * 128 * 2)
        self.assertEqual(kept["[up, down]"] - kept["[down]"], of_rank + 3 * TOKENS * 64 * 2)

    def test_a_sparse_base_is_pruned_before(self):
        for scheme, expected in (("asp", {("up", "forward"), ("down", "forward"), ("head", "forward")}),
                                 ("slope", {(layer, phase) for layer in ("up", "down") for phase in ("forward", "dgrad")})):
            trained, _ = self.step("", scheme)
            rows, total = self.step("{rank: 4}", scheme)
            self.assertTrue([row for row in trained if row["kind"] == "pruning" and "weights" in row["op"]])
            self.assertFalse([row for row in rows if row["kind"] == "pruning"])
            sparse = {(row["layer"], row["phase"]) for row in rows if row["ran_sparse"]}
            self.assertEqual(sparse, expected)
            # Without a dense product nobody needs the dense weights.
            frozen = OTHER_FROZEN + (BASE_WEIGHTS if scheme == "asp" else 0)
            self.assertEqual(total["memory"]["weights_bytes"], 6 * TRAINED + 2 * frozen)
            self.assertEqual(total["memory"]["masks_bytes"], 0)

    def test_the_optimizer_moves_the_adapters_alone(self):
        rows, _ = self.step("{rank: 4}", "dense")
        ops = {row["op"] for row in rows if row["kind"] == "optimizer"}
        self.assertTrue(ops)
        for row in rows:
            self.assertFalse(row["layer"] in ("up", "down", "head") and row["phase"] == "wgrad", row["layer"])
            self.assertFalse(row["kind"] == "casts" and "weight" in row["op"] and "lora" not in row["layer"], row["op"])
        moved = sum(row["repeat"] * row["traffic"]["dram_write_bytes"] for row in rows if row["phase"] == "optimizer")
        self.assertLessEqual(moved, 64 * TRAINED)


if __name__ == "__main__":
    unittest.main()
