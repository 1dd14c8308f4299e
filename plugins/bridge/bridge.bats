#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/bridge/frob.bash"

examples=$abs_top_srcdir/docs/examples/executable

@test "the example in shell manages parts of the message of the day" {
    requires_command jq
    cp -R "$examples" plugins
    for RHOST_ISOLATION in $isolations; do
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

# bats test_tags=inline
@test "the example in Python manages values in JSON files" {
    cp -R "$examples" plugins
    for RHOST_ISOLATION in $isolations; do
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

@test "no example is longer than sixty lines, or ninety with its device's connection" {
    for program in "$examples"/*/*.sh "$examples"/*/*.py; do
        most=60
        ! grep -q transport "${program%/*}/type.yaml" || most=90
        [ "$(wc -l <"$program")" -lt "$most" ]
    done
}

@test "docs/authors/executable-providers.md shows the examples as they are, and each key and feature" {
    page=$abs_top_srcdir/docs/authors/executable-providers.md
    shown=0
    for file in $(grep -o '`docs/examples/executable/[^`]*`:$' "$page" | tr -d '`:'); do
        awk -v file="$file" 'inside && /^```/ { exit } inside { print }
            /^```/ && near { inside = 1 } index($0, "`" file "`:") { near = 1 }' "$page" >shown
        diff -u "$abs_top_srcdir/$file" shown
        shown=$((shown + 1))
    done
    [ "$shown" -eq 4 ]
    words=$(sed -nE '/features\[\]|behaviours\[\]|keys\[\]/,/};|NULL/s/[^"]*"([a-z_]+)"[^"]*/\1 /gp' \
        "$abs_top_srcdir/plugins/bridge/type.c" "$abs_top_srcdir/plugins/bridge/schema.c")
    [ "$(wc -w <<<"$words")" -gt 25 ]
    for word in $words; do
        grep -q "\`$word\`" "$page" "${page%/*}/program-protocol.md" || {
            echo "$word is not told of"
            return 1
        }
    done
}

# bats test_tags=inline
@test "a program is started once for a transaction, whatever is asked of it" {
    frob "import pathlib
with open('$work/starts', 'a') as f: f.write('start\\n')
$greets
for verb, asked in requests():
    if verb == 'canonicalize': say(resource=asked['resource'])
    say(done=True)
with open('$work/starts', 'a') as f: f.write('end\\n')" 'features: [canonicalize]'
    {
        echo "resources:"
        for i in $(seq 1000); do
            printf '  - frob: n%d\n    size: 1\n' "$i"
        done
    } >many.yaml
    for isolation in confined none; do
        rm -f starts
        run rhost apply --plugin-dir plugins --isolation=$isolation many.yaml
        status_is 0
        says "1000 resources: 1000 changed"
        [ "$(cat starts)" = $'start\nend' ]
    done
}

# bats test_tags=inline
@test "what the program is asked is told to it in full, and each value survives both ways" {
    frob "$greets
there = {}
for verb, asked in requests():
    with open('$work/asked', 'a') as f: f.write(json.dumps({verb: asked}) + '\\n')
    if verb == 'get':
        for one in there.values(): say(resource=one)
    if verb == 'set':
        for c in asked['changes']: there[c['title']] = dict(c['should'])
        with open('$work/kept', 'w') as f: json.dump(there, f)
    say(done=True)
"
    sed -i "s|^there = .*|there = json.load(open('$work/kept')) if os.path.exists('$work/kept') else {}|" \
        plugins/frob/frob.py
    cat >all.yaml <<'END'
resources:
  - frob: "a \"name\"\n\u2028\u0001\U0001F600"
    size:
      - -9223372036854775808
      - 9223372036854775807
      - 0.1
      - 5.0
      - 1.0e+300
      - true
      - null
      - ""
      - {"": {__ptype: mine, x: []}}
    secret: hunter2 is "it"
END
    run rhost apply --plugin-dir plugins --detailed-exitcodes all.yaml
    status_is 2
    says_not hunter2
    run rhost apply --plugin-dir plugins --detailed-exitcodes all.yaml
    status_is 0
    [ "$(grep -c '"set"' asked)" -eq 1 ]
    grep -q '"secret": {"__ptype": "Sensitive", "__pvalue": "hunter2 is \\"it\\""}' asked
    python3 -c '
import json
c = [json.loads(l) for l in open("asked")][1]["set"]["changes"][0]
assert c["is"] is None and c["name"] == {"name": c["title"]}, c
assert c["should"]["name"] == "a \"name\"\n\u2028\u0001\U0001F600", c
size = c["should"]["size"]
assert size[:8] == [-2**63, 2**63 - 1, 0.1, 5.0, 1e300, True, None, ""], size
assert isinstance(size[3], float) and size[8][""]["__ptype"] == "hash", size'
}

# bats test_tags=inline
@test "bytes and texts of other types survive as well" {
    frob "$greets
for verb, asked in requests():
    if verb == 'get':
        say(resource={'name': 'bytes', 'bytes': {'__ptype': 'Binary', '__pvalue': 'AAH/'}})
        say(resource={'name': 'time', 'time': {'__ptype': 'Timestamp', '__pvalue': '2026-01-02T03:04:05Z'}})
        say(resource={'name': 'text', 'time': '2026-01-02T03:04:05Z'})
    with open('$work/asked', 'a') as f: f.write(json.dumps({verb: asked}) + '\\n')
    say(done=True)"
    sed -i '/^  size/a\  bytes: {type: Binary, desc: Bytes.}\n  time: {type: Timestamp, desc: When.}' plugins/frob/type.yaml
    run apply_here --detailed-exitcodes <<'END'
resources:
  - frob: bytes
    bytes: AAH/
  - frob: time
    time: 2026-01-02T03:04:05Z
  - frob: text
    time: 2026-01-02T03:04:05Z
END
    status_is 0
    run apply_here --detailed-exitcodes <<'END'
resources:
  - frob: bytes
    bytes: AAAA
END
    status_is 2
    grep -q '"bytes": {"__ptype": "Binary", "__pvalue": "AAAA"}' asked
}

# bats test_tags=inline
@test "a resource fails alone, attributes are reported, and words are logged" {
    frob "$greets
for verb, asked in requests():
    if verb == 'set':
        say(log={'text': 'about all', 'level': 'warning'})
        say(log={'text': 'about one', 'level': 'warning', 'title': 'one'})
        say(changed={'title': 'one', 'attribute': 'size', 'is': 7, 'should': 8, 'message': 'it grew'})
        say(changed={'title': 'one'})
        say(failed={'title': 'two', 'attribute': 'size', 'message': 'there is no room'})
        print('and a word', file=sys.stderr)
    say(done=True)"
    run apply_here <<<"$frob_yaml"
    status_is 4
    says "about all"
    says "about one"
    says "it grew"
    says "size: there is no room"
    says "2 resources: 1 changed, 1 failed"
}

# bats test_tags=inline
@test "noop is for the program, when it says so" {
    local body="$greets
for verb, asked in requests():
    with open('$work/asked', 'a') as f: f.write(json.dumps({verb: asked}) + '\\n')
    say(done=True)"
    frob "$body"
    run apply_here --noop <<<"$frob_yaml"
    status_is 0
    not grep '"set"' asked
    frob "$body" "features: supports_noop"
    run apply_here --noop <<<"$frob_yaml"
    status_is 0
    grep -q '"set": {"noop": true' asked
}

@test "an edit stays one when the program brings it into canonical form" {
    frob "$greets
now = {'name': 'one', 'size': ['a', 'b']}
for verb, asked in requests():
    if verb == 'get': [say(resource=r) for r in [now, {'name': 'two'}]]
    if verb == 'canonicalize':
        r = dict(asked['resource'])
        if isinstance(r.get('size'), list): r['size'] = [s.lower() for s in r['size']]
        if r.get('size') == 'nothing': r['size'] = None
        say(resource=r)
    if verb == 'set': raw_set = [say(log={'text': 'set ' + json.dumps(c['should']['size'])}) for c in asked['changes']]
    say(done=True)" 'features: [canonicalize]'
    for RHOST_ISOLATION in $isolations; do
        run apply_here -v <<<'resources: [{frob: one, size: !append [B, C]}]'
        status_is 0
        says 'set ["a", "b", "c"]'
        run apply_here -v <<<'resources: [{frob: one, size: !remove [B]}]'
        status_is 0
        says 'set ["a"]'
        run apply_here -v --detailed-exitcodes <<<'resources: [{frob: one, size: !append [A]}]'
        status_is 0
        # What the program leaves null is not managed.
        run apply_here -v --detailed-exitcodes <<<'resources: [{frob: one, size: nothing}]'
        status_is 0
        # And what cannot be edited is refused, where it would have been replaced.
        run apply_here -v <<<'resources: [{frob: one, size: !append {a: 1}}]'
        status_is 4
        says "size: '!append' cannot edit the current value: it is a list, not a hash"
        run apply_here -v <<<'resources: [{frob: two, size: !remove [B]}]'
        status_is 4
        says "size: '!remove' needs the current value, but the provider does not report it"
    done
}

@test "what the program refuses to bring into canonical form is a mistake of the manifest" {
    frob "$greets
for verb, asked in requests():
    if verb == 'canonicalize':
        r = asked['resource']
        if r.get('size') == 'huge': say(failed={'attribute': 'size', 'message': 'that is too large'})
        else: say(resource=r)
    say(done=True)" 'features: [canonicalize]'
    for RHOST_ISOLATION in $isolations; do
        run apply_here <<END
resources:
  - file: $work/before
    content: x
  - frob: one
    size: huge
  - frob: two
    size: 3
  - frob: three
    size: huge
END
        status_is 1
        says "site.yaml:5:11: error: frob[one]: size: that is too large"
        says "site.yaml:9:11: error: frob[three]: size: that is too large"
        says "2 errors; nothing was changed"
        [ ! -e before ]
    done
}

@test "a program that an earlier resource installs is asked for canonical forms when it is there" {
    frob "import helper
$greets
for verb, asked in requests():
    if verb == 'suits': say(suits={'level': 1 if os.path.exists('$work/ready') else 0, 'message': 'not ready'})
    if verb == 'canonicalize':
        if os.path.exists('$work/ready'): say(resource=dict(asked['resource'], name=asked['resource']['name'].lower()))
        else: say(failed={'message': 'it is not ready'})
    if verb == 'set': [say(log={'text': 'set ' + c['name']['name']}) for c in asked['changes']]
    say(done=True)" 'features: [canonicalize]'
    for RHOST_ISOLATION in $isolations; do
        for features in '[canonicalize]' '[canonicalize, suits]'; do
            sed -i "s/^features:.*/features: $features/" plugins/frob/type.yaml
            rm -f ready plugins/frob/helper.py
            [ "$features" = '[canonicalize]' ] || touch plugins/frob/helper.py
            cat >site.yaml <<END
resources:
  - file: $work/plugins/frob/helper.py
    content: ""
  - file: $work/ready
    content: ""
  - frob: ONE
    size: 1
END
            run rhost validate --plugin-dir plugins site.yaml
            status_is 0
            run rhost apply -v --plugin-dir plugins site.yaml
            status_is 0
            says 'set one'
        done
    done
}

@test "the program's own comparison is asked of a resource without properties" {
    frob "$greets
for verb, asked in requests():
    if verb == 'get': say(resource={'name': 'one', 'size': 1})
    if verb == 'insync':
        what = asked['attribute']
        say(insync={'result': what is not None or os.path.exists('$work/fine'), 'message': 'not fine'})
    if verb == 'set': open('$work/fine', 'w').close()
    say(done=True)" 'features: [custom_insync]'
    for RHOST_ISOLATION in $isolations; do
        rm -f fine
        run apply_here --detailed-exitcodes <<<'resources: [{frob: one, size: 5}]'
        status_is 0
        run apply_here --detailed-exitcodes <<<'resources: [frob: one]'
        status_is 2
        says "insync not fine"
        run apply_here --detailed-exitcodes <<<'resources: [frob: one]'
        status_is 0
    done
}

@test "the program's own comparison is asked of a resource that has only defaults" {
    frob "$greets
for verb, asked in requests():
    if verb == 'get': say(resource={'name': 'one', 'size': 1, 'depth': 7})
    if verb == 'insync':
        with open('$work/asked', 'a') as f: f.write(str(asked['attribute']) + ' ')
        say(insync={'result': asked['attribute'] == 'depth' and os.path.exists('$work/fine'), 'message': 'not deep'})
    if verb == 'set': open('$work/fine', 'w').close()
    say(done=True)" '  depth: {type: Integer, desc: How deep it is., default: 5}
features: [custom_insync]'
    for RHOST_ISOLATION in $isolations; do
        rm -f fine asked
        run apply_here --detailed-exitcodes <<<'resources: [frob: one]'
        status_is 2
        says "depth not deep"
        run apply_here --detailed-exitcodes <<<'resources: [frob: one]'
        status_is 0
        is "$(tr ' ' '\n' <asked | sort -u | xargs)" depth
    done
}

# bats test_tags=inline
@test "actions, an own comparison, canonical forms and whether it suits are asked of the program" {
    frob "$greets
for verb, asked in requests():
    if verb == 'suits': say(suits={'level': 3})
    if verb == 'get': say(resource={'name': 'one', 'size': 100})
    if verb == 'canonicalize': say(resource=dict(asked['resource'], name=asked['resource']['name'].lower()))
    if verb == 'insync': say(insync={'result': asked['change']['should'].get('size', 0) < 200, 'message': 'far off'})
    if verb == 'act':
        with open('$work/acted', 'w') as f: json.dump(asked, f)
    say(done=True)" 'features: [canonicalize, custom_insync, suits]
actions:
  polish: {desc: Polish it.}
refresh_action: polish'
    run apply_here --detailed-exitcodes <<'END'
resources:
  - frob: ONE
    size: 101
END
    status_is 0
    run apply_here --detailed-exitcodes <<'END'
resources:
  - frob: ONE
    size: 1000
END
    status_is 2
    says "far off"
    run apply_here <<END
resources:
  - file: $work/x
    content: x
    notify: frob[one]
  - frob: one
END
    status_is 0
    says refreshed
    grep -q '"action": "polish"' acted
}

# bats test_tags=inline
@test "what there is is listed, and its type is among the types" {
    frob "$greets
for verb, asked in requests():
    for n in ('a', 'b') if verb == 'get' else (): say(resource={'name': n, 'size': [1]})
    say(done=True)"
    for RHOST_ISOLATION in $isolations; do
        run rhost resource --plugin-dir plugins frob
        status_is 0
        says "frob: a"
        says "frob: b"
    done
    run rhost types --plugin-dir plugins
    says "Something that can be wrong."
    run rhost describe --plugin-dir plugins frob
    says "How large it is."
}

@test "the example in shell does its action when it is notified" {
    requires_command jq
    cp -R "$examples" plugins
    echo "be kind" >greeting
    run apply_here --verbose <<END
resources:
  - file: $work/x
    content: x
    notify: motd[$work/greeting]
  - motd: $work/greeting
    text: be kind
END
    status_is 0
    says "refreshed"
    says "it says: be kind"
}

# bats test_tags=inline
@test "a program that does not suit is not used, and says why" {
    frob "$greets
for verb, asked in requests():
    if verb == 'suits': say(suits={'level': 0, 'message': 'there is no frobnicator'})
    say(done=True)" 'features: suits'
    run apply_here <<<"$frob_yaml"
    status_is 4
    says "no provider of 'frob' suits this machine: frob: there is no frobnicator"
}

@test "a program that goes wrong after it has said that it suits is not used" {
    answers() {
        frob "$greets
for verb, asked in requests():
    if verb == 'suits': say(suits={'level': 5}); $1
    say(done=True)" 'features: suits'
        run apply_here <<<"$frob_yaml"
        status_is 4
        says "no provider of 'frob' suits this machine: frob: "
        says "$2"
    }
    answers "say(failed={'message': 'the database is gone'})" "the database is gone"
    answers "say(resource={})" "was asked 'suits', and line 3 of its output is wrong: 'resource' is not an answer to that"
    answers "sys.exit(3)" "frob.py"
}

# Each is a program that is wrong, in Python, and what is said about it. What stands after a greeting
# is the answer to get, unless there is a set in it.
wrong() {
    local body=$1 says=$2
    case $body in
    *hello*) frob "$body" ;;
    *set:*) frob "$greets
for verb, asked in requests():
    if verb == 'set': ${body#set: }
    say(done=True)" ;;
    *) frob "$greets
for verb, asked in requests():
    $body
    say(done=True)" ;;
    esac
    run apply_here <<<"$frob_yaml"
    [ "$status" -eq 4 ] || {
        echo "status $status with: $body"
        echo "$output"
        return 1
    }
    says "$says"
    says "frob.py"
}

wrong_but_done() {
    frob "$1"
    run apply_here <<<"$frob_yaml"
    status_is 0
    says "2 changed"
    says "$2"
}

@test "what a program says is refused when it is not understood, with its line and the reason" {
    [ "$RHOST_ISOLATION" != none ] || skip "it is read in the same way inline"
    wrong 'raw("no hello")' "was asked 'hello', and line 1 of its output is wrong: at byte 1: a value is expected"
    wrong 'say(hello={"protocol": 2})' "this rhost speaks protocol 1, and it does not say so"
    wrong 'say(helo=1); "hello"' "was asked 'hello', and line 1 of its output is wrong: unknown answer 'helo': did you mean 'hello'?"
    wrong 'say(done=True); "hello"' "'done' is not an answer to that"
    wrong 'raw("{\"done\":")' "was asked 'get', and line 2 of its output is wrong: at byte 9: the line ends where a value is expected"
    wrong 'raw("[1]")' "it must be an object with one key"
    wrong 'raw("{}")' "it must be an object with one key"
    wrong 'raw("{\"done\":true} x")' "at byte 15: something stands after the value"
    wrong 'say(done=False)' 'what is done is said with {"done":true}'
    wrong 'say(don=True)' "unknown answer 'don': did you mean 'done'?"
    wrong 'say(changed={"title": "one"})' "'changed' is not an answer to that"
    wrong 'os.write(1, b"{\"log\":{\"text\":\"\xff\"}}\n")' "at byte 17: this is not UTF-8"
    wrong 'raw("{\"log\":{\"text\":\"a\tb\"}}")' "a control character in a string must be escaped"
    wrong 'raw("{\"log\":{\"text\":\"\\ud800\"}}")' "half of a pair"
    wrong 'raw("{\"log\":{\"text\":\"a\",\"text\":\"b\"}}")' "duplicate key"
    wrong 'raw("[" * 100000)' "it is nested deeper than 60"
    wrong 'raw("{\"log\":01}")' "a number does not begin with 0"
    wrong 'raw("{\"resource\":{\"size\":9223372036854775808}}")' "the number does not fit into 64 bits"
    wrong 'raw("{\"resource\":{\"size\":1e999}}")' "the number is too large"
    wrong 'say(log={"text": "x", "levl": "info"})' "unknown key 'levl' in it: did you mean 'level'?"
    wrong 'say(log={"text": "x", "level": "loud"})' "'level' is one of debug, info, notice, warning and err"
    wrong 'say(log={"level": "info"})' "missing 'text' in it"
    wrong 'say(log={"text": 1})' "'text' must be text"
    wrong 'say(resource=[])' "a resource is an object"
    wrong 'say(resource={"name": "one", "size": {"__ptype": "Binari", "__pvalue": ""}})' "'Binari' is not a tag for '__ptype': did you mean 'Binary'?"
    wrong 'say(resource={"name": "one", "size": {"__ptype": "Binary", "__pvalue": "A"}})' "no multiple of four"
    wrong 'raw("{\"resource\":{\"size\":{" + ",".join("\"%d\":0" % i for i in range(400000)) + "}}}")' "there are more than 10000 keys"
    wrong 'say(resource={"size": {"__ptype": "hash", "__pvalue": [x for i in range(300000) for x in (str(i), 0)]}})' "more than 10000 keys"
    wrong 'say(resource={"size": {"__ptype": "hash", "__pvalue": ["a", 1, "a", 2]}})' "duplicate key in a tagged hash"
    wrong 'raw("{\"resource\":{\"size\":" + "{\"__ptype\":\"Sensitive\",\"__pvalue\":" * 9 + "1" + "}" * 11)' "there are more than 8 tags within each other"
    wrong 'set: say(changed={"title": "three"})' "nothing was asked about 'three'"
    wrong 'set: say(changed={"title": "onne"})' "nothing was asked about 'onne': did you mean 'one'?"
    wrong 'set: say(failed={"title": "one"})' "missing 'message' in it"
    wrong 'set: say(changed={"title": "one", "attribute": "sice"})' "unknown attribute 'sice' for type 'frob': did you mean 'size'?"
    wrong 'set: say(changed={"title": "one", "is": 1})' "'is' and 'should' need an 'attribute'"
    wrong 'raw("{\"done\":true}\n{\"done\":true}")' "was asked 'set', and line 3 of its output is wrong: it was said before anything was asked"
    wrong_but_done "$greets
for verb, asked in requests(): raw('{\"done\":true}' + '\\n{\"done\":true}' * (verb == 'set'))" \
        "sent output after its last answer, which is ignored"
    wrong_but_done "$usual
sys.exit(3)" "ended with exit status 3 when it was done"
    wrong_but_done "$usual
time.sleep(30)" "did not end when it was done, and was killed"
}

# bats test_tags=inline
@test "what is nested deep beside a tag takes no more memory than what is not" {
    frob "$greets
for verb, asked in requests():
    if verb == 'get':
        size = [0] * 300000 + [{'__ptype': 'hash', '__pvalue': ['__ptype', 'odd']}]
        for i in range(50): size = {'\u00e4__ptype': i, 'a': size}
        say(resource={'name': 'one', 'size': size})
    say(done=True)"
    # A sanitizer has its own idea of memory.
    grep -q '^#define RH_SANITIZERS' "$abs_top_builddir/config.h" || ulimit -d 300000
    run apply_here --detailed-exitcodes <<<"$frob_yaml"
    status_is 2
    says "2 changed"
}

@test "a name with a NUL is not taken for what stands before it" {
    frob "$greets
for verb, asked in requests():
    if verb == 'get': say(resource={'name': 'one\\0x', 'size': 1})
    say(done=True)"
    run apply_here <<<"$frob_yaml"
    status_is 4
    says 'returned text with a NUL for the `name` namevar attribute'
}

@test "text with a NUL is refused wherever a program answers it" {
    frob "$greets
for verb, asked in requests():
    if verb == 'get': say(resource={'name': 'one', 'size': ['a\\0b']})
    say(done=True)"
    run apply_here <<<"$frob_yaml"
    status_is 4
    says "* size: [\"a\x00b\"] (must not contain a NUL character: its type is not Binary)"
    frob "$greets
for verb, asked in requests():
    if verb == 'canonicalize':
        resource = asked['resource']
        if 'size' in resource: resource['size'] = 'a\\0b'
        say(resource=resource)
    say(done=True)" 'features: [canonicalize]'
    run apply_here <<<"$frob_yaml"
    status_is 1
    says "canonicalize() set 'size', which must not contain a NUL character: its type is not Binary"
}

@test "a reason without end is cut" {
    frob "$greets
for verb, asked in requests():
    if verb == 'set': say(failed={'title': 'one', 'message': 'x' * 7000000})
    say(done=True)"
    run apply_here <<<"$frob_yaml"
    status_is 4
    says "1 changed, 1 failed"
    [ "${#output}" -lt 100000 ]
}

# bats test_tags=inline
@test "a program that ends, crashes or is silent fails what it was asked, with its last words" {
    wrong 'print("there is no more", file=sys.stderr); sys.exit(3)' \
        "ended with exit status 3 before it was done with 'get'; its last output: 'there is no more'"
    wrong 'os.abort()' "was ended by a signal (Aborted) before it was done with 'get'"
    wrong 'raise KeyError("x")' "KeyError: 'x'"
    wrong 'sys.stdout.write("{\"don"); sys.stdout.flush(); sys.exit()' "in the middle of a line of its answer to 'get'"
    wrong 'os.close(1); time.sleep(30)' "closed its standard output before it was done with 'get'"
    wrong 'sys.exit(0); "hello"' "ended with exit status 0 before it was done with 'hello'"
    wrong 'set: say(changed={"title": "one"}); sys.exit(1)' "before it was done with 'set'"
    says "1 changed, 1 failed"
    frob 'time.sleep(60)' 'timeout: 1'
    run apply_here <<<"$frob_yaml"
    status_is 4
    says "was silent for 1 s, while it should do 'hello', and was killed"
    frob "$greets
sys.stdout.write('x' * (9 << 20)); sys.stdout.flush(); time.sleep(60)"
    run apply_here <<<"$frob_yaml"
    status_is 4
    says "line 2 of its output is longer than 8388608 bytes"
}

# bats test_tags=inline
@test "a program that floods both its streams, and one that does not listen, do no harm" {
    frob "$greets
for verb, asked in requests():
    for i in range(20000): print('x' * 100, file=sys.stderr)
    say(done=True)"
    run apply_here <<<"$frob_yaml"
    status_is 0
    frob "raw('{\"hello\":{\"protocol\":1}}')
raw('{\"done\":true}')
time.sleep(0.3)"
    run apply_here <<<"$frob_yaml"
    status_is 4
}

# nothing_is_left PROCESS: of the program, when the broker or the worker is killed
nothing_is_left() {
    frob "import subprocess
$greets
for verb, asked in requests():
    if verb == 'set':
        more = [subprocess.Popen(['sleep', '60'], start_new_session=own).pid for own in (True, False)]
        with open('$work/pids', 'w') as f: print(os.getppid(), os.getpid(), *more, file=f)
        time.sleep(60)
    say(done=True)"
    rhost apply --isolation=worker --plugin-dir plugins - <<<"$frob_yaml" >out 2>&1 3>&- &
    local host=$! pids broker victim pid
    for i in $(seq 100); do
        grep -qs '[0-9]$' pids && break
        sleep 0.1
    done
    read -ra pids <pids
    broker=$(ps -o ppid= -p "${pids[0]}" | tr -d ' ')
    [ "$(cat "/proc/$broker/comm")" = rhost-broker ]
    victim=$broker
    [ "$1" = rhost-broker ] || victim=$(pgrep -P "$broker" -x "$1")
    for pid in "${pids[@]}"; do
        [ -e "/proc/$pid" ]
    done
    kill -9 "$victim"
    wait "$host" || true
    grep -q "provider 'frob' .* was killed" out
    for pid in "$broker" "$victim" "${pids[@]}"; do
        for i in $(seq 50); do
            [ -e "/proc/$pid" ] || break
            sleep 0.1
        done
        [ ! -e "/proc/$pid" ]
    done
}

@test "when its worker is killed, nothing of the program is left" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline there is no worker"
    nothing_is_left rhost-worker
}

@test "when the broker of its worker is killed, nothing of the program is left" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline there is no worker"
    nothing_is_left rhost-broker
}

@test "when rhost is killed while everything below it is stopped, nothing of it is left" {
    [ "$RHOST_ISOLATION" != none ] || skip "a worker is among what is stopped"
    frob "import subprocess
$greets
for verb, asked in requests():
    if verb == 'set':
        more = [subprocess.Popen(['sleep', '60'], start_new_session=own).pid for own in (True, False)]
        with open('$work/pids', 'w') as f: print(os.getppid(), os.getpid(), *more, file=f)
        time.sleep(60)
    say(done=True)"
    rhost apply --isolation=worker --plugin-dir plugins - <<<"$frob_yaml" >out 2>&1 3>&- &
    local host=$! pids broker worker pid
    for i in $(seq 100); do
        grep -qs '[0-9]$' pids && break
        sleep 0.1
    done
    read -ra pids <pids
    broker=$(ps -o ppid= -p "${pids[0]}" | tr -d ' ')
    [ "$(cat "/proc/$broker/comm")" = rhost-broker ]
    worker=$(pgrep -P "$broker" -x rhost-worker)
    for pid in "${pids[@]}"; do
        [ -e "/proc/$pid" ]
    done
    kill -STOP "${pids[@]}" "$worker" "$broker"
    kill -9 "$(ps -o ppid= -p "$broker" | tr -d ' ')"
    wait "$host" || true
    for pid in "$broker" "$worker" "${pids[@]}"; do
        for i in $(seq 50); do
            [ -e "/proc/$pid" ] || break
            sleep 0.1
        done
        [ ! -e "/proc/$pid" ]
    done
}

@test "a program that is done ends with what it left in its group, but for what has a session of its own" {
    frob "import subprocess
$greets
for verb, asked in requests():
    if verb == 'set':
        more = [subprocess.Popen(['sleep', '60'], start_new_session=own).pid for own in (True, False)]
        with open('$work/pids', 'w') as f: print(*more, file=f)
    say(done=True)"
    run apply_here <<<"$frob_yaml"
    status_is 0
    read -r daemon other <pids
    for i in $(seq 50); do
        [ -e "/proc/$other" ] || break
        sleep 0.1
    done
    [ ! -e "/proc/$other" ]
    kill "$daemon"
}

# bats test_tags=inline
@test "it has no shell, a clean environment, its directory, and no descriptor but three" {
    frob "with open('$work/seen', 'w') as f:
    json.dump({'env': dict(os.environ), 'cwd': os.getcwd(), 'argv': sys.argv,
               'fds': sorted(int(n) for n in os.listdir('/proc/self/fd'))[:-2]}, f)
$usual" 'environment: {FROB: a b}'
    MINE=secret run apply_here <<<"$frob_yaml"
    status_is 0
    python3 - "$work/plugins/frob" <<'END'
import json, sys
s = json.load(open("seen"))
assert s["cwd"] == sys.argv[1] and s["env"]["FROB"] == "a b" and "MINE" not in s["env"], s
assert s["fds"] == [0, 1, 2], s
END
}

# The program is never started: what is said stands in the list of problems.
yaml_is_wrong() {
    mkdir -p plugins/frob
    printf '%b' "$1" >plugins/frob/type.yaml
    run apply_here <<<"$frob_yaml"
    status_is 1
    says "frob/type.yaml' is not used: "
    says "$2"
}

@test "type.yaml is read strictly, with line and column" {
    frob "$usual"
    head='type: frob\ndesc: d\nprogram: [python3, ./frob.py]\n'
    attrs='attributes: {name: {type: String, behaviour: namevar}}\n'
    yaml_is_wrong '' "line 1, column 1: it is empty"
    yaml_is_wrong 'type: [' "line 2"
    yaml_is_wrong 'a\0b' "line 1"
    yaml_is_wrong 'type: \xff' "line 1, column 7: this is not UTF-8"
    yaml_is_wrong '- a\n' "line 1, column 1: a type must be a hash"
    yaml_is_wrong 'typ: frob\n' "line 1, column 1: 'typ' is not a key of a type: did you mean 'type'?"
    yaml_is_wrong "type: frob\n  \n$attrs$attrs" "line 4, column 1: duplicate key 'attributes'"
    yaml_is_wrong "$head" "missing 'attributes'"
    yaml_is_wrong "$attrs" "missing 'type'"
    yaml_is_wrong "$head${attrs}---\na: b\n" "a second document begins here"
    yaml_is_wrong "$head${attrs}features: canonicalise\n" "line 5, column 11: 'canonicalise' is not a key of 'features': did you mean 'canonicalize'?"
    yaml_is_wrong "$head${attrs}features: generate\n" "line 5, column 11: the feature 'generate' needs a newer rhost"
    yaml_is_wrong "${head}attributes: {name: {typ: String}}" "line 4, column 21: 'typ' is not a key of an attribute: did you mean 'type'?"
    yaml_is_wrong "${head}attributes: {name: {desc: x}}" "missing 'type' of attribute 'name'"
    yaml_is_wrong "${head}attributes: {name: {type: String, default: 0644}}" "'0644' may be an octal number"
    yaml_is_wrong "${head}attributes: {name: {type: String, default: yes}}" "'yes' may be a word or a truth value"
    yaml_is_wrong "${head}attributes: {name: {type: Strin, behaviour: namevar}}" "Strin"
    yaml_is_wrong "${head}attributes: {name: {type: String, default: 1, behaviour: namevar}}" "default"
    yaml_is_wrong "$head${attrs}timeout: soon" "'timeout' is a number of seconds"
    yaml_is_wrong "$head${attrs}environment: !x {}" "tags are not known here"
    yaml_is_wrong "$head${attrs}actions: &a {x: *a}" "nested too deep, or refers to itself"
    yaml_is_wrong "type: $(printf '%0900000d' | tr 0 '[')" "nested too deep, or refers to itself"
    yaml_is_wrong "$(seq -f 'k%g:' 90000)" "there are more than 2000 keys in it"
    yaml_is_wrong "type: frob\ndesc: d\nprogram: bin/frob\n$attrs" "neither a name, nor a path that begins with / or ./"
    yaml_is_wrong "type: frob\ndesc: d\nprogram: ./nothing\n$attrs" "No such file"
    yaml_is_wrong "type: frob\ndesc: d\nprogram: ./frob.py\n$attrs" "cannot be executed: Permission denied"
    yaml_is_wrong "type: frob\ndesc: d\nprogram: []\n$attrs" "the program has no name"
}

# A type.yaml with so much of something: what python prints. With a second argument it is refused with that.
yaml_with() {
    python3 -c "
attrs = 'attributes:\\n  name: {type: String, desc: d, behaviour: namevar}\\n'
head = 'type: frob\\ndesc: d\\nprogram: [python3, ./frob.py]\\n' + attrs
$1" >plugins/frob/type.yaml
    run rhost describe frob --plugin-dir plugins
    if [ $# -eq 1 ]; then
        status_is 0
    else
        [ "$status" -ne 0 ]
        says "$2"
    fi
}

@test "how much a type.yaml may have" {
    frob "$usual"
    yaml_with "print(head + ''.join(f'  a{i}: {{type: Any, desc: d}}\n' for i in range(999)))"
    yaml_with "print(head + ''.join(f'  a{i}: {{type: Any, desc: d}}\n' for i in range(1000)))" "there are more than 1000 attributes"
    yaml_with "print(head + 'actions:\n' + ''.join(f'  a{i}: {{desc: d}}\n' for i in range(1000)))"
    yaml_with "print(head + 'actions:\n' + ''.join(f'  a{i}: {{desc: d}}\n' for i in range(1001)))" "there are more than 1000 actions"
    yaml_with "print(head + '  a: {type: Any, desc: d, default: {' + ','.join(f'k{i}: 1' for i in range(2000)) + '}}')"
    yaml_with "print(head + '  a: {type: Any, desc: d, default: {' + ','.join(f'k{i}: 1' for i in range(2001)) + '}}')" "there are more than 2000 keys in it"
    for seconds in 1 86400; do
        yaml_with "print(head + 'timeout: $seconds')"
    done
    for seconds in 0 -1 86401 1.5; do
        yaml_with "print(head + 'timeout: $seconds')" "'timeout' is a number of seconds, from 1 to 86400"
    done
    yaml_with "print(head + '#' * ((1 << 20) - len(head) - 1))"
    yaml_with "print(head + '#' * ((1 << 20) - len(head)))" "type.yaml' is not used: it cannot be read: it is larger than 1 MiB"
    yaml_with "print(head + '  a: {type: \"' + 'Optional[' * 64 + 'Any' + ']' * 64 + '\", desc: d}')"
    yaml_with "print(head + '  a: {type: \"' + 'Optional[' * 65 + 'Any' + ']' * 65 + '\", desc: d}')" "nested"
    yaml_with "print(head + '  a: {type: Any, desc: d, default: ' + '[' * 30 + ']' * 30 + '}')"
    yaml_with "print(head + '  a: {type: Any, desc: d, default: ' + '[' * 31 + ']' * 31 + '}')" "nested too deep"
}

@test "what a program says of its progress has limits" {
    progress() {
        frob "$greets
for verb, asked in requests():
    say(progress={$1})
    say(done=True)"
        run apply_here <<<"$frob_yaml"
    }
    for good in "'done': 0" "'done': 0, 'total': 0" "'done': 1 << 62, 'total': 1 << 62" "'done': 3, 'total': 2"; do
        progress "$good"
        status_is 0
    done
    for bad in "'done': -1" "'done': 1, 'total': -1"; do
        progress "$bad"
        status_is 4
        says "must not be negative"
    done
    progress "'done': 1.5"
    status_is 4
    says "'done' must be an integer"
    frob "$greets
for verb, asked in requests():
    say(busy={'seconds': 86400}); say(busy={'seconds': 0}); say(done=True)"
    run apply_here <<<"$frob_yaml"
    status_is 0
    for bad in -1 86400.5 "'1'"; do
        frob "$greets
for verb, asked in requests():
    say(busy={'seconds': $bad}); say(done=True)"
        run apply_here <<<"$frob_yaml"
        status_is 4
        says "'seconds' must be a number between 0 and 86400"
    done
}

@test "type.json does as well, and both at once do not" {
    frob "$usual"
    rm plugins/frob/type.yaml
    cat >plugins/frob/type.json <<'END'
{"type": "frob", "desc": "d", "program": ["python3", "./frob.py"],
 "attributes": {"name": {"type": "String", "behaviour": "namevar"},
                "size": {"type": "Integer", "default": 5}}}
END
    run rhost describe frob --plugin-dir plugins
    status_is 0
    says "Default: 5"
    run apply_here <<<"$frob_yaml"
    status_is 0
    cp plugins/frob/type.json plugins/frob/type.yaml
    run apply_here <<<"$frob_yaml"
    says "its directory contains both 'type.yaml' and 'type.json': remove one"
}

@test "defaults in type.yaml may be lists, hashes, numbers and nothing" {
    frob "$usual" '  list: {type: "Array[Any]", desc: d, default: [1, two, [-2.5, 1e3], "3", 1., 007x]}
  hash: {type: "Hash[String, Any]", desc: d, default: {a: {b: true}, "c d": null, e: []}}
  none: {type: "Optional[String]", desc: d, default: null}'
    run rhost describe frob --plugin-dir plugins
    status_is 0
    says 'Default: [1, "two", [-2.5, 1e+03], "3", "1.", "007x"]'
    says 'Default: {a: {b: true}, c d: undef, e: []}'
    says 'Default: undef'
}

@test "as root, nobody else may be able to change the program, its directory, or type.yaml" {
    requires_root
    frob "$usual"
    run apply_here <<<"$frob_yaml"
    status_is 0
    for what in frob.py type.yaml .; do
        chmod o+w "plugins/frob/$what"
        run apply_here <<<"$frob_yaml"
        [ "$status" -ne 0 ]
        says "users other than root can write to"
        chmod o-w "plugins/frob/$what"
    done
    # What the program may load, too, but no device.
    mkdir plugins/frob/lib elsewhere
    touch plugins/frob/lib/part.py elsewhere/part.py
    ln -s "$work/elsewhere" plugins/frob/lib/linked
    ln -s /dev/null plugins/frob/log
    ln -s nowhere plugins/frob/dangling
    run apply_here <<<"$frob_yaml"
    status_is 0
    for what in plugins/frob/lib plugins/frob/lib/part.py elsewhere elsewhere/part.py; do
        chmod o+w "$what"
        run apply_here <<<"$frob_yaml"
        [ "$status" -ne 0 ]
        says "users other than root can write to "
        chmod o-w "$what"
    done
    # Also where a link leads.
    mkdir theirs
    mv plugins/frob theirs/frob
    ln -s ../theirs/frob plugins/frob
    run apply_here <<<"$frob_yaml"
    status_is 0
    chown 65534 theirs
    run apply_here <<<"$frob_yaml"
    [ "$status" -ne 0 ]
    says "users other than root can write to the parent directory '$work/theirs'"
}

# bats test_tags=inline
@test "a secret of the program's answers is not told" {
    frob "$greets
for verb, asked in requests():
    if verb == 'get': say(resource={'name': 'one', 'secret': {'__ptype': 'Sensitive', '__pvalue': 'swordfish'}})
    if verb == 'set':
        should = asked['changes'][0]['should']['secret']['__pvalue']
        print('it is', should, file=sys.stderr)
        say(log={'text': 'it was swordfish, and is ' + should, 'level': 'warning'})
        say(changed={'title': 'one', 'attribute': 'secret'})
        raise ValueError(should)
    say(done=True)"
    run apply_here --debug <<'END'
resources:
  - frob: one
    secret: hunter2hunter2
END
    status_is 4
    says_not swordfish
    says_not hunter2
    says "[redacted]"
}

# bats test_tags=inline
@test "no part of a secret stays of a program's last words where they are cut" {
    frob "$greets
for verb, asked in requests():
    if verb == 'set':
        print(asked['changes'][0]['should']['secret']['__pvalue'] + 'x' * 997, file=sys.stderr)
        sys.exit(1)
    say(done=True)"
    run apply_here <<'END'
resources:
  - frob: one
    secret: hunter2
END
    status_is 4
    says "its last output: '"
    says_not er2
}

@test "a resource that does not fit its type takes no other with it" {
    frob "$greets
for verb, asked in requests():
    if verb == 'get':
        say(resource={'name': 'one', 'sise': 1})
        say(resource={'name': 'two', 'size': 2})
    say(done=True)"
    run apply_here <<<"$frob_yaml"
    status_is 4
    says "Unknown attribute:"
    says "* sise"
    says "2 resources: 1 ok, 1 failed"
    run rhost resource --plugin-dir plugins --strict=warning frob
    status_is 0
    says "- frob: two"
    # One that cannot be canonicalized.
    frob "$greets
for verb, asked in requests():
    if verb == 'get':
        for name in 'one', 'two': say(resource={'name': name, 'size': 1})
    if verb == 'canonicalize':
        if asked['resource']['name'] == 'one': say(failed={'message': 'no good'})
        else: say(resource=asked['resource'])
    say(done=True)" 'ensure: x
features: [canonicalize]'
    sed -i '/^ensure: x/d' plugins/frob/type.yaml
    run rhost resource --plugin-dir plugins --strict=warning frob
    status_is 0
    says "omitted from the list: no good"
    says "- frob: two"
    run rhost resource --plugin-dir plugins frob
    [ "$status" -ne 0 ]
    says_not "- frob: two"
}

@test "what a program said before it was ended is not a second warning" {
    frob "$greets
for verb, asked in requests():
    raw('nonsense\\n{\"done\": true}')"
    run apply_here <<<"$frob_yaml"
    status_is 4
    says "is wrong"
    says_not "after its last answer"
}

@test "a program can fail one name of get, also when it is always asked for all" {
    frob "$greets
for verb, asked in requests():
    if verb == 'get':
        say(resource={'name': 'one', 'size': 1})
        say(failed={'name': {'name': 'two'}, 'message': 'its server is down'})
    if verb == 'set': say(failed={'message': 'nothing is to be set'})
    say(done=True)"
    run apply_here <<END
$frob_yaml
  - file: $work/between
    content: x
    before: frob[two]
END
    status_is 4
    says "failed: its server is down"
    says "3 resources: 1 ok, 1 changed, 1 failed"
    frob "$greets
for verb, asked in requests():
    if verb == 'get': say(failed={'name': {'size': 2}, 'message': 'its server is down'})
    say(done=True)"
    run apply_here <<<"$frob_yaml"
    status_is 4
    says "a 'name' has all namevars, and 'name' is not in it"
}

@test "a program gets the parameters of the names that it is asked for" {
    frob "$greets
for verb, asked in requests():
    if verb == 'get':
        for name, more in zip(asked['names'], asked['parameters']):
            say(resource={'name': name['name'], 'size': more.get('server', 'none')})
    say(done=True)" "  server: {type: String, desc: Where it is., behaviour: parameter}
features: simple_get_filter"
    run apply_here <<END
resources:
  - frob: one
    server: alpha
    size: alpha
  - frob: two
    size: none
END
    status_is 0
    says "2 resources: 2 ok"
}

@test "what a program reports is in the journal when the run is killed" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline the run ends with the provider"
    frob "$greets
for verb, asked in requests():
    if verb == 'set':
        say(changed={'title': 'one', 'message': 'done at once'})
        time.sleep(1)
        lock = open('$BATS_TEST_TMPDIR/state/lock').read()
        os.kill(int(lock.split('process ')[1].split(',')[0]), 9)
        time.sleep(5)
    say(done=True)"
    run apply_here <<<"$frob_yaml"
    [ "$status" -eq 137 ]
    run rhost runs
    says "did not end 1 changed"
}

@test "behavior is another spelling of behaviour, and both are too many" {
    frob "$usual"
    sed -i 's/behaviour: namevar/behavior: namevar/' plugins/frob/type.yaml
    run rhost describe --plugin-dir plugins frob
    status_is 0
    says "namevar"
    sed -i 's/behavior: namevar/behavior: namevar, behaviour: namevar/' plugins/frob/type.yaml
    run rhost types --plugin-dir plugins
    says "the attribute 'name' has both 'behaviour' and 'behavior'"
}

@test "of a list's resources that do not fit, the first that was said is named" {
    frob "$greets
for verb, asked in requests():
    if verb == 'get':
        for name in 'good', 'c', 'a', 'b', 'd': say(resource={'name': name, 'sise' if name != 'good' else 'size': 1})
    say(done=True)"
    run rhost resource --plugin-dir plugins frob
    [ "$status" -ne 0 ]
    says "frob[c]"
    says_not "frob[a]"
}

@test "a type says what rights applying it takes" {
    frob "$usual" 'needs: [root unless $size, "user[$name]"]'
    run rhost describe --plugin-dir plugins frob
    status_is 0
    says 'Needs (what applying it takes)'
    says ' root unless $size'
    says ' user[$name]'
    frob "$usual" 'needs: []'
    run rhost describe --plugin-dir plugins frob
    says ' nothing'
    frob "$usual"
    run rhost describe --plugin-dir plugins frob
    says ' not declared'
    frob "$usual" 'needs: sudo'
    run rhost describe --plugin-dir plugins frob
    [ "$status" -ne 0 ]
    says "invalid need 'sudo'"
}

@test "a type may have a vendor, wherever a type is named" {
    frob "$usual" 'autorequire: {"acme::frob": ["of-$name"]}'
    sed -i 's/^type: frob/type: acme::frob/' plugins/frob/type.yaml
    cat >site.yaml <<'END'
resources:
  - log: a
    require: acme::frob[x]
  - acme::frob: x
    size: 1
  - acme::frob: of-x
    size: 2
  - define: acme::twin
    resources:
      - acme::frob: "${title}-twin"
        size: 3
  - acme::twin: y
    before: log[a]
END
    run rhost graph --plugin-dir plugins site.yaml
    status_is 0
    says 'acme::frob[of-x]'
    says autorequire
    run rhost apply --plugin-dir plugins --only='acme::frob[x]' site.yaml
    status_is 0
    says 'acme::frob[x]'
    run rhost describe --plugin-dir plugins acme::frob
    status_is 0
    says 'acme::frob[of-$name]'
    run rhost compile --plugin-dir plugins site.yaml
    status_is 0
    echo "$output" >compiled.json
    run rhost validate --plugin-dir plugins compiled.json
    status_is 0
}

@test "a relation names a resource by several attributes of another one" {
    frob "$usual" 'autorequire: {frob: "${size}-$place"}'
    sed -i 's/^  size:/  place: {type: "Optional[String]", desc: Where.}\n&/' plugins/frob/type.yaml
    cat >site.yaml <<'END'
resources:
  - frob: first
    size: 22
    place: here
  - frob: 22-here
    size: 1
  - frob: 22-there
    size: 2
END
    run rhost graph --plugin-dir plugins site.yaml
    status_is 0
    [ "$(grep -c ' -> ' <<<"$output")" -eq 1 ]
    says autorequire
}

@test "a relation names a resource by its namevars" {
    frob "$usual" 'autorequire: {"acme::pair": [{left: $name, right: $place}, "a-b"]}'
    sed -i 's/^  size:/  place: {type: "Optional[String]", desc: Where.}\n&/' plugins/frob/type.yaml
    mkdir plugins/pair
    cat >plugins/pair/type.yaml <<'END'
type: acme::pair
version: "1.0"
desc: Two words.
program: ./frob.bash
features: canonicalize
attributes:
  left: {type: String, desc: One., behaviour: namevar}
  right: {type: String, desc: The other., behaviour: namevar}
title_patterns: ['\A(?<left>[a-z]+)-(?<right>[a-z]+)\z']
END
    cat >plugins/pair/frob.bash <<'END'
#!/bin/bash
while read -r line; do
    case $line in
    '{"hello"'*) echo '{"hello":{"protocol":1}}' ;;
    '{"canonicalize"'*) echo "{\"resource\":$(tr 'A-Z' 'a-z' <<<"${line:28:-2}")}"; echo '{"done":true}' ;;
    *) echo '{"done":true}' ;;
    esac
done
END
    chmod +x plugins/pair/frob.bash
    cat >site.yaml <<'END'
resources:
  - {frob: x, size: 1, place: "B-C"}
  - {frob: y, size: 1}
  - {acme::pair: one, left: x, right: b-c}
  - {acme::pair: a-b}
END
    run rhost graph --plugin-dir plugins site.yaml
    status_is 0
    echo "$output"
    [ "$(grep -c ' -> ' <<<"$output")" -eq 3 ]
    run rhost describe --plugin-dir plugins frob
    status_is 0
    says 'acme::pair[{left: $name, right: $place}]'
    sed -i 's/right: $place/rigth: $place/' plugins/frob/type.yaml
    run rhost graph --plugin-dir plugins site.yaml
    status_is 0
    says "type 'frob': ignoring the automatic relation with acme::pair[{left: \$name, rigth: \$place}]: 'rigth' is not a namevar of 'acme::pair'"
    [ "$(grep -c ignoring <<<"$output")" -eq 1 ]
    for wrong in '{}' '{left: $nam, right: x}' '{left: "a,b", right: x}' '{left: "", right: x}'; do
        sed -i "s/^autorequire:.*/autorequire: {\"acme::pair\": $wrong}/" plugins/frob/type.yaml
        run rhost describe --plugin-dir plugins frob
        echo "$wrong: $output"
        [ "$status" -ne 0 ]
    done
}

@test "a program's type has old names, deprecated attributes, and says why it cannot be undone" {
    requires_command jq
    cp -R "$examples" plugins
    sed -i '/^attributes:/i irreversible: what was shown before is not known' plugins/shell-motd/type.yaml
    python3 - plugins/shell-motd/type.yaml <<'END'
import re, sys
path = sys.argv[1]
text = open(path).read()
text = re.sub(r"\n  text:( *\{)?", lambda m: "\n  text:" + (" {deprecated: use a file, formerly: [words], " if m.group(1)
              else "\n    deprecated: use a file\n    formerly: [words]"), text, count=1)
open(path, "w").write(text)
END
    run rhost describe --plugin-dir plugins motd
    status_is 0
    says 'Formerly: words'
    says 'Deprecated: use a file'
    says 'what was shown before is not known'
    run apply_here <<END
resources:
  - motd: $work/greeting
    words: hello
END
    status_is 0
    says "warning: attribute 'words' of 'motd' is now called 'text'"
    says "warning: attribute 'text' of 'motd' is deprecated: use a file"
    [ "$(cat greeting)" = hello ]
}
