#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# <rhost/provider.hpp>: a provider in C++ is as good as one in C.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/sdk/as-link.bash"
source "$abs_top_srcdir/tests/sdk/sample.bash"

link=docs/examples/languages/cpp/link.cc

# Once for all tests.
setup_file() {
    command -v g++ >/dev/null || return 0
    compile g++ c++17 tests/sdk/sample.cc "$BATS_FILE_TMPDIR/sample.so"
    compile g++ c++20 tests/sdk/throws.cc "$BATS_FILE_TMPDIR/throws.so"
    compile g++ c++17 tests/sdk/keeper.cc "$BATS_FILE_TMPDIR/keeper.so"
}

# compile COMPILER STANDARD SOURCE PLUGIN [OPTION]...
compile() {
    "$1" -std="$2" -O0 -fPIC -fvisibility=hidden -pedantic -Wall -Wextra -Wshadow -Werror -I"$abs_top_srcdir/sdk" \
        -shared -Wl,-z,defs -Wl,--version-script="$abs_top_srcdir/sdk/plugin.map" -o "$4" "$abs_top_srcdir/$3" "${@:5}"
}

# built NAME: plugins/NAME.so, as it was built for all tests.
built() {
    requires_command g++
    mkdir plugins
    cp "$BATS_FILE_TMPDIR/$1.so" plugins/
}

# Builds plugins/NAME.so: plugin COMPILER STANDARD SOURCE
plugin() {
    requires_command "$1"
    mkdir -p plugins
    compile "$1" "$2" "$3" "plugins/$(basename "$3" .cc).so" "${@:4}"
}

passes_as_link() {
    plugin "$1" "$2" $link
    stands_in_for_link link.so
}

@test "the link in C++17 passes the tests of the link" {
    passes_as_link g++ c++17
}

@test "the link in C++20 passes the tests of the link" {
    passes_as_link g++ c++20
}

@test "the link compiled by clang passes the tests of the link" {
    passes_as_link clang++ c++17
    plugin clang++ c++20 $link
}

@test "what is thrown fails the resource that it is about, with its reason" {
    plugin g++ c++17 tests/sdk/throws.cc
    cat >site.yaml <<YAML
resources:
  - {throws: a, how: attribute}
  - {throws: b, how: system}
  - {throws: c, how: library}
  - {throws: d, how: number}
  - {throws: e, how: well}
YAML
    run rhost apply --plugin-dir=plugins site.yaml
    status_is 4
    says 'this is no way'
    says 'cannot do it: No space left on device'
    says 'vector::_M_range_check'
    says 'an exception that is no std::exception'
    says '1 changed, 4 failed'
    says_not 'crashed'
    says_not 'something else'
}

@test "get in C++ knows what is asked, and can fail one name" {
    built throws
    cat >site.yaml <<'YAML'
resources:
  - {throws: a, how: unread}
  - {throws: b, how: well}
YAML
    run rhost apply --plugin-dir=plugins site.yaml
    status_is 4
    says 'failed: it cannot be read: unread'
    says '1 changed, 1 failed'
}

@test "what is thrown while reading fails the reading" {
    built throws
    run rhost resource --plugin-dir=plugins throws unreadable
    status_is 4
    says 'thrown while reading'
    run rhost resource --plugin-dir=plugins throws readable
    status_is 0
    says 'values: {"b": true, "i": 7, "r": 0.5, "s": "text"}'
}

@test "sample in C++: attributes with old names, rights, what cannot be undone and the SDK are described" {
    built sample
    sample_is_described
}

@test "sample in C++: old names and deprecated attributes are warned of" {
    built sample
    sample_warns_of_old_names
}

@test "sample in C++: validate refuses a manifest" {
    built sample
    sample_validates
}

@test "sample in C++: reports without a block, of resources that come at once and are read back" {
    built sample
    sample_reports
}

@test "sample in C++: busy, progress and deadline" {
    built sample
    sample_works_long
}

@test "sample in C++: stopping" {
    built sample
    sample_stops
}

@test "sample in C++: types with one worker share a connection, which is closed once" {
    built sample
    sample_shares_a_process
}

@test "sample in C++: a device is reached by a transport" {
    built sample
    sample_reaches_a_device
}

@test "sample in C++: a lookup and a fact" {
    built sample
    sample_answers
}

@test "sample in C++20 and by clang; a plugin with transports alone" {
    plugin clang++ c++20 tests/sdk/sample.cc -DSAMPLE_TRANSPORTS_ALONE
    sample_reaches_a_device
    run rhost types --plugin-dir=plugins
    says '(transport)'
    says_not sample_twice
}

@test "keeper in C++: a password that can't be read, overlapping work, a lookup and a fact" {
    built keeper
    keeper_keeps
}

@test "keeper in C++: texts that are kept, a comparison of its own, actions" {
    built keeper
    keeper_compares_and_acts
}

@test "keeper in C++20 and by clang" {
    plugin clang++ c++20 tests/sdk/keeper.cc
    keeper_keeps
}
