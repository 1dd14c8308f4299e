#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the reports of many machines say.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"
source "$abs_top_srcdir/tests/cli/reports.bash"

setup() {
    work_open
    collector_needed
    command -v sqlite3 >/dev/null || skip "no sqlite3"
    mkdir reports
    report web1 1 ok
    report web1 3 changed
    report web2 7 failed
    report web3 1 ok
    collect
    sql "UPDATE host SET seen = '2020-01-01T00:00:00.000Z' WHERE host = 'web3'"
}

fleet() {
    run "$abs_top_builddir/rhost" fleet --db=sqlite:fleet.db "$@"
}

@test "the status of each host is printed, the failed ones first" {
    fleet status
    status_is 0
    is "$(awk '{ print $1, $2, $3 }' <<<"$output")" "$(printf 'host state revision\nweb2 failed 43\nweb3 silent 43\nweb1 changed 43\n3 hosts: 1')"
    is "${lines[-1]}" '3 hosts: 1 changed, 1 failed, 1 silent'
    fleet status --format=json
    echo "$output" >status.json
    json_is status.json '[(h["host"], h["state"], h["failed"]) for h in d["hosts"]], d["states"][0]' \
        "([('web2', 'failed', 1), ('web3', 'silent', 0), ('web1', 'changed', 0)], {'state': 'changed', 'hosts': 1})"
}

@test "a view and a statement are queried, and nothing is changed" {
    fleet query drift --format=json
    echo "$output" >drift.json
    json_is drift.json 'sorted((r["host"], r["changes"][0]["to"]) for r in d)' "[('web1', '0644'), ('web2', '0644')]"
    fleet query fleet_gaps
    says 'web1'
    fleet query "SELECT host, noop, NULL AS empty, 0.5 AS half FROM fleet_status WHERE host = 'web1'" --format=json
    is "$output" '[{"host": "web1", "noop": false, "empty": null, "half": 0.5}]'
    for sql in 'DELETE FROM host' "ATTACH 'x.db' AS x" 'PRAGMA journal_mode = DELETE' 'CREATE TABLE x (y)' 'BEGIN' "SELECT load_extension('x')"; do
        fleet query "$sql"
        status_is 4
    done
    fleet query 'SELECT 1; DELETE FROM host'
    status_is 1
    says 'a query must be one statement'
    [ ! -e x.db ]
    is "$(sql 'SELECT count(*) FROM host')" 3
}

@test "in what two hosts differ" {
    fleet diff web1 web2
    status_is 0
    says 'status changed | failed'
    says 'web2 failed'
    says '/etc/failed'
    fleet diff web1 web1
    status_is 1
    says 'expected two different hosts'
    fleet diff web1 web2 --format=json
    echo "$output" >diff.json
    json_is diff.json 'd["runs"]["failed"], [(r["only_on"], r["title"]) for r in d["resources"]]' "(['0', '1'], [('web2', '/etc/failed')])"
    fleet diff web1 web9
    status_is 1
    says "host 'web9' has never sent a report"
    fleet diff web1 "x' OR '1"
    status_is 1
    says "is not the name of a host"
}

@test "a dry run does not hide what a host last ran" {
    report web1 9 failed
    sed -i 's/"noop": false/"noop": true/; s/"revision": "43"/"revision": "44"/' reports/web1/*.json
    report web4 1 ok
    sed -i 's/"noop": false/"noop": true/' reports/web4/*.json
    collect
    is "$(sql "SELECT host, revision, status, noop FROM fleet_status WHERE host IN ('web1', 'web4') ORDER BY 1")" $'web1|43|changed|0\nweb4|43|ok|1'
    report web4 2 ok
    collect
    is "$(sql "SELECT noop, seq FROM fleet_status WHERE host = 'web4'")" '0|2'
}

@test "the page is whole, fetches nothing, and escapes what came from outside" {
    sql "UPDATE event SET message = '<script>alert(1)</script>' || char(27) || '[2J', title = '\"><img src=x>' WHERE status = 'failed'"
    fleet report -o page.html
    status_is 0
    is "$(stat -c %a page.html)" 644
    python3 - <<'END'
import html.parser
class P(html.parser.HTMLParser):
    tags, open, void = set(), [], {"meta"}
    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not {"src", "href", "onclick"} & {a for a, _ in attrs}, attrs
        if tag not in self.void:
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
p = P()
text = open("page.html", encoding="utf-8").read()
p.feed(text)
assert not p.open and not {"script", "img", "link"} & p.tags, p.tags
assert "&lt;script&gt;alert(1)" in text and "\x1b" not in text and "prefers-color-scheme: dark" in text
for word in "Failed", "Silent", "Drift", "Missing reports", "web1", "web2", "web3":
    assert word in text, word
END
    fleet report -o none/page.html
    status_is 4
}

@test "the page has bars of the revisions and of the drift" {
    report web4 1 ok
    sed -i 's/"revision": "43"/"revision": "<44>"/' reports/web4/*.json
    collect
    fleet report
    status_is 0
    bars() {
        sed -n "/<h2>$1</,/<h2>/s/^<div class=\"row\">//p" <<<"$output" | sed 's/<[^>]*class="\(s-[a-z]*\)" style="flex: \([0-9]*\)"[^>]*>/[\1 \2]/g; s/<[^>]*>/ /g; s/  */ /g; s/^ //; s/ $//' | sort
    }
    is "$(bars Rollout)" "$(printf '%s\n' '&lt;44&gt; [s-ok 1] [s-none 2] 1 host' '43 [s-ok 1] [s-failed 1] [s-silent 1] 3 hosts, 1 failed, 1 silent')"
    is "$(bars 'Drift of each day')" "$(sql "SELECT day || ' [s-changed ' || count(*) || '] ' || CASE count(*) WHEN 1 THEN '1 host, 1 resource' ELSE '2 hosts, 2 resources' END FROM fleet_drift GROUP BY day")"
}

