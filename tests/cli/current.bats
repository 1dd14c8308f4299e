#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# current(type, title): what is there now.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"
source "$abs_top_srcdir/tests/cli/herd.bash"

@test "it is the state that the provider reads, and nil where there is nothing" {
    echo text >old
    chmod 640 old
    manifest <<END
resources:
  - file: $work/new
    mode: \${current("file", "$work/old").mode}
    content: "\${current('file', '$work/old').content}\${current('file', '$work/none') == nil}"
  - file: $work/never
    when: current("file", "$work/old") == nil
END
    run rhost validate site.yaml
    status_is 0
    [ ! -e new ]
    run rhost apply site.yaml
    status_is 0
    [ "$(cat new)" = $'text\ntrue' ]
    [ "$(mode_of new)" = 640 ]
    [ ! -e never ]
}

@test "what can't be read is said at its place" {
    manifest <<'END'
resources:
  - log: a
    when: current("fiel", "/etc/passwd") == nil
  - log: b
    when: current("file", "relative") == nil
  - log: c
    when: current("file") == nil
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:3:20: error: there is no type 'fiel' whose state could be read: did you mean 'file'?"
    says "site.yaml:5:28: error: the title expects"
    says "site.yaml:7:11: error:"
    says '3 errors'
}

@test "what it read is read again when the run begins" {
    echo one >a
    manifest <<END
resources:
  - file: $work/b
    content: \${current("file", "$work/a").content}
  - file: $work/a
    content: "two\n"
END
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    [ "$(cat b)" = one ]
    [ "$(cat a)" = two ]
}
