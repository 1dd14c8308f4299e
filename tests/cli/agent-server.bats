#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The agent and a web server: what it gets and puts, and servers that are broken or hostile.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/agent.bash"

setup() {
    agent_setup
    requires_command nginx
    requires_command openssl
}

teardown() {
    stop_fake
    agent_teardown
}

stop_fake() {
    [ -z "${fake:-}" ] || kill "$fake" 2>/dev/null || :
    fake=
}

# A server that does what the Python on standard input says in `def answer(self)`.
start_fake() {
    port=$(server_port)
    cat >answer.py
    python3 - "$port" 2>/dev/null <<'END' &
import http.server, sys, time
exec(open("answer.py").read())
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"
    def do_GET(self): answer(self)
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), H).serve_forever()
END
    fake=$!
    for ((i = 0; i < 200; i++)); do
        (exec 7<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
        sleep 0.05
    done
    settings "source: http://127.0.0.1:$port" 'timeout: 2s'
}

requests() {
    grep -c "$1" "$shared/nginx/access.log" || :
}

@test "over HTTPS nothing is got twice, and reports arrive" {
    revision 1
    channel --to=1
    server_start
    server_settings "reports: https://localhost:$port/reports"
    cycle
    status_is 0
    made 'revision 1'
    cycle
    status_is 0
    cycle
    status_is 0
    is "$(requests 'GET /channel.json HTTP.*" 304')" 2
    is "$(requests 'GET /channel.json.sig')" 1
    is "$(requests 'GET /r1.json ')" 1
    is "$(requests 'zst')" 1
    spool_is ''
    is "$(ls "$shared/reports")" "$(uname -n)"
    is "$(ls "$shared/reports/$(uname -n)" | wc -l)" 3
    is "$(cat "$shared"/reports/*/* | python3 -c 'import sys; print(sys.stdin.read().count("\"status\": \"ok\""))')" 2
}

@test "a channel that is damaged, missing or old on the machine is got again" {
    requires_command faketime
    revision 1
    channel --to=1
    server_start
    server_settings
    cycle
    status_is 0
    echo X >>"$state-agent/channel.json"
    cycle
    status_is 0
    rm "$state-agent/channel.json.sig"
    cycle
    status_is 0
    cycle
    status_is 0
    is "$(requests 'GET /channel.json HTTP.*" 200')" 3
    is "$(requests 'GET /channel.json HTTP.*" 304')" 1
    run with_clock +25h "$abs_top_builddir/rhost" agent --state-dir "$state" --settings="$PWD/agent.yaml" --once
    status_is 0
    is "$(requests 'GET /channel.json HTTP.*" 200')" 4
}

# What one part writes the next one reads: agent, web server, collector, fleet.
@test "what the agent has reported is in the database of the fleet" {
    [ -x "$abs_top_builddir/core/rhost-collect" ] || skip 'needs rhost-collect'
    revision 1
    channel --to=1
    server_start
    server_settings "reports: https://localhost:$port/reports"
    cycle
    status_is 0
    rm made
    cycle
    status_is 0
    channel --to=1 --expires=1h
    sed -i 's/^{/{{/' "$www/channel.json"
    cycle
    status_is 1
    run rhost collect --from="dir:$shared/reports" --to="sqlite:$PWD/fleet.db"
    status_is 0
    is "$(find "$shared/reports" -name '*.json')" ''
    run rhost fleet query --db="sqlite:$PWD/fleet.db" --format=json \
        'SELECT status, changed, revision FROM fleet_runs ORDER BY seq'
    status_is 0
    is "$(jq -c '.' <<<"$output")" '[{"status":"changed","changed":1,"revision":"1"},{"status":"changed","changed":1,"revision":"1"},{"status":"refused","changed":0,"revision":"1"},{"status":"ok","changed":0,"revision":"1"}]'
    run rhost fleet query gaps --db="sqlite:$PWD/fleet.db" --format=json
    status_is 0
    is "$(jq -c . <<<"$output")" '[]'
}

