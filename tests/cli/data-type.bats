#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

@test "data-type prints the canonical text of a type" {
    run rhost data-type "Struct[{b=>Optional[Enum[y,x]], 'a' => Integer[default, 3]}]"
    status_is 0
    [ "$output" = "Struct[{'b' => Optional[Enum['x', 'y']], 'a' => Integer[default, 3]}]" ]
}

@test "data-type shows where a type cannot be read" {
    split rhost data-type 'Array[Integr]'
    status_is 1
    is_empty out
    says "TYPE:1:7: error: unknown data type 'Integr' (did you mean 'Integer'?)"
    says '1 | Array[Integr]'
    split rhost data-type $'String\xff'
    status_is 1
    says 'it is not UTF-8'
}

@test "data-type says whether a value fits, and if not, why" {
    run rhost data-type 'Integer[1, 65535]' 80
    status_is 0
    says 'it fits'
    run rhost data-type 'Integer[1, 65535]' 0
    status_is 1
    says 'expects an Integer[1, 65535] value, got Integer[0, 0]'
    run rhost data-type Undef null
    status_is 0
    run rhost data-type --quiet Undef null
    status_is 0
    [ -z "$output" ]
}

@test "data-type refuses what is not JSON" {
    split rhost data-type Integer 12x
    status_is 1
    is_empty out
    says "error: cannot read the value '12x': invalid JSON"
}

@test "data-type takes tagged values for what JSON cannot say" {
    run rhost data-type 'SemVer[">=2.0.0"]' '{"__ptype": "SemVer", "__pvalue": "2.1.0"}'
    status_is 0
    run rhost data-type 'Sensitive[Integer]' '{"__ptype": "Sensitive", "__pvalue": "s3cret"}'
    status_is 1
    says 'Sensitive'
    says_not s3cret
    run rhost data-type 'Hash[Integer, Binary]' \
        '{"__ptype": "hash", "__pvalue": [1, {"__ptype": "Binary", "__pvalue": "AAE="}]}'
    status_is 0
    run rhost data-type SemVer '{"__ptype": "SemVr", "__pvalue": "2.1.0"}'
    status_is 1
    says "unknown tag 'SemVr'"
    says "did you mean 'SemVer'?"
    for bad in '{"__ptype": "SemVer", "__pvalue": "2.x"}' '{"__ptype": "Binary", "__pvalue": "A"}' \
        '{"__ptype": "hash", "__pvalue": [1]}' '{"__ptype": "Regexp", "__pvalue": "("}' \
        '{"__ptype": "Float", "__pvalue": "1,5"}' '{"__ptype": "Timestamp", "__pvalue": 1}' \
        '{"__ptype": "Type", "__pvalue": "Strng"}' '{"__ptype": 1}'; do
        run rhost data-type Any "$bad"
        status_is 1
        says "cannot read the value "
    done
}

@test "data-type --text reads a value by its type" {
    run rhost data-type Integer --text 0x1F
    status_is 0
    says 'it fits, as 31'
    run rhost data-type 'Variant[Boolean, String]' --text true
    says 'it fits, as true'
    run rhost data-type Boolean --text yes
    status_is 1
    says 'expects a Boolean value, got String'
    run rhost data-type 'Sensitive[String]' --text s3cret
    status_is 0
    says_not s3cret
}

@test "data-type --format=json gives the answer that --batch gives" {
    run rhost data-type --format=json Integer '"x"'
    status_is 1
    [ "$output" = '{"instance": false, "message": "expects an Integer value, got String"}' ]
    run rhost data-type --format=json Integer --text 7
    [ "$output" = '{"instance": true, "message": null, "value": 7}' ]
    run rhost data-type --format=json 'Enum[b,a]'
    [ "$output" = "{\"type\": \"Enum['a', 'b']\"}" ]
}

@test "data-type --batch answers each line with a line" {
    cat >questions <<'END'
{"type": "Integer", "value": 1}
{"type": "Integer", "value": "1"}
{"type": "Integer", "text": "1"}
{"type": "Integer[1, 2]", "value": 3, "subject": "port"}
{"type": "Optional[String]", "value": null}
{"type": "Enum[b,a]"}
END
    printf '{"type": "Sensitive[Integer]", "value": {"__ptype": "Sensitive", "__pvalue": 1}}' >>questions
    split rhost data-type --batch <questions
    status_is 0
    is_empty err
    cat >expected <<'END'
{"instance": true, "message": null}
{"instance": false, "message": "expects an Integer value, got String"}
{"instance": true, "message": null, "value": 1}
{"instance": false, "message": "port expects an Integer[1, 2] value, got Integer[3, 3]"}
{"instance": true, "message": null}
{"type": "Enum['a', 'b']"}
{"instance": true, "message": null}
END
    diff expected out
}

