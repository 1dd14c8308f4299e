#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Functions whose results others must come to as well: seeds and digests in Python, password hashes in OpenSSL, patterns in sh.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# values EXPRESSION...: the value of each, one a line, as JSON
values() {
    needs_python
    {
        echo 'resources:'
        echo '  - define: anything'
        echo '    parameters: {v: Any}'
        local i=0 expression
        for expression; do
            printf '  - anything: e%d\n    v: %s\n' "$i" "$(jq -n --arg e "\${$expression}" '$e')"
            i=$((i + 1))
        done
    } >site.yaml
    rhost compile site.yaml >catalog.json || return
    python3 -c 'import json
for r in json.load(open("catalog.json"))["resources"]:
    print(json.dumps(r["attributes"]["v"]))'
}

@test "what is drawn from a seed is what a program that follows the manual draws" {
    expressions=()
    for seed in '' a web1.example.org 'ä ö' "$(printf 'x%.0s' {1..200})"; do
        expressions+=("seeded_random(\"$seed\", 0, 59)" "seeded_random(\"$seed\", -1, 9223372036854775807)"
            "seeded_random(\"$seed\", math.mininteger, math.maxinteger)"
            "seeded_pick(\"$seed\", range(1, 1000))" "seeded_shuffle(\"$seed\", range(1, 50))")
    done
    values "${expressions[@]}" >drawn
    python3 - >computed <<'END'
import hashlib, json

def draws(seed):
    i = 0
    while True:
        digest = hashlib.sha256(seed.encode() + b"\0" + str(i).encode()).digest()
        yield int.from_bytes(digest[:8], "big")
        i += 1

def below(draw, n):
    while True:
        x = next(draw)
        if x < 2**64 - 2**64 % n:
            return x % n

def shuffle(draw, elements):
    for p in range(len(elements), 1, -1):
        k = below(draw, p)
        elements[p - 1], elements[k] = elements[k], elements[p - 1]
    return elements

for seed in "", "a", "web1.example.org", "ä ö", "x" * 200:
    print(below(draws(seed), 60))
    print(-1 + below(draws(seed), 2**63 + 1))
    print(-2**63 + below(draws(seed), 2**64))
    print(1 + below(draws(seed), 1000))
    print(json.dumps(shuffle(draws(seed), list(range(1, 51)))))
END
    [ "$(wc -l <computed)" -eq 25 ]
    diff computed drawn
}

@test "digests of each length are those that Python makes, and so are names by uuid5" {
    # One list for each: lengths around the ends of blocks, and all bytes.
    expressions=()
    for digest in md5 sha1 sha256 sha384 sha512; do
        expressions+=("map(range(0, 260), function(n) return $digest((\"x\"):rep(n) .. string.char(n % 256)) end)")
    done
    for space in dns url oid x500 00000000-0000-0000-0000-ffffffffffff; do
        expressions+=("map({\"\", \"a\", \"web1.example.org\", \"ä\"}, function(name) return uuid5(\"$space\", name) end)")
    done
    values "${expressions[@]}" >made
    python3 - >computed <<'END'
import hashlib, json, uuid

for digest in "md5", "sha1", "sha256", "sha384", "sha512":
    print(json.dumps([hashlib.new(digest, b"x" * n + bytes([n % 256])).hexdigest() for n in range(261)]))
for space in (uuid.NAMESPACE_DNS, uuid.NAMESPACE_URL, uuid.NAMESPACE_OID, uuid.NAMESPACE_X500,
              uuid.UUID("00000000-0000-0000-0000-ffffffffffff")):
    print(json.dumps([str(uuid.uuid5(space, name)) for name in ("", "a", "web1.example.org", "ä")]))
END
    [ "$(wc -l <computed)" -eq 10 ]
    diff computed made
}

@test "a hash by sha512 is the one that openssl makes" {
    command -v openssl >/dev/null || skip "no openssl"
    values 'password_hash("correct horse", {method = "sha512", salt = "abcdefgh"})' \
        'password_hash("ä $x", {method = "sha512", salt = "./09AZaz", rounds = 1234})' \
        'password_hash("p", {method = "sha512", seed = "web1 anna"})' >made
    salt=$(sed -n '3s/^"\$6\$\([^$]*\)\$.*/\1/p' made)
    [ "${#salt}" -eq 16 ]
    {
        openssl passwd -6 -salt abcdefgh 'correct horse'
        openssl passwd -6 -salt 'rounds=1234$./09AZaz' 'ä $x'
        openssl passwd -6 -salt "$salt" p
    } | sed 's/.*/"&"/' >expected
    diff expected made
}

@test "the hash of a secret is printed nowhere" {
    echo 'correct horse' >password
    manifest <<END
resources:
  - file: $work/shadow
    mode: "600"
    content: \${password_hash(secret_file("password"), {method = "sha512", salt = "abcdefgh"})}
END
    run rhost apply --diff -v site.yaml
    status_is 0
    says_not yIZAF3gQ
    says_not horse
    grep -qF '$6$abcdefgh$yIZAF3gQPvtKZO' shadow
}

@test "patterns match as those of sh do" {
    texts=(a ab abc a.b 'a*b' '[' ']' - é / a/b '' 7 Z)
    patterns=('*' '?' 'a?' '*b' 'a*b*' '[a-c]' '[!a-c]' '[]]' '[!]]' '[a-]*' '\*' 'a\*b' '[[:digit:]]' '[[:upper:]]*' '*[/]*' '' '**' '?*')
    expressions=() expected=()
    for t in "${texts[@]}"; do
        for p in "${patterns[@]}"; do
            expressions+=("glob_matches([==[$t]==], [==[$p]==])")
            # shellcheck disable=SC2254 # it is a pattern
            case $t in
            $p) expected+=(true) ;;
            *) expected+=(false) ;;
            esac
        done
    done
    values "${expressions[@]}" >matched
    paste -d ' ' <(printf '%s\n' "${expected[@]}") <(printf '%s\n' "${expressions[@]}") >should
    paste -d ' ' matched <(printf '%s\n' "${expressions[@]}") >does
    diff should does
}

@test "the time is a fact, and a date is made of it" {
    before=$(date -u +%s)
    values node.time 'format_time(node.time, "%s %Y")' >got
    after=$(date -u +%s)
    read -r time <got
    [ "$time" -ge "$before" ]
    [ "$time" -le "$after" ]
    [ "$(tail -n 1 got)" = "\"$time $(date -u -d "@$time" +%Y)\"" ]
}

@test "an argument that a function cannot take is named in the library's words" {
    manifest <<END
resources:
  - file: $work/motd
    content: \${join(split(nil, ","))}
END
    run rhost validate site.yaml
    status_is 1
    says "argument 1 of 'split' must be a string, not nil [RH2010]"
}
