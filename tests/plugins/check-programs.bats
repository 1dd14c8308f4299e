#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# As check.bats, for the programs of docs/authors/executable-providers.md, each of which is started many times.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/plugins/checked.bash"

@test "every program passes" {
    for name in $(checked_names | grep -E '^(python|shell)-'); do
        plugin_passes "$name"
    done
}

@test "a program that manages a device is tried with the device of its fixture" {
    local panel=$checked_examples/python-panel
    run rhost check "$panel" --fixture "$panel/fixture.yaml" --only reads --only writes --only creates --only secret
    status_is 0
    says 'pass creates panel_lamp'
    says 'pass secret panel_lamp'
    run rhost check "$panel" --only reads
    says "skip reads panel_lamp: it manages a device: add 'target' to the fixture"
}

@test "what a device refuses is found in a program as well, and no token is shown" {
    local panel=$checked_examples/python-panel
    sed "s|\${here}|$panel|; s/^  token: .*/  token: another-token/" "$panel/fixture.yaml" >fixture.yaml
    run rhost check "$panel" --fixture fixture.yaml --only reads
    status_is 4
    says 'fail reads panel_lamp: '
    says 'wrong token'
    says_not another-token
    sed "s|\${here}|$panel|; s/colour: blue/colour: mauve/" "$panel/fixture.yaml" >fixture.yaml
    run rhost check "$panel" --fixture fixture.yaml --only reads --only writes
    status_is 4
    says "fail writes panel_lamp: changing 'one' fails: colour: no lamp can be mauve"
}

@test "a program that forgets what its device has is found" {
    cp -r "$checked_examples/python-panel" panel
    sed -i 's/panel.ask(remove=name)/pass/' panel/panel.py
    chmod -R go-w panel
    run rhost check panel --fixture panel/fixture.yaml --only reads --only writes --only removes
    status_is 4
    says "fail removes panel_lamp: removed, 'two' is still there"
}
