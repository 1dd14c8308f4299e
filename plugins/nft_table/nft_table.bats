#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/nft_table/network.bash"

setup() {
    work_open
    network_open
}

teardown() {
    network_close
}

# The table "inet web", whose other attributes stand on standard input.
web() {
    one 'nft_table: inet web' -- "$@"
}

# bats test_tags=inline
@test "a table is made as a whole, and what the kernel makes of it is no difference" {
    cat >body <<'END'
content: |
  # who may come in
  chain input {
    type filter hook input priority 0; policy drop
    ct state established,related accept
    iif lo accept
    tcp dport { ssh, https, 80 } counter accept comment "the web; # { too"
  }
  set blocked { type ipv4_addr; flags interval; elements = { 192.0.2.7, 192.0.2.0/30 }; }
END
    web run apply --noop <body
    status_is 0
    is "$(nft list tables)" ''
    web converges <body
    nft list table inet web | grep -q 'tcp dport { 22, 80, 443 } counter packets [0-9]* bytes [0-9]* accept comment "the web; # { too"'
    nft list table inet web | grep -q 'policy drop'
    sed -i 's/# who may.*/# others/; s/  ct/          ct/' body
    web is_in_sync <body
    web converges <<'END'
content: chain other { }
END
    is "$(nft list table inet web)" $'table inet web {\n\tchain other {\n\t}\n}'
    web converges <<<'ensure: absent'
    is "$(nft list tables)" ''
    web is_in_sync <<<'ensure: absent'
}

# bats test_tags=inline
@test "what somebody has changed in it is found, and put right; what the kernel fills by itself is not" {
    cat >body <<'END'
content: |
  set seen { type ipv4_addr; flags dynamic,timeout; timeout 1h; }
  chain input {
    type filter hook input priority 0
    tcp dport ssh add @seen { ip saddr }
    counter
  }
END
    web converges <body
    nft add element inet web seen '{ 192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4, 192.0.2.5 }'
    web is_in_sync <body
    nft add rule inet web input tcp dport 23 accept
    web run apply --noop <body
    status_is 0
    says "content  something else has changed it, first in 'tcp dport 23 accept'"
    web converges <body
    not grep -q 'dport 23' <<<"$(nft list table inet web)"
    nft flush chain inet web input
    web converges <body
    nft add table ip others
    web is_in_sync <body
    is "$(nft list tables)" $'table inet web\ntable ip others'
}

@test "all tables are one transaction, and one that the kernel refuses fails alone, with its line" {
    cat >site.yaml <<'END'
resources:
  - nft_table: ip a
    content: chain c { }
  - nft_table: ip b
    content: |
      chain c {
        accept
        tcp dport nonsense accept
      }
  - nft_table: ip6 c
END
    run rhost apply site.yaml
    status_is 4
    says 'failed: content: the kernel does not take it: line 3: '
    is "$(nft list tables)" $'table ip a\ntable ip6 c'
    sed -i '/nonsense/d' site.yaml
    run rhost apply -vv --detailed-exitcodes site.yaml
    status_is 2
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    is "$(nft list tables | wc -l)" 3
}

@test "the file for the next boot has the table, and loads it anew" {
    cat >body <<END
file: $work/web.nft
content: |
  chain input { tcp dport ssh accept; }
END
    web converges <body
    nft flush ruleset
    nft -f web.nft
    nft -f web.nft
    web is_in_sync <body
    is "$(mode_of web.nft)" 644
    echo more >>web.nft
    web converges <body
    not grep -q more web.nft
    web converges <<END
file: $work/web.nft
ensure: absent
END
    [ ! -e web.nft ]
    web run apply <body
    nft flush ruleset
    web run apply --noop --detailed-exitcodes <<END
file: $work/web.nft
ensure: absent
END
    status_is 2
    web converges <<END
file: $work/web.nft
ensure: absent
END
    [ ! -e web.nft ]
    echo 'include "/etc/more"' >nftables.conf
    for noop in --noop ''; do
        # shellcheck disable=SC2086 # perhaps none
        web run apply $noop <<END
file: $work/nftables.conf
content: chain c { }
END
        status_is 4
        says "'$work/nftables.conf' has something else than this table, and is not replaced"
    done
    is "$(nft list tables)" ''
    web is_in_sync <<END
file: $work/nftables.conf
ensure: absent
END
    is "$(cat nftables.conf)" 'include "/etc/more"'
    mkdir home
    chown daemon home
    web run apply <<END
file: $work/home/web.nft
content: chain c { }
END
    status_is 4
    says 'is not safe: its owner is user 1'
    web fails "file: without 'content' there is nothing to write" <<<"file: $work/web.nft"
}

