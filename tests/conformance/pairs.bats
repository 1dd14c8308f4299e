#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What can be written in YAML can be written in a recipe, and the other way round: of each pair in
# pairs/ one catalog comes out.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

catalog() {
    rhost compile "$1" >"$2" || return
    python3 - "$2" <<'END'
import json, sys

def without_places(v):
    if isinstance(v, dict):
        return {k: without_places(x) for k, x in v.items() if k != "place"}
    if isinstance(v, list):
        return [without_places(x) for x in v]
    return v

with open(sys.argv[1]) as f:
    catalog = without_places(json.load(f))
with open(sys.argv[1], "w") as f:
    json.dump(catalog, f, indent=1, sort_keys=True)
END
}

@test "a manifest and its recipe make the same catalog" {
    requires_command python3
    local pairs=0 different=0
    for yaml in "$abs_top_srcdir"/tests/conformance/pairs/*.yaml; do
        catalog "$yaml" one
        catalog "${yaml%.yaml}.lua" two
        [ -s one ]
        pairs=$((pairs + 1))
        diff -u one two || different=$((different + 1))
    done
    echo "$pairs pairs, $different different"
    [ "$pairs" -ge 11 ]
    [ "$different" -eq 0 ]
}
