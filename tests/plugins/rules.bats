#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A plugin that breaks the rules of the ABI without harming its process: the same is said of it in a
# worker and inline.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/plugins/faults.bash"

setup_file() {
    # The plugin leaks what its open had when it fails there; that is not what is looked for.
    [ "${RHOST_WATCHED-}" != asan ] || export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"
}

# Builds for mutants and with sanitizers end a plugin that fails and does not return it.
not_guarded() {
    [ -z "${RHOST_MUTANTS-}" ] && [ "${RHOST_WATCHED-}" != asan ] || skip "this build ends such a plugin"
}

@test "-1 without a reason is the provider's fault, in create" {
    fails create silent "provider 'fault_simple' 1.5 failed in create without a message"
}

@test "-1 without a reason is the provider's fault, in update" {
    fails update silent "provider 'fault_simple' 1.5 failed in update without a message"
}

@test "-1 without a reason is the provider's fault, in remove" {
    fails remove silent "provider 'fault_simple' 1.5 failed in remove without a message"
}

@test "-1 without a reason is the provider's fault, in load" {
    fails load silent "provider 'fault_simple' 1.5 failed in load without a message"
}

@test "-1 without a reason is the provider's fault, in act" {
    fails act silent "provider 'fault_simple' 1.5 failed in act without a message"
}

@test "-1 without a reason is the provider's fault, in converge" {
    fails converge silent "provider 'fault_converge' 1.5 failed in converge without a message"
}

@test "-1 without a reason is the provider's fault, in canonicalize" {
    refuses canonicalize silent "failed in canonicalize without a message"
}

@test "-1 without a reason is the provider's fault, in insync" {
    fails insync silent "value: provider 'fault_simple' 1.5 failed in insync without a message"
}

@test "-1 without a reason is the provider's fault, in get" {
    strike get silent
    goes_on get
    says "provider 'fault_set' 1.5 failed in get without a message"
}

@test "-1 without a reason is the provider's fault, in set" {
    strike set silent
    goes_on set
    says "provider 'fault_set' 1.5 failed in set without a message"
}

@test "-1 without a reason is the provider's fault, in open" {
    strike open silent
    goes_on open
    says "provider 'fault_simple' 1.5 failed in open without a message"
}

@test "an answer that means nothing fails the resource, in create" {
    fails create seven "provider 'fault_simple' 1.5 returned 7 from create, which is not a valid result"
}

@test "an answer that means nothing fails the resource, in update" {
    fails update seven "provider 'fault_simple' 1.5 returned 7 from update, which is not a valid result"
}

@test "an answer that means nothing fails the resource, in remove" {
    fails remove seven "provider 'fault_simple' 1.5 returned 7 from remove, which is not a valid result"
}

@test "an answer that means nothing fails the resource, in load" {
    fails load seven "provider 'fault_simple' 1.5 returned 7 from load, which is not a valid result"
}

@test "an answer that means nothing fails the resource, in act" {
    fails act seven "provider 'fault_simple' 1.5 returned 7 from act, which is not a valid result"
}

@test "an answer that means nothing refuses the manifest, in canonicalize" {
    refuses canonicalize seven "returned 7 from canonicalize, which is not a valid result"
}

@test "an answer that means nothing fails the resource, in insync" {
    fails insync seven "value: provider 'fault_simple' 1.5 returned 7 from insync, which is not a valid result"
}

@test "an answer that means nothing fails the resource, in converge" {
    fails converge seven "provider 'fault_converge' 1.5 returned 7 from converge, which is not a valid result"
}

@test "an answer that means nothing fails the resources, in get" {
    strike get seven
    goes_on get
    says "provider 'fault_set' 1.5 returned 7 from get, which is not a valid result"
}

@test "an answer that means nothing fails the resources, in set" {
    strike set seven
    goes_on set
    says "provider 'fault_set' 1.5 returned 7 from set, which is not a valid result"
}

@test "an answer that means nothing fails the resources, in open" {
    strike open seven
    goes_on open
    says "provider 'fault_simple' 1.5 returned 7 from open, which is not a valid result"
}

