"""Stores of campaigns."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

from . import _upset, frames
from ._error import Error
from .report import Ace, Report, report
from .words import Path


@dataclass(frozen=True)
class Plan:
    """What a campaign was asked to do."""

    #: Version of Upset that made the store.
    tool: str
    #: The specification, with all defaults.
    spec: dict[str, Any]
    seed: int
    #: Confidence of the intervals.
    confidence: float
    #: The part of the campaign that is this store's, where that is not all.
    shard: Optional[dict[str, Any]]
    #: What was to be done with each structure of each subject.
    intents: list[dict[str, Any]]
    #: What became of that: a structure under a kernel each, with its size and weight.
    strata: list[dict[str, Any]]
    #: Applications on chips, with their fault-free runs and the chips' descriptions.
    subjects: list[dict[str, Any]]


class Store:
    """One or more stores of campaigns; they may be unfinished, and even be written to."""

    def __init__(self, *paths: Path) -> None:
        if not paths:
            raise Error("which store? Give at least one file", 2)
        self.paths = tuple(os.fspath(path) for path in paths)
        self._about = [json.loads(_upset.about(path)) for path in self.paths]

    def __repr__(self) -> str:
        return f"upset.open({', '.join(map(repr, self.paths))})"

    def __str__(self) -> str:
        return str(self.report())

    @property
    def plan(self) -> Plan:
        """What the campaign was asked to do; of several stores the first."""
        return self.plans[0]

    @property
    def plans(self) -> list[Plan]:
        """What each store's campaign was asked to do."""
        names = Plan.__dataclass_fields__
        return [Plan(**{name: about[name] for name in names}) for about in self._about]

    @property
    def complete(self) -> bool:
        """Whether nothing was left to run when the stores were opened. A shard alone is
        never the whole campaign."""
        return all(about["complete"] and not about["shard"] for about in self._about)

    @property
    def digests(self) -> list[str]:
        """Digest of the results of each store, as ``upset campaign`` prints it."""
        return [about["digest"] for about in self._about]

    def runs(self, frame: str = "pandas") -> Any:
        """A row for every experiment: what was hit and what became of it. The columns are
        those of ``upset export``, with types, and ``store`` before them."""
        columns = [(path, _upset.runs(path)) for path in self.paths]
        return frames.of_columns(columns, frame)

    def report(
        self,
        *,
        raw_fit: Union[None, str, float] = None,
        raw_fit_source: Optional[str] = None,
        interval: str = "clopper-pearson",
        confidence: Optional[float] = None,
        ecc: Union[str, Sequence[str]] = (),
        ace: Union[Ace, Sequence[Ace]] = (),
    ) -> Report:
        """What ``upset report`` says, with its options: ``raw_fit="chip"`` for FIT, MTBF
        and EPF, ``ecc=["rf=secded:32"]`` to re-read the results under codes."""
        return report(
            self.paths, raw_fit, raw_fit_source, interval, confidence, ecc, ace
        )

    def rates(self, frame: str = "pandas", **options: Any) -> Any:
        """The rows of :meth:`report`, which has the options, as a frame."""
        return self.report(**options).rates(frame)

    def figure(
        self, name: str = "avf", kind: str = "matplotlib", dark: bool = False, **options: Any
    ) -> Any:
        """A figure of :meth:`report`, which has the options: ``avf``, ``classes``,
        ``weighted`` or ``fit``, by ``matplotlib`` or ``altair``."""
        return self.report(**options).figure(name, kind, dark)

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


def open(*paths: Path) -> Store:
    """Opens a store, or several as ``upset report A B`` does."""
    return Store(*paths)
