#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

site() {
    manifest <<'END'
resources:
  - log: "a \"quoted\" \\ name"
    require: log[b]
  - log: b
  - directory: /srv/www
  - file: /srv/www/index.html
    source: /srv/www/source.html
  - file: /srv/www/source.html
    content: a
END
}

@test "graph shows each resource with its turn, and each relation" {
    site
    rhost graph site.yaml >graph
    head -1 graph | grep -q '^digraph'
    [ "$(tail -1 graph)" = '}' ]
    grep -q 'label="log\[b\]\\n1"' graph
    grep -q 'label="log\[a \\"quoted\\" .* name\]\\n2"' graph
    grep -q 'label="require"\]' graph
}

@test "relations that types make by themselves are dashed" {
    site
    rhost graph site.yaml >graph
    grep -q 'label="autorequire", style=dashed' graph
}

@test "each line is one that DOT knows" {
    site
    rhost graph site.yaml | sed '1d;$d' >body
    not grep -Ev '^  (rankdir=LR|(node|edge) \[.*\]|n[0-9]+( -> n[0-9]+)? \[label="([^"\\]|\\.)*"(, style=dashed)?\]);$' body
}

@test "dot draws it" {
    requires_command dot
    site
    rhost graph site.yaml | dot -Tsvg >graph.svg
    grep -q '<svg' graph.svg
}

@test "a manifest with errors has no graph" {
    printf 'resources:\n  - log: a\n    require: log[a]\n' >site.yaml
    split rhost graph site.yaml
    status_is 1
    is_empty out
}

@test "what other relations imply is left out, however many resources there are" {
    echo 'resources:' >site.yaml
    for i in {1..17}; do
        printf '  - log: l%s\n    require: [%s]\n' "$i" "$(for ((k = 1; k < i; k++)); do printf '"log[l%s]", ' "$k"; done)" >>site.yaml
        rhost graph --format=json site.yaml >graph.json
        is "$(grep -c '"implied": false' graph.json)" $((i - 1))
        is "$(grep -c '"implied": true' graph.json)" $(((i - 1) * (i - 2) / 2))
    done
}
