"""`stcsim advise`: what is changed and what it is held to gain, on steps with known times; then the command."""

import json
import math
import subprocess
import tempfile
import unittest
from pathlib import Path

import stcsim
from stcsim.advise import advice, changes, published, steps
from stcsim.advise.situation import Situation
from stcsim.evidence import program

PROFILE = Path(__file__).resolve().parents[2] / "tests/data/profiles/mlp.json"
#: 10 % and 5 % of products' and of other kernels' times; whole steps take 10 % less to 20 % more.
TOTALS = {"product_error": 0.1, "stream_error": 0.05, "time_us_low": 90.0, "time_us_high": 120.0, "clock_mhz": 1000.0,
          "waits_time_us": 0.0, "optimizer_time_us": 10.0, "forward_time_us": 60.0, "dgrad_time_us": 0.0, "wgrad_time_us": 0.0,
          "joules": 0.02, "memory_bytes": 60, "samples_bytes": 40, "capacity_bytes": 105, "fits": True}


def row(us, is_product=True, layer="fc", bound_by="tensor_core"):
    return steps.Row(layer, "forward" if is_product else "other", "gemm" if is_product else "relu", is_product, False, us, 1, 0,
                     bound_by)


def step(*rows, **totals):
    made = steps.Step({"time_us": sum(one.us for one in rows), **TOTALS, **totals})
    made.rows = list(rows)
    return made


def layer(kind="linear", **keys):
    return {"name": "fc", "type": kind, "role": "ffn", **keys}


def situation(layers=(), measured_step=None, **totals):
    network = {"name": "n", "batch": 4, "optimizer": "adam", "layers": list(layers)}
    if measured_step:
        network["measured_step"] = measured_step
    request = {"arch": "a100", "model": "", "experiment": {"networks": [network], "machines": [{"clock_mhz": 1000}],
                                                           "dtype": "bf16", "framework": {"name": "pytorch_2_eager"}}}
    base = step(row(60.0), row(40.0, False), **totals)
    return Situation(request, base, base)


def advise(*words):
    return subprocess.run([stcsim.find_program(), "advise", *words], capture_output=True, text=True, check=False)


def found(*words):
    done = advise(*words, "--format=json")
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class Widths(unittest.TestCase):
    def test_rows_of_16_bits_are_multiples_of_eight(self):
        asked = situation([layer(in_features=2048, out_features=5461), layer(in_features=5461, out_features=2048)])
        self.assertEqual(changes.padded(asked), {5461: 5464})
        self.assertEqual(changes.padded(asked, "fp8_e4m3"), {5461: 5472})
        self.assertEqual(changes.padded(asked, "tf32"), {5461: 5464})

    def test_a_vocabulary_is_a_multiple_of_64_wherever_it_stands(self):
        layers = [layer("embedding", features=768, vocabulary=50257), layer(role="classifier", in_features=768, out_features=50257)]
        self.assertEqual(changes.padded(situation(layers)), {50257: 50304})
        wide = changes.with_widths({"name": "n", "layers": layers}, {50257: 50304})
        self.assertEqual([wide["layers"][0]["vocabulary"], wide["layers"][1]["out_features"]], [50304, 50304])
        self.assertEqual(layers[0]["vocabulary"], 50257)

    def test_colours_and_aligned_widths_stay(self):
        self.assertEqual(changes.padded(situation([layer("conv", in_channels=3, out_channels=64)])), {})


