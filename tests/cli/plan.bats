#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"
source "$abs_top_srcdir/tests/cli/herd.bash"

# Two files to create, and a command that the first one notifies.
two_files() {
    manifest <<END
resources:
  - file: $work/one
    content: |
      first
      second
    mode: "0644"
    notify: exec[tell]
  - file: $work/two
    content: two
  - exec: tell
    command: [sh, -c, "echo told >>$work/told"]
    action: nothing
END
}

# Makes a plan that changes something.
planned() {
    run rhost plan -o site.plan "$@" site.yaml
    status_is 2
}

# The plan is refused with this text, and nothing is changed.
refused() {
    run rhost apply site.plan
    status_is 1
    says "$1"
    says 'nothing was changed'
}

fits_schema() {
    python3 - "$abs_top_srcdir/docs/plan.schema.json" "$1" <<'END'
import json, sys, jsonschema

with open(sys.argv[1]) as f:
    schema = json.load(f)
jsonschema.Draft202012Validator.check_schema(schema)
with open(sys.argv[2]) as f:
    jsonschema.Draft202012Validator(schema).validate(json.load(f))
END
}

# A guard that does this the third time that it is asked: for the plan, for the comparison, in the run.
guard_that() {
    cat >guard <<END
#!/bin/sh
echo >>$work/asked
[ "\$(wc -l <$work/asked)" -lt 3 ] || { $1; }
END
    chmod 755 guard
}

@test "a plan says what would change, changes nothing, and ends with 2" {
    two_files
    planned
    says "file[$work/one] site.yaml:2 would change"
    says "plan written to 'site.plan'"
    [ ! -e one ]
    [ "$(mode_of site.plan)" = 600 ]
    run rhost apply site.plan
    status_is 0
    says '2 resources: 2 changed, 1 refreshed'
    [ "$(cat two)" = two ]
    [ "$(cat told)" = told ]
}

@test "nothing to do ends with 0, and such a plan can be applied" {
    two_files
    rhost apply -q site.yaml
    run rhost plan -o site.plan site.yaml
    status_is 0
    run rhost apply site.plan
    status_is 0
    says '2 resources: 2 ok'
}

@test "what is missing on the command line is said with its cure" {
    two_files
    run rhost plan site.yaml
    status_is 1
    says 'no file given for the plan: use -o PLAN'
    run rhost plan -o site.plan
    status_is 1
    says 'no manifest given'
    run rhost apply --max-age=1h site.yaml
    status_is 1
    says "--max-age is for a plan, and 'site.yaml' is none"
    planned
    run rhost apply site.plan site.yaml
    status_is 1
    says "'site.plan' is a plan: apply it alone"
    run rhost apply --only "file[$work/two]" site.plan
    status_is 1
    says '--only cannot be given with a plan, which has its own options'
    run rhost plan -o other.plan - <site.yaml
    status_is 1
    says "cannot plan 'standard input': apply must read it again"
    for age in 0 -1 1x h 1hh ''; do
        run rhost apply --max-age="$age" site.plan
        status_is 1
        says "invalid value '$age' for --max-age"
    done
}

@test "show prints a plan as text, with its differences line by line" {
    two_files
    printf 'first\n' >one
    planned
    run rhost show site.plan
    status_is 0
    says 'plan for '
    says "file[$work/two] site.yaml:8 would change"
    says 'content two'
    says "would refresh: run, notified by file[$work/one]"
    says '2 would change, 1 would be refreshed'
    run rhost show --diff site.plan
    says '+second'
}

@test "each plan is as its schema says" {
    needs_python
    python3 -c 'import jsonschema' 2>/dev/null || skip "needs jsonschema for Python"
    two_files
    planned
    rhost show --format=json site.plan >shown.json
    cmp site.plan shown.json
    fits_schema shown.json
    rhost apply -q site.yaml
    mkdir roles
    echo 'default: {}' >roles/r.yaml
    rhost plan -o done.plan --skip-tags=x --strict=warning --role=r site.yaml || [ $? = 0 ]
    fits_schema done.plan
    sed 's/"rhost_plan": 1/"rhost_plan": 2/' done.plan >wrong.plan
    run fits_schema wrong.plan
    [ "$status" -ne 0 ]
}

