#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What is seen of a run while it goes on.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

setup() {
    work_open
    needs_python
    state_open
    unset NO_COLOR
}

teardown() {
    touch "$work/go"
    wait
}

# A command that goes on until there is a file `go`, between two files.
site() {
    manifest <<END
resources:
  - file: $work/before
    content: a
  - exec: long
    command: [sh, -c, "touch $work/started; until test -e $work/go; do sleep 0.05; done"]
  - file: $work/after
    content: a
END
}

# One that takes long enough to be seen.
short_site() {
    manifest <<END
resources:
  - file: $work/before
    content: a
  - exec: ${1:-short}
    command: [sleep, "2.5"]
  - file: $work/after
    content: a
END
}

# on_terminal [OPTION...] -- [RHOST OPTION...]: applies on a terminal; see terminal.py.
on_terminal() {
    local options=()

    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    status=0
    TERM=${TERM_IS-xterm} python3 "$abs_top_srcdir/tests/cli/terminal.py" "${options[@]}" "$abs_top_builddir/rhost" apply \
        --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" "$@" site.yaml || status=$?
    output=$(cat screen)
}

has_status_line() {
    grep -q '\[[0-9]*/[0-9]*\] ' screens
}

no_status_line() {
    not has_status_line
}

# As grep, which must find nothing.
lacks_match() {
    not grep "$@"
}

@test "what was done is read from a pipe while the run goes on" {
    site
    mkfifo pipe
    rhost apply site.yaml >pipe 2>err 3>&- &
    exec 4<pipe
    timeout 20 head -n 2 <&4 >seen
    [ ! -e go ]
    [ ! -e after ]
    is "$(head -n 1 seen)" "file[$work/before]  site.yaml:2"
    touch go
    cat <&4 >rest
    exec 4<&-
    wait
    is_empty err
    timeless <rest >rest.timeless
    is "$(cat rest.timeless)" "exec[long]  site.yaml:4
  state  needed → done
file[$work/after]  site.yaml:6
  ensure  absent → present

3 resources: 3 changed · 0.00 s"
}

@test "on a terminal a status line shows what the run is at, and nothing of it stays" {
    short_site
    on_terminal --
    status_is 0
    grep -q '^\[2/3\] exec\[short\]: updating, 0 s$' screens
    grep -q '^\[2/3\] exec\[short\]: updating, 1 s$' screens
    lacks_match -F '[2/3]' screen
    is "$(timeless <screen)" "file[$work/before]  site.yaml:2
  ensure  absent → present
exec[short]  site.yaml:4
  state  needed → done
file[$work/after]  site.yaml:6
  ensure  absent → present

3 resources: 3 changed · 0.00 s"
}

@test "what is logged meanwhile comes above the status line" {
    manifest <<END
resources:
  - exec: again
    command: [sh, -c, "sleep 0.5; test -e $work/tried || { touch $work/tried; exit 3; }"]
    retries: 1
    retry_delay: 2
END
    on_terminal --columns=200 --
    status_is 0
    says 'warning: exec[again] failed, and is tried again in 2 s'
    grep -q '^\[1/1\] exec\[again\]: waiting to try it again, ' screens
    lacks_match -F '[1/1]' screen
}

@test "no status line: a dumb terminal, none at all, a pipe, --quiet, --progress=none" {
    short_site
    for TERM_IS in dumb ''; do
        on_terminal --
        no_status_line
        lacks_match -qF "$(printf '\033[J')" raw
    done
    TERM_IS=xterm
    for option in --quiet --progress=none; do
        on_terminal -- "$option"
        no_status_line
    done
    # Another program writes on the terminal.
    TERM=xterm python3 "$abs_top_srcdir/tests/cli/terminal.py" sh -c "'$abs_top_builddir/rhost' apply \
        --state-dir '$BATS_TEST_TMPDIR/state' site.yaml | cat"
    no_status_line
    # A file does not.
    TERM=xterm python3 "$abs_top_srcdir/tests/cli/terminal.py" sh -c "'$abs_top_builddir/rhost' apply \
        --state-dir '$BATS_TEST_TMPDIR/state' site.yaml >out"
    has_status_line
    lacks_match -q '\[2/3\]' out
    grep -q '^3 resources: 2 ok, 1 changed' out
}

