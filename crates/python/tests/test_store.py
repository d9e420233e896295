"""Frames hold what ``upset report`` and ``upset export`` write, cell by cell."""

import csv
import io
import math
import unittest

import upset
from stores import needs, said, stores
from stores import upset as program

OPTIONS = {
    "none": ({}, []),
    "all": (
        {"raw_fit": "12nm", "ecc": ["rf=secded:32", "l2=parity:64"], "interval": "wilson", "confidence": 0.99},
        ["--raw-fit", "12nm", "--ecc", "rf=secded:32,l2=parity:64", "--interval", "wilson", "--confidence", "99%"],
    ),
}  # fmt: skip


def each():
    for kind, paths in stores().items():
        for name, (options, words) in OPTIONS.items():
            yield f"{kind}, options {name}", paths, options, words


def plain(value):
    """A value of a frame as JSON has it."""
    if value is None or type(value).__name__ == "NAType":
        return None
    if isinstance(value, float) and math.isnan(value):
        return None
    return value.item() if hasattr(value, "item") else value


def rows(frame):
    """A frame of either kind as records."""
    if hasattr(frame, "to_dicts"):
        return frame.to_dicts()
    return [{k: plain(v) for k, v in row.items()} for row in frame.to_dict("records")]


def limits(record, name):
    e = record.get(name) or {}
    return e.get("value"), e.get("low"), e.get("high")


class Reports(unittest.TestCase):
    def test_a_report_is_what_the_program_writes(self):
        for kind, paths, options, words in each():
            with self.subTest(kind):
                told = said("report", *paths, *words)
                report = upset.open(*paths).report(**options)
                self.assertEqual(report.json, told)
                self.assertEqual(str(report), program("report", *paths, *words))

    def test_the_page_is_the_programs(self):
        paths = stores()["several"]
        self.assertEqual(
            upset.open(*paths).report().html, program("report", *paths, "--html", "-")
        )

    @needs("pandas", "polars")
    def test_every_number_of_the_frames_is_the_programs(self):
        for kind, paths, options, words in each():
            told = said("report", *paths, *words)
            report = upset.open(*paths).report(**options)
            for frame in ("pandas", "polars"):
                with self.subTest(f"{kind}, {frame}"):
                    self.rates(rows(report.rates(frame)), told["rows"])
                    self.totals(rows(report.totals(frame)), told["totals"])
                    self.parts(rows(report.structures(frame)), told, "structures", ["avf", "avf_util", "fit"])
                    self.parts(rows(report.kernels(frame)), told, "kernels", ["avf"])
                    if told["ecc"]:
                        self.parts(rows(report.ecc(frame)), told, "ecc", ["sdc", "due"])

    def same(self, found, record, but=()):
        """Every plain value of a record is in the row."""
        plainly = {
            k: v for k, v in record.items() if k not in but and not isinstance(v, (dict, list))
        }
        self.assertGreater(len(plainly), 3)
        self.assertEqual({k: found[k] for k in plainly}, plainly)

    def estimates(self, found, record, names):
        for name in names:
            got = found[name], found[f"{name}_low"], found[f"{name}_high"]
            self.assertEqual(got, limits(record, name), name)

    def rates(self, found, told):
        self.assertEqual(len(found), len(told))
        for row, record in zip(found, told):
            self.same(row, record)
            self.estimates(row, record, ["rate"] if record["rate"] else [])
            for name, rate in record["classes"].items():
                got = tuple(row[f"{name}_rate{end}"] for end in ("", "_low", "_high"))
                self.assertEqual(got, (rate["value"], rate["low"], rate["high"]), name)

    def totals(self, found, told):
        self.assertEqual(len(found), len(told))
        names = ["avf", "avf_util", "fit"]
        for row, record in zip(found, told):
            self.same(row, record, but=names)
            self.estimates(row, record, names)
            for name, e in (record["ecc_total"] or {}).items():
                self.assertEqual(row[f"ecc_{name}"], e and e["value"])

    def parts(self, found, told, name, estimates):
        parts = [(t, part) for t in told["totals"] for part in t.get(name) or []]
        self.assertEqual(len(found), len(parts))
        for row, (total, part) in zip(found, parts):
            self.assertEqual((row["app"], row["chip"]), (total["app"], total["chip"]))
            self.same(row, part, but=estimates)
            self.estimates(row, part, estimates)

    @needs("pandas")
    def test_an_unfinished_store_has_limits_and_no_estimate(self):
        store = upset.open(*stores()["unfinished"])
        self.assertFalse(store.complete)
        self.assertEqual(store.plan.shard["number"], 2)
        rates = store.rates()
        self.assertTrue(rates["avf"].isna().all())
        self.assertTrue((rates["avf_low"] < rates["avf_high"]).all())
        self.assertTrue((rates["missing"] > 0).all())

    def test_a_merged_store_is_complete(self):
        store = upset.open(*stores()["merged"])
        self.assertTrue(store.complete)
        self.assertIsNone(store.plan.shard)
        self.assertEqual(store.plan.spec["apps"], ["va"])
        self.assertEqual([i["structure"] for i in store.plan.intents], ["rf", "smem", "l2"])


