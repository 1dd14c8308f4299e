#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What was changed is read again, where that is asked for or costs little.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# A type whose provider keeps what it is told in the file 'kept', but for what 'lies' names.
with_lamps() {
    requires_command python3
    mkdir -p plugins/lamp
    cat >plugins/lamp/type.yaml <<'END'
type: lamp
desc: A lamp.
program: [python3, ./lamp.py]
attributes:
  name: {type: String, desc: Its name., behaviour: namevar}
  ensure: {type: "Enum[present, absent]", desc: Whether it is there., default: present}
  power: {type: "Optional[Enum[on, off]]", desc: Whether it shines.}
  colour: {type: "Optional[String]", desc: How.}
  code: {type: "Optional[Sensitive[String]]", desc: Nobody may know.}
  unseen: {type: "Optional[String]", desc: It is never reported.}
END
    cat >plugins/lamp/lamp.py <<END
import json, os, sys
os.chdir("$work")
def say(**answer):
    print(json.dumps(answer), flush=True)
def load(name, default):
    try:
        with open(name) as f: return json.load(f)
    except FileNotFoundError: return default
sys.stdin.readline()
say(hello={"protocol": 1})
for line in sys.stdin:
    verb, asked = next(iter(json.loads(line).items()))
    kept, lies = load("kept", {}), load("lies", [])
    with open("calls", "a") as f: f.write(verb + "\n")
    if verb == "get":
        for lamp in kept.values(): say(resource=lamp)
    if verb == "set":
        for change in asked["changes"]:
            name, should = change["name"]["name"], change["should"]
            if "all" in lies: continue
            if should is None or should.get("ensure") == "absent":
                kept.pop(name, None)
                continue
            lamp = kept.setdefault(name, {"name": name, "ensure": "present"})
            for key, value in should.items():
                if key != "unseen" and key not in lies: lamp[key] = value
        with open("kept", "w") as f: json.dump(kept, f)
    say(done=True)
END
}

lamps() {
    : >calls
    cat >"$BATS_TEST_TMPDIR/site.yaml"
    run rhost apply --plugin-dir plugins "$@" "$BATS_TEST_TMPDIR/site.yaml"
}

@test "a change that did not hold fails, and says what there is" {
    with_lamps
    for RHOST_ISOLATION in confined none; do
        echo '{"a": {"name": "a", "ensure": "present", "power": "off", "colour": "red"}}' >kept
        echo '["power"]' >lies
        lamps <<<'resources: [{lamp: a, power: on, colour: blue}]'
        status_is 0
        lamps --verify <<<'resources: [{lamp: a, power: on, colour: green}, {log: x, require: "lamp[a]"}]'
        status_is 4
        says 'failed: the change did not take effect: power is still "off"'
        says 'skipped: depends on lamp[a]'
        lamps <<<'resources: [{lamp: a, power: on, verify: true}]'
        status_is 4
        lamps --verify <<<'resources: [{lamp: a, power: on, verify: false}]'
        status_is 0
        lamps --verify --strict=warning <<<'resources: [{lamp: a, power: on}]'
        status_is 0
        says 'warning: lamp[a]: the change did not take effect: power is still "off"'
        lamps --verify --noop <<<'resources: [{lamp: a, power: on}]'
        status_is 0
    done
}

@test "a value that is another one than was asked for is shown beside it" {
    with_lamps
    # A provider that makes capitals of each colour.
    sed -i 's/if key != "unseen" and key not in lies:/if key == "colour": value = value.upper()\n                &/' \
        plugins/lamp/lamp.py
    echo '{"a": {"name": "a", "ensure": "present", "colour": "RED", "power": "off"}}' >kept
    lamps --verify <<<'resources: [{lamp: a, colour: blue, power: on}]'
    status_is 4
    says 'failed: the change did not take effect: colour is "BLUE" and not "blue"'
    says_not 'power is'
    echo '["power"]' >lies
    lamps --verify <<<'resources: [{lamp: a, colour: green, power: off}, {lamp: b, colour: red, power: on}]'
    status_is 4
    says 'failed: the change did not take effect: colour is "GREEN" and not "green"; power is still "on"'
    says 'failed: the change did not take effect: colour is "RED" and not "red"'
    echo '[]' >lies
    lamps --verify --strict=off -vv <<<'resources: [{lamp: a, colour: blue}]'
    status_is 0
    says 'the change did not take effect: colour is "BLUE" and not "blue"'
    lamps --verify --strict=off <<<'resources: [{lamp: a, colour: black}]'
    status_is 0
    says_not 'take effect'
}

@test "what was made and is not there, and what was removed and is, did not hold" {
    with_lamps
    echo '{"a": {"name": "a", "ensure": "present"}}' >kept
    echo '["all"]' >lies
    lamps --verify <<<'resources: [{lamp: a, ensure: absent}, {lamp: b, power: on}]'
    status_is 4
    says 'failed: the change did not take effect: it still exists'
    says 'failed: the change did not take effect: it does not exist'
}

