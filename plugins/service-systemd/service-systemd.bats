#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What needs no systemd that runs: names, aliases, refusals. The rest is in tests/system/service.bats, which
# runs the page's "# scratch example" as well.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/scratch.bash"

setup() {
    work_open
    [ -e "$abs_top_builddir/plugins/.libs/service-systemd.so" ] || skip "needs libsystemd"
}

teardown() {
    scratch_close
}

# The names of a manifest of these services, as they are once they are canonical.
is_one() {
    printf 'resources:\n  - service: ["%s", "%s"]\n    provider: systemd\n    ensure: stopped\n' "${1//\\/\\\\}" "$2" >site.yaml
    run rhost validate site.yaml
    status_is 1
    says "declared twice"
}

are_two() {
    printf 'resources:\n  - service: ["%s", "%s"]\n    provider: systemd\n    ensure: stopped\n' "$1" "$2" >site.yaml
    run rhost validate site.yaml
    status_is 0
}

# A service with these lines is refused with a message.
refused() {
    local message=$1 name=$2
    shift 2
    printf 'resources:\n  - service: "%s"\n    provider: systemd\n' "${name//\\/\\\\}" >site.yaml
    printf '    %s\n' "$@" >>site.yaml
    run rhost apply site.yaml
    [ "$status" -ne 0 ]
    says "$message"
}

@test "a name without a type is a service" {
    for RHOST_ISOLATION in $isolations; do
        is_one nginx nginx.service
        is_one getty@tty2 getty@tty2.service
        is_one a.b a.b.service
        are_two nginx nginx.socket
        are_two nginx nginx.service.service
    done
}

@test "an alias and its unit are one" {
    scratch_open
    for RHOST_ISOLATION in $isolations; do
        in_scratch sh -c 'mkdir -p /etc/systemd/system && cd /etc/systemd/system && rm -rf *rhost* &&
            echo >rhost-a.service && ln -s rhost-a.service rhost-b.service &&
            ln -s /etc/systemd/system/rhost-b.service rhost-c.service &&
            echo >rhost-t@.service && ln -s rhost-t@.service rhost-u@.service &&
            ln -s rhost-t@.service rhost-t@x.service &&
            ln -s /opt/rhost-l.service rhost-l.service && ln -s rhost-a.service rhost-x.socket &&
            ln -s rhost-q.service rhost-p.service && ln -s rhost-p.service rhost-q.service'
        is_one rhost-a rhost-b
        is_one rhost-a rhost-c.service
        is_one rhost-t@1 rhost-u@1
        are_two rhost-t@1 rhost-u@2
        are_two rhost-t@x rhost-t@y
        are_two rhost-l rhost-a
        are_two rhost-x.socket rhost-a
        are_two rhost-p rhost-q
    done
}

@test "what is not a valid name of a unit is refused" {
    refused "nothing stands before its first" .service 'ensure: stopped'
    refused "nothing stands before its first" @tty1 'ensure: stopped'
    refused "expects a match for" a/b 'ensure: stopped'
    refused "it is too long" "$(printf 'a%.0s' {1..250})" 'ensure: stopped'
}

@test "a template is not started" {
    refused "name an instance of it, such as 'getty@one.service'" getty@ 'ensure: running'
}

@test "what contradicts itself is refused" {
    refused "'ensure: running' contradicts it" nginx 'ensure: running' 'mask: true'
    refused "'enable: true' contradicts it" nginx 'enable: true' 'mask: true'
}

@test "where systemd does not run it does not suit, and says why" {
    [ ! -d /run/systemd/system ] || skip "systemd runs here"
    run rhost describe service --provider=systemd --suits
    says "does not suit: this machine does not run systemd (/run/systemd/system does not exist)"
    refused "this machine does not run systemd" nginx 'ensure: stopped'
    run rhost resource service --provider=systemd
    [ "$status" -ne 0 ]
    says "this machine does not run systemd"
}
