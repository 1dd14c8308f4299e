#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

# One resource for the file "f", whose attributes stand on standard input.
text_block() {
    one 'text_block: it' "path: $work/f" -- "$@"
}

# bats test_tags=inline
@test "a block is appended, and left alone once it exists" {
    printf 'a\nb\n' >f
    text_block becomes 'a\nb\n# BEGIN managed by rhost\nx\ny\n# END managed by rhost\n' <<'END'
content: |
  x
  y
END
    text_block is_in_sync <<<'content: "x\ny"'
}

@test "other content replaces what is between the markers, in its place" {
    printf 'a\n# BEGIN managed by rhost\nold\nolder\n# END managed by rhost\nb' >f
    text_block becomes 'a\n# BEGIN managed by rhost\nnew\n# END managed by rhost\nb' <<'END'
content: new
above: ^
END
    text_block becomes 'a\n# BEGIN managed by rhost\n# END managed by rhost\nb' <<<'content: ""'
}

@test "a new block comes below the last or above the first line that matches, and else at the end" {
    printf '[a]\nx\n[a]\ny\n' >f
    text_block becomes '[a]\nx\n[a]\n# BEGIN managed by rhost\nn\n# END managed by rhost\ny\n' <<'END'
content: n
below: '^\[a\]'
END
    printf '[a]\nx\n' >f
    text_block becomes '# BEGIN managed by rhost\nn\n# END managed by rhost\n[a]\nx\n' <<'END'
content: n
above: ^
END
    printf 'a.c\nabc\n' >f
    text_block becomes 'a.c\n# BEGIN managed by rhost\nn\n# END managed by rhost\nabc\n' <<'END'
content: n
below: a.c
literal: true
END
    printf 'a\n' >f
    text_block becomes 'a\n# BEGIN managed by rhost\nn\n# END managed by rhost\n' <<'END'
content: n
below: nothing like it
END
}