@test "no host hides another one on the page, and texts are cut" {
    sql "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
        INSERT INTO event (host_id, run, n, day, started, kind, status, type, title, message) SELECT h.id, h.run, i, h.day, h.started, 'resource', 'failed', 'file', 'many',
        replace(hex(zeroblob(1000)), '00', 'é') FROM host h, n WHERE h.host = 'web2'"
    sql "UPDATE host SET status = 'failed' WHERE host = 'web3'"
    fleet report
    status_is 0
    is "$(grep -c '<td>many</td>' <<<"$output")" 19
    says 'and 582 more: rhost fleet query fleet_failed'
    grep -q '<td>web3</td><td>failed' <<<"$output"
    is "$(grep -o 'é*…' <<<"$output" | head -1 | tr -d '…' | wc -c)" 501
}

@test "metrics are what Prometheus reads" {
    python3 -c 'import prometheus_client' 2>/dev/null || skip "no python3-prometheus-client"
    sql "UPDATE host SET revision = 'a\"b\\c' || char(10) WHERE host = 'web1'"
    fleet metrics -o fleet.prom
    status_is 0
    python3 - <<'END'
from prometheus_client.parser import text_string_to_metric_families
got = {}
for family in text_string_to_metric_families(open("fleet.prom", encoding="utf-8").read()):
    for s in family.samples:
        got[s.name, tuple(s.labels.values())] = s.value
assert got["rhost_fleet_hosts", ("failed",)] == got["rhost_fleet_hosts", ("silent",)] == got["rhost_fleet_hosts", ("changed",)] == 1, got
assert got["rhost_fleet_failed_resources", ()] == 1 and got["rhost_fleet_missing_reports", ()] == 1, got
assert got["rhost_fleet_oldest_report_seconds", ()] > 1e8, got
assert len([k for k in got if k[0] == "rhost_fleet_revision_hosts"]) == 2, got
END
}

@test "metrics have each series once, and no number is too large" {
    report web4 1 ok
    sed -i 's/"revision": "43"/"revision": ""/' reports/web4/*.json
    report web5 1 ok
    sed -i 's/"revision": "43"/"revision": null/' reports/web5/*.json
    collect
    sql 'UPDATE report SET seq = 9223372036854775000 WHERE seq = 3;
        INSERT INTO report SELECT host_id, run || 0, day, 1, machine_id, name, rhost, revision, undoes, rolls_back, noop, status, exit, started, ended, received, seconds,
        interrupted, total, unchanged, changed, refreshed, failed, skipped, would_change, would_refresh, unknown, ignored, excluded, not_reached, events
        FROM report WHERE seq = 7; UPDATE report SET seq = 9223372036854775000 WHERE seq = 7'
    fleet metrics
    status_is 0
    is "$(grep -c 'revision_hosts{revision=""}' <<<"$output")" 1
    says 'rhost_fleet_revision_hosts{revision=""} 2'
    says 'rhost_fleet_missing_reports 1.8'
}

@test "a database that is not there, or of another version, is refused and not made" {
    run "$abs_top_builddir/rhost" fleet status --db=sqlite:none.db
    status_is 4
    [ ! -e none.db ]
    sqlite3 empty.db 'CREATE TABLE x (y)'
    run "$abs_top_builddir/rhost" fleet status --db=sqlite:empty.db
    status_is 1
    says "run 'rhost collect' first"
    sql 'UPDATE rhost_schema SET version = 99'
    fleet status
    status_is 1
    says 'use the newer program'
    fleet metrics --format=json
    status_is 1
    says "--format is not for 'rhost fleet metrics'"
}

@test "a word that fleet does not know is refused, with the nearest one" {
    run "$abs_top_builddir/rhost" fleet rn
    status_is 1
    says "unknown command 'rn'"
    says "did you mean 'run'?"
}
