#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# rhost push: the talk with a target, what comes of it, and which target comes when.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/reach/push.bash"

value() {
    python3 -c "import json, sys; v = json.load(sys.stdin); print($1)"
}

@test "a push applies a site, and again changes nothing" {
    run push local: site/site.yaml
    status_is 0
    says 'local:: file['
    says 'local: changed 1 changed'
    says '1 target: 1 changed'
    is "$(cat out)" one
    run push --detailed-exitcodes local: site/site.yaml
    status_is 0
    says 'local: ok 1 ok'
    nothing_is_left
}

@test "--noop and --diff are handed on" {
    run push --noop --diff --detailed-exitcodes local: site/site.yaml
    status_is 2
    says '1 would change'
    [ ! -e out ]
}

@test "files of the site are there, secrets in memory only" {
    mkdir site/secrets site/.git
    echo marker-of-a-secret >site/secrets/x
    echo no >site/.git/config
    site <<END
resources:
  - file: $work/out
    content: \${secret_file("secrets/x")}
END
    run push --verbose local: site/site.yaml
    status_is 0
    says_not marker
    is "$(cat out)" marker-of-a-secret
    not grep -rq marker-of-a-secret state target-state
    nothing_is_left
}

@test "--secret sends a file, or what a pipe has, beside the manifest" {
    site <<END
resources:
  - file: $work/out
    content: \${secret_file("secrets/password")}
END
    run push --secret password=<(echo from-a-pipe) local: site/site.yaml
    status_is 0
    is "$(cat out)" from-a-pipe
    mkdir site/secrets
    echo placeholder >site/secrets/password
    run push --secret password=<(echo not-the-placeholder) local: site/site.yaml
    status_is 0
    is "$(cat out)" not-the-placeholder
    run push --secret password=<(echo of-a-command) local: -- apply site/site.yaml
    status_is 0
    is "$(cat out)" of-a-command
    run push --secret password=site/site.yaml --secret password=site/secrets/password local: site/site.yaml
    status_is 1
    says "--secret: the secret 'password' is given twice"
    is "$(cat out)" of-a-command
}

@test "a site may have a file named .lock" {
    echo text >site/.lock
    cd site
    run push local: site.yaml
    cd ..
    status_is 0
    nothing_is_left
}

@test "as root a site is not kept where a user could swap it" {
    [ "$(id -u)" -eq 0 ] || skip 'only root has users to be careful of'
    unshare --mount true 2>/dev/null || skip 'no mount namespaces here'
    cat >run.sh <<END
mount -t tmpfs -o mode=777 tmpfs /run
mkdir -p /run/user/1
mount -t tmpfs -o mode=777 tmpfs /dev/shm
export XDG_RUNTIME_DIR=/run/user/1
exec "$abs_top_builddir/rhost" push --state-dir "$work/state" --remote-rhost "$work/remote" local: site/site.yaml
END
    run unshare --mount --propagation private sh run.sh
    status_is 1
    says "the site cannot be kept in '/run': '/run' is not safe: everybody can write to it"
    [ ! -e out ]
    sed -i '/shm/s/mode=777/mode=1777/' run.sh
    run unshare --mount --propagation private sh run.sh
    status_is 0
    [ -e out ]
}

@test "attributes of groups and targets reach the run, with their origin" {
    targets <<'END'
targets:
  me:
    connect: 'local:'
    attributes:
      web:
        port: 8080
groups:
  web: {targets: [me], attributes: {web: {port: 80, names: [a, "b: c"]}, odd: {9: x, "d: e": {"": f}}}}
END
    run push --targets targets.yaml me -- node explain web.port site/site.yaml
    status_is 0
    says 'targets/me/targets.yaml:6:15 normal merge 8080 wins'
    says 'targets/web/targets.yaml:8:49 normal merge 80 overridden by 2'
    run push --targets targets.yaml me -- node web.names site/site.yaml
    says 'b: c'
    run push --targets targets.yaml me -- node --format=json odd site/site.yaml
    status_is 0
    says '"9": "x"'
    says '"d: e": {'
    says '"": "f"'
}

@test "data files reach the target, and its own facts choose among them" {
    mkdir -p site/data
    site <<END
data: ["data/\${node.os.family}.yaml", data/common.yaml]
resources:
  - file: $work/out
    content: \${node.text}
END
    echo 'text: common' >site/data/common.yaml
    echo 'text: family' >"site/data/$("$abs_top_builddir/rhost" facts os.family).yaml"
    run push local: site/site.yaml
    status_is 0
    is "$(cat out)" family
    run push local: -- node explain text site/site.yaml
    status_is 0
    says 'data files, the most specific first:'
}

