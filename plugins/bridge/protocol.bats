#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a program can ask for and send beyond the plain questions and answers.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/bridge/frob.bash"

# bats test_tags=inline
@test "blocks are reported with their start, their end and their failure" {
    frob "$greets
for verb, asked in requests():
    if verb == 'set':
        say(begin={'doing': 'creating', 'title': 'one', 'message': 'Making'})
        say(log={'text': 'inside one'})
        say(changed={'attribute': 'size', 'message': 'it grew'})
        say(end={})
        say(begin={'doing': 'creating', 'titles': ['two']})
        say(begin={'doing': 'processing'})
        say(end={})
        say(end={'failed': 'there is no room', 'attribute': 'size'})
    say(done=True)"
    for RHOST_ISOLATION in $isolations; do
        run apply_here -vv <<<"$frob_yaml"
        status_is 4
        says "frob[one]: Started making"
        says "frob[one]: Making: inside one"
        says "it grew"
        says "frob[one]: Successfully"
        says "frob[two]: Creating failed: size: there is no room"
        says "2 resources: 1 changed, 1 failed"
    done
}

@test "a block that is not closed, or not opened, or opened for get, ends the program" {
    for wrong in "say(begin={'doing': 'creating'})|a block is still open: 'begin' needs an 'end' before 'done'" \
        "say(end={})|no block is open: 'end' needs a 'begin' before it" \
        "say(begin={'doing': 'making'})|'doing' is one of creating, updating, deleting, processing and failing" \
        "say(begin={'doing': 'creating', 'titles': ['three']})|nothing was asked about 'three'" \
        "say(begin={'doing': 'creating', 'titles': 1})|'titles' must be a list of texts" \
        "say(executed={'status': 0})|'executed' needs an 'executing' before it" \
        "say(executing={'command': 'ls'})|'command' must be a list" \
        "say(catalog={})|'catalog' needs a 'type', or 'below' with a path" \
        "say(progress={'done': 'x'})|'done' must be an integer"; do
        frob "$greets
for verb, asked in requests():
    if verb == 'set': ${wrong%%|*}
    say(done=True)"
        run apply_here <<<"$frob_yaml"
        status_is 4
        says "${wrong#*|}"
    done
    frob "$greets
for verb, asked in requests():
    if verb == 'set':
        say(begin={'doing': 'creating'})
        say(begin={'doing': 'creating', 'title': 'one'})
        sys.exit('out of frobs')
    say(done=True)"
    run apply_here <<<"$frob_yaml"
    status_is 4
    says "out of frobs"
    says "frob[two]"
    says "failed: the program failed before the end of the block"
    says "2 resources: 2 failed"
    says_not "left a block open"
    frob "$greets
for verb, asked in requests():
    if verb == 'get': say(begin={'doing': 'creating'})
    say(done=True)"
    run apply_here <<<"$frob_yaml"
    status_is 4
    says "'begin' is not an answer to that"
}

# bats test_tags=inline
@test "commands that a program executes are logged as the host logs its own" {
    frob "$greets
for verb, asked in requests():
    if verb == 'get':
        say(executing={'command': ['frobctl', 'list', {'__ptype': 'Sensitive', '__pvalue': 'hunter2'}]})
        say(executed={'status': 0})
    if verb == 'set':
        say(executing={'command': ['frobctl', 'make']})
        say(executed={'status': 3})
    say(done=True)"
    run apply_here -vv <<<"$frob_yaml"
    status_is 0
    says "Executing 'frobctl list [redacted]'"
    says "Successfully executed 'frobctl list [redacted]'"
    says "Failed to execute 'frobctl make': exit status 3"
    says_not hunter2
}

