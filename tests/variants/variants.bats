#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The sources compile with another compiler, for 32 bits and with another C library. "make check-variants"
# builds and tests them so.
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
        if [ -e "$abs_top_builddir/core/rhost-otlp" ]; then cat; else grep -vx core/otlp-main.c; fi
    } | {
        if [ -e "$abs_top_builddir/core/rhost-bundle" ]; then cat; else grep -v ^core/bundle; fi
    } | {
        if [ -e "$abs_top_builddir/core/rhost-collect" ]; then cat; else grep -v '^core/collect'; fi
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

@test "core and plugins compile with clang" {
    compiles clang $(sources)
}

@test "core, plugins and the headers of the SDK compile for 32 bits" {
    headers
    compiles m32 $(sources) "$work"/*.c
}

@test "core, plugins and the headers of the SDK compile with musl" {
    headers
    compiles musl $(sources) "$work"/*.c
}
