#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
fixtures=$abs_top_builddir/tests/sdk/.libs

# Only these fixtures are to be found.
with() {
    mkdir -p plugins
    for name; do
        cp "$fixtures/$name.so" plugins/
    done
}

# A whole life, of which the host must not notice how long the plugin's structs are.
lives() {
    local type=$1 first=$2 isolation
    with "$type"
    for isolation in confined none; do
        RHOST_ISOLATION=$isolation
        run apply --plugin-dir plugins --noop <<END
resources:
  - $type: $work/note
END
        status_is 0
        says "would change"
        [ ! -e note ]
        run rhost apply --plugin-dir plugins --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
        status_is 2
        [ "$(cat note)" = "$first" ]
        run rhost apply --plugin-dir plugins --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
        status_is 0
        run rhost resource --plugin-dir plugins "$type" "$work/note"
        status_is 0
        says "$first"
        run rhost resource --plugin-dir plugins "$type" "$work/note" text=changed
        status_is 0
        [ "$(cat note)" = changed ]
        run rhost resource --plugin-dir plugins "$type" "$work/note" ensure=absent
        status_is 0
        [ ! -e note ]
    done
}

@test "a plugin of an older SDK, with shorter structs, works in full" {
    lives older "from long ago"
}

@test "a plugin of a newer SDK, with longer structs, works in full" {
    lives newer "from days to come"
}

@test "actions of a newer SDK, which are longer, are found in their stride" {
    with newer
    run apply --plugin-dir plugins <<END
resources:
  - newer: $work/note
    action: blot
END
    status_is 0
    [ "$(cat note)" = blot ]
}

@test "a plugin with a feature that is not known is refused, with the version that is too old" {
    with feature older
    run rhost types --plugin-dir plugins --state-dir state
    status_is 0
    says "feature.so' is not used"
    says "a newer rhost than $("$abs_top_builddir/core/rhost" --version | cut -d' ' -f2)"
    says "older older 0.1"
    says_not "feature feature 9.0"
}

@test "a plugin with a behaviour that is not known is refused, with attribute and version" {
    with behaviour older
    run rhost types --plugin-dir plugins --state-dir state
    status_is 0
    says "behaviour.so' is not used"
    says "attribute 'path'"
    says "a newer rhost than $("$abs_top_builddir/core/rhost" --version | cut -d' ' -f2)"
    says "older older 0.1"
    says_not "behaviour behaviour 9.0"
}

@test "bits 32 to 63 of features, behaviours and the flags of a plugin are ignored, bit 31 is refused" {
    with bits-ignored bits-refused feature behaviour
    run rhost types --plugin-dir plugins --state-dir state
    status_is 0
    newer="a newer rhost than"
    says "bits-refused.so' is not used: unknown flags (bits 0x80000000); $newer"
    says "feature.so' is not used: type 'feature': unknown features (bits 0x80000000); $newer"
    says "type 'behaviour': attribute 'path': unknown behaviour (bits 0x80000000): the plugin needs $newer"
    [ "$(grep -c "is not used" <<<"$output")" -eq 3 ]
    for type in feature_32 feature_63 behaviour_32 behaviour_63 bits; do
        [ "$(grep -c "^$type *$type *9.0" <<<"$output")" -eq 1 ]
    done
    for type in feature_32 feature_63 behaviour_32 behaviour_63; do
        run apply --plugin-dir plugins <<END
resources:
  - $type: $work/$type
    text: hello
END
        status_is 0
        is "$(cat $type)" hello
    done
}

@test "a command and a new file with flags that the host does not know are refused, also those above bit 31" {
    with bits-ignored
    local -A first=([command]=9 [file]=6) # that has no meaning
    for of in command file; do
        for bit in "${first[$of]}" 31 32 63; do
            run apply --plugin-dir plugins <<END
resources:
  - bits: $work/note
    of: $of
    bit: $bit
END
            status_is 4
            says "$(printf 'unknown flags (bits 0x%x) in struct rhost_%s' $((1 << bit)) ${of/file/new_file})"
            [ ! -e note ]
        done
    done
    run apply --plugin-dir plugins <<END
resources:
  - bits: $work/note
    of: file
    bit: 2
END
    status_is 0
    [ -e note ]
}

@test "a manifest that needs a refused plugin touches nothing" {
    with feature older
    run apply --plugin-dir plugins <<END
resources:
  - older: $work/note
  - feature: $work/other
END
    status_is 1
    [ ! -e note ]
}

@test "a former name of an attribute still works, with a warning at its place" {
    with renamed
    cat >site.yaml <<END
resources:
  - renamed: $work/note
    body: soup
END
    run rhost validate --plugin-dir plugins site.yaml
    status_is 0
    says "site.yaml:3:5: warning: attribute 'body' of 'renamed' is now called 'text' [RH4603]"
    run rhost apply --plugin-dir plugins site.yaml
    status_is 0
    is "$(cat note)" soup
    run rhost resource --plugin-dir plugins renamed "$work/note" content=salad
    status_is 0
    is "$(cat note)" salad
    sed -i 's/body: soup/body: soup\n    text: soup/' site.yaml
    run rhost validate --plugin-dir plugins site.yaml
    status_is 1
    says "site.yaml:4:5: error: attribute 'text' of 'renamed' is given twice: by its name, and by a former one"
}

@test "a deprecated attribute is warned of at its place, once" {
    with renamed
    cat >site.yaml <<END
resources:
  - define: menu
    resources:
      - renamed: \${title}
        flavour: sweet
  - menu: [$work/a, $work/b]
END
    run rhost validate --plugin-dir plugins site.yaml
    status_is 0
    says "site.yaml:5:9: warning: attribute 'flavour' of 'renamed' is deprecated: it has no effect, remove it"
    is "$(grep -c "is deprecated" <<<"$output")" 1
}

@test "former names, deprecation and the SDK are shown" {
    with renamed older
    run rhost describe --plugin-dir plugins renamed
    says "Deprecated: it has no effect, remove it"
    says "Formerly: body, content"
    run rhost describe --plugin-dir plugins --format=json renamed
    says '"formerly"'
    run rhost schema --plugin-dir plugins
    says '"body"'
    run rhost types -v --plugin-dir plugins
    says "plugin renamed, built with the SDK $("$abs_top_builddir/core/rhost" --version | cut -d' ' -f2)"
    grep -x ' *plugin older' <<<"$output"
}