# bats test_tags=inline
@test "a program reads the catalog while it works" {
    frob "$greets
def ask(**what):
    say(catalog=what)
    return hear()['catalog']
for verb, asked in requests():
    if verb == 'get':
        with open('$work/seen', 'w') as f:
            json.dump([ask(type='file', title='$work/x'), ask(type='file', title='/nowhere'), ask(type='frob'),
                       ask(below='$work')], f)
    say(done=True)"
    for RHOST_ISOLATION in $isolations; do
        rm -f seen x
        run apply_here <<END
resources:
  - file: $work/x
    content: text
  - frob: one
    size: 1
    secret: hunter2
END
        status_is 0
        python3 - "$work" <<'END'
import json, sys
one, none, all, below = json.load(open("seen"))
assert one["resource"]["should"]["content"] == "text" and one["resource"]["type"] == "file", one
assert none == {"resource": None}, none
assert [r["title"] for r in all["resources"]] == ["one"], all
assert set(below["paths"]) == {sys.argv[1] + "/x"}, below
END
    done
    # When nothing is applied there is none.
    run rhost resource --plugin-dir plugins frob one
    status_is 0
    [ "$(cat seen)" = '[{"resource": null}, {"resource": null}, {"resources": null}, {"paths": null}]' ]
}

@test "progress is a sign of life, and is logged at debug" {
    frob "$greets
for verb, asked in requests():
    if verb == 'set':
        for i in range(1, 4):
            time.sleep(0.7)
            say(progress={'done': i, 'total': 3, 'unit': 'parts', 'text': 'copying', 'title': 'one'})
    say(done=True)" "timeout: 1"
    run apply_here -vv --time-limit=2 <<<"$frob_yaml"
    status_is 0
    says "frob[one]: copying: 3 of 3 parts"
}

# bats test_tags=inline
@test "a program that says how long it is busy is waited for, and can ask whether the run is to end" {
    frob "$greets
for verb, asked in requests():
    if verb == 'set':
        say(busy={'seconds': 20, 'text': 'thinking'})
        time.sleep(1.5)
        say(stopping={})
        with open('$work/said', 'w') as f: f.write(sys.stdin.readline())
    say(done=True)" "timeout: 1"
    for RHOST_ISOLATION in $isolations; do
        rm -f said
        run apply_here <<<"$frob_yaml"
        status_is 0
        [ "$(cat said)" = '{"stopping":false}' ]
    done
    sed -i 's/20, /2000000, /' plugins/frob/frob.py
    run apply_here <<<"$frob_yaml"
    status_is 4
    says "'seconds' must be a number between 0 and 86400"
}

@test "mistakes that no data type states are found by the program, each with its place" {
    frob "$greets
for verb, asked in requests():
    with open('$work/asked', 'a') as f: f.write(json.dumps({verb: asked}) + '\\n')
    if verb == 'validate' and isinstance(asked['resource']['size'], dict):
        for k, v in asked['resource']['size'].items():
            if v > 9: say(failed={'attribute': 'size.' + k, 'message': 'that is too much'})
    say(done=True)" 'features: [validate]'
    cat >site.yaml <<'END'
resources:
  - frob: one
    size:
      low: 10
      mid: 5
      high: 20
END
    for RHOST_ISOLATION in $isolations; do
        for command in validate apply; do
            run rhost $command --plugin-dir plugins site.yaml
            status_is 1
            says "site.yaml:4:12: error: frob[one]: size.low: that is too much"
            says "site.yaml:6:13: error: frob[one]: size.high: that is too much"
        done
    done
    not grep set asked
    sed 's/0$//' site.yaml >fine.yaml
    run rhost validate --plugin-dir plugins fine.yaml
    status_is 0
}

@test "hello says how rhost was started" {
    frob "line = sys.stdin.readline()
with open('$work/hello', 'a') as f: f.write(line)
say(hello={'protocol': 1})
for verb, asked in requests(): say(done=True)"
    for RHOST_ISOLATION in $isolations; do
        rm -f hello
        run apply_here <<<"$frob_yaml"
        status_is 0
        grep -q '"strict":"error","noop":false,"debug":false' hello
        run apply_here -vv --noop --strict=warning <<<"$frob_yaml"
        status_is 0
        grep -q '"strict":"warning","noop":true,"debug":true' hello
    done
}

