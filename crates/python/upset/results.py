"""What single runs have to say."""

from __future__ import annotations

from typing import Any, Optional

from . import frames


class Result:
    """What a command found. ``str`` of it is what the command prints."""

    #: Everything, exactly as the command's ``--json`` writes it.
    json: dict[str, Any]

    def __init__(self, text: str, found: dict[str, Any]) -> None:
        self._text = text
        self.json = found

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        from . import display

        return display.text(self._text)


class Run(Result):
    """A fault-free run."""

    def __repr__(self) -> str:
        name = self.json.get("app") or self.json.get("program")
        return f"<upset.Run of {name} on {self.json['chip']}>"

    @property
    def passed(self) -> Optional[bool]:
        """Whether the result is right; of a program nobody knows."""
        return self.json.get("passed")

    @property
    def cycles(self) -> Optional[int]:
        """Cycles of all kernels; without timing there are none."""
        return self.json["total"].get("cycles")

    def kernels(self, frame: str = "pandas") -> Any:
        """A row for each kernel."""
        return frames.of_records(self.json["kernels"], frame)


class Experiment(Result):
    """Bits that were broken once, and the story of what came of it."""

    def __repr__(self) -> str:
        return f"<upset.Experiment {self.fault}: {self.outcome}>"

    @property
    def fault(self) -> str:
        """What was broken and when: replays with :func:`upset.inject`."""
        return self.json["fault"]

    @property
    def outcome(self) -> str:
        """``masked``, ``performance``, ``sdc``, ``crash``, ``timeout`` or ``tool_error``."""
        return self.json["class"]

    @property
    def cause(self) -> str:
        """Why it crashed or did not end; else empty."""
        return self.json["cause"]

    @property
    def cycles(self) -> int:
        """Cycles of the run."""
        return self.json["cycles"]

    @property
    def golden_cycles(self) -> int:
        """Cycles without the fault."""
        return self.json["golden_cycles"]

    @property
    def sdc(self) -> Optional[dict[str, Any]]:
        """What the wrong outputs look like."""
        return self.json["sdc"]

    @property
    def hits(self) -> list[dict[str, Any]]:
        """The bits, and whose they were."""
        return self.json["hit"]

    @property
    def events(self) -> list[dict[str, Any]]:
        """What happened to the wrong bits, in order."""
        return self.json["events"]

    def _repr_html_(self) -> str:
        from . import display

        return display.story(str(self), self.outcome)


class Bounds(Result):
    """Upper bounds from one fault-free run (the ACE analysis)."""

    def __repr__(self) -> str:
        return f"<upset.Bounds of {self.json['app']} on {self.json['chip']}>"

    def bounds(self, frame: str = "pandas") -> Any:
        """A row for each structure under a kernel: ``avf``, ``avf_refined``, …"""
        return frames.of_records(self.json["rows"], frame)

    def hot_spots(self, frame: str = "pandas") -> Any:
        """Instructions and source lines whose values are vulnerable longest."""
        return frames.of_records(self.json["hot_spots"], frame)
