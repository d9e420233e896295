"""What campaigns found, in numbers."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any, Optional, Union

from . import _upset, frames
from .results import Bounds
from .words import Path, options_in_words

#: Bounds of the ACE analysis: what ``upset.ace`` returned, or a file of ``upset ace --json``.
Ace = Union[Bounds, Path]

#: Classes of runs that tell something.
CLASSES = ("masked", "performance", "sdc", "crash", "timeout")


class Report:
    """What ``upset report`` says of stores. ``str`` of it is what the command prints."""

    #: All numbers, exactly as ``upset report --json`` writes them.
    json: dict[str, Any]

    def __init__(self, native: _upset.Report) -> None:
        self._native = native
        self.json = json.loads(native.json())

    def __str__(self) -> str:
        return self._native.text()

    def __repr__(self) -> str:
        return f"<upset.Report of {len(self.json['rows'])} rows>"

    @property
    def html(self) -> str:
        """The page, which needs nothing but itself."""
        return self._native.html()

    @property
    def notes(self) -> list[str]:
        """What a reader should know."""
        return list(self.json["notes"])

    def rates(self, frame: str = "pandas") -> Any:
        """A row for each structure under a kernel: counts, ``n``, AVF, HVF, FIT and the
        share of each class (``sdc_rate``, …), each with its interval."""
        rows = [
            {**row, **{f"{of}_rate": row["classes"].get(of) for of in CLASSES}}
            for row in self.json["rows"]
        ]
        return frames.of_records(rows, frame, ["rate", *(f"{of}_rate" for of in CLASSES)])

    def totals(self, frame: str = "pandas") -> Any:
        """A row for each application on a chip: weighted AVF, FIT, MTBF, EIT, EPF."""
        under = ("sdc", "due", "sdc_fit", "due_fit")
        totals = [
            {
                **total,
                "over": ", ".join(s["structure"] for s in total.get("structures") or []),
                **{f"ecc_{name}": (total["ecc_total"] or {}).get(name) for name in under},
            }
            for total in self.json["totals"]
        ]
        estimates = ["avf", "avf_util", "fit", *(f"ecc_{name}" for name in under)]
        return frames.of_records(totals, frame, estimates)

    def structures(self, frame: str = "pandas") -> Any:
        """A row for each structure of each application on a chip, over all kernels."""
        return frames.of_records(self._parts("structures"), frame, ["avf", "avf_util", "fit"])

    def kernels(self, frame: str = "pandas") -> Any:
        """A row for each kernel of each application on a chip, over all structures."""
        return frames.of_records(self._parts("kernels"), frame, ["avf"])

    def ecc(self, frame: str = "pandas") -> Any:
        """The rows under the codes that were asked for: what is corrected, what is
        detected (DUE), and which silent corruptions (SDC) are left."""
        return frames.of_records(self._parts("ecc"), frame, ["sdc", "due"])

    def _parts(self, name: str) -> list[dict[str, Any]]:
        """Parts of the sums, each with what it is a part of."""
        about = ("app", "scale", "chip", "model", "sampling", "spread")
        return [
            {**{key: total[key] for key in about}, "fault_bits": total["bits"], **part}
            for total in self.json["totals"]
            for part in total.get(name) or []
        ]

    def figure(self, name: str = "avf", kind: str = "matplotlib", dark: bool = False) -> Any:
        """A figure of the page: ``avf``, ``classes``, ``weighted`` or ``fit``, as a
        figure of ``matplotlib`` or a chart of ``altair``."""
        from . import figures

        return figures.figure(self.json, name, kind, dark)

    def _repr_html_(self) -> str:
        from . import display

        return display.report(self.json)


def report(
    paths: Sequence[Path],
    raw_fit: Union[None, str, float] = None,
    raw_fit_source: Optional[str] = None,
    interval: str = "clopper-pearson",
    confidence: Optional[float] = None,
    ecc: Union[str, Sequence[str]] = (),
    ace: Union[Ace, Sequence[Ace]] = (),
) -> Report:
    """The report on stores."""
    bounds = [ace] if isinstance(ace, (Bounds, str, os.PathLike)) else list(ace)
    with contextlib.ExitStack() as files:
        words = options_in_words(
            raw_fit=raw_fit,
            raw_fit_source=raw_fit_source,
            interval=interval,
            confidence=confidence,
            ecc=ecc,
            ace=[files.enter_context(_as_file(one)) for one in bounds],
        )
        return Report(_upset.report([*words, "--", *map(os.fspath, paths)]))


@contextlib.contextmanager
def _as_file(ace: Ace) -> Iterator[Path]:
    if not isinstance(ace, Bounds):
        yield ace
        return
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(ace.json, file)
        file.flush()
        yield file.name
