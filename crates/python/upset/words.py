"""Python's arguments as words of a command line: what is right is decided in one place."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Union

Path = Union[str, "os.PathLike[str]"]


def options_in_words(**options: Any) -> list[str]:
    """``raw_fit="chip"`` is ``--raw-fit=chip``, ``True`` a flag, a list the option
    several times; ``None`` and ``False`` are left out."""
    words = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        several = isinstance(value, Sequence) and not isinstance(value, (str, bytes))
        for one in value if several else [value]:
            if one is True:
                words.append(flag)
            elif one is not None and one is not False:
                words.append(f"{flag}={word(one)}")
    return words


def word(value: Any) -> str:
    """A value as people write it."""
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