@test "a command after -- runs on the target" {
    run push local: -- facts os.name
    status_is 0
    says "local:: $("$abs_top_builddir/rhost" facts os.name)"
    run push local: -- resource file "$work/made" ensure=present content=x
    status_is 0
    is "$(cat made)" x
    push local: site/site.yaml
    run push local: -- undo last
    status_is 0
    [ ! -e out ]
    run push --format=json local: -- runs
    status_is 0
    value 'v["targets"][0]["output"]' <<<"$output" >said
    grep -q changed said
}

@test "mistakes on the command line are refused before any target is reached" {
    run push
    status_is 1
    says 'no target given'
    run push local:
    says 'no manifest given'
    run push site/site.yaml local:
    says "'site/site.yaml' is a file: files come after the targets"
    run push local: -- aply site/site.yaml
    says "unknown command 'aply' after '--'"
    says "did you mean 'apply'?"
    run push local: -- new x
    says "'new' cannot be run on targets"
    run push --noop local: -- apply site/site.yaml
    says "options of 'apply' stand after it"
    run push --batch=x local: site/site.yaml
    says "invalid value 'x' for --batch"
    run push local: missing.yaml
    says "cannot open 'missing.yaml'"
    run push --remote-rhost 'a b' local: site/site.yaml
    says '--remote-rhost must be an absolute path'
}

@test "a site does not leave its directory" {
    ln -s /etc/hostname site/link
    run push local: site/site.yaml
    status_is 1
    says "'link' is a symbolic link that leads out of the site"
    rm site/link
    echo text >site/a
    ln -s a site/link
    run push local: site/site.yaml
    status_is 0
    HOME=$work/site run push local: site/site.yaml
    status_is 1
    says 'is a directory of the system, and no site'
}

@test "a manifest that is refused on the target is refused" {
    site <<END
resources:
  - fil: $work/out
END
    run push local: site/site.yaml
    status_is 1
    says "local:: site/site.yaml:2:5: error: unknown type 'fil'"
    says "local: refused unknown type 'fil'"
    nothing_is_left
}

@test "a resource that fails makes the target fail" {
    site <<END
resources:
  - exec: 'false'
END
    run push local: site/site.yaml
    status_is 4
    says 'local: failed 1 failed'
}

@test "reports of targets are kept, and --format=json has them" {
    push --format=json local: site/site.yaml >all.json
    is "$(value 'v["targets"][0]["outcome"], v["targets"][0]["counts"]["changed"], v["counts"]["changed"], v["targets"][0]["report"]["counts"]["changed"]' <all.json)" \
        'changed 1 1 1'
    is "$(value 'v["report"]["resources"][0]["type"]' <"$(echo state/push/*/local_-*.json)")" file
    is "$(stat -c %a state/push/*/local_-*.json)" 600
}

@test "--last prints what the last push came to" {
    run push --last
    status_is 1
    says "no push is kept in '$work/state/push'"
    targets <<END
targets:
  here: {connect: 'local:'}
  gone: {connect: 'chroot:/nowhere/at/all'}
  later: {connect: 'local:'}
END
    run push --targets targets.yaml --jobs=1 --max-failures=0 --canary=here all site/site.yaml
    status_is 4
    run push --last
    status_is 0
    says 'here changed 1 changed'
    says "gone unreachable cannot enter '/nowhere/at/all': No such file or directory"
    says 'later not-started 1 targets have failed, more than --max-failures allows'
    says '3 targets: 1 changed, 1 unreachable, 1 not-started'
    is "$(push --last --format=json | value '[(t["target"], t["outcome"]) for t in v["targets"]]')" \
        "[('gone', 'unreachable'), ('here', 'changed'), ('later', 'not-started')]"
    push local: -- facts os.name
    run push --last
    says 'local: ok'
    says_not here
    run push --last local:
    status_is 1
}

