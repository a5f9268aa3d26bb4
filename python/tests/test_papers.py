"""Tests of papers: what their files say, what answers their rows, which verdicts are given, what pages say."""

import copy
import itertools
import json
import math
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from stcsim import Error
from stcsim.evidence import answers, paper_report, papers
from stcsim.evidence.papers import Column, Map, Row, Scheme, StepRow
from stcsim.evidence.quantities import (KINDS, QUANTITIES, Answer, Published, figure_text, simulated_kind, tally,
                                        tally_text, verdict)
from stcsim.evidence.tables import read_tables

MEASURED, ESTIMATED, TRAINING, ARITHMETIC, FITTED = KINDS


def quantity(name, scope=""):
    return next(one for one in QUANTITIES if one.name == name and scope in one.scope)


def answer(value, low=None, high=None, **more):
    return Answer("c", "", value, value if low is None else low, value if high is None else high, **more)


def read(reader, **keys):
    """What a reader makes of the map."""
    values = Map(keys, "row.yaml")
    found = reader(values)
    values.finish()
    return found


class Case(unittest.TestCase):
    def refuses(self, text, call, *arguments, **keys):
        with self.assertRaises(Exception) as caught:
            call(*arguments, **keys)
        self.assertIn(text, re.sub(r"(\.yaml)(:\d+:\d+)(: error)", r"\1\3", str(caught.exception)))


class Verdicts(unittest.TestCase):
    def measured(self, published, name, tolerance, *ours):
        ends = published if isinstance(published, tuple) else (published, published)
        return verdict(MEASURED, Published(*ends), quantity(name), tolerance, answer(*ours))

    def test_quantities_have_names_of_their_own_in_their_scopes(self):
        self.assertEqual(len({(one.scope, one.name) for one in QUANTITIES}), len(QUANTITIES))
        self.assertEqual({one.neutral for one in QUANTITIES if one.unit == "ratio"}, {1.0})

    def test_deviation_is_of_the_nearer_end(self):
        for ends, unit, value, off in [((1.3, 1.5), "ratio", 1.3, 0), ((1.3, 1.5), "ratio", 1.5, 0),
                                       ((1.25, 1.5), "ratio", 1, -0.2), ((1.25, 1.5), "ratio", 3, 1),
                                       ((-0.5, -0.25), "points", 0.25, 0.5), ((-0.5, -0.25), "percent", 0.25, 2),
                                       ((0, 0), "percent", 2, 2)]:
            self.assertAlmostEqual(Published(*ends).deviation(unit, value), off)

    def test_follow_from_tolerance_interval_and_direction(self):
        gain, saved, share, points = "step_gain", "step_saved", "share", "difference"
        for published, name, tolerance, ours, right in [
                (1.5, gain, 0.1, [1.36], "reproduced"), (1.5, gain, 0.1, [1.34], "direction only"),
                (1.5, gain, 0.1, [1.64], "reproduced"), (1.5, gain, 0.1, [1.66], "direction only"),
                (1.5, gain, 0, [1.5], "reproduced"), (0.99, gain, 0.02, [0.98], "reproduced"),
                (-0.3, points, 0.1, [-0.25], "reproduced"), (-0.3, points, 0.1, [-0.15], "direction only"),
                (1.5, gain, 0, [1.3, 1.1, 1.5], "reproduced"), (1.5, gain, 0, [1.7, 1.51, 2], "direction only"),
                (1.1, gain, 0, [1.05, 1, 1.1], "cannot be told apart"), (1.1, gain, 0, [1.05, 1.01, 1.1], "reproduced"),
                ((1, 1.1), gain, 0, [1.05, 0.9, 1.1], "reproduced"),  # the paper says as much
                (1.06, gain, 0.1, [0.97], "cannot be told apart"), (0.95, gain, 0.1, [1.02], "cannot be told apart"),
                (0.95, gain, 0.1, [0.98], "reproduced"), ((10, 20), share, 0, [12, 0, 30], "reproduced"),
                (1.5, gain, 0, [0.99], "not reproduced"), (1.5, gain, 0, [1], "not reproduced"),
                (0.9, gain, 0, [0.7], "direction only"), ((15, 25), saved, 0, [3], "direction only"),
                ((15, 25), saved, 0, [-3], "not reproduced"), ((15, 25), saved, 0, [0.1, -2, 2], "not reproduced"),
                ((15, 25), share, 0, [3], "not reproduced"), ((-1, 1), points, 0, [2], "not reproduced")]:
            self.assertEqual(self.measured(published, name, tolerance, *ours), right, (published, name, ours))

    def test_arithmetic_fitted_and_own_training(self):
        def given(kind, name, published, ours, chance=None):
            return verdict(kind, Published(published, published), quantity(name), 0.1, answer(ours, p_value=chance))

        self.assertEqual(given(ARITHMETIC, "step_gain", 1.5, 1.6), "consistent")
        self.assertEqual(given(ARITHMETIC, "step_gain", 1.5, 1.7), "not consistent")
        self.assertEqual(given(FITTED, "step_gain", 1.5, 1.5), "no test")
        for published, ours, chance, right in [(-0.1, -3, 0.049, "same"), (-0.1, 0.05, 0.01, "other"),
                                               (-0.1, -0.1, 0.05, "no"), (-0.1, -0.1, None, "no"), (0, -3, 0.01, "no")]:
            self.assertEqual(given(TRAINING, "difference", published, ours, chance), f"{right} direction")

    def test_kinds_follow_from_how_a_figure_was_obtained(self):
        for obtained, kinds in {"measured": (MEASURED, "", ""), "derived": ("", "", ARITHMETIC),
                                **dict.fromkeys(("estimated", "counted", "proved", "simulated"),
                                                (ESTIMATED, ESTIMATED, ARITHMETIC))}.items():
            sorts = ("built", "hypothetical", "counting")
            self.assertEqual(tuple(simulated_kind(obtained, sort, False) for sort in sorts), kinds, obtained)
        self.assertEqual(simulated_kind("measured", "built", True), FITTED)
        self.assertEqual(simulated_kind("measured", "counting", True), "")

    def test_a_tally_has_a_line_for_each_kind_and_column(self):
        counts = tally([(ARITHMETIC, "counted", "consistent"), (MEASURED, "B", "not reproduced"),
                        (MEASURED, "A", "direction only"), (MEASURED, "B", "reproduced"),
                        (MEASURED, "B", "not reproduced"), (FITTED, "A", "no test")])
        self.assertEqual(tally_text(counts, "- "), "- against measured, B: 1 reproduced, 2 not reproduced\n"
                         "- against measured, A: 1 direction only\n- arithmetic, counted: 1 consistent\n"
                         "- fitted, A: 1 no test\n")

    def test_figures_are_printed_with_their_unit(self):
        for unit, value, text in [("ratio", 1.4444, "1.44x"), ("percent", 33.17, "33.2 %"),
                                  ("percent", 4.1637, "4.16 %"), ("percent", -12.345, "-12.3 %"),
                                  ("points", -0.125, "-0.12 points"), ("TFLOP/s", 1900, "1900 TFLOP/s"),
                                  ("value", 90, "90.0"), ("value", -0.123, "-0.123"),
                                  ("cycles", 73728, "73728 cycles"), ("ms", 1.234, "1.23 ms")]:
            self.assertEqual(figure_text(unit, value), text)
        self.assertEqual(Published(15, 25).text("percent"), "15.0 % to 25.0 %")
        self.assertEqual(Published(1.5001, 1.5002).text("ratio"), "1.50x")


