"""Tests of what is made of rows of evidence: errors, bands, counters, tables, documents."""

import json
import math
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from stcsim.evidence import bands, counters, document, errors, report
from stcsim.evidence.model import (CounterRow, GemmRow, InstructionRow, Kernel, Launch, NetworkRow, Place, StreamRow,
                                   SystemRow, Tables, Times)
from stcsim.evidence.program import config_folder


def gemm(dense=100.0, predicted=100.0, **values):
    """Machine x, fp16, of source s on stack a, for testing."""
    given = {"where": Place("t.csv", 2, 1), "source": "s", "gpu": "X", "note": "", "m": 64, "n": 64, "k": 64,
             "batch_count": 1, "layout": "", "dtype": "fp16", "pattern": "dense", "stack": "a", "use": "testing",
             "machine": "x", "measured": Times(dense), "simulated": Times(predicted)}
    return GemmRow(**{**given, **values})


def gained(measured, simulated, **values):
    return gemm(measured=Times(100.0, None, measured), simulated=Times(100.0, None, simulated),
                **{"pattern": "2:4", **values})


def step(machine, framework, measured_ms, simulated_ms, **values):
    given = {"where": Place("n.csv", 7), "source": "s", "gpu": "A100", "network": "Net", "config": "",
             "phase": "training", "pattern": "2:4", "dtype": "fp16", "model": "n", "phases": ["forward"],
             "dense": 1000.0 * measured_ms, "simulated_dense": 1000.0 * simulated_ms}
    return NetworkRow(machine=machine, framework=framework, **{**given, **values})


def passes(network, measured, simulated, **values):
    return step("rtx3090", "eager", 100, 110, gpu="RTX 3090", network=network, **{
        "scope": "passes", "sparse": 5e4, "simulated_sparse": 4.5e4, "speedup": (measured,) * 2,
        "simulated_speedup": (simulated,) * 2, **values})


def launch(cycles, simulated=None, chosen=None, **values):
    """Counted with 128x256 tiles of cuSPARSELt's."""
    given = {"where": Place("c.csv", 3), "source": "", "gpu": "H200", "note": "", "m": 512, "n": 1024, "k": 2048,
             "batch_count": 1, "layout": "", "dtype": "bf16", "pattern": "2:4", "stack": "", "use": "testing",
             "machine": "h200", "kernel_name": "sm90_xmma_sparse_gemm_t_tilesize128x256x64_cgasize2x1x1_"}
    counted, ran, own = ({} if value is None else {"cycles": value} for value in (cycles, simulated, chosen))
    return CounterRow(counted=counted, as_measured=Launch(ran), chosen=Launch(own), **{**given, **values})


def instruction(**values):
    return InstructionRow(**{**dict(
        where=Place("i.csv", 5), source="s", gpu="A100", machine="a100", name="mma.sync", types="fp16/fp32",
        shape="m16n8k16", pattern="dense", warps=8, ilp=2, latency=20.0, throughput=1000.0, simulated_ilp=2,
        simulated_latency=22.0, simulated_throughput=950.0), **values})


class ErrorStatistics(unittest.TestCase):
    def test_are_means_of_the_errors(self):
        """+25 %, -25 % and +50 %."""
        summary = errors.statistics([(4.0, 5.0), (8.0, 6.0), (2.0, 3.0)])
        self.assertEqual(summary[:3], (3, 1.0 / 3, 0.5 / 3))
        self.assertEqual(errors.statistics([]), errors.Summary(0, 0.0, 0.0, None))

    def test_correlate_measured_with_predicted(self):
        self.assertAlmostEqual(errors.statistics([(1.0, 6.0), (2.0, 4.0), (3.0, 2.0)]).correlation, -1.0)
        self.assertIsNone(errors.statistics([(1.0, 6.0), (1.0, 4.0)]).correlation)

    def test_distance_is_that_of_the_end_furthest_outside(self):
        for simulated, measured, distance in (
                ((1.3, 1.5), (1.3, 1.5), 0), ((1.2, 1.2), (None, 1.3), 0), ((1.1, 1.4), (1.3, 1.5), 1.1 / 1.3 - 1),
                ((1.2, 1.8), (1.3, 1.5), 1.8 / 1.5 - 1), ((3.0, 4.0), (1.5, 2.0), 1), ((1.2, 1.6), (None, 1.28), 0.25),
                ((None, None), (1.0, 2.0), None), ((1.0, 2.0), (None, None), None)):
            self.assertEqual(errors.distance_from(simulated, measured), distance)

    def test_summaries_are_by_gpu_and_use(self):
        rows = [gemm(gpu="Y", roofline=Times(50.0)), gemm(use="fitting"), gemm(use="shown", gpu="Z"),
                gemm(use="sealed"), gemm(pattern="2:10 (V=128)")]
        self.assertEqual([(name, summary.rows) for name, _, summary in errors.summaries(rows)],
                         [("Y", 1), ("X", 2), ("all", 3), ("all, fitting", 1), ("all, testing", 2), ("all, V:2:m", 1),
                          ("all, not scored", 1), ("all, sealed", 1), ("all, by a roofline", 1)])


