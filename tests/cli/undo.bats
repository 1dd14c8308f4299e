#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Runs that are undone. See docs/guides/undo.md.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# A tree, and a manifest that changes all of it. The tree as it was is in `before`.
site() {
    mkdir -p t/full
    printf 'old\n' >t/old
    printf 'gone\n' >t/gone
    chmod 0751 t/gone
    seq 1 30000 >t/large
    head -c 3000 /dev/urandom >t/binary
    printf '#PermitRootLogin yes\nPort 22\n' >t/sshd
    ln -s /etc/hostname t/link
    cp -a t before
    manifest <<END
resources:
  - file: $work/t/new
    content: "new\n"
  - directory: $work/t/dir
  - file: $work/t/dir/inside
    content: "inside\n"
  - file: $work/t/old
    content: "changed\n"
    mode: "0600"
  - file: $work/t/gone
    ensure: absent
  - file: $work/t/large
    content: "small\n"
  - file: $work/t/binary
    content: "text\n"
  - line: no root
    path: $work/t/sshd
    text: PermitRootLogin no
    match: '^#?PermitRootLogin'
  - line: port
    path: $work/t/sshd
    text: Port 23
    match: '^Port '
  - ini_setting: key
    path: $work/t/ini
    section: a
    setting: key
    value: x
  - link: $work/t/link
    target: /etc/passwd
END
}

applied() {
    run rhost apply site.yaml
    status_is 0
    name=$(basename "$(ls "$BATS_TEST_TMPDIR"/state/runs/*.jsonl | tail -n 1)" .jsonl)
}

undone() {
    run rhost undo "$@" "$name"
    status_is 0
}

# Names, contents, modes, owners and where links lead.
listing() {
    (cd "$1" && find . -printf '%p %M %u %g %l\n' | sort && find . -type f -print0 | sort -z | xargs -0r sha256sum)
}

is_as_before() {
    diff <(listing before) <(listing t)
}

@test "what a run has changed is restored: what it removed, what it changed, what it made" {
    site
    applied
    undone
    is_as_before
    [ "$(grep -o '^[a-z]*\[[^ ]*' <<<"$output" | sed 's#.*/##' | tr -d '\n')" = 'gone]old]large]binary]sshd]link]ini]inside]dir]new]' ]
}

@test "an undo can be undone" {
    site
    applied
    cp -a t after
    undone
    run rhost undo last
    status_is 0
    diff <(listing after) <(listing t)
}

@test "noop shows what would be restored, and changes nothing" {
    site
    applied
    cp -a t after
    undone --noop
    says "file[$work/t/gone]"
    says 'would change'
    diff <(listing after) <(listing t)
}

@test "a resource that was changed after the run stays as it is, unless it is forced" {
    site
    applied
    echo drift >t/old
    rm t/new
    run rhost undo "$name"
    status_is 4
    says 'content: it was changed after the run: it is "drift\n", and the run left "changed\n"'
    [ "$(cat t/old)" = drift ]
    [ ! -e t/new ]
    [ -e t/gone ]
    run rhost undo --force="file[$work/t/old]" "$name"
    status_is 0
    is_as_before
}

@test "what was created and edited since is not removed" {
    manifest <<END
resources:
  - file: $work/new
    content: one
END
    applied
    echo mine >>new
    run rhost undo "$name"
    status_is 4
    says 'it was changed after the run'
    grep -q mine new
}

@test "--force names a resource of the run" {
    site
    applied
    run rhost undo --force='file[/nowhere]' "$name"
    status_is 1
    says '--force=file[/nowhere]: the run has not changed such a resource'
    run rhost undo --force=all "$name"
    status_is 0
    is_as_before
}

@test "a run is undone once" {
    site
    applied
    undone
    run rhost undo "$name"
    status_is 1
    says "run $name was undone already, by run "
    undone --force=all
    is_as_before
}

