#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

# One resource for the file "f", whose attributes stand on standard input.
substitution() {
    one "substitution: it" "path: $work/f" -- "$@"
}

# bats test_tags=inline
@test "each match is replaced, and what does not match stays" {
    printf 'a1\nb\na2 a3\n' >f
    substitution becomes 'x\nb\nx x\n' <<'END'
match: 'a\d'
replacement: x
END
    substitution is_in_sync <<'END'
match: 'nothing'
replacement: x
END
}

@test "groups by number and by name, percent and dollar signs" {
    printf 'key: value\n' >f
    substitution becomes '100%% $1 value=key key: value {}\n' <<'END'
match: '^(?<key>\w+): (\w+)$'
replacement: '100%%%% $1 %2=%{key} %0 {}'
END
    printf 'ab\n' >f
    substitution becomes 'a.\n' <<'END'
match: '^(a)(b|(c))$'
replacement: '%1%3.'
END
}

@test "lines begin and end at each line, also those of DOS" {
    printf 'on\r\nxon\non' >f
    substitution becomes 'off\r\nxon\noff' <<'END'
match: ^on$
replacement: "off"
END
    printf 'a\nb\nc\n' >f
    substitution becomes 'a\nc\n' <<'END'
match: '^b\n'
replacement: ""
END
    printf 'a\nb\nc\n' >f
    substitution becomes 'ac\n' <<'END'
match: '(?s)\n.*\n(?=c)'
replacement: ""
END
}

# bats test_tags=inline
@test "only what is between two matches is searched" {
    printf 'x\n[a]\nx\n[b]\nx\n' >f
    substitution becomes 'x\n[a]\ny\n[b]\nx\n' <<'END'
match: x
replacement: y
from: '^\[a\]$'
to: '^\['
END
    substitution becomes 'y\n[a]\ny\n[b]\nx\n' <<'END'
match: x
replacement: y
to: '^\[a'
END
    for limits in 'from: nothing' 'to: nothing' 'from: x$'; do
        substitution is_in_sync <<END
match: x
replacement: z
$limits
END
    done
}

# bats test_tags=inline
@test "a replacement that would change its own result is refused, and nothing is written" {
    printf 'a\nb\n' >f
    substitution fails "its result matches again and would change in every run: line 1 would become 'aa', and then 'aaaa'" <<'END'
match: a
replacement: aa
END
    substitution fails "would change in every run" <<'END'
match: ^
replacement: "# "
END
    substitution run apply --noop <<'END'
match: ^
replacement: "# "
END
    status_is 4
    says 'would change in every run'
    substitution becomes '# a\n# b\n' <<'END'
match: '^(?!# )'
replacement: "# "
END
}

# bats test_tags=inline
@test "what would be replaced is shown, also under noop, which writes nothing" {
    printf 'x\nold 1\nold 2\n' >f
    substitution run apply --noop <<'END'
match: old
replacement: new
END
    status_is 0
    says "2 matches; line 2 is 'old 1', and becomes 'new 1'"
    [ "$(sed -n 2p f)" = "old 1" ]
}

# bats test_tags=inline
@test "a file that does not exist is a failure, unless an earlier resource creates it" {
    for noop in '' --noop; do
        substitution run apply $noop <<'END'
match: a
replacement: b
END
        status_is 4
        says "cannot read '$work/f': No such file or directory"
    done
    run apply --noop <<END
resources:
  - file: $work/f
    content: "a\n"
    replace: false
  - substitution: it
    path: $work/f
    match: a
    replacement: b
END
    status_is 0
    run rhost apply "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
    [ "$(cat f)" = b ]
}

