"""Kernels in Triton on the device, beside NumPy. There is no PyTorch here: memory comes
from the driver, in the least that Triton takes for a tensor."""

import ctypes
from math import erf

import numpy as np
import triton
import triton.language as tl

driver = ctypes.CDLL("libcuda.so.1")
random = np.random.default_rng(1)


def call(name, *arguments):
    error = getattr(driver, name)(*arguments)
    assert error == 0, f"{name} gives {error}"


class Memory:
    """An array of NumPy's on the device."""

    def __init__(self, array):
        self.array = np.ascontiguousarray(array)
        self.dtype = str(self.array.dtype)
        self.at = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(self.at), ctypes.c_size_t(self.array.nbytes))
        bytes = ctypes.c_size_t(self.array.nbytes)
        call("cuMemcpyHtoD_v2", self.at, ctypes.c_void_p(self.array.ctypes.data), bytes)

    def data_ptr(self):
        return self.at.value

    def read(self):
        out = np.empty_like(self.array)
        bytes = ctypes.c_size_t(out.nbytes)
        call("cuMemcpyDtoH_v2", ctypes.c_void_p(out.ctypes.data), self.at, bytes)
        return out


def like(*shape, dtype=np.float32):
    return Memory(np.zeros(shape, dtype))


def check(name, got, wanted):
    worst = np.abs(got.read().astype(np.float64) - wanted).max()
    assert worst < 1e-5, f"{name}: {worst} apart"
    print(name, "agrees", flush=True)


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    e = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + at, e / tl.sum(e, axis=0), mask=at < columns)


@triton.jit
def total(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + at, mask=at < n, other=0), axis=0))


@triton.jit
def product(a, b, c, M: tl.constexpr, K: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    out = tl.zeros((M, N), dtype=tl.float32)
    for k in range(K):
        column = tl.load(a + m * K + k)
        row = tl.load(b + k * N + n)
        out += column[:, None] * row[None, :]
    tl.store(c + m[:, None] * N + n[None, :], out)


@triton.jit
def gelu(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    tl.store(out + at, 0.5 * v * (1 + tl.erf(v * 0.7071067811865476)), mask=at < n)


@triton.jit
def norm(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + at, mask=at < columns, other=0.0)
    mean = tl.sum(v, axis=0) / columns
    d = tl.where(at < columns, v - mean, 0.0)
    tl.store(out + row * columns + at, d / tl.sqrt(tl.sum(d * d, axis=0) / columns + 1e-5),
             mask=at < columns)


@triton.jit
def running(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.cumsum(tl.load(x + at), axis=0))


@triton.jit
def transpose(x, out, R: tl.constexpr, C: tl.constexpr):
    r, c = tl.arange(0, R), tl.arange(0, C)
    tile = tl.load(x + r[:, None] * C + c[None, :])
    tl.store(out + c[:, None] * R + r[None, :], tl.trans(tile))


@triton.jit
def largest(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    tl.store(out + row, tl.argmax(v, axis=0))


@triton.jit
def threshold(x, out, n, limit, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    tl.store(out + at, tl.where(v > limit, v, limit * 0.5), mask=at < n)


context = ctypes.c_uint64()
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)

X = random.standard_normal(300).astype(np.float32)
Y = random.standard_normal(300).astype(np.float32)
R = random.standard_normal((4, 50)).astype(np.float32)
A = random.standard_normal((16, 12)).astype(np.float32)
B = random.standard_normal((12, 32)).astype(np.float32)
whole = random.integers(0, 100, 300).astype(np.int32)
x, y, r = Memory(X), Memory(Y), Memory(R)

out = like(300)
add[(3,)](x, y, out, 300, BLOCK=128)
check("add", out, X + Y)

out = like(4, 50)
softmax[(4,)](r, out, 50, BLOCK=64)
E = np.exp(R - R.max(1, keepdims=True))
check("softmax", out, E / E.sum(1, keepdims=True))

out = like(1, dtype=np.int32)
total[(3,)](Memory(whole), out, 300, BLOCK=128)
check("sum by atomics", out, whole.sum())

out = like(16, 32)
product[(1,)](Memory(A), Memory(B), out, 16, 12, 32)
check("matrix product", out, A @ B)

out = like(300)
gelu[(3,)](x, out, 300, BLOCK=128)
check("gelu", out, [0.5 * v * (1 + erf(v * 0.7071067811865476)) for v in X])

out = like(4, 50)
norm[(4,)](r, out, 50, BLOCK=64)
check("layer norm", out, (R - R.mean(1, keepdims=True)) / np.sqrt(R.var(1, keepdims=True) + 1e-5))

out = like(128, dtype=np.int32)
running[(1,)](Memory(whole[:128]), out, BLOCK=128)
check("running sums", out, whole[:128].cumsum())

square = random.standard_normal((16, 32)).astype(np.float32)
out = like(32, 16)
transpose[(1,)](Memory(square), out, 16, 32)
check("transpose", out, square.T)

out = like(4, dtype=np.int32)
largest[(4,)](r, out, 50, BLOCK=64)
check("largest", out, R.argmax(1))

out = like(300)
threshold[(3,)](x, out, 300, 0.25, BLOCK=128)
check("threshold", out, np.where(X > np.float32(0.25), X, np.float32(0.125)))