# bats test_tags=inline
@test "variables that type.yaml lists are passed to the program, and no others" {
    frob "with open('$work/env', 'w') as f: json.dump(dict(os.environ), f)
$usual" 'pass_environment: [HOME, https_proxy, LANGUAGE, no_proxy]
environment: {no_proxy: its own}'
    for RHOST_ISOLATION in $isolations; do
        HOME=$work/home https_proxy=http://proxy:1 http_proxy=http://no:1 no_proxy=x run apply_here <<<"$frob_yaml"
        status_is 0
        python3 - "$work" <<'END'
import json, sys
env = json.load(open("env"))
assert env["HOME"] == sys.argv[1] + "/home" and env["https_proxy"] == "http://proxy:1", env
assert env["no_proxy"] == "its own" and "http_proxy" not in env and "LANGUAGE" not in env, env
END
    done
}

# A program that answers many at once, and writes down what it was asked. Sizes are canonical in lower case.
batching() {
    frob "$greets
there = json.load(open('$work/there')) if os.path.exists('$work/there') else {}
for verb, asked in requests():
    with open('$work/asked', 'a') as f: f.write(verb + ' ' + json.dumps(asked) + '\\n')
    if verb == 'get':
        for one in there.values(): say(resource=one)
    if verb == 'canonicalize':
        for r in asked['resources']:
            if r.get('size') == 'huge': say(failed={'attribute': 'size', 'message': 'that is too large'})
            else: say(resource=dict(r, size=r['size'].lower()) if 'size' in r else r)
    if verb == 'insync':
        for c in asked['changes']:
            for a in c['attributes']: say(insync={'title': c['title'], 'attribute': a, 'result': c['is'][a] == c['should'][a] if a else True, 'message': 'not so'})
    if verb == 'set':
        for c in asked['changes']: there[c['name']['name']] = c['should']
        with open('$work/there', 'w') as f: json.dump(there, f)
    say(done=True)" "features: [batch, canonicalize, custom_insync]"
}

# bats test_tags=inline
@test "a program that says batch is asked about many resources at once" {
    batching
    {
        echo "resources:"
        for i in $(seq 50); do
            printf '  - frob: n%d\n    size: LARGE\n' "$i"
        done
    } >many.yaml
    for RHOST_ISOLATION in $isolations; do
        rm -f there asked
        run rhost apply --plugin-dir plugins many.yaml
        status_is 0
        says "50 resources: 50 changed"
        # Before the run, and at their turn.
        [ "$(grep -c '^canonicalize ' asked)" -eq 2 ]
        [ "$(wc -l <asked)" -eq 4 ]
        rm asked
        run rhost apply --plugin-dir plugins --detailed-exitcodes many.yaml
        status_is 0
        [ "$(grep -c '^insync ' asked)" -eq 1 ]
        [ "$(wc -l <asked)" -eq 4 ]
        rm asked
        sed 's/LARGE/small/' many.yaml >other.yaml
        run rhost apply --plugin-dir plugins --detailed-exitcodes other.yaml
        status_is 2
        says "not so"
        says "50 resources: 50 changed"
        # What is desired was canonical before the run. What was read differs from it, and is canonicalized as well.
        [ "$(grep -c '^canonicalize ' asked)" -eq 2 ]
        [ "$(wc -l <asked)" -eq 5 ]
        rm asked
        run rhost resource --plugin-dir plugins frob
        status_is 0
        [ "$(grep -c '^canonicalize ' asked)" -eq 1 ]
    done
}

# bats test_tags=inline
@test "what is more than a megabyte is asked about in several batches" {
    batching
    python3 - >long.yaml <<'END'
print("resources:")
for name in "abc":
    print("  - {frob: %s, size: %s}" % (name, name * 600000))
END
    for RHOST_ISOLATION in $isolations; do
        rm -f there asked
        run rhost apply --plugin-dir plugins long.yaml
        status_is 0
        says "3 resources: 3 changed"
        not awk '/^canonicalize / && length > 1100000 { found = 1 } END { exit !found }' asked
        rm asked
        run rhost apply --plugin-dir plugins --detailed-exitcodes long.yaml
        status_is 0
        [ "$(grep -c '^insync ' asked)" -eq 3 ]
    done
}

