#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/container_image/engine.bash"

# One network, named $1, whose other attributes stand on standard input.
network() {
    one "container_network: $1" "socket: ${socket:-$work/socket}" -- "${@:2}"
}

# It fails with this message.
refuses() {
    network "$1" run apply
    [ "$status" -ne 0 ]
    says "$2"
}

teardown() {
    engine_ended
}

# The body of the last request that made one.
made() {
    sed -n 's|^POST /networks/create ||p' socket.log | tail -n 1
}

# bats test_tags=inline
@test "a network is made and removed" {
    fake_engine
    network n converges <<'END'
driver: macvlan
subnet: 10.1.2.0/24
gateway: 10.1.2.1
internal: true
options: {parent: eth0}
labels: {a: b}
END
    made | jq -e '. == {"Name": "n", "CheckDuplicate": true, "Internal": true, "Driver": "macvlan", "Options": {"parent": "eth0"},
        "Labels": {"a": "b"}, "IPAM": {"Config": [{"Subnet": "10.1.2.0/24", "Gateway": "10.1.2.1"}]}}'
    network n converges <<<'ensure: absent'
    grep -q '^DELETE /networks/n ' socket.log
}

@test "what cannot be changed is refused, or made anew where that is asked for" {
    fake_engine
    network n run apply <<<'subnet: 10.1.2.0/24'
    refuses n 'subnet' <<<'subnet: 10.1.3.0/24'
    not grep -q '^DELETE' socket.log
    network n converges <<<$'subnet: 10.1.3.0/24\nreplace: true'
    made | jq -e '.IPAM.Config[0].Subnet == "10.1.3.0/24"'
    refuses n "'gateway' needs 'subnet' as well" <<<'gateway: 10.1.2.1'
}

@test "a dry run asks, and changes nothing" {
    fake_engine
    network n run apply --noop --detailed-exitcodes </dev/null
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
    refuses noid "answered without 'Id' of network 'noid'" </dev/null
    refuses error500 "cannot inspect network 'error500': the engine answered with status 500: the disk is full" </dev/null
    refuses denied 'status 403: forbidden by policy' </dev/null
    refuses hang 'timed out after 1 s' <<<'timeout: 1'
    not grep -q '^POST' socket.log
    socket=$work/none refuses n "'$work/none' does not exist" </dev/null
    : >file
    socket=$work/file refuses n "'$work/file' is not a socket" </dev/null
    python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("dead")'
    socket=$work/dead refuses n "cannot ask the engine at '$work/dead'" </dev/null
}

@test "Podman: a container is in networks, which are not removed before it" {
    [ -x /usr/lib/cni/bridge ] || skip "no containernetworking-plugins"
    podman_service
    cat >m.yaml <<END
resources:
  - container_network: front
    subnet: 10.98.0.0/24
    labels: {a: b}
    socket: $work/podman.sock
  - container_network: back
    internal: true
    socket: $work/podman.sock
  - container: c
    image: localhost/tools:1
    networks: [front, back]
    stop_timeout: 0
    socket: $work/podman.sock
END
    run rhost apply --detailed-exitcodes m.yaml
    status_is 2
    run rhost apply --detailed-exitcodes m.yaml
    status_is 0
    podman inspect --format '{{json .NetworkSettings.Networks}}' c | jq -e 'keys == ["back", "front"] and .front.Gateway == "10.98.0.1"'
    podman network inspect front | jq -e '.[0].labels == {"a": "b"}'
    socket=$work/podman.sock
    refuses front "cannot remove network 'front': the engine answered with status" <<<'ensure: absent'
    run apply --detailed-exitcodes <<<"resources: [{container: c, ensure: absent, stop_timeout: 0, socket: $socket}]"
    status_is 2
    for name in front back; do
        network "$name" converges <<<'ensure: absent'
    done
}

@test "Podman: the example of the page works, and a second run finds nothing to do" {
    podman_service
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' \
        "$abs_top_srcdir/plugins/container_network/container_network.md" | sed "s|/tmp/example|$work|" >example.yaml
    run rhost apply --detailed-exitcodes example.yaml
    status_is 2
    run rhost apply --detailed-exitcodes example.yaml
    status_is 0
}