class Cells(unittest.TestCase):
    def keys(self, rows):
        return [(cell.source, cell.stack, cell.use) for cell in errors.cells(rows)]

    def test_size_goes_by_the_dense_time(self):
        self.assertTrue(errors.is_large(gemm(20.0, 1.0)))
        self.assertFalse(errors.is_large(gemm(19.9, 100.0)))
        gain = gemm(measured=Times(None, 10.0, 3.0), simulated=Times(30.0))
        self.assertTrue(errors.is_large(gain))
        self.assertFalse(errors.is_large(replace(gain, simulated=Times())))

    def test_one_origin_needs_no_totals_by_use(self):
        self.assertEqual(self.keys([gemm(), gemm(use="fitting")]),
                         [("", "", None), ("s", "a", "fitting"), ("s", "a", "testing")])

    def test_several_origins_have_totals_by_use_and_by_stack(self):
        self.assertEqual(self.keys([gemm(use="fitting"), gemm(stack="b"), gemm(source="t @1f")]), [
            ("", "", None), ("", "", "fitting"), ("", "", "testing"), ("", "a", None), ("", "b", None),
            ("s", "a", "fitting"), ("s", "b", "testing"), ("t", "a", "testing")])

    def test_machines_types_and_sizes_stand_apart(self):
        """Types are in the order of their list, not of letters."""
        rows = [gemm(machine="y"), gemm(dtype="bf16"), gemm(1.0), gemm(dtype="int8"), gemm(skipped="why")]
        self.assertEqual([cell[:3] for cell in errors.cells(rows) if cell.is_total], [
            ("x", "fp16", False), ("x", "bf16", True), ("x", "int8", True), ("y", "fp16", True)])

    def test_rows_that_are_only_shown_count_in_no_total(self):
        cells = errors.cells([gemm(100, 125), gemm(100, 200, use="shown")])
        self.assertEqual([(cell.use, cell.simulated["dense"].bias) for cell in cells],
                         [(None, 0.25), ("testing", 0.25), ("shown", 1.0)])

    def test_have_the_errors_of_each_quantity_and_model(self):
        cell = errors.cells([gemm(measured=Times(100.0, 50.0, 2.0), simulated=Times(125.0, 40.0, 3.125),
                                  roofline=Times(50.0), tiles=Times(75.0))])[0]
        self.assertEqual([cell.simulated[key].bias for key in ("dense", "speedup")], [0.25, 0.5625])
        self.assertAlmostEqual(cell.simulated["sparse"].bias, -0.2)
        self.assertEqual([cell.roofline["dense"].bias, cell.tiles["dense"].bias], [-0.5, -0.25])
        self.assertEqual(cell.roofline["sparse"].rows, 0)

    def test_spread_is_that_of_the_measurements(self):
        rows = [gemm(100, 109, dense_range=(95.0, 115.0)), gemm(100, 150, dense_range=(70.0, 130.0)), gemm()]
        self.assertEqual(errors.cells(rows)[0].spread, (2, 0.2, 0.5))

    def test_selection_is_what_is_claimed_and_what_is_got(self):
        """Errors of 0.25 / 1.25, 0.5 / 2 and 0: the mean is 0.15, and 1.0625 is no more than gains are off."""
        rows = [gained(1.25, 1.5), gained(2.0, 1.5), gained(1.0625, 1.0625)]
        one, = errors.selections(rows)
        self.assertEqual(one[:4], ("x", "fp16", 3, 2))
        for value, right in zip((*one[4:], one.excess), (0.15, 4 / 3, 4.25 / 3, 4 / 4.25 - 1)):
            self.assertAlmostEqual(value, right, 12)
        self.assertEqual(errors.selections([gained(1.5, 1.5, use="shown"), gained(1.5, 1.5, pattern="1:4"),
                                            gained(1.5, 1.5, skipped="no machine")]), [])


def residual(machine, dtype, quantity="dense", regime="r", group="g", value=math.log(2.0)):
    return bands.Residual(machine, dtype, quantity, regime, group, value)