@test "in a batch, what exists is found under names that are not canonical, and what is absent is created" {
    batching
    sed -i "s/else: say(resource=dict/else: r = dict(r, name=r['name'].lower()); say(resource=dict/" plugins/frob/frob.py
    for RHOST_ISOLATION in $isolations; do
        rm -f asked
        echo '{"ONE": {"name": "ONE", "size": "b"}, "four": {"name": "four", "size": "b"}}' >there
        run apply_here --strict=off <<'END'
resources: [{frob: one, size: a}, {frob: two, size: a}, {frob: three, size: a}]
END
        status_is 0
        says "not so"
        says "3 resources: 3 changed"
        [ "$(grep -c '^canonicalize ' asked)" -le 4 ]
    done
}

@test "in a batch one resource fails alone, and answers are not mixed up" {
    batching
    cat >site.yaml <<'END'
resources:
  - frob: one
    size: A
  - frob: two
    size: huge
  - frob: three
    size: C
END
    for RHOST_ISOLATION in $isolations; do
        run rhost apply --plugin-dir plugins site.yaml
        status_is 1
        says "site.yaml:5:11: error: frob[two]: size: that is too large"
        says "1 error; nothing was changed"
        sed 's/huge/B/' site.yaml >fine.yaml
        rm -f there
        run rhost apply --plugin-dir plugins fine.yaml
        status_is 0
        python3 -c '
import json
there = json.load(open("there"))
assert {n: r["size"] for n, r in there.items()} == {"one": "a", "two": "b", "three": "c"}, there'
    done
}

@test "a batch with too few or too many answers ends the program" {
    for wrong in "pass|2 answers were expected before it, and 0 came" "[say(resource=r) for r in asked['resources'] * 2]|2 answers were expected, and this is one more"; do
        frob "$greets
for verb, asked in requests():
    if verb == 'canonicalize': ${wrong%%|*}
    say(done=True)" 'features: [batch, canonicalize]'
        run apply_here <<<"$frob_yaml"
        status_is 1
        says "${wrong#*|}"
    done
}

# What 'insync' is answered for n1 (size a) and n2 (size b), which are as manifests below want them, but n2.
out_of_order() {
    frob "$greets
for verb, asked in requests():
    if verb == 'get':
        for n in 'n1', 'n2': say(resource={'name': n, 'size': 'a'})
    if verb == 'set':
        for c in asked['changes']: say(log={'level': 'warning', 'text': 'SET ' + c['title']})
    if verb == 'canonicalize':
        answers = asked['resources']
        $1
        for r in answers: say(resource=r)
    if verb == 'insync':
        answers = [{'title': c['title'], 'attribute': a, 'result': c['is'][a] == c['should'][a]} for c in asked['changes'] for a in c['attributes']]
        $2
        for r in answers: say(insync=r)
    say(done=True)" 'features: [batch, canonicalize, custom_insync]'
    for RHOST_ISOLATION in $isolations; do
        run apply_here <<<'resources: [{frob: n1, size: a}, {frob: n2, size: b}]'
        [ "$status" -eq "$3" ]
        says "$4"
    done
}

@test "answers of a batch in another order than the question end the program" {
    out_of_order pass pass 0 "SET n2"
    out_of_order pass "answers.reverse()" 4 "it is about 'size' of 'n2', and the next answer is about 'size' of 'n1'"
    says_not "SET n"
    out_of_order pass "del answers[0]['title']" 4 "in a batch it needs the 'title' and the 'attribute' that it is about"
    out_of_order pass "answers[0]['attribute'] = None" 4 "it is about 'null' of 'n1', and the next answer is about 'size' of 'n1'"
    out_of_order pass "answers = answers[:1]" 4 "2 answers were expected before it, and 1 came"
    out_of_order pass "answers *= 2" 4 "2 answers were expected, and this is one more"
    out_of_order "answers.reverse()" pass 1 "its answers are not in the order of the question: that for \"n1\" is about \"n2\""
    says_not "SET n"
}

