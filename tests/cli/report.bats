#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Where a report goes, and where it must not.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

setup() {
    work_open
    manifest <<END
resources:
  - file: $work/one
    content: a
END
}

# The file has a report with one resource, and nothing else.
is_a_report() {
    json_is "$1" '[r["title"] for r in d["resources"]]' "['$work/one']"
}

@test "a report ends with a line's end" {
    rhost apply --color=never site.yaml >output
    [ -z "$(tail -c 1 output)" ]
    [ "$(tail -n 1 output | grep -c '1 changed')" -eq 1 ]
    rhost apply --color=never --noop site.yaml >output
    [ -z "$(tail -c 1 output)" ]
}

@test "where the locale has no UTF-8, a report is plain ASCII" {
    manifest <<END
resources:
  - file: $work/one
    content: a
  - link: $work/two
    target: one
END
    LC_ALL=C rhost apply --noop site.yaml >out
    grep -q 'ensure  absent -> present' out
    grep -q ' - noop: nothing was changed' out
    [ -z "$(LC_ALL=C tr -d '\000-\177' <out)" ]
    LC_ALL='' LC_CTYPE='' LANG=de_DE rhost apply site.yaml >out
    grep -q 'ensure  absent -> present' out
    rm one
    LC_ALL='' LC_CTYPE=C.utf8 LANG=C rhost apply site.yaml >out
    grep -q 'ensure  absent → present' out
    rm one
    LC_ALL='' LC_CTYPE='' LANG='' rhost apply site.yaml >out
    grep -q 'ensure  absent → present' out
}

@test "a report replaces a regular file, for its owner only" {
    echo old >report
    chmod 644 report
    rhost apply --report=report site.yaml
    is_a_report report
    is "$(mode_of report)" 600
    is "$(find . -name 'report*')" ./report
}

@test "a report is written to a device, which stays" {
    requires_root
    mknod null c 1 3 || skip "cannot create a device here"
    : >null 2>/dev/null || skip "devices cannot be opened here"
    chmod 666 null
    rhost apply --report=null site.yaml
    is "$(stat -c '%F %a' null)" "character special file 666"
    is "$(find . -name 'null*')" ./null
}

@test "a report is not written to a block device" {
    requires_root
    mknod disk b 7 99 || skip "cannot create a device here"
    run rhost apply --report=disk site.yaml
    [ "$status" -ne 0 ]
    says "cannot write 'disk'"
    is "$(stat -c %F disk)" "block special file"
    [ ! -e one ]
}

@test "a report is written to a FIFO, which stays" {
    mkfifo pipe
    cat pipe >copy 3>&- &
    rhost apply --report=pipe site.yaml
    wait $!
    is_a_report copy
    [ -p pipe ]
}

@test "a report goes through a symbolic link, which stays" {
    echo old >target
    ln -s target link
    rhost apply --report=link site.yaml
    is_a_report target
    is "$(readlink link)" target
}

@test "as root, a report is not made in a directory that a link of another user leads to" {
    requires_root
    mkdir theirs ours
    ln -s "$PWD/ours" theirs/link
    chown -h nobody theirs theirs/link
    for option in --report --events; do
        run rhost apply $option=theirs/link/report.json site.yaml
        status_is 1
        says "cannot write 'theirs/link/report.json'"
        is "$(ls ours)" ''
    done
    rhost apply --report=theirs/report.json site.yaml
    is_a_report theirs/report.json
    is "$(ls theirs)" "link
report.json"
    chown -h root theirs theirs/link
    rhost apply --report=theirs/link/report.json site.yaml
    is_a_report ours/report.json
}

@test "a report is not written to the state directory, or among credentials" {
    state=$BATS_TEST_TMPDIR/state
    mkdir credentials
    rhost apply site.yaml
    for file in "$state/report.json" "$state/runs/../plan-key.json" credentials/key; do
        run env CREDENTIALS_DIRECTORY="$PWD/credentials" "$abs_top_builddir/rhost" apply --state-dir "$state" \
            --report="$file" site.yaml
        status_is 1
        says "cannot write the report '$file': it is in the"
        run env CREDENTIALS_DIRECTORY="$PWD/credentials" "$abs_top_builddir/rhost" apply --state-dir "$state" \
            --events="$file" site.yaml
        status_is 1
    done
    is "$(ls credentials)" ''
    [ ! -e "$state/report.json" ]
}

@test "as root, a report does not go through a link of another user" {
    requires_root
    echo old >target
    ln -s target link
    chown -h nobody link
    run rhost apply --report=link site.yaml
    status_is 1
    says "it is a symbolic link of another user"
    is "$(cat target)" old
    [ ! -e one ]
}

