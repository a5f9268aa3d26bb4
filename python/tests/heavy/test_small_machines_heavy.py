"""Tests of machines that nobody has: all commands answer, and made kernels are near the fastest of all. $STCSIM_SEED and
$STCSIM_CASES (200 by `make soak`) take the place of a seed of its own and of 30 random GEMMs."""

import json
import os
import random
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from stcsim._process import find_program

MACHINE = """
extends: {base}
name: {name}
accelerator:
  num_sms: {sms}
  sm: {{shared_memory: {{capacity_bytes: {capacity}}}}}
"""
NETWORK = """
name: two
description: Two linear layers
batch: 8
optimizer: sgd_momentum
layers:
  - {name: fc1, type: linear, role: ffn, in_features: 96, out_features: 256, tokens: 16, bias: true, after: [bias, gelu]}
  - {name: fc2, type: linear, role: ffn, in_features: 256, out_features: 96, tokens: 16, bias: true, after: [bias]}
"""
SPACE = """
machines: [./{name}.yaml]
gemms:
  - {{name: one, m: 128, n: 192, k: 256, pattern: "2:4"}}
axes:
  machine.accelerator.l2_cache.read_bytes_per_clk: [480, 960]
zip:
  L2 cache: [machine.accelerator.l2_cache.read_bytes_per_clk]
"""
CAPACITIES = [kilobytes * 1024 for kilobytes in (16, 24, 32, 48, 64, 96, 128, 256)]
MOST_REGRET = 1.05


def run(words, folder):
    return subprocess.run([find_program(), *words], cwd=folder, capture_output=True, text=True, check=False)


def write_machine(folder, name, base, sms, capacity, more=""):
    text = MACHINE.format(base=base, name=name, sms=sms, capacity=capacity)
    Path(folder, name + ".yaml").write_text(text + more, encoding="utf-8")
    return f"./{name}.yaml"


class SmallMachines(unittest.TestCase):
    """From 1 to 16 SMs, of 16 to 256 KB."""

    def test_all_commands_answer(self):
        with TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as threads:
            Path(folder, "two.yaml").write_text(NETWORK, encoding="utf-8")
            sizes = (1, 3, 16)
            # All of them where STCSIM_CASES asks for many cases; else every capacity, and the corners.
            grid = [(sms, capacity) for sms in sizes for capacity in CAPACITIES
                    if "STCSIM_CASES" in os.environ or sms == 3 or capacity in (CAPACITIES[0], CAPACITIES[-1])]
            for problems in threads.map(lambda machine: self.problems_of(folder, *machine), grid):
                self.assertEqual(problems, [])

    def problems_of(self, folder, sms, capacity):
        name = f"sms{sms}_{capacity}"
        base = ("a100", "rtx3090", "h100_sxm")[CAPACITIES.index(capacity) % 3]
        arch = ["--arch", write_machine(folder, name, base, sms, capacity)]
        Path(folder, name + "_space.yaml").write_text(SPACE.format(name=name), encoding="utf-8")
        gemm = arch + ["200", "136", "320", "--sparsity", "2:4"]
        step = arch + ["--network", "./two.yaml", "--schemes", "asp"]
        results = ["--results", name + ".sqlite"]
        space = name + "_space.yaml"
        commands = [["gemm", *gemm], ["explain", *gemm], ["gemm", "--energy", *gemm],
                    ["gemm", *gemm, "--dtype", "int8"], ["run", *step],
                    ["sweep", "run", space, *results],
                    ["design", space, "--max", "area=1.1", "--results", name + "_design.sqlite"],
                    ["list", "machine", arch[1]], ["list", "kernels", *arch], ["list", "units", *arch]]
        if sms == 3 and capacity in CAPACITIES[:3]:  # one of each base
            commands.append(["patterns", "2:4", *arch, "--network", "./two.yaml"])
        problems = []
        for words in commands:
            answer = run(words, folder)
            causes = [line for line in answer.stderr.splitlines() if "none of its kernels fits" in line]
            is_right = answer.returncode == 0 and answer.stdout and "error" not in answer.stderr
            if not is_right or len(causes) > 1:
                problems.append((words, answer.returncode, answer.stderr))
        return problems

    def test_what_nothing_fits_is_said_once(self):
        with TemporaryDirectory() as folder:
            Path(folder, "two.yaml").write_text(NETWORK, encoding="utf-8")
            arch = write_machine(folder, "tiny", "a100", 4, 1536)
            answer = run(["run", "--network", "./two.yaml", "--schemes", "dense", "--arch", arch], folder)
            self.assertEqual(answer.returncode, 3)
            self.assertEqual(answer.stderr.count("none of the kernels of tiny can run fp16 dense"), 1)
            self.assertRegex(answer.stderr, "and [0-9]+ more on tiny")
            self.assertRegex(answer.stderr, "'mapped_dense_16x8x16_s1_w1x1' of one instruction m16n8k16: needs "
                                            "768 bytes of shared memory, a CTA may have 512")


class RandomGemm:
    """A GEMM, on a machine whose kernels are all made for it."""

    def __init__(self, dice, folder, name):
        base = dice.choice(["a100", "a100", "rtx3090", "h100_sxm"])
        self.arch = write_machine(folder, name, base, dice.randint(1, 16), dice.choice(CAPACITIES),
                                  "kernels: [mapped]\n")
        self.folder = folder
        dtype = dice.choice(["fp16", "fp16", "int8", "tf32"])
        pattern = dice.choice({"tf32": ["dense", "1:2"]}.get(dtype, ["dense", "2:4", "1:4"]))
        sizes = [16 * dice.randint(1, 20), 16 * dice.randint(1, 20), 32 * dice.randint(1, 16)]
        self.words = [*map(str, sizes), "--dtype", dtype, "--sparsity", pattern]

    def answer(self, *more):
        answer = run(["gemm", "--arch", self.arch, *self.words, "--format", "json", *more], self.folder)
        if answer.returncode:
            raise AssertionError(answer.stderr)
        return json.loads(answer.stdout)

    def regret(self):
        """How much longer the kernel that is taken takes than the fastest of all that could be."""
        for most in (1000, 10000, 100000):
            every = self.answer("--candidates", str(most))
            if not every["kernel_search"]["left_out"]:
                return self.answer()["time_us"] / every["time_us"]
        raise AssertionError("not all were simulated, or known to be slower")


class MappedKernels(unittest.TestCase):
    def test_the_choice_is_near_the_fastest(self):
        seed = int(os.environ.get("STCSIM_SEED") or 20261129)
        count = int(os.environ.get("STCSIM_CASES") or 30)
        dice = random.Random(seed)
        with TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as threads:
            cases = [RandomGemm(dice, folder, f"case{at}") for at in range(count)]
            regrets = list(threads.map(RandomGemm.regret, cases))
            print(f"seed {seed}, {count} mapped GEMMs: {sum(regrets) / count:.4f} of the fastest in the mean, "
                  f"{max(regrets):.3f} at most")
            for case, regret in zip(cases, regrets):
                text = Path(folder, case.arch).read_text(encoding="utf-8")
                self.assertLessEqual(regret, MOST_REGRET, f"seed {seed}: {text}{' '.join(case.words)}")


if __name__ == "__main__":
    unittest.main()