@test "large contents are kept once, for their owner alone" {
    seq 1 30000 >a
    cp a b
    manifest <<END
resources:
  - file: $work/a
    content: x
  - file: $work/b
    content: x
END
    applied
    [ "$(find "$BATS_TEST_TMPDIR/state/content" -type f | wc -l)" -eq 1 ]
    [ -z "$(find "$BATS_TEST_TMPDIR/state/content" "$BATS_TEST_TMPDIR/state/runs" -perm /077 ! -type d)" ]
    [ -z "$(find "$BATS_TEST_TMPDIR/state/content" "$BATS_TEST_TMPDIR"/state/runs/*.content -maxdepth 0 -perm /077)" ]
    undone
    seq 1 30000 | cmp - a
    seq 1 30000 | cmp - b
}

@test "a content that was damaged or removed is said, and the rest is restored" {
    site
    applied
    truncate -s 10 "$BATS_TEST_TMPDIR/state/content/$(sha256sum <before/large | cut -d' ' -f1)"
    rm "$BATS_TEST_TMPDIR/state/runs/$name.content/$(sha256sum <before/binary | cut -d' ' -f1)"
    run rhost undo "$name"
    status_is 0
    says "file[$work/t/large]: 'content' cannot be restored: the content '"
    says 'was damaged: its digest does not match'
    says "file[$work/t/binary]: 'content' cannot be restored: "
    [ "$(cat t/large)" = small ]
    cmp t/sshd before/sshd
}

@test "the journal that goes takes its contents along, unless a later one needs them" {
    seq 1 30000 >a
    cp a b
    manifest <<END
resources:
  - file: $work/a
    content: x
END
    applied
    first=$name
    sed -i "s#$work/a#$work/b#" site.yaml
    applied
    [ "$(find "$BATS_TEST_TMPDIR/state/content" -type f | wc -l)" -eq 1 ]
    for i in $(seq 10 57); do
        echo '{}' >"$BATS_TEST_TMPDIR/state/runs/20270101T0000$i.000-1.jsonl"
    done
    run rhost apply site.yaml
    status_is 0
    [ ! -e "$BATS_TEST_TMPDIR/state/runs/$first.content" ]
    [ "$(find "$BATS_TEST_TMPDIR/state/content" -type f | wc -l)" -eq 1 ]
    run rhost apply site.yaml
    status_is 0
    [ ! -e "$BATS_TEST_TMPDIR/state/runs/$name.content" ]
    [ "$(find "$BATS_TEST_TMPDIR/state/content" -type f | wc -l)" -eq 0 ]
}

@test "--backup-limit: the oldest run loses its contents" {
    head -c 40000 /dev/urandom >a
    head -c 40000 /dev/urandom >b
    manifest <<END
resources:
  - file: $work/a
    content: x
END
    applied
    first=$name
    sed -i "s#$work/a#$work/b#" site.yaml
    run rhost apply --backup-limit=50K site.yaml
    status_is 0
    [ ! -e "$BATS_TEST_TMPDIR/state/runs/$first.content" ]
    [ "$(find "$BATS_TEST_TMPDIR/state/content" -type f | wc -l)" -eq 1 ]
    run rhost undo "$first"
    says "file[$work/a]: 'content' cannot be restored: "
    head -c 90000 /dev/urandom >b
    run rhost apply --backup-limit=50K site.yaml
    status_is 0
    says 'its state before the change is not kept, so this cannot be undone: it has 90000 bytes'
}

