"""Graphs of torch.export, of a small stand-in for torch: what the program counts of the file."""

import json
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import stcsim


class Node:
    """What torch.fx.Node has that is used."""

    def __init__(self, op, name, target=None, args=(), kwargs=None, val=None):
        self.op, self.name, self.target, self.args, self.kwargs = op, name, target, args, kwargs or {}
        self.meta = {} if val is None else {"val": val}


class Operator:
    """An overload of ATen's."""

    def __init__(self, name, arguments):
        self.name = name
        self._schema = types.SimpleNamespace(arguments=[types.SimpleNamespace(name=one) for one in arguments.split()])

    def __str__(self):
        return self.name


def tensor(*shape):
    return types.SimpleNamespace(shape=shape)


class Module:
    """Its nodes, as torch.export would find them. Names of parameters are those of their tensors' places."""

    def __init__(self):
        self.nodes, self.specs, self.parameters = [], [], {}

    def named_parameters(self, remove_duplicate):
        assert not remove_duplicate
        return self.parameters.items()

    def placeholder(self, kind, name, *shape, shared=None):
        self.nodes.append(Node("placeholder", name, val=tensor(*shape)))
        self.parameters[name] = self.parameters[shared] if shared else object()
        self.specs.append(types.SimpleNamespace(arg=types.SimpleNamespace(name=name), target=name,
                                                kind=types.SimpleNamespace(name=kind)))
        return self.nodes[-1]

    def input(self, name, *shape):
        return self.placeholder("USER_INPUT", name, *shape)

    def weight(self, *shape, shared=None):
        return self.placeholder("PARAMETER", f"p{len(self.nodes)}", *shape, shared=shared)

    def buffer(self, *shape):
        return self.placeholder("BUFFER", f"b{len(self.nodes)}", *shape)

    def call(self, name, arguments, args, *val, **kwargs):
        target = Operator(name, arguments) if isinstance(name, str) else name
        val = tensor(*val) if all(isinstance(size, int) for size in val) else val
        self.nodes.append(Node("call_function", f"n{len(self.nodes)}", target, args, kwargs, val))
        return self.nodes[-1]

    def linear(self, x, out, bias=True):
        size = x.meta["val"].shape
        args = [x, self.weight(out, size[-1])] + ([self.weight(out)] if bias else [])
        return self.call("aten.linear.default", "input weight bias", args, *size[:-1], out)


def torch_of(module):
    program = types.SimpleNamespace(graph=types.SimpleNamespace(nodes=module.nodes),
                                    graph_signature=types.SimpleNamespace(input_specs=module.specs))
    return types.SimpleNamespace(fx=types.SimpleNamespace(Node=Node),
                                 export=types.SimpleNamespace(export=lambda given, args, kwargs: program))


CONV = "input weight bias stride padding dilation groups"


