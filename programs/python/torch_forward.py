"""The forward pass of a small network with PyTorch's own kernels, beside its CPU.

A convolution (unfolded), batch norm, relu, pooling, two linear layers, layer norm, gelu,
attention over four places and a softmax. Products of matrices are written as products of
elements and sums: `torch.matmul` would ask cuBLAS, which has NVIDIA's runtime inside."""

import torch
import torch.nn.functional as F

torch.manual_seed(1)


def product(a, b):
    """a @ b of the last two dimensions."""
    return (a.unsqueeze(-1) * b.unsqueeze(-3)).sum(-2)


def linear(x, weight, bias):
    return product(x, weight.transpose(-1, -2)) + bias


def convolution(x, weight, bias):
    """3 x 3, padded: its windows side by side, then a product."""
    n, _, height, width = x.shape
    padded = F.pad(x, (1, 1, 1, 1))
    windows = padded.unfold(2, 3, 1).unfold(3, 3, 1)
    rows = windows.permute(0, 2, 3, 1, 4, 5).reshape(n, height * width, -1)
    out = linear(rows, weight.reshape(weight.shape[0], -1), bias)
    return out.transpose(1, 2).reshape(n, -1, height, width)


def pool(x):
    n, channels, height, width = x.shape
    return x.reshape(n, channels, height // 2, 2, width // 2, 2).amax((3, 5))


def layer_norm(x, weight, bias):
    mean = x.mean(-1, keepdim=True)
    apart = x - mean
    return apart * torch.rsqrt((apart * apart).mean(-1, keepdim=True) + 1e-5) * weight + bias


def attention(x, queries, keys, values):
    q, k, v = (product(x, w) for w in (queries, keys, values))
    scores = product(q, k.transpose(-1, -2)) / q.shape[-1] ** 0.5
    return product(torch.softmax(scores, -1), v)


WEIGHTS = {
    "conv": torch.randn(4, 2, 3, 3) * 0.3,
    "conv_bias": torch.randn(4) * 0.1,
    "mean": torch.randn(4) * 0.1,
    "variance": torch.rand(4) + 0.5,
    "first": torch.randn(16, 16) * 0.25,
    "first_bias": torch.randn(16) * 0.1,
    "scale": torch.rand(16) + 0.5,
    "shift": torch.randn(16) * 0.1,
    "queries": torch.randn(16, 8) * 0.25,
    "keys": torch.randn(16, 8) * 0.25,
    "values": torch.randn(16, 8) * 0.25,
    "last": torch.randn(5, 8) * 0.3,
    "last_bias": torch.randn(5) * 0.1,
}


def forward(x, w):
    """The results of its layers, by name."""
    layers = {}
    layers["convolution"] = x = convolution(x, w["conv"], w["conv_bias"])
    mean, variance = (w[n].view(1, -1, 1, 1) for n in ("mean", "variance"))
    layers["batch norm and relu"] = x = torch.relu((x - mean) / torch.sqrt(variance + 1e-5))
    layers["pooling"] = x = pool(x)
    x = x.flatten(2)
    layers["linear"] = x = linear(x, w["first"], w["first_bias"])
    layers["layer norm"] = x = layer_norm(x, w["scale"], w["shift"])
    layers["PyTorch's layer norm"] = x = F.layer_norm(x, (16,), w["scale"], w["shift"])
    layers["gelu"] = x = F.gelu(x)
    layers["attention"] = x = attention(x, w["queries"], w["keys"], w["values"])
    layers["scores"] = x = linear(x.mean(1), w["last"], w["last_bias"])
    layers["softmax"] = x = torch.softmax(x, -1)
    layers["log softmax"] = torch.log_softmax(x, -1)
    layers["class"] = x.argmax(-1)
    return layers


with torch.no_grad():
    x = torch.randn(2, 2, 8, 8)
    wanted = forward(x, WEIGHTS)
    got = forward(x.cuda(), {name: w.cuda() for name, w in WEIGHTS.items()})
    for name, there in got.items():
        worst = (there.cpu().double() - wanted[name].double()).abs().max().item()
        assert worst < 1e-5, f"{name}: {worst} apart"
        print(name, "agrees", flush=True)