class Gains(unittest.TestCase):
    def test_of_nothing_is_sure(self):
        same = step(row(60.0), row(40.0, False))
        self.assertEqual(steps.gain_of(same, same), (1, 1, 1))
        self.assertEqual(steps.gain_of(same, same).verdict, "unclear")

    def test_of_a_measured_product_errs_as_products_do_on_either_side(self):
        before, after = step(row(60.0), row(40.0, False)), step(row(10.0), row(40.0, False))
        gain = steps.gain_of(before, after, is_measured=True)
        width = steps.ENDS * 0.1 * math.hypot(0.6, 0.2)
        self.assertAlmostEqual(gain.value, 2)
        self.assertAlmostEqual(gain.low, 2 * math.exp(-width))
        self.assertAlmostEqual(gain.high, 2 * math.exp(width))

    def test_what_recipes_leave_out_draws_a_gain_to_one(self):
        """20 us more on both sides of 100 -> 50 us make 120 / 70 of 2."""
        before = step(row(60.0), row(40.0, False), forward_time_us=0.0)
        gain = steps.gain_of(before, before.after(50.0))
        self.assertAlmostEqual(gain.low, 120 / 70)
        self.assertGreater(gain.high, 2)

    def test_of_a_step_that_the_host_bounds_err_as_whole_steps(self):
        before = step(row(60.0), row(40.0, False)).after(300.0, 200.0)
        gain = steps.gain_of(before, step(row(60.0), row(40.0, False)), True, True)
        self.assertAlmostEqual(gain.low, 3 / 1.2)
        self.assertAlmostEqual(gain.high, 3 / 0.9)

    def test_an_interval_that_holds_one_is_unclear(self):
        verdicts = [steps.Gain(*ends).verdict for ends in ((1.2, 1.1, 1.3), (1.2, 1.0, 1.4), (1.0, 0.9, 1.1), (0.8, 0.7, 0.9))]
        self.assertEqual(verdicts, ["faster", "unclear", "unclear", "slower"])


class Clocks(unittest.TestCase):
    POWER = {"limit_watts": 125, "idle_watts": 0, "voltage_floor": 1, "clock_step_mhz": 100}

    def board(self, **power):
        return steps.Board({"clock_mhz": 1000, "power": {**self.POWER, **power}})

    def test_falls_until_the_power_suffices(self):
        """0.02 J in 100 us are 200 W; at a constant voltage 125 W are 160 us, 625 MHz: of steps of 100 MHz 600."""
        there = self.board().at_its_clock(step(row(100.0)))
        self.assertEqual(there.clock_mhz, 600)
        self.assertAlmostEqual(there.us, 100 * 1000 / 600)

    def test_what_waits_for_dram_keeps_its_time(self):
        """120 us + 40 us / f: 130 W of 0.02 J at 846 MHz, so 800."""
        there = self.board(limit_watts=120).at_its_clock(step(row(40.0), row(120.0, False, bound_by="dram")))
        self.assertEqual(there.clock_mhz, 800)
        self.assertAlmostEqual(there.us, 170)

    def test_stays_where_power_suffices_or_none_is_known(self):
        asked = step(row(100.0))
        self.assertEqual(self.board(limit_watts=200).at_its_clock(asked).us, 100)
        self.assertEqual(steps.Board({"clock_mhz": 1000}).at_its_clock(asked).us, 100)


class Situations(unittest.TestCase):
    def test_the_largest_batch_fills_memory(self):
        """20 bytes whatever the batch, 10 a sample, of 105."""
        self.assertEqual(situation().largest_batch, 8)

    def test_a_longer_measured_step_waits_for_the_host(self):
        asked = situation(measured_step={"span_ns": 300_000})
        self.assertEqual((asked.base.us, asked.base.waits_us, asked.scale), (300, 200, 1))
        self.assertEqual(changes.batch_factor(asked), 2)  # 4 would be 16 samples

    def test_a_measured_step_within_the_interval_scales_kernels(self):
        asked = situation(measured_step={"span_ns": 110_000})
        self.assertAlmostEqual(asked.base.us, 110)
        self.assertEqual((asked.base.waits_us, asked.host_us), (0, 0))


class Published(unittest.TestCase):
    BERT = {"name": "bert_large_s384", "layers": [layer("bmm")]}

    def test_accuracy_is_that_of_the_network_or_of_its_kind(self):
        lost = published.accuracy_of("slope", self.BERT)
        self.assertIn("77.4 instead of 80.22", lost.text)
        self.assertIs(lost.is_kept, False)
        self.assertIn("GPT2-Small", published.accuracy_of("slope", {"name": "mine", "layers": [layer("bmm", causal=True)]}).text)

    def test_accuracy_of_another_kind_of_model_is_unknown(self):
        vision = {"name": "vit", "layers": [layer("conv"), layer("bmm")]}
        self.assertEqual(published.accuracy_of("slope", vision), published.UNKNOWN)
        self.assertIs(published.UNKNOWN.is_kept, None)


class Order(unittest.TestCase):
    def advice(self, name, us, low=1.1, rank=1, group=None):
        return advice.Advice(name, group or name, rank, name, 100.0, us, steps.Gain(100 / us, low, 2.0), "", [])

    def test_sure_ones_the_best_of_a_group_a_number_first(self):
        tried = [self.advice("pad", 90.0, rank=0), self.advice("compile", 50.0), self.advice("graph", 60.0, group="compile"),
                 self.advice("unclear", 40.0, low=1.0), self.advice("lossy", 30.0, rank=2), self.advice("fused", 95.0),
                 self.advice("little", 99.0)]
        self.assertEqual([one.name for one in advice._ordered(tried)], ["pad", "compile", "fused"])


