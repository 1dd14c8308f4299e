#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

setup() {
    work_open
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out a.key
}

# The request a.csr for a.key, whose other attributes stand on standard input.
request() {
    one "x509_request: $work/a.csr" "key: $work/a.key" -- "$@"
}

text() {
    openssl req -in a.csr -noout -verify -text 2>&1
}

# bats test_tags=inline
@test "openssl finds in the request what the attributes say" {
    request converges <<'END'
subject: {C: CH, O: Example AG, OU: [one, 'two, really'], CN: Käse}
subject_alt_names: [WWW.example.org, 192.0.2.1, '2001:DB8:0::1', 'email:me@example.org', 'URI:https://example.org/a,b']
key_usage: [keyEncipherment, digitalSignature]
extended_key_usage: [clientAuth, 1.3.6.1.5.5.7.3.1, 1.2.3.4.5]
END
    text >text
    grep -q 'verify OK' text
    openssl req -in a.csr -noout -subject -nameopt RFC2253,-esc_msb |
        grep -qx 'subject=CN=Käse,OU=two\\, really,OU=one,O=Example AG,C=CH'
    grep -qx ' *DNS:www.example.org, IP Address:192.0.2.1, IP Address:2001:DB8:0:0:0:0:0:1, email:me@example.org, URI:https://example.org/a,b' text
    grep -qx ' *Digital Signature, Key Encipherment' text
    grep -qx ' *TLS Web Client Authentication, TLS Web Server Authentication, 1.2.3.4.5' text
    grep -qx ' *CA:FALSE' text
    openssl req -in a.csr -noout -pubkey | diff <(openssl pkey -in a.key -pubout) -
    is "$(mode_of a.csr)" 644
    # Orders, and other spellings of the same.
    cp a.csr kept
    request is_in_sync <<'END'
subject: {commonName: Käse, organizationName: [Example AG], OU: [one, 'two, really'], C: CH}
subject_alt_names: ['URI:https://example.org/a,b', 'DNS:www.example.org', 'IP:2001:db8::1', me@example.org, 192.0.2.1]
key_usage: [digitalSignature, keyEncipherment]
extended_key_usage: [serverAuth, clientAuth, 1.2.3.4.5]
END
    # What is shown is a manifest that changes nothing.
    rhost resource x509_request "$work/a.csr" >shown.yaml
    run rhost apply --detailed-exitcodes shown.yaml
    status_is 0
    cmp a.csr kept
}

# bats test_tags=inline
@test "what differs makes it anew, and keeps what is not stated" {
    request converges <<'END'
subject: {CN: a}
subject_alt_names: [a.example.org]
END
    request converges <<'END'
subject_alt_names: [b.example.org]
mode: 0640
END
    text >text
    grep -q 'Subject: CN = a$' text
    grep -qx ' *DNS:b.example.org' text
    is "$(mode_of a.csr)" 640
    request converges <<'END'
ca: true
path_length: 0
END
    text >text
    grep -qx ' *CA:TRUE, pathlen:0' text
    grep -qx ' *DNS:b.example.org' text
    request converges <<<'subject_alt_names: []'
    text | not grep -q 'DNS:'
    cp a.csr kept
    openssl genpkey -algorithm ED25519 -out a.key
    request run apply --noop </dev/null
    status_is 0
    says "it was made for another key than '$work/a.key'"
    cmp a.csr kept
    request converges </dev/null
    text | grep -q 'verify OK'
    text | grep -q 'Signature Algorithm: ED25519'
    cp a.csr kept
    request run apply <<<'ensure: absent'
    [ ! -e a.csr ]
    run rhost undo last
    status_is 0
    cmp a.csr kept
}

@test "an encrypted key needs its passphrase, which is shown nowhere" {
    openssl pkey -in a.key -aes256 -passout pass:hush-hush-hush -out b.key
    mv b.key a.key
    request run apply -v -v --diff --report report.json <<<'passphrase: hush-hush-hush'
    status_is 0
    says_not hush-hush
    not grep -rq hush-hush "$BATS_TEST_TMPDIR/state" report.json a.csr
    request fails 'wrong passphrase' <<<'passphrase: something-else'
    request fails "the private key '$work/a.key' is encrypted: 'passphrase' is required" </dev/null
}

# bats test_tags=inline
@test "a key that is missing, and what is no request, are named" {
    request run apply </dev/null
    printf x >>a.csr
    sed -i '3s/^..../AAAA/' a.csr
    cp a.csr kept
    request run apply </dev/null
    status_is 4
    says "'$work/a.csr'"
    cmp a.csr kept
    echo nothing >a.csr
    request run apply </dev/null
    status_is 4
    says "cannot read a certificate request in PEM from '$work/a.csr'"
    rm a.csr
    one "x509_request: $work/a.csr" -- run apply </dev/null
    status_is 4
    says "key: 'key' is required to make the request"
    rm a.key
    for noop in '' --noop; do
        # shellcheck disable=SC2086 # perhaps none
        request run apply $noop </dev/null
        status_is 4
        says "key: '$work/a.key' does not exist"
    done
    request run apply --noop <<END
digest: sha384
  - x509_key: $work/a.key
END
    status_is 0
    says '2 would change'
    [ ! -e a.csr ]
    request run apply <<END
digest: sha384
  - x509_key: $work/a.key
END
    status_is 0
    text | grep -q 'ecdsa-with-SHA384'
}

@test "mistakes are named" {
    while IFS='|' read -r wanted said; do
        request run apply <<<"$wanted"
        status_is 1
        says "$said"
    done <<'END'
subject: {nonsense: x}|unknown part of a subject 'nonsense'
subject: {CN: a, commonName: b}|duplicate 'CN': state a list of values
subject_alt_names: [a b]|'a b' must be plain ASCII without blanks
subject_alt_names: [käse.example.org]|xn--
subject_alt_names: ['IP:300.1.2.3']|'300.1.2.3' is not an IP address
subject_alt_names: ['RID:1.2.3']|'RID:1.2.3' has no known kind
extended_key_usage: [nonsenseAuth]|unknown purpose 'nonsenseAuth'
path_length: 1|'path_length' is for 'ca: true'
key_usage: [everything]|key_usage
END
    request run apply <<<'subject: {C: Switzerland}'
    status_is 4
    says "subject: invalid value of 'C'"
}
