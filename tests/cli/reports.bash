# SPDX-License-Identifier: Apache-2.0
# Reports of machines that do not exist, for tests of collecting.

collector_needed() {
    [ -x "$abs_top_builddir/core/rhost-collect" ] || skip "built without libsqlite3 and libpq"
}

# report HOST SEQ STATUS [rolled]: a report of the host, of half an hour for each number.
report() {
    python3 - "$@" <<'END'
import hashlib, json, os, sys, time
host, seq, status = sys.argv[1], int(sys.argv[2]), sys.argv[3]
ident = hashlib.md5(host.encode()).hexdigest()

def resource(state):
    return {"type": "file", "title": "/etc/" + state, "provider": "file", "location": {"file": "site.yaml", "line": 2, "column": 5},
            "action": "converge", "status": state, "cause": "drift", "seconds": 0.01, "log": [],
            "changes": [{"attribute": "mode", "from": "0600", "to": "0644", "message": None}] if state == "changed" else [],
            "reason": "mode 0600 to 0644" if state == "changed" else "cannot write", **({"code": "RH5900"} if state == "failed" else {})}

def make(seq, status):
    when = time.time() - 100000 + seq * 1800
    states = {"ok": [], "changed": ["changed"], "failed": ["changed", "failed"]}[status]
    return {"rhost_report": 1, "rhost": "0.1.0", "host": {"id": ident, "name": host},
            "run": time.strftime("%Y%m%dT%H%M%S", time.gmtime(when)) + ".000-" + str(seq), "seq": seq, "revision": "43", "noop": False,
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when)), "resources": [resource(s) for s in states], "log": [],
            "ended": None, "seconds": 1.5, "exit": 4 if status == "failed" else 0, "status": status,
            "counts": {"total": 100, "unchanged": 100 - len(states), "changed": int("changed" in states), "refreshed": 0,
                       "failed": int("failed" in states), "skipped": 0}}

d = make(seq, status)
if len(sys.argv) > 4:
    d["rollback"] = make(seq + 1, "ok")
os.makedirs("reports/" + host, exist_ok=True)
with open("reports/" + host + "/new", "w") as f:
    json.dump(d, f)
os.rename("reports/" + host + "/new", "reports/" + host + "/" + d["run"] + ".json")
END
}

collect() {
    run "$abs_top_builddir/rhost" collect --from=dir:reports --to="${database:-sqlite:fleet.db}" "$@"
}

sql() {
    sqlite3 "${2-fleet.db}" "$1"
}

stored() {
    [ "$(sql 'SELECT count(*) FROM fleet_runs' "${2-fleet.db}" 2>/dev/null)" = "$1" ]
}
