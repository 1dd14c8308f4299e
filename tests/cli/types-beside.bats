#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# docs/evidence/types-beside.md is what the types of the tree are beside those of Ansible and Puppet.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# The types that there are, with their attributes.
types() {
    local type

    rhost types --format=json | jq -r '.[] | select(.provider) | .type' | sort -u |
        while read -r type; do
            rhost describe --format=json "$type" | jq -r --arg type "$type" \
                '[$type, ([.. | .attributes? // empty | .[].name] | reduce .[] as $a ([]; if index($a) then . else . + [$a] end) | .[])] | join(" ")'
        done
}

@test "the page of types beside those of Ansible and Puppet has each type, and only attributes that exist" {
    types >types
    awk -f "$abs_top_srcdir/tests/cli/types-beside.awk" types "$abs_top_srcdir/docs/evidence/types-beside.list" >sections
    [ "$(grep -c '^## ' sections)" -gt 50 ]
    sed -n '/^## /,$p' "$abs_top_srcdir/docs/evidence/types-beside.md" | diff - sections
}

@test "what is wrong in the list is named with its line" {
    printf '%s\n' 'cron name hour' 'host name' >types
    printf '%s\n' 'cron Ansible cron' ' has name hour' ' same name=name hours=hour' ' else day | x' 'user - -' >list
    run awk -f "$abs_top_srcdir/tests/cli/types-beside.awk" types list
    status_is 1
    says "types-beside.list:3: cron has no 'hours'"
    says "types-beside.list:4: cron has no 'day'"
    says "types-beside.list:5: there is no type 'user'"
    says "nothing says what the type 'host' is beside"
}
