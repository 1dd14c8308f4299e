#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Rollouts: stages, what the hosts report, stops, rollbacks, and programs that are killed.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"
source "$abs_top_srcdir/tests/cli/reports.bash"

setup_file() {
    [ -x "$abs_top_builddir/core/rhost-fleet" ] || skip "built without libcrypto or a database"
    command -v ssh-keygen >/dev/null || skip "no ssh-keygen"
    export site="$BATS_FILE_TMPDIR/site"
    mkdir -p "$site/www" "$site/source" "$site/state"
    cd "$site" || return
    for key in release rollout thief; do
        ssh-keygen -q -t ed25519 -N '' -C '' -f "$key"
    done
    printf 'ops namespaces="rhost-bundle" %s\nops namespaces="rhost-channel" %s\n' "$(cat release.pub)" "$(cat rollout.pub)" >signers
    for revision in 42 43; do
        printf 'resources:\n  - file: /tmp/x\n    content: "%s"\n' "$revision" >source/site.yaml
        "$abs_top_builddir/rhost" bundle make --state-dir=state --revision=$revision -o www source >/dev/null
        "$abs_top_builddir/rhost" bundle sign www/r$revision.json --key=release 2>/dev/null
    done
    "$abs_top_builddir/rhost" bundle channel --signers=signers --key=rollout www --to=42 >/dev/null
}

setup() {
    work_open
    command -v sqlite3 >/dev/null || skip "no sqlite3"
    cp -R "$site/www" "$site/signers" "$site/release" "$site/rollout" "$site/thief" .
    mkdir reports
    pids=()
}

teardown() {
    for pid in "${pids[@]}"; do
        kill "$pid" 2>/dev/null || :
        wait "$pid" 2>/dev/null || :
    done
}

# hosts N [ROWS]: they run, and what they report is collected.
hosts() {
    python3 "$abs_top_srcdir/tests/cli/hosts.py" www "$1" &
    pids+=($!)
    rhost_collect=$abs_top_builddir/core/rhost-collect
    "$rhost_collect" --from=dir:reports --to=sqlite:fleet.db --watch --quiet collect 3>&- &
    pids+=($!)
    until_true known "${2-$1}"
}

known() {
    [ "$(sqlite3 fleet.db 'SELECT count(*) FROM fleet_status' 2>/dev/null)" = "$1" ]
}

has() {
    [ "$(sqlite3 fleet.db "SELECT count(*) FROM fleet_status WHERE revision = '$1'")" = "$2" ]
}

# fleet VERB [OPTION...]
fleet() {
    local verb=$1 options=()
    shift
    case $verb in
        run | resume | stop | rollback) options=(--key=rollout) ;;
    esac
    [ "$verb" = rollback ] || options+=(--db=sqlite:fleet.db)
    run "$abs_top_builddir/rhost" fleet "$verb" www --signers=signers "${options[@]}" "$@"
}

channel_is() {
    json_is www/channel.json "$1" "$2"
}

@test "a rollout goes over named hosts and percents to all" {
    hosts 12
    fleet run --to=43 --canary=host1,host2 --canary=host3 --batch=25%,75% --wait=20s
    status_is 0
    says 'stage 1: 2 named hosts get revision 43; channel 2'
    says 'stage 1: 2 hosts: 2 ok, 0 failed, 0 waited for, 0 away; 10 not touched'
    says 'stage 2: 3 named hosts get revision 43'
    says 'stage 3: 25 % of the hosts, and those that are named get revision 43'
    says 'stage 4: all hosts get revision 43'
    says 'finished: revision 43'
    until_true has 43 12
    channel_is 'd["want"], d["else"], d["percent"], d["serial"], "hosts" in d' '(43, 43, 100, 5, False)'
    fleet show
    status_is 0
    says 'state finished'
    says '12: 12 ok, 0 failed'
    fleet run --to=43
    status_is 1
    says 'all hosts have revision 43 by the channel already'
}

