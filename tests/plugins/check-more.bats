#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The plugins of check.bats from the letter l on.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

source "$abs_top_srcdir/tests/plugins/checked.bash"

@test "every plugin from the letter l on passes" {
    for name in $(most_names | grep '^[^a-k]'); do
        plugin_passes "$name"
    done
}