class Bands(unittest.TestCase):
    def test_residuals_are_of_scored_rows_from_twenty_microseconds_on(self):
        found = bands.residuals(Tables(gemms=[gemm(100, 110), gemm(100, 90, m=512, n=512, note="Net"), gemm(10, 10),
                                              gemm(100, 500, use="shown")]))
        self.assertEqual(found, [("x", "fp16", "dense", "few columns long", "64x64", -0.0953),
                                 ("x", "fp16", "dense", "many columns short", "Net", 0.1054)])

    def test_residuals_of_steps_and_other_kernels_have_no_type(self):
        stream = StreamRow(Place(""), "", "", "y", "relu", "fp32", 1, 1, 100.0, simulated=90.0)
        self.assertEqual(bands.residuals(Tables(networks=[step("x", "f", 100, 110)], streams=[stream])), [
            ("x", "", "step", "f", "n", -0.0953), ("y", "", "stream", "", "relu", 0.1054)])

    def test_halves_are_rounded_away_from_zero(self):
        self.assertEqual([bands.rounded(value) for value in (0.00125, -0.03125, 0.03125, -1e-9)],
                         [0.0013, -0.0313, 0.0313, 0.0])
        self.assertEqual(str(bands.rounded(-1e-9)), "0.0")

    def test_middles_are_ranks_of_one_more_than_the_rows(self):
        for rows, share, middle in ((38, 0.95, None), (39, 0.95, (1, 39)), (78, 0.95, (1, 78)), (79, 0.95, (2, 78)),
                                    (39, 0.80, (4, 36)), (79, 0.80, (8, 72))):
            self.assertEqual(bands.middle_of(range(rows, 0, -1), share), middle)

    def test_few_values_have_a_prediction_interval_or_the_furthest_value(self):
        """Student's t with five degrees of freedom is 2.571 at 97.5 % and 1.476 at 90 %."""
        deviation = math.sqrt(6 / 5 * 7 / 6)
        six = [1.0, -1.0] * 3
        self.assertAlmostEqual(bands.middle_of_few(six, 0.95)[1], 2.571 * deviation, delta=0.005)
        self.assertAlmostEqual(bands.middle_of_few(six, 0.80)[0], -1.476 * deviation, delta=0.002)
        self.assertEqual(bands.middle_of_few([0.0] * 29 + [9.0], 0.95)[1], 9)
        self.assertEqual(bands.middle_of_few([float(one) for one in range(1, 40)], 0.95), (1, 39))

    def test_each_card_counts_the_same(self):
        by_card = {"a": [-7.0] + [-1.0] * 99, "b": [7.0] + [1.0] * 9}
        self.assertEqual(bands.middle_of_cards(by_card, 0.90), (-1, 7))
        self.assertEqual(bands.middle_of_cards(by_card, 0.80), (-1, 1))

    def test_regime_is_by_the_shorter_side_and_the_time(self):
        sizes = ((4096, 256, 99), (256, 4096, 100), (257, 4096, 99.9), (512, 512, 1e3))
        self.assertEqual([bands.regime_of(*one) for one in sizes], list(bands.REGIMES))

    def names(self, rows, dies):
        return " ".join(f"{cell.machine}/{cell.dtype}/{cell.regime}/{cell.rows}" + ("" if cell.band else "-")
                        for cell in bands.error_cells(rows, dies))

    def test_cells_are_of_all_that_have_rows_enough(self):
        dies = {"a": "D", "b": "D"}
        rows = [residual("a", "fp16")] * 39 + [residual("a", "bf16")] + [residual("b", "int8")] * 39
        self.assertEqual(self.names(rows, dies), "a/bf16//1- a/fp16//39- b/int8//39- a/fp16/r/39 b/int8/r/39 a/16/r/40 "
                                                 "b/8/r/39 D//r/79 //r/79 ///79")
        self.assertEqual(self.names(rows[:-1], dies),
                         "a/bf16//1- a/fp16//39- b/int8//38- a/fp16/r/39 a/16/r/40 //r/78 ///78")
        steps = [residual("a", "", "step", "f" if at < 6 else "g", "n", 0.1) for at in range(8)]
        self.assertEqual(self.names(steps, {}), "a///8 a//f/6 a//g/2- ///8")
        cell, = bands.error_cells([residual("a", "fp16")] * 2, {})
        self.assertAlmostEqual(cell.bias, -0.5, 12)
        self.assertAlmostEqual(cell.mean_absolute_error, 0.5, 12)

    def test_bands_are_of_the_first_that_has_rows_in_the_regime(self):
        long, short = bands.REGIMES[3], bands.REGIMES[2]
        names = [("a", "fp16", long), ("a", "16", long), ("D", "", long), ("", "", long), ("", "", "")]
        cells = [bands.ErrorCell(machine, dtype, "dense", regime, 40, 0.1, 0.0, bands.Band((0.1, at + 1.0), (0.2, 0.3)))
                 for at, (machine, dtype, regime) in enumerate(names)]
        known = bands.Bands(cells, bands.KnownErrors({"a": "D", "b": "D"}))
        for machine, dtype, regime, high in (("a", "fp16", long, 1), ("a", "bf16", long, 2), ("a", "int8", long, 3),
                                             ("b", "fp16", long, 3), ("c", "fp16", long, 4), ("a", "fp16", short, 5)):
            band = known.of(residual(machine, dtype, regime=regime))
            self.assertEqual(band, ((0.0, high), (0.0, 0.3)), "it holds what was simulated")

    def test_bands_of_steps_are_of_framework_card_or_all_cards(self):
        def cell(machine, regime, high):
            band = bands.Band((-0.1, high), (-0.05, high)) if high else None
            return bands.ErrorCell(machine, "", "step", regime, 40, 0.1, 0.0, band)

        known = bands.Bands([cell("a", "eager", 0.1), cell("a", "rare", 0), cell("a", "", 0.2), cell("", "", 0.3)],
                            bands.KnownErrors({}, {"dense": 0.4}))
        for name, high in (("a eager", 0.1), ("a rare", 0.2), ("a other", 0.5), ("b eager", 0.5)):
            machine, framework = name.split()
            self.assertAlmostEqual(known.of(residual(machine, "", "step", framework)).wide[1], high)

    def test_coverage_is_of_rows_that_the_band_was_not_made_of(self):
        """36 rows are too few, 72 of both cards hold 0 and 1."""
        rows = [residual(card, "fp16", regime=bands.REGIMES[3], group=f"g{at}", value=value)
                for at in range(40) for card, value in (("a", 0.0), ("b", 1.0))]
        by_card, = bands.coverage(rows, bands.KnownErrors(), True)
        self.assertEqual(by_card[:4], ("dense", "many columns long", 80, 40))
        by_network, = bands.coverage(rows, bands.KnownErrors(), False)
        self.assertEqual(by_network.in_95, 80)

    def test_rows_of_the_file(self):
        tables = Tables(gemms=[gemm(100, 110)], counters=[launch(40_000.0, 44_000.0, 60_000.0)])
        text = document.csv_text(bands.ERROR_COLUMNS, bands.error_rows(tables, bands.KnownErrors()))
        self.assertEqual(text.split("\r\n"), [
            "machine,dtype,quantity,regime,rows,mean_absolute_error,bias,low_95,low_80,high_80,high_95",
            "x,fp16,dense,,1,0.1,0.1,,,,", "h200,bf16,cycles,2:4,1,0.1,0.1,,,,",
            "h200,bf16,own cycles,2:4,1,0.5,0.5,,,,", ""])

    def test_known_errors_need_all_files(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "dies.csv").write_text("# of SMs\nmachine,die\na,D\n")
            (folder / "errors.csv").write_text("")
            self.assertEqual(bands.known_errors(folder), ({}, {}))
            (folder / "backtest_errors.csv").write_text("quantity,regime,mean_absolute_error\ndense,,0.2\ndense,x,0.3\n")
            self.assertEqual(bands.known_errors(folder), ({"a": "D"}, {"dense": 0.2}))

    def test_shipped_errors_are_known(self):
        known = bands.known_errors(config_folder() / "validation")
        self.assertEqual(known.dies["a100_pcie"], known.dies["a100"])
        self.assertGreater(known.blind["dense"], 0)


