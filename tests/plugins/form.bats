#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# How often a resource is canonicalized: RHOST_PURE_CANONICALIZE, with tests/plugins/form.c.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

own_plugin tests/plugins/.libs/form.so

times_of() {
    grep -cx "$1" log
}

@test "once something has happened, what may depend on it is canonicalized again, and nothing else" {
    cat >site.yaml <<'END'
resources:
  - form_usual: first
  - form_pure: alone
  - form_pure: asking
    ask: true
  - form_usual: promises_nothing
END
    FAULT_FORM=$work/log run rhost apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" site.yaml
    [ "$status" -eq 0 ]
    [ "$(times_of first)" -eq 1 ]
    [ "$(times_of alone)" -eq 1 ]
    [ "$(times_of asking)" -eq 2 ]
    [ "$(times_of promises_nothing)" -eq 2 ]
}
