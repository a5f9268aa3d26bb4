"""predict_pairs.py: predicts the pairs of measure/pairs.py on a machine, a line of results/predictions.csv each.

    PYTHONPATH=python:measure STCSIM=build/stcsim python3 scripts/predictions/predict_pairs.py MACHINE

predictions.mjs calls it. `network` is the pair's name, `dense_us` the time of its first side, `sparse_us` that of its second,
`speedup` the first over the second. `config_hash` is of the pair as measure/pairs.py says it.
"""

import sys

from pairs import DTYPE, NETWORKS, OPTIMIZERS, PAIRS, Gemm, hash_of

from stcsim._process import call_json
from stcsim.advise.changes import NO_HOST
from stcsim.advise.steps import Steps, gain_of
from stcsim.evidence.program import config_folder

SCHEME = "torchao-semisparse"
#: Modes of a family, where they are not those of all.
FRAMEWORKS = {"eager": "pytorch_2_11_eager", "compiled": "pytorch_2_11_compiled"}
IN_16_BITS = "pytorch_2_11_eager_bf16"
PART = "pytorch_2_11_part"


def framework_of(step):
    """A replay is the framework that it was captured of, without the host."""
    family = NETWORKS[step.network].family
    if family == "mlp":
        return PART
    mode = step.mode.split()[0].replace("graph", "eager")
    name = IN_16_BITS if family == "llama" else FRAMEWORKS[mode]
    return {"extends": name, "name": f"{name}_graph", **NO_HOST} if "graph" in step.mode else name


def linear(name, wide, out, after, **keys):
    after = {"after": after} if after else {}
    return {"name": name, "type": "linear", "in_features": wide, "out_features": out, **after, **keys}


def gpt_layers(width, blocks, heads, tokens, vocabulary):
    """As configs/networks/nanogpt_124m.yaml has them."""
    attention = {"role": "attention", "tokens": tokens, "repeat": blocks}
    ffn = {**attention, "role": "ffn"}
    scores = {"type": "bmm", "role": "attention", "n": tokens, "count": heads, "repeat": blocks, "causal": True}
    normed = ["residual_add", "layer_norm"]
    return [
        {"name": "wte", "type": "embedding", "vocabulary": vocabulary, "features": width, "tokens": tokens, "after": normed},
        linear("blk.c_attn", width, 3 * width, [], **attention),
        {"name": "blk.attn_qk", **scores, "m": tokens, "k": width // heads, "after": ["softmax"]},
        {"name": "blk.attn_av", **scores, "m": width // heads, "k": tokens},
        linear("blk.c_proj", width, width, normed, **attention),
        linear("blk.mlp.c_fc", width, 4 * width, ["gelu"], **ffn),
        linear("blk.mlp.c_proj", 4 * width, width, normed, **ffn),
        linear("lm_head", width, vocabulary, ["softmax"], role="classifier", tokens=tokens, tied=True),
    ]


def mlp_layers(width, inner):
    """As configs/validation/networks/mlp_1024_4096.yaml has them: a sample is a token."""
    common = {"role": "ffn", "tokens": 1, "bias": True}
    return [linear("fc1", width, inner, ["bias", "gelu"], **common), linear("fc2", inner, width, ["bias"], **common)]


def network_of(step):
    """The network's entry in an experiment."""
    network = NETWORKS[step.network]
    entry = {"batch": step.batch, "optimizer": step.optimizer or OPTIMIZERS[network.family]}
    if network.file:
        return {"name": str(config_folder() / network.file), **entry}
    layers = {"gpt": gpt_layers, "mlp": mlp_layers}[network.family](**network.sizes)
    sizes = network.sizes
    # Positions and normalisations, none of which is a layer.
    other = (sizes["tokens"] + 2 * sizes["blocks"] + 1) * sizes["width"] if network.family == "gpt" else 0
    return {"name": step.network, **entry, "other_parameters": other, "layers": layers}


def experiment_of(machine, step, schemes=("dense",)):
    return {"machines": [machine], "dtype": DTYPE, "networks": [network_of(step)], "framework": framework_of(step),
            "schemes": list(schemes), "sparse_where": "always", "pruning_kernels": "separate"}


def of_gemm(machine, gemm):
    """Times and gain of dense and 2:4, each with its interval, and whether one is of other cards."""
    answer = call_json(["gemm"], {"arch": machine, "dtype": DTYPE, "m": gemm.m, "n": gemm.n, "k": gemm.k, "sparsity": "2:4",
                                  "method": "loop"})
    intervals = answer["dense_time_interval"], answer["time_interval"], answer["speedup_interval"]
    values = answer["dense"]["time_us"], answer["time_us"], answer["speedup"]
    figures = [(value, one["low"], one["high"]) for value, one in zip(values, intervals)]
    return figures, str(any(one["assumed"] for one in intervals)).lower()


def times_of(totals):
    return tuple(totals[key] for key in ("time_us", "time_us_low", "time_us_high"))


def of_sparse(steps, machine, step):
    dense, sparse = steps.schemes(experiment_of(machine, step, ("dense", SCHEME)))
    return [times_of(dense), times_of(sparse), tuple(sparse[key] for key in ("speedup", "speedup_low", "speedup_high"))]


def ratio_of(pair, first, second):
    """The ratio and its interval: a replay has the same kernels, so that the waits for the host are all that is not known, and
    they are as sure as the whole step."""
    if (pair.first.mode, pair.second.mode) == ("eager", "graph"):
        return tuple(time / second.us for time in times_of(first.totals))
    return tuple(gain_of(first, second))


def of_steps(steps, machine, pair):
    first, second = steps.run(experiment_of(machine, step) for step in pair[1:])
    for one in (first, second):
        if isinstance(one, Exception):
            raise one
    return [times_of(first.totals), times_of(second.totals), ratio_of(pair, first, second)]


def line_of(steps, machine, pair):
    assumed, sizes, scheme = "", ["", "", ""], ""
    if isinstance(pair.first, Gemm):
        figures, assumed = of_gemm(machine, pair.first)
        sizes = [str(size) for size in (pair.first.m, pair.first.n, pair.first.k)]
    elif pair.second.is_sparse:
        figures, scheme = of_sparse(steps, machine, pair.second), SCHEME
    else:
        figures = of_steps(steps, machine, pair)
    numbers = [f"{number:#.5g}".rstrip(".") for figure in figures for number in figure]
    modes = "" if isinstance(pair.first, Gemm) else f"{pair.first.mode};{pair.second.mode}"
    return ",".join(["pair", machine, DTYPE, *sizes, pair.name, "", scheme, modes, *numbers, assumed, hash_of(pair)])


def main():
    steps = Steps(jobs=1)
    try:
        for pair in PAIRS:
            print(line_of(steps, sys.argv[1], pair), flush=True)
    finally:
        steps.close()


if __name__ == "__main__":
    main()