@test "Markdown has a table and a block for each resource, and titles that look like markup stay text" {
    manifest <<END
resources:
  - file: "$work/<b>|*x*\`y\`"
    content: |
      a
      \`\`\`\`
      b
  - file: $work/same
    content: same
END
    printf same >same
    planned
    run rhost show --format=markdown site.plan
    status_is 0
    says '| resource | change | declared at |'
    says '<details><summary><code>file&#91;'
    says '&#60;b&#62;&#124;&#42;x&#42;&#96;y&#96;'
    says '+a'
    says '`````diff'
    says_not '<b>'
    says_not '*x*'
    says_not "$work/same&"
    [ "$(grep -c '^| <code>' <<<"$output")" = 1 ]
}

@test "a page for browsers has the plan in it" {
    two_files
    planned
    run rhost show --format=html site.plan
    status_is 0
    says '<!doctype html>'
    says '"plan": "site.plan"'
    says 'would_change'
    run rhost show --format=markdown last
    status_is 1
    says "--format=markdown is for plans, and 'last' is none"
}

@test "drift since the plan was made is refused with the difference" {
    two_files
    rhost apply -q site.yaml
    sed -i 's/content: two/content: three/' site.yaml
    planned
    chmod 0600 one
    refused "file[$work/one]: 'mode' is \"0600\", and \"0644\" in the plan"
    [ "$(cat two)" = two ]
    [ "$(mode_of one)" = 600 ]
    chmod 0644 one
    run rhost apply site.plan
    status_is 0
    [ "$(cat two)" = three ]
}

@test "a long text that differs at its end is noticed" {
    head -c 100000 /dev/zero | tr '\0' a >text
    cp text one
    manifest <<END
resources:
  - file: $work/one
    source: $work/text
    mode: "0600"
END
    chmod 0644 one
    planned
    printf b | dd of=one bs=1 seek=99999 conv=notrunc 2>/dev/null
    run rhost apply site.plan
    status_is 1
    says "file[$work/one]"
    [ "$(mode_of one)" = 644 ]
}

@test "a manifest, a template, a role and a source that were changed are named" {
    mkdir roles templates
    echo 'hello ${node.x}' >templates/t
    printf 'default:\n  x: 1\n' >roles/r.yaml
    printf 'source' >src
    manifest <<END
roles: [r]
resources:
  - file: $work/a
    content: \${template("templates/t")}
  - file: $work/b
    source: $work/src
END
    planned
    for file in site.yaml templates/t roles/r.yaml src; do
        cp "$file" saved
        printf '\n' >>"$file"
        run rhost apply site.plan
        status_is 1
        says "file '$file' was changed"
        cp saved "$file"
    done
    [ ! -e a ]
    run rhost apply site.plan
    status_is 0
}

@test "more and fewer resources are named, ten differences at most" {
    {
        echo 'resources:'
        for i in 1 2 3 4 5 6 7 8 9 10 11 12; do printf '  - file: %s/f%s\n    content: x\n' "$work" "$i"; done
    } >site.yaml
    planned
    sed -i 's/content: x/content: y/' site.yaml
    run rhost apply site.plan
    status_is 1
    says "file 'site.yaml' was changed"
    says "file[$work/f1]: the desired value of 'content' is not the one in the plan"
    says 'and 3 more'
    printf 'resources:\n  - file: %s/other\n    content: x\n' "$work" >site.yaml
    run rhost apply site.plan
    says "file[$work/other] is not in the plan (would_change)"
}

