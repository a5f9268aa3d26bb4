"""Layers, networks and schemes as `stcsim train` hands them to Python, for tests."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import torch

from stcsim._process import find_program
from stcsim.training.gemm import GemmLayer
from stcsim.training.plan import PHASES, Layer, Plan, Rule, Scheme, Timeline

SHIPPED = ("activations-2-4", "asp", "bdwp", "beyond-2-4", "bi-mask", "dense", "fst", "mvue-1-2", "mvue-2-4",
           "mvue-transposable", "s-ste", "s-ste-fp16", "sdgp", "slope", "sr-ste", "step", "torchao-activations",
           "torchao-semisparse", "transposable", "transposable-2-4")
#: Prune activations along tokens for wgrad, which convolutions of several taps are not trained with.
OF_LINEARS = ("activations-2-4", "beyond-2-4", "torchao-activations")
EVERYWHERE = {"types": ["conv", "linear"], "roles": ["stem", "body", "attention", "ffn", "classifier"], "min_in_channels": 0,
              "reduction_multiple_of": 1, "rows_multiple_of": 1, "narrowing": False}
PEAK = {"type": "peak", "rise": 0.2}


def asked_of_python(experiment):
    """What `stcsim train` hands on of an experiment."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "python"
        program.write_text("#!/bin/sh\nexec cat\n", encoding="utf-8")
        program.chmod(0o755)
        done = subprocess.run([find_program(), "train", str(experiment)], env={**os.environ, "STCSIM_PYTHON": str(program)},
                              capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def schemes_of(experiment):
    """Names of the schemes of a shipped experiment."""
    return [scheme["name"] for scheme in asked_of_python(experiment)["schemes"]]


def plan_of(network, schemes, **training):
    """What the program makes of an experiment of 100 steps with this network, a shipped one or a file's keys."""
    with tempfile.TemporaryDirectory() as folder:
        if not isinstance(network, str):
            file = Path(folder) / "network.yaml"
            file.write_text(json.dumps(network), encoding="utf-8")
            network = str(file)
        plan = {"task": {"type": "files", "inputs": "x.npy", "labels": "y.npy"}, "schedule": PEAK, "epochs": 100,
                "optimizer": {"type": "adamw", "learning_rate": 0.01}, "samples_per_epoch": 32, **training}
        experiment = Path(folder) / "experiment.yaml"
        experiment.write_text(json.dumps({"machines": ["a100"], "networks": [network], "schemes": schemes,
                                          "training": plan}), encoding="utf-8")
        return Plan(asked_of_python(experiment))


def conv(in_channels, out_channels, side, kernel, stride, pad, groups=1):
    return Layer("conv", "conv", in_channels, out_channels, side, (kernel, kernel), stride, pad, groups)


def linear(in_channels, out_channels, tokens):
    return Layer("linear", "linear", in_channels, out_channels, tokens)


def keys_of(layer, **more):
    """A layer as a network's file has it."""
    keys = {"name": layer.name, "type": layer.kind, "role": "body" if layer.kind == "conv" else "ffn", **more}
    if layer.kind == "linear":
        return {**keys, "in_features": layer.in_channels, "out_features": layer.out_channels, "tokens": layer.rows}
    return {**keys, "in_channels": layer.in_channels, "out_channels": layer.out_channels, "input": [layer.rows] * 2,
            "kernel": list(layer.kernel), "stride": layer.stride, "pad": layer.pad}


def schemes_on(layer, names, everywhere=True, **more):
    """These shipped schemes, on the layer alone, wherever they say that they are."""
    if layer.kind == "conv":
        start = {"channels": layer.in_channels, "pixels": [layer.rows] * 2}
    else:
        start = {"features": layer.in_channels, "tokens": layer.rows, "vocabulary": 16}
    network = {"name": "one", "batch": 32, "optimizer": "adam", "input": start,
               "layers": [keys_of(layer, after=["softmax"])]}
    layers = {"layers": EVERYWHERE} if everywhere else {}
    plan = plan_of(network, [{"extends": name, "name": name, **layers, **more} for name in names])
    return {scheme.name: scheme for scheme in plan.schemes}


def scheme_on(layer, name, **more):
    return schemes_on(layer, [name], **more)[name]


def dense_scheme(layers=1, **more):
    return Scheme("dense", {}, [{phase: Rule() for phase in PHASES}] * layers, **more)


def timeline_of(scheme, steps=100, published=300_000):
    """By default a run of 100 steps in which every period is one step."""
    return Timeline(scheme, steps, PEAK, published)


def gemm_of(layer, scheme, weight, seed=1, **more):
    return GemmLayer(layer, scheme, scheme.rules[0], more.pop("timeline", timeline_of(scheme)), seed, weight, **more)


def random_input(layer, samples):
    if layer.kind == "conv":
        return torch.randn(samples, layer.in_channels, layer.rows, layer.rows)
    return torch.randn(samples, *([layer.rows] if layer.rows > 1 else []), layer.in_channels)


def random_weight(layer):
    kernel = layer.kernel if layer.kind == "conv" else ()
    return torch.randn(layer.out_channels, layer.in_channels // layer.groups, *kernel)


def violations(tensor, axis, pattern):
    """Groups along the axis in which more is kept than the pattern allows; of v:n:m, in each row by itself."""
    kept, group = (int(number) for number in pattern.split(":")[-2:])
    rows = (tensor != 0).movedim(axis, -1)
    rows = torch.nn.functional.pad(rows, (0, -rows.shape[-1] % group))
    return int((rows.reshape(-1, group).sum(1) > kept).sum())


def assert_close(test, got, wanted, what=""):
    """Equal but for the rounding of sums of fp32."""
    test.assertEqual(got.shape, wanted.shape, what)
    apart = float((got.double() - wanted.double()).abs().max())
    test.assertLessEqual(apart, 1e-5 * (float(wanted.abs().max()) + 1e-30), what)
