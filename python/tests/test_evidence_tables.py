"""Tests of tables of measurements: what is read of them, what is refused and where, what the shipped ones hold."""

import tempfile
import unittest
import unittest.mock
from collections import Counter
from functools import lru_cache
from pathlib import Path

from stcsim.evidence import rows, tables
from stcsim.evidence.model import (GemmRow, InstructionRow, NetworkRow, Place, StreamRow, SystemRow, TableError, Tables,
                                   Times)
from stcsim.evidence.program import config_folder, read_yaml

GEMM = "source,gpu,dtype,M,N,K,layout,dense_value,sparse_value,unit,speedup,pattern,note"
INSTRUCTION = "source,gpu,instr,dtype,shape,sparse,warps,ilp,latency_cycles,throughput_fma_per_clk_sm"
NETWORK = ("source,gpu,dtype,network,config,phase,dense,sparse,unit,speedup,pattern,model,batch,phases,scheme,scope,"
           "not_simulated")
STREAM = "source,gpu,op,dtype,rows,columns,time_us,machine,overhead_us"
COLLECTIVE = "source,gpu,system,collective,gpus,nodes,bytes,time_us,bus_gb_per_s,use"
TRAINING = ("source,gpu,value,unit,series,use,system,model,framework,dtype,micro_batch,accumulation,gpus,tokens,"
            "sharding,gradients,overlap")
COUNTERS = ("gpu,dtype,M,N,K,pattern,part,sm_cycles,time_ns,l2_to_sm_bytes,l2_sectors_from_sm,dram_read_bytes,"
            "tensor_active_percent,kernel,cluster,row_us")
SIZES = "a whole number from 1 to 2147483647"
REPOSITORY = Path(__file__).resolve().parents[2]


class TableTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "t.csv"

    def write(self, text):
        self.path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(self.path)

    def read(self, header, *lines):
        return tables.read_tables([self.write("\n".join([header, *lines]) + "\n")])

    def table(self, text, bad_rows=None):
        return tables.Table(self.write(text), [] if bad_rows is None else bad_rows)

    def assert_refused(self, error, read, *what):
        """With this error, the table's name left out."""
        with self.assertRaises(TableError) as caught:
            read(*what)
        self.assertEqual(self.without_file(str(caught.exception)), error)

    def place(self, column=1, line=2):
        return Place(str(self.path), line, column)

    def without_file(self, text):
        return text.replace(f"{self.path}:", "")


class Records(TableTest):
    def texts(self, text):
        table = self.table(text)
        return [[row[field.text].text for field in table.header] for row in table.rows]

    def test_have_fields_by_the_names_of_columns(self):
        self.assertEqual(self.texts("a,b\n1,2\n3,4\n"), [["1", "2"], ["3", "4"]])
        [row] = self.table("b,a\n1,MISSING\n").rows
        self.assertEqual((row.text("b"), row.text("c"), row.given("a"), row.given("c")), ("1", "", None, None))

    def test_quoted_fields_keep_commas_quotes_blanks_and_line_breaks(self):
        self.assertEqual(self.texts('a,b\n" x, ""y""\n",z\n \t"" , "1"\n'), [[' x, "y"\n', "z"], ["", "1"]])

    def test_blanks_around_plain_fields_and_empty_lines_and_comments_say_nothing(self):
        self.assertEqual(self.texts("a,b\n  1\t, 2 3 \n"), [["1", "2 3"]])
        self.assertEqual(self.texts('# what\n\na\n \n# more, "\n1\n\n'), [["1"]])

    def test_carriage_returns_a_byte_order_mark_and_no_last_line_break_are_understood(self):
        self.assertEqual(self.texts('\ufeffa,b\r\n"1",2\r\n\r\n3,'), [["1", "2"], ["3", ""]])
        [row] = self.table("\ufeffa,b\n1,2").rows
        self.assertEqual(row["b"].where[1:], (2, 3))

    def test_columns_are_those_of_bytes(self):
        [first, second] = self.table('a,b\n"1\n1é", 2\né,3\n').rows
        places = [row[name].where[1:] for row in (first, second) for name in "ab"]
        self.assertEqual(places, [(2, 1), (3, 7), (4, 1), (4, 4)])

    def test_malformed_rows_are_left_out(self):
        """Too few fields, text behind a quote, a quote that is never closed."""
        bad_rows = []
        table = self.table('a,b\n1\n2,3\n"4"x,5\n6,7\n"8,9\n', bad_rows)
        self.assertEqual([row.text("b") for row in table.rows], ["3", "7"])
        self.assertEqual([self.without_file(row) for row in bad_rows], [
            "2:1: error: the row has 1 fields, must have 2 like the header",
            "4:4: error: text after a closing quote, must be a comma or the line's end",
            "6:1: error: this quote is never closed"])

    def test_after_a_quote_that_is_never_closed_come_the_next_rows(self):
        bad_rows = []
        table = self.table('a,b\n1,2\n"3,4\n5,6\n', bad_rows)
        self.assertEqual([row.text("a") for row in table.rows], ["1", "5"])
        self.assertEqual(list(map(self.without_file, bad_rows)), ["3:1: error: this quote is never closed"])

    def test_tables_without_rows_are_refused(self):
        for text, error in (
                ("", "1:1: error: the table is empty, must have a header"),
                ("# a\n\n", "3:1: error: the table is empty, must have a header"),
                ("a,b\n", " error: the table has no rows, must have at least one measurement"),
                ("a,b,a\n", "1:5: error: column 'a' is here a second time"),
                ('a,b\n1,"2\n', "2:3: error: this quote is never closed"),
                ('a\n"1"2\n', "2:4: error: text after a closing quote, must be a comma or the line's end")):
            self.assert_refused(error, self.table, text)

    def test_other_encodings_are_refused(self):
        self.assert_refused("2:6: error: byte 0xe9 is not UTF-8 (is the text Latin-1?), must be text in UTF-8",
                            self.table, b"a,b\n1,caf\xe9\n")
        for mark in (b"\xff\xfe", b"\xfe\xff"):
            self.assert_refused("1:1: error: the text is UTF-16, must be UTF-8", self.table, mark + b"x")

    def test_files_that_cannot_be_read_are_refused(self):
        for path, what in (("/nowhere/t.csv", "does not exist"), ("/", "is a directory")):
            self.assert_refused(f"table '{path}' {what}, must be the path of a CSV file", tables.read_tables, [path])

    def test_columns_and_rows_and_bytes_have_limits(self):
        wide = ",".join(f"c{at}" for at in range(10_000))
        self.assert_refused("1:58891: error: a row has more than 10000 fields", self.table, wide + ",more")
        self.assertEqual(len(self.table(f"{wide}\n{wide}\n").rows), 1)
        with unittest.mock.patch.multiple(tables, MOST_ROWS=3, MOST_BYTES=9):
            self.assertEqual(len(self.table("a\n1\n1\n1\n").rows), 3)
            self.assert_refused("5:1: error: the table has more than 3 rows", self.table, "a\n1\n1\n1\n1")
            self.assert_refused("cannot read  it is larger than 64 MiB, must be a table", self.table, "a\n1\n1\n1\n1\n")
        self.assertEqual((tables.MOST_ROWS, tables.MOST_BYTES), (1_000_000, 64 << 20))