class Command(unittest.TestCase):
    def test_a_step_that_the_host_bounds(self):
        said = found("tiny_transformer", "--arch=a100", "--measured-step=50ms", "--dtype=bf16")
        self.assertEqual(said["parts"][0]["name"], "host launches")
        self.assertEqual(said["step_us"], 50_000)
        self.assertIn("batch", [one["name"] for one in said["advice"]])
        self.assertNotIn("slope", [one["name"] for one in said["others"]])  # products are too little to be simulated
        self.assertIn("compiled_graph", [one["name"] for one in said["advice"]])

    def test_every_scheme_is_tried_and_nothing_unclear_is_advised(self):
        said = found("tiny_transformer", "--arch=a100", "--dtype=bf16")
        tried = {one["name"] for kind in ("advice", "others", "untried") for one in said[kind]}
        names = [one["name"] for one in program.ask(["list", "schemes", "--format=json"])["entries"]]
        self.assertLessEqual(set(names) - {"dense"}, tried)
        self.assertEqual({one["verdict"] for one in said["advice"]} | {"faster"}, {"faster"})
        self.assertLessEqual(len(said["advice"]), 3)
        self.assertTrue(all(one["low"] > 1 and one["code"] and one["cost"] for one in said["advice"]))

    def test_the_largest_batch_is_that_of_run(self):
        with tempfile.TemporaryDirectory() as folder:
            small = Path(folder) / "small.yaml"
            small.write_text("extends: a100\nname: small\naccelerator: {dram: {capacity_bytes: 12000000}}\n", encoding="utf-8")
            largest = found("tiny_transformer", f"--arch={small}", "--dtype=bf16")["largest_batch"]
            fits = [stcsim.step("tiny_transformer", str(small), batch=batch, dtype="bf16")["fits"] for batch in (largest, largest + 1)]
        self.assertEqual(fits, [True, False])

    def test_a_screen_is_80_columns_wide_and_names_the_next_command(self):
        said = advise("tiny_transformer", "--arch=a100").stdout.splitlines()
        self.assertLessEqual(max(map(len, said)), 80)
        self.assertTrue(said[0].startswith("tiny_transformer on a100: a step of batch 32 takes "))
        self.assertEqual(said[-1], "next: stcsim run --network tiny_transformer --arch a100 --schemes all")

    def test_a_profile_keeps_its_times(self):
        said = found(f"--profile={PROFILE}", "--arch=h200")
        self.assertEqual(said["step_us"], 450)
        graph = next(one for kind in ("advice", "others") for one in said[kind] if one["name"] == "graph")
        self.assertAlmostEqual(graph["us"], 450 - 14.75, delta=0.01)  # whole cycles

    def test_a_profile_of_odd_widths_is_padded(self):
        """Kernels of 1024 channels, which shall have had 1022: products gain what they gain simulated."""
        with tempfile.TemporaryDirectory() as folder:
            odd = Path(folder) / "odd.json"
            odd.write_text(PROFILE.read_text(encoding="utf-8").replace("1024", "1022"), encoding="utf-8")
            said = found(f"--profile={odd}", "--arch=h200")
        self.assertEqual(said["step_us"], 450)
        self.assertEqual((said["advice"][0]["name"], said["advice"][0]["title"]), ("pad", "pad 1022 to 1024"))
        self.assertLess(said["advice"][0]["us"], 440)

    def test_what_is_wrong_is_said(self):
        for words, message in (
                (("--arch=a100",), "MODEL is missing"), (("tiny_transformer",), "--arch is missing"),
                (("tiny_transformer", "--arch=a100,h200"), "must be one machine"),
                (("tiny_transformer,resnet18", "--arch=a100"), "must be one model"),
                (("tiny_transformer", "--arch=a100", "--framework=pytorch_compile"), "pytorch_compiled"),
                (("tiny_transformer", "--arch=a100", "--measured-step=50"), "290ms"),
                (("tiny_transformer", "--arch=a100", "--arhc=a100"), "did you mean '--arch'")):
            done = advise(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
