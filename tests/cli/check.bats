#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# rhost check: what passes, and which check catches which fault.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

plugins=$abs_top_builddir/plugins/.libs
fault=$abs_top_builddir/tests/plugins/.libs/fault.so

# A fixture for the misbehaving plugin, where all that is called so goes wrong.
fixture_for() {
    cat >"fault_$1.yaml" <<END
type: fault_$1
absent: new
states:
  - title: bad
    state: {value: new}
END
}

# With this fault the check ends in this way, and all in front of it pass: caught CHECK RESULT FAULT
caught() {
    local type=simple
    case $3 in get* | set*) type=set ;; esac
    fixture_for "$type"
    FAULT=$3 run rhost check "$fault" --fixture "fault_$type.yaml" --time-limit=5 \
        --only static --only reading --only writes --only manners
    status_is 4
    says "$2 $1 "
    [ "$(grep -cE '^(fail|crash) ' <<<"$output")" -eq "${4:-1}" ] && return
    echo "it is not the one that fails:"
    echo "$output"
    return 1
}

@test "what keeps the rules passes, with a line for each check" {
    fixture_for simple
    run rhost check "$fault" --fixture fault_simple.yaml --only static --only reading
    status_is 0
    says 'pass symbol'
    says 'warn documented fault_simple: no documentation for'
    says 'pass reads fault_simple'
    says_not fault_set
    [[ ${lines[-1]} =~ ^[0-9]+\ pass,.*\;\ seed\ [0-9]+$ ]]
}

@test "each fault fails the check that is about it: static" {
    caught loads crash 'entry crash'
    # A sanitizer catches the signal, and ends the process.
    is_sanitized || says 'it crashed: Segmentation fault, while being loaded'
    caught loads fail 'entry hang'
    says 'it was not done within 5 seconds'
    caught pure fail 'entry print'
    caught pure fail 'entry leak'
    caught pure fail 'entry umask'
}

@test "each fault fails the check that is about it: reading" {
    caught reads crash 'load crash'
    says 'while reading'
    caught reads crash 'load exit'
    caught reads crash 'load abort'
    caught reads fail 'load silent'
    says 'failed in load without a message'
    caught reads fail 'load seven'
    caught reads fail 'load emit'
    caught reads fail 'load hang'
    caught reads crash 'open crash'
    caught reads crash 'close crash'
    caught fits fail 'load wrong type'
    caught fits fail 'load unknown attribute'
    caught canonical fail 'load not canonical'
    caught reads fail 'get no namevar'
    caught reads fail 'get no hash'
    caught fits fail 'get wrong type'
}

@test "each fault fails the check that is about it: writing and manners" {
    caught writes crash 'update crash'
    says 'while updating bad'
    caught writes crash 'update abort'
    caught writes crash 'update exit'
    caught writes crash 'remove crash'
    caught writes fail 'update silent'
    says 'without a message'
    caught writes fail 'update seven'
    caught writes fail 'update fail'
    caught writes fail 'update hang'
    says 'it was not done within 5 seconds, while updating bad'
    caught writes fail 'set stranger'
    caught writes fail 'set open block'
    caught descriptors fail 'update leak'
    says 'it left descriptors open'
    caught children fail 'update child'
    caught umask fail 'update umask'
    caught directory fail 'update directory'
    caught quiet fail 'update print'
    says 'hello on stdout'
}

@test "docs/evidence/checks.md has a row for each of these faults" {
    local rows=0 check fault
    while read -r check fault; do
        grep -qF "| $fault | \`$check\` | " "$abs_top_srcdir/docs/evidence/checks.md" || {
            echo "it has none for '$fault', caught by '$check'"
            return 1
        }
        rows=$((rows + 1))
    done < <(sed -n "s/^ *caught \([a-z-]*\) [a-z]* '\(.*\)'.*/\1 \2/p" "$BATS_TEST_FILENAME")
    [ "$rows" -gt 30 ]
}

@test "--faults says how many uses of the machine are to fail" {
    printf 'states:\n  - title: "${dir}/one"\n    state: {target: nowhere}\n' >link.yaml
    run rhost check "$plugins/link.so" --fixture link.yaml --only faults --faults=3
    status_is 0
    says 'pass faults link: 3 faults of 3 kinds'
    run rhost check "$plugins/link.so" --faults=none
    status_is 1
    says "invalid value 'none' for --faults: expected a whole number, 1 or more"
}

