"""Tests of what the program is asked of rows of measurements, and what becomes of its answers."""

import contextlib
import io
import json
import os
import shlex
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from stcsim._process import Error, call
from stcsim.evidence import __main__ as command
from stcsim.evidence import program, rows
from stcsim.evidence.model import (CounterRow, GemmRow, InstructionRow, Kernel, NetworkRow, Place, StreamRow, SystemRow,
                                   Tables, Times)

ALL = Times(10.0, 5.0, 2.0)
SPARSE_NAME = "sm90_xmma_sparse_gemm_t_tilesize128x256x64_{}warpgroupsize2x1x1_"


def row_of(kind, given, values):
    return kind(**{"where": Place("t.csv", 3, 1), "source": "s", "gpu": "A100", "machine": "a100", **given, **values})


def product(kind, given, values):
    return row_of(kind, {"note": "", "m": 64, "n": 64, "k": 64, "batch_count": 1, "layout": "", "dtype": "fp16",
                         "pattern": "2:4", "stack": "", "use": "testing", **given}, values)


def gemm(**values):
    return product(GemmRow, {"measured": ALL}, values)


def counters(**values):
    return product(CounterRow, {"counted": {"cycles": 30000.0}}, values)


def instruction(**values):
    return row_of(InstructionRow, {"name": "mma.sync", "types": "fp16/fp32", "shape": "m16n8k16", "pattern": "dense",
                                   "warps": 4, "ilp": 2, "latency": 25.0, "throughput": 900.0}, values)


def network(**values):
    return row_of(NetworkRow, {
        "network": "", "config": "", "phase": "", "pattern": "2:4", "dtype": "fp16", "model": "net", "scheme": "asp",
        "phases": ["inference"], "batches": [1], "speedup": (1.0, 2.0)}, values)


def stream(**values):
    return row_of(StreamRow, {"op": "relu", "dtype": "fp32", "rows": 30, "columns": 100, "time": 10.0}, values)


def system(**values):
    given = {"where": Place("t.csv", 3, 1), "source": "s", "gpu": "A100", "system": "dgx_a100", "use": "testing",
             "gpus": 8, "time": 1.0}
    return SystemRow(**{**given, **values})


def simulated(*of_rows, **kinds):
    """These GEMMs or rows of other kinds as tables, simulated by the program."""
    tables = Tables(list(of_rows), **kinds)
    rows.simulate(tables, 1, lambda done: None)
    return tables


class FakeProgram:
    """Answers lines with what a function says of each, and keeps them."""

    def __init__(self, answer):
        self.answer, self.lines = answer, []

    def __call__(self, lines, jobs):
        lines = list(lines)
        self.lines += lines
        return iter([self.answer(line) for line in lines])

    def simulate(self, **kinds):
        tables = Tables(**kinds)
        with mock.patch.object(rows, "eval_lines", self):
            rows.simulate(tables, 1, lambda done: None)
        return tables


