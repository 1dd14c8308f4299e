#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# current(type, title): what is there now.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"
source "$abs_top_srcdir/tests/cli/herd.bash"

@test "it is the state that the provider reads, and nil where there is nothing" {
    echo text >old
    chmod 640 old
    manifest <<END
resources:
  - file: $work/new
    mode: \${current("file", "$work/old").mode}
    content: "\${current('file', '$work/old').content}\${current('file', '$work/none') == nil}"
  - file: $work/never
    when: current("file", "$work/old") == nil
END
    run rhost validate site.yaml
    status_is 0
    [ ! -e new ]
    run rhost apply site.yaml
    status_is 0
    [ "$(cat new)" = $'text\ntrue' ]
    [ "$(mode_of new)" = 640 ]
    [ ! -e never ]
}

@test "what cannot be read is said at its place" {
    manifest <<'END'
resources:
  - log: a
    when: current("fiel", "/etc/passwd") == nil
  - log: b
    when: current("file", "relative") == nil
  - log: c
    when: current("file") == nil
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:3:20: error: unknown type 'fiel', or one without state that can be read"
    says "did you mean 'file'?"
    says "site.yaml:5:28: error: the title expects"
    says "site.yaml:7:11: error:"
    says '3 errors'
}

@test "what it read is read again when the run begins" {
    echo one >a
    manifest <<END
resources:
  - file: $work/b
    content: \${current("file", "$work/a").content}
  - file: $work/a
    content: "two\n"
END
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    [ "$(cat b)" = one ]
    [ "$(cat a)" = two ]
}

# Only these providers of the type `two`, none of which suits.
unsuited() {
    mkdir -p plugins
    for name; do
        cp "$abs_top_builddir/tests/sdk/.libs/two-$name.so" plugins/
        export "SUITS_$name=0"
    done
}

@test "what nobody can know yet is unknown under noop, and refused otherwise" {
    for providers in left 'left right'; do
        rm -rf plugins
        unsuited $providers
        manifest <<END
resources:
  - file: $work/a
    content: "x \${current('two', '$work/n')} y"
  - file: $work/b
    content: \${current("two", "$work/n").text}
  - file: $work/c
    content: c
    when: current("two", "$work/n") ~= nil
  - file: $work/d
    content: d
END
        run rhost validate --plugin-dir plugins site.yaml
        status_is 0
        run rhost apply --noop --plugin-dir plugins site.yaml
        status_is 0
        says "unknown: 'content' is not known before something has run"
        says 'unknown: whether it is wanted is not known before something has run'
        says '3 unknown'
        for command in apply compile; do
            run rhost $command --plugin-dir plugins site.yaml
            status_is 1
            says "site.yaml:3:14: error: file[$work/a]: 'content' is not known before something has run"
            says "site.yaml:5:14: error: file[$work/b]: 'content' is not known"
            says "site.yaml:8:11: error: file[$work/c]: whether it is wanted is not known"
            says '3 errors'
            is "$(grep -c 'errors' <<<"$output")" 1
            [ ! -e d ]
        done
        run rhost apply --plugin-dir plugins --only "file[$work/d]" site.yaml
        status_is 0
        [ -e d ]
        rm d
    done
}

@test "a title, a keyword and a for_each have to be known" {
    unsuited left
    manifest <<END
resources:
  - file: \${current("two", "$work/n").text}
    content: x
  - file: $work/b
    tag: \${current("two", "$work/n").text}
  - for_each: \${current("two", "$work/n")}
    file: $work/c
END
    run rhost validate --plugin-dir plugins site.yaml
    status_is 1
    says "the title of 'file' is not known before the run"
    says "the value of 'tag' is not known before the run"
    says "the value of 'for_each' is not known before the run"
    says '3 errors'
}
