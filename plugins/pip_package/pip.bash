# SPDX-License-Identifier: Apache-2.0
# What the tests of pip_package share: environments and wheels of the test.

here=$abs_top_srcdir/plugins/pip_package

setup() {
    work_open
    requires_root
    requires_command /usr/bin/python3
    chmod 711 "$work" "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR" # a way in for others
    site=env/$(/usr/bin/python3 -c 'import sys; print("lib/python%d.%d/site-packages" % sys.version_info[:2])')
}

# An environment with a pip of its own, by which pip is started once and not twice.
environment() {
    /usr/bin/python3 -I -m venv --without-pip env
    cp -a "$(/usr/bin/python3 -c 'import pip; print(pip.__path__[0])')" "$site/"
}

wheels() {
    mkdir -p wheels
    /usr/bin/python3 "$here/wheel.py" wheels "$@"
}

# The package "one" of the environment, whose other attributes stand on standard input.
package() {
    one "pip_package: 'one: $work/env'" 'no_index: true' 'dependencies: false' -- "$@"
}

# What pip has put there of a package: NAME VERSION.
installed() {
    mkdir -p "$site/one-$1.dist-info"
    printf 'Name: one\nVersion: %s\n' "$1" >"$site/one-$1.dist-info/METADATA"
    : >"$site/one-$1.dist-info/RECORD"
}
