#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# This plugin goes through rhost check, with its fixture: each check starts a server, so that the others have files of their own.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

source "$abs_top_srcdir/tests/plugins/checked.bash"

@test "mysql_user passes" {
    mysql_passes mysql_user
}
