"""measure/: what is timed in which order, what survives an interrupt, and that the program reads what is written. A fake stands
for the card."""

import contextlib
import csv
import io
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from stcsim._process import call

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "measure"))

import counters  # noqa: E402
import measure  # noqa: E402
import pairs  # noqa: E402
import rows  # noqa: E402

PREDICTIONS = measure.read_predictions(REPOSITORY / "results/predictions.csv")
COMMON = {"source": "measure.py, PyTorch 2.11.0, CUDA 13.0, driver 580", "gpu": "H200"}
STATE = "1980 MHz 700 W"
#: As `ncu --csv --page raw` prints it: a mark and a product's kernel, twice; the second product has a sum behind it.
NCU_HEADER = ('"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device",'
              '"CC","dram__bytes_read.sum","gpu__time_duration.sum","l1tex__m_xbar2l1tex_read_bytes.sum",'
              '"lts__t_sectors_srcunit_tex.sum","sm__cycles_elapsed.max",'
              '"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"\n'
              '"","","","","","","","","","","","byte","ns","byte","sector","cycle","%"\n')
MARK = ("at::cuda::spin_kernel(long)", "0", "2,016", "0", "12", "3,210", "0")
GEMM = ("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT", "148,791,296", "179,488", "1,610,624,896", "32,000,000", "285,160",
        "90.37")
SUM = ("void cublasLt::splitKreduce_kernel<32, 16, int>", "1,024", "3,000", "n/a", "100", "5,000", "0")


def ncu_output(*launches):
    """Names with commas in quotes, as ncu has them; the program's own lines before."""
    lines = "".join(f'"{at}","9","python3.12","127.0.0.1","{name}","1","7","(384, 1, 1)","(132, 1, 1)","0","9.0",'
                    + ",".join(f'"{value}"' for value in values) + "\n" for at, (name, *values) in enumerate(launches))
    return "==PROF== Connected to process 9 (/usr/bin/python3.12)\n" + NCU_HEADER + lines


def products(count):
    return ncu_output(*[MARK, GEMM] * (count - 1), MARK, GEMM, SUM)


class FakeBench:
    """A card on which all takes as long as `times` says, and the clock goes on by what is expected."""

    common = COMMON

    def __init__(self, stop_at=0, error=KeyboardInterrupt):
        self.asked, self._stop_at, self._error = [], stop_at, error

    def _time(self, what, sparse):
        self.asked.append(what)
        if len(self.asked) == self._stop_at:
            raise self._error
        return ("50.000" if sparse else "100.000"), STATE

    def side(self, side):
        return self._time(side.text, side.is_sparse)

    def gemm(self, gemm, dtype, is_searched=True):
        return self._time((gemm.text, dtype, is_searched), gemm.is_sparse)

    def part(self, name, tokens, width, inner, dtype, is_sparse):
        return self._time(name, is_sparse)

    def trace(self, step, path):
        path.write_text(step.text, encoding="utf-8")


