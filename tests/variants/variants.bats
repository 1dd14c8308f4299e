#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The sources compile with another compiler, for 32 bits and with another C library. Where clang is there, it takes
# half the time of gcc, and its own warnings are looked for at the same time. "make check-variants" builds and tests
# with each of them.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

compiles() {
    run "$abs_top_srcdir/tests/variants/compile" "$abs_top_builddir" "$@"
    [ "$status" -ne 77 ] || skip "${output#skipped: }"
    status_is 0
}

# Sources whose libraries configure found.
sources() {
    cd "$abs_top_srcdir" || return
    find core plugins "$@" -name '*.c' | {
        if [ -e "$abs_top_builddir/plugins/mount.la" ]; then cat; else grep -v ^plugins/mount/; fi
    } | {
        if [ -e "$abs_top_builddir/core/rhost-otlp" ]; then cat; else grep -vxE 'core/(otlp|s3)-main.c'; fi
    } | {
        if [ -e "$abs_top_builddir/core/rhost-bundle" ]; then cat; else grep -v ^core/bundle; fi
    } | {
        if [ -e "$abs_top_builddir/core/rhost-collect" ]; then cat; else grep -v '^core/collect'; fi
    } | {
        if [ -e "$abs_top_builddir/core/rhost-fleet" ]; then cat; else grep -v '^core/fleet'; fi
    } | {
        if [ -e "$abs_top_builddir/core/rhost-nats" ]; then cat; else grep -v '^core/\(broker/\|nats-main\)'; fi
    } | {
        if [ -e "$abs_top_builddir/plugins/service-systemd.la" ]; then cat; else grep -v '^plugins/.*systemd'; fi
    } | sort
}

headers() {
    local header
    for header in "$abs_top_srcdir"/sdk/rhost/*.h; do
        echo "#include <rhost/${header##*/}>" >"$work/$(basename "$header" .h).c"
    done
}

# The variant of clang, or without it that of gcc.
with() {
    if command -v clang >/dev/null; then echo "clang-$1"; else echo "$1"; fi
}

@test "core, plugins and the headers of the SDK compile with clang, for 32 bits" {
    headers
    compiles "$(with m32)" $(sources) "$work"/*.c
}

@test "core, plugins and the headers of the SDK compile with clang, with musl" {
    headers
    compiles "$(with musl)" $(sources) "$work"/*.c
}