class Counters(unittest.TestCase):
    def law(self):
        """Rows that are looked at, and two that are not: cycles go as M, the square root of N, and K."""
        sizes = [(1000, 1000, 1000), (2300, 1000, 1000), (1000, 2100, 1000), (1000, 1000, 2000), (3000, 2000, 1000),
                 (1000, 5000, 3000), (2000, 2000, 2000), (1000, 4800, 3000)]
        rows = []
        for m, n, k in sizes:
            cycles, use = 0.1 * m * k * math.sqrt(n / 1000), "fitting" if len(rows) < 6 else "testing"
            rows.append(launch(cycles, 1.1 * cycles, m=m, n=n, k=k, roofline_cycles=cycles / 2, use=use))
        return rows

    def test_baselines_know_only_the_rows_that_were_looked_at(self):
        found = counters.baselines(self.law(), True)
        self.assertEqual(found.simulated.rows, 2)
        self.assertAlmostEqual(found.simulated.mean_absolute, 0.1, 12)
        self.assertAlmostEqual(found.roofline.bias, -0.5, 12)
        self.assertAlmostEqual(found.regression.mean_absolute, 0, 6, "a regression finds what a law says")
        self.assertAlmostEqual(found.nearest.mean_absolute, (1 - math.sqrt(4800 / 5000)) / 2, 9)
        self.assertIsNone(counters.baselines(self.law(), False))
        self.assertEqual(report.baseline_table(self.law()).markdown().splitlines()[2],
                         "| sparse kernels | 2 | 10.0 % | 50.0 % | 1.0 % | 0.0 % |")

    def test_baselines_leave_out_short_ones_and_kinds_of_few_rows(self):
        rows = self.law()
        for change in ({"counted": {"cycles": 34_999.0}}, {"kernel_name": rows[0].kernel_name + "segment_k_on_"},
                       {"dtype": "fp16"}):
            self.assertEqual(counters.baselines([*rows[:-1], replace(rows[6], **change)], True).simulated.rows, 1)
        self.assertIsNone(counters.baselines([replace(rows[0], use="shown"), *rows[1:]], True))

    def test_tiles_lie_on_c_as_the_kernel_does(self):
        """cuBLASLt names columns of C first."""
        self.assertEqual(counters.tiles_of(launch(1.0, m=257, n=512)), 3 * 2)
        row = launch(1.0, m=257, n=512, kernel_name="nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT")
        self.assertEqual(counters.tiles_of(row), 3 * 2)
        self.assertEqual(counters.tiles_of(replace(row, kernel_name="nvjet_sm90_tst_64x256_64x4_1x2_h_")), 2 * 8)

    def test_k_steps_are_of_the_least_and_the_most_k(self):
        """Four tiles on three SMs, two after each other on one: 8 k-steps more take 8,000 cycles."""
        rows = [launch(cycles, 1.1 * cycles, m=m, k=k) for m, k, cycles in (
            (256, 1024, 40_000.0), (256, 512, 32_000.0), (256, 768, 90_000.0), (128, 512, 50_000.0))]
        for row in rows:
            row.as_measured = Launch({**row.as_measured.counted, "busy": 0.5}, "128x256x64", ctas=4, waves=4 / 3)
        one, = counters.k_steps(rows)
        self.assertEqual((one.first.k, one.last.k, one.tiles_in_turn, one.counted), (512, 1024, 2, 500))
        self.assertAlmostEqual(one.simulated, 550)
        self.assertAlmostEqual(one.multiplying, 550 * 0.5 * 1.5)
        for row in rows[1:3]:
            row.counted["cycles"] = 9_000.0
        self.assertEqual(counters.k_steps(rows), [])

    def test_cells_are_of_each_counter_and_kernel(self):
        rows = [launch(4e4, 4.4e4, 6e4), launch(5e4, None, 4.8e4), launch(2e4, 3e4, 3e4), launch(9e3, 3e4, 3e4)]
        cells = counters.cells(rows)
        self.assertEqual([(group.regime, key, summary.rows) for group, key, summary in cells],
                         [("2:4, short", "cycles", 1), ("2:4, short", "own cycles", 1), ("2:4", "cycles", 1),
                          ("2:4", "own cycles", 2)])
        self.assertAlmostEqual(cells[3][2].bias, (0.5 - 0.04) / 2, 12)

    def test_summary_is_of_long_kernels_dense_and_sparse(self):
        rows = [launch(*cycles, pattern="dense") for cycles in ((4e4, 4.4e4), (5e4, 4.8e4), (3e4, 6e4))]
        rows.append(launch(1e5, 1.3e5))
        dense = "Of 2 dense kernels of 35,000 cycles and more, simulated cycles are 7.0 % off in the mean (+3.0 %)."
        sparse = dense.replace("Of 2 dense", " Of 1 sparse").replace("7.0 % off", "30.0 % off").replace("+3.0", "+30.0")
        self.assertEqual(report.counter_summary(rows), dense + sparse)
        rows[-1].counted["row_mhz"], rows[-1].as_measured.counted["row_mhz"] = 1000.0, 1100.0
        clock = " The clock of 1 of them in a row is 10.0 % off (+10.0 %)."
        self.assertEqual(report.counter_summary(rows), dense + sparse + clock)
        self.assertEqual(report.counter_summary([*rows[:-1], replace(rows[-1], skipped="no")]), dense)