@test "from insync, 1 still means that it differs, as when RHOST_DIFFERS was 1" {
    printf 'resources:\n  - fault_simple: bad\n    value: old\n' >site.yaml
    FAULT="insync one" run rhost apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" site.yaml
    status_is 0
    says "1 resource: 1 changed"
    FAULT="insync seven" run rhost apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" site.yaml
    status_is 4
    says "returned 7 from insync, which is not a valid result"
    run rhost apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" site.yaml
    status_is 0
    says "1 resource: 1 ok"
}

@test "having said that it failed counts, even where it was not returned, in create" {
    not_guarded
    fails create "fail and go on" "it was told to fail, and went on"
}

@test "having said that it failed counts, even where it was not returned, in update" {
    not_guarded
    fails update "fail and go on" "it was told to fail, and went on"
}

@test "having said that it failed counts, even where it was not returned, in load" {
    not_guarded
    fails load "fail and go on" "it was told to fail, and went on"
}

@test "having said that it failed counts, even where it was not returned, in act" {
    fails act "fail and go on" "it was told to fail, and went on"
}

@test "having said that it failed counts, even where it was not returned, in converge" {
    fails converge "fail and go on" "it was told to fail, and went on"
}

@test "having said that it failed counts, even where it was not returned, in set" {
    fails set "fail and go on" "it was told to fail, and went on"
}

@test "having said that it failed counts, even where it was not returned, in insync" {
    not_guarded
    fails insync "fail and go on" "value: it was told to fail, and went on"
}

@test "having said that it failed counts, even where it was not returned, in get" {
    strike get "fail and go on"
    goes_on get
    says "is unavailable: it was told to fail, and went on"
}

@test "a reason with control characters and broken UTF-8 is escaped" {
    fails update ugly "red \\x1b[31m bell \\x07 line"
    says "end \\xff\\xfe"
}

@test "wrong type: a reading that does not fit its type fails, when strict" {
    fails load "wrong type" "Provider returned data that does not match the Type Schema for \`fault_simple[bad]\`"
    says "* number: \"one\" (expects a value of type Undef or Integer, got String)"
}

@test "unknown attribute: a reading that does not fit its type fails, when strict" {
    fails load "unknown attribute" "Provider returned data that does not match the Type Schema for \`fault_simple[bad]\`"
    says "Unknown attribute:"
}

@test "no namevar: a reading that does not fit its type fails, when strict" {
    fails load "no namevar" "Provider returned data that does not match the Type Schema for \`fault_simple[bad]\`"
    says "* name: undef (expects a String value, got Undef)"
}

@test "no text: a reading that does not fit its type fails, when strict" {
    fails load "no text" "Provider returned data that does not match the Type Schema for \`fault_simple[bad]\`"
    says "* value: (binary, 12 bytes)"
}

@test "a reading that is not canonical fails, when strict" {
    fails load "not canonical" "fault_simple[bad]#get has not provided canonicalized values."
}

@test "wrong type: with --strict=warning it is a warning, and goes on" {
    passes load "wrong type" --strict=warning
    says "warning: fault_simple[bad]: "
}

@test "wrong type: with --strict=off nothing is said" {
    passes load "wrong type" --strict=off
    says_not "warning"
}

@test "unknown attribute: with --strict=warning it is a warning, and goes on" {
    passes load "unknown attribute" --strict=warning
    says "warning: fault_simple[bad]: "
}

@test "unknown attribute: with --strict=off nothing is said" {
    passes load "unknown attribute" --strict=off
    says_not "warning"
}

@test "not canonical: with --strict=warning it is a warning, and goes on" {
    passes load "not canonical" --strict=warning
    says "warning: fault_simple[bad]: "
}

@test "not canonical: with --strict=off nothing is said" {
    passes load "not canonical" --strict=off
    says_not "warning"
}

@test "no namevar: what get cannot have meant makes nothing be created" {
    strike get "no namevar"
    goes_on get
    says "\`fault_set.get\` did not return a value for the \`name\` namevar attribute"
    says "3 failed, 1 skipped"
}

@test "wrong namevar: what get cannot have meant makes nothing be created" {
    strike get "wrong namevar"
    goes_on get
    says "\`fault_set.get\` returned an integer for the \`name\` namevar attribute"
    says "3 failed, 1 skipped"
}

@test "no hash: what get cannot have meant makes nothing be created" {
    strike get "no hash"
    goes_on get
    says "it emitted a value that is not a hash"
    says "3 failed, 1 skipped"
}

