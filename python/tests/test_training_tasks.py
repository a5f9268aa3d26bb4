"""Tests of what networks learn, and of how many processes learn it."""

import csv
import math
import os
import shutil
import subprocess
import tempfile
import unittest
from collections import Counter, defaultdict
from pathlib import Path

import numpy
from training_support import schemes_of

from stcsim import Error
from stcsim._process import find_program
from stcsim.training import draws
from stcsim.training.tasks import NO_LABEL, ImageTask, TokenTask, make_task

IMAGES = {"type": "images", "noise": 0.15, "label_noise": 0.0, "distractor": False, "seed": 1, "evaluation_samples": 8}
TOKENS = {"type": "tokens", "likely": 0.65, "seed": 1, "evaluation_samples": 400}


def images(**options):
    return ImageTask({**IMAGES, **options})


class Draws(unittest.TestCase):
    def test_are_splitmix64s(self):
        # The first three words that the authors' program gives for the seed 0.
        wanted = (0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F)
        self.assertEqual(tuple(draws.mix(i * draws.STEP & draws.MASK) for i in (1, 2, 3)), wanted)

    def test_of_a_stream_begin_where_its_seed_and_index_say(self):
        begin = draws.mix(5) ^ draws.mix(~7 & draws.MASK)
        wanted = [(draws.mix(begin + i * draws.STEP & draws.MASK) >> 11) / 2 ** 53 for i in (1, 2, 3)]
        self.assertEqual(draws.units(5, 6, 2, 3)[1].tolist(), wanted)

    def test_are_box_and_mullers_to_the_last_bit(self):
        unit = draws.units(3, 0, 100, 2)
        wanted = [[math.sqrt(-2 * math.log(1 - u)) * turn(2 * math.pi * v) for turn in (math.cos, math.sin)] for u, v in unit]
        numpy.testing.assert_array_equal(draws.gauss(unit), wanted)

    def test_have_mean_0_and_variance_1(self):
        drawn = draws.gauss(draws.units(3, 0, 10, 10_000))
        self.assertAlmostEqual(float(drawn.mean()), 0, delta=0.0127)  # four standard deviations
        self.assertAlmostEqual(float(drawn.var()), 1, delta=0.018)


class Images(unittest.TestCase):
    def test_are_the_same_however_they_are_asked_for(self):
        task = images()
        everything, part = task.training(3, 10, 6), task.training(3, 12, 2)
        numpy.testing.assert_array_equal(everything.part(2, 2).inputs, part.inputs)
        numpy.testing.assert_array_equal(everything.part(2, 2).labels, part.labels)
        self.assertFalse((task.training(4, 10, 6).inputs == everything.inputs).all())
        self.assertFalse((task.evaluation.part(0, 6).inputs == everything.inputs).all())
        numpy.testing.assert_array_equal(images().evaluation.inputs, task.evaluation.inputs)

    def test_are_the_published_ones(self):
        """Of the curves that lie in configs/curves/study.csv."""
        evaluation = images().evaluation
        self.assertEqual(evaluation.labels.tolist(), [6, 8, 4, 6, 1, 7, 4, 5])
        numpy.testing.assert_allclose(evaluation.inputs[0, 8, 8], [-0.4141575, -0.14018, -0.4524233], rtol=1e-6)
        distracted = images(distractor=True, label_noise=0.5).training(1, 0, 8)
        self.assertEqual(distracted.labels.tolist(), [3, 6, 2, 4, 2, 2, 6, 2])
        numpy.testing.assert_allclose(distracted.inputs[7, 0, 15], [-0.5893474, -1.0545256, -0.9706781], rtol=1e-6)

    def test_have_their_classes_in_equal_numbers(self):
        counts = numpy.bincount(images().training(1, 0, 5000).labels, minlength=10)
        # 500 of each on average; four standard deviations are 85.
        self.assertLess(numpy.abs(counts - 500).max(), 85)

    def test_leave_a_linear_classifier_at_chance(self):
        # The nearest class mean is linear in the pixels: argmax of <m, x> - |m|^2 / 2.
        task = images(evaluation_samples=2000)
        samples = task.training(1, 0, 4000)
        pixels = samples.inputs.reshape(4000, -1).astype(numpy.float64)
        means = numpy.stack([pixels[samples.labels == label].mean(0) for label in range(10)])
        scores = task.evaluation.inputs.reshape(2000, -1) @ means.T - (means ** 2).sum(1) / 2
        self.assertLess(int((scores.argmax(1) == task.evaluation.labels).sum()), 300, "of 2000, where chance has 200")

    def test_have_other_labels_in_training_only(self):
        plain, noisy = images(evaluation_samples=500), images(evaluation_samples=500, label_noise=1.0)
        numpy.testing.assert_array_equal(plain.evaluation.labels, noisy.evaluation.labels)
        clean, replaced = plain.training(1, 0, 1000), noisy.training(1, 0, 1000)
        numpy.testing.assert_array_equal(clean.inputs, replaced.inputs)
        self.assertAlmostEqual(int((clean.labels == replaced.labels).sum()), 100, delta=40)  # four standard deviations


