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

# plugin_passes NAME: in a test. Those that start programs for each resource have fewer rounds.
plugin_passes() {
    local name=$1 rounds=200 allocations=3

    case $name in package-* | python-* | shell-*) rounds=20 allocations=1 ;; esac
    run rhost check "$(checked_plugin "$name")" --fixture "$(checked_fixture "$name")" --time-limit=60 \
        --seed=1 --allocations=$allocations --rounds=$rounds
    [ "$status" -eq 0 ] || echo "$name:"
    status_is 0
    if [ -d "$(checked_plugin "$name")" ]; then # the examples of docs/authors/executable-providers.md
        says_not warn
        says "pass idempotent"
        says "pass noop"
    fi
    grep '^skip .* the fixture needs' <<<"$output" | head -n 1 | sed "s/^/# $name: /" >&3 || true
}