PAPER = """title: A paper
source: Somebody, 2025
about: It claims things.
result: "Counting gives {one.1.counted}"
columns:
  - {name: counted, machine: ideal, framework: ideal, assumed: true}
  - {name: A100, machine: a100, framework: pytorch_eager}
figures: [one]
"""
FIGURE = """title: "Fig. 1: gains"
shows: Gains.
obtained: measured
tolerance: 0.05
fitted: to these
not_obtained: ["not obtained: the others"]
rows:
  - {says: saved, published: [15, 25], step: {network: resnet18, scheme: sdgp, quantity: step_saved}}
  - {says: kept, published: 56.25, obtained: counted, tolerance: 0.001,
     mask: {method: magnitude, pattern: "2:4", quantity: retained}}
  - {says: accuracy, not_compared: nobody trains it here}
"""
LAST = "{says: accuracy, not_compared: nobody trains it here}"
NM_COLUMN = ("figures: [one]", "  - {name: N:M, machine: a100_nm, framework: pytorch_eager}\nfigures: [one]")


class PaperCase(Case):
    def load(self, in_paper=("", ""), in_figure=("", "")):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "p").mkdir()
            for name, text, (old, new) in (("paper", PAPER, in_paper), ("one", FIGURE, in_figure)):
                self.assertIn(old, text)
                Path(folder, f"p/{name}.yaml").write_text(text.replace(old, new), encoding="utf-8")
            return papers.load_paper(f"{folder}/p")


class Files(PaperCase):
    def test_are_read_with_their_defaults(self):
        paper = self.load()
        [figure] = paper.figures
        self.assertEqual((paper.name, figure.name, figure.source), ("p", "one", "Somebody, 2025"))
        self.assertEqual([(one.where, one.assumed, one.sort) for one in figure.columns],
                         [("ideal with ideal", True, "counting"),
                          ("a100 with pytorch_eager, cuda12_rule", False, "built")])
        saved, kept, accuracy = figure.rows
        self.assertEqual((saved.obtained, saved.tolerance, saved.fitted), ("measured", 0.05, "to these"))
        self.assertEqual((kept.obtained, kept.tolerance), ("counted", 0.001))
        self.assertEqual(saved.published_text, "15.0 % to 25.0 %")
        self.assertIsNone(accuracy.experiment)

    def test_a_column_may_name_its_software(self):
        machine = "machine: a100, framework: pytorch_eager"
        paper = self.load((machine, f"{machine}, stack: slides_2020"))
        self.assertEqual(paper.figures[0].columns[1].where, "a100 with pytorch_eager, slides_2020")
        self.refuses("paper.yaml: error: 'columns.1.stack' is 'cuda12', must be one of cuda12_rule, ", self.load,
                     (machine, f"{machine}, stack: cuda12"))

    def test_built_machines_beside_hypothetical_ones_also_run_all_kernels(self):
        columns = self.load(NM_COLUMN).figures[0].columns
        self.assertEqual([one.where for one in columns[1:]],
                         ["a100 with pytorch_eager, cuda12_rule", "a100 with pytorch_eager, best",
                          "a100_nm with pytorch_eager, best"])
        self.assertEqual(columns[2].name, "A100, best of all kernels")
        self.assertEqual([one.is_beside for one in columns], [False, False, True, False])

    def test_a_row_of_each_layer_is_named_after_it(self):
        step = "{says: dense, step: {network: resnet9_cifar10, quantity: gemm_ms, each: layer}}"
        rows = self.load(in_figure=(LAST, step)).figures[0].rows
        self.assertEqual(len(rows), 2 + 9 * 3 - 1)
        self.assertEqual((rows[2].says, rows[2].setting), ("conv1 forward", "dense"))

    def test_refuse_what_they_cannot_mean_where_it_stands(self):
        for old, new, text in [
                ("[15, 25]", "[25, 15]", "one.yaml: error: rows.0.published: must be a number or [least, most]"),
                ("[15, 25]", "[15]", "must be a number or [least, most]"), ("[15, 25]", "many", "[least, most]"),
                ("not_compared: nobody trains it here", "note: nothing", "one.yaml: error: rows.2.says: a row has one "
                 "of step, gemm, training, mask, estimate, trained, or not_compared"),
                ("{says: kept,", "{says: kept, not_compared: why,", "rows.1.mask: a row has one of "),
                ("obtained: counted", "obtained: countd", "'rows.1.obtained' is 'countd', must be one of measured, "),
                ("shows: Gains.", "show: Gains.", "unknown key 'show'; did you mean 'shows'?"),
                ("tolerance: 0.001", "tolerance: 11", "'rows.1.tolerance' is 11, must be a number from 0 to 10"),
                ("scheme: sdgp", "schem: sdgp", "unknown key 'rows.0.step.schem'; did you mean 'scheme'?")]:
            self.refuses(text, self.load, in_figure=(old, new))
        with self.assertRaisesRegex(Exception, r"one\.yaml:\d+:\d+: error: unknown key 'rows\.0\.step\.schem'"):
            self.load(in_figure=("scheme: sdgp", "schem: sdgp"))
        for old, new, text in [
                ("name: A100,", "name: counted,", "columns.0.name: 'counted' is in 'columns' twice"),
                ("machine: a100,", "machine: a101,", "columns.1.machine: unknown machine 'a101', must be a path or a "
                 "shipped one; did you mean 'a100'?"), ("figures: [one]", "figures: [two]", "two.yaml"),
                ("title: A paper", "title: 2025", "'title' is 2025, must be a text"),
                ("{one.1.counted}", "{one.9}", "paper.yaml: error: 'result' has 'one.9', must be {FIGURE.ROW} or ")]:
            self.refuses(text, lambda *edit: self.load(edit).named(), old, new)

    def test_a_gain_may_stand_among_the_measurements(self):
        gemm = "{says: x, published: {source: NVIDIA GTC 2020}, gemm: {m: 1024, n: 8192, "
        [*_, row] = self.load(in_figure=(LAST, gemm + 'k: 1024, pattern: "2:4", quantity: gain}}')).figures[0].rows
        self.assertEqual(row.published, Published(1.44, 1.44))
        self.assertEqual(row.fitted, "looked at when the machine's kernels were set")
        self.refuses("rows.2.published: gemm.csv has no such GEMM of 'NVIDIA GTC 2020'", self.load,
                     in_figure=(LAST, gemm + 'k: 1025, pattern: "2:4", quantity: gain}}'))
        self.refuses("only a gain of a 'gemm' has its 'published' from a source", self.load,
                     in_figure=(LAST, gemm + 'k: 1024, pattern: "2:4", quantity: us}}'))

    def test_say_which_papers_there_are(self):
        self.refuses("no paper 'sdpg'; did you mean 'sdgp'?", papers.load_paper, "sdpg")
        self.refuses("no paper 'nonsense'; shipped are mvue, nm_hardware, ", papers.load_paper, "nonsense")
        self.refuses("/: there is no paper.yaml in it", papers.load_paper, "/")
        self.refuses("two papers are named 'mvue'", papers.papers_named, ["mvue", "mvue"])


