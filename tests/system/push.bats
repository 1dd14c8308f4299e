#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The site of docs/examples/site on two machines that boot, a production and a staging machine, from one inventory. They
# have no rhost: a kit is sent. First they are entered, then reached by their sshd.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/machine.bash"
machine_with_services

kit_possible() {
    [ -x "$abs_top_builddir/core/rhost-kit" ] || { echo "built without rhost-kit"; return 1; }
}

setup_file() {
    machine_wanted kit_possible || return 0
    export live=$BATS_FILE_TMPDIR/live trial=$BATS_FILE_TMPDIR/trial cache=$BATS_FILE_TMPDIR/cache
    local one pids=()

    machine_base "$machine_tarball"
    ssh-keygen -q -t ed25519 -N '' -f "$BATS_FILE_TMPDIR/key"
    for one in "$live" "$trial"; do
        (
            machine_make "$machine_tarball" "$one"
            basename "$one" >"$one/etc/hostname"
            mkdir -m 700 -p "$one/root/.ssh"
            cp "$BATS_FILE_TMPDIR/key.pub" "$one/root/.ssh/authorized_keys"
            ln -s /dev/null "$one/etc/systemd/system/postgresql.service"
            ln -s /dev/null "$one/etc/systemd/system/nginx.service"
            machine_boot "$one"
        ) &
        pids+=($!)
    done
    mkdir -p "$cache/rhost/kit-archives"
    rhost kit make -o "$cache/rhost/kit-archives" >/dev/null
    wait "${pids[0]}" && wait "${pids[1]}"
}

teardown_file() {
    local one
    for one in "${live-}" "${trial-}"; do
        [ -z "$one" ] || machine=$one machine_leave
    done
}

setup() {
    work_open
    [ -z "$MACHINE_WHY" ] || skip "$MACHINE_WHY"
    cp -R "$abs_top_srcdir/docs/examples/site" site
    chmod -R u+w site
    echo secret-of-live >password
    cat >targets.yaml <<EOF
targets:
  live: machine:$(cat "$live.leader")
  trial: machine:$(cat "$trial.leader")
groups:
  production:
    targets: [live]
    attributes: {motd: {lines: [It is in use.]}}
  staging:
    targets: [trial]
    attributes: {admins: {alice: {name: Alice of the trials}}}
EOF
}

# With a /var/cache of its own, where the kit is.
push() {
    unshare --mount --propagation private sh -c 'mount --bind "$1" /var/cache && shift && exec "$@"' sh "$cache" \
        "$abs_top_builddir/core/rhost" push --state-dir "$BATS_FILE_TMPDIR/state" --targets targets.yaml "$@"
}

both_kinds() {
    run push --secret=database-password=password "$@" production site/site.yaml
    status_is 0
    production=$output
    run push --environment=staging --secret=database-password=password "$@" staging site/site.yaml
    status_is 0
    output="$production
$output"
}

@test "one inventory brings a site to two kinds of machines" {
    both_kinds
    says 'live changed '
    says 'trial changed '
    says_not 'secret-of-live'
    is "$(machine_run "$live" cat /srv/example/db/password)" secret-of-live
    is "$(machine_run "$live" stat -c '%a %U' /srv/example/db/password)" '600 root'
    is "$(machine_run "$live" grep -c . /srv/example/www/shop.example.org/pages/robots.txt)" 2
    is "$(machine_run "$live" tail -n 1 /srv/example/www/shop.example.org/pages/robots.txt)" 'Disallow:'
    is "$(machine_run "$trial" tail -n 1 /srv/example/www/shop.example.org/pages/robots.txt)" 'Disallow: /'
    machine_run "$live" grep -q 'It is in use.' /srv/example/etc/motd
    machine_run "$live" grep -q 'Welcome to live' /srv/example/etc/motd
    machine_run "$trial" grep -q 'Alice of the trials' /srv/example/home/alice/profile.json
    machine_run "$trial" grep -q 'web1.staging.example.org' /srv/example/etc/hosts
}

@test "the second time both are in sync, and drift is seen where it is" {
    both_kinds
    says 'live ok '
    says 'trial ok '
    says_not changed
    machine_run "$trial" rm /srv/example/db/server.conf
    both_kinds --noop
    says 'live ok '
    says 'trial changed 80 ok, 1 would change'
    both_kinds
    says 'live ok '
    says 'trial changed 80 ok, 1 changed'
}

# Their networks have no link to this one: ssh talks through a process that is in them.
by_ssh() {
    local one
    for one in live trial; do
        cat <<EOF
Host $one
    ProxyCommand nsenter --target $(cat "$BATS_FILE_TMPDIR/$one.leader") --net bash -c 'exec 3<>/dev/tcp/127.0.0.1/22; cat <&3 & exec cat >&3'
EOF
        echo "$one $(cut -d' ' -f1,2 "$BATS_FILE_TMPDIR/$one/etc/ssh/ssh_host_ed25519_key.pub")" >>known
        sed -i "s|$one: machine:.*|$one: {connect: 'ssh://$one', options: [-F, $work/config]}|" targets.yaml
    done >config
    cat >>config <<EOF
Host *
    User root
    IdentityFile $BATS_FILE_TMPDIR/key
    IdentitiesOnly yes
    UserKnownHostsFile $work/known
EOF
}

@test "the same inventory over ssh finds both in sync, and what drifts" {
    by_ssh
    both_kinds
    says 'live ok '
    says 'trial ok '
    machine_run "$live" rm /srv/example/db/password
    both_kinds
    says 'live changed '
    says 'trial ok '
    says_not 'secret-of-live'
    is "$(machine_run "$live" cat /srv/example/db/password)" secret-of-live
}

@test "values are explained with their lines in the inventory" {
    run push all -- node explain motd.lines site/site.yaml
    status_is 0
    says 'targets.yaml:7:'
}

@test "nothing of a push is left on the machines but the kit and the state" {
    local one
    for one in "$live" "$trial"; do
        is "$(machine_run "$one" sh -c 'ls -d /run/rhost-push.* /dev/shm/rhost-push.* /var/lib/rhost/received/* 2>/dev/null')" ''
        is "$(machine_run "$one" sh -c 'grep -rl secret-of-live / --exclude-dir=proc --exclude-dir=sys' | grep -v '^/srv/example/db/')" ''
        is "$(machine_run "$one" pgrep -c rhost)" 0
    done
}
