"""Intervals and colours."""

import re
import unittest

import upset
from stores import stores
from stores import upset as program


class Intervals(unittest.TestCase):
    def test_published_ones(self):
        """Newcombe (Statistics in Medicine 17, 1998), table I, four digits as printed."""
        for k, n, wilson, exact in [
            (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
            (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
            (0, 20, (0.0000, 0.1611), (0.0000, 0.1684)),
            (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
        ]:
            for method, limits in [("wilson", wilson), ("clopper-pearson", exact)]:
                found = upset.interval(k, n, method=method)
                self.assertEqual(tuple(round(x, 4) for x in found), limits)

    def test_of_nothing_nothing_is_known(self):
        self.assertEqual(upset.interval(0, 0), (0.0, 1.0))

    def test_what_cannot_be_is_told(self):
        for arguments in [(3, 2), (1, 2, 95), (1, 2, 0.95, "wide")]:
            with self.assertRaises(upset.Error) as caught:
                upset.interval(*arguments)
            self.assertEqual(caught.exception.code, 2)


class Colours(unittest.TestCase):
    def test_they_are_the_pages(self):
        page = program("report", *stores()["merged"], "--html", "-")
        light, dark = page.split("prefers-color-scheme: dark", 1)
        for ground, is_dark in ((light, False), (dark, True)):
            written = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", ground.split("}")[0]))
            colours = upset.palette(dark=is_dark)
            self.assertIn("sdc", written)
            for name, colour in written.items():
                self.assertEqual(colours[name], colour)


if __name__ == "__main__":
    unittest.main()
