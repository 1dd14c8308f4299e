#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# RHOST_GATHERS: the resources of a provider come together, as far as relations allow; with tests/plugins/parallel.c.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

own_plugin tests/plugins/.libs/parallel.so

# The order of what was changed, and how many were set at once.
gathered() {
    { echo 'resources:'; cat; } >site.yaml
    run rhost apply --debug --report=report.json --plugin-dir "$BATS_TEST_TMPDIR/plugins" site.yaml
    status_is 0
    json report.json "' '.join(r['title'] for r in d['resources'])" >order
    sed -n 's/.*parallel: set, \([0-9]*\) changes*.*/\1/p' <<<"$output" | paste -sd ' ' >sets
}

thing() {
    printf '  - parallel: %s\n    tenths: 0\n' "$1"
    [ -z "${2-}" ] || printf '    %s\n' "$2"
}

@test "what is written apart comes in one call" {
    gathered < <(thing a; echo '  - log: x'; thing b; echo '  - log: y'; thing c)
    [ "$(cat order)" = "a b c x y" ]
    [ "$(cat sets)" = 3 ]
}

@test "relations keep it apart, and what waits comes together later" {
    gathered < <(thing a; echo '  - log: x'; thing b 'require: log[x]'; echo '  - log: y'; thing c; thing d 'require: log[x]')
    [ "$(cat order)" = "a c x b d y" ]
    [ "$(cat sets)" = "2 2" ]
}

@test "relations among them do not keep them apart" {
    gathered < <(thing a 'require: parallel[c]'; echo '  - log: x'; thing b; thing c)
    [ "$(cat order)" = "x b c a" ]
    [ "$(cat sets)" = "2 1" ] # one that another needs is done before that begins
}
