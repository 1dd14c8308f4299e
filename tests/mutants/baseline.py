# SPDX-License-Identifier: Apache-2.0
"""Runs each test once on the source as it is: how long each case takes, and which lines it executes."""
import difflib
import fnmatch
import hashlib
import os
import pickle
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from coverage import Coverage
from trials import HERE, Lane


def patterns(sources):
    """Those of tests; or those of sources that no mutants are made of."""
    with open(os.path.join(HERE, "tests")) as f:
        found = [line.strip() for line in f if line.strip() and not line.startswith("#")]
    return [p.lstrip("-") for p in found if p.startswith("-") == sources]


ADDITIONS = {
    "tests/lib.bash": '[ -z "${GCOV_ROOT-}" ] || export GCOV_COVER=$GCOV_ROOT/${BATS_SUITE_TEST_NUMBER:-0}\n',
}


def moved(old, new, masks):
    """What is known of the lines of a file, {number: mask}, for its new text. A line that was changed or added
    has what is known of those that were in its place, or of the one before it."""
    result = {}
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for i in range(c, d):
            if kind == "equal":
                known = masks.get(a + i - c + 1, 0)
            else:
                known = 0
                for n in range(a, b) if b > a else [a - 1]:
                    known |= masks.get(n + 1, 0)
            if known:
                result[i + 1] = known
    return result