@test "the report server refuses or is away: reports stay until it takes them" {
    revision 1
    channel --to=1
    server_start 'location /refused/ { return 503; }'
    server_settings "reports: https://localhost:$port/refused"
    cycle
    status_is 0
    says 'the server answered with status 503'
    spool_is 'changed 1'
    server_settings 'reports: https://localhost:1/reports'
    cycle
    status_is 0
    says 'cannot put'
    server_settings "reports: https://localhost:$port/reports"
    sed -i /certificate:/d agent.yaml && sed -i /key:/d agent.yaml
    cycle
    status_is 0
    says 'the server answered with status 403'
    spool_is 'changed 1; ok 1; ok 1'
    server_settings "reports: https://localhost:$port/reports"
    cycle
    status_is 0
    spool_is ''
    is "$(ls "$shared/reports/$(uname -n)" | wc -l)" 4
}

@test "a report that the server does not want holds up no other, and is tried again later" {
    revision 1
    channel --to=1
    server_start 'location /away/ { return 503; }'
    server_settings "reports: https://localhost:$port/away"
    cycle
    rm made
    cycle
    spool_is 'changed 1; changed 1'
    first="$(python3 -c 'import glob, json, sys; print(json.load(open(sorted(glob.glob(sys.argv[1]))[0]))["run"])' "$state-agent/spool/0*.json")"
    server_stop
    server_start "location = /reports/$(uname -n)/$first.json { return 413; }"
    server_settings "reports: https://localhost:$port/reports"
    cycle
    says 'the server answered with status 413'
    spool_is 'changed 1'
    is "$(ls "$shared/reports/$(uname -n)" | wc -l)" 2
}

@test "only the certificates of 'ca' count, and an empty file is none" {
    revision 1
    channel --to=1
    server_start
    server_settings
    : >empty.pem
    sed -i "s|^ca: .*|ca: $PWD/empty.pem|" agent.yaml
    cycle
    status_is 1
    says "'$PWD/empty.pem' is empty"
    # The directory with the system's certificates has that of the server's authority.
    [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "needs to be root, to mount"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout other.key -out other.pem -days 30 \
        -subj '/CN=another CA' 2>/dev/null
    mkdir certs
    cp ca.pem "certs/$(openssl x509 -in ca.pem -noout -hash).0"
    chmod -R a+rX certs
    sed -i "s|^ca: .*|ca: $PWD/other.pem|" agent.yaml
    run unshare -m sh -c 'mount --bind certs /etc/ssl/certs && exec "$@"' - \
        "$abs_top_builddir/rhost" agent --state-dir "$state" --settings="$PWD/agent.yaml" --once
    status_is 1
    says 'SSL certificate problem'
    [ ! -e made ]
}

@test "a server with another certificate, or another name, is not believed" {
    revision 1
    channel --to=1
    server_start
    server_settings
    sed -i '/^ca:/d' agent.yaml
    cycle
    status_is 1
    says 'no new revision is taken: cannot get'
    server_settings
    sed -i "s/localhost/127.0.0.1/" agent.yaml
    cycle
    status_is 1
    says 'no new revision is taken: cannot get'
    [ ! -e made ]
}

@test "an archive that came in part is gone on from" {
    revision 1
    channel --to=1
    server_start
    server_settings
    for archive in "$www"/*.zst; do :; done
    mv "$archive" .
    cycle
    status_is 1
    mv "${archive##*/}" "$www"
    head -c 100 "$archive" >"$state-agent/bundles/${archive##*/}.part"
    cycle
    status_is 0
    made 'revision 1'
    is "$(requests 'zst HTTP/[0-9.]*" 206')" 1
}

@test "what came of an archive is kept for the next cycle" {
    head -c 60000 /dev/urandom | base64 >site/large
    revision 1
    channel --to=1
    start_fake <<END
def answer(self):
    d = open("$www" + self.path, "rb").read()
    at = int(self.headers.get("Range", "bytes=0-")[6:-1])
    with open("log", "a") as log: print(self.path[-4:], at, file=log)
    self.send_response(206 if at else 200)
    if at: self.send_header("Content-Range", "bytes %d-%d/%d" % (at, len(d) - 1, len(d)))
    self.send_header("Content-Length", str(len(d) - at))
    self.end_headers()
    self.wfile.write(d[at:at + 20000] if self.path.endswith(".zst") and not at else d[at:])
END
    cycle
    status_is 1
    says 'revision 1 is not taken: cannot get'
    [ ! -e made ]
    cycle
    status_is 0
    made 'revision 1'
    is "$(grep '^.zst' log)" $'.zst 0\n.zst 20000'
}