class Columns(TableTest):
    def test_that_are_not_known_or_missing_are_refused(self):
        row = "s,A100,fp16,1,2,3,,4,2,ms,2,2:4,n"
        self.assert_refused("1:77: error: unknown column 'nte'; did you mean 'note'?",
                            self.read, GEMM.replace("note", "nte"), row)
        self.assert_refused("1:82: error: unknown column 'url'; known columns: source, gpu, dtype, M, N, K, layout, "
                            "dense_value, sparse_value, unit, speedup, pattern, note, timing, use, stack, clock_mhz",
                            self.read, GEMM + ",url", row + ",u")
        self.assert_refused("1:1: error: the table has no column 'note'", self.read, GEMM[:-5], row[:-2])
        self.assert_refused("1:1: error: the table has no column 'dtype'", self.read, "source,gpu,instr", "s,A100,mma")

    def test_each_kind_of_table_needs_its_own(self):
        for header in (INSTRUCTION, NETWORK, STREAM, COLLECTIVE, TRAINING, COUNTERS):
            names = header.split(",")
            kind = next(one for one in tables.KINDS if one.mark in names)
            for name in kind.required:
                left = [one for one in names if one not in (name, "note")]
                if kind.mark in left:
                    with self.assertRaisesRegex(TableError, f"t.csv:1:1: error: the table has no column '{name}'"):
                        self.read(",".join(left), ",".join("1" for _ in left))

    def test_stand_in_any_order(self):
        [row] = self.read("note,M,K,N,gpu,source,dtype,pattern,unit,speedup,dense_value,sparse_value,layout",
                          "n,1,3,2,A100,s,bf16,2:4,us,,4,2,").gemms
        self.assertEqual((row.m, row.n, row.k, row.gpu, row.note), (1, 2, 3, "A100", "n"))
        self.assertEqual(row.measured, Times(4.0, 2.0))


