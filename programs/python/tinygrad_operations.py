"""Operations of tinygrad on the device, beside NumPy's: each a kernel or a few."""

import os

os.environ["DEV"] = "CUDA"

import numpy as np
from tinygrad import Tensor

random = np.random.default_rng(1)
A = random.standard_normal((16, 24), dtype=np.float32)
B = random.standard_normal((24, 8), dtype=np.float32)
X = random.standard_normal((1, 2, 8, 8), dtype=np.float32)
W = random.standard_normal((3, 2, 3, 3), dtype=np.float32)


def check(name, got, wanted):
    worst = np.abs(got.numpy().astype(np.float64) - wanted).max()
    assert worst < 1e-5, f"{name}: {worst} apart"
    print(name, "agrees")


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def convolution(x, w):
    out = np.zeros((1, 3, 6, 6))
    for o, y, z in np.ndindex(3, 6, 6):
        out[0, o, y, z] = (x[0, :, y : y + 3, z : z + 3] * w[o]).sum()
    return out


a, b = Tensor(A), Tensor(B)
check("sum of products", a * 2 + 1, A * 2 + 1)
check("matrix product", a @ b, A @ B)
check("softmax", a.softmax(1), softmax(A))
check("relu", a.relu(), np.maximum(A, 0))
check("sums", a.sum(0), A.sum(0))
check("mean", a.mean(), A.mean())
check("exponentials", (a * 0.1).exp(), np.exp(A * 0.1))
check("transpose", a.T.contiguous(), A.T)
check("largest", a.argmax(1), A.argmax(1))
check("convolution", Tensor(X).conv2d(Tensor(W)), convolution(X, W))
check("running sums", a.cumsum(1), A.cumsum(1))
