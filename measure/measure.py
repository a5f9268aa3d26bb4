#!/usr/bin/env python3
"""measure.py: times on a GPU what predictions.csv predicts, to prove it right or wrong.

    python3 measure.py predictions.csv MACHINE --out DIR [--seconds S]
    stcsim evidence rows DIR/gemms.csv
    stcsim evidence rows DIR/steps.csv

MACHINE is the machine of predictions.csv that stands for the card, e.g. h200. Needs a PyTorch of 2.6 or later with
cuSPARSELt (torch.backends.cusparselt). Each time is that of launches in a row, divided by their number, after as many
to warm up: timing `loop` of the tables. They are replays of a captured graph, since PyTorch's call of cuSPARSELt alone
takes the host 0.4 to 1.1 ms. A GEMM has two rows: the kernels that PyTorch takes by itself, and for 2:4 the best of
cuSPARSELt's own search. A note has the clock and the power that the card reported while the last launches ran. What
PyTorch cannot run is left empty, and said on stderr.
"""

import argparse
import csv
import pathlib
import sys

import torch
from torch.sparse import SparseSemiStructuredTensorCUSPARSELT as Semi

TYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp8_e4m3": torch.float8_e4m3fn}
ROOT = pathlib.Path(__file__).resolve().parent.parent  # networks' files are named from here
GEMM_COLUMNS = ["source", "gpu", "dtype", "M", "N", "K", "layout", "dense_value", "sparse_value", "unit", "speedup",
                "pattern", "timing", "stack", "note"]
STEP_COLUMNS = ["source", "gpu", "dtype", "network", "config", "phase", "dense", "sparse", "unit", "speedup", "pattern",
                "model", "batch", "phases", "scheme", "scope", "not_simulated", "framework", "note"]


def state():
    """Clock in MHz and power in W, as the driver reports them now."""
    try:
        return f"{torch.cuda.clock_rate()} MHz {torch.cuda.power_draw() / 1000:.0f} W"
    except (RuntimeError, ModuleNotFoundError):
        return ""


def captured(run, calls):
    """Replays of a graph of `calls` calls of `run`, which take the host next to nothing."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            run()
    return graph.replay


def time_us(run, seconds):
    """Microseconds of one call of `run`, of as many in a row as fill `seconds`, and the card's state meanwhile."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def milliseconds(launches):
        begin.record()
        for _ in range(launches):
            run()
        end.record()
        now = state()
        torch.cuda.synchronize()
        return begin.elapsed_time(end), now

    milliseconds(3)
    launches = max(10, round(seconds * 1000 / (milliseconds(10)[0] / 10)))
    milliseconds(launches)
    total, now = milliseconds(launches)
    return total * 1000 / launches, now


def measured(what, make, seconds, calls):
    """The time of what `make` returns, `calls` times in a graph, as text, and the card's state; empty where PyTorch
    refuses."""
    try:
        time, now = time_us(captured(make(), calls), seconds)
        return f"{time / calls:.3f}", now
    except (RuntimeError, NotImplementedError) as error:
        print(f"{what}: {str(error).splitlines()[0]}", file=sys.stderr)
        return "", ""


def normal(rows, columns, dtype):
    """Normally distributed values: zeros would draw less power, and raise the clock."""
    return torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16).to(dtype)


def pruned(matrix):
    """The two largest of every four along the rows."""
    groups = matrix.float().reshape(-1, 4)
    size = groups.abs()
    kept = sum((size[:, at : at + 1] < size).to(torch.int8) for at in range(4))  # how many are smaller
    return (groups * (kept >= 2)).reshape(matrix.shape).to(matrix.dtype)


def dense_gemm(m, n, k, dtype):
    """C = A B with K contiguous in both operands."""
    a, b = normal(m, k, dtype), normal(n, k, dtype).t()
    if dtype != torch.float8_e4m3fn:
        c = torch.empty(m, n, device="cuda", dtype=dtype)
        return lambda: torch.mm(a, b, out=c)
    one = torch.ones((), device="cuda")
    return lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)


def sparse_gemm(m, n, k, dtype, is_searched=False):
    """The same with A 2:4, by cuSPARSELt."""
    a, b = torch._cslt_compress(pruned(normal(m, k, dtype))), normal(n, k, dtype).t()
    out = torch.bfloat16 if dtype == torch.float8_e4m3fn else None
    kernel = {}
    if is_searched:
        found = torch._C._cusparselt.mm_search(a, b, None, None, out, False)
        kernel = dict(zip(("alg_id", "split_k", "split_k_mode"), found))
    return lambda: torch._cslt_sparse_mm(a, b, out_dtype=out, **kernel)