@test "what would be more than a table is refused before anything is done" {
    nft add table ip kept
    for wrong in '"} ; flush ruleset ; table inet x {"' '"chain c {"' '"chain c { } }"' $'"chain c {\n  accept comment \\"x\n}"' \
        '"include \"/etc/passwd\""' '"chain c { }\n  include \"x\""'; do
        web run apply <<<"content: $wrong"
        status_is 1
        says 'content: '
    done
    one 'nft_table: inet a; flush ruleset' -- run apply </dev/null
    status_is 1
    one 'nft_table: -f' -- run apply </dev/null
    status_is 1
    is "$(nft list tables)" 'table ip kept'
}

@test "undo puts back the rules that were there, and removes a table that was not" {
    nft -f - <<<'table inet web { chain input { tcp dport 22 accept; }; }'
    cat >site.yaml <<'END'
resources:
  - nft_table: inet web
    content: chain input { drop; }
  - nft_table: ip new
END
    run rhost apply site.yaml
    status_is 0
    run rhost undo last
    status_is 0
    is "$(nft list ruleset)" $'table inet web {\n\tchain input {\n\t\ttcp dport 22 accept\n\t}\n}'
}

# The rules of the chain c of the table "ip own".
own() {
    nft list chain ip own c | sed -n 's/^\t\t//p'
}

@test "the rules of nft_rule stay in the same transaction, and an undo keeps them" {
    cat >site.yaml <<'END'
resources:
  - {nft_table: ip own, content: 'chain c { reject; }'}
  - {nft_rule: ip own c last, rule: tcp dport 9 accept}
  - {nft_rule: ip own c one, rule: tcp dport 1 accept, position: first}
  - {nft_rule: ip own c two, rule: 'tcp dport { 2, 3 } counter accept', position: first}
END
    run rhost apply site.yaml
    status_is 0
    rules=$'tcp dport { 2, 3 } counter packets 0 bytes 0 accept comment "two"\ntcp dport 1 accept comment "one"\n'
    is "$(own)" "$rules"$'reject\ntcp dport 9 accept comment "last"'
    sed -i 's/reject/drop/' site.yaml
    run rhost apply --detailed-exitcodes -vv site.yaml
    status_is 2
    says_not 'nft_rule: set'
    is "$(own)" "$rules"$'drop\ntcp dport 9 accept comment "last"'
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    sed -i 's/drop/accept/' site.yaml
    run rhost apply site.yaml
    status_is 0
    run rhost undo last
    status_is 0
    is "$(own)" "$rules"$'drop\ntcp dport 9 accept comment "last"'
    sed -i 's/accept;/drop;/; /c one/d' site.yaml
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    says_not 'nft_rule'
    not grep -q one <<<"$(own)"
    sed -i 's/drop;/tcp dport nonsense drop;/' site.yaml
    run rhost apply site.yaml
    status_is 4
    says 'content: the kernel does not take it: line 1: '
}

@test "all tables are listed, and the list changes nothing" {
    nft -f - <<'END'
table inet web {
	comment "ours"
	flags dormant
	map m { type inet_service : verdict; elements = { 22 : accept, 23 : drop }; }
	counter hits { }
	chain input { type filter hook input priority filter; policy accept; tcp dport vmap @m; counter name hits comment "a \# b"; }
}
table bridge b { chain c { } ; }
END
    run rhost resource --format=yaml nft_table
    status_is 0
    printf '%s\n' "$output" >list.yaml
    says '- nft_table: "bridge b"'
    run rhost apply --noop --detailed-exitcodes list.yaml
    status_is 0
    { nft list table bridge b && nft list table inet web; } >before
    rm -rf "$BATS_TEST_TMPDIR/state"
    nft flush ruleset
    run rhost apply list.yaml
    status_is 0
    nft list ruleset | diff before -
}

@test "what cannot be looked at, without the program, is said, and nothing is lost" {
    web run apply <<<'content: chain c { }'
    status_is 0
    export RHOST_ISOLATION
    run unshare --mount sh -c 'mount --bind /dev/null "$(command -v nft)" && exec "$@"' sh "$RHOST" apply \
        --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" "$BATS_TEST_TMPDIR/site.yaml"
    says 'nft'
    [ "$status" -ne 0 ]
    is "$(nft list tables)" 'table inet web'
}

@test "the example of the page works, and a second run finds nothing to do" {
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/nft_table/nft_table.md" >page.yaml
    run rhost apply page.yaml
    status_is 0
    run rhost apply --detailed-exitcodes page.yaml
    status_is 0
}
