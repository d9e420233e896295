#!/usr/bin/env python3
"""Condenses `cuobjdump -elf` of each cubin to the lines that the loader's test prints.

    python3 oracle.py path/to/cuobjdump *.cubin > expected.txt

cuobjdump 13.x reads all of them. Everything is taken from its text, nothing
from the files themselves.
"""
import re
import subprocess
import sys


def blocks(text):
    """Named parts of the dump: a line that starts with a dot opens one."""
    parts, name = {}, ""
    for line in text.splitlines():
        found = re.match(r"(?:\.section )?(\.[^\s]+)(\s+RELA?)?$", line)
        if found:
            name = found.group(1)
            parts.setdefault(name, [])
        else:
            parts.setdefault(name, []).append(line)
    return parts


def attributes(lines):
    """(name, value text) of each attribute of an .nv.info part."""
    for chunk in re.split(r"\n\t<0x[0-9]+>\n", "\n" + "\n".join(lines)):
        name = re.search(r"Attribute:\s*(\S.*)", chunk)
        value = re.search(r"Value:\s*([\s\S]*)", chunk)
        if name:
            yield name.group(1).strip(), value.group(1) if value else ""


def numbers(value):
    return [int(n, 16) for n in re.findall(r"0x([0-9a-f]+)", value)]


def condense(path, tool):
    text = subprocess.run([tool, "-elf", path], capture_output=True, text=True, errors="replace").stdout
    head = re.search(r"type=(\S+), .*?sm=(\d+)", text)
    parts = blocks(text)
    sections = []
    for line in parts.get("", []):
        f = line.split()
        if len(f) >= 10 and re.fullmatch(r"[0-9a-f]+", f[0]):
            sections.append({"index": int(f[0], 16), "size": int(f[2], 16), "align": int(f[4], 16),
                             "flags": int(f[-4], 16), "info": int(f[-2], 16), "name": f[-1]})
    by_name = {s["name"]: s for s in sections}
    by_index = {s["index"]: s for s in sections}
    symbols = []
    for line in parts.get(".symtab", []):
        f = line.split()
        if len(f) >= 7 and f[0] != "index":
            symbols.append({"value": int(f[1], 16), "size": int(f[2], 16), "info": int(f[3], 16),
                            "other": int(f[4], 16), "section": int(f[5], 16), "name": f[6]})
    registers, frame, depth = {}, {}, {}
    for name, value in attributes(parts.get(".nv.info", [])):
        of = re.search(r"function: (\S+)\(0x", value)
        if not of:
            continue
        if name == "EIATTR_REGCOUNT":
            registers[of.group(1)] = int(re.search(r"count: (\d+)", value).group(1))
        elif name == "EIATTR_FRAME_SIZE":
            frame[of.group(1)] = numbers(value.split("size:")[1])[0]
        elif name == "EIATTR_MIN_STACK_SIZE":
            depth[of.group(1)] = numbers(value.split("size:")[1])[0]
    out = [f"== {path.rsplit('/', 1)[-1]} sm_{head.group(2)}"]
    for symbol in symbols:
        section = by_index.get(symbol["section"], {"name": ""})["name"]
        if symbol["info"] & 15 == 2 and section.startswith(".text.") and not symbol["other"] & 0x10:
            out.append(f"function {symbol['name']} in {section} at {symbol['value']:#x} size {symbol['size']:#x} frame {frame.get(symbol['name'], 0):#x}")
        if symbol["info"] & 15 == 1 and section.startswith((".nv.global", ".nv.constant3")):
            out.append(f"variable {symbol['name']} in {section} at {symbol['value']:#x} size {symbol['size']:#x}")
        if symbol["info"] & 15 in (10, 11, 12):
            out.append(f"reference {symbol['name']}")
        if not (symbol["info"] & 15 == 2 and symbol["other"] & 0x10):
            continue
        name = symbol["name"]
        barriers = by_name[section]["flags"] >> 20 & 0x7F
        deep = depth.get(name, 0xFFFFFFFF)
        lines, base, size = [], 0, 0
        for attribute, value in attributes(parts.get(".nv.info." + name, [])):
            n = numbers(value)
            if attribute.startswith("EIATTR_KPARAM_INFO"):
                lines.append((n[1], f"  param {n[1]} offset {n[2]:#x} size {n[3]:#x}"))
            elif attribute == "EIATTR_PARAM_CBANK":
                base, size = n[1] & 0xFFFF, n[1] >> 16
            elif attribute == "EIATTR_NUM_BARRIERS":
                barriers = n[0]
            elif attribute == "EIATTR_EXIT_INSTR_OFFSETS":
                lines.append((1 << 20, "  exits" + "".join(f" {x:#x}" for x in n)))
            elif attribute == "EIATTR_MAX_THREADS":
                lines.append((1 << 21, "  at most" + "".join(f" {x}" for x in n) + " threads"))
            elif attribute == "EIATTR_REQNTID":
                lines.append((1 << 22, "  exactly" + "".join(f" {x}" for x in n) + " threads"))
        for s in sections:
            owned = by_index.get(s["info"], {"name": ""})["name"] == section
            bank = re.match(r"\.nv\.constant(\d+)\.", s["name"])
            if owned and bank:
                lines.append(((1 << 24) + int(bank.group(1)), f"  bank {bank.group(1)} size {s['size']:#x}"))
            if owned and s["name"].startswith(".nv.shared."):
                lines.append((1 << 23, f"  shared {s['size']:#x} align {s['align']}"))
        deep = "unknown" if deep == 0xFFFFFFFF else hex(deep)
        out.append(f"kernel {name} code {by_name[section]['size']:#x} registers {registers[name]} barriers {barriers} frame {frame[name]:#x} depth {deep} params {base:#x}+{size:#x}")
        out += [line for _, line in sorted(lines)]
    for s in sorted(sections, key=lambda s: s["name"]):
        bank = re.fullmatch(r"\.nv\.constant(\d+)", s["name"])
        if bank:
            out.append(f"bank {bank.group(1)} size {s['size']:#x}")
    for name in (".nv.global.init", ".nv.global"):
        if name in by_name:
            out.append(f"{name} size {by_name[name]['size']:#x} align {by_name[name]['align']}")
    relocations = []
    for name, lines in parts.items():
        found = re.match(r"\.rela?(\.(?:text|nv\.constant|nv\.global).*)", name)
        for line in lines if found else []:
            f = line.split()
            if len(f) >= 3 and f[2].startswith("R_CUDA"):
                addend = int(f[3], 16) if len(f) > 3 else None
                addend = "held" if addend is None else f"{addend:#x}"
                relocations.append(f"relocation {found.group(1)}+{int(f[0], 16):#06x} {f[2]} {f[1]} {addend}")
    return out + sorted(relocations)


def main():
    tool, *paths = sys.argv[1:]
    for path in sorted(paths):
        print("\n".join(condense(path, tool)))


main()
