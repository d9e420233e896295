"""Ctrl-C: a campaign ends in order, and other commands at once."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import upset
from stores import CHIP
from stores import upset as program

CAMPAIGN = """
import sys, upset
try:
    upset.campaign(app="hs", chip=sys.argv[1], structure="rf,l2", runs=3000, out=sys.argv[2],
                   progress=lambda e: print(e["event"], flush=True))
except KeyboardInterrupt as e:
    print("interrupted:", e, flush=True)
    sys.exit(7)
"""

RUN = """
import sys, upset
print("begun", flush=True)
try:
    # However fast the machine is, something runs when the signal comes.
    while True:
        upset.run("srad2", chip=sys.argv[1], scale="paper")
except KeyboardInterrupt:
    sys.exit(7)
"""


def begun(script, *words):
    return subprocess.Popen(
        [sys.executable, "-c", script, *words], stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip


class Interrupted(unittest.TestCase):
    def test_a_campaign_keeps_its_store(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "a.db")
            process = begun(CAMPAIGN, CHIP, out)
            for line in process.stdout:
                if line.startswith("progress"):
                    break
            # As a terminal does it: to all processes of the group.
            os.killpg(process.pid, signal.SIGINT)
            told = process.stdout.read()
            process.stdout.close()
            self.assertEqual(process.wait(60), 7, told)
            self.assertIn("--resume", told)
            unfinished = upset.open(out)
            self.assertFalse(unfinished.complete)
            resumed = upset.campaign(resume=True, out=out, progress=False)
            whole = os.path.join(folder, "b.db")
            program("campaign", "--app", "hs", "--chip", CHIP, "--structure", "rf,l2",
                    "--runs", "3000", "--quiet", "--out", whole)  # fmt: skip
            self.assertEqual(resumed.digests, upset.open(whole).digests)

    def test_a_run_ends_at_once(self):
        process = begun(RUN, "gv100")
        process.stdout.readline()
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGINT)
        code = process.wait(60)
        process.stdout.close()
        self.assertEqual(code, 7)


if __name__ == "__main__":
    unittest.main()