class TextTables(unittest.TestCase):
    ROWS = [("transposable-magnitude", "93 ms", "128x256", "no"), ("asp", "1 ms", "8x8", "")]

    def text(self, width):
        return report.Table("name; step time >; tile <2; why <1", lambda row: row, self.ROWS).text(width)

    def test_fits_what_is_wide_enough(self):
        self.assertEqual(self.text(47), "name                    step time  tile     why\n"
                                        "----------------------  ---------  -------  ---\n"
                                        "transposable-magnitude      93 ms  128x256  no\n"
                                        "asp                          1 ms  8x8\n")

    def test_breaks_headers_then_cuts_cells_then_leaves_columns_out(self):
        self.assertEqual(self.text(45).splitlines()[:3], ["                         step",
                                                          "name                     time  tile     why",
                                                          "----------------------  -----  -------  ---"])
        self.assertIn("transposa…magnitude  93 ms  128x256  no\n", self.text(40))
        self.assertEqual(self.text(30), "                     step\nname                 time  why\n"
                                        "------------------  -----  ---\ntransposa…agnitude  93 ms  no\n"
                                        "asp                  1 ms\n(too wide for: tile)\n")
        self.assertTrue(self.text(5).endswith("asp                1 ms\n(too\n  wide\n  for:\n  tile,\n  why)\n"))

    def test_escapes_bars_and_prints_nothing_that_a_terminal_would_act_on(self):
        table = report.Table("what; |error| >", lambda row: row, [("a\x1b[2J\r\nb\u009b\u202e", "1"), ("b|", "")])
        self.assertEqual(table.markdown(), "| what | \\|error\\| |\n|---|---:|\n| a [2J  b   | 1 |\n| b\\| |  |\n")

    def test_cells_show_values(self):
        self.assertEqual([report.time_us(value) for value in (999.6, 1234.5, 61.93e6, 0.0)],
                         ["1.00 ms", "1.23 ms", "61.9 s", "0.00 us"])
        self.assertEqual([report.significant(value) for value in (1.7349, 0.98765, 1234.5)], ["1.73", "0.988", "1234"])
        ranges = ((1.5, 1.5), (1.3, 1.5), (None, 1.3), (1.3, None), (None, None))
        self.assertEqual([*map(report.gains, ranges)], ["1.50x", "1.30-1.50x", "up to 1.30x", "from 1.30x", "-"])
        self.assertEqual(report.compared(report.time_us, 100.0, None), ["100 us", "-", "-"])

    def test_a_sentence_for_each_reason(self):
        rows = [gemm(where=Place("t.csv", 4 + at), skipped=reason) for at, reason in enumerate(("b", "", "a", "b"))]
        self.assertEqual(report.skipped(rows), ["skipped 1 row, the first in line 6: a",
                                                "skipped 2 rows, the first in line 4: b"])


