#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"
source "$abs_top_srcdir/tests/cli/herd.bash"

@test "what is there and in no manifest goes, one by one in the report" {
    needs_python
    animals cow dog goat
    manifest <<'END'
resources:
  - animal: dog
  - purge: animal
END
    run with_herd apply --report=report.json --detailed-exitcodes site.yaml
    status_is 2
    [ "$(herd)" = dog ]
    says 'animal[cow] site.yaml:3'
    says 'ensure present → absent'
    says 'purged: no manifest has it'
    says 'removed 2 of 3'
    says '4 resources: 1 ok, 3 changed'
    json_is report.json '[(r["type"], r["title"], r["action"], r["status"], r["reason"]) for r in d["resources"]][1:]' \
        "[('animal', 'cow', 'purge', 'changed', 'purged'), ('animal', 'goat', 'purge', 'changed', 'purged'), ('purge', 'animal', 'converge', 'changed', None)]"
    grep -q '"title": "cow".*"reason": "purged"' "$BATS_TEST_TMPDIR"/state/runs/*.jsonl
    run with_herd apply --detailed-exitcodes site.yaml
    status_is 0
    says '2 resources: 2 ok'
}

@test "what the manifest manages stays, however its name is written there" {
    animals cow dog goat hen
    manifest <<'END'
resources:
  - purge: animal
  - animal: COW
  - animal: the best friend
    name: Dog
  - animal: goat
    action: nothing
END
    run with_herd apply site.yaml
    status_is 0
    [ "$(herd)" = 'cow dog goat' ]
}

@test "what is left out of a run is managed all the same" {
    animals cow dog
    manifest <<'END'
resources:
  - animal: dog
  - purge: animal
    tag: clean
END
    run with_herd apply --tags=clean site.yaml
    status_is 0
    [ "$(herd)" = dog ]
}

@test "keep has titles in any spelling, patterns and regular expressions" {
    animals cow dog goat-1 goat-2 goat-10 hen horse
    manifest <<'END'
resources:
  - purge: animal
    keep: [DOG, "h*", "/-[0-9]$/"]
END
    run with_herd apply site.yaml
    status_is 0
    [ "$(herd)" = 'dog goat-1 goat-2 hen horse' ]
    sed -i 's/keep:.*/keep: hen/' site.yaml
    run with_herd apply site.yaml
    status_is 0
    [ "$(herd)" = hen ]
}

@test "more than may go: nothing goes, and it is said how to allow it" {
    animals cow dog goat hen
    manifest <<'END'
resources:
  - purge: animal
    limit: 3
  - log: after
    require: purge[animal]
END
    run with_herd apply site.yaml
    status_is 4
    [ "$(herd)" = 'cow dog goat hen' ]
    says "failed: would remove 4 of 4, more than its limit of 3: nothing was removed; add what must stay to 'keep', and raise 'limit' only if all of these should go"
    says 'cow, dog, goat, hen'
    says 'skipped: depends on purge[animal], which failed'
    sed -i 's/limit: 3/limit: 50%/' site.yaml
    run with_herd apply site.yaml
    status_is 4
    says 'its limit of 50%'
    run with_herd apply --noop site.yaml
    status_is 4
    says 'its limit of 50%'
    sed -i 's/limit: 50%/limit: none/' site.yaml
    run with_herd apply site.yaml
    status_is 0
    [ "$(herd)" = '*' ]
}

@test "the limit is ten, unless something else is said" {
    animals a b c d e f g h i j k
    manifest <<'END'
resources:
  - purge: animal
END
    run with_herd apply site.yaml
    status_is 4
    says 'would remove 11 of 11, more than its limit of 10'
    rm "$HERD/a"
    run with_herd apply site.yaml
    status_is 0
    [ "$(herd)" = '*' ]
}

@test "noop shows what would go, and nothing goes" {
    animals cow dog
    manifest <<'END'
resources:
  - purge: animal
    noop: true
  - log: after
    require: purge[animal]
END
    run with_herd apply site.yaml
    status_is 0
    [ "$(herd)" = 'cow dog' ]
    says 'animal[cow] site.yaml:2 would change'
    says 'would be purged: no manifest has it'
    says 'purge would remove 2 of 2'
    says '4 resources: 1 ok, 3 would change' 
    sed -i '/noop/d' site.yaml
    run with_herd apply --noop --detailed-exitcodes site.yaml
    status_is 2
    [ "$(herd)" = 'cow dog' ]
}

@test "it comes at its place in the list, or where relations put it" {
    manifest <<END
resources:
  - purge: animal
    require: exec[birth]
    limit: none
  - exec: birth
    command: [sh, -c, "echo white >'$HERD/lamb'"]
END
    run with_herd apply site.yaml
    status_is 0
    says 'animal[lamb]'
    [ "$(herd)" = '*' ]
}