class Gemms(unittest.TestCase):
    """The program itself answers, of tiny ones."""

    def test_have_times_and_kernels_and_gains(self):
        [row, dense_only, dense] = simulated(gemm(), gemm(measured=Times(10.0)), gemm(pattern="dense")).gemms
        line = {"arch": "a100", "m": 64, "n": 64, "k": 64, "pattern": "2:4", "method": "events"}
        [answer] = program.eval_lines([line], 1)
        self.assertEqual(row.simulated, Times(answer["dense_time_us"], answer["time_us"], answer["speedup"]))
        self.assertEqual(row.roofline.dense, answer["dense_roofline_us"])
        self.assertEqual(row.roofline.speedup, row.roofline.dense / row.roofline.sparse)
        self.assertEqual(row.tiles, Times(answer["dense_tiles_us"], answer["tiles_us"], 2.0))
        self.assertEqual(row.sparse_kernel, Kernel(answer["kernel"], answer["bound_by"]))
        self.assertEqual(row.likely, {
            "dense": (answer["dense_time_us_low"], answer["dense_time_us_high"]),
            "sparse": (answer["time_us_low"], answer["time_us_high"]),
            "speedup": (answer["speedup_low"], answer["speedup_high"])})
        for one in (dense_only, dense):
            self.assertEqual(one.simulated, Times(row.simulated.dense))
            self.assertEqual((one.dense_kernel, one.sparse_kernel), (row.dense_kernel, Kernel()))

    def test_the_command_beside_a_row_says_the_same_times(self):
        of_rows = simulated(
            gemm(), gemm(layout="row", batch_count=2, clock_mhz=705, dtype="bf16", timing="loop50", stack="best"),
            gemm(machine="rtx3090", stack="spatha_rule", pattern="2:10 (V=128)")).gemms
        self.assertEqual([row.command.partition(" --dtype ")[2] for row in of_rows], [
            "fp16 --sparsity 2:4 --stack cuda12_rule --method events",
            "bf16 --batch-count 2 --sparsity 2:4 --layout tt --stack best --method loop50 --clock 705",
            "fp16 --sparsity 128:2:10 --stack spatha_rule --method events"])
        self.assertTrue(of_rows[2].command.startswith("stcsim gemm --arch rtx3090 --m 64 --n 64 --k 64 --dtype "))
        for row in of_rows:
            said = json.loads(call([*shlex.split(row.command)[1:], "--format=json"]))
            self.assertEqual(row.simulated.speedup, said["speedup"])
            self.assertEqual(row.simulated.sparse, said["time_us"])

    def test_the_clock_is_the_rows(self):
        """DRAM and launches keep their times."""
        [fast, slow] = simulated(gemm(), gemm(clock_mhz=705)).gemms
        self.assertGreater(slow.simulated.dense, fast.simulated.dense)
        self.assertLess(slow.simulated.dense, 2 * fast.simulated.dense)
        self.assertEqual(slow.tiles.dense, 2 * fast.tiles.dense)

    def test_no_time_is_less_than_the_host_takes(self):
        [row] = simulated(gemm(machine="rtx4090", timing="loop50_rtx4090")).gemms
        self.assertEqual(row.simulated, Times(9.0, 9.0, 1.0))

    def test_blocks_of_columns_run_as_they_are_selected(self):
        """75 columns in groups of 10 keep 8 x 4, and rows of B that are not aligned do not matter."""
        blocks = {"machine": "rtx3090", "stack": "spatha_rule", "m": 128, "n": 128, "pattern": "2:10 (V=128)"}
        [selected, halves, unaligned] = simulated(gemm(**blocks, k=75), gemm(**{**blocks, "pattern": "2:4"}, k=32),
                                                  gemm(**{**blocks, "n": 127}, k=75)).gemms
        self.assertGreater(selected.simulated.sparse, halves.simulated.sparse)
        self.assertLess(selected.simulated.sparse, selected.simulated.dense)
        self.assertEqual(selected.tiles.sparse, halves.tiles.sparse)
        self.assertEqual(selected.roofline.sparse, halves.roofline.sparse)
        self.assertEqual((selected.sparse_kernel.name[:6], unaligned.skipped), ("spatha", ""))

    def test_rows_are_skipped_with_a_reason(self):
        no_gathering = "no kernel of cusparselt08 on a100 gathers columns in tiles whose rows divide 8; "
        of_rows = [gemm(unusable="because"), gemm(gpu="Z9", machine=""), gemm(dtype="fp8_e4m3"), gemm(pattern="3:4"),
                   gemm(pattern="8:2:10"), gemm(pattern="8:2:8"), gemm(measured=Times())]
        found = simulated(*of_rows)
        self.assertEqual(found.bad_rows, [])
        self.assertEqual([row.skipped for row in found.gemms], [
            "because", "no machine for GPU 'Z9'",
            "a100 does not multiply fp8_e4m3; it has fp16, bf16, tf32, int8, int4", "a100 has no hardware for 3:4",
            no_gathering + "2:10 does not fit 2:4 hardware",
            no_gathering + "2:8 runs at the rate of 2:4 hardware", "nothing was measured"])
        for row in found.gemms:
            self.assertEqual((row.simulated, row.command), (Times(), ""))
        self.assertEqual(found.software, [])

    def test_wrong_names_leave_a_row_out_at_its_place(self):
        found = simulated(gemm(timing="lop"), gemm(), gemm(stack="z", where=Place("t.csv", 9, 2)))
        self.assertEqual([row.skipped for row in found.gemms], [""])
        self.assertEqual([message.partition(", must be ")[0] for message in found.bad_rows],
                         ["t.csv:3:1: error: timing is 'lop'", "t.csv:9:2: error: stack is 'z'"])
        self.assertEqual(found.software, [
            ("a100", "cuda12_rule (dense cublas12 by whole_waves, sparse cusparselt08 by heuristic, "
                     "convolutions cudnn8 by heuristic)")])


