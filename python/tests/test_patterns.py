"""`stcsim patterns`: machines that it makes, the search for widths, what is published, and the command."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import stcsim
from stcsim import patterns
from stcsim.advise.published import losses_of

MACHINE = {
    "name": "m", "clock_mhz": 1000,
    "accelerator": {
        "sm": {"operand_selector": {"native_patterns": ["2:4"], "lane_inputs": 4, "b_bytes_per_clk": 64, "metadata_decode_cycles": 6,
                                    "native_patterns_by_type": [{"dtype": "tf32", "patterns": ["1:2"]}]},
               "operand_fetch": {"register_bytes_per_clk": 0}, "shared_memory": {"bank_bytes": 4, "capacity_bytes": 1 << 40},
               "tensor_core": {"instructions": [{"k": 16, "interval_cycles": 8}]}},
        "l2_cache": {"read_bytes_per_clk": 3840}}}
ONE_OF_EIGHT = {"pattern": "1:8", "at_most": 8.0, "lane_inputs": 8, "block_inputs": 1}


def trial(gain, area_mm2):
    return patterns.Trial(gain, 1.0, gain, 1, 1, None, None, area_mm2)


class Machines(unittest.TestCase):
    def test_widths_are_multiplied_and_cycles_divided(self):
        wide = patterns.widened(MACHINE, {"selector": 4, "metadata decoder": 2})["accelerator"]["sm"]["operand_selector"]
        self.assertEqual((wide["b_bytes_per_clk"], wide["metadata_decode_cycles"]), (256, 3))
        self.assertEqual(MACHINE["accelerator"]["sm"]["operand_selector"]["b_bytes_per_clk"], 64)

    def test_a_wider_machine_does_not_state_what_instructions_take(self):
        instruction = {1: {"k": 16, "interval_cycles": 8}, 2: {"k": 16}}
        for factor, expected in instruction.items():
            core = patterns.widened(MACHINE, {"selector": factor})["accelerator"]["sm"]["tensor_core"]
            self.assertEqual(core["instructions"], [expected])

    def test_parts_that_are_not_there_or_have_no_limit_do_not_grow(self):
        self.assertEqual(patterns.parts_of(MACHINE), ["L2 cache", "shared memory", "selector", "metadata decoder"])

    def test_multiplexers_of_the_pattern_are_added_to_its_type(self):
        selector = patterns.knowing(MACHINE, ONE_OF_EIGHT, "fp16")["accelerator"]["sm"]["operand_selector"]
        self.assertEqual((selector["native_patterns"], selector["lane_inputs"]), (["2:4", "1:8"], 8))
        self.assertNotIn("block_inputs", selector)
        selector = patterns.knowing(MACHINE, ONE_OF_EIGHT, "tf32")["accelerator"]["sm"]["operand_selector"]
        self.assertEqual((selector["native_patterns"], selector["native_patterns_by_type"][0]["patterns"]), (["2:4"], ["1:2", "1:8"]))

    def test_a_pattern_that_is_there_changes_nothing(self):
        self.assertEqual(patterns.knowing(MACHINE, {**ONE_OF_EIGHT, "pattern": "2:4", "lane_inputs": 4}, "fp16"), MACHINE)

    def test_changes_are_what_differs(self):
        wide = patterns.widened(MACHINE, {"L2 cache": 2})
        self.assertEqual(patterns.changes(wide, MACHINE), {"accelerator": {
            "sm": {"tensor_core": {"instructions": [{"k": 16}]}}, "l2_cache": {"read_bytes_per_clk": 7680}}})
        self.assertEqual(patterns.changes(MACHINE, MACHINE), {})


class Question:
    """Gains that the factors of parts make, without a simulator."""

    def __init__(self, gain, area):
        self.gain, self.area, self.asked = gain, area, 0

    def trial(self, _, machine):
        self.asked += 1
        selector = machine["accelerator"]["sm"]["operand_selector"]["b_bytes_per_clk"] // 64
        l2 = machine["accelerator"]["l2_cache"]["read_bytes_per_clk"] // 3840
        return trial(self.gain(selector, l2), self.area(selector, l2))


class Search(unittest.TestCase):
    def found(self, gain, area):
        self.question = Question(gain, area)
        return patterns.Search(self.question, "1:8", MACHINE).run()

    def test_only_what_brings_something_is_wider(self):
        self.assertEqual(self.found(lambda selector, l2: min(selector, 4), lambda selector, l2: 100 + selector + l2), {"selector": 4})

    def test_two_parts_that_pay_only_together_are_found(self):
        self.assertEqual(self.found(lambda selector, l2: min(selector, l2, 2), lambda selector, l2: 100 + selector + l2),
                         {"L2 cache": 2, "selector": 2})

    def test_area_that_brings_too_little_is_left_out(self):
        self.assertEqual(self.found(lambda selector, l2: 1 + 0.1 * selector, lambda selector, l2: 100 * selector), {})

    def test_nothing_alone_can_be_taken_back_and_no_start_is_better(self):
        gain, area = lambda selector, l2: min(selector, 2 * l2, 8) ** 0.5, lambda selector, l2: 50 + 3 * selector + 9 * l2
        factors = self.found(gain, area)
        selector, l2 = factors.get("selector", 1), factors.get("L2 cache", 1)
        worth = gain(selector, l2) / area(selector, l2)
        self.assertGreaterEqual(worth, max(gain(wide, wide) / area(wide, wide) for wide in (1, 2, 8)))
        narrower = [(less, l2) for less in (1, 2, 4) if less < selector] + [(selector, less) for less in (1, 2, 4) if less < l2]
        self.assertTrue(narrower)
        self.assertTrue(all(gain(*one) / area(*one) < worth for one in narrower))


class Answers(unittest.TestCase):
    """Where the figures printed are not those of the search."""

    def row(self, wider):
        class Asked(Question):
            experiment = {"networks": [{"name": "n", "layers": []}]}
            machine, dtype = MACHINE, "fp16"

            def step(self, _, machine):
                is_wide = machine["accelerator"]["l2_cache"]["read_bytes_per_clk"] > 3840
                return (trial(wider, 110), 1.5) if is_wide else (trial(2, 100), 1.25)

        return patterns.row_of(Asked(lambda selector, l2: min(l2, 2), lambda selector, l2: 99 + l2), ONE_OF_EIGHT)

    def test_wider_parts_that_gain_are_named(self):
        row = self.row(3)
        self.assertEqual((row.factors, row.then.gain, row.step_gain), ({"L2 cache": 2}, 3, 1.5))

    def test_wider_parts_that_gain_less_for_area_then_are_not(self):
        row = self.row(2.1)
        self.assertEqual((row.factors, row.then, row.step_gain), ({}, row.today, 1.25))


class Published(unittest.TestCase):
    def test_gates_are_those_of_a_kept_value(self):
        self.assertEqual(patterns.gates_of("2:4"), patterns.Gates((272, 700), (2, 5)))
        self.assertEqual(patterns.gates_of("1:2"), patterns.Gates((192, 192), (1, 1)))
        self.assertIsNone(patterns.gates_of("3:7"))

    def test_losses_are_those_of_the_network_else_of_its_kind_else_of_any(self):
        conv, matmul = {"type": "conv"}, {"type": "bmm"}
        own = losses_of("4:8", {"name": "resnet50", "layers": [conv]})
        self.assertEqual([(one.scheme, one.loss) for one in own], [("sr-ste", -0.1)])
        alike = losses_of("4:8", {"name": "mine", "layers": [conv]})
        self.assertEqual([(one.network, one.loss) for one in alike], [("ResNet-9", 0.1), ("ResNet-50", -0.1)])
        self.assertEqual(losses_of("4:8", {"name": "mine", "layers": [matmul]}), alike)
        self.assertEqual(losses_of("3:7", {"name": "mine", "layers": [matmul]}), [])

    def test_a_metric_of_which_less_is_better_loses_the_other_way(self):
        rows = [one for one in losses_of("2:4", {"name": "mine", "layers": []}) if "lower is better" in one.metric]
        self.assertEqual([one.loss for one in rows if one.scheme == "asp"], [0.02, 0])
        self.assertEqual([one.loss for one in rows if one.scheme == "AST-Boosted"], [1.18, 1.31, 1.23, 0.61])


def run(*words):
    return subprocess.run([stcsim.find_program(), *words], capture_output=True, text=True, check=False)


def asked(*words):
    done = run("patterns", *words, "--format=json")
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


NETWORK = """name: two
batch: 8
layers:
  - {name: fc1, type: linear, in_features: 512, out_features: 1024, tokens: 256}
  - {name: fc2, type: linear, in_features: 1024, out_features: 512, tokens: 256}
