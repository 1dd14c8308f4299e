#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a provider says belongs to the resource, and to the attribute, that it is about: in reports, in the journal, and
# when a run is shown.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# A type whose provider sets all its resources at once, and says something about each of them, and about none.
with_lamps() {
    needs_python
    mkdir -p plugins/lamp
    cat >plugins/lamp/type.yaml <<'END'
type: lamp
desc: A lamp.
program: [python3, ./lamp.py]
attributes:
  name: {type: String, desc: Its name., behaviour: namevar}
  power: {type: "Optional[Enum[on, off]]", desc: Whether it shines.}
  code: {type: "Optional[Sensitive[String]]", desc: Nobody may know.}
END
    cat >plugins/lamp/lamp.py <<'END'
import json, sys
def say(**answer):
    print(json.dumps(answer), flush=True)
def log(text, level="notice", **more):
    say(log=dict(text=text, level=level, **more))
sys.stdin.readline()
say(hello={"protocol": 1})
for line in sys.stdin:
    verb, asked = next(iter(json.loads(line).items()))
    if verb == "get":
        for name in "abc":
            say(resource={"name": name, "power": "off"})
    if verb == "set":
        log("three lamps at once")
        for change in reversed(asked["changes"]):
            name = change["name"]["name"]
            log("lamp %s: [x]: is dim \x1b[2J" % name, "warning", title=name)
            log("its code is %s" % json.dumps(change["should"].get("code")), title=name)
    say(done=True)
END
    cat >site.yaml <<'END'
resources:
  - lamp: a
    power: on
  - lamp: b
    power: on
    code: hunter2-and-more
  - lamp: c
    power: on
END
}

@test "a report has each line with the resource that it is about" {
    with_lamps
    hidden="['its code is {\"__ptype\": \"Sensitive\", \"__pvalue\": \"[redacted]\"}']"
    for RHOST_ISOLATION in confined none; do
        rhost apply --plugin-dir plugins --format=json --report=report.json site.yaml >out.json
        for file in out.json report.json; do
            for title in a b c; do
                json_is "$file" "[[l['message'] for l in r['log'] if l['level'] == 'warning'] for r in d['resources'] if r['title'] == '$title'][0]" \
                    "['lamp $title: [x]: is dim \\\\x1b[2J']"
                json_is "$file" "[[l['message'] for l in r['log'] if 'code' in l['message']] for r in d['resources'] if r['title'] == '$title'][0]" \
                    "$([ $title = b ] && echo "$hidden" || echo "['its code is null']")"
            done
            json_is "$file" '[l for l in d["log"] if "three" in l["message"]]' \
                "[{'level': 'notice', 'resource_type': 'lamp', 'message': 'three lamps at once'}]"
        done
    done
}

