#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Groups: entries that share a loop, a condition or defaults; and loops within loops.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

titles() {
    rhost compile "${1:-site.yaml}" >catalog.json
    json catalog.json '" ".join(r["title"] for r in d["resources"])'
}

@test "loops nest, and the inner one knows the outer" {
    needs_python
    manifest <<'END'
attributes: {default: {sites: {a: {pages: [x, y]}, b: {pages: [z]}}}}
resources:
  - for_each: ${node.sites}
    resources:
      - directory: /srv/${each.key}
      - for_each: ${each.value.pages}
        file: /srv/${each.outer.key}/${each.value}
        content: "${each.outer.index}.${each.index}"
  - for_each: [1, 2]
    resources:
      - for_each: [p]
        resources:
          - for_each: [q]
            log: ${each.outer.outer.value}${each.outer.value}${each.value}
END
    [ "$(titles)" = '/srv/a /srv/a/x /srv/a/y /srv/b /srv/b/z 1pq 2pq' ]
    json_is catalog.json '[r["attributes"]["content"] for r in d["resources"] if r["title"] == "/srv/b/z"][0]' 2.1
    # An outermost loop has no outer one.
    run rhost validate - <<'END'
resources: [{for_each: [1], log: "${each.outer.key}"}]
END
    status_is 1
    run rhost validate - <<'END'
resources: [{for_each: [1], log: "${default(each.outer.key, 'none')}"}]
END
    status_is 0
}

@test "a condition is one for all of them, and is known to who names them" {
    needs_python
    manifest <<'END'
resources:
  - when: 1 == 2
    resources:
      - {log: no, nosuch: "${x.y}"}
      - {for_each: [1, 2], log: "no ${each.value}"}
      - {resources: [{log: deep}]}
  - when: 1 == 1
    resources: [{log: yes}]
  - {for_each: [1, 2], when: each.value == 2, resources: [{log: "got ${each.value}"}]}
  - {log: last, notify: ["log[no]", "log[no 2]", "log[deep]"]}
END
    [ "$(titles)" = 'yes got 2 last' ]
    echo '  - {log: x, require: "log[no 2]"}' >>site.yaml
    run rhost validate site.yaml
    status_is 1
    says "log[no 2], which is excluded by 'when'"
    says 'site.yaml:2:11: this condition is false'
}

@test "they stand in the order of the list, and in definitions" {
    needs_python
    manifest <<'END'
resources:
  - log: a
  - resources:
      - log: b
      - resources:
      - resources: [{log: c}]
  - log: d
  - define: two
    parameters: {all: "Array[String]"}
    resources:
      - for_each: ${all}
        resources: [{log: "${title} ${each.value}"}]
  - {two: t, all: [u, v]}
END
    [ "$(titles)" = 'a b c d t t u t v' ]
    run rhost apply site.yaml
    status_is 0
    [ "$(grep -oE 'log\[[^]]*\]' <<<"$output" | uniq | tr '\n' ' ')" = 'log[a] log[b] log[c] log[d] log[t u] log[t v] ' ]
}

@test "what can stand in it: any entry but a definition" {
    needs_python
    echo 'resources: [{log: included}]' >a.yaml
    manifest <<'END'
resources:
  - resources:
      - {include: a.yaml}
      - {declare: "log[x]"}
      - {edit: "log[x]", loglevel: info}
      - {trigger: "log[x]"}
END
    [ "$(titles)" = 'included x' ]
    run rhost validate - <<'END'
resources: [{resources: [{define: x}]}]
END
    status_is 1
    says 'definitions cannot be nested'
}

@test "what is wrong with one is said" {
    manifest <<'END'
resources:
  - {resources: {a: b}}
  - {resources: [{log: a}], action: x}
  - {resources: [{log: b}], parameters: {}}
  - {for_each: [1, 2], resources: [{log: "${each.value}", nosuch: 1}]}
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:2:17: error: 'resources' must be a list of entries, not a hash"
    says "'action' cannot be used with a group"
    says "write it under 'defaults'"
    says "unknown key 'parameters' in a group"
    [ "$(grep -c "unknown attribute 'nosuch'" <<<"$output")" = 1 ]
    says 'and for 1 more element'
}

