#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Packages by dnf, in a machine of their own, from a repository of their own. What depends on other packages, or is
# in the way, is in dnf-conflicts.bats and dnf-trouble.bats.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/dnf-machine.bash"

# bats test_tags=inline
@test "many changes are one transaction, and noop showed it" {
    inside dnf -q -y install rt-two rt-one-1.0-1 >/dev/null 2>&1
    cat >site.yaml <<END
resources:
  - package: [rt-top, rt-mailer]
    provider: dnf
  - package: rt-one
    provider: dnf
    version: latest
  - package: rt-two
    provider: dnf
    ensure: absent
END
    run rhost apply --noop site.yaml
    status_is 0
    says 'would also install: rt-lib'
    says 'absent → 1.0-1'
    says '1.0-1 → 1.1-1'
    says '1.0-1 → absent'
    [ "$(transactions)" -eq 1 ]
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    says 'also installed: rt-lib 1.0-1'
    [ "$(transactions)" -eq 2 ]
    [ "$(version_of rt-top) $(version_of rt-one) $(version_of rt-two)" = '1.0-1 1.1-1 ' ]
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "packages that cannot be installed leave the others alone" {
    run apply <<END
resources:
  - package: [rt-one, rt-onne, rt-mail, rt-lost, rt-bad, rt-top]
    provider: dnf
  - package: rt-two
    provider: dnf
    version: 7-1
END
    status_is 4
    says "unknown package 'rt-onne' in the repositories: did you mean 'rt-one'?"
    says "'rt-mail' is a virtual package; name one of those that provide it: rt-mailer"
    says 'nothing provides rt-nowhere needed by rt-lost-1.0-1.noarch'
    says "'7-1' is not in the repositories, which have 1.0-1"
    says 'it is not installed'
    [ "$(version_of rt-one) $(version_of rt-top) $(version_of rt-bad)" = '1.1-1 1.0-1 ' ]
}

@test "versions, patterns, downgrades and files" {
    run rhost resource --provider=dnf package rt-one version='1.1-*'
    status_is 0
    run rhost resource --provider=dnf package rt-one version=1.0-1
    status_is 4
    says 'is older than what is installed'
    run rhost resource --provider=dnf package rt-one version=1.0-1 allow_downgrade=true
    status_is 0
    [ "$(version_of rt-one)" = 1.0-1 ]
    run rhost resource --provider=dnf package rt-one version=latest refresh=true
    status_is 0
    [ "$(version_of rt-one)" = 1.1-1 ]
    run rhost resource --provider=dnf package rt-two ensure=present source="$repo/rt-two-1.0.rpm"
    status_is 0
    [ "$(version_of rt-two)" = 1.0-1 ]
}

@test "fifty packages are one transaction" {
    packages 1 --debug "package: [$(echo rt-n{01..50} | tr ' ' ,)]"
    status_is 0
    says '50 changed'
    [ "$(transactions)" -eq 1 ]
    [ "$(inside rpm -qa 2>/dev/null | grep -c '^rt-n')" -eq 50 ]
    [ "$(grep -c "Executing 'rpm -q" <<<"$output")" -le 4 ]
    [ "$(grep -c "Executing 'dnf" <<<"$output")" -le 3 ]
    run rhost apply --debug --detailed-exitcodes site.yaml
    status_is 0
    [ "$(grep -c "Executing 'dnf" <<<"$output")" -eq 0 ]
}

@test "all packages are listed, and the list applied back is no change" {
    inside dnf -q -y install rt-top rt-late rt-one "$long_name" >/dev/null 2>&1
    rhost resource --provider=dnf package >list.yaml
    grep -q 'package: rt-lib' list.yaml
    grep -q 'version: "1:1.0-1"' list.yaml
    run rhost apply --noop --detailed-exitcodes list.yaml
    status_is 0
    says '5 ok'
}

@test "versions with an epoch are the later ones, and are said with it" {
    packages 0 'package: rt-late, version: 9.0-1'
    status_is 0
    packages 1 --noop 'package: rt-late, version: latest'
    says '9.0-1 → 1:1.0-1'
    packages 0 'package: rt-late, version: latest'
    status_is 0
    says '9.0-1 → 1:1.0-1'
    packages 1 --detailed-exitcodes 'package: rt-late, version: "1:1.0-1"'
    status_is 0
}

@test "names that are too long for a column are read all the same" {
    packages 1 --noop "package: $long_name"
    status_is 0
    says 'absent → 1.0.20261121.git0123456789abcdef0123456789abcdef-1'
    packages 0 "package: $long_name"
    status_is 0
    inside rpm -q "$long_name"
}

@test "a package of one architecture is asked for by name.arch" {
    packages 0 'package: rt-one.noarch'
    status_is 0
    [ "$(version_of rt-one)" = 1.1-1 ]
    packages 1 --detailed-exitcodes 'package: rt-one.noarch'
    status_is 0
    packages 0 'package: rt-two.m68k'
    status_is 4
    says "unknown package 'rt-two.m68k'"
}

@test "a file is installed, with what it needs from the repositories" {
    packages 0 "package: rt-top, source: $repo/rt-top-1.0.rpm"
    status_is 0
    says 'also installed: rt-lib 1.0-1'
    [ "$(version_of rt-top) $(version_of rt-lib)" = '1.0-1 1.0-1' ]
}

@test "the package lists are brought up to date when that is asked for" {
    packages 0 'package: rt-one'
    status_is 0
    cp -r "$repo" "$work/newer"
    repo=$work/newer package rt-one 1.2 </dev/null
    createrepo_c -q "$work/newer"
    inside sed -i "s|^baseurl=.*|baseurl=file://$work/newer|" /etc/yum.repos.d/here.repo
    packages 0 'package: rt-one, version: latest, refresh: true'
    status_is 0
    [ "$(version_of rt-one)" = 1.2-1 ]
}

@test "dnf serves packages where it is, before rpm" {
    run rhost types --suits
    says 'package dnf 1.0 25'
    says 'package rpm 1.0 10'
}
