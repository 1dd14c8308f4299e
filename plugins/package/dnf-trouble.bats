#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Packages by dnf, and what is in the way: a lock, a kill, a repository that cannot be read.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/dnf-machine.bash"

@test "after a kill in the middle the next run goes on" {
    local victim

    packages 1 --noop 'package: [rt-two, rt-slow, rt-one]'
    status_is 0
    rhost apply site.yaml >victim.log 2>&1 3>&- 4>&- &
    victim=$!
    until_locked
    sleep 1
    inside kill -9 "$(inside cat /var/lib/dnf/rpmdb_lock.pid)"
    wait "$victim" || status=$?
    status_is 4
    grep -A 1 'rt-slow' victim.log | grep -q 'failed: it is not installed'
    run rhost apply site.yaml
    status_is 0
    [ "$(version_of rt-one) $(version_of rt-two) $(version_of rt-slow)" = '1.1-1 1.0-1 1.0-1' ]
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "a repository that cannot be read says so" {
    inside sed -i 's|^baseurl=.*|baseurl=file:///nowhere|' /etc/yum.repos.d/here.repo
    packages 0 'package: rt-one'
    status_is 4
    says "unknown package 'rt-one' in the repositories that could be read, and these could not: here"
    packages 0 'package: rt-one, refresh: true'
    status_is 4
    says 'not all package lists could be brought up to date, continuing without the repositories here'
    says "Failed to download metadata for repo 'here'"
    echo 'skip_if_unavailable=0' | inside tee -a /etc/yum.repos.d/here.repo
    packages 0 'package: rt-one'
    status_is 4
    says "Failed to download metadata for repo 'here'"
    packages 0 'package: rt-one, refresh: true'
    status_is 4
    says 'the package lists could not be brought up to date'
}

@test "whoever holds the lock is named, waited for, and given up on in the end" {
    local holder

    inside dnf -q -y install rt-slow >/dev/null 2>&1 3>&- 4>&- &
    holder=$!
    until_locked
    packages 0 'package: rt-one, lock_timeout: 1'
    status_is 4
    says "the package manager is in use: '/var/lib/dnf/rpmdb_lock.pid' is held by process"
    packages 0 'package: rt-one, lock_timeout: 60'
    wait "$holder"
    status_is 0
    [ "$(version_of rt-one) $(version_of rt-slow)" = '1.1-1 1.0-1' ]
}