class ShippedPapers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.all = [papers.load_paper(name) for name in papers.list_papers()]

    def test_are_five_and_claims_of_others(self):
        self.assertEqual([one.name for one in self.all],
                         ["mvue", "nm_hardware", "nvidia", "s-ste", "sdgp", "sparseloop", "transposable"])
        self.assertEqual([one.name for one in self.all if not one.result], ["nm_hardware", "sparseloop"])

    def test_say_what_was_not_obtained(self):
        for figure in (figure for paper in self.all for figure in paper.figures):
            said = [*figure.not_obtained, *(row.not_obtained for row in figure.rows if row.not_obtained)]
            self.assertEqual([one for one in said if not one.startswith("not obtained: ")], [], figure.name)
            self.assertTrue(any(not row.not_compared for row in figure.rows), figure.name)
            self.assertEqual([row.says for row in figure.rows if row.published and not row.obtained], [], figure.name)

    def test_say_which_gains_of_gemms_were_fitted(self):
        known = read_tables([str(papers.config_folder() / "validation/gemm.csv")]).gemms
        fitted = {(one.m, one.n, one.k, one.pattern, one.measured.speedup) for one in known if one.use == "fitting"}
        rows = [row for paper in self.all for figure in paper.figures for row in figure.rows
                if isinstance(row.experiment, papers.GemmRow) and row.published]
        for row in rows:
            gemm = row.experiment
            shape = (gemm.m, gemm.n, gemm.k, gemm.pattern, row.published.least)
            self.assertEqual(bool(row.fitted), shape in fitted, row.says)
        self.assertEqual(sum(bool(row.fitted) for row in rows), 5, "four of the slides of 2020, one of VENOM")


def result_row(phase, scheme, cycles, dense_cycles, **more):
    return {"layer": "fc1", "phase": phase, "scheme": scheme, "kind": "gemm", "repeat": 1, "every": 1, "macs": 1000,
            "sparse_macs": 0, "pattern": "dense", "hardware_pattern": "dense", "ran_sparse": False, "reason": "",
            "cycles": cycles, "dense_cycles": dense_cycles, "time_us": cycles / 1000, **more}


SPARSE = {"pattern": "2:4", "hardware_pattern": "2:4", "ran_sparse": True, "sparse_macs": 1000}


def part(cycles, dense_cycles):
    return {"cycles": cycles, "time_us": cycles / 1000, "speedup": dense_cycles / cycles if cycles else 0.0}


def total(scheme, forward, gemms, step, work=0, **more):
    return {"scheme": scheme, "pass": "training", "complete": True, "step_interval": None,
            "memory": {"total_bytes": 300}, "forward": part(forward, 3e6), "dgrad": part(3e6, 3e6),
            "wgrad": part(0, 0), "gemms": part(gemms, 6e6), "step": part(step, 6.25e6),
            "scheme_work": part(work, 0), **more}


def small_study():
    """SR-STE: forward 2,000 cycles instead of 3,000, dgrad 3,000, an activation of 250; a step 6,000,000 instead of
    6,250,000."""
    stream = {"kind": "activation", "phase": "other"}
    rows = [result_row("forward", "dense", 3000, 3000), result_row("dgrad", "dense", 3000, 3000),
            {**result_row("", "dense", 250, 250), **stream}, result_row("forward", "sr-ste", 2000, 3000, **SPARSE),
            result_row("dgrad", "sr-ste", 3000, 3000), {**result_row("", "sr-ste", 250, 250), **stream}]
    return {"config_hash": "00ff", "results": rows, "failed": False, "totals": [
        total("dense", 3e6, 6e6, 6.25e6), total("sr-ste", 2e6, 5e6, 6e6, 750000)]}


COLUMN = Column("A100", "a100", "a100", "built", "eager", "eager")


def step_row(name, products=papers.PRODUCTS, scheme="sr-ste", **more):
    return StepRow(quantity(name), "mlp", Scheme(scheme, "", scheme), products=products, **more)


