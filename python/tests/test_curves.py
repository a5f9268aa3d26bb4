"""Logs of training as CSV: two real ones of each kind, and what may be wrong with one."""

import contextlib
import csv
import io
import json
import statistics
import unittest
from pathlib import Path

from stcsim import curves

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data/curves"


def shipped(name):
    """Rows of a table in configs/curves."""
    with open(ROOT / "configs/curves" / name, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def log(key, value="null", metadata="", time_ms=0):
    return f'0: :::MLLOG {{"time_ms": {time_ms}, "key": "{key}", "value": {value}, "metadata": {{{metadata}}}}}\n'


class Curves(unittest.TestCase):
    def convert(self, text, over=None):
        self.said = io.StringIO()
        with contextlib.redirect_stderr(self.said):
            return curves.convert(text, over)

    def test_a_trainers_state_counts_steps_or_epochs(self):
        text = (DATA / "trainer_state.json").read_text()
        header, *rows = self.convert(text)
        self.assertEqual(header, ["steps", "grad_norm", "learning_rate", "loss", "eval_loss"])
        loss = header.index("loss")
        self.assertEqual([(row[0], row[loss]) for row in rows if row[loss] != ""], [(120, 0.4132), (240, 0.3674)])
        self.assertEqual([row[-1] for row in rows if row[-1] != ""],
                         [0.3951033353805542, 0.4154859483242035, 0.3891691565513611])
        header, *rows = self.convert(text, "epochs")
        self.assertEqual([row[0] for row in rows if row[loss] != ""], [0.96, 1.92])

    def test_of_a_trainers_state_only_the_historys_own_numbers_count(self):
        entries = [{"loss": float("nan"), "step": 1}, {"loss": 2, "step": 3, "deep": {"c": 3}, "list": [4]}, {"loss": 1}]
        self.assertEqual(self.convert(json.dumps({"other": {"log_history": [{"a": 1, "step": 1}]}, "log_history": entries})),
                         [["steps", "loss"], [1, ""], [3, 2]])
        for text, why in (("{}", "'log_history' is missing"), ('{"log_history": []}', "no line has a value"),
                          ('{"log_history": [', "line 1 column")):
            with self.assertRaisesRegex(ValueError, why):
                self.convert(text)

    def test_mlperf_counts_epochs_and_berts_samples(self):
        self.assertEqual(self.convert((DATA / "mllog_resnet50.txt").read_text()),
                         [["epochs", "eval_accuracy"], [27, 0.73116], [31, 0.75108], [35, 0.7606]])
        self.assertEqual(self.convert((DATA / "mllog_bert.txt").read_text())[:2],
                         [["samples", "eval_accuracy"], [2568160, 0.719355046749115]])

    def test_charts_of_weights_and_biases_have_a_run_in_each_column(self):
        header, *rows = self.convert((DATA / "wandb_chart.csv").read_text())
        self.assertEqual(header, ["steps", "train/loss"])
        self.assertEqual([row[0] for row in rows], [0, 1, 2, 3] * 3)
        self.assertEqual(rows[8], [0, 10.95404052734375])
        text = '"Step","a - b - acc","a - b - acc__MIN","x, ""y"" - acc","a - b - _step"\n1,0.5,0.5,,1\n2,0.75,0.7,0.25,2\n'
        self.assertEqual(self.convert(text)[1:], [[1, 0.5], [2, 0.75], [2, 0.25]])

    def test_runs_of_mlperf_follow_each_other(self):
        start, stop = log("run_start", time_ms=1000), log("run_stop", metadata='"status": "aborted"')
        first = log("eval_accuracy", "0.5", '"epoch_num": 2', 3500)
        second = log("eval_accuracy", "0.25", '"epoch_num": 1', 4000)
        text = start + first + first + stop + "noise\n" + start + second + ':::MLLOG {"key": 5'
        self.assertEqual(self.convert(text), [["epochs", "eval_accuracy"], [2, 0.5], [1, 0.25]])
        self.assertEqual(self.said.getvalue(),
                         "run 1 ended 'aborted'\nline 8: no JSON object behind :::MLLOG; left out\n")
        self.assertEqual(self.convert(text, "seconds")[1:], [[2.5, 0.5], [3, 0.25]])
        with self.assertRaisesRegex(ValueError, "counted in samples, must be one of epochs, seconds"):
            self.convert(text, "samples")

    def test_a_run_without_values_lends_its_start_to_no_other(self):
        text = (log("run_start", time_ms=1000) + log("run_stop", metadata='"status": "aborted"') +
                log("run_start", time_ms=5000) + log("eval_accuracy", "0.5", '"epoch_num": 1', 7500))
        self.assertEqual(self.convert(text, "seconds"), [["seconds", "eval_accuracy"], [2.5, 0.5]])


class Published(unittest.TestCase):
    def test_spreads_of_seeds_are_those_of_the_values_they_list(self):
        listed = 0
        for row in shipped("seeds.csv"):
            with self.subTest(source=row["source"], metric=row["metric"]):
                self.assertGreater(float(row["standard_deviation"]), 0)
                if row["network_config"]:
                    self.assertTrue((ROOT / "configs/networks" / (row["network_config"] + ".yaml")).is_file())
                if not row["note"].startswith("values "):
                    self.assertEqual(row["runs"], "")
                    continue
                values = [float(value) for value in row["note"].split(";")[0].split()[1:]]
                self.assertEqual(int(row["runs"]), len(values))
                self.assertEqual(row["mean"], f"{statistics.mean(values):.6g}")
                self.assertEqual(row["standard_deviation"], f"{statistics.stdev(values):.3g}")
                listed += 1
        self.assertEqual(listed, 35)

    def test_spreads_of_seeds_are_what_their_sources_print(self):
        rows = {(row["source"], row["metric"], row["length"]): row for row in shipped("seeds.csv")}
        torch = "NVIDIA/DeepLearningExamples PyTorch/LanguageModeling/BERT/README.md (version with DGX A100 80 GB)"
        loss = "pre-training loss (masked words and next sentence; lower is better)"
        for metric, length, mean, deviation in (("exact match %", "8 GPUs, batch 4 a GPU", 83.96, 0.266),
                                                (loss, "phases 1 and 2", 1.27, 0.023)):
            row = rows[torch, metric, length]
            self.assertEqual((round(float(row["mean"]), 2), round(float(row["standard_deviation"]), 3)), (mean, deviation))

    def test_points_of_dense_models_are_numbers_where_they_are_said(self):
        rows = shipped("dense_points.csv")
        for row in rows:
            for key in ("parameters", "value"):
                self.assertGreater(float(row[key]), 0)
            for key in ("batch_tokens", "step", "tokens"):
                self.assertRegex(row[key], r"^\d*$")
            if row["batch_tokens"] and row["step"]:
                self.assertEqual(int(row["batch_tokens"]) * int(row["step"]), int(row["tokens"]))
        losses = [float(row["value"]) for row in rows if row["data"] == "WebText; validation on OpenWebText"]
        self.assertEqual(losses, [3.12, 2.84, 2.67, 2.54])
        compute_optimal = [row for row in rows if row["run"].startswith("cerebras_gpt_")]
        for row in compute_optimal:
            self.assertAlmostEqual(int(row["tokens"]) / int(row["parameters"]), 20, delta=0.5)
        losses = [float(row["value"]) for row in compute_optimal]
        self.assertEqual(losses, sorted(losses, reverse=True))

    def test_a_sparse_curve_ends_in_its_published_final_value(self):
        curves_by_metric = {}
        for row in shipped("sparse_points.csv"):
            images = float(row["value"]) / 100 * 6250
            self.assertAlmostEqual(images, round(images), places=6)
            points = curves_by_metric.setdefault((row["source"], row["scheme"], row["network"], row["pattern"], row["metric"]), [])
            points.append((int(row["epoch"]), float(row["value"]), row["length"]))
        finals = {tuple(row[key] for key in ("source", "scheme", "network", "pattern", "metric")): (float(row["sparse"]), row["length"])
                  for row in shipped("final_values.csv") if row["sparse"]}
        self.assertEqual(len(curves_by_metric), 2)
        for key, points in curves_by_metric.items():
            epochs = [epoch for epoch, _, _ in points]
            self.assertEqual(epochs, sorted(set(epochs)))
            self.assertEqual(points[-1][1:], finals[key])
            self.assertEqual(f"{epochs[-1]} epochs", points[-1][2])


if __name__ == "__main__":
    unittest.main()
