"""Graphs as exporters write them: multiply-accumulates and parameters against sums by hand."""

import json
import random
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import stcsim
from onnx_writer import FLOAT, INT64, Graph, tensor


def program(command, data, *options):
    """What the program says of a file: its JSON, or the text of its error."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "graph.onnx")
        path.write_bytes(data)
        said = subprocess.run([stcsim.find_program(), *command, str(path), *options], capture_output=True, text=True)
    if said.returncode == 0:
        return said.stdout if command[0] == "import" else json.loads(said.stdout)
    return said.stderr.strip().partition("not usable as ONNX graph: ")[2] or said.stderr


class Onnx(unittest.TestCase):
    def layers(self, graph, *options):
        with tempfile.TemporaryDirectory() as folder:
            network = Path(folder, "net.yaml")
            path = Path(folder, "graph.onnx")
            path.write_bytes(graph.model())
            self.said = subprocess.run([stcsim.find_program(), "import", str(path), "-o", str(network), *options],
                                       capture_output=True, text=True, check=True).stdout
            said = subprocess.run([stcsim.find_program(), "list", "layers", str(network), "--format=json"],
                                  capture_output=True, text=True, check=True).stdout
        return json.loads(said)

    def counts(self, graph, macs, parameters, *options):
        found = self.layers(graph, *options)
        self.assertEqual((found["forward_macs_per_sample"], found["parameters"]), (macs, parameters))
        return found

    def refusal(self, graph, *options):
        return program(["import"], graph.model(), *options)

    def conv(self, graph, x, cin, cout, kernel, **settings):
        return graph.node("Conv", x, graph.weight(cout, cin, kernel, kernel), graph.weight(cout),
                          pads=[kernel // 2] * 4, **settings)

    def test_a_detector_with_a_pyramid(self):
        """Two levels, the upper one enlarged by factors, by sizes that the graph computes, and by a cast product."""
        for way in ("factors", "sizes", "computed"):
            g = Graph()
            x = g.input("x", 1, 3, 64, 96)
            low = self.conv(g, x, 3, 8, 3, strides=[2, 2])
            high = self.conv(g, low, 8, 16, 3, strides=[2, 2])
            small = self.conv(g, high, 16, 8, 1)
            if way == "factors":
                big = g.node("Resize", small, "", g.floats(1, 1, 2, 2), mode="nearest")
            elif way == "sizes":
                size = g.node("Slice", g.node("Shape", low), g.ints(2), g.ints(4), g.ints(0))
                head = g.node("Slice", g.node("Shape", small), g.ints(0), g.ints(2), g.ints(0))
                big = g.node("Resize", small, "", "", g.node("Concat", head, size, axis=0))
            else:
                sizes = []
                for axis in (2, 3):
                    one = g.node("Gather", g.node("Shape", small), g.ints(axis, dims=[]), axis=0)
                    real = g.node("Mul", g.node("Cast", one, to=1), g.floats(2.0))
                    sizes.append(g.node("Cast", g.node("Floor", real), to=7))
                head = g.node("Slice", g.node("Shape", small), g.ints(0), g.ints(2), g.ints(0))
                big = g.node("Resize", small, "", "", g.node("Concat", head, *sizes, axis=0))
            merged = g.node("Add", big, low)
            self.conv(g, g.node("Concat", merged, low, axis=1), 16, 4, 3)
            macs = 32 * 48 * 8 * 27 + 16 * 24 * 16 * 72 + 16 * 24 * 8 * 16 + 32 * 48 * 4 * 144
            scalar = 2 if way == "computed" else 0  # each axis' factor is a vector of one number
            self.counts(g, macs, 8 * 28 + 16 * 73 + 8 * 17 + 4 * 145 + scalar)

    def test_upsample_of_old_files(self):
        for opset in (7, 9):
            g = Graph(opset)
            x = g.input("x", 1, 4, 10, 10)
            big = (g.node("Upsample", x, scales=[1.0, 1.0, 3.0, 2.0]) if opset == 7
                   else g.node("Upsample", x, g.floats(1, 1, 3, 2)))
            g.node("Conv", big, g.weight(5, 4, 1, 1))
            self.counts(g, 30 * 20 * 20, 20)

    def test_a_u_net(self):
        """Down by a stride, up by a transposed convolution of as large a kernel, joined with what was before."""
        g = Graph()
        x = g.input("x", "batch", 1, 32, 32)
        top = self.conv(g, x, 1, 8, 3)
        down = g.node("MaxPool", top, kernel_shape=[2, 2], strides=[2, 2])
        deep = self.conv(g, down, 8, 16, 3)
        up = g.node("ConvTranspose", deep, g.weight(16, 8, 2, 2), g.weight(8), strides=[2, 2])
        self.conv(g, g.node("Concat", up, top, axis=1), 16, 2, 1)
        macs = 1024 * 8 * 9 + 256 * 16 * 72 + 256 * 16 * 8 * 4 + 1024 * 2 * 16
        found = self.counts(g, macs, 8 * 10 + 16 * 73 + 16 * 8 * 4 + 8 + 2 * 17)
        self.assertIn("assumed: ConvTranspose as", self.said)
        for phase in ("dgrad", "wgrad"):
            self.assertGreater(found["macs"][phase], 0)

    def test_a_transposed_convolution_of_groups_and_pads(self):
        g = Graph()
        x = g.input("x", 1, 8, 7, 5)
        up = g.node("ConvTranspose", x, g.weight(8, 3, 4, 3), strides=[2, 3], pads=[1, 0, 1, 1], group=4,
                    output_padding=[1, 0], dilations=[1, 2])
        g.node("Conv", up, g.weight(1, 12, 1, 1))
        # 6 * 2 + 4 + 1 - 2 rows, 4 * 3 + 5 - 1 columns
        self.counts(g, 7 * 5 * 8 * 3 * 12 + 15 * 16 * 12, 8 * 36 + 12)

    def test_convolutions_of_one_and_three_dimensions(self):
        g = Graph()
        x = g.input("x", 2, 6, 9, 10, 11)
        y = g.node("Conv", x, g.weight(8, 3, 3, 3, 5), g.weight(8), strides=[2, 1, 2], pads=[1, 1, 2, 1, 1, 2],
                   group=2)
        g.node("Conv", y, g.weight(4, 8, 1, 1, 1))
        found = self.counts(g, 5 * 10 * 6 * 8 * 3 * 45 + 300 * 32, 8 * 136 + 32)
        self.assertEqual(found["batch"], 2)
        self.assertIn("Conv3d as", self.said)
        g = Graph()
        g.node("Conv", g.input("x", 1, 4, 100), g.weight(8, 4, 5), strides=[2], pads=[2, 2])
        self.counts(g, 50 * 8 * 20, 160)

    def test_cells(self):
        for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
            for layout in (0, 1):
                g = Graph()
                x = g.input("x", *((3, 20, 32) if layout else (20, 3, 32)))
                y, last = g.node(op, x, g.weight(2, gates * 16, 32), g.weight(2, gates * 16, 16),
                                 g.weight(2, 2 * gates * 16), outputs=2, layout=layout, direction="bidirectional")
                rows = g.node("Reshape", last, g.ints(3, 32))
                g.node("Gemm", rows, g.weight(5, 32), transB=1)
                per_step = 2 * gates * 16 * (32 + 16)
                self.counts(g, 20 * per_step + 160, per_step + 2 * 2 * gates * 16 + 160)

    def speech(self, g, x, prefix):
        """A branch as Silero's detector of speech has: pads computed, a filter bank, a cell, a decision inside."""
        b = Graph(prefix=prefix)
        table = b.node("Reshape", b.ints(0, 64, 0, 0), b.ints(-1, 2))
        turned = b.node("Slice", table, b.ints(-1), b.ints(-(1 << 63) + 1), b.ints(0), b.ints(-1))
        pads = b.node("Reshape", b.node("Transpose", turned, perm=[1, 0]), b.ints(-1))
        wave = b.node("Unsqueeze", b.node("Pad", x, pads), b.ints(1))
        bank = b.node("Conv", wave, b.weight(130, 1, 128), strides=[64])
        half = b.node("Slice", bank, b.ints(0), b.ints(65), b.ints(1))
        small = b.node("Relu", b.node("Conv", half, b.weight(16, 65, 3), b.weight(16), strides=[2], pads=[1, 1]))
        steps = b.node("Gather", b.node("Shape", small), b.ints(2, dims=[]), axis=0)
        inside = [Graph(prefix=prefix + str(at)) for at in (0, 1)]
        inside[0].output(inside[0].node("Squeeze", small, inside[0].ints(2)))
        inside[1].output(inside[1].node("Transpose", small, perm=[2, 0, 1]))
        sequence = b.node("If", b.node("Equal", steps, b.ints(1, dims=[])), then_branch=inside[0],
                          else_branch=inside[1])
        y = b.node("LSTM", sequence, b.weight(1, 64, 16), b.weight(1, 64, 16))
        return b.output(b.node("MatMul", y, b.weight(16, 1)))

    def test_speech_in_the_branches_of_if(self):
        def graph():
            g = Graph()
            x, rate = g.input("x", None, None), g.input("rate", kind=INT64)
            other = Graph(prefix="e")
            other.output(other.node("MatMul", x, other.weight(512, 2)))
            called = g.node("Equal", rate, g.ints(16000, dims=[]))
            g.node("If", called, else_branch=other, then_branch=self.speech(g, x, "t"), called="rate_of")
            return g
        # 576 samples make (576 - 128) / 64 + 1 = 8 frames, these 4 steps
        macs = 8 * 130 * 128 + 4 * 16 * 65 * 3 + 4 * 64 * 32 + 4 * 16
        self.counts(graph(), macs, 130 * 128 + 16 * 196 + 2 * 64 * 16 + 16, "--size", "x:1=512")
        self.assertIn("If 'rate_of' takes its then_branch", self.said)
        self.counts(graph(), macs, 130 * 128 + 16 * 196 + 2 * 64 * 16 + 16, "--size", "x:1=512", "--size", "rate=16000")
        self.assertNotIn("takes its", self.said)
        self.counts(graph(), 1024, 1024, "--size", "x:1=512", "--size", "rate=8000")
        self.assertIn("dimension 1 of input 'x' has no size: --size 'x:1'=N (or --size '?'=N", self.refusal(graph()))
        self.assertEqual(self.layers(graph(), "--size", "x:0=6", "--size", "?=512", "--size", "rate=8000")["batch"], 6)

    def test_short_constants_are_parameters_as_biases_only(self):
        g = Graph()
        factor = g.node("Constant", value=tensor("", [2], FLOAT, struct.pack("<2f", 3, 4)))
        bias = g.node("Constant", value=tensor("", [2], FLOAT, struct.pack("<2f", 5, 6)))
        kept = g.node("Conv", g.input("x", 1, 4, 8, 2), g.weight(2, 4, 1, 1), bias)
        g.node("Mul", kept, factor)
        self.counts(g, 16 * 8, 10)

    def test_a_speech_encoder_with_attention(self):
        """Two convolutions along time, the second halves it; positions; attention as one operator and as products."""
        for opset in (18, 23, 24):
            g = Graph(opset)
            x = g.input("mel", 1, 80, 60)
            y = g.node("Gelu", g.node("Conv", x, g.weight(32, 80, 3), g.weight(32), pads=[1, 1]))
            y = g.node("Gelu", g.node("Conv", y, g.weight(32, 32, 3), g.weight(32), pads=[1, 1], strides=[2]))
            y = g.node("Add", g.node("Transpose", y, perm=[0, 2, 1]), g.weight(30, 32))
            norm = g.node("LayerNormalization", y, g.weight(32), g.weight(32))
            q, k, v = (g.node("MatMul", norm, g.weight(32, 32)) for _ in range(3))
            if opset == 18:
                heads = [g.node("Transpose", g.node("Reshape", one, g.ints(0, 0, 4, 8)), perm=perm)
                         for one, perm in ((q, [0, 2, 1, 3]), (k, [0, 2, 3, 1]), (v, [0, 2, 1, 3]))]
                scores = g.node("Softmax", g.node("MatMul", heads[0], heads[1]))
                mixed = g.node("Transpose", g.node("MatMul", scores, heads[2]), perm=[0, 2, 1, 3])
                mixed = g.node("Reshape", mixed, g.ints(0, 0, 32))
            else:
                mixed = g.node("Attention", q, k, v, q_num_heads=4, kv_num_heads=4)
            g.node("Add", g.node("MatMul", mixed, g.weight(32, 32)), y)
            macs = 60 * 32 * 240 + 30 * 32 * 96 + 4 * 30 * 1024 + 2 * 4 * 30 * 30 * 8
            self.counts(g, macs, 32 * 241 + 32 * 97 + 960 + 64 + 4096)

    def test_attention_with_a_past(self):
        """One query of grouped heads, against those of the past and its own; values are wider than keys."""
        g = Graph(24)
        q, k, v = g.input("q", 1, 1, 8 * 16), g.input("k", 1, 1, 2 * 16), g.input("v", 1, 1, 2 * 24)
        y, _, _ = g.node("Attention", q, k, v, "", g.input("pk", 1, 2, 99, 16), g.input("pv", 1, 2, 99, 24),
                         outputs=3, q_num_heads=8, kv_num_heads=2)
        g.node("MatMul", g.node("Swish", g.node("RMSNormalization", y, g.weight(192), axis=-1)), g.weight(192, 7))
        self.counts(g, 8 * 100 * 16 + 8 * 100 * 24 + 192 * 7, 192 + 192 * 7)

    def test_operators_of_the_newest_opsets(self):
        g = Graph(24)
        x = g.input("x", 1, 4, 6, 8)
        turned = g.node("RotaryEmbedding", x, g.weight(10, 4), g.weight(10, 4), g.input("ids", 1, 6, kind=INT64))
        kept = g.node("TensorScatter", g.input("cache", 1, 4, 20, 8), turned, axis=2)
        g.node("MatMul", turned, g.node("Transpose", kept, perm=[0, 1, 3, 2]))
        self.counts(g, 4 * 6 * 20 * 8, 80)

    def test_sizes_go_through_other_operators(self):
        """Each makes 24 rows of 16 out of an input; the product behind counts them."""
        def tile(g):
            return g.node("Tile", g.input("x", 1, 12, 16), g.ints(1, 2, 1))

        def to_space(g):
            y = g.node("DepthToSpace", g.input("x", 1, 16 * 4, 3, 2), blocksize=2)
            return g.node("Transpose", g.node("Reshape", y, g.ints(1, 16, -1)), perm=[0, 2, 1])

        def to_depth(g):
            return g.node("Reshape", g.node("SpaceToDepth", g.input("x", 1, 2, 16, 12), blocksize=4), g.ints(1, 24, -1))

        def count(g):
            n = g.node("Size", g.input("y", 2, 12))
            rows = g.node("Unsqueeze", g.node("Range", g.ints(0, dims=[]), n, g.ints(1, dims=[])), g.ints(0))
            return g.node("Gather", g.input("x", 50, 16), rows)

        def top(g):
            best, _ = g.node("TopK", g.input("x", 1, 99, 16), g.ints(24), outputs=2, axis=1)
            return best

        def elements(g):
            return g.node("GatherElements", g.input("x", 1, 99, 16), g.input("ids", 1, 24, 16, kind=INT64), axis=1)

        for way in (tile, to_space, to_depth, count, top, elements):
            with self.subTest(way.__name__):
                g = Graph()
                g.node("MatMul", way(g), g.weight(16, 5))
                found = self.layers(g)
                self.assertEqual(found["forward_macs_per_sample"] * found["batch"], 24 * 16 * 5)

    def test_what_is_not_read_is_named_once(self):
        g = Graph()
        x = g.input("x", 1, 8, 32)
        for block in range(3):
            odd = g.node("Frobnicate", x, called=f"block.{block}/frob")
            for layer in range(5):
                odd = g.node("MatMul", odd, g.weight(32, 32), called=f"block.{block}/fc{layer}")
        self.assertEqual(self.refusal(g), "operator 'Frobnicate' (3 times, first at node 'block.0/frob') is not read; "
                                          "products behind it: 15, the first at node 'block.0/fc0'")
        g = Graph()
        x = g.input("x", 1, 8, 32)
        g.node("Relu", g.node("Add", x, x))
        g.node("Add", x, x)
        self.assertEqual(self.refusal(g), "it has no layers; its operators are Add (2), Relu (1)")
        g = Graph()
        y = g.node("Resize", g.input("x", 1, 4, 8, 8), "", g.node("Relu", g.input("s", 4)))
        self.conv(g, y, 4, 4, 3)
        self.assertEqual(self.refusal(g), "operator 'Resize' (at node 'v2') is not read, as its output has no known size; "
                                          "products behind it: 1, the first at node 'v5'")
        g = Graph()
        for _ in range(2):
            g.node("Conv", g.input("x", 1, 4, 8, 8), g.weight(5, 3, 1, 1))
        self.assertEqual(self.refusal(g), "operator 'Conv' (2 times, first at node 'v2') is not read")

    def test_bodies_are_refused_by_name(self):
        g = Graph()
        x = g.input("x", 1, 8, 16)
        body = Graph(prefix="b")
        body.output(body.node("MatMul", x, body.weight(16, 16)))
        g.node("MatMul", g.node("Loop", g.ints(5, dims=[]), "", body=body), g.weight(16, 4))
        self.assertIn("operator 'Loop' (at node 'v2')", self.refusal(g))

    def test_mutated_branches_are_read_or_refused(self):
        """Bytes exchanged, left out and doubled: exit code 0 or 2, in every case."""
        g = Graph()
        x = g.input("x", 1, 512)
        g.node("If", g.node("Equal", g.input("rate", kind=INT64), g.ints(8, dims=[])), then_branch=self.speech(g, x, "t"),
               else_branch=self.speech(g, x, "e"))
        y = g.node("Resize", g.node("ConvTranspose", g.input("i", 1, 2, 4, 4), g.weight(2, 3, 3, 3)), g.floats(1, 1, 2, 2))
        self.conv(g, y, 3, 4, 3)
        whole = g.model()
        for seed in range(60):
            chance = random.Random(seed)
            text = bytearray(whole)
            for _ in range(chance.randrange(1, 4)):
                at = chance.randrange(len(text))
                text[at:at + chance.randrange(3)] = chance.choice([b"", bytes([chance.randrange(256)]), text[at:at + 9]])
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "graph.onnx")
                path.write_bytes(text)
                code = subprocess.run([stcsim.find_program(), "list", "layers", str(path)], capture_output=True).returncode
            self.assertIn(code, (0, 2), f"seed {seed}")

    def test_graphs_without_end_within_each_other(self):
        inner = Graph()
        for _ in range(100):
            outer = Graph()
            outer.node("If", "c", then_branch=inner)
            inner = outer
        self.assertIn("more than 32 graphs within each other", program(["import"], inner.model()))


if __name__ == "__main__":
    unittest.main()