class RowTables(unittest.TestCase):
    def test_cells_for_people(self):
        row = gemm(measured=Times(100.0, 50.0), simulated=Times(110.0, 40.0), roofline=Times(50.0, 25.0),
                   tiles=Times(50.0, 25.0), dense_range=(90.0, 110.0))
        self.assertEqual(report.fidelity_table([row], True).markdown().splitlines()[2::3], [
            "| x | fp16 | from 20 us | all | dense time | 1 | 10.0 % | +10.0 % | 50.0 % | 50.0 % | 10.0 % | 100.0 % |",
            "| x | fp16 | from 20 us | testing: s, a | sparse time | 1 | 20.0 % | -20.0 % | 50.0 % | 50.0 % | - | - |"])
        self.assertNotIn("testing", report.fidelity_table([row], False).markdown())
        self.assertIn("| not scored: s, a |", report.fidelity_table([replace(row, use="shown")], True).markdown())

    def test_largest_errors_have_their_kernels(self):
        rows = [gemm(measured=Times(100.0, None, 2.0), simulated=Times(110.0, None, 1.0),
                     dense_kernel=Kernel("k1", "dram"), sparse_kernel=Kernel("s1", "launch")),
                gemm(100, 150), gemm(100, 70, where=Place("u.csv", 7)), gemm(100, 900, use="shown")]
        self.assertEqual(report.worst_table(rows).markdown().splitlines()[2:], [
            "| t.csv:2 | X | 64×64×64 | speedup | 2.00x | 1.00x | -50.0 % | k1 / s1 | dram / launch |",
            "| t.csv:2 | X | 64×64×64 | dense time | 100 us | 150 us | +50.0 % |  |  |",
            "| u.csv:7 | X | 64×64×64 | dense time | 100 us | 70.0 us | -30.0 % |  |  |",
            "| t.csv:2 | X | 64×64×64 | dense time | 100 us | 110 us | +10.0 % | k1 | dram |"])
        self.assertEqual(len(report.worst_table([gemm(2, 1)] * 11).rows), 10)

    def test_steps_are_by_machine_and_framework(self):
        rows = [step("a100", "eager", 100, 90, software_year=2023), step("a100", "eager", 200, 240, software_year=2021),
                step("a100", "ideal", 100, 70), step("a100", "ideal", 100, 60, phase="fine-tuning")]
        self.assertEqual(report.step_table(rows).text(100),
                         "machine  framework           software of   rows  mean error     bias\n"
                         "-------  ------------------  ------------  ----  ----------  -------\n"
                         "a100     all                 2021 to 2023     3      20.0 %   -6.7 %\n"
                         "a100     eager               2021 to 2023     2      15.0 %   +5.0 %\n"
                         "a100     fine-tuning         -                1      40.0 %  -40.0 %\n"
                         "a100     ideal               -                1      30.0 %  -30.0 %\n"
                         "a100     ideal, fine-tuning  -                1      40.0 %  -40.0 %\n")
        others = [step("a100", "ideal", 1, 1, **one) for one in (
            {"phases": ["inference"]}, {"scope": "passes"}, {"skipped": "because"})]
        self.assertEqual(bands.dense_steps([*others, replace(rows[0], dense=None)]), [])

    def test_training_counts_gains_that_are_off_to_either_side(self):
        rows = [*(passes("MLP", 2.0, simulated) for simulated in (2.2, 1.9, 2.03)), passes("b", 1.0, 0.9, dense=None),
                passes("c", 2.0, 2.0, phases=["inference"]), passes("c", 2.0, 2.0, scope="step")]
        self.assertEqual(report.training_table(rows).markdown().splitlines()[2:], [
            "| RTX 3090 | MLP | 3 | 10.0 %, +10.0 % | 10.0 %, -10.0 % | 5.5 %, +2.2 % | 1 | 1 |",
            "| RTX 3090 | b | 1 | - | 10.0 %, -10.0 % | 10.0 %, -10.0 % | 0 | 1 |"])

    def test_systems_leave_out_short_collectives(self):
        def row(size, nodes, time, **values):
            return SystemRow(Place("s.csv", 3), "s", "X", "dgx", "testing", 8, time, "all_reduce", nodes, size,
                             simulated=110.0, **values)

        rows = [row(2**20, 1, 100.0), row(2**20 - 1, 1, 1.0), row(2**26, 2, 100.0),
                replace(row(0.0, 1, 100.0, scaling=0.5, simulated_scaling=0.6), collective="", series="BERT")]
        self.assertEqual(report.system_table(rows).markdown().splitlines()[2:], [
            "| dgx | collectives | testing | 1 | 10.0 %, +10.0 % | - |",
            "| dgx | collectives between nodes | testing | 1 | 10.0 %, +10.0 % | - |",
            "| dgx | ddp | testing | 1 | 10.0 %, +10.0 % | 20.0 %, +20.0 % |"])
        self.assertEqual(report.system_rows_table(rows).markdown().splitlines()[2:], [
            "| 3 | dgx | all_reduce, 64 MiB | 8 | 100 us | 110 us | +10.0 % | - | - |",
            "| 3 | dgx | BERT | 8 | 100 us | 110 us | +10.0 % | 50.0 % | 60.0 % |"])


