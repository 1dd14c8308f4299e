#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The plugins for PostgreSQL go through rhost check, with their fixtures: each check starts a server.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

source "$abs_top_srcdir/tests/plugins/checked.bash"

@test "every plugin for PostgreSQL passes" {
    checked_names | grep '^postgresql_' >names || skip "built without libpq"
    PG_CLUSTER=$work/cluster
    export PG_CLUSTER
    sh "$abs_top_srcdir/plugins/postgresql_role/server.sh" --make "$PG_CLUSTER" || unset PG_CLUSTER
    for name in $(cat names); do
        plugin_passes "$name"
    done
}
