#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Devices that an agent manages: the HTTP API of docs/examples/providers/record.c, reported as devices of the machine.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/agent.bash"

examples=$abs_top_srcdir/docs/examples/providers
token=a-secret-token

setup() {
    agent_setup
    command -v python3 >/dev/null || skip "no python3"
    export RHOST_FLEET_DB=sqlite:$PWD/fleet.db
    mkdir site/devices
    targets main
    device main first
}

teardown() {
    [ -z "${api-}" ] || kill "${api[@]}" 2>/dev/null || :
    [ -z "${daemon-}" ] || kill "$daemon" 2>/dev/null || :
    agent_teardown
}

# targets NAME...: the file of the machine, with a socket for each
targets() {
    local name
    echo 'resources:' >targets.yaml
    for name; do
        printf '  - http_api: %s\n    socket: %s\n    token: %s\n' "$name" "$work/$name" "$token" >>targets.yaml
    done
}

# device NAME VALUE: what the site says of it
device() {
    printf 'resources:\n  - record: one\n    value: "%s"\n' "$2" >"site/devices/$1.yaml"
}

serve() {
    [ -p ready ] || mkfifo ready
    rm -f "$1"
    python3 "$examples/record_api.py" "$1" "$token" >ready 3>&- &
    api+=("$!")
    read -r _ <ready
}

# on DEVICE: its records
on() {
    python3 - "$1" "$token" <<'END'
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.send(("GET /records HTTP/1.0\r\nAuthorization: Bearer %s\r\n\r\n" % sys.argv[2]).encode())
text = b""
while True:
    got = s.recv(4096)
    if not got:
        break
    text += got
print(text.decode().split("\r\n\r\n", 1)[1], end="")
END
}

agent() {
    "$abs_top_builddir/rhost" agent --plugin-dir="$abs_top_builddir/docs/examples/providers/.libs" --state-dir "$state" "$@"
}

manage() {
    cycle --device="$PWD/targets.yaml" "$@"
}

# What the reports in the spool say, oldest first: "DEVICE STATUS REVISION SEQ".
devices_are() {
    is "$(python3 - "$state-agent/spool" <<'END'
import glob, json, sys
print("; ".join("%s %s %s %s" % (d.get("device"), d["status"], d.get("revision"), d["seq"]) for d in
                (json.load(open(p)) for p in sorted(glob.glob(sys.argv[1] + "/0*.json")))))
END
)" "$1"
}

