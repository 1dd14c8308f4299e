#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"
source "$abs_top_srcdir/tests/cli/herd.bash"

state=$BATS_TEST_TMPDIR/state/audit.json

watch_mode() {
    manifest <<END
resources:
  - file: $work/one
    audit: mode
END
}

@test "what is watched is recorded, and then told when somebody changes it" {
    needs_python
    touch one
    chmod 0644 one
    watch_mode
    run rhost apply -v site.yaml
    status_is 0
    says "file[$work/one] site.yaml:2 unchanged"
    says 'audit: mode is 0644, recorded'
    says '1 resource: 1 ok'
    run rhost apply site.yaml
    says_not audit
    chmod 0600 one
    run rhost apply --detailed-exitcodes --report=report.json site.yaml
    status_is 0
    says 'audit: mode changed from 0644 to 0600 since 20'
    says '1 resource: 1 ok, 1 not as recorded'
    json_is report.json '[(a["attribute"], a["event"], a["from"], a["to"], a["since"][-1]) for a in d["resources"][0]["audit"]]' \
        "[('mode', 'changed', '0644', '0600', 'Z')]"
    json_is report.json 'd["counts"]["audited"], d["resources"][0]["status"]' "(1, 'unchanged')"
    grep -q '"event": "changed", "from": "0644", "to": "0600"' "$BATS_TEST_TMPDIR"/state/runs/*.jsonl
    [ "$(mode_of one)" = 600 ]
    run rhost apply site.yaml
    says_not audit
}

@test "what is only watched is not managed, not even by a default" {
    watch_mode
    run rhost apply -v site.yaml
    status_is 0
    says 'audit: mode is (none), recorded'
    [ ! -e one ]
    touch one
    chmod 0640 one
    run rhost apply site.yaml
    says 'audit: mode changed from (none) to 0640'
}

@test "the record is JSON for its owner, on disk, with the time of each value" {
    needs_python
    printf 'x' >one
    chmod 0644 one
    manifest <<END
resources:
  - file: $work/one
    audit: [mode, content, ensure, checksum]
END
    rhost apply -q site.yaml
    [ "$(mode_of "$state")" = 600 ]
    json_is "$state" '[(k, v.get("value")) for k, v in sorted(d["resources"]["file['"$work"'/one]"].items())]' \
        "[('checksum', '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881'), ('content', 'x'), ('ensure', 'present'), ('mode', '0644')]"
    first=$(json "$state" 'd["resources"]["file['"$work"'/one]"]["mode"]["since"]')
    sleep 1.1
    printf 'y' >one
    rhost apply -q site.yaml
    json_is "$state" 'd["resources"]["file['"$work"'/one]"]["mode"]["since"]' "$first"
    json_is "$state" 'd["resources"]["file['"$work"'/one]"]["content"]["since"] > "'"$first"'"' True
    [ "$(ls "$BATS_TEST_TMPDIR/state" | grep -c audit)" = 1 ]
}

@test "what is large is recorded as its digest" {
    needs_python
    head -c 5000000 /dev/zero | tr '\0' a >one
    manifest <<END
resources:
  - file: $work/one
    audit: content
END
    rhost apply -q site.yaml
    [ "$(stat -c %s "$state")" -lt 2000 ]
    json_is "$state" 'd["resources"]["file['"$work"'/one]"]["content"]["bytes"]' 5000000
    json_is "$state" 'd["resources"]["file['"$work"'/one]"]["content"]["sha256"]' \
        "$(sha256sum one | cut -d' ' -f1)"
    echo b >>one
    run rhost apply site.yaml
    says 'audit: content changed from "5000000 bytes, {sha256}'
    printf '\377\0\1' >one
    run rhost apply site.yaml
    says 'to "3 bytes, {sha256}'
}

@test "our own changes are no news, but what they undo is" {
    printf 'mine' >one
    chmod 0644 one
    manifest <<END
resources:
  - file: $work/one
    content: mine
    audit: [content, mode]
END
    rhost apply -q site.yaml
    printf 'theirs' >one
    run rhost apply site.yaml
    status_is 0
    says 'content mine → theirs' || says 'content theirs → mine'
    says 'audit: content changed from mine to theirs'
    says '1 resource: 1 changed, 1 not as recorded'
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    says_not audit
    sed -i 's/content: mine/content: new/' site.yaml
    run rhost apply site.yaml
    says '1 resource: 1 changed ·'
    run rhost apply site.yaml
    says '1 resource: 1 ok ·'
}

@test "what comes and goes by us is recorded as we leave it" {
    needs_python
    manifest <<END
resources:
  - file: $work/one
    content: a
    audit: all
END
    run rhost apply -v site.yaml
    says 'audit: ensure is present, recorded'
    json_is "$state" 'd["resources"]["file['"$work"'/one]"]["content"]["value"]' a
    json_is "$state" 'd["resources"]["file['"$work"'/one]"]["ensure"]["value"]' present
    sed -i 's/content: a/ensure: absent/' site.yaml
    rhost apply -q site.yaml
    json_is "$state" 'd["resources"]["file['"$work"'/one]"]["ensure"]["value"]' absent
    run rhost apply site.yaml
    says '1 resource: 1 ok ·'
}

@test "noop compares, and records nothing" {
    touch one
    chmod 0644 one
    watch_mode
    run rhost apply --noop -v site.yaml
    status_is 0
    says_not audit
    [ ! -e "$state" ]
    rhost apply -q site.yaml
    chmod 0600 one
    for i in 1 2; do
        run rhost apply --noop site.yaml
        status_is 0
        says 'audit: mode changed from 0644 to 0600'
    done
    echo '    noop: true' >>site.yaml
    run rhost apply site.yaml
    says 'audit: mode changed from 0644 to 0600'
    run rhost apply site.yaml
    says 'audit: mode changed from 0644 to 0600'
}

@test "resources that are listed are watched too, with what is only for reading, and read once" {
    needs_python
    animals cow dog
    manifest <<'END'
resources:
  - animal: [Cow, dog, hen]
    audit: all
END
    with_herd apply -q site.yaml
    [ "$(wc -l <"$HERD/.asked")" = 1 ]
    json_is "$state" '[d["resources"]["animal[dog]"][a].get("value") for a in ("colour", "legs", "ensure")]' \
        "['brown', 4, 'present']"
    json_is "$state" '[d["resources"]["animal[hen]"][a].get("value") for a in ("colour", "legs", "ensure")]' \
        "[None, None, 'absent']"
    [ ! -e "$HERD/hen" ]
    printf 'black\nsecret of cow\n' >"$HERD/cow"
    rm "$HERD/dog"
    run with_herd apply site.yaml
    status_is 0
    says 'animal[Cow]'
    says 'audit: colour changed from brown to black'
    says 'audit: ensure changed from present to absent'
    says_not 'secret changed from "'
    says '3 resources: 3 ok, 2 not as recorded'
}

@test "secrets are recorded as salted hashes, and their change is told without them" {
    needs_python
    animals cow dog
    cp "$HERD/cow" "$HERD/dog"
    printf hunter1 >one
    manifest <<END
resources:
  - animal: [cow, dog]
    audit: secret
  - file: $work/one
    audit: content
    sensitive: content
END
    run with_herd apply -vv --report=report.json site.yaml
    status_is 0
    with_herd compile site.yaml >catalog.json
    json_is "$state" 'sorted(d["resources"]["animal[cow]"]["secret"])' "['hash', 'salt', 'since']"
    json_is "$state" 'len(d["resources"]["animal[cow]"]["secret"]["hash"])' 64
    printf 'brown\nthe NEW one\n' >"$HERD/cow"
    printf hunter2 >one
    cp "$state" before.json
    run with_herd apply -vv --report=report2.json catalog.json
    status_is 0
    says 'audit: secret changed from [redacted] to [redacted]'
    says 'audit: content changed from [redacted] to [redacted]'
    says '3 resources: 3 ok, 2 not as recorded'
    json_is "$state" 'd["resources"]["animal[cow]"]["secret"]["hash"] != json.load(open("before.json"))["resources"]["animal[cow]"]["secret"]["hash"]' True
    run with_herd apply site.yaml
    says '3 resources: 3 ok ·'
    not grep -rE 'hunter|secret of|NEW' "$BATS_TEST_TMPDIR/state" report.json report2.json catalog.json
}

@test "an audited value with the secret of another resource in it is recorded as a hash" {
    needs_python
    printf 'it is hunter1\n' >two
    manifest <<END
resources:
  - file: $work/two
    audit: content
END
    run rhost apply site.yaml # it is no secret yet
    status_is 0
    grep hunter1 "$state"
    cat >>site.yaml <<END
  - file: $work/one
    content: hunter1
    sensitive: content
END
    run rhost apply -vv --report=report.json site.yaml
    status_is 0
    says 'audit: content changed from [redacted] to [redacted]'
    json_is "$state" 'sorted(list(d["resources"].values())[0]["content"])' "['hash', 'salt', 'since']"
    not grep -r hunter1 report.json "$state" "$(ls "$BATS_TEST_TMPDIR"/state/runs/*.jsonl | tail -1)"
}

@test "the same secret has another hash with another salt" {
    animals cow
    manifest <<'END'
resources:
  - animal: cow
    audit: secret
END
    with_herd apply -q site.yaml
    grep '"hash"' "$state" >one
    rm "$state"
    with_herd apply -q site.yaml
    grep '"hash"' "$state" >two
    not cmp one two
}

@test "a failure keeps what was recorded" {
    animals bull
    manifest <<'END'
resources:
  - animal: bull
    ensure: absent
    audit: colour
END
    run with_herd apply site.yaml
    status_is 4
    run with_herd apply site.yaml
    status_is 4
    says_not 'audit:'
}

@test "what another manifest watches stays recorded" {
    needs_python
    touch one two
    watch_mode
    rhost apply -q site.yaml
    sed -i 's/one/two/' site.yaml
    rhost apply -q site.yaml
    json_is "$state" 'sorted(k.split("/")[-1] for k in d["resources"])' "['one]', 'two]']"
}

@test "audit is checked when the manifest is read" {
    manifest <<'END'
resources:
  - file: /srv/a
    audit: mod
  - file: /srv/b
    audit: [replace, mode]
  - purge: host
    audit: all
  - log: d
    audit: message
  - file: /srv/e
    audit: {}
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:3:12: error: unknown attribute 'mod' for type 'file'"
    says "did you mean 'mode'?"
    says "site.yaml:5:13: error: 'replace' of 'file' is not read from the machine and cannot be audited"
    says "site.yaml:7:12: error: 'purge' cannot be audited"
    says "site.yaml:9:12: error: 'log' cannot be audited"
    says "expected an attribute, a list of attributes, or 'all'"
    says '5 errors'
}

@test "a record that is damaged stops the run, and nothing is touched" {
    watch_mode
    touch one
    mkdir -p "${state%/*}"
    for bad in '{' '3' '{"format": 1, "resources": []}'; do
        echo "$bad" >"$state"
        run rhost apply site.yaml
        status_is 1
        says "audit.json' is damaged"
    done
    echo "{\"format\": 1, \"resources\": {\"file[$work/one]\": [1], \"x\": 2}}" >"$state"
    run rhost apply site.yaml
    status_is 0
}

@test "audit survives being compiled" {
    needs_python
    touch one
    chmod 0644 one
    watch_mode
    rhost compile site.yaml >catalog.json
    json_is catalog.json '[(r["audit"], sorted(r["attributes"])) for r in d["resources"]]' \
        "[(['mode'], ['follow', 'parents', 'path', 'replace'])]"
    rhost apply -q site.yaml
    rm one
    run rhost apply catalog.json
    status_is 0
    says 'audit: mode changed from 0644 to (none)'
    [ ! -e one ]
}

@test "what has no ensure is done all the same" {
    manifest <<END
resources:
  - exec: touch
    command: [touch, $work/done]
    audit: state
END
    run rhost apply site.yaml
    status_is 0
    [ -e done ]
}

@test "a level holds for what is watched as well" {
    touch one
    chmod 0644 one
    watch_mode
    echo '    loglevel: info' >>site.yaml
    rhost apply -q site.yaml
    chmod 0600 one
    run rhost apply --noop site.yaml
    says_not 'audit: '
    sed -i 's/info/err/' site.yaml
    run rhost apply -q --noop site.yaml
    says 'audit: mode changed from 0644 to 0600'
}

@test "what the audit found is in the journal, and show tells it" {
    touch one
    chmod 0644 one
    watch_mode
    rhost apply -q site.yaml
    chmod 0600 one
    run rhost apply -q site.yaml
    status_is 0
    run rhost show last
    status_is 0
    says "file[$work/one]"
    says 'audit: mode changed from 0644 to 0600 since 20'
    says '1 ok, 1 not as recorded'
}

@test "show tells what the audit found beside what was changed, and no secret" {
    printf 'mine' >one
    manifest <<END
resources:
  - file: $work/one
    content: mine
    sensitive: [content]
    audit: content
END
    rhost apply -q site.yaml
    printf 'theirs' >one
    rhost apply -q site.yaml
    run rhost show last
    status_is 0
    says 'content [redacted] → [redacted]'
    says 'audit: content changed from [redacted] to [redacted] since 20'
    says_not mine
    says_not theirs
}
