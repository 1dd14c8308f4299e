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

# asks ISOLATION EXPRESSION [OPTION...]: prints what it is.
asks() {
    local isolation=$1
    printf 'resources:\n  - file: %s/answer\n    content: "${%s}"\n' "$work" "$2" >site.yaml
    shift 2
    rhost apply --isolation="$isolation" --plugin-dir "$BATS_TEST_TMPDIR/plugins" "$@" site.yaml >messages 2>&1 ||
        { cat messages; return 1; }
    cat "$work/answer"
}

@test "all attempts of a hostile lookup are refused, of which most work without confinement" {
    needs_confinement
    scene
    asks confined "lookup('hostile_everything', '$where')" >after
    asks worker "lookup('hostile_everything', '$where')" >before
    compare
}

@test "a lookup reads what its needs name, for the parameters of each question, and a fact what its own name" {
    needs_confinement
    echo one >"$top/one"
    echo two >"$top/two"
    [ "$(asks confined "lookup('hostile_read', '$top/one', '$top/one')")" = worked ]
    [ "$(asks confined "lookup('hostile_read', '$top/one', '$top/two')")" = 'Permission denied' ]
    [ "$(asks worker "lookup('hostile_read', '$top/one', '$top/two')")" = worked ]
    # The second question needs another process than the first.
    [ "$(asks confined "lookup('hostile_read', '$top/one', '$top/one')} \${lookup('hostile_read', '$top/two', '$top/two')} \${lookup('hostile_read', '$top/two', '$top/one')")" = 'worked worked Permission denied' ]
    asks confined node.hostile_load >said
    cat said messages
    grep -qxE 'Permission denied|Read-only file system' said
    rm -f /etc/rhost-hostile
    [ "$(asks worker node.hostile_load)" = worked ]
    rm /etc/rhost-hostile
}

@test "the policy denies lookups what it says, and refuses or names a plugin whose lookups declare no needs" {
    needs_confinement
    echo one >"$top/one"
    chmod 755 "$work"
    printf 'deny:\n  - {provider: hostile_read, needs: [read]}\n' >policy.yaml
    [ "$(asks worker "lookup('hostile_read', '$top/one', '$top/one')" --provider-policy=policy.yaml)" = 'Permission denied' ]
    cp "$abs_top_builddir/tests/plugins/.libs/source.so" "$BATS_TEST_TMPDIR/plugins/"
    printf 'undeclared: warn\n' >policy.yaml
    LETTER=$work asks confined "lookup('echo', 'text')} \${lookup('echo', 'again')" --provider-policy=policy.yaml >said
    [ "$(cat said)" = 'text again' ]
    [ "$(grep -c "lookup 'echo' of plugin 'source' declares no needs: it is not confined" messages)" -eq 1 ]
    printf 'undeclared: refuse\n' >policy.yaml
    LETTER=$work run asks confined "lookup('echo', 'text')" --provider-policy=policy.yaml
    status_is 1
    says "unknown lookup 'echo'"
    says "source.so' are not used: lookup 'echo' of plugin 'source' declares no needs, and '"
    printf 'deny:\n  - {provider: source, needs: [network]}\n' >policy.yaml
    LETTER=$work run asks confined "lookup('echo', 'text')" --provider-policy=policy.yaml
    status_is 1
    says "lookup 'echo' of plugin 'source' declares no needs: what '"
}

