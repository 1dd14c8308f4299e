#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Certificates of hosts: an authority, enrolment, and what is revoked.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/agent.bash"

setup() {
    agent_setup
    [ -x "$abs_top_builddir/core/rhost-fleet" ] || skip "built without libcrypto or a database"
    requires_command openssl
    fleet authority ca
    status_is 0
}

teardown() {
    agent_teardown
}

fleet() {
    run "$abs_top_builddir/rhost" fleet "$@"
}

@test "an authority is for its owner only, and is made once" {
    is "$(stat -c %a ca ca/ca.key ca/ca.pem ca/crl.pem ca/revoked | tr '\n' ' ')" '700 600 644 644 644 '
    openssl x509 -in ca/ca.pem -noout -text | grep -q 'CA:TRUE, pathlen:0'
    cp ca/ca.key before
    fleet authority ca
    status_is 1
    says "there is an authority in 'ca' already"
    cmp before ca/ca.key
}

@test "a host gets a certificate for its name, and for nothing else" {
    mkdir out
    fleet enrol web1.example.org --ca=ca -o out
    status_is 0
    is "$output" out/web1.example.org.pem
    is "$(stat -c %a out/web1.example.org.key)" 600
    openssl verify -CAfile ca/ca.pem -purpose sslclient out/web1.example.org.pem
    run openssl verify -CAfile ca/ca.pem -purpose sslserver out/web1.example.org.pem
    [ "$status" -ne 0 ]
    run openssl x509 -in out/web1.example.org.pem -noout -subject -ext subjectAltName -enddate
    says 'CN = web1.example.org'
    says 'DNS:web1.example.org'
    is "$(openssl x509 -in out/web1.example.org.pem -noout -pubkey)" "$(openssl pkey -in out/web1.example.org.key -pubout)"
}

@test "of a request only the key counts, and it must be signed with it" {
    openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout web2.key -out web2.csr \
        -subj '/O=thief/CN=web1' -addext 'subjectAltName=DNS:web1' -addext 'basicConstraints=CA:TRUE' 2>/dev/null
    fleet enrol web2 --ca=ca --request=web2.csr
    status_is 0
    [ "$(openssl x509 -in web2.pem -noout -subject)" = 'subject=CN = web2' ]
    run openssl x509 -in web2.pem -noout -text
    says 'CA:FALSE'
    says_not web1
    openssl req -in web2.csr -outform DER -out web2.der
    python3 -c 'd = bytearray(open("web2.der", "rb").read()); d[-1] ^= 1; open("web2.der", "wb").write(d)'
    openssl req -inform DER -in web2.der -out bad.csr 2>/dev/null || openssl base64 -in web2.der | sed '1i-----BEGIN CERTIFICATE REQUEST-----' | sed '$a-----END CERTIFICATE REQUEST-----' >bad.csr
    fleet enrol web3 --ca=ca --request=bad.csr
    status_is 4
    says 'cannot use the request'
    [ ! -e web3.pem ]
    openssl req -new -newkey rsa:1024 -nodes -keyout weak.key -out weak.csr -subj /CN=x 2>/dev/null
    fleet enrol web3 --ca=ca --request=weak.csr
    status_is 1
    says 'is too weak'
}

@test "names that could mean something else are refused" {
    local name
    for name in '*' Web1 ../x .x x. a..b 'a b' 'a,DNS:b' "$(printf 'x%.0s' {1..65})" 'a>' ''; do
        fleet enrol "$name" --ca=ca
        status_is 1
        says 'the name of a host must have'
    done
    fleet enrol web1
    status_is 1
    says "'rhost fleet enrol' needs --ca=DIR"
    fleet enrol web1 --ca=none
    [ "$status" -ne 0 ]
    says "'rhost fleet authority DIR' makes an authority"
    fleet revoke web1 --ca=ca
    status_is 1
    says "host 'web1' has no certificate that could be revoked"
}

@test "what is revoked stays revoked, and a host can be enrolled again" {
    mkdir first second
    fleet enrol web1 --ca=ca -o first
    fleet enrol xweb1 --ca=ca -o first
    fleet revoke web1 --ca=ca
    status_is 0
    says "1 certificate of 'web1' revoked"
    fleet revoke xweb1 --ca=ca
    is "$(cat ca/revoked)" $'web1\nxweb1'
    cat ca/ca.pem ca/crl.pem >both
    run openssl verify -crl_check -CAfile both first/web1.pem
    says 'certificate revoked'
    fleet enrol web1 --ca=ca -o second
    is "$(cat ca/revoked)" xweb1
    openssl verify -crl_check -CAfile both second/web1.pem
    run openssl verify -crl_check -CAfile both first/web1.pem
    says 'certificate revoked'
    openssl crl -in ca/crl.pem -CAfile ca/ca.pem -noout
}

@test "the collector takes no report of a host that was revoked" {
    [ -x "$abs_top_builddir/core/rhost-collect" ] || skip 'needs rhost-collect'
    source "$abs_top_srcdir/tests/cli/reports.bash"
    fleet enrol web1 --ca=ca
    report web1 1 ok
    collect --revoked=ca/revoked
    status_is 0
    fleet revoke web1 --ca=ca
    report web1 2 ok
    report web2 1 ok
    collect --revoked=ca/revoked
    status_is 4
    says '1 stored, 1 in quarantine'
    grep -q 'the certificate of its host was revoked' reports/.quarantine/web1/*.reason
    collect --revoked=none
    status_is 4
    says "cannot read the revoked hosts in 'none'"
}

@test "the web server takes reports of an enrolled host, and none after it was revoked" {
    requires_command nginx
    local name
    name=$(uname -n)
    cp ca/ca.pem ca/ca.key .
    server_certificate server localhost
    fleet enrol "$name" --ca=ca
    status_is 0
    mv "$name.pem" client.pem
    mv "$name.key" client.key
    revision 1
    channel --to=1
    server_start "ssl_crl $PWD/ca/crl.pem;"
    server_settings "reports: https://localhost:$port/reports"
    cycle
    status_is 0
    spool_is ''
    fleet revoke "$name" --ca=ca
    status_is 0
    server_stop
    server_start "ssl_crl $PWD/ca/crl.pem;"
    cycle
    [ "$status" -ne 0 ]
    says 'the server answered with status 400'
    made 'revision 1'
    [ "$(spool)" != '' ]
}