@test "the reports of the last fifty pushes are kept, and those of the last day" {
    mkdir -p state/push/mine
    chmod 700 state state/push
    for i in $(seq 10 70); do
        mkdir "state/push/20200101T0000$i.000Z-1"
        touch "state/push/20200101T0000$i.000Z-1/web1.json"
    done
    # A link to a directory is none of its own.
    mkdir elsewhere
    touch elsewhere/kept
    ln -s "$work/elsewhere" state/push/20200101T000005.000Z-1
    touch -h -d '2 days ago' state/push/2020*
    touch state/push/20200101T000010.000Z-1
    run push local: site/site.yaml
    status_is 0
    is "$(find state/push -mindepth 1 -type d -name '2020*' | wc -l)" 50
    [ -e elsewhere/kept ]
    [ -e state/push/20200101T000010.000Z-1/web1.json ]
    [ ! -e state/push/20200101T000021.000Z-1 ]
    [ -e state/push/20200101T000022.000Z-1/web1.json ]
    [ -d state/push/mine ]
}

@test "reports list what there is something to say of" {
    site <<END
resources:
  - file: $work/out
    content: one
  - directory: $work/site
END
    push --revision=r42 local: site/site.yaml
    is "$(value 'len(v["report"]["resources"]), v["report"]["counts"]["total"], v["report"]["revision"]' \
        <"$(echo state/push/*/local_-*.json)")" '1 2 r42'
    rm -r state
    push --report-detail=all local: site/site.yaml
    is "$(value 'len(v["report"]["resources"])' <"$(echo state/push/*/local_-*.json)")" 2
    rm -r state
    push local: -- apply --report-detail=all site/site.yaml
    is "$(value 'len(v["report"]["resources"])' <"$(echo state/push/*/local_-*.json)")" 2
}

@test "a connector made of a command gets the words, or one line for a shell" {
    targets <<END
targets:
  words: {command: [env, A=b]}
  line: {command: [sh, -c, '{command}']}
  none: {command: [$work/nothing]}
END
    run push --targets targets.yaml --jobs=1 all site/site.yaml
    status_is 4
    says "cannot start '$work/nothing': No such file or directory"
    says '3 targets: 1 ok, 1 changed, 1 unreachable'
}

@test "a shared connection of ssh that does not work any more is not used again" {
    mkdir bin
    cat >bin/ssh <<END
#!/bin/sh
echo "\$*" >>"$work/words"
case "\$* " in
*-oControlPath=none\ *) test ! -e "$work/broken" || exit 255 ;;
*)
    echo 'mux_client_request_session: session request failed: Session open refused by peer' >&2
    exit 255
    ;;
esac
for line; do :; done
exec sh -c "\$line"
END
    chmod 755 bin/ssh
    export PATH=$work/bin:$PATH
    run push ssh://somewhere site/site.yaml
    status_is 0
    is "$(cat out)" one
    is "$(grep -c . words)" 2
    is "$(grep -c -e -oControlPath=none words)" 1
    # Once: it may be the target.
    touch broken
    rm words
    run push ssh://somewhere site/site.yaml
    status_is 4
    is "$(grep -c . words)" 2
}

@test "kits that cannot be looked for are told of before any target is reached" {
    targets <<END
targets:
  one: {command: [touch, $work/reached]}
END
    mkdir caches
    export XDG_CACHE_HOME=$work/caches
    local kits=$work/caches/rhost inside=(env)
    if [ "$(id -u)" -eq 0 ]; then
        inside=(unshare --mount --propagation private)
        unshare --mount true 2>/dev/null || skip 'no mount namespaces here'
        kits=/var/cache/rhost
    fi
    cat >run.sh <<END
[ $kits != /var/cache/rhost ] || mount -t tmpfs tmpfs /var/cache
mkdir -p $kits
touch $kits/kit-archives
exec "$abs_top_builddir/rhost" push --state-dir "$work/state" --targets targets.yaml one -- facts os.name
END
    run "${inside[@]}" sh run.sh
    status_is 1
    says "cannot read the directory '$kits/kit-archives': Not a directory"
    [ ! -e reached ]
}

@test "what a profile prints does no harm" {
    targets <<END
targets:
  noisy: {command: [sh, -c, 'echo welcome; printf "no newline"; echo RHOST-RECEIVE; echo motd >&2; {command}']}
  silent: {command: [sh, -c, 'echo This account is not available; exit 1']}
END
    run push --targets targets.yaml noisy site/site.yaml
    status_is 0
    run push --targets targets.yaml silent site/site.yaml
    status_is 4
    says "the target did not run the command: it printed 'This account is not available'"
}

@test "a target that talks nonsense is unreachable" {
    printf '#!/bin/sh\nprintf "\\nRHOST-RECEIVE %%s\\nnonsense" "$2"; sleep 1\n' >remote
    run push local: site/site.yaml
    status_is 4
    says 'unexpected data on the channel'
    printf '#!/bin/sh\nprintf "\\nRHOST-RECEIVE %%s\\nh\\377\\377\\377\\377" "$2"; sleep 1\n' >remote
    run push local: site/site.yaml
    status_is 4
    says 'a frame on the channel has 4294967295 bytes'
}

@test "receive refuses what is not from a controller" {
    run "$work/remote" receive short </dev/null
    status_is 1
    printf 'nonsense' >bad
    run "$work/remote" receive abcdefgh12345678 <bad
    status_is 1
    printf 'q\0\0\0\2{}' >bad
    run "$work/remote" receive abcdefgh12345678 <bad
    status_is 1
    [[ $output == *'speaks another protocol'* ]]
    python3 - >bad <<'END'
import json, sys
def frame(kind, v):
    text = json.dumps(v).encode()
    sys.stdout.buffer.write(kind + len(text).to_bytes(4, 'big') + text)
frame(b'q', {'protocol': 1, 'push': 'p', 'from': 'x', 'command': ['facts'], 'bytes': 0})
frame(b'f', {'path': '../escape', 'size': 0})
END
    run "$work/remote" receive abcdefgh12345678 <bad
    status_is 1
    [[ $output == *"the path '../escape' is invalid"* ]]
    nothing_is_left
}

@test "a controller that is killed stops the run; the next push tells" {
    slow_site
    push_process local: site/site.yaml >first 2>&1 3>&- &
    local controller=$!
    wait_for started
    kill -KILL $controller
    wait $controller || true
    for _ in $(seq 100); do
        grep -qs lost target-state/received/*.json && break
        sleep 0.1
    done
    touch go
    run push local: -- facts os.name
    status_is 0
    says 'lost its connection; its run was stopped, and ended with exit status 143'
    [ ! -e second ]
    ls state/push/*/local_-*.earlier-*.json
    run push local: -- facts os.name
    says_not 'lost its connection'
    nothing_is_left
}

@test "a report that was lost is kept, however much there is of others" {
    mkdir -p target-state/received
    chmod 700 target-state target-state/received
    python3 - <<'END'
import json
for i in range(18):
    with open(f'target-state/received/p{i}.json', 'w') as f:
        json.dump({'push': f'p{i}', 'from': 'a', 'began': 1, 'ended': 2, 'status': 0, 'lost': True,
                   'command': ['x' * 100000], 'report': '\1' * 30000}, f)
with open('target-state/received/large.json', 'w') as f:
    json.dump({'push': 'large', 'from': 'a', 'began': 1, 'ended': 2, 'status': 0, 'report': '\1' * 200000}, f)
END
    # Each has 180 kB as JSON: four are in one hello.
    for left in 14 10 6 2 0; do
        run push local: -- facts os.name
        status_is 0
        is "$(find target-state/received -name 'p*.json' | wc -l)" "$left"
    done
    nothing_is_left
    is "$(ls state/push/*/*.earlier-p*.json | wc -l)" 18
}

@test "a channel that breaks ends the run by SIGTERM, and not by SIGKILL" {
    python3 - "$work/remote" "$work" <<'END'
import json, os, subprocess, sys, time
remote, work = sys.argv[1:]
def frame(kind, v):
    text = v if isinstance(v, bytes) else json.dumps(v).encode()
    return kind + len(text).to_bytes(4, 'big') + text
slow = work + '/slow'
with open(slow, 'w') as f:
    f.write(f"""#!/bin/sh
trap 'echo asked >>{work}/asked' TERM
touch {work}/begun
until test -e {work}/asked; do sleep 0.1; done
for i in $(seq 120); do sleep 0.1; done
head -c 300000 /dev/zero
touch {work}/ended-well
exit 7
""")
os.chmod(slow, 0o755)
p = subprocess.Popen([remote, 'receive', 'abcdefgh12345678'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
p.stdin.write(frame(b'q', {'protocol': 1, 'push': 'p', 'from': 'x', 'program': [slow], 'command': ['x'],
                           'changes': True, 'bytes': 0}) + frame(b'g', b''))
p.stdin.flush()
while not os.path.exists(work + '/begun'):
    time.sleep(0.05)
p.stdin.write(b'nonsense')
p.stdin.flush()
p.communicate()
assert p.returncode == 1, p.returncode
assert os.path.exists(work + '/ended-well')
assert open(work + '/asked').read() == 'asked\n'
with open(work + '/target-state/received/p.json') as f:
    v = json.load(f)
assert v['status'] == 7 and v['lost'] and v['stopping'], v
END
}

@test "the end waits for a controller that is paused" {
    python3 - "$work/remote" "$work" <<'END'
import json, os, subprocess, sys, time
remote, work = sys.argv[1:]
def frame(kind, v):
    text = v if isinstance(v, bytes) else json.dumps(v).encode()
    return kind + len(text).to_bytes(4, 'big') + text
p = subprocess.Popen([remote, 'receive', 'abcdefgh12345678'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
p.stdin.write(frame(b'q', {'protocol': 1, 'push': 'p', 'from': 'x', 'program': ['/bin/true'], 'command': ['x'],
                           'changes': True, 'bytes': 0}) + frame(b'g', b''))
p.stdin.flush()
record = work + '/target-state/received/p.json'
while not os.path.exists(record) or b'ended' not in open(record, 'rb').read():
    time.sleep(0.05)
v = json.load(open(record))
assert v['lost'] is False and v['stopping'] is False, v
time.sleep(22)
assert p.poll() is None
p.stdin.write(frame(b'a', b''))
p.stdin.flush()
p.communicate()
assert p.returncode == 0 and not os.path.exists(record)
END
}

@test "with --detach the run goes on; the next push tells" {
    slow_site
    push_process --detach local: site/site.yaml >first 2>&1 3>&- &
    local controller=$!
    wait_for started
    kill -KILL $controller
    wait $controller || true
    run push local: -- facts os.name
    says 'is still running on this target'
    touch go
    wait_for second
    for _ in $(seq 100); do
        grep -qs lost target-state/received/*.json && break
        sleep 0.1
    done
    run push local: -- facts os.name
    status_is 0
    says 'lost its connection; its run went on, and ended with exit status 0'
    nothing_is_left
}

@test "a target whose receiver was killed is told of" {
    slow_site
    push_process local: site/site.yaml >first 2>&1 3>&- &
    local controller=$!
    wait_for started
    kill -KILL "$(pgrep -f 'core/rhost .*receive .*--state-dir '"$work" || pgrep -f "receive --state-dir $work/target-state")"
    wait $controller || status=$?
    grep -q 'the connection was lost' first
    touch go
    sleep 0.5
    run push --wait-lock=20 local: site/site.yaml
    status_is 0
    says 'was killed on this target before its end'
    nothing_is_left
}

@test "a second push at the same time is refused" {
    slow_site
    push_process local: site/site.yaml >first 2>&1 3>&- &
    local controller=$!
    wait_for started
    run push local: site/site.yaml
    status_is 1
    says 'local: refused the run of process'
    says 'holds the lock'
    touch go
    wait $controller
}

@test "a signal ends what runs, and starts nothing more" {
    slow_site
    targets <<END
targets: {a: 'local:', b: 'local:', c: 'local:'}
END
    push_process --targets targets.yaml --jobs=1 all site/site.yaml >first 2>&1 3>&- &
    local controller=$! status=0
    wait_for started
    kill -TERM $controller
    wait $controller || status=$?
    is $status 143
    run cat first
    says 'a failed 1 failed; interrupted'
    says 'interrupted by SIGTERM: waiting for 1 run to end; send it again to end at once'
    says 'b not-started interrupted'
    says 'c not-started interrupted'
    [ ! -e second ]
}

# many N DEAD...: targets t1 to tN; those named are dead.
many() {
    local i n=$1
    shift
    {
        echo targets:
        for i in $(seq "$n"); do
            case " $* " in
            *" $i "*) echo "  t$i: {command: [sh, -c, 'echo Connection refused >&2; exit 255']}" ;;
            *) echo "  t$i: 'local:'" ;;
            esac
        done
    } | targets
}

@test "a signal at the prompt for the password leaves the terminal as it was" {
    cat >prompt.py <<'END'
import os, pty, signal, sys, termios
def echo(fd):
    return bool(termios.tcgetattr(fd)[3] & termios.ECHO)
def prompt(sent):
    pid, fd = pty.fork()
    if not pid:
        os.execv(sys.argv[1], sys.argv[1:])
    said = b''
    while b'Password' not in said:
        said += os.read(fd, 1000)
    slave = os.open(os.readlink(f'/proc/{pid}/fd/0'), os.O_RDWR | os.O_NOCTTY)
    assert not echo(slave)
    if isinstance(sent, bytes):
        os.write(fd, sent)
    else:
        os.kill(pid, sent)
    status = os.waitpid(pid, 0)[1]
    assert echo(slave)
    assert b'hunter2' not in os.read(fd, 10000)
    return status
assert os.WTERMSIG(prompt(b'\3')) == signal.SIGINT
assert os.WTERMSIG(prompt(signal.SIGTERM)) == signal.SIGTERM
assert os.WTERMSIG(prompt(signal.SIGHUP)) == signal.SIGHUP
assert prompt(b'hunter2\n') == 0
END
    run python3 prompt.py "$abs_top_builddir/rhost" push --state-dir "$work/state" --remote-rhost "$work/remote" \
        --ask-become local: -- facts os.name
    status_is 0
}

@test "a canary that fails keeps the others from being started" {
    many 6 3
    run push --targets targets.yaml --canary=t3,t4 all -- facts os.name
    status_is 4
    says 't3 unreachable connection refused'
    says 't1 not-started a canary has failed'
    says '6 targets: 1 ok, 1 unreachable, 4 not-started'
    run push --targets targets.yaml --canary=2 all -- facts os.name
    status_is 4
    says '6 targets: 5 ok, 1 unreachable'
    run push --targets targets.yaml --canary=0 all -- facts os.name
    status_is 1
    says "invalid value '0' for --canary"
    run push --targets targets.yaml --canary=t1,t5 't1,t2' -- facts os.name
    status_is 1
    says "--canary names 't5', which is not selected"
}

@test "batches come one after the other, and --max-failures ends them" {
    many 20 2 3 4
    run push --targets targets.yaml --batch=10% --max-failures=1 all -- facts os.name
    status_is 4
    says '20 targets: 1 ok, 3 unreachable, 16 not-started'
    says 't5 to t20 (16 targets) not-started 2 targets have failed, more than --max-failures allows'
    # What needs attention stands together, at the end.
    is "$(grep -A9 '^t1 ' <<<"$output" | cut -d' ' -f1 | paste -sd ' ')" 't1 t2 t3 t4 t5 20'
    run push --targets targets.yaml --batch=10% --max-failures=15% all -- facts os.name
    status_is 4
    says '20 targets: 17 ok, 3 unreachable'
}

@test "200 targets, 5 of them dead" {
    many 200 17 50 99 100 200
    run push --targets targets.yaml --quiet --jobs=20 --batch=10% --max-failures=5 all -- facts os.name
    status_is 4
    says '200 targets: 195 ok, 5 unreachable'
    is "$(grep -c 'connection refused' <<<"$output")" 5
    run push --targets targets.yaml --quiet --jobs=20 --batch=10% --max-failures=3 all -- facts os.name
    status_is 4
    says 'more than --max-failures allows'
}

@test "login shells that are no POSIX shells run what is sent" {
    local shell found=
    for shell in fish tcsh csh zsh; do
        command -v $shell >/dev/null || continue
        found="$found $shell"
        printf 'targets:\n  %s: {command: [%s, -c, "{command}"]}\n' "$shell" "$shell" >targets.yaml
        run push --targets targets.yaml $shell -- facts os.name
        status_is 0
        says "$shell: $("$abs_top_builddir/rhost" facts os.name)"
    done
    [ -n "$found" ] || skip "no other shells"
    # The start of a kit, and of a command as another user, whose lines have quotes of their own.
    cat >sudo <<'END'
#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
END
    chmod 755 sudo
    for shell in $found; do
        printf 'targets:\n  %s: {become: sudo, command: [env, "PATH=%s:%s", %s, -c, "{command}"]}\n' \
            "$shell" "$work" "$PATH" "$shell" >targets.yaml
        run push --targets targets.yaml $shell -- facts os.name
        status_is 0
        says "$shell: $("$abs_top_builddir/rhost" facts os.name)"
    done
}

@test "the line that starts a kit is the same to any login shell" {
    local shell line
    line=$(sed -n 's/^#define RH_BOOTSTRAP_COMMAND "\(.*\)"$/\1/p' "$abs_top_srcdir/core/reach/bootstrap.h")
    line=${line//\\\"/\"}
    for shell in sh bash fish tcsh csh zsh; do
        command -v $shell >/dev/null || continue
        is "$(printf '12\necho started\nrest' | $shell -c "$line")" started
    done
}

@test "a target without space for the site, or read-only, is told of, and nothing is run there" {
    [ "$(id -u)" -eq 0 ] || skip 'only root mounts'
    unshare --mount true 2>/dev/null || skip 'no mount namespaces here'
    head -c 3000000 /dev/zero >site/large
    cat >run.sh <<END
for dir in /run /dev/shm; do mount -t tmpfs -o mode=755,\$1 tmpfs \$dir; done
unset XDG_RUNTIME_DIR
[ -z "\$2" ] || { mount --bind \$2 \$2 && mount -o remount,bind,ro \$2; }
exec "$abs_top_builddir/rhost" push --state-dir "$work/state" --remote-rhost "$work/remote" local: site/site.yaml
END
    run unshare --mount --propagation private sh run.sh size=1m ''
    status_is 1
    says 'local: refused no space:'
    [ ! -e out ]
    mkdir target-state
    run unshare --mount --propagation private sh run.sh size=64m "$work/target-state"
    status_is 1
    says 'Read-only file system'
    [ ! -e out ]
    run unshare --mount --propagation private sh run.sh size=64m ''
    status_is 0
    nothing_is_left
}

@test "a clock that is wrong is warned of, in both directions" {
    command -v faketime >/dev/null || skip "no faketime"
    # faketime preloads a library of its own.
    [ "${RHOST_WATCHED-}" != asan ] || export ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0"
    printf '#!/bin/sh\nexec faketime -f +2h "%s" "$@"\n' "$work/remote" >late
    printf '#!/bin/sh\nexec faketime -f -1d "%s" "$@"\n' "$work/remote" >early
    chmod 755 late early
    clock_tidy
    run push --remote-rhost "$work/late" local: -- facts os.name
    status_is 0
    [[ $output == *'the clock of this target is '*' seconds ahead'* ]]
    clock_tidy
    run push --remote-rhost "$work/early" local: site/site.yaml
    status_is 0
    [[ $output == *'the clock of this target is '*' seconds behind'* ]]
    is "$(cat out)" one
}

@test "what a directory cannot do is refused before the push" {
    targets <<END
targets:
  image: {connect: 'chroot:/srv/image', become_user: www-data}
END
    run push --detach chroot:/srv/image site/site.yaml
    status_is 1
    says "--detach is for machines that run: 'chroot:/srv/image' is a directory"
    run push --targets targets.yaml image site/site.yaml
    status_is 1
    says "become_user is for machines that run: 'image' is a directory, and a push is root there"
    [ ! -e state/push ]
}

@test "directories that killed receivers have left are removed, also those without a lock" {
    local place=$XDG_RUNTIME_DIR one
    [ "$(id -u)" != 0 ] || place=/run
    [ "$(stat -f -c %T "${place:-/}")" = tmpfs ] || place=/dev/shm
    [ "$(stat -f -c %T "$place")" = tmpfs ] || skip "no tmpfs"
    for one in locked old new; do
        mkdir -m 700 "$place/rhost-push.test$one$$" "$place/rhost-push.test$one$$/site"
    done
    touch "$place/rhost-push.testlocked$$/.lock" "$place/rhost-push.testold$$/.lock.new"
    touch -d '2 minutes ago' "$place/rhost-push.testold$$"
    push local: site/site.yaml
    one=$(cd "$place" && echo rhost-push.test*$$)
    rm -rf "$place"/rhost-push.test*$$
    is "$one" "rhost-push.testnew$$"
}

@test "--last needs little memory, however large the reports are" {
    local kept i
    ! grep -q '^#define RH_SANITIZERS' "$abs_top_builddir/config.h" || skip "built with sanitizers"
    push local: -- facts os.name
    kept=$(echo state/push/*)
    for i in $(seq 40); do
        {
            printf '{"target": "t%03d", "connect": "local:", "outcome": "ok", "report": {"text": "' "$i"
            head -c 4000000 /dev/zero | tr '\0' x
            printf '"}}\n'
        } >"$kept/t$i.json"
        chmod 600 "$kept/t$i.json"
    done
    run bash -c "ulimit -v 120000; exec '$abs_top_builddir/rhost' push --state-dir '$work/state' --last"
    status_is 0
    says '41 targets: 41 ok'
}
