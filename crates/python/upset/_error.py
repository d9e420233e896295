"""How things end when they do not end well."""

from __future__ import annotations

import json
from typing import Any, Optional


class Error(Exception):
    """One clear message, and the exit code that the program ``upset`` would have had.

    ``code`` is 1 for "done, and the answer is no" (a result differs), 2 for bad input,
    3 for something that is not supported, 4 for a failure of Upset itself; or the exit
    code of a CUDA program that was run. ``result`` is what was found all the same, as
    ``--json`` writes it.
    """

    # Where people find it.
    __module__ = "upset"

    code: int
    result: Optional[dict[str, Any]]

    def __init__(self, message: str, code: int, result: Optional[str] = None) -> None:
        super().__init__(message)
        self.code = code
        self.result = None if result is None else json.loads(result)
