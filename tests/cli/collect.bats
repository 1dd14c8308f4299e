#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Reports of many machines in a file of SQLite; tests/system/collect.bats has PostgreSQL.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"
source "$abs_top_srcdir/tests/cli/reports.bash"

setup() {
    work_open
    collector_needed
    sqlite3 -version >/dev/null || skip "no sqlite3"
    mkdir reports
}

# Ends a collector that a failed test has left.
teardown() {
    [ -z "${pid-}" ] || kill -9 "$pid" 2>/dev/null || true
}

@test "reports are stored, leave the folder, and the views have them" {
    report web1 1 ok
    report web1 2 changed
    report web2 7 failed
    collect
    status_is 0
    is "$output" '3 stored'
    is "$(find reports -name '*.json')" ''
    is "$(sql 'SELECT host, state, seq, changed, failed FROM fleet_status ORDER BY host')" "$(printf 'web1|changed|2|1|0\nweb2|failed|7|1|1')"
    is "$(sql 'SELECT host, type, title, message, code FROM fleet_failed')" 'web2|file|/etc/failed|cannot write|RH5900'
    is "$(sql "SELECT host, title, json_extract(changes, '\$[0].to') FROM fleet_changes WHERE host = 'web1'")" 'web1|/etc/changed|0644'
    is "$(sql 'SELECT host, title FROM fleet_drift ORDER BY host')" "$(printf 'web1|/etc/changed\nweb2|/etc/changed')"
    is "$(sql 'SELECT count(*) FROM fleet_gaps')" 0
    is "$(sql 'SELECT revision, hosts, failed FROM fleet_revisions')" '43|2|1'
}

@test "a report of a real run is stored" {
    mkdir "reports/$(uname -n)"
    apply --report=report.json --report-detail=changes --revision=7 <<<"resources: [{file: $work/made, content: x}]"
    mv report.json "reports/$(uname -n)/$(json report.json 'd["run"]').json"
    collect
    is "$output" '1 stored'
    is "$(sql 'SELECT state, revision, changed, total FROM fleet_status')" 'changed|7|1|1'
    is "$(sql 'SELECT title, status FROM fleet_changes')" "$work/made|changed"
}

@test "a report that comes again is stored once, and a late one hides no newer one" {
    report web1 5 ok
    report web1 3 failed
    cp -r reports again
    collect
    is "$output" '2 stored'
    rm -r reports && mv again reports
    collect
    is "$output" '0 stored, 2 known already'
    report web1 4 failed
    collect
    is "$output" '1 stored'
    is "$(sql 'SELECT seq, status FROM fleet_status')" '5|ok'
    is "$(sql 'SELECT count(*) FROM fleet_runs')" 3
}

@test "the rollback in a report is a run of its own" {
    report web1 1 failed rolled
    collect
    is "$output" '2 stored'
    is "$(sql 'SELECT seq, rolls_back IS NOT NULL FROM fleet_runs ORDER BY seq')" "$(printf '1|0\n2|1')"
    is "$(sql 'SELECT count(*) FROM fleet_gaps')" 0
}

@test "a gap in the numbers of runs is found, and silence by its limit" {
    report web1 1 ok
    report web1 4 ok
    report web2 1 ok
    collect --silent-after=1h
    is "$(sql 'SELECT host, first_missing, last_missing, missing FROM fleet_gaps')" 'web1|2|3|2'
    is "$(sql 'SELECT count(*) FROM fleet_silent')" 0
    sql "UPDATE host SET seen = '2020-01-01T00:00:00.000Z' WHERE host = 'web2'"
    is "$(sql 'SELECT host, limit_seconds FROM fleet_silent')" 'web2|3600.0'
    is "$(sql 'SELECT host, state, status FROM fleet_status ORDER BY host')" "$(printf 'web1|ok|ok\nweb2|silent|ok')"
    sql "UPDATE host SET silent_after = 1e12 WHERE host = 'web2'"
    is "$(sql 'SELECT count(*) FROM fleet_silent')" 0
}

