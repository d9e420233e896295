"""What docs/python.md shows is what happens: its Python is run as one session.

``python test_docs.py`` shows anew what has changed.
"""

import doctest
import os
import re
import sys
import tempfile
import unittest

from stores import ROOT, needs

PAGE = ROOT / "docs/python.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Renewing(doctest.DocTestRunner):
    """Keeps what the page should show."""

    def __init__(self):
        super().__init__(optionflags=FLAGS)
        self.renewed = []

    def report_failure(self, out, test, example, got):
        # Of an exception only its message is shown.
        head, _, _ = got.partition("\n")
        if head == "Traceback (most recent call last):":
            got = f"{head}\n...\n{got.splitlines()[-1]}\n"
        self.renewed.append((example, got))

    def report_unexpected_exception(self, out, test, example, exc_info):
        raise exc_info[1]


def renewed(text):
    """The page as it should be."""
    parser, names = doctest.DocTestParser(), {}
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for block in BLOCK.findall(text):
                test = parser.get_doctest(block, {}, "block", str(PAGE), 0)
                assert test.examples, f"nothing to run in {block}"
                test.globs = names
                runner = Renewing()
                runner.run(test, out=lambda said: None, clear_globs=False)
                lines = block.splitlines(keepends=True)
                for example, got in reversed(runner.renewed):
                    first = example.lineno + example.source.count("\n")
                    lines[first : first + example.want.count("\n")] = [got]
                text = text.replace(block, "".join(lines))
        finally:
            os.chdir(before)
    return text


class Page(unittest.TestCase):
    maxDiff = None

    @needs("pandas", "polars", "matplotlib", "altair", "pyarrow")
    def test_the_page_is_a_session(self):
        text = PAGE.read_text()
        self.assertGreater(len(BLOCK.findall(text)), 5)
        self.assertEqual(renewed(text), text)


if __name__ == "__main__":
    sys.exit(PAGE.write_text(renewed(PAGE.read_text())) == 0)