@test "--allocations says how many are to fail" {
    run rhost check "$plugins/link.so" --only no-memory --only memory-limit --allocations=2
    status_is 0
    is_sanitized || says 'pass no-memory link'
    run rhost check "$plugins/link.so" --allocations=none
    status_is 1
    says 'a whole number, 1 or more'
}

@test "--rounds says how many resources are made up" {
    run rhost check "$plugins/link.so" --only random --rounds=2
    status_is 0
    says 'pass random link'
    run rhost check "$plugins/link.so" --rounds=0
    status_is 1
    says 'a whole number, 1 or more'
}

@test "what does not keep what it is told is caught" {
    fixture_for simple
    run rhost check "$fault" --fixture fault_simple.yaml --only creates --only idempotent --only removes
    status_is 4
    says "fail creates fault_simple: made, 'value' of 'bad' is not the desired value"
    says 'skip idempotent'
    says 'what it makes is not what was asked for'
    says "fail removes fault_simple: removed, 'bad' is still there"
}

@test "a symbol beside the entry is caught" {
    requires_command gcc
    printf '%s\n' 'const void *rhost_plugin_v1(void);' 'const void *rhost_plugin_v1(void) { return 0; }' \
        'int helper(void);' 'int helper(void) { return 0; }' >two.c
    gcc -shared -fPIC -o two.so two.c
    run rhost check two.so
    status_is 4
    says 'fail symbol besides its entry it exports 1 symbol: helper'
    says 'fail loads its entry function returned NULL'
}

@test "a type that cannot be, and what does not go with it" {
    requires_command gcc
    cat >odd.c <<'END'
#include <rhost/provider.h>

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "String[1", .behaviour = RHOST_NAMEVAR },
};
static const struct rhost_attr good[] = {
    { .name = "name", .type = "String[1]", .behaviour = RHOST_NAMEVAR },
    { .name = "ensure", .type = "Enum[present, absent]" },
};
static int32_t
load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    (void)ctx, (void)name, (void)should, (void)current;
    return RHOST_ABSENT;
}
static int32_t
create(rhost_ctx *ctx, const struct rhost_change *change)
{
    (void)ctx, (void)change;
    return 0;
}
static const struct rhost_provider odd = {
    RHOST_PROVIDER("odd", "Odd."), RHOST_ATTRS(attrs), .load = load,
};
static const struct rhost_provider halfway = {
    RHOST_PROVIDER("halfway", "Halfway."), RHOST_ATTRS(good), .load = load, .create = create,
};
static const struct rhost_attr loose[] = {
    { .name = "name", .type = "String[1]", .behaviour = RHOST_NAMEVAR },
    { .name = "value", .type = "String" },
};
static const struct rhost_provider adrift = {
    RHOST_PROVIDER("adrift", "Adrift."), RHOST_ATTRS(loose), .load = load, .create = create, .update = create,
    .remove = create,
};
static const struct rhost_attr plain[] = {
    { .name = "name", .type = "String[1]", .behaviour = RHOST_NAMEVAR },
    { .name = "ensure", .type = "Enum[present, absent]" },
    { .name = "value", .type = "String" },
};
static const struct rhost_provider stiff = {
    RHOST_PROVIDER("stiff", "Stiff."), RHOST_ATTRS(plain), .load = load, .create = create, .remove = create,
};
static const struct rhost_provider *const providers[] = { &odd, &halfway, &adrift, &stiff, NULL };
static const struct rhost_plugin plugin = {
    .struct_size = sizeof plugin, .name = "odd", .version = "1", .providers = providers,
};
RHOST_EXPORT const struct rhost_plugin *rhost_plugin_v1(void);
const struct rhost_plugin *
rhost_plugin_v1(void)
{
    return &plugin;
}
END
    gcc -shared -fPIC -fvisibility=hidden -I"$abs_top_srcdir/sdk" -o odd.so odd.c
    run rhost check odd.so
    status_is 4
    says "fail schema odd: type 'odd': attribute 'name'"
    says "skip reads odd: its schema cannot be read"
    says "fail callbacks halfway: it has 'ensure', but defines no remove"
    says "warn callbacks adrift: it defines remove, but has no attribute 'ensure'"
    says "warn callbacks stiff: it defines no update, but 'value' can differ from its desired value"
    echo 'type: odd' >odd.yaml
    run rhost check odd.so --fixture odd.yaml
    status_is 4
    says "fail schema odd: type 'odd': attribute 'name'"
    says_not halfway
    printf 'type: stiff\nstates:\n  - title: a\n    state: {ensure: present, value: x}\n' >stiff.yaml
    run rhost check odd.so --fixture stiff.yaml --only creates
    status_is 4
    says "fail creates stiff: made, 'ensure' of 'a' is not the desired value: it is \"absent\", expected \"present\""
}

