#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Needs rhost, and the plugin as it was built: in this directory, or in PLUGIN_DIR.

setup() {
    plugins=${PLUGIN_DIR:-$BATS_TEST_DIRNAME}
    cd "$BATS_TEST_TMPDIR"
    mkdir store
    cat >targets.yaml <<YAML
resources:
  - @NAME@_store: main
    directory: $PWD/store
    token: a-secret-of-the-test
YAML
    cat >site.yaml <<YAML
resources:
  - @TYPE@: one
    value: hello
YAML
}

# Shown when a test fails: what the last command said.
teardown() {
    echo "${output-}"
}

# Exits with 2 when something was changed, or would be.
apply() {
    rhost device --plugin-dir="$plugins" --state-dir="$PWD/state" --detailed-exitcodes "$@" targets.yaml main site.yaml
}

@test "a value is created, and left alone afterwards" {
    run apply
    [ "$status" -eq 2 ]
    [ "$(cat store/one)" = hello ]
    run apply
    [ "$status" -eq 0 ]
}

@test "another value is changed" {
    echo goodbye >store/one
    run apply
    [ "$status" -eq 2 ]
    [[ $output == *"value  goodbye → hello"* ]]
    [ "$(cat store/one)" = hello ]
}

@test "a value is removed, and noop says so before" {
    echo hello >store/one
    sed -i 's/value: hello/ensure: absent/' site.yaml
    run apply --noop
    [ "$status" -eq 2 ]
    [ -e store/one ]
    run apply
    [ "$status" -eq 2 ]
    [ ! -e store/one ]
}

@test "what is in the store is listed" {
    echo hello >store/one
    run rhost resource --plugin-dir="$plugins" --state-dir="$PWD/state" --targets=targets.yaml --target=main @TYPE@
    [ "$status" -eq 0 ]
    [[ $output == *"@TYPE@: one"* ]]
}

@test "a store that cannot be reached fails the resource, with the reason" {
    rmdir store
    run apply
    [ "$status" -eq 4 ]
    [[ $output == *"No such file or directory"* ]]
}

@test "it keeps the rules that rhost check knows" {
    run rhost check --state-dir="$PWD/state" --fixture="$BATS_TEST_DIRNAME/fixture.yaml" "$plugins/@NAME@.so"
    [ "$status" -eq 0 ]
    [[ $output != *"it manages a device"* ]]
}
