# SPDX-License-Identifier: Apache-2.0
"""From what cover.c notes to the lines of the sources that each test executes."""
import array
import bisect
import os
import re
import subprocess


def fnv(name):
    h = 2166136261
    for c in name.encode():
        h = (h ^ c) * 16777619 & 0xffffffff
    return h


def lines_of(program):
    """The program's blocks: (return addresses of the calls at their begin, the (file, line) of each block)."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program],
                          capture_output=True, text=True, check=True).stdout
    calls, returns, wanted = [], [], False
    for line in text.splitlines():
        m = re.match(r" *([0-9a-f]+):\t(.*)", line)
        if not m:
            continue
        if wanted:
            returns.append(int(m.group(1), 16))
            wanted = False
        if "call" in m.group(2) and "__sanitizer_cov_trace_pc" in m.group(2):
            calls.append(int(m.group(1), 16))
            wanted = True
    # A row of the line table belongs to the block whose call is the last one at or before it.
    blocks = [set() for _ in calls]
    text = subprocess.run(["readelf", "--debug-dump=decodedline", "-W", program],
                          capture_output=True, text=True, check=True).stdout
    name = None
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 3 and words[1].isdigit() and words[2].startswith("0x"):
            at = bisect.bisect_right(calls, int(words[2], 16)) - 1
            if at >= 0 and name:
                blocks[at].add((name, int(words[1])))
        elif re.search(r"\.[ch]:(\[\+\+\])?$", line):
            name = line.removeprefix("CU: ").removesuffix("[++]")[:-1]
    return returns, blocks


class Coverage:
    """The lines that are executed, from what is noted."""

    def __init__(self, build, source):
        self.build, self.source = build, source
        self.programs = {}
        self.names = {}
        self.files = {}
        self.by_key = {}
        for folder in ("core", "plugins/.libs", "tests/unit", "tests/conformance", "tests/sdk", "tests/robust",
                       "tests/conformance/.libs", "tests/plugins/.libs", "tests/sdk/.libs", "tests/robust/.libs"):
            folder = os.path.join(build, folder)
            for name in os.listdir(folder) if os.path.isdir(folder) else ():
                if "." not in name or name.endswith(".so"):
                    self.files.setdefault(name, os.path.join(folder, name))
        self.by_hash = {fnv(name): name for name in self.files}

    def path(self, name):
        """Of a file of the line table, in the source; None for what is not of the tree."""
        if name not in self.names:
            full = name if os.path.isabs(name) else os.path.join(self.build, name)
            rel = os.path.relpath(os.path.realpath(full), os.path.realpath(self.source))
            self.names[name] = None if rel.startswith("..") else rel
        return self.names[name]

    def blocks(self, name):
        """{return address: {(path, line)}} of a program or library."""
        if name not in self.programs:
            result = {}
            if name in self.files:
                returns, blocks = lines_of(self.files[name])
                for at, lines in zip(returns, blocks):
                    result[at] = {(self.path(f), n) for f, n in lines if self.path(f)}
            self.programs[name] = result
        return self.programs[name]

    def read(self, notes):
        """The lines of what one case has noted."""
        result = set()
        table = array.array("Q")
        try:
            with open(notes, "rb") as f:
                table.frombytes(f.read())
        except FileNotFoundError:
            return result
        for key in set(table):
            if key not in self.by_key:
                self.by_key[key] = self.blocks(self.by_hash.get(key >> 32)).get(key & 0xffffffff, set())
            result |= self.by_key[key]
        return result

    def executable(self):
        """All lines that have code."""
        for name in list(self.files):
            if name in ("rhost", "rhost-worker") or "/plugins/.libs/" in self.files[name]:
                self.blocks(name)
        return {place for blocks in self.programs.values() for lines in blocks.values() for place in lines}
