"""How a campaign goes."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any, Optional, Union

#: Whether there is a bar, or who is told instead.
Progress = Union[bool, Callable[[dict[str, Any]], object]]


@contextlib.contextmanager
def watching(progress: Progress) -> Iterator[Optional[Callable[[str], object]]]:
    """Something to be called with a line of JSON for each event."""
    if callable(progress):
        tell = progress
        yield lambda line: tell(json.loads(line))
    elif not progress:
        yield None
    else:
        shown = _shown()
        try:
            yield None if shown is None else lambda line: shown.tell(json.loads(line))
        finally:
            if shown is not None:
                shown.close()


def _shown() -> Optional[Union[Bar, Line]]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        # Nobody reads the lines of a program that writes into a file.
        return Line() if sys.stderr and sys.stderr.isatty() else None
    return Bar(tqdm)


class Bar:
    """A bar for each subject, by tqdm."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._subject = ""

    def tell(self, event: dict[str, Any]) -> None:
        """Shows an event."""
        what = event["event"]
        if what == "note":
            self._tqdm.write(f"note: {event['text']}", file=sys.stderr)
            return
        if self._bar is None or event["subject"] != self._subject:
            self.close()
            self._subject = event["subject"]
            self._bar = self._tqdm(desc=self._subject, unit="run", leave=True)
        if what == "stage":
            self._bar.set_postfix_str(event["what"])
        elif what == "progress":
            self._bar.total = event["total"]
            self._bar.n = event["done"]
            self._bar.set_postfix_str(_counted(event["counts"]))

    def close(self) -> None:
        """Leaves the bar as it is."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class Line:
    """One line that is written anew, on a terminal without tqdm."""

    def tell(self, event: dict[str, Any]) -> None:
        """Shows an event."""
        what = event["event"]
        if what == "note":
            text = f"note: {event['text']}\n"
        elif what == "stage":
            text = f"{event['subject']}: {event['what']}"
        else:
            done = f"{event['done']} of {event['total']}"
            text = f"{event['subject']}: {done}, {_counted(event['counts'])}"
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()

    def close(self) -> None:
        """Clears the line."""
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def _counted(counts: dict[str, int]) -> str:
    """``12 sdc, 3 crash``."""
    told = (f"{n} {name}" for name, n in counts.items() if n and name != "masked")
    return ", ".join(told) or "all masked"
