#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Reports of many machines in PostgreSQL: a server of the test's own, which listens on a socket in its directory.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"
source "$abs_top_srcdir/tests/cli/reports.bash"

setup_file() {
    local directory
    for directory in /usr/lib/postgresql/*/bin /usr/bin; do
        [ -x "$directory/initdb" ] && export pg_bin=$directory
    done
    [ -n "${pg_bin-}" ] || return 0
    export pg=$BATS_FILE_TMPDIR/pg
    mkdir -p "$pg"
    if [ "$(id -u)" -eq 0 ]; then
        chown nobody "$pg"
        chmod o+x "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR"
    fi
    as_server "$pg_bin/initdb" -D "$pg/data" -A trust -U rhost --no-sync >/dev/null
    start_server
}

teardown_file() {
    [ -z "${pg-}" ] || as_server "$pg_bin/pg_ctl" -D "$pg/data" -m immediate stop >/dev/null || true
}

setup() {
    work_open
    collector_needed
    [ -n "${pg-}" ] || skip "no PostgreSQL"
    grep -q 'HAVE_PQ 1' "$abs_top_builddir/config.h" || skip "built without libpq"
    mkdir reports
    name=t$BATS_TEST_NUMBER
    query postgres "CREATE DATABASE $name"
    database="postgresql:///$name?host=$pg&user=rhost"
}

# Ends a collector that a failed test has left.
teardown() {
    [ -z "${pid-}" ] || kill -9 "$pid" 2>/dev/null || true
}

# PostgreSQL does not run as root.
as_server() {
    if [ "$(id -u)" -eq 0 ]; then
        (cd / && setpriv --reuid=nobody --regid=nogroup --clear-groups "$@" 3>&- 4>&-)
    else
        "$@" 3>&- 4>&-
    fi
}

start_server() {
    as_server "$pg_bin/pg_ctl" -w -t 60 -D "$pg/data" -l "$pg/log" -o "-k $pg -h '' -c dynamic_shared_memory_type=mmap" start >/dev/null
}

query() {
    psql -X -q -A -t -h "$pg" -U rhost -d "$1" -c "$2"
}

sql() {
    query "$name" "$1"
}

@test "reports are stored in PostgreSQL, and the views have them" {
    report web1 1 ok
    report web1 4 changed
    report web2 7 failed rolled
    collect
    status_is 0
    is "$output" '4 stored'
    is "$(find reports -name '*.json')" ''
    is "$(sql 'SELECT host, state, seq, changed, failed FROM fleet_status ORDER BY host')" "$(printf 'web1|changed|4|1|0\nweb2|ok|8|0|0')"
    is "$(sql "SELECT host, title, changes->0->>'to' FROM fleet_changes WHERE host = 'web1'")" 'web1|/etc/changed|0644'
    is "$(sql 'SELECT host, first_missing, last_missing FROM fleet_gaps')" 'web1|2|3'
    is "$(sql 'SELECT seq, rolls_back IS NOT NULL FROM fleet_runs WHERE host = $$web2$$ ORDER BY seq')" "$(printf '7|f\n8|t')"
    for view in status silent failed drift changes gaps revisions activity clones runs events limit; do
        sql "SELECT * FROM fleet_$view" >/dev/null
    done
}

@test "a report that comes again is stored once, in the same batch and later" {
    report web1 5 ok
    report web1 3 failed
    cp -r reports again
    collect
    is "$output" '2 stored'
    cp -r again/. reports
    collect
    is "$output" '0 stored, 2 known already'
    is "$(sql 'SELECT seq, status FROM fleet_status')" '5|ok'
    is "$(sql 'SELECT count(*) FROM fleet_events')" 2
}

@test "texts that COPY or PostgreSQL cannot take are stored safely" {
    report web1 1 changed
    python3 - reports/web1/*.json <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
e = d["resources"][0]
e["title"] = "\\.\t\n\r\\N'\";--\x1b\u202e"
e["reason"] = "a\0b\ud800"
e["changes"][0]["to"] = "c\0d\\u0000"
d["seq"] = 2**53
json.dump(d, open(sys.argv[1], "w"))
END
    collect
    is "$output" '1 stored'
    is "$(sql "SELECT encode(convert_to(title, 'UTF8'), 'hex') FROM fleet_events")" 5c2e090a0d5c4e27223b2d2d1be280ae
    is "$(sql "SELECT encode(convert_to(message, 'UTF8'), 'hex') FROM fleet_events")" 61efbfbd62efbfbd
    is "$(sql "SELECT encode(convert_to(changes->0->>'to', 'UTF8'), 'hex') FROM fleet_events")" 63efbfbd645c7530303030
    is "$(sql 'SELECT seq FROM fleet_status')" 9007199254740992
}

@test "a report that PostgreSQL does not take is alone in the quarantine" {
    for i in 1 2 3 4 5 6 7; do report web1 "$i" changed; done
    collect
    sql 'ALTER TABLE report ADD CHECK (seq <> 12)'
    for i in 11 12 13 14; do report web1 "$i" changed; done
    collect
    status_is 4
    says '3 stored, 1 in quarantine'
    is "$(sql 'SELECT count(*) FROM fleet_runs')" 10
    grep 'violates check constraint' reports/.quarantine/web1/*.reason
    # Where no report is taken, the database is the reason.
    sql 'ALTER TABLE report ADD CHECK (seq < 21)'
    for i in 21 22 23; do report web1 "$i" changed; done
    collect
    status_is 4
    says 'no report is taken, so none goes to the quarantine'
    is "$(find reports/web1 -name '*.json' | wc -l)" 3
}

@test "each day has a partition, a wrong clock makes none, and retention drops whole days" {
    report web1 1 changed
    report web1 2 changed
    collect
    today=$(sql 'SELECT max(day) FROM fleet_runs')
    is "$(sql "SELECT count(*) > 0 FROM report_${today//-/}")" t
    report web1 3 changed
    report web1 4 changed
    cd reports/web1
    for year in 1970 2107; do
        file=$(echo *-$((year == 1970 ? 3 : 4)).json)
        sed "s/\"run\": \"20../\"run\": \"${year}/; s/\"started\": \"20../\"started\": \"$year/" "$file" >"$year${file:4}"
        rm "$file"
    done
    cd ../..
    collect
    is "$output" '2 stored'
    is "$(sql 'SELECT count(*) FROM report_default')" 2
    is "$(sql "SELECT count(*) FROM pg_class WHERE relname ~ '^report_[0-9]+' AND relname !~ '_20[23]'")" 0
    # What came early for a day that gets a partition is moved there.
    tomorrow=$(date -u -d '+1 day' +%F)
    sql "DROP TABLE report_${tomorrow//-/}, event_${tomorrow//-/}"
    sql "INSERT INTO report SELECT host_id, 'early', '$tomorrow', seq, machine_id, name, rhost, revision, undoes, rolls_back, noop, status, exit, started, ended,
        received, seconds, interrupted, total, unchanged, changed, refreshed, failed, skipped, would_change, would_refresh, unknown, ignored, excluded, not_reached, events FROM report LIMIT 1"
    is "$(sql 'SELECT count(*) FROM report_default')" 3
    report web1 9 ok
    sed -i "s/\"run\": \"......../\"run\": \"${tomorrow//-/}/" reports/web1/*.json
    cd reports/web1 && for f in *; do mv "$f" "${tomorrow//-/}${f:8}"; done
    cd ../..
    collect
    is "$output" '1 stored'
    is "$(sql "SELECT count(*) FROM report_${tomorrow//-/}")" 2
    sql "UPDATE report_default SET received = '2020-01-01'"
    sql "CREATE TABLE report_20200101 PARTITION OF report FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')"
    collect --retention=30d
    is "$(sql 'SELECT count(*) FROM report_default')" 0
    is "$(sql 'SELECT count(*) FROM event_default')" 0
    is "$(sql "SELECT count(to_regclass('report_20200101'))")" 0
    is "$(sql 'SELECT count(*) FROM fleet_runs')" 4
}

@test "a database of a newer rhost is refused, and tables are made whole or not at all" {
    sql 'CREATE TABLE event (x int)'
    report web1 1 ok
    collect
    status_is 4
    says 'cannot make the tables'
    is "$(sql "SELECT count(to_regclass('report'))")" 0
    sql 'DROP TABLE event'
    collect
    is "$output" '1 stored'
    sql 'UPDATE rhost_schema SET version = 99'
    report web1 2 ok
    collect
    status_is 1
    says 'the database has version 99'
    is "$(find reports -name '*.json' | wc -l)" 1
}

@test "a clock that was ahead once makes no host silent, and a deleted host takes its reports along" {
    report web1 9 ok
    sed -i 's/"started": "20../"started": "2107/; s/"seq": 9/"seq": 1/' reports/web1/*.json
    collect
    is "$output" '1 stored'
    sql "UPDATE host SET seen = '2020-01-01', seq = NULL"
    report web1 2 failed
    collect
    is "$(sql 'SELECT state, seq FROM fleet_status')" 'failed|2'
    sql "UPDATE host SET seen = '2020-01-01'"
    report web1 1 ok
    collect
    is "$(sql 'SELECT state, seq FROM fleet_status')" 'failed|2'
    run timeout 20 "$abs_top_builddir/rhost" fleet --db="$database" query 'COPY (SELECT 1) TO STDOUT'
    status_is 1
    says 'a query must not be a COPY'
    sql 'DELETE FROM host'
    is "$(sql 'SELECT (SELECT count(*) FROM report) + (SELECT count(*) FROM event)')" 0
}

@test "a reader that holds a lock keeps no report out" {
    report web1 1 changed
    collect
    day=$(sql 'SELECT max(day) FROM fleet_runs')
    sql "DROP TABLE report_${day//-/}, event_${day//-/}; CREATE TABLE report_20200101 PARTITION OF report FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')
        ; CREATE TABLE report_20200102 PARTITION OF report FOR VALUES FROM ('2020-01-02') TO ('2020-01-03')"
    coproc psql -X -q -A -t -h "$pg" -U rhost -d "$name"
    echo 'BEGIN; SELECT count(*) FROM report_default; SELECT count(*) FROM report_20200101;' >&"${COPROC[1]}"
    read -r _ <&"${COPROC[0]}"
    read -r _ <&"${COPROC[0]}"
    report web1 1 changed
    export PGOPTIONS='-c lock_timeout=300'
    collect --retention=30d
    status_is 0
    says 'cannot make the partition of'
    says 'cannot remove old reports'
    says '1 stored'
    is "$(sql 'SELECT count(*) FROM report_default')" 1
    is "$(sql "SELECT count(to_regclass('report_20200101')), count(to_regclass('report_20200102'))")" '1|1'
    # A day that cannot be removed holds up no other.
    echo 'COMMIT; BEGIN; SELECT count(*) FROM report_20200101;' >&"${COPROC[1]}"
    read -r _ <&"${COPROC[0]}"
    collect --retention=30d
    is "$(sql "SELECT count(to_regclass('report_20200101')), count(to_regclass('report_20200102'))")" '1|0'
    echo '\q' >&"${COPROC[1]}"
    wait "$COPROC_PID" || true
    report web1 2 changed
    collect --retention=1h
    is "$(sql 'SELECT count(*) FROM report_default')" 2
    collect --retention=30d
    is "$(sql "SELECT count(to_regclass('report_20200101'))")" 0
}

@test "two collectors at once store each report once" {
    python3 "$abs_top_srcdir/tests/bench/reports.py" reports 30 60 1
    total=$(find reports -name '*.json' | wc -l)
    "$abs_top_builddir/core/rhost-collect" --from=dir:reports --to="$database" --quiet collect 3>&- &
    "$abs_top_builddir/core/rhost-collect" --from=dir:reports --to="$database" --quiet collect 3>&- &
    wait
    collect
    status_is 0
    is "$(sql 'SELECT count(*), count(DISTINCT (host, run)) FROM fleet_runs')" "$total|$total"
    is "$(sql 'SELECT count(*) FROM fleet_events')" "$(sql 'SELECT sum(events) FROM fleet_runs')"
}

@test "the collector and PostgreSQL are killed, and nothing is lost or stored twice" {
    local i
    python3 "$abs_top_srcdir/tests/bench/reports.py" reports 30 100 1
    total=$(find reports -name '*.json' | wc -l)
    "$abs_top_builddir/core/rhost-collect" --from=dir:reports --to="$database" --watch --quiet collect 2>err 3>&- &
    pid=$!
    for i in 1 2; do
        until_true fewer_than $((total - i * 500))
        kill -9 "$(head -n 1 "$pg/data/postmaster.pid")"
        until_true grep -q 'the reports stay in' err
        kill -9 "$pid"
        wait "$pid" || true
        until_true start_server
        "$abs_top_builddir/core/rhost-collect" --from=dir:reports --to="$database" --watch --quiet collect 2>err 3>&- &
        pid=$!
    done
    until_true all_gone
    kill "$pid"
    wait "$pid" || true
    is "$(sql 'SELECT count(*), count(DISTINCT (host, run)) FROM fleet_runs')" "$total|$total"
    is "$(sql 'SELECT count(*) FROM fleet_events')" "$(sql 'SELECT sum(events) FROM fleet_runs')"
}

fewer_than() {
    [ "$(find reports -name '*.json' | wc -l)" -lt "$1" ]
}

all_gone() {
    [ -z "$(find reports -name '*.json' | head -n 1)" ]
}

# What packaging/ ships.
@test "a reader sees the panels of the dashboard, and a dry run does not hide a run" {
    report web1 1 changed
    report web2 1 failed
    report web1 2 ok
    sed -i 's/"noop": false/"noop": true/; s/"revision": "43"/"revision": "44"/' reports/web1/*-2.json
    collect
    status_is 0
    is "$(sql "SELECT host, revision, noop FROM fleet_status ORDER BY 1")" "$(printf 'web1|43|f\nweb2|43|f')"
    [ -n "$(query postgres "SELECT 1 FROM pg_roles WHERE rolname = 'fleet_reader'")" ] || {
        sed "/CREATE DATABASE/s/fleet/shipped/; /DATABASE fleet/s/DATABASE fleet/DATABASE shipped/" "$abs_top_srcdir/packaging/postgresql/fleet.sql" >fleet.sql
        psql -X -q -h "$pg" -U rhost -d postgres -v ON_ERROR_STOP=1 -f fleet.sql
    }
    sql 'ALTER SCHEMA public OWNER TO rhost'
    python3 -c 'import json, sys
for p in json.load(open(sys.argv[1]))["panels"]:
    print(p["targets"][0]["rawSql"])' "$abs_top_srcdir/packaging/grafana/fleet.json" >panels
    [ "$(wc -l <panels)" -ge 8 ]
    while read -r panel; do
        psql -X -q -A -t -h "$pg" -U rhost -d "$name" -v ON_ERROR_STOP=1 -c 'SET ROLE fleet_reader' -c "$panel" >rows
    done <panels
    run psql -X -q -h "$pg" -U rhost -d "$name" -v ON_ERROR_STOP=1 -c 'SET ROLE fleet_reader' -c 'DELETE FROM host'
    [ "$status" -ne 0 ]
    says 'permission denied'
}
