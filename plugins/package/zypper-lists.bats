#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Packages by zypper: many of them, lists of them, and the lists of repositories.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/zypper-machine.bash"

@test "fifty packages are one transaction" {
    packages 1 --debug "package: [$(echo rt-n{01..50} | tr ' ' ,)]"
    status_is 0
    says '50 changed'
    [ "$(transactions)" -eq 1 ]
    [ "$(inside rpm -qa 2>/dev/null | grep -c '^rt-n')" -eq 50 ]
    [ "$(grep -c "Executing 'rpm -q" <<<"$output")" -le 4 ]
    [ "$(grep -c "Executing 'zypper" <<<"$output")" -le 3 ]
    run rhost apply --debug --detailed-exitcodes site.yaml
    status_is 0
    [ "$(grep -c "Executing 'zypper" <<<"$output")" -eq 0 ]
}

@test "all packages are listed with their locks, and the list applied back is no change" {
    zypper_does install rt-top rt-late rt-one
    zypper_does addlock rt-one
    rhost resource --provider=zypper package >list.yaml
    grep -q 'package: rt-lib' list.yaml
    grep -q 'version: "1:1.0-1"' list.yaml
    grep -A 9 'package: rt-one' list.yaml | grep -q 'held: true'
    run rhost apply --noop --detailed-exitcodes list.yaml
    status_is 0
    says '4 ok'
}

@test "versions with an epoch are the later ones, and are said with it" {
    packages 0 'package: rt-late, version: 9.0-1'
    status_is 0
    packages 1 --noop 'package: rt-late, version: latest'
    says '9.0-1 → 1:1.0-1'
    packages 0 'package: rt-late, version: latest'
    status_is 0
    packages 1 --detailed-exitcodes 'package: rt-late, version: "1:1.0-1"'
    status_is 0
}

@test "the package lists are brought up to date when that is asked for" {
    packages 0 'package: rt-one'
    status_is 0
    cp -r "$repo" "$work/newer"
    repo=$work/newer package rt-one 1.2 </dev/null
    createrepo_c -q "$work/newer"
    repository_is "dir://$work/newer"
    packages 0 'package: rt-one, version: latest, refresh: 86400'
    status_is 0
    [ "$(version_of rt-one)" = 1.1-1 ]
    packages 0 'package: rt-one, version: latest, refresh: true'
    status_is 0
    [ "$(version_of rt-one)" = 1.2-1 ]
}
