#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Confined providers on kernels with older versions of Landlock, and without it: what is still refused, and what rhost
# warns of. tests/unit/test-attempts.c tries all attempts with each version; here whole runs go through it.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

own_plugin tests/plugins/.libs/hostile.so

needs_kernel() {
    requires_root
    needs_python
    [ "$RHOST_ISOLATION" != none ] || skip "a process of its own is confined"
    python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 7)' ||
        skip "the kernel has no Landlock 7"
    grep -q '^#define HAVE_SECCOMP 1' "$abs_top_builddir/config.h" || skip "built without libseccomp"
}

# on VERSION ATTEMPT:AT...: lines "ATTEMPT RESULT", and warnings in `messages`.
on() {
    local version=$1
    shift
    mkdir -p mine
    {
        echo 'resources:'
        for one; do
            printf '  - hostile: %s/mine/%s\n    attempt: %s\n    at: "%s"\n    value: x\n' "$work" "${one%%:*}" "${one%%:*}" "${one#*:}"
        done
    } >site.yaml
    "$abs_top_builddir/tests/plugins/old-kernel" "$version" "$abs_top_builddir/rhost" apply --isolation=confined \
        --state-dir "$BATS_TEST_TMPDIR/state" --plugin-dir "$BATS_TEST_TMPDIR/plugins" --format=json --noop site.yaml \
        >report.json 2>messages || :
    python3 -c '
import json, sys
for r in json.load(sys.stdin)["resources"]:
    result = [c["from"] for c in r["changes"]] or [r["reason"]]
    print(r["title"].rsplit("/", 1)[1], "works" if result[0] == "worked" else "refused")' <report.json | tee results
}

@test "without Landlock reading is not confined, and all else is; a warning says so once" {
    needs_kernel
    echo x >theirs
    on 0 read:/etc/shadow "write:$work/new" "setuid:$work/theirs" "remove:$work/theirs" tcp: trace: signal: memory: execute:/bin/sh
    grep -x 'read works' results
    [ "$(grep -c refused results)" -eq 8 ]
    [ "$(grep -c 'this kernel does not confine all that providers do' messages)" -eq 1 ]
    grep -F 'reading and writing files (needs Landlock, Linux 5.13)' messages
}

@test "each older version refuses files; what it lacks is named" {
    needs_kernel
    echo x >theirs
    for version in 1 2 3 4 5 6 7; do
        on $version read:/etc/shadow "write:$work/new" "setuid:$work/theirs" tcp: trace: signal: memory: execute:/bin/sh
        [ "$(grep -c refused results)" -eq 8 ]
        cp messages "messages-$version"
    done
    grep -F 'moving files between directories: it is always refused (needs Landlock 2, Linux 5.19)' messages-1
    grep -F 'truncating files that exist (needs Landlock 3, Linux 6.2)' messages-2
    grep -F 'which TCP ports are used (needs Landlock 4, Linux 6.7)' messages-3
    grep -F 'ioctl calls on devices (needs Landlock 5, Linux 6.10)' messages-4
    not grep -F 'this kernel' messages-6
    not grep -F 'this kernel' messages-7
}

@test "files are applied with each version" {
    needs_kernel
    for version in 0 1 2 3 4 5 6; do
        printf 'resources:\n  - file: %s/a%s\n    content: x\n' "$work" $version >site.yaml
        run "$abs_top_builddir/tests/plugins/old-kernel" $version "$abs_top_builddir/rhost" apply --isolation=confined \
            --state-dir "$BATS_TEST_TMPDIR/state" --detailed-exitcodes site.yaml
        status_is 2
        [ "$(cat "a$version")" = x ]
    done
}

@test "confined without being asked, the first run without Landlock warns, and later ones say so with --verbose" {
    needs_kernel
    printf 'resources:\n  - file: %s/a\n    content: x\n' "$work" >site.yaml
    mkdir -m 700 state
    old() { run "$abs_top_builddir/tests/plugins/old-kernel" "$1" "$abs_top_builddir/rhost" apply --state-dir state "${@:2}" site.yaml; }
    old 1
    says_not 'this kernel'
    old 0
    status_is 0
    says 'warning: this kernel does not confine all that providers do: reading and writing files'
    old 0
    status_is 0
    says_not 'this kernel'
    old 0 --verbose
    says 'this kernel does not confine all that providers do: reading and writing files'
    says_not 'warning: this kernel'
    old 0 --isolation=worker --verbose
    says_not 'this kernel'
}
