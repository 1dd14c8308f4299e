#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

setup() {
    work_open
    openssl genpkey -algorithm ED25519 -out a.key
}

# The certificate a.pem for a.key, whose other attributes stand on standard input.
certificate() {
    one "x509_certificate: $work/a.pem" "key: $work/a.key" -- "$@"
}

# issued FILE KEY SUBJECT FROM UNTIL: a self-signed certificate for a CA, with times such as "2 days ago".
issued() {
    mkdir -p demo
    : >demo/index.txt
    printf '%s\n' '[ca]' 'default_ca = x' '[x]' 'database = demo/index.txt' 'new_certs_dir = demo' 'policy = any' 'rand_serial = yes' \
        'default_md = sha256' 'x509_extensions = v3' '[any]' 'organizationName = optional' 'commonName = optional' \
        '[v3]' 'basicConstraints = critical,CA:TRUE' 'subjectKeyIdentifier = hash' '[req]' 'distinguished_name = dn' '[dn]' >demo/conf
    openssl req -new -config demo/conf -key "$2" -subj "$3" -out demo/csr
    openssl ca -batch -config demo/conf -selfsign -keyfile "$2" -in demo/csr -out "$1" -notext \
        -startdate "$(date -u -d "$4" +%Y%m%d%H%M%SZ)" -enddate "$(date -u -d "$5" +%Y%m%d%H%M%SZ)" 2>/dev/null
}

# ca_open DAYS: a CA that expires in so many days.
ca_open() {
    [ -e ca.key ] || openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ca.key
    issued ca.pem ca.key "/O=Example/CN=Example CA" '3 days ago' "$1 days"
}

by_ca() {
    one "x509_certificate: $work/a.pem" "ca_certificate: $work/ca.pem" "ca_key: $work/ca.key" -- "$@"
}

field() {
    openssl x509 -in "${2-a.pem}" -noout "-$1"
}

text() {
    openssl x509 -in a.pem -noout -text
}

# Days from now until it expires.
days_left() {
    echo $((($(date -d "$(field enddate | cut -d= -f2)" +%s) - $(date +%s) + 3600) / 86400))
}

# bats test_tags=inline
@test "a self-signed certificate is made once, and openssl verifies it" {
    certificate converges <<'END'
subject: {O: Example, CN: www.example.org}
subject_alt_names: [www.example.org, 192.0.2.1]
extended_key_usage: [serverAuth]
END
    openssl verify -CAfile a.pem -purpose sslserver -verify_hostname www.example.org a.pem
    openssl verify -CAfile a.pem -verify_ip 192.0.2.1 a.pem
    is "$(field subject)" 'subject=O = Example, CN = www.example.org'
    is "$(field issuer)" 'issuer=O = Example, CN = www.example.org'
    is "$(days_left)" 365
    is "$(mode_of a.pem)" 644
    openssl x509 -in a.pem -noout -pubkey | diff <(openssl pkey -in a.key -pubout) -
    serial=$(field serial)
    [ "${#serial}" -ge 37 ]
    run rhost resource x509_certificate "$work/a.pem"
    status_is 0
    says "${serial#*=}"
    says "$(openssl x509 -in a.pem -outform DER | sha256sum | cut -d' ' -f1)"
    rhost resource x509_certificate "$work/a.pem" >shown.yaml
    run rhost apply --detailed-exitcodes shown.yaml
    status_is 0
    # Another one has another serial number.
    certificate run apply <<<'action: renew'
    status_is 0
    [ "$(field serial)" != "$serial" ]
    is "$(field subject)" 'subject=O = Example, CN = www.example.org'
}

@test "it is renewed before it expires, and when what is stated or its key differs" {
    certificate converges <<'END'
subject: {CN: a}
validity: 40 days
END
    serial=$(field serial)
    certificate is_in_sync <<<'renew_before: 39 days'
    certificate run apply --noop <<'END'
renew_before: 41 days
validity: 50 days
END
    status_is 0
    says 'it is valid until'
    is "$(field serial)" "$serial"
    certificate converges <<'END'
renew_before: 6 weeks
validity: 50 days
END
    is "$(days_left)" 50
    is "$(field subject)" 'subject=CN = a'
    # One that has expired, made in another way.
    issued a.pem a.key /CN=old '3 days ago' '1 day ago'
    certificate converges </dev/null
    is "$(days_left) $(field subject)" '365 subject=CN = old'
    certificate converges <<<'subject: {CN: new}'
    is "$(field subject)" 'subject=CN = new'
    openssl genpkey -algorithm ED25519 -out a.key
    certificate run apply --noop </dev/null
    says "it was issued for another key than '$work/a.key'"
    certificate converges </dev/null
    openssl verify -CAfile a.pem a.pem
    is "$(field subject)" 'subject=CN = new'
    cp a.pem kept
    certificate converges <<<'mode: 0600'
    cmp a.pem kept
    is "$(mode_of a.pem)" 600
}