@test "one failed alone, in answer to a batch, fails all of the question with its message" {
    out_of_order "say(failed={'message': 'no licence'}); say(done=True); continue" pass 1 "frob[n1]: no licence"
    says "frob[n2]: no licence"
}

@test "the states of a block must be objects" {
    for wrong in "'should': [2]" "'is': 1"; do
        frob "$greets
for verb, asked in requests():
    if verb == 'set':
        say(begin={'doing': 'processing', 'title': 'one', $wrong})
        say(end={})
    say(done=True)"
        for RHOST_ISOLATION in $isolations; do
            run apply_here <<<"$frob_yaml"
            status_is 4
            says "must be an object with attributes"
            says_not crashed
        done
    done
}

@test "canonicalize adds and drops attributes" {
    frob "$greets
for verb, asked in requests():
    if verb == 'get': say(resource={'name': 'one', 'size': 1, 'colour': 'red'})
    if verb == 'canonicalize':
        r = dict(asked['resource'])
        if r.get('size') == 'none': del r['size']
        if r.get('size') == 'tinted': r.update(size=1, colour='blue')
        if r.get('size') == 'odd': r['hue'] = 1
        say(resource=r)
    say(done=True)" 'features: [canonicalize]'
    sed -i '/^  size/a\  colour: {type: "Optional[String]", desc: Its colour.}' plugins/frob/type.yaml
    for RHOST_ISOLATION in $isolations; do
        run apply_here --detailed-exitcodes <<<'resources: [{frob: one, size: none}]'
        status_is 0
        run apply_here --detailed-exitcodes <<<'resources: [{frob: one, size: tinted}]'
        status_is 2
        says "colour red → blue"
        run apply_here --detailed-exitcodes <<<'resources: [{frob: one, size: odd}]'
        says "unknown attribute 'hue' for type 'frob'"
    done
}

@test "with loose_equality a number and the same number as text are equal" {
    frob "$greets
for verb, asked in requests():
    if verb == 'get':
        for n, s in (('one', '22'), ('two', 22), ('three', 'true'), ('four', 1.5), ('five', '022'), ('six', [1]), ('seven', 'a')):
            say(resource={'name': n, 'size': s})
        say(resource={'name': 'eight'})
        say(resource={'name': 'nine', 'size': [1]})
    say(done=True)" 'features: [loose_equality]'
    cat >site.yaml <<'END'
resources:
  - {frob: one, size: 22}
  - {frob: two, size: "22"}
  - {frob: three, size: true}
  - {frob: four, size: "1.5"}
  - {frob: five, size: 22}
  - {frob: six, size: ["1"]}
  - {frob: seven, size: b}
  - {frob: eight, size: 1}
  - {frob: nine, size: "1"}
END
    for RHOST_ISOLATION in $isolations; do
        run rhost apply --plugin-dir plugins --noop site.yaml
        status_is 0
        says "9 resources: 4 ok, 5 would change"
        sed -i '/^features/d' plugins/frob/type.yaml
        run rhost apply --plugin-dir plugins --noop site.yaml
        status_is 0
        says "9 resources: 9 would change"
        echo 'features: [loose_equality]' >>plugins/frob/type.yaml
    done
}

# bats test_tags=inline
@test "with get_desired a program sees what the manifest gives for each name" {
    frob "$greets
for verb, asked in requests():
    if verb == 'get':
        with open('$work/asked', 'w') as f: json.dump(asked, f)
    say(done=True)" 'features: [get_desired, simple_get_filter]'
    run apply_here <<<"$frob_yaml"
    status_is 0
    python3 -c '
import json
asked = json.load(open("asked"))
assert asked["desired"] == [{"name": "one", "size": 1}, {"name": "two", "size": 2}], asked'
}

