#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Several providers for one type: which one serves it, and what they must agree about.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"
fixtures=$abs_top_builddir/tests/sdk/.libs

# Only these providers of the type `two` are to be found.
with() {
    rm -rf plugins
    mkdir plugins
    for name; do
        cp "$fixtures/two-$name.so" plugins/
    done
}

# A manifest of one resource, with these lines behind it.
one() {
    printf 'resources:\n  - two: %s/note\n    text: hello\n' "$work" >site.yaml
    [ $# -eq 0 ] || printf '    %s\n' "$@" >>site.yaml
}

# Applies site.yaml where providers run both ways; this one did it.
is_done_by() {
    local isolation
    for isolation in confined none; do
        rm -f note note.by
        RHOST_ISOLATION=$isolation run rhost apply --plugin-dir plugins site.yaml
        status_is 0
        [ "$(cat note)" = hello ]
        [ "$(cat note.by)" = "$1" ]
    done
}

# It is refused, with these words, and nothing was changed; also by validate.
is_refused() {
    local isolation command words
    for isolation in confined none; do
        for command in validate apply; do
            RHOST_ISOLATION=$isolation run rhost $command --plugin-dir plugins site.yaml
            status_is 1
            for words; do
                says "$words"
            done
            [ ! -e note ]
        done
    done
}

@test "the provider that suits best serves the type" {
    with left middle right
    one
    export SUITS_left=1 SUITS_middle=7 SUITS_right=3
    is_done_by middle
    export SUITS_right=2147483647
    is_done_by right
    # Being asked is being under noop.
    export SUITS_left=noop SUITS_right=3
    is_done_by left
}

@test "of those that suit alike the first by name is taken, and -v says so" {
    with right middle left
    one
    is_done_by left
    export SUITS_left=0
    is_done_by middle
    run rhost validate -v --plugin-dir plugins site.yaml
    says "'two' is served by its provider 'middle', which suits by 1"
    says "'two' is not served by its provider 'right', which suits by 1 too, but comes later by name"
    says "'two' is not served by its provider 'left': there is no left here"
}

@test "each provider is asked once, and only where there is a choice to make" {
    with left right
    export SUITS_ASKED=$work/asked
    for isolation in confined none; do
        RHOST_ISOLATION=$isolation
        rm -rf asked note*
        apply --plugin-dir plugins <<END
resources:
  - two: $work/note1
    text: a
  - two: $work/note2
    text: b
  - file: $work/other
  - two: $work/note3
    text: c
END
        [ "$(cat asked)" = $'left\nright' ]
        rm asked
        apply --plugin-dir plugins <<END
resources:
  - two: $work/note1
    text: a
    provider: right
END
        [ ! -e asked ]
    done
    rhost types --plugin-dir plugins >types
    rhost describe two --plugin-dir plugins >described
    rhost schema --plugin-dir plugins >schema
    [ ! -e asked ]
}

@test "a manifest says which provider, and need not ask whether it suits" {
    with left right
    export SUITS_right=0
    one 'provider: right'
    is_done_by right
    one 'provider: left'
    is_done_by left
}

@test "one manifest may use several providers of a type, and a resource is still one" {
    with left right
    run apply --plugin-dir plugins <<END
resources:
  - two: $work/note
    text: hello
  - two: $work/other
    provider: right
    text: hello
END
    status_is 0
    [ "$(cat note.by other.by)" = $'left\nright' ]
    run apply --plugin-dir plugins <<END
resources:
  - two: $work/note
    text: hello
  - two: $work/note
    provider: right
    text: hello
END
    status_is 1
    says 'declared'
}

@test "when none suits each provider's reason is said, once" {
    with left middle right
    export SUITS_left=0 SUITS_middle=-5 SUITS_right=silent
    one
    echo "  - two: $work/second" >>site.yaml
    is_refused "site.yaml:2:5: error: no provider of 'two' suits this machine: left: there is no left here; middle: no reason given; right: no reason given" \
        "where an earlier resource makes one suit, name it: 'provider: NAME'" '1 error;'
    run rhost resource --plugin-dir plugins two "$work/note"
    status_is 1
    says "no provider of 'two' suits this machine: left: there is no left here"
}

@test "a provider that crashes, ends or hangs over the question does not suit, and harms nothing else" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would end with it"
    [ "${RHOST_WATCHED-}" != asan ] || skip "a sanitizer catches a crash before the host can see it"
    with left middle right
    one
    export SUITS_left=crash SUITS_middle=hang
    run rhost apply -v --time-limit 1 --plugin-dir plugins site.yaml
    status_is 0
    [ "$(cat note.by)" = right ]
    says "provider 'left' 0.1 crashed: Segmentation fault, while telling whether it suits"
    says "provider 'middle' 0.1 timed out: no response for 1 s"
    export SUITS_right=exit
    run rhost apply --time-limit 1 --plugin-dir plugins site.yaml
    status_is 1
    says "left: provider 'left' 0.1 crashed: Segmentation fault"
    says "right: provider 'right' 0.1 "
    # What broke over the question still does what it is told.
    one 'provider: left'
    printf '  - two: %s/other\n    text: x\n' "$work" >>site.yaml
    unset SUITS_right
    rm note*
    run rhost apply --time-limit 1 --plugin-dir plugins site.yaml
    status_is 0
    [ "$(cat note.by other.by)" = $'left\nright' ]
}