@test "data-type --batch answers a bad line with an error, goes on, and exits with 1" {
    cat >questions <<'END'
nonsense

[]
{"value": 1}
{"type": 5, "value": 1}
{"type": "Strng", "value": 1}
{"type": "Any", "value": 1, "text": "1"}
{"type": "Any", "value": {"__ptype": "What"}}
{"type": "String\u0000", "value": 1}
{"type": "Any", "value": 1}
END
    split rhost data-type --batch <questions
    status_is 1
    is_empty err
    [ "$(wc -l <out)" -eq 10 ]
    [ "$(grep -c '^{"error": ".*"}$' out)" -eq 9 ]
    [ "$(tail -n 1 out)" = '{"instance": true, "message": null}' ]
    says "cannot parse the type at character 1: unknown data type 'Strng' (did you mean 'String'?)"
}

@test "data-type --batch can be talked to line by line" {
    mkfifo in
    : >out
    "${RHOST:-$abs_top_builddir/rhost}" data-type --batch <in >out &
    program=$!
    exec 7>in
    for n in 1 2 3; do
        echo "{\"type\": \"Integer\", \"value\": $n}" >&7
        for _ in $(seq 100); do
            [ "$(wc -l <out)" -ge $n ] && break
            sleep 0.05
        done
        [ "$(wc -l <out)" -eq $n ]
    done
    exec 7>&-
    wait $program
}

@test "data-type --batch stops when nobody reads its answers" {
    { yes '{"type": "Integer", "value": 1}' | rhost data-type --batch || echo $? >ended; } |
        head -n 1 >first
    [ "$(cat ended)" -eq 4 ]
}

@test "data-type --aliases takes data types with names of their own" {
    cat >my.types <<'END'
# Ports, and trees of names.
type My::Port = Integer[1, 65535]    # no zero
type My::Tree = Variant[
    String,                          # a leaf
    Array[My::Tree],
]
type My::Path = Pattern[/\A\/[^#\]]/]
END
    run rhost data-type --aliases my.types 'Hash[My::Tree, My::Port]' '{"a": 80}'
    status_is 0
    run rhost data-type --aliases my.types My::Tree '["a", ["b", 1]]'
    status_is 1
    says 'My::Tree'
    run rhost data-type --aliases my.types My::Path '"/etc"'
    status_is 0
    run rhost data-type My::Port 80
    status_is 1
    says "unknown data type 'My::Port'"
    echo '{"type": "My::Port", "value": 80}' | rhost data-type --batch --aliases my.types
}

@test "a file of data types that cannot be read is refused with the place" {
    while IFS='|' read -r text place; do
        printf '%b' "$text" >bad.types
        split rhost data-type --aliases bad.types Any
        status_is 1
        says "error: bad.types:${place#:}"
    done <<'END'
type A = Integer\n  type B = Array[\n  Strng]\n|3:3: in data type 'B': unknown data type 'Strng' (did you mean 'String'?)
type A = Integer[1\n|1:19: in data type 'A':
type A = 'x\n|1:10: the string that starts here is not closed
type A = Optional[B]\ntype B = Variant[A, String]\n|1:10: data type 'A' refers only to itself: wrap it
type A = Integer\ntype A = String\n|2:6: data type 'A' is declared twice
type Integer = String\n|1:6: 'Integer' is a built-in data type
type a = String\n|1:6: 'a' cannot name a data type: expected Name or Mod::Name
type A String\n|1:8: expected '=' after the name 'A'
type = String\n|1:6: expected a name after 'type'
type A =\n|2:1: expected a data type after '='
typo A = String\n|1:1: expected 'type Name = ...'
type A = String x\n|1:17: expected 'type Name = ...'
type A = String\n\xff|: the file is not UTF-8
END
    run rhost data-type --aliases none.types Any
    status_is 1
    says "cannot open 'none.types'"
}

@test "data-type refuses options and operands that say different things" {
    for words in '' 'A b c' '--batch Any' '--batch --text 1' '--text 1 Any 1'; do
        run rhost data-type $words
        status_is 1
        says "See 'rhost data-type --help'."
    done
}
