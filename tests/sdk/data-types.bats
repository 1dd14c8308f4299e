#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Data types that are declared in the file beside a plugin.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"
fixtures=$abs_top_builddir/tests/sdk/.libs

# A directory with the plugin, and beside it the data types on standard input.
plugin_with() {
    mkdir -p "${1:-plugins}"
    cp "$fixtures/aliased.so" "${1:-plugins}/"
    cat >"${1:-plugins}/aliased.types"
}

good_types() {
    cat <<'END'
# What notes are made of.
type Note::Path = Pattern[/\A\//]    # absolute
type Note::Text = String[0, 10]
type Note::Tree = Variant[
    String,
    Array[Note::Tree],
]
END
}

types() {
    run rhost types --plugin-dir plugins --state-dir state
    status_is 0
}

# Both ways of running a provider.
each_way() {
    for RHOST_ISOLATION in confined none; do
        echo "# $RHOST_ISOLATION"
        "$@" || return
    done
}

@test "attributes have the data types that stand beside the plugin, and providers run with them" {
    good_types | plugin_with
    types
    says 'aliased aliased 0.1'
    works() {
        rm -f note
        run apply --plugin-dir plugins --detailed-exitcodes <<END
resources:
  - aliased: $work/note
    text: hello
    tree: [a, [b, [c]]]
END
        status_is 2 || return
        [ "$(cat note)" = hello ] || return
        run rhost apply --plugin-dir plugins --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
        status_is 0 || return
        run rhost resource --plugin-dir plugins aliased "$work/note"
        status_is 0 && says 'text: hello'
    }
    each_way works
}

@test "a value that does not fit one is refused with its name and its place" {
    good_types | plugin_with
    refuses() {
        run apply --plugin-dir plugins <<END
resources:
  - aliased: $work/note
    text: longer than ten
    tree: [a, {b: c}]
END
        status_is 1 || return
        says ':3:' || return
        says 'Note::Text = String[0, 10]' || return
        says ':4:' || return
        [ ! -e note ]
    }
    each_way refuses
}

@test "describe shows them, and the JSON Schema is made with them" {
    needs_python
    good_types | plugin_with
    run rhost describe --plugin-dir plugins aliased
    status_is 0
    says 'text (Note::Text, required to create)'
    says 'Note::Path = Pattern[/\A\//]'
    says 'Note::Tree = Variant[String, Array[Note::Tree]]'
    rhost schema --plugin-dir plugins >schema.json
    python3 -m json.tool schema.json >pretty.json
    grep -q Note::Text pretty.json
}

@test "without its file, or with a name that is not in it, a plugin is refused by attribute" {
    mkdir plugins
    cp "$fixtures/aliased.so" plugins/
    types
    says "aliased.so' is not used: type 'aliased': attribute 'path': invalid type 'Note::Path'"
    good_types | sed '/Note::Text/s/Text/Txet/' | plugin_with
    types
    says "attribute 'text': invalid type 'Note::Text' at character 1: unknown data type 'Note::Text' (did you mean 'Note::Txet'?)"
    says_not 'aliased aliased'
}

@test "a file of data types that changes is read again, and one that goes is forgotten" {
    good_types | plugin_with
    types
    says 'aliased aliased 0.1'
    good_types | sed 's/\[0, 10\]/[0, 20]/' >plugins/aliased.types
    run rhost describe --plugin-dir plugins --state-dir state aliased
    says 'Note::Text = String[0, 20]'
    run apply --plugin-dir plugins <<END
resources:
  - aliased: $work/note
    text: longer than ten
END
    status_is 0
    rm plugins/aliased.types
    types
    says "is not used: type 'aliased': attribute 'path'"
}

@test "a file of data types that is wrong is refused with its place, and the rest goes on" {
    cp "$fixtures/older.so" . # which needs none
    while IFS='|' read -r line replacement message; do
        good_types | sed "${line}c$replacement" | plugin_with
        cp older.so plugins/
        types
        says "aliased.so' is not used: its data types cannot be read: $work/plugins/aliased.types:$message"
        says 'older older 0.1'
        says_not 'aliased aliased'
    done <<'END'
3|type Note::Text = Strng|3:19: in data type 'Note::Text': unknown data type 'Strng' (did you mean 'String'?)
3|type Note::Path = String|3:6: data type 'Note::Path' is declared twice
3|type String = Integer|3:6: 'String' is a built-in data type
3|type note = String|3:6: 'note' cannot name a data type: expected Name or Mod::Name
3|type Note::Text = Optional[Note::Text]|3:19: data type 'Note::Text' refers only to itself: wrap it, for example in Array[Note::Text]
3|type Note::Text String|3:17: expected '=' after the name 'Note::Text'
3|let Note::Text = String|3:1: expected 'type Name = ...'
END
}

@test "a name means one thing: two plugins may declare it alike, and not otherwise" {
    good_types | plugin_with
    cp "$fixtures/older.so" plugins/
    echo 'type Note::Text = String[0,10]' >plugins/older.types
    types
    says 'aliased aliased 0.1'
    says 'older older 0.1'
    echo 'type Note::Text = String[0, 11]' >plugins/older.types
    types
    says "older.so' is not used: it declares the data type 'Note::Text' as String[0, 11], and the plugin '$work/plugins/aliased.so' declares it as String[0, 10]"
    says 'aliased aliased 0.1'
}

@test "root refuses data types that others can write" {
    requires_root
    good_types | plugin_with
    chmod 0666 plugins/aliased.types
    types
    says "its data types in '$work/plugins/aliased.types' cannot be used: users other than root can write to it"
    says_not 'aliased aliased'
}

@test "a pattern that takes too many steps is an error in a manifest" {
    good_types | sed '3ctype Note::Text = Pattern[/^(a+)+$/]' | plugin_with
    stuck() {
        run apply --plugin-dir plugins <<END
resources:
  - aliased: $work/note
    text: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab
END
        status_is 1 || return
        says "cannot be held against /^(a+)+\$/: the pattern takes too many steps for it" || return
        says ':3:' || return
        [ ! -e note ]
    }
    each_way stuck
}
