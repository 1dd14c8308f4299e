#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

examples=$abs_top_srcdir/docs/examples/executable

# Applies the manifest on standard input with the plugins in plugins/.
apply_here() {
    apply --plugin-dir plugins "$@"
}

# The program of the type frob, in Python, with what comes behind its greeting; and more of its type.
frob() {
    mkdir -p plugins/frob
    cat >plugins/frob/type.yaml <<END
type: frob
desc: Something that can be wrong.
program: [python3, ./frob.py]
attributes:
  name: {type: String, desc: Its name., behaviour: namevar}
  size: {type: Any, desc: How large it is.}
  secret: {type: "Sensitive[String]", desc: Nobody may know.}
${2-}
END
    cat >plugins/frob/frob.py <<END
import json, os, sys, time
def raw(text):
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()
def say(**answer): raw(json.dumps(answer))
def hear(): return json.loads(sys.stdin.readline() or sys.exit(0))
def requests():
    while True:
        yield next(iter(hear().items()))
$1
END
}

greets='hear(); say(hello={"protocol": 1})'
# Nothing is there, and all that is asked is done, but for what a test puts in front.
usual="$greets
for verb, asked in requests():
    say(done=True)"

frob_yaml='resources:
  - frob: one
    size: 1
  - frob: two
    size: 2'

@test "the example in shell manages parts of the message of the day" {
    requires_command jq
    cp -R "$examples" plugins
    for RHOST_ISOLATION in worker none; do
        run apply_here --detailed-exitcodes <<END
resources:
  - motd: $work/greeting
    text: "It's \"yours\",\n\$HOME \`id\`"
END
        status_is 2
        [ "$(cat greeting)" = $'It\'s "yours",\n$HOME `id`' ]
        run rhost apply --plugin-dir plugins --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
        status_is 0
        run apply_here --detailed-exitcodes <<END
resources:
  - motd: $work/greeting
    ensure: absent
END
        status_is 2
        [ ! -e greeting ]
    done
}

@test "the example in Python manages values in JSON files" {
    cp -R "$examples" plugins
    for RHOST_ISOLATION in worker none; do
        rm -f a.json
        run apply_here --detailed-exitcodes <<END
resources:
  - json_value: $work/a.json:some.number
    value: -9223372036854775808
  - json_value: $work/a.json:some.list
    value: [1.0, null, {x: text}]
END
        status_is 2
        python3 -c '
import json
assert json.load(open("a.json")) == {"some": {"number": -2**63, "list": [1.0, None, {"x": "text"}]}}'
        run rhost apply --plugin-dir plugins --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
        status_is 0
        run apply_here --detailed-exitcodes --noop <<END
resources:
  - json_value: $work/a.json:some.number
    ensure: absent
END
        status_is 2
        grep -q 9223372036854775808 a.json
    done
}

@test "both examples pass the conformance check" {
    requires_command jq
    for example in "$examples"/*/; do
        run rhost check "$example" --fixture "$example/fixture.yaml"
        status_is 0
        says_not fail
        says_not warn
        says "pass idempotent"
        says "pass noop"
    done
}

@test "no example is longer than sixty lines, nor any line than a hundred columns" {
    for program in "$examples"/*/*.sh "$examples"/*/*.py; do
        [ "$(wc -l <"$program")" -lt 60 ]
    done
}
