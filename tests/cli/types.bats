#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

@test "types lists what is installed, a line each, in order" {
    run rhost types
    status_is 0
    for type in directory exec file group host link log user; do
        says "$type $type 1.0"
    done
    rhost types | awk '!NF { exit } { print $1 }' | LC_ALL=C sort -c
}

@test "the columns of types are straight, however long the names" {
    rhost types | sed '/^$/,$d' >listed
    grep -q '^postgresql_extension postgresql_extension 1' listed
    # Every description begins in the same column.
    sed -E 's/^(\S+ +\S+ +\S+ +)\S.*/\1/' listed | awk '{ print length($0) }' | sort -u >columns
    is "$(wc -l <columns)" 1
}

@test "types --format=json says the same" {
    needs_python
    rhost types --format=json >types.json
    rhost types | awk '!NF { exit } { print $1 }' >names
    json_is types.json '"\n".join(t["type"] for t in d if "type" in t)' "$(cat names)"
    json_is types.json '{tuple(sorted(t)) for t in d if "type" in t}' \
        "{('built_with', 'desc', 'path', 'plugin', 'provider', 'type', 'version')}"
    json_is types.json 'all(t["path"].startswith("/") and t["path"].endswith(".so") for t in d if "type" in t)' True
}

@test "a plugin directory that is not there is empty, and told of" {
    run rhost types --plugin-dir "$work/none"
    status_is 0
    says 'file file 1.0'
    says "warning: cannot search for plugins in '$work/none': No such file or directory; ignoring this directory"
}

@test "a file that is no plugin is left out, aloud" {
    mkdir plugins
    echo 'not an object' >plugins/bad.so
    split rhost types --plugin-dir "$work/plugins"
    status_is 0
    says "warning: the plugin '$work/plugins/bad.so' is not used"
    says 'file file 1.0'
}

@test "an object that is no plugin is not asked twice" {
    mkdir plugins
    cp "$abs_top_builddir/tests/sdk/.libs/alien.so" plugins/bad.so
    rhost types --debug --plugin-dir "$work/plugins" 2>first >/dev/null
    grep -q "describing the plugin '$work/plugins/bad.so'" first
    rhost types --debug --plugin-dir "$work/plugins" 2>second >/dev/null
    not grep -q 'describing the plugin' second
}

@test "what a plugin said is forgotten once it is gone" {
    mkdir plugins
    cp "$abs_top_builddir/tests/sdk/.libs/alien.so" plugins/bad.so
    rhost types --plugin-dir "$work/plugins" >/dev/null 2>&1
    grep -q "$work/plugins/bad.so" "$BATS_TEST_TMPDIR/state/plugins.json"
    rm plugins/bad.so
    rhost types >/dev/null
    not grep -q "$work/plugins/bad.so" "$BATS_TEST_TMPDIR/state/plugins.json"
    rhost types >/dev/null
    grep -q "file.so" "$BATS_TEST_TMPDIR/state/plugins.json"
}

@test "root does not load a plugin that others can write to" {
    requires_root
    mkdir plugins
    echo 'not an object' >plugins/bad.so
    chmod 666 plugins/bad.so
    run rhost types --plugin-dir "$work/plugins"
    says 'users other than root can write to it'
    chmod 644 plugins/bad.so
    chmod 777 plugins
    run rhost types --plugin-dir "$work/plugins"
    says 'users other than root can write to its directory'
}
