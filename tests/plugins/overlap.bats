#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# rhost.overlap/1: blocks that are open at the same time, with the plugin tests/plugins/parallel.c.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

own_plugin tests/plugins/.libs/parallel.so

parallel() {
    { echo 'resources:'; cat; } >site.yaml
    run rhost apply --verbose --report=report.json --plugin-dir "$BATS_TEST_TMPDIR/plugins" "$@" site.yaml
}

@test "each resource is reported with the time of its own block" {
    parallel <<'END'
  - parallel: {name: slow, tenths: 4}
END
    status_is 1
    parallel <<'END'
  - parallel: slow
    tenths: 5
  - parallel: quick
    tenths: 1
END
    status_is 0
    says "2 resources: 2 changed"
    seconds() {
        json report.json "[r['seconds'] for r in d['resources'] if r['title'] == '$1'][0]"
    }
    awk -v slow="$(seconds slow)" -v quick="$(seconds quick)" \
        'BEGIN { exit !(slow >= 0.5 && quick >= 0.1 && quick < slow - 0.2) }'
}

@test "a block that fails, and one that is never ended, fail their resource alone" {
    parallel <<'END'
  - parallel: good
    tenths: 1
  - parallel: bad
    tenths: 0
    ends: badly
  - parallel: lost
    tenths: 0
    ends: never
END
    status_is 4
    says "failed: the server says no"
    says "failed: the provider did not report a result"
    says "1 changed, 2 failed"
}

@test "a block that is not open cannot be ended" {
    parallel <<'END'
  - parallel: good
    tenths: 0
    ends: twice
END
    status_is 4
    says "it ended a block of rhost.overlap/1 that is not open"
}
