#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every plugin of the tree goes through rhost check, with its fixture: a new one is in here by itself.
# This takes a while, as each of some forty checks of each plugin runs the real tools.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

plugins=$abs_top_builddir/plugins/.libs

fixture_of() {
    find "$abs_top_srcdir/plugins" -name "$1.fixture.yaml"
}

@test "every plugin has a fixture" {
    for so in "$plugins"/*.so; do
        name=$(basename "$so" .so)
        [ -n "$(fixture_of "$name")" ] || {
            echo "there is no plugins/*/$name.fixture.yaml"
            return 1
        }
    done
}

@test "every plugin passes" {
    for so in "$plugins"/*.so; do
        name=$(basename "$so" .so)
        run rhost check "$so" --fixture "$(fixture_of "$name")" --time-limit=60
        [ "$status" -eq 0 ] || echo "$name:"
        status_is 0
        grep '^skip .* the fixture needs' <<<"$output" | head -n 1 | sed "s/^/# $name: /" >&3 || true
    done
}

@test "checking leaves nothing on this machine" {
    ! getent passwd rhostcheck-alice
    ! getent group rhostcheck-staff
    [ ! -e /opt/rhost-check-one ]
    ! grep -q rhost-check /proc/self/mounts
}
