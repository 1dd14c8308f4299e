#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What docs/evidence/findings.md says of tests and sources is so.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

page=$abs_top_srcdir/docs/evidence/findings.md

setup() {
    work_open
    requires_command python3
}

# The page, changed by sed.
changed() {
    sed "$1" "$page" >page.md
    not cmp -s "$page" page.md
    run "$abs_top_srcdir/tests/tree/findings" page.md
    status_is 1
}

@test "each test, file and function that the page of findings names exists" {
    run "$abs_top_srcdir/tests/tree/findings" "$page"
    echo "$output"
    status_is 0
    is "$output" ''
}

@test "a case, a file or a function that does not exist is found, and a finding without a test" {
    changed 's/"a purge leaves the system its own accounts"/"a purge leaves nothing"/'
    says "no case 'a purge leaves nothing' in plugins/user/user.bats"
    changed 's/"every_year_has_four_digits"/"every_year_has_five_digits"/'
    says "no case 'every_year_has_five_digits' in tests/unit/test-journal.c"
    changed 's/"no sync of the journal"/"no sync of anything"/'
    says "no case 'no sync of anything' in tests/mutants/named"
    changed 's|`tests/cli/roles.bats`|`tests/cli/rolls.bats`|'
    says "no file 'tests/cli/rolls.bats'"
    changed 's|`core/provider/own.c`: `rh_own()`|`core/provider/owner.c`: `rh_own()`|'
    says "no file 'core/provider/owner.c'"
    says "no function 'rh_own' in the files beside it"
    changed 's/| `tests\/cli\/roles.bats`: .*|/| a test |/'
    says 'no test'
    changed '/^| 1/d; /^| [A-Z]/d'
    says ' rows'
}