class Orders(unittest.TestCase):
    """A fake program shows what is asked when."""

    def tables(self):
        return {"gemms": [gemm(m=m, pattern="dense") for m in (1, 2)], "instructions": [instruction(throughput=None)],
                "networks": [network(scheme="dense")], "streams": [stream()],
                "systems": [system(collective="all_reduce", bytes=64.0), system(model="net", framework="f")],
                "counters": [counters()]}

    def test_all_lines_of_a_kind_are_asked_together(self):
        fake = FakeProgram(lambda line: {"error": "x is not simulated", "software": "s"})
        found = fake.simulate(**self.tables())
        known = ("experiment", "instruction", "op", "collective", "method")
        marks = [next((key for key in known if key in line), "launch") for line in fake.lines]
        self.assertEqual(marks, ["experiment", "experiment", "instruction", "op", "collective", "launch", "method",
                                 "method"])
        self.assertEqual([row.skipped for kind in found.kinds() for row in kind], ["x is not simulated"] * 8)
        self.assertEqual([row.collective for row in found.systems], ["", "all_reduce"])

    def test_the_error_of_a_row_does_not_end_the_others(self):
        fake = FakeProgram(lambda line: {"error": "m is wrong"} if line.get("m") == 2 else {"time_us": 1.0})
        found = fake.simulate(streams=[stream()], systems=[system(collective="all_reduce", bytes=64.0)],
                              gemms=[gemm(m=2), gemm(m=2, where=Place("u.csv", 7, 5))])
        self.assertEqual(found.bad_rows, ["t.csv:3:1: error: m is wrong", "u.csv:7:5: error: m is wrong"])
        self.assertEqual((found.gemms, found.streams[0].simulated, found.systems[0].simulated), ([], 1.0, 1.0))

    def test_progress_counts_rows_of_all_kinds(self):
        counts = []
        with mock.patch.object(rows, "eval_lines", FakeProgram(lambda line: {"error": "has no x"})):
            rows.simulate(Tables(**self.tables()), 1, counts.append)
        self.assertEqual(counts, list(range(1, 9)))


class EvalLines(unittest.TestCase):
    """Another program in the place of stcsim keeps its words and lines, and gives lines back."""

    def eval(self, script, lines):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "stcsim"
            path.write_text(f'#!/bin/sh\ncd {folder}\necho "$@" > words\n{script}\n', encoding="utf-8")
            path.chmod(0o755)
            with mock.patch.dict(os.environ, STCSIM=str(path)):
                answers = list(program.eval_lines(lines, 2))
            return answers, [(Path(folder) / name).read_text(encoding="utf-8") for name in ("words", "asked")]

    def test_equal_ones_are_asked_once_and_answered_in_their_order(self):
        lines = [{"id": "ü"}, {"id": 2}, {"id": "ü"}, {"id": 1}, {"id": 2}]
        answers, [words, asked] = self.eval("tee asked", lines)
        self.assertEqual(answers, lines)
        self.assertEqual(words, "eval --figures=all --jobs=2\n")
        self.assertEqual(list(map(json.loads, asked.splitlines())), [lines[0], lines[1], lines[3]])

    def test_a_program_that_ends_is_an_error(self):
        with self.assertRaises(Error) as caught:
            self.eval("head -n 1; exit 3", [{"id": 1}, {"id": 2}])
        self.assertEqual(str(caught.exception), "stcsim eval ended with exit code 3")


class Instructions(unittest.TestCase):
    def test_are_asked_for_what_was_measured(self):
        fake = FakeProgram(lambda line: {"fma_per_clk": 256.0} if "warps" in line else {"latency_cycles": 25.5})
        found = fake.simulate(instructions=[
            instruction(), instruction(latency=None, pattern="2:4"), instruction(throughput=None)]).instructions
        line = {"arch": "a100", "instruction": "mma.sync", "dtype": "fp16/fp32", "shape": "m16n8k16", "sparse": False}
        loop = {"warps": 4, "chains": 2}
        self.assertEqual(fake.lines, [line, {**line, **loop}, {**line, "sparse": True, **loop}, line])
        self.assertEqual([(row.simulated_latency, row.simulated_throughput, row.simulated_ilp) for row in found],
                         [(25.5, 256.0, 2), (None, 256.0, 2), (25.5, None, 0)])

    def test_without_a_number_of_chains_the_smallest_good_one_counts(self):
        """Passes of 25, 25, 25, 32, 40, 48 cycles: four chains come within 3 % of the best, three do not."""
        cycles = (25, 25, 25, 32.5, 40, 48)
        fake = FakeProgram(lambda line: {"fma_per_clk": 2048 * line["chains"] / cycles[line["chains"] - 1]})
        [row, group] = fake.simulate(instructions=[
            instruction(ilp=0, latency=None), instruction(ilp=0, latency=None, name="wgmma.mma_async")]).instructions
        self.assertEqual([line["chains"] for line in fake.lines], [1, 2, 3, 4, 5, 6, 1])
        self.assertEqual((row.simulated_ilp, row.simulated_throughput), (4, 2048 * 4 / 32.5))
        self.assertEqual((group.simulated_ilp, group.simulated_throughput), (1, 2048 / 25))

    def test_of_the_program_take_what_the_machine_file_says(self):
        """24 cycles and a 1024th of a cold start; rates are at most those of the tensor cores."""
        [row] = simulated(instructions=[instruction(warps=8, ilp=3, gpu="Z9")]).instructions
        self.assertAlmostEqual(row.simulated_latency, 24.93, 2)
        self.assertTrue(1000 < row.simulated_throughput < 1024, row.simulated_throughput)

    def test_are_skipped_with_a_reason(self):
        cases = ((instruction(gpu="Z9", machine=""), "no machine for GPU 'Z9'"),
                 (instruction(latency=None, throughput=None), "nothing was measured"),
                 (instruction(warps=0), "the number of warps is not given"),
                 (instruction(shape="m16n8k4"), "a100 has no instruction mma.sync fp16 m16n8k4"),
                 (instruction(warps=65), "an SM of a100 holds at most 64 warps"),
                 (instruction(types="b1/int32"), "data type 'b1' is not simulated"),
                 (instruction(types="fp16/fp64"), "accumulator type 'fp64' is not simulated"),
                 *((instruction(shape=shape), f"shape '{shape}' is not m..n..k..")
                   for shape in ("any", "m16n8", "m16n8k", "m16n8k16x", "n8m16k16", "m0n8k16", "m16n8k4097")),
                 (instruction(name="wgmma.mma_async", shape="m64n256k16", warps=6, machine="h200"),
                  "the number of warps is not a multiple of a warp group's 4"))
        found = simulated(instructions=[row for row, _ in cases])
        self.assertEqual([row.skipped for row in found.instructions], [skipped for _, skipped in cases])
        self.assertEqual(found.bad_rows, [])


