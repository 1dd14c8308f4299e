# SPDX-License-Identifier: Apache-2.0
# What of the tree goes through rhost check: the plugins that were built, each with its fixture. The bridge serves
# types of others, which are its examples here.

checked_examples=$abs_top_srcdir/docs/examples/executable

checked_names() {
    local so
    for so in "$abs_top_builddir"/plugins/.libs/*.so; do
        [ "$(basename "$so" .so)" = bridge ] || basename "$so" .so
    done
    basename -a "$checked_examples"/*/
}

checked_plugin() {
    if [ -d "$checked_examples/$1" ]; then
        echo "$checked_examples/$1"
    else
        echo "$abs_top_builddir/plugins/.libs/$1.so"
    fi
}

checked_fixture() {
    if [ -d "$checked_examples/$1" ]; then
        echo "$checked_examples/$1/fixture.yaml"
    else
        find "$abs_top_srcdir/plugins" -name "$1.fixture.yaml"
    fi
}
