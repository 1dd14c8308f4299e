#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/nft_table/network.bash"

setup() {
    work_open
    network_open
    nft -f "$abs_top_srcdir/plugins/nft_rule/nft_rule.nft"
}

teardown() {
    network_close
}

# The rule "let it in" of the chain input, whose other attributes stand on standard input.
rule() {
    one 'nft_rule: inet rhost_check input let it in' -- "$@"
}

# The rules of the chain input.
rules() {
    nft list chain inet rhost_check input | sed -n 's/^\t\t//p' | sed 1d
}

# bats test_tags=inline
@test "a rule is added, replaced in its place, and removed" {
    nft add rule inet rhost_check input tcp dport 1 drop
    rule run apply --noop <<<'rule: tcp dport ssh accept'
    status_is 0
    is "$(rules)" 'tcp dport 1 drop'
    rule converges <<<'rule: tcp dport ssh accept'
    nft add rule inet rhost_check input tcp dport 2 drop
    is "$(rules)" $'tcp dport 1 drop\ntcp dport 22 accept comment "let it in"\ntcp dport 2 drop'
    rule converges <<<'rule: "tcp dport { https, ssh } counter accept"'
    is "$(rules | sed 's/packets [0-9]* bytes [0-9]* //')" $'tcp dport 1 drop\ntcp dport { 22, 443 } counter accept comment "let it in"\ntcp dport 2 drop'
    rule is_in_sync <<<'rule: "tcp dport  { https, ssh }   counter accept"'
    rule is_in_sync </dev/null
    rule run apply --noop <<<'ensure: absent'
    status_is 0
    rule converges <<<'ensure: absent'
    is "$(rules)" $'tcp dport 1 drop\ntcp dport 2 drop'
    rule is_in_sync <<<'ensure: absent'
}