@test "an own CA issues it, with the chain behind it, and another CA issues it anew" {
    ca_open 3650
    by_ca converges <<END
key: $work/a.key
subject: {CN: www.example.org}
subject_alt_names: [www.example.org]
chain: [$work/ca.pem]
END
    openssl verify -CAfile ca.pem -verify_hostname www.example.org a.pem
    is "$(field issuer)" 'issuer=O = Example, CN = Example CA'
    is "$(grep -c BEGIN a.pem)" 2
    text | grep -A1 'Authority Key Identifier' | grep -q "$(openssl x509 -in ca.pem -noout -ext subjectKeyIdentifier | tail -n 1 | xargs)"
    cp a.pem kept
    by_ca converges <<END
key: $work/a.key
chain: []
END
    is "$(grep -c BEGIN a.pem)" 1
    head -n "$(wc -l <a.pem)" kept | cmp a.pem -
    # Nobody gets a self-signed one by leaving the CA out.
    cp a.pem kept
    certificate run apply <<<'subject: {CN: other}'
    status_is 4
    says 'a CA has issued the certificate (O = Example, CN = Example CA)'
    cmp a.pem kept
    # The CA with the same name and another key.
    rm ca.key
    ca_open 3650
    by_ca run apply --noop <<<"key: $work/a.key"
    says 'it was issued by O = Example, CN = Example CA'
    by_ca converges <<<"key: $work/a.key"
    openssl verify -CAfile ca.pem a.pem
}

# bats test_tags=inline
@test "a request says what is issued; what asks for a CA gets one only where that is stated" {
    ca_open 3650
    openssl req -new -key a.key -subj /O=Example/CN=asked -addext subjectAltName=DNS:asked.example.org \
        -addext keyUsage=critical,digitalSignature -addext 1.2.3.4=ASN1:UTF8String:x -out a.csr
    by_ca converges <<<"request: $work/a.csr"
    openssl verify -CAfile ca.pem -verify_hostname asked.example.org a.pem
    is "$(field subject)" 'subject=O = Example, CN = asked'
    text | not grep -q 1.2.3.4
    openssl req -new -key a.key -subj /CN=other -out a.csr
    by_ca run apply --noop <<<"request: $work/a.csr"
    says "it is not what '$work/a.csr' asks for"
    by_ca converges <<<"request: $work/a.csr"
    is "$(field subject)" 'subject=CN = other'
    cp a.pem kept
    openssl req -new -key a.key -subj /CN=ca -addext basicConstraints=critical,CA:TRUE -out a.csr
    by_ca run apply <<<"request: $work/a.csr"
    status_is 4
    says "request: '$work/a.csr' asks for the certificate of a CA: 'ca: true' would issue it"
    cmp a.pem kept
    by_ca converges <<END
request: $work/a.csr
ca: true
END
    text | grep -q CA:TRUE
    # Self-signed, of a request.
    rm a.pem
    certificate converges <<END
request: $work/a.csr
ca: true
END
    openssl verify -CAfile a.pem a.pem
    openssl req -new -newkey ed25519 -nodes -keyout b.key -subj /CN=x -out a.csr
    certificate fails "'$work/a.csr' was made for another key than '$work/a.key'" <<<"request: $work/a.csr"
}

