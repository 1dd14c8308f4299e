#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What there is to know of devices: transports, the resources of a device, its manifests, and its secrets.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/conformance/letter.bash"

setup() {
    work_open
    cat >targets.yaml <<'END'
resources:
  - letter_wire: one
    host: one.example.org
    password: hunter2-and-more
END
    world letter_remote <<<"name=a ensure=present value=old
name=b ensure=present value=old"
}

on_device() {
    local command=$1
    shift
    run rhost "$command" --isolation="$RHOST_ISOLATION" --state-dir "$work/state" \
        --plugin-dir "$BATS_TEST_TMPDIR/plugins" "$@"
}

@test "rhost types lists transports behind the types" {
    run rhost types --plugin-dir "$BATS_TEST_TMPDIR/plugins"
    status_is 0
    mapfile -t lines < <(sed '/^$/,$d' <<<"$output") # behind an empty line are the lookups
    [[ ${lines[-1]} =~ ^letter_wire\ +\(transport\)\ +1.2\ +Reaches\ a\ device ]]
    run rhost types --suits --plugin-dir "$BATS_TEST_TMPDIR/plugins"
    status_is 0
    says 'Reaches a device'
    run rhost types --format=json --plugin-dir "$BATS_TEST_TMPDIR/plugins"
    is "$(jq -c '.[] | select(.transport) | [.type, .plugin, .version]' <<<"$output")" '["letter_wire","letter","1.2"]'
}

@test "rhost describe shows the attributes of a transport" {
    run rhost describe --plugin-dir "$BATS_TEST_TMPDIR/plugins" letter_wire
    status_is 0
    says 'letter_wire, transport (plugin letter 1.2)'
    says 'Reaches a device that is a file.'
    says 'password'
    for format in markdown man; do
        run rhost describe --plugin-dir "$BATS_TEST_TMPDIR/plugins" --format=$format letter_wire
        status_is 0
        says 'Where it is.'
    done
    run rhost describe --plugin-dir "$BATS_TEST_TMPDIR/plugins" --suits --format=json letter_wire
    status_is 0
    is "$(jq -c '[.transport, (.attributes | map(.name))]' <<<"$output")" '[true,["target","host","port","password"]]'
}

@test "the resources of a device are listed and shown" {
    on_device resource --targets targets.yaml --target one letter_remote
    status_is 0
    says 'letter_remote: a'
    says 'letter_remote: b'
    on_device resource --targets targets.yaml --target one letter_remote b
    status_is 0
    says 'value: old'
    says_not 'letter_remote: a'
    on_device resource --targets targets.yaml --target one letter_remote b value=new
    status_is 0
    says '1 changed'
}

@test "without a device its resources cannot be read, nor those of this machine with one" {
    on_device resource letter_remote
    status_is 1
    says "type 'letter_remote' manages a device"
    says 'rhost resource --targets=FILE --target=NAME'
    on_device resource --targets targets.yaml letter_remote
    status_is 1
    says '--targets and --target must be given together'
    on_device resource --targets targets.yaml --target on letter_remote
    status_is 1
    says "did you mean 'one'?"
    on_device resource --targets targets.yaml --target one host
    status_is 1
    says "type 'host' manages this machine, not a device"
}

@test "what is on a device and in no manifest is purged" {
    printf 'resources:\n  - letter_remote: b\n    value: old\n  - purge: letter_remote\n' >site.yaml
    run rhost apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" site.yaml
    status_is 1
    says "type 'letter_remote' manages a device"
    on_device device targets.yaml one site.yaml
    status_is 0
    says 'letter_remote[a]'
    says 'purge'
    grep -q 'device one.example.org:22 gets a' "$LETTER/calls"
    says "removed 1 of 2"
}

@test "a type that a manifest defines can be made of resources of a device" {
    cat >site.yaml <<'END'
resources:
  - define: pair
    parameters: {word: String}
    resources:
      - letter_remote: [c, d]
        value: ${word}
  - pair: both
    word: x
END
    on_device device targets.yaml one site.yaml
    status_is 0
    grep -q 'device one.example.org:22 gets d' "$LETTER/calls"
}

@test "rhost validate reads files of targets, and manifests for devices, and reaches nobody" {
    printf 'resources:\n  - letter_remote: b\n    value: old\n' >site.yaml
    : >"$LETTER/calls"
    on_device validate --targets targets.yaml
    status_is 0
    says '1 target, 0 resources, no errors'
    on_device validate --targets targets.yaml site.yaml
    status_is 0
    says '1 target, 1 resource, no errors'
    on_device validate --targets targets.yaml --target one site.yaml
    status_is 0
    not grep -q '^device' "$LETTER/calls"
    sed -i 's/value/vlaue/' site.yaml
    sed -i 's/host:/hots:/' targets.yaml
    on_device validate --targets targets.yaml site.yaml
    status_is 1
    says "targets.yaml:3:5: error: unknown attribute 'hots' for type 'letter_wire'"
    sed -i 's/hots:/host:/' targets.yaml
    on_device validate --targets targets.yaml site.yaml
    status_is 1
    says "site.yaml:3:5: error: unknown attribute 'vlaue' for type 'letter_remote'"
    printf 'resources:\n  - file: /nowhere\n' >site.yaml
    on_device validate --targets targets.yaml site.yaml
    status_is 1
    says "type 'file' manages this machine, not a device"
    on_device validate --target one site.yaml
    status_is 1
    says '--target needs --targets'
}

@test "expressions in a manifest for a device are validated with its facts" {
    # shellcheck disable=SC2016 # an expression of rhost
    printf 'resources:\n  - letter_remote: b\n    value: ${node.model}\n' >site.yaml
    on_device validate --targets targets.yaml --target one site.yaml
    status_is 0
    grep -q '^device open' "$LETTER/calls"
}

# The password of the target is put wherever the transport and the provider can put it.
@test "a secret of a target is in no output, report, journal or log" {
    export LETTER_LEAK=1
    printf 'resources:\n  - letter_remote: [b, c]\n    value: new\n' >site.yaml
    : >outputs
    for how in "device targets.yaml one" "device --debug --format=json targets.yaml one site.yaml" \
        "device --debug --report=report.json targets.yaml one site.yaml" \
        "device --noop --debug --diff targets.yaml one site.yaml" \
        "validate --debug --targets targets.yaml --target one site.yaml" \
        "resource --debug --targets targets.yaml --target one letter_remote" \
        "resource --format=json --targets targets.yaml --target one letter_remote b"; do
        # shellcheck disable=SC2086 # words
        on_device $how
        echo "$output" >>outputs
    done
    grep -q 'the password is \[redacted\]' outputs
    [ -s report.json ]
    not grep -rl -e hunter2 -e aHVudGVyMi -e 68756e74 outputs report.json state
}