@test "a new rule comes first where that is said, and many keep their order in one transaction" {
    nft add rule inet rhost_check input drop
    {
        echo 'resources:'
        for i in 1 2 3; do echo "  - {nft_rule: inet rhost_check input r$i, rule: tcp dport $i accept}"; done
        echo '  - {nft_rule: inet rhost_check input before, rule: iif lo accept, position: first}'
        echo '  - {nft_rule: inet rhost_check output out, rule: accept}'
    } >site.yaml
    run rhost apply -vv --detailed-exitcodes site.yaml
    status_is 2
    says 'nft_rule: set, 5 changes'
    is "$(rules | sed 's/.*comment //')" $'"before"\ndrop\n"r1"\n"r2"\n"r3"'
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "where a rule is refused, its chain is left as it is, and other chains are changed" {
    cat >site.yaml <<'END'
resources:
  - {nft_rule: inet rhost_check input one, rule: tcp dport 1 accept}
  - {nft_rule: inet rhost_check input two, rule: nonsense}
  - {nft_rule: inet rhost_check nowhere three, rule: accept}
  - {nft_rule: inet rhost_check output four, rule: tcp dport 4 accept}
  - {nft_rule: inet rhost_check input five, rule: drop}
END
    run rhost apply site.yaml
    status_is 4
    says '5 resources: 1 changed, 4 failed'
    says 'failed: rule: the kernel does not take it: syntax error'
    says "failed: chain 'inet rhost_check nowhere' does not exist"
    is "$(grep -c 'another rule of the chain was refused: nothing of it is changed' <<<"$output")" 2
    is "$(rules)" ''
    nft list chain inet rhost_check output | grep -q 'tcp dport 4 accept comment "four"'
    sed -i 's/, rule: nonsense//; /nowhere/d' site.yaml
    run rhost apply site.yaml
    status_is 4
    says "failed: rule: a rule that is not there yet needs it"
    is "$(grep -c 'another rule of the chain was refused: nothing of it is changed' <<<"$output")" 2
    is "$(rules)" ''
    sed -i '/input two/d' site.yaml
    run rhost apply site.yaml
    status_is 0
    is "$(rules)" $'tcp dport 1 accept comment "one"\ndrop comment "five"'
}

@test "somebody's change is found, and put right in its place" {
    rule converges <<<'rule: tcp dport ssh accept'
    nft add rule inet rhost_check input tcp dport 2 drop
    handle=$(nft -a list chain inet rhost_check input | sed -n 's/.*let it in.*handle //p')
    nft replace rule inet rhost_check input handle "$handle" tcp dport 23 accept comment '"let it in"'
    rule run apply --noop <<<'rule: tcp dport ssh accept'
    says "rule  something else has changed it, first in 'tcp dport 23 accept'"
    rule converges <<<'rule: tcp dport ssh accept'
    is "$(rules)" $'tcp dport 22 accept comment "let it in"\ntcp dport 2 drop'
    nft flush chain inet rhost_check input
    rule converges <<<'rule: tcp dport ssh accept'
}

@test "a table of the same manifest comes first, and leaves the rule alone" {
    cat >site.yaml <<'END'
resources:
  - {nft_rule: ip own c it, rule: accept}
  - {nft_table: ip own, content: 'chain c { drop; }'}
END
    run rhost apply site.yaml
    status_is 0
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    nft list table ip own | grep -q 'accept comment "it"'
    sed -i 's/drop;/reject;/' site.yaml
    run rhost apply site.yaml
    status_is 0
    is "$(nft list table ip own | sed -n 's/^\t\t//p')" $'reject\naccept comment "it"'
    sed -i /nft_rule/d site.yaml
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    is "$(nft list table ip own | sed -n 's/^\t\t//p')" reject
}

@test "two rules with one comment are not told apart, and nothing is done to them" {
    nft add rule inet rhost_check input tcp dport 1 accept comment '"let it in"'
    nft add rule inet rhost_check input tcp dport 2 accept comment '"let it in"'
    for ensure in present absent; do
        rule run apply <<<$'rule: tcp dport 22 accept\nensure: '"$ensure"
        status_is 4
        says 'several rules of the chain have the comment'
    done
    is "$(rules | wc -l)" 2
}

@test "what would be more than a rule is refused before anything is done" {
    for wrong in 'accept; flush ruleset' 'accept } ; table x {' '"accept\nflush ruleset"' 'accept comment "x' 'meta mark set {' 'accept # more'; do
        rule run apply <<<"rule: '$wrong'"
        [ "$wrong" != '"accept\nflush ruleset"' ] || rule run apply <<<"rule: $wrong"
        status_is 1
        says 'rule: '
    done
    one "nft_rule: 'inet rhost_check input x\" ; flush ruleset'" -- run apply <<<'rule: accept'
    status_is 1
    one 'nft_rule: inet rhost_check' -- run apply <<<'rule: accept'
    status_is 1
    is "$(rules)" ''
}

@test "undo puts back what was there, and the list of all rules changes nothing" {
    nft add rule inet rhost_check input tcp dport 7 accept comment '"let it in"'
    nft add rule inet rhost_check output ip daddr 192.0.2.1 drop comment '"a # b { c"'
    run rhost resource --format=yaml nft_rule
    status_is 0
    printf '%s\n' "$output" >list.yaml
    says '- nft_rule: "inet rhost_check input let it in"'
    run rhost apply --noop --detailed-exitcodes list.yaml
    status_is 0
    rule run apply <<<'rule: drop'
    status_is 0
    run rhost undo last
    status_is 0
    is "$(rules)" 'tcp dport 7 accept comment "let it in"'
}

@test "a thousand rules are one transaction, and cost what they should" {
    { echo 'resources:'; for i in $(seq 1000); do echo "  - {nft_rule: inet rhost_check input r$i, rule: ip saddr 10.1.$((i / 250)).$((i % 250)) accept}"; done; } >site.yaml
    run rhost apply -vv site.yaml
    status_is 0
    says 'nft_rule: set, 1000 changes'
    is "$(rules | wc -l)" 1000
    run rhost apply --debug --detailed-exitcodes site.yaml
    status_is 0
    is "$(grep -c "Executing 'nft" <<<"$output")" 1
}

@test "the example of the page works, and a second run finds nothing to do" {
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/nft_rule/nft_rule.md" >page.yaml
    run rhost apply page.yaml
    status_is 0
    run rhost apply --detailed-exitcodes page.yaml
    status_is 0
}