@test "the second failure stops it: who has the revision keeps it, and nobody else gets it" {
    echo host2 host3 >bad
    hosts 12
    fleet run --to=43 --canary=host1,host2 --batch=2 --max-failures=1 --wait=20s --canary=host3
    status_is 4
    says '2 of 3 hosts failed, more than --max-failures allows'
    says 'stopped at stage 2'
    channel_is 'd["want"], d["else"], d["percent"], len(d["hosts"])' '(43, 42, 0, 3)'
    has 42 9
    fleet show --format=json
    echo "$output" >show.json
    json_is show.json 'd["state"], d["stage"], d["counts"]["failed"], d["counts"]["ok"], d["counts"]["not_touched"]' "('stopped', 2, 2, 1, 9)"
    fleet run --to=43
    status_is 1
    says 'a rollout of revision 43 is stopped'
    fleet rollback
    status_is 0
    says 'rolled back: revision 42 for all hosts'
    until_true has 42 12
    channel_is 'd["want"], d["else"], d["percent"]' '(42, 42, 100)'
    fleet rollback
    status_is 1
    says 'no rollout is known'
    fleet resume
    status_is 1
    says 'no rollout is under way'
}

@test "a device counts with its host, and no stage chooses it by itself" {
    echo host1 host2 >devices
    echo host1/device >bad
    touch away
    hosts 6 8
    fleet run --to=43 --canary=host2 --batch=100% --max-failures=0 --wait=20s --canary=host1
    status_is 4
    says '1 of 4 hosts failed, more than --max-failures allows'
    channel_is 'd["want"], d["else"], d["percent"], len(d["hosts"])' '(43, 42, 0, 2)'
    fleet show --format=json
    echo "$output" >show.json
    json_is show.json 'd["counts"]["failed"], d["counts"]["ok"], d["counts"]["not_touched"]' '(1, 3, 4)'
    fleet run --to=43 --canary=host1/device
    status_is 1
}

@test "a rollout that was stopped goes on with other rules, by numbers of hosts" {
    echo host1 >bad
    hosts 9
    fleet run --to=43 --canary=host1 --batch=3 --wait=20s
    status_is 4
    says '1 of 1 hosts failed'
    fleet resume --max-failures=15%
    status_is 4
    says '1 of 1 hosts failed'
    fleet resume --max-failures=1
    status_is 0
    says 'stage 2: 4 named hosts'
    says 'stage 3: 7 named hosts'
    says 'stage 4: all hosts'
    until_true has 43 9
}

@test "silent hosts stop it, unless they were silent before" {
    hosts 6
    echo host5 host6 >away
    sqlite3 fleet.db "UPDATE host SET seen = '2020-01-01T00:00:00.000Z' WHERE host = 'host6'"
    fleet run --to=43 --batch=100% --wait=2s
    status_is 4
    says '1 of 6 hosts have not reported in time, more than --max-silent allows'
    says '4 ok, 0 failed, 1 waited for, 1 away'
    channel_is 'd["percent"], len(d["hosts"])' '(0, 4)'
    fleet resume --max-silent=20% --wait=1s
    status_is 0
    has 43 4
    : >away
    until_true has 43 6
}

@test "each stage lasts at least as long as --soak says" {
    hosts 2
    SECONDS=0
    fleet run --to=43 --canary=host1 --batch=100% --soak=2s --wait=20s
    status_is 0
    [ "$SECONDS" -ge 4 ]
}

@test "the operator stops it, and nothing else goes on" {
    hosts 6
    echo host1 >away
    "$abs_top_builddir/rhost" fleet run www --to=43 --canary=host1,host2 --wait=60s --signers=signers --key=rollout --db=sqlite:fleet.db >log 2>&1 &
    local running=$!
    until_true grep -q 'stage 1: 2 hosts: 1 ok, 0 failed, 1 waited for' log
    fleet stop
    status_is 0
    says 'stopped: revision 43 stays where it is; channel 3'
    status=0
    wait "$running" || status=$?
    is "$status" 4
    grep -q 'the rollout was stopped: by the operator' log
    : >away
    sleep 0.5
    has 43 1
    fleet stop
    status_is 1
    says 'no rollout is under way'
}

