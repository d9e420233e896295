"""What docs/python.md shows is what happens: its Python is run as one session."""

import doctest
import os
import re
import tempfile
import unittest

from stores import ROOT, needs

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Page(unittest.TestCase):
    @needs("pandas", "polars", "matplotlib", "altair", "pyarrow")
    def test_the_page_is_a_session(self):
        text = (ROOT / "docs/python.md").read_text()
        blocks = BLOCK.findall(text)
        self.assertGreater(len(blocks), 5)
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        parser, names, told = doctest.DocTestParser(), {}, []
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for i, block in enumerate(blocks):
                    line = text[: text.index(block)].count("\n")
                    test = parser.get_doctest(block, {}, f"block {i}", "docs/python.md", line)
                    self.assertTrue(test.examples, f"nothing to run in line {line}")
                    test.globs = names
                    runner = doctest.DocTestRunner(optionflags=flags)
                    runner.run(test, out=told.append, clear_globs=False)
            finally:
                os.chdir(before)
        self.assertEqual("".join(told), "")


if __name__ == "__main__":
    unittest.main()