@test "what holds, and what is never reported, is a change; a batch is read once more" {
    with_lamps
    lamps --verify <<<'resources: [{lamp: [a, b, c], power: on, unseen: x}]'
    status_is 0
    says '3 changed'
    [ "$(grep -c get calls)" -eq 2 ]
    lamps <<<'resources: [{lamp: [a, b, c], power: off}]'
    [ "$(grep -c get calls)" -eq 1 ]
}

@test "a secret that did not hold is not shown" {
    with_lamps
    echo '{"a": {"name": "a", "ensure": "present", "code": "first-secret"}}' >kept
    echo '["code"]' >lies
    lamps --verify <<<'resources: [{lamp: a, code: second-secret}]'
    status_is 4
    says 'the change did not take effect: code is not the desired value'
    says_not 'first-secret'
    says_not 'second-secret'
}

@test "files are verified, and commands where somebody asks for it" {
    run apply --verify <<END
resources:
  - file: $work/a
    content: x
    mode: "0640"
  - exec: nothing
    command: "true"
  - exec: something
    command: "true"
    creates: $work/b
    verify: true
END
    status_is 4
    says '3 resources: 2 changed, 1 failed'
    says 'exec[something]'
    says 'the change did not take effect: state is still "needed"'
    run apply <<<'resources: [{log: x, verify: true}]'
    status_is 1
    says "'log' cannot be verified: its provider cannot read the current state"
    run apply <<<"resources: [{file: $work/a, verify: 1}]"
    status_is 1
    says 'verify must be a boolean'
}

@test "what a compiled catalog says of it is applied" {
    with_lamps
    echo '["power"]' >lies
    echo '{"a": {"name": "a", "ensure": "present", "power": "off"}}' >kept
    echo 'resources: [{lamp: a, power: on, verify: true}]' >site.yaml
    rhost compile --plugin-dir plugins site.yaml >catalog.json
    run rhost apply --plugin-dir plugins catalog.json
    status_is 4
    says 'the change did not take effect'
}

@test "a type that says read_back is verified without being asked, unless told otherwise" {
    with_lamps
    sed -i 's/^program:/features: [read_back]\n&/' plugins/lamp/type.yaml
    run rhost describe --format=json --plugin-dir plugins lamp
    says '"read_back"'
    for RHOST_ISOLATION in confined none; do
        echo '{"a": {"name": "a", "ensure": "present", "power": "off"}}' >kept
        echo '["power"]' >lies
        lamps <<<'resources: [{lamp: a, power: on}]'
        status_is 4
        says 'failed: the change did not take effect: power is still "off"'
        lamps <<<'resources: [{lamp: a, power: on, verify: false}]'
        status_is 0
        is "$(grep -c get calls)" 1
        lamps --no-verify <<<'resources: [{lamp: a, power: on}]'
        status_is 0
        lamps --no-verify <<<'resources: [{lamp: a, power: on, verify: true}]'
        status_is 4
        lamps --noop <<<'resources: [{lamp: a, power: on}]'
        status_is 0
    done
}

@test "types of ours whose readings are cheap say so, and the others do not" {
    for type in alternatives apt_pin archive augeas cargo_package cron debconf dpkg_divert filesystem firewalld_rule flatpak flatpak_remote gem_package git host hostname htpasswd ini_setting json_setting kernel_module known_host line link locale mount network_interface nft_rule nft_table npm_package partition pip_package ssh_authorized_key ssh_key substitution sudo_rule swap sysctl text_block timezone ufw ufw_rule user yaml_setting; do
        run rhost describe --format=json "$type"
        says '"read_back"'
    done
    for type in directory exec file group log; do
        run rhost describe --format=json "$type"
        says_not '"read_back"'
    done
}

@test "what a purge has removed is read again as well" {
    with_lamps
    sed -i 's/^program:/features: [read_back]\n&/' plugins/lamp/type.yaml
    for RHOST_ISOLATION in confined none; do
        echo '{"a": {"name": "a", "ensure": "present", "power": "off"}, "b": {"name": "b", "ensure": "present"}}' >kept
        echo '["all"]' >lies
        lamps <<<'resources: [{lamp: a, power: off}, {purge: lamp}]'
        status_is 4
        says 'lamp[b]'
        says 'failed: the change did not take effect: it still exists'
        says '1 of 1 could not be removed'
        lamps <<<'resources: [{lamp: a, power: off}, {purge: lamp, verify: false}]'
        status_is 0
        lamps --no-verify <<<'resources: [{lamp: a, power: off}, {purge: lamp}]'
        status_is 0
        lamps --no-verify <<<'resources: [{lamp: a, power: off}, {purge: lamp, verify: true}]'
        status_is 4
        echo '[]' >lies
        lamps <<<'resources: [{lamp: a, power: off}, {purge: lamp}]'
        status_is 0
        says 'removed 1 of 2'
    done
}
