"""The networks of pairs.py in PyTorch alone, and their training steps.

They run the operations of those whose profiles the simulator's frameworks were written from: nanoGPT, transformers' BERT
and LLaMA, torchvision's ResNet.
"""

import contextlib

import torch
import torch.nn.functional as F
from torch import nn

from pairs import NETWORKS, OPTIMIZERS, Step


class GptBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ParameterList(nn.Parameter(torch.ones(width)) for _ in range(2))
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.wide, self.narrow = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        batch, tokens, width = x.shape
        parts = self.qkv(F.layer_norm(x, (width,), self.norms[0])).split(width, 2)
        q, k, v = (part.view(batch, tokens, self.heads, -1).transpose(1, 2) for part in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, tokens, width))
        return x + self.narrow(F.gelu(self.wide(F.layer_norm(x, (width,), self.norms[1]))))


class Gpt(nn.Module):
    """As nanoGPT's: no biases, no dropout, tied head."""

    def __init__(self, width, blocks, heads, tokens, vocabulary):
        super().__init__()
        self.words, self.places = nn.Embedding(vocabulary, width), nn.Embedding(tokens, width)
        self.blocks = nn.ModuleList(GptBlock(width, heads) for _ in range(blocks))
        self.norm = nn.Parameter(torch.ones(width))

    def forward(self, words, targets):
        x = self.words(words) + self.places(torch.arange(words.shape[1], device=words.device))
        for block in self.blocks:
            x = block(x)
        logits = F.linear(F.layer_norm(x, (x.shape[-1],), self.norm), self.words.weight)
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), targets.view(-1))