class Streams(unittest.TestCase):
    def test_move_the_tensors_of_the_operation(self):
        fake = FakeProgram(lambda line: {"time_us": 2.0})
        operations = ("add", "pow", "addu", "tanh", "gelu", "softmax", "ln", "ln_backward", "sum_rows")
        fake.simulate(streams=[stream(op=op, framework="f") for op in operations])
        self.assertEqual([line.pop("op") for line in fake.lines], [
            "residual_add", "residual_add", "relu", "relu", "gelu", "softmax", "layer_norm", "layer_norm", "bias"])
        self.assertEqual([line.pop("backward") for line in fake.lines], [False] * 7 + [True] * 2)
        self.assertEqual(fake.lines, [{"arch": "a100", "rows": 30, "columns": 100, "dtype": "fp32", "framework": "f"}] * 9)

    def test_of_the_program_take_as_long_whatever_is_beside_the_kernel(self):
        """24000 bytes at 1000 a clock of DRAM, at 1410 MHz."""
        [alone, late, unknown] = simulated(
            streams=[stream(), stream(overhead=15.5), stream(gpu="Z9", machine="")]).streams
        self.assertGreater(alone.simulated, 24000 / 1000 / 1410)
        self.assertEqual(late.simulated, alone.simulated + 15.5)
        self.assertEqual((unknown.simulated, unknown.skipped), (None, "no machine for GPU 'Z9'"))


