# SPDX-License-Identifier: Apache-2.0
# What the tests of npm_package share: archives of the test, and what npm leaves.

setup() {
    work_open
    requires_root
    requires_command npm
    chmod 711 "$work" "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR" # a way in for others
}

# The package "one" of the prefix, whose other attributes stand on standard input.
package() {
    one "npm_package: 'one: $work/prefix'" 'offline: true' -- "$@"
}

# archive VERSION: one-VERSION.tgz, with a script that leaves a trace.
archive() {
    mkdir -p package
    printf '{"name": "one", "version": "%s", "bin": {"one": "one.js"}, "scripts": {"postinstall": "touch ran"}}\n' "$1" >package/package.json
    printf '#!/usr/bin/env node\n' >package/one.js
    tar -czf "one-$1.tgz" package
}

# installed DIRECTORY VERSION: what npm has put there.
installed() {
    mkdir -p "$1/one"
    printf '{"name": "one", "version": "%s"}\n' "$2" >"$1/one/package.json"
}