class Steps(Case):
    def answer(self, row, study=None, column=COLUMN):
        return answers.step_answer(row, column, study or small_study())

    def test_quantities_of_layers_and_products(self):
        for name, products, value in [
                ("gemm_gain", papers.PRODUCTS, 1.2), ("gemm_gain", ["forward"], 1.5), ("gemm_gain", ["wgrad"], 1),
                ("gemm_saved", papers.PRODUCTS, 100 / 6), ("share", ["forward"], 40),
                ("share", ["forward", "dgrad"], 100), ("share_of_dense", ["forward"], 100 / 3),
                ("gemm_ms", ["dgrad"], 0.003), ("block_gain", papers.PRODUCTS, 6250 / 5250)]:
            self.assertAlmostEqual(self.answer(step_row(name, products)).value, value, 12, name)
        self.assertEqual(self.answer(step_row("gemm_ms", ["dgrad"], layers=["fc1"])).value, 0.003)
        self.assertEqual(self.answer(step_row("gemm_ms", ["dgrad"], layers=["fc2"])).value, 0)
        study = small_study()
        study["results"][4]["repeat"] = 3
        self.assertAlmostEqual(self.answer(step_row("gemm_gain"), study).value, 12 / 11, 12, "repeats count")

    def test_quantities_of_the_step(self):
        dense = Scheme("dense", "", "dense")
        for name, value in [("step_gain", 6250 / 6000), ("step_saved", 4), ("step_ms", 6)]:
            self.assertAlmostEqual(self.answer(step_row(name)).value, value, 12)
        self.assertAlmostEqual(self.answer(step_row("step_ratio", against=dense)).value, 6250 / 6000, 12)
        study = small_study()
        study["totals"][0]["memory"]["total_bytes"] = 400
        self.assertEqual(self.answer(step_row("memory_share", against=dense), study)[2:6], (75, 75, 75, ""))

    def test_a_pass_after_training_has_a_time_and_a_gain(self):
        self.assertIsNone(self.answer(step_row("inference_ms")), "a training step is none")
        study = small_study()
        for one in study["totals"]:
            one["pass"] = "inference"
        for row in study["results"]:
            row["phase"] = "inference"
        self.assertEqual(self.answer(step_row("inference_ms"), study).value, 6)
        self.assertEqual(self.answer(step_row("inference_gain"), study).because, "inference 1.20x of 1.33x counted; "
                         "GEMMs are 96.0 % of the dense pass; pruning takes 12.0 % of it")

    def test_says_where_the_gain_went(self):
        self.assertEqual(self.answer(step_row("block_gain")).because, "forward 1.50x")
        self.assertEqual(self.answer(step_row("gemm_gain", ["dgrad"])).because, "forward 1.50x of 2.00x counted")
        self.assertEqual(self.answer(step_row("step_gain")).because, "forward 1.50x of 2.00x counted; GEMMs are "
                         "96.0 % of the dense step; pruning takes 12.0 % of it")
        self.assertEqual(self.answer(step_row("step_ms")).because, "")
        study = small_study()
        study["results"].append(result_row("forward", "sr-ste", 2000, 2000, layer="fc2"))
        self.assertEqual(self.answer(step_row("gemm_gain", ["dgrad"]), study).because, "forward 1.50x of 1.33x counted",
                         "half of it is sparse")
        refused = result_row("forward", "sr-ste", 1000, 1000, pattern="4:8", reason="4:8 does not fit 2:4 hardware")
        study["results"] = [refused]
        self.assertEqual(self.answer(step_row("step_gain"), study).because,
                         "all GEMMs run dense: 4:8 does not fit 2:4 hardware")

    def test_intervals_are_the_studys_unless_the_column_is_assumed(self):
        study = small_study()
        study["totals"][1]["step_interval"] = {"low": 1.02, "high": 1.25, "assumed": False}
        own = self.answer(step_row("step_gain"), study)
        self.assertEqual((own.column, own.where, own.low, own.high), ("A100", "a100 with eager", 1.02, 1.25))
        self.assertAlmostEqual(self.answer(step_row("step_saved"), study).high, 20, 12)
        exact = self.answer(step_row("step_gain"), study, COLUMN._replace(assumed=True))
        self.assertEqual((exact.low, exact.high), (exact.value, exact.value))

    def test_there_is_no_answer_if_some_of_it_failed(self):
        study = small_study()
        study["totals"][1]["complete"] = False
        self.assertIsNone(self.answer(step_row("step_gain"), study))
        self.assertIsNotNone(self.answer(step_row("step_ms", scheme="dense"), study))
        against = Scheme("sr-ste", "", "sr-ste")
        self.assertIsNone(self.answer(step_row("step_ratio", scheme="dense", against=against), study))

    def test_are_read(self):
        [row] = read(papers.read_steps, network="resnet18", batch=64, dtype="bf16", scheme="sdgp", pattern="1:4",
                     layers=["conv1"], products=["dgrad"], quantity="share")
        self.assertEqual((row.batch, row.dtype, row.scheme.name, row.layers), (64, "bf16", "sdgp-1:4", ["conv1"]))
        [plain] = read(papers.read_steps, network="resnet18", quantity="step_ms")
        self.assertEqual((plain.scheme.name, plain.products), ("dense", ["forward", "dgrad", "wgrad"]))
        inferring = [{"quantity": "inference_gain"}, {"quantity": "gemm_ms", "products": ["inference"]},
                     {"quantity": "step_ms"}]
        self.assertEqual([read(papers.read_steps, network="resnet18", **keys)[0].is_inference for keys in inferring],
                         [True, True, False])

    def test_refuse_what_they_cannot_mean(self):
        for keys, text in [
                ({"quantity": "speed"}, "'quantity' is 'speed', must be one of share, "),
                ({"quantity": "gemm_ms", "layers": ["conv11"]},
                 "layers: the network has no layer 'conv11'; did you mean 'conv1'?"),
                ({"quantity": "step_ms", "layers": ["conv1"]},
                 "layers: has no effect on step_ms, which is of a whole step or pass"),
                ({"quantity": "step_ratio"}, "quantity: compares two schemes, must have 'against' beside it"),
                ({"quantity": "step_gain", "against": {}}, "against: has no effect on step_gain"),
                ({"quantity": "gemm_ms", "products": ["forward", "inference"]}, "or inference alone"),
                ({"quantity": "gemm_ms", "each": "product"}, "'each' is 'product', must be one of layer"),
                ({"quantity": "gemm_ms", "aganst": {}}, "unknown key 'aganst'; did you mean 'against'?"),
                ({"quantity": "step_ms", "network": "resnet17"}, "unknown network 'resnet17'")]:
            self.refuses(text, read, papers.read_steps, **{"network": "resnet18", **keys})


