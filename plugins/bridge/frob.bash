# SPDX-License-Identifier: Apache-2.0
# frob.bash - a type whose program is a few lines of Python, for the tests of executable providers.

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
  secret: {type: "Optional[Sensitive[String]]", desc: Nobody may know.}
${2-}
END
    cat >plugins/frob/frob.py <<END
import json, os, sys, time
def raw(text):
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()
def say(**answer): raw(json.dumps(answer))
def hear(): return json.loads(sys.stdin.readline())
def requests():
    for line in sys.stdin:
        yield next(iter(json.loads(line).items()))
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

