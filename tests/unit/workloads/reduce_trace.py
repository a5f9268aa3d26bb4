"""Writes a PyTorch profile small enough to be kept: what the importer needs of its products.

Usage: reduce_trace.py PROFILE.json.gz KERNELS.csv >REDUCED.json. Operators that multiply and autograd's nodes stay, and
kernels that KERNELS.csv (columns config, kind, grid, block, kernel) calls gemm or attention, with the calls that launched
them; times count from the first event.
"""
import csv
import gzip
import json
import os
import sys

KINDS = ("gemm", "attention")
SHAPED = ("mm", "conv", "attention")


def kernels_of(table, config):
    with open(table, encoding="utf-8") as file:
        return {(row["kernel"], row["grid"], row["block"])
                for row in csv.DictReader(file) if row["config"] == config and row["kind"] in KINDS}


def is_product(event, known):
    args = event["args"]
    place = (json.dumps(args.get("grid")), json.dumps(args.get("block")))
    return any(event["name"].startswith(name) and place == (grid, block) for name, grid, block in known)


def operator(event):
    name, args = event["name"], event["args"]
    if name.startswith("aten::") and any(word in name for word in SHAPED):
        keys = ["External id", "Sequence number", "Input Dims"]
        if "mm" not in name:
            keys.append("Concrete Inputs")
    elif "Backward" in name and not name.startswith("autograd::"):
        keys = ["External id", "Sequence number"]
    else:
        return None
    found = {key: args[key] for key in keys if key in args}
    dims = found.get("Input Dims", [])
    while dims and not dims[-1]:
        dims.pop()
    return found


def main(path, table):
    with gzip.open(path) as file:
        events = [event for event in json.load(file)["traceEvents"] if event.get("ph") == "X"]
    known = kernels_of(table, os.path.basename(path).removesuffix(".json.gz"))
    begin = min(event["ts"] for event in events)
    kernels = [event for event in events if event.get("cat") == "kernel" and is_product(event, known)]
    calls = {event["args"]["correlation"] for event in kernels}
    kept = []

    def keep(event, args, name):
        kept.append({"ph": "X", "cat": event["cat"], "name": name, "tid": event["tid"],
                     "ts": round(event["ts"] - begin, 3), "dur": round(event["dur"], 3), "args": args})

    for event in events:
        args = event.get("args", {})
        if event.get("cat") == "cpu_op" and (shaped := operator(event)):
            keep(event, shaped, event["name"])
        elif event.get("cat") in ("cuda_runtime", "cuda_driver") and args.get("correlation") in calls:
            keep(event, {"correlation": args["correlation"]}, "launch")
    for event in kernels:
        keep(event, {key: event["args"][key] for key in ("External id", "correlation")}, event["name"][:24])
    lines = ",\n".join(json.dumps(event, separators=(",", ":")) for event in kept)
    print('{"traceEvents":[\n' + lines + "\n]}")


main(sys.argv[1], sys.argv[2])
