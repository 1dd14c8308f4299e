# SPDX-License-Identifier: Apache-2.0
# What tests with the plugin tests/plugins/herd.c share, beside tests/cli/cli.bash.

own_plugin tests/plugins/.libs/herd.so
export HERD=$BATS_TEST_TMPDIR/herd
[ -z "$BATS_TEST_TMPDIR" ] || mkdir -p "$HERD"

# Animals of these names, all brown, each with a secret.
animals() {
    local name

    for name; do
        printf 'brown\nsecret of %s\n' "$name" >"$HERD/$name"
    done
}

# Those that are there.
herd() {
    (cd "$HERD" && echo *)
}

# rhost with that plugin.
with_herd() {
    local command=$1
    shift
    rhost "$command" --plugin-dir "$BATS_TEST_TMPDIR/plugins" "$@"
}
