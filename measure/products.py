"""Products in PyTorch, dense and 2:4 by cuSPARSELt, and the step of a feed-forward part of two of them."""

import torch
from torch.sparse import SparseSemiStructuredTensorCUSPARSELT as Semi

TYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp8_e4m3": torch.float8_e4m3fn}


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


def part_step(tokens, width, hidden, dtype, is_sparse):
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
