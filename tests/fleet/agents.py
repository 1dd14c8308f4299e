#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cycles of many agents, each with a name of its own. The agent is the real one; what it starts is APPLY.

agents.py rounds  FLEET AGENT APPLY JOBS PAUSE NAME...  one after the other, JOBS at once, in turns, until FLEET/stop is there;
                                                        those in FLEET/away are left out
agents.py round   FLEET AGENT APPLY JOBS NAME...        one turn
agents.py at-once FLEET AGENT APPLY NAME...             all of them in the same moment
"""
import ctypes
import os
import socket
import sys
import time

CLONE_NEWUTS = 0x04000000
libc = ctypes.CDLL(None, use_errno=True)
mode, fleet, agent, apply = sys.argv[1:5]
stop = fleet + "/stop"


def away():
    try:
        return set(open(fleet + "/away").read().split())
    except FileNotFoundError:
        return set()


def start(name, gate=None):
    """The process of one cycle. With a gate, it begins when the other end of the pipe is closed."""
    pid = os.fork()
    if pid:
        return pid
    try:
        if gate:
            os.close(gate[1])
        if libc.unshare(CLONE_NEWUTS) != 0:
            raise OSError(ctypes.get_errno(), "unshare")
        socket.sethostname(name)
        log = os.open("%s/log/%s" % (fleet, name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(log, 1)
        os.dup2(log, 2)
        if gate:
            os.read(gate[0], 1)
        os.execv(agent, ["rhost-agent", "--state-dir=%s/agents/%s" % (fleet, name), "--program=" + apply,
                         "--settings=%s/agents/%s.yaml" % (fleet, name), "--once", "--", "run"])
    finally:
        os._exit(127)


def turn(names, jobs):
    running = 0
    for name in names:
        if os.path.exists(stop):
            break
        if name in away():
            continue
        if running == jobs:
            os.wait()
            running -= 1
        start(name)
        running += 1
    while running:
        os.wait()
        running -= 1


def at_once(names):
    gate = os.pipe()
    for name in names:
        start(name, gate)
    os.close(gate[0])
    begin = time.monotonic()
    os.close(gate[1])
    ends, failed = [], 0
    for _ in names:
        failed += os.wait()[1] != 0
        ends.append(time.monotonic() - begin)
    print("%d cycles at once: half ended within %.1f s, the last after %.1f s; %d could not do all of it"
          % (len(names), ends[len(names) // 2], ends[-1], failed), flush=True)


if mode == "rounds":
    n = 0
    while not os.path.exists(stop):
        begin = time.monotonic()
        turn(sys.argv[7:], int(sys.argv[5]))
        n += 1
        print("turn %d of the simulated agents: %.1f s" % (n, time.monotonic() - begin), flush=True)
        if not os.path.exists(stop):
            time.sleep(float(sys.argv[6]))
elif mode == "round":
    turn(sys.argv[6:], int(sys.argv[5]))
else:
    at_once(sys.argv[5:])
