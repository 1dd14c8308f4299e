#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Hints and reports over NATS, with a real server on loopback, configured as packaging/nats/ says.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/agent.bash"

setup() {
    [ -x "$abs_top_builddir/core/rhost-nats" ] || skip "built without libnats"
    [ -x "$abs_top_builddir/core/rhost-fleet" ] || skip "built without libcrypto or a database"
    command -v nats-server >/dev/null || PATH=$PATH:/usr/sbin
    agent_setup
    requires_command nats-server
    requires_command openssl
    name=$(uname -n)
    pids=()
    broker_port=$(server_port)
    url=tls://localhost:$broker_port
    identities
    broker_start
}

teardown() {
    for pid in "${pids[@]}"; do
        kill "$pid" 2>/dev/null || :
        wait "$pid" 2>/dev/null || :
    done
    broker_stop
    agent_teardown
}

# One authority for the machines, the collector and the operator; another one for the server.
identities() {
    local host
    rhost fleet authority ca
    for host in "$name" other collector operator leaf-site1; do
        rhost fleet enrol "$host" --ca=ca >/dev/null
    done
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout server.key -out server.pem -days 30 \
        -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null
}

# broker_start [LEAF]: with LEAF, sites connect to the port $leaf_port
broker_start() {
    local i leaf=
    [ -z "${1-}" ] || leaf="s|^\\( *\\)#leaf |\\1|; s|port: 7422|listen: \"127.0.0.1:$leaf_port\"|"
    sed -e "$leaf" -e "s|^port: .*|listen: \"127.0.0.1:$broker_port\"|; /^http:/d; s|/etc/nats/server|$PWD/server|; s|/etc/nats/machines-ca|$PWD/ca/ca|" \
        "$abs_top_srcdir/packaging/nats/nats-server.conf" >nats.conf
    sed -e "$leaf" -e "s|web1.example.org|$name|g; s|web2.example.org|other|g" "$abs_top_srcdir/packaging/nats/machines.conf" >machines.conf
    nats-server -c nats.conf >>nats.log 2>&1 3>&- &
    broker=$!
    for ((i = 0; i < 200; i++)); do
        (exec 7<>"/dev/tcp/127.0.0.1/$broker_port") 2>/dev/null && return
        sleep 0.05
    done
    cat nats.log
    return 1
}

broker_stop() {
    [ -n "${broker:-}" ] || return 0
    kill -9 "$broker" 2>/dev/null || :
    wait "$broker" 2>/dev/null || :
    broker=
}

broker_settings() {
    settings "source: file://$www" "ca: $PWD/server.pem" "certificate: $PWD/$name.pem" "key: $PWD/$name.key" "$@"
}

# receive DIR [NAME]: who takes reports, by the certificate of NAME
receive() {
    "$abs_top_builddir/core/rhost-nats" --ca=server.pem --certificate="${2:-collector}.pem" --key="${2:-collector}.key" \
        -- receive "$url" "$1" >>receive.log 2>&1 3>&- &
    pids+=($!)
}

# hint [NAME]
hint() {
    run rhost fleet hint "$url" --tls-ca=server.pem --tls-certificate="${1:-operator}.pem" --tls-key="${1:-operator}.key"
}

# agent_start: it runs until the test ends
agent_start() {
    "$abs_top_builddir/rhost" agent --state-dir "$state" --settings="$PWD/agent.yaml" >agent.log 2>&1 3>&- &
    agent_pid=$!
    pids+=($!)
}

# put_as URL NAME HOST...: whether a report in the name of each HOST is taken, with the certificate of NAME
put_as() {
    python3 - "$abs_top_builddir/core/rhost-nats" "$(id -u nobody)" "$@" <<'END'
import socket, struct, subprocess, sys
program, user, url, name = sys.argv[1:5]

def put(host):
    a, b = socket.socketpair()
    subprocess.Popen([program, user, user], stdin=b)
    b.close()
    def piece(kind, data):
        a.sendall(kind.encode() + struct.pack(">I", len(data)) + data)
    for kind, data in (("U", (url + "/" + host + "/20260101T000000.000-1.json").encode()), ("L", b"1000"), ("T", b"3"), ("M", b"PUT"),
                       ("B", b"{}"), ("A", open("server.pem", "rb").read()), ("C", open(name + ".pem", "rb").read()),
                       ("K", open(name + ".key", "rb").read()), (".", b"")):
        piece(kind, data)
    return a.makefile("rb").read()

print(*(b"200" in put(host) for host in sys.argv[5:]))
END
}

explain() {
    cat nats.log receive.log agent.log 2>/dev/null || :
}

shipped() {
    cycle
    [ -z "$(spool)" ]
}

