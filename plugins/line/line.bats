#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

# One resource for the file "f", whose attributes stand on standard input.
line() {
    one 'line: it' "path: $work/f" -- "$@"
}

# bats test_tags=inline
@test "a line is added at the end" {
    printf 'a\nb\n' >f
    line becomes 'a\nb\nc\n' <<<'text: c'
}

@test "a last line without a newline gets one when something comes behind it, and else stays" {
    printf 'a\nb' >f
    line becomes 'a\nb\nc\n' <<<'text: c'
    printf 'a\nb' >f
    line becomes 'X\nb' <<'END'
text: X
match: ^a
END
}

@test "a line that is there is left alone, wherever it is" {
    printf 'a\nb\nc' >f
    line is_in_sync <<<'text: b'
    [ "$(wc -c <f)" -eq 5 ]
}

@test "a whole line is meant, not a part of one" {
    printf 'abc\n b\n' >f
    line becomes 'abc\n b\nb\n' <<<'text: b'
}

@test "the line that matches becomes this one, in its place" {
    printf 'x\n#Port 22\ny\n' >f
    line becomes 'x\nPort 2222\ny\n' <<'END'
text: Port 2222
match: '^#?\s*Port\b'
END
}

# bats test_tags=inline
@test "what it is instead is shown, also under noop, which writes nothing" {
    printf 'Port 22\n' >f
    line run apply --noop <<'END'
text: Port 2222
match: ^Port
END
    says "line 1 is 'Port 22', and becomes 'Port 2222'"
    [ "$(cat f)" = "Port 22" ]
    printf 'x\n' >f
    run rhost apply --noop "$BATS_TEST_TMPDIR/site.yaml"
    says "ensure absent → present"
    [ "$(cat f)" = x ]
}

@test "several that match are a failure that names them" {
    printf 'Port 22\nx\n#Port 1\nPort 2\n' >f
    line fails "3 lines match (1, 3 and 4)" <<'END'
text: Port 9
match: 'Port'
END
    says 'multiple: first, last or all'
    printf '%s\n' 1 2 3 4 5 6 7 8 >f
    line fails "8 lines match (1, 2, 3, 4, 5 and 3 more)" <<'END'
text: x
match: '^\d$'
END
}

@test "several that match and are as wanted are fine" {
    printf 'Port 9\nPort 9\n' >f
    line is_in_sync <<'END'
text: Port 9
match: ^Port
END
}

@test "the first, the last, or all may be meant" {
    for which in 'first:X\nm2\nm3\n' 'last:m1\nm2\nX\n' 'all:X\nX\nX\n'; do
        printf 'm1\nm2\nm3\n' >f
        line becomes "${which#*:}" <<END
text: X
match: '^m|^X'
multiple: ${which%%:*}
END
    done
}

@test "a new line comes after the last or before the first that matches, and else at the end" {
    printf '[a]\nx\n[a]\ny\n' >f
    line becomes '[a]\nx\n[a]\nnew\ny\n' <<'END'
text: new
below: '^\[a\]'
END
    printf '[a]\nx\n[a]\ny\n' >f
    line becomes 'new\n[a]\nx\n[a]\ny\n' <<'END'
text: new
above: '^\[a\]'
END
    printf '[a]\n' >f
    line becomes '[a]\nnew\n' <<'END'
text: new
below: nothing like this
END
}

@test "literal takes what is given word for word" {
    printf 'a.c\nabc\n' >f
    line becomes 'a.c\nX\n' <<'END'
text: X
match: abc
literal: true
END
    printf 'abc\na.c\nz\n' >f
    line becomes 'abc\na.c\nX\nz\n' <<'END'
text: X
below: a.c
literal: true
END
}

@test "it may only replace" {
    printf 'a\n' >f
    line is_in_sync <<'END'
text: X
match: ^b
append: false
END
}

@test "what matches may be good enough" {
    printf 'Port 22\n' >f
    line is_in_sync <<'END'
text: Port 9
match: ^Port
replace: false
END
}

@test "lines go: the line itself, and all that match" {
    printf 'a\nx1\nb\nx2\nb' >f
    line becomes 'a\nb\nb' <<'END'
match: ^x
ensure: absent
END
    line becomes 'a\n' <<'END'
text: b
ensure: absent
END
    line is_in_sync <<'END'
text: b
match: ^x
ensure: absent
END
}

