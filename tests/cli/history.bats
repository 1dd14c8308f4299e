#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What earlier runs did to a resource, and whether a change is drift.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

setup() {
    work_open
    site a
}

# site CONTENT: the manifest, with this content of one file, and another file that stays.
site() {
    manifest <<END
resources:
  - file: $work/one
    content: "$1"
    mode: 0600
  - file: $work/other
    content: same
END
}

# causes: of the changes in the report, in order
causes() {
    json report.json '" ".join(str(r.get("cause")) for r in d["resources"])'
}

@test "a change is drift when the manifest asks for the same as before, and else a change of the manifest" {
    rhost apply --report=report.json site.yaml
    is "$(causes)" 'manifest manifest'
    rhost apply --report=report.json site.yaml
    is "$(causes)" 'None None'
    echo x >one
    rhost apply --report=report.json site.yaml >out
    is "$(causes)" 'drift None'
    not grep drift out
    chmod 644 one
    rhost apply -v site.yaml >out
    grep -q '^file\[.*/one\]  site.yaml:2  drift$' out
    site b
    rhost apply --report=report.json site.yaml
    is "$(causes)" 'manifest None'
    # What was asked for between and was not applied, since it failed, is not what was there.
    site c
    rm one
    mkdir one
    run rhost apply site.yaml
    status_is 4
    rmdir one
    rhost apply --report=report.json site.yaml
    is "$(causes)" 'manifest None'
}

@test "the order of resources, and resources that are gone for a while, do not matter" {
    rhost apply site.yaml
    manifest <<END
resources:
  - file: $work/new
    content: x
  - file: $work/other
    content: same
  - file: $work/one
    content: "a"
    mode: 0600
END
    echo y >one
    echo y >other
    rhost apply --report=report.json site.yaml
    is "$(causes)" 'manifest drift drift'
    echo 'resources: [{file: '"$work/alone"', content: x}]' >alone.yaml
    rhost apply alone.yaml
    echo z >one
    rhost apply --report=report.json --only="file[$work/one]" site.yaml
    is "$(causes)" 'drift'
    echo z >new
    rhost apply --report=report.json site.yaml
    is "$(causes)" 'drift None None'
}

@test "a dry run knows no cause, and changes none" {
    rhost apply site.yaml
    cp "$BATS_TEST_TMPDIR/state/desired" before
    site b
    rhost apply --noop --report=report.json site.yaml
    is "$(causes)" 'None None'
    cmp before "$BATS_TEST_TMPDIR/state/desired"
}

@test "the cause is in the journal, and in each format of a report" {
    rhost apply -q site.yaml
    echo x >one
    rhost apply -q --report-junit=junit --report-prometheus=prometheus --report-otlp=otlp --report-html=html site.yaml
    grep -q '"cause": "drift"' html
    grep -q 'changed: drift' junit
    grep -qx 'rhost_run_changes{cause="drift"} 1' prometheus
    grep -qx 'rhost_run_changes{cause="manifest"} 0' prometheus
    grep -q '"rhost.cause", "value": {"stringValue": "drift"}' otlp
    rhost show --format=prometheus last | grep -qx 'rhost_run_changes{cause="drift"} 1'
    rhost show --format=junit last | grep -q 'changed: drift'
    rhost show last | grep -q '/one\].* drift '
}

@test "what is kept of desired states is for its owner, without what they are, and a damaged file is made anew" {
    site swordfish
    rhost apply -q site.yaml
    desired=$BATS_TEST_TMPDIR/state/desired
    is "$(mode_of "$desired")" 600
    not grep -a 'swordfish\|one' "$desired"
    size=$(stat -c %s "$desired")
    for damage in 's/^rhost/thost/' 's/$/x/'; do
        LC_ALL=C sed -i "$damage" "$desired"
        echo x >one
        rhost apply --report=report.json site.yaml
        is "$(causes)" 'manifest None'
        is "$(stat -c %s "$desired")" "$size"
    done
}

@test "a file of desired states is written only when something is new" {
    rhost apply -q site.yaml
    touch -d 2001-01-01 "$BATS_TEST_TMPDIR/state/desired"
    rhost apply -q site.yaml
    echo x >one
    rhost apply -q site.yaml
    is "$(stat -c %Y "$BATS_TEST_TMPDIR/state/desired")" "$(date -d 2001-01-01 +%s)"
}

@test "history has what each run did to a resource, newest first" {
    rhost apply -q site.yaml
    rhost apply -q site.yaml
    echo x >one
    rhost apply -q site.yaml
    site b
    rhost apply -q site.yaml
    split rhost history "file[$work/one]"
    status_is 0
    is_empty err
    is "$(grep -c '^run ' out)" 3
    is "$(grep -o 'drift\|manifest changed' out | tr '\n' ' ')" 'manifest changed drift manifest changed '
    grep -q '^  content  ' out
    not grep other out
    rhost history --format=json "file[$work/one]" >history.json
    json_is history.json '[e["cause"] for e in d]' "['manifest', 'drift', 'manifest']"
    json_is history.json '[(c["attribute"], c["from"] is not None) for c in d[0]["changes"]][0][0]' 'content'
    json_is history.json 'sorted(e["run"] for e in d) == sorted((e["run"] for e in d), reverse=False) and d[0]["run"] > d[2]["run"]' True
    json_is history.json 'all(e["time"].endswith("Z") and e["title"].endswith("/one") for e in d)' True
}

@test "history of what no run has changed says so, with what was meant" {
    rhost apply -q site.yaml
    run rhost history "file[$work/oen]"
    status_is 0
    is "$output" "no change of file[$work/oen] is recorded: did you mean 'file[$work/one]'?"
    run rhost history --format=json 'exec[entirely different]'
    is "$output" '[]'
    run rhost history one
    status_is 1
    says "'one' is not a reference: expected type[title]"
    run rhost history
    status_is 1
    says 'no REF given'
}

@test "history has no secret" {
    manifest <<END
resources:
  - file: $work/secret
    content: swordfish
    sensitive: content
END
    rhost apply -q site.yaml
    echo x >secret
    rhost apply -q site.yaml
    rhost history --diff "file[$work/secret]" >out
    rhost history --format=json "file[$work/secret]" >>out
    grep -q redacted out
    not grep swordfish out
}
