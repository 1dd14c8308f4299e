#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every plugin of the tree goes through rhost check, with its fixture: a new one is in here, or in check-more.bats, by itself.
# This takes a while, as each of some forty checks of each plugin runs the real tools.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

source "$abs_top_srcdir/tests/plugins/checked.bash"

@test "every plugin has a fixture, and a row in docs/evidence/checks.md" {
    for name in $(checked_names); do
        [ -n "$(checked_fixture "$name")" ] || {
            echo "there is no plugins/*/$name.fixture.yaml"
            return 1
        }
        grep -q "^| $name | [0-9]* | " "$abs_top_srcdir/docs/evidence/checks.md" || {
            echo "docs/evidence/checks.md has no row for $name"
            return 1
        }
    done
}

@test "every plugin up to the letter k passes" {
    for name in $(most_names | grep '^[a-k]'); do
        plugin_passes "$name"
    done
}

@test "checking leaves nothing on this machine" {
    not getent passwd rhostcheck-alice
    not getent group rhostcheck-staff
    [ ! -e /opt/rhost-check-one ]
    not grep -q rhost-check /proc/self/mounts
}
