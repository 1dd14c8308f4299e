#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The logging context: what each function says, and which rules it holds a provider to. The parameter
# tell of the letter's types is a list of calls, see letter.h.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/conformance/letter.bash"

# A resource letter_get[a], to be created, whose provider does what is on standard input.
tells() {
    {
        echo "  - letter_get: a"
        echo "    value: x"
        echo "    tell:"
        sed "s/.*/    - '&'/"
    } >"$BATS_TEST_TMPDIR/resources"
    rm -f "$LETTER/letter_get"
    applies --debug "$@" <"$BATS_TEST_TMPDIR/resources"
}

# The same with a neighbour b in the same call.
both_tell() {
    {
        echo "  - letter_get: b"
        echo "  - letter_get: a"
        echo "    value: x"
        echo "    tell:"
        sed "s/.*/    - '&'/"
    } >"$BATS_TEST_TMPDIR/resources"
    rm -f "$LETTER/letter_get"
    applies --debug "$@" <"$BATS_TEST_TMPDIR/resources"
}

# What the type's provider said, without the calls that the host itself tells of.
said_is() {
    diff -u - <(grep -E '^(debug|info|notice|warning|error): letter' <<<"$output" |
        grep -vE ': (open|get, |set, |load|create|update|remove)' |
        sed -E 's/ \([0-9.]+ seconds\)$/ (TIME)/') && return
    echo "that is what was said; output:"
    echo "$output"
    return 1
}

# S91 S92 S93
@test "there are five levels, and the type's name stands in front" {
    tells <<<"log|debug|one
log|info|two
log|notice|three
log|warning|four
log|err|five"
    status_is 0
    said_is <<<"debug: letter_get: one
info: letter_get: two
notice: letter_get: three
warning: letter_get: four
error: letter_get: five"
}

# S93
@test "debug messages appear only on request" {
    applies <<<"  - letter_get: a
    tell: ['log|debug|hidden', 'begin|creating|a', 'end']"
    status_is 0
    says_not hidden
    says_not Started
}

# S94
@test "a message may be tied to one resource, or to several" {
    both_tell <<<"log|warning|one of them|a
log|notice|both of them|a,b"
    status_is 0
    said_is <<<"warning: letter_get[a]: one of them
notice: letter_get[a, b]: both of them"
}

# S99 S102 S103 S108
@test "a block tells of its start, its time and its end" {
    tells <<<"begin|creating|a
end"
    status_is 0
    said_is <<<"debug: letter_get[a]: Started creating
notice: letter_get[a]: Successfully created (TIME)"
}

# S99
@test "creating, updating and deleting have their own words" {
    for doing in creat updat delet; do
        tells <<<"begin|${doing}ing|a
end"
        said_is <<<"debug: letter_get[a]: Started ${doing}ing
notice: letter_get[a]: Successfully ${doing}ed (TIME)"
    done
}

# S99
@test "a block may have words of its own" {
    tells <<<"begin|creating|a|Making the key
log|info|half way
end"
    said_is <<<"debug: letter_get[a]: Started making the key
info: letter_get[a]: Making the key: half way
notice: letter_get[a]: Successfully created (TIME)"
}

# S108
@test "without --debug the end is exactly as the specification has it" {
    applies --verbose <<<"  - letter_get: a
    tell: ['begin|creating|a', 'end']"
    line_is "notice: letter_get[a]: Successfully created"
}

# S104 S109
@test "a failure in a block is told with the block's word, and ends there" {
    both_tell <<<"begin|updating|a
fail|the key is not there
end
log|notice|going on"
    status_is 4
    said_is <<<"debug: letter_get[a]: Started updating
error: letter_get[a]: Updating failed: the key is not there
notice: letter_get: going on"
    says "failed: the key is not there"
    says "1 changed, 1 failed"
}

# S105
@test "what ends the process ends the block, and all that it had in hand" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would end with it"
    cp "$abs_top_builddir/tests/plugins/.libs/fault.so" "$BATS_TEST_TMPDIR/plugins/"
    FAULT="set crash in scope" applies <<<"  - fault_set: [first, bad, last]
    value: new
  - file: $work/after"
    status_is 4
    says "while updating fault_set[bad]"
    [ -f after ]
}

# S106
@test "inside a block plain messages carry resource and operation" {
    tells <<<"begin|updating|a
log|warning|Original key not found
end
log|warning|outside"
    said_is <<<"debug: letter_get[a]: Started updating
warning: letter_get[a]: Updating: Original key not found
notice: letter_get[a]: Successfully updated (TIME)
warning: letter_get: outside"
}

