"""One Triton kernel, for campaigns: softmax over the rows of a matrix. There is no PyTorch
here: memory comes from the driver."""

import ctypes

import numpy as np
import triton
import triton.language as tl

ROWS, COLUMNS = 8, 100
driver = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    error = getattr(driver, name)(*arguments)
    assert error == 0, f"{name} gives {error}"


class Memory:
    """Room for an array of NumPy's, in the least that Triton takes for a tensor."""

    def __init__(self, array):
        self.array, self.dtype, self.at = array, str(array.dtype), ctypes.c_uint64()
        self.bytes = ctypes.c_size_t(array.nbytes)
        call("cuMemAlloc_v2", ctypes.byref(self.at), self.bytes)
        call("cuMemcpyHtoD_v2", self.at, ctypes.c_void_p(array.ctypes.data), self.bytes)

    def data_ptr(self):
        return self.at.value

    def read(self):
        call("cuMemcpyDtoH_v2", ctypes.c_void_p(self.array.ctypes.data), self.at, self.bytes)
        return self.array


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    e = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + at, e / tl.sum(e, axis=0), mask=at < columns)


context = ctypes.c_uint64()
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)

numbers = np.random.default_rng(1).standard_normal((ROWS, COLUMNS)).astype(np.float32)
out = Memory(np.zeros_like(numbers))
softmax[(ROWS,)](Memory(numbers.copy()), out, COLUMNS, BLOCK=128)
e = np.exp(numbers - numbers.max(1, keepdims=True))
assert np.abs(out.read() - e / e.sum(1, keepdims=True)).max() < 1e-5
print("softmax agrees")
