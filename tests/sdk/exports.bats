#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# The plugins that were built, and the fixtures: all are to be plugins like any other.
built_plugins() {
    ls "$abs_top_builddir"/plugins/.libs/*.so
    ls "$abs_top_builddir"/tests/plugins/.libs/*.so | grep -v /seeded-exports.so # which rhost check finds
}

@test "each plugin exports one symbol, the entry" {
    requires_command nm
    for plugin in $(built_plugins); do
        exported=$(nm -D --defined-only --format=posix "$plugin" | cut -d' ' -f1)
        [ "$exported" = rhost_plugin_v1 ] || {
            echo "$plugin exports: $exported"
            return 1
        }
    done
}

@test "no plugin needs a symbol of the host" {
    requires_command nm
    for plugin in $(built_plugins); do
        ! nm -D --undefined-only --format=posix "$plugin" | grep -E '^rhost?_' || {
            echo "$plugin needs a symbol that only the host could give"
            return 1
        }
    done
}

# What a plugin may link to are the C library and what its Makefile.inc names.
@test "each plugin links to the C library, and else to what it says" {
    requires_command readelf
    for plugin in "$abs_top_builddir"/plugins/.libs/*.so; do
        name=$(basename "$plugin" .so)
        grep -q "_la_LIBADD" "$abs_top_srcdir/plugins/$name/Makefile.inc" && continue
        ! readelf -d "$plugin" | grep NEEDED | grep -vE 'lib(c|asan|ubsan|m|crypt)\.so' || {
            echo "$plugin links to more than it says"
            return 1
        }
    done
}

@test "no plugin wants to be searched along a path" {
    requires_command readelf
    for plugin in "$abs_top_builddir"/plugins/.libs/*.so; do
        ! readelf -d "$plugin" | grep -E 'RPATH|RUNPATH' || {
            echo "$plugin has a run path"
            return 1
        }
    done
}