@test "nothing: what get cannot have meant makes nothing be created" {
    strike get "nothing"
    goes_on get
    says "it emitted a value that is not a hash"
    says "3 failed, 1 skipped"
}

@test "emit() outside of get() fails the resource" {
    fails load emit "provider 'fault_simple' 1.5 violated the ABI contract: it called emit() outside of get()"
}

@test "changed() for a change of one's own fails the resource" {
    fails converge "foreign change" "provider 'fault_converge' 1.5 violated the ABI contract: it called changed() for a change that is not part of this call"
}

@test "a very large number of resources is not a fault" {
    passes get "very many"
}

@test "a text with NUL bytes fails the resource, and is shown escaped" {
    fails load nul "Provider returned data that does not match the Type Schema for \`fault_simple[bad]\`"
    says '* value: "a\x00b\x00" (must not contain a NUL character'
}

@test "a value with control characters is shown escaped" {
    passes load control
    says 'value "red \x1b[31m bell \x07" → new'
}

@test "deep: a value beyond what can be shown is an error that says so" {
    FAULT="load deep" run rhost resource --plugin-dir "$BATS_TEST_TMPDIR/plugins" fault_simple bad
    [ "$status" -ne 0 ]
    says "fault_simple[bad] cannot be shown: it is nested deeper than 64"
}

@test "large: a value beyond what can be shown is an error that says so" {
    FAULT="load large" run rhost resource --plugin-dir "$BATS_TEST_TMPDIR/plugins" fault_simple bad
    [ "$status" -ne 0 ]
    says "fault_simple[bad] cannot be shown: it is larger than 8 MiB"
}

@test "wide: a value beyond what can be shown is an error that says so" {
    FAULT="load wide" run rhost resource --plugin-dir "$BATS_TEST_TMPDIR/plugins" fault_simple bad
    [ "$status" -ne 0 ]
    says "fault_simple[bad] cannot be shown: it is larger than 8 MiB"
}

@test "deep: a value beyond what can be shown may be changed all the same" {
    FAULT="load deep" run apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" <<<"resources: [{fault_simple: bad, data: 5}]"
    status_is 0
    says "(a large"
}

@test "wide: a value beyond what can be shown may be changed all the same" {
    FAULT="load wide" run apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" <<<"resources: [{fault_simple: bad, data: 5}]"
    status_is 0
    says "(a large"
}

@test "a value of 100 MB is compared, and cut where it is shown" {
    passes load large
    says "(1024 bytes) → new"
}

@test "a value of 100 MB may be looked at line by line" {
    passes load large --diff
    [ "${#output}" -lt 10000 ]
}

@test "get can fail one name, and reads the others" {
    fails get "fail name" "its server cannot be reached"
}

@test "a name that get fails is left out of a list, and is an error where it is asked for" {
    FAULT="get fail all names" run rhost resource --plugin-dir "$BATS_TEST_TMPDIR/plugins" fault_set
    status_is 0
    says "two"
    says "warning: fault_set[bad]: omitted from the list: value: cannot be read: Input/output error"
    FAULT="get fail all names" run rhost resource --plugin-dir "$BATS_TEST_TMPDIR/plugins" fault_set bad
    status_is 4
    says "fault_set[bad]: value: cannot be read: Input/output error"
}

@test "a failure of one name shows the attribute at fault" {
    strike get "fail all names"
    status_is 4
    says "failed: value: cannot be read: Input/output error"
    says "7 | value: new"
}

@test "get knows what it is asked for, with parameters" {
    cat >"$BATS_TEST_TMPDIR/site.yaml" <<END
resources:
  - fault_set: a
    hint: server a
    value: server a
  - fault_set: b
    hint: server b
    value: server c
  - fault_set: c
    value: nothing
END
    FAULT="get asked" run rhost apply --noop --plugin-dir "$BATS_TEST_TMPDIR/plugins" "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
    says "\"server b\" → \"server c\""
    says "3 resources: 2 ok, 1 would change"
}

@test "fail_name outside of get is a rule that is broken" {
    fails load "fail name" "provider 'fault_simple' 1.5 violated the ABI contract: it called fail_name() outside of get()"
}

@test "set that gives up half way keeps what it had reported" {
    strike set half
    goes_on set
    says "failed: it gave up half way"
    says "3 changed, 2 failed, 1 skipped"
}

