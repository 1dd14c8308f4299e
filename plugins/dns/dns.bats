#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A name server of our own, in a network of its own.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

setup() {
    work_open
    requires_root
    unshare -mn true 2>/dev/null || skip "needs a network of its own"
    cat >inside <<END
#!/bin/bash
# With a name server at port 53, which /etc/resolv.conf names, and at port 5353 of IPv6.
ip link set lo up 2>/dev/null || ifconfig lo up
mount --bind $work/resolv.conf "\$(readlink -f /etc/resolv.conf)" || exit
rm -f $work/ready $work/ready6
python3 $abs_top_srcdir/plugins/dns/server 53 >$work/ready & servers=\$!
python3 $abs_top_srcdir/plugins/dns/server 5353 ::1 >$work/ready6 & servers="\$servers \$!"
for i in {1..200}; do [ -s $work/ready ] && [ -s $work/ready6 ] && break; sleep 0.05; done
"\${RHOST:-$abs_top_builddir/rhost}" "\$@"
status=\$?
kill \$servers
exit \$status
END
    chmod +x inside
    echo 'nameserver 127.0.0.1' >resolv.conf
}

# asked EXPRESSION: what it gives
asked() {
    printf 'resources:\n  - file: %s/out\n    content: ${%s}\n' "$work" "$1" >site.yaml
    rm -f out
    run unshare -mn ./inside apply --state-dir state site.yaml
}

gives() {
    asked "json($1)"
    status_is 0
    is "$(cat out)" "$2"
}

fails() {
    asked "json($1)"
    status_is 1
    says "$2"
}

@test "records of each type, sorted" {
    gives 'lookup("dns", "www.example.org")' '["192.0.2.10", "192.0.2.20"]'
    gives 'lookup("dns", "www.example.org", {type = "AAAA"})' '["2001:db8::10"]'
    gives 'lookup("dns", "example.org", {type = "MX"})' '["10 a.example.org", "20 b.example.org"]'
    gives 'lookup("dns", "example.org", {type = "NS"})' '["ns1.example.org", "ns2.example.org"]'
    gives 'lookup("dns", "example.org", {type = "TXT"})' '["site=berlin", "v=spf1 -all"]'
    gives 'lookup("dns", "example.org", {type = "CAA"})' '["0 issue \"ca.example.net\""]'
    gives 'lookup("dns", "_ldap._tcp.example.org", {type = "SRV"})' '["0 5 389 ldap.example.org"]'
}

@test "PTR of an address, and of a name" {
    gives 'lookup("dns", "192.0.2.10", {type = "PTR"})' '["www.example.org"]'
    gives 'lookup("dns", "10.2.0.192.in-addr.arpa", {type = "PTR"})' '["www.example.org"]'
    gives 'lookup("dns", "2001:db8::10", {type = "PTR"})' '["www.example.org"]'
}

@test "a name without such records has no answer" {
    gives 'default(lookup("dns", "nothing.example.org"), "none")' '"none"'
    gives 'default(lookup("dns", "www.example.org", {type = "MX"}), "none")' '"none"'
}

@test "an answer that is too long for UDP is fetched over TCP" {
    gives '#lookup("dns", "many.example.org")' 200
}

@test "another server and port, also of IPv6" {
    gives 'lookup("dns", "www.example.org", {server = "::1", port = 5353})' '["192.0.2.10", "192.0.2.20"]'
    fails 'lookup("dns", "www.example.org", {server = "127.0.0.1", port = 5354, timeout = 1})' \
        "127.0.0.1: cannot ask for 'www.example.org': connection refused"
    fails 'lookup("dns", "www.example.org", {server = "1:2", timeout = 1})' "server '1:2' is not an address"
}

@test "what fails says why" {
    fails 'lookup("dns", "servfail.example.org")' "cannot answer for 'servfail.example.org': server failure (SERVFAIL)"
    fails 'lookup("dns", "refused.example.org")' "refuses to answer for 'refused.example.org' (REFUSED)"
    fails 'lookup("dns", "silent.example.org", {timeout = 1})' "no answer for 'silent.example.org' within 1 seconds"
    fails 'lookup("dns", "slow.example.org", {timeout = 1})' "no answer for 'slow.example.org' within 1 seconds"
    fails 'lookup("dns", "garbage.example.org")' 'cannot read the answer of the name server'
    fails 'lookup("dns", "a..b")' "'a..b' is not a valid name"
    fails 'lookup("dns", "a b")' "parameter 'name'"
    fails 'lookup("dns", "example.org", {type = "AXFR"})' "parameter 'type'"
    echo '# none' >resolv.conf
    gives 'lookup("dns", "www.example.org")' '["192.0.2.10", "192.0.2.20"]'
    echo 'nameserver 127.0.0.9' >resolv.conf
    fails 'lookup("dns", "www.example.org", {timeout = 1})' 'the name servers of /etc/resolv.conf'
}

@test "rhost check has nothing to say" {
    run rhost check "$abs_top_builddir/plugins/.libs/dns.so" --fixture "$abs_top_srcdir/plugins/dns/dns.fixture.yaml"
    status_is 0
}