@test "no secret is in a plan, and one that was changed is refused by its name" {
    printf 'swordfish-1' >secret
    chmod 600 secret
    manifest <<END
resources:
  - file: $work/one
    content: \${secret_file("$work/secret")}
END
    printf 'old-trout-2' >one
    planned
    not grep -q swordfish site.plan
    not grep -q trout site.plan
    [ "$(mode_of "$BATS_TEST_TMPDIR/state/plan-key.json")" = 600 ]
    not grep -q "$(sed -n 's/.*"key": "\([0-9a-f]*\)".*/\1/p' "$BATS_TEST_TMPDIR/state/plan-key.json")" site.plan
    printf 'marlin-3' >secret
    refused "file[$work/one]: the desired value of 'content' is not the one in the plan"
    says_not marlin
    printf 'swordfish-1' >secret
    printf 'perch-4' >one
    refused "file[$work/one]: the current value of 'content' is not the one in the plan"
    says_not perch
    printf 'old-trout-2' >one
    run rhost apply site.plan
    status_is 0
    [ "$(cat one)" = swordfish-1 ]
}

@test "a secret on the command line is not kept" {
    manifest <<END
attributes:
  default:
    password: none
  sensitive: [password]
resources:
  - file: $work/one
    content: \${node.password}
END
    run rhost plan -o site.plan --attribute=password=swordfish-1 site.yaml
    status_is 1
    says '--attribute has a secret in it'
    [ ! -e site.plan ]
}

@test "a plan that was edited, cut off, or is of another format is refused" {
    two_files
    planned
    cp site.plan good
    sed -i 's/0644/0777/' site.plan
    refused 'it was changed after it was made'
    run rhost show site.plan
    status_is 0
    says 'it cannot be applied here'
    sed 's/$/ /' good >site.plan
    refused 'it was changed after it was made'
    head -c 1500 good >site.plan
    refused 'it is truncated'
    head -c 15 good >site.plan
    refused 'it is truncated'
    sed 's/"rhost_plan": 1/"rhost_plan": 2/' good >site.plan
    refused 'it has format 2, and this rhost reads format 1'
    [ ! -e one ]
}

@test "a plan of any content is shown or refused, and never applied" {
    needs_python
    two_files
    planned
    cp site.plan good
    python3 - <<'END'
import json, random

random.seed(17)
text = open("good").read()
tree = json.loads(text)
odd = [None, True, -1, 1e300, "", "x\u001b[31m", [], {}, [[]], {"a": {"b": []}}, "[redacted]"]


def places(v, at=()):
    yield at
    for k in v if isinstance(v, dict) else range(len(v)) if isinstance(v, list) else ():
        yield from places(v[k], at + (k,))


for i in range(150):
    t = json.loads(text)
    for at in random.sample([p for p in places(t) if p], 1 + i % 2):
        try:
            v = t
            for k in at[:-1]:
                v = v[k]
            if random.random() < 0.3:
                del v[at[-1]]
            else:
                v[at[-1]] = random.choice(odd)
        except (KeyError, IndexError, TypeError):
            pass
    s = json.dumps(t)
    if "rhost_plan" not in t:
        s = '{"rhost_plan": 1,' + s[1:]
    if i % 3 == 0:
        b = bytearray(text, "utf8")
        for _ in range(3):
            b[random.randrange(15, len(b))] = random.randrange(256)
        open("m%d.plan" % i, "wb").write(b)
    else:
        open("m%d.plan" % i, "w").write(s)
END
    i=0
    for file in m*.plan; do
        i=$((i + 1))
        for format in text json markdown html; do
            [ $((i % 4)) = 0 ] || [ $format != html ] || continue
            run rhost show --format=$format "$file"
            [ "$status" -le 1 ] || { echo "$file $format: $status"; false; }
            [[ $output != *$'\033[31m'* ]] || [ $format = json ]
        done
        [ $((i % 5)) = 0 ] || continue
        run rhost apply "$file"
        status_is 1
    done
    [ ! -e one ]
}

