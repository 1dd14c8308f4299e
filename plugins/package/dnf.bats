#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Packages by dnf, in a machine of their own, from a repository of their own.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/rpm-machine.bash"

long_name=rt-with-a-name-that-no-column-of-any-table-on-any-terminal-was-ever-made-for

packages_of_dnf() {
    common_packages
    package rt-wish 1.0 'Recommends: rt-wished'
    package rt-wished 1.0
    package rt-late 9.0
    package rt-late 1.0 'Epoch: 1'
    package rt-young 1.0 'Obsoletes: rt-old < 2'
    package rt-old 1.0
    package rt-enemy 1.0 'Conflicts: rt-two'
    package "$long_name" 1.0.20261121.git0123456789abcdef0123456789abcdef
    package rt-slow 1.0 <<<'posix.sleep(3)'
    fifty_packages
    createrepo_c -q "$repo"
}

setup_file() {
    [ "$(id -u)" -eq 0 ] && command -v rpmbuild createrepo_c >/dev/null || return 0
    repo=$BATS_FILE_TMPDIR/repo
    kept_repo packages_of_dnf package common_packages fifty_packages
}

# rt-n01 to rt-n50, of one specification.
fifty_packages() {
    local i

    {
        printf '%s\n' 'Name: rt-n' 'Version: 1.0' 'Release: 1' 'Summary: fifty' 'License: none' \
            'BuildArch: noarch' '%description' 'Fifty packages.'
        for i in {01..50}; do
            printf '%s\n' "%package -n rt-n$i" 'Summary: one of fifty' "%description -n rt-n$i" 'One.' \
                "%files -n rt-n$i"
        done
    } >"$repo/fifty.spec"
    HOME=$repo rpmbuild --quiet -bb --define "_topdir $repo/build" --define "_rpmdir $repo" \
        --define '_build_name_fmt %%{NAME}-%%{VERSION}.rpm' "$repo/fifty.spec" >/dev/null 2>&1
}

eval "rpm_$(declare -f setup)"
setup() {
    rpm_setup
    requires_command dnf
    requires_command createrepo_c
    requires_command sqlite3
    inside rm -rf /var/lib/dnf /var/cache/dnf /var/log/dnf.log
    printf '[here]\nname=here\nbaseurl=file://%s\ngpgcheck=0\n' "$repo" | put_inside /etc/yum.repos.d/here.repo
}

# A manifest of packages, one a line as YAML in braces, behind options of apply.
packages() {
    local n=$1

    {
        printf 'resources:\n'
        printf '  - { provider: dnf, %s }\n' "${@:n+2}"
    } >site.yaml
    run rhost apply "${@:2:n}" site.yaml
}

until_locked() {
    local tries=300

    until [ "$(inside cat /var/lib/dnf/rpmdb_lock.pid 2>/dev/null)" ]; do
        [ $((tries -= 1)) -gt 0 ]
        sleep 0.1
    done
}

# As many as "dnf history list" has.
transactions() {
    inside sqlite3 /var/lib/dnf/history.sqlite 'SELECT count(*) FROM trans'
}

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

@test "what would take another package with it says so, and what the manifest wants is not taken" {
    inside dnf -q -y install rt-top >/dev/null 2>&1
    packages 1 --noop 'package: rt-lib, ensure: absent'
    status_is 0
    says 'would also remove: rt-top'
    packages 0 'package: rt-lib, ensure: absent' 'package: rt-top'
    status_is 4
    says "this would remove 'rt-top', which package[rt-top] wants to be there"
    [ "$(version_of rt-lib) $(version_of rt-top)" = '1.0-1 1.0-1' ]
    packages 0 'package: rt-lib, ensure: absent'
    status_is 0
    says 'also removed: rt-top'
    [ -z "$(version_of rt-lib)$(version_of rt-top)" ]
}

@test "two that cannot be had together are refused, and the rest goes on" {
    packages 0 'package: [rt-two, rt-enemy, rt-one]'
    status_is 4
    says 'conflict'
    [ "$(version_of rt-one)" = 1.1-1 ]
}

@test "what is recommended is installed or not, as is said" {
    packages 0 'package: rt-wish, install_recommends: false'
    status_is 0
    [ "$(version_of rt-wish) $(version_of rt-wished)" = '1.0-1 ' ]
    inside dnf -q -y remove rt-wish >/dev/null 2>&1
    packages 0 'package: rt-wish, install_recommends: true'
    status_is 0
    says 'also installed: rt-wished 1.0-1'
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

@test "what takes the place of another says that it goes" {
    inside dnf -q -y install rt-old-1.0-1 >/dev/null 2>&1
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

@test "options that differ make transactions of their own" {
    packages 0 'package: rt-one' 'package: rt-two, options: [--setopt=install_weak_deps=False]' \
        'package: rt-lib, options: [--disablerepo=here]'
    status_is 4
    [ "$(version_of rt-one) $(version_of rt-two) $(version_of rt-lib)" = '1.1-1 1.0-1 ' ]
    [ "$(transactions)" -eq 2 ]
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

@test "after a kill in the middle the next run goes on" {
    local victim

    packages 1 --noop 'package: [rt-two, rt-slow, rt-one]'
    status_is 0
    rhost apply site.yaml >victim.log 2>&1 3>&- 4>&- &
    victim=$!
    until_locked
    sleep 1
    inside kill -9 "$(inside cat /var/lib/dnf/rpmdb_lock.pid)"
    wait "$victim" || status=$?
    status_is 4
    grep -A 1 'rt-slow' victim.log | grep -q 'failed: it is not installed'
    run rhost apply site.yaml
    status_is 0
    [ "$(version_of rt-one) $(version_of rt-two) $(version_of rt-slow)" = '1.1-1 1.0-1 1.0-1' ]
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "a repository that cannot be read says so" {
    inside sed -i 's|^baseurl=.*|baseurl=file:///nowhere|' /etc/yum.repos.d/here.repo
    packages 0 'package: rt-one'
    status_is 4
    says "unknown package 'rt-one' in the repositories that could be read, and these could not: here"
    packages 0 'package: rt-one, refresh: true'
    status_is 4
    says 'not all package lists could be brought up to date, continuing without the repositories here'
    says "Failed to download metadata for repo 'here'"
    echo 'skip_if_unavailable=0' | inside tee -a /etc/yum.repos.d/here.repo
    packages 0 'package: rt-one'
    status_is 4
    says "Failed to download metadata for repo 'here'"
    packages 0 'package: rt-one, refresh: true'
    status_is 4
    says 'the package lists could not be brought up to date'
}

@test "whoever holds the lock is named, waited for, and given up on in the end" {
    local holder

    inside dnf -q -y install rt-slow >/dev/null 2>&1 3>&- 4>&- &
    holder=$!
    until_locked
    packages 0 'package: rt-one, lock_timeout: 1'
    status_is 4
    says "the package manager is in use: '/var/lib/dnf/rpmdb_lock.pid' is held by process"
    packages 0 'package: rt-one, lock_timeout: 60'
    wait "$holder"
    status_is 0
    [ "$(version_of rt-one) $(version_of rt-slow)" = '1.1-1 1.0-1' ]
}

@test "dnf serves packages where it is, before rpm" {
    run rhost types --suits
    says 'package dnf 1.0 25'
    says 'package rpm 1.0 10'
}
