"""What notebooks show of stores and experiments."""

from __future__ import annotations

from html import escape
from typing import Any

from .numbers import palette, percent

_CELL = "text-align:left;padding:2px 10px 2px 0;vertical-align:top"


def report(found: dict[str, Any]) -> str:
    """A matrix: structures down, applications on chips across, AVF with its interval."""
    columns: dict[str, dict[str, str]] = {}
    order: dict[str, None] = {}
    for total in found["totals"]:
        subject = f"{total['app']} ({total['scale']})" if total["scale"] else total["app"]
        subject += f" on {total['chip']}"
        if total["bits"] != 1 or total["model"] != "flip":
            subject += f", {total['bits']} bit {total['model']}"
        column = columns.setdefault(subject, {})
        for s in total.get("structures") or []:
            order.setdefault(s["structure"])
            column[s["structure"]] = _share(s["avf"])
        column[""] = _share(total.get("avf"))
        column["runs"] = str(total["runs"]) + ("" if total["complete"] else "*")
    lines = ["<table><thead><tr>", _head("AVF"), *map(_head, columns), "</tr></thead><tbody>"]
    rows = [(name, name) for name in order] + [("weighted", ""), ("runs", "runs")]
    for title, key in rows:
        cells = [f'<td style="{_CELL}">{escape(c.get(key, ""))}</td>' for c in columns.values()]
        lines += ["<tr>", _head(title), *cells, "</tr>"]
    lines.append("</tbody></table>")
    for note in found["notes"]:
        lines.append(f'<p style="font-size:smaller;max-width:60em">{escape(note)}</p>')
    return "".join(lines)


def _share(e: Any) -> str:
    return "–" if not e else percent(e["value"], e["low"], e["high"])


def _head(title: str) -> str:
    return f'<th style="{_CELL}">{escape(title)}</th>'


def story(said: str, outcome: str) -> str:
    """An experiment's story as a table: what ``upset inject`` prints, line by line."""
    colour = palette().get(outcome, palette()["soft"])
    lines = [f'<table style="border-left:4px solid {colour}">']
    for line in said.splitlines():
        # The first column of the text is eight letters wide.
        label, what = line[:8].strip(), line[9:]
        lines.append(f"<tr>{_head(label)}<td style=\"{_CELL}\">{escape(what)}</td></tr>")
    return "".join([*lines, "</table>"])


def text(said: str) -> str:
    """What a command prints, as it is."""
    return f"<pre>{escape(said)}</pre>"