"""


class Command(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.network = str(Path(folder) / "two.yaml")
            Path(cls.network).write_text(NETWORK, encoding="utf-8")
            cls.words = ("--network", cls.network, "--arch", "a100")
            cls.answer = asked("2:4,1:8,2:4", *cls.words)

    def row(self, pattern):
        return next(row for row in self.answer["patterns"] if row["pattern"] == pattern)

    def test_gains_lie_between_none_and_what_the_pattern_allows(self):
        for row in self.answer["patterns"]:
            self.assertLessEqual(row["gain_then"], row["at_most"] * 1.001)
            self.assertGreaterEqual(row["gain_then"] / row["area_ratio"], row["gain_today"])
            self.assertGreaterEqual(row["area_ratio"], 1)

    def test_products_are_those_of_the_scheme(self):
        row = self.row("2:4")
        self.assertEqual((row["sparse_products"], row["products"]), (4, 6))  # of forward and dgrad

    def test_what_is_wider_makes_the_area(self):
        row = self.row("1:8")
        self.assertEqual(row["area_ratio"] > 1.0005, any(one["part"] not in ("metadata decoder", "epilogue") for one in row["wider"]))
        self.assertAlmostEqual(row["area_ratio"], row["area_mm2"] / row["area_mm2_today"])

    def test_a_pattern_asked_twice_is_answered_once(self):
        self.assertEqual([row["pattern"] for row in self.answer["patterns"]], ["2:4", "1:8"])

    def test_the_answer_fits_80_columns_and_stands_first(self):
        request = {"experiment": {"networks": [{"name": "two"}], "machines": [{"name": "a100"}]}, "scheme": "bi-mask", "width": 80,
                   "next": self.answer["next"].split(" ")}
        lines = patterns.to_text(self.answer["patterns"], request).splitlines()
        self.assertTrue(all(len(line) <= 80 for line in lines), lines)
        self.assertTrue(self.answer["headline"].startswith(lines[0]), lines[0])
        self.assertEqual(len([line for line in lines if line.startswith("1:8 ")]), 1)

    def test_what_is_wrong_is_said(self):
        for words, text in ((("2-8",), "PATTERNS is '2-8', must be patterns n:m"), (("dense",), "PATTERNS is 'dense'"),
                            (("1:8", "--schemes", "sdgp-1:8"), "one scheme without a pattern"),
                            (("1:8", "--schemes", "sdgp"), "'sdgp' makes no product of this network sparse")):
            done = run("patterns", *words, "--network", "bert_base_s128", "--arch", "a100")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(text, done.stderr)
        self.assertIn("--network is missing", run("patterns", "1:8", "--arch", "a100").stderr)


if __name__ == "__main__":
    unittest.main()
