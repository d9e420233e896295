"""Recovers the coefficient tables of the MUFU unit from recorded answers.

    python3 fit.py RECORDINGS > ../../crates/isa/src/fp/mufu/tables.rs

RECORDINGS holds what `record` and `pack.py` made, unpacked (`rcp.f0.127.raw.xz`, …).
Needs numpy. Every segment must be explained without a single exception, and by
one choice of coefficients; otherwise the program stops with an error.

The model (docs/mufu.md): value = c0 << C0_SHIFT + c1 * x + c2 * square(x) + bias,
where x is what the table index leaves of the argument and the answer is the
value cut off. Least squares finds c1 and c2 to better than half a unit, then
the answers confine c0 to an interval that must hold exactly one table value.
"""
import lzma
import sys

import numpy as np

X_BITS = 17


def load(directory, name, block):
    """Outputs of one block of inputs; undoes pack.py."""
    with open(f"{directory}/{name}.f0.{block:03d}.raw.xz", "rb") as packed:
        planes = np.frombuffer(lzma.decompress(packed.read()), dtype=np.uint8)
    deltas = planes.reshape(4, -1).T.copy().view(np.uint32).ravel()
    return np.cumsum(deltas, dtype=np.uint32).astype(np.int64) & 0x7FFF_FFFF


def square(x):
    """The truncated squarer: only partial products of weight 2^19 and above."""
    high = x >> 10
    total = 2 * high * high + ((x >> 9) & 1) * 2 * high
    for bit in range(2, 9):
        total += ((x >> bit) & 1) * (high >> (8 - bit))
    return total


def fixed(words, unit):
    """Answers as multiples of 2^unit, and how far each may lie below the value."""
    shift = (words >> 23) - 150 - unit
    value = np.where(words < 1 << 23, 0, words & 0x7F_FFFF | 0x80_0000)
    up, down = np.maximum(shift, 0), np.minimum(np.maximum(-shift, 0), 24)
    assert ((value >> down << down) == value).all(), "unit too coarse"
    return value << up >> down, 1 << up


def segment(value, slack, x, quanta, c0_shift, bias):
    """The only (c0, c1, c2) that explain a segment."""
    sq = square(x)
    terms = np.stack([np.ones(len(x)), x, sq], 1) / slack[:, None]
    scale = np.abs(terms).max(0)
    base = int(value[0])
    fit = np.linalg.lstsq(terms / scale, (value - base + (slack - 1) / 2) / slack, rcond=None)[0] / scale
    found = []
    reach = 2 if abs(fit[1]) > 20 else 16  # a nearly constant segment says little to least squares
    for d1 in range(-reach, reach + 1):
        for d2 in range(-reach, reach + 1):
            c1 = (round(fit[1] / quanta[0]) + d1) * quanta[0]
            c2 = (round(fit[2] / quanta[1]) + d2) * quanta[1]
            rest = value - c1 * x - c2 * sq - bias
            least, most = int(rest.max()), int((rest + slack).min()) - 1
            c0 = most >> c0_shift
            if c0 << c0_shift >= least:
                found.append((c0, c1, c2))
                assert (c0 - 1) << c0_shift < least, "c0 is ambiguous"
    assert len(found) == 1, f"{len(found)} explanations"
    return found[0]


def table(words, unit, c0_shift, bias, quanta=(1, 1), step=1, width=1 << X_BITS, skip_first=False,
          at_least=1):
    """All segments of one block: `width` distinct arguments each, `step` inputs per argument.

    `at_least`: what is cut off at least, where the unit drops bits even of small values.
    """
    value, slack = fixed(words[::step], unit)
    slack = np.maximum(slack, at_least)
    rows = []
    for at in range(0, len(value), width):
        x = np.arange(width, dtype=np.int64) * ((1 << X_BITS) // width)
        cut = slice(1 if skip_first and not at else 0, width)
        rows.append(segment(value[at:at + width][cut], slack[at:at + width][cut], x[cut], quanta, c0_shift, bias))
    return rows


def emit(name, meaning, rows):
    print(f"\n/// {meaning}\n#[rustfmt::skip]\npub(super) const {name}: [Row; {len(rows)}] = [")
    for row in rows:
        print("    Row { c0: %d, c1: %d, c2: %d }," % row)
    print("];")


def main(directory):
    print("//! Coefficients of the MUFU unit. Made by `oracles/mufu/fit.py` from")
    print("//! recorded answers; do not edit.\n")
    print("use super::interpolate::Row;")
    get = lambda name, block: load(directory, name, block)
    # One below a power of two the answers have 2^-24 as their last bit, so the
    # unit 2^-40 leaves 16 bits below it.
    emit("RCP", "1/m for m in [1, 2), unit 2^-40.",
         table(get("rcp", 127), -40, 14, 4047, step=1, width=1 << 16))
    emit("RSQ", "1/sqrt(m) for m in [1, 2), then [2, 4), unit 2^-40.",
         table(get("rsq", 127), -40, 14, -1, skip_first=True)
         + table(get("rsq", 128), -40, 14, -1))
    emit("SQRT", "sqrt(m) for m in [1, 2), then [2, 4), unit 2^-40.",
         table(get("sqrt", 127), -40, 15, -1, (1, 2))
         + table(get("sqrt", 128), -40, 15, -1, (1, 2)))
    emit("EX2", "2^f for f in [0, 1), unit 2^-38.",
         table(get("ex2", 127) - (1 << 23), -38, 13, 6114, (1, 1)))
    emit("LG2", "log2(m) for m in [1, 2), unit 2^-38.",
         table(get("lg2", 127), -38, 12, 837, (1, 2), skip_first=True, at_least=4))
    emit("SIN", "sin(pi/2 * f) for f in [0, 1), unit 2^-38.",
         table(get("cos", 125), -38, 12, 0, (1, 1)))
    rows = []
    for block, step in TANH_STEPS:
        rows += table(get("tanh", block), min(block, 126) - 166, 16, 0, step=step)
    emit("TANH", "tanh(x) for x in [2^-8, 8), unit 2^-40 times the block's scale.", rows)


# Inputs per distinct argument in each block of tanh.
TANH_STEPS = [(119, 64), (120, 64), (121, 64), (122, 32), (123, 32), (124, 16), (125, 16),
              (126, 16), (127, 8), (128, 4), (129, 8)]

if __name__ == "__main__":
    main(sys.argv[1])
