#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The types of the example, a Puppet module, served by resource_api.rb.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../../../..}/tests/lib.bash"
source "$abs_top_srcdir/docs/examples/providers/resource_api/resource_api.bash"

@test "type.yaml is what the program writes about the module" {
    ruby plugins/gate/resource_api.rb --describe >described
    diff -u plugins/gate/type.yaml described
}

@test "a provider with create, update and delete is served, with its blocks, words and secrets" {
    run gate -vv <<END
resources:
  - gate_rule: $work//one.rule
    port: 22
    key: hunter2
    reason: for testing
END
    status_is 2
    says "gate_rule[$work//one.rule]: Started creating"
    says "opening port 22: for testing"
    says_not hunter2
    [ "$(cat one.rule)" = '{"port":22,"protocol":"tcp","key":"hunter2"}' ]
    run gate <<END
resources:
  - gate_rule: $work/one.rule
    port: 22
    key: hunter2
END
    status_is 0
    run gate <<END
resources:
  - gate_rule: $work/one.rule
    port: 23
  - gate_rule: $work/two.rule
    port: 13
END
    status_is 2
    says "the port moved"
    run gate <<END
resources:
  - gate_rule: $work/one.rule
    port: 13
  - gate_rule: $work/two.rule
    ensure: absent
END
    status_is 6
    says "failed: port 13 stays closed"
    [ ! -e two.rule ]
}

@test "several namevars, an own comparison, a dry run of the provider's own and a read-only attribute are served" {
    cat >site.yaml <<END
resources:
  - gate_list: $work/lists:friends
    members: [ann, bob]
  - gate_list: $work/lists:others
    members: [eve]
    exact: false
END
    run gate --noop -vv <site.yaml
    status_is 2
    says "1 names"
    [ ! -e lists ]
    run gate <site.yaml
    status_is 2
    says "2 resources: 2 changed"
    echo '{"friends":["bob","ann"],"others":["mal","eve"]}' >lists
    run gate <site.yaml
    status_is 0
    echo '{"friends":["bob","mal"],"others":["mal"]}' >lists
    run gate <site.yaml
    status_is 2
    says "missing: ann; extra: mal"
    [ "$(cat lists)" = '{"friends":["ann","bob"],"others":["eve","mal"]}' ]
}

@test "a transport of the module reaches a device, and the device's resources are managed" {
    echo '{"eth0":"100"}' >device.json
    cat >targets.yaml <<END
resources:
  - gate: one
    path: $work/device.json
    password: sesame
  - gate: two
    path: $work/device.json
    password: swordfish
END
    cat >site.yaml <<END
resources:
  - {gate_port: eth0, speed: 100}
  - {gate_port: eth1, speed: 1000}
END
    device() { rhost device --plugin-dir plugins --isolation=worker --state-dir "$work/state" "$@"; }
    run device --detailed-exitcodes targets.yaml one site.yaml
    status_is 2
    says "2 resources: 1 ok, 1 changed"
    [ "$(cat device.json)" = '{"eth0":"100","eth1":"1000"}' ]
    run device targets.yaml one
    status_is 0
    says '"Gate 1"'
    run device targets.yaml two site.yaml
    status_is 4
    says "access denied with [redacted]"
    says_not swordfish
}

@test "rhost check tries a type that is served so" {
    run rhost check plugins/gate --fixture plugins/gate/fixture.yaml --only creates --only idempotent
    status_is 0
    says "2 pass"
}

@test "all types of a module are served by one process" {
    cat >site.yaml <<END
resources:
  - { gate_rule: $work/one.rule, port: 22 }
  - { gate_list: "$work/lists:friends", members: [ann] }
END
    run gate -vvv <site.yaml
    status_is 2
    [ "$(grep -c "Started 'ruby" <<<"$output")" -eq 1 ]
}
