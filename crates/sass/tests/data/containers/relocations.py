#!/usr/bin/env python3
"""Asks the device linker what each relocation type does.

    python3 relocations.py path/to/nvlink > relocations.txt

Takes a relocatable object, gives one of its relocations every type number in
turn, fills the patched word with a pattern, links, and prints the word after:

    type  symbol's offset  symbol's bank  addend (or held)  word before  word after

Types that the linker leaves to the loader or refuses are left out.
"""
import struct
import subprocess
import sys
import tempfile

OBJECT = "data.sm_75.object.cubin"
PATTERNS = (0, (1 << 128) - 1, 0x0123456789ABCDEF_FEDCBA9876543210)


class Cubin:
    def __init__(self, data):
        self.data = bytearray(data)
        table, = struct.unpack_from("<Q", data, 0x28)
        count, names = struct.unpack_from("<HH", data, 0x3C)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]
        self.names = [self.text(self.sections[names][4] + s[0]) for s in self.sections]

    def text(self, at):
        return self.data[at:self.data.index(0, at)].decode()

    def offset(self, name):
        return self.sections[self.names.index(name)][4]

    def symbol(self, index):
        table = self.sections[self.names.index(".symtab")]
        at = table[4] + 24 * index
        name, value = struct.unpack_from("<I", self.data, at)[0], struct.unpack_from("<Q", self.data, at + 8)[0]
        return self.text(self.sections[table[6]][4] + name), value

    def relocations(self, kind):
        for section, name in zip(self.sections, self.names):
            if name == kind:
                for k in range(section[5] // section[9]):
                    at = section[4] + k * section[9]
                    offset, info = struct.unpack_from("<QQ", self.data, at)
                    yield at, offset, info >> 32


def link(nvlink, data):
    with tempfile.TemporaryDirectory() as folder:
        open(folder + "/in.cubin", "wb").write(data)
        done = subprocess.run([nvlink, "-arch=sm_75", folder + "/in.cubin", "-o", folder + "/out.cubin"],
                              capture_output=True)
        return Cubin(open(folder + "/out.cubin", "rb").read()) if done.returncode == 0 else None


def unresolved(cubin, offset, number):
    kept = [*cubin.relocations(".rel.text.use_data"), *cubin.relocations(".rela.text.use_data")]
    return any(o == offset and cubin.data[at + 8] == number for at, o, _ in kept)


def record(nvlink, table, wanted, bank, addend, numbers):
    original = Cubin(open(OBJECT, "rb").read())
    at, offset, index = next(r for r in original.relocations(table) if original.symbol(r[2])[0].startswith(wanted))
    for number in numbers:
        for before in PATTERNS:
            data = bytearray(original.data)
            struct.pack_into("<I", data, at + 8, number)
            if addend is not None:
                struct.pack_into("<q", data, at + 16, addend)
            word = original.offset(".text.use_data") + offset
            data[word:word + 16] = before.to_bytes(16, "little")
            linked = link(nvlink, data)
            if linked is None or unresolved(linked, offset, number):
                continue
            start = linked.offset(".text.use_data") + offset
            after = int.from_bytes(linked.data[start:start + 16], "little")
            value = next((v for n, v in map(linked.symbol, range(1, 40)) if n == wanted), 0) if bank else 0
            held = "held" if addend is None else f"{addend:#x}"
            print(f"{number} {value:#x} {bank} {held} {before:032x} {after:032x}")


def main():
    nvlink = sys.argv[1]
    shared = "$___ZZ8use_dataE5other"
    # A shared variable that the linker puts at offset 0, with an addend of our choice.
    plain = [1, 2, 55, 56, 57, 59, 60, 70, 71, 72, 73, 74, *range(76, 84), 100]
    record(nvlink, ".rela.text.use_data", shared, 0, 0x123456789ABCDEF5, plain)
    # A constant at offset 8 of bank 3, the addend held in the word.
    record(nvlink, ".rel.text.use_data", "coefficients", 3, None, [1, 2, 55, 56, 59, 60, 64, 66, 70, 74, 100])


main()
