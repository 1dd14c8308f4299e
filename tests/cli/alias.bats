#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

@test "an alias is another name for references, and for --only" {
    manifest <<END
resources:
  - file: $work/two
    content: b
    require: file[motd]
  - file: $work/motd
    content: a
    alias: [motd, greeting]
    before: file[second]
  - file: $work/three
    content: c
    alias: second
END
    run rhost apply --noop site.yaml
    status_is 0
    [[ "$output" == *work/motd*work/two* ]]
    run rhost apply --only='file[greeting]' site.yaml
    status_is 0
    [ -e motd ]
    [ ! -e two ]
}

@test "the value of a namevar that differs from the title serves as a reference too" {
    manifest <<END
resources:
  - file: $work/two
    content: b
    require: file[$work/motd]
  - file: the message
    path: $work/motd
    content: a
END
    run rhost apply site.yaml
    status_is 0
    [[ "$output" == *"the message"*work/two* ]]
    [ -e motd ]
}

@test "an alias that is another's alias, title or name is refused with both places" {
    manifest <<END
resources:
  - file: /srv/one
    alias: first
  - file: /srv/two
    alias: first
  - file: /srv/three
    alias: /srv/one
  - file: the fourth
    path: /srv/four
  - file: /srv/five
    alias: /srv/four
  - file: first
    path: /srv/six
  - log: fine
    alias: first
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:4:5: error: file[/srv/two]: alias 'first' is also an alias of file[/srv/one]"
    says "site.yaml:2:5: declared here"
    says "site.yaml:6:5: error: file[/srv/three]: alias '/srv/one' is the name of file[/srv/one]"
    says "site.yaml:10:5: error: file[/srv/five]: alias '/srv/four' is the name of file[the fourth]"
    says "site.yaml:12:5: error: file[first]: the title is already an alias of file[/srv/one]"
    says '4 errors'
}

@test "an alias does not serve several resources, but may repeat a name of its own" {
    manifest <<'END'
resources:
  - file: [/srv/one, /srv/two]
    alias: both
  - file: /srv/three
    alias: /srv/three
  - file: /srv/four
    alias: ""
END
    run rhost validate site.yaml
    status_is 1
    says "file[/srv/two]: alias 'both' is also an alias of file[/srv/one]"
    says 'an alias must be a name that is not empty'
    says '2 errors'
}

@test "a relation by an alias goes before the automatic one" {
    manifest <<END
resources:
  - file: $work/copy
    source: $work/original
    alias: copied
  - file: $work/original
    content: a
    require: file[copied]
END
    run rhost validate site.yaml
    status_is 0
}

@test "aliases survive being compiled" {
    manifest <<END
resources:
  - file: $work/two
    content: b
    require: file[motd]
  - file: $work/motd
    content: a
    alias: motd
END
    rhost compile site.yaml >catalog.json
    run rhost apply --only='file[motd]' catalog.json
    status_is 0
    says '1 resource: 1 changed, 1 excluded'
}