# A program with lookups and facts, and no type.
inventory() {
    mkdir -p plugins/inventory
    cat >plugins/inventory/type.yaml <<END
program: [python3, ./inventory.py]
version: "1.1"
lookups:
  inventory:
    desc: A machine.
    type: "Variant[Struct[{address => String}], Integer]"
    parameters:
      name: {type: "String[1]", desc: Its name.}
      port: {type: Integer, desc: Where., default: 22}
  acme::secret: {desc: A secret., type: "Sensitive[String]", parameters: {path: {type: "Sensitive[String]", desc: Where.}}}
facts:
  rack: {desc: Where it is., type: String}
  shelf: {desc: Of the rack., type: Integer}
END
    cat >plugins/inventory/inventory.py <<END
import json, os, sys
def say(**answer):
    sys.stdout.write(json.dumps(answer) + "\\n")
    sys.stdout.flush()
log = open("$work/asked", "a")
for line in sys.stdin:
    (verb, asked), = json.loads(line).items()
    log.write("%d %s" % (os.getpid(), line)); log.flush()
    if verb == "hello": say(hello={"protocol": 1}); continue
    $1
    say(done=True)
END
}

# bats test_tags=inline
@test "lookups and facts are answered by a program" {
    inventory 'name = asked["name"]
    if name == "inventory" and asked["parameters"]["name"] == "db":
        say(answer={"value": {"address": "10.0.0.5:%d" % asked["parameters"]["port"]}})
    if name == "acme::secret": say(answer={"value": "s3cret-" + asked["parameters"]["path"]["__pvalue"]})
    if name == "rack": say(answer={"value": "r7"})
    if name == "shelf": say(failed={"message": "the sensor is gone"})'
    run apply_here --debug --report=report.json <<END
resources:
  - file: $work/a
    content: "\${lookup('inventory', 'db').address} \${lookup('inventory', 'db', 80).address} \${node.rack} \${default(lookup('inventory', 'web'), 'none')}"
  - file: $work/b
    content: "\${lookup('acme::secret', 'db')}"
    mode: "600"
END
    status_is 0
    [ "$(cat a)" = "10.0.0.5:22 10.0.0.5:80 r7 none" ]
    [ "$(cat b)" = s3cret-db ]
    says_not s3cret-db
    not grep -q s3cret-db report.json
    [ "$(cut -d' ' -f1 asked | sort -u | wc -l)" -eq 1 ]
    [ "$(grep -c '"lookup"' asked)" -eq 4 ]
    not grep -q shelf asked
}

@test "what is wrong with an answer of a program to a lookup is said" {
    one() {
        inventory "$1"
        run apply_here <<END
resources:
  - file: $work/a
    content: "\${tostring(lookup('inventory', 'db'))}"
END
        [ "$status" -ne 0 ]
        says "$2"
        [ ! -e a ]
    }
    one 'say(failed={"message": "no such machine"})' "no such machine"
    one 'say(answer={"value": "text"})' "invalid answer of provider 'inventory' 1.1"
    one 'say(answer={"value": 1}); say(answer={"value": 2})' "one answer was asked for, and this is the second"
    one 'say(answer={})' "missing 'value' in it"
    one 'say(resource={"name": "x"})' "'resource' is not an answer to that"
    one 'say(failed={"message": "no", "attribute": "x"})' "no attribute can fail here"
    one 'sys.exit(3)' "lookup 'inventory'"
    inventory 'pass'
    run rhost validate --plugin-dir plugins "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
    run rhost types --plugin-dir plugins
    says inventory
    says rack
}

@test "lookups stand beside types, and are read strictly" {
    frob "$usual" 'lookups: {frobs: {desc: d}}'
    run apply_here <<END
resources:
  - log: "nothing is \${lookup('frobs') == nil}"
END
    status_is 0
    refused() {
        frob "$usual" "$1"
        run rhost describe frob --plugin-dir plugins
        [ "$status" -ne 0 ]
        says "$2"
    }
    refused 'lookups: {frobs: {}}' "missing 'desc' of lookup 'frobs'"
    refused 'lookups: {frobs: {desc: d, typ: String}}' "'typ' is not a key of a lookup: did you mean 'type'?"
    refused 'facts: {frobs: {type: String}}' "missing 'desc' of fact 'frobs'"
    refused 'facts: {frobs: {desc: d, parameters: {}}}' "'parameters' is not a key of a fact"
}