@test "a plan of another machine, or another state directory, is refused" {
    requires_root
    two_files
    planned
    run rhost apply --state-dir "$work/other" site.plan
    status_is 1
    says "it was not made with the state directory '$work/other', which has no key"
    rhost plan --state-dir "$work/other" -o other.plan site.yaml || [ $? = 2 ]
    run rhost apply --state-dir "$work/other" site.plan
    status_is 1
    says 'its digest does not match'
    unshare -m true 2>/dev/null || skip "no mount namespaces"
    [ -f /etc/machine-id ] || skip "this machine has no id"
    echo 0123456789abcdef0123456789abcdef >id
    run unshare -m sh -c "mount --bind id /etc/machine-id && exec '$abs_top_builddir/rhost' apply \
        --state-dir '$BATS_TEST_TMPDIR/state' site.plan"
    status_is 1
    says 'it was made for another machine'
    [ ! -e one ]
}

@test "a plan that is too old is refused" {
    two_files
    planned
    run rhost apply --max-age=1d site.plan
    status_is 0
    rm one
    planned
    created=$(sed -n 's/.*"created": "\(.*\)".*/\1/p' site.plan)
    until [ $(($(date +%s) - $(date -d "$created" +%s))) -gt 1 ]; do sleep 0.2; done
    run rhost apply --max-age=1 site.plan
    status_is 1
    says 'it is too old'
    [ ! -e one ]
    run rhost apply --max-age=2h site.plan
    status_is 0
}

@test "another program of a provider is noticed" {
    needs_python
    cp -R "$abs_top_srcdir/docs/examples/executable" own
    chmod -R u+w own
    manifest <<END
resources:
  - json_value: $work/a.json:some.number
    value: 3
END
    run rhost plan --plugin-dir own -o own.plan site.yaml
    status_is 2
    echo '# changed' >>own/python-json_value/json_value.py
    run rhost apply own.plan
    status_is 1
    says "plugin 'own/python-json_value/json_value.py' was changed"
    [ ! -e a.json ]
    run rhost plan --plugin-dir own -o own.plan site.yaml
    status_is 2
    run rhost apply own.plan
    status_is 0
    grep -q 3 a.json
}

@test "the options of the plan are used, from any directory" {
    manifest <<END
resources:
  - file: $work/\${node.name}
    content: \${node.name}
    tag: [a]
  - file: $work/left
    content: x
    tag: [b]
END
    mkdir elsewhere
    planned --attribute=name=given --tags=a
    cd elsewhere
    run rhost apply ../site.plan
    status_is 0
    [ "$(cat ../given)" = given ]
    [ ! -e ../left ]
}

@test "what changes between the comparison and its turn fails, and is not changed" {
    guard_that "echo drift >$work/b"
    manifest <<END
resources:
  - file: $work/a
    content: a
    only_if: [$work/guard]
  - file: $work/b
    content: b
  - file: $work/c
    content: c
    require: file[$work/b]
  - file: $work/d
    content: d
END
    planned
    run rhost apply site.plan
    status_is 4
    says "its state is not the planned one: 'ensure' is \"present\", and was \"absent\" in the plan"
    [ "$(cat b)" = drift ]
    [ ! -e c ]
    [ "$(cat d)" = d ]
}

@test "what the plan does not change is not changed when it drifts in the run" {
    guard_that "echo drift >$work/b"
    printf b >b
    manifest <<END
resources:
  - file: $work/a
    content: a
    only_if: [$work/guard]
  - file: $work/b
    content: b
END
    planned
    run rhost apply site.plan
    status_is 4
    says "its state is not the planned one: 'content'"
    [ "$(cat b)" = drift ]
}

@test "a state that the plan itself has changed is no difference" {
    manifest <<END
resources:
  - exec: make
    command: [sh, -c, "echo made >$work/b"]
    creates: $work/b
  - file: $work/b
    content: b
    require: exec[make]
  - file: $work/dir/c
    content: c
  - directory: $work/dir
END
    planned
    run rhost apply site.plan
    status_is 0
    [ "$(cat b)" = b ]
    [ "$(cat dir/c)" = c ]
}

