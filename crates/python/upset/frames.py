"""Tables as pandas or polars frames, with types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ._error import Error

#: Texts that few rows differ in; every other text is a text.
CATEGORIES = frozenset(
    "store app scale command chip kernel kernel_name window structure model spread sampling "
    "class cause_kind how interval hit_structure hit_part hit_kernel hit_function hit_register "
    "sdc_element noticed_layers noticed_first over codes instruction register source "
    "app_a app_b scale_a scale_b chip_a chip_b level figure test".split()
)

#: A column of a store: name, kind, words, values and presence as bytes.
Column = tuple[str, str, list[str], bytes, bytes]


def _module(frame: str) -> Any:
    if frame not in ("pandas", "polars"):
        raise Error(f"no frames of {frame!r}: give pandas or polars", 2)
    try:
        return __import__(frame)
    except ImportError as e:
        raise Error(f"{frame} is not installed: pip install {frame}", 3) from e


def of_columns(stores: Sequence[tuple[str, list[Column]]], frame: str) -> Any:
    """The experiments of stores, one below the other."""
    module = _module(frame)
    make = _pandas_column if frame == "pandas" else _polars_column
    rows = [len(columns[0][4]) for _, columns in stores]
    data = {"store": make(module, _repeated([name for name, _ in stores], rows))}
    for parts in zip(*(columns for _, columns in stores)):
        data[parts[0][0]] = make(module, _joined(parts))
    return module.DataFrame(data)


def _repeated(names: Sequence[str], rows: Sequence[int]) -> Column:
    words = list(dict.fromkeys(names))
    codes = (words.index(name).to_bytes(4, _order()) * n for name, n in zip(names, rows))
    return ("store", "text", words, b"".join(codes), b"\1" * sum(rows))


def _joined(parts: Sequence[Column]) -> Column:
    """The same column of several stores as one."""
    name, kind, words, values, present = parts[0]
    if len(parts) == 1:
        return parts[0]
    if kind != "text":
        return (name, kind, [], b"".join(p[3] for p in parts), b"".join(p[4] for p in parts))
    known: dict[str, int] = {}
    codes = bytearray()
    for _, _, words, values, _ in parts:
        new = [known.setdefault(word, len(known)) for word in words]
        for code in memoryview(values).cast("I"):
            codes += new[code].to_bytes(4, _order())
    return (name, kind, list(known), bytes(codes), b"".join(p[4] for p in parts))


def _order() -> Any:
    import sys

    return sys.byteorder


def _pandas_column(pandas: Any, column: Column) -> Any:
    import numpy

    name, kind, words, values, present = column
    missing = numpy.frombuffer(present, numpy.uint8) == 0
    if kind == "integer":
        numbers = numpy.frombuffer(values, numpy.int64).copy()
        return pandas.arrays.IntegerArray(numbers, missing)
    if kind == "real":
        reals = numpy.frombuffer(values, numpy.float64).copy()
        reals[missing] = numpy.nan
        return reals
    if kind == "bool":
        return pandas.arrays.BooleanArray(numpy.frombuffer(values, numpy.bool_).copy(), missing)
    codes = numpy.frombuffer(values, numpy.uint32).astype(numpy.int64)
    if name in CATEGORIES:
        return pandas.Categorical.from_codes(codes, categories=words)
    return pandas.array(numpy.array(words, dtype=object)[codes], dtype="string")


def _polars_column(polars: Any, column: Column) -> Any:
    name, kind, words, values, present = column
    if kind == "text":
        texts = [words[code] for code in memoryview(values).cast("I")]
        dtype = polars.Categorical if name in CATEGORIES else polars.String
        return polars.Series(name, texts, dtype=polars.String).cast(dtype)
    form, dtype = {
        "integer": ("q", polars.Int64),
        "real": ("d", polars.Float64),
        "bool": ("?", polars.Boolean),
    }[kind]
    numbers = (v if p else None for v, p in zip(memoryview(values).cast(form), present))
    return polars.Series(name, list(numbers), dtype=dtype)


def of_records(
    records: Iterable[dict[str, Any]], frame: str, estimates: Sequence[str] = ()
) -> Any:
    """A row for each record, with its ``estimates`` in three columns each."""
    module = _module(frame)
    rows = [flat(record, estimates) for record in records]
    names = list(dict.fromkeys(name for row in rows for name in row))
    data = {
        name: _typed(module, frame, name, [row.get(name) for row in rows]) for name in names
    }
    return module.DataFrame(data)


def flat(record: dict[str, Any], estimates: Sequence[str]) -> dict[str, Any]:
    """``{"avf": {"value": 0.1, "low": 0.05, "high": 0.2}}`` becomes ``avf``, ``avf_low`` and
    ``avf_high``; codes are joined. Other lists and nested things are left out: the
    report's ``json`` has them."""
    row: dict[str, Any] = {}
    for name, value in record.items():
        if name in estimates:
            e = value or {}
            row[name] = e.get("value")
            row[f"{name}_low"], row[f"{name}_high"] = e.get("low"), e.get("high")
        elif name == "codes":
            row[name] = " ".join(value)
        elif not isinstance(value, (dict, list)):
            row[name] = value
    return row


def _typed(module: Any, frame: str, name: str, values: list[Any]) -> Any:
    known = [v for v in values if v is not None]
    if name in CATEGORIES:
        kind = "category"
    elif known and all(isinstance(v, bool) for v in known):
        kind = "bool"
    elif known and all(isinstance(v, int) for v in known):
        kind = "integer"
    elif known and all(isinstance(v, str) for v in known):
        kind = "text"
    else:
        kind = "real"
    if frame == "polars":
        dtype = {
            "category": module.Categorical,
            "bool": module.Boolean,
            "integer": module.Int64,
            "text": module.String,
            "real": module.Float64,
        }[kind]
        first = module.String if kind == "category" else dtype
        return module.Series(name, values, dtype=first).cast(dtype)
    if kind == "category":
        return module.Categorical(values, categories=list(dict.fromkeys(known)))
    dtypes = {"bool": "boolean", "integer": "Int64", "text": "string", "real": "float64"}
    empty = float("nan") if kind == "real" else None
    return module.array([empty if v is None else v for v in values], dtype=dtypes[kind])
