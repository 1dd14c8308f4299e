#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

# One resource, whose attributes stand on standard input.
wait_for() {
    one 'wait_for: it' -- "$@"
}

# Fails with this message, as fails() has it, which is about a file.
refuses() {
    wait_for run apply
    [ "$status" -ne 0 ]
    says "$1"
}

# A server on a free port, whose number is in $port, or on a Unix socket: it says $1 to each client after $2 seconds.
serve() {
    rm -f port
    python3 - "$1" "${2:-0}" "${3:-}" >/dev/null 2>&1 3>&- <<'END' &
import os, socket, sys, time
text, delay, path = sys.argv[1].encode(), float(sys.argv[2]), sys.argv[3]
s = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
s.bind(path or ("127.0.0.1", 0))
s.listen()
with open("port.new", "w") as f:
    f.write(path or str(s.getsockname()[1]))
os.rename("port.new", "port")
while True:
    c, _ = s.accept()
    time.sleep(delay)
    try:
        c.sendall(text)
    except OSError:
        pass
    c.close()
END
    server=$!
    until [ -s port ]; do sleep 0.02; done
    port=$(cat port)
}

teardown() {
    [ -z "${server-}" ] || kill "$server" 2>/dev/null || :
    [ -z "${later-}" ] || kill "$later" 2>/dev/null || :
}