@test "what would be changed by what the plan does, and is not in it, is left alone" {
    printf b >b
    manifest <<END
resources:
  - exec: break
    command: [sh, -c, "echo broken >$work/b; touch $work/done"]
    creates: $work/done
  - file: $work/b
    content: b
    require: exec[break]
END
    planned
    run rhost apply site.plan
    status_is 4
    says 'it would be changed, and the plan does not change it'
    [ "$(cat b)" = broken ]
}

@test "purge removes only what the plan names" {
    animals cow dog
    guard_that "printf 'brown\\nnew\\n' >$HERD/goat"
    manifest <<END
resources:
  - file: $work/a
    content: a
    only_if: [$work/guard]
  - animal: dog
  - purge: animal
END
    run with_herd plan -o site.plan site.yaml
    status_is 2
    rhost show site.plan >shown
    grep -q 'animal\[cow\]' shown
    run with_herd apply site.plan
    status_is 4
    says "would remove 'goat', which the plan does not: nothing was removed"
    [ "$(herd)" = 'cow dog goat' ]
    rm -f asked "$HERD/goat" a
    run with_herd plan -o site.plan site.yaml
    status_is 2
    rm -f asked
    run with_herd apply site.plan
    status_is 0
    [ "$(herd)" = dog ]
}

@test "nothing else than a plan is overwritten, and no report is written over a manifest" {
    two_files
    cp site.yaml saved
    run rhost plan -o site.yaml site.yaml
    status_is 1
    says "cannot write to 'site.yaml': the manifests are read from it"
    echo precious >file
    run rhost plan -o file site.yaml
    status_is 1
    says "cannot write the plan to 'file': the file exists, and is not a plan"
    ln -s site.yaml link
    for option in --report=site.yaml --report-html=link; do
        run rhost apply "$option" site.yaml
        status_is 1
        says 'this run reads that file'
    done
    cmp site.yaml saved
    [ "$(cat file)" = precious ]
    [ ! -e one ]
    planned
    planned # over the older one
    for option in --report=site.yaml --report-html=link; do
        run rhost apply "$option" site.plan
        status_is 1
        says 'this run reads that file'
    done
    run rhost plan -o missing/site.plan site.yaml
    status_is 1
    says "missing/site.plan"
}

@test "a manifest from a FIFO is read once" {
    two_files
    mkfifo pipe
    cat site.yaml >pipe &
    run timeout 60 "$abs_top_builddir/rhost" apply --state-dir "$BATS_TEST_TMPDIR/state" pipe
    status_is 0
    [ "$(cat two)" = two ]
    run rhost plan -o site.plan pipe
    status_is 1
    says "cannot plan 'pipe'"
}

@test "what cannot be planned gives no plan" {
    manifest <<END
resources:
  - file: $work/missing/one
    content: x
END
    mkdir -p missing
    ln -s loop loop
    sed -i "s|missing/one|loop/one|" site.yaml
    run rhost plan -o site.plan site.yaml
    status_is 4
    says 'no plan was written: not everything could be planned'
    [ ! -e site.plan ]
}

