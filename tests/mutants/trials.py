# SPDX-License-Identifier: Apache-2.0
"""Runs tests in a lane: a copy of the source, in LANE/src, and its build, in LANE/build."""
import hashlib
import os
import re
import select
import shutil
import subprocess
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CASE = re.compile(r"(not )?ok (\d+) (.*?)(?: # skip.*)?(?: in (\d+)ms)?(?: # skip.*)?$")


class Outcome:
    """What a test printed: its cases as (number, name, passed, seconds), and whether it passed."""

    def __init__(self):
        self.cases, self.output, self.passed, self.late = [], [], False, False

    def failed(self):
        return [name for _, name, passed, _ in self.cases if not passed]

    def end(self):
        return "".join(self.output[-25:])


def source_files(source):
    """The paths of all files of a source, as (path in the source, full name)."""
    for folder, _, names in os.walk(source):
        for name in names:
            full = os.path.join(folder, name)
            yield os.path.relpath(full, source), full


class Lane:
    def __init__(self, folder, slot=()):
        self.slot = list(slot)
        self.folder = os.path.abspath(folder)
        self.src = os.path.join(self.folder, "src")
        self.build = os.path.join(self.folder, "build")
        self.tmp = os.path.join(self.folder, "tmp")
        self.runs = 0
        self.lock = threading.Lock()

    def source(self, path):
        return os.path.join(self.src, path)

    def environment(self, isolation, extra):
        e = dict(os.environ, abs_top_srcdir=self.src, abs_top_builddir=self.build, srcdir=self.src,
                 RHOST_ISOLATION=isolation, RHOST_MUTANTS="1", TMPDIR="/tmp" if os.getuid() == 0 else self.tmp)
        e.update(extra)
        for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "GCOV_COVER"):
            if name not in extra:
                e.pop(name, None)
        return e

    def make(self, *targets, seconds=1800):
        """The status, and the output."""
        p = subprocess.run([*self.slot, "make", "-s", *targets], cwd=self.build, stdin=subprocess.DEVNULL, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", timeout=seconds,
                           env=self.environment("confined", {}))
        return p.returncode, p.stdout

    def configure(self, source, flags, *arguments, libraries=("guard",)):
        """Makes the lane: the source copied, and built with all that the tests need, with guarded blocks."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.build)
        shutil.copytree(source, self.src, symlinks=True)
        folder = os.path.join(self.build, "mutants-lib")  # beside the programs, for tests that show them nothing else
        os.makedirs(folder)
        for name in libraries:
            subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", os.path.join(folder, "lib%s.so" % name),
                            os.path.join(HERE, name + ".c")], check=True)
        subprocess.run(["../src/configure", "--quiet", "CFLAGS=" + flags, "CPPFLAGS=-DRH_GUARDED_BLOCKS",
                        "LDFLAGS=-L%s -Wl,-rpath,%s" % (folder, folder),
                        "LIBS=" + " ".join("-l" + name for name in libraries), *arguments], cwd=self.build, check=True)
        self.build_all()

    def built(self):
        return os.path.exists(os.path.join(self.folder, "complete"))

    def update(self, source, additions=None):
        """Makes the lane's copy the same as the source, builds what depends on it, and returns the paths of
        what changed. It also takes back what a runner that was ended has left mutated."""
        changed = []
        for path, good in source_files(source):
            own = self.source(path)
            with open(good, "rb") as f:
                text = f.read() + (additions or {}).get(path, "").encode()
            if os.path.isfile(own):
                with open(own, "rb") as f:
                    if f.read() == text:
                        continue
            os.makedirs(os.path.dirname(own), exist_ok=True)
            with open(own, "wb") as f:
                f.write(text)
            shutil.copymode(good, own)
            if path.endswith((".am", ".in", ".ac", ".m4")) or "/" not in path:
                shutil.copystat(good, own)  # or automake would be run
            changed.append(path)
        known = {path for path, _ in source_files(source)}
        for path, own in list(source_files(self.src)):
            if path not in known and "autom4te.cache" not in path:
                os.unlink(own)
                changed.append(path)
        if changed:
            if "configure" in changed:
                for argument in (["--recheck"], []):
                    subprocess.run(["./config.status", "--quiet", *argument], cwd=self.build, check=True)
            self.build_all()
        return changed

    def build_all(self):
        complete = os.path.join(self.folder, "complete")
        if os.path.exists(complete):
            os.unlink(complete)
        for targets in (["-j2", "all"], ["-j2", "check", "TESTS="]):
            status, out = self.make(*targets)
            if status != 0:
                raise SystemExit("%s does not build:\n%s" % (self.folder, out[-2000:]))
        with open(complete, "w"):
            pass

    def digest(self):
        """Of the programs and plugins, as they are installed."""
        h = hashlib.sha256()
        for folder in ("core", "plugins/.libs"):
            for name in sorted(os.listdir(os.path.join(self.build, folder))):
                if re.fullmatch(r"rhost(-\w+)?", name) or name.endswith(".so"):
                    with open(os.path.join(self.build, folder, name), "rb") as f:
                        h.update(f.read())
        return h.hexdigest()

    def run(self, test, isolation="confined", cases=None, limit=600, first=False, extra=None, sandbox=True):
        """Runs a test, or those cases of it; with `first`, up to the first that fails. It and all that it started
        has ended afterwards."""
        with self.lock:
            self.runs += 1
            tmp = "%s/%d-%d" % (self.tmp, os.getpid(), self.runs)
        os.makedirs(tmp)
        os.chmod(tmp, 0o1777)
        if test.endswith(".bats"):
            argv = ["bats", "--tap", "--timing", os.path.join(self.src, test)]
            if cases is not None:
                names = [re.sub(r"([^\w ])", lambda m: "[%s]" % m.group() if m.group() not in "^\\" else ".", c)
                         for c in cases]
                argv[3:3] = ["-f", "^(%s)$" % "|".join(names)]
        else:
            argv = ["./" + test]
        # A shell that runs in the background, and nohup, have signals ignored that tests send.
        argv[0:0] = ["env", "--default-signal=HUP,INT,QUIT,TERM,PIPE"]
        if os.getuid() == 0 and sandbox:
            argv = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
                    os.path.join(HERE, "sandbox"), self.folder, tmp, *argv]
        if not sandbox:
            extra = dict(extra or {}, TMPDIR=tmp)
        try:
            return self.watch(argv, test, isolation, limit, first, extra or {})
        finally:
            # Nothing is mounted there: mounts were those of the sandbox.
            subprocess.run(["rm", "-rf", "--one-file-system", tmp], stderr=subprocess.DEVNULL, check=False)

    def watch(self, argv, test, isolation, limit, first, extra):
        o = Outcome()
        began = time.time()
        p = subprocess.Popen(self.slot + argv, cwd=self.build, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, start_new_session=True,
                             env=self.environment(isolation, extra))
        rest = b""
        stopped = False
        while True:
            left = began + limit + (600 if self.slot else 0) - time.time()
            if left <= 0 or not select.select([p.stdout], [], [], left)[0]:
                o.late = True
                break
            data = os.read(p.stdout.fileno(), 65536)
            if not data:
                break
            *lines, rest = (rest + data).split(b"\n")
            for raw in lines:
                line = raw.decode(errors="replace")
                o.output.append(line + "\n")
                m = CASE.match(line) if test.endswith(".bats") else None
                if m:
                    o.cases.append((int(m.group(2)), m.group(3), not m.group(1), int(m.group(4) or 0) / 1000))
                    stopped = stopped or (first and bool(m.group(1)))
            if stopped:
                # The reason follows the case's name.
                if select.select([p.stdout], [], [], 0.3)[0]:
                    o.output.append(os.read(p.stdout.fileno(), 65536).decode(errors="replace"))
                break
        if o.late or stopped:
            p.kill()
            try:
                os.killpg(p.pid, 9)
            except ProcessLookupError:
                pass
        p.stdout.close()
        status = p.wait()
        o.passed = not o.late and not stopped and status in (0, 77)
        o.seconds = time.time() - began
        return o
