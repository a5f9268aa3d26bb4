"""Writes a SCALE-Sim topology (v2, v3) as a network of stcsim.

    python3 -m stcsim.topology resnet.csv > resnet.yaml

Columns are found by their names; with M, N and K the rows are GEMMs of M tokens, else
convolutions. As in SCALE-Sim, nothing is padded, a last window that hangs over the edge
counts (the input grows by what it lacks), `DP` in a name makes a layer depthwise, and
Sparsity "n:m" keeps n of m weights along the input channels.
"""

import argparse
import csv
import json
import re
import sys
from pathlib import Path

CONVOLUTION = ("ifmap height", "ifmap width", "filter height", "filter width", "channels", "num filter", "strides")
GEMM = ("m", "n", "k")
#: Other names that published topologies have for a column; letters and digits only.
SPELLINGS = {
    "layername": "layer", "name": "layer", "ifmaph": "ifmapheight", "inputheight": "ifmapheight",
    "ifmapw": "ifmapwidth", "inputwidth": "ifmapwidth", "filterh": "filterheight", "kernelheight": "filterheight",
    "filterw": "filterwidth", "kernelwidth": "filterwidth", "channel": "channels", "numchannels": "channels",
    "numfilters": "numfilter", "filters": "numfilter", "stride": "strides", "strideheight": "strides",
    "strideh": "strides", "stridewidth": "secondstride", "stridew": "secondstride",
}


class TopologyError(ValueError):
    """What is wrong, with the number of the line."""

    def __init__(self, line, what):
        super().__init__(f"{line}: error: {what}")


def _column(name):
    letters = re.sub("[^a-z0-9]", "", name.lower())
    return SPELLINGS.get(letters, letters)


def _rows(text):
    """Numbers and fields of the lines that hold anything; empty fields at the end are dropped."""
    for number, fields in enumerate(csv.reader(line.partition("#")[0] for line in text.splitlines()), 1):
        fields = [field.strip() for field in fields]
        while fields and not fields[-1]:
            fields.pop()
        if fields:
            yield number, fields


def _header(line, fields):
    if any(field.isdigit() for field in fields):
        raise TopologyError(line, 'the first line must be the header ("Layer name, IFMAP Height, ..." or '
                                  '"Layer, M, N, K"), not a layer')
    columns = [_column(field) for field in fields]
    sizes = GEMM if set(GEMM) & set(columns) else CONVOLUTION
    known = ["layer", *map(_column, sizes), "sparsity", *([] if sizes is GEMM else ["secondstride"])]
    for field, column in zip(fields, columns):
        if column not in known:
            raise TopologyError(line, f"unknown column '{field}'; known columns: {', '.join(known)}")
        if columns.count(column) > 1:
            raise TopologyError(line, f"column '{field}' is here a second time")
    for column in known[:len(sizes) + 1]:
        if column not in columns:
            raise TopologyError(line, f"the topology has no column '{column}'")
    return columns


def _fields(line, columns, fields):
    """A row's fields by column. Some topologies have two strides under one column."""
    at = columns.index("strides") + 1 if "strides" in columns else len(fields)
    is_extra = len(fields) == len(columns) + 1 or columns[at:at + 1] == ["sparsity"]
    if at < len(fields) and is_extra and fields[at].isdigit():
        columns = [*columns[:at], "secondstride", *columns[at:]]
    if len(fields) > len(columns):
        raise TopologyError(line, f"unexpected field '{fields[len(columns)]}', the header has no column for it")
    return dict(zip(columns, fields))


def _size(line, row, column):
    text = row.get(column, "")
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 2**31):
        raise TopologyError(line, f"'{column}' is '{text}', must be a whole number from 1 to {2**31 - 1}")
    return int(text)


def _convolution(line, row):
    size = {column: _size(line, row, _column(column)) for column in CONVOLUTION}
    stride = size["strides"]
    if row.get("secondstride") and _size(line, row, "secondstride") != stride:
        raise TopologyError(line, "the strides differ; only equal strides are supported")
    kernel = [size["filter height"], size["filter width"]]
    shape = [size["ifmap height"], size["ifmap width"]]
    if kernel[0] > shape[0] or kernel[1] > shape[1]:
        raise TopologyError(line, f"the filter {kernel} is larger than the input {shape}")
    grown = [one + -(-(all_ - one) // stride) * stride for all_, one in zip(shape, kernel)]
    layer = {"type": "conv", "in_channels": size["channels"], "input": grown, "kernel": kernel,
             "out_channels": size["num filter"], "stride": stride}
    if "DP" in row["layer"]:
        layer.update(groups=size["channels"], out_channels=size["channels"] * size["num filter"])
    return layer


def _layer(line, row):
    if not row.get("layer"):
        raise TopologyError(line, "the layer has no name")
    if "m" in row:
        layer = {"type": "linear", "tokens": _size(line, row, "m"), "out_features": _size(line, row, "n"),
                 "in_features": _size(line, row, "k")}
    else:
        layer = _convolution(line, row)
    sparsity = row.get("sparsity")
    if sparsity:
        pattern = re.fullmatch("([1-9][0-9]*):([1-9][0-9]*)", sparsity)
        if not pattern or int(pattern[1]) > int(pattern[2]):
            raise TopologyError(line, f"'sparsity' is '{sparsity}', must be N:M with N of M weights kept, such as 2:4")
        if pattern[1] != pattern[2]:
            layer["weight_pattern"] = sparsity
    return layer


def layers(text):
    """Returns the layers, each a dict as networks have them. Layers of one name are numbered."""
    rows = _rows(text.removeprefix("\ufeff"))
    columns = _header(*next(rows, (1, [])))
    found, seen = [], {}
    for line, fields in rows:
        row = _fields(line, columns, fields)
        layer = _layer(line, row)
        seen[row["layer"]] = count = seen.get(row["layer"], 0) + 1
        found.append({"name": row["layer"] if count == 1 else f"{row['layer']}#{count}", **layer})
    if not found:
        raise TopologyError(1, "the topology has no layers")
    return found


def network(text, name):
    """Returns the YAML of the network: products alone, one sample a step."""
    head = f"name: {json.dumps(name)}\ndescription: SCALE-Sim topology\nbatch: 1\nproducts_only: true\nlayers:\n"
    return head + "".join(f"  - {json.dumps(layer)}\n" for layer in layers(text))


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="stcsim.topology", description=__doc__.splitlines()[0])
    parser.add_argument("file", help="the topology, a CSV")
    path = Path(parser.parse_args(arguments).file)
    try:
        print(network(path.read_text(encoding="utf-8"), path.stem), end="")
    except TopologyError as error:
        sys.exit(f"{path}:{error}")
    except OSError as error:
        sys.exit(f"{path}: error: {error.strerror}")
    except ValueError as error:
        sys.exit(f"{path}: error: {error}")


if __name__ == "__main__":
    main()
