#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

@test "it says what it has to say, each time, and changes nothing" {
    for time in 1 2; do
        run apply --detailed-exitcodes <<END
resources:
  - log: the new release is in place
END
        status_is 0
        says "the new release is in place"
    done
}

@test "a message may differ from the name" {
    run apply <<END
resources:
  - log: greeting
    message: Hello, world
    level: warning
END
    status_is 0
    says "Hello, world"
}

@test "debug is quiet unless asked for" {
    run apply <<END
resources:
  - log: whisper
    message: psst
    level: debug
END
    status_is 0
    says_not psst
}

@test "it speaks under noop as well" {
    run apply --noop <<END
resources:
  - log: still here
END
    status_is 0
    says "still here"
    says_not "would change"
}

@test "an unknown level is refused" {
    run apply <<END
resources:
  - log: x
    level: loud
END
    [ "$status" -ne 0 ]
}
