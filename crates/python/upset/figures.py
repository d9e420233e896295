"""Figures of the report's page, by matplotlib and Altair: the same numbers and colours."""

from __future__ import annotations

import io
from typing import Any

from . import _upset
from ._error import Error
from .numbers import palette

#: Classes in the order of a bar, as the page stacks them.
PIECES = {
    "sdc": "SDC",
    "crash": "crash",
    "timeout": "timeout",
    "performance": "other cycles only",
}
#: Name of a figure, what its axis shows, and its title.
FIGURES = {
    "avf": ("AVF (%)", "AVF of each structure under each kernel"),
    "classes": ("share of runs (%)", "What became of the runs"),
    "weighted": ("weighted AVF (%)", "Weighted AVF"),
    "fit": ("FIT", "FIT of each structure"),
}


def figure(found: dict[str, Any], name: str, kind: str, dark: bool) -> Any:
    """A figure of a report."""
    if name not in FIGURES:
        raise Error(f"no figure {name!r}: there are {', '.join(FIGURES)}", 2)
    draw = {"matplotlib": _matplotlib, "altair": _altair}.get(kind)
    if draw is None:
        raise Error(f"no figures by {kind!r}: give matplotlib or altair", 2)
    marks = data(found, name)
    if not marks:
        why = "give raw_fit" if name == "fit" and not found["raw_fit"] else "nothing was run"
        raise Error(f"there is nothing to show in the figure {name}: {why}", 2)
    return draw(marks, name, palette(dark))