@test "a type or a definition may have an attribute of that name" {
    needs_python
    manifest <<'END'
resources:
  - define: site
    parameters: {resources: "Array[String]"}
    resources: [{log: "${join(resources, '+')}"}]
  - {site: a, resources: [x, y]}
  - {type: site, title: b, attributes: {resources: [z]}}
END
    [ "$(titles)" = 'a x+y b z' ]
}

# depth N: groups within each other
depth() {
    python3 - "$1" <<'END'
import sys
n = int(sys.argv[1])
print("resources: " + "[{resources: " * n + "[{log: x}]" + "}]" * n)
END
}

@test "20 groups within each other, and not 21" {
    needs_python
    depth 20 >site.yaml
    run rhost validate site.yaml
    status_is 0
    depth 21 >site.yaml
    run rhost validate site.yaml
    status_is 1
    says 'groups are nested more than 20 deep'
}

@test "loops go through a million elements, and no more" {
    manifest <<'END'
resources:
  - for_each: ${range(1, 999)}
    resources:
      - {for_each: "${range(1, 1000)}", when: false, log: x}
END
    run rhost validate site.yaml
    status_is 0
    sed -i 's/999/1000/' site.yaml
    run rhost validate site.yaml
    status_is 1
    says 'loops go through more than 1000000 elements'
    [ "$(grep -c ': error: ' <<<"$output")" = 1 ]
}

@test "words of a group are for all of its entries, whatever their type is, and the nearest decides" {
    needs_python
    manifest <<'END'
resources:
  - log: first
  - noop: true
    tag: web
    require: log[first]
    retries: 3
    defaults:
      file: {retries: 1}
    resources:
      - {file: /srv/a, tag: [own]}
      - {file: /srv/b, noop: false, require: "file[/srv/a]"}
      - tag: inner
        retries: 2
        resources:
          - {file: /srv/c, tag: null}
          - {exec: d, command: [/bin/true], retries: 0}
  - file: /srv/outside
END
    rhost compile site.yaml >catalog.json
    json_is catalog.json '[r.get("noop") for r in d["resources"]]' '[None, True, False, True, True, None]'
    json_is catalog.json '[r.get("tag") for r in d["resources"]]' \
        "[None, ['own', 'web'], ['web'], None, ['inner', 'web'], None]"
    json_is catalog.json '[r.get("require") for r in d["resources"]]' \
        "[None, ['log[first]'], ['file[/srv/a]', 'log[first]'], ['log[first]'], ['log[first]'], None]"
    json_is catalog.json '[r.get("retries") for r in d["resources"]]' '[None, 1, 1, 2, None, None]'
}

@test "a group under noop changes nothing, and instances and purges in it change nothing either" {
    mkdir dir
    touch dir/stray
    manifest <<'END'
resources:
  - define: pair
    resources:
      - {file: "${name}.1", content: x}
      - {file: "${name}.2", content: x}
  - noop: true
    when: 1 == 1
    resources:
      - {file: alone, content: x}
      - pair: both
      - {directory: dir, purge: true}
END
    sed -i "s|alone|$work/alone|; s|both|$work/both|; s|directory: dir|directory: $work/dir|" site.yaml
    run rhost apply site.yaml
    status_is 0
    says '4 would change'
    is "$(ls -A . dir | xargs)" '.: dir site.yaml dir: stray'
}

@test "a word of a group that its entries cannot have is named with the entry" {
    manifest <<'END'
resources:
  - {retries: many, resources: [{log: x}]}
  - {alias: x, resources: [{log: y}]}
  - {sensitive: content, resources: [{log: z}]}
  - {noop: true, resources: [{edit: "log[x]"}]}
  - {noop: true, resources: [{resources: [{include: other.yaml}]}]}
  - {noop: true, tags: web, resources: [{log: z}]}
  - {fiel: /x, resources: []}
END
    run rhost validate site.yaml
    status_is 1
    says 'site.yaml:2:15: error: retries must be an integer'
    says 'site.yaml:2:34: for this entry'
    says "site.yaml:3:6: error: 'alias' cannot be used with a group"
    says "site.yaml:4:6: error: 'sensitive' cannot be used with a group"
    says "site.yaml:5:31: error: 'edit' cannot stand in a group with 'noop', which it does not pass on"
    says "site.yaml:6:44: error: 'include' cannot stand in a group with 'noop'"
    says "site.yaml:7:18: error: unknown key 'tags' in a group"
    says "did you mean 'tag'?"
}

