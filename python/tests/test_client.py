"""The client against the program that $STCSIM names: what it says is what the program prints."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import stcsim

try:
    import pandas
except ImportError:
    pandas = None

SMALL = "extends: a100_nm\nname: small\naccelerator: {num_sms: 4}\n"
PROFILE = Path(__file__).resolve().parents[2] / "tests/data/profiles/mlp.json"
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def program(*words):
    return subprocess.run([stcsim.find_program(), *words], capture_output=True, text=True, check=True).stdout


def workers(simulator):
    process = simulator._process.pid
    return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def ticks(process):
    """Processor time, in hundredths of a second."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


class Client(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.small = os.path.join(cls.folder.name, "small.yaml")
        Path(cls.small).write_text(SMALL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def point(self, m, **more):
        return {"arch": self.small, "m": m, "n": 64, "k": 64, "pattern": "2:4", **more}

    def gemm(self, *words):
        return json.loads(program("gemm", *words, "--format", "json"))

    def test_a_call_is_the_hosts_part_and_the_kernel(self):
        shape = ("--arch", self.small, "256", "128", "512", "--sparsity", "2:4")
        alone = self.gemm(*shape)
        self.assertEqual((alone["framework"], alone["host_us"], alone["call_us"]), ("", None, None))
        # 8 us of a launch, 460 us of PyTorch PR 177866
        called = self.gemm(*shape, "--framework", "pytorch_2_semi_structured_inference")
        self.assertEqual((called["host_us"], called["dense"]["host_us"]), (468, 8))
        self.assertEqual(called["call_us"], 468 + alone["time_us"])
        self.assertEqual(called["dense"]["call_us"], 8 + alone["dense"]["time_us"])
        text = program("gemm", *shape, "--framework", "pytorch_2_semi_structured_inference")
        gain = called["dense"]["call_us"] / called["call_us"]
        self.assertRegex(" ".join(text.split()), rf"called alone by pytorch_2_semi_\w*: .* {gain:#.3g}x as fast as dense")

    def test_a_share_of_either_peak_is_said(self):
        sparse = self.gemm("--arch", "a100_80gb", "512", "512", "512", "--sparsity", "2:4")
        self.assertAlmostEqual(sparse["percent_of_dense_peak"], 2 * sparse["percent_of_peak"])
        self.assertAlmostEqual(sparse["percent_of_dense_peak"], 100 * sparse["achieved_tflops"] / sparse["dense_peak_tflops"])
        self.assertEqual(sparse["dense"]["percent_of_dense_peak"], sparse["dense"]["percent_of_peak"])

    def test_consumer_blackwell_multiplies_fp4(self):
        # Data sheets: 900.4 and 1676 TFLOPS dense with fp32 sums, twice that with four of eight in pairs
        for machine, tflops in (("rtx5080", 900.4), ("rtx5090", 1676)):
            said = self.gemm("--arch", machine, "--dtype", "nvfp4", "256", "256", "512", "--sparsity", "4:8 pairs",
                             "--functional")
            self.assertLess(abs(said["dense_peak_tflops"] / tflops - 1), 0.01)
            self.assertEqual(said["peak_tflops"], 2 * said["dense_peak_tflops"])
            self.assertEqual((said["ran_sparse"], said["hardware_pattern"], said["kernel"]["instruction"]),
                             (True, "4:8 pairs", "mma.sp.m16n8k128"))
            self.assertEqual(said["dense"]["kernel"]["instruction"], "mma.m16n8k64")
            self.assertEqual((said["functional"]["checked_elements"], said["functional"]["mismatches"]), (256 * 256, 0))

    def test_a_step_has_the_hosts_sparse_calls_apart(self):
        words = ("run", "--network", "tiny_transformer", "--arch", self.small, "--schemes", "asp", "--format", "json",
                 "--set", "sparse_where=always", "--framework")
        free_calls = os.path.join(self.folder.name, "free.yaml")
        Path(free_calls).write_text("extends: pytorch_2_semi_structured\nname: free\nlaunch: {sparse_product_us: 0}\n")
        own, free = (json.loads(program(*words, framework)) for framework in ("pytorch_2_semi_structured", free_calls))
        totals = [next(total for total in study["totals"] if total["scheme"] == "asp") for study in (own, free)]
        calls = [total["kinds"]["sparse_calls"]["time_us"] for total in totals]
        self.assertEqual(calls[1], 0)
        self.assertGreater(calls[0], 0)
        self.assertAlmostEqual(totals[0]["step"]["time_us"] - totals[1]["step"]["time_us"], calls[0])
        products = sum(row["repeat"] for row in own["results"] if row["scheme"] == "asp" and row["ran_sparse"])
        self.assertLessEqual(calls[0], 1200 * products)
        self.assertTrue([row for row in own["results"] if row["op"] == "waits for sparse calls"])

    def test_a_step_has_one_scheme(self):
        with self.assertRaisesRegex(stcsim.Error, "'schemes' must be scheme, one of them"):
            stcsim.step("resnet18", "a100", schemes=["asp", "slope"])

    def test_a_network_where_an_experiment_is_wanted_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            config, layers = Path(folder) / "config.json", Path(folder) / "net.yaml"
            config.write_text('{"model_type": "llama"}', encoding="utf-8")
            layers.write_text("layers: []\n", encoding="utf-8")
            for name in (str(config), str(layers), folder + "/"):
                done = subprocess.run([stcsim.find_program(), "run", name], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr.strip()), (2, f"stcsim run: error: EXPERIMENT is '{name}', "
                                                                          f"which is a network: say --network {name} --arch a100"))

    def test_a_gemm_is_that_of_the_program(self):
        answer = stcsim.gemm("a100", 1024, 8192, 1024, sparsity="2:4")
        said = json.loads(program("gemm", "--arch=a100", "--m=1024", "--n=8192", "--k=1024", "--sparsity=2:4",
                                  "--format=json"))
        for figure in ("speedup", "time_us", "cycles", "dense_cycles", "bound_by"):
            self.assertEqual(answer[figure], said[figure])
        self.assertEqual(answer.speedup, answer.dense_time_us / answer.time_us)
        self.assertIn("area_mm2", answer)
        with self.assertRaisesRegex(AttributeError, "no figure is called 'speed'"):
            answer.speed

    def test_a_layer_and_a_step(self):
        layer = stcsim.layer("a100", "resnet9_cifar10:conv2", phase="wgrad", scheme="sdgp", batch=8)
        self.assertGreater(layer.time_us, 0)
        step = stcsim.step("resnet9_cifar10", "a100", scheme="asp", batch=8)
        total = stcsim.run(network="resnet9_cifar10", arch="a100", schemes=["dense", "asp"], batch=8).totals[1]
        self.assertEqual(step.time_us, total["step"]["time_us"])

    def test_a_profile_is_that_of_the_program(self):
        answer = stcsim.profile(str(PROFILE), "h200", "torchao-semisparse")
        said = json.loads(program("run", f"--profile={PROFILE}", "--arch=h200", "--schemes=torchao-semisparse", "--no-spread",
                                  "--format=json"))["totals"][0]
        self.assertEqual(answer.kernels_speedup, said["kernels_speedup"])
        self.assertEqual(answer.speedup, said["step"]["speedup"])
        longer = stcsim.profile(str(PROFILE), "h200", "torchao-semisparse", measured_step="900us")
        self.assertEqual(longer.kernels_speedup, answer.kernels_speedup)
        self.assertLess(abs(longer.speedup - 1), abs(answer.speedup - 1))
        with self.assertRaisesRegex(stcsim.Error, "is of a NVIDIA H200"):
            stcsim.profile(str(PROFILE), "a100")

    def test_what_is_wrong_is_an_error(self):
        with self.assertRaisesRegex(stcsim.Error, "unknown machine 'a1OO'"):
            stcsim.gemm("a1OO", 64, 64, 64)
        with self.assertRaisesRegex(stcsim.Error, "unknown option 'patern'"):
            stcsim.gemm("a100", 64, 64, 64, patern="2:4")
        with self.assertRaisesRegex(stcsim.Error, "sweep takes a list of points"):
            stcsim.sweep({"arch": "a100", "m": 64, "n": 64, "k": 64})
        with self.assertRaisesRegex(stcsim.Error, "unknown experiment 'no_such'"):
            stcsim.run("no_such")
        bad, good = stcsim.sweep([self.point(0), self.point(64)])
        self.assertIn("m is '0'", bad.error)
        with self.assertRaises(stcsim.Error):
            bad.speedup
        self.assertEqual((good.error, good.point["m"]), ("", 64))

    def test_a_sweep_is_a_generator(self):
        asked = []

        def points():
            for m in range(16, 16 * 601, 16):
                asked.append(m)
                yield self.point(m)

        answers = stcsim.sweep(points(), jobs=2, figures=["cycles", "m"])
        self.assertEqual(next(answers).m, 16)
        self.assertLessEqual(len(asked), 258)  # 256 ahead
        self.assertEqual([answer.m for answer in answers], asked[1:])

    def test_the_next_point_may_need_the_answer(self):
        with stcsim.Simulator() as simulator:
            cycles = [simulator.evaluate(self.point(64)).cycles]
            for _ in range(20):
                cycles.append(simulator.evaluate(self.point(64 + cycles[-1] % 64)).cycles)
            self.assertEqual(len(workers(simulator)), 1)
        self.assertEqual(cycles[0], stcsim.gemm(self.small, 64, 64, 64, sparsity="2:4").cycles)

    def test_an_iterator_may_be_left(self):
        with stcsim.Simulator() as simulator:
            answers = simulator.map(self.point(m) for m in range(16, 16000, 16))
            next(answers)
            answers._answers.close()
            self.assertEqual(simulator.evaluate(self.point(48)).m, 48)

    def test_a_broken_generator_says_so(self):
        def points():
            yield self.point(16)
            raise ValueError("mine")

        with self.assertRaisesRegex(ValueError, "mine"):
            list(stcsim.sweep(points()))

    def test_a_killed_worker_costs_one_answer(self):
        with stcsim.Simulator() as simulator:
            simulator.evaluate(self.point(64))
            [worker] = workers(simulator)

            def points():
                yield self.point(32)
                # takes long
                yield {"arch": self.small, "m": 60013, "n": 60029, "k": 60037, "stack": "best",
                       "candidates": 1000}
                yield self.point(64)

            answers = simulator.map(points())
            next(answers)
            before = ticks(worker)
            while ticks(worker) < before + 5:  # until it is busy with the second
                time.sleep(0.01)
            os.kill(worker, signal.SIGKILL)
            killed, after = answers
            self.assertIn("killed by signal 9", killed.error)
            self.assertEqual(after.m, 64)

    def test_a_killed_program_is_an_error(self):
        with stcsim.Simulator() as simulator:
            simulator.evaluate(self.point(64))
            simulator._process.kill()
            with self.assertRaisesRegex(stcsim.Error, "stcsim eval has ended"):
                simulator.evaluate(self.point(64))
        before = os.environ.get("STCSIM_CONFIG_DIR")
        os.environ["STCSIM_CONFIG_DIR"] = "/no/such"
        try:
            with stcsim.Simulator() as simulator, self.assertRaisesRegex(stcsim.Error, "STCSIM_CONFIG_DIR is"):
                simulator.evaluate(self.point(64))
        finally:
            del os.environ["STCSIM_CONFIG_DIR"]
            if before:
                os.environ["STCSIM_CONFIG_DIR"] = before

    def test_explain_tta_and_a_space(self):
        explained = stcsim.explain(self.small, 256, 256, 256, sparsity="2:4", set={"accelerator.num_sms": 2})
        self.assertEqual(explained.config["machine"]["accelerator"]["num_sms"], 2)
        self.assertEqual(explained.schema, "stcsim.explain/2")
        tta = stcsim.tta("tta_resnet9")
        self.assertEqual([row["scheme"] for row in tta.rows()], [one["scheme"] for one in tta.results])
        space = os.path.join(self.folder.name, "space.yaml")
        Path(space).write_text("machines: [./small.yaml]\ngemms: [64x64x256, 64x64x512]\n"
                               'axes: {gemm.pattern: [dense, "2:4"]}\n')
        rows = list(stcsim.sweep(space))
        self.assertEqual([row.pattern for row in rows], ["dense", "2:4"] * 2)

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_frames(self):
        frame = stcsim.sweep([self.point(m, set={"accelerator.num_sms": 2}) for m in (16, 32)]).frame()
        self.assertEqual(list(frame["m"]), [16, 32])
        self.assertEqual(list(frame["accelerator.num_sms"]), [2, 2])
        run = stcsim.run(network="resnet9_cifar10", arch="a100", schemes=["dense", "asp"], batch=8)
        self.assertEqual(list(run.frame()["scheme"]), ["dense", "asp"])
        self.assertEqual(stcsim.gemm("a100", 64, 64, 64).frame().shape[0], 1)
        self.assertGreater(stcsim.tta("tta_resnet9").frame().shape[0], 1)

    def test_the_search_finds_the_width(self):
        said = subprocess.run([sys.executable, str(EXAMPLES / "fetch_width.py")], capture_output=True, text=True,
                              check=True).stdout
        self.assertRegex(said, r"best fetch width for 1:8: \d+ bytes/clk")

    def test_the_notebook_runs(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not installed")
        matplotlib.use("Agg")
        cells = json.loads((EXAMPLES / "explore.ipynb").read_text())["cells"]
        scope = {}
        for cell in cells:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), scope)
        pictures = os.environ.get("STCSIM_PICTURES")
        for number in scope["plt"].get_fignums():
            figure = scope["plt"].figure(number)
            self.assertTrue(figure.axes[0].get_lines() or figure.axes[0].patches)
            if pictures:
                figure.savefig(os.path.join(pictures, f"explore_{number}.png"))


if __name__ == "__main__":
    unittest.main()
