"""What the tests share: stores, and what the program ``upset`` says."""

import functools
import importlib.util
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

UPSET = os.environ["UPSET"]
ROOT = pathlib.Path(__file__).resolve().parents[3]


def needs(*modules):
    """Skips a test, loudly, where a library is not installed."""
    missing = [m for m in modules if importlib.util.find_spec(m) is None]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


def upset(*words, folder=None, code=0):
    """Runs the program; its standard output, or its complaint."""
    ran = subprocess.run([UPSET, *words], cwd=folder, capture_output=True, text=True)
    if ran.returncode != code:
        raise AssertionError(f"upset {words} ended with {ran.returncode}: {ran.stderr}")
    return ran.stdout if code == 0 else ran.stderr


def said(*words, folder=None):
    """What a command writes with ``--json -``."""
    return json.loads(upset(*words, "--json", "-", folder=folder))


#: A chip so small that faults hit something.
CHIP = "rtx2060:sm.count=2"
WHOLE = ["--app", "va,hs", "--chip", f"{CHIP},gv100:sm.count=2", "--structure", "rf,l2", "--runs", "40"]
ONE = ["--app", "va", "--chip", CHIP, "--structure", "rf,smem,l2", "--runs", "60"]


@functools.cache
def stores():
    """Stores of every kind, by what is special about them."""
    kept = tempfile.TemporaryDirectory(prefix="upset-python-")
    stores.kept = kept
    folder = pathlib.Path(kept.name)

    def campaign(name, *words):
        upset("campaign", *words, "--quiet", "--out", name, folder=folder)
        return str(folder / name)

    made = {
        "two applications, two chips": [campaign("whole.db", *WHOLE)],
        "three bits, stuck": [
            campaign("stuck.db", *ONE[:-2], "--runs", "20", "--bits", "1,3", "--model", "stuck1")
        ],
    }
    shards = [campaign(f"{i}.db", *ONE, "--shard", f"{i}/3") for i in (1, 2, 3)]
    upset("merge", *shards, "--out", "merged.db", folder=folder)
    made["merged"] = [str(folder / "merged.db")]
    made["unfinished"] = [shards[1]]
    made["several"] = [*made["two applications, two chips"], *made["merged"], shards[0]]
    return made
