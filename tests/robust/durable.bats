#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A resource is reported as changed when the change is on disk: the file system was synced.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

setup() {
    work_open
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    strace -f -o trace true 2>/dev/null || skip "strace cannot trace here"
}

# Applies one resource, which is on standard input; `changes` ends with 2, what is in sync with 0.
traced() {
    { echo 'resources:'; sed '1s/^/  - /; 2,$s/^/    /'; } >site.yaml
    RHOST=$BATS_TEST_TMPDIR/traced
    printf '#!/bin/sh\nexec strace -f -qq -e trace=syncfs -o "%s/trace" "%s" "$@"\n' "$work" "$abs_top_builddir/rhost" >"$RHOST"
    chmod 755 "$RHOST"
    run rhost apply --detailed-exitcodes site.yaml
}

is_synced() {
    traced
    status_is 2
    grep -q 'syncfs(.* = 0$' trace && return
    echo "changed, and not synced:"
    cat site.yaml
    return 1
}

@test "what is in sync is not synced" {
    mkdir -m 755 there
    traced <<<"directory: $work/there"
    status_is 0
    not grep syncfs trace
}

@test "a directory that is made, changed or removed is on disk" {
    is_synced <<<"directory: $work/one"
    printf 'directory: %s/one\nmode: "0750"\n' "$work" | is_synced
    printf 'directory: %s/one\nensure: absent\n' "$work" | is_synced
    mkdir -p full/of/things
    printf 'directory: %s/full\nensure: absent\nforce: true\n' "$work" | is_synced
}

@test "a file that is changed or removed without new content is on disk" {
    echo text >file
    printf 'file: %s/file\nmode: "0640"\n' "$work" | is_synced
    printf 'file: %s/file\nensure: absent\n' "$work" | is_synced
}

@test "a link that is made, changed or removed is on disk" {
    printf 'link: %s/link\ntarget: one\n' "$work" | is_synced
    printf 'link: %s/link\ntarget: two\n' "$work" | is_synced
    printf 'link: %s/link\nensure: absent\n' "$work" | is_synced
}

@test "the file of a unit or of a repository that is removed stays removed" {
    mkdir -p units apt/sources.list.d
    if [ -e "$abs_top_builddir/plugins/.libs/systemd_unit.so" ]; then
        printf '[Service]\nExecStart=/bin/true\n' >units/a.service
        printf 'systemd_unit: a.service\ndirectory: %s/units\nensure: absent\n' "$work" | is_synced
        [ ! -e units/a.service ]
    fi
    printf 'Types: deb\nURIs: https://example.org/debian\nSuites: stable\nComponents: main\n' >apt/sources.list.d/tool.sources
    printf 'apt_repository: tool\nroot: %s/apt\nensure: absent\n' "$work" | is_synced
    [ ! -e apt/sources.list.d/tool.sources ]
}