# Brings what the spool has to the collector, as a web server does: below the name that it knows the machine by.
collect() {
    mkdir -p "reports/${1-$(uname -n)}"
    python3 - "$state-agent/spool" "reports/${1-$(uname -n)}" <<'END'
import glob, json, os, sys
for p in glob.glob(sys.argv[1] + "/0*.json"):
    os.rename(p, "%s/%s.json" % (sys.argv[2], json.load(open(p))["run"]))
END
    [ -z "${age-}" ] || touch -d "$age" reports/*/*
    run "$abs_top_builddir/rhost" collect --from=dir:reports --to="$RHOST_FLEET_DB"
}

fleet() {
    run "$abs_top_builddir/rhost" fleet "$@"
}

@test "a device gets its manifest of the bundle, and reports as a device of this machine" {
    serve main
    revision 1
    channel --to=1
    manage
    status_is 0
    made 'revision 1'
    is "$(on main)" 'one first'
    devices_are 'None changed 1 1; main changed 1 1'
    manage
    devices_are 'None changed 1 1; main changed 1 1; None ok 1 2; main ok 1 2'
    device main second
    revision 2
    channel --to=2
    manage
    is "$(on main)" 'one second'
    collect
    is "$output" '6 stored'
    fleet query 'SELECT host, state, revision, seq FROM fleet_status ORDER BY host' --format=json
    is "$(jq -c '[.[] | [.host, .state, .revision, .seq]]' <<<"$output")" \
        "[[\"$(uname -n)\",\"changed\",\"2\",3],[\"$(uname -n)/main\",\"changed\",\"2\",3]]"
    fleet status
    says "$(uname -n)/main"
    fleet diff "$(uname -n)" "$(uname -n)/main"
    says "$(uname -n)/main"
    says 'record'
    fleet report -o page.html
    status_is 0
    grep -qF "$(uname -n)/main" page.html
    fleet query gaps --format=json
    is "$(jq -c . <<<"$output")" '[]'
    fleet query clones --format=json
    is "$(jq -c . <<<"$output")" '[]'
    not grep -rq "$token" "$state-agent" reports fleet.db
}

@test "a device that is away fails, and neither the machine nor another device does" {
    targets away main
    device away first
    serve main
    revision 1
    channel --to=1
    manage
    status_is 4
    is "$(on main)" 'one first'
    devices_are 'None changed 1 1; away failed 1 1; main changed 1 1'
    remembers 'd["good"]' 1
    not grep -rq "$token" "$state-agent"
}

@test "a device that the bundle does not know is reported, and nothing is done to it" {
    serve main
    rm site/devices/main.yaml
    revision 1
    channel --to=1
    manage
    status_is 4
    is "$(on main)" ''
    devices_are 'None changed 1 1; main refused 1 1'
}

@test "devices are named by the settings too, and what is wrong with the file is said and reported" {
    settings "source: file://$www" "devices: $PWD/targets.yaml"
    serve main
    revision 1
    channel --to=1
    cycle
    status_is 0
    is "$(on main)" 'one first'
    echo '  - http_apy: x' >>targets.yaml
    cycle
    status_is 1
    says "no device is managed: 'rhost device $PWD/targets.yaml' does not list them"
    devices_are 'None changed 1 1; main changed 1 1; None ok 1 2; None refused None 3'
    settings "source: file://$www" "devices: targets.yaml"
    cycle
    status_is 1
    says "'devices' must be an absolute path"
    settings "source: file://$www"
    cycle --device=targets.yaml
    status_is 1
    says 'invalid value for --device: expected an absolute path'
}

@test "as root, targets that others can change are refused" {
    requires_root
    serve main
    revision 1
    channel --to=1
    chmod 666 targets.yaml
    manage
    is "$(on main)" ''
    says "targets.yaml' is not safe: everybody can write to it"
}

@test "a name that could lead elsewhere is not managed" {
    targets ../main main
    serve main
    revision 1
    channel --to=1
    manage
    status_is 4
    says "the device '../main' is not managed"
    is "$(on main)" 'one first'
    devices_are 'None changed 1 1; main changed 1 1'
    is "$(find "$state-agent/devices" -mindepth 1 -maxdepth 1 -name "*main*" -printf "%f\n")" main
}

@test "a host cannot report for a device of another one, nor for itself as a device of another" {
    serve main
    revision 1
    channel --to=1
    manage
    # The directory is that of the certificate: the same reports, brought by another machine.
    age='1 minute ago'
    collect other
    status_is 4
    is "$(find reports/.quarantine -name '*.json' | wc -l)" 2
    fleet query 'SELECT count(*) AS n FROM fleet_runs' --format=json
    is "$(jq -c . <<<"$output")" '[{"n":0}]'
    manage
    for name in other/main ../other '' $'a\nb' "$(printf 'x%.0s' {1..300})" 7; do
        NAME=$name python3 - "$state-agent/spool" <<'END'
import glob, json, os, sys
for p in glob.glob(sys.argv[1] + "/0*.json"):
    d = json.load(open(p))
    if "device" in d:
        d["device"] = int(os.environ["NAME"]) if os.environ["NAME"] == "7" else os.environ["NAME"]
        d["run"] = d["run"].split("-")[0] + "-%d" % int.from_bytes(os.urandom(6), "big")
        json.dump(d, open(p[:-len("n.json")] + os.urandom(4).hex(), "w"))
END
    done
    mkdir -p "reports/$(uname -n)"
    for file in "$state-agent"/spool/0*-????????; do
        mv "$file" "reports/$(uname -n)/$(json "$file" 'd["run"]').json"
    done
    rm "$state-agent"/spool/0*
    collect
    says "'device' of the report must be the name of a device"
    fleet query 'SELECT host FROM fleet_status' --format=json
    is "$(jq -c . <<<"$output")" '[]'
}

@test "a run of a device that is lost is reported as one of the device" {
    serve main
    revision 1
    channel --to=1
    manage
    rm "$state-agent"/spool/0*
    # What a machine leaves whose power went in the run.
    echo 1 >"$state-agent/runs/20261127T000000-000-1@main.begun"
    manage
    devices_are 'None ok 1 2; main ok 1 2; main refused 1 3'
    says 'a run ended without a report'
}

@test "the devices of a file are listed, and a bundle is applied to one by hand" {
    dev=("$abs_top_builddir/rhost" device --plugin-dir="$abs_top_builddir/docs/examples/providers/.libs" --state-dir="$state")
    run "${dev[@]}" targets.yaml
    status_is 0
    is "$output" 'http_api[main]'
    run "${dev[@]}" targets.yaml --format=json
    is "$(jq -c . <<<"$output")" '[{"target":"main","transport":"http_api"}]'
    serve main
    revision 1
    run "${dev[@]}" --signers=signers targets.yaml main "$www/r1.json"
    status_is 0
    is "$(on main)" 'one first'
    allow ',valid-before="20200101"'
    printf 'ops namespaces="rhost-channel" %s\n' "$(cat rollout.pub)" >signers
    run "${dev[@]}" --signers=signers targets.yaml main "$www/r1.json"
    status_is 1
    run "${dev[@]}" --signers=signers targets.yaml main site/devices/main.yaml
    status_is 1
    says '--signers and --insecure are for bundles'
}
