"""Intervals and colours, from the code that makes the report."""

from __future__ import annotations

from typing import NamedTuple

from . import _upset


class Interval(NamedTuple):
    """Two limits."""

    low: float
    high: float


def interval(
    k: int, n: int, confidence: float = 0.95, method: str = "clopper-pearson"
) -> Interval:
    """The interval of a share: something happened in ``k`` of ``n`` runs.

    ``method`` is ``clopper-pearson``, which never covers less than it says, or
    ``wilson``. Of nothing (``n`` = 0) nothing is known: from 0 to 1.
    """
    return Interval(*_upset.interval(k, n, confidence, method))


def palette(dark: bool = False) -> dict[str, str]:
    """The colours of the report's page by name: ``sdc``, ``crash``, ``timeout``, …"""
    return {name: pair[dark] for name, pair in _upset.palette().items()}


def percent(value: "float | None", low: "float | None", high: "float | None") -> str:
    """A share with its interval in words, as reports write it: ``1.23 % [0.98, 1.55]``."""
    if low is None or high is None:
        return "–"
    return _upset.percent_with(value, low, high)