# S98
@test "a changed attribute is told with what it was and what it is" {
    tells <<<"attr|a|value|old|new
attr|a|size||5
attr|a|flag|true|false
attr|a|kind|k||gone, for good"
    status_is 0
    said_is <<'END'
notice: letter_get[a]: value: changed from "old" to "new"
notice: letter_get[a]: size: changed from undef to 5
notice: letter_get[a]: flag: changed from true to false
notice: letter_get[a]: kind: gone, for good
END
}

# S107 S108
@test "inside a block a changed attribute needs no title" {
    tells <<<"begin|updating|a
attr||value|old|new|written anew
attr||size|1|2
end"
    status_is 0
    said_is <<<"debug: letter_get[a]: Started updating
notice: letter_get[a]: Updating value: written anew
notice: letter_get[a]: Updating size: changed from 1 to 2
notice: letter_get[a]: Successfully updated (TIME)"
}

@test "outside of one it does, and in one for several" {
    tells <<<"attr||value|old|new"
    status_is 4
    says "violated the ABI contract: it logged for a resource without a title, outside a block for one resource"
    both_tell <<<"begin|updating|a,b
attr||value|old|new
end"
    status_is 4
    says "violated the ABI contract: it logged for a resource without a title, outside a block for one resource"
}

# S96
@test "created, updated and deleted are told after the fact, with words of their own or without" {
    for did in creat updat delet; do
        tells <<<"did|${did}ing|a"
        said_is <<<"notice: letter_get[a]: ${did^}ed"
    done
    tells <<<"did|creating|a|Made it"
    said_is <<<"notice: letter_get[a]: Made it"
}

# S96
@test "unchanged is no change" {
    tells --detailed-exitcodes <<<"unchanged|a"
    status_is 0
    said_is <<<"info: letter_get[a]: Unchanged"
    tells --detailed-exitcodes <<<"unchanged|a|as it was"
    said_is <<<"info: letter_get[a]: as it was"
}

# S95
@test "processed reports the change, and each attribute" {
    world letter_get <<<"name=a ensure=present value=old size=3 given=g"
    applies --debug <<<"  - letter_get: a
    value: new
    size: 4
    given: g
    tell: ['did|processing|a']"
    status_is 0
    said_is <<'END'
notice: letter_get[a]: value: changed from "old" to "new"
notice: letter_get[a]: size: changed from 3 to 4
notice: letter_get[a]: Processed
END
}

# S100
@test "a processing block reports each attribute at its end" {
    world letter_get <<<"name=a ensure=present value=old size=3 given=g"
    applies --debug <<<"  - letter_get: a
    value: new
    given: g
    tell: ['begin|processing|a', 'end']"
    status_is 0
    said_is <<'END'
debug: letter_get[a]: Started processing
notice: letter_get[a]: Processing value: changed from "old" to "new"
notice: letter_get[a]: Successfully processed (TIME)
END
}

# S97
@test "failed fails the resource" {
    tells <<<"did|failing|a|it did not work"
    status_is 4
    said_is <<<"error: letter_get[a]: it did not work"
    says "failed: it did not work"
    tells <<<"did|failing|a"
    status_is 4
    said_is <<<"error: letter_get[a]: Failed"
}

# S101
@test "a failing block fails the resource, also when all goes well in it" {
    tells <<<"begin|failing|a
end"
    status_is 4
    said_is <<<"debug: letter_get[a]: Started failing
error: letter_get[a]: Failing"
    tells <<<"begin|failing|a|Giving up
fail|there is no way
end"
    said_is <<<"debug: letter_get[a]: Started giving up
error: letter_get[a]: Giving up: there is no way"
    says "failed: there is no way"
}

# S111
@test "a block, and what is told after the fact, may be about several resources" {
    both_tell <<<"begin|updating|a,b
log|info|both
end"
    status_is 0
    said_is <<<"debug: letter_get[a, b]: Started updating
info: letter_get[a, b]: Updating: both
notice: letter_get[a, b]: Successfully updated (TIME)"
    both_tell <<<"did|updating|a,b"
    said_is <<<"notice: letter_get[a, b]: Updated"
    both_tell <<<"begin|updating|a,b
fail|neither of them
end"
    status_is 4
    [ "$(grep -c 'failed: neither of them' <<<"$output")" -ge 2 ]
    says "2 failed"
}