class TorchGraph(unittest.TestCase):
    def counts(self, module, macs, parameters, name="graph.onnx"):
        """The layers, after multiply-accumulates and parameters are as stated, and nothing was left out."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            with mock.patch.dict(sys.modules, torch=torch_of(module)):
                stcsim.export_graph(module, (), path)
            run = [stcsim.find_program(), "list", "layers", str(path), "--format=json"]
            found = json.loads(subprocess.run(run, capture_output=True, text=True, check=True).stdout)
            said = subprocess.run([stcsim.find_program(), "import", str(path)], capture_output=True, text=True,
                                  check=True).stderr
        self.assertEqual((found["forward_macs_per_sample"], found["parameters"]), (macs, parameters))
        self.assertNotIn("left out", said)
        return found

    def roles(self, found):
        return {one["role"] for one in found["gemms"]}

    def test_a_convolutional_network(self):
        m = Module()
        x = m.input("x", 8, 3, 32, 32)
        y = m.call("aten.conv2d.default", CONV, [x, m.weight(16, 3, 3, 3), m.weight(16), [2, 2], [1]], 8, 16, 16, 16)
        y = m.call("aten.batch_norm.default", "input weight bias running_mean running_var training",
                   [y, m.weight(16), m.weight(16), m.buffer(16), m.buffer(16), False], 8, 16, 16, 16)
        y = m.call("aten.relu_.default", "self", [y], 8, 16, 16, 16)
        y = m.call("aten.max_pool2d.default", "self kernel_size stride", [y, [3, 3], [2, 2]], 8, 16, 7, 7)
        y = m.call("aten.conv2d.padding", CONV, [y, m.weight(16, 8, 3, 3), None, [1, 1], "same", [1, 1], 2], 8, 16, 7, 7)
        up = "input weight bias stride padding output_padding groups dilation"
        y = m.call("aten.conv_transpose2d.input", up, [y, m.weight(16, 4, 2, 2), m.weight(4), [2, 2]], 8, 4, 14, 14)
        general = "input weight bias stride padding dilation transposed output_padding groups"
        y = m.call("aten.convolution.default", general,
                   [y, m.weight(4, 8, 2, 2), None, [2, 2], [0, 0], [1, 1], True, [0, 0], 1], 8, 8, 28, 28)
        y = m.call("aten.upsample_nearest2d.vec", "input output_size", [y, [30, 30]], 8, 8, 30, 30)
        y = m.call("aten.conv2d.default", CONV, [y, m.weight(2, 8, 1, 1)], 8, 2, 30, 30)
        y = m.call("aten.adaptive_avg_pool2d.default", "self output_size", [y, [1, 1]], 8, 2, 1, 1)
        m.linear(m.call("aten.flatten.using_ints", "self", [y], 8, 2), 10)
        macs = 256 * 16 * 27 + 49 * 16 * 72 + 49 * 16 * 16 + 196 * 4 * 32 + 900 * 16 + 20
        found = self.counts(m, macs, 16 * 28 + 32 + 16 * 72 + 16 * 16 + 4 + 4 * 32 + 16 + 30, "graph.json")
        self.assertEqual((found["batch"], self.roles(found)), (8, {"stem", "body", "classifier"}))

    def test_a_transformer(self):
        m = Module()
        ids = m.input("ids", 4, 20)
        table = m.weight(100, 32)
        x = m.call("aten.embedding.default", "weight indices", [table, ids], 4, 20, 32)
        y = m.call("aten.layer_norm.default", "input normalized_shape weight bias",
                   [x, [32], m.weight(32), m.weight(32)], 4, 20, 32)
        heads = []
        for _ in range(3):
            one = m.call("aten.view.default", "self size", [m.linear(y, 32, False), [4, 20, 4, 8]], 4, 20, 4, 8)
            heads.append(m.call("aten.transpose.int", "self dim0 dim1", [one, 1, 2], 4, 4, 20, 8))
        y = m.call("aten.scaled_dot_product_attention.default", "query key value attn_mask dropout_p is_causal",
                   [*heads, None, 0.0, True], 4, 4, 20, 8)
        y = m.call("aten.reshape.default", "self shape", [y, [4, 20, 32]], 4, 20, 32)
        x = m.call("aten.add.Tensor", "self other", [m.linear(y, 32), x], 4, 20, 32)
        y = m.linear(m.call("aten.gelu.default", "self", [m.linear(x, 128)], 4, 20, 128), 32)
        last = m.call("aten.select.int", "self dim index", [y, 1, -1], 4, 32)
        # Decomposed: a weight turned by permute; and one that is the embedding's.
        turned = m.call("aten.permute.default", "self dims", [m.weight(16, 32), [1, 0]], 32, 16)
        y = m.call("aten.addmm.default", "self mat1 mat2", [m.weight(16), last, turned], 4, 16)
        y = m.call("aten.mm.default", "self mat2", [y, m.weight(16, 32)], 4, 32)
        m.call("aten.linear.default", "input weight bias", [y, m.weight(100, 32, shared=table.name)], 4, 100)
        macs = 20 * 32 * 32 * 4 + 2 * 4 * 20 * 20 * 8 + 2 * 20 * 32 * 128 + 2 * 32 * 16 + 32 * 100
        found = self.counts(m, macs, 3200 + 64 + 4 * 1024 + 32 + 2 * 4096 + 160 + 16 * 33 + 512)
        self.assertEqual(self.roles(found), {"attention", "ffn", "classifier"})
        self.assertEqual(found["batch"], 4)

    def test_cells_and_products_without_weights(self):
        m = Module()
        x = m.input("x", 2, 10, 16)
        state = m.input("h", 4, 2, 8)
        layers = []
        for features in (16, 16):
            for _ in range(2):
                layers += [m.weight(32, features), m.weight(32, 8), m.weight(32), m.weight(32)]
        names = "input hx params has_biases num_layers dropout train bidirectional batch_first"
        y = m.call("aten.lstm.input", names, [x, [state, state], layers, True, 2, 0.0, False, True, True],
                   tensor(2, 10, 16), tensor(4, 2, 8), tensor(4, 2, 8))
        y = m.call(operator_getitem, "", [y, 0], 2, 10, 16)
        turned = m.call("aten.transpose.int", "self dim0 dim1", [y, 1, 2], 2, 16, 10)
        y = m.call("aten.bmm.default", "self mat2", [y, turned], 2, 10, 10)
        m.call("aten.einsum.default", "equation tensors", ["bij,bjk->bik", [y, y]], 2, 10, 10)
        self.counts(m, 10 * 4 * 32 * (16 + 8) + 10 * 10 * 16 + 1000, 4 * (32 * 24 + 64))

    def test_graphs_inside_are_refused(self):
        m = Module()
        x = m.input("x", 4, 8)
        m.nodes.append(Node("get_attr", "true_graph_0"))
        m.call("cond", "", (), 4, 8, pred=x, true_fn=m.nodes[-1])
        with mock.patch.dict(sys.modules, torch=torch_of(m)):
            with self.assertRaisesRegex(ValueError, "runs the graph 'true_graph_0', which is not read"):
                stcsim.export_graph(m, (), "nowhere.onnx")


def operator_getitem(value, index):
    return value[index]


operator_getitem.__name__ = "getitem"

if __name__ == "__main__":
    unittest.main()