class GemmTable(TableTest):
    def gemms(self, *lines, more=""):
        return self.read(GEMM + more, *lines).gemms

    def test_a_row_is_read(self):
        [row] = self.gemms("S,A100,bf16,1,2,3,l,4,2,ms,2,2:4,n,loop,fitting,cuda12,1395",
                           more=",timing,use,stack,clock_mhz")
        self.assertEqual(row, GemmRow(
            where=self.place(3), source="S", gpu="A100", note="n", m=1, n=2, k=3, batch_count=1, layout="",
            dtype="bf16", pattern="2:4", stack="cuda12", use="fitting", clock_mhz=1395,
            measured=Times(4000.0, 2000.0, 2.0), timing="loop"))
        self.assertEqual(row.where.table, "t.csv")

    def test_times_become_microseconds(self):
        """2 * 1000 * 1000 * 500 FLOP at 100 TFLOP/s are 10 us, and rates of sparse GEMMs are dense-equivalent."""
        for values, times in (
                ("4,2,ms,2", Times(4000.0, 2000.0, 2.0)), ("4,2,us,", Times(4.0, 2.0)), ("4,,s,", Times(4e6)),
                ("0,MISSING,,1.5", Times(None, None, 1.5)), ("100,200,TFLOPS,", Times(10.0, 5.0)),
                ("100,,TFLOP/s,", Times(10.0))):
            [row] = self.gemms(f"s,A100,fp16,1000,1000,500,,{values},2:4,n")
            self.assertEqual(row.measured, times)

    def test_types_have_many_spellings(self):
        for dtype, read in (("MISSING", "fp16"), ("", "fp16"), ("fp16/fp32", "fp16"), ("int8/int32 (dp4a)", "int8"),
                            ("fp8", "fp8_e4m3"), ("fp4", "nvfp4"), ("tf32 x", "tf32")):
            [row] = self.gemms(f"s,A100,{dtype},1,2,3,,1,1,us,,2:4,n")
            self.assertEqual((row.dtype, row.unusable), (read, ""))

    def test_other_types_and_accumulators_are_not_simulated(self):
        for dtype, more in (("fp64", ""), ("fp16/fp16", ": GEMMs of fp16 accumulate in fp32"),
                            ("int8/x", ": GEMMs of int8 accumulate in int32")):
            [row] = self.gemms(f"s,A100,{dtype},1,2,3,,1,1,us,,2:4,n")
            self.assertEqual(row.unusable, f"data type '{dtype}' is not simulated{more}")

    def test_layouts_say_the_order_and_the_batch(self):
        for layout, order, batch in (
                ("row.row", "row", 1), ("row", "row", 1), ("TN (x row-major)", "", 1), ("row.row batch=2", "row", 2),
                ("batch=3 row", "row", 3), ("A row (sparse MxK)", "", 1), ("bmm batch=4", "", 4), ("", "", 1)):
            [row] = self.gemms(f"s,A100,fp16,1,2,3,{layout},1,1,us,,2:4,n")
            self.assertEqual((row.layout, row.batch_count), (order, batch))

    def test_patterns_are_groups_or_blocks_of_columns(self):
        for pattern in ("dense", "2:4", "4:8 pairs", "4:4", "64:2:10", "2:10 (V=128)"):
            [row] = self.gemms(f"s,A100,fp16,1,2,3,,1,1,us,,{pattern},n")
            self.assertEqual((row.pattern, row.unusable, row.selects_columns), (pattern, "", "10" in pattern))
        for wrong in ("1:10 (V=128)", "128:1:10", "128:2:3", "0:2:8", "128:2:x", "2:10 (V=)", "2:10 (V=8", "5:4", "0:4",
                      "2:129", "3:8 pairs", "8:2:8 pairs", "", "2:4x1:2"):
            [row] = self.gemms(f"s,A100,fp16,1,2,3,,1,1,us,,{wrong},n")
            self.assertEqual(row.unusable, f"pattern '{wrong}' is not n:m or V:2:m")

    def test_the_range_of_several_measurements_is_in_the_note(self):
        """In the row's unit; rates turn it around."""
        for sizes, values, note, ends in (
                ("1,2,3", "5,,ms", "median of 4; least 4.24 (a/0.5.9), most 6.47 (b)", (4240.0, 6470.0)),
                ("1000,1000,500", "100,,TFLOPS", "least 50, most 200", (5.0, 20.0)),
                ("1,2,3", ",5,us", "least 4, most 6", None), ("1,2,3", "5,,us", "least 4.24", None),
                ("1,2,3", "5,,us", "most 4.24", None), ("1,2,3", "5,,us", "at least one, most of them 5", None),
                ("1,2,3", "5,,us", "least 0, most 5", None), ("1,2,3", "5,,us", "least 1.2.3, most 5", None)):
            [row] = self.gemms(f's,A100,fp16,{sizes},,{values},,dense,"{note}"')
            self.assertEqual(row.dense_range, ends)

    def test_a_row_is_for_testing_unless_it_says_more(self):
        uses = [row.use for row in self.gemms(*(f"s,A100,fp16,1,2,3,,1,,us,,dense,n,{use}" for use in
                                                ("fitting", "testing", "shown", "sealed", "")), more=",use")]
        self.assertEqual(uses, ["fitting", "testing", "shown", "sealed", "testing"])
        self.assertEqual(self.gemms("s,A100,fp16,1,2,3,,1,,us,,dense,n")[0].use, "testing")
        self.assert_refused("2:35: error: use is 'x', must be fitting, testing, shown or empty",
                            self.read, GEMM + ",use", "s,A100,fp16,1,2,3,,1,,us,,dense,n,x")

    def test_short_times_of_the_host_cannot_be_compared(self):
        """50 us is the limit; the note says the host too, where the column does not."""
        short = "timed on the host and below 50 us: mostly launch overhead"
        for values, timing, unusable in (
                ("50,50,us", "host", ""), ("50,49.9,us", "host", short), ("49.9,,us", "host", short),
                ("1,1,us", "device", ""), ("1,1,us", "", "")):
            [row] = self.gemms(f"s,A100,fp16,1,2,3,,{values},,2:4,n,{timing}", more=",timing")
            self.assertEqual((row.timing, row.unusable), (timing or "events", unusable))
        [row] = self.gemms("s,A100,fp16,1,2,3,,1,1,us,,2:4,incl. launch overhead")
        self.assertEqual((row.timing, row.unusable), ("host", short))

    def test_wrong_rows_are_left_out_and_named(self):
        read = self.read(GEMM, "s,A100,fp16,0,2,3,,1,,us,,dense,n", "s,A100,fp16,1,2,3,,1,,us,,dense,n", "s,A100,fp16",
                         "s,A100,fp16,1,2,3,,1,,h,,dense,n")
        self.assertEqual([row.where.line for row in read.gemms], [3])
        self.assertEqual([self.without_file(row) for row in read.bad_rows], [
            "4:1: error: the row has 3 fields, must have 13 like the header",
            f"2:13: error: M is '0', must be {SIZES}", "5:23: error: unit is 'h', must be s, ms, us or TFLOPS"])

    def test_what_is_wrong_is_named_at_its_place(self):
        number = "must be a number above 0, MISSING or empty"
        for row, error in (("0,2,3,,1,,us,,2:4,n", f"13: error: M is '0', must be {SIZES}"),
                           ("1,2147483648,3,,1,,us,,2:4,n", f"15: error: N is '2147483648', must be {SIZES}"),
                           ("1,2,3,,fast,,us,,2:4,n", f"20: error: dense_value is 'fast', {number}"),
                           ("1,2,3,,1,-1,us,,2:4,n", f"22: error: sparse_value is '-1', {number}"),
                           ("1,2,3,,1,1,us,1e999,2:4,n", f"27: error: speedup is '1e999', {number}"),
                           ("1,2,3,,1,,h,,2:4,n", "23: error: unit is 'h', must be s, ms, us or TFLOPS"),
                           ("1,2,3,batch=x,1,,us,,2:4,n", f"19: error: batch is 'x', must be {SIZES}")):
            self.assert_refused("2:" + error, self.gemms, "s,A100,fp16," + row)
        self.assert_refused(f"2:35: error: clock_mhz is '0', must be {SIZES} or empty",
                            self.read, GEMM + ",clock_mhz", "s,A100,fp16,1,2,3,,1,,us,,dense,n,0")


