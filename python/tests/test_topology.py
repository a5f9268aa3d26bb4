"""SCALE-Sim's topologies as networks: what its documents say, and what is found in the wild."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import stcsim
from stcsim import topology

CONV = "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
SPARSE_CONV = CONV.replace("Strides,", "Strides, Sparsity,")
GEMM = "Layer, M, N, K,\n"
SPARSE_GEMM = "Layer, M, N, K, Sparsity,\n"


class Topology(unittest.TestCase):
    def layer(self, text):
        return topology.layers(text)[0]

    def refuses(self, text, what):
        with self.assertRaises(topology.TopologyError) as caught:
            topology.layers(text)
        self.assertEqual(str(caught.exception), what)

    def test_the_program_reads_what_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "net.yaml")
            path.write_text(topology.network(CONV + "Conv1, 224, 230, 7, 5, 3, 64, 1,\nDPa, 48, 48, 3, 3, 8, 2, 1,\n",
                                             "net"))
            said = subprocess.run([stcsim.find_program(), "list", "layers", str(path), "--format=json"],
                                  capture_output=True, text=True, check=True).stdout
        macs = [one["macs"] for one in json.loads(said)["gemms"] if one["phase"] == "forward"]
        self.assertEqual(macs, [218 * 226 * 7 * 5 * 3 * 64, 46 * 46 * 9 * 8 * 2])

    def test_a_convolution(self):
        self.assertEqual(self.layer(CONV + "Conv1, 224, 230, 7, 5, 3, 64, 1,\n"),
                         {"name": "Conv1", "type": "conv", "in_channels": 3, "input": [224, 230], "kernel": [7, 5],
                          "out_channels": 64, "stride": 1})

    def test_the_last_window_may_hang_over_the_edge(self):
        found = topology.layers(CONV + "a, 224, 224, 7, 7, 3, 64, 2,\nb, 56, 56, 1, 1, 64, 128, 2,\nc, 7, 9, 3, 3, 1, 1, 2,\n")
        outputs = [[(size - kernel) / one["stride"] + 1 for size, kernel in zip(one["input"], one["kernel"])]
                   for one in found]
        self.assertEqual(outputs, [[110, 110], [29, 29], [3, 4]])

    def test_a_gemm_and_its_sparsity(self):
        self.assertEqual(self.layer("K, sparsity, layer name, N, M\n512, 2:4, qkv, 1536, 128\n"),
                         {"name": "qkv", "type": "linear", "tokens": 128, "out_features": 1536, "in_features": 512,
                          "weight_pattern": "2:4"})
        self.assertNotIn("weight_pattern", self.layer(SPARSE_GEMM + "a,1,2,3,4:4\n"))

    def test_depthwise_layers_are_marked_dp(self):
        layer = self.layer(CONV + "ConvDP1, 48, 48, 3, 3, 8, 2, 1,\n")
        self.assertEqual((layer["groups"], layer["out_channels"]), (8, 16))

    def test_what_is_found_in_the_wild(self):
        found = topology.layers("\ufeff\r\n" + SPARSE_CONV + "a, 112, 112, 3, 3, 1, 1, 1,#dw\r\n\n  \n"
                                "b,14,14,3,3,192,384,1\nc, 96, 96, 3, 3, 3, 8, 2, 2\n"
                                "d, 96, 96, 3, 3, 3, 8, 2, 2, 2:4,,,\n# a remark\na,1,1,1,1,512,1000,1,")
        self.assertEqual([one["name"] for one in found], ["a", "b", "c", "d", "a#2"])
        self.assertEqual(found[2]["stride"], 2)
        self.assertEqual(found[3]["weight_pattern"], "2:4")
        other = self.layer("Layer,Num_Filters,channels,FILTER WIDTH,Filter Height,IFMAP Width,ifmap_height,"
                           "Stride Height,Stride Width\na,64,3,5,7,230,224,2,2\n")
        self.assertEqual((other["input"], other["kernel"]), ([225, 231], [7, 5]))

    def test_mistakes_name_their_line(self):
        whole = "must be a whole number from 1 to 2147483647"
        self.refuses(CONV + "a,56,56,3,3,64,64,\n", f"2: error: 'strides' is '', {whole}")
        self.refuses(CONV + "\na, 56, x6, 3, 3, 64, 64, 1,\n", f"3: error: 'ifmapwidth' is 'x6', {whole}")
        self.refuses(CONV + "a,56,56,3,3,64,64,0,\n", f"2: error: 'strides' is '0', {whole}")
        self.refuses(CONV + "a,56,56,3,3,64,2147483648,1,\n", f"2: error: 'numfilter' is '2147483648', {whole}")
        self.refuses(CONV + "a,56,56,3,3,64,64,1,2,\n", "2: error: the strides differ; only equal strides are supported")
        self.refuses(SPARSE_CONV + "a,56,56,3,3,64,64,1,2:4,1,\n",
                     "2: error: unexpected field '1', the header has no column for it")
        self.refuses(CONV + "a,2,2,3,3,64,64,1,\n", "2: error: the filter [3, 3] is larger than the input [2, 2]")
        self.refuses(GEMM + ",1,2,3,\n", "2: error: the layer has no name")
        for sparsity in ("5:4", "NPU", "0:4"):
            self.refuses(SPARSE_GEMM + f"a,1,2,3,{sparsity},\n", f"2: error: 'sparsity' is '{sparsity}', must be N:M "
                                                                 "with N of M weights kept, such as 2:4")

    def test_wrong_columns_are_named(self):
        self.refuses("Layer, M, N,\na,1,2,\n", "1: error: the topology has no column 'k'")
        self.refuses("Layer, M, N, K, m,\na,1,2,3,4\n", "1: error: column 'M' is here a second time")
        self.refuses("Layer, M, N, K, Strides,\na,1,2,3,4\n",
                     "1: error: unknown column 'Strides'; known columns: layer, m, n, k, sparsity")
        self.refuses("a,56,56,3,3,64,64,1,\n", '1: error: the first line must be the header ("Layer name, IFMAP '
                                               'Height, ..." or "Layer, M, N, K"), not a layer')
        self.refuses(GEMM, "1: error: the topology has no layers")
        self.refuses("", "1: error: the topology has no column 'layer'")


if __name__ == "__main__":
    unittest.main()
