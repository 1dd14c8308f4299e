#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The types of one program share its process, and its connection to a device.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/bridge/frob.bash"

# A program with two types, left and right, whose resources are files. All that it is asked is written down, with its
# process. Changing a resource called 'die', 'garbage' or 'hang' does that.
setup() {
    work_open
    mkdir -p plugins/pair device
    cat >plugins/pair/type.yaml <<'END'
program: [python3, ./pair.py]
timeout: 2
types:
  pair_left: &type
    desc: One of two.
    features: [simple_get_filter, canonicalize]
    attributes:
      name: {type: String, desc: Its name., behaviour: namevar}
      text: {type: String, desc: What it says.}
END
    sed '/^  pair_left/,$!d; s/pair_left: &type/pair_right:/' plugins/pair/type.yaml >right
    sed -i 's/ &type//' plugins/pair/type.yaml
    cat right >>plugins/pair/type.yaml
    cat >plugins/pair/pair.py <<END
import json, os, sys, time
def say(**answer): print(json.dumps(answer), flush=True)
def note(text):
    with open("$work/calls", "a") as f: f.write("%s %d\n" % (text, os.getpid()))
device = "$work"
note("start")
for line in sys.stdin:
    [(verb, asked)] = json.loads(line).items()
    note(" ".join([verb] + [asked[key] for key in ["type", "transport"] if key in asked]))
    if verb == "hello":
        say(hello={"protocol": 1})
        continue
    if verb == "connect":
        device = asked["info"]["folder"]
        if os.path.exists(device + "/closed"): say(failed={"message": "it is closed"})
    if verb == "verify" and os.path.exists(device + "/broken"): say(failed={"message": "it is broken"})
    if verb == "disconnect": device = "/nonexistent"
    path = lambda n: device + "/" + asked["type"] + "-" + n
    if verb == "canonicalize": say(resource=asked["resource"])
    if verb == "get":
        for n in asked["names"] or []:
            if os.path.exists(path(n["name"])):
                with open(path(n["name"])) as f: say(resource=dict(n, text=f.read()))
    if verb == "set":
        for c in asked["changes"]:
            name = c["name"]["name"]
            if name == "die": os._exit(7)
            if name == "garbage": print("garbage", flush=True), time.sleep(100)
            if name == "hang": time.sleep(100)
            with open(path(name), "w") as f: f.write(c["should"]["text"])
    say(done=True)
note("end")
END
}

# The same, on a device.
remote() {
    sed -i 's/simple_get_filter/remote_resource, simple_get_filter/' plugins/pair/type.yaml
    cat >>plugins/pair/type.yaml <<'END'
transports:
  pair:
    desc: A way to a device.
    features: [verify]
    attributes:
      folder: {type: String, desc: Where it is.}
      password: {type: "Sensitive[String]", desc: To get in.}
END
    cat >targets.yaml <<END
resources:
  - {pair: one, folder: $work/device, password: hunter2}
END
}

# Resources TYPE:NAME... in this order.
site() {
    echo "resources:" >site.yaml
    for one; do
        printf '  - {pair_%s: %s, text: x}\n' "${one%%:*}" "${one#*:}" >>site.yaml
    done
}

pair() {
    rm -f calls pair_* device/pair_*
    run rhost apply --plugin-dir plugins "$@" site.yaml
}

device() {
    rm -f calls device/pair_*
    run rhost device --state-dir "$BATS_TEST_TMPDIR/state" --plugin-dir plugins targets.yaml one site.yaml
}

processes() {
    sed 's/.* //' calls | sort -u | wc -l
}

# How often the program was asked this, whatever it was about.
asked() {
    grep -c "^$1 " calls || true
}

# bats test_tags=inline
@test "two types of a program have one process, which is stopped once" {
    site left:a right:a left:b right:b
    for RHOST_ISOLATION in $isolations; do
        pair
        status_is 0
        says "4 changed"
        says_not warning
        [ "$(processes)" -eq 1 ]
        [ "$(asked start)/$(asked hello)/$(asked end)" = 1/1/1 ]
        [ "$(tail -1 calls | cut -d' ' -f1)" = end ]
        grep -q '^set pair_left ' calls
        grep -q '^set pair_right ' calls
        [ "$(cat pair_left-a pair_right-b)" = xx ]
    done
}

# bats test_tags=inline
@test "two types of a device share one connection, which is opened, verified and closed once" {
    remote
    site left:a right:a left:b
    for RHOST_ISOLATION in $isolations; do
        device
        status_is 0
        says "3 changed"
        says_not warning
        says_not hunter2
        [ "$(processes)" -eq 1 ]
        for verb in start hello connect verify disconnect end; do
            [ "$(asked "$verb")" -eq 1 ]
        done
        [ "$(tail -2 calls | cut -d' ' -f1 | tr '\n' ' ')" = "disconnect end " ]
        [ "$(cat device/pair_left-b device/pair_right-a)" = xx ]
    done
}

# bats test_tags=inline
@test "a program that ends while one type is asked fails that call, and the next type gets a new process" {
    for RHOST_ISOLATION in $isolations; do
        for how in die garbage; do
            site right:before "left:$how" left:after right:after
            pair
            status_is 4
            says "pair_left[$how]"
            if [ $how = die ]; then
                says "ended with exit status 7 before it was done with 'set'"
            else
                says "was asked 'set', and line"
            fi
            [ -e pair_right-before ]
            [ -e pair_right-after ]
            [ ! -e pair_left-after ]
            [ "$(processes)" -eq 2 ]
            [ "$(asked hello)" -eq 2 ]
            says "2 changed"
        done
    done
}