def data(found: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The marks of a figure: ``panel``, ``label`` and ``colour``, with ``value``, ``low`` and
    ``high`` of a point or ``from`` and ``to`` of a piece of a bar."""
    if name in ("avf", "classes"):
        rows = [(_subject(row), row) for row in found["rows"]]
        if name == "avf":
            return [
                _point(
                    panel,
                    _label(row),
                    {name: row[f"avf{end}"] for name, end in _LIMITS.items()},
                    _upset.colour_of(row["structure"]),
                )
                for panel, row in rows
                if row["avf_low"] is not None
            ]
        return [mark for panel, row in rows for mark in _pieces(panel, row)]
    if name == "weighted":
        return [
            _point(", ".join(s["structure"] for s in total["structures"]), _subject(total),
                   total["avf"], "v0")
            for total in found["totals"]
            if total.get("avf")
        ]  # fmt: skip
    return [
        _point(_subject(total), s["structure"], s["fit"], _upset.colour_of(s["structure"]))
        for total in found["totals"]
        for s in total.get("structures") or []
        if s["fit"]
    ]


_LIMITS = {"value": "", "low": "_low", "high": "_high"}


def _point(panel: str, label: str, e: dict[str, Any], colour: str) -> dict[str, Any]:
    limits = {name: e[name] for name in _LIMITS}
    return {"panel": panel, "label": label, "colour": colour, **limits}


def _pieces(panel: str, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Of an unfinished row there is no bar: what is there is no sample of the whole."""
    pieces, at = [], 0.0
    for name, title in PIECES.items() if row["complete"] else ():
        share = (row["classes"].get(name) or {}).get("value") or 0.0
        piece = {"panel": panel, "label": _label(row), "colour": name, "class": title}
        pieces.append({**piece, "from": at, "to": at + share})
        at += share
    return pieces


def _subject(of: dict[str, Any]) -> str:
    app = f"{of['app']} ({of['scale']})" if of["scale"] else of["app"]
    several = f", {of['bits']} bits" if of["bits"] != 1 else ""
    model = f", {of['model']}" if of["model"] != "flip" else ""
    return f"{app} on {of['chip']}{several}{model}"


def _label(row: dict[str, Any]) -> str:
    window = f", {row['window']}" if row["window"] else ""
    return f"{row['kernel_name']}: {row['structure']}{window}" + ("" if row["complete"] else "*")


def _scale(name: str) -> float:
    return 1.0 if name == "fit" else 100.0


def _needed(module: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as e:
        first = module.split(".")[0]
        raise Error(f"{first} is not installed: pip install {first}", 3) from e


def _matplotlib(marks: list[dict[str, Any]], name: str, colours: dict[str, str]) -> Any:
    class Shown(_needed("matplotlib.figure").Figure):  # type: ignore[misc]
        """A figure that notebooks show, with or without pyplot."""

        def _repr_png_(self) -> bytes:
            file = io.BytesIO()
            self.savefig(file, format="png", dpi=144)
            return file.getvalue()

    panels = list(dict.fromkeys(mark["panel"] for mark in marks))
    labels = {p: list(dict.fromkeys(m["label"] for m in marks if m["panel"] == p)) for p in panels}
    heights = [len(labels[p]) for p in panels]
    drawn = Shown(
        figsize=(7.5, 0.9 + sum(0.9 + 0.35 * h for h in heights)),
        layout="constrained",
        facecolor=colours["paper"],
    )
    # One scale for all: panels are there to be compared.
    axes = drawn.subplots(
        len(panels), 1, squeeze=False, sharex=True, height_ratios=[h + 1 for h in heights]
    )
    scale, named = _scale(name), set()
    for ax, panel in zip(axes[:, 0], panels):
        for mark in (m for m in marks if m["panel"] == panel):
            y = labels[panel].index(mark["label"])
            colour = colours[mark["colour"]]
            if "from" in mark:
                title = mark["class"] if mark["class"] not in named else None
                named.add(mark["class"])
                width = mark["to"] - mark["from"]
                ax.barh(y, scale * width, 0.6, scale * mark["from"], color=colour, label=title)
                continue
            low, high = scale * mark["low"], scale * mark["high"]
            ax.plot([low, high], [y, y], color=colour, linewidth=1.4, marker="|", markersize=7)
            if mark["value"] is not None:
                ax.plot([scale * mark["value"]], [y], "o", color=colour, markersize=6, clip_on=False)
        ax.set_yticks(range(len(labels[panel])), labels[panel])
        ax.invert_yaxis()
        ax.margins(y=0.5 / len(labels[panel]))
        ax.set_xlim(left=0)
        ax.set_title(panel, loc="left", fontsize="medium", color=colours["ink"])
        ax.set_facecolor(colours["paper"])
        ax.grid(axis="x", color=colours["rule"], linewidth=0.7)
        ax.set_axisbelow(True)
        ax.tick_params(colors=colours["soft"], labelcolor=colours["ink"])
        for side in ax.spines.values():
            side.set_visible(False)
    axis, title = FIGURES[name]
    axes[-1, 0].set_xlabel(axis, color=colours["soft"])
    drawn.suptitle(title, color=colours["ink"])
    if named:
        drawn.legend(loc="outside lower center", ncols=len(PIECES), frameon=False,
                     labelcolor=colours["ink"])  # fmt: skip
    return drawn


def _altair(marks: list[dict[str, Any]], name: str, colours: dict[str, str]) -> Any:
    altair = _needed("altair")
    axis, title = FIGURES[name]
    scale = _scale(name)
    numbers = ("value", "low", "high", "from", "to")
    rows = [
        {k: scale * v if k in numbers and v is not None else v for k, v in mark.items()}
        | {"paint": colours[mark["colour"]]}
        for mark in marks
    ]
    base = altair.Chart(altair.Data(values=rows))
    y = altair.Y("label:N", sort=None, title=None)
    if name == "classes":
        names = list(PIECES)
        colour = altair.Color(
            "class:N",
            sort=None,
            title=None,
            scale=altair.Scale(
                domain=list(PIECES.values()), range=[colours[n] for n in names]
            ),
            legend=altair.Legend(orient="bottom"),
        )
        x = altair.X("from:Q", title=axis)
        chart = base.mark_bar().encode(y=y, x=x, x2="to:Q", color=colour)
    else:
        x = altair.X("low:Q", title=axis, scale=altair.Scale(zero=True))
        colour = altair.Color("paint:N", scale=None)
        whiskers = base.mark_rule().encode(y=y, x=x, x2="high:Q", color=colour)
        points = base.mark_point(filled=True, size=70, opacity=1)
        points = points.transform_filter("datum.value !== null")
        points = points.encode(y=y, x="value:Q", color=colour)
        chart = whiskers + points
    faceted = chart.facet(
        row=altair.Row("panel:N", sort=None, title=None, header=altair.Header(labelAngle=0))
    )
    return (
        faceted.resolve_scale(y="independent")
        .properties(title=title, background=colours["paper"])
        .configure_axis(labelColor=colours["ink"], titleColor=colours["soft"])
        .configure_title(color=colours["ink"])
        .configure_header(labelColor=colours["ink"])
        .configure_legend(labelColor=colours["ink"])
    )