@test "an unknown provider is refused, with the nearest and the list" {
    with left right
    one 'provider: lfet'
    is_refused "type 'two': unknown provider 'lfet' (it has left, right)"
    says "= did you mean 'left'?"
    one 'provider: zzzzzz'
    is_refused "type 'two': unknown provider 'zzzzzz' (it has left, right)"
    run rhost resource --provider=rihgt --plugin-dir plugins two "$work/note"
    status_is 1
    says "type 'two': unknown provider 'rihgt' (it has left, right)"
    says "= did you mean 'right'?"
}

@test "an attribute that another provider has is refused, and the message says which" {
    with left right
    one 'right_only: x'
    is_refused "unknown attribute 'right_only' for type 'two' where provider 'left' serves it" \
        "provider 'right' supports it; to use it, add 'provider: right' to the entry"
    one 'right_only: x' 'provider: right'
    is_done_by right
    run rhost resource --plugin-dir plugins two "$work/note" right_only=x
    status_is 1
    says "unknown attribute 'right_only' for type 'two' with provider 'left': provider 'right' supports it"
    run rhost resource --plugin-dir plugins --provider=right two "$work/note" right_only=x
    status_is 0
}

@test "of providers that disagree about an attribute the first is used, with one warning for each other" {
    with left right
    mkdir -p later
    cp "$fixtures/two-clash.so" later/
    one
    run rhost types --plugin-dir plugins --plugin-dir later
    status_is 0
    says "ignoring the provider 'clash' of the type 'two' of plugin '$work/later/two-clash.so': its provider 'left' of plugin '$work/plugins/two-left.so' is found first and defines the type differently"
    says "the attribute 'text' is String in the one and Integer in the other"
    [ "$(grep -c warning: <<<"$output")" -eq 1 ]
    says_not "two clash"
    says "two left"
    says "two right"
    # In one directory the order is by file name.
    cp later/two-clash.so plugins/two-z-clash.so
    is_done_by left
    rm note note.by
    one 'provider: clash'
    is_refused "the provider 'clash' of the type 'two' cannot be used: its plugin was refused"
}