@test "a status line fits into the terminal, and has no colour where none is wanted" {
    short_site '"long löng 長い ways to say it"'
    on_terminal --columns=24 --
    status_is 0
    grep -qxF '[2/3] exec[long löng 長' screens
    lacks_match -F '[2/3]' screen
    grep -qF "$(printf '\033[2m[2/3]')" raw
    NO_COLOR=1 on_terminal --
    lacks_match -qF "$(printf '\033[2m')" raw
    has_status_line
}

@test "a title can't act on the terminal, and the status line has no secret" {
    manifest <<END
resources:
  - exec: "a\e[31m\rb\u202e"
    command: [sh, -c, "sleep 2 # swordfish-42"]
    sensitive: command
END
    on_terminal --columns=200 --
    grep -qF '[1/1] exec[a\x1b[31m\rb\u{202e}]: ' screens
    lacks_match -qF swordfish raw
}

@test "--progress=json: a JSON object for each thing as it happens" {
    site
    rhost apply --progress=json site.yaml >out 2>err 3>&- &
    for _ in $(seq 200); do
        ! grep -q '"running", .*"resource": "exec\[long\]"' err || break
        sleep 0.05
    done
    [ ! -e go ]
    grep -q '"event": "resource", .*"type": "file"' err
    touch go
    wait
    json_lines <err >d
    json_is d '[e["event"] for e in d if e["event"] != "running"]' "['begin', 'resource', 'resource', 'resource', 'end']"
    json_is d 'd[0]["total"], d[0]["noop"]' '(3, False)'
    json_is d '[(e["title"], e["status"]) for e in d if e["event"] == "resource"][1]' "('long', 'changed')"
    json_is d '[(e["done"], e["total"]) for e in d if e.get("resource") == "exec[long]"]' '[(1, 3)]'
    json_is d 'd[-1]["exit"], d[-1]["counts"]["changed"]' '(0, 3)'
    grep -q '^3 resources: 3 changed' out
}

json_lines() {
    python3 -c 'import json, sys; print(json.dumps([json.loads(line) for line in sys.stdin]))'
}

@test "--progress=json: what is logged is among the objects; to another descriptor, it is not" {
    touch go
    manifest <<END
resources:
  - log: hello
    level: warning
END
    split rhost apply --progress=json site.yaml
    status_is 0
    json_lines <err >d
    json_is d '[e["message"] for e in d if e["event"] == "log"]' "['hello']"
    not grep -q hello out
    split rhost apply --progress=json:7 site.yaml 7>lines
    status_is 0
    grep -q 'warning: .*hello' err
    json_lines <lines >d
    json_is d 'd[-1]["event"]' end
    for bad in json:8 json:0 json: json:x jsons; do
        run rhost apply "--progress=$bad" site.yaml
        status_is 1
        says "invalid value '$bad' for --progress"
    done
}

@test "whoever watches may go away" {
    touch go
    manifest <<END
resources:
  - exec: one
    command: [sleep, "0.3"]
  - exec: two
    command: [touch, $work/two]
END
    rhost apply --progress=json:7 site.yaml 7> >(head -n 1 >first)
    [ -e two ]
}

@test "with --verbose, the last line that the command prints is below, and nowhere where it may be secret" {
    manifest <<END
resources:
  - exec: talks
    command: [sh, -c, "echo one; sleep 2; printf 'tw\\\\033[31mo\\\\n'; sleep 2"]
  - exec: whispers
    command: [sh, -c, "echo psst-swordfish; sleep 0.7"]
    environment: {WORD: swordfish}
    sensitive: environment
END
    on_terminal -- -v
    status_is 0
    grep -qxF '  one' screens
    grep -qxF '  tw\x1b[31mo' screens
    not grep -qF psst raw
    not grep -qF swordfish raw
    not grep -qxF '  one' screen
    says 'info: exec[talks]: Updating: one'
    on_terminal -- # without -v
    not grep -qxF '  one' screens
}

