#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# With --format=json what is wrong is JSON as well: one hash on standard output, in the place of the answer.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# A command that is refused: refused STATUS EXPRESSION EXPECTED COMMAND...
refused() {
    local want=$1 expression=$2 expected=$3
    shift 3
    split "$@"
    status_is "$want"
    is_empty err
    json_is out "$expression" "$expected"
}

setup_file() {
    command -v python3 >/dev/null || skip "needs python3"
}

@test "mistakes in a manifest have their places and hints, whoever reads it" {
    printf 'resources:\n  - fiel: /srv/a\n  - log: a\n    levle: info\n' >site.yaml
    for command in apply validate compile; do
        refused 1 '[(e["message"], e["hint"]) for e in d["errors"]]' \
            "[(\"unknown type 'fiel'\", \"did you mean 'file'?\"), (\"unknown attribute 'levle' for type 'log'\", \"did you mean 'level'?\")]" \
            rhost $command --format=json site.yaml
        json_is out 'd["errors"][1]["location"]' "{'file': 'site.yaml', 'line': 4, 'column': 5}"
    done
    rhost compile --format=json - <<<'{"resources": [{"log": "a"}]}' >out
    json_is out 'd["catalog"]' 1
}

@test "a command line that is wrong" {
    refused 1 '{k: v for e in d["errors"] for k, v in e.items() if k != "code"}' \
        "{'message': \"unknown option '--nop'\", 'hint': \"did you mean '--noop'?\"}" \
        rhost apply --nop --format=json site.yaml
    refused 1 'd["errors"][0]["message"]' 'no manifest given: name at least one FILE' \
        rhost apply --format json
    refused 1 'd["errors"][0]["message"]' "unknown type 'fiel'" \
        rhost resource --format=json fiel
    refused 1 '[d["errors"][0][k] for k in ("message", "hint")]' "[\"unknown attribute 'modee' for type 'file'\", \"did you mean 'mode'?\"]" \
        rhost resource --format=json file "$work/x" modee=1
    refused 1 'd["errors"][0]["message"][:40]' "$(printf '%.40s' "file[relative]: the title expects a match for")" \
        rhost resource --format=json file relative
    refused 1 'd["errors"][0]["message"]' "unknown type 'lnik'" \
        rhost describe --format=json lnik
    refused 1 '[d["errors"][0][k] for k in ("message", "hint")]' "[\"unknown command 'aply'\", \"did you mean 'apply'?\"]" \
        rhost aply --format=json
}

@test "a file that cannot be read, and a resource" {
    refused 1 'd["errors"][0]["message"]' "cannot open 'none.yaml': No such file or directory" \
        rhost apply --format=json none.yaml
    refused 4 '"cannot be listed" in d["errors"][0]["message"]' True rhost resource --format=json file
}

@test "the lock" {
    printf 'resources:\n  - exec: sleep 5\n' >slow.yaml
    rhost apply slow.yaml >slow 2>&1 3>&- &
    slow=$!
    for _ in $(seq 100); do
        [ -s "$BATS_TEST_TMPDIR/state/lock" ] && break
        sleep 0.05
    done
    echo '{"resources": []}' >site.json
    refused 1 'len(d["errors"])' 1 rhost apply --format=json site.json
    kill $slow
    wait $slow || true
}

@test "a warning stays on standard error, and is no error" {
    mkdir plugins
    echo 'not an object' >plugins/bad.so
    echo '{"resources": []}' >site.json
    split rhost validate --format=json --plugin-dir plugins site.json
    status_is 0
    json_is out 'd["errors"]' '[]'
    grep -q "^warning: the plugin '.*bad.so' is not used" err
}

@test "without --format=json it is text" {
    split rhost apply none.yaml
    status_is 1
    is_empty out
    grep -qEx "error: cannot open 'none.yaml': No such file or directory( \[RH[0-9]{4}\])?" err
    split rhost resource file relative
    is_empty out
    says 'error: file[relative]: the title expects'
}