# A port that nobody listens on.
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# bats test_tags=inline
@test "what is there already is no change, and is not waited for" {
    serve hello
    echo x >f
    for attributes in "port: $port" "path: $work/f" "{path: $work/none, condition: absent}" \
        "{port: $(free_port), condition: absent}" "{path: $work/f, text: ^x\$}" "{path: $work/f, text: y, condition: absent}" \
        "{port: $port, host: 127.0.0.1, text: ^hel+o}"; do
        attributes=${attributes#\{} attributes=${attributes%\}}
        wait_for run apply --detailed-exitcodes --verbose <<<"$(sed 's/, \([a-z]*:\)/\n\1/g' <<<"$attributes")"
        status_is 0
        says '1 ok'
        says ', after 0.'
    done
}

@test "a path, a text and a port are waited for, and the resources behind it come later" {
    local p
    p=$(free_port)
    (
        sleep 0.4
        echo starting >f
        sleep 0.3
        echo ready >>f
        sleep 0.3
        exec python3 -c 'import socket, sys, time; s = socket.socket(); s.bind(("127.0.0.1", int(sys.argv[1]))); s.listen(); time.sleep(30)' "$p"
    ) >/dev/null 2>&1 3>&- &
    later=$!
    run apply --detailed-exitcodes --verbose <<END
resources:
  - wait_for: a path
    path: $work/f
    timeout: 20
  - wait_for: a text
    path: $work/f
    text: ^ready\$
    timeout: 20
  - wait_for: a port
    port: $p
    host: 127.0.0.1
    timeout: 20
  - file: $work/done
    content: ""
    require: wait_for[a port]
END
    status_is 2
    says "'$work/f' exists, after 0."
    says "'$work/f' has a match of 'text', after 0."
    says "port $p of '127.0.0.1' accepts connections, after "
    [ -e done ]
}

@test "something is waited for until it is gone" {
    echo x >f
    (sleep 0.5 && rm f) 3>&- &
    later=$!
    wait_for run apply --detailed-exitcodes --verbose <<END
path: $work/f
condition: absent
timeout: 20
END
    status_is 0
    says "does not exist, after "
    serve hello
    (sleep 0.5 && kill "$server") 3>&- &
    later=$!
    wait_for run apply --detailed-exitcodes <<END
port: $port
host: 127.0.0.1
condition: absent
timeout: 20
END
    status_is 0
}

# bats test_tags=inline
@test "what does not come is a failure that says what there was, and what depends on it is skipped" {
    local p
    p=$(free_port)
    echo x >f
    run apply <<END
resources:
  - wait_for: port
    port: $p
    host: 127.0.0.1
    timeout: 1
  - wait_for: path
    path: $work/none
    timeout: 0
  - wait_for: text
    path: $work/f
    text: y
    timeout: 0
  - wait_for: gone
    path: $work/f
    condition: absent
    timeout: 0
  - file: $work/done
    content: ""
    require: wait_for[port]
END
    status_is 4
    says "timed out after 1 s: port $p of '127.0.0.1' does not accept connections: Connection refused"
    says "timed out after 0 s: '$work/none' does not exist"
    says "timed out after 0 s: '$work/f' exists, without a match of 'text'"
    says "timed out after 0 s: '$work/f' exists"
    says '1 skipped'
    [ ! -e done ]
}

@test "a server that says something else, nothing, or hangs up is waited for" {
    serve 'go away'
    refuses "timed out after 0 s: port $port of '127.0.0.1' accepts connections, and does not say a match of 'text'" <<END
port: $port
host: 127.0.0.1
text: welcome
timeout: 0
END
    kill "$server"
    serve ''
    refuses "does not say a match of 'text'" <<END
port: $port
host: 127.0.0.1
text: welcome
timeout: 0
END
    kill "$server"
    serve late 60
    refuses "does not say a match of 'text'" <<END
port: $port
host: 127.0.0.1
text: late
timeout: 1
END
}

@test "a name that cannot be looked up is neither an open port nor a closed one" {
    for condition in present absent; do
        refuses "timed out after 0 s: cannot look up 'no-such-host.invalid': " <<END
port: 80
host: no-such-host.invalid
condition: $condition
timeout: 0
END
    done
}

# bats test_tags=inline
@test "a Unix socket is waited for, and what is no socket fails at once" {
    serve hello 0 "$work/s"
    wait_for run apply --detailed-exitcodes <<END
socket: $work/s
text: ^hello
END
    status_is 0
    kill "$server"
    refuses "socket '$work/s' does not accept connections: Connection refused" <<END
socket: $work/s
timeout: 0
END
    rm s
    refuses "'$work/s' does not exist" <<END
socket: $work/s
timeout: 0
END
    echo x >s
    refuses "'$work/s' is not a socket" <<END
socket: $work/s
timeout: 100
END
}

@test "what waiting does not mend fails at once" {
    mkdir d
    refuses "'$work/d' is not a regular file" <<END
path: $work/d
text: x
END
    mkfifo p
    refuses "'$work/p' is not a regular file" <<END
path: $work/p
text: x
END
    truncate -s 65M large
    refuses "'$work/large' is larger than 64 MiB" <<END
path: $work/large
text: x
END
    echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! >f
    refuses 'the regular expression takes too many steps' <<END
path: $work/f
text: ^(a|a?)+\$
END
    ln -s loop loop
    refuses "cannot read '$work/loop': " <<END
path: $work/loop
END
}

@test "root does not look through a link that another user could have made" {
    requires_root
    mkdir theirs
    chown nobody theirs
    echo secret >f
    ln -s ../f theirs/link
    chown -h nobody theirs/link
    refuses 'unsafe path' <<END
path: $work/theirs/link
text: secret
END
}

@test "mistakes are named" {
    refuses "expected one of 'port', 'socket', 'path' and 'unit'" <<<'timeout: 3'
    refuses "'port' and 'path' exclude each other" <<'END'
port: 3
path: /a
END
    refuses "'text' goes with 'port', 'socket' or 'path'" <<'END'
unit: a.service
text: b
END
    refuses "'a(b' is not a regular expression" <<'END'
path: /a
text: a(b
END
    wait_for run apply <<'END'
path: /a
text: (hunter
sensitive: [text]
END
    [ "$status" -ne 0 ]
    says 'invalid regular expression'
    says_not hunter
    refuses unit <<<'unit: --help'
}

@test "a unit is asked for by systemctl, whatever it answers" {
    local state
    requires_root
    requires_command systemctl
    cat >systemctl <<END
#!/bin/sh
[ "\$*" = "is-active -- x.service" ] || exit 9
read state <'$work/state'
case \$state in
active) echo active ;;
offline) echo "System has not been booted with systemd as init system (PID 1). Can't operate." >&2 && exit 1 ;;
*) echo "\$state" && exit 3 ;;
esac
END
    # In the place of the real one, for the rhost of this test alone.
    cat >with-stand-in <<END
#!/bin/sh
exec unshare --mount --propagation private sh -ec 'mount --bind "\$0" "\$1" && shift && exec "\$@"' '$work/systemctl' \
    "$(readlink -f "$(command -v systemctl)")" '${RHOST:-$abs_top_builddir/rhost}' "\$@"
END
    chmod +x systemctl with-stand-in
    unshare --mount true 2>/dev/null || skip "no mount namespaces here"
    RHOST=$work/with-stand-in
    for state in 'active present' 'inactive absent' 'failed absent' 'unknown absent'; do
        echo "${state% *}" >state
        wait_for run apply --detailed-exitcodes <<END
unit: x.service
condition: ${state#* }
timeout: 0
END
        status_is 0
    done
    for state in 'failed present' 'activating present' 'activating absent' 'active absent'; do
        echo "${state% *}" >state
        refuses "timed out after 0 s: unit 'x.service' is ${state% *}" <<END
unit: x.service
condition: ${state#* }
timeout: 0
END
    done
    echo offline >state
    refuses 'cannot ask systemd: System has not been booted with systemd' <<<'unit: x.service'
}

# bats test_tags=inline
@test "a dry run looks once, and says what would be waited for" {
    wait_for run apply --noop --verbose <<END
path: $work/none
END
    status_is 0
    says "it would be waited for: '$work/none' does not exist"
    says_not 'would change'
}

@test "a signal ends the waiting" {
    local run status=0
    printf 'resources:\n  - wait_for: it\n    path: %s/none\n    timeout: 600\n' "$work" >site.yaml
    "${RHOST:-$abs_top_builddir/rhost}" types --state-dir state >types # which describes each plugin
    "${RHOST:-$abs_top_builddir/rhost}" apply --isolation="$RHOST_ISOLATION" --state-dir state site.yaml >out 2>&1 3>&- &
    run=$!
    sleep 1
    kill -TERM "$run"
    wait "$run" || status=$?
    [ "$status" -ne 0 ]
    grep -q "the run is to end: waiting was given up: '$work/none' does not exist" out
}

@test "it waits when it is notified" {
    run apply --verbose <<END
resources:
  - file: $work/f
    content: x
    notify: wait_for[it]
  - wait_for: it
    path: $work/f
    action: nothing
END
    status_is 0
    says "'$work/f' exists, after 0."
}

@test "confined, it reaches what it declares" {
    requires_root
    serve hello
    echo x >f
    (sleep 0.5 && echo ready >made) 3>&- &
    later=$!
    run rhost apply --isolation=confined --verbose --state-dir state /dev/stdin <<END
resources:
  - wait_for: port
    port: $port
    host: localhost
    text: hello
  - wait_for: text
    path: $work/made
    text: ready
    timeout: 20
END
    status_is 0
    says '2 ok'
}

@test "confined, root waits for what only another user may read and connect to" {
    requires_root
    mkdir -m 700 theirs
    echo ready >theirs/text
    chmod 600 theirs/text
    python3 -c '
import os, socket
s = socket.socket(socket.AF_UNIX)
s.bind("theirs/socket")
os.chmod("theirs/socket", 0o600)
os.chown("theirs/socket", 65534, 65534)
s.listen()
open("bound", "w").close()
while True:
    s.accept()[0].close()' 3>&- &
    server=$!
    for ((i = 0; i < 200; i++)); do [ -e bound ] && break || sleep 0.05; done
    chown -R 65534:65534 theirs
    run rhost apply --isolation=confined --state-dir state /dev/stdin <<END
resources:
  - wait_for: text
    path: $work/theirs/text
    text: ready
    timeout: 5
  - wait_for: socket
    socket: $work/theirs/socket
    timeout: 5
END
    kill "$server"
    status_is 0
    says '2 ok'
}
