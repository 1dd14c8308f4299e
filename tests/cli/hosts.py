# SPDX-License-Identifier: Apache-2.0
# hosts.py WWW N: N hosts, host1 to hostN, that read the channel in WWW and report to reports/, until they are killed. A host
# named in the file "away" does nothing; one in the file "bad" fails with revisions above 42. One in the file
# "devices" reports a device as well, which fails where HOST/device is in "bad". "reports" begins with a run of 42.
import hashlib, json, os, sys, time

www, n = sys.argv[1], int(sys.argv[2])
names = ["host%d" % i for i in range(1, n + 1)]
ids = {name: hashlib.md5(name.encode()).hexdigest() for name in names}
has, seq = {}, {}


def words(path):
    try:
        return open(path).read().split()
    except OSError:
        return []


def report(name, revision, failed, device=None):
    now, host = time.time(), name
    name = name + "/" + device if device else name
    seq[name] = seq.get(name, 0) + 1
    when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + ".%03dZ" % (now % 1 * 1000)
    run = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now)) + ".%03d-%d" % (now % 1 * 1000, seq[name])
    counts = {"total": 1, "unchanged": 0, "changed": int(not failed), "refreshed": 0, "failed": int(failed), "skipped": 0}
    d = {"rhost_report": 1, "rhost": "0.1.0", "host": {"id": ids[host], "name": host}, "run": run, "seq": seq[name],
         "revision": str(revision), "noop": False, "started": when, "resources": [], "log": [], "ended": when, "seconds": 0.1,
         "exit": 4 if failed else 2, "status": "failed" if failed else "changed", "counts": counts}
    if device:
        d["device"], d["run"] = device, run[:-1] + "9%d" % seq[name]
    os.makedirs("reports/" + host, exist_ok=True)
    with open("reports/%s/.new" % host, "w") as f:
        json.dump(d, f)
    os.rename("reports/%s/.new" % host, "reports/%s/%s.json" % (host, d["run"]))


while True:
    try:
        c = json.load(open(www + "/channel.json"))
    except (OSError, ValueError):
        time.sleep(0.05)
        continue
    away, bad = words("away"), words("bad")
    for name in names:
        if name in away and name in has:
            continue
        bucket = int(hashlib.sha256(("%s:%s" % (c["salt"], ids[name])).encode()).hexdigest()[:8], 16) % 100
        chosen = bucket < c["percent"] or ids[name] in c.get("hosts", []) or name in c.get("hosts", [])
        revision = c["want"] if chosen else c["else"]
        if has.get(name) != revision:
            has[name] = revision
            report(name, revision, revision > 42 and name in bad)
            if name in words("devices"):
                report(name, revision, revision > 42 and name + "/device" in bad, "device")
    time.sleep(0.1)
