"""Writes a PyTorch module, as torch.export sees it, to an ONNX file without weights, which stcsim takes as a network.

    >>> stcsim.export_graph(torchvision.models.resnet18(), (torch.zeros(32, 3, 224, 224),), "resnet18.onnx")

    stcsim run --network resnet18.onnx --arch a100 --schemes slope

The package onnx is not needed. Operators that multiply, and those that are operations on a product's output, are
named as ONNX names them; all values have the sizes that torch.export found. The first dimension of the first
example is the batch.
"""

from pathlib import Path

OPSET = 24
#: ATen's operators by the operator of ONNX that computes the same, and which of their tensors are its inputs.
OPERATORS = {
    ("Conv", "012"): "conv1d conv2d conv3d convolution",
    ("ConvTranspose", "012"): "conv_transpose1d conv_transpose2d conv_transpose3d",
    ("Linear", "012"): "linear",
    ("Gemm", "120"): "addmm",
    ("MatMul", "01"): "mm bmm matmul",
    ("MatMul", "12"): "baddbmm",
    ("Einsum", "01"): "einsum",
    ("Gather", "01"): "embedding",
    ("Attention", "012"): "scaled_dot_product_attention scaled_dot_product_flash_attention "
                          "scaled_dot_product_flash_attention_for_cpu scaled_dot_product_efficient_attention "
                          "scaled_dot_product_cudnn_attention",
    ("LSTM", None): "lstm",
    ("GRU", None): "gru",
    ("RNN", None): "rnn_tanh rnn_relu",
    ("BatchNormalization", "01234"): "batch_norm native_batch_norm native_batch_norm_legit cudnn_batch_norm "
                                     "native_batch_norm_legit_no_training native_batch_norm_legit_functional",
    ("LayerNormalization", "012"): "layer_norm native_layer_norm",
    ("RMSNormalization", "01"): "rms_norm fused_rms_norm",
    ("GroupNormalization", "012"): "group_norm native_group_norm",
    ("InstanceNormalization", "012"): "instance_norm",
    ("Relu", "0"): "relu",
    ("Gelu", "0"): "gelu",
    ("Swish", "0"): "silu",
    ("Sigmoid", "0"): "sigmoid",
    ("HardSwish", "0"): "hardswish",
    ("Softmax", "0"): "softmax safe_softmax",
    ("Dropout", "0"): "dropout native_dropout",
    ("MaxPool", "0"): "max_pool1d max_pool2d max_pool2d_with_indices",
    ("GlobalAveragePool", "0"): "adaptive_avg_pool1d adaptive_avg_pool2d",
    ("Add", "01"): "add",
    ("Mul", "01"): "mul",
    #: Values looked at another way: their sizes are written down.
    ("Reshape", "0"): "view reshape unsafe_view flatten unflatten squeeze unsqueeze t transpose permute numpy_t expand "
                      "expand_as slice select narrow split split_with_sizes chunk unbind clone contiguous to to_copy "
                      "detach alias lift_fresh_copy upsample_nearest2d upsample_bilinear2d upsample_bicubic2d pad "
                      "constant_pad_nd avg_pool2d mean pixel_shuffle pixel_unshuffle repeat roll masked_fill",
}
_KNOWN = {aten: known for known, several in OPERATORS.items() for aten in several.split()}
_SETTINGS = {"stride": "strides", "padding": "pads", "dilation": "dilations", "groups": "group",
             "output_padding": "output_padding", "is_causal": "is_causal", "equation": "equation"}


def export_graph(module, args, path, kwargs=None):
    """Exports `module` for the example inputs `args` and `kwargs` (tensors, on any device, "meta" too) to `path`.

    Raises ValueError where the graph runs another one inside, such as of torch.cond: its products are not seen.
    """
    import torch
    program = torch.export.export(module, tuple(args), kwargs)
    specs = {spec.arg.name: spec for spec in program.graph_signature.input_specs}
    tensors = dict(module.named_parameters(remove_duplicate=False))
    text, owners, sizes = [], {}, {}
    for node in program.graph.nodes:
        value = node.meta.get("val")
        value = value[0] if isinstance(value, (list, tuple)) and value else value
        if node.op == "output" or not hasattr(value, "shape"):
            continue
        sizes[node.name] = [int(size) for size in value.shape]
        kind = specs[node.name].kind.name if node.op == "placeholder" else node.op
        if kind == "USER_INPUT":
            text.append(_value(11, node.name, sizes[node.name]))
        elif kind == "PARAMETER":
            first = owners.setdefault(id(tensors[specs[node.name].target]), node.name)
            text.append(_tensor(node.name, sizes[node.name], 1) if first == node.name
                        else _node("Identity", node.name, [first], {}))
        elif kind == "call_function":
            text += [*_operators(node, torch.fx.Node, sizes), _value(13, node.name, sizes[node.name])]
        else:
            text.append(_tensor(node.name, sizes[node.name], 7))  # a buffer: no weight
    Path(path).write_bytes(_number(1, 10) + _chunk(7, b"".join(text)) + _chunk(8, _chunk(1, b"") + _number(2, OPSET)))