class BertBlock(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.wide, self.narrow = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norms = nn.ModuleList(nn.LayerNorm(width, eps=1e-12) for _ in range(2))

    def forward(self, x, mask):
        batch, tokens, width = x.shape
        q, k, v = (one(x).view(batch, tokens, self.heads, -1).transpose(1, 2) for one in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=0.1 if self.training else 0.0)
        y = self.out(y.transpose(1, 2).reshape(batch, tokens, width))
        x = self.norms[0](F.dropout(y, 0.1, self.training) + x)
        y = self.narrow(F.gelu(self.wide(x)))
        return self.norms[1](F.dropout(y, 0.1, self.training) + x)


class Bert(nn.Module):
    """With the head of question answering: where an answer begins and ends."""

    def __init__(self, width, blocks, heads, inner, tokens, vocabulary, positions, segments):
        super().__init__()
        self.words, self.places = nn.Embedding(vocabulary, width), nn.Embedding(positions, width)
        self.segments, self.norm = nn.Embedding(segments, width), nn.LayerNorm(width, eps=1e-12)
        self.blocks = nn.ModuleList(BertBlock(width, heads, inner) for _ in range(blocks))
        self.head = nn.Linear(width, 2)

    def forward(self, words, segments, ends, mask=None):
        places = torch.arange(words.shape[1], device=words.device)
        x = self.norm(self.words(words) + self.segments(segments) + self.places(places))
        x = F.dropout(x, 0.1, self.training)
        for block in self.blocks:
            x = block(x, mask)
        logits = self.head(x).split(1, -1)
        first, last = (F.cross_entropy(one.squeeze(-1).contiguous(), end) for one, end in zip(logits, ends))
        return (first + last) / 2


class RmsNorm(nn.Module):
    """An operation at a time, in fp32."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        y = x.to(torch.float32)
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-5)
        return self.weight * y.to(x.dtype)


def rotated(x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin


class LlamaBlock(nn.Module):
    def __init__(self, width, heads, kv_heads, inner):
        super().__init__()
        self.size, keys = width // heads, width // heads * kv_heads
        self.q, self.k, self.v = (nn.Linear(width, out, bias=False) for out in (width, keys, keys))
        self.out, self.down = nn.Linear(width, width, bias=False), nn.Linear(inner, width, bias=False)
        self.gate, self.up = (nn.Linear(width, inner, bias=False) for _ in range(2))
        self.norms = nn.ModuleList(RmsNorm(width) for _ in range(2))

    def forward(self, x, cos, sin):
        y = self.norms[0](x)
        q, k, v = (one(y).view(*x.shape[:2], -1, self.size).transpose(1, 2) for one in (self.q, self.k, self.v))
        q, k = rotated(q, cos, sin), rotated(k, cos, sin)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + self.out(y.transpose(1, 2).reshape(x.shape))
        y = self.norms[1](x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, width, blocks, heads, kv_heads, inner, tokens, vocabulary):
        super().__init__()
        self.size = width // heads
        self.words, self.head = nn.Embedding(vocabulary, width), nn.Linear(width, vocabulary, bias=False)
        self.blocks = nn.ModuleList(LlamaBlock(width, heads, kv_heads, inner) for _ in range(blocks))
        self.norm = RmsNorm(width)

    def forward(self, words, targets):
        x = self.words(words)
        steps = torch.arange(0, self.size, 2, device=x.device, dtype=torch.float32)
        angles = torch.arange(words.shape[1], device=x.device)[:, None] / 500000.0 ** (steps / self.size)
        angles = torch.cat((angles, angles), -1)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        for block in self.blocks:
            x = block(x, cos, sin)
        logits = self.head(self.norm(x)).float()
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), targets.view(-1))


def convolution(wide, out, size, stride=1):
    return nn.Sequential(nn.Conv2d(wide, out, size, stride, size // 2, bias=False), nn.BatchNorm2d(out))


class Bottleneck(nn.Module):
    def __init__(self, wide, narrow, stride, is_first):
        super().__init__()
        self.convolutions = nn.Sequential(
            convolution(wide, narrow, 1), nn.ReLU(inplace=True), convolution(narrow, narrow, 3, stride), nn.ReLU(inplace=True),
            convolution(narrow, 4 * narrow, 1))
        self.short = convolution(wide, 4 * narrow, 1, stride) if is_first else nn.Identity()

    def forward(self, x):
        y = self.convolutions(x)
        y += self.short(x)
        return F.relu(y, inplace=True)


class ResNet(nn.Module):
    """Version 1.5, channels last."""

    def __init__(self, stages, classes, rows):
        super().__init__()
        layers, wide = [convolution(3, 64, 7, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)], 64
        for stage, blocks in enumerate(stages):
            narrow = 64 * 2**stage
            for block in range(blocks):
                layers.append(Bottleneck(wide, narrow, 2 if stage and block == 0 else 1, block == 0))
                wide = 4 * narrow
        self.layers = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(wide, classes))

    def forward(self, images, targets):
        return F.cross_entropy(self.layers(images), targets)


FAMILIES = {"gpt": Gpt, "bert": Bert, "llama": Llama, "resnet": ResNet}


def model_of(network):
    """The network's module, in training; in bf16 where all of it is."""
    model = FAMILIES[network.family](**network.sizes)
    if network.family == "resnet":
        model = model.to(memory_format=torch.channels_last)
    return model.to(torch.bfloat16) if network.family == "llama" else model


def inputs_of(network, batch, has_mask, device):
    """What the module is called with.

    :param has_mask: a BERT gets a mask of its padding, as transformers' does where it is compiled
    """
    of = network.sizes
    if network.family == "resnet":
        images = torch.randn(batch, 3, of["rows"], of["rows"], device=device).contiguous(memory_format=torch.channels_last)
        return images, torch.randint(of["classes"], (batch,), device=device)
    words = torch.randint(of["vocabulary"], (batch, of["tokens"]), device=device)
    if network.family != "bert":
        return words, torch.roll(words, -1, 1)
    ends = torch.randint(of["tokens"], (2, batch), device=device)
    mask = torch.ones(batch, 1, of["tokens"], of["tokens"], dtype=torch.bool, device=device) if has_mask else None
    return words, torch.zeros_like(words), ends, mask


def optimizer_of(name, parameters, is_captured):
    if name == "sgd_momentum":
        return torch.optim.SGD(parameters, lr=1e-6, momentum=0.9, weight_decay=1e-4)
    more = {"fused": True} if name == "adam_fused" else {"foreach": True}
    return torch.optim.AdamW(parameters, lr=1e-6, capturable=is_captured, **more)


def training_step(step: Step, device="cuda"):
    """A function that runs the step once; its phases are within what `mark` makes of their names."""
    network = NETWORKS[step.network]
    is_compiled, is_captured = step.mode.startswith("compiled"), step.mode.endswith("graph")
    with torch.device(device) if device == "cuda" else contextlib.nullcontext():  # a CPU takes seconds for the first values
        model = model_of(network)
    optimizer = optimizer_of(step.optimizer or OPTIMIZERS[network.family], list(model.parameters()), is_captured)
    inputs = inputs_of(network, step.batch, is_compiled, device)
    # Sizes that differ from those of the model before would be taken as unknown ones.
    called = torch.compile(model, dynamic=False) if is_compiled else model
    is_mixed = network.family != "llama"

    def run(mark=contextlib.nullcontext):
        optimizer.zero_grad(set_to_none=True)
        with mark("phase:forward"), torch.autocast(device, torch.bfloat16, enabled=is_mixed, cache_enabled=not is_captured):
            loss = called(*inputs)
        with mark("phase:backward"):
            loss.backward()
        with mark("phase:optimizer"):
            optimizer.step()

    return run
