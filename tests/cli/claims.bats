#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Resources that would undo each other in every run are refused, by what their types own and edit.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

setup() {
    work_open
}

# refused TEXT: site.yaml is, with this
refused() {
    run rhost validate site.yaml
    status_is 1
    says "$1"
}

accepted() {
    run rhost validate site.yaml
    status_is 0
}

@test "a file and a link at one path are refused, with both places" {
    printf '%s\n' 'resources:' "- file: $work/x" '  content: a' "- link: $work/x" '  target: y' >site.yaml
    refused "site.yaml:4:3: error: link[$work/x] and file[$work/x] would undo each other in every run: both manage the path '$work/x'"
    says 'site.yaml:2:3: first declared here'
    says 'keep one of the two, and remove the other'
    [ "$(grep -c 'error:' <<<"$output")" -eq 1 ]
}

@test "an archive and a directory at one path are refused" {
    printf '%s\n' 'resources:' "- archive: $work/x" "  source: $work/a.tar" "- directory: $work/x" >site.yaml
    refused "directory[$work/x] and archive[$work/x] would undo each other in every run: both manage the path '$work/x'"
    printf '%s\n' 'resources:' "- archive: $work/x" "  source: $work/a.tar" "- file: $work/x/y" >site.yaml
    accepted
}

@test "types that edit a file are refused where another resource has all of its content" {
    for entry in "line: \"$work/x: foo\"" "text_block: $work/x" "substitution: \"$work/x: foo\"
  replacement: bar" "ini_setting: a/b
  path: $work/x
  section: a
  setting: b
  value: c" "host: www
  ip: 192.0.2.1
  target: $work/x" "cron: job
  target: $work/x
  command: /bin/true"; do
        printf '%s\n' 'resources:' "- $entry" "- file: $work/x" '  content: a' >site.yaml
        refused "both manage the content '$work/x'"
        says "state all of it in file[$work/x], or remove 'content' there"
    done
    printf '%s\n' 'resources:' "- file: $work/x" '  source: /etc/hostname' "- line: \"$work/x: foo\"" >site.yaml
    refused "remove 'source' there"
}

@test "a path with '..' is that of the directory above" {
    printf '%s\n' 'resources:' "- file: $work/a/../x" "- file: $work/x" >site.yaml
    refused "both manage the path '$work/x'"
    printf '%s\n' 'resources:' "- file: $work/a/../x" "- file: $work/a/x" >site.yaml
    accepted
}

@test "what goes together is accepted" {
    printf '%s\n' 'resources:' "- file: $work/x" '  mode: 0600' "- line: \"$work/x: foo\"" "- line: \"$work/x: bar\"" >site.yaml
    accepted
    printf '%s\n' 'resources:' "- file: $work/x" '  content: a' '  replace: false' "- line: \"$work/x: foo\"" >site.yaml
    accepted
    printf '%s\n' 'resources:' "- file: $work/x" '  content: a' '  follow: true' "- link: $work/x" '  target: y' >site.yaml
    accepted
    printf '%s\n' 'resources:' "- file: $work/x" '  ensure: absent' "- link: $work/y" '  target: x' >site.yaml
    accepted
}

@test "what is not applied in every run is accepted" {
    local only
    for only in "not_if: test -e $work/x" "only_if: test ! -e $work/x" 'noop: true' 'schedule: {period: daily}'; do
        printf '%s\n' 'resources:' "- file: $work/x" '  content: a' "  $only" "- line: \"$work/x: foo\"" >site.yaml
        accepted
        printf '%s\n' 'resources:' "- file: $work/x" '  content: a' "- line: \"$work/x: foo\"" "  $only" >site.yaml
        accepted
    done
    printf '%s\n' 'resources:' "- file: $work/x" '  audit: all' "- link: $work/x" '  target: y' >site.yaml
    accepted
}

@test "a unit without content goes with what edits its file" {
    printf '%s\n' 'resources:' '- systemd_unit: a.service' "  directory: $work" "- line: \"$work/a.service: foo\"" >site.yaml
    accepted
    printf '%s\n' 'resources:' '- systemd_unit: a.service' "  directory: $work" '  settings:' '    Service:' \
        '      ExecStart: /bin/true' "- line: \"$work/a.service: foo\"" >site.yaml
    refused "remove 'settings' there"
}

@test "'rhost describe' lists what a type owns and edits" {
    rhost describe file >said
    grep -qxF "  owns path[\$path] unless \$follow" said
    rhost describe line | grep -qxF "  edits content[\$path]"
}

@test "a run warns of what one resource changed and a later one changed again" {
    cat >site.yaml <<END
resources:
- file: $work/x
  content: a
  only_if: test ! -e $work/keep
- line: "$work/x: foo"
END
    run rhost apply site.yaml
    status_is 0
    says "warning: file[$work/x] is no longer as declared: line[$work/x: foo], which was applied after it, changed the same content [RH0154]"
    is "$(cat x)" 'a
foo'
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    says 'is no longer as declared'
    touch keep
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    says_not 'is no longer as declared'
    run rhost apply --noop site.yaml
    status_is 0
    says_not 'is no longer as declared'
    rhost show last >shown
    not grep 'no longer' shown
}

@test "what shares a file and does not undo the other is not warned of" {
    cat >site.yaml <<END
resources:
- file: $work/x
  mode: 0600
- line: "$work/x: foo"
- line: "$work/x: bar"
- line: third
  path: $work/x
  text: baz
  match: ^ba[xyz]\$
END
    run rhost apply site.yaml
    status_is 0
    says_not 'no longer'
    cat >site.yaml <<END
resources:
- ini_setting: first
  path: $work/ini
  section: s
  setting: port
  value: 1
- line: second
  path: $work/ini
  text: port = 2
  match: ^port
END
    run rhost apply site.yaml
    status_is 0
    says "ini_setting[first] is no longer as declared: line[second], which was applied after it, changed the same content"
    is "$(grep -c 'no longer' <<<"$output")" 1
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    says 'ini_setting[first] is no longer as declared'
    rhost show last | grep -q 'ini_setting\[first\] is no longer as declared'
}

@test "'rhost describe' lists what a change of a type destroys" {
    rhost describe directory | grep -qxF "  what is in it if \$force"
    rhost describe --format=json directory | tr -d '\n' | grep -q '"losses": \[ *"what is in it if $force",'
}