class Counters(unittest.TestCase):
    """On an H200, whose clock is 1755 MHz."""

    ANSWER = {"hardware_pattern": "2:4", "reason": "", "roofline_us": 5.0, "dense_roofline_us": 9.0,
              "clock_mhz": 1755.0, "time_us": 12.0, "cycles": 100, "sm_read_bytes": 7, "l2_read_bytes": 8,
              "dram_read_bytes": 9, "utilization": 0.5, "tile": "128x256x64", "stages": 5, "split_k": 1, "ctas": 16,
              "waves": 0.5}

    def ask(self, of_kernel=None, **values):
        """The row and what was asked; `of_kernel` is said of its own kernel."""
        fake = FakeProgram(lambda line: of_kernel if "kernel" in line and of_kernel else self.ANSWER)
        [row] = fake.simulate(counters=[counters(**{"machine": "h200", "dtype": "bf16", **values})]).counters
        return row, fake.lines

    def test_are_of_the_kernel_that_ran_and_of_the_chosen_one(self):
        name = SPARSE_NAME.format("cgasize2x1x1_")
        row, lines = self.ask(kernel_name=name, clock_mhz=1000, cluster=2)
        line = {"arch": "h200", "m": 64, "n": 64, "k": 64, "dtype": "bf16", "clock": 1000, "pattern": "2:4"}
        self.assertEqual(lines, [line, {**line, "kernel": name}])
        self.assertEqual(row.chosen, row.as_measured)
        self.assertEqual(row.chosen.counted, {
            "cycles": 100, "sm_bytes": 7, "l2_bytes": 8, "dram_bytes": 9, "busy": 0.5})
        self.assertEqual((row.chosen.kernel, row.roofline_cycles, row.no_kernel), ("128x256x64_s5", 5000.0, ""))

    def test_in_a_row_run_at_the_clock_that_power_allows(self):
        """Dense rows are asked no pattern; without a clock it is the machine's."""
        row, lines = self.ask(counted={"cycles": 3e4, "row_us": 20.0}, pattern="dense", clock_mhz=1000)
        line = {"arch": "h200", "m": 64, "n": 64, "k": 64, "dtype": "bf16"}
        self.assertEqual(lines, [{**line, "clock": 1000}, {**line, "method": "same_operands"}])
        self.assertEqual((row.chosen.counted["row_us"], row.chosen.counted["row_mhz"]), (12.0, 1755.0))
        self.assertEqual((row.roofline_cycles, row.no_kernel), (9000.0, "the table names no kernel"))
        self.assertEqual(self.ask(pattern="dense")[0].roofline_cycles, 9.0 * 1755)

    def test_the_table_says_the_cluster_where_the_name_does_not(self):
        _, lines = self.ask(kernel_name=SPARSE_NAME.format(""), cluster=4)
        self.assertEqual(lines[1]["kernel"], SPARSE_NAME.format("cgasize4x1x1_"))
        _, lines = self.ask(kernel_name=SPARSE_NAME.format(""))
        self.assertEqual(lines[1]["kernel"], SPARSE_NAME.format(""))

    def test_say_why_the_kernel_that_ran_is_not_simulated(self):
        for error, no_kernel in (("kernel is 'k', must be auto", "the kernel's name does not say its tile"),
                                 ("a kernel of dense products", "a kernel of dense products")):
            row, _ = self.ask({"error": error}, kernel_name="k")
            self.assertEqual((row.no_kernel, row.as_measured.counted), (no_kernel, {}))
            self.assertEqual(row.chosen.counted["cycles"], 100)

    def test_of_the_program_are_those_of_the_kernel(self):
        """128x256x64 of 4 x 4 tiles in clusters of two: 41 KiB a k-step and tile, B shared by two."""
        sizes = {"machine": "h200", "gpu": "H200", "dtype": "bf16", "m": 512, "n": 1024, "k": 2048}
        named, cluster = SPARSE_NAME.format("cgasize2x1x1_"), SPARSE_NAME.format("")
        [row, other, in_a_row] = simulated(counters=[
            counters(**sizes, kernel_name=named), counters(**sizes, kernel_name="some_kernel"),
            counters(**sizes, kernel_name=cluster, cluster=2, counted={"cycles": 3e4, "row_us": 20.0})]).counters
        steps = 4 * 4 * 2048 // 64
        counted, many = row.as_measured.counted, in_a_row.as_measured.counted
        self.assertEqual((counted["sm_bytes"], counted["l2_bytes"]), (steps * 41 * 1024, steps * 25 * 1024))
        self.assertEqual((row.as_measured.kernel, row.as_measured.ctas), ("128x256x64_s5", 16))
        self.assertEqual(many["cycles"], counted["cycles"])
        cycles = many["row_us"] * many["row_mhz"]
        self.assertTrue(0.8 * counted["cycles"] < cycles < counted["cycles"], "operands are in the L2 cache")
        self.assertEqual((other.no_kernel, other.as_measured.counted), ("the kernel's name does not say its tile", {}))
        self.assertEqual(other.chosen.counted["cycles"], row.chosen.counted["cycles"])
        self.assertNotEqual(row.chosen.counted["cycles"], counted["cycles"])


def result(layer, kind, repeat, cycles, dense_cycles, **values):
    """A row of a study; the scheme is s."""
    return {"scheme": "s", "layer": layer, "phase": "forward", "kind": kind, "repeat": repeat, "every": 1,
            "cycles": cycles, "dense_cycles": dense_cycles, "ran_sparse": cycles != dense_cycles,
            "speedup": dense_cycles / cycles, "scheme_work": False, **values}


#: Layer a: forward twice as fast, wgrad dense; c: sparse; b: dense, softmax after it; the optimizer.
RESULTS = [result("a", "gemm", 2, 100, 200), result("a", "gemm", 2, 150, 150, phase="wgrad"),
           result("c", "gemm", 1, 40, 100), result("b", "gemm", 1, 300, 300), result("b", "softmax", 1, 60, 60),
           result("optimizer", "optimizer", 1, 40, 40, phase="optimizer")]