@test "what a command printed is in the report and the journal when it succeeded" {
    manifest <<END
resources:
  - exec: talks
    command: [sh, -c, "echo one; echo two >&2; echo; echo three"]
  - exec: whispers
    command: [sh, -c, "echo psst"]
    environment: {WORD: swordfish}
    sensitive: environment
  - exec: a lot
    command: [seq, "1000"]
END
    split rhost apply --report=report site.yaml
    status_is 0
    is_empty err
    json_is report '[l["message"] for l in d["resources"][0]["log"] if l["level"] == "info"]' "['one', 'two', '', 'three']"
    json_is report '[l["message"] for l in d["resources"][1]["log"] if l["message"] == "psst"]' '[]'
    json_is report '[l["message"] for l in d["resources"][2]["log"] if l["level"] == "info"][0::99]' "['901', '1000']"
    run rhost show last
    says 'info: exec[talks]: Updating: three'
    run rhost apply -v site.yaml
    says 'info: exec[talks]: Updating: one'
}

@test "--fail-fast: the first failure ends the run" {
    manifest <<END
resources:
  - exec: ignored
    command: ["false"]
    ignore_failure: true
  - exec: tells
    command: ["true"]
    notify: exec[told]
  - exec: fails
    command: [sh, -c, "exit 3"]
  - exec: other
    command: [touch, $work/other]
  - file: $work/after
  - exec: told
    command: [touch, $work/told]
    action: nothing
END
    run rhost apply --fail-fast --report=report site.yaml
    status_is 4
    says "exec[fails] failed, which ended the run: 2 resources were not reached: exec[other], file[$work/after]; pending notifications are kept for the next run"
    says '5 resources: 1 changed, 1 failed, 1 failed and ignored, 2 not reached'
    [ ! -e other ]
    [ ! -e after ]
    [ ! -e told ]
    run rhost pending
    says 'exec[told]'
    sed -i 's/exit 3/exit 0/' site.yaml
    run rhost apply --fail-fast site.yaml
    status_is 0
    [ -e told ]
    [ -e other ]
}

# A resource of tests/plugins/fault.c, which works for two seconds and a half.
slow_site() {
    own_plugin tests/plugins/.libs/fault.so
    printf 'resources:\n  - fault_simple: bad\n    value: new\n' | manifest
}

@test "the status line shows what a provider waits for, and how far it is" {
    slow_site
    FAULT="update announced" on_terminal --columns=120 -- --plugin-dir "$BATS_TEST_TMPDIR/plugins"
    status_is 0
    grep -A1 '^\[1/1\] fault_simple\[bad\]: updating' screens | grep -q 'waiting for the lock'
    lacks_match -F 'waiting for the lock' screen
    FAULT="update counted" on_terminal --columns=120 -- --plugin-dir "$BATS_TEST_TMPDIR/plugins"
    status_is 0
    grep -qE '^\[1/1\] fault_simple\[bad\]: updating.*, [0-9]+/25 files' screens
    lacks_match -F 'files' screen
}

@test "--progress=json has what a provider waits for, and how far it is" {
    slow_site
    FAULT="update announced" rhost apply --progress=json --plugin-dir "$BATS_TEST_TMPDIR/plugins" site.yaml 2>events
    grep -F '"event": "progress"' events | grep -F '"resource": "fault_simple[bad]"' | grep -qF '"text": "waiting for the lock"'
    FAULT="update counted" rhost apply --progress=json --plugin-dir "$BATS_TEST_TMPDIR/plugins" site.yaml 2>events
    grep -F '"event": "progress"' events | grep -F '"resource": "fault_simple[bad]"' |
        grep -qE '"count": [0-9]+, "of": 25, "unit": "files"'
}