class Tokens(unittest.TestCase):
    def test_follow_two_tables(self):
        task = TokenTask(TOKENS, 16, 32)
        likely, other, count, as_likely = {}, {}, 0, 0
        for examples, scored in ((task.evaluation, True), (task.training(1, 0, 400), False)):
            self.assertFalse(examples.inputs[:, 0].any())
            self.assertTrue((examples.labels[:, 0] == NO_LABEL).all())
            for tokens, labels in zip(examples.inputs.tolist(), examples.labels.tolist()):
                for *pair, label in zip(tokens, tokens[1:], labels[1:]):
                    if scored:  # what the evaluation asks for, after a pair of tokens
                        self.assertEqual(likely.setdefault(tuple(pair), label), label)
                    elif label != likely[tuple(pair)]:
                        self.assertEqual(other.setdefault(tuple(pair), label), label)
                    count, as_likely = count + (not scored), as_likely + (not scored and label == likely[tuple(pair)])
        self.assertGreater(len(likely), 100)  # of 256; random tables do not lead to all pairs
        self.assertAlmostEqual(as_likely / count, 0.65, delta=4 * (0.65 * 0.35 / count) ** 0.5)

    def test_are_asked_for_one_before(self):
        samples = TokenTask(TOKENS, 16, 32).training(2, 5, 20)
        numpy.testing.assert_array_equal(samples.labels[:, 1:-1], samples.inputs[:, 2:])


class Files(unittest.TestCase):
    RESNET, TRANSFORMER = {"channels": 3, "pixels": [16, 16]}, {"tokens": 32, "vocabulary": 16, "features": 64}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def task(self, inputs, labels, network=None, share=0.25, classes=10):
        for name, numbers in (("x.npy", inputs), ("y.npy", labels)):
            numpy.save(self.folder / name, numbers)
        options = {"type": "files", "inputs": str(self.folder / "x.npy"), "labels": str(self.folder / "y.npy"),
                   "evaluation_share": share}
        return make_task(options, network or self.RESNET, classes)

    def images(self, shape, labels):
        return self.task(numpy.arange(numpy.prod(shape), dtype=numpy.float32).reshape(shape), numpy.array(labels))

    def test_have_channels_last_and_the_last_samples_held_back(self):
        task = self.images((4, 3, 16, 16), [7, 8, 9, 1])
        self.assertEqual(task.evaluation.labels.tolist(), [1])
        first = task.evaluation.inputs[0].reshape(-1)  # sample 3, pixel 0: one value of each channel
        self.assertEqual(first[:4].tolist(), [3 * 768, 3 * 768 + 256, 3 * 768 + 512, 3 * 768 + 1])

    def test_are_given_once_in_a_pass(self):
        task = self.images((8, 3, 16, 16), range(8))
        orders = []
        for passed in range(3):
            batches = [task.training(1, 6 * passed + at, 2) for at in (0, 2, 4)]
            for batch in batches:
                self.assertEqual(batch.inputs[0, 0, 0, 0], 768 * batch.labels[0])
            orders.append([int(label) for batch in batches for label in batch.labels])
            self.assertEqual(sorted(orders[-1]), list(range(6)))
        self.assertGreater(len({tuple(order) for order in orders}), 1)

    def test_may_be_tokens_of_which_some_are_not_asked(self):
        labels = numpy.full((2, 32), 4)
        labels[:, 1] = -1
        batch = self.task(numpy.full((2, 32), 3), labels, self.TRANSFORMER, 0.5, 16).training(1, 0, 1)
        self.assertEqual(batch.inputs.tolist(), [[3] * 32])
        self.assertEqual(batch.labels[0, :3].tolist(), [4, NO_LABEL, 4])

    def test_say_what_does_not_fit_the_network(self):
        for shape, labels, wanted in (
                ((2, 16, 16, 3), [0, 1], "x.npy: error: has the shape 2x16x16x3, must be samples x 3 channels x 16 x 16"),
                ((2, 3, 16, 16), [0], "y.npy: error: has 1 samples"),
                ((2, 3, 16, 16), [0, 10], r"y.npy: error: element \[1\] is 10, must be a whole number from 0 to 9"),
                ((1, 3, 16, 16), [0], "x.npy: error: has one sample")):
            with self.assertRaisesRegex(Error, wanted):
                self.images(shape, labels)
        with self.assertRaisesRegex(Error, r"x.npy: error: element \[1, 0, 0, 0\] is not finite"):
            self.task(numpy.array([0, numpy.inf], numpy.float32).repeat(768).reshape(2, 3, 16, 16), numpy.array([0, 1]))
        with self.assertRaisesRegex(Error, "x.npy: error: holds <f8"):
            self.task(numpy.zeros((2, 3, 16, 16)), numpy.array([0, 1]))

    def test_may_be_bytes_which_are_255ths(self):
        pixels = numpy.zeros((2, 3, 16, 16), numpy.uint8)
        pixels[-1, -1, -1, -1] = 51
        self.assertEqual(self.task(pixels, numpy.array([0, 1]), share=0.5).evaluation.inputs.reshape(-1)[-1], numpy.float32(0.2))


