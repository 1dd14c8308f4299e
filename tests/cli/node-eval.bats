#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# rhost node eval: operations on attributes, tried out.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# The program as it is: no plugins are needed.
program() {
    "${RHOST:-$abs_top_builddir/rhost}" "$@"
}

@test "node eval prints what operations return, and all views" {
    needs_python
    cat >ops.json <<'END'
[{"op": "set", "level": "default", "path": ["foo", "bar", "baz"], "value": 12},
 {"op": "set", "level": "role_default", "path": ["foo", "bar", "baz"], "value": 52},
 {"op": "set", "level": "override", "path": ["foo", "list"], "value": [1, 1.0, "1", null]},
 {"op": "rm_level", "level": "default", "as": "remove_default", "path": ["foo", "bar"]},
 {"op": "rm", "path": ["no", "such", "thing"]}]
END
    split program node eval ops.json
    status_is 0
    json_is out 'd["results"]' "[{'returns': 12}, {'returns': 52}, {'returns': [1, 1.0, '1', None]}, {'returns': {'baz': 52}}, {'returns': None}]"
    json_is out 'd["views"]["merged"]' "{'foo': {'list': [1, 1.0, '1', None]}}"
    json_is out 'd["views"]["role_default"]' "{'foo': {}}"
    json_is out 'sorted(d["views"])' "['automatic', 'combined_default', 'combined_override', 'default', 'env_default', 'env_override', 'force_default', 'force_override', 'merged', 'normal', 'override', 'role_default', 'role_override']"
}

@test "node eval reads YAML, from standard input" {
    needs_python
    split program node eval - <<'END'
- {op: set, level: default, path: [web, port], value: 80}
- op: set!
  level: force_default
  path: [web]
  value: {tls: true}
- {op: read, path: [web]}
END
    status_is 0
    json_is out 'd["results"][2]' "{'returns': {'tls': True}}"
}

@test "node eval goes on behind what is refused, which says what to use instead" {
    needs_python
    cat >ops.yaml <<'END'
- {op: set, level: default, path: [foo, bar], value: 1}
- {op: delete_merged, path: [foo], key: bar}
- {op: set_merged, path: [foo, bar], value: 2}
- {op: set, level: default, path: [foo, bar, baz], value: 2}
- {op: write!, level: default, path: [foo, bar, baz], value: 2}
- {op: read!, path: [nope]}
- {op: get!, level: default, path: [foo]}
- {op: rm_level, level: role_default, path: [foo]}
- {op: remov_default, path: [foo]}
- {op: set, levl: default, path: [foo], value: 1}
- {op: set, level: defalt, path: [foo], value: 1}
- 5
- {op: check, expect: [{view: default, path: [foo], value: {bar: 1}}]}
- {op: check, expect: [{view: merged, path: [foo], absent: true}]}
END
    split program node eval ops.yaml
    status_is 0
    json_is out '[r.get("error") for r in d["results"]]' "[None, 'immutable', 'immutable', 'not_container', 'type_mismatch', 'no_such_attribute', 'write_only', 'argument', 'argument', 'argument', 'argument', 'argument', None, 'unexpected']"
    says 'rm removes it at all levels, rm_default, rm_normal and rm_override at one'
    says "'foo.bar' cannot be set in the merged value: name the level"
    says "cannot set 'foo.bar.baz' at default: 'foo.bar' is 1, neither a table nor a list; write replaces it with a table"
    says "unknown attribute 'nope'"
    says 'default! only assigns'
    says 'unlink removes from role_default alone'
    says "unknown operation 'remov_default'"
    says "did you mean 'remove_default'?"
    says "set does not take 'levl'"
    says "did you mean 'level'?"
    says "unknown level or view 'defalt'"
    says "did you mean 'default'?"
    json_is out 'd["views"]["default"]' "{'foo': {'bar': 1}}"
}

@test "an integer is a key of its own, and the text of its digits in JSON" {
    needs_python
    split program node eval - <<'END'
- {op: set, level: default, path: [a, 1], value: number}
- {op: read, path: [a, "1"]}
- {op: set, level: default, path: [b, 1], value: number}
- {op: set, level: default, path: [b, "1"], value: text}
- {op: read, path: [b, 1]}
- {op: set, level: default, path: [l], value: [5, 6, 7]}
- {op: unlink, level: default, path: [l, 1]}
- {op: read, path: [l, -1]}
END
    status_is 0
    json_is out '[r["returns"] for r in d["results"]]' "['number', None, 'number', 'text', 'number', [5, 6, 7], 6, 7]"
    json_is out 'd["views"]["merged"]' "{'a': {'1': 'number'}, 'b': {'1 (integer)': 'number', '1': 'text'}, 'l': [5, 7]}"
}

@test "node eval tells where a value came from" {
    needs_python
    split program node eval - <<'END'
- {op: set, level: default, path: [web, port], value: 80}
- {op: set, level: role_default, path: [web], value: {port: 81}}
- {op: explain, path: [web, port]}
END
    status_is 0
    json_is out '[(s["op"], s["value"], s["effect"]) for s in d["results"][2]["returns"]["steps"]]' "[('set', 80, 'overridden'), ('set', 81, 'wins')]"
    json_is out 'd["results"][2]["returns"]["steps"][1]["location"]' "{'line': 2, 'column': 61}"
}

@test "node eval refuses what is not a list of operations" {
    split program node eval - <<<'{op: set}'
    status_is 1
    is_empty out
    says 'must be a list of operations'
    split program node eval - <<<'[{op: set'
    status_is 1
    is_empty out
    split program node eval missing.json
    status_is 1
    says 'missing.json'
    split program node eval
    status_is 1
    says 'expected one FILE'
}