@test "a new process is connected to the device again" {
    remote
    site right:before left:die right:after
    for RHOST_ISOLATION in $isolations; do
        device
        status_is 4
        says "2 changed, 1 failed"
        says_not hunter2
        [ -e device/pair_right-after ]
        [ "$(processes)" -eq 2 ]
        [ "$(asked connect)" -eq 2 ]
        [ "$(asked disconnect)" -eq 1 ]
    done
}

@test "a new process that cannot be connected fails its type alone" {
    remote
    sed -i 's/os._exit(7)/(open(device + "\/closed", "w"), os._exit(7))/' plugins/pair/pair.py
    site right:before left:die right:after
    for RHOST_ISOLATION in $isolations; do
        rm -f device/closed
        device
        status_is 4
        says "1 changed"
        says "it is closed"
        [ -e device/pair_right-before ]
        [ ! -e device/pair_right-after ]
        # What is not connected is not asked about resources.
        [ "$(asked connect)" -ge 2 ]
        not grep -qE '^(get|set|canonicalize) ' <(awk '/^connect / { n++ } n > 1' calls)
    done
}

@test "a connection that does not hold is closed, and no type uses it" {
    remote
    touch device/broken
    site left:a right:a
    for RHOST_ISOLATION in $isolations; do
        device
        status_is 4
        says "it is broken"
        [ ! -e device/pair_left-a ]
        [ ! -e device/pair_right-a ]
        [ "$(asked get)" -eq 0 ]
        [ "$(asked disconnect)" -eq 1 ]
    done
}

@test "the silence of one type ends the process, and the other goes on" {
    site right:before left:hang right:after
    for RHOST_ISOLATION in $isolations; do
        pair
        status_is 4
        says "was silent for 2 s, while it should do 'set', and was killed"
        says "2 changed, 1 failed"
        [ "$(processes)" -eq 2 ]
    done
}

# bats test_tags=inline
@test "after the host's time limit both types go on in a new worker, with a new process" {
    sed -i 's/timeout: 2/timeout: 60/' plugins/pair/type.yaml
    # What stops is the worker. The program's parent is its keeper, and the parent of both is the broker.
    cat >stop.py <<'END'
import os, time
def up(pid): return int(open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[1])
def stop_worker():
    keeper = os.getppid()
    broker = up(keeper)
    for pid in open("/proc/%d/task/%d/children" % (broker, broker)).read().split():
        if int(pid) != keeper: os.kill(int(pid), 19)
    time.sleep(100)
END
    cp stop.py plugins/pair/
    sed -i 's/^import json/from stop import stop_worker\nimport json/; s/if name == "hang": time.sleep(100)/if name == "hang": stop_worker()/' plugins/pair/pair.py
    site right:before left:hang right:after
    RHOST_ISOLATION=worker pair --time-limit=2
    status_is 4
    says "timed out"
    says "2 changed, 1 failed"
    [ "$(processes)" -eq 2 ]
    [ -e pair_right-after ]
    for pid in $(sed 's/.* //' calls | sort -u); do
        for _ in {1..100}; do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        run kill -0 "$pid"
        [ "$status" -ne 0 ]
    done
}

@test "what a program says at the end, when nothing was asked, is one warning" {
    sed -i 's/^    say(done=True)/    say(done=True)\n    if verb == "set" and asked["type"] == "pair_right": say(done=True)/' plugins/pair/pair.py
    site left:a right:a
    for RHOST_ISOLATION in $isolations; do
        pair
        status_is 0
        says "sent output after its last answer"
        [ "$(grep -c 'after its last answer' <<<"$output")" -eq 1 ]
    done
}

# bats test_tags=inline
@test "what is left of an answer that the host did not take is not taken for that to another type" {
    sed -i 's/^    if verb == "get":/    if verb == "get" and asked["type"] == "pair_left":\n        for i in range(9): say(resource={"text": "x"})\n&/' plugins/pair/pair.py
    site left:a right:a left:b right:b
    for RHOST_ISOLATION in $isolations; do
        pair
        status_is 4
        says "did not return a value for the \`name\` namevar attribute"
        says "2 changed, 2 failed"
        says_not "asked for"
        [ "$(processes)" -eq 1 ]
    done
}

@test "lookups of the program have a process of their own" {
    cat >>plugins/pair/type.yaml <<'END'
lookups:
  pair:
    desc: A text.
    parameters: {name: {type: String, desc: Its name.}}
END
    sed -i 's/^    if verb == "connect":/    if verb == "lookup": say(answer={"value": "y"})\n&/' plugins/pair/pair.py
    cat >site.yaml <<'END'
resources:
  - {pair_left: a, text: '${lookup("pair", "z")}'}
  - {pair_right: a, text: x}
END
    for RHOST_ISOLATION in $isolations; do
        pair
        status_is 0
        [ "$(cat pair_left-a)" = y ]
        [ "$(processes)" -eq 2 ]
    done
}

@test "a description that changed is read again" {
    run rhost types --plugin-dir plugins
    status_is 0
    says pair_right
    site left:a right:a
    for RHOST_ISOLATION in $isolations; do
        pair
        status_is 0
    done
    sed -i 's/pair_right/pair_other/' plugins/pair/type.yaml
    run rhost types --plugin-dir plugins
    status_is 0
    says pair_other
    says_not pair_right
}
