#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""watch.py FLEET NAME=PID...: until FLEET/watched is there, how many reports wait in the folder, and how much memory each process
has: at most, twice a second."""
import os
import sys
import time

fleet, processes = sys.argv[1], dict(a.split("=") for a in sys.argv[2:])
folder = fleet + "/srv/reports"
most, memory = 0, dict.fromkeys(processes, 0)


def waiting():
    n = 0
    for host in os.scandir(folder):
        if host.is_dir() and not host.name.startswith("."):
            n += sum(name.endswith(".json") for name in os.listdir(host.path))
    return n


def resident(pid):
    try:
        for line in open("/proc/%s/status" % pid):
            if line.startswith("VmRSS"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


while not os.path.exists(fleet + "/watched"):
    most = max(most, waiting())
    for name, pid in processes.items():
        memory[name] = max(memory[name], resident(pid))
    time.sleep(0.5)
print("reports in the folder: %d at most; memory at most, in MiB: %s" % (
    most, ", ".join("%s %.1f" % (name, kib / 1024) for name, kib in memory.items())), flush=True)