class Scopes(unittest.TestCase):
    def figures(self, scope, share=1.0, mhz=1.0, results=None):
        total = {"scheme": "s", "clock_mhz": mhz, "share_of_training": share}
        own = RESULTS if results is None else results
        others = [result("x", "gemm", 9, 9, 9, scheme="dense")]
        study = {"totals": [{**total, "scheme": "dense"}, total], "rows": others + own}
        return rows._figures(network(scope=scope), study)

    def test_a_step_is_everything_and_passes_are_without_the_optimizer(self):
        self.assertEqual(self.figures("step", mhz=10.0), (120.0, 94.0, 1200 / 940))
        self.assertEqual(self.figures("passes"), (1160.0, 900.0, 1160 / 900))

    def test_a_scheme_that_is_sparse_for_a_time_is_averaged(self):
        self.assertEqual(self.figures("step", share=0.5), (1200.0, (940 + 1200) / 2, 1200 / 1070))
        self.assertEqual(self.figures("passes", share=0.5), (1160.0, (900 + 1160) / 2, 1160 / 1030))

    def test_gemms_are_those_that_run_sparse_or_those_of_their_layers(self):
        """The share of a training does not matter to them."""
        self.assertEqual(self.figures("sparse_gemms", share=0.5), (500.0, 240.0, 500 / 240))
        self.assertEqual(self.figures("sparse_layers", share=0.5), (800.0, 540.0, 800 / 540))
        self.assertEqual(self.figures("best_layer", share=0.5), (None, None, 2.5))

    def test_are_empty_where_nothing_ran_sparse(self):
        for scope in ("sparse_gemms", "sparse_layers", "best_layer", "scheme_work"):
            with mock.patch.object(rows, "eval_lines", FakeProgram(None)):
                self.assertIsNone(self.figures(scope, results=[result("b", "gemm", 1, 300, 300)]))

    def test_work_that_is_not_done_in_every_step_is_shared_out(self):
        """A mask search every 40 steps."""
        search = result("a", "mask_search", 1, 400, 0, scheme_work=True, every=40)
        self.assertEqual(self.figures("step", results=[RESULTS[0], search]), (400.0, 210.0, 400 / 210))

    def test_work_of_a_scheme_is_held_against_copies_of_its_tensors(self):
        """Two experts of 256 x 128 weights, pruned every four steps; b is not pruned."""
        sizes = {"m": 256, "k": 128, "batch_count": 2}
        results = [result("a", "gemm", 3, 9, 18, **sizes), result("b", "gemm", 3, 9, 18, **sizes),
                   result("a", "gemm", 3, 9, 18, phase="wgrad", **sizes),
                   result("a", "prune", 3, 80, 1, every=4, scheme_work=True),
                   result("a", "mask", 3, 20, 1, scheme_work=True)]
        fake = FakeProgram(lambda line: {"cycles": 30})
        with mock.patch.object(rows, "eval_lines", fake):
            self.assertEqual(self.figures("scheme_work", mhz=2.0, results=results), (45.0, 60.0, 90 / 120))
        self.assertEqual(fake.lines, [{"arch": "a100", "op": "relu", "rows": 256, "columns": 256, "dtype": "fp16"}])