class InstructionTable(TableTest):
    def first(self, line, header=INSTRUCTION):
        return self.read(header, line).instructions[0]

    def test_a_row_is_read(self):
        self.assertEqual(self.first("Sun,A100,mma.sp.sync,int8/int32,m16n8k64,1,8,2,24.7,3961.5"), InstructionRow(
            where=self.place(), source="Sun", gpu="A100", machine="", name="mma.sp.sync", types="int8/int32",
            shape="m16n8k64", pattern="2:4", warps=8, ilp=2, latency=24.7, throughput=3961.5))
        row = self.first("h100_sxm,s,H,mma,fp16,m16n8k16,0,,,1,", "machine," + INSTRUCTION)
        self.assertEqual(row.machine, "h100_sxm")

    def test_values_may_be_missing(self):
        row = self.first("s,A100,mma.sync,fp16,m16n8k16,0,,,,")
        self.assertEqual((row.pattern, row.warps, row.ilp, row.latency, row.throughput), ("dense", 0, 0, None, None))

    def test_sparse_means_the_pattern_of_the_type(self):
        patterns = [self.first(f"s,A,mma.sp.sync,{types},m16n8k64,1,,,1,").pattern
                    for types in ("tf32", "int8", "fp16/fp16", "int4/int32", "nvfp4")]
        self.assertEqual(patterns, ["1:2", "2:4", "2:4", "4:8 pairs", "4:8 pairs"])

    def test_what_is_wrong_is_named_at_its_place(self):
        number, count = "must be a number above 0, MISSING or empty", f"must be {SIZES} or empty"
        for row, error in (("2,4,3,24,900", "31: error: sparse is '2', must be 0 or 1"),
                           ("0,0,3,24,900", f"33: error: warps is '0', {count}"),
                           ("0,4,1.5,24,900", f"35: error: ilp is '1.5', {count}"),
                           ("0,4,3,fast,900", f"37: error: latency_cycles is 'fast', {number}"),
                           ("0,4,3,24,-1", f"40: error: throughput_fma_per_clk_sm is '-1', {number}")):
            self.assert_refused("2:" + error, self.first, "s,A100,mma.sync,fp16,m16n8k16," + row)


