"""Writes ONNX files byte by byte, from the field numbers of onnx.proto."""

import struct

FLOAT, INT64, BOOL = 1, 7, 9


def varint(value):
    value &= (1 << 64) - 1
    text = b""
    while value >= 0x80:
        text += bytes([value & 0x7F | 0x80])
        value >>= 7
    return text + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def chunk(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def tensor(name, dims, kind, raw=b""):
    text = b"".join(number(1, size) for size in dims) + number(2, kind) + chunk(8, name)
    return text + (chunk(9, raw) if raw else b"")


def value(name, dims, kind=FLOAT):
    """Sizes; texts are names of sizes, None is neither."""
    shape = b""
    for size in dims:
        shape += chunk(1, b"" if size is None else chunk(2, size) if isinstance(size, str) else number(1, size))
    return chunk(1, name) + chunk(2, chunk(1, number(1, kind) + chunk(2, shape)))


def attribute(name, given):
    if isinstance(given, Graph):
        return chunk(1, name) + chunk(6, given.body()) + number(20, 5)
    if isinstance(given, float):
        return chunk(1, name) + varint(2 << 3 | 5) + struct.pack("<f", given)
    if isinstance(given, int):
        return chunk(1, name) + number(3, given)
    if isinstance(given, str):
        return chunk(1, name) + chunk(4, given)
    if isinstance(given, bytes):
        return chunk(1, name) + chunk(5, given)
    if any(isinstance(one, float) for one in given):
        return chunk(1, name) + chunk(7, b"".join(struct.pack("<f", one) for one in given))
    return chunk(1, name) + b"".join(number(8, one) for one in given)


class Graph:
    """A graph; `model()` is a file of it, a branch is an attribute of a node."""

    def __init__(self, opset=18, prefix="v"):
        self.opset, self.prefix, self.text, self.count = opset, prefix, b"", 0

    def name(self):
        self.count += 1
        return f"{self.prefix}{self.count}"

    def input(self, name, *dims, kind=FLOAT):
        self.text += chunk(11, value(name, dims, kind))
        return name

    def weight(self, *dims):
        name = self.name()
        self.text += chunk(5, tensor(name, dims, FLOAT))
        return name

    def ints(self, *values, dims=None):
        name = self.name()
        self.text += chunk(5, tensor(name, [len(values)] if dims is None else dims, INT64,
                                     struct.pack(f"<{len(values)}q", *values)))
        return name

    def floats(self, *values):
        name = self.name()
        self.text += chunk(5, tensor(name, [len(values)], FLOAT, struct.pack(f"<{len(values)}f", *values)))
        return name

    def node(self, op, *inputs, called="", outputs=1, **attributes):
        names = [self.name() for _ in range(outputs)]
        text = b"".join(chunk(1, one) for one in inputs) + b"".join(chunk(2, one) for one in names)
        text += chunk(3, called or names[0]) + chunk(4, op)
        text += b"".join(chunk(5, attribute(name, given)) for name, given in attributes.items())
        self.text += chunk(1, text)
        return names[0] if outputs == 1 else names

    def output(self, name):
        self.text += chunk(12, chunk(1, name))
        return self

    def body(self):
        return self.text

    def model(self):
        return number(1, 8) + chunk(7, self.text) + chunk(8, chunk(1, "") + number(2, self.opset))
