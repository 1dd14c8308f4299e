#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What configure and the fragments of the Makefile promise to those who build.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

@test "without optimization, the host links: each library that it calls is named" {
    local cc libs file
    cc=$(make_value CC)
    libs=$(make_value RH_LIBS)
    mkdir objects
    # Without the sources of other programs.
    for file in $(cd "$abs_top_srcdir" && grep -rl --include='*.c' --exclude-dir={agent,bundle,collect,kit} '<math.h>' core); do
        (cd "$abs_top_builddir" && $cc -O0 -w $(make_value DEFS) -D_GNU_SOURCE -I. -I"$abs_top_srcdir/core" \
            -I"$abs_top_srcdir/sdk" $(make_value LUA_CFLAGS) $(make_value RH_SANITIZE) \
            -c -o "$work/objects/${file//\//-}.o" "$abs_top_srcdir/$file")
    done
    cd "$abs_top_builddir"
    $cc $(make_value RH_SANITIZE) -o "$work/rhost" core/main.o "$work"/objects/*.o $libs
}

@test "the fuzzers of the plugins' parsers fit these" {
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$abs_top_builddir" check-fuzz-syntax
}

@test "the fuzzers of core are built with the sources that are generated" {
    [ "$abs_top_builddir" != "$abs_top_srcdir" ] || skip "they stand among the others"
    # One make for all: it takes a second to read its rules.
    run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -n -C "$abs_top_builddir" \
        fuzz-{broker,datatype,regex,manifest,frames,expression,template,facts,state}
    status_is 0
    commands=${output//\\$'\n'/ }
    for name in broker datatype regex manifest frames expression template facts state; do
        output=$(grep -E -- " -o fuzz-$name " <<<"$commands")
        says " core/base/message-codes.c"
    done
}