@test "--backup-age: older runs lose their contents, but not the one that is undone" {
    local first second
    head -c 4000 /dev/urandom >a
    head -c 4000 /dev/urandom >b
    cp a a.before
    manifest <<END
resources:
  - file: $work/a
    content: x
END
    applied
    first=$name
    # As if that had been long ago.
    second=20200101T000000.000-1
    mv "$BATS_TEST_TMPDIR/state/runs/$first.jsonl" "$BATS_TEST_TMPDIR/state/runs/$second.jsonl"
    mv "$BATS_TEST_TMPDIR/state/runs/$first.content" "$BATS_TEST_TMPDIR/state/runs/$second.content"
    sed -i "s/$first/$second/" "$BATS_TEST_TMPDIR/state/runs/$second.jsonl"
    run rhost undo --backup-age=1h "$second"
    status_is 0
    cmp a a.before
    [ -e "$BATS_TEST_TMPDIR/state/runs/$second.content" ]
    sed -i "s#$work/a#$work/b#" site.yaml
    run rhost apply --backup-age=1h site.yaml
    status_is 0
    [ ! -e "$BATS_TEST_TMPDIR/state/runs/$second.content" ]
    # What is younger stays: of the undo, and of this run.
    [ "$(find "$BATS_TEST_TMPDIR/state/runs" -name '*.content' | wc -l)" -eq 2 ]
    run rhost apply --backup-age=0d site.yaml
    status_is 1
    says "--backup-age"
}

@test "what cannot be undone is said first" {
    manifest <<END
resources:
  - exec: touch
    command: [touch, $work/made]
  - file: $work/new
    content: x
END
    applied
    undone
    says "exec[touch]: it cannot be undone: what a command has done is not known"
    [ ! -e new ]
    [ -e made ]
}

@test "sensitive values are not kept" {
    printf 'former-secret-81723\n' >s
    chmod 600 s
    manifest <<END
resources:
  - file: $work/s
    content: later-secret-55512
    sensitive: content
END
    applied
    ! grep -rq 'former-secret\|later-secret' "$BATS_TEST_TMPDIR/state" || false
    run rhost undo "$name"
    says "file[$work/s]: 'content' cannot be restored: it was not kept: it is sensitive"
    [ "$(cat s)" = later-secret-55512 ]
}