def sample():
    """A row of each of three kinds, and a skipped one of two."""
    network = passes("Net <1>", 1.5, 1.1, config="bs=8", scheme="asp", batches=[1, 8], dense=None)
    return Tables(gemms=[gemm(10, 11, machine="a100", likely={"dense": (9.0, 12.0), "sparse": (1.0, 2.0)})],
                  instructions=[instruction(), instruction(where=Place("i.csv", 6), skipped="no machine for GPU 'Z9'",
                                                           simulated_latency=None, simulated_throughput=None)],
                  networks=[replace(network, simulated_speedup=(1.1, 1.2))], software=[("a100", "nvidia (...)")],
                  bad_rows=["t.csv:3:1: error: no"])


class Documents(unittest.TestCase):
    def test_have_a_line_for_each_row(self):
        text = document.to_json(document.document(sample(), "1.2.3"))
        self.assertEqual(text.splitlines()[:6], [
            "{", '  "schema": "stcsim.validation/1",', '  "version": "1.2.3",', '  "software": [',
            '    {"machine":"a100","stack":"nvidia (...)"}', "  ],"])
        self.assertTrue(text.endswith('"counters": [],\n  "bad_rows": [\n    "t.csv:3:1: error: no"\n  ]\n}\n'))
        values = json.loads(text)
        self.assertEqual(list(values), ["schema", "version", "software", "results", "summary", "cells", "selections",
                                        "instructions", "networks", "streams", "systems", "counters", "bad_rows"])
        row = values["results"][0]
        keys = ("measured_dense_us", "likely_dense_us_high", "likely_sparse_us_low", "clock_mhz")
        self.assertEqual([row[key] for key in keys], [10.0, 12.0, None, None])
        self.assertEqual(list(row)[-1], "sparse_bound_by")
        network = values["networks"][0]
        self.assertEqual((network["batches"], network["dense_error"], network["sparse_error"]), ([1, 8], None, 0.9 - 1))
        self.assertEqual((network["simulated_speedup_high"], network["speedup_error"]), (1.2, 1.1 / 1.5 - 1))

    def test_numbers_are_finite_and_have_no_negative_zero(self):
        self.assertEqual([str(document.number(value)) for value in (-0.0, 20, 1e-5, None)],
                         ["0.0", "20.0", "1e-05", "None"])
        self.assertRaises(ValueError, document.number, math.nan)

    def test_csv_is_of_the_one_kind_there_is_else_of_gemms(self):
        tables = sample()
        self.assertIn("dense_kernel", document.to_csv(tables).splitlines()[0])
        tables.gemms = []
        self.assertEqual(document.to_csv(tables).count("\r\n"), 1, "instructions and networks: no GEMMs")
        networks, tables.networks = tables.networks, []
        self.assertEqual(document.to_csv(tables).splitlines()[:2], [
            "line,source,gpu,machine,instr,types,shape,pattern,warps,ilp,skipped,measured_latency_cycles,"
            "simulated_latency_cycles,latency_error,measured_fma_per_clk_sm,simulated_fma_per_clk_sm,throughput_error",
            "5,s,A100,a100,mma.sync,fp16/fp32,m16n8k16,dense,8,2,,20.0,22.0," + repr(22 / 20 - 1) + ",1000.0,950.0,"
            + repr(950 / 1000 - 1)])
        self.assertIn(',n,"[1,8]",asp,passes,', document.to_csv(Tables(networks=networks)))
        self.assertTrue(document.to_csv(Tables()).startswith("line,source,gpu,machine,dtype,pattern,m,n,k,clock_mhz"))

    def test_cells_have_the_same_columns_without_rows(self):
        header = ("machine,dtype,from_us,stack,source,use,quantity,rows,mean_absolute_error,bias,"
                  "roofline_mean_absolute_error,roofline_bias,tiles_mean_absolute_error,tiles_bias,"
                  "spread_rows,spread_half_range,within_spread\r\n")
        self.assertEqual(document.cells_csv(Tables()), header)
        self.assertTrue(document.cells_csv(Tables(gemms=[gemm(100, 150)])).startswith(
            header + "x,fp16,20.0,,,scored,dense,1,0.5,0.5,0.0,0.0,0.0,0.0,0,,\r\n"))

    def test_rows_have_a_line_for_each_quantity(self):
        tables = sample()
        tables.counters = [launch(285_163.0, None, 142_581.5)]
        self.assertEqual(document.rows_csv(tables).splitlines(), [
            "kind,table,line,machine,what,quantity,measured,simulated,error",
            "gemm,t.csv,2,a100,fp16 dense 64x64x64,dense_us,10,11,0.1000",
            "instruction,i.csv,5,a100,mma.sync fp16/fp32 m16n8k16,latency_cycles,20,22,0.1000",
            "instruction,i.csv,5,a100,mma.sync fp16/fp32 m16n8k16,fma_per_clk_sm,1000,950,-0.0500",
            'network,n.csv,7,rtx3090,"Net <1>, bs=8, fp16 2:4",speedup_low,1.5,1.1,-0.2667',
            'network,n.csv,7,rtx3090,"Net <1>, bs=8, fp16 2:4",speedup_high,1.5,1.2,-0.2000',
            'network,n.csv,7,rtx3090,"Net <1>, bs=8, fp16 2:4",sparse_us,50000,45000,-0.1000',
            "counter,c.csv,3,h200,bf16 2:4 512x1024x2048,chosen_cycles,285160,142580,-0.5000"])


