#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What providers that were taken over can do, without confinement and with it: all attempts of tests/unit/attempts.c,
# by a plugin and by a program, and a flaw in a parser. The table of docs/security/confinement.md has the outcomes.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

own_plugin tests/plugins/.libs/hostile.so
own_plugin tests/plugins/.libs/overflow.so

setup() {
    work_open
    top=$(mktemp -d /tmp/rhost-hostile-XXXXXX)
}

teardown() {
    for one in ${started-}; do kill "$one" 2>/dev/null || :; done
    case ${top-} in
    /tmp/rhost-hostile-*) rm -rf "$top" ;;
    esac
}

needs_confinement() {
    requires_root
    [ "$RHOST_ISOLATION" != none ] || skip "a process of its own is confined"
    needs_python
    python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)' ||
        skip "the kernel has no Landlock"
}

# What there is to attack. Prints what the provider has to know of it.
scene() {
    mkdir -p "$top/inside" "$top/readable" "$top/outside/directory"
    chmod 755 "$top"
    for one in inside readable outside; do
        echo text >"$top/$one/file"
        chmod 755 "$top/$one/file"
    done
    sleep 600 3>&- &
    victim=$!
    python3 - "$top/outside/socket" "$top/port" "rhost-hostile-$$" 3>&- <<'END' &
import os, signal, socket, sys
path = socket.socket(socket.AF_UNIX); path.bind(sys.argv[1]); path.listen(4096)
name = socket.socket(socket.AF_UNIX); name.bind("\0" + sys.argv[3]); name.listen(4096)
port = socket.socket(); port.bind(("127.0.0.1", 0)); port.listen(4096)
with open(sys.argv[2] + ".new", "w") as f:
    f.write(str(port.getsockname()[1]))
os.rename(sys.argv[2] + ".new", sys.argv[2])
signal.pause()
END
    started="$victim $!"
    until [ -e "$top/port" ]; do sleep 0.05; done
    where="$top $(cat "$top/port") rhost-hostile-$$ $victim"
}

