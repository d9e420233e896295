"""What differs between two campaigns, and whether it is chance."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any, Optional, Union

from . import _upset, frames
from .words import Path, options_in_words


class Comparison:
    """What ``upset compare`` says of two sides. ``str`` of it is what the command prints."""

    #: All numbers, exactly as ``upset compare --json`` writes them.
    json: dict[str, Any]
    #: Figures that differ, corrected for all tests that were made.
    different: int

    def __init__(self, native: _upset.Comparison) -> None:
        self._native = native
        self.json = json.loads(native.json())
        self.different = native.different()

    def __str__(self) -> str:
        return self._native.text()

    def __repr__(self) -> str:
        return f"<upset.Comparison of {sum(1 for _ in self._figures())} figures, {self.different} differ>"

    @property
    def notes(self) -> list[str]:
        """What a reader should know."""
        return list(self.json["notes"])

    def figures(self, frame: str = "pandas") -> Any:
        """A row for each figure of each structure, kernel and chip: both sides, their
        difference and ratio with intervals, and the test. ``level`` tells rows from sums."""
        return frames.of_records(self._figures(), frame, ["a", "b", "difference", "ratio"])

    def _figures(self) -> Iterator[dict[str, Any]]:
        for match in self.json["matches"]:
            sides = {f"{key}_{side}": match[side][key] for key in ("app", "scale", "chip") for side in "ab"}
            for line in match["lines"]:
                about = {key: value for key, value in line.items() if key != "figures"}
                for figure in line["figures"]:
                    yield {**sides, **about, **figure}


def compare(
    a: Path,
    b: Path,
    *,
    raw_fit: Union[None, str, float] = None,
    raw_fit_source: Optional[str] = None,
    interval: str = "clopper-pearson",
    confidence: Optional[float] = None,
) -> Comparison:
    """Compares two campaigns: each a store, or a folder with the stores of its shards."""
    words = options_in_words(
        raw_fit=raw_fit, raw_fit_source=raw_fit_source, interval=interval, confidence=confidence
    )
    return Comparison(_upset.compare([*words, "--", os.fspath(a), os.fspath(b)]))