@test "the journal has the lines, and a run that is shown tells them" {
    with_lamps
    rhost apply --plugin-dir plugins site.yaml
    cat "$BATS_TEST_TMPDIR"/state/runs/*.jsonl >lines
    grep -q '"level": "warning", "resources": \["lamp\[c\]"\], "message": "lamp c: \[x\]: is dim' lines
    is "$(grep -c hunter2 lines)" 0
    run rhost show last
    says 'notice: lamp: three lamps at once'
    says 'warning: lamp[b]: lamp b: [x]: is dim \x1b[2J'
    says 'notice: lamp[b]: its code is {"__ptype": "Sensitive", "__pvalue": "[redacted]"}'
    # What repeats an event is not said twice.
    is "$(grep -c '"level"' lines)" 7
}

@test "text names the resources as it did" {
    with_lamps
    run rhost apply --plugin-dir plugins site.yaml
    says 'warning: lamp[c]: lamp c: [x]: is dim \x1b[2J'
    says 'notice: lamp: three lamps at once'
}

@test "a failure points at the attribute that it is due to" {
    needs_python
    cat >site.yaml <<END
resources:
  - file: $work/a
    content: x
    owner: nobody-at-all
  - define: held
    parameters: {who: String}
    resources:
      - file: $work/b
        owner: \${who}
  - held: one
    who: nobody-at-all
END
    for RHOST_ISOLATION in confined none; do
        run rhost apply --report=report.json site.yaml
        status_is 4
        says "failed: owner: unknown user 'nobody-at-all'"
        is "$(grep -A 1 '^     4 ' <<<"$output")" '     4 |     owner: nobody-at-all
       |            ^'
        is "$(grep -A 1 '^     9 ' <<<"$output")" '     9 |         owner: ${who}
       |                ^'
        json_is report.json '[(r["attribute"], r["attribute_location"]["line"], r["attribute_location"]["column"]) for r in d["resources"] if r["status"] == "failed"]' \
            "[('owner', 4, 12), ('owner', 9, 16)]"
        json_is report.json '[r["title"] for r in d["resources"] if "attribute" in r and r["status"] != "failed"]' '[]'
    done
}

@test "a failure in a part of a value is shown at that part" {
    needs_python
    mkdir -p plugins/db
    cat >plugins/db/type.yaml <<'END'
type: db
desc: A database.
program: [python3, ./db.py]
attributes:
  name: {type: String, desc: Its name., behaviour: namevar}
  settings: {type: "Hash[String, Any]", desc: Its settings.}
END
    cat >plugins/db/db.py <<'END'
import json, sys
def say(**answer):
    print(json.dumps(answer), flush=True)
sys.stdin.readline()
say(hello={"protocol": 1})
for line in sys.stdin:
    verb, asked = next(iter(json.loads(line).items()))
    if verb == "set":
        for change in asked["changes"]:
            say(failed={"title": change["title"], "attribute": change["should"]["settings"]["at"], "message": "it is too large"})
    say(done=True)
END
    cat >site.yaml <<'END'
resources:
  - db: a
    settings:
      at: settings.work_mem
      work_mem: 1
  - db: b
    settings:
      list: [1, {x: 2}]
      at: settings.list[1].x
  - db: c
    settings:
      at: settings.other
  - db: d
    settings: {at: bogus.x}
END
    for RHOST_ISOLATION in confined none; do
        run rhost apply --plugin-dir plugins --report=report.json site.yaml
        status_is 4
        says 'failed: settings.work_mem: it is too large'
        grep -qF '     5 |       work_mem: 1' <<<"$output"
        json_is report.json '[(r["attribute"], r["attribute_location"]["line"], r["attribute_location"]["column"]) for r in d["resources"][:3]]' \
            "[('settings', 5, 17), ('settings', 8, 21), ('settings', 12, 7)]"
        json_is report.json '"attribute" in d["resources"][3]' False
    done
}

@test "a line that has a secret is not shown with a failure" {
    export PW=hunter2-and-more
    cat >secret.yaml <<END
resources:
  - {file: $work/a, owner: nobody-at-all, content: hunter3-and-more, sensitive: content}
  - {file: $work/b, owner: nobody-at-all, content: "\${secret_env('PW')}"}
  - {file: $work/c, owner: nobody-at-all, content: "it is hunter2-and-more"}
  - file: $work/d
    owner: nobody-at-all
END
    run rhost apply secret.yaml
    status_is 4
    says_not hunter
    is "$(grep -c '^     [0-9]' <<<"$output")" 1
    grep -qF '     6 |     owner: nobody-at-all' <<<"$output"
}

@test "what a provider says while it canonicalizes is on the terminal once, and in the report" {
    needs_python
    mkdir -p plugins/bulb
    cat >plugins/bulb/type.yaml <<'END'
type: bulb
desc: A bulb.
program: [python3, ./bulb.py]
features: [canonicalize]
attributes:
  name: {type: String, desc: Its name., behaviour: namevar}
  power: {type: "Optional[String]", desc: Whether it shines.}
END
    cat >plugins/bulb/bulb.py <<'END'
import json, sys
def say(**answer):
    print(json.dumps(answer), flush=True)
sys.stdin.readline()
say(hello={"protocol": 1})
for line in sys.stdin:
    verb, asked = next(iter(json.loads(line).items()))
    if verb == "canonicalize":
        r = asked["resource"]
        if r.get("power") == "ON":
            say(log={"level": "warning", "text": "ON is an old word for on"})
            r["power"] = "on"
        say(resource=r)
    if verb == "get":
        say(resource={"name": "a", "power": "off"})
    say(done=True)
END
    for RHOST_ISOLATION in confined none; do
        run apply --plugin-dir plugins --report=report.json <<<'resources: [{bulb: a, power: ON}]'
        status_is 0
        is "$(grep -c 'ON is an old word' <<<"$output")" 1
        is "$(grep -c 'ON is an old word' report.json)" 1
    done
}
