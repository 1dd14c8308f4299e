#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Packages by zypper that need, replace or exclude others.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/zypper-machine.bash"

@test "what would take another package with it says so, and what the manifest wants is not taken" {
    zypper_does install rt-top
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

@test "two that cannot be had together are refused, and the rest goes on" {
    packages 0 'package: [rt-two, rt-enemy, rt-one]'
    status_is 4
    says 'conflict'
    [ "$(version_of rt-one)" = 1.1-1 ]
}

@test "what is recommended is installed or not, as is said" {
    zypper_does install rt-two # a database of rpm without packages is none that zypper reads
    packages 0 'package: rt-wish, install_recommends: false'
    status_is 0
    [ "$(version_of rt-wish) $(version_of rt-wished)" = '1.0-1 ' ]
    zypper_does remove rt-wish
    packages 0 'package: rt-wish, install_recommends: true'
    status_is 0
    says 'also installed: rt-wished 1.0-1'
}

@test "what takes the place of another says that it goes" {
    zypper_does install rt-old=1.0-1
    [ "$(version_of rt-old)" = 1.0-1 ]
    packages 1 --noop 'package: rt-young'
    status_is 0
    says 'would also remove: rt-old'
    packages 0 'package: rt-young' 'package: rt-old'
    status_is 4
    says "this would remove 'rt-old', which package[rt-old] wants to be there"
    packages 0 'package: rt-young'
    status_is 0
    says 'also removed: rt-old 1.0-1'
}

@test "options that differ make transactions of their own, and go where zypper takes them" {
    packages 0 'package: rt-one' 'package: rt-two, options: [--no-gpg-checks, --download=in-advance]' \
        'package: rt-lib, options: [--from, nowhere]'
    status_is 4
    [ "$(version_of rt-one) $(version_of rt-two) $(version_of rt-lib)" = '1.1-1 1.0-1 ' ]
    [ "$(transactions)" -eq 2 ]
}

@test "a lock on another package that is in the way is named" {
    zypper_does install rt-old
    zypper_does addlock rt-old
    packages 0 'package: rt-young'
    status_is 4
    says 'remove lock to allow removal of rt-old-1.0-1.noarch'
}
