#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Packages by dnf that need, replace or exclude others, and what is in the way: a lock, a kill, a repository that cannot
# be read.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/dnf-machine.bash"

@test "what would take another package with it says so, and what the manifest wants is not taken" {
    inside dnf -q -y install rt-top >/dev/null 2>&1
    packages 1 --noop 'package: rt-lib, ensure: absent'
    status_is 0
    says 'would also remove: rt-top'
    packages 0 'package: rt-lib, ensure: absent' 'package: rt-top'
    status_is 4
    says "this would remove 'rt-top', which package[rt-top] wants to be there"
    [ "$(version_of rt-lib) $(version_of rt-top)" = '1.0-1 1.0-1' ]
    packages 0 'package: rt-lib, ensure: absent'
    status_is 0
    says 'also removed: rt-top'
    [ -z "$(version_of rt-lib)$(version_of rt-top)" ]
}

@test "two that cannot be had together are refused, and the rest goes on" {
    packages 0 'package: [rt-two, rt-enemy, rt-one]'
    status_is 4
    says 'conflict'
    [ "$(version_of rt-one)" = 1.1-1 ]
}

@test "what is recommended is installed or not, as is said" {
    packages 0 'package: rt-wish, install_recommends: false'
    status_is 0
    [ "$(version_of rt-wish) $(version_of rt-wished)" = '1.0-1 ' ]
    inside dnf -q -y remove rt-wish >/dev/null 2>&1
    packages 0 'package: rt-wish, install_recommends: true'
    status_is 0
    says 'also installed: rt-wished 1.0-1'
}

@test "what takes the place of another says that it goes" {
    inside dnf -q -y install rt-old-1.0-1 >/dev/null 2>&1
    [ "$(version_of rt-old)" = 1.0-1 ]
    packages 1 --noop 'package: rt-young'
    status_is 0
    says 'would also remove: rt-old'
    packages 0 'package: rt-young' 'package: rt-old'
    status_is 4
    says "this would remove 'rt-old', which package[rt-old] wants to be there"
    packages 0 'package: rt-young'
    status_is 0
    says 'also removed: rt-old 1.0-1'
}

@test "options that differ make transactions of their own" {
    packages 0 'package: rt-one' 'package: rt-two, options: [--setopt=install_weak_deps=False]' \
        'package: rt-lib, options: [--disablerepo=here]'
    status_is 4
    [ "$(version_of rt-one) $(version_of rt-two) $(version_of rt-lib)" = '1.1-1 1.0-1 ' ]
    [ "$(transactions)" -eq 2 ]
}

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
