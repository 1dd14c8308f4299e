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

@test "append and remove of a recipe change what is there, as those of a manifest do" {
    local form
    for form in yaml lua; do
        printf '10.0.0.1 db1 old main\n10.0.0.2 db2 old other\n' >hosts
        sed "s|ip: \(.*\)|&\n    target: $PWD/hosts|; s|ip = [^,]*,|& target = \"$PWD/hosts\",|" \
            "$abs_top_srcdir/tests/conformance/pairs/edits.$form" >site.$form
        run rhost apply --detailed-exitcodes site.$form
        status_is 2
        is "$(sort hosts)" "$(printf '10.0.0.1 db1 old main db\n10.0.0.2 db2 other')"
        run rhost apply --detailed-exitcodes site.$form
        status_is 0
    done
}
