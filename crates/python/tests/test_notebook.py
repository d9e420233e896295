"""docs/upset.ipynb runs from its first cell to its last."""

import ast
import contextlib
import io
import json
import os
import tempfile
import unittest

from stores import ROOT, needs


def shown(value):
    """What a notebook shows of a value."""
    for name in ("_repr_html_", "_repr_mimebundle_", "_repr_png_"):
        found = getattr(value, name)() if hasattr(value, name) else None
        if found is not None:
            return found
    return repr(value)


class Notebook(unittest.TestCase):
    @needs("pandas", "polars", "matplotlib", "altair")
    def test_it_runs(self):
        notebook = json.loads((ROOT / "docs/upset.ipynb").read_text())
        self.assertEqual(notebook["nbformat"], 4)
        cells = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
        self.assertGreater(len(cells), 5)
        for cell in notebook["cells"]:
            # Outputs would be told by nobody when they are old.
            self.assertEqual(cell.get("outputs", []), [])
        names = {"__name__": "notebook"}
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for number, cell in enumerate(cells):
                    with self.subTest(f"cell {number}"), contextlib.redirect_stderr(io.StringIO()):
                        self.run_cell(cell, names)
            finally:
                os.chdir(before)

    def run_cell(self, cell, names):
        """Runs a cell; what its last line is worth is shown, as a notebook does."""
        tree = ast.parse(cell)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            if value is not None:
                self.assertTrue(shown(value))


if __name__ == "__main__":
    unittest.main()
