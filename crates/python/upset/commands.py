"""Campaigns, runs, injections and analyses, in this process."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any, Optional, Union

from . import _upset
from ._error import Error
from .progress import Progress, watching
from .results import Bounds, Experiment, Run
from .store import Store
from .words import Path, options_in_words, word

Names = Union[str, Sequence[str]]
Program = Union[Path, Sequence[Path]]

#: A campaign's worker: the module alone, without the package, whatever lies in the
#: current folder. It starts in a few hundredths of a second.
WORKER = """\
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
path = sys.argv[1]
spec = spec_from_file_location("_upset", path, loader=ExtensionFileLoader("_upset", path))
module = module_from_spec(spec)
spec.loader.exec_module(module)
sys.exit(module.work(int(sys.argv[2])))
"""


def _ask(
    command: str,
    first: Sequence[Any],
    program: Optional[Program],
    options: dict[str, Any],
    heard: Any = None,
) -> tuple[str, Any]:
    """Carries a command out: what it prints, and what its ``--json`` writes."""
    words = options_in_words(**options) + [word(w) for w in first if w is not None]
    if program is not None:
        alone = isinstance(program, (str, bytes)) or hasattr(program, "__fspath__")
        words += ["--", *(word(w) for w in ([program] if alone else program))]
    text, found = _upset.ask(command, words, _worker(), heard)
    return text, json.loads(found)


def _worker() -> list[str]:
    import os

    if not sys.executable:
        raise Error("this Python does not know its own program (sys.executable)", 4)
    return [sys.executable, "-I", "-S", "-c", WORKER, _upset.__file__, str(os.getpid())]


def campaign(
    spec: Optional[Path] = None,
    *,
    app: Optional[Names] = None,
    program: Optional[Program] = None,
    chip: Optional[Names] = None,
    structure: Optional[Names] = None,
    runs: Optional[int] = None,
    seed: Optional[int] = None,
    scale: Optional[str] = None,
    out: Optional[Path] = None,
    jobs: Optional[int] = None,
    resume: bool = False,
    shard: Optional[str] = None,
    progress: Progress = True,
    **options: Any,
) -> Store:
    """Breaks bits many times and keeps what happens: ``upset campaign``.

    Every option of the command is there by its name (``sampling="active"``,
    ``set=["sm.count=4"]``), and ``spec`` is a specification file. Ctrl-C ends the
    campaign in order; its store is sound and goes on with ``resume=True, out=…``.

    ``progress`` is ``False`` for none, or a function that is called with what
    ``--json-lines`` would print; else there is a bar by tqdm, where it is installed.
    """
    options.update(
        app=app, chip=chip, structure=structure, runs=runs, seed=seed, scale=scale,
        out=out, jobs=jobs, resume=resume, shard=shard,
    )  # fmt: skip
    with watching(progress) as heard:
        _, done = _ask("campaign", [spec], program, options, heard)
    return Store(done["store"])


def run(
    app: Optional[str] = None,
    *,
    chip: str,
    program: Optional[Program] = None,
    scale: Optional[str] = None,
    seed: Optional[int] = None,
    functional: bool = False,
    **options: Any,
) -> Run:
    """Runs an application and checks its result, or runs a CUDA program: ``upset run``.

    A wrong result is an :class:`upset.Error` with code 1. What a program prints goes
    where this process prints.
    """
    options.update(chip=chip, scale=scale, seed=seed, functional=functional)
    return Run(*_ask("run", [app], program, options))


def inject(
    app: Optional[str] = None,
    *,
    chip: str,
    fault: str,
    program: Optional[Program] = None,
    scale: Optional[str] = None,
    seed: Optional[int] = None,
    **options: Any,
) -> Experiment:
    """Breaks bits once and tells what happens, step by step: ``upset inject``."""
    options.update(chip=chip, fault=fault, scale=scale, seed=seed)
    return Experiment(*_ask("inject", [app], program, options))


def ace(
    app: str,
    *,
    chip: str,
    scale: Optional[str] = None,
    seed: Optional[int] = None,
    structure: Optional[Names] = None,
    **options: Any,
) -> Bounds:
    """Bounds from above what flipped bits can do, from one fault-free run: ``upset ace``."""
    options.update(chip=chip, scale=scale, seed=seed, structure=structure)
    return Bounds(*_ask("ace", [app], None, options))