@test "the operator stops it also while the database is away" {
    hosts 3
    echo host2 >away
    "$abs_top_builddir/rhost" fleet run www --to=43 --canary=host1,host2 --wait=60s --signers=signers --key=rollout --db=sqlite:fleet.db >log 2>&1 &
    local running=$!
    until_true grep -q '1 ok, 0 failed, 1 waited for' log
    kill "$running"
    status=0
    wait "$running" || status=$?
    is "$status" 4
    grep -q 'the rollout stays at its stage' log
    run "$abs_top_builddir/rhost" fleet stop www --signers=signers --key=rollout --db=sqlite:none.db
    status_is 0
    says 'which hosts have the revision is not known'
    channel_is 'd["want"], d["percent"], d["hosts"]' "(43, 0, ['host1', 'host2'])"
}

# Wherever it is killed, the next one goes on: before the plan is written, after it, and after the channel is published.
@test "killed at any point, a rollout is gone on with" {
    command -v strace >/dev/null || skip "no strace"
    hosts 5
    local i n=0
    for ((i = 1; i < 40; i++)); do
        local command=(--wait=20 resume www)
        [ -e www/.rollout.json ] || command=(--to=43 --canary=host1 --batch=50% --wait=20 run www)
        # Killed when it renames a file for the i-th time.
        run strace -qq -o /dev/null -e inject=rename,renameat,renameat2:signal=KILL:when=$i \
            "$abs_top_builddir/core/rhost-fleet" --db=sqlite:fleet.db --signers=signers --key=rollout "${command[@]}"
        [ "$status" -eq 0 ] && break
        is "$status" 137
        n=$((n + 1))
    done
    [ "$n" -ge 3 ]
    until_true has 43 5
    fleet show
    says 'state finished'
}

@test "what is wrong is refused before anything is published" {
    hosts 2
    fleet run --to=43 --canary=host7
    status_is 1
    says "host 'host7' of --canary has never sent a report"
    fleet run --to=43 --batch=1%,5
    status_is 1
    says "invalid value '1%,5' for --batch"
    fleet run --to=43 --batch=0
    status_is 1
    fleet run
    status_is 1
    says "'rhost fleet run' needs --to=REVISION"
    fleet show --to=43
    status_is 1
    says "'rhost fleet show' does not take --to"
    run "$abs_top_builddir/rhost" fleet run www --to=43 --db=sqlite:fleet.db
    status_is 1
    says "'rhost fleet run' needs --key=FILE"
    fleet resume
    status_is 1
    says 'no rollout is under way'
    fleet show
    status_is 1
    says 'there has been no rollout'
    [ ! -e www/.rollout.json ]
    fleet run --to=44 --wait=2s
    status_is 4
    says 'r44.json'
    run "$abs_top_builddir/rhost" fleet rollback www --signers=signers --key=thief
    status_is 1
    channel_is 'd["serial"]' 1
}

@test "a channel that another command has made is not changed" {
    hosts 3
    echo host1 >away
    "$abs_top_builddir/rhost" fleet run www --to=43 --canary=host1 --wait=60s --signers=signers --key=rollout --db=sqlite:fleet.db >log 2>&1 &
    local running=$!
    until_true grep -q '1 waited for' log
    "$abs_top_builddir/rhost" bundle channel --signers=signers --key=rollout www --to=42 >/dev/null
    status=0
    wait "$running" || status=$?
    is "$status" 1
    grep -q "the channel in 'www' is none of the rollout: it has serial 3, and not 2" log
    channel_is 'd["serial"], d["want"]' '(3, 42)'
    : >away
    fleet run --to=43 --batch=100% --wait=20s
    status_is 0
}

@test "root makes no rollout in a directory that somebody else can change" {
    requires_root
    hosts 1
    chmod 777 www
    fleet run --to=43 --batch=100% --wait=20s
    status_is 1
    says "no rollout in 'www'"
    channel_is 'd["serial"]' 1
    [ ! -e www/.rollout.json ]
}
