#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# rhost push to targets that send what no rhost sends: it ends, in little memory, and no terminal is taken over.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/reach/push.bash"

# The receiver of the target is Python on standard input: frame(KIND, BYTES or VALUE), hello(...), need(KIND) waits.
target() {
    {
        echo '#!/usr/bin/env python3'
        cat <<'END'
import json, os, sys, time
out, nonce = sys.stdout.buffer, sys.argv[2]
def frame(kind, v):
    text = v if isinstance(v, bytes) else json.dumps(v).encode()
    out.write(kind.encode() + len(text).to_bytes(4, 'big') + text)
    out.flush()
def need(kind):
    while True:
        head = sys.stdin.buffer.read(5)
        if len(head) < 5:
            return False
        sys.stdin.buffer.read(int.from_bytes(head[1:], 'big'))
        if head[:1].decode() == kind:
            return True
def hello(**more):
    out.write(b'\nRHOST-RECEIVE ' + nonce.encode() + b'\n')
    frame('h', {'protocol': 1, 'version': '1', 'host': 'h', 'time': int(time.time()), 'uid': 0, 'earlier': [], **more})
END
        cat
    } >"$work/remote"
}

# limited COMMAND...: with 500 MB of address space.
limited() {
    # A sanitizer reserves address space for itself.
    ([ "${RHOST_WATCHED-}" = asan ] || ulimit -v 500000 && "$@")
}

@test "events and reports of a target cost little memory" {
    target <<'END'
hello()
need('g')
for i in range(8):
    frame('j', b'\n' * (1 << 20))
for i in range(40):
    frame('j', b'{"event":"end","counts":{"changed":2,"x":[' + b'1,' * 200000 + b'1]}}\n')
for i in range(20):
    frame('j', b'[' + b'{},' * 300000 + b'{}]\n')
frame('j', b'{"event":"end","counts":{"changed":%d}}\n' % (i + 3))
frame('r', b'[')
for i in range(100):
    frame('r', b'{},' * 20000)
frame('r', b'{}]')
frame('x', {'status': 0})
END
    SECONDS=0
    run limited push local: -- facts os.name
    status_is 0
    says 'local: changed 2 changed'
    says 'the report of this target has too many values: it is not kept'
    [ $SECONDS -lt 60 ]
    target <<'END'
hello()
need('g')
for i in range(200):
    frame('r', b'x' * (1 << 20))
frame('x', {'status': 0})
END
    run limited push --format=json local: -- facts os.name
    status_is 0
    says 'the report of this target has more than 8 MiB: it is not kept'
}

@test "what a target says reaches no terminal as it is" {
    target <<'END'
hello(protocol=2, version='1\33]0;title\7\33[8m\n')
END
    run push local: -- facts os.name
    status_is 4
    says_not $'\033'
    says 'the target has version 1\x1b]0;title\x07\x1b[8m'
    target <<'END'
hello(earlier=[{'push': 'p%d\33[8m' % i + 'x' * 1000, 'status': 0, 'file': '../../%d' % i + 'y' * 1000} for i in range(500)])
need('g')
frame('e', b'\33[31mred\33[8mhidden\33[2Jcleared\n')
frame('x', {'status': 0})
END
    run push --color=always local: -- facts os.name
    status_is 0
    says_not $'\033[8m'
    says_not $'\033[2J'
    grep -qF $'\033[31mred\\x1b[8mhidden\\x1b[2Jcleared\033[0m' <<<"$output"
    is "$(grep -c 'lost its connection' <<<"$output")" 20
    is "$(find state/push -name '*.earlier-*' | wc -l)" 20
}

@test "numbers of a target are checked" {
    target <<'END'
hello(time=-2**63)
need('g')
frame('x', {'status': 2**32})
END
    run push local: -- facts os.name
    status_is 4
    says 'the target sent an invalid exit status'
    says_not clock
    target <<'END'
hello(time=2**40)
need('g')
frame('x', {'status': 0})
END
    run push local: -- facts os.name
    status_is 0
    [[ $output == *'the clock of this target is '*' seconds ahead'* ]]
    sed -i 's/2\*\*40/2**40 + 1/' remote
    run push local: -- facts os.name
    status_is 0
    says_not clock
}

