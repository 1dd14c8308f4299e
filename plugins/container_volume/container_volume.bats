#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/container_image/engine.bash"

# One volume, named $1, whose other attributes stand on standard input.
volume() {
    one "container_volume: $1" "socket: ${socket:-$work/socket}" -- "${@:2}"
}

# It fails with this message.
refuses() {
    volume "$1" run apply
    [ "$status" -ne 0 ]
    says "$2"
}

teardown() {
    engine_ended
}

# The body of the last request that made one.
made() {
    sed -n 's|^POST /volumes/create ||p' socket.log | tail -n 1
}

# bats test_tags=inline
@test "a volume is made and removed" {
    fake_engine
    volume n converges <<'END'
driver: other
options: {type: tmpfs}
labels: {a: b}
END
    made | jq -e '. == {"Name": "n", "Driver": "other", "DriverOpts": {"type": "tmpfs"}, "Labels": {"a": "b"}}'
    volume n converges <<<'ensure: absent'
    grep -q '^DELETE /volumes/n ' socket.log
}

@test "what cannot be changed is refused, or made anew where that is asked for" {
    fake_engine
    volume n run apply <<<'labels: {a: b}'
    refuses n 'labels' <<<'labels: {a: c}'
    not grep -q '^DELETE' socket.log
    volume n converges <<<$'labels: {a: c}\nreplace: true'
    made | jq -e '.Labels == {"a": "c"}'
}

@test "a dry run asks, and changes nothing" {
    fake_engine
    volume n run apply --noop --detailed-exitcodes </dev/null
    status_is 2
    not grep -q '^POST\|^DELETE' socket.log
}

# bats test_tags=inline
@test "faults of an engine have clear messages" {
    fake_engine
    refuses half 'the server closed the connection in the middle of its answer' </dev/null
    refuses close 'the server closed the connection without an answer' </dev/null
    refuses nojson "the engine at '$work/socket' answered GET with status 200, and not with JSON" </dev/null
    refuses cutjson 'and not with JSON' </dev/null
    refuses noid "answered without 'Name' of volume 'noid'" </dev/null
    refuses error500 "cannot inspect volume 'error500': the engine answered with status 500: the disk is full" </dev/null
    refuses denied 'status 403: forbidden by policy' </dev/null
    refuses hang 'timed out after 1 s' <<<'timeout: 1'
    not grep -q '^POST' socket.log
    socket=$work/none refuses n "'$work/none' does not exist" </dev/null
    : >file
    socket=$work/file refuses n "'$work/file' is not a socket" </dev/null
    python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("dead")'
    socket=$work/dead refuses n "cannot ask the engine at '$work/dead'" </dev/null
}

@test "Podman: what is in a volume stays when its container is replaced" {
    podman_service
    for mode in one two; do
        run apply --detailed-exitcodes <<END
resources:
  - container_volume: kept
    socket: $work/podman.sock
  - container: c
    image: localhost/tools:1
    env: {MODE: $mode}
    networks: [none]
    volumes: ["kept:/kept"]
    stop_timeout: 0
    socket: $work/podman.sock
END
        status_is 2
        podman exec c sh -c 'echo "$MODE" >>/kept/modes'
    done
    [ "$(cat engine/volumes/kept/_data/modes | xargs)" = 'one two' ]
    socket=$work/podman.sock
    refuses kept "cannot remove volume 'kept': the engine answered with status" <<<'ensure: absent'
    podman rm --force --time 0 c >/dev/null
    volume kept converges <<<'ensure: absent'
}

@test "Podman: the example of the page works, and a second run finds nothing to do" {
    podman_service
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' \
        "$abs_top_srcdir/plugins/container_volume/container_volume.md" | sed "s|/tmp/example|$work|" >example.yaml
    run rhost apply --detailed-exitcodes example.yaml
    status_is 2
    run rhost apply --detailed-exitcodes example.yaml
    status_is 0
}