class FakeStudies(unittest.TestCase):
    """The gain of steps grows with the batch: 10 cycles become 8 for a sample, at 2 MHz."""

    @staticmethod
    def study(line):
        if "experiment" not in line:
            return {"software": "cuda12"}
        [network_of] = line["experiment"]["networks"]
        [scheme] = line["experiment"]["schemes"]
        gained = result("a", "gemm", 1, 8, 8 + 2 * network_of["batch"])
        return {"totals": [{"scheme": "s", "clock_mhz": 2.0, "share_of_training": 1.0}],
                "rows": [] if scheme == "none" else [gained], "parallel": [{"time_us": 0.0}, {"time_us": 64.0}]}

    def test_several_batches_make_a_range(self):
        fake = FakeProgram(self.study)
        found = fake.simulate(networks=[
            network(batches=[4, 1, 2]), network(batches=[1]), network(scheme="dense"), network(scheme="none")])
        self.assertEqual(found.software, [("a100", "cuda12")])
        figures = [(row.simulated_speedup, row.simulated_dense, row.simulated_sparse) for row in found.networks]
        self.assertEqual(figures, [
            ((1.25, 2.0), None, None), ((1.25, 1.25), 5.0, 4.0), ((None, None), 5.0, None), ((None, None), None, None)])
        self.assertEqual([one.skipped for one in found.networks], ["", "", "", "nothing runs sparse"])

    def test_the_experiment_says_how_the_script_ran(self):
        fake = FakeProgram(self.study)
        fake.simulate(networks=[network(), network(
            where=Place("/x/t.csv", 1), phases=["forward", "wgrad"], model="../one.yaml", scheme="s/half.yaml",
            framework="eager", batches=[8], accumulation=4, optimizer="lamb", stack="cuda12", clock_mhz=1695.0,
            dtype="bf16")])
        common = {"machines": ["a100"], "sparse_where": "always", "pruning_kernels": "separate"}
        self.assertEqual([line["experiment"] for line in fake.lines[:2]], [
            {**common, "networks": [{"name": "net", "batch": 1}], "schemes": ["asp"], "phases": ["inference"],
             "dtype": "fp16", "framework": "ideal"},
            {**common, "networks": [{"name": "/one.yaml", "batch": 8, "accumulation": 4, "optimizer": "lamb"}],
             "schemes": ["/x/s/half.yaml"], "phases": ["forward", "wgrad"], "dtype": "bf16", "framework": "eager",
             "stack": "cuda12", "clock_mhz": 1695.0}])

    def test_are_skipped_with_a_reason(self):
        fake = FakeProgram(lambda line: {"error": "a100 does not multiply int8"})
        found = fake.simulate(networks=[network(gpu="Z9", machine=""), network(skipped="because"),
                                        network(speedup=(None, None)), network(), network()])
        self.assertEqual([row.skipped for row in found.networks], [
            "no machine for GPU 'Z9'", "because", "nothing was measured", *["a100 does not multiply int8"] * 2])

    def test_trainings_are_asked_on_the_systems_machine(self):
        fake = FakeProgram(self.study)
        parallel = {"sharding": "ddp", "overlap": True}
        [row] = fake.simulate(systems=[system(
            model="net", framework="eager", dtype="bf16", micro_batch=2, accumulation=4, parallel=parallel)]).systems
        self.assertEqual(fake.lines, [{"rows": True, "experiment": {
            "machines": ["a100_80gb"], "networks": [{"name": "net", "batch": 2, "accumulation": 4}],
            "schemes": ["dense"], "dtype": "bf16", "framework": "eager",
            "parallel": {"system": "dgx_a100", "gpus": [8], **parallel}}}])
        self.assertEqual((row.simulated, row.simulated_scaling), (64.0, 1.0))

    def test_scaling_is_held_against_the_fewest_gpus_of_a_series(self):
        """Times are of a step: of so many micro-batches."""
        of_rows = [system(gpus=gpus, time=time, simulated=simulated_time, series=series, accumulation=accumulation)
                   for gpus, time, simulated_time, series, accumulation in (
                       (8, 10.0, 20.0, "a", 1), (1, 8.0, 8.0, "a", 1), (16, 40.0, 50.0, "a", 2), (4, 3.0, 5.0, "b", 1),
                       (2, 3.0, None, "b", 1))]
        of_rows.append(system(collective="all_reduce", simulated=1.0))
        rows._find_scaling(of_rows)
        self.assertEqual([(row.scaling, row.simulated_scaling) for row in of_rows], [
            (0.8, 0.4), (1.0, 1.0), (0.4, 8 / 25), (1.0, 1.0), (1.0, None), (1.0, None)])


ONE = "name: one\nbatch: 1\nlayers:\n  - {name: l, type: linear, in_features: 64, out_features: 64, tokens: 8}\n"
HALF = 'name: half\nforward: {tensor: weight, axis: c_in, pattern: "2:4"}\n'
WORK = "work:\n" + "".join(f"  - {{name: {name}, tensor: weight, reads: 1, writes: 1}}\n" for name in (
    "one, phase: forward", "more, phase: forward", "others, phase: wgrad"))