@test "a whole CA is one manifest, of which a dry run knows that the files will exist" {
    cat >site.yaml <<END
resources:
  - x509_key: $work/root.key
    passphrase: hush-hush-hush
  - x509_certificate: $work/root.pem
    key: $work/root.key
    passphrase: hush-hush-hush
    subject: {CN: Root}
    ca: true
    validity: 3650 days
  - x509_key: $work/sub.key
  - x509_certificate: $work/sub.pem
    key: $work/sub.key
    ca_certificate: $work/root.pem
    ca_key: $work/root.key
    ca_passphrase: hush-hush-hush
    subject: {CN: Sub}
    ca: true
    path_length: 0
    validity: 1000 days
  - x509_certificate: $work/leaf.pem
    key: $work/a.key
    ca_certificate: $work/sub.pem
    ca_key: $work/sub.key
    subject: {CN: leaf}
    chain: [$work/sub.pem]
    validity: 2000 days
END
    run rhost apply --noop site.yaml
    status_is 0
    says '5 would change'
    run rhost apply -v -v --diff --report report.json site.yaml
    status_is 0
    says_not hush-hush
    not grep -rq hush-hush "$BATS_TEST_TMPDIR/state" report.json
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    openssl verify -x509_strict -CAfile root.pem -untrusted sub.pem leaf.pem
    # Not longer than the CA.
    is "$(field enddate leaf.pem)" "$(field enddate sub.pem)"
}

@test "a CA that cannot sign issues nothing, and what is there stays" {
    ca_open 3650
    by_ca converges <<<"key: $work/a.key"
    cp ca.pem good.pem
    cp ca.key good.key
    while IFS='|' read -r command said; do
        cp good.pem ca.pem
        cp good.key ca.key
        eval "$command"
        cp a.pem kept
        by_ca run apply <<END
key: $work/a.key
subject: {CN: changed}
END
        status_is 4
        says "$said"
        cmp a.pem kept
    done <<END
issued ca.pem ca.key /CN=x '3 days ago' '1 day ago'|ca_certificate: the CA certificate '$work/ca.pem' has expired
ca_open 20|the CA certificate '$work/ca.pem' expires within 'renew_before'
cp kept ca.pem|is not one of a CA
echo x >ca.pem|cannot read a certificate in PEM from '$work/ca.pem'
head -c 300 ca.pem >half; mv half ca.pem|cannot read a certificate in PEM from '$work/ca.pem'
rm ca.pem|ca_certificate: '$work/ca.pem' does not exist
END
    cp good.pem ca.pem
    cp a.key ca.key
    by_ca run apply <<END
key: $work/a.key
subject: {CN: changed}
END
    status_is 4
    says "ca_key: it is not the key of the CA certificate '$work/ca.pem'"
    rm ca.key
    by_ca run apply <<END
key: $work/a.key
subject: {CN: changed}
END
    status_is 4
    says "ca_key: '$work/ca.key' does not exist"
    cmp a.pem kept
}

@test "what is no certificate stays, and nobody can write where the disk is full" {
    echo nonsense >a.pem
    certificate fails "cannot read a certificate in PEM from '$work/a.pem'" </dev/null
    cp a.key a.pem
    certificate fails "cannot read a certificate in PEM from '$work/a.pem'" </dev/null
    rm a.pem
    one "x509_certificate: $work/a.pem" -- run apply </dev/null
    status_is 4
    says "'key' or 'request' is required to issue a certificate"
    requires_root
    requires_command unshare
    mkdir full
    certificate run apply <<<'subject: {CN: former}'
    printf 'resources:\n  - x509_certificate: %s/full/a.pem\n    key: %s/a.key\n    subject: {CN: new}\n' "$work" "$work" >full.yaml
    export RHOST_ISOLATION
    run unshare -m sh -c 'mount -t tmpfs -o size=8k tmpfs full && cp a.pem full && head -c 4096 /dev/zero >full/zeros
"$@" apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" full.yaml
echo "status $? $(ls -A full | xargs) $(cmp a.pem full/a.pem)"' sh "$abs_top_builddir/rhost"
    says 'No space left on device'
    says 'status 4 a.pem zeros'
}

@test "undo removes what was made, and restores the former certificate" {
    certificate run apply <<<'subject: {CN: first}'
    cp a.pem kept
    certificate run apply <<<'subject: {CN: second}'
    run rhost undo last
    status_is 0
    cmp a.pem kept
    rm a.pem
    certificate run apply <<<'subject: {CN: first}'
    run rhost undo last
    status_is 0
    [ ! -e a.pem ]
}

@test "mistakes are named" {
    while IFS='|' read -r wanted said; do
        certificate run apply < <(tr ';' '\n' <<<"$wanted")
        status_is 1
        says "$said"
    done <<'END'
request: /a.csr;subject: {CN: a}|'request' says 'subject'
ca_certificate: /ca.pem|'ca_certificate' and 'ca_key' need each other
renew_before: 52 weeks;validity: 30 days|'renew_before' must be shorter than 'validity'
validity: 1 year|validity
validity: 0 days|validity
END
}