@test "a program that answers lookups is confined to what they declare" {
    needs_confinement
    mkdir -p "$BATS_TEST_TMPDIR/plugins/asked"
    cat >"$BATS_TEST_TMPDIR/plugins/asked/type.yaml" <<'END'
program: ./asked.sh
version: "1.0"
lookups:
  asked:
    desc: What it can read of two files.
    type: String
    needs: ['read[$path]']
    parameters:
      path: {type: 'Pattern[/\A\//]', desc: The one that it may read.}
facts:
  asked_name: {desc: A name., type: String, needs: []}
END
    cat >"$BATS_TEST_TMPDIR/plugins/asked/asked.sh" <<'END'
#!/bin/sh
while read -r line; do
    case $line in
    '{"hello"'*) echo '{"hello":{"protocol":1}}' ;;
    '{"lookup"'*)
        path=${line#*'"path":"'}
        path=${path%%'"'*}
        one=refused two=refused
        (: <"$path") 2>/dev/null && one=works
        (: <"${path%/*}/two") 2>/dev/null && two=works
        printf '{"answer":{"value":"%s %s"}}\n{"done":true}\n' $one $two
        ;;
    esac
done
END
    chmod 755 "$BATS_TEST_TMPDIR/plugins/asked/asked.sh"
    echo one >"$top/one"
    echo two >"$top/two"
    [ "$(asks confined "lookup('asked', '$top/one')")" = 'works refused' ]
    [ "$(asks worker "lookup('asked', '$top/one')")" = 'works works' ]

    run rhost describe --plugin-dir "$BATS_TEST_TMPDIR/plugins" asked
    status_is 0
    says 'Needs (what answering takes)'
    says '  read[$path]'
    run rhost types --plugin-dir "$BATS_TEST_TMPDIR/plugins" --needs --format=json
    [ "$(jq -r '.[] | select(.lookup == "asked") | .needs[]' <<<"$output")" = 'read[$path]' ]
    [ "$(jq -c '.[] | select(.fact == "asked_name") | .needs' <<<"$output")" = '[]' ]
    for need in root 'user[$path]' 'write[$path]'; do
        sed -i "s|needs: .*path.*|needs: ['$need']|; s|needs: .'root'.*|needs: ['$need']|" "$BATS_TEST_TMPDIR/plugins/asked/type.yaml"
        run rhost types --plugin-dir "$BATS_TEST_TMPDIR/plugins"
        says "'asked': need '$need': lookups and facts may only look"
    done
}

@test "a device is reached with what its transport declares, and its facts are read with nothing else" {
    needs_confinement
    mkdir -p "$BATS_TEST_TMPDIR/plugins/way"
    cat >"$BATS_TEST_TMPDIR/plugins/way/type.yaml" <<'END'
program: ./way.sh
version: "1.0"
types:
  way_item:
    desc: Something of the device.
    features: [remote_resource, simple_get_filter]
    needs: []
    attributes:
      name: {type: String, desc: Its name., behaviour: namevar}
      value: {type: 'Optional[String]', desc: What can be read.}
transports:
  way:
    desc: A way to a file.
    features: facts
    needs: 'read[$path]'
    attributes:
      path: {type: 'Pattern[/\A\//]', desc: The file.}
END
    cat >"$BATS_TEST_TMPDIR/plugins/way/way.sh" <<'END'
#!/bin/sh
while read -r line; do
    one=refused two=refused
    (: <"$path") 2>/dev/null && one=works
    (: <"${path%/*}/two") 2>/dev/null && two=works
    case $line in
    '{"hello"'*) echo '{"hello":{"protocol":1}}' ;;
    '{"connect"'*)
        path=${line#*'"path":"'}
        path=${path%%'"'*}
        echo '{"done":true}'
        ;;
    '{"facts"'*) printf '{"facts":{"own":"%s","other":"%s"}}\n{"done":true}\n' $one $two ;;
    '{"get"'*) printf '{"resource":{"name":"x","value":"%s %s"}}\n{"done":true}\n' $one $two ;;
    *) echo '{"done":true}' ;;
    esac
done
END
    chmod 755 "$BATS_TEST_TMPDIR/plugins/way/way.sh"
    echo one >"$top/one"
    echo two >"$top/two"
    printf 'resources:\n  - way: here\n    path: %s/one\n' "$top" >targets.yaml
    printf 'resources:\n  - way_item: x\n    value: works refused\n' >items.yaml
    device() {
        "$abs_top_builddir/rhost" device --state-dir state --isolation="$1" --plugin-dir "$BATS_TEST_TMPDIR/plugins" \
            targets.yaml here "${@:2}"
    }
    run device confined items.yaml
    status_is 0
    device confined --format=json >confined
    device worker --format=json >worker
    [ "$(jq -c . <confined)" = '{"own":"works","other":"refused"}' ]
    [ "$(jq -c . <worker)" = '{"own":"works","other":"works"}' ]
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
