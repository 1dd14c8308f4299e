#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Names of several parts, from titles and from attributes; what must be given, and when.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

setup() {
    work=$BATS_TEST_TMPDIR/work
    mkdir -p "$work/plugins" "$work/pairs"
    cd "$work" || return
    cp "$abs_top_builddir/tests/sdk/.libs/pair.so" plugins/
    export PAIRS=$work/pairs
}

# Applies the entries on standard input.
with_pairs() {
    { echo resources: && cat; } >site.yaml
    run rhost apply --plugin-dir plugins "$@" site.yaml
}

# What is there.
there_is() {
    [ "$(ls pairs | tr '\n' ' ')" = "${*:+$* }" ] && return
    echo "there is: $(ls pairs)"
    return 1
}

each_way() {
    for RHOST_ISOLATION in confined none; do
        rm -f pairs/*
        "$@" || return
    done
}

@test "the first title pattern that matches fills the namevars" {
    first() {
        with_pairs --detailed-exitcodes <<'END'
  - pair: php/yum
    given: x
  - pair: {php/gem: }
END
        status_is 1 || return # the second is not a title
        with_pairs --detailed-exitcodes <<'END'
  - pair: [php/yum, php/gem]
    given: x
END
        status_is 2 || return
        there_is php.gem php.yum || return
        with_pairs --detailed-exitcodes <<'END'
  - pair: php/yum
    ensure: absent
END
        status_is 2 || return
        there_is php.gem
    }
    each_way first
}

@test "a title that no pattern matches is refused before anything is read" {
    with_pairs <<'END'
  - pair: a/b/c
    given: x
END
    status_is 1
    says "site.yaml:2:5: error: no title pattern of 'pair' matches the title 'a/b/c'"
    there_is
}

@test "attributes say what the title does not, and win over it" {
    says_it() {
        with_pairs <<'END'
  - pair: php
    manager: gem
    given: x
  - pair: the best of all
    package: ruby
    manager: apt
    given: x
  - pair: a/b
    manager: c
    given: x
END
        status_is 0 || return
        there_is a.c php.gem ruby.apt
    }
    each_way says_it
}

@test "a part of the name that nobody says is asked for" {
    with_pairs <<'END'
  - pair: php
    given: x
END
    status_is 1
    says "site.yaml:2:5: error: the title of pair[php] does not contain 'manager', which is part of the name"
    says 'write it as an attribute'
    there_is
}

@test "a part of the name may have a default" {
    with_pairs <<'END'
  - half: php
    given: x
  - half: php/yum
    given: x
END
    status_is 0
    there_is php.apt php.yum
}

@test "without title patterns the attributes name what has several namevars" {
    lone() {
        with_pairs <<'END'
  - lone: whatever/you like
    package: php
    manager: gem
    given: x
END
        status_is 0 || return
        there_is php.gem
    }
    each_way lone
    with_pairs <<'END'
  - lone: php/gem
    package: php
    given: x
END
    status_is 1
    says "the title 'php/gem' is not enough for type 'lone', which has several namevars and no title pattern"
    says 'write all namevars as attributes: package, manager'
    run rhost resource --plugin-dir plugins lone php/gem
    status_is 1
    says "type 'lone' has several namevars and no title pattern: the title 'php/gem' cannot be used"
}

@test "one name is one resource, however it was said" {
    with_pairs <<'END'
  - pair: php/gem
    given: x
  - pair: once more
    package: php
    manager: gem
    given: x
END
    status_is 1
    says 'site.yaml:4:'
    says 'site.yaml:2:'
    there_is
}

@test "a title pattern that takes too many steps is an error" {
    with_pairs <<'END'
  - pair: slowaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa?!
    given: x
END
    status_is 1
    says "cannot match the title against /\\A(?<manager>slow)(a+)+!\\z/, a title pattern of 'pair': too many steps"
    there_is
}

@test "what is mandatory is asked for when something is created, and only then" {
    mandatory() {
        with_pairs <<'END'
  - pair: php/gem
END
        [ "$status" -ne 0 ] || return
        says "'given'" || return
        there_is || return
        touch pairs/php.gem
        with_pairs <<'END'
  - pair: php/gem
END
        status_is 0 || return
        with_pairs <<'END'
  - pair: php/gem
    ensure: absent
END
        status_is 0 || return
        there_is
    }
    each_way mandatory
}