# A group of three, of which "try" ends with the status of the file "rc"; the others say so in the file "ran".
three() {
    cat >site.yaml <<END
resources:
  - $1
    resources:
      - exec: try
        command: [sh, -c, "exit $(cat rc)"]
      - exec: goes on
        command: [sh, -c, "echo goes on >>$work/ran"]
      - exec: depends
        command: [sh, -c, "echo depends >>$work/ran"]
        require: exec[try]
    on_failure:
      - file: $work/repaired
        content: x
      - exec: repairs
        command: [sh, -c, "echo repairs >>$work/ran"]
        require: file[$work/repaired]
    always:
      - exec: ends
        command: [sh, -c, "echo ends >>$work/ran"]
  - exec: behind
    command: [sh, -c, "echo behind >>$work/ran"]
    require: exec[ends]
END
    rm -f ran repaired
    run rhost apply --detailed-exitcodes site.yaml
    ran=$([ ! -e ran ] || paste -sd, ran)
}

@test "what stands under on_failure is applied when one has failed, and what stands under always in any case" {
    echo 1 >rc
    three 'tag: all'
    status_is 6
    is "$ran" 'goes on,repairs,ends,behind'
    [ -e repaired ]
    says 'skipped: depends on exec[try], which failed'
    echo 0 >rc
    three 'tag: all'
    status_is 2
    is "$ran" 'goes on,depends,ends,behind'
    [ ! -e repaired ]
    says '2 excluded'
    echo 1 >rc
    three 'ignore_failure: true'
    status_is 2
    is "$ran" 'goes on,depends,repairs,ends,behind'
    # A dry run foresees no failure; a condition is one for all lists.
    run rhost apply --noop site.yaml
    status_is 0
    says '2 excluded'
    three 'when: 1 == 2'
    is "$ran" ''
    says "exec[ends], which is excluded by 'when'"
}

@test "on_failure waits for instances and nested groups, and a failure in it leads to the outer group's" {
    cat >site.yaml <<END
resources:
  - define: pair
    resources:
      - exec: "\${name} one"
        command: [sh, -c, "exit 1"]
      - exec: "\${name} two"
        command: [sh, -c, "echo two >>$work/ran"]
  - resources:
      - resources:
          - pair: p
        on_failure:
          - {exec: inner, command: [sh, -c, "echo inner >>$work/ran; exit 3"]}
        always:
          - {exec: inner end, command: [sh, -c, "echo inner end >>$work/ran"]}
    on_failure:
      - for_each: [1, 2]
        exec: outer \${each.value}
        command: [sh, -c, "echo outer >>$work/ran"]
      - {pair: q}
END
    run rhost apply site.yaml
    status_is 4
    is "$(paste -sd, ran)" 'two,inner,inner end,outer,outer,two'
    sed -i 's/exit 1/exit 0/' site.yaml
    rm ran
    run rhost apply site.yaml
    status_is 0
    is "$(paste -sd, ran)" 'two,inner end'
}

@test "on_failure and always are read, and what is wrong in them is found before the run" {
    needs_python
    manifest <<'END'
resources:
  - {resources: [{log: a}], on_failure: none, always: {log: b}}
  - {resources: [{log: c}], on_failure: [{edit: "log[c]"}], always: [{trigger: "log[c]"}]}
  - {resources: [{log: d}], on_failure: [{file: relative}], always: [{log: [1]}]}
  - {resources: [{log: e}], on_failures: [{log: f}]}
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:2:41: error: 'on_failure' must be a list of entries, not a string"
    says "site.yaml:2:55: error: 'always' must be a list of entries, not a hash"
    says "site.yaml:3:43: error: 'edit' cannot stand under 'on_failure' of a group"
    says "site.yaml:3:71: error: 'trigger' cannot stand under 'always' of a group"
    says "unknown key 'on_failures' in a group"
    says "did you mean 'on_failure'?"
    manifest <<'END'
resources:
  - {resources: [{log: d}], on_failure: [{file: relative}], always: [{file: /nowhere/x, mode: "9999"}]}
END
    run rhost apply site.yaml
    status_is 1
    says "mode"
    manifest <<'END'
resources: [{resources: [{log: a}], on_failure: [{log: b}], always: [{log: c}]}]
END
    rhost compile site.yaml >catalog.json
    json_is catalog.json '[r.get("when") for r in d["resources"]]' \
        "[None, [{'on_failure': ['log[a]']}], [{'always': ['log[a]', 'log[b]']}]]"
}
