"""What notebooks show of answers, against the program that $STCSIM names."""

import base64
import os
import re
import shutil
import unittest
from unittest import mock

import stcsim


def pictures(shown):
    return {title: base64.b64decode(data).decode()
            for title, data in re.findall(r'<img alt="([^"]*)" src="data:image/svg\+xml;base64,([^"]*)">', shown)}


class Notebook(unittest.TestCase):
    def test_an_answer_is_a_table(self):
        answer = stcsim.gemm("a100", 512, 512, 512, sparsity="2:4")
        shown = answer._repr_html_()
        first = re.search("<table>(.*?)</table>", shown).group(1)
        self.assertIn("<th>time_us</th>", first)
        self.assertIn(f"<td>{answer.time_us:.4g}</td>", first)
        self.assertNotIn("dram_read_bytes", first)
        self.assertIn("<td>819,200</td>", shown)  # folded below: DRAM traffic
        self.assertEqual(pictures(shown), {})

    def test_texts_stay_texts(self):
        shown = stcsim.Answer({"error": "<b>wrong</b> & more"}, {"arch": "<i>"})._repr_html_()
        self.assertIn("<td>&lt;i&gt;</td>", shown)
        self.assertIn("<td>&lt;b&gt;wrong&lt;/b&gt; &amp; more</td>", shown)

    @unittest.skipIf(shutil.which("node") is None, "node is not installed")
    def test_a_document_has_its_charts(self):
        explained = stcsim.explain("a100", 512, 512, 512, sparsity="2:4")
        charts = pictures(explained._repr_html_())
        self.assertEqual(set(charts), {"gain raised if it were not so", "where the gain goes"})
        self.assertIn(f"{explained.all['speedup']:.3f}×</text>", charts["where the gain goes"])

    def test_without_node_the_table_is_left(self):
        study = stcsim.run(network="tiny_transformer", arch="a100", schemes=["dense", "slope"])
        with mock.patch.dict(os.environ, {"STCSIM_NODE": "/nowhere/node"}):
            shown = study._repr_html_()
        self.assertEqual(pictures(shown), {})
        self.assertEqual(len(re.findall("<td>slope</td>", shown)), 2)  # the table, and all figures


if __name__ == "__main__":
    unittest.main()
