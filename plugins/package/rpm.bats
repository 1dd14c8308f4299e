#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Packages by dnf and rpm, in a machine of their own, from a repository of their own.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/machine.bash"

# A package with these fields; what standard input says runs, in Lua, before it is installed.
package() {
    local name=$1 version=$2 script
    shift 2
    script=$(cat)
    {
        printf '%s\n' "Name: $name" "Version: $version" 'Release: 1' 'Summary: a package to try' \
            'License: none' 'BuildArch: noarch' "$@" '%description' 'A package to try.'
        [ -z "$script" ] || printf '%%pre -p <lua>\n%s\n' "$script"
        echo '%files'
    } >"$repo/$name.spec"
    HOME=$repo rpmbuild --quiet -bb --define "_topdir $repo/build" --define "_rpmdir $repo" \
        --define '_build_name_fmt %%{NAME}-%%{VERSION}.rpm' "$repo/$name.spec" >/dev/null 2>&1
}

setup_file() {
    [ "$(id -u)" -eq 0 ] && command -v rpmbuild >/dev/null || return 0
    repo=$BATS_FILE_TMPDIR/repo
    mkdir -p "$repo"
    {
        package rt-one 1.0
        package rt-one 1.1
        package rt-two 1.0
        package rt-lib 1.0
        package rt-top 1.0 'Requires: rt-lib'
        package rt-lost 1.0 'Requires: rt-nowhere'
        package rt-mailer 1.0 'Provides: rt-mail'
    } </dev/null
    package rt-bad 1.0 <<<'error("the cupboard is bare")'
}

setup() {
    work_open
    machine_needs rpm rpmbuild
    repo=$BATS_FILE_TMPDIR/repo
    machine_make
    inside rm -rf /var/lib/rpm /etc/yum.repos.d
    inside mkdir -p /var/lib/rpm /var/log
    echo '%_dbpath /var/lib/rpm' | put_inside /etc/rpm/macros
    inside rpm --initdb 2>/dev/null
}

teardown() {
    machine_end
}

# "1.0-1", as rpm has it.
version_of() {
    inside rpm -q --qf '%{VERSION}-%{RELEASE}' "$1" 2>/dev/null | grep -v 'not installed' || true
}

# On a machine of Debian both come out of RHOST_SCRATCH_DEBS, a directory with their packages.
needs_dnf() {
    [ -z "${RHOST_SCRATCH_DEBS-}" ] || inside sh -c 'dpkg -i "$1"/*.deb' sh "$RHOST_SCRATCH_DEBS" >/dev/null 2>&1
    inside sh -c 'command -v dnf && command -v createrepo_c' >/dev/null ||
        skip "needs dnf and createrepo_c"
    inside cp -r "$repo" /repo
    inside createrepo_c -q /repo
    printf '[here]\nname=here\nbaseurl=file:///repo\ngpgcheck=0\n' | put_inside /etc/yum.repos.d/here.repo
}

transactions() {
    inside dnf -q history list 2>/dev/null | grep -c '^ *[0-9]'
}

@test "rpm: a package is installed from a file, and left alone afterwards" {
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
    sed -i 's/^    ensure: .*/&\n    provider: rpm/' site.yaml
    run rhost apply --noop --detailed-exitcodes site.yaml
    status_is 0
}

@test "rpm: many files are one call, and one that can't be installed leaves the others alone" {
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
    says "it can't be installed: rt-nowhere is needed by rt-lost-1.0-1.noarch"
    says 'it is not installed'
    says 'the cupboard is bare'
    [ "$(grep -c "Executing 'rpm -U -- " <<<"$output")" -eq 1 ]
    [ "$(version_of rt-one)" = 1.1-1 ]
    [ "$(version_of rt-two)" = 1.0-1 ]
}

@test "rpm: an older version is refused, unless that is allowed, and a package is removed" {
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

@test "rpm: noop says what would come of it, and changes nothing" {
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
    says "it can't be removed: rt-lib is needed by (installed) rt-top-1.0-1.noarch"
    [ -z "$(version_of rt-one)" ]
    [ "$(version_of rt-two)" = 1.0-1 ]
    run rhost apply site.yaml
    status_is 4
    [ "$(version_of rt-one)" = 1.0-1 ]
    [ -z "$(version_of rt-two)" ]
    [ "$(version_of rt-lib)" = 1.0-1 ]
}

@test "rpm: what it can't do is refused by name" {
    refused() {
        run rhost resource --provider=rpm package rt-one "$@"
        [ "$status" -ne 0 ]
    }
    refused held=true
    says "packages of rpm can't be held"
    refused ensure=present refresh=true
    says "the provider 'rpm' has no package lists: 'dnf' does"
    refused ensure=present
    says "the provider 'rpm' installs from files"
    refused ensure=present source="$repo/rt-two-1.0.rpm"
    says "has the package 'rt-two', and not 'rt-one'"
    refused ensure=present source=/etc/passwd
    says "source: '/etc/passwd' is no package"
    refused ensure=absent purge=true
    says 'rpmsave'
}

@test "rpm: the database decides whether rpm suits" {
    run rhost types --suits
    says 'package rpm 1.0 10'
    inside rm -rf /var/lib/rpm
    run rhost types --suits
    says 'there is no database of rpm'
}

@test "dnf: many changes are one transaction, and noop showed it" {
    needs_dnf
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

@test "dnf: packages that can't be installed leave the others alone" {
    needs_dnf
    run apply <<END
resources:
  - package: [rt-one, rt-onne, rt-mail, rt-lost, rt-bad, rt-top]
    provider: dnf
  - package: rt-two
    provider: dnf
    version: 7-1
END
    status_is 4
    says "there is no package 'rt-onne' in the repositories: did you mean 'rt-one'?"
    says "'rt-mail' is a virtual package; name one of those that provide it: rt-mailer"
    says 'nothing provides rt-nowhere needed by rt-lost-1.0-1.noarch'
    says "there is no '7-1' in the repositories; there is 1.0-1"
    says 'it is not installed'
    [ "$(version_of rt-one) $(version_of rt-top) $(version_of rt-bad)" = '1.1-1 1.0-1 ' ]
}

@test "dnf: versions, patterns, downgrades and files" {
    needs_dnf
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
