#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# rhost push over OpenSSH, with a server of our own on the loopback interface: its accounts, sudoers and passwords are
# in a copy of /etc that only it sees.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/reach/push.bash"

why_not() {
    [ "$(id -u)" = 0 ] || echo "needs root"
    command -v ssh >/dev/null || echo "no ssh"
    [ -x /usr/sbin/sshd ] || echo "no sshd"
    command -v sudo >/dev/null || echo "no sudo"
    unshare --mount true 2>/dev/null || echo "no mount namespaces"
}

setup_file() {
    export WHY
    WHY=$(why_not | head -1)
    [ -z "$WHY" ] || return 0
    export ssh=$BATS_FILE_TMPDIR/ssh port=$((20000 + RANDOM % 20000))
    mkdir -p "$ssh/etc" "$ssh/home" /run/sshd
    chmod 755 "$BATS_FILE_TMPDIR" "$ssh"
    ssh-keygen -q -t ed25519 -N '' -f "$ssh/id"
    ssh-keygen -q -t ed25519 -N '' -f "$ssh/host"
    cat >"$ssh/sshd_config" <<END
Port $port
ListenAddress 127.0.0.1
HostKey $ssh/host
AuthorizedKeysFile $ssh/id.pub
StrictModes no
PidFile $ssh/pid
UsePAM yes
PermitRootLogin yes
PasswordAuthentication no
MaxStartups 300
Banner $ssh/banner
END
    echo "Authorized use only" >"$ssh/banner"
    cat >"$ssh/config" <<END
Host *
    IdentityFile $ssh/id
    IdentitiesOnly yes
    UserKnownHostsFile $ssh/known
END
    echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 "$ssh/host.pub")" >"$ssh/known"
    echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 "$ssh/id.pub")" >"$ssh/known-other"
    cat >"$ssh/start" <<END
set -e
cp -a /etc/. "$ssh/etc"
mount --bind "$ssh/etc" /etc
useradd -M -d "$ssh/home" -s /bin/sh pushed
useradd -M -d "$ssh/home" -s /bin/sh trusted
useradd -M -d "$ssh/home" -s /bin/sh refused
useradd -M -d "$ssh/home" -s /usr/sbin/nologin closed
printf '%s\n' pushed:right-marker trusted:right refused:right closed:right | chpasswd
printf '%s\n' 'pushed ALL=(ALL) ALL' 'trusted ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/push
chmod 440 /etc/sudoers.d/push
exec /usr/sbin/sshd -f "$ssh/sshd_config"
END
    unshare --mount --propagation private sh "$ssh/start" 3>&-
}

teardown_file() {
    [ ! -s "${ssh-}/pid" ] || kill "$(cat "$ssh/pid")"
}

setup() {
    [ -z "$WHY" ] || skip "$WHY"
    push_open
    chmod 755 "$BATS_TEST_TMPDIR" "$work" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR" 2>/dev/null || true
}

# target NAME USER SETTINGS: adds a target to the file
target() {
    [ -e targets.yaml ] || echo targets: >targets.yaml
    echo "  $1: {connect: 'ssh://$2@127.0.0.1:$port', options: [-F, $ssh/config${4+, $4}]${3:+, $3}}" >>targets.yaml
}

@test "a push over ssh applies a site" {
    target web root
    run push --targets targets.yaml web site/site.yaml
    status_is 0
    says 'web changed 1 changed'
    says_not 'Authorized use'
    is "$(cat out)" one
    nothing_is_left
}

@test "what ssh says is one line for each target" {
    target known root '' "-oUserKnownHostsFile=$ssh/known"
    target other root '' "-oUserKnownHostsFile=$ssh/known-other"
    target unknown root '' -oUserKnownHostsFile=/dev/null
    target nokey root '' -oPubkeyAuthentication=no
    echo "  closed: ssh://root@127.0.0.1:1" >>targets.yaml
    echo "  nobody: ssh://nosuchhost.invalid" >>targets.yaml
    run push --targets targets.yaml all -- facts os.name
    status_is 4
    says 'known ok'
    says 'other unreachable the host key of the target is not the one in known_hosts'
    says 'unknown unreachable the host key of the target is not known'
    says 'nokey unreachable permission denied: no key was accepted'
    says 'closed unreachable connection refused'
    says 'nobody unreachable the name of the host cannot be resolved'
}

@test "sudo gets the password when it asks for it, and nothing where it does not" {
    target asks pushed 'become: sudo'
    target trusts trusted 'become: sudo'
    echo right-marker >password
    run push --targets targets.yaml --become-password-file=password all -- facts identity.user
    status_is 0
    says 'asks ok'
    says 'trusts ok'
    run push --targets targets.yaml --become-password-file=password asks site/site.yaml
    status_is 0
    is "$(stat -c %U out)" root
    not grep -rq right-marker state target-state
}

@test "the password is in no list of processes" {
    target asks pushed 'become: sudo'
    echo right-marker >password
    (
        for _ in $(seq 60); do
            cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep -a 'right-[m]arker' >>seen || true
            sleep 0.02
        done
    ) 3>&- &
    run push --targets targets.yaml --become-password-file=password asks -- facts os.name
    wait $!
    status_is 0
    is "$(cat seen)" ''
}

@test "sudo that refuses, and a wrong password, are told apart" {
    target asks pushed 'become: sudo'
    target refuses refused 'become: sudo'
    echo wrong >password
    run push --targets targets.yaml --become-password-file=password asks -- facts os.name
    status_is 4
    says 'asks unreachable wrong password for sudo'
    run push --targets targets.yaml asks -- facts os.name
    says 'asks unreachable sudo needs a password (use --ask-become'
    echo right >password
    run push --targets targets.yaml --become-password-file=password refuses -- facts os.name
    status_is 4
    says 'refuses unreachable sudo refused: the user is not in the sudoers file'
}

@test "an account without a shell is told of" {
    target closed closed
    run push --targets targets.yaml closed -- facts os.name
    status_is 4
    says "the target did not run the command: it printed 'This account is currently not available.'"
}

@test "a connection that is lost while a run goes on stops it; the next push tells" {
    slow_site
    target web root
    push_process --targets targets.yaml web site/site.yaml >first 2>&1 3>&- &
    local controller=$!
    wait_for started
    kill -KILL "$(pgrep -f "ssh -T .*-p$port .*receive" | head -1)"
    wait $controller || status=$?
    is "$status" 4
    grep -q 'web .*unreachable .*the connection was lost; the run was stopped' first
    for _ in $(seq 100); do
        grep -qs lost target-state/received/*.json && break
        sleep 0.1
    done
    run push --targets targets.yaml web -- facts os.name
    status_is 0
    says 'its run was stopped, and ended with exit status 143'
    [ ! -e second ]
    nothing_is_left
}
