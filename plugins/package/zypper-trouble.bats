#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Packages by zypper, and what is in the way: a lock, a kill, a repository that cannot be read or trusted, a disk.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/zypper-machine.bash"

until_locked() {
    local tries=300

    until [ "$(inside cat /run/zypp.pid 2>/dev/null)" ]; do
        [ $((tries -= 1)) -gt 0 ]
        sleep 0.1
    done
}

@test "after a kill in the middle the next run goes on" {
    local victim

    packages 1 --noop 'package: [rt-two, rt-slow, rt-one]'
    status_is 0
    rhost apply site.yaml >victim.log 2>&1 3>&- 4>&- &
    victim=$!
    until_locked
    sleep 1
    inside kill -9 "$(inside cat /run/zypp.pid)"
    wait "$victim" || status=$?
    status_is 4
    grep -A 1 'rt-slow' victim.log | grep -q 'failed: it is not installed'
    sleep 3 # rpm, which zypper had started
    run rhost apply site.yaml
    status_is 0
    [ "$(version_of rt-one) $(version_of rt-two) $(version_of rt-slow)" = '1.1-1 1.0-1 1.0-1' ]
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "a repository that cannot be read says so" {
    repository_is dir:///nowhere
    packages 0 'package: rt-one'
    status_is 4
    says "unknown package 'rt-one' in the repositories that could be read, and these could not: here"
    packages 0 'package: rt-one, refresh: true'
    status_is 4
    says 'the package lists could not be brought up to date'
    says 'Valid metadata not found at specified URL'
    printf '%s\n' '[there]' 'name=there' 'enabled=1' 'type=rpm-md' "baseurl=dir://$repo" 'gpgcheck=0' |
        put_inside /etc/zypp/repos.d/there.repo
    packages 0 'package: rt-one, refresh: true'
    status_is 0
    says 'not all package lists could be brought up to date, continuing without the repositories here'
    [ "$(version_of rt-one)" = 1.1-1 ]
    inside sh -c 'rm /etc/zypp/repos.d/*'
    packages 0 'package: rt-two'
    status_is 4
    says "unknown package 'rt-two': zypper has no repository that is enabled"
}

@test "what is not signed is not trusted" {
    printf '%s\n' '[here]' 'name=here' 'enabled=1' "baseurl=dir://$repo" 'gpgcheck=1' |
        put_inside /etc/zypp/repos.d/here.repo
    packages 0 'package: rt-one, refresh: true'
    status_is 4
    says 'Signature verification failed for repomd.xml'
    packages 0 'package: rt-one, options: [--no-gpg-checks]'
    status_is 0
    repository_is "dir://$repo"
    packages 0 "package: rt-two, source: $repo/rt-two-1.0.rpm"
    status_is 4
    says 'Signature verification failed [6-File is unsigned]'
    [ -z "$(version_of rt-two)" ]
}

@test "whoever holds the lock is named, waited for, and given up on in the end" {
    local holder

    zypper_does refresh
    inside zypper -n install rt-slow >/dev/null 2>&1 3>&- 4>&- &
    holder=$!
    until_locked
    packages 1 --noop 'package: rt-one'
    status_is 0
    packages 0 'package: rt-one, lock_timeout: 1'
    status_is 4
    says "the package manager is in use: '/run/zypp.pid' is held by process"
    packages 0 'package: rt-one, lock_timeout: 60'
    wait "$holder"
    status_is 0
    [ "$(version_of rt-one) $(version_of rt-slow)" = '1.1-1 1.0-1' ]
}

@test "files that two packages have are named, and the rest goes on" {
    packages 0 'package: rt-lamp'
    status_is 0
    packages 0 'package: [rt-candle, rt-one]'
    status_is 4
    says 'rt-candle-1.0-1.noarch'
    says 'conflicts with file'
    [ "$(version_of rt-candle) $(version_of rt-one)" = ' 1.1-1' ]
}

@test "a script that fails after the installation is told of" {
    packages 0 'package: rt-after'
    says 'the lamp is out'
    [ "$(version_of rt-after)" = 1.0-1 ]
}

@test "a full disk is said, and the next run goes on" {
    zypper_does refresh
    inside mkdir -p /var/cache/zypp/packages
    nsenter -t "$machine_pid" -m mount -t tmpfs -o size=4k tmpfs "$machine/root/var/cache/zypp/packages"
    packages 0 'package: rt-one'
    status_is 4
    says "Can't hardlink/copy"
    nsenter -t "$machine_pid" -m umount "$machine/root/var/cache/zypp/packages"
    run rhost apply site.yaml
    status_is 0
}

@test "a database that is damaged is not taken for an empty one" {
    zypper_does install rt-one
    inside sh -c 'rm -f /var/lib/rpm/*-shm /var/lib/rpm/*-wal
        dd if=/dev/urandom of=/var/lib/rpm/rpmdb.sqlite bs=4096 count=3 conv=notrunc' 2>/dev/null
    packages 0 'package: rt-one'
    status_is 4
    says 'cannot read the database of rpm'
    says 'file is not a database'
}

@test "a user who is not root is refused" {
    inside mkdir -p /srv/home
    inside chown 65534:65534 /srv/home
    echo 'resources: [{package: rt-one, provider: zypper}]' >site.yaml
    chmod 755 "$BATS_TEST_TMPDIR" "$work"
    chmod 644 site.yaml
    run inside sh -c "cd '$PWD' && HOME=/srv/home exec setpriv --reuid=65534 --regid=65534 --clear-groups '$abs_top_builddir/rhost' apply site.yaml"
    [ "$status" -ne 0 ]
    [ -z "$(version_of rt-one)" ]
    says 'needs rights that this user does not have'
}

@test "without zypper the provider says so" {
    inside rm -f /usr/bin/zypper
    packages 0 'package: rt-one'
    [ "$status" -ne 0 ]
    says "cannot execute 'zypper': No such file or directory"
}
