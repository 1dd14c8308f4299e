#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Packages by pacman, and what is in the way: a lock, a kill, a repository that cannot be read or trusted, a disk.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/pacman-machine.bash"

until_locked() {
    local tries=300

    until inside test -e /var/lib/pacman/db.lck; do
        [ $((tries -= 1)) -gt 0 ]
        sleep 0.1
    done
}

@test "after a kill in the middle the lock is explained, and without it the next run goes on" {
    local victim

    packages 1 --noop 'package: [rt-two, rt-slow, rt-one]'
    status_is 0
    rhost apply site.yaml >victim.log 2>&1 3>&- 4>&- &
    victim=$!
    until_locked
    sleep 1
    inside sh -c 'for comm in /proc/[0-9]*/comm; do
            id=${comm#/proc/} && [ "$(cat $comm 2>/dev/null)" = pacman ] && [ "$(readlink /proc/${id%/comm}/ns/mnt)" = "$(readlink /proc/self/ns/mnt)" ] && kill -9 ${id%/comm}
        done; true'
    wait "$victim" || status=$?
    status_is 4
    grep -q 'failed: it is not installed' victim.log
    packages 0 'package: [rt-two, rt-slow, rt-one], lock_timeout: 0'
    status_is 4
    says "'/var/lib/pacman/db.lck' is held by"
    inside rm /var/lib/pacman/db.lck
    run rhost apply site.yaml
    status_is 0
    [ "$(version_of rt-one) $(version_of rt-two) $(version_of rt-slow)" = '1.1-1 1.0-1 1.0-1' ]
}

@test "whoever holds the lock is named, waited for, and given up on in the end" {
    local holder

    inside pacman --noconfirm -S rt-slow >/dev/null 2>&1 3>&- 4>&- &
    holder=$!
    until_locked
    packages 0 'package: rt-one, lock_timeout: 1'
    status_is 4
    says "the package manager is in use: '/var/lib/pacman/db.lck' is held by process"
    says '(pacman)'
    packages 1 --noop 'package: rt-one'
    status_is 0
    packages 0 'package: rt-one, lock_timeout: 60'
    wait "$holder"
    status_is 0
    [ "$(version_of rt-one) $(version_of rt-slow)" = '1.1-1 1.0-1' ]
}

@test "a repository that cannot be read says so" {
    repository_is file:///nowhere
    packages 0 'package: rt-one, refresh: true'
    status_is 4
    says 'the package lists could not be brought up to date'
    says "failed retrieving file 'here.db'"
    packages 0 'package: rt-one'
    status_is 4
    says "failed retrieving file 'rt-one-1.1-1-any.pkg.tar.gz'"
    inside sh -c 'rm -f /var/lib/pacman/sync/*'
    packages 0 'package: rt-one'
    status_is 4
    says "unknown package 'rt-one': pacman has no package lists; 'refresh: true' downloads them"
}

@test "what is not signed is not trusted, where signatures are required" {
    repository_is "file://$repo" 'LocalFileSigLevel = Required'
    inside sed -i 's/^SigLevel.*/SigLevel = Required DatabaseOptional/' /etc/pacman.conf
    packages 0 'package: rt-one'
    status_is 4
    says "failed retrieving file 'rt-one-1.1-1-any.pkg.tar.gz.sig'"
    packages 0 "package: rt-two, source: $repo/rt-two-1.0-1-any.pkg.tar.gz"
    status_is 4
    says 'package missing required signature'
    [ -z "$(version_of rt-one)$(version_of rt-two)" ]
}

@test "files that two packages have are named, and the rest goes on" {
    packages 0 'package: rt-lamp'
    status_is 0
    packages 0 'package: [rt-candle, rt-one]'
    status_is 4
    says 'rt-candle: /opt/rt-light exists in filesystem (owned by rt-lamp)'
    [ "$(version_of rt-candle) $(version_of rt-one)" = ' 1.1-1' ]
}

@test "two that cannot be had together are refused, and the rest goes on" {
    pacman_does -S rt-two
    packages 0 'package: [rt-enemy, rt-one]'
    status_is 4
    says 'rt-enemy and rt-two are in conflict'
    [ "$(version_of rt-enemy) $(version_of rt-two) $(version_of rt-one)" = ' 1.0-1 1.1-1' ]
}

@test "a script that fails is told of" {
    packages 0 'package: rt-bad'
    status_is 0
    says 'the cupboard is bare'
    [ "$(version_of rt-bad)" = 1.0-1 ]
}

@test "what pacman.conf ignores is left alone" {
    pacman_does -U "$repo/rt-one-1.0-1-any.pkg.tar.gz"
    repository_is "file://$repo" 'IgnorePkg = rt-o*'
    packages 0 'package: rt-one, version: latest'
    status_is 4
    says "it is held at 1.0-1 by 'IgnorePkg = rt-o*' in pacman.conf"
    [ "$(version_of rt-one)" = 1.0-1 ]
}

@test "a full disk is said, and the next run goes on" {
    nsenter -t "$machine_pid" -m mount -t tmpfs -o size=4k tmpfs "$machine/root/var/cache/pacman/pkg"
    inside sh -c 'head -c 5000 /dev/zero >/var/cache/pacman/pkg/fill' 2>/dev/null || true
    packages 0 'package: rt-one'
    status_is 4
    says 'is corrupted (invalid or corrupted package (checksum))'
    nsenter -t "$machine_pid" -m umount "$machine/root/var/cache/pacman/pkg"
    run rhost apply site.yaml
    status_is 0
}

@test "a database that pacman cannot read is not taken for an empty one" {
    pacman_does -S rt-one
    inside sh -c 'echo 1 >/var/lib/pacman/local/ALPM_DB_VERSION'
    packages 0 'package: rt-one'
    status_is 4
    says 'cannot read the database of pacman'
    says 'database is incorrect version'
    inside sh -c 'echo 9 >/var/lib/pacman/local/ALPM_DB_VERSION; echo damaged >/var/lib/pacman/sync/here.db'
    packages 0 'package: rt-two'
    status_is 4
    says 'cannot read the package lists of pacman'
    says "could not read db 'here'"
}

@test "without pacman, or the rights to use it, the provider says so" {
    inside mkdir -p /srv/home
    inside chown 65534:65534 /srv/home
    echo 'resources: [{package: rt-one, provider: pacman}]' >site.yaml
    chmod 755 "$BATS_TEST_TMPDIR" "$work"
    chmod 644 site.yaml
    run inside sh -c "cd '$PWD' && HOME=/srv/home exec setpriv --reuid=65534 --regid=65534 --clear-groups '$abs_top_builddir/rhost' apply site.yaml"
    [ "$status" -ne 0 ]
    says 'needs rights that this user does not have'
    [ -z "$(version_of rt-one)" ]
    inside rm -f /usr/bin/pacman
    packages 0 'package: rt-one'
    [ "$status" -ne 0 ]
    says "cannot execute 'pacman': No such file or directory"
}
