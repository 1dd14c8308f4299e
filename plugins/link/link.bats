#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

@test "a link is created, and left alone afterwards" {
    converges <<END
resources:
  - link: $work/current
    target: releases/7
END
    [ "$(readlink current)" = releases/7 ]
}

@test "a link that points elsewhere is pointed where it should" {
    ln -s releases/6 current
    run apply <<END
resources:
  - link: $work/current
    target: releases/7
END
    status_is 0
    says 'target releases/6 → releases/7'
    [ "$(readlink current)" = releases/7 ]
    [ "$(ls -A)" = current ]
}

@test "noop says what would change, and changes nothing" {
    run apply --noop <<END
resources:
  - link: $work/current
    target: releases/7
END
    status_is 0
    says 'would change'
    [ ! -L current ]
}

@test "a target may be missing" {
    converges <<END
resources:
  - link: $work/dangling
    target: /no/such/place
END
    [ -L dangling ]
}

@test "a link is removed, and what it points at is not" {
    echo content >file
    ln -s file current
    converges <<END
resources:
  - link: $work/current
    ensure: absent
END
    [ ! -L current ]
    [ -f file ]
}

@test "a file in the way is an error" {
    echo precious >current
    run apply <<END
resources:
  - link: $work/current
    target: releases/7
END
    status_is 4
    says "exists, but is not a link"
    [ "$(cat current)" = precious ]
}

@test "a file in the way gives way when force says so" {
    echo worthless >current
    converges <<END
resources:
  - link: $work/current
    target: releases/7
    force: true
END
    [ "$(readlink current)" = releases/7 ]
}

@test "force does not remove a directory" {
    mkdir current
    touch current/file
    run apply <<END
resources:
  - link: $work/current
    target: releases/7
    force: true
END
    status_is 4
    [ -f current/file ]
}

@test "a link without a target cannot be created" {
    run apply <<END
resources:
  - link: $work/current
END
    [ "$status" -ne 0 ]
    says target
}

@test "two spellings of one link are one resource" {
    run apply <<END
resources:
  - link: $work/current
    target: a
  - link: $work//current/
    target: b
END
    status_is 1
    [ ! -L current ]
}

@test "a file beside the link that is somebody's own is left alone" {
    echo precious >current.rhost-new
    ln -s releases/6 current
    converges <<END
resources:
  - link: $work/current
    target: releases/7
END
    [ "$(cat current.rhost-new)" = precious ]
    [ "$(ls -A | wc -l)" = 2 ]
}

@test "a name of 255 bytes is one like any other" {
    local name
    name=$(printf 'x%.0s' $(seq 255))
    ln -s old "$name"
    converges <<END
resources:
  - link: $work/$name
    target: new
END
    [ "$(readlink "$name")" = new ]
}

@test "a directory in the way is an error under noop as well" {
    mkdir current
    for noop in --noop --no-noop; do
        run apply "${noop/--no-noop/--color=never}" <<END
resources:
  - link: $work/current
    target: releases/7
    force: true
END
        status_is 4
        says "'$work/current' is a directory, not a link"
    done
}
