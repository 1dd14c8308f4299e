#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The plugins for packages go through rhost check, with their fixtures: each change starts a package manager.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

source "$abs_top_srcdir/tests/plugins/checked.bash"

@test "every plugin for packages passes" {
    checked_names | grep '^package-' >names
    [ -s names ]
    for name in $(cat names); do
        plugin_passes "$name"
    done
}