class NetworkTable(TableTest):
    def first(self, line, more=""):
        return self.read(NETWORK + more, line).networks[0]

    def test_a_row_is_read(self):
        row = self.first("s,A100,int8,N,c,training,3,2,ms,1.5,2:4,net,1;16;256,forward;wgrad,asp,passes,")
        self.assertEqual(row, NetworkRow(
            where=self.place(), source="s", gpu="A100", network="N", config="c", phase="training", pattern="2:4",
            dtype="int8", model="net", scheme="asp", phases=["forward", "wgrad"], batches=[1, 16, 256],
            scope="passes", dense=3000.0, sparse=2000.0, speedup=(1.5, 1.5)))
        self.assertFalse(row.is_inference)

    def test_inference_is_a_phase_of_its_own(self):
        row = self.first("s,A100,,N,,,,,,up to 1.3,2:4,net,8,inference,asp,step,")
        self.assertEqual((row.is_inference, row.phases, row.dtype), (True, ["inference"], "fp16"))
        self.assertEqual(row.speedup, (None, 1.3))

    def test_rates_become_times_of_a_step(self):
        """256 samples at 6400 a second take 40 ms; a rate of several batches says no time."""
        for value, batch, sparse in (("6400,seq/s", "256", 40000.0), ("6400,images/s", "256", 40000.0),
                                     ("6400,img/s", "256", 40000.0), ("0.5,s", "256", 5e5), ("5,us", "256", 5.0),
                                     ("5,us", "1;2", 5.0), ("6400,img/s", "1;2", None)):
            row = self.first(f"s,A100,,N,,,,{value},,2:4,net,{batch},inference,asp,step,")
            self.assertEqual((row.dense, row.sparse), (None, sparse))

    def test_a_row_that_cannot_be_simulated_says_why(self):
        for row, skipped in (("fp16,N,,,1,1,ms,,64:2:8,,,,,,", "pattern '64:2:8' is not n:m"),
                             ("fp32 (no tensor cores),N,,,1,,ms,,dense,,,,,,", "ran without tensor cores"),
                             ("fp64,N,,,1,1,ms,,2:4,net,1,inference,asp,step,", "data type 'fp64' is not simulated"),
                             ("int32,N,,,1,1,ms,,2:4,net,1,inference,asp,step,", "data type 'int32' is not simulated"),
                             ("fp16,GPT-9,,,1,1,ms,,2:4,,,,,,", "no network file stands for 'GPT-9'"),
                             ("fp16,N,,,1,1,ms,,2:4,,,,,,the batch is unknown", "the batch is unknown")):
            self.assertEqual(self.first("s,A100," + row).skipped, skipped)

    def test_what_is_wrong_is_named_at_its_place(self):
        ranges = "must be a number above 0, a range like 1.3-1.5, or 'up to 1.3'"
        samples = "must be whole numbers from 1 to 1000000 with ';' between them"
        phases = "must be inference, or forward, dgrad and wgrad with ';' between them"
        for row, error in (
                *((f",{gain},2:4,net,8,inference,asp,step,", f"13: error: speedup is '{gain}', {ranges}")
                  for gain in ("fast", "0", "-1", "1.5-1.3", "up to", "1e10")),
                *((f",2,2:4,net,{batch},inference,asp,step,", f"23: error: batch is '{batch}', {samples}")
                  for batch in ("8;0", "x", "1000001", "1.5")),
                (",2,2:4,net,,inference,asp,step,",
                 "23: error: batch is '', must be the samples per step, as 'model' is given"),
                *((f",2,2:4,net,8,{one},asp,step,", f"25: error: phases is '{one}', {phases}")
                  for one in ("", "sideways", "forward;sideways", ";")),
                (",2,2:4,net,8,inference,asp,all,", "39: error: scope is 'all', must be step, passes, sparse_gemms, "
                 "sparse_layers, best_layer or scheme_work")):
            self.assert_refused("2:" + error, self.first, "s,g,,N,,,,," + row)
        self.assert_refused("2:13: error: unit is 'h', must be s, ms, us, seq/s, images/s or img/s",
                            self.first, "s,g,,N,,,1,,h,2,2:4,net,8,inference,asp,step,")

    def test_columns_that_may_be_left_out_say_how_the_script_ran(self):
        def read(cells):
            row = self.first("s,A100,,N,,,1,,ms,1.3-1.5,dense,net,8,forward,dense,step,," + cells,
                             ",optimizer,clock_mhz,framework,accumulation,stack,software_year")
            return row.optimizer, row.clock_mhz, row.framework, row.accumulation, row.stack, row.software_year

        self.assertEqual(read(",,,,,"), ("", None, "ideal", 1, "", None))
        self.assertEqual(read("lamb,1695,eager,4,cuda12,2023"), ("lamb", 1695.0, "eager", 4, "cuda12", 2023))
        self.assert_refused("2:59: error: optimizer is 'sdg', must be sgd_momentum, adam or lamb", read, "sdg,,,,,")
        self.assert_refused("2:60: error: clock_mhz is 'fast', must be a number above 0, MISSING or empty",
                            read, ",fast,,,,")


class StreamTable(TableTest):
    def first(self, line):
        return self.read(STREAM, line).streams[0]

    def test_a_row_is_read(self):
        row = self.first("s,A100,softmax,fp16,8,1024,57.5,a100,22.4")
        self.assertEqual(row, StreamRow(self.place(), "s", "A100", "a100", "softmax", "fp16", 8, 1024, 57.5, 22.4))
        self.assertEqual(self.first("s,A100,softmax,fp16,8,1024,57.5,a100,").overhead, 0)
        self.assertEqual(row.framework, "pytorch_2_eager")
        with_framework = self.read(STREAM + ",framework", "s,A100,sum_rows,bf16,8,1024,57.5,a100,,mine.yaml").streams[0]
        self.assertEqual((with_framework.op, with_framework.framework), ("sum_rows", "mine.yaml"))

    def test_what_is_wrong_is_named_at_its_place(self):
        for row, error in (
                ("sqrt,fp16,8,1024,57.5,,", "8: error: op is 'sqrt', must be one of add, mul, div, pow, addu, mulu, "
                 "divu, powu, relu, tanh, gelu, softmax, ln, gelu_tanh, silu, dropout, copy, ln_backward, "
                 "gelu_backward, sum_rows"),
                ("ln,int8,8,1024,57.5,,", "11: error: dtype is 'int8', must be fp32, fp16 or bf16"),
                ("ln,fp16,8,1024,,,", "23: error: time_us is missing"),
                ("ln,fp16,0,1024,5,,", f"16: error: rows is '0', must be {SIZES}")):
            self.assert_refused("2:" + error, self.first, "s,A100," + row)