@test "a purge is done only where its guards, and those of what it is part of, agree" {
    needs_python
    animals cow dog
    for guard in 'only_if: "false"' 'not_if: "true"' "only_if: [test, -e, $work/none]"; do
        manifest <<END
resources:
  - purge: animal
    $guard
END
        run with_herd apply --detailed-exitcodes site.yaml
        status_is 0
        [ "$(herd)" = "cow dog" ]
        manifest <<END
resources:
  - define: farm
    resources: [purge: animal]
  - farm: a
    $guard
END
        run with_herd apply --detailed-exitcodes site.yaml
        status_is 0
        [ "$(herd)" = "cow dog" ]
    done
    # One that cannot be asked is a failure, and nothing goes.
    manifest <<END
resources:
  - purge: animal
    only_if: [no-such-program]
END
    run with_herd apply site.yaml
    status_is 4
    says "failed: only_if"
    [ "$(herd)" = "cow dog" ]
    # Under noop it may look at what something before it would change.
    manifest <<END
resources:
  - file: $work/none
    content: a
  - purge: animal
    only_if: [test, -e, $work/none]
    require: file[$work/none]
END
    run with_herd apply --noop site.yaml
    status_is 0
    says "unknown: its guard may look at what something that it depends on would change"
    [ "$(herd)" = "cow dog" ]
    run with_herd apply site.yaml
    status_is 0
    says 'removed 2 of 2'
}

@test "who is to be told before a purge is told before it, and only when something goes" {
    needs_python
    animals cow dog
    manifest <<END
resources:
  - animal: dog
  - purge: animal
    notifies: [run, "exec[first]", before]
  - exec: first
    command: [sh, -c, "ls $HERD >>$work/seen; test ! -e $work/fail"]
    action: nothing
END
    touch fail
    run with_herd apply site.yaml
    status_is 4
    [ "$(herd)" = "cow dog" ]
    rm fail seen
    run with_herd apply --noop site.yaml
    status_is 0
    [ ! -e seen ]
    run with_herd apply site.yaml
    status_is 0
    [ "$(herd)" = dog ]
    is "$(cat seen)" "cow
dog"
    rm seen
    run with_herd apply site.yaml
    status_is 0
    [ ! -e seen ]
}

@test "what a purge keeps has to be known before the run" {
    needs_python
    animals cow dog
    for word in 'keep: ["${result(\"exec[e]\").stdout}"]' 'limit: ${result("exec[e]").stdout}'; do
        printf 'resources:\n  - exec: e\n    command: [echo, cow]\n    capture: text\n  - purge: animal\n    %s\n' "$word" >site.yaml
        run with_herd apply site.yaml
        status_is 1
        says "the value of '${word%%:*}' is not known before the run"
        [ "$(herd)" = "cow dog" ]
    done
}

@test "what the provider refuses to remove fails, and the others go" {
    animals bull cow
    manifest <<'END'
resources:
  - purge: animal
END
    run with_herd apply site.yaml
    status_is 4
    [ "$(herd)" = bull ]
    says 'failed: a bull does not go'
    says 'failed: 1 of 2 could not be removed'
    says '3 resources: 1 changed, 2 failed'
}

@test "when listing fails, the purge fails, and nothing else" {
    animals cow
    touch "$HERD/.broken"
    manifest <<END
resources:
  - purge: animal
  - file: $work/one
END
    run with_herd apply site.yaml
    status_is 4
    says 'failed: cannot list the existing resources: '
    says 'the fence is broken'
    says '2 resources: 1 changed, 1 failed'
    [ "$(herd)" = cow ]
}

@test "what cannot be listed or removed cannot be purged, and that is said at once" {
    manifest <<'END'
resources:
  - purge: file
  - purge: statue
  - purge: animl
  - purge: purge
  - purge: [animal, exec]
  - purge: animal
    provider: farmer
END
    run with_herd validate site.yaml
    status_is 1
    says "site.yaml:2:5: error: 'file' cannot be purged: its provider cannot list resources"
    says "site.yaml:3:5: error: 'statue' cannot be purged: its provider cannot remove resources"
    says "site.yaml:4:5: error: unknown type 'animl'"
    says "did you mean 'animal'?"
    says "site.yaml:5:5: error: unknown type 'purge'"
    says "'exec' cannot be purged"
    says "site.yaml:7:5: error: type 'animal': unknown provider 'farmer'"
    says '6 errors'
}

@test "keep, limit and other words are checked" {
    manifest <<'END'
resources:
  - purge: animal
    limit: many
  - purge: host
    keep: ["/(/"]
  - purge: log
    keeps: x
END
    run with_herd validate site.yaml
    status_is 1
    says "site.yaml:3:12: error: purge[animal].limit"
    says "site.yaml:5:12: error: invalid regular expression '/(/'"
    says "site.yaml:7:5: error: unknown attribute 'keeps' for type 'purge'"
    says "did you mean 'keep'?"
}

@test "an attribute called purge is that" {
    mkdir tree && touch tree/stray
    manifest <<END
resources:
  - purge: true
    directory: $work/tree
END
    run rhost apply site.yaml
    status_is 0
    [ ! -e tree/stray ]
}