class Baseline:
    """`cases` has (test, isolation, case, seconds, or None when it was recorded anew); the bits of `hits` are
    in its order: {(path, line): mask}."""

    def __init__(self, source, work, jobs, configure, slot):
        self.work, self.jobs = work, jobs
        self.lane = Lane(os.path.join(work, "cover"), slot)
        self.file = os.path.join(work, "baseline.pickle")
        self.units, self.cases, self.hits, self.executable = {}, [], {}, None
        self.bad = []
        self.coverage = None
        self.bearings = {}
        self.ways = {}
        if not self.lane.built():
            self.instrument(source, configure)
        elif os.path.exists(self.file):
            with open(self.file, "rb") as f:
                self.units, self.cases, self.hits, self.executable = pickle.load(f)
        self.update(source)

    def save(self):
        with open(self.file + ".new", "wb") as f:
            pickle.dump((self.units, self.cases, self.hits, self.executable), f)
        os.rename(self.file + ".new", self.file)

    def update(self, source):
        """Brings the lane to the source. What was recorded stays, at the new place of each line."""
        old = {}
        for path in {path for path, _ in self.hits}:
            try:
                with open(self.lane.source(path), errors="replace") as f:
                    old[path] = f.read().split("\n")
            except FileNotFoundError:
                continue
        changed = self.lane.update(source, ADDITIONS)
        if not changed:
            return
        self.executable = None
        for path in set(changed) & set(old):
            masks = {n: self.hits.pop((p, n)) for p, n in list(self.hits) if p == path}
            if os.path.exists(self.lane.source(path)):
                with open(self.lane.source(path), errors="replace") as f:
                    new = f.read().split("\n")
                for number, mask in moved(old[path], new, masks).items():
                    self.hits[path, number] = mask
        self.save()

    def instrument(self, source, configure):
        """Builds the lane whose programs note what they execute."""
        os.makedirs(self.work, exist_ok=True)
        self.lane.configure(source, "-O0 -g -fsanitize-coverage=trace-pc", *configure, libraries=("cover", "guard"))

    def tests(self):
        """(test, isolation) of all that mutants are tried on."""
        script = "include Makefile\nvalue:\n\t@echo $(TESTS)\n"
        names = subprocess.run(["make", "-s", "--no-print-directory", "-f", "-", "value"], cwd=self.lane.build,
                               input=script, text=True, capture_output=True, check=True).stdout.split()
        result = []
        for name in sorted(set(names), key=lambda n: (n.endswith(".bats"), n[:5] == "tests", n[:13] != "tests/robust/", n)):
            taken = False
            for p in patterns(False):
                if fnmatch.fnmatch(name, p.lstrip("!")):
                    taken = not p.startswith("!")
            if not taken:
                continue
            result.append((name, "worker"))
            # What tests/run-bats runs inline too is the runtime; the plugins are the same there.
            if name.endswith(".bats") and name.startswith(("tests/plugins/", "tests/conformance/")):
                result.append((name, "none"))
        return result

    def digest(self, name):
        path = os.path.join(self.lane.src, name if name.endswith(".bats") else name + ".c")
        with open(path, "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()

    def record(self, key):
        """Runs one test, and keeps what it says; a case that fails only when it is recorded is a good one."""
        name, isolation = key
        notes = os.path.join(self.lane.folder, "notes", name.replace("/", "-") + "-" + isolation)
        shutil.rmtree(notes, ignore_errors=True)
        os.makedirs(notes)
        os.chmod(notes, 0o1777)
        o = self.lane.run(name, isolation, extra={"GCOV_ROOT": notes, "GCOV_COVER": notes + "/0"})
        cases = [{"name": n, "time": t, "number": i} for i, n, _, t in o.cases]
        if not name.endswith(".bats"):
            cases = [{"name": None, "time": o.seconds, "number": 0}]
        failed = set(o.failed()) if cases and name.endswith(".bats") else set() if o.passed else {None}
        if failed:
            again = self.lane.run(name, isolation)
            failed = set(again.failed()) if name.endswith(".bats") else set() if again.passed else {None}
            for case in again.failed() or ([name] if failed else []):
                self.bad.append("%s (%s): %s" % (name, isolation, case))
            if failed:
                print(again.end(), flush=True)
        for c in cases:
            c["bad"] = c["name"] in failed
        return {"digest": self.digest(name), "cases": cases, "seconds": o.seconds, "notes": notes}

    def run(self):
        """Runs what was not run before, and reads what was noted."""
        keys = self.tests()
        missing = []
        for key in keys:
            unit = self.units.get(key)
            if not unit or unit["digest"] != self.digest(key[0]):
                missing.append(key)
        began = time.time()
        if missing or self.executable is None:
            self.coverage = Coverage(self.lane.build, self.lane.src)
            self.executable = self.coverage.executable()
        with ThreadPoolExecutor(self.jobs) as pool:
            for key, unit in zip(missing, pool.map(self.record, missing)):
                self.read(key, unit)
                print("recorded %s (%s): %d cases, %.0f s" % (*key, len(unit["cases"]), unit["seconds"]), flush=True)
                self.save()
        known = set(keys)
        self.forget(lambda key: key not in known)
        self.bad += ["%s (%s): no case" % k for k in keys if not self.units[k]["cases"]]
        self.save()
        print("%d of %d tests recorded in %.0f s" % (len(missing), len(keys), time.time() - began), flush=True)

    def forget(self, which):
        for i, case in enumerate(self.cases):
            if case and which(case[:2]):
                self.cases[i] = None

    def read(self, key, unit):
        """Adds what a test noted to what is known."""
        self.forget(lambda other: other == key)
        common = self.coverage.read(unit["notes"] + "/0")
        for c in unit["cases"]:
            if c["bad"]:
                continue
            lines = common | self.coverage.read("%s/%d" % (unit["notes"], c["number"])) if c["number"] else common
            for place in lines:
                self.hits[place] = self.hits.get(place, 0) | 1 << len(self.cases)
            self.cases.append((*key, c["name"], c["time"]))
        shutil.rmtree(unit.pop("notes"), ignore_errors=True)
        if any(c["bad"] for c in unit["cases"]) or not unit["cases"]:
            unit["digest"] = ""  # not taken for known the next time
        self.units[key] = unit

    def reaching(self, path, number):
        """The cases that execute the line."""
        mask, result = self.hits.get((path, number), 0), []
        for i, case in enumerate(self.cases):
            if case and mask >> i & 1:
                result.append(case)
        return result

    def bearing(self, path):
        """How much each case is about a source: {case: sum}. A line counts the more the fewer cases execute it."""
        if path not in self.bearings:
            alive = sum(1 << i for i, case in enumerate(self.cases) if case)
            sums = {}
            for (where, _), mask in self.hits.items():
                mask &= alive
                share = 1 / bin(mask).count("1") if mask and where == path else 0
                while mask and share:
                    low = mask & -mask
                    sums[low] = sums.get(low, 0) + share
                    mask ^= low
            self.bearings[path] = {self.cases[low.bit_length() - 1]: n for low, n in sums.items()}
        return self.bearings[path]

    def way(self, path):
        """What each case executes of a source, as a number: {case: bits of its lines}. Cases that take the same way
        through it tell the same about a mutant."""
        if path not in self.ways:
            alive = sum(1 << i for i, case in enumerate(self.cases) if case)
            ways = {}
            for bit, mask in enumerate(mask for (where, _), mask in self.hits.items() if where == path):
                mask &= alive
                while mask:
                    low = mask & -mask
                    ways[low] = ways.get(low, 0) | 1 << bit
                    mask ^= low
            self.ways[path] = {self.cases[low.bit_length() - 1]: n for low, n in ways.items()}
        return self.ways[path]
