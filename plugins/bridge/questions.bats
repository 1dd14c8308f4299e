#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a program can ask while it answers, and blocks that overlap.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/bridge/frob.bash"

setup() {
    work_open
}

ask="$greets
def ask(**what):
    say(**what)
    return hear()"

@test "a program asks how long the host still waits" {
    frob "$ask
for verb, asked in requests():
    if verb == 'set':
        with open('$work/seen', 'w') as f: json.dump(ask(deadline={}), f)
    say(done=True)"
    run apply_here --isolation=worker --time-limit=50 <<<"$frob_yaml"
    status_is 0
    python3 -c 'import json; n = json.load(open("seen"))["deadline"]; assert 30 < n <= 50, n'
    RHOST_ISOLATION=none run apply_here <<<"$frob_yaml"
    status_is 0
    python3 -c 'import json; assert json.load(open("seen"))["deadline"] > 0'
}

@test "of a comparison that fails, nothing more is said" {
    frob "$greets
for verb, asked in requests():
    if verb == 'get': [say(resource=name) for name in asked['names']]
    if verb == 'insync': say(failed={'message': 'it cannot be compared'})
    say(done=True)" '  born: {type: Any, desc: When., behaviour: init_only}
features: [simple_get_filter, custom_insync]'
    run apply_here --strict=warning <<'END'
resources:
  - frob: one
    born: 1
END
    status_is 4
    says 'failed: born: it cannot be compared'
    says_not 'was not compared'
}

# bats test_tags=inline
@test "a program keeps a text for a resource, from one run to the next, and a digest of a secret" {
    frob "$ask
def kept(name, key, **more): return ask(private=dict(more, name=name, key=key))['private']['value']
def digest(change): return kept(change['name'], 'secret', digest=change['should']['secret'])
for verb, asked in requests():
    if verb == 'get':
        for name in asked['names']:
            version = kept(name, 'version')
            if version: say(resource=dict(name, size=int(version)))
    if verb == 'insync' and asked['attribute'] == 'secret':
        say(insync={'result': kept(asked['change']['name'], 'secret') == digest(asked['change'])})
    elif verb == 'insync': say(insync={'result': None})
    if verb == 'set':
        for c in asked['changes']:
            size = str(c['should']['size'])
            assert kept(c['name'], 'version', put=size) == size
            assert kept(c['name'], 'secret', put=digest(c)) == digest(c)
    say(done=True)" "features: [simple_get_filter, custom_insync]"
    cat >site.yaml <<'END'
resources:
  - frob: one
    size: 7
    secret: hunter2
END
    for RHOST_ISOLATION in $isolations; do
        rm -rf state
        run apply_here --state-dir "$work/state" --noop <site.yaml
        status_is 0
        says "would change"
        run apply_here --state-dir "$work/state" --detailed-exitcodes <site.yaml
        status_is 2
        run apply_here --state-dir "$work/state" --detailed-exitcodes <site.yaml
        status_is 0
        sed 's/hunter2/hunter3/' site.yaml >other.yaml
        run apply_here --state-dir "$work/state" --detailed-exitcodes <other.yaml
        status_is 2
        run grep -r hunter state
        [ "$status" -ne 0 ]
    done
}

@test "a program cannot keep a secret, nor anything while it reads, nor for a name that is none" {
    for what in "get|{'name': {'name': 'one'}, 'key': 'a', 'put': 'x'}|what is kept can be changed in answer to 'set' and 'act' only" \
        "set|{'name': {'name': 'one'}, 'key': 'a', 'put': 'hunter2'}|the text to keep contains a secret: keep its digest" \
        "set|{'name': {}, 'key': 'a'}|a 'name' has all namevars, and 'name' is not in it" \
        "set|{'name': {'name': 'one'}, 'key': 'a', 'put': 'x', 'digest': 1}|'private' has 'put' or 'digest', not both" \
        "set|{'name': {'name': 'one'}}|missing 'key' in it"; do
        IFS='|' read -r verb question message <<<"$what"
        frob "$ask
for verb, asked in requests():
    if verb == '$verb': ask(private=$question)
    say(done=True)"
        run apply_here <<'END'
resources:
  - frob: one
    size: 7
    secret: hunter2
END
        status_is 4
        says "$message"
        says_not hunter2
    done
}

# bats test_tags=inline
@test "blocks that overlap are reported each with its own end, and one fails alone" {
    frob "$greets
for verb, asked in requests():
    if verb == 'set':
        titles = [c['title'] for c in asked['changes']]
        for title in titles: say(begin={'doing': 'creating', 'title': title, 'overlap': True})
        say(end={'title': titles[1]})
        time.sleep(0.3)
        say(end={'title': titles[2], 'failed': 'no room'})
        say(end={'title': titles[0]})
    say(done=True)"
    for RHOST_ISOLATION in $isolations; do
        run apply_here -vv <<'END'
resources:
  - frob: [one, two, three]
    size: 1
END
        status_is 4
        says "2 changed, 1 failed"
        says "no room"
        [ "$(grep -o 'frob\[[a-z]*\]: Successfully created' <<<"$output" | tr -d '\n')" = \
            "frob[two]: Successfully createdfrob[one]: Successfully created" ]
    done
}

@test "blocks that overlap are opened once, ended before the answer, and for set" {
    for what in "begin={'doing': 'creating', 'title': 'one', 'overlap': True}|a block is still open" \
        "begin={'doing': 'creating', 'overlap': True}|'title' must be text" \
        "begin={'doing': 'processing', 'title': 'one', 'overlap': True}|a block that overlaps is creating, updating or deleting" \
        "end={'title': 'one'}|no block of 'one' is open"; do
        frob "$greets
for verb, asked in requests():
    if verb == 'set': say(${what%%|*})
    say(done=True)"
        run apply_here <<<"$frob_yaml"
        status_is 4
        says "${what#*|}"
    done
    frob "$greets
for verb, asked in requests():
    if verb == 'set':
        for i in range(2): say(begin={'doing': 'creating', 'title': 'one', 'overlap': True})
    say(done=True)"
    run apply_here <<<"$frob_yaml"
    status_is 4
    says "a block of 'one' is open already"
}

# bats test_tags=inline
@test "a type that gathers is asked once for what the manifest has apart" {
    frob "$greets
for verb, asked in requests():
    if verb == 'set':
        with open('$work/sets', 'a') as f: f.write('%d\\n' % len(asked['changes']))
    say(done=True)" "features: [gathers, simple_get_filter]"
    for RHOST_ISOLATION in $isolations; do
        rm -f sets
        run apply_here <<END
resources:
  - frob: one
    size: 1
  - file: $work/between
    content: x
  - frob: two
    size: 2
END
        status_is 0
        [ "$(cat sets)" = 2 ]
        rm -f between
    done
}