class SystemTable(TableTest):
    def first(self, header, line):
        return self.read(header, line).systems[0]

    def test_a_collective_is_read(self):
        """Bus bandwidth says a time: 8 MB go 2 * 7/8 times over the links."""
        row = self.first(COLLECTIVE, "s,A100,,all_reduce,8,1,8000000,,140,shown")
        self.assertEqual(row, SystemRow(
            where=self.place(), source="s", gpu="A100", system="", use="shown", gpus=8, time=100.0,
            collective="all_reduce", bytes=8e6, skipped="no system for GPU 'A100'"))
        row = self.first(COLLECTIVE, "s,A100,dgx_a100,all_gather,8,2,8000000,,70,testing")
        self.assertEqual((row.time, row.nodes, row.skipped), (100.0, 2, ""))
        self.assertEqual(self.first(COLLECTIVE, "s,A,d,all_to_all,8,,64,7.5,,fitting").time, 7.5)

    def test_a_training_is_read(self):
        """32 samples a GPU and micro-batch, four of those; tokens are those of one GPU."""
        row = self.first(TRAINING, "s,A,1000,images/s,a,shown,x,m,f,tf32,32,4,8,1,ddp,fp32,true")
        self.assertEqual(row, SystemRow(
            where=self.place(), source="s", gpu="A", system="x", use="shown", gpus=8, time=1.024e6, series="a",
            model="m", framework="f", dtype="tf32", micro_batch=32, accumulation=4,
            parallel={"sharding": "ddp", "gradients": "fp32", "overlap": True}))
        row = self.first(TRAINING, "s,A,1000,tokens/s/GPU,a,shown,x,m,f,,2,4,8,512,,,false")
        self.assertEqual((row.time, row.dtype, row.parallel), (4.096e6, "fp16", {"overlap": False}))
        row = self.first(TRAINING + ",not_simulated", "s,A,9,samples/s,a,shown,,,,,2,4,8,,,,,no such card")
        self.assertEqual(row.skipped, "no such card")

    def test_what_is_wrong_is_named_at_its_place(self):
        one_of_both = "22: error: a row must have bytes, and one of time_us and bus_gb_per_s"
        for header, row, error in (
                (COLLECTIVE, "d,gather,2,1,64,1,,testing", "7: error: collective is 'gather', must be one of "
                 "all_reduce, all_gather, reduce_scatter, all_to_all"),
                *((COLLECTIVE, f"d,all_reduce,2,1,{values},testing", one_of_both)
                  for values in ("64,,", "64,1,1", ",1,")),
                (COLLECTIVE, "d,all_reduce,2,1,64,1,,sealed",
                 "28: error: use is 'sealed', must be one of fitting, testing, shown"),
                (TRAINING, "9,steps,a,shown,x,m,f,bf16,2,4,8,512,fsdp,fp32,true", "7: error: unit is 'steps', must be "
                 "sequences/s, images/s, samples/s or tokens/s/GPU"),
                (TRAINING, ",images/s,a,shown,x,m,f,bf16,2,4,8,512,fsdp,fp32,true",
                 "5: error: value is '', must be a number above 0"),
                (TRAINING, "9,images/s,a,shown,x,m,f,bf16,2,4,8,512,fsdp,fp32,yes",
                 "55: error: overlap is 'yes', must be one of true, false")):
            self.assert_refused("2:" + error, self.first, header, "s,A," + row)


class CounterTable(TableTest):
    def first(self, line):
        return self.read(COUNTERS, line).counters[0]

    def test_a_row_is_read(self):
        """Sectors are without those of C; 40,000 cycles in 25 us are 1600 MHz."""
        row = self.first("H200,fp8,128,256,512,2:4,0,40000,20000,3000,9000,500,75.5,k,4,25")
        self.assertEqual((row.where, row.gpu, row.dtype, row.pattern), (self.place(), "H200", "fp8_e4m3", "2:4"))
        self.assertEqual(row.counted, {
            "cycles": 40000.0, "sm_bytes": 3000.0, "l2_bytes": 9000.0 * 32 - 128 * 256 * 2, "dram_bytes": 500.0,
            "busy": 0.755, "row_mhz": 1600.0, "row_us": 25.0})
        self.assertEqual((row.clock_mhz, row.kernel_name, row.cluster, row.unusable), (2000, "k", 4, ""))

    def test_values_may_be_missing(self):
        for cluster in ("", "0"):
            row = self.first(f"H200,int8,128,256,512,2:4,0,40000,,,9000,,,,{cluster},")
            self.assertEqual((row.cluster, row.clock_mhz, row.kernel_name, row.use), (0, None, "", "testing"))
            self.assertEqual(row.counted, {"cycles": 40000.0, "l2_bytes": 9000.0 * 32 - 128 * 256})

    def test_a_further_launch_of_a_call_cannot_be_used(self):
        self.assertEqual(self.first("H200,fp8,128,256,512,2:4,1,40000,20000,,,,,,,").unusable,
                         "a further launch of the same call")

    def test_the_cycles_must_be_there_and_the_columns_be_known(self):
        self.assert_refused("2:28: error: sm_cycles is missing", self.first, "H200,fp8,128,256,512,2:4,0,,20000,,,,,,,")
        self.assert_refused("1:35: error: unknown column 'sm_cycle'; did you mean 'sm_cycles'?", self.read,
                            "gpu,dtype,M,N,K,pattern,sm_cycles,sm_cycle", "H200,bf16,1,1,1,dense,1,1")

    def test_segments_of_k_are_in_the_name(self):
        names = ("sm90_x_execute_segment_k_on_kernel", "sm90_x_execute_segment_k_off_kernel")
        rows_of = [self.first(f"H200,fp8,128,256,512,2:4,0,40000,20000,,,,,{name},,") for name in names]
        self.assertEqual([row.segments_k for row in rows_of], [True, False])


