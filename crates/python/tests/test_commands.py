"""Commands give what the program gives."""

import contextlib
import io
import json
import os
import tempfile
import threading
import unittest

import upset
from stores import CHIP, ONE, needs, said, stores
from stores import upset as program

FAULT = "rf:sm0.sub0.row20.lane5.bit12@600"
#: What depends on this machine's time.
CLOCK = {"wall_s", "thread_insts_per_s", "cycles_per_s"}


class Single(unittest.TestCase):
    def test_inject_tells_the_programs_story(self):
        words = ["inject", "va", "--chip", CHIP, "--fault", FAULT]
        found = upset.inject("va", chip=CHIP, fault=FAULT)
        self.assertEqual(found.json, said(*words))
        self.assertEqual(str(found), program(*words))
        self.assertEqual((found.fault, found.outcome), (FAULT, "masked"))
        html = found._repr_html_()
        for line in str(found).splitlines()[:3]:
            self.assertIn(line[9:], html)

    def test_ace_gives_the_programs_bounds(self):
        words = ["ace", "va", "--chip", CHIP, "--structure", "rf,l2"]
        found = upset.ace("va", chip=CHIP, structure=["rf", "l2"])
        self.assertEqual(found.json, said(*words))
        self.assertEqual(str(found), program(*words))

    def test_run_gives_the_programs_numbers(self):
        for functional in (False, True):
            found = upset.run("va", chip=CHIP, functional=functional)
            told = said("run", "va", "--chip", CHIP, *["--functional"] * functional)
            timeless = lambda of: {k: v for k, v in of.items() if k not in CLOCK}  # noqa: E731
            self.assertEqual(timeless(found.json), timeless(told))
            self.assertTrue(found.passed)

    @needs("pandas")
    def test_what_they_found_comes_as_frames(self):
        kernels = upset.run("va", chip=CHIP).kernels()
        self.assertEqual(list(kernels["name"]), ["vectorAdd"])
        bounds = upset.ace("va", chip=CHIP)
        self.assertEqual(len(bounds.bounds()), len(bounds.json["rows"]))
        self.assertEqual(len(bounds.hot_spots()), len(bounds.json["hot_spots"]))

    def test_bounds_stand_beside_rates(self):
        bounds = upset.ace("va", chip=CHIP)
        store = upset.open(*stores()["merged"])
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "ace.json")
            with open(file, "w") as out:
                json.dump(bounds.json, out)
            told = said("report", *store.paths, "--ace", file)
            self.assertEqual(store.report(ace=bounds).json, told)
            self.assertEqual(store.report(ace=file).json, told)
        self.assertTrue(any(row["ace"] is not None for row in told["rows"]))

    def test_complaints_are_the_programs(self):
        for words, ask in [
            (["inject", "va", "--chip", CHIP, "--fault", "rf:nowhere@1"],
             lambda: upset.inject("va", chip=CHIP, fault="rf:nowhere@1")),
            (["run", "nothing", "--chip", CHIP], lambda: upset.run("nothing", chip=CHIP)),
            (["run", "va", "--chip", "rtx9"], lambda: upset.run("va", chip="rtx9")),
            (["campaign", "--app", "va", "--chip", CHIP, "--structure", "rg"],
             lambda: upset.campaign(app="va", chip=CHIP, structure="rg", progress=False)),
        ]:  # fmt: skip
            complaint = program(*words, code=2)
            with self.assertRaises(upset.Error) as caught:
                ask()
            self.assertEqual(f"upset: {caught.exception}\n", complaint)
            self.assertEqual(caught.exception.code, 2)

    def test_an_unknown_option_is_named(self):
        with self.assertRaises(upset.Error) as caught:
            upset.run("va", chip=CHIP, colour="red")
        self.assertEqual(caught.exception.code, 2)
        self.assertIn("--colour", str(caught.exception))

    def test_what_is_lacking_has_code_3(self):
        with self.assertRaises(upset.Error) as caught:
            upset.run("va", chip="titan", structure=None, set=["sm.arch=sm_35"])
        self.assertIn(caught.exception.code, (2, 3))


class Campaigns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = os.path.join(folder.name, "a.db")

    def test_a_campaign_gives_the_programs_store(self):
        """Byte for byte, while another thread of Python goes on and hears of it."""
        events, turns = [], []
        ended = threading.Event()

        def count():
            while not ended.wait(0.005):
                turns.append(1)

        other = threading.Thread(target=count)
        other.start()
        try:
            store = upset.campaign(
                app="va", chip=CHIP, structure=["rf", "smem", "l2"], runs=60, out=self.out,
                progress=events.append,
            )  # fmt: skip
        finally:
            ended.set()
            other.join()
        self.assertGreater(len(turns), 5, "nobody else could run")
        there = upset.open(*stores()["merged"])
        self.assertEqual(store.digests, there.digests)
        with open(self.out, "rb") as one, open(there.paths[0], "rb") as two:
            self.assertEqual(one.read(), two.read())
        last = [e for e in events if e["event"] == "progress"][-1]
        self.assertEqual((last["done"], last["total"]), (180, 180))
        lines = program("campaign", *ONE, "--json-lines", "--out", self.out + "2").splitlines()
        keys = {e["event"]: set(e) for e in map(json.loads, lines)}
        for event in events:
            self.assertEqual(set(event), keys[event["event"]])

    def test_a_specification_and_the_flags_that_change_it(self):
        with tempfile.TemporaryDirectory() as folder:
            spec = os.path.join(folder, "a.toml")
            with open(spec, "w") as file:
                file.write(f'apps = ["va"]\nchips = ["{CHIP}"]\nstructures = ["rf"]\nruns = 50\n')
            store = upset.campaign(spec, runs=7, out=self.out, jobs=1, progress=False)
        self.assertEqual((store.plan.spec["runs"], store.plan.spec["apps"]), (7, ["va"]))

    def test_a_bar_is_shown(self):
        told = io.StringIO()
        with contextlib.redirect_stderr(told):
            upset.campaign(app="va", chip=CHIP, structure="rf", runs=9, out=self.out)
        try:
            import tqdm  # noqa: F401
        except ImportError:
            self.assertEqual(told.getvalue(), "")
        else:
            self.assertIn("9/9", told.getvalue())

    def test_who_is_told_may_end_it(self):
        """What the function raises comes out, and the store goes on."""

        def stop(event):
            if event["event"] == "progress":
                raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            upset.campaign(
                app="hs", chip=CHIP, structure="rf", runs=400, out=self.out, progress=stop
            )
        unfinished = upset.open(self.out)
        self.assertFalse(unfinished.complete)
        store = upset.campaign(resume=True, out=self.out, progress=False)
        self.assertTrue(store.complete)


if __name__ == "__main__":
    unittest.main()