@test "a file that is missing has no lines to remove" {
    line is_in_sync <<'END'
text: b
ensure: absent
END
    [ ! -e f ]
}

@test "a file that is missing is made where that is wanted" {
    line fails "the file does not exist; 'create: true' would make it" <<<'text: a'
    [ ! -e f ]
    line converges <<'END'
text: a
create: true
END
    [ "$(cat f)" = a ]
    [ "$(mode_of f)" = 644 ]
}

@test "under noop an earlier resource may still make the file" {
    run apply --noop <<END
resources:
  - line: it
    path: $work/f
    text: b
  - file: $work/f
    content: "a\n"
    replace: false
END
    status_is 0
    says '2 would change'
    run rhost apply "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
    [ "$(cat f)" = "a
b" ]
}

@test "lines of DOS stay such, and a new one is one of them" {
    printf 'a\r\nb\r\nc\n' >f
    line becomes 'a\r\nX\r\nc\nnew\r\n' <<END
text: X
match: ^b$
  - line: another
    path: $work/f
    text: new
END
}

@test "bytes that are not text stay, and do not keep what is text from being found" {
    printf 'caf\351\nb\000x\nPort 1\n' >f
    line becomes 'caf\0351\nb\0000x\nPort 2\n' <<'END'
text: Port 2
match: ^Port
END
    line becomes 'caf\0351\nb\0000x\n' <<'END'
match: ^Port
ensure: absent
END
}

@test "mode, owner and extended attributes of the file stay" {
    requires_root
    echo a >f
    chmod 640 f
    chown 12:34 f
    if command -v setfattr >/dev/null; then setfattr -n user.note -v kept f 2>/dev/null || true; fi
    had=$(getfattr -d f 2>/dev/null || true)
    line converges <<<'text: b'
    [ "$(stat -c %a:%u:%g f)" = 640:12:34 ]
    [ "$(getfattr -d f 2>/dev/null || true)" = "$had" ]
}

@test "a symbolic link is followed" {
    echo a >real
    ln -s real f
    line converges <<<'text: b'
    [ -L f ]
    [ "$(cat real)" = "a
b" ]
}

# bats test_tags=inline
@test "many lines of a file are one reading and one writing" {
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    seq 1 20000 >f
    {
        echo 'resources:'
        for i in $(seq 1 40); do
            printf '  - line: l%s\n    path: %s\n    text: new %s\n' "$i" "$work/f" "$i"
        done
    } >site.yaml
    sleep 0.1
    run strace -f -e trace=openat,openat2,renameat,rename -o trace "${RHOST:-$abs_top_builddir/rhost}" \
        apply --no-verify --no-backup --state-dir state --isolation="$RHOST_ISOLATION" site.yaml
    status_is 0
    [ "$(wc -l <f)" -eq 20040 ]
    [ "$(grep -c 'rename.*/f\?"f"\|renameat.*"f"' trace)" -eq 1 ]
    # Once to read it, and once for its attributes while the new one is made.
    [ "$(grep -cE "openat2?\(AT_FDCWD, \"$work/f\"" trace)" -eq 1 ]
}

# bats test_tags=inline
@test "a validator must accept the file, and keeps what it refuses from its place" {
    echo 'a' >f
    line fails "refuses the new content" <<'END'
text: bad
validate: [sh, -c, '! grep -q bad "$1"', sh, "%"]
END
    echo 'a' >f
    line becomes 'a\ngood\n' <<'END'
text: good
validate: [sh, -c, '! grep -q bad "$1"', sh, "%"]
END
    line fails 'no argument is "%"' <<'END'
text: x
validate: ["true"]
END
}

# bats test_tags=inline
@test "a file is validated and written once for all that name the same validator" {
    : >f
    {
        echo 'resources:'
        for words in "a, b" "a" "a, c" "a, b" "a, b, c" "a"; do
            printf '  - line: l%s\n    path: %s\n    text: %s\n' "$((++i))" "$work/f" "$i"
            printf '    validate: [sh, -c, "echo \\"$*\\" >>%s", "%%", %s]\n' "$work/asked" "$words"
        done
    } >site.yaml
    run rhost apply site.yaml
    status_is 0
    sort -n f | diff - <(seq 1 6)
    is "$(sort asked | paste -sd/)" "a/a b/a b c/a c"
}

@test "two that undo each other both fail, and nothing is written" {
    echo 'Port 1' >f
    line fails "line[another] of the same file replaces this line by its own" <<END
text: Port 2
match: ^Port
  - line: another
    path: $work/f
    text: Port 3
    match: ^Port
END
    says "line[it] of the same file replaces this line by its own"
    line fails "line[another] of the same file wants this line gone" <<END
text: Port 2
  - line: another
    path: $work/f
    match: ^Port
    ensure: absent
END
}

@test "a line that another one wants gone by its text is one that undoes it" {
    echo 'Port 1' >f
    line fails "line[another] of the same file wants this line gone" <<END
text: Port 2
  - line: another
    path: $work/f
    text: Port 2
    match: nothing like it
    ensure: absent
END
}

@test "the same line twice is a duplicate" {
    echo a >f
    line fails "line[another]" <<END
text: b
  - line: another
    path: $work/f
    text: b
END
}

@test "what one cannot do does not keep others of the file from being done" {
    printf 'm\nm\n' >f
    line run apply <<END
text: X
match: ^m
  - line: another
    path: $work/f
    text: b
END
    status_is 4
    [ "$(tail -n 1 f)" = b ]
}

@test "mistakes are named" {
    echo a >f
    line fails "'a(b' is not a regular expression: missing closing parenthesis at character 4" <<'END'
text: x
match: a(b
END
    line fails 'it has to say which line there should be' <<<'match: a'
    line fails 'it has to say what should go' <<<'ensure: absent'
    line fails 'either above or below' <<'END'
text: x
below: a
above: b
END
    line fails 'line' <<'END'
text: "a\nb"
END
    line fails "did you mean 'match'" <<'END'
text: x
mach: a
END
    mkdir d
    run apply <<END
resources:
  - line: it
    path: $work/d
    text: x
END
    [ "$status" -ne 0 ]
    says "cannot read '$work/d': Is a directory"
}

# bats test_tags=inline
@test "a match without an end is given up" {
    printf 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n' >f
    line fails "takes too many steps for line 1" <<'END'
text: x
match: '^(a|a?)+$'
END
}

# bats test_tags=inline
@test "a secret line is shown nowhere, nor what it replaces" {
    echo 'password=old-hunter' >f
    line run apply --debug --diff <<'END'
text: password=new-hunter
match: ^password=
sensitive: [text]
END
    [ "$status" -eq 0 ] || [ "$status" -eq 1 ]
    says_not new-hunter
    says_not old-hunter
}

@test "drift is repaired" {
    printf 'Port 22\n' >f
    line converges <<'END'
text: Port 9
match: ^Port
END
    echo 'Port 22' >f
    run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 2
    [ "$(cat f)" = "Port 9" ]
}

# bats test_tags=inline
@test "one line can be looked at, and set, on the command line" {
    printf 'a\n' >f
    run rhost resource line "$work/f: a"
    status_is 0
    says_not absent
    run rhost resource line "$work/f: b" ensure=present
    status_is 0
    says '1 changed'
    grep -qx b f
}

# bats test_tags=inline
@test "each file that cannot be written fails for its own reason, and the others are written" {
    for file in a b c; do
        echo good >$file
    done
    run apply <<END
resources:
  - line: one
    path: $work/a
    text: new
    validate: [grep, never, "%"]
  - line: two
    path: $work/b
    text: new
    validate: [grep, new, "%"]
  - line: three
    path: $work/c
    text: new
    validate: [test, "%", =, never]
END
    status_is 4
    says "cannot write '$work/a': 'grep' refuses the new content"
    says "cannot write '$work/c': 'test' refuses the new content"
    says '1 changed, 2 failed'
    grep -qx new b
    [ "$(cat a c)" = "$(printf 'good\ngood')" ]
}

# bats test_tags=inline
@test "with backrefs the groups of the match are in the line, and nothing is added" {
    printf '  nofile  1024 # soft\nnproc 5\n' >f
    line becomes '  nofile  8192% # soft\nnproc 5\n' <<'END'
text: '%{indent}nofile%{2}8192%%%3'
match: '^(?<indent>\s*)nofile(\s+)[0-9%]+(.*)$'
backrefs: true
END
    line is_in_sync <<'END'
text: '%1x'
match: '^nothing (like it)'
backrefs: true
END
    printf 'k= 1\nk=2\nk =3\n' >f
    line run apply --noop <<'END'
text: '%1 = %2'
match: '^(k) ?= ?(\d)'
multiple: all
backrefs: true
END
    says "3 lines change; the first, 1, is 'k= 1', and becomes 'k = 1'"
    [ "$(head -n1 f)" = 'k= 1' ]
    line becomes 'k = 1\nk = 2\nk = 3\n' <<'END'
text: '%1 = %2'
match: '^(k) ?= ?(\d)'
multiple: all
backrefs: true
END
    printf 'k=1\nk=2\n' >f
    line fails '2 lines match (1 and 2)' <<'END'
text: '%1 = %2'
match: '^(k) ?= ?(\d)'
backrefs: true
END
    # Without the word, a percent sign is one.
    line becomes '%1\nk=2\n' <<'END'
text: '%1'
match: '^(k)=1'
END
}

@test "what backrefs can't do is refused" {
    printf 'a\n' >f
    line fails "what line 1 becomes matches again and would change in every run: 'xa', and then 'xxa'" <<'END'
text: 'x%1'
match: '^(.*)$'
backrefs: true
END
    line fails "a '%' at character 3 is neither %0 to %9, %{name} nor %%" <<'END'
text: 'a %'
match: '^a'
backrefs: true
END
    line fails "the regular expression has no group '1'" <<'END'
text: 'a%1'
match: '^a'
backrefs: true
END
    line fails "'match' is required" <<'END'
text: '%1'
backrefs: true
END
    line fails "with 'backrefs' no line is added" <<'END'
text: '%1'
match: ^(a)
below: b
backrefs: true
END
    line fails "a whole line has no groups" <<'END'
text: '%1'
match: a
literal: true
backrefs: true
END
    [ "$(cat f)" = a ]
    # What is to go is the text word for word, and what matches.
    printf '%s\n' b %1 ab >f
    line becomes 'b\n' <<'END'
text: '%1'
match: ^(a)
ensure: absent
backrefs: true
END
}

@test "a line with groups that another one wants otherwise undoes it, and one that is its own result does not" {
    printf 'k 1\n' >f
    line fails 'of the same file replaces this line by its own: nothing is done' <<END
text: k 1
  - line: other
    path: $work/f
    match: '^(k) .*'
    text: '%1 2'
    backrefs: true
END
    line is_in_sync <<END
text: k 1
  - line: other
    path: $work/f
    match: '^(k) +(.*)'
    text: '%1 %2'
    backrefs: true
END
}

# bats test_tags=inline
@test "the mode and the owner of the file are kept, of a new one as well" {
    requires_root
    for RHOST_ISOLATION in $isolations; do
        rm -f f
        line converges <<'END'
text: a
create: true
mode: 0640
owner: nobody
group: games
END
        is "$(stat -c '%a %U %G' f)" '640 nobody games'
        chmod 600 f
        line run apply --noop <<'END'
text: a
mode: 0640
END
        says 'mode  0600 → 0640'
        is "$(mode_of f)" 600
        line run apply <<'END'
text: a
mode: 0640
owner: root
END
        status_is 0
        is "$(stat -c '%a %U %G' f)" '640 root games'
        run rhost undo last
        status_is 0
        is "$(stat -c '%a %U %G' f)" '600 nobody games'
        # Others of the file, and one that is gone, leave them alone.
        line converges <<'END'
text: b
END
        line converges <<'END'
text: a
ensure: absent
mode: 0604
END
        is "$(stat -c '%a %U %G' f)" '600 nobody games'
    done
    line fails "unknown user 'no-such-user'" <<'END'
text: c
owner: no-such-user
END
    # Where there is no file and nothing to do, its mode is no difference.
    rm f
    line is_in_sync <<'END'
text: c
append: false
mode: 0640
END
}