# attempts ISOLATION TYPE ATTRIBUTE...: prints "NAME: RESULT" for each.
attempts() {
    local isolation=$1 type=$2
    shift 2
    {
        printf 'resources:\n  - %s: %s/inside/report\n    at: "%s"\n    value: x\n' "$type" "$top" "$where"
        [ $# -eq 0 ] || printf '    %s\n' "$@"
    } >site.yaml
    rhost apply --isolation="$isolation" --plugin-dir "$BATS_TEST_TMPDIR/plugins" --format=json --noop site.yaml \
        >report.json 2>messages || { cat messages report.json; return 1; }
    grep -q '"from": *"done"' report.json || { cat report.json; return 1; }
    cat "$top/inside/report"
}

# At least 40 work without confinement, and of these none with it but one, which has no effect: the kernel sends no
# signal for it.
compare() {
    paste -d ' ' before after | head -3
    [ "$(wc -l <before)" -eq "$(wc -l <after)" ]
    [ "$(grep -c ': works$' before)" -ge 40 ] || { cat before; return 1; }
    grep ': works$' after | grep -vFx 'have signals sent for a descriptor: works' >left || :
    is_empty left
}

@test "all attempts of a hostile plugin are refused, of which most work without confinement" {
    needs_confinement
    scene
    attempts confined hostile 'attempt: everything' >after
    attempts worker hostile 'attempt: everything' >before
    compare
}

@test "all attempts of a hostile program are refused, of which most work without confinement" {
    needs_confinement
    scene
    mkdir "$BATS_TEST_TMPDIR/plugins/intruder"
    cp "$abs_top_builddir/tests/plugins/hostile-program" "$BATS_TEST_TMPDIR/plugins/intruder/"
    cat >"$BATS_TEST_TMPDIR/plugins/intruder/type.yaml" <<'END'
type: intruder
version: "1.0"
desc: Tries what it does not declare.
program: ./hostile-program
features: simple_get_filter
needs: 'write[$path]'
attributes:
  path:
    type: Pattern[/\A\//]
    desc: What it may write.
    behaviour: namevar
  at:
    type: String
    desc: What there is to attack.
    behaviour: parameter
  value:
    type: Optional[String]
    desc: Something.
END
    attempts confined intruder >after
    attempts worker intruder >before
    compare
}

@test "a program that is confined has the interpreter and the programs that it declares, and no others" {
    needs_confinement
    mkdir -p "$BATS_TEST_TMPDIR/plugins/scripted" "$top/inside"
    cat >"$BATS_TEST_TMPDIR/plugins/scripted/type.yaml" <<'END'
type: scripted
version: "1.0"
desc: Is a shell script.
program: ./scripted.sh
features: simple_get_filter
needs: ['write[$path]', 'run[cat]']
attributes:
  path:
    type: Pattern[/\A\//]
    desc: What it may write.
    behaviour: namevar
  value:
    type: Optional[String]
    desc: Something.
END
    cat >"$BATS_TEST_TMPDIR/plugins/scripted/scripted.sh" <<'END'
#!/bin/sh
while read -r line; do
    case $line in
    '{"hello"'*) echo '{"hello":{"protocol":1}}' ;;
    '{"get"'*)
        path=${line#*'"path":"'}
        path=${path%%'"'*}
        cat=refused id=refused own=refused other=refused
        cat </dev/null && cat=works
        id >/dev/null 2>&1 && id=works
        : 2>/dev/null >"$path" && own=works
        (: >"$path/../../other") 2>/dev/null && other=works
        printf '{"resource":{"path":"%s","value":"cat %s, id %s, own %s, other %s"}}\n{"done":true}\n' \
            "$path" $cat $id $own $other
        ;;
    *) echo '{"done":true}' ;;
    esac
done
END
    chmod +x "$BATS_TEST_TMPDIR/plugins/scripted/scripted.sh"
    cat >site.yaml <<END
resources:
  - scripted: $top/inside/report
    value: x
END
    run rhost apply --isolation=confined --plugin-dir "$BATS_TEST_TMPDIR/plugins" --noop site.yaml
    status_is 0
    says 'cat works, id refused, own works, other refused'
}

@test "a program that is declared is not started with a variable that loads other code" {
    needs_confinement
    mkdir -p "$top/inside"
    cat >site.yaml <<END
resources:
  - hostile: $top/inside/report
    attempt: preload
    value: x
END
    run rhost apply --isolation=confined --plugin-dir "$BATS_TEST_TMPDIR/plugins" --noop site.yaml
    status_is 4
    says "provider 'hostile' tried to run 'true' with the variable 'LD_PRELOAD', which can make it run other code"
    run rhost apply --isolation=worker --plugin-dir "$BATS_TEST_TMPDIR/plugins" --noop site.yaml
    status_is 0
}

# A line of its input that is too long overwrites a pointer, and a file that root owns is written: one in a directory
# of this test, in place of /etc/shadow.
exploit() {
    mkdir -p "$top/inside" "$top/etc"
    rm -f "$top/inside"/*
    : >"$top/inside/input" # one that is made later would have a process with other addresses
    echo 'root:secret:1::::::' >"$top/etc/shadow"
    chmod 600 "$top/etc/shadow"
    cat >attack.py <<'END'
import struct, subprocess, sys
top, plugin = sys.argv[1:]
symbols = {f[2]: int(f[0], 16) for f in (l.split() for l in subprocess.run(["nm", plugin], stdout=-1, text=True,
           check=True).stdout.splitlines()) if len(f) == 3}
count = int(open(top + "/inside/leak").read(), 16)
with open(top + "/inside/input", "wb") as f:
    f.write(b"A" * 32 + struct.pack("<Q", count - symbols["count"] + symbols["save"]) + b"\n")
    f.write((top + "/etc/shadow root::1::::::\n").encode())
END
    cat >site.yaml <<END
resources:
  - overflow: $top/inside/leak
    input: $top/inside/input
  - exec: attack
    command: [python3, $PWD/attack.py, $top, $BATS_TEST_TMPDIR/plugins/overflow.so]
  - overflow: $top/inside/report
    input: $top/inside/input
    require: exec[attack]
END
    run rhost apply --isolation="$1" --plugin-dir "$BATS_TEST_TMPDIR/plugins" site.yaml
    echo "$output"
}

@test "a parser that is taken over writes a file of root without confinement, and can't with it" {
    needs_confinement
    requires_command nm
    is_sanitized && skip "the sanitizer ends the plugin"
    [ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ] || skip "another layout of pointers"
    exploit worker
    is "$(cat "$top/etc/shadow")" 'root::1::::::'
    exploit confined
    is "$(cat "$top/etc/shadow")" 'root:secret:1::::::'
    says "cannot use '$top/inside/input': Read-only file system"
}
