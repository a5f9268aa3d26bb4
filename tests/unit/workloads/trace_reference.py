"""Counts the products of the last step of a PyTorch profile: an independent reference.

Usage: trace_reference.py FILE. Prints a line "PHASE COUNT MACS" for forward, dgrad and wgrad. Of
operators within each other the innermost that multiplies counts: mm and addmm (not linear), and of
convolutions cudnn's (forward, backward_input, backward_weight), whose sizes are their inputs'.
"""
import gzip
import json
import sys
from collections import defaultdict


def product(sizes):
    result = 1
    for size in sizes:
        result *= size
    return result


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


def main(path):
    trace = load(path)
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    ops = [e for e in events if e.get("ph") == "X" and e.get("cat") in ("Operator", "cpu_op")]
    marks = [e for e in events if e.get("ph") == "X" and e["name"].startswith("ProfilerStep#")]
    steps = sorted((e["ts"], e["ts"] + e["dur"]) for e in marks)
    begin, end = steps[-1] if steps else (float("-inf"), float("inf"))
    ops = [e for e in ops if begin <= e["ts"] < end]
    backward = [e for e in ops if "Backward" in e["name"] and not e["name"].startswith("aten::")]
    count, macs = defaultdict(int), defaultdict(int)

    def add(phase, amount):
        count[phase] += 1
        macs[phase] += amount

    products_of_node = defaultdict(int)
    for e in sorted(ops, key=lambda one: one["ts"]):
        dims = e.get("args", {}).get("Input Dims", [])
        name = e["name"]
        if name == "aten::cudnn_convolution":
            # Each output pixel and channel reads a window; outputs follow from the gradient's size.
            weight = dims[1]
            key = e["args"]["Sequence number"]
            node = next(b for b in backward if b["args"].get("Sequence number") == key)
            add("forward", product(node["args"]["Input Dims"][0]) * product(weight[1:]))
        elif name == "aten::cudnn_convolution_backward_input":
            add("dgrad", product(dims[1]) * product(dims[2][1:]))
        elif name == "aten::cudnn_convolution_backward_weight":
            # The weight is not among the inputs: it is the enclosing operator's third.
            outer = next(
                o for o in ops
                if o["name"] == "aten::cudnn_convolution_backward" and o["tid"] == e["tid"]
                and o["ts"] <= e["ts"] and e["ts"] + e["dur"] <= o["ts"] + o["dur"])
            add("wgrad", product(dims[1]) * product(outer["args"]["Input Dims"][2][1:]))
        elif name in ("aten::mm", "aten::addmm"):
            a, b = dims[1:3] if name == "aten::addmm" else dims[:2]
            amount = a[0] * a[1] * b[1]
            around = [
                n for n in backward
                if n["tid"] == e["tid"] and n["ts"] <= e["ts"]
                and e["ts"] + e["dur"] <= n["ts"] + n["dur"]]
            if not around:
                add("forward", amount)
                continue
            node = id(around[-1])  # autograd computes the gradient of the first operand first
            add("wgrad" if products_of_node[node] else "dgrad", amount)
            products_of_node[node] += 1
    for phase in ("forward", "dgrad", "wgrad"):
        print(phase, count[phase], macs[phase])


main(sys.argv[1])