class Pages(unittest.TestCase):
    def test_text_has_every_row(self):
        text = report.text(sample(), 200)
        self.assertIn("   5  A100  mma.sync     fp16/fp32  m16n8k16      8    2     20.0       22.0  +10.0 %        "
                      "1000        950  -5.0 %\n", text)
        self.assertIn("A100  latency        1           0        10.0 %           10.0 %\n", text)
        self.assertIn("Net <1>, bs=8", text)
        self.assertIn("\nskipped 1 row, the first in line 6: no machine for GPU 'Z9'\n", text)
        self.assertTrue(text.endswith("\n\nsoftware of a100: nvidia (...)\n"))
        self.assertEqual(report.text(Tables(), 100), "")

    def test_page_has_the_headings_that_pictures_look_for(self):
        pages = report.pages(sample(), Path("nowhere"))
        self.assertEqual(list(pages), [f"validation{end}" for end in (".md", "_cells.csv", "_errors.csv", "_rows.csv")])
        text = pages["validation.md"]
        for heading, table in (("# Predictions beside measurements", "| rows of | quantity |"),
                               ("## By machine, type and size", "| machine | type | dense time |"),
                               ("## Instructions", "| gpu | quantity |"), ("## Networks", "| machine | phase |"),
                               ("### Sparse training", "| gpu | network |"), ("## Intervals", "| quantity | regime |")):
            self.assertEqual(text.count("\n" + heading + "\n") + text.startswith(heading + "\n"), 1, heading)
            below = text[text.index(heading + "\n"):]
            self.assertTrue(below[below.index("\n|") + 1:].startswith(table), heading)
        self.assertNotIn("mma.sync", text)
        self.assertIn("\n\n- software of a100: nvidia (...)\n\n| rows of |", text)

    def test_counters_have_a_page_of_their_own(self):
        tables = Tables(counters=[launch(4e4, 4.4e4, 5e4, pattern="dense", use="fitting")],
                        set_by_counters={"h200": ["a.b", "c"]})
        pages = report.pages(tables, Path("nowhere"))
        text = pages["counters.md"]
        self.assertTrue(text.startswith("# Cycles, bytes and clocks beside hardware counters\n\nOf 1 dense"))
        self.assertIn("| h200 bf16 dense | cycles | 1 | 10.0 % | +10.0 % | 25.0 % | +25.0 % |\n", text)
        self.assertIn("\n1 rows marked fitting set 2 numbers of the file h200.yaml, one for 0.5 rows: a.b, c.\n", text)
        self.assertTrue(text.endswith("| 3 | h200 | bf16 | dense | 512×1024×2048 | 40000 | +10.0 % | +25.0 % |\n"))
        self.assertIn("(counters.md)", pages["validation.md"])


if __name__ == "__main__":
    unittest.main()
