#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# RHOST_ONE_WORKER: the types of a plugin in one process, with one connection; with tests/plugins/couple.c.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

own_plugin tests/plugins/.libs/couple.so

couple() {
    { echo 'resources:'; cat; } >site.yaml
    FAULT_COUPLE=$work run rhost apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" "$@" site.yaml
}

# How many processes did something, and how often one connected.
processes() {
    sed -n 's/.* \([0-9]*\)$/\1/p' log | sort -u | wc -l
}

connections() {
    grep -c '^connect ' log
}

is_number() {
    [ "$("$1")" -eq "$2" ] || {
        echo "$1: $("$1") instead of $2"
        cat log
        echo "$output"
        return 1
    }
}

@test "two types of a plugin have one process and one connection, which is closed once" {
    couple <<'END'
  - couple_left: a
    value: x
  - couple_right: a
    value: y
  - couple_left: b
  - couple_right: b
END
    status_is 0
    says '4 changed'
    says_not warning
    is_number processes 1
    is_number connections 1
    [ "$(grep -c '^disconnect' log)" -eq 1 ]
    [ "$(tail -1 log | cut -d' ' -f1)" = disconnect ]
    [ "$(cat couple_left-a couple_right-a)" = xy ]
}

@test "validate and plan-time work of both, purging and reading share it too" {
    couple --detailed-exitcodes <<'END'
  - couple_left: a
  - couple_right: a
END
    status_is 2
    rm log
    couple --noop <<'END'
  - couple_left: a
  - couple_right: [a, b]
END
    status_is 0
    says '1 would change'
    is_number processes 1
    is_number connections 1
}

@test "a type that nothing is asked of is no trouble when the process ends" {
    couple --tags=only <<'END'
  - couple_left: a
    tag: only
  - couple_right: a
END
    status_is 0
    says_not warning
    is_number connections 1
}

@test "large texts go to the type that they are for" {
    couple <<END
  - couple_left: a
    value: "$(head -c 400000 /dev/zero | tr '\0' l)"
  - couple_right: a
    value: "$(head -c 500000 /dev/zero | tr '\0' r)"
  - couple_left: b
    value: "$(head -c 600000 /dev/zero | tr '\0' m)"
END
    status_is 0
    [ "$(tr -d l <couple_left-a | wc -c) $(wc -c <couple_left-a)" = "0 400000" ]
    [ "$(tr -d r <couple_right-a | wc -c) $(wc -c <couple_right-a)" = "0 500000" ]
    [ "$(tr -d m <couple_left-b | wc -c) $(wc -c <couple_left-b)" = "0 600000" ]
}

@test "a crash makes both unavailable, and says where it was" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would end with it"
    couple <<'END'
  - couple_right: before
  - couple_left: crash
  - couple_right: after
END
    status_is 4
    says "provider 'couple_left' 1.0 crashed: Aborted, while creating couple_left[crash]"
    says "provider 'couple_right' 1.0 is unavailable in this run: it crashed: Aborted, while creating"
    says '1 changed'
    [ -f couple_right-before ]
    [ ! -e couple_right-after ]
}

@test "after a time limit both go on in a new process, with a new connection" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline nobody ends it"
    couple --time-limit=2 <<'END'
  - couple_right: before
  - couple_left: [hang, a]
  - couple_right: after
END
    status_is 4
    says "provider 'couple_left' 1.0 timed out"
    says '3 changed, 1 failed'
    is_number processes 2
    is_number connections 2
    [ -f couple_left-a ]
    [ -f couple_right-after ]
}

@test "rhost check finds no fault in a plugin with one worker" {
    FAULT_COUPLE=$work run rhost check "$BATS_TEST_TMPDIR/plugins/couple.so" --only reads --only descriptors --only children
    status_is 0
    says_not 'fail '
}