# The numbers of all reports that arrived, from 1 on without a gap.
all_seqs() {
    cat reports/*/*.json | python3 -c '
import json, sys
d, at, text, seqs = json.JSONDecoder(), 0, sys.stdin.read().strip(), []
while at < len(text):
    v, at = d.raw_decode(text, at)
    seqs.append(v["seq"])
    while at < len(text) and text[at].isspace():
        at += 1
assert sorted(seqs) == list(range(1, len(seqs) + 1)), seqs
print(len(seqs))'
}

@test "a report leaves the spool when it is on disk at the collector, and a broker that loses all loses none" {
    revision 1
    channel --to=1
    broker_settings "reports: $url"
    cycle
    status_is 0
    says 'no collector takes reports from the broker at the moment'
    spool_is 'changed 1'
    mkdir reports
    receive reports
    until_true shipped
    is "$(ls reports)" "$name"
    local before
    before=$(all_seqs)
    broker_stop
    cycle
    rm made
    cycle
    spool_is 'ok 1; changed 1'
    broker_start
    until_true shipped
    [ "$(all_seqs)" -ge $((before + 3)) ]
    is "$(find reports -name '.*new')" ''
    run rhost collect --from=dir:reports --to=sqlite:fleet.db
    status_is 0
    says_not quarantine
}

@test "no machine reports for another one, takes reports, or sends hints" {
    mkdir reports stolen
    receive reports
    receive stolen "$name"
    until_true grep -q 'Subscription Violation' nats.log
    hint "$name"
    until_true eval 'grep -q "Publish Violation.*rhost.hint" nats.log'
    run put_as "$url" "$name" "$name" other
    is "$output" 'True False'
    is "$(ls reports)" "$name"
    grep -q 'Publish Violation.*rhost.report.other' nats.log
    is "$(ls -A stolen)" ''
}

@test "a hint has the agent look at once, also after the broker was away" {
    revision 1
    channel --to=1
    broker_settings "hints: $url" 'hint_spread: 1s' 'interval: 12h'
    agent_start
    until_true made 'revision 1'
    revision 2
    channel --to=2
    hinted() {
        hint
        made "$1" >/dev/null
    }
    until_true hinted 'revision 2'
    status_is 0
    broker_stop
    broker_start
    revision 3
    channel --to=3
    until_true hinted 'revision 3'
    # What listens ends with its agent.
    local listens
    listens=$(pgrep -P "$agent_pid" -x rhost-nats)
    kill -9 "$agent_pid"
    until_true eval '! kill -0 "$listens" 2>/dev/null'
}

@test "a site has a server of its own, which lets its machines report for themselves" {
    local leaf_port site_port
    leaf_port=$(server_port)
    site_port=$(server_port)
    broker_stop
    broker_start leaf
    mkdir site-broker reports
    sed "s|^port: .*|listen: \"127.0.0.1:$site_port\"|; s|nats.example.org:7422|localhost:$leaf_port|; s|/etc/nats/server|$PWD/server|
        s|/etc/nats/machines-ca|$PWD/ca/ca|; s|/etc/nats/leaf-site1|$PWD/leaf-site1|; s|/etc/nats/central-ca|$PWD/server|" \
        "$abs_top_srcdir/packaging/nats/leaf.conf" >site-broker/nats.conf
    cp machines.conf site-broker
    nats-server -c site-broker/nats.conf >site.log 2>&1 3>&- &
    pids+=($!)
    until_true grep -q 'Leafnode connection created' site.log
    receive reports
    through_site() {
        [ "$(put_as "tls://localhost:$site_port" "$name" "$name")" = True ]
    }
    until_true through_site
    run put_as "tls://localhost:$site_port" "$name" other
    is "$output" False
    is "$(ls reports)" "$name"
}

@test "a broker without TLS is on this machine only, and a server with another name is not believed" {
    revision 1
    channel --to=1
    broker_settings 'reports: nats://192.0.2.1:4222'
    cycle
    says "nats:// leads to this machine only, unless 'allow_http' is set: use tls://"
    broker_settings "reports: tls://127.0.0.1:$broker_port"
    cycle
    says 'cannot put'
    broker_settings "reports: $url"
    sed -i "s|^ca: .*|ca: $PWD/ca/ca.pem|" agent.yaml
    cycle
    says 'cannot put'
    broker_settings 'hints: nats://192.0.2.1:4222' 'interval: 12h'
    agent_start
    until_true grep -q "no hints come from 'nats://192.0.2.1:4222': nats:// leads to this machine only" agent.log
    kill "$agent_pid"
    wait "$agent_pid" || :
    broker_settings 'hints: https://localhost'
    cycle
    status_is 1
    says 'it must begin with tls:// or nats://'
    [ -n "$(spool)" ]
}

@test "what listens for hints has another user, no privileges, and nothing to write to" {
    requires_root
    local pid
    revision 1
    channel --to=1
    broker_settings "hints: $url" 'interval: 12h'
    agent_start
    confined() {
        pid=$(pgrep -P "$agent_pid" -x rhost-nats -u nobody) && grep -q 'NoNewPrivs:.*1' "/proc/$pid/status"
    }
    until_true confined
    run cat "/proc/$pid/status" "/proc/$pid/limits"
    says "$(printf 'CapPrm:\t0000000000000000')"
    says 'Max file size 0 0'
}