class Comparisons(unittest.TestCase):
    SIDES = [("merged", "unfinished"), ("merged", "three bits, stuck"), ("merged", "merged")]

    def both(self):
        for a, b in self.SIDES:
            yield f"{a} and {b}", stores()[a][0], stores()[b][0]

    def test_a_comparison_is_what_the_program_writes(self):
        for kind, a, b in self.both():
            for name, (options, words) in OPTIONS.items():
                if "ecc" in options:
                    options = {k: v for k, v in options.items() if k != "ecc"}
                    at = words.index("--ecc")
                    words = words[:at] + words[at + 2 :]
                with self.subTest(f"{kind}, options {name}"):
                    compared = upset.compare(a, b, **options)
                    self.assertEqual(compared.json, said("compare", a, b, *words))
                    self.assertEqual(str(compared), program("compare", a, b, *words))

    @needs("pandas", "polars")
    def test_every_figure_is_in_the_frame(self):
        for kind, a, b in self.both():
            told = said("compare", a, b)
            figures = [
                (line, figure)
                for match in told["matches"]
                for line in match["lines"]
                for figure in line["figures"]
            ]
            for frame in ("pandas", "polars"):
                with self.subTest(f"{kind}, {frame}"):
                    found = rows(upset.compare(a, b).figures(frame))
                    self.assertEqual(len(found), len(figures))
                    for row, (line, figure) in zip(found, figures):
                        self.assertEqual(row["structure"], line["structure"])
                        self.assertEqual(
                            (row["n_a"], row["n_b"], row["level"], row["figure"], row["p"]),
                            (line["n_a"], line["n_b"], line["level"], figure["figure"], figure["p"]),
                        )
                        for name in ("a", "b", "difference", "ratio"):
                            got = tuple(row[f"{name}{end}"] for end in ("", "_low", "_high"))
                            self.assertEqual(got, limits(figure, name), name)

    def test_what_has_no_partner_is_refused(self):
        whole, merged = stores()["two applications, two chips"][0], stores()["merged"][0]
        with self.assertRaises(upset.Error) as raised:
            upset.compare(merged, str(whole) + ".not")
        self.assertEqual(raised.exception.code, 2)


class Runs(unittest.TestCase):
    @needs("pandas", "polars")
    def test_every_cell_is_what_export_writes(self):
        for kind, paths in stores().items():
            written = []
            for path in paths:
                table = csv.DictReader(io.StringIO(program("export", path, "--format", "csv")))
                written += [{"store": path, **row} for row in table]
            for frame in ("pandas", "polars"):
                with self.subTest(f"{kind}, {frame}"):
                    found = rows(upset.open(*paths).runs(frame))
                    self.assertEqual(len(found), len(written))
                    for row, cells in zip(found, written):
                        self.assertEqual({k: as_text(v) for k, v in row.items()}, cells)

    @needs("pandas")
    def test_columns_have_types(self):
        frame = upset.open(*stores()["several"]).runs()
        kinds = {"app": "category", "class": "category", "structure": "category", "chip": "category",
                 "hit_sm": "Int64", "cycles": "Int64", "reached": "boolean", "fault": "string",
                 "derating": "float64"}  # fmt: skip
        self.assertEqual({name: str(frame[name].dtype) for name in kinds}, kinds)
        self.assertEqual(set(frame["class"].unique()) - CLASSES, set())
        counted = frame.groupby("class", observed=True).size().sum()
        self.assertEqual(counted, len(frame))

    @needs("pandas", "pyarrow")
    def test_parquet_brings_back_the_same_frame(self):
        import pandas

        frame = upset.open(*stores()["merged"]).runs()
        file = io.BytesIO()
        frame.to_parquet(file)
        file.seek(0)
        back = pandas.read_parquet(file)
        self.assertEqual(list(back.columns), list(frame.columns))
        self.assertEqual(rows(back), rows(frame))


CLASSES = {"masked", "performance", "sdc", "crash", "timeout", "tool_error"}


def as_text(value):
    """A cell as the CSV form has it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return shortest(value)
    return str(value)


def shortest(x):
    """A real number as Rust writes it: 1e-5, where Python says 1e-05."""
    text = repr(x)
    if "e" in text:
        digits, power = text.split("e")
        return f"{digits}e{int(power)}"
    return text


class Faults(unittest.TestCase):
    def test_what_is_no_store_is_told_with_the_programs_words(self):
        for path in ("nowhere.db", __file__):
            complaint = program("report", path, code=2)
            with self.assertRaises(upset.Error) as caught:
                upset.open(path)
            self.assertEqual(f"upset: {caught.exception}\n", complaint)
            self.assertEqual(caught.exception.code, 2)

    def test_wrong_options_are_told(self):
        store = upset.open(*stores()["merged"])
        for options in ({"ecc": "rf=nothing:32"}, {"raw_fit": "gold"}, {"interval": "wide"}):
            with self.assertRaises(upset.Error) as caught:
                store.report(**options)
            self.assertEqual(caught.exception.code, 2)
        with self.assertRaises(upset.Error):
            store.runs("excel")


class Shown(unittest.TestCase):
    def test_a_notebook_shows_the_matrix(self):
        for paths in stores().values():
            html = upset.open(*paths)._repr_html_()
            report = upset.open(*paths).report().json
            for total in report["totals"]:
                self.assertIn(f" on {total['chip']}", html)
                for s in total.get("structures") or []:
                    self.assertIn(f">{s['structure']}</th>", html)

    def test_the_matrix_has_the_reports_words(self):
        paths = stores()["merged"]
        html = upset.open(*paths)._repr_html_()
        table = program("report", *paths).replace("\u00a0", " ")
        total = upset.open(*paths).report().json["totals"][0]
        for s in total["structures"]:
            share = upset.numbers.percent(s["avf"]["value"], s["avf"]["low"], s["avf"]["high"])
            self.assertIn(share, html)
            for word in share.replace("\u00a0", " ").split(" [", 1)[:1]:
                self.assertIn(word, table)


if __name__ == "__main__":
    unittest.main()