class KnownMachines:
    """GPU "X" is machine "x"; nothing stands for any other."""

    def of(self, gpu):
        return "x" if gpu == "X" else ""


class Filters(TableTest):
    """GEMMs on X and Y, instructions on X, Y and on machine x by name, a network on X in int8, a collective."""

    def setUp(self):
        super().setUp()
        line = "s,{},mma.sync,fp16,m16n8k16,0,4,2,,,{}"
        instructions = [line.format(*one) for one in (("X", ""), ("Y", ""), ("Z", "x"))]
        self.tables = Tables(
            self.read(GEMM + ",use", "s,X,fp16,1,2,3,,1,,us,,dense,n,fitting",
                      "s,Y,int8,1,2,3,,1,,us,,dense,n,testing").gemms,
            self.read(INSTRUCTION + ",machine", *instructions).instructions,
            self.read(NETWORK, "s,X,int8,N,,,1,,ms,,dense,net,8,forward,dense,step,").networks,
            systems=self.read(COLLECTIVE, "s,Y,d,all_reduce,8,1,64,1,,testing").systems, bad_rows=["bad"])
        rows.name_machines(self.tables, KnownMachines())

    def kept(self, machine="", dtype="", use=""):
        kept = rows.keep(self.tables, machine, dtype, use)
        self.assertEqual(kept.bad_rows, ["bad"])
        return [[row.gpu for row in kind] for kind in (kept.gemms, kept.instructions, kept.networks, kept.systems)]

    def test_without_conditions_keep_all(self):
        self.assertEqual(self.kept(), [["X", "Y"], ["X", "Y", "Z"], ["X"], ["Y"]])

    def test_keep_rows_of_a_machine_or_a_type(self):
        self.assertEqual(self.kept(machine="x"), [["X"], ["X", "Z"], ["X"], []])
        self.assertEqual(self.kept(dtype="int8"), [["Y"], [], ["X"], []])
        self.assertEqual(self.kept(machine="x", dtype="int8"), [[], [], ["X"], []])
        self.assertEqual(self.kept(dtype="fp16"), [["X"], [], [], []])

    def test_keep_rows_of_a_use(self):
        self.assertEqual(self.kept(use="fitting"), [["X"], [], [], []])
        self.assertEqual(self.kept(use="testing"), [["Y"], [], [], ["Y"]])
        self.assertEqual(len(rows.keep(self.tables, "", "", "shown")), 0)


@lru_cache(maxsize=None)
def machines():
    return rows.Machines()


class Gpus(unittest.TestCase):
    def test_one_gpu_has_many_spellings(self):
        for gpu, machine in (
                ("A100", "a100"), ("NVIDIA A100-SXM4-40GB", "a100"), ("a100_sxm4", "a100"), ("A100 80 GB", "a100_80gb"),
                ("NVIDIA A100-SXM4-80GB", "a100_80gb"), ("RTX3090", "rtx3090"), ("NVIDIA GeForce RTX 3090", "rtx3090"),
                ("NVIDIA GeForce RTX 4090", "rtx4090"), ("rtx4090", "rtx4090"), ("NVIDIA H100 80GB HBM3", "h100_sxm"),
                ("NVIDIA A100 80GB PCIe", "a100_pcie"), ("A100-PCIE-80GB", "a100_pcie"), ("H100 PCIe", "h100_pcie")):
            self.assertEqual(machines().of(gpu), machine)

    def test_others_are_not_taken_for_their_kin(self):
        for gpu in ("RTX 3090 Ti", "RTX 4090 D", "RTX 4090 Laptop", "A10", "H100 NVL", "", "NVIDIA"):
            self.assertEqual(machines().of(gpu), "")

    def test_none_is_named_twice(self):
        named = [rows.Machines._key(gpu["name"]) for gpu in read_yaml(config_folder() / "validation/gpus.yaml")["gpus"]]
        self.assertEqual(len(set(named)), len(named))

    def test_counted_rows_set_few_numbers(self):
        """At most one for eight rows, and each stands in the machine's file."""
        fitting = Counter(machines().of(row.gpu) for row in shipped("counters.csv").counters if row.use == "fitting")
        for machine, numbers in machines().set_by_counters.items():
            self.assertTrue(numbers)
            self.assertLessEqual(8 * len(numbers), fitting[machine])
            for number in numbers:
                self.assertTrue(stands_in_file(machine, number), number)


def stands_in_file(machine, number):
    """Whether the machine's file, or one that it extends, has the number, or a library that these name."""
    file = read_yaml(config_folder() / "arch" / (machine + ".yaml"))
    files = [read_yaml(config_folder() / "libraries" / (name + ".yaml")) for name in file.get("libraries", [])]
    value = {**file, "libraries": [one for library in files for one in library["libraries"]]}
    for name in number.split("."):
        found = value[int(name):int(name) + 1] if isinstance(value, list) else [value[name]] if name in value else []
        if not found:
            return "extends" in file and stands_in_file(file["extends"], number)
        value = found[0]
    return not isinstance(value, (dict, list))


@lru_cache(maxsize=None)
def shipped(name):
    return tables.read_tables([str(config_folder() / "validation" / name)])


GEMM_TABLES = ("gemm.csv", "gemm_device.csv", "gemm_new_machines.csv", "gemm_h200.csv", "gemm_mi300x.csv")


