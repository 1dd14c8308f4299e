#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# As check.bats, for the programs of docs/authors/executable-providers.md, each of which is started many times.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/plugins/checked.bash"

@test "every program passes" {
    for name in $(checked_names | grep -E '^(python|shell)-'); do
        plugin_passes "$name"
    done
}
