#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A program with several types, and with a transport to a device.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/bridge/frob.bash"

# The device is a directory, which the connection info names. All that is asked is written down.
setup() {
    work_open
    mkdir -p plugins/acme device
    cat >plugins/acme/type.yaml <<'END'
program: [python3, ./acme.py]
version: "2.0"
types:
  acme_port:
    desc: A port of an Acme switch.
    features: [remote_resource, simple_get_filter, canonicalize]
    attributes:
      name: {type: String, desc: Its name., behaviour: namevar}
      speed: {type: Integer, desc: Its speed.}
  acme_note:
    desc: A note on this machine.
    features: [simple_get_filter]
    attributes:
      name: {type: String, desc: Its name., behaviour: namevar}
      text: {type: String, desc: What it says.}
transports:
  acme:
    desc: A way to an Acme switch.
    features: [verify, facts]
    attributes:
      folder: {type: String, desc: Where the switch is.}
      password: {type: "Sensitive[String]", desc: To get in.}
END
    cat >plugins/acme/acme.py <<END
import json, os, sys
def say(**answer): print(json.dumps(answer), flush=True)
def value(v): return v["__pvalue"] if isinstance(v, dict) else v
device = None
with open("$work/calls", "a") as f: f.write("start\n")
for line in sys.stdin:
    [(verb, asked)] = json.loads(line).items()
    with open("$work/calls", "a") as f: f.write(verb + " " + json.dumps(asked) + "\n")
    if verb == "hello":
        say(hello={"protocol": 1})
        continue
    if verb == "connect":
        if value(asked["info"]["password"]) == "hunter2": device = asked["info"]["folder"]
        else: say(failed={"message": "access denied for " + value(asked["info"]["password"])})
    if verb == "verify" and os.path.exists(device + "/broken"): say(failed={"message": "it is broken"})
    if verb == "facts": say(facts={"model": "Acme 1", "folder": device})
    path = lambda n: (device if asked["type"] == "acme_port" else "$work") + "/" + n
    key = "speed" if asked.get("type") == "acme_port" else "text"
    if verb == "canonicalize": say(resource=dict(asked["resource"], name=asked["resource"]["name"].lower()))
    if verb == "get":
        for n in asked["names"] or []:
            if os.path.exists(path(n["name"])):
                with open(path(n["name"])) as f: say(resource=dict(n, **{key: json.load(f)}))
    if verb == "set":
        for c in asked["changes"]:
            with open(path(c["name"]["name"]), "w") as f: json.dump(c["should"][key], f)
    say(done=True)
with open("$work/calls", "a") as f: f.write("end\n")
END
    cat >targets.yaml <<END
resources:
  - acme: one
    folder: $work/device
    password: hunter2
  - acme: bad
    folder: $work/device
    password: swordfish
END
}

device() {
    rm -f calls
    run rhost device --state-dir "$BATS_TEST_TMPDIR/state" --plugin-dir plugins "$@"
}

@test "one program serves several types, and each question says which one it is about" {
    sed -i '/remote_resource/s/remote_resource, //; /^transports/,$d' plugins/acme/type.yaml
    sed -i "s/^device = None/device = '${work//\//\\/}\/device'/" plugins/acme/acme.py
    cat >site.yaml <<'END'
resources:
  - acme_port: ETH0
    speed: 100
  - acme_note: n
    text: hello
END
    for RHOST_ISOLATION in $isolations; do
        rm -f calls n device/*
        run rhost apply --plugin-dir plugins --detailed-exitcodes site.yaml
        status_is 2
        says "2 resources: 2 changed"
        [ "$(cat n)" = '"hello"' ]
        [ "$(cat device/eth0)" = 100 ]
        grep -q '^hello .*"types": \["acme_port", "acme_note"\]' calls
        [ "$(grep -c '^\(get\|set\|canonicalize\) ' calls)" -eq "$(grep -c '^[a-z]* .*"type": "acme_' calls)" ]
        run rhost apply --plugin-dir plugins --detailed-exitcodes site.yaml
        status_is 0
    done
    run rhost types --plugin-dir plugins
    says acme_port
    says acme_note
}

# bats test_tags=inline
@test "resources of a device are managed by a program through its own transport" {
    cat >site.yaml <<'END'
resources:
  - acme_port: ETH0
    speed: 100
END
    for RHOST_ISOLATION in $isolations; do
        rm -f device/*
        device --detailed-exitcodes targets.yaml one site.yaml
        status_is 2
        says "1 resource: 1 changed"
        says_not warning
        says_not hunter2
        [ "$(cat device/eth0)" = 100 ]
        # One process has the connection and the resources; names are canonicalized by it before.
        sed 's/ .*//' calls | grep -v canonicalize >verbs
        grep -q '^connect {"transport": "acme", "info": {.*"target": "one"' calls
        [ "$(tr '\n' ' ' <verbs)" = "start hello connect verify get set disconnect end " ]
        device --detailed-exitcodes targets.yaml one site.yaml
        status_is 0
    done
}

@test "what a device says of itself comes from the program" {
    for RHOST_ISOLATION in $isolations; do
        device targets.yaml one
        status_is 0
        says '"Acme 1"'
        sed 's/ .*//' calls >verbs
        [ "$(tr '\n' ' ' <verbs)" = "start hello connect verify facts disconnect end " ]
    done
}

# bats test_tags=inline
@test "a connection that fails, or does not hold, makes the provider unavailable, and no secret is shown" {
    cat >site.yaml <<'END'
resources:
  - acme_port: eth0
    speed: 100
END
    for RHOST_ISOLATION in $isolations; do
        device targets.yaml bad site.yaml
        status_is 4
        says "transport 'acme': access denied for [redacted]"
        says_not swordfish
        touch device/broken
        device targets.yaml one site.yaml
        status_is 4
        says "transport 'acme': it is broken"
        rm device/broken
    done
}

# bats test_tags=inline
@test "connection info is neither in an argument nor in the environment of the program" {
    sed -i '1a with open("'"$work"'/seen", "w") as f: f.write(open("/proc/self/cmdline").read() + open("/proc/self/environ").read())' \
        plugins/acme/acme.py
    for RHOST_ISOLATION in $isolations; do
        rm -f seen
        device targets.yaml one
        status_is 0
        not grep -a "hunter2" seen
        not grep -a "$work/device" seen
    done
}

@test "a type.yaml with several types is read strictly" {
    wrong() {
        printf "$1" >plugins/acme/type.yaml
        run rhost check plugins/acme
        [ "$status" -ne 0 ]
        says "$2"
    }
    head='program: [python3, ./acme.py]\n'
    one='{desc: x, attributes: {name: {type: String, behaviour: namevar}}}'
    wrong "${head}types: {}\n" "'types' is empty"
    wrong "${head}type: b\ntypes:\n  a: $one\n" "line 2, column 1: a file with 'types' describes each type there, and not at its top"
    wrong "${head}types:\n  a: {desc: x}\n" "line 3, column 3: missing 'attributes'"
    wrong "${head}types:\n  a: $one\ntransports:\n  t: {}\n" "line 5, column 3: missing 'desc' of transport 't'"
    wrong "${head}types:\n  a: $one\ntransports:\n  t: {desc: x, features: veryfy}\n" \
        "'veryfy' is not a key of 'features' of a transport: did you mean 'verify'?"
    wrong "${head}types:\n  a: {desc: x, program: y}\n" "'program' is not a key of a type"
}
