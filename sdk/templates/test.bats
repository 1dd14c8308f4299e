#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Needs rhost, and the plugin as it was built: in this directory, or in PLUGIN_DIR.

setup() {
    plugins=${PLUGIN_DIR:-$BATS_TEST_DIRNAME}
    cd "$BATS_TEST_TMPDIR"
    cat >site.yaml <<YAML
resources:
  - @TYPE@: $PWD/one
    value: hello
YAML
}

# Shown when a test fails: what the last command said.
teardown() {
    echo "${output-}"
}

# Exits with 2 when something was changed, or would be.
apply() {
    rhost apply --plugin-dir="$plugins" --state-dir="$PWD/state" --detailed-exitcodes "$@"
}

@test "a file is created, and left alone afterwards" {
    run apply site.yaml
    [ "$status" -eq 2 ]
    [ "$(cat one)" = hello ]
    run apply site.yaml
    [ "$status" -eq 0 ]
}

@test "a file that says something else is changed" {
    echo goodbye >one
    run apply site.yaml
    [ "$status" -eq 2 ]
    [[ $output == *"value  goodbye → hello"* ]]
    [ "$(cat one)" = hello ]
}

@test "a file is removed, and stays away" {
    echo hello >one
    sed -i 's/value: hello/ensure: absent/' site.yaml
    run apply site.yaml
    [ "$status" -eq 2 ]
    [ ! -e one ]
    run apply site.yaml
    [ "$status" -eq 0 ]
}

@test "noop says what would change, and changes nothing" {
    run apply --noop site.yaml
    [ "$status" -eq 2 ]
    [[ $output == *"would change"* ]]
    [ ! -e one ]
}

@test "what the system refuses is said, with its reason" {
    sed -i "s|$PWD/one|$PWD/no/such/folder/one|" site.yaml
    run apply site.yaml
    [ "$status" -eq 4 ]
    [[ $output == *"does not exist"* ]]
}

@test "it keeps the rules that rhost check knows" {
    run rhost check --state-dir="$PWD/state" --fixture="$BATS_TEST_DIRNAME/fixture.yaml" "$plugins/@NAME@.so"
    [ "$status" -eq 0 ]
}