class Networks(unittest.TestCase):
    """A network of one layer and the program."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.table = Place(str(self.folder / "t.csv"), 3, 1)

    def simulated(self, *of_rows, network_text=ONE, scheme_text=HALF):
        """Networks and schemes are found beside the table."""
        (self.folder / "one.yaml").write_text(network_text, encoding="utf-8")
        (self.folder / "half.yaml").write_text(scheme_text, encoding="utf-8")
        given = {"where": self.table, "model": "one.yaml", "scheme": "half.yaml"}
        return simulated(networks=[network(**{**given, **values}) for values in of_rows])

    def test_the_range_over_batches_holds_the_figure_of_each(self):
        [both, small, large] = self.simulated({"batches": [1, 64]}, {"batches": [1]}, {"batches": [64]}).networks
        gains = [small.simulated_speedup[0], large.simulated_speedup[0]]
        self.assertEqual(both.simulated_speedup, (min(gains), max(gains)))
        self.assertEqual((both.simulated_dense, both.skipped), (None, ""))
        self.assertEqual(small.simulated_dense / small.simulated_sparse, gains[0])
        self.assertGreater(large.simulated_dense, small.simulated_dense)

    def test_two_kernels_that_copy_take_twice_as_long(self):
        """They stand against a kernel that reads and writes as much, if not quite a copy."""
        row = {"phases": ["forward"], "scope": "scheme_work"}
        [pruning] = self.simulated(row).networks
        [working] = self.simulated(row, scheme_text=HALF + WORK).networks
        self.assertEqual((working.skipped, working.simulated_dense), ("", pruning.simulated_dense))
        copies = (working.simulated_sparse - pruning.simulated_sparse) / working.simulated_dense
        self.assertAlmostEqual(copies, 2, delta=0.03)

    def attention(self, framework, keys, more="", dtype="fp16"):
        layers = (f"  - {{name: qk, type: bmm, m: {keys}, \"n\": 512, k: 64, count: 768, after: [softmax]{more}}}\n"
                  f"  - {{name: av, type: bmm, m: 64, \"n\": 512, k: {keys}, count: 768{more}}}\n")
        [row] = self.simulated({"framework": framework, "scheme": "dense", "dtype": dtype},
                               network_text="name: one\nbatch: 1\nlayers:\n" + layers).networks
        return row.simulated_dense

    def test_of_causal_products_blocks_are_left_out(self):
        """Blocks of 128 queries by 128 keys: 1 + 2 + 3 + 4 of 4 x 4 are seen, 320 keys a query."""
        causal = ", causal: true"
        tf32 = self.attention("pytorch_2_eager", 512, causal, "tf32")
        self.assertEqual(tf32, self.attention("pytorch_2_eager", 320, "", "tf32"))
        self.assertEqual(self.attention("pytorch_eager", 512, causal), self.attention("pytorch_eager", 512))

    def test_a_causal_kernel_of_attention_does_less(self):
        """10 of 16 blocks, in CTAs that do not end together."""
        share = self.attention("pytorch_2_eager", 512, ", causal: true") / self.attention("pytorch_2_eager", 512)
        self.assertGreater(share, 10 / 16)
        self.assertLess(share, 0.8)

    def test_what_is_wrong_is_an_error_at_the_row(self):
        dense = {"scope": "sparse_gemms", "phases": ["wgrad"]}
        found = self.simulated({"model": "none.yaml"}, {}, {"model": "nothing_like_it"}, dense)
        self.assertEqual([row.skipped for row in found.networks], ["", "nothing runs sparse"])
        file = self.folder.resolve() / "none.yaml"
        parts = f"network file '{file}' does not exist", "unknown network 'nothing_like_it'"
        for message, part in zip(found.bad_rows, parts):
            self.assertTrue(message.startswith(f"{self.table.file}:3:1: error: ") and part in message, message)
        large = self.simulated({}, network_text=ONE.replace("64", "1000000").replace(": 8", ": 9000000")).bad_rows
        self.assertIn("layer 'l': the layer has more than 2^53 multiply-accumulates", large[0])


class Systems(unittest.TestCase):
    def test_collectives_need_links_between_their_nodes(self):
        [one, two, without, skipped] = simulated(systems=[
            system(collective="all_reduce", bytes=1e8), system(collective="all_reduce", bytes=1e8, gpus=16, nodes=2),
            system(collective="all_reduce", bytes=1e8, gpus=16, nodes=2, system="l40s_8"),
            system(collective="all_reduce", bytes=1e8, system="", skipped="no system for GPU 'A100'")]).systems
        self.assertGreater(two.simulated, one.simulated)
        self.assertEqual((without.simulated, without.skipped), (None, "system 'l40s_8' has no links between nodes"))
        self.assertEqual((skipped.simulated, skipped.skipped), (None, "no system for GPU 'A100'"))


class Commands(unittest.TestCase):
    """`python3 -m stcsim.evidence rows`."""

    HEADER = "source,gpu,dtype,M,N,K,layout,dense_value,sparse_value,unit,speedup,pattern,note"

    def run_rows(self, lines, *options):
        """Exit code, and what is printed."""
        out, err = io.StringIO(), io.StringIO()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "t.csv"
            path.write_text("\n".join([self.HEADER, *lines]) + "\n", encoding="utf-8")
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = command.main(["rows", str(path), *options])
            return code, out.getvalue(), err.getvalue().replace(folder + "/", "")

    def test_wrong_rows_are_named_and_the_others_compared(self):
        right, wrong = "s,A100,fp16,64,64,64,,5,,us,,dense,n", "s,A100,fp16,0,64,64,,5,,us,,dense,n"
        code, out, err = self.run_rows([right, wrong], "--format=csv")
        self.assertEqual((code, err), (
            command.DIFFERENT, "t.csv:3:13: error: M is '0', must be a whole number from 1 to 2147483647\n"))
        self.assertEqual(len(out.splitlines()), 2)
        self.assertEqual(self.run_rows([right], "--format=csv"), (command.FINE, out, ""))

    def test_without_a_right_row_nothing_is_compared(self):
        code, out, err = self.run_rows(["s,A100,fp16,64,64,2000000000,,5,,us,,dense,n"])
        self.assertEqual((code, out, err), (
            command.USAGE, "", "t.csv:2:3: error: k is '2000000000', must be a whole number from 1 to 1000000000\n"))

    def test_filters_must_leave_a_row(self):
        code, out, err = self.run_rows(["s,A100,fp16,64,64,64,,5,,us,,dense,n"], "--machine=h200")
        self.assertEqual((code, out, err), (
            command.USAGE, "", "stcsim evidence rows: error: no row is left by --machine, --dtype and --use\n"))


if __name__ == "__main__":
    unittest.main()