@test "backup: false and --no-backup keep nothing" {
    echo old >a
    manifest <<END
resources:
  - file: $work/a
    content: x
    backup: false
END
    applied
    run rhost undo "$name"
    status_is 4
    says "file[$work/a]: it cannot be undone: its state before the run was not kept"
    sed -i /backup/d site.yaml
    echo old >a
    run rhost apply --no-backup site.yaml
    status_is 0
    ! grep -q '"state"' "$BATS_TEST_TMPDIR"/state/runs/*.jsonl || false
    sed -i 's/content: x/&\n    backup: 3/' site.yaml
    run rhost apply site.yaml
    status_is 1
    says 'backup must be a boolean'
}

@test "a run that fails is rolled back" {
    mkdir t
    echo old >t/a
    cp -a t before
    manifest <<END
resources:
  - file: $work/t/a
    content: x
  - file: $work/t/b
    content: x
  - file: $work/t/none/c
    content: x
END
    run rhost apply --rollback-on-failure site.yaml
    status_is 4
    says 'has failed and is rolled back'
    says 'was rolled back'
    is_as_before
    split rhost apply --rollback-on-failure --format=json --report=report.json --report-html=page.html --report-junit=junit.xml \
        --report-prometheus=metrics --report-otlp=trace.json site.yaml
    status_is 4
    is_as_before
    for report in out report.json; do
        json_is "$report" '[r["status"] for r in d["resources"]]' "['changed', 'changed', 'failed']"
        json_is "$report" 'd["exit"], d["rollback"]["exit"]' '(4, 0)'
        json_is "$report" 'd["rollback"]["run"] != d["run"]' True
        json_is "$report" '[r["status"] for r in d["rollback"]["resources"]]' "['changed', 'unchanged', 'changed']"
    done
    grep -q '"rollback":' page.html
    grep -q 'restored the state before' junit.xml
    grep -qx 'rhost_run_rollback_success 1' metrics
    grep -q 'rhost.rollback.run' trace.json
    split rhost apply --format=json --report=report.json site.yaml
    status_is 4
    json_is out '"rollback" in d' False
    is "$(cat t/a)" x
    cp -a before/. t
    rm t/b
    run rhost apply --rollback-on-failure --no-backup site.yaml
    status_is 1
    says '--rollback-on-failure needs what --no-backup does not keep'
}

@test "what cannot be kept is changed with a warning, and not at all with --rollback-on-failure" {
    seq 1 30000 >a
    manifest <<END
resources:
  - file: $work/a
    content: x
END
    mkdir -p -m 700 "$BATS_TEST_TMPDIR/state"
    echo >"$BATS_TEST_TMPDIR/state/content"
    run rhost apply --rollback-on-failure site.yaml
    status_is 4
    says 'it is not changed, since its state cannot be kept: '
    seq 1 30000 | cmp - a
    run rhost apply site.yaml
    status_is 0
    says 'its state before the change is not kept, so this cannot be undone: '
    [ "$(cat a)" = x ]
    # Nor is it kept behind a link.
    mkdir elsewhere
    rm "$BATS_TEST_TMPDIR/state/content"
    ln -s "$work/elsewhere" "$BATS_TEST_TMPDIR/state/content"
    seq 1 30000 >a
    run rhost apply site.yaml
    status_is 0
    says 'its state before the change is not kept, so this cannot be undone: '
    [ -z "$(ls elsewhere)" ]
}

@test "who was notified is notified again" {
    echo old >conf
    manifest <<END
resources:
  - file: $work/conf
    content: "new\n"
    notify: exec[reload]
  - exec: reload
    command: [sh, -c, "cat $work/conf >>$work/log"]
    action: nothing
END
    applied
    undone
    [ "$(cat log)" = "$(printf 'new\nold')" ]
}

@test "what was purged comes back" {
    echo keep >keep
    echo one >d1
    mkdir d
    manifest <<END
resources:
  - ini_setting: a
    path: $work/ini
    section: s
    setting: a
    value: 1
  - directory: $work/d
    purge: true
END
    touch d/x
    applied
    [ -e ini ]
    undone
    [ ! -e ini ]
}

@test "a run that was killed can be undone" {
    mkdir t
    echo old >t/a
    cp -a t before
    mkfifo wait
    manifest <<END
resources:
  - file: $work/t/a
    content: x
  - file: $work/t/b
    content: x
  - exec: wait
    command: [cat, $work/wait]
  - file: $work/t/c
    content: x
END
    rhost apply site.yaml >/dev/null 3>&- &
    job=$!
    exec 9>wait # opens when the command reads
    pid=$(jq -rs '.[0].pid' "$BATS_TEST_TMPDIR"/state/runs/*.jsonl)
    kill -9 "$pid"
    exec 9>&-
    wait "$job" || true
    [ -e t/b ]
    name=$(basename "$(ls "$BATS_TEST_TMPDIR"/state/runs/*.jsonl | tail -n 1)" .jsonl)
    run rhost undo --wait-lock=20 "$name"
    status_is 0
    is_as_before
}

@test "unknown runs, and runs that changed nothing" {
    run rhost undo
    status_is 1
    says 'no RUN given'
    run rhost undo last
    status_is 1
    says 'no run is recorded'
    manifest <<END
resources:
  - file: $work/a
    content: x
END
    applied
    run rhost undo nonsense
    status_is 1
    says "unknown run 'nonsense'"
    run rhost apply site.yaml
    status_is 0
    run rhost undo last
    status_is 0
    says 'nothing to undo'
}

@test "rhost show and rhost runs name the run that is undone" {
    manifest <<END
resources:
  - file: $work/a
    content: x
END
    applied
    undone
    run rhost show last
    says "undoes run $name"
    run rhost runs
    says "undoes $name"
    [ "$(rhost show --format=json last | jq -r .undoes)" = "$name" ]
    [ "$(rhost runs --format=json | jq -r '.[0].undoes')" = "$name" ]
}

@test "a secret that the run has written is not shown by its undo" {
    manifest <<END
resources:
  - file: $work/new
    content: other-secret-1234
    sensitive: content
END
    applied
    run rhost undo --noop --diff "$name"
    status_is 0
    says_not 'other-secret'
    echo drifted-secret >new
    run rhost undo "$name"
    status_is 4
    says 'content: it was changed after the run: it is [redacted], and the run left [redacted]'
    says_not 'drifted-secret'
    run rhost undo --force=all "$name"
    status_is 0
    [ ! -e new ]
    [ "$(grep -rlE 'other-secret|drifted-secret' "$BATS_TEST_TMPDIR/state" | wc -l)" -eq 0 ]
}

@test "what a provider reports only where it is desired is compared as well" {
    [ -e "$abs_top_builddir/plugins/.libs/systemd_unit.so" ] || skip "needs libsystemd"
    mkdir units d
    printf '[Service]\nExecStart=/bin/false\n' >units/a.service
    manifest <<END
resources:
  - systemd_unit: a.service
    directory: $work/units
    settings: {Service: {ExecStart: /bin/true}}
  - directory: $work/d
    mode: "0700"
    purge: true
END
    applied
    sed -i s/true/echo/ units/a.service
    touch d/mine
    for noop in --noop ''; do
        run rhost undo $noop "$name"
        status_is 4
        says 'settings: it was changed after the run'
        says 'purge: it was changed after the run: it is false, and the run left true'
        grep -q echo units/a.service
        is "$(stat -c %a d)" 700
    done
    rm d/mine
    sed -i s/echo/true/ units/a.service
    run rhost undo --force=all "$name"
    status_is 0
    grep -q false units/a.service
    is "$(stat -c %a d)" 755
}

@test "what a change destroys beside the attributes is marked in a plan, and named by the undo" {
    mkdir -p full tree/below purged plain
    touch full/x tree/below/x purged/x
    manifest <<END
resources:
  - directory: $work/full
    ensure: absent
    force: true
  - directory: $work/tree
    mode: "0700"
    recurse: true
  - directory: $work/purged
    mode: "0700"
    purge: true
  - directory: $work/plain
    mode: "0700"
    purge: true
END
    run rhost plan -o site.plan site.yaml
    status_is 2
    rhost show --format=json site.plan >plan.json
    json_is plan.json '[r.get("irreversible") for r in d["resources"]]' \
        "['it loses what is in it', 'it loses the modes and owners below it', 'it loses what is purged of it', None]"
    applied
    for noop in --noop ''; do
        run rhost undo $noop "$name"
        status_is 0
        says "directory[$work/full]: this cannot be restored: what is in it"
        says "directory[$work/tree]: this cannot be restored: the modes and owners below it"
        says "directory[$work/purged]: this cannot be restored: what is purged of it"
        says_not "directory[$work/plain]: this cannot"
    done
    [ -d full ]
    is "$(stat -c %a tree)" 755
}

@test "the states of many resources are kept before the first of them is changed, and again where one changes until its turn" {
    mkdir t
    for i in $(seq 40); do echo "old $i" >"t/$i"; done
    cp -a t before
    {
        echo resources:
        for i in $(seq 40); do printf -- '- file: %s/t/%d\n  content: "new\\n"\n' "$work" "$i"; done
    } >site.yaml
    # While the second one is changed, somebody changes the last one.
    sed -i "5a\\  validate: [sh, -c, 'echo meanwhile >$work/t/40; test -e \"\$1\"', sh, '%']" site.yaml
    applied
    journal=$(ls "$BATS_TEST_TMPDIR"/state/runs/*.jsonl)
    grep -q 'old 40' "$journal"
    grep -q meanwhile "$journal"
    # All of those that are looked at ahead stand before what was done to the first one.
    [ "$(grep -n '"old 30' "$journal" | head -n 1 | cut -d: -f1)" -lt "$(grep -n '"state": "after"' "$journal" | head -n 1 | cut -d: -f1)" ]
    undone
    [ "$(cat t/40)" = meanwhile ] # what the run has replaced
    echo "old 40" >t/40
    is_as_before
}

@test "what many new files replace is known before each is created, whenever the run is killed" {
    {
        echo resources:
        for i in $(seq 600); do printf -- '- file: %s/t/%d\n  content: "new %d\\n"\n' "$work" "$i" "$i"; done
    } >site.yaml
    cat >check.py <<'END'
import json, os, sys
before, made = set(), 0
for line in open(sys.argv[1]):
    if not line.endswith("\n"):
        break
    line = json.loads(line)
    if line.get("state") == "before":
        before.add(line["title"])
    elif line.get("status") == "changed":
        made += 1
        assert line["title"] in before, line
        assert line["after"] == {"ensure": {"value": "present"}, "content": {"value": "new %s\n" % line["title"].split("/")[-1]}}, line
for name in os.listdir("t"):
    assert os.path.abspath("t/" + name) in before, name
print(made)
END
    for wait in 0.02 0.03 0.04 0.05 0.07 0.1; do
        rm -rf t state
        mkdir t
        timeout -s KILL "$wait" "$abs_top_builddir/rhost" apply -q --state-dir state site.yaml || true
        [ ! -d state/runs ] || python3 check.py state/runs/*.jsonl
    done
    rm -rf t state
    mkdir t
    applied
    [ "$(python3 check.py "$BATS_TEST_TMPDIR"/state/runs/*.jsonl)" = 600 ]
    run rhost show last --format=json
    [[ $output != *'"after"'* ]]
    echo mine >t/300
    run rhost undo last
    says "file[$work/t/300]"
    [ "$(ls t)" = 300 ]
    [ "$(cat t/300)" = mine ]
}

# The name that a new file has until it takes the place of this one.
beside() {
    python3 - "$1" <<'END'
import sys
h = 14695981039346656037
for byte in sys.argv[1].encode():
    h = (h ^ byte) * 1099511628211 % 2**64
print(".%s.rhost-%016x" % (sys.argv[1], h))
END
}

@test "what a killed run has left beside its files is removed by the next run, whichever it is" {
    local journal
    site
    run rhost apply site.yaml
    status_is 0
    journal=$(ls "$BATS_TEST_TMPDIR"/state/runs/*.jsonl)
    printf 'resources:\n  - file: %s/t/other\n' "$work" >other.yaml
    for name in new large sshd; do
        echo secret >"t/$(beside $name)"
    done
    run rhost apply other.yaml # the last run has ended
    status_is 0
    [ -e "t/$(beside new)" ]
    rm "$(ls "$BATS_TEST_TMPDIR"/state/runs/*.jsonl | tail -n 1)"
    # As it is when the run is killed before these three are complete.
    sed -i -e '/"ended"/d' -e '/"seq".*"title": "[^"]*\/t\/\(new\|large\)".*"status"/d' -e '/"title": "no root".*"status"/d' \
        -e '/"title": "port".*"status"/d' "$journal"
    run rhost apply --noop other.yaml
    status_is 0
    [ -e "t/$(beside new)" ]
    run rhost apply other.yaml
    status_is 0
    [ -z "$(find t -name '.*.rhost-*')" ]
    [ "$(cat t/new)" = new ]
}

@test "a run that is under way is not undone before it has ended" {
    local run
    manifest <<END
resources:
  - file: $work/one
    content: a
  - exec: wait for go
    command: [sh, -c, "touch $work/started; until test -e $work/go; do sleep 0.05; done"]
    timeout: 60
END
    rhost apply -q site.yaml 3>&- &
    run=$!
    for _ in $(seq 200); do
        [ ! -e started ] || break
        sleep 0.05
    done
    run rhost undo last
    status_is 1
    says 'is still under way'
    says_not 'holds the lock'
    says '--wait-lock=SECONDS'
    run rhost undo --wait-lock=1 last
    status_is 1
    says 'holds the lock'
    [ -e one ]
    (
        until grep -q 'waiting for the run of process' second 2>/dev/null; do sleep 0.05; done
        touch go
    ) 3>&- &
    status=0
    rhost undo --wait-lock=60 last >second 2>&1 || status=$?
    touch go
    wait "$run"
    output=$(cat second)
    status_is 0
    [ ! -e one ]
}
