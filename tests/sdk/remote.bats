#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The example of docs/authors/provider-remote.md: a provider of a device that is an HTTP API.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

examples=$abs_top_srcdir/docs/examples/providers
built=$abs_top_builddir/docs/examples/providers
token=a-secret-token

setup() {
    work_open
    command -v python3 >/dev/null || skip "no python3"
    sed "s|/run/records.sock|$work/api|" "$examples/record.targets.yaml" >targets.yaml
    printf 'resources:\n  - record: one\n    value: first\n' >site.yaml
}

teardown() {
    if [ -n "${api-}" ]; then kill "$api"; fi
}

serve() {
    mkfifo ready
    python3 "$examples/record_api.py" api "$token" >ready 3>&- &
    api=$!
    read -r _ <ready
}

on_api() {
    run rhost "$1" --isolation="$RHOST_ISOLATION" --state-dir="$work/state" --plugin-dir="$built/.libs" "${@:2}"
}

@test "rhost check tries it with the API that its fixture starts" {
    run rhost check "$built/.libs/record.so" --fixture "$examples/record.fixture.yaml" --seed=1 --allocations=2 \
        --rounds=20
    status_is 0
    says 'pass creates record'
    says 'pass refuses record'
    says 'pass secret record'
    says 'pass descriptors record'
    says_not 'it manages a device'
    not grep -q "$token" <<<"$output"
}

@test "without a target its provider cannot be tried, and a wrong one is named" {
    run rhost check "$built/.libs/record.so" --only reads
    status_is 0
    says "skip reads record: it manages a device: add 'target' to the fixture"
    for wrong in 'htp_api: test' 'socket: /x' 'http_api: ""'; do
        printf 'target:\n  %s\nstates: []\n' "$wrong" >fixture.yaml
        run rhost check "$built/.libs/record.so" --fixture fixture.yaml --only reads
        status_is 1
        says "the first entry of 'target' must be a transport of the plugin and a name"
    done
    printf 'target: {http_api: test, token: x}\n' >fixture.yaml
    run rhost check "$built/.libs/record.so" --fixture fixture.yaml --only reads
    status_is 1
    says "target 'test': missing required attribute 'socket'"
}

@test "a server of a fixture that does not get ready is named, with what it said" {
    printf 'serve: [[sh, -c, "echo no luck >&2"]]\nstates: [{title: one, state: {value: x}}]\n' >fixture.yaml
    run rhost check "$built/.libs/record.so" --fixture fixture.yaml --only reads
    status_is 1
    says "'serve' of the fixture failed: 'sh' has ended: no luck"
}

# What a server started itself, which writes down its number.
gone() {
    for _ in $(seq 50); do
        kill -0 "$(cat server.pid)" 2>/dev/null || return 0
        sleep 0.1
    done
    echo "the server is still there"
    kill -9 "$(cat server.pid)"
    return 1
}

# That it has printed, or not, that it is ready.
with_server() {
    rm -f server.pid
    cat >fixture.yaml <<END
serve: [[sh, -c, 'setsid sleep 300 & echo \$! >$work/server.pid; $1; wait']]
states: [{title: one, state: {value: x}}]
END
}

@test "nothing of a server is left, however the check ends" {
    with_server "echo ready"
    run rhost check "$built/.libs/record.so" --fixture fixture.yaml --only reads
    status_is 0
    gone
    with_server true
    run rhost check "$built/.libs/record.so" --fixture fixture.yaml --only reads --time-limit=1
    says "it was not done within 1 second"
    gone
    rm server.pid
    "${RHOST:-$abs_top_builddir/rhost}" check "$built/.libs/record.so" --fixture fixture.yaml --only reads 3>&- &
    for _ in $(seq 50); do
        [ ! -s server.pid ] || break
        sleep 0.1
    done
    kill -9 $!
    gone
}

@test "a unit test reaches the API by the fake host" {
    serve
    run "$built/record-test" api "$token"
    status_is 0
}

@test "records are created, listed, changed and purged" {
    serve
    on_api device targets.yaml main site.yaml
    status_is 0
    says '1 changed'
    on_api device targets.yaml main site.yaml
    status_is 0
    says '1 ok'
    on_api resource --targets=targets.yaml --target=main record
    status_is 0
    says 'record: one'
    says 'value: first'
    on_api device targets.yaml main
    status_is 0
    says '"records": 1'
    printf 'resources:\n  - purge: record\n' >site.yaml
    on_api device targets.yaml main site.yaml
    status_is 0
    says 'removed 1 of 1'
}

@test "a wrong token fails the resource, and no file or output has it" {
    serve
    sed -i "s/$token/another-secret-token/" targets.yaml
    on_api device --debug --report=report.json targets.yaml main site.yaml
    status_is 4
    says 'wrong token'
    echo "$output" >output
    not grep -rq another-secret output report.json state
}
