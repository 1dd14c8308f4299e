#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Packages by zypper, in a machine of their own, from a repository of their own. What is in the way is in
# zypper-trouble.bats, what depends on other packages in zypper-conflicts.bats, lists are in zypper-lists.bats.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/zypper-machine.bash"

# bats test_tags=inline
@test "many changes are one transaction, and noop showed it" {
    zypper_does install rt-two rt-one=1.0-1
    cat >site.yaml <<END
resources:
  - package: [rt-top, rt-mailer]
    provider: zypper
  - package: rt-one
    provider: zypper
    version: latest
  - package: rt-two
    provider: zypper
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
    provider: zypper
  - package: rt-two
    provider: zypper
    version: 7-1
END
    status_is 4
    says "unknown package 'rt-onne' in the repositories: did you mean 'rt-one'?"
    says "'rt-mail' is a virtual package; name one of those that provide it: rt-mailer"
    says 'nothing provides rt-nowhere needed by rt-lost-1.0-1.noarch'
    says "'7-1' is not in the repositories, which have 1.0-1"
    says 'it is not installed'
    says 'the cupboard is bare'
    [ "$(version_of rt-one) $(version_of rt-top) $(version_of rt-bad)" = '1.1-1 1.0-1 ' ]
}

@test "versions, patterns, downgrades and files" {
    run rhost resource --provider=zypper package rt-one version='1.1-*'
    status_is 0
    [ "$(version_of rt-one)" = 1.1-1 ]
    run rhost resource --provider=zypper package rt-one version=1.0-1
    status_is 4
    says 'is older than what is installed'
    [ "$(version_of rt-one)" = 1.1-1 ]
    run rhost resource --provider=zypper package rt-one version=1.0-1 allow_downgrade=true
    status_is 0
    [ "$(version_of rt-one)" = 1.0-1 ]
    run rhost resource --provider=zypper package rt-one version=latest refresh=true
    status_is 0
    [ "$(version_of rt-one)" = 1.1-1 ]
    packages 0 "package: rt-top, source: $repo/rt-top-1.0.rpm, options: [--allow-unsigned-rpm]"
    status_is 0
    says 'also installed: rt-lib 1.0-1'
    [ "$(version_of rt-top) $(version_of rt-lib)" = '1.0-1 1.0-1' ]
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

@test "what is held stays, until the manifest speaks of it" {
    packages 0 'package: rt-one, version: 1.0-1, held: true'
    status_is 0
    inside grep -q 'solvable_name: rt-one' /etc/zypp/locks
    packages 1 --detailed-exitcodes 'package: rt-one, version: 1.0-1, held: true'
    status_is 0
    packages 0 'package: rt-one, version: latest'
    status_is 4
    says 'it is held at 1.0-1'
    packages 0 'package: rt-one, ensure: absent'
    status_is 4
    says 'it is held at 1.0-1'
    packages 1 --noop 'package: rt-one, version: latest, held: true'
    status_is 0
    says '1.0-1 → 1.1-1'
    packages 0 'package: rt-one, version: latest, held: true'
    status_is 0
    [ "$(version_of rt-one)" = 1.1-1 ]
    inside grep -q 'solvable_name: rt-one' /etc/zypp/locks
    packages 0 'package: rt-one, held: false'
    status_is 0
    inside grep -q 'solvable_name: rt-one' /etc/zypp/locks && return 1
    zypper_does addlock 'rt-*'
    packages 0 'package: rt-one, held: false'
    status_is 4
    says "still held by the lock 'rt-*'"
}

@test "what zypper cannot do is refused" {
    packages 0 'package: rt-one, purge: true, ensure: absent'
    status_is 1
    packages 0 'package: rt-one, default_release: here'
    status_is 1
    says "it takes a repository as one of 'options': [--from, NAME]"
    packages 0 'package: "rt-one=1.0-1"'
    status_is 1
    says "says a version as well"
}

@test "zypper serves packages where it owns the machine, and after dnf elsewhere" {
    run rhost types --suits
    says 'package zypper 1.0 20'
    printf 'ID="opensuse-leap"\nID_LIKE="suse opensuse"\n' | put_inside /etc/os-release
    run rhost types --suits
    says 'package zypper 1.0 35'
    run apply <<<'resources: [package: rt-two]'
    status_is 0
    [ "$(version_of rt-two)" = 1.0-1 ]
}
