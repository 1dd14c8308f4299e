#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
fixtures=$abs_top_builddir/tests/sdk/.libs

# Options of the listing: a plugin that notes that it was asked may not write, where it is confined.
how=()

# Makes `plugins` of these fixtures, and lists what can be used.
types_of() {
    mkdir -p plugins
    for name; do
        cp "$fixtures/$name.so" plugins/
    done
    listed
}

listed() {
    run rhost types --plugin-dir plugins --state-dir state "${how[@]}"
    status_is 0
}

# As somebody who is not root; says so when that cannot be tried.
as_nobody() {
    if [ "$(id -u)" -ne 0 ]; then
        "$@"
    elif command -v setpriv >/dev/null; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        skip "needs setpriv to become another user"
    fi
}

@test "a data type that does not exist is refused by attribute" {
    types_of bad
    says "type 'bad_type': attribute 'size': invalid type 'Optional[Intger[0, 5]]'"
}

@test "a data type that cannot be read is refused by attribute and position" {
    types_of bad
    says "type 'bad_syntax': attribute 'size': invalid type 'Integer[0, ' at character 12"
}

@test "a default that does not fit its own type is refused" {
    types_of bad
    says "type 'bad_default': attribute 'size': invalid default"
}

@test "a type without a namevar is refused" {
    types_of bad
    says "type 'bad_namevar': at least one attribute must be a namevar"
}

@test "an attribute with a reserved name is refused" {
    types_of bad
    says "type 'bad_reserved': attribute 'notify'"
}

@test "a relation that names an unknown attribute is refused" {
    types_of bad
    says "type 'bad_relation': unknown attribute in the relation 'autorequire file[\$source]'"
}

@test "a type that is right is used, among those that are wrong" {
    types_of bad
    says "good good 0.1"
    [ "$(grep -c 'is not used' <<<"$output")" -eq 6 ]
}

@test "of two files with one provider the first by name is used, with one warning" {
    types_of counted older
    cp plugins/counted.so plugins/twin.so
    listed
    says "ignoring the provider 'counted' of the type 'counted' of plugin '$work/plugins/twin.so': plugin '$work/plugins/counted.so' in the same directory contains it too; remove one"
    [ "$(grep -c warning: <<<"$output")" -eq 1 ]
    says "older older 0.1"
    says "counted counted"
    run rhost types --format=json --plugin-dir plugins
    says "$work/plugins/counted.so"
    run apply --plugin-dir plugins <<END
resources:
  - counted: $work/note
END
    says_not "cannot be used"
}

@test "a provider in two directories is used from the first, with one warning" {
    types_of counted
    mkdir later
    cp plugins/counted.so later/twin.so
    run rhost types --plugin-dir plugins --plugin-dir later
    status_is 0
    says "warning: ignoring the provider 'counted' of the type 'counted' of plugin '$work/later/twin.so': plugin '$work/plugins/counted.so' in an earlier directory contains it too"
    [ "$(grep -c warning: <<<"$output")" -eq 1 ]
    says "counted counted"
    run rhost types --format=json --plugin-dir plugins --plugin-dir later
    says "$work/plugins/counted.so"
    says_not '"path": "'"$work/later/twin.so"
    # The other way round, the other one is used.
    run rhost types --plugin-dir later --plugin-dir plugins
    says "ignoring the provider 'counted' of the type 'counted' of plugin '$work/plugins/counted.so'"
}

@test "of three with one provider the first of the first directory is used, with a warning for each other" {
    types_of counted
    cp plugins/counted.so plugins/twin.so
    mkdir later
    cp plugins/counted.so later/third.so
    run rhost types --plugin-dir plugins --plugin-dir later
    says "of plugin '$work/plugins/twin.so'"
    says "of plugin '$work/later/third.so'"
    [ "$(grep -c warning: <<<"$output")" -eq 2 ]
    says "counted counted"
}

@test "a text file called .so is refused, and the rest goes on" {
    mkdir plugins
    echo "not a shared object" >plugins/text.so
    types_of older
    says "text.so' is not used: it cannot be loaded"
    says "older older 0.1"
}

@test "an empty file called .so is refused" {
    mkdir plugins
    : >plugins/empty.so
    types_of older
    says "empty.so' is not used: it cannot be loaded"
}

@test "a directory called .so is refused" {
    mkdir -p plugins/folder.so
    types_of older
    says "folder.so' is not used: it is not a regular file"
}

@test "a shared object that is no plugin is refused, and the rest goes on" {
    types_of alien older
    says "alien.so' is not used: it is not a plugin: missing symbol rhost_plugin_v1"
    says "older older 0.1"
}

@test "a shared object that is cut short is refused" {
    mkdir plugins
    head -c 2000 "$fixtures/older.so" >plugins/short.so
    types_of newer
    says "short.so' is not used"
    says "newer newer 9.0"
}

