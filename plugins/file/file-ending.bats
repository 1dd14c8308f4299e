#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The endings of lines.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# bats test_tags=inline
@test "content has the line ending, whatever it is written with, and is compared with it" {
    for given in 'a\nb\n' 'a\r\nb\r\n' 'a\nb\r\n'; do
        rm -f f
        converges <<<"resources: [{file: $work/f, line_ending: crlf, content: \"$given\"}]"
        cmp f <(printf 'a\r\nb\r\n')
        converges <<<"resources: [{file: $work/f, line_ending: lf, content: \"$given\"}]"
        cmp f <(printf 'a\nb\n')
    done
    # Without the attribute, byte for byte; a CR alone stays.
    converges <<<"resources: [{file: $work/f, content: \"a\\r\\nb\\n\"}]"
    cmp f <(printf 'a\r\nb\n')
    converges <<<"resources: [{file: $work/f, line_ending: crlf, content: \"a\\rb\\r\\r\\nc\"}]"
    cmp f <(printf 'a\rb\r\r\nc')
    converges <<<"resources: [{file: $work/f, line_ending: crlf, content: ''}]"
    [ ! -s f ]
    # unix2dos finds nothing to do, where it is installed.
    converges <<<"resources: [{file: $work/f, line_ending: crlf, content: \"a\\nb\\n\"}]"
    is "$(sed 's/\r$//' f)" $'a\nb'
    run rhost apply --noop --detailed-exitcodes - <<<"resources: [{file: $work/f, line_ending: lf, content: \"a\\nb\\n\"}]"
    status_is 2
}

@test "a source and a template have the line ending as well" {
    printf 'a\nb\r\nc' >source
    converges <<<"resources: [{file: $work/f, source: $work/source, line_ending: crlf}]"
    cmp f <(printf 'a\r\nb\r\nc')
    converges <<<"resources: [{file: $work/f, source: $work/source, line_ending: lf}]"
    cmp f <(printf 'a\nb\nc')
    echo by hand >>f
    run apply --detailed-exitcodes <<<"resources: [{file: $work/f, source: $work/source, line_ending: lf}]"
    status_is 2
    cmp f <(printf 'a\nb\nc')
    printf 'host ${who}\nend\n' >page.tmpl
    cat >site.yaml <<END
resources:
  - file: $work/t
    template: {file: page.tmpl, variables: {who: me}}
    line_ending: crlf
END
    run rhost apply --detailed-exitcodes site.yaml
    cat page.tmpl site.yaml
    status_is 2
    grep -c $'\r$' t
    is "$(grep -c $'\r$' t)" 2
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    # What was there comes back as it was.
    printf 'x\ny\r\n' >u
    run apply <<<"resources: [{file: $work/u, content: \"a\nb\", line_ending: crlf}]"
    status_is 0
    cmp u <(printf 'a\r\nb')
    run rhost undo last
    status_is 0
    cmp u <(printf 'x\ny\r\n')
    # A secret stays one.
    run apply <<<"resources: [{file: $work/s, content: \"hush-hush\\n\", line_ending: crlf, sensitive: [content]}]"
    status_is 0
    says_not hush
    cmp s <(printf 'hush-hush\r\n')
    is "$(mode_of s)" 600
    run rhost undo last
    status_is 0
    [ ! -e s ]
}

@test "what has no lines is refused, and the file stays" {
    echo before >f
    run apply <<<"resources: [{file: $work/f, line_ending: crlf, content: \"a\\0b\\n\"}]"
    [ "$status" -ne 0 ]
    says 'the content has a NUL character: it has no lines'
    printf 'a\0b\n' >source
    run apply <<<"resources: [{file: $work/f, line_ending: crlf, source: $work/source}]"
    [ "$status" -ne 0 ]
    says "'$work/source' is binary: it has no lines"
    rm source
    run apply <<<"resources: [{file: $work/f, line_ending: crlf, source: $work/source}]"
    [ "$status" -ne 0 ]
    says "$work/source"
    truncate -s 65M source
    run apply <<<"resources: [{file: $work/f, line_ending: crlf, source: $work/source}]"
    [ "$status" -ne 0 ]
    says "'$work/source' is larger than 67108864 bytes"
    run apply <<<"resources: [{file: $work/f, line_ending: cr, content: a}]"
    [ "$status" -ne 0 ]
    is "$(cat f)" before
}
