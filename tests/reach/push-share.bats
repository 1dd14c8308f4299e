#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Connections of ssh that rhost push keeps for the next push, with a server of our own on the loopback interface.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/reach/push.bash"

why_not() {
    command -v ssh >/dev/null || echo "no ssh"
    [ -x /usr/sbin/sshd ] || echo "no sshd"
    command -v python3 >/dev/null || echo "no python3"
}

setup_file() {
    export WHY
    WHY=$(why_not | head -1)
    [ -z "$WHY" ] || return 0
    export ssh=$BATS_FILE_TMPDIR/ssh port=$((20000 + RANDOM % 20000))
    mkdir -p "$ssh"
    [ "$(id -u)" != 0 ] || mkdir -p /run/sshd
    ssh-keygen -q -t ed25519 -N '' -f "$ssh/id"
    ssh-keygen -q -t ed25519 -N '' -f "$ssh/host"
    cat >"$ssh/sshd_config" <<END
Port $port
ListenAddress 127.0.0.1
HostKey $ssh/host
AuthorizedKeysFile $ssh/id.pub
StrictModes no
PidFile $ssh/pid
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
END
    cat >"$ssh/config" <<END
Host *
    IdentityFile $ssh/id
    IdentitiesOnly yes
    UserKnownHostsFile $ssh/known
END
    echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 "$ssh/host.pub")" >"$ssh/known"
    /usr/sbin/sshd -f "$ssh/sshd_config" -E "$ssh/log" 3>&-
}

teardown_file() {
    [ ! -s "${ssh-}/pid" ] || kill "$(cat "$ssh/pid")"
}

# Sockets have short names: the directory of the test is too long.
setup() {
    [ -z "$WHY" ] || skip "$WHY"
    push_open
    export XDG_RUNTIME_DIR
    XDG_RUNTIME_DIR=$(mktemp -d /tmp/rsXXXXXX)
    sockets=$XDG_RUNTIME_DIR/rhost-ssh
    connect "-F, $ssh/config"
}

teardown() {
    local one
    [ -z "$WHY" ] || return 0
    for one in $(masters); do
        kill -KILL "$one"
    done
    rm -rf "$XDG_RUNTIME_DIR"
}

# connect OPTIONS: the file of targets
connect() {
    targets <<END
targets:
  web: {connect: 'ssh://127.0.0.1:$port', options: [$1]}
END
}

# Process ids of kept connections of this test.
masters() {
    pgrep -f "^ssh: $XDG_RUNTIME_DIR/.*\[mux\]" || true
}

connections() {
    grep -c 'Accepted publickey' "$ssh/log" || true
}

apply() {
    run push --targets targets.yaml "$@" web site/site.yaml
    status_is 0
}

# Waits until a command succeeds.
until_it() {
    for _ in $(seq 200); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.05
    done
    echo "'$*' does not succeed"
    return 1
}

@test "the next push uses the connection of the one before" {
    local before
    before=$(connections)
    apply
    says 'web changed 1 changed'
    apply
    apply
    says 'web ok 1 ok'
    is "$(connections)" $((before + 1))
    is "$(masters | wc -l)" 1
    is "$(stat -c '%a %u' "$sockets")" "700 $(id -u)"
    is "$(stat -c '%a' "$sockets"/*)" 600
}

@test "what is to be confirmed, and a confirmation, use no connection from before" {
    local before
    apply
    before=$(connections)
    apply --confirm-within=300
    is "$(connections)" $((before + 1))
    run push --targets targets.yaml web -- confirm
    status_is 0
    is "$(connections)" $((before + 2))
    # Also where the configuration of ssh shares connections.
    cat "$ssh/config" - >own <<END
    ControlMaster auto
    ControlPath $XDG_RUNTIME_DIR/%C
    ControlPersist 60
END
    connect "-F, $PWD/own"
    apply
    apply --confirm-within=300
    run push --targets targets.yaml web -- confirm
    status_is 0
    is "$(connections)" $((before + 5))
}