@test "machines that share an id are found" {
    report web1 1 ok
    report web2 1 ok
    sed -i 's/"id": "[0-9a-f]*"/"id": "00000000000000000000000000000001"/' reports/*/*.json
    collect
    is "$(sql 'SELECT host, hosts FROM fleet_clones ORDER BY host')" "$(printf 'web1|2\nweb2|2')"
}

@test "a host cannot report for another one" {
    report web1 1 ok
    mv reports/web1 reports/evil
    touch -d '1 minute ago' reports/evil/*
    collect
    status_is 4
    says '0 stored, 1 in quarantine'
    says "the report is of host 'web1', and the directory of host 'evil'"
    is "$(sql 'SELECT count(*) FROM fleet_status')" 0
    ls reports/.quarantine/evil/*.json
    grep "directory of host 'evil'" reports/.quarantine/evil/*.reason
    # The same name with a domain is no other host.
    report web1 2 ok
    mv reports/web1 reports/web1.example.org
    collect
    is "$output" '1 stored'
}

@test "what is not a report goes to the quarantine, and holds up nothing" {
    local before n=0
    report web1 1 ok
    before=$(basename reports/web1/*.json)
    cd reports/web1 || return
    echo '{' >cut.json
    printf '{"rhost_report": 1, "run": "\xff"}' >utf8.json
    : >empty.json
    python3 -c 'print("[" * 100000)' >deep.json
    python3 -c 'print("{\"a\":" * 70 + "1" + "}" * 70)' >bomb.json
    python3 -c 'print("[" + "{}," * 1000000 + "{}]")' >million.json
    head -c 17000000 /dev/zero >large.json
    ln -s /etc/passwd link.json
    mkfifo fifo.json
    mkdir directory.json
    for edit in 's/"seq": 1/"seq": 0/' 's/"seq": 1/"seq": 99999999999999999999999/' 's/"total": 100/"total": -1/' \
        's/"total": 100/"total": 1e300/' 's/"seconds": 1.5/"seconds": 1e999/' 's/"rhost_report": 1/"rhost_report": 2/' \
        's/T\(..\):/T99:/' 's/"noop": false/"noop": 0/' 's/"status": "ok"/"status": "\\u001b[2J"/' 's/"run": "2/"run": "..\/2/' \
        's/"resources": \[/"resources": [7/' 's/"resources": \[/"resources": [{"title": "x"}/' 's/"run": "20....../"run": "20269999/' \
        's/"counts"/"count\\u0000"/'; do
        n=$((n + 1))
        sed "$edit" "$before" >"edit-$n.json"
    done
    cd ../..
    : >reports/file
    mkdir 'reports/a b'
    find reports -exec touch -h -d '1 minute ago' {} +
    collect
    status_is 4
    says "1 stored, 24 in quarantine, 2 not read"
    is "$(find reports/web1 -type f)" ''
    is "$(find reports/.quarantine/web1 -name '*.reason' | wc -l)" 24
    run grep -r 'and its file is' reports/.quarantine
    status_is 1
    is "$(sql 'SELECT count(*) FROM fleet_runs')" 1
    while read -r reason; do
        is "$(wc -l <"$reason")" 1
        is "$(tr -d '\n -~' <"$reason" | wc -c)" 0
    done < <(find reports/.quarantine -name '*.reason')
    collect
    status_is 4
    is "${lines[-1]}" '0 stored, 2 not read'
}

@test "no file of the quarantine is replaced, and a name that is too long stays" {
    mkdir -p reports/web1 reports/.quarantine/web1
    echo mine >reports/.quarantine/web1/bad.json
    echo mine >reports/.quarantine/web1/bad.json.2.reason
    echo '{' >reports/web1/bad.json
    long=$(printf '%0240d' 0).json
    echo '{' >"reports/web1/$long"
    touch -d '1 minute ago' reports/web1/*
    collect
    status_is 4
    says '0 stored, 1 in quarantine, 1 not read'
    says 'is too long for the quarantine'
    is "$(ls reports/web1)" "$long"
    is "$(cat reports/.quarantine/web1/bad.json reports/.quarantine/web1/bad.json.2.reason)" "$(printf 'mine\nmine')"
    is "$(cd reports/.quarantine/web1 && echo *)" 'bad.json bad.json.2.reason bad.json.3 bad.json.3.reason'
}

@test "a file that may still grow is left, and so is what a web server has not moved into place" {
    report web1 1 ok
    head -c 100 reports/web1/*.json >reports/web1/new.json
    cp reports/web1/*-*.json reports/web1/.hidden.json
    cp reports/web1/*-*.json reports/web1/20261123T000000.000-1.json.0123456789
    collect
    status_is 4
    is "$output" '1 stored, 1 not read'
    is "$(find reports -type f | wc -l)" 3
    is "$(find reports/.quarantine -type f | wc -l)" 0
}

@test "texts that a terminal or a database cannot take are stored safely" {
    report web1 1 changed
    python3 - reports/web1/*.json <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
e = d["resources"][0]
e["title"] = "/tmp/\x1b]0;x\x07\t\n\r\\N'\";--\u202e"
e["reason"] = "a\0b" + "é" * 50000
e["changes"][0]["to"] = "c\0d\\u0000"
d["resources"].append(dict(e, changes=[{"attribute": "content", "from": "x" * 10000000, "to": None, "message": None}]))
d["revision"] = "r" * 5000
json.dump(d, open(sys.argv[1], "w"))
END
    collect
    is "$output" '1 stored'
    is "$(sql "SELECT hex(substr(title, 6)) FROM fleet_changes WHERE n = 0" 2>/dev/null || sql "SELECT hex(substr(title, 6)) FROM fleet_events WHERE n = 0")" \
        "$(printf '\x1b]0;x\x07\t\n\r\\N\x27";--\xe2\x80\xae' | od -An -tx1 | tr -d ' \n' | tr a-f A-F)"
    is "$(sql "SELECT hex(substr(message, 1, 3)), length(CAST(message AS BLOB)) FROM fleet_events WHERE n = 0")" '61EFBFBD62|65537'
    is "$(sql "SELECT json_extract(changes, '\$[0].to') FROM fleet_events WHERE n = 0")" "c$(printf '\xef\xbf\xbd')d\\u0000"
    is "$(sql "SELECT changes FROM fleet_events WHERE n = 1")" '[{"attribute": "content", "cut": true}]'
    is "$(sql "SELECT length(revision) FROM fleet_status")" 1000
}

@test "a database of a newer rhost is refused, and so is one that is none" {
    report web1 1 ok
    collect
    sql 'UPDATE rhost_schema SET version = 99'
    report web1 2 ok
    collect
    status_is 1
    says 'the database has version 99, and this rhost-collect knows version 1'
    is "$(find reports -name '*.json' | wc -l)" 1
    head -c 10000 /dev/urandom >fleet.db
    collect
    status_is 4
    says "cannot open the database 'fleet.db'"
}

@test "memory does not grow with what is no report" {
    local i
    mkdir reports/web1
    python3 -c 'print("[" + "1," * 400000 + "1]")' >bad
    for i in {1..60}; do ln bad "reports/web1/$i.json"; done
    touch -d '1 minute ago' bad
    # What 60 of them take at once is several times the limit.
    run bash -c "ulimit -v 200000; exec '$abs_top_builddir/rhost' collect --from=dir:reports --to=sqlite:fleet.db"
    status_is 4
    says '0 stored, 60 in quarantine'
}

@test "a host that is deleted takes its reports along, and none gets them" {
    report web1 1 changed
    collect
    sql "DELETE FROM host WHERE host = 'web1'"
    is "$(sql 'SELECT (SELECT count(*) FROM report) + (SELECT count(*) FROM event)')" 0
    report web2 1 ok
    collect
    is "$(sql 'SELECT id FROM host')" 2
}

@test "a clock that was ahead once makes no host silent" {
    report web1 9 ok
    sed -i 's/"started": "20../"started": "2107/; s/"seq": 9/"seq": 1/' reports/web1/*.json
    collect
    is "$output" '1 stored'
    sql "UPDATE host SET seen = '2020-01-01T00:00:00.000Z', seq = NULL"
    report web1 2 failed
    collect
    is "$(sql 'SELECT state, seq FROM fleet_status')" 'failed|2'
    # Seen is the host also by a report that came late.
    sql "UPDATE host SET seen = '2020-01-01T00:00:00.000Z'"
    report web1 1 ok
    collect
    is "$(sql 'SELECT state, seq FROM fleet_status')" 'failed|2'
}

@test "a database that is no file is refused" {
    report web1 1 ok
    for name in :memory: file:x.db?mode=memory; do
        run "$abs_top_builddir/rhost" collect --from=dir:reports --to="sqlite:$name"
        status_is 1
        says "must not begin with ':'"
    done
    is "$(find reports -name '*.json' | wc -l)" 1
}

@test "tables are made whole or not at all" {
    sql 'CREATE TABLE report (x)'
    report web1 1 ok
    collect
    status_is 4
    says 'cannot make the tables'
    is "$(sql "SELECT group_concat(name) FROM sqlite_master")" report
    is "$(find reports -name '*.json' | wc -l)" 1
}

@test "old reports are removed" {
    report web1 1 ok
    report web1 2 changed
    collect
    sql "UPDATE report SET received = '2026-01-01T00:00:00.000Z' WHERE seq = 2"
    collect --retention=30d
    is "$(sql 'SELECT group_concat(seq) FROM fleet_runs')" 1
    is "$(sql 'SELECT count(*) FROM fleet_events')" 0
    is "$(sql 'SELECT seq FROM fleet_status')" 2
}

@test "the database is named by an option, a variable or the settings, and never with a password" {
    report web1 1 ok
    run env RHOST_FLEET_SETTINGS="$work/none" "$abs_top_builddir/rhost" collect --from=dir:reports
    status_is 1
    says 'no database is given'
    echo "database: sqlite:$work/settings.db" >fleet.yaml
    run env RHOST_FLEET_SETTINGS="$work/fleet.yaml" "$abs_top_builddir/rhost" collect --from=dir:reports
    status_is 0
    is "$output" '1 stored'
    [ -s settings.db ]
    echo 'datenbank: x' >>fleet.yaml
    run env RHOST_FLEET_SETTINGS="$work/fleet.yaml" "$abs_top_builddir/rhost" collect --from=dir:reports
    status_is 1
    says "unknown key 'datenbank'"
    run "$abs_top_builddir/rhost" collect --from=dir:reports --to=postgresql://rhost:hunter2@localhost/fleet
    status_is 1
    says 'must not have a password'
    [[ $output != *hunter2* ]]
    run "$abs_top_builddir/rhost" collect --from=dir:reports --to='postgresql://localhost/fleet?password=hunter2&x=y'
    status_is 1
    [[ $output != *hunter2* ]]
    # It is refused before another program has it among its arguments.
    trace=()
    ! command -v strace >/dev/null || trace=(strace -f -qq -s 1000 -e trace=execve -o calls)
    : >calls
    for url in postgresql://rhost:hunter2@localhost/fleet 'postgres://localhost/fleet?x=y&sslpassword=hunter2' 'postgresql:///fleet?pass%77ord=hunter2'; do
        echo "database: '$url'" >fleet.yaml
        for command in 'collect --from=dir:reports' 'fleet status'; do
            # shellcheck disable=SC2086
            run env ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" "${trace[@]}" env RHOST_FLEET_SETTINGS="$work/fleet.yaml" "$abs_top_builddir/rhost" $command
            status_is 1
            says 'must not have a password'
            is "$(grep hunter2 calls)" ''
        done
    done
    run "$abs_top_builddir/rhost" collect --from=dir:reports --to='postgresql://rhost@localhost/fleet?passfile=/none&connect_timeout=1'
    status_is 4
    run "$abs_top_builddir/rhost" collect --from=dir:reports --to=mysql:x
    status_is 1
    says 'a database is named by'
}

@test "a full disk loses nothing" {
    requires_root
    mkdir small
    unshare -m true 2>/dev/null || skip "no mount namespaces"
    python3 "$abs_top_srcdir/tests/bench/reports.py" reports 1 60 10
    run unshare -m bash -c "mount -t tmpfs -o size=200k none small && RHOST_FLEET_DB=sqlite:$work/small/fleet.db '$abs_top_builddir/rhost' collect --from=dir:reports;
        echo status \$?; ls reports/web0* | wc -l; mount -o remount,size=40m small;
        RHOST_FLEET_DB=sqlite:$work/small/fleet.db '$abs_top_builddir/rhost' collect --from=dir:reports && sqlite3 small/fleet.db 'SELECT count(*) FROM fleet_runs'"
    says 'status 4'
    says 'full'
    is "${lines[-3]}" 60
    is "${lines[-2]}" '60 stored'
    is "${lines[-1]}" 60
}

@test "a collector that is killed loses nothing and stores nothing twice" {
    local i
    python3 "$abs_top_srcdir/tests/bench/reports.py" reports 20 100 1
    total=$(find reports -name '*.json' | wc -l)
    for i in 1 2 3 4 5 6 7 8; do
        "$abs_top_builddir/core/rhost-collect" --from=dir:reports --to=sqlite:fleet.db --quiet collect &
        pid=$!
        sleep "0.0$i"
        kill -9 "$pid" 2>/dev/null || true
        wait "$pid" || true
    done
    collect
    status_is 0
    is "$(sql 'SELECT count(*), count(DISTINCT host || run) FROM fleet_runs')" "$total|$total"
    is "$(sql 'SELECT count(*) FROM fleet_runs r WHERE events <> (SELECT count(*) FROM fleet_events e WHERE e.host = r.host AND e.run = r.run)')" 0
    is "$(find reports -name '*.json' | wc -l)" 0
}

@test "two collectors at once store each report once" {
    python3 "$abs_top_srcdir/tests/bench/reports.py" reports 30 60 1
    total=$(find reports -name '*.json' | wc -l)
    "$abs_top_builddir/core/rhost-collect" --from=dir:reports --to=sqlite:fleet.db --quiet collect &
    "$abs_top_builddir/core/rhost-collect" --from=dir:reports --to=sqlite:fleet.db --quiet collect &
    wait
    collect
    status_is 0
    is "$(sql 'SELECT count(*), count(DISTINCT host || run) FROM fleet_runs')" "$total|$total"
    is "$(sql 'SELECT count(*) FROM fleet_events')" "$(sql 'SELECT sum(events) FROM fleet_runs')"
}

@test "reports are taken as they come, and a signal ends it" {
    "$abs_top_builddir/core/rhost-collect" --from=dir:reports --to=sqlite:fleet.db --watch collect >out 2>&1 &
    pid=$!
    until_true [ -s fleet.db ]
    report web1 1 ok
    until_true stored 1
    report web1 2 ok
    report web2 1 ok
    until_true stored 3
    rm -r reports/web2
    report web2 2 ok
    until_true stored 4
    kill "$pid"
    wait "$pid"
    is "$(cat out)" '4 stored'
}

@test "a database that is away is waited for, and said to be away once" {
    mkdir elsewhere
    report web1 1 ok
    "$abs_top_builddir/core/rhost-collect" --from=dir:reports --to=sqlite:"$work"/later/fleet.db --watch collect >out 2>&1 &
    pid=$!
    until_true grep -q 'cannot open the database' out
    is "$(find reports -name '*.json' | wc -l)" 1
    mkdir later
    until_true stored 1 later/fleet.db
    kill "$pid"
    wait "$pid"
    grep 'the database takes reports again' out
}
