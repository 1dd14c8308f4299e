#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Packages by pacman, in a machine of their own, from a repository of their own. What is in the way is in
# pacman-trouble.bats, lists are in pacman-lists.bats.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/pacman-machine.bash"

# bats test_tags=inline
@test "many changes are one transaction of each kind, and noop showed it" {
    pacman_does -S rt-two
    pacman_does -U "$repo/rt-one-1.0-1-any.pkg.tar.gz"
    cat >site.yaml <<END
resources:
  - package: [rt-top, rt-mailer]
    provider: pacman
  - package: rt-one
    provider: pacman
    version: latest
  - package: rt-two
    provider: pacman
    ensure: absent
END
    run rhost apply --noop site.yaml
    status_is 0
    says 'would also install: rt-lib'
    says 'absent → 1.0-1'
    says '1.0-1 → 1.1-1'
    says '1.0-1 → absent'
    [ "$(transactions)" -eq 2 ]
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    says 'also installed: rt-lib 1.0-1'
    [ "$(transactions)" -eq 4 ]
    [ "$(version_of rt-top) $(version_of rt-one) $(version_of rt-two)" = '1.0-1 1.1-1 ' ]
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "packages that cannot be installed leave the others alone" {
    run apply <<END
resources:
  - package: [rt-one, rt-onne, rt-mail, rt-group, rt-lost, rt-top]
    provider: pacman
  - package: rt-two
    provider: pacman
    version: 7-1
END
    status_is 4
    says "unknown package 'rt-onne' in the repositories: did you mean 'rt-one'?"
    says "'rt-mail' is a virtual package; name one of those that provide it, like rt-mailer"
    says "'rt-group' is a group of packages"
    says "unable to satisfy dependency 'rt-nowhere' required by rt-lost"
    says "'7-1' is not in the repositories, which have 1.0-1"
    [ "$(version_of rt-one) $(version_of rt-top)" = '1.1-1 1.0-1' ]
}

@test "versions, patterns, downgrades and files" {
    packages 0 "package: rt-one, version: '1.1-*'"
    status_is 0
    [ "$(version_of rt-one)" = 1.1-1 ]
    packages 0 "package: rt-one, source: '$repo/rt-one-1.0-1-any.pkg.tar.gz', version: latest"
    status_is 4
    says 'is older than what is installed'
    [ "$(version_of rt-one)" = 1.1-1 ]
    packages 0 "package: rt-one, source: '$repo/rt-one-1.0-1-any.pkg.tar.gz', version: latest, allow_downgrade: true"
    status_is 0
    [ "$(version_of rt-one)" = 1.0-1 ]
    packages 0 'package: rt-one, version: latest, refresh: true'
    status_is 0
    [ "$(version_of rt-one)" = 1.1-1 ]
    packages 0 "package: rt-top, source: $repo/rt-top-1.0-1-any.pkg.tar.gz"
    status_is 0
    says 'also installed: rt-lib 1.0-1'
    packages 0 "package: rt-top, source: $repo/rt-lib-1.0-1-any.pkg.tar.gz, version: 2-1"
    status_is 4
    says "has the package 'rt-lib', and not 'rt-top'"
}

@test "edited configuration files are left or purged, as is said" {
    pacman_does -S rt-conf
    echo edited | put_inside /etc/rt-conf.conf
    packages 0 'package: rt-conf, ensure: absent'
    status_is 0
    inside grep -qx edited /etc/rt-conf.conf.pacsave
    pacman_does -S rt-conf
    inside rm -f /etc/rt-conf.conf.pacsave
    echo edited | put_inside /etc/rt-conf.conf
    packages 0 'package: rt-conf, ensure: absent, purge: true'
    status_is 0
    run inside ls /etc/rt-conf.conf /etc/rt-conf.conf.pacsave
    [ "$status" -ne 0 ]
}

@test "what would take another package with it says so, and what the manifest wants is not taken" {
    pacman_does -S rt-top
    packages 1 --noop 'package: rt-lib, ensure: absent'
    status_is 0
    says 'would also remove: rt-top'
    packages 0 'package: rt-lib, ensure: absent' 'package: rt-top'
    status_is 4
    says "this would remove 'rt-top', which package[rt-top] wants to be there"
    [ "$(version_of rt-lib) $(version_of rt-top)" = '1.0-1 1.0-1' ]
    packages 0 'package: rt-lib, ensure: absent' 'package: rt-two'
    status_is 0
    says 'also removed: rt-top'
    [ "$(version_of rt-lib)$(version_of rt-top) $(version_of rt-two)" = ' 1.0-1' ]
}

@test "what pacman cannot do is refused" {
    packages 0 'package: rt-one, held: true'
    status_is 1
    says "'IgnorePkg' in its file pacman.conf"
    packages 0 'package: rt-one, install_recommends: true'
    status_is 1
    says 'name those packages'
    packages 0 'package: rt-one, default_release: here'
    status_is 1
}

@test "pacman serves packages where it owns the machine, and last of all elsewhere" {
    run rhost types --suits
    says 'package pacman 1.0 18'
    printf 'ID=manjaro\nID_LIKE=arch\n' | put_inside /etc/os-release
    run rhost types --suits
    says 'package pacman 1.0 35'
    run apply <<<'resources: [package: rt-two]'
    status_is 0
    [ "$(version_of rt-two)" = 1.0-1 ]
}
