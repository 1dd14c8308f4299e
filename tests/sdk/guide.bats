#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# docs/authors/provider-guide.md, -host.md, -in-use.md, -remote.md, -postgresql.md and -nftables.md: what they show stands in files that are built, and what they do is what it says.
# What it runs is run by tests/cli/examples.bats.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

examples=$abs_top_srcdir/docs/examples/providers

# Writes each block of code of a page to block-N, and where it is from, to from-N; console is none.
split_page() {
    awk '
        /^<!-- from .* -->$/ { from = $0; gsub(/^<!-- from | -->$/, "", from); next }
        /^```$/ && inside { inside = 0; close(file); next }
        /^```/ && !inside {
            inside = 1
            file = "/dev/null"
            if ($0 != "```console") {
                file = "block-" ++n
                print from >("from-" n)
                close("from-" n)
            }
            from = ""
            next
        }
        inside { print >file }
        !inside && !/^$/ { from = "" }
    ' "$1"
}

# The file that a block is from, as text; for "rhost new ..." the one that the command makes.
source_of() {
    local words

    case $1 in
    'rhost new '*)
        read -ra words <<<"$1"
        rm -rf made
        "$abs_top_builddir/rhost" new "${words[@]:2}" made >/dev/null
        cat "made/${words[-1]}.c"
        ;;
    ?*) cat "$abs_top_srcdir/$1" ;;
    esac
}

@test "each block of the guide stands in the file that it is from, as it is" {
    cat "$abs_top_srcdir/docs/authors/provider-guide.md" "$abs_top_srcdir/docs/authors/provider-host.md" \
        "$abs_top_srcdir/docs/authors/provider-in-use.md" "$abs_top_srcdir/docs/authors/provider-remote.md" \
        "$abs_top_srcdir/docs/authors/provider-postgresql.md" "$abs_top_srcdir/docs/authors/provider-nftables.md" >pages
    split_page pages
    n=0
    for block in block-*; do
        from=$(cat "from-${block#block-}")
        [ -n "$from" ] || {
            echo "where is this from?"
            cat "$block"
            return 1
        }
        [[ $'\n'$(source_of "$from")$'\n' == *$'\n'"$(cat "$block")"$'\n'* ]] || {
            echo "this is not in '$from':"
            cat "$block"
            return 1
        }
        n=$((n + 1))
    done
    [ "$n" -gt 20 ]
}

@test "a block that is in no file is found out" {
    printf '<!-- from docs/examples/providers/queue.c -->\n```c\nint nowhere;\n```\n' >page.md
    split_page page.md
    [ "$(cat block-1)" = 'int nowhere;' ]
    [ "$(cat from-1)" = docs/examples/providers/queue.c ]
    [[ $'\n'$(source_of "$(cat from-1)")$'\n' != *$'\n'"$(cat block-1)"$'\n'* ]]
    printf '<!-- from x -->\nText.\n```c\nint nowhere;\n```\n' >page.md
    split_page page.md
    [ -z "$(cat from-1)" ]
}

@test "its example passes the check with its fixture, and nothing is skipped but what it does not have" {
    run "$abs_top_builddir/rhost" check "$abs_top_builddir/docs/examples/providers/.libs/queue.so" \
        --fixture "$examples/queue.fixture.yaml"
    echo "$output"
    status_is 0
    says_not ' warn '
    # A sanitizer stands in for malloc(), so that the two checks without memory are skipped too.
    [ "$(grep '^skip' <<<"$output" | grep -vc 'not possible with sanitizers')" -eq 7 ]
    [ "${RHOST_WATCHED-}" = asan ] || says_not 'not possible with sanitizers'
    says "skip by-name queue: it cannot be listed"
    says "skip listed queue: it cannot be listed"
    says "skip names queue: its names cannot be made up"
    says "skip validates queue: it has no validate"
    says "skip replaces queue: no state of the fixture has 'replaced'"
    says "skip needs queue: it does not declare what it needs"
    says "skip confined queue: it does not declare what it needs"
}

@test "its example passes its unit tests" {
    run "$abs_top_builddir/docs/examples/providers/queue-test"
    echo "$output"
    status_is 0
}

@test "a queue is refused alone, and what else is in its batch is made" {
    touch device
    cat >site.yaml <<END
resources:
  - {queue: "$work/queues:a", device: /dev/null}
  - {queue: "$work/queues:b", device: $work/device}
  - {queue: "$work/others:c", device: /dev/null}
  - {queue: "$work/no/queues:d", device: /dev/null}
  - {file: $work/device, ensure: absent}
END
    run rhost apply --plugin-dir="$abs_top_builddir/docs/examples/providers/.libs" site.yaml
    echo "$output"
    status_is 4
    says "device: '$work/device' is to be removed by file[$work/device]"
    says "cannot write '$work/no/queues': directory '$work/no' does not exist; 'directory: $work/no' creates it"
    [ "$(cat queues)" = 'a /dev/null 24 -' ]
    [ "$(cat others)" = 'c /dev/null 24 -' ]
    [ "$(mode_of queues)" = 600 ]
}

@test "the spooler is told by a notification" {
    cat >site.yaml <<END
resources:
  - queue: "$work/queues:laser"
    device: /dev/null
    spooler: [sh, -c, "echo \$0 >>$work/told"]
  - file: $work/letter
    content: x
    notify: queue[$work/queues:laser]
END
    run rhost apply --plugin-dir="$abs_top_builddir/docs/examples/providers/.libs" site.yaml
    echo "$output"
    status_is 0
    [ "$(cat told)" = laser ]
}

@test "the old name of an attribute works, with a warning, and is no change afterwards" {
    for color in color colour; do
        printf 'resources:\n  - {lamp: %s, %s: red}\n' "$work/lamp" $color >site.yaml
        run rhost apply --plugin-dir="$abs_top_builddir/docs/examples/providers/.libs" site.yaml
        status_is 0
        [ "$color" = color ] && says "'color' is called 'colour' now"
        [ "$color" = color ] || says '1 ok'
    done
    says_not warning
    [ "$(cat lamp)" = red ]
}