class GemmsAndTrainings(Case):
    def test_a_gemm_reads_itself_and_what_it_is_held_against(self):
        row = read(papers.read_gemm, m=128, n=64, k=32, dtype="int8", pattern="2:4", against_dtype="fp16",
                   quantity="gain")
        self.assertEqual(row[1:], (128, 64, 32, "int8", "2:4", "dense", "fp16"))
        self.assertEqual([(one["dtype"], one["pattern"]) for one in answers.gemm_lines(row, COLUMN)],
                         [("int8", "2:4"), ("fp16", "dense")])
        self.assertEqual(len(answers.gemm_lines(row._replace(against_dtype="int8"), COLUMN)), 1, "its dense is told")
        self.refuses("against: has no effect but on quantity: gain", read, papers.read_gemm, m=1, n=1, k=1,
                     against="1:2", quantity="us")
        self.refuses("'m' is 0, must be a whole number from 1 to 1000000", read, papers.read_gemm, m=0, n=1, k=1,
                     quantity="us")

    def test_gains_and_rates_follow_from_times(self):
        """4 us against 10, and 2 * 128 * 64 * 32 operations."""
        own = {"time_us": 4.0, "dense_time_us": 10.0, "cycles": 4000, "utilization": 0.5, "bound_by": "l2"}
        for name, value in [("gain", 2.5), ("cycles", 4000), ("us", 4), ("tflops", 0.131072)]:
            row = papers.GemmRow(quantity(name, "gemm"), 128, 64, 32, "fp16", "2:4", "dense", "fp16")
            self.assertAlmostEqual(answers.gemm_answer(row, COLUMN._replace(stack="best"), [own]).value, value, 12)
        given = answers.gemm_answer(row, COLUMN._replace(stack="best"), [own, {"time_us": 8.0}])
        self.assertEqual(given.where, "a100, best")
        self.assertEqual(given.because, "multipliers busy 50.0 %, bound by l2")

    def test_a_training_is_asked_on_the_columns_machine(self):
        row = papers.TrainingRow(quantity("gain", "training"), "t.yaml", "asp")
        self.assertEqual(answers.training_words(row, COLUMN._replace(stack="best", assumed=True)),
                         ["tta", "t.yaml", '--set=machines=["a100"]', '--set=framework="eager"',
                          "--set=scheme_work=false", '--set=stack="best"'])

    def test_a_training_has_hours_and_a_gain(self):
        document = {"failed": False, "results": [{"scheme": "dense", "training_hours": 3.0},
                                                 {"scheme": "asp", "training_hours": 2.0}]}

        def given(name, scheme="asp", **more):
            row = papers.TrainingRow(quantity(name, "training"), "t.yaml", scheme)
            return answers.training_answer(row, COLUMN, {**document, **more})

        self.assertEqual((given("hours").value, given("gain").value), (2.0, 1.5))
        self.assertIsNone(given("gain", failed=True))
        self.refuses("t.yaml: 'schemes' must have dense and 'sdgp'", given, "hours", "sdgp")
        document["results"][1]["training_hours"] = None
        self.refuses("does not say how long a training is ('epochs')", given, "hours")


TRAINED = """task,scheme,epoch,seeds,mean,low,high,metric
images,dense,1,5,0.5,0.4,0.6,eval_accuracy
images,dense,2,5,0.8,0.76,0.81,eval_accuracy
images,dense,3,5,0.9,0.87,0.92,eval_accuracy
images,sdgp-4:8,1,5,0.3,0.2,0.4,eval_accuracy
images,sdgp-4:8,2,5,0.7,0.67,0.84,eval_accuracy
tokens,sdgp-4:8,1,1,0.25,0.25,0.25,eval_accuracy
text,dense,1,5,1.5,1.4,1.6,eval_loss
"""
GRADIENTS = """task,layer,phase,method,pattern,seeds,elements,zeros,retained,bias,variance,mean_square_error
tokens,ff1,wgrad,mvue,2:4,1,64,0.5,1,0.01,0.25,0.26
tokens,ff2,wgrad,mvue,2:4,1,64,0,0.75,0,0.75,0.75
tokens,ff1,dgrad,mvue,2:4,1,64,0.5,1,0,0.125,0.125
tokens,ff1,wgrad,mvue,1:2,1,64,0.5,1,0,2,2
images,conv,wgrad,random,2:4,1,64,0.5,1,0,1.5,1.5
"""


class OwnTables(Case):
    def read(self, reader, trained=TRAINED, gradients=GRADIENTS, **keys):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "papers").mkdir()
            Path(folder, "papers/trained.csv").write_text(trained, encoding="utf-8")
            Path(folder, "papers/gradients.csv").write_text(gradients, encoding="utf-8")
            with mock.patch.object(papers, "config_folder", lambda: Path(folder)):
                return read(reader, **keys)

    def trained(self, **keys):
        return self.read(papers.read_trained, **keys).answer

    def estimate(self, name, **keys):
        keys = {"quantity": name, "method": "mvue", "pattern": "2:4", "task": "tokens", **keys}
        return self.read(papers.read_estimate, **keys)

    def test_accuracy_is_of_the_last_epoch_or_the_one_asked_for(self):
        last = self.trained(task="images", scheme="dense")
        self.assertEqual((last.value, last.low, last.high), (90, 87, 92))
        self.assertEqual((last.column, last.where), ("our training", "images, dense, 5 seeds, epoch 3"))
        self.assertEqual(self.trained(task="images", scheme="dense", quantity="accuracy", epoch=1).value, 50)
        self.assertEqual(self.trained(task="tokens", scheme="sdgp-4:8").where, "tokens, sdgp-4:8, 1 seed, epoch 1")

    def test_a_difference_has_the_interval_of_both(self):
        """The last epoch that both have: 0.7 (0.67 to 0.84) - 0.8 (0.76 to 0.81)."""
        both = self.trained(task="images", scheme="sdgp-4:8", against="dense")
        self.assertAlmostEqual(both.value, -10, 9)
        self.assertAlmostEqual(both.low, -10 - 100 * math.hypot(0.03, 0.01), 9)
        self.assertAlmostEqual(both.high, -10 + 100 * math.hypot(0.14, 0.04), 9)
        self.assertEqual(both.where, "images, sdgp-4:8, 5 seeds, against dense, epoch 2")
        self.assertIn("cannot be told apart", both.because)
        self.assertAlmostEqual(both.p_value, 0.178, 3, "10 of 14.6, which 95 % are within")
        first = self.trained(task="images", scheme="dense", against="sdgp-4:8", epoch=1)
        self.assertAlmostEqual(first.value, 20, 9)
        self.assertEqual(first.because, "")

    def test_say_what_there_is(self):
        for keys, text in [
                ({"task": "image", "scheme": "dense"},
                 "task: 'image' is not in the accuracies of trained.csv, which has images, tokens"),
                ({"task": "text", "scheme": "dense"}, "task: 'text' is not in the accuracies of trained.csv, which has"),
                ({"task": "tokens", "scheme": "dense"},
                 "scheme: 'dense' is not in trained.csv of tokens, which has sdgp-4:8"),
                ({"task": "images", "scheme": "dense", "against": "asp"}, "against: 'asp' is not in"),
                ({"task": "images", "scheme": "dense", "epoch": 4}, "'epoch' is 4, must be a whole number from 1 to 3"),
                ({"task": "images", "scheme": "dense", "quantity": "accuracy", "against": "dense"},
                 "against: is of the quantity difference"),
                ({"task": "images", "scheme": "dense", "target": 4}, "unknown key 'target'"),
                ({"task": "images"}, "'scheme' is missing")]:
            self.refuses(text, self.trained, **keys)
        self.refuses("trained.csv:2:18: error: mean is 'x', must be a number from 0 on", self.trained,
                     trained=TRAINED.replace("0.5,0.4", "x,0.4"), task="images", scheme="dense")
        self.refuses("trained.csv", self.trained, trained="task,scheme\na,b\n", task="images", scheme="dense")

    def test_an_estimate_is_the_mean_of_the_layers_between_their_ends(self):
        row = self.estimate("variance")
        self.assertEqual(row.answer[2:5], (0.5, 0.25, 0.75))
        self.assertEqual((row.answer.column, row.answer.where), ("computed", "gradients of tokens, 2 layers, wgrad"))
        self.assertEqual(self.estimate("retained").answer.value, 87.5)
        self.assertEqual(self.estimate("retained").quantity.unit, "percent")
        self.refuses("method: 'mvue 1:4' is not in gradients.csv of tokens, which has mvue 1:2, mvue 2:4",
                     self.estimate, "bias", pattern="1:4")
        self.refuses("method: 'mvue 2:4' is not in gradients.csv of images", self.estimate, "bias", task="images")