@test "the journal and show say which plan was applied" {
    needs_python
    two_files
    planned
    rhost apply -q site.plan
    digest=$(json site.plan 'd["digest"]')
    head -1 "$BATS_TEST_TMPDIR"/state/runs/*.jsonl >first.json
    json_is first.json 'd["plan"], d["plan_digest"]' "('site.plan', '$digest')"
    run rhost show last
    says "applied the plan 'site.plan', digest ${digest:0:16}"
    rhost show --format=json last >run.json
    json_is run.json 'd["plan"]' site.plan
}

@test "the journal of a plan that was applied has exactly what the plan has, over the site of 120 resources" {
    needs_python
    mkdir srv
    cp -R "$abs_top_srcdir/docs/examples/site" site
    chmod -R u+w site
    sed -i "s|/srv|$work/srv|g" site/site.yaml
    run rhost plan -o site.plan site/site.yaml
    status_is 2
    run rhost apply site.plan
    status_is 0
    python3 - site.plan "$BATS_TEST_TMPDIR"/state/runs/*.jsonl <<'END'
import json, sys

plan = json.load(open(sys.argv[1]))
done = {"would_change": "changed", "would_refresh": "refreshed"}


def key(e, status):
    changes = [] if "notified_by" in e else [(c["attribute"], str(c["from"]), str(c["to"])) for c in e["changes"]]
    return (e["type"], e["title"], e["action"], status, e.get("notified_by"), changes)


planned = [key(e, done[e["status"]]) for e in plan["resources"] if e["status"] in done]
journal = [json.loads(line) for line in open(sys.argv[2])]
applied = [key(e, e["status"]) for e in journal if "type" in e and "state" not in e and e["status"] != "unchanged"]
assert len(plan["resources"]) >= 120, len(plan["resources"])
assert len(planned) > 100, len(planned)
for p, a in zip(planned, applied):
    assert p == a, (p, a)
assert len(planned) == len(applied), (len(planned), len(applied))
END
    run rhost plan -o site.plan site/site.yaml
    status_is 0
}

@test "a value that is known only after another resource is planned as such, and applied" {
    manifest <<END
resources:
  - exec: make
    command: [sh, -c, "echo made-7; touch $work/done"]
    creates: $work/done
    capture: text
  - file: $work/one
    content: \${result("exec[make]").stdout}
END
    planned
    says 'content (known after exec[make])'
    run rhost show site.plan
    says 'known after exec[make]'
    run rhost apply site.plan
    status_is 0
    grep -q made-7 one
    run rhost plan -o site.plan site.yaml
    status_is 0
}

@test "a plan says what cannot be undone" {
    manifest <<END
resources:
  - exec: build
    command: [touch, $work/made]
  - file: $work/new
    content: x
  - file: $work/old
    content: x
    backup: false
END
    planned
    run rhost show site.plan
    says 'cannot be undone: exec[build], file['"$work"'/old]'
    run rhost show --format=markdown site.plan
    says 'would change, irreversible'
    says 'cannot be undone: what a command has done is not known'
    rhost show --format=json site.plan >plan.json
    json_is plan.json '[r.get("irreversible") for r in d["resources"]]' "['what a command has done is not known', None, 'backup: false']"
    fits_schema site.plan
}

@test "the lock is held from the comparison to the end of the run" {
    manifest <<END
resources:
  - file: $work/guarded
    content: x
    only_if: [sh, -c, "echo asked >>$work/asked; sleep 0.3"]
END
    run rhost plan -o site.plan site.yaml
    status_is 2
    rm asked
    rhost apply site.plan >out 2>&1 &
    until [ -e asked ]; do sleep 0.02; done
    # It is asked twice: for the comparison, and for the run.
    while [ "$(wc -l <asked)" -lt 2 ]; do
        run flock -n "$BATS_TEST_TMPDIR/state/lock" true
        status_is 1
        kill -0 $! || break
    done
    wait $!
    [ "$(wc -l <asked)" -eq 2 ]
    [ -e guarded ]
}

@test "a value of a fact that changes by itself is the one of the plan" {
    manifest <<END
resources:
  - file: $work/at
    content: "\${node.time} \${node.uptime} \${node.memory.available} \${node.mounts['/'].available}\n"
  - file: $work/plain
    content: "\${node.memory.total}\n"
END
    run rhost plan -o site.plan site.yaml
    status_is 2
    fits_schema site.plan
    json_is site.plan 'sorted(d["facts"]), sorted(d["facts"]["memory"])' "(['memory', 'mounts', 'time', 'uptime'], ['available', 'free', 'swap'])"
    sleep 1.1
    run rhost apply site.plan
    status_is 0
    is "$(cut -d' ' -f1 at)" "$(json site.plan 'd["facts"]["time"]')"
    is "$(cut -d' ' -f3 at)" "$(json site.plan 'd["facts"]["memory"]["available"]')"
    is "$(cat plain)" "$(json <(rhost facts --format=json) 'd["memory"]["total"]')"
    sed -i 's/node.time/node.time + 1/' site.yaml
    run rhost apply site.plan
    status_is 1
    says "file 'site.yaml' was changed"
}
