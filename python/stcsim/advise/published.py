"""What publications say of a scheme's accuracy (configs/curves/final_values.csv), by kind of model, and where its code is."""

from __future__ import annotations

import csv
import re
from typing import Any, List, Mapping, NamedTuple, Optional, Tuple

from ..evidence.program import config_folder

#: Names of networks in publications, by kind of model.
KINDS = (("vision transformer", r"DeiT|ViT"), ("decoder", r"GPT|Llama|LLaMA|OPT|Mistral"), ("encoder", r"BERT"),
         ("convolutional network", r"Res|RegNet|VGG|DenseNet|Inception|Xception|RN50|RN101|DRN|SUNet"))
#: Lines that train with a scheme in PyTorch, or the code that its authors published.
CODE = {
    "asp": ["from apex.contrib.sparsity import ASP", "ASP.prune_trained_model(model, optimizer)"],
    "torchao-semisparse": ["from torchao.sparsity.training import SemiSparseLinear, swap_linear_with_semi_sparse_linear",
                           "swap_linear_with_semi_sparse_linear(model, {name: SemiSparseLinear for name in SPARSE})"],
    "slope": ["https://github.com/Mohammad-Mozaffari/slope"],
    "fst": ["https://github.com/huyz2023/2by4-pretrain"],
    "s-ste": ["https://github.com/huyz2023/2by4-pretrain"],
    "s-ste-fp16": ["https://github.com/huyz2023/2by4-pretrain"],
    "sr-ste": ["https://github.com/NM-sparsity/NM-sparsity"],
    "bi-mask": ["https://github.com/zyxxmu/Bi-Mask"],
}


class Accuracy(NamedTuple):
    #: One published figure beside the dense one, and what it means, for a reader.
    text: str
    #: None if unknown; False if some figure of this kind of model is below dense's.
    is_kept: Optional[bool]


UNKNOWN = Accuracy("accuracy unknown for this kind of model, and so whether it pays", None)


def kind_of_model(network: Mapping[str, Any]) -> str:
    types = [layer["type"] for layer in network["layers"]]
    products = [layer for layer in network["layers"] if layer["type"] == "bmm"]
    if "conv" in types:
        return "vision transformer" if products else "convolutional network"
    if not products:
        return ""
    return "decoder" if any(layer.get("causal") for layer in products) else "encoder"


def accuracy_of(scheme: str, network: Mapping[str, Any]) -> Accuracy:
    """Of 2:4 or the pattern that the scheme has, in the same network if it is published, else in those of the kind."""
    kind = dict(KINDS).get(kind_of_model(network))
    if kind is None:
        return UNKNOWN
    rows: List[Tuple[float, Mapping[str, str]]] = []
    with open(config_folder() / "curves/final_values.csv", encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            if row["config"] == scheme and re.search(kind, row["network"]) and row["dense"] and row["sparse"]:
                sign = -1 if "lower is better" in row["metric"] else 1
                rows.append((sign * (float(row["dense"]) - float(row["sparse"])), row))
    same = [one for one in rows if one[1]["network_config"] == network["name"]]
    usual = [one for one in same or rows if one[1]["pattern"] == "2:4"] or same or rows
    if not usual:
        return UNKNOWN
    loss, row = max(usual, key=lambda one: one[0])
    text = f"{row['sparse']} instead of {row['dense']} {row['metric']} ({row['network']}, {row['dataset']})"
    return Accuracy(text if loss <= 0 else text + "; dense may reach that sooner", loss <= 0)
