#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Packages from files, by rpm, in a machine of their own.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/rpm-machine.bash"

setup_file() {
    [ "$(id -u)" -eq 0 ] && command -v rpmbuild >/dev/null || return 0
    repo=$BATS_FILE_TMPDIR/repo
    kept_repo common_packages package
}

@test "a package is installed from a file, and left alone afterwards" {
    converges <<END
resources:
  - package: rt-one
    provider: rpm
    source: $repo/rt-one-1.0.rpm
  - package: rt-two
    provider: rpm
    source: $repo/rt-two-1.0.rpm
END
    [ "$(version_of rt-one)" = 1.0-1 ]
    rhost resource --provider=rpm package >site.yaml
    grep -q 'package: rt-one' site.yaml
    grep -q 'version: "1.0-1"' site.yaml
    run rhost apply --noop --detailed-exitcodes site.yaml
    status_is 0
}

@test "many files are one call, and one that cannot be installed leaves the others alone" {
    run apply --debug <<END
resources:
  - package: rt-one
    provider: rpm
    source: $repo/rt-one-1.1.rpm
  - package: rt-lost
    provider: rpm
    source: $repo/rt-lost-1.0.rpm
  - package: rt-two
    provider: rpm
    source: $repo/rt-two-1.0.rpm
  - package: rt-bad
    provider: rpm
    source: $repo/rt-bad-1.0.rpm
END
    status_is 4
    says "it cannot be installed: rt-nowhere is needed by rt-lost-1.0-1.noarch"
    says 'it is not installed'
    says 'the cupboard is bare'
    [ "$(grep -c "Executing 'rpm -U -- " <<<"$output")" -eq 1 ]
    [ "$(version_of rt-one)" = 1.1-1 ]
    [ "$(version_of rt-two)" = 1.0-1 ]
}

@test "an older version is refused, unless that is allowed, and a package is removed" {
    inside rpm -U "$repo/rt-one-1.1.rpm" "$repo/rt-two-1.0.rpm" 2>/dev/null
    run rhost resource --provider=rpm package rt-one version=latest source="$repo/rt-one-1.0.rpm"
    status_is 4
    says 'which is newer than'
    run rhost resource --provider=rpm package rt-one version=latest source="$repo/rt-one-1.0.rpm" \
        allow_downgrade=true
    status_is 0
    says 'version 1.1-1 → 1.0-1'
    run rhost resource --provider=rpm package rt-one ensure=absent
    status_is 0
    says '1.0-1 → absent'
    [ -z "$(version_of rt-one)" ]
}

@test "noop says what would come of it, and changes nothing" {
    inside rpm -U "$repo/rt-two-1.0.rpm" "$repo/rt-lib-1.0.rpm" "$repo/rt-top-1.0.rpm" 2>/dev/null
    cat >site.yaml <<END
resources:
  - package: rt-one
    provider: rpm
    source: $repo/rt-one-1.0.rpm
  - package: rt-two
    provider: rpm
    ensure: absent
  - package: rt-lib
    provider: rpm
    ensure: absent
END
    run rhost apply --noop site.yaml
    status_is 4
    says 'absent → 1.0-1'
    says '1.0-1 → absent'
    says "it cannot be removed: rt-lib is needed by (installed) rt-top-1.0-1.noarch"
    [ -z "$(version_of rt-one)" ]
    [ "$(version_of rt-two)" = 1.0-1 ]
    run rhost apply site.yaml
    status_is 4
    [ "$(version_of rt-one)" = 1.0-1 ]
    [ -z "$(version_of rt-two)" ]
    [ "$(version_of rt-lib)" = 1.0-1 ]
}

@test "what it cannot do is refused by name" {
    refused() {
        run rhost resource --provider=rpm package rt-one "$@"
        [ "$status" -ne 0 ]
    }
    refused held=true
    says "packages of rpm cannot be held"
    refused ensure=present refresh=true
    says "the provider 'rpm' has no package lists: 'dnf' does"
    refused ensure=present
    says "the provider 'rpm' installs from files"
    refused ensure=present source="$repo/rt-two-1.0.rpm"
    says "has the package 'rt-two', and not 'rt-one'"
    refused ensure=present source=/etc/passwd
    says "source: '/etc/passwd' is not a package"
    refused ensure=absent purge=true
    says 'rpmsave'
}

@test "the database decides whether rpm suits" {
    run rhost types --suits
    says 'package rpm 1.0 10'
    inside rm -rf /var/lib/rpm
    run rhost types --suits
    says 'no database of rpm found'
}