@test "when a nested block ends, the outer one goes on" {
    tells <<<"begin|updating|a
log|info|one
begin|processing|a|Checking
log|info|two
end
log|info|three
attr||size|1|2
end
log|info|four"
    status_is 4
    says "violated the ABI contract: it reported a change of 'size' after it reported the result for 'a'"
    both_tell <<<"begin|updating|a
log|info|one
begin|deleting|b|Checking
log|info|two
end
log|info|three
attr||size|1|2
end
log|info|four"
    status_is 0
    said_is <<<"debug: letter_get[a]: Started updating
info: letter_get[a]: Updating: one
debug: letter_get[b]: Started checking
info: letter_get[b]: Checking: two
notice: letter_get[b]: Successfully deleted (TIME)
info: letter_get[a]: Updating: three
notice: letter_get[a]: Updating size: changed from 1 to 2
notice: letter_get[a]: Successfully updated (TIME)
info: letter_get: four"
}

# S112 L5
@test "speaking about a resource that was not in the call breaks a rule, whatever is said" {
    for call in 'log|info|hello|other' 'begin|updating|other' 'did|updating|other' 'unchanged|other' \
        'attr|other|value|a|b' 'did|failing|other'; do
        tells <<<"$call
end"
        status_is 4
        says "failed: provider 'letter_get' 1.2 violated the ABI contract: it logged for 'other', which is not part of this call"
        [[ $call != unchanged* ]] || says 'it was not taken'
    done
}

# S113
@test "resources may be spoken about in any order" {
    both_tell <<<"did|updating|b
attr|a|value|old|new
log|info|again|b
did|updating|a"
    status_is 0
    said_is <<'END'
notice: letter_get[b]: Updated
notice: letter_get[a]: value: changed from "old" to "new"
info: letter_get[b]: again
notice: letter_get[a]: Updated
END
}

# S114
@test "an attribute that is reported after its resource's action breaks a rule" {
    both_tell <<<"did|updating|a
attr|a|value|old|new"
    status_is 4
    says "error: provider 'letter_get' 1.2 violated the ABI contract: it reported a change of 'value' after it reported the result for 'a'"
    says "2 changed"
}

# S115
@test "a block that is opened after logging about its resource breaks a rule" {
    both_tell <<<"log|info|first|a
begin|updating|a
end"
    status_is 4
    says "failed: provider 'letter_get' 1.2 violated the ABI contract: it opened a block for 'a' after logging about it"
    both_tell <<<"log|info|first|a
begin|updating|b
begin|updating|a
end
end"
    status_is 4
    says "it opened a block for 'a' after logging about it"
}

@test "a block inside the block of the same resource is not a late one" {
    tells <<<"begin|updating|a
log|info|first|a
begin|processing|a
end
end"
    status_is 0
}

# S116
@test "the long way round says and does what a block does" {
    both_tell <<<"log|debug|Started updating|a
attr|a|value|old|new|written
did|updating|a|Successfully updated"
    status_is 0
    said_is <<<"debug: letter_get[a]: Started updating
notice: letter_get[a]: value: written
notice: letter_get[a]: Successfully updated"
    both_tell <<<"log|debug|Started updating|a
did|failing|a|Updating failed: no room
return"
    status_is 4
    says "error: letter_get[a]: Updating failed: no room"
    says "2 failed"
}

# S110
@test "commands of a provider are logged at debug" {
    applies --debug <<<"  - exec: hello
    command: [/bin/echo, hello world]"
    status_is 0
    grep -qE "^debug: exec\[hello\]: Executing '/bin/echo .hello world.'" <<<"$output"
    grep -qE "^debug: exec\[hello\]: Successfully executed '/bin/echo" <<<"$output"
    says_not "Updating: Executing"
    says_not "Updating: Successfully"
    says "info: exec[hello]: Updating: hello world"
}

@test "a failure in a block of nobody's is not lost" {
    tells <<<"begin|updating
fail|nobody has it
end"
    status_is 4
    says "failed: nobody has it"
}

@test "what a block is called cannot steer a terminal" {
    applies --debug <<<'  - letter_get: a
    tell: ["begin|creating|a|Bad \e[31m", "log|info|x", "end"]'
    [[ $output != *$'\e'* ]]
    says 'letter_get[a]: Bad \x1b[31m: x'
}

@test "what is secret is told of, and not told" {
    world letter_get <<<"name=a ensure=present given=g"
    applies --debug <<<"  - letter_get: a
    secret: hunter2
    tell: ['begin|processing|a', 'attr||secret|hunter2|hunter2|from hunter2', 'end']"
    says "Processing secret: changed from [redacted] to [redacted]"
    says_not hunter2
}
