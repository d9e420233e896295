"""Kernels in Numba on the device, beside NumPy."""

import math
import warnings

import numpy as np
from numba import cuda, float32, int32

warnings.simplefilter("ignore")
random = np.random.default_rng(1)


def check(name, got, wanted):
    worst = np.abs(np.asarray(got, dtype=np.float64) - wanted).max()
    assert worst < 1e-5, f"{name}: {worst} apart"
    print(name, "agrees")


@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@cuda.jit
def saxpy(k, x, y):
    for i in range(cuda.grid(1), y.size, cuda.gridsize(1)):
        y[i] += k * x[i]


@cuda.jit
def transpose(a, out):
    x, y = cuda.grid(2)
    if x < a.shape[0] and y < a.shape[1]:
        out[y, x] = a[x, y]


@cuda.jit
def sums(a, out):
    part = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    part[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    half = 32
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


@cuda.jit
def product(a, b, c):
    ta = cuda.shared.array((8, 8), float32)
    tb = cuda.shared.array((8, 8), float32)
    x, y = cuda.grid(2)
    i, j = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for k in range(a.shape[1] // 8):
        ta[i, j] = a[x, k * 8 + j]
        tb[i, j] = b[k * 8 + i, y]
        cuda.syncthreads()
        for n in range(8):
            total += ta[i, n] * tb[n, j]
        cuda.syncthreads()
    c[x, y] = total


@cuda.jit
def histogram(a, bins):
    i = cuda.grid(1)
    if i < a.size:
        cuda.atomic.add(bins, a[i], 1)


@cuda.jit(device=True)
def polynomial(x):
    return 3 * x * x - 2 * x + 1


@cuda.jit
def evaluate(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = polynomial(a[i])


@cuda.jit
def functions(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = math.sin(a[i]) + math.exp(-a[i] * a[i]) + math.sqrt(math.fabs(a[i]))


@cuda.jit
def warp_sum(a, out):
    v = a[cuda.grid(1)]
    offset = 16
    while offset > 0:
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, offset)
        offset //= 2
    if cuda.laneid == 0:
        out[cuda.grid(1) // 32] = v


@cuda.jit
def sorted_eights(a, out):
    own = cuda.local.array(8, int32)
    t = cuda.grid(1)
    for i in range(8):
        own[i] = a[t * 8 + i]
    for i in range(8):
        for j in range(7 - i):
            if own[j] > own[j + 1]:
                own[j], own[j + 1] = own[j + 1], own[j]
    for i in range(8):
        out[t * 8 + i] = own[i]


x = random.standard_normal(256).astype(np.float32)
y = random.standard_normal(256).astype(np.float32)
m = random.standard_normal((16, 24)).astype(np.float32)
n = random.standard_normal((24, 16)).astype(np.float32)
whole = random.integers(0, 16, 256).astype(np.int32)

out = np.zeros_like(x)
add[4, 64](x, y, out)
check("add", out, x + y)

device = cuda.to_device(y)
stream = cuda.stream()
saxpy[2, 32, stream](2.5, cuda.to_device(x, stream=stream), device)
stream.synchronize()
check("saxpy in a stream", device.copy_to_host(), 2.5 * x + y)

flipped = np.zeros((24, 16), np.float32)
transpose[(2, 3), (8, 8)](m, flipped)
check("transpose", flipped, m.T)

parts = np.zeros(4, np.float32)
sums[4, 64](x, parts)
check("sums in shared memory", parts, x.reshape(4, 64).sum(1))

square = np.zeros((16, 16), np.float32)
product[(2, 2), (8, 8)](m, n, square)
check("matrix product in tiles", square, m @ n)

bins = np.zeros(16, np.int32)
histogram[4, 64](whole, bins)
check("histogram", bins, np.bincount(whole, minlength=16))

evaluate[4, 64](x, out)
check("device function", out, 3 * x * x - 2 * x + 1)

functions[4, 64](x, out)
check("mathematical functions", out, np.sin(x) + np.exp(-x * x) + np.sqrt(np.abs(x)))

lanes = np.zeros(8, np.int32)
warp_sum[4, 64](whole, lanes)
check("sums by shuffles", lanes, whole.reshape(8, 32).sum(1))

eights = np.zeros_like(whole)
sorted_eights[1, 32](whole, eights)
check("local arrays", eights, np.sort(whole.reshape(32, 8), axis=1).ravel())

managed = cuda.mapped_array(256, dtype=np.float32)
managed[:] = x
saxpy[2, 64](1.0, y, managed)
cuda.synchronize()
check("mapped memory", managed, x + y)
