# SPDX-License-Identifier: Apache-2.0
"""Runs each test once on the source as it is: how long each case takes, and which lines it executes."""
import fnmatch
import hashlib
import json
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


class Baseline:
    def __init__(self, source, work, jobs, configure, slot):
        self.work, self.jobs = work, jobs
        self.lane = Lane(os.path.join(work, "cover"), slot)
        self.file = os.path.join(work, "baseline.json")
        self.units = {}
        self.bad = []
        if not os.path.exists(os.path.join(self.lane.build, "core/rhost")):
            self.instrument(source, configure)
        if os.path.exists(self.file):
            with open(self.file) as f:
                self.units = json.load(f)

    def instrument(self, source, configure):
        """Builds the lane whose programs note what they execute."""
        os.makedirs(self.work, exist_ok=True)
        library = os.path.join(self.work, "libcover.so")
        subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", library, os.path.join(HERE, "cover.c")], check=True)
        folder = os.path.join(self.lane.folder, "lib")
        self.lane.configure(source, "CFLAGS=-O0 -g -fsanitize-coverage=trace-pc",
                            "LDFLAGS=-L%s -Wl,-rpath,%s" % (folder, folder), "LIBS=-lcover", *configure,
                            libraries=[library])
        with open(os.path.join(self.lane.src, "tests/lib.bash"), "a") as f:
            f.write('[ -z "${GCOV_ROOT-}" ] || export GCOV_COVER=$GCOV_ROOT/${BATS_SUITE_TEST_NUMBER:-0}\n')

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
        return {"digest": self.digest(name), "cases": cases, "seconds": o.seconds, "late": o.late, "notes": notes}

    def run(self):
        """Runs what was not run before, and reads what was noted."""
        missing = []
        keys = self.tests()
        for key in keys:
            unit = self.units.get("%s %s" % key)
            if not unit or unit["digest"] != self.digest(key[0]):
                missing.append(key)
        began = time.time()
        with ThreadPoolExecutor(self.jobs) as pool:
            for key, unit in zip(missing, pool.map(self.record, missing)):
                self.units["%s %s" % key] = unit
                if any(c["bad"] for c in unit["cases"]) or not unit["cases"]:
                    unit["digest"] = ""  # not taken for known the next time
                print("recorded %s (%s): %d cases, %.0f s" % (*key, len(unit["cases"]), unit["seconds"]), flush=True)
                with open(self.file + ".new", "w") as f:
                    json.dump(self.units, f)
                os.rename(self.file + ".new", self.file)
        self.bad += ["%s (%s): no case" % k for k in keys if not self.units["%s %s" % k]["cases"]]
        print("%d tests recorded in %.0f s" % (len(missing), time.time() - began), flush=True)
        self.read(keys)

    def read(self, keys):
        """Reads what was noted, or what was read of the same notes before."""
        kept = os.path.join(self.work, "coverage.pickle")
        state = hashlib.sha256(json.dumps([keys, self.units]).encode()).hexdigest()
        if os.path.exists(kept):
            with open(kept, "rb") as f:
                old, *content = pickle.load(f)
            if old == state:
                self.cases, self.hits, self.executable = content
                return
        coverage = Coverage(self.lane.build, self.lane.src)
        self.cases = []
        for name, isolation in keys:
            unit = self.units["%s %s" % (name, isolation)]
            common = coverage.read(unit["notes"] + "/0")
            for c in unit["cases"]:
                if c.get("bad"):
                    continue
                lines = common | coverage.read("%s/%d" % (unit["notes"], c["number"])) if c["number"] else common
                coverage.add(len(self.cases), lines)
                self.cases.append((name, isolation, c["name"], c["time"]))
        self.hits = coverage.hits
        self.executable = coverage.executable()
        with open(kept, "wb") as f:
            pickle.dump((state, self.cases, self.hits, self.executable), f)

    def reaching(self, path, number):
        """The cases that execute the line."""
        mask, result = self.hits.get((path, number), 0), []
        for i, case in enumerate(self.cases):
            if mask >> i & 1:
                result.append(case)
        return result