def tflops(row):
    return 2.0 * row.m * row.n * row.k * row.batch_count / row.measured.dense / 1e6


def use_by_the_rule(row):
    """How rows timed on the device are divided, as docs/reference/measurements.md says."""
    if row.timing == "graph":
        is_fitting = (row.n.bit_length() + row.k.bit_length()) % 2 == 0
    elif row.timing.startswith("loop50"):
        is_fitting = row.note in ("BitNet-2B-INT8", "Llama3.2-1B-INT8")
    else:
        is_fitting = row.dtype == "bf16" and row.m <= 1024
    return "fitting" if is_fitting else "testing"


class ShippedTables(unittest.TestCase):
    def test_are_all_right(self):
        for name in tables.SHIPPED:
            read = shipped(name)
            self.assertEqual(read.bad_rows, [])
            self.assertTrue(len(read))

    def test_times_and_gains_of_gemms_agree(self):
        """A digit lost in a copy shows: but for rounding, the gain is the quotient of the times."""
        for row in (row for name in GEMM_TABLES for row in shipped(name).gemms):
            measured = row.measured
            self.assertTrue(measured.dense or measured.sparse or measured.speedup, row.where)
            if measured.dense and measured.sparse and measured.speedup:
                self.assertAlmostEqual(measured.dense / measured.sparse, measured.speedup, delta=6e-4, msg=row.where)

    def test_every_gpu_of_gemms_has_a_machine(self):
        gpus = {row.gpu for name in GEMM_TABLES for row in shipped(name).gemms}
        self.assertEqual([gpu for gpu in gpus if not machines().of(gpu)], [])

    def test_device_rows_are_divided_by_the_rule_of_the_documentation(self):
        device = shipped("gemm_device.csv").gemms
        self.assertEqual([row.where for row in device if row.use != use_by_the_rule(row) or row.unusable], [])
        self.assertEqual(Counter((row.timing, row.use) for row in device), {
            ("graph", "fitting"): 676, ("graph", "testing"): 642, ("kernel", "fitting"): 75, ("kernel", "testing"): 175,
            ("loop50", "fitting"): 142, ("loop50", "testing"): 90, ("loop50_h100", "fitting"): 177,
            ("loop50_h100", "testing"): 135, ("loop50_rtx4090", "fitting"): 177, ("loop50_rtx4090", "testing"): 135})

    def test_rows_not_scored_are_faster_than_any_timed_on_the_device(self):
        """They are readings of one card that contradict 266 TFLOP/s, the fastest timed on the device."""
        fastest = 266.1
        shown = [tflops(row) for row in shipped("gemm.csv").gemms if row.use == "shown"]
        self.assertEqual(len(shown), 5)
        self.assertGreater(min(shown), fastest)
        timed = [tflops(row) for row in shipped("gemm_device.csv").gemms if "A100-SXM4" in row.gpu]
        self.assertLessEqual(max(timed), fastest)

    def test_measured_convolutions_can_be_simulated(self):
        convolutions = [row for row in shipped("networks.csv").networks if row.network.startswith("conv ")]
        self.assertEqual([(row.skipped, row.is_inference) for row in convolutions], [("", True)] * 5)
        self.assertEqual([row.speedup[0] for row in convolutions], [1.52, 1.77, 1.64, 1.75, 1.85])

    def test_sizes_of_collectives_take_turns_at_fitting_and_testing(self):
        scored = [row for row in shipped("collectives.csv").systems if row.use != "shown"]
        self.assertEqual(len(scored), 693)
        for row in scored:
            is_power_of_four = int(row.bytes) & 0x5555555555555555 != 0
            self.assertEqual((row.use, row.nodes), ("fitting" if is_power_of_four else "testing", 1), row.where)


def sealed_predictions():
    """Dense and sparse times of the H200, by type and sizes."""
    table = tables.Table(str(REPOSITORY / "results/predictions.csv"), [])
    return {tuple(row.text(name) for name in ("dtype", "m", "n", "k")): tuple(
        float(row.text(name)) for name in ("dense_us", "sparse_us"))
        for row in table.rows if (row.text("kind"), row.text("machine")) == ("gemm", "h200")}


class SealedRows(unittest.TestCase):
    def test_were_predicted_and_off_by_what_the_documentation_says(self):
        predictions = sealed_predictions()
        self.assertEqual(len(predictions), 200)
        errors = {}
        for row in (row for row in shipped("gemm_h200.csv").gemms if row.use == "sealed"):
            dense, sparse = predictions[(row.dtype, *map(str, (row.m, row.n, row.k)))]
            if (row.measured.dense or 0) >= 20:
                errors.setdefault((row.dtype, "dense"), []).append(abs(dense / row.measured.dense - 1))
            if row.stack == "cuda12_search" and row.measured.sparse:
                errors.setdefault((row.dtype, "2:4"), []).append(abs(sparse / row.measured.sparse - 1))
        self.assertEqual({key: (len(of_key), round(sum(of_key) / len(of_key), 3)) for key, of_key in errors.items()}, {
            ("bf16", "dense"): (92, 0.094), ("bf16", "2:4"): (29, 0.039), ("fp8_e4m3", "dense"): (91, 0.130),
            ("fp8_e4m3", "2:4"): (17, 0.167)})


if __name__ == "__main__":
    unittest.main()
