"""Figures show the report's numbers in the page's colours."""

import unittest

import upset
from stores import needs, stores
from upset import figures

OPTIONS = {"raw_fit": "12nm"}


class Figures(unittest.TestCase):
    def reports(self):
        for kind, paths in stores().items():
            yield kind, upset.open(*paths).report(**OPTIONS)

    def test_marks_are_the_reports_rows(self):
        for kind, report in self.reports():
            with self.subTest(kind):
                rows = [r for r in report.json["rows"] if r["avf_low"] is not None]
                marks = figures.data(report.json, "avf")
                self.assertEqual(
                    [(m["value"], m["low"], m["high"]) for m in marks],
                    [(r["avf"], r["avf_low"], r["avf_high"]) for r in rows],
                )
                complete = [r for r in report.json["rows"] if r["complete"]]
                pieces = figures.data(report.json, "classes")
                self.assertEqual(len(pieces), 4 * len(complete))
                for i, row in enumerate(complete):
                    ends = pieces[4 * i + 3]["to"]
                    masked = row["classes"]["masked"]["value"] if row["n"] else 1.0
                    self.assertAlmostEqual(ends + masked, 1.0)

    @needs("matplotlib")
    def test_matplotlib_draws_them(self):
        for kind, report in self.reports():
            for name in figures.FIGURES:
                marks = figures.data(report.json, name)
                if not marks:
                    with self.assertRaises(upset.Error):
                        report.figure(name)
                    continue
                with self.subTest(f"{kind}, {name}"):
                    drawn = report.figure(name)
                    scale = 1 if name == "fit" else 100
                    if name == "classes":
                        bars = [p for ax in drawn.axes for p in ax.patches]
                        ends = sorted(b.get_x() + b.get_width() for b in bars)
                        wanted = sorted(scale * m["to"] for m in marks)
                    else:
                        lines = [line for ax in drawn.axes for line in ax.lines]
                        ends = sorted(x for line in lines for x in line.get_xdata())
                        wanted = [m[k] for m in marks for k in ("value", "low", "high")]
                        wanted = sorted(scale * x for x in wanted if x is not None)
                    self.assertEqual(len(ends), len(wanted))
                    for one, other in zip(ends, wanted):
                        self.assertAlmostEqual(one, other)

    @needs("matplotlib")
    def test_colours_are_the_pages(self):
        from matplotlib.colors import to_hex

        report = upset.open(*stores()["two applications, two chips"]).report()
        for dark in (False, True):
            drawn = report.figure("classes", dark=dark)
            found = {to_hex(p.get_facecolor()) for ax in drawn.axes for p in ax.patches}
            self.assertEqual(found, {upset.palette(dark)[name] for name in figures.PIECES})

    @needs("matplotlib", "altair")
    def test_structures_have_the_pages_colours(self):
        from matplotlib.colors import to_hex

        report = upset.open(*stores()["merged"]).report(**OPTIONS)
        names = [row["structure"] for row in report.json["rows"]]
        wanted = [upset.palette()[figures._upset.colour_of(name)] for name in names]
        drawn = report.figure("avf")
        whiskers = [line for ax in drawn.axes for line in ax.lines if len(line.get_xdata()) == 2]
        self.assertEqual([to_hex(line.get_color()) for line in whiskers], wanted)
        chart = report.figure("avf", "altair").to_dict()
        self.assertEqual([mark["paint"] for mark in chart["data"]["values"]], wanted)

    @needs("altair")
    def test_altair_draws_them(self):
        for kind, report in self.reports():
            for name in figures.FIGURES:
                marks = figures.data(report.json, name)
                if not marks:
                    continue
                with self.subTest(f"{kind}, {name}"):
                    chart = report.figure(name, "altair").to_dict()
                    values = chart["data"]["values"]
                    scale = 1 if name == "fit" else 100
                    self.assertEqual(len(values), len(marks))
                    for drawn, mark in zip(values, marks):
                        for key in ("value", "low", "high", "from", "to"):
                            if mark.get(key) is not None:
                                self.assertAlmostEqual(drawn[key], scale * mark[key])

    def test_an_unknown_figure_is_told(self):
        report = upset.open(*stores()["merged"]).report()
        for name, kind in [("nothing", "matplotlib"), ("avf", "crayons"), ("fit", "matplotlib")]:
            with self.assertRaises(upset.Error) as caught:
                report.figure(name, kind)
            self.assertEqual(caught.exception.code, 2)


if __name__ == "__main__":
    unittest.main()