@test "a report to /dev/stdout is on standard output behind what else is there" {
    rhost apply --report=/dev/stdout -q site.yaml >out
    is_a_report out
    rm one
    { echo first; rhost apply --report=/dev/stdout site.yaml; } >out
    is "$(head -n 1 out)" first
    [ "$(grep -c '"counts"' out)" -eq 1 ]
    grep -q '^1 resource' out
    [ -c /dev/stdout ] || [ -L /dev/stdout ]
}

@test "a run that could not begin is reported as refused" {
    echo old >report
    mkdir -p "$BATS_TEST_TMPDIR/state/pending.jsonl"
    run rhost apply --report=report site.yaml
    status_is 1
    json_is report 'd["status"], d["exit"], d["resources"]' "('refused', 1, [])"
    json_is report 'd["errors"][0]["message"].startswith("cannot read the pending notifications")' True
    is "$(find . -name 'report*')" ./report
    [ ! -e one ]
}

@test "with closed standard streams nothing goes into the lock, the journal or a worker" {
    local streams
    for streams in '>&-' '<&- >&-' '2>&-' '<&- >&- 2>&-'; do
        rm -f one
        eval "rhost apply --report=report site.yaml 3>&- $streams"
        is "$(cat one)" a
        is "$(wc -l <"$BATS_TEST_TMPDIR/state/lock")" 1
        grep -q '^the run of process' "$BATS_TEST_TMPDIR/state/lock"
        json_is report 'd["resources"][0]["status"], d["exit"]' "('changed', 0)"
    done
}

@test "what rhost starts opens nothing in the place of a closed standard stream" {
    requires_command strace
    for program in rhost-fetch rhost-nats rhost-otlp rhost-s3; do
        [ -x "$abs_top_builddir/core/$program" ] || continue
        strace -e trace=open,openat -o "$program.trace" "$abs_top_builddir/core/$program" <&- >&- 2>&- 3>&- || true
        is "$(sed -n 's/.*"\/dev\/null".* = //p' "$program.trace" | paste -sd ' ')" '0 1 2'
    done
    compgen -G 'rhost-*.trace'
}

@test "counts add up: a refresh that failed is not a resource that failed" {
    manifest <<END
resources:
  - exec: a
    command: ["true"]
    notify: exec[b]
  - exec: b
    command: ["true"]
    only_if: [test, "!", -e, $work/ran]
  - exec: c
    command: ["false"]
    action: nothing
  - exec: d
    command: [touch, $work/ran]
    notify: exec[c]
END
    run rhost validate site.yaml
    is "$output" '3 resources, no errors'
    run rhost apply --report=report site.yaml
    status_is 4
    says '3 resources: 3 changed, 1 refreshed, 1 failed to refresh' || says '3 resources: 3 changed, 1 failed to refresh'
    json_is report 'd["counts"]["total"], d["counts"]["failed"], d["counts"]["refresh_failed"]' '(3, 1, 1)'
    run rhost runs
    says '1 failed to refresh'
    run rhost show last
    says '1 failed to refresh'
}

@test "in the system's journal lines have priorities" {
    manifest <<END
resources:
  - file: $work/a
  - exec: fails
    command: ["false"]
  - file: $work/b
    require: exec[fails]
  - log: careful
    level: warning
END
    : >journal
    status=0
    JOURNAL_STREAM=$(stat -c %d:%i journal) rhost apply site.yaml >>journal 2>&1 || status=$?
    status_is 4
    output=$(without_codes <journal)
    says "<6>file[$work/a]"
    says '<3>exec[fails]'
    grep -qF '<3>  failed: the command failed with status 1' journal
    says "<4>file[$work/b]"
    says '<4>warning: log[careful]'
    says '<3>4 resources: '
    is "$(grep -vc '^<[3-7]>' journal)" 0
    rm -f a
    rhost apply site.yaml >out 2>&1 || true # it goes elsewhere
    not grep -q '^<' out
}

@test "a plain text of 60 characters stands as it is, a longer one is cut and in quotes" {
    for n in 60 61; do
        printf 'resources:\n  - link: %s\n    target: "/%0*d"\n' "$work/link" $((n - 1)) 0 >site.yaml
        run rhost apply --noop site.yaml
        status_is 0
        grep -E '^  target ' <<<"$output" >line.$n
    done
    not grep -qF '"' line.60
    grep -qF '"' line.61
    grep -qF "$(printf '/%059d' 0)" line.60
}