class SemiSparseLinear(torch.autograd.Function):
    """y = x W^T with W pruned to 2:4 both ways in every step; the gradient of W is dense."""

    @staticmethod
    def forward(ctx, x, weight):
        packed = Semi.prune_dense_static_sort(weight.detach())
        ctx.save_for_backward(x)
        ctx.packed = packed
        return torch.mm(x, packed.t())

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return torch.mm(grad, ctx.packed), torch.mm(grad.t(), x)


def step(tokens, width, hidden, dtype, is_sparse):
    """A training step of two linear layers with biases and GELU between them, in mixed precision: the parameters are
    fp32, and cast in every step; SGD with momentum."""
    weights = [torch.nn.Parameter(normal(hidden, width, torch.float32) / width**0.5),
               torch.nn.Parameter(normal(width, hidden, torch.float32) / hidden**0.5)]
    biases = [torch.nn.Parameter(torch.zeros(size, device="cuda")) for size in (hidden, width)]
    optimizer = torch.optim.SGD(weights + biases, lr=1e-6, momentum=0.9)
    x = normal(tokens, width, dtype).requires_grad_()
    grad = normal(tokens, width, dtype)

    def linear(at, value):
        weight, bias = weights[at].to(dtype), biases[at].to(dtype)
        if is_sparse:
            return SemiSparseLinear.apply(value, weight) + bias
        return torch.nn.functional.linear(value, weight, bias)

    def run():
        x.grad = None
        optimizer.zero_grad(set_to_none=True)
        linear(1, torch.nn.functional.gelu(linear(0, x))).backward(grad)
        optimizer.step()

    return run


def measure_gemms(rows, common, seconds):
    for row in rows:
        m, n, k, dtype = int(row["m"]), int(row["n"]), int(row["k"]), TYPES[row["dtype"]]
        name = f"{m}x{n}x{k} {row['dtype']}"
        dense, dense_state = measured(name, lambda: dense_gemm(m, n, k, dtype), seconds, 20)
        for stack in ("", "cuda12_search"):
            is_searched = stack != ""
            sparse, state = measured(name + " 2:4", lambda: sparse_gemm(m, n, k, dtype, is_searched), seconds, 20)
            yield {**common, "dtype": row["dtype"], "M": m, "N": n, "K": k, "unit": "us", "pattern": "2:4",
                   "timing": "loop", "dense_value": "" if is_searched else dense, "sparse_value": sparse, "stack": stack,
                   "note": f"2:4 {state}" if is_searched else f"dense {dense_state}; 2:4 {state}"}


def measure_steps(rows, common, seconds):
    for row in rows:
        tokens, width, hidden, dtype = int(row["n"]), int(row["k"]), int(row["m"]), TYPES[row["dtype"]]
        name = f"{row['network']}, {tokens} tokens"
        times, states = zip(*(
            measured(f"{name}, {what}", lambda: step(tokens, width, hidden, dtype, what == "2:4"), seconds, 1)
            for what in ("dense", "2:4")))
        yield {**common, "dtype": row["dtype"], "network": row["network"], "config": f"{tokens} tokens",
               "phase": "training", "dense": times[0], "sparse": times[1], "unit": "us", "pattern": "2:4",
               "speedup": f"{float(times[0]) / float(times[1]):.4f}" if all(times) else "",
               "model": str(ROOT / row["model"]), "batch": tokens, "phases": "forward;dgrad;wgrad", "scheme": row["scheme"],
               "scope": "step", "framework": row["framework"],
               "note": f"dense {states[0]}; 2:4 {states[1]}"}


def write(path, columns, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        for row in rows:
            writer.writerow(row)
            file.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("predictions", type=pathlib.Path)
    parser.add_argument("machine")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--seconds", type=float, default=1.0, help="of launches that are timed, for clocks and power to "
                        "settle (1)")
    options = parser.parse_args()
    with options.predictions.open(newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        rows = [row for row in csv.DictReader(lines) if row["machine"] == options.machine]
    if not rows:
        parser.error(f"{options.predictions} has no machine '{options.machine}'")
    options.out.mkdir(parents=True, exist_ok=True)
    common = {"source": f"measure.py, PyTorch {torch.__version__}", "gpu": torch.cuda.get_device_name().removeprefix("NVIDIA ")}
    gemms, steps = ([row for row in rows if row["kind"] == kind] for kind in ("gemm", "step"))
    write(options.out / "gemms.csv", GEMM_COLUMNS, measure_gemms(gemms, common, options.seconds))
    write(options.out / "steps.csv", STEP_COLUMNS, measure_steps(steps, common, options.seconds))


if __name__ == "__main__":
    main()