@test "what is not a plugin is refused by the checks, what is not a file by the command" {
    echo 'no object' >text.so
    run rhost check text.so
    status_is 4
    says 'fail loads'
    says 'fail symbol'
    run rhost check nothing.so
    status_is 1
    says "cannot read 'nothing.so'"
    run rhost check
    status_is 1
    says 'expected one PLUGIN'
}

@test "--only takes checks and groups, and nothing else" {
    run rhost check "$plugins/link.so" --only symbol --only schema
    status_is 0
    [ "$(grep -c '^pass' <<<"$output")" -eq 2 ]
    run rhost check "$plugins/link.so" --only static
    says 'pass callbacks link'
    says_not reads
    run rhost check "$plugins/link.so" --only simbol
    status_is 1
    says "unknown check 'simbol'"
    says "did you mean 'symbol'?"
}

@test "--format=json has the same as data" {
    needs_python
    rhost check "$plugins/link.so" --format=json --seed 7 >out.json
    json_is out.json 'd["seed"]' 7
    json_is out.json 'd["checks"][0]["check"] + " " + d["checks"][0]["result"]' 'loads pass'
    json_is out.json 'd["counts"]["fail"]' 0
    json_is out.json 'sum(d["counts"].values()) == len(d["checks"])' True
}

@test "a fixture with a mistake is refused, with the place" {
    export TMPDIR=$work/tmp
    mkdir tmp
    printf 'type: link\nstates:\n  - title: x\n    state: {taget: y}\n' >bad.yaml
    run rhost check "$plugins/link.so" --fixture bad.yaml
    status_is 1
    says "bad.yaml:4:13: error: unknown attribute 'taget' for type 'link'"
    says "did you mean 'target'?"
    printf 'type: link\nstates:\n  - title: x\n    state: {target: !nope y}\n' >bad.yaml
    run rhost check "$plugins/link.so" --fixture bad.yaml
    status_is 1
    says 'bad.yaml:4:21: error: unknown tag'
    says_not pass
    printf 'type: nothing\n' >bad.yaml
    run rhost check "$plugins/link.so" --fixture bad.yaml
    status_is 1
    says "the fixture matches no provider of the plugin, which provides the type 'link'"
    printf 'type: lnik\n' >bad.yaml
    run rhost check "$plugins/link.so" --fixture bad.yaml
    status_is 1
    says "unknown type 'lnik' in the fixture
 = did you mean 'link'?"
    printf 'states:\n  - title: x\n    updates: [target]\n' >bad.yaml
    run rhost check "$plugins/link.so" --fixture bad.yaml
    status_is 1
    says "bad.yaml:3:14: error: 'updates' must be a hash"
    printf 'stats: []\n' >bad.yaml
    run rhost check "$plugins/link.so" --fixture bad.yaml
    status_is 1
    says "unknown key 'stats' in a fixture"
    is "$(ls tmp)" ''
}

@test "docs/authors/check.md tells of each check that there is" {
    needs_python
    rhost check "$plugins/link.so" --format=json >out.json
    json out.json '"\n".join(c["check"] for c in d["checks"])' >all
    printf 'looks\nprompt\n' | sort all - >there # of lookups and facts alone: inquiry.bats
    sed -nE 's/^\| `([a-z-]+)` \| .* \| .*/\1/p' "$abs_top_srcdir/docs/authors/check.md" |
        sort >told
    diff -u there told
}