@test "a purge survives being compiled" {
    needs_python
    animals cow dog goat
    manifest <<'END'
resources:
  - purge: animal
    keep: /^g/
    limit: 2
    tag: clean
    alias: herd
END
    with_herd compile site.yaml >catalog.json
    json_is catalog.json '[(r["type"], r["title"], r["provider"], sorted(r["attributes"].items()), r["tag"]) for r in d["resources"]]' \
        "[('purge', 'animal', 'purge', [('keep', '/^g/'), ('limit', 2), ('name', 'animal'), ('system', False)], ['clean'])]"
    run with_herd apply catalog.json
    status_is 0
    [ "$(herd)" = goat ]
    run with_herd apply --only='purge[herd]' catalog.json
    status_is 0
    says '1 resource: 1 ok'
}

@test "two purges of one type are one too many" {
    manifest <<'END'
resources:
  - purge: animal
  - purge: animal
END
    run with_herd validate site.yaml
    status_is 1
    says 'purge[animal] is declared twice'
}

@test "the schema knows it" {
    needs_python
    rhost schema >schema.json
    json_is schema.json '[sorted(set(e["properties"]) & {"keep", "limit", "purge", "tag"}) for e in d["$defs"]["resource"]["anyOf"] if e["required"] == ["purge"]]' \
        "[['keep', 'limit', 'purge', 'tag']]"
}

# Runs the rest with a hosts file of its own at /etc/hosts, which is written to `hosts` at the end.
with_hosts() {
    unshare --mount sh -eu -c "
        cp /etc/nsswitch.conf '$work/other' 2>/dev/null || true
        mount -t tmpfs none /mnt
        mkdir /mnt/up /mnt/work
        mount -t overlay overlay -o lowerdir=/etc,upperdir=/mnt/up,workdir=/mnt/work /etc
        if mountpoint -q /etc/hosts; then umount /etc/hosts; fi
        cp '$work/hosts' /etc/hosts
        status=0
        '$abs_top_builddir/rhost' apply --state-dir '$BATS_TEST_TMPDIR/state' \
            --isolation='$RHOST_ISOLATION' \"\$@\" '$work/site.yaml' || status=\$?
        cp /etc/hosts '$work/hosts'
        exit \$status
    " sh "$@"
}

@test "the machine's own entries of /etc/hosts stay, unless the system's are to go" {
    requires_root
    unshare --mount true || skip "no mount namespaces here"
    local name
    name=$(uname -n)
    printf '%s\n' '127.0.0.1 localhost' '::1 ip6-localhost ip6-loopback' 'ff02::1 ip6-allnodes' \
        "127.0.1.1 ${name%%.*}.example.org ${name%%.*}" '10.0.0.3 ip6x localhosts' >hosts
    manifest <<<'resources: [{purge: host}]'
    run with_hosts
    status_is 0
    says 'removed 1 of 1'
    is "$(wc -l <hosts)" 4
    run with_hosts
    status_is 0
    says_not removed
    manifest <<<'resources: [{purge: host, system: true}]'
    run with_hosts
    status_is 0
    says 'removed 4 of 4'
    [ ! -s hosts ]
}

@test "entries of /etc/hosts that nobody manages go, and the rest of the file stays" {
    requires_root
    unshare --mount true || skip "no mount namespaces here"
    printf '# mine\n127.0.0.1 localhost\n10.0.0.1 Web1 www\n10.0.0.2 db1\n10.0.0.3 old1\n10.0.0.4 old2\n' >hosts
    manifest <<'END'
resources:
  - host: WEB1
    ip: 10.0.0.1
  - purge: host
    keep: "db*"
END
    run with_hosts --noop
    status_is 0
    says 'host[old1]'
    says 'host[old2]'
    says_not 'host[localhost]'
    says_not 'host[db1]'
    grep -q old1 hosts
    run with_hosts
    status_is 0
    says 'removed 2 of 4'
    [ "$(cat hosts)" = "$(printf '# mine\n127.0.0.1 localhost\n10.0.0.1 Web1 www\n10.0.0.2 db1')" ]
}

@test "a thousand entries go as one" {
    requires_root
    unshare --mount true || skip "no mount namespaces here"
    { echo '127.0.0.1 localhost'; for i in $(seq 1 1000); do echo "10.0.$((i / 250)).$((i % 250 + 1)) n$i"; done; } >hosts
    manifest <<'END'
resources:
  - host: n7
    ip: 10.0.0.8
  - purge: host
END
    run with_hosts
    status_is 4
    says 'would remove 999 of 1000, more than its limit of 10'
    says 'and 979 more'
    [ "$(wc -l <hosts)" = 1001 ]
    sed -i 's/purge:.*/&\n    limit: 100%/' site.yaml
    run with_hosts
    status_is 0
    says 'removed 999 of 1000'
    [ "$(cat hosts)" = "$(printf '127.0.0.1 localhost\n10.0.0.8 n7')" ]
}