@test "the only provider is asked before it is first used, when earlier resources had their turn" {
    with left
    export SUITS_left=$work/needed SUITS_ASKED=$work/asked
    for isolation in confined none; do
        RHOST_ISOLATION=$isolation
        rm -f needed note* asked
        one
        run rhost validate --plugin-dir plugins site.yaml
        status_is 0
        [ ! -e asked ]
        run rhost apply --plugin-dir plugins site.yaml
        status_is 4
        says "failed: no provider of 'two' suits this machine: left: '$work/needed' is not there"
        [ "$(wc -l <asked)" -eq 1 ]
        run apply --plugin-dir plugins <<END
resources:
  - file: $work/needed
  - two: $work/note
    text: hello
END
        status_is 0
        [ "$(cat note.by)" = left ]
    done
}

@test "the only provider that crashes over the question fails its resources, and nothing else" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would end with it"
    [ "${RHOST_WATCHED-}" != asan ] || skip "a sanitizer catches a crash before the host can see it"
    with left
    export SUITS_left=crash
    run apply --plugin-dir plugins <<END
resources:
  - two: $work/note
    text: hello
  - file: $work/other
END
    status_is 4
    says "crashed: Segmentation fault, while telling whether it suits"
    says "2 resources: 1 changed, 1 failed"
    [ -e other ]
    run rhost types --plugin-dir plugins --suits
    status_is 0
    says "two left 0.1 no A small file"
    says "provider 'left' 0.1 crashed: Segmentation fault"
    says "file file 1.0 1 chosen"
}

@test "what an earlier resource makes suit is named, and is not asked" {
    with left right
    export SUITS_left=$work/needed SUITS_right=0
    run apply --plugin-dir plugins <<END
resources:
  - file: $work/needed
  - two: $work/note
    text: hello
    provider: left
END
    status_is 0
    [ "$(cat note.by)" = left ]
}

@test "types and describe show all providers, and with --suits which one is chosen" {
    needs_python
    with left right
    export SUITS_left=0 SUITS_right=12
    run rhost types --plugin-dir plugins
    says 'two left 0.1 A small file'
    says 'two right 0.1 A small file'
    for isolation in confined none; do
        run rhost types --plugin-dir plugins --suits --isolation=$isolation
        status_is 0
        says 'two left 0.1 no A small file, by one of several.'
        says ' there is no left here'
        says 'two right 0.1 12 chosen A small file'
        says 'file file 1.0 1 chosen'
        rhost types --plugin-dir plugins --suits --isolation=$isolation --format=json >types.json
        json_is types.json '[(t["provider"], t["suits"], t["chosen"], t.get("reason")) for t in d if t.get("type") == "two"]' \
            "[('left', 0, False, 'there is no left here'), ('right', 12, True, None)]"
    done
    run rhost describe two --plugin-dir plugins
    status_is 0
    says 'two is served by several providers:'
    says 'left_only'
    says 'right_only'
    says_not 'suits by'
    run rhost describe two --plugin-dir plugins --suits
    says 'left, does not suit: there is no left here'
    cmp - <(printf '%s\n' "$output" | head -5) <<'END'
two is served by several providers:
  left, does not suit: there is no left here
  right, suits by 12
Here it is served by right.

END
    run rhost describe two --plugin-dir plugins --suits --provider=right
    is "$(printf '%s\n' "$output" | tail -2)" $'\nProvider right, suits by 12'
    run rhost describe two --plugin-dir plugins --provider=left
    says 'two, provider left'
    says_not 'right_only'
    rhost describe two --plugin-dir plugins --suits --format=json >described.json
    json_is described.json 'd["type"], d["chosen"], [(p["provider"], p["suits"]) for p in d["providers"]]' \
        "('two', 'right', [('left', 0), ('right', 12)])"
    rhost describe two --plugin-dir plugins --provider=left --format=json >described.json
    json_is described.json 'd["provider"], d["callbacks"]' "('left', ['suits', 'load', 'create', 'update', 'remove'])"
}

@test "a compiled catalog names the provider, and keeps it where another would be chosen" {
    needs_python
    with left right
    one
    rhost compile --plugin-dir plugins site.yaml >site.json
    json_is site.json '[r["provider"] for r in d["resources"]]' "['left']"
    export SUITS_left=0
    mv site.json site.yaml
    is_done_by left
}