def lines_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "out"

    def measured(self, bench, *words, machine="h200"):
        """What is printed, on both streams."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            measure.main([machine, "--out", str(self.out), *words], lambda seconds: bench)
        return printed.getvalue()


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Planning(unittest.TestCase):
    def tasks(self, clock, *expected_and_real):
        def task(at, expected, real):
            def run():
                clock.now += real
                self.done.append(at)
            return rows.Task("pairs", str(at), expected, run)

        self.done = []
        return [task(at, *seconds) for at, seconds in enumerate(expected_and_real)]

    def test_a_long_task_does_not_keep_out_a_short_one_behind_it(self):
        tasks = self.tasks(Clock(), (4, 4), (7, 7), (6, 6), (1, 1))
        self.assertEqual([task.name for task in rows.planned(tasks, 10)], ["0", "2"])

    def test_what_takes_longer_than_expected_pushes_out_what_no_longer_fits(self):
        clock = Clock()
        left = rows.run_all(self.tasks(clock, (4, 6), (5, 5), (4, 4)), rows.Budget(10, clock))
        self.assertEqual((self.done, [task.name for task in left], clock.now), ([0, 2], ["1"], 10))

    def test_kinds_stand_in_the_order_of_what_they_tell_and_the_default_takes_all_pairs(self):
        with tempfile.TemporaryDirectory() as folder:
            asked = measure.Measurements(Path(folder), "h200", FakeBench(), None, 0.5).tasks(PREDICTIONS, measure.KINDS)
        kinds = [task.kind for task in asked]
        self.assertEqual(list(dict.fromkeys(kinds)), ["pairs", "steps", "counters", "traces", "gemms"])
        self.assertEqual([kinds.count(kind) for kind in measure.KINDS], [30, 20, 1, 4, 200])
        plan = [task.kind for task in rows.planned(asked, 600)]
        self.assertEqual([plan.count(kind) for kind in ("pairs", "steps")], [30, 20])
        self.assertLessEqual(sum(task.seconds for task in rows.planned(asked, 600)), 600)

    def test_a_compiled_side_is_expected_to_take_its_compilation(self):
        sides = pairs.Gemm(8, 8, 8), pairs.Step("resnet50", 8), pairs.Step("resnet50", 8, "compiled graph")
        self.assertEqual([measure.seconds_of(side, 0.5) for side in sides], [3, 3, 36])


class Interrupts(Folder):
    def test_the_same_command_goes_on_where_it_was(self):
        first = FakeBench(stop_at=6)
        with self.assertRaises(KeyboardInterrupt):
            self.measured(first, "--only", "pairs")
        table = self.out / "pairs.csv"
        self.assertEqual([row["pair"] for row in lines_of(table)], [pair.name for pair in pairs.PAIRS[:2]])
        whole = table.read_text(encoding="utf-8")
        table.write_text(whole[:-20], encoding="utf-8")  # the second row is cut off
        second = FakeBench()
        self.measured(second, "--only", "pairs")
        self.assertEqual(second.asked, [side.text for pair in pairs.PAIRS[1:] for side in pair[1:]])
        self.assertEqual([(row["pair"], row["hash"]) for row in lines_of(table)],
                         [(pair.name, pairs.hash_of(pair)) for pair in pairs.PAIRS])
        third = FakeBench()
        self.assertIn("0 of 0 things", self.measured(third, "--only", "pairs"))
        self.assertEqual(third.asked, [])

    def test_the_end_of_the_time_keeps_the_rows_and_names_what_is_left(self):
        printed = self.measured(FakeBench(stop_at=58, error=measure.TimeUp), "--only", "pairs,traces")
        self.assertEqual(len(lines_of(self.out / "pairs.csv")), 28)
        last = [pair.name for pair in pairs.PAIRS[28:]]
        self.assertIn(f"goes on with it: 2 of pairs: {last[0]}, {last[1]}\n", printed)
        self.assertIn("goes on with it: 4 of traces: nanogpt_124m batch 16, eager, bert_large_l6 batch 16, eager, "
                      "resnet50 batch 64, eager and 1 more\n", printed)

    def test_no_time_leaves_all_out_and_says_so(self):
        bench = FakeBench()
        printed = self.measured(bench, "--minutes", "0.02", "--only", "pairs,traces")
        self.assertEqual(bench.asked, [])
        self.assertIn("0 of 34 things to measure fit into 1 s", printed)
        self.assertIn("left out by the plan: 30 of pairs: sparse_gemm_5120x512x5120, ", printed)

    def test_measurements_of_another_card_are_refused(self):
        self.measured(FakeBench(), "--only", "pairs")
        other = FakeBench()
        other.common = {**COMMON, "gpu": "A100"}
        with self.assertRaisesRegex(SystemExit, "pairs.csv has rows of H200, not of A100: name another --out"):
            self.measured(other)

    def test_a_table_of_other_columns_is_refused(self):
        self.out.mkdir()
        (self.out / "steps.csv").write_text("a,b\n1,2\n", encoding="utf-8")
        with self.assertRaisesRegex(SystemExit, "steps.csv has other columns: name another folder with --out"):
            self.measured(FakeBench())

    def test_profiles_are_taken_once(self):
        self.measured(FakeBench(), "--only", "traces")
        names = sorted(path.name for path in (self.out / "traces").iterdir())
        self.assertEqual(names, ["bert_large_l6_b16.json.gz", "llama3_1b_l8_b1.json.gz", "nanogpt_124m_b16.json.gz",
                                 "resnet50_b64.json.gz"])
        self.assertIn("0 of 0 things", self.measured(FakeBench(), "--only", "traces"))

    def test_without_a_card_nothing_is_written_and_it_is_said(self):
        def no_card(seconds):
            raise RuntimeError("No CUDA GPUs are available")

        with self.assertRaisesRegex(SystemExit, "measure.py: No CUDA GPUs are available; needs PyTorch 2.6 or later with CUDA"):
            measure.main(["h200", "--out", str(self.out)], no_card)
        self.assertFalse(self.out.exists())

    def test_pairs_that_nobody_sealed_are_said(self):
        self.assertIn("no pairs of 'l40s' are sealed", self.measured(FakeBench(), "--only", "pairs", machine="l40s"))


class WrittenTables(Folder):
    """Of few rows, which the program simulates."""

    def rows_of(self, table):
        return json.loads(call(["evidence", "rows", str(table), "--format=json"]))

    def sealed(self):
        words = ["node", "scripts/sealed.mjs", str(self.out / "pairs.csv")]
        return subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=False)

    def short_predictions(self):
        """The first two GEMMs and the first step."""
        path = self.out.parent / "predictions.csv"
        kept = [row for row in PREDICTIONS if row["machine"] == "h200"]
        kept = [row for row in kept if row["kind"] == "gemm"][:2] + [row for row in kept if row["kind"] == "step"][:1]
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(kept[0]))
            writer.writeheader()
            writer.writerows(kept)
        return "--predictions", str(path)

    def test_of_gemms_are_read_with_both_stacks(self):
        bench = FakeBench()
        self.measured(bench, "--only", "gemms", *self.short_predictions())
        self.assertEqual(bench.asked[:3], [("6144x64x4096", "bf16", True), ("6144x64x4096 2:4", "bf16", False),
                                           ("6144x64x4096 2:4", "bf16", True)])
        table = self.out / "gemms.csv"
        self.assertEqual([(row["stack"], row["dense_value"], row["sparse_value"], row["note"]) for row in lines_of(table)], [
            ("", "100.000", "50.000", f"dense {STATE}; 2:4 {STATE}"), ("cuda12_search", "", "50.000", f"2:4 {STATE}")] * 2)
        found = self.rows_of(table)
        self.assertEqual((found["bad_rows"], [(one["m"], one["n"], one["k"], one["skipped"]) for one in found["results"]]),
                         ([], [(6144, 64, 4096, "")] * 2 + [(6144, 128, 4096, "")] * 2))
        self.assertEqual([one["measured_sparse_us"] for one in found["results"]], [50] * 4)

    def test_of_steps_are_read_as_parts_of_networks(self):
        self.measured(FakeBench(), "--only", "steps", *self.short_predictions())
        found = self.rows_of(self.out / "steps.csv")
        self.assertEqual((found["bad_rows"], [(one["network"], one["batches"], one["skipped"], one["measured_dense_us"])
                                              for one in found["networks"]]), ([], [("mlp_1024_4096", [2048], "", 100)]))

    def test_of_counters_are_read_and_their_further_launches_skipped(self):
        done = subprocess.CompletedProcess([], 0, products(len(counters.PRODUCTS)), "")
        with mock.patch.object(shutil, "which", return_value="/usr/bin/ncu"), \
                mock.patch.object(subprocess, "run", return_value=done):
            self.assertNotIn("no counters", self.measured(FakeBench(), "--only", "counters"))
        found = self.rows_of(self.out / "counters.csv")
        self.assertEqual(found["bad_rows"], [])
        self.assertEqual(len(found["counters"]), len(counters.PRODUCTS) + 1)
        first, last = found["counters"][0], found["counters"][-1]
        self.assertEqual([first[key] for key in ("m", "n", "k", "pattern", "skipped")], [4096, 4096, 4096, "dense", ""])
        self.assertEqual([first[key] for key in ("measured_cycles", "measured_sm_bytes", "measured_dram_bytes", "clock_mhz")],
                         [285160, 1610624896, 148791296, 1589])
        self.assertEqual(last["skipped"], "a further launch of the same call")

    @unittest.skipUnless(shutil.which("node"), "needs node")
    def test_of_pairs_are_set_beside_their_predictions(self):
        self.measured(FakeBench(), "--only", "pairs")
        lines = self.sealed().stdout.splitlines()
        name = pairs.PAIRS[0].name
        sealed = next(row for row in PREDICTIONS if (row["network"], row["machine"]) == (name, "h200"))
        value, low, high = (float(sealed[key]) for key in ("speedup", "speedup_low", "speedup_high"))
        self.assertEqual(lines[2], f"| {name} | {value:.3f} | {low:.3f} to {high:.3f} | 2.000 | "
                                   f"{100 * (value / 2 - 1):.1f} % | no | yes |")
        self.assertEqual(len(lines), 2 + 30 + 2)
        self.assertRegex(lines[-1], r"^30 pairs: mean \|error\| [\d.]+ %, bias [-+][\d.]+ %, \d+ inside the interval, "
                                    r"the same side is faster in \d+\.$")

    @unittest.skipUnless(shutil.which("node"), "needs node")
    def test_a_pair_that_changed_since_is_refused(self):
        self.measured(FakeBench(), "--only", "pairs")
        table = self.out / "pairs.csv"
        table.write_text(table.read_text(encoding="utf-8").replace(pairs.hash_of(pairs.PAIRS[3]), "0" * 64), encoding="utf-8")
        done = self.sealed()
        self.assertEqual((done.returncode, done.stderr),
                         (1, f"sealed.mjs: {pairs.PAIRS[3].name}: what was measured is not what was predicted\n"))


class Counters(unittest.TestCase):
    def test_a_product_has_the_launches_behind_its_mark(self):
        with mock.patch.object(counters, "PRODUCTS", counters.PRODUCTS[:2]):
            found = list(counters.rows_of(products(2), {"gpu": "H200"}))
        self.assertEqual(found[0], {
            "gpu": "H200", "dtype": "bf16", "M": 4096, "N": 4096, "K": 4096, "pattern": "dense", "part": 0, "kernel": GEMM[0],
            "sm_cycles": "285160", "time_ns": "179488", "l2_to_sm_bytes": "1610624896", "l2_sectors_from_sm": "32000000",
            "dram_read_bytes": "148791296", "tensor_active_percent": "90.37"})
        self.assertEqual([(one["pattern"], one["part"], one["kernel"], one["l2_to_sm_bytes"]) for one in found[1:]],
                         [("2:4", 0, GEMM[0], "1610624896"), ("2:4", 1, SUM[0], "")])

    def test_units_become_those_of_the_columns(self):
        given = ("179.49", "usecond"), ("1.5", "Mbyte"), ("n/a", "byte"), ("3", "inch")
        self.assertEqual([counters.number_of(*one) for one in given], ["179490", "1500000", "", ""])

    def test_fewer_marks_than_products_are_refused(self):
        with self.assertRaisesRegex(ValueError, f"ncu counted 2 of {len(counters.PRODUCTS)} products"):
            list(counters.rows_of(products(2), {}))

    def why(self, returncode=0, output="", error=None):
        done = subprocess.CompletedProcess([], returncode, output, "")
        with mock.patch.object(shutil, "which", return_value="/opt/ncu"), \
                mock.patch.object(subprocess, "run", side_effect=error, return_value=done):
            found, why = counters.counted({}, 5)
        self.assertEqual(found, [])
        return why

    def test_what_is_missing_is_said_in_a_line(self):
        with mock.patch.object(shutil, "which", return_value=None):
            self.assertEqual(counters.counted({}, 5), ([], "ncu (Nsight Compute) is not on PATH"))
        self.assertEqual(self.why(1, "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
                                     "Performance Counters on the target device 0.\n"),
                         "ncu may not read the GPU's counters: be root, or load the driver with "
                         "NVreg_RestrictProfilingToAdminUsers=0")
        self.assertEqual(self.why(1, "==PROF== a\n==ERROR== Failed to prepare kernel\n==ERROR== b\n"),
                         "ncu failed: Failed to prepare kernel")
        self.assertEqual(self.why(0, "==PROF== Connected\n"), "ncu failed: it counted nothing")
        self.assertEqual(self.why(error=subprocess.TimeoutExpired("ncu", 5)), "ncu took more than 5 s")

    def test_ncu_is_asked_for_the_metrics_of_the_columns(self):
        words = counters.command("/opt/ncu")
        self.assertEqual(words[:5], ["/opt/ncu", "--csv", "--page", "raw", "--print-units"])
        self.assertEqual(words[words.index("--metrics") + 1].split(","), list(counters.METRICS.values()))
        self.assertEqual(Path(words[-1]), REPOSITORY / "measure/counters.py")
        self.assertLessEqual(set(counters.METRICS), set(counters.COLUMNS))


if __name__ == "__main__":
    unittest.main()