@test "a resource that failed in its block leaves the others of the call alone" {
    strike set "half in scope"
    goes_on set
    says "failed: this one did not work"
    says "4 changed, 1 failed, 1 skipped"
}

@test "logging about a stranger fails what was to be set" {
    strike set stranger
    goes_on set
    says "provider 'fault_set' 1.5 violated the ABI contract: it logged for 'stranger', which is not part of this call"
}

@test "late block: a rule of logging that was broken about one fails that one" {
    fails set "late block" "provider 'fault_set' 1.5 violated the ABI contract: it opened a block for 'bad' after logging about it"
}

@test "odd state: what is no hash of attributes is not taken for one" {
    strike set "odd state"
    status_is 4
    says "provider 'fault_set' 1.5 violated the ABI contract: it logged with a state that is no hash of attributes"
}

@test "open block: a rule of logging that was broken about one fails that one" {
    fails set "open block" "provider 'fault_set' 1.5 violated the ABI contract: it left a block open"
}

@test "no attribute: a rule of logging that was broken about one fails that one" {
    fails set "no attribute" "provider 'fault_set' 1.5 violated the ABI contract: it reported a change of unknown attribute 'colour'"
}

@test "ending a block that is not open fails what was to be set" {
    strike set "wrong end"
    goes_on set
    says "provider 'fault_set' 1.5 violated the ABI contract: it ended a block that is not the innermost open one"
}

@test "what was reported as failed cannot be reported as well after that" {
    fails set "failing, then unchanged" "it did not work"
}

@test "leak: bad manners are a warning, and put right" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline nobody can tell who it was"
    passes update leak
    says "warning: provider 'fault_simple' 1.5 left descriptors open (5)"
}

@test "child: bad manners are a warning, and put right" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline nobody can tell who it was"
    passes update child
    says "warning: provider 'fault_simple' 1.5 left child processes behind, which were killed (1)"
}

# Resources of the misbehaving type, with others between them: a request for each.
many_requests() {
    {
        echo resources:
        for ((i = 0; i < 12; i++)); do
            printf -- '  - fault_simple: r%s-bad\n    value: new\n  - file: %s\n    content: x\n' $i "$work/f$i"
        done
    } >"$BATS_TEST_TMPDIR/site.yaml"
    FAULT="$*" run rhost apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
}

@test "a connection that is kept until close is no bad manners" {
    passes open connection
    says_not warning
    many_requests open connection
    says_not warning
    says "24 changed"
}

@test "descriptors and children that become more with each request are a warning before the end" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline nobody can tell who it was"
    many_requests update leak
    says "warning: provider 'fault_simple' 1.5 opens more descriptors with each request ("
    says "warning: provider 'fault_simple' 1.5 left descriptors open (60)"
    for ((i = 0; i < 12; i++)); do rm "$work/f$i"; done
    many_requests update child
    says "warning: provider 'fault_simple' 1.5 starts more child processes with each request ("
    says "warning: provider 'fault_simple' 1.5 left child processes behind, which were killed (12)"
}

@test "umask: bad manners are a warning, and put right" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline nobody can tell who it was"
    passes update umask
    says "warning: provider 'fault_simple' 1.5 changed the umask"
}

@test "directory: bad manners are a warning, and put right" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline nobody can tell who it was"
    passes update directory
    says "warning: provider 'fault_simple' 1.5 changed the working directory"
}

@test "print: bad manners are a warning, and put right" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline nobody can tell who it was"
    passes update print
    says "warning: provider 'fault_simple' 1.5 printed on a standard stream, which is not its to use: 'hello on stdout\\nhello on stderr\\n'"
}

@test "a plugin may ask whether its parent lives" {
    passes update parent
}

@test "10 MiB of log are cut, once" {
    passes update talk --verbose
    [ "$(grep -c "logged more than 4 MiB in this run; the rest is dropped" <<<"$output")" -eq 1 ]
    [ "${#output}" -lt 6000000 ]
}

@test "state is kept between open and close" {
    FAULT_STATE=$work/state passes update nothing
    grep -qx "3 written between open and close" state
}

@test "a secret in a message of the plugin is not shown" {
    FAULT="update secret failure" run apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" <<<"resources: [{fault_simple: bad, value: new, secret: hunter2}]"
    status_is 4
    says "failed: the secret [redacted] is no good"
    says_not "hunter2"
}