@test "mistakes are named" {
    echo a >f
    substitution fails 'state what replaces the matches' <<<'match: a'
    substitution fails "'a(b' is not a regular expression: missing closing parenthesis" <<'END'
match: a(b
replacement: x
END
    substitution fails "the regular expression has no group '2'" <<'END'
match: (a)
replacement: '%2'
END
    substitution fails "the regular expression has no group 'name'" <<'END'
match: (a)
replacement: '%{name}'
END
    substitution fails "the regular expression has no group '1x'" <<'END'
match: (a)
replacement: '%{1x}'
END
    substitution fails "a '%' at character 2 is neither" <<'END'
match: (a)
replacement: 'x% '
END
    mkdir d
    run apply <<END
resources:
  - substitution: "$work/d: a"
    replacement: x
END
    [ "$status" -ne 0 ]
    says "cannot read '$work/d': Is a directory"
}

# bats test_tags=inline
@test "a match without an end is given up, and a result that is too large refused" {
    printf 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n' >f
    substitution fails "the regular expression takes too many steps" <<'END'
match: '^(a|a?)+$'
replacement: x
END
    head -c 1000000 /dev/zero | tr '\0' a >f
    substitution fails "the result would be larger than 64 MiB" <<END
match: a
replacement: $(printf 'b%.0s' {1..100})
END
}

@test "bytes that are not text stay, and do not keep what is text from being found" {
    printf 'caf\351\nb\000x\nPort 1\n' >f
    substitution becomes 'caf\0351\nb\0000x\nPort 2\n' <<'END'
match: ^Port \d
replacement: Port 2
END
}

@test "several substitutions of a file are made in their order" {
    printf 'one\nx\n' >f
    run apply --detailed-exitcodes <<END
resources:
  - substitution: "$work/f: one"
    replacement: two
  - substitution: "$work/f: ^x"
    replacement: y
  - substitution: "$work/f: (?s)two.y"
    replacement: three
END
    status_is 2
    [ "$(cat f)" = three ]
    run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
}

# bats test_tags=inline
@test "a validator must accept the file, and keeps what it refuses from its place" {
    echo 'a' >f
    substitution fails "refuses the new content" <<'END'
match: ^a$
replacement: bad
validate: [sh, -c, '! grep -q bad "$1"', sh, "%"]
END
    substitution becomes 'good\n' <<'END'
match: ^a$
replacement: good
validate: [sh, -c, '! grep -q bad "$1"', sh, "%"]
END
}

# bats test_tags=inline
@test "a secret is shown nowhere, nor what it replaces" {
    echo 'password=old-hunter' >f
    chmod 600 f
    substitution run apply --debug --diff <<'END'
match: ^password=.*
replacement: password=new-hunter
sensitive: [replacement]
END
    status_is 0
    says_not hunter
    [ "$(cat f)" = password=new-hunter ]
    substitution run apply --debug --diff <<'END'
match: ^
replacement: password=new-hunter
sensitive: [replacement]
END
    status_is 4
    says 'would change in every run'
    says_not hunter
}

# bats test_tags=inline
@test "the mode stays, a link is followed, and undo restores the file as it was" {
    local noop
    printf 'a\nb\r\nfixed a' >real
    chmod 640 real
    cp real before
    ln -s real f
    run apply <<END
resources:
  - substitution: one
    path: $work/f
    match: a
    replacement: X
  - substitution: two
    path: $work/real
    match: X
    replacement: c
END
    status_is 0
    [ -L f ]
    printf 'c\nb\r\nfixed c' | cmp - real
    [ "$(mode_of real)" = 640 ]
    for noop in --noop ''; do
        run rhost undo $noop last
        status_is 0
    done
    cmp before real
    [ -L f ]
    [ "$(mode_of real)" = 640 ]
}

@test "undo leaves a file alone that was changed since" {
    echo a >f
    substitution run apply <<'END'
match: ^a$
replacement: b
END
    status_is 0
    echo mine >>f
    run rhost undo last
    status_is 4
    says 'content: it was changed after the run'
    [ "$(cat f)" = "b
mine" ]
}

@test "what a secret has replaced is not kept, and undo says so" {
    echo 'password=old-hunter' >f
    chmod 600 f
    substitution run apply <<'END'
match: ^password=.*
replacement: password=new-hunter
sensitive: [replacement]
END
    status_is 0
    run grep -rl hunter "$BATS_TEST_TMPDIR/state"
    [ -z "$output" ]
    for noop in --noop ''; do
        run rhost undo $noop last
        status_is 4
        says "'replacement' cannot be restored"
        says_not hunter
    done
    [ "$(cat f)" = password=new-hunter ]
}

@test "with backup: sensitive, undo restores what a secret has replaced" {
    echo 'password=old-hunter' >f
    head -c 32 /dev/urandom >key
    chmod 600 f key
    substitution run apply --backup-key="$work/key" <<'END'
match: ^password=.*
replacement: password=new-hunter
sensitive: [replacement]
backup: sensitive
END
    status_is 0
    run grep -rl hunter "$BATS_TEST_TMPDIR/state"
    [ -z "$output" ]
    run rhost undo --backup-key="$work/key" last
    status_is 0
    says_not hunter
    [ "$(cat f)" = password=old-hunter ]
}

@test "drift is repaired" {
    printf 'debug = on\n' >f
    substitution converges <<'END'
match: debug = on
replacement: debug = off
END
    echo 'debug = on' >f
    run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 2
    [ "$(cat f)" = "debug = off" ]
}

# bats test_tags=inline
@test "the number of matches can be shown on the command line" {
    printf 'a\na\n' >f
    run rhost resource substitution "$work/f: a"
    status_is 0
    says 'matches: 2'
    rhost resource substitution "$work/f: a" >list.yaml
    run rhost apply --detailed-exitcodes list.yaml
    status_is 0
    says '1 ok'
    run rhost resource substitution "$work/f: ^a" replacement=b
    status_is 0
    says '1 changed'
    [ "$(cat f)" = "b
b" ]
}