REPOSITORY = Path(__file__).resolve().parents[2]
TASKS = ("images", "tokens", "text")


def table(name):
    """Rows of a table of configs/, by the names of their columns."""
    with open(REPOSITORY / "configs" / name, encoding="utf-8") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


class Study(unittest.TestCase):
    """The curves that are shipped."""

    #: Runs of these ended early, with numbers that are no longer finite.
    ENDED = {("text", "sdgp-2:8"): 4, ("text", "sdgp-1:8"): 4, ("text", "sdgp-4:32"): 4}

    def test_has_five_seeds_of_every_scheme_of_every_task(self):
        epochs, ended = defaultdict(list), Counter()
        for row in table("curves/study.csv"):
            epochs[row["task"], row["scheme"], int(row["seed"])].append(int(row["epoch"]))
            ended[row["task"], row["scheme"]] += row["eval_loss"] == "nan"
        wanted = {(task, scheme, seed) for task in TASKS for scheme in schemes_of(f"train_{task}") for seed in range(1, 6)}
        self.assertEqual(set(epochs), wanted)
        self.assertEqual(+ended, self.ENDED)
        for run, found in epochs.items():
            self.assertEqual(found, list(range(1, (len(found) if run[:2] in self.ENDED else 8) + 1)), run)

    def test_tells_means_of_accuracies_and_of_texts_losses(self):
        values = defaultdict(list)
        for row in table("curves/study.csv"):
            metric = "eval_loss" if row["task"] == "text" else "eval_accuracy"
            if row[metric] != "nan":
                values[row["task"], row["scheme"], row["epoch"], metric].append(float(row[metric]))
        means = {(row["task"], row["scheme"], row["epoch"], row["metric"]): float(row["mean"])
                 for row in table("papers/trained.csv")}
        self.assertEqual(set(means), {key for key, runs in values.items() if len(runs) == 5})
        for key, mean in means.items():
            self.assertAlmostEqual(mean, sum(values[key]) / 5, delta=6e-6, msg=key)

    def test_of_one_task_leaves_the_lines_of_others(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for child in ("scripts", "build", "configs/curves"):
                (folder / child).mkdir(parents=True)
            for script in ("trainings.sh", "text_task.mjs"):
                shutil.copy(REPOSITORY / "scripts" / script, folder / "scripts")
            trains = 'mkdir -p "${@: -1}/asp"; printf "epoch,step\\n1,100\\n" >"${@: -1}/asp/seed1.csv"; echo "$@" >>asked'
            for file, does in (("build/stcsim", trains), ("scripts/trained.sh", "echo trained >>asked"),
                               ("scripts/gradients.sh", "echo gradients >>asked")):
                (folder / file).write_text(f"#!/bin/bash\n{does}\n", encoding="utf-8")
                (folder / file).chmod(0o755)
            curves = folder / "configs/curves/study.csv"
            before = ["# made from a:1", "task,scheme,seed,epoch,step", "images,dense,1,1,9", "text,dense,1,1,9",
                      "tokens,dense,1,1,9"]
            curves.write_text("\n".join(before) + "\n", encoding="utf-8")
            subprocess.run(["bash", str(folder / "scripts/trainings.sh"), "2"], check=True, capture_output=True,
                           env={**os.environ, "TASKS": "text"})
            after = curves.read_text(encoding="utf-8").splitlines()
            self.assertEqual(after[0], before[0])
            self.assertEqual(after[-3:], [before[2], before[4], "text,asp,1,1,100"])
            self.assertEqual((folder / "asked").read_text(encoding="utf-8"),
                             "train train_text --jobs 2 --resume --out out/study/text\ntrained\n")


class Runs(unittest.TestCase):
    def test_that_fail_are_named_and_the_others_go_on(self):
        with tempfile.TemporaryDirectory() as out:
            (Path(out) / "sdgp").write_text("a file where a folder should be")
            done = subprocess.run(
                [find_program(), "train", "train_tokens", "--schemes", "dense,sdgp", "--seeds", "1", "--out", out,
                 "--set", "training.epochs=1", "--set", "training.samples_per_epoch=32"],
                capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("stcsim train: sdgp seed 1 failed: cannot write ", done.stderr)
            self.assertTrue((Path(out) / "dense/seed1.csv").exists())

    def test_need_the_library_beside_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "stcsim"
            program.touch()
            done = subprocess.run(["/usr/bin/python3", "-B", "-m", "stcsim.training"], input="{}", capture_output=True,
                                  text=True, check=False, env={**os.environ, "STCSIM": str(program)})
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("libstcsim_pruning.so is not beside the program", done.stderr)

    def test_need_pytorch(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "torch.py").write_text("raise ImportError")
            environment = {**os.environ, "PYTHONPATH": folder, "STCSIM_PYTHON": "/usr/bin/python3"}
            done = subprocess.run([find_program(), "train", "train_tokens", "--out", folder], env=environment,
                                  capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("stcsim train: error: training needs PyTorch", done.stderr)


if __name__ == "__main__":
    unittest.main()
