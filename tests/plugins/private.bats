#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# rhost.private/1: what is kept for a resource from one run to the next, with the plugin tests/plugins/hoard.c.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

own_plugin tests/plugins/.libs/hoard.so
export LETTER=$BATS_TEST_TMPDIR/world
[ -z "$BATS_TEST_TMPDIR" ] || mkdir -p "$LETTER"
kept=$BATS_TEST_TMPDIR/state/private

hoard() {
    { echo 'resources:'; cat; } >site.yaml
    run rhost apply --detailed-exitcodes --verbose --plugin-dir "$BATS_TEST_TMPDIR/plugins" "$@" site.yaml
}

resource='  - hoard: one
    password: "first secret"
    note: hello'

@test "a password that can't be read is compared with what was written last" {
    hoard <<<"$resource"
    status_is 2
    hoard <<<"$resource"
    status_is 0
    says "the note is 'hello'"
    hoard <<<"${resource/first/second}"
    status_is 2
    says_not secret
    [ "$(cat "$LETTER/hoard-one")" = "second secret" ]
    hoard <<<"${resource/first/second}"
    status_is 0
    hoard <<<"$resource"
    status_is 2
}

@test "it is for the owner alone, without the secret, and goes with the resource" {
    hoard <<<"$resource"
    [ "$(find "$kept" -type f -perm 600 | wc -l)" -eq 2 ]
    [ "$(find "$kept" -type d -perm 700 | wc -l)" -eq 2 ]
    run grep -rl "first secret" "$BATS_TEST_TMPDIR/state"
    status_is 1
    hoard <<<"  - hoard: {name: one, ensure: absent}"
    status_is 1
    hoard <<<"  - hoard: one
    ensure: absent"
    status_is 2
    [ "$(ls "$kept/hoard,hoard")" = key ]
}

@test "a dry run reads, and writes nothing" {
    hoard --noop <<<"$resource"
    status_is 2
    [ ! -e "$kept" ]
    hoard <<<"$resource"
    find "$kept" -type f -exec sha256sum {} + >before
    hoard --noop <<<"${resource/first/second}"
    status_is 2
    says_not secret
    hoard --noop <<<"$resource"
    status_is 0
    find "$kept" -type f -exec sha256sum {} + >after
    diff before after
}

@test "a secret is not kept, and a link is not followed" {
    hoard <<<"$resource
    leak: true"
    status_is 4
    says "the text to keep contains a secret: keep its digest"
    run grep -rl "first secret" "$BATS_TEST_TMPDIR/state"
    status_is 1
    rm -f "$LETTER/hoard-one"
    rm -rf "$kept"
    mkdir elsewhere
    ln -s "$work/elsewhere" "$kept"
    hoard <<<"$resource"
    status_is 4
    says "what is kept for resources in the state directory"
    [ -z "$(ls elsewhere)" ]
    rm -f "$kept" "$LETTER/hoard-one"
    hoard <<<"$resource"
    status_is 2
    for file in "$kept"/*/*; do
        chmod 644 "$file"
    done
    hoard <<<"$resource"
    status_is 4
    # Nothing takes its place.
    [ -z "$(find "$kept" -type f ! -perm 644)" ]
}

@test "two resources and two state directories have digests of their own" {
    hoard <<<"$resource
  - hoard: two
    password: first secret"
    status_is 2
    grep -hoE '"password": ?"[^"]*"' "$kept"/*/* | sort -u >digests
    [ "$(wc -l <digests)" -eq 2 ]
    mv "$kept" was
    rm "$LETTER"/hoard-*
    hoard <<<"$resource"
    grep -hoE '"password": ?"[^"]*"' "$kept"/*/* | sort -u >>digests
    [ "$(sort -u digests | wc -l)" -eq 3 ]
}

@test "a plugin that keeps something can be checked" {
    mkdir tmp
    TMPDIR=$work/tmp run "$abs_top_builddir/rhost" check "$BATS_TEST_TMPDIR/plugins/hoard.so" --fixture "$abs_top_srcdir/tests/plugins/hoard.fixture.yaml"
    status_is 0
    is "$(ls tmp)" ''
}