# bats test_tags=inline
@test "several blocks of a file, with markers and words of their own, are one writing" {
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    printf 'a\n' >f
    cat >site.yaml <<END
resources:
  - text_block: $work/f
    content: one
  - text_block: "$work/f: # {mark} two"
    content: two
  - text_block: three
    path: $work/f
    marker: '// {mark}'
    begin: from
    end: to
    content: three
END
    run strace -f -e trace=renameat,rename,renameat2 -o trace "${RHOST:-$abs_top_builddir/rhost}" \
        apply --no-backup --state-dir state --isolation="$RHOST_ISOLATION" site.yaml
    status_is 0
    [ "$(grep -c 'rename.*"f"' trace)" -eq 1 ]
    printf '%s\n' a '# BEGIN managed by rhost' one '# END managed by rhost' '# BEGIN two' two '# END two' \
        '// from' three '// to' | diff - f
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "of several blocks of a file, one says whose it is" {
    requires_root
    for first in '' ', owner: nobody, group: games, mode: "0604"'; do
        second=', owner: nobody, group: games, mode: "0604"'
        [ -z "$first" ] || second=
        rm -f f
        cat >site.yaml <<END
resources:
  - {text_block: "$work/f: # {mark} one", content: one, create: true$first}
  - {text_block: "$work/f: # {mark} two", content: two, create: true$second}
END
        run rhost apply site.yaml
        status_is 0
        is "$(stat -c '%U %G %a' f)" 'nobody games 604'
        run rhost apply --detailed-exitcodes site.yaml
        status_is 0
    done
}

@test "a block goes with its markers, and the rest stays" {
    printf 'a\n# BEGIN managed by rhost\nold\n# END managed by rhost\nb' >f
    text_block becomes 'a\nb' <<<'ensure: absent'
    text_block is_in_sync <<<'ensure: absent'
    rm f
    text_block is_in_sync <<<'ensure: absent'
    [ ! -e f ]
}

# bats test_tags=inline
@test "markers that do not make a block are named, and nothing is changed" {
    printf '# BEGIN managed by rhost\nx\n' >f
    text_block fails "line 1 begins the block, but no line ends it" <<<'content: y'
    printf 'x\n# END managed by rhost\n' >f
    text_block fails "line 2 ends the block, but no line begins it" <<<'content: y'
    printf '# END managed by rhost\n# BEGIN managed by rhost\n' >f
    text_block fails "line 1 ends the block before line 2 begins it" <<<'content: y'
    printf '# BEGIN managed by rhost\n# END managed by rhost\n# BEGIN managed by rhost\n' >f
    text_block fails "lines 1 and 3 both begin the block" <<<'ensure: absent'
    printf '# BEGIN managed by rhost\n# END managed by rhost\n# END managed by rhost\n' >f
    text_block fails "lines 2 and 3 both end the block" <<<'content: y'
}

@test "mistakes are named" {
    echo a >f
    text_block fails 'a line of it is one of the markers' <<<'content: "a\n# END managed by rhost\n"'
    text_block fails "both markers are the line '# END managed by rhost'" <<'END'
content: a
begin: END
END
    text_block fails "'above' and 'below' exclude each other" <<'END'
content: a
above: a
below: b
END
    text_block fails "'a(b' is not a regular expression" <<'END'
content: a
below: a(b
END
    text_block fails 'a line ends with a carriage return' <<<'content: "a\r\nb"'
    text_block fails 'marker' <<'END'
content: a
marker: no mark
END
}

# bats test_tags=inline
@test "a file that does not exist is created where that is desired, with mode and owner" {
    text_block fails "the file does not exist; 'create: true' would create it" <<<'content: a'
    [ ! -e f ]
    text_block converges <<'END'
content: a
create: true
mode: 0640
END
    [ "$(mode_of f)" = 640 ]
    text_block converges <<'END'
content: a
mode: 0600
END
    [ "$(mode_of f)" = 600 ]
    requires_root
    text_block converges <<'END'
content: a
owner: nobody
group: 12
END
    [ "$(stat -c %a:%U:%g f)" = 600:nobody:12 ]
    text_block fails "unknown user 'nobody-like-this'" <<'END'
content: b
owner: nobody-like-this
END
}

@test "one block may state the mode of a file, and the others keep it" {
    echo a >f
    run apply --detailed-exitcodes <<END
resources:
  - text_block: $work/f
    content: one
  - text_block: "$work/f: # {mark} two"
    content: two
    mode: 0600
END
    status_is 2
    [ "$(mode_of f)" = 600 ]
    grep -qx one f
    grep -qx two f
    run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
}

# bats test_tags=inline
@test "noop shows what would change, and changes nothing" {
    printf 'a\n' >f
    text_block run apply --noop <<<'content: b'
    status_is 0
    says 'ensure absent → present'
    [ "$(cat f)" = a ]
    rm f
    text_block run apply --noop <<<'content: b'
    status_is 4
    says "'$work/f' does not exist; 'create: true' would create it"
    run apply --noop <<END
resources:
  - file: $work/f
    content: "a\n"
    replace: false
  - text_block: $work/f
    content: b
END
    status_is 0
    says '2 would change'
    [ ! -e f ]
}

@test "lines of DOS stay such, and those of the block are too" {
    printf 'a\r\nb\r\n' >f
    text_block becomes 'a\r\nb\r\n# BEGIN managed by rhost\r\nx\r\n# END managed by rhost\r\n' <<<'content: x'
}

@test "bytes that are not text do no harm, in the block and outside" {
    printf 'caf\351\n# BEGIN managed by rhost\n\351\000\n# END managed by rhost\n' >f
    text_block becomes 'caf\0351\n# BEGIN managed by rhost\nx\n# END managed by rhost\n' <<<'content: x'
}

# bats test_tags=inline
@test "a validator must accept the file, and keeps what it refuses from its place" {
    echo a >f
    text_block fails "refuses the new content" <<'END'
content: bad
validate: [sh, -c, '! grep -q bad "$1"', sh, "%"]
END
    text_block becomes 'a\n# BEGIN managed by rhost\ngood\n# END managed by rhost\n' <<'END'
content: good
validate: [sh, -c, '! grep -q bad "$1"', sh, "%"]
END
}

# bats test_tags=inline
@test "a secret is shown nowhere, nor what it replaces, and decides the mode of a new file" {
    text_block run apply --debug --diff <<'END'
content: password=new-hunter
create: true
sensitive: [content]
END
    status_is 0
    says_not new-hunter
    [ "$(mode_of f)" = 600 ]
    text_block run apply --debug --diff <<'END'
content: password=newer-hunter
sensitive: [content]
END
    status_is 0
    says_not hunter
}

# bats test_tags=inline
@test "undo restores the file as it was, also through a link, and leaves a mode that others have set" {
    local target
    for target in f link; do
        rm -rf f link state
        printf 'a\n# BEGIN managed by rhost\nold\n# END managed by rhost\nb' >f
        chmod 640 f
        ln -s f link
        run apply --state-dir state <<END
resources:
  - text_block: $work/$target
    content: new
    mode: 0600
  - text_block: "$work/$target: # {mark} two"
    content: two
END
        status_is 0
        [ "$(mode_of f)" = 600 ]
        run rhost undo --noop --state-dir state last
        status_is 0
        says 'mode     0600 → 0640'
        [ "$(mode_of f)" = 600 ]
        run rhost undo --state-dir state last
        status_is 0
        [ "$(cat f)" = "$(printf 'a\n# BEGIN managed by rhost\nold\n# END managed by rhost\nb')" ]
        [ "$(mode_of f)" = 640 ]
        [ -L link ]
    done
    run apply --state-dir state <<END
resources:
  - text_block: $work/f
    content: newer
END
    status_is 0
    chmod 604 f # which is no change of what the run has left
    run rhost undo --state-dir state last
    status_is 0
    [ "$(mode_of f)" = 604 ]
    grep -qx old f
}

@test "undo restores the owner, unless somebody has changed it since" {
    requires_root
    printf 'a\n' >f
    chown 12:nogroup f
    text_block run apply <<'END'
content: x
owner: nobody
group: 13
mode: 0600
END
    status_is 0
    [ "$(stat -c %u:%g f)" = 65534:13 ]
    run rhost undo last
    status_is 0
    [ "$(stat -c %u:%G:%a f)" = 12:nogroup:644 ]
    [ "$(cat f)" = a ]
    text_block run apply <<'END'
owner: nobody
END
    status_is 0
    chown 13 f
    run rhost undo last
    status_is 4
    says 'owner: it was changed after the run: it is '
    [ "$(stat -c %u f)" = 13 ]
}

@test "undo removes a file that a block has created" {
    text_block run apply <<'END'
content: x
create: true
END
    status_is 0
    run rhost undo last
    status_is 0
    [ ! -e f ]
}

@test "undo of a secret block restores the mode, and says what was not kept" {
    printf 'a\n# BEGIN managed by rhost\nold-hunter\n# END managed by rhost\n' >f
    chmod 640 f
    text_block run apply <<'END'
content: new-hunter
mode: 0600
sensitive: [content]
END
    status_is 0
    run grep -rl hunter "$BATS_TEST_TMPDIR/state"
    [ -z "$output" ]
    run rhost undo last
    status_is 0
    says "'content' cannot be restored: it was not kept: it is sensitive"
    says_not hunter
    [ "$(mode_of f)" = 640 ]
    grep -qx new-hunter f
}

# bats test_tags=inline
@test "one block can be shown, and set, on the command line" {
    printf 'a\n# BEGIN managed by rhost\nx\n# END managed by rhost\n' >f
    run rhost resource text_block "$work/f"
    status_is 0
    says 'content: "x\n"'
    cp f before
    rhost resource text_block "$work/f" >list.yaml
    run rhost apply --detailed-exitcodes list.yaml
    status_is 0
    cmp f before
    run rhost resource text_block "$work/f: # {mark} two" content=b
    status_is 0
    says '1 changed'
    grep -qx '# BEGIN two' f
}