class Masks(Case):
    KEYS = {"quantity": "retained", "method": "magnitude", "pattern": "2:4", "size": 16, "seed": 3, "seeds": 1}

    def row(self, **keys):
        return read(papers.read_mask, **{**self.KEYS, **keys})

    def value(self, **keys):
        return answers.mask_answer(self.row(**keys)).value

    def numbers(self):
        both = answers._pruned(self.row(), 3, ("", ".decay"), "--scheme=sr-ste", "--pattern=1:2", "--decay=1")
        return [abs(one or other) for one, other in zip(*both)]

    def test_magnitude_keeps_the_largest_of_groups_or_of_all(self):
        numbers = self.numbers()
        kept = sum(sum(sorted(numbers[at:at + 4])[2:]) for at in range(0, len(numbers), 4))
        given = answers.mask_answer(self.row())
        self.assertAlmostEqual(given.value, 100 * kept / sum(numbers), 9)
        self.assertEqual((given.low, given.high, given.where), (given.value, given.value, "normal 16x16, 1 seed"))
        for pattern, count in (("2:4", 128), ("1:4", 64)):
            self.assertAlmostEqual(self.value(method="unstructured", pattern=pattern),
                                   100 * sum(sorted(numbers)[-count:]) / sum(numbers), 9)

    def test_fitting_groups_are_those_with_enough_of_the_smallest(self):
        numbers = self.numbers()
        for zeros, pattern in ((50, "2:4"), (25, "2:4"), (75, "4:16"), (0, "1:4")):
            left, of = (int(part) for part in pattern.split(":"))
            gone = set(sorted(range(256), key=lambda at: numbers[at])[:256 * zeros // 100])
            fit = sum(len(gone & set(range(at, at + of))) >= of - left for at in range(0, 256, of))
            given = self.value(quantity="fitting", method="unstructured", pattern=pattern, zeros_percent=zeros)
            self.assertAlmostEqual(given, 100 * fit * of / 256, 9)

    def test_the_best_of_all_90_masks(self):
        rows = [row for row in itertools.product((0, 1), repeat=4) if sum(row) == 2]
        masks = [mask for mask in itertools.product(rows, repeat=4) if all(sum(column) == 2 for column in zip(*mask))]
        self.assertEqual(len(masks), 90)
        numbers, best = self.numbers(), 0.0
        for at in (64 * row + 4 * column for row in range(4) for column in range(4)):
            block = [numbers[at + 16 * line:at + 16 * line + 4] for line in range(4)]
            best += max(sum(value * one for values, row in zip(block, mask) for value, one in zip(values, row))
                        for mask in masks)
        for method in ("transposable-exactly", "transposable-exhaustive"):
            self.assertAlmostEqual(self.value(method=method), 100 * best / sum(numbers), 5)
        self.assertEqual(self.value(quantity="of_optimum", method="transposable"), 100)
        self.assertLess(self.value(method="transposable-greedy"), self.value(method="transposable"))

    def test_methods_that_prune_twice_keep_less_for_dgrad(self):
        for method in papers.TWICE:
            self.assertEqual(self.value(method=method, phase="forward"), self.value())
            self.assertLess(self.value(method=method, phase="dgrad"), self.value() - 1)

    def test_shares_are_the_mean_of_the_seeds(self):
        given = answers.mask_answer(self.row(seed=4, seeds=3))
        self.assertAlmostEqual(given.value, sum(self.value(seed=seed) for seed in (4, 5, 6)) / 3, 9)
        self.assertTrue(given.low < given.value < given.high)
        usual = read(papers.read_mask, quantity="retained", method="magnitude", pattern="2:4")
        self.assertEqual((usual.size, usual.seed, usual.seeds), (256, 1, 5))

    def test_an_interval_leaves_out_as_many_means_at_either_end(self):
        self.assertEqual(answers.interval_of_mean([0.0, 1.0], 1), (0.0, 1.0))
        self.assertEqual(answers.interval_of_mean([0.0, 0.0, 0.0, 0.0, 1.0], 1), (0.0, 0.6))
        low, high = answers.interval_of_mean([float(one) for one in range(10)], 1)
        self.assertTrue(2.4 < low < 3 and 6 < high < 6.6)

    def test_say_what_is_wrong(self):
        for keys, text in [
                ({"quantity": "retain"}, "must be one of retained, of_optimum, fitting; did you mean 'retained'?"),
                ({"method": "mvue"}, "'method' is 'mvue', must be one of unstructured, random, magnitude, "),
                ({"pattern": "dense"}, "must be n:m with n < m"), ({"pattern": "4:8x2:4"}, "must be n:m with n < m"),
                ({"pattern": "3:2"}, "'pattern' is '3:2', must be \"n:m\""),
                ({"pattern": "4:8", "size": 7}, "size: is 7, must be at least one group of 8"),
                ({"phase": "dgrad"}, "phase: 'magnitude' has no pruning of its own for dgrad"),
                ({"quantity": "of_optimum", "pattern": "4:8 pairs"}, "is known of n:m"),
                ({"quantity": "fitting", "zeros_percent": 50}, "'fitting' is of unstructured n:m, and of a size of whole"),
                ({"quantity": "fitting", "method": "unstructured"}, "zeros_percent: is of quantity: fitting, which needs it"),
                ({"zeros_percent": 50}, "zeros_percent: is of quantity: fitting, which needs it")]:
            self.refuses(text, self.row, **keys)


def gain_row(says, obtained, published):
    return Row(says, Published(published, published) if published else None, obtained,
               experiment=step_row("step_gain") if says != "d" else None)


def sample():
    """A counted row, a measured one, one without a published figure, one that is not compared."""
    columns = [Column("counted", "x", "", "counting", "y", assumed=True), Column("A100", "a100", "", "built", "eager")]
    rows = [gain_row("a", "counted", 1.5), gain_row("b", "measured", 1.5), gain_row("c", "measured", 0),
            gain_row("d", "", 0)._replace(not_compared="nobody trains it here")]
    figure = papers.Figure("one", "Fig. 1", "Gains.", "Somebody, 2025", columns, rows, ["not obtained: the rest"])
    paper = papers.Paper("sample", "A paper", "Somebody, 2025", "It claims things.",
                         "Of {one.1} the A100 has {one.1.A100}", "paper.yaml", [figure])

    def given(column, value):
        return Answer(column, f"{column}'s machine", value, value, value, f"because of {column}")

    found = [answers.RowAnswers([given("counted", 1.5), given("A100", 1.1)], []),
             answers.RowAnswers([given("counted", 1.5), given("A100", 0.9)], []),
             answers.RowAnswers([given("counted", 1.25)], ["A100: it cannot"]), answers.RowAnswers([], [])]
    return answers.Result(paper, [found], [], "00ff")


def changed(result, row=0, **values):
    """The result with other values of a row."""
    figure = result.paper.figures[0]
    rows = list(figure.rows)
    rows[row] = rows[row]._replace(**values)
    return result._replace(paper=result.paper._replace(figures=[figure._replace(rows=rows)]))


class Pages(Case):
    def judged(self, row, column, value, figure=None):
        figure = figure or sample().paper.figures[0]
        return ": ".join(filter(None, paper_report.judged(figure, row, Answer(column, "", value, value, value))))

    def test_judge_every_column_and_say_what_that_is_worth(self):
        counted, measured, unpublished, _ = sample().paper.figures[0].rows
        for row, column, value, text in [
                (counted, "counted", 1.5, "arithmetic: consistent"),
                (counted, "A100", 1.1, "against estimated: direction only"),
                (measured, "counted", 1.5, ""), (measured, "A100", 1.5, "against measured: reproduced"),
                (unpublished, "A100", 1.5, ""), (measured, "computed", 1.5, "arithmetic: consistent"),
                (measured._replace(fitted="to this"), "A100", 1.5, "fitted: no test")]:
            self.assertEqual(self.judged(row, column, value), text)
        accuracy, difference = (measured._replace(experiment=papers.OwnRow(one, answer(94))) for one in QUANTITIES[-2:])
        self.assertEqual(self.judged(accuracy, "our training", 94), "", "of another network")
        self.assertEqual(self.judged(difference, "our training", 94), "own training: no direction", "it may be chance")
        figure = sample().paper.figures[0]
        beside = figure._replace(columns=[figure.columns[0], figure.columns[1]._replace(is_beside=True)])
        self.assertEqual(self.judged(measured, "A100", 1.5, beside), "")

    def test_sentences_take_figures_by_name(self):
        self.assertEqual(paper_report.sentence(sample()), "Of 1.50x the A100 has 1.10x")
        for wrong in ("{one}", "{two.1}", "{one.0}", "{one.5}", "{one.x}", "{one.3}", "{one.1.H100}", "{one.3.A100}",
                      "{one.1"):
            result = sample()
            result = result._replace(paper=result.paper._replace(result=wrong))
            self.refuses("paper.yaml: error: 'result' has '", paper_report.sentence, result)

    def test_the_document_has_what_the_page_draws(self):
        document = paper_report.document(sample())
        self.assertEqual(document["schema"], "stcsim.paper/2")
        self.assertEqual(document["tally"][0], {"kind": "against measured", "column": "A100",
                                                "verdict": "not reproduced", "count": 1})
        [figure] = document["figures"]
        self.assertEqual(figure["columns"], ["counted", "A100"])
        row = figure["rows"][1]
        self.assertEqual((row["unit"], row["published"], row["fitted"]), ("ratio", {"least": 1.5, "most": 1.5}, ""))
        self.assertEqual([(one["kind"], one["verdict"]) for one in row["answers"]],
                         [("", ""), ("against measured", "not reproduced")])
        self.assertAlmostEqual(row["answers"][1]["deviation"], -0.4, 12)
        self.assertNotIn("published", figure["rows"][2])
        self.assertNotIn("deviation", figure["rows"][2]["answers"][0])
        self.assertEqual(figure["rows"][2]["not_run"], ["A100: it cannot"])

    def test_markdown_has_every_figure_as_a_table(self):
        text = paper_report.markdown(sample())
        for part_ in ("# A paper\n\nOf 1.50x the A100 has 1.10x\n\nWhat it says: It claims things.\n\n"
                      "Somebody, 2025.\n\nVerdicts:\n\n- against measured, A100: 1 not reproduced\n"
                      "- against estimated, A100: 1 direction only\n",
                      "| a | gain of the step | 1.50x, counted | 1.50x; arithmetic: consistent, +0.0 % | 1.10x; "
                      "against estimated: direction only, -26.7 % | A100: because of A100 |",
                      "| b | gain of the step | 1.50x, measured | 1.50x | 0.900x; against measured: not reproduced, "
                      "-40.0 % | A100: because of A100 |", "| c | gain of the step | - | 1.25x | - | A100: it cannot |",
                      "not compared: nobody trains it here", "\n- not obtained: the rest\n\n"):
            self.assertIn(part_, text)
        self.assertTrue(text.endswith("not obtained: the rest\n\n"))

    def test_remarks_say_why_once_and_what_was_fitted(self):
        self.assertIn("direction only, -26.7 % | it is so |", paper_report.markdown(changed(sample(), why="it is so")))
        self.assertIn("fitted: no test, -40.0 % | fitted: to this |",
                      paper_report.markdown(changed(sample(), 1, fitted="to this")))

    def test_a_hint_has_its_probability(self):
        result = changed(sample(), experiment=papers.OwnRow(quantity("difference"), answer(0)))
        result.answers[0][0].answers[0] = result.answers[0][0].answers[0]._replace(p_value=0.0123)
        self.assertIn("own training: same direction, p = 0.012 |", paper_report.markdown(result))
        self.assertEqual(paper_report.document(result)["figures"][0]["rows"][0]["answers"][0]["p_value"], 0.0123)

    def test_say_what_the_sentence_is_with_other_software(self):
        self.assertEqual(paper_report.spread_text(sample()), "")
        result = sample()._replace(spread=[("1.10x", [("cuda12_search", "1.05x"), ("best", "1.12x")]),
                                           ("3 ms", [("old", "4 ms")])])
        self.assertIn("1.10x\n\nWith other software, 1.10x: with searched kernels 1.05x, best of all kernels 1.12x; "
                      "3 ms: with old 4 ms.\n\nWhat it says: ", paper_report.markdown(result))

    def test_claims_are_tables(self):
        result = sample()
        result = result._replace(paper=result.paper._replace(result=""))
        self.assertIn("# A paper\n\nWhat it says: ", paper_report.markdown(result))
        wide = paper_report.tables(result, 200)
        self.assertIn("\nFig. 1\n\n", wide)
        self.assertIn("\na       gain of the step   1.50x, counted  1.50x; arithmetic: ", wide)
        narrow = paper_report.tables(result, 100)
        self.assertLessEqual(max(map(len, narrow.splitlines())), 100)
        self.assertNotIn("…", narrow)

    def test_are_written_together(self):
        with tempfile.TemporaryDirectory() as folder:
            paper_report.write(sample()._replace(paper=sample().paper._replace(result="")), Path(folder))
            self.assertEqual(sorted(path.name for path in Path(folder).iterdir()), ["sample.json", "sample.md"])
            self.assertEqual(json.loads(Path(folder, "sample.json").read_text(encoding="utf-8"))["paper"], "sample")


class FakeAsker(answers.Asker):
    """Studies that say which software they ran with: a gain of 1.5, of the search 1.25, of the best kernels 1.75."""

    def __init__(self):
        super().__init__(1, "")
        self.ran = []

    def study(self, experiment):
        files = [experiment["machines"][0], experiment["networks"][0]["name"]]
        self.ran.append(" ".join([*(Path(file).stem for file in files), experiment["stack"]]))
        study = copy.deepcopy(small_study())
        speedup = {"cuda12_search": 1.25, "best": 1.75}.get(experiment["stack"], 1.5)
        study["totals"] = [{**total("sdgp", 2e6, 5e6, 6e6), "step": {**part(6e6, 6e6), "speedup": speedup}}]
        return study


class Runs(PaperCase):
    ROWS = """rows:
  - {says: a, published: 1.5, step: {network: resnet18, scheme: sdgp, quantity: step_gain}}
  - {says: b, step: {network: resnet50, scheme: sdgp, quantity: step_gain}}
"""

    def run_paper(self, columns=""):
        result = "Published {one.1}, counted {one.1.counted}, simulated {one.1.A100}"
        paper = PAPER.replace("Counting gives {one.1.counted}", result).replace("figures:", columns + "figures:")
        asker = FakeAsker()
        figure = FIGURE[:FIGURE.index("rows:")] + self.ROWS
        return answers.run_paper(self.load((PAPER, paper), (FIGURE, figure)), asker), asker.ran

    def test_the_sentences_figures_are_also_asked_of_other_software(self):
        result, ran = self.run_paper()
        self.assertEqual(paper_report.sentence(result), "Published 1.50x, counted 1.75x, simulated 1.50x")
        self.assertEqual(paper_report.spread_text(result), "With other software, 1.50x: with searched kernels 1.25x, "
                         "best of all kernels 1.75x.")
        self.assertEqual(ran, ["a100 resnet18 cuda12_rule", "a100 resnet50 cuda12_rule", "ideal resnet18 best",
                               "ideal resnet50 best", "a100 resnet18 best", "a100 resnet18 cuda12_search"])

    def test_what_a_column_has_is_not_run_once_more(self):
        _, ran = self.run_paper("  - {name: N:M, machine: a100_nm, framework: pytorch_eager}\n")
        self.assertEqual(len(ran), 9, "four columns of two rows, and the searched kernels")
        self.assertEqual(len(set(ran)), 9)

    def test_a_study_is_asked_for_what_its_rows_need(self):
        study = answers.Study("m", "f", "best", True, "n", 64, "bf16")
        rows = [step_row("step_gain"), step_row("inference_ms", scheme="asp"), step_row("step_ms", scheme="dense")]
        rows[2] = rows[2]._replace(scheme=Scheme("sdgp", "1:4", "sdgp-1:4"), against=rows[0].scheme)
        self.assertEqual(study.experiment(rows), {
            "machines": ["m"], "framework": "f", "stack": "best", "networks": [{"name": "n", "batch": 64}],
            "schemes": ["sr-ste", "asp", {"name": "sdgp", "pattern": "1:4"}],
            "phases": ["forward", "dgrad", "wgrad", "inference"], "scheme_work": False, "sparse_where": "always",
            "dtype": "bf16"})

    def test_what_the_program_refuses_is_said_in_its_column(self):
        asker = FakeAsker()
        with mock.patch.object(FakeAsker, "study", side_effect=answers.Refused("it has no fp8")):
            to = answers.RowAnswers([], [])
            answers._answer_steps([(step_row("step_gain"), COLUMN, to)], asker)
        self.assertEqual((to.answers, to.not_run), ([], ["A100: it has no fp8"]))
        with self.assertRaises(answers.Refused) as caught:
            answers.Asker(1, "").study({"machines": ["a100"], "networks": ["resnet18"], "schemes": ["dense"],
                                        "dtype": "fp9"})
        self.assertEqual(str(caught.exception)[:32], "'dtype' is the text \"fp9\", must ")
        self.assertIsInstance(caught.exception, Error)


if __name__ == "__main__":
    unittest.main()
