"""What publications say of a scheme's accuracy (configs/curves/final_values.csv), by kind of model, and where its code is."""

from __future__ import annotations

import csv
import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

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


class Loss(NamedTuple):
    """What a publication's sparse training ends below its dense one, in the metric's own unit; below 0 it ends above."""
    scheme: str
    network: str
    dataset: str
    metric: str
    loss: float


def _rows() -> List[Dict[str, str]]:
    """Of published figures, those that say both."""
    with open(config_folder() / "curves/final_values.csv", encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return [row for row in rows if row["dense"] and row["sparse"]]


def _loss(row: Mapping[str, str]) -> float:
    sign = -1 if "lower is better" in row["metric"] else 1
    return sign * (float(row["dense"]) - float(row["sparse"]))


def losses_of(pattern: str, network: Mapping[str, Any]) -> List[Loss]:
    """Of any scheme with the pattern: in the same network if that is published, else in those of its kind, else in any."""
    kind = dict(KINDS).get(kind_of_model(network))
    rows = [row for row in _rows() if row["pattern"] == pattern]
    same = [row for row in rows if row["network_config"] == network["name"]]
    alike = [row for row in rows if kind and re.search(kind, row["network"])]
    return [Loss(row["config"] or row["scheme"], row["network"], row["dataset"], row["metric"], round(_loss(row), 6))
            for row in same or alike or rows]


def accuracy_of(scheme: str, network: Mapping[str, Any]) -> Accuracy:
    """Of 2:4 or the pattern that the scheme has, in the same network if it is published, else in those of the kind."""
    kind = dict(KINDS).get(kind_of_model(network))
    if kind is None:
        return UNKNOWN
    rows = [row for row in _rows() if row["config"] == scheme and re.search(kind, row["network"])]
    same = [row for row in rows if row["network_config"] == network["name"]]
    usual = [row for row in same or rows if row["pattern"] == "2:4"] or same or rows
    if not usual:
        return UNKNOWN
    row = max(usual, key=_loss)
    text = f"{row['sparse']} instead of {row['dense']} {row['metric']} ({row['network']}, {row['dataset']})"
    return Accuracy(text if _loss(row) <= 0 else text + "; dense may reach that sooner", _loss(row) <= 0)
