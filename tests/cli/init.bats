#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What helps at the start: rhost init, rhost examples, and topics of rhost help.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

@test "init makes a site whose test succeeds, and which converges" {
    run rhost init --yes my-site
    status_is 0
    says "my-site: a first site"
    RHOST="$BATS_TEST_TMPDIR/rhost-here" my-site/test 2>/dev/null && false
    printf '#!/bin/sh\nexec "%s" "$@" --state-dir "%s/state"\n' "${RHOST:-$abs_top_builddir/rhost}" "$work" >here
    chmod +x here
    run env RHOST="$PWD/here" my-site/test
    status_is 0
    says '3 would change'
    sed -i "s|/tmp/example|$work/first|" my-site/site.yaml
    rhost apply my-site/site.yaml
    run rhost apply --detailed-exitcodes my-site/site.yaml
    status_is 0
    [ -s first/motd ]
}

@test "the files of a first site are what their readers expect" {
    needs_python
    rhost init -y my-site
    cmp my-site/schema.json <(rhost schema)
    python3 -c 'import json, sys; json.load(open(sys.argv[1]))' my-site/.vscode/settings.json
    python3 -c 'import yaml' || skip "needs python3 with yaml"
    python3 -c 'import sys, yaml; [yaml.safe_load(open(f)) for f in sys.argv[1:]]' my-site/.github/workflows/site.yml \
        my-site/.gitlab-ci.yml
    [ -x my-site/test ]
}

@test "the page for beginners shows the manifest that init makes" {
    rhost init --yes my-site
    grep -v '^#' my-site/site.yaml >made
    awk '/^```yaml$/ { inside = 1; next } /^```$/ { inside = 0 } inside && !/^# example/' \
        "$abs_top_srcdir/docs/start/index.md" >shown
    diff -u made shown
    grep -q '^    echo oops >/tmp/example/motd$' "$abs_top_srcdir/docs/start/index.md"
}

@test "init replaces nothing, and asks unless it is told not to" {
    rhost init --yes .
    [ -f site.yaml ]
    mkdir other
    echo mine >other/test
    run rhost init --yes other
    status_is 1
    says "'other/test' already exists: nothing was written [RH0292]"
    [ "$(ls other)" = test ]
    run rhost init third </dev/null
    status_is 1
    says 'standard input is not a terminal [RH0298]'
    says "'--yes' writes the files without a question"
    [ ! -e third ]
    run rhost init a b
    status_is 1
    says "unexpected argument 'b'"
    run rhost init --yes ''
    status_is 1
    says 'DIR must not be empty'
}

@test "on a terminal init lists the files, and writes them when the answer is y" {
    requires_command script
    for answer in y n; do
        printf '%s\n' "$answer" | script -qec "$abs_top_builddir/rhost init --state-dir $work/state site-$answer" /dev/null >shown || true
        output=$(tr -d '\r' <shown)
        says '.gitlab-ci.yml CI: runs the test'
        says 'Write them? [y/N]'
    done
    [ -f site-y/site.yaml ]
    [ ! -e site-n ]
    says 'no file was written [RH0298]'
}

@test "init says what it cannot write" {
    : >file
    run rhost init --yes file/site
    status_is 1
    says "cannot create 'file/site'"
}

@test "examples lists what has examples, and each is a manifest" {
    rhost examples | awk '{ print $1 }' >names
    for name in file link user service-systemd users-and-keys web-server ansible start; do
        grep -qx "$name" names
    done
    for name in link exec secrets templates; do
        rhost examples $name >$name.yaml
        rhost validate $name.yaml
    done
}

@test "one of several examples is chosen by its number" {
    rhost examples exec >first
    rhost examples exec 1 | cmp - first
    head -1 first | grep -qE "^# 1 of [0-9]+: 'rhost examples exec 2' prints the next one$"
    rhost examples exec 2 | grep -q 'rebuild the index'
    rhost examples service | grep -q 'systemd_unit'
    for number in 0 99 x 1x '' -- -1; do
        run rhost examples exec "$number"
        [ "$number" = -- ] || status_is 1
    done
    says "unknown example '-1'" || says "unknown option '-1'"
}

@test "what has no examples is refused, with the nearest name" {
    run rhost examples lnk
    status_is 1
    says "no examples for 'lnk' [RH0297]"
    says "did you mean 'link'?"
    run rhost examples zzzzzzzz
    status_is 1
    says "'rhost examples' lists what has examples"
    run rhost examples ''
    status_is 1
    run rhost examples a 1 c
    status_is 1
    says "unexpected argument 'c'"
}

@test "help prints topics, from the pages of the manual" {
    for page in "$abs_top_srcdir"/docs/concepts/*.md; do
        topic=$(basename "$page" .md)
        case $topic in index | action-list) continue ;; esac
        run "$abs_top_builddir/rhost" help "$topic"
        status_is 0
        [ "${lines[0]}" = "$(sed -n 's/^# //p' "$page" | head -1)" ]
        says_not ']('
        grep -q "^  $topic " <("$abs_top_builddir/rhost" help)
    done
    run "$abs_top_builddir/rhost" help notification
    status_is 1
    says "unknown command or topic 'notification'"
    says "did you mean 'notifications'?"
    run "$abs_top_builddir/rhost" help zzzzzzz
    status_is 1
    says "'rhost describe TYPE' shows a resource type"
}

@test "shells complete topics and examples" {
    run rhost complete -- help no
    says $'notifications\tNotifications'
    says $'node\t'
    run rhost complete -- examples users
    says 'users-and-keys'
    run rhost complete -- init --y
    says '--yes'
}
