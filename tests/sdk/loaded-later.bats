#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Plugins that were built against the SDK of earlier commits work today.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

later=$abs_top_srcdir/tests/sdk/loaded-later

# As the script says that it cannot, which is so in a tarball and where there is no history.
can() {
    [ "$status" -ne 77 ] || skip "${output#*: }"
}

@test "what was built against the SDK of the first commits is loaded, checked and applied" {
    run "$later" "$abs_top_builddir"
    can
    echo "$output"
    status_is 0
    [ "$(grep -cE '^\| [0-9a-f]{7,} \| [-0-9]+ \| (link|note) [0-9.]+ \| [0-9]+ pass, [0-9]+ skip \| 1 resource: 1 changed; 1 resource: 1 ok; 1 resource: 1 changed; removed \|$' <<<"$output")" -eq 3 ]
}

@test "a plugin that no longer works is an error" {
    mkdir -p build/core
    # A rhost that refuses an older plugin, as one with another layout would.
    printf '#!/bin/sh\necho "error: this plugin is too old"; exit 1\n' >build/core/rhost
    chmod +x build/core/rhost
    run "$later" build
    can
    status_is 1
    says 'this plugin is too old'
}

@test "where there is no history it is left out, aloud" {
    mkdir -p tree/tests/sdk
    cp "$later" tree/tests/sdk/
    run tree/tests/sdk/loaded-later "$abs_top_builddir"
    status_is 77
    says 'is not a checkout of git'
}
