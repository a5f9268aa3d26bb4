"""Tests of `stcsim new machine`."""

import os
import pty
import subprocess
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from stcsim._process import find_program

QUESTIONS = 10


class NewMachine(unittest.TestCase):
    def setUp(self):
        self.folder = TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = Path(self.folder.name, "mine.yaml")

    def run_program(self, *words, **how):
        return subprocess.run([find_program(), *words], cwd=self.folder.name, capture_output=True, text=True,
                              check=False, **{"stdin": subprocess.DEVNULL, **how})

    def test_says_what_was_said_and_answers(self):
        made = self.run_program("new", "machine", "mine.yaml", "--sms", "16", "--clock", "1400", "--tflops", "91.75",
                                "--patterns", "2:4,1:8", "--shared-memory", "64", "--memory-bandwidth", "1400")
        self.assertEqual(made.returncode, 0, made.stderr)
        text = self.file.read_text(encoding="utf-8")
        # 91.75 TFLOP/s = 2 * 2048 per SM and clk, of four sub-cores
        for part in ("{dtype: fp16, fma_per_clk: 512}", "num_sms: 16 ", 'native_patterns: ["2:4", "1:8"]',
                     "capacity_bytes: 65536}", " bytes_per_clk: 1000 "):
            self.assertIn(part, text)
        self.assertEqual(text.count("SOURCE?"), 1 + 6)
        answer = self.run_program("gemm", "--arch", "./mine.yaml", "256", "256", "256", "--sparsity", "1:8")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("1:8 takes ", answer.stdout)

    def test_extends_the_nearest(self):
        for words, nearest in ((["--sms", "108"], "a100"), (["--sms", "130", "--tflops", "990"], "h100_sxm"),
                               (["--sms", "82", "--clock", "1900"], "rtx3090")):
            self.file.unlink(missing_ok=True)
            self.run_program("new", "machine", "mine.yaml", *words)
            self.assertIn(f"extends: {nearest}\n", self.file.read_text(encoding="utf-8"))

    def test_overwrites_nothing_and_leaves_nothing_wrong(self):
        self.file.write_text("mine", encoding="utf-8")
        again = self.run_program("new", "machine", "mine.yaml", "--sms", "16")
        self.assertEqual(again.returncode, 2)
        self.assertIn("'mine.yaml' is there already, must be a new file", again.stderr)
        self.assertEqual(self.file.read_text(encoding="utf-8"), "mine")
        for words, says in ((["--sms", "1.5"], "'num_sms' is '1.5', must be a whole number"),
                            (["--clock", "0"], "--clock is '0', must be more than 0"), ([], "nothing is said")):
            wrong = self.run_program("new", "machine", "other.yaml", *words)
            self.assertEqual(wrong.returncode, 2)
            self.assertIn(says, wrong.stderr)
        self.assertEqual(os.listdir(self.folder.name), ["mine.yaml"])

    def test_asks_a_terminal(self):
        ours, terminal = pty.openpty()
        os.write(ours, b"8\n" + b"\n" * (QUESTIONS - 1))
        asked = self.run_program("new", "machine", "mine.yaml", stdin=terminal)
        os.close(terminal)
        os.close(ours)
        self.assertEqual(asked.returncode, 0, asked.stderr)
        self.assertEqual(asked.stderr.count("nothing: as the nearest shipped machine"), QUESTIONS)
        self.assertIn("num_sms: 8 ", self.file.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