@test "redirects are not followed, to whatever they lead" {
    local to
    for to in file:///etc/passwd http://127.0.0.1:1/ https://localhost/x; do
        start_fake <<END
def answer(self):
    self.send_response(302)
    self.send_header("Location", "$to")
    self.end_headers()
END
        cycle
        status_is 1
        says 'the server answered with status 302'
        stop_fake
    done
}

@test "an endless answer ends at the limit, and a slow one in time" {
    start_fake <<'END'
def answer(self):
    self.send_response(200)
    self.end_headers()
    while True:
        self.wfile.write(b"x" * 65536)
END
    cycle
    status_is 1
    says 'the answer is too large'
    [ "$(du -sk "$state-agent" | cut -f1)" -lt 2048 ]
    stop_fake
    revision 1
    channel --to=1
    start_fake <<END
def answer(self):
    if self.path.endswith(".zst"):
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(b"x")
            time.sleep(0.3)
    d = open("$www" + self.path, "rb").read()
    self.send_response(200)
    self.end_headers()
    self.wfile.write(d)
END
    cycle
    status_is 1
    says 'revision 1 is not taken: cannot get'
    [ ! -e made ]
}

@test "headers, statuses and compression of strangers do no harm" {
    local how
    for how in 'self.wfile.write(b"\x00" * 100000)' 'self.wfile.write(b"HTTP/1.0 999 x\r\n\r\n")' \
        'self.wfile.write(b"HTTP/1.0 200 OK\r\nETag: " + b"e" * 90000 + b"\r\n\r\n{}")' \
        'self.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Length: 99999999999\r\n\r\n{}")' \
        'self.wfile.write(b"HTTP/1.0 304 Not Modified\r\n\r\n")' 'self.connection.close()'; do
        start_fake <<END
def answer(self):
    $how
END
        cycle
        status_is 1
        says 'no new revision is taken'
        stop_fake
    done
}

@test "plain HTTP is for this machine only, unless it is allowed" {
    settings 'source: http://192.0.2.1'
    cycle
    status_is 1
    says "http:// leads to this machine only, unless 'allow_http' is set"
    settings 'source: http://localhost@192.0.2.1'
    cycle
    status_is 1
    says 'it has a user or a password'
    start_fake <<END
def answer(self):
    d = open("$www" + self.path, "rb").read()
    self.send_response(200)
    self.end_headers()
    self.wfile.write(d)
END
    revision 1
    channel --to=1
    cycle
    status_is 0
    made 'revision 1'
}

@test "what speaks to the network has another user, no privileges, and nothing to write to" {
    requires_root
    start_fake <<'END'
def answer(self):
    time.sleep(60)
END
    agent --settings="$PWD/agent.yaml" --once 2>/dev/null &
    local one=$! pid=
    for ((i = 0; i < 200; i++)); do
        pid=$(pgrep -x rhost-fetch -u nobody -n) && [ -e "/proc/$pid/net" ] && grep -q 'NoNewPrivs:.*1' "/proc/$pid/status" && break
        sleep 0.05
    done
    run cat "/proc/$pid/status" "/proc/$pid/limits"
    status_is 0
    kill "$one"
    wait "$one" || :
    says "$(printf 'Uid:\t%s\t%s\t%s\t%s' "$(id -u nobody)" "$(id -u nobody)" "$(id -u nobody)" "$(id -u nobody)")"
    says "$(printf 'CapPrm:\t0000000000000000')"
    says "$(printf 'NoNewPrivs:\t1')"
    says 'Max file size 0 0'
    says 'Max core file size 0 0'
}