@test "root refuses a plugin that others can write to" {
    requires_root
    types_of older newer
    chmod 0666 plugins/older.so
    listed
    says "older.so' is not used: users other than root can write to it (mode 0666, owner 0)"
    says "newer newer 9.0"
    says_not "older older"
}

@test "root refuses a plugin that somebody else owns" {
    requires_root
    types_of older newer
    chown 65534 plugins/older.so
    listed
    says "older.so' is not used: users other than root can write to it"
    says "newer newer 9.0"
}

@test "root refuses plugins in a directory that others can write to" {
    requires_root
    types_of older
    chmod 0777 plugins
    listed
    says "users other than root can write to its directory"
    says_not "older older"
}

@test "root refuses plugins below a directory that others can replace" {
    requires_root
    mkdir -p open/plugins
    cp "$fixtures/older.so" open/plugins/
    chmod 0777 open
    run rhost types --plugin-dir open/plugins --state-dir state
    status_is 0
    says "users other than root can write to"
    says_not "older older"
}

@test "a directory with the sticky bit above is safe" {
    requires_root
    mkdir -p open/plugins
    cp "$fixtures/older.so" open/plugins/
    chmod 1777 open
    run rhost types --plugin-dir open/plugins --state-dir state
    status_is 0
    says "older older 0.1"
}

@test "root does not believe RHOST_PLUGIN_PATH" {
    requires_root
    mkdir plugins
    cp "$fixtures/older.so" plugins/
    RHOST_PLUGIN_PATH=$work/plugins run rhost types --state-dir state
    status_is 0
    says_not "older older"
}

@test "somebody else's RHOST_PLUGIN_PATH is honoured" {
    mkdir plugins
    cp "$fixtures/older.so" plugins/
    # The build tree and the test's may be closed to others: a copy is not.
    open=$(mktemp -d /tmp/rhost-test.XXXXXX)
    trap 'rm -rf "$open"' RETURN
    chmod 0755 "$open"
    cp -r plugins "$open/"
    cp "$abs_top_builddir/core/rhost" "$abs_top_builddir/core/rhost-worker" "$open/"
    RHOST_PLUGIN_PATH=$open/plugins HOME=/nonexistent run as_nobody "$open/rhost" types
    rm -rf "$open"
    status_is 0
    says "older older 0.1"
}

@test "listing and describing run no third-party code again" {
    export COUNTED=$work/count
    how=(--isolation=worker)
    types_of counted
    says "counted counted 0.1"
    [ "$(wc -l <count)" -eq 1 ]
    for _ in 1 2 3; do
        listed
        says "counted counted 0.1"
        rhost describe "${how[@]}" --plugin-dir plugins --state-dir state counted >described
    done
    [ "$(wc -l <count)" -eq 1 ]
}

@test "a plugin that was replaced is asked again, once" {
    export COUNTED=$work/count
    how=(--isolation=worker)
    types_of counted
    cp "$fixtures/counted.so" plugins/new
    mv plugins/new plugins/counted.so
    listed
    [ "$(wc -l <count)" -eq 2 ]
    listed
    [ "$(wc -l <count)" -eq 2 ]
}

@test "a plugin that could not be loaded is tried again, for its library may be there now" {
    requires_command cc
    types_of older
    echo 'int late_answer(void); int late_answer(void) { return 42; }' >late.c
    cc -shared -fPIC -o liblate.so late.c
    {
        echo '#include <rhost/abi.h>'
        echo 'int late_answer(void);'
        echo 'const struct rhost_plugin *rhost_plugin_v1(void) {'
        echo 'static struct rhost_plugin p = { sizeof p, "late", "1.0" };'
        echo 'return late_answer() == 42 ? &p : NULL; }'
    } >needy.c
    cc -shared -fPIC -I"$abs_top_srcdir/sdk" -o plugins/needy.so needy.c -L. -llate -Wl,-rpath,"$work/lib"
    listed
    says "needy.so' is not used: it cannot be loaded"
    mkdir lib
    cp liblate.so lib/
    listed
    says_not "needy.so"
}

@test "a cache that is damaged is as if there were none" {
    types_of older
    echo '{"format": 1, "plugins": [' >state/plugins.json
    listed
    says "older older 0.1"
}

@test "a cache whose descriptions are damaged is as if there were none" {
    local wording
    types_of older
    wording=$(rhost types --plugin-dir plugins --state-dir state --format=json)
    python3 - <<'EOF'
import json
text = open("state/plugins.json").read()
assert json.loads(text)["plugins"]
at = text.index('"desc": "') + len('"desc": "')
open("state/plugins.json", "w").write(text[:at] + chr(ord(text[at]) ^ 1) + text[at + 1:])
EOF
    is "$(rhost types --plugin-dir plugins --state-dir state --format=json)" "$wording"
    truncate -s -1 state/plugins.json
    is "$(rhost types --plugin-dir plugins --state-dir state --format=json)" "$wording"
}
