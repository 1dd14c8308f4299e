#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes reports as rhost writes them, for a folder that rhost-collect reads.

    reports.py FOLDER HOSTS RUNS CHANGES [SEED]

RUNS reports of each of HOSTS machines, half an hour apart, the last of them now. Each has CHANGES resources that were
changed. Of every 50th machine the last run failed; every 100th is silent: its last five reports are missing; every 40th
has a gap. Another SEED gives other runs.
"""
import hashlib
import json
import os
import random
import sys
import time


def at(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def resource(i, failed, cause):
    return {
        "type": "file", "title": f"/etc/service/part-{i}.conf", "provider": "file",
        "location": {"file": "site.yaml", "line": 3 * i + 2, "column": 5}, "action": "converge",
        "status": "failed" if failed else "changed", "cause": cause, "seconds": 0.000178,
        "changes": [] if failed else [
            {"attribute": "content", "from": f"listen = {i}\n", "to": f"listen = {i + 8000}\n", "message": "content changed"},
            {"attribute": "mode", "from": "0600", "to": "0644", "message": None}],
        "reason": "cannot write: No space left on device" if failed else "content changed, mode 0600 → 0644",
        "log": [{"level": "notice", "message": "content changed"}],
    }


def report(host, ident, seq, when, changes, failed, n):
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(when))
    status = "failed" if failed else "changed" if changes else "ok"
    listed = [resource(i, failed and i == 0, "drift" if i == 1 else "manifest") for i in range(changes or failed)]
    return {
        "rhost_report": 1, "rhost": "0.1.0", "host": {"id": ident, "name": host}, "run": f"{stamp}.{n % 1000:03d}-{ident[:8]}",
        "seq": seq, "revision": str(40 + seq % 4), "noop": False, "started": at(when), "resources": listed, "log": [],
        "ended": at(when + 2), "seconds": 1.873, "exit": 4 if failed else 0, "status": status,
        "counts": {"total": 100, "unchanged": 100 - len(listed), "changed": len(listed) - failed, "refreshed": 0,
                   "failed": int(failed), "skipped": 0},
    }


def main():
    folder, hosts, runs, changes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    now = int(time.time())
    for h in range(hosts):
        host = f"web{h:05d}.example.org"
        ident = hashlib.md5(host.encode()).hexdigest()
        where = os.path.join(folder, host)
        os.makedirs(where, exist_ok=True)
        spread = random.Random(h).randrange(1800)
        for r in range(runs):
            seq = (seed - 1) * runs + r + 1
            back = (runs - 1 - r) * 1800
            if (h % 100 == 7 and back < 5 * 1800) or (h % 40 == 3 and runs > 3 and r == runs // 2):
                continue
            d = report(host, ident, seq, now - spread - back, changes, h % 50 == 11 and r == runs - 1, seed * 37 + r)
            d["run"] = d["run"].split("-")[0] + "-" + str(int(ident[:8], 16) + seed)
            with open(os.path.join(where, d["run"] + ".json"), "w", encoding="utf-8") as f:
                json.dump(d, f)


main()