@test "a target is acknowledged when its report is kept" {
    target <<END
hello()
need('g')
if os.path.exists('$work/full'):
    for d in os.listdir('$work/state/push'):
        os.rename('$work/state/push/' + d, '$work/moved')
frame('x', {'status': 0})
open('$work/acknowledged' if need('a') else '$work/not-acknowledged', 'w')
END
    run push local: -- facts os.name
    status_is 0
    wait_for acknowledged
    rm -rf state/push acknowledged
    touch full
    run push local: -- facts os.name
    says "cannot keep the report of 'local:'"
    wait_for not-acknowledged
    [ ! -e acknowledged ]
}

@test "a pager that takes nothing keeps no target waiting" {
    target <<END
hello()
need('g')
for i in range(40):
    frame('o', (b'x' * 990 + b' %08d\\n' % i) * 25)
frame('x', {'status': 0})
open('$work/acknowledged' if need('a') else '$work/not-acknowledged', 'w')
END
    push local: -- facts os.name | {
        wait_for acknowledged
        cat >said
    }
    is "$(grep -c '^local:: x* 000' said)" 1000
    is "$(tail -n 1 said | cut -c1-15)" '1 target: 1 ok '
}

@test "a controller that was stopped with Ctrl-Z gives its targets signs of life" {
    target <<END
hello()
need('g')
open('$work/begun', 'w')
if need('p'):
    open('$work/heard', 'w')
while not os.path.exists('$work/go'):
    time.sleep(0.05)
frame('x', {'status': 0})
need('a')
END
    push_process local: -- facts os.name >said 2>&1 3>&- &
    local pid=$!
    wait_for begun
    kill -TSTP "$pid"
    wait_for heard
    is "$(sed 's/.*) //' "/proc/$pid/stat" | cut -d' ' -f1)" T
    is "$(pgrep -c -P "$pid" rhost)" 1
    kill -CONT "$pid"
    touch go
    wait "$pid"
    grep -q '1 target: 1 ok' said
}

@test "reports of targets whose names differ in one character are both kept" {
    run push chroot:/nowhere/a chroot:/nowhere_a -- facts os.name
    status_is 4
    is "$(find state/push -name 'chroot__nowhere_a-*.json' | wc -l)" 2
}

@test "a target that closes its end while something is sent to it is not waited for" {
    cat >closes <<'END'
#!/bin/sh
printf '\nRHOST-RECEIVE %s\n' "$2"
exec <&-
exec sleep 40
END
    chmod 755 closes
    targets <<END
targets: {sends: {connect: 'local:', rhost: $work/closes}}
END
    head -c 4M /dev/zero >site/large
    SECONDS=0
    run push --targets targets.yaml sends -- apply site/site.yaml
    status_is 4
    says 'the target closed the connection while the site was sent to it'
    [ $SECONDS -lt 30 ]
}

@test "the password of sudo goes to sudo only" {
    mkdir bin
    cat >bin/doas <<END
#!/bin/bash
nonce=\$(grep -o 'RHOST-READY [a-z0-9]*' <<<"\$*")
printf 'rhost-password-%s:' "\${nonce#* }" >&2
read -r -t 2 line
printf '%s' "\$line" >$work/got
exit 1
END
    sed 's/read -r -t 2 line/read -r -t 20 line/' bin/doas >bin/sudo
    chmod 755 bin/*
    echo swordfish >password
    PATH=$work/bin:$PATH run push --become=doas --become-password-file=password local: -- facts os.name
    status_is 4
    is "$(cat got)" ''
    PATH=$work/bin:$PATH run push --become=sudo --become-password-file=password local: -- facts os.name
    status_is 4
    is "$(cat got)" swordfish
}

@test "a parent that ignores SIGCHLD does not hide how connections end" {
    targets <<'END'
targets: {dead: {command: [sh, -c, 'exit 7']}}
END
    run python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$abs_top_builddir/rhost" push --state-dir "$work/state" \
        --remote-rhost "$work/remote" --targets targets.yaml dead -- facts os.name
    status_is 4
    says 'the connection ended with status 7'
}
