#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Devices: how they are reached, what they say of themselves, and managing them.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/conformance/letter.bash"

setup() {
    work_open
    cat >targets.yaml <<'END'
resources:
  - letter_wire: one
    host: one.example.org
    password: hunter2
  - letter_wire: two
    host: two.example.org
    port: 830
END
}

device() {
    : >"$LETTER/calls"
    run rhost device --isolation="$RHOST_ISOLATION" --state-dir "$BATS_TEST_TMPDIR/state" --color=never \
        --plugin-dir "$BATS_TEST_TMPDIR/plugins" "$@"
}

manifest() {
    { echo "resources:"; cat; } >site.yaml
}

# S83
@test "a device says what it is" {
    device targets.yaml two
    status_is 0
    says '"where"'
    says 'two.example.org:830'
    says '"model"'
    diff - "$LETTER/calls" <<'END'
device open {host: 'two.example.org', port: 830, target: 'two'}
device close
END
}

# S81 S82 S84 S89
@test "resources of a device are set through the transport of the target that was named" {
    manifest <<<"  - letter_remote: [a, b]
    value: x"
    device targets.yaml one site.yaml
    status_is 0
    says "2 resources: 2 changed"
    says_not hunter2
    says_not warning
    grep -E '^device|open|close' "$LETTER/calls" | sed 's/, after.*//' >calls
    diff - calls <<'END'
device open {host: 'one.example.org', password: 'hunter2', target: 'one', port: 22}
letter_remote open
device one.example.org:22 gets a
device one.example.org:22 gets b
letter_remote close
device close
END
}

# S85
@test "under noop a provider that supports it is called, and the device is left alone" {
    manifest <<<"  - letter_remote: a
    value: x"
    device --noop targets.yaml one site.yaml
    status_is 0
    says "1 would change"
    grep -qx "letter_remote set 1 (noop)" "$LETTER/calls"
    [ "$(grep -c gets "$LETTER/calls")" -eq 0 ]
}

# S82
@test "without a target there is no device for a provider to reach" {
    manifest <<<"  - letter_remote: a"
    run rhost apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" site.yaml
    status_is 1
    [ ! -e "$LETTER/calls" ]
}

@test "what manages this machine is not a device's" {
    manifest <<<"  - file: $work/x"
    device targets.yaml one site.yaml
    status_is 1
    says "type 'file' manages this machine, not a device"
    [ ! -e x ]
}

@test "a device that cannot be reached makes its resources fail, with the reason" {
    echo "verify nobody answers" >"$LETTER/device.wrong"
    manifest <<<"  - letter_remote: [a, b]"
    device targets.yaml one site.yaml
    status_is 4
    [ "$(grep -c "failed: provider 'letter_remote' is unavailable: transport 'letter_wire': nobody answers" <<<"$output")" -eq 2 ]
    [ "$(grep -c '^device open' "$LETTER/calls")" -eq 1 ]
    device targets.yaml one
    status_is 4
    says "nobody answers"
}

@test "facts that fail say why" {
    echo "facts it does not know itself" >"$LETTER/device.wrong"
    device targets.yaml one
    status_is 4
    says "it does not know itself"
}

@test "what is wrong with targets is said with its place, and nobody is reached" {
    cat >targets.yaml <<'END'
resources:
  - letter_wire: one
    hots: one.example.org
  - letter_wire: two
    host: two.example.org
    port: many
  - letter_wir: three
END
    device targets.yaml one
    status_is 1
    says "targets.yaml:3:5: error: unknown attribute 'hots' for type 'letter_wire'"
    says "did you mean 'host'?"
    says "target 'one': missing required attribute 'host'"
    says "letter_wire[two].port expects an Integer[1, 65535] value, got String" || says "letter_wire[two].port expects"
    says "did you mean 'letter_wire'?"
    [ ! -s "$LETTER/calls" ]
}

@test "a target that is not there is refused, with the nearest" {
    device targets.yaml twoo
    status_is 1
    says "unknown target 'twoo' in 'targets.yaml'"
    says "did you mean 'two'?"
    device targets.yaml # all that there are
    status_is 0
    is "$output" $'letter_wire[one]\nletter_wire[two]'
    device
    status_is 1
    says "expected TARGETS, a file that describes devices"
}

@test "a transport in two directories is used from the first, with one warning" {
    mkdir "$BATS_TEST_TMPDIR/later"
    cp "$BATS_TEST_TMPDIR/plugins/letter.so" "$BATS_TEST_TMPDIR/later/twin.so"
    device --plugin-dir "$BATS_TEST_TMPDIR/later" targets.yaml two
    status_is 0
    says "ignoring the transport 'letter_wire' of plugin '$BATS_TEST_TMPDIR/later/twin.so'"
    [ "$(grep -c 'warning: .*letter_wire' <<<"$output")" -eq 1 ]
    says 'two.example.org:830'
}

# I138
@test "the facts of a device are the facts of its manifest, and are read once, when they are needed" {
    manifest <<<"  - letter_remote: a
    value: \${node.model} at \${node.where}
  - letter_remote: b
    value: \${node.model}
    when: default(node.hostname, \"none\") == \"none\""
    device targets.yaml two site.yaml
    status_is 0
    says "2 changed"
    grep -q "a file at two.example.org:830" "$LETTER"/*
    [ "$(grep -c '^device open' "$LETTER/calls")" -eq 2 ]
    manifest <<<"  - letter_remote: c
    value: x"
    device targets.yaml two site.yaml
    [ "$(grep -c '^device open' "$LETTER/calls")" -eq 1 ]
}

@test "a manifest that reads facts that a device cannot give is refused" {
    echo "facts it does not know itself" >"$LETTER/device.wrong"
    manifest <<<"  - letter_remote: a
    value: \${default(node.model, \"none\")}"
    device targets.yaml one site.yaml
    status_is 1
    says "targets.yaml:2:5: error: cannot read the facts of target 'one'"
    says "it does not know itself"
}