def _operators(node, node_type, sizes):
    """The nodes of a call."""
    tensors, settings = _arguments(node, node_type)
    aten = str(node.target).split(".")[1].strip("_") if str(node.target).startswith("aten.") else str(node.target)
    aten = "view" if getattr(node.target, "__name__", "") == "getitem" else aten
    op, places = _KNOWN.get(aten, (str(node.target), None))
    if op in ("LSTM", "GRU", "RNN"):
        return _cells(op, node.name, tensors, settings, sizes)
    if places is not None:
        tensors = [tensors[int(place)] for place in places if int(place) < len(tensors)]
    attributes = {_SETTINGS[name]: value for name, value in settings.items() if name in _SETTINGS}
    axes = max(0, len(sizes[node.name]) - 2)
    for name in {"strides", "pads", "dilations", "output_padding"} & set(attributes):
        given = attributes.pop(name)
        if given == "same":
            attributes["auto_pad"] = "SAME_UPPER"
        elif not isinstance(given, str):
            several = [int(one) for one in ([given] if isinstance(given, int) else given)]
            attributes[name] = several * (axes if len(several) == 1 else 1) * (2 if name == "pads" else 1)
    if op == "Linear":
        weight = _node("Transpose", node.name + ".weight", tensors[1:2], {})
        if len(tensors) < 3 or not tensors[2]:
            return [weight, _node("MatMul", node.name, [tensors[0], node.name + ".weight"], {})]
        return [weight, _node("MatMul", node.name + ".product", [tensors[0], node.name + ".weight"], {}, node.name),
                _node("Add", node.name, [node.name + ".product", tensors[2]], {})]
    if op == "Attention" and len(sizes[node.name]) == 3:
        attributes.update(q_num_heads=1, kv_num_heads=1)
    if op == "GlobalAveragePool" and set(sizes[node.name][2:]) != {1}:
        op = "Reshape"
    if op in ("MaxPool", "Reshape"):
        attributes = {}
    if settings.get("transposed"):
        op = "ConvTranspose"
    return [_node(op, node.name, tensors, attributes)]


def _cells(op, name, tensors, settings, sizes):
    """A cell of each layer and direction: matrices come in pairs, of the input and of the state."""
    matrices = [one for one in tensors[2:] if len(sizes.get(one, ())) == 2]
    text = []
    for at in range(0, len(matrices) - 1, 2):
        turned = [f"{name}.{one}" for one in matrices[at:at + 2]]
        for one, matrix in zip(turned, matrices[at:at + 2]):
            text.append(_node("Unsqueeze", one, [matrix], {"axes": [0]}))
        text.append(_node(op, f"{name}.{at}", [tensors[0], *turned], {"layout": int(settings["batch_first"])}))
    return [*text, _node("Reshape", name, [f"{name}.{at}"], {})]


def _arguments(node, node_type):
    """The tensors in order ("" for one left out) and the other arguments by name."""
    schema = getattr(node.target, "_schema", None)
    names = [one.name for one in schema.arguments] if schema else [str(at) for at in range(len(node.args))]
    tensors, settings = [], {}
    for name, value in {**dict(zip(names, node.args)), **node.kwargs}.items():
        several = list(value) if isinstance(value, (list, tuple)) else [value]
        given = [one for one in several if isinstance(one, node_type)]
        for one in given:
            if one.op == "get_attr" and "val" not in one.meta:
                raise ValueError(f"node '{node.name}' ({node.target}) runs the graph '{one.name}', which is not read")
        if given or value is None:
            tensors += [one.name for one in given] if given else [""]
        else:
            settings[name] = value
    return tensors, settings


# Fields of onnx.proto by their numbers.

def _varint(value):
    text = bytearray()
    while value >= 0x80:
        text.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(text) + bytes([value])


def _number(field, value):
    return _varint(field << 3) + _varint(int(value) & (1 << 64) - 1)


def _chunk(field, value):
    value = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _value(field, name, sizes):
    shape = b"".join(_chunk(1, _number(1, size)) for size in sizes)
    return _chunk(field, _chunk(1, name) + _chunk(2, _chunk(1, _number(1, 1) + _chunk(2, shape))))


def _tensor(name, sizes, kind):
    return _chunk(5, b"".join(_number(1, size) for size in sizes) + _number(2, kind) + _chunk(8, name))


def _node(op, name, inputs, attributes, called=""):
    text = b"".join(_chunk(1, one) for one in inputs) + _chunk(2, name) + _chunk(3, called or name) + _chunk(4, op)
    for key, value in attributes.items():
        given = (_chunk(4, value) if isinstance(value, str) else _number(3, value) if isinstance(value, int)
                 else b"".join(_number(8, one) for one in value))
        text += _chunk(5, _chunk(1, key) + given)
    return _chunk(1, text)