@test "what is kept holds no output of the push, and no signal of its terminal ends it" {
    local master
    push --targets targets.yaml web site/site.yaml 2>&1 | cat >said
    grep -q 'web  changed' said
    master=$(masters)
    [ -n "$master" ]
    is "$(find "/proc/$master/fd" -lname 'pipe:*' | wc -l)" 0
    is "$(find "/proc/$master/fd" -lname "$work/*" | wc -l)" 0
    is "$(ps -o sid= -p "$master" | tr -d ' ')" "$(ps -o pgid= -p "$master" | tr -d ' ')"
    [ "$(ps -o sid= -p "$master" | tr -d ' ')" != "$(ps -o sid= -p $$ | tr -d ' ')" ]
}

@test "an interrupted push leaves the connection to the others" {
    local master
    apply
    master=$(masters)
    slow_site
    set -m
    push_process --targets targets.yaml web site/site.yaml >first 2>&1 3>&- &
    local controller=$!
    set +m
    wait_for started
    kill -INT -- -$controller
    wait $controller || status=$?
    is "$status" 130
    is "$(masters)" "$master"
    rm -f started
    touch go
    apply
    [ -e second ]
}

@test "the operator decides: --ssh-persist=0, options of the target, and the configuration of ssh" {
    local config
    apply --ssh-persist=0
    connect "-F, $ssh/config, -oControlMaster=no"
    apply
    connect "-F, $ssh/config, -o, 'controlPath none'"
    apply
    connect "-F, $ssh/config, -S, none"
    apply
    # A configuration that sets it decides for all its hosts, wherever it does.
    printf 'include %s/in*\n' "$work" >config
    cat "$ssh/config" - >included <<'END'
Match final host other.example.com
  ControlMaster = no
END
    connect "-F$work/config"
    apply
    is "$(masters)" ''
    is "$(ls "$sockets" 2>/dev/null || true)" ''
    # What includes a file by a name that only ssh knows may have one.
    for pattern in "$work/%h" '~nobody/x'; do
        { printf 'Include "%s"\n' "$pattern" && grep -v '^Match' "$ssh/config"; } >config
        apply
        is "$(masters)" ''
    done
    printf 'include %s/in*\n' "$work" >config
    # And what it has is used.
    printf 'ControlMaster auto\nControlPath %s/own\nControlPersist 60\n' "$XDG_RUNTIME_DIR" >>included
    sed -i '/^Match/d; /= no/d' included
    apply
    [ -S "$XDG_RUNTIME_DIR/own" ]
    [ ! -e "$sockets" ] || is "$(ls "$sockets")" ''
}

@test "a connection with other options is not used" {
    apply
    connect "-F, $ssh/config, -oUserKnownHostsFile=/dev/null"
    run push --targets targets.yaml web site/site.yaml
    status_is 4
    says 'the host key of the target is not known'
    connect "-F, $ssh/config, -oIdentityFile=/dev/null, -oIdentityFile=none"
    sed 's/^    IdentityFile.*//' "$ssh/config" >nokey
    connect "-F, $work/nokey, -oIdentityFile=none"
    run push --targets targets.yaml web site/site.yaml
    status_is 4
    says 'permission denied: no key was accepted'
}

@test "no socket is put where others can enter" {
    mkdir -m 755 "$sockets"
    apply
    is "$(ls "$sockets")" ''
    rmdir "$sockets"
    mkdir elsewhere
    ln -s "$work/elsewhere" "$sockets"
    apply
    is "$(ls elsewhere)" ''
    rm "$sockets"
    chmod 711 "$XDG_RUNTIME_DIR"
    apply
    [ ! -e "$sockets" ]
}

@test "a connection that does not answer is left, and the next push opens a new one" {
    local master before
    apply
    master=$(masters)
    kill -STOP "$master"
    before=$(connections)
    apply --connect-timeout=1
    says 'web ok 1 ok'
    [ "$(connections)" -gt "$before" ]
    apply --connect-timeout=1
    kill -KILL "$master"
}

@test "sockets that nothing or something else listens at do not stop a push" {
    local socket listener
    apply
    socket=$(echo "$sockets"/*)
    kill -KILL "$(masters)"
    until_it test -z "$(masters)"
    [ -S "$socket" ]
    apply
    kill -KILL "$(masters)"
    # One that accepts and closes, and one that says hello as ssh does, and nothing more.
    for what in closes greets; do
        rm -f "$socket"
        python3 - "$socket" "$what" 3>&- <<'END' &
import socket, struct, sys

s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen(5)
kept = []
while True:
    one = s.accept()[0]
    if sys.argv[2] == "closes":
        one.close()
    else:
        one.send(struct.pack(">III", 8, 1, 4))
        kept.append(one)
END
        listener=$!
        until_it test -S "$socket"
        apply --connect-timeout=1
        kill -KILL $listener
        wait $listener || true
    done
}

@test "a lost client of a kept connection that is stopped is noticed" {
    local controller master
    apply
    master=$(masters)
    slow_site
    push_process --targets targets.yaml web site/site.yaml >first 2>&1 3>&- &
    controller=$!
    wait_for started
    kill -STOP "$master"
    kill -KILL "$(pgrep -P $controller ssh)"
    wait $controller || status=$?
    is "$status" 4
    grep -q 'the connection was lost; the run was stopped' first
    kill -KILL "$master"
    touch go
    until_it grep -qs lost target-state/received/*.json
}
