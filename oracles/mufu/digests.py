"""Turns recordings into what the tests read.

    python3 digests.py RECORDINGS .

digests.bin: 64-bit little-endian digests of single precision, 512 blocks per function,
from the digests.txt of `record`. half-digests.txt: the same digest over all inputs of the
half formats, from the raw outputs. Needs numpy.
"""
import lzma
import struct
import sys

import numpy as np

NAMES = ["cos", "sin", "ex2", "lg2", "rcp", "rsq", "rcp64h", "rsq64h", "sqrt", "tanh"]


def digest(outputs):
    """The digest of mufu.cu over inputs 0, 1, 2, …"""
    z = (np.arange(len(outputs), dtype=np.uint64) << np.uint64(32)) | outputs.astype(np.uint64)
    z += np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return int((z ^ (z >> np.uint64(31))).sum(dtype=np.uint64))


def main(recordings, into):
    table = {}
    for line in open(f"{recordings}/digests.txt"):
        name, block, value = line.split()
        table[name, int(block)] = int(value, 16)
    with open(f"{into}/digests.bin", "wb") as out:
        for name in NAMES:
            for block in range(512):
                out.write(struct.pack("<Q", table[name, block]))
    with open(f"{into}/half-digests.txt", "w") as out:
        for number, label in ((1, "f16"), (2, "bf16")):
            for name in NAMES:
                if name.endswith("64h"):
                    continue
                with open(f"{recordings}/{name}.f{number}.000.raw.xz", "rb") as packed:
                    planes = np.frombuffer(lzma.decompress(packed.read()), dtype=np.uint8)
                deltas = planes.reshape(4, -1).T.copy().view(np.uint32).ravel()
                out.write(f"{name} {label} {digest(np.cumsum(deltas, dtype=np.uint32)):016x}\n")


if __name__ == "__main__":
    main(*sys.argv[1:3])
