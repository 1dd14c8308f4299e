#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# <rhost/provider.hpp>: a provider in C++ is as good as one in C.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/sdk/as-link.bash"

link=docs/examples/languages/cpp/link.cc

# Builds plugins/NAME.so: plugin COMPILER STANDARD SOURCE
plugin() {
    requires_command "$1"
    mkdir -p plugins
    "$1" -std="$2" -O1 -fPIC -fvisibility=hidden -pedantic -Wall -Wextra -Wshadow -Werror -I"$abs_top_srcdir/sdk" \
        -shared -Wl,-z,defs -o "plugins/$(basename "$3" .cc).so" "$abs_top_srcdir/$3"
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
    plugin g++ c++20 tests/sdk/throws.cc
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
    plugin g++ c++20 tests/sdk/throws.cc
    run rhost resource --plugin-dir=plugins throws unreadable
    status_is 4
    says 'thrown while reading'
    run rhost resource --plugin-dir=plugins throws readable
    status_is 0
    says 'values: {"b": true, "i": 7, "r": 0.5, "s": "text"}'
}
