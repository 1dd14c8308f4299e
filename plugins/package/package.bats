#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Packages by apt, in a machine of their own, from package lists of their own.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/apt-machine.bash"

# bats test_tags=inline
@test "a package is installed, and left alone afterwards" {
    converges <<END
resources:
  - package: rt-two
END
    [ "$(state_of rt-two)" = '1.0 installed' ]
    [ -z "$(dpkg-query -W -f '${db:Status-Status}' rt-two 2>/dev/null)" ]
}

@test "fifty packages are one transaction" {
    {
        echo 'resources:'
        seq -w 1 50 | sed 's/.*/  - package: rt-p&/'
    } >site.yaml
    run rhost apply --debug --detailed-exitcodes site.yaml
    status_is 2
    [ "$(transactions)" -eq 1 ]
    [ "$(grep -c "debug: package: Executing 'apt-get " <<<"$output")" -eq 2 ]
    [ "$(grep -c "debug: package: Executing 'apt-cache " <<<"$output")" -eq 1 ]
    [ "$(grep -c "debug: package: Executing 'dpkg-query " <<<"$output")" -eq 2 ]
    [ "$(inside dpkg-query -W -f '${db:Status-Status}\n' 'rt-p*' | grep -cx installed)" -eq 50 ]
    run rhost apply --debug --detailed-exitcodes site.yaml
    status_is 0
    [ "$(grep -c "debug: package: Executing " <<<"$output")" -eq 0 ]
}

# bats test_tags=inline
@test "noop says what apt-get would do, also beside what was asked for, and changes nothing" {
    inside apt-get -qq -y --no-install-recommends install rt-one=1.1 rt-rec >/dev/null 2>&1
    cat >site.yaml <<END
resources:
  - package: [rt-top, rt-two]
  - package: rt-one
    version: latest
  - package: rt-rec
    ensure: absent
END
    inside dpkg-query -W >before
    run rhost apply --noop --detailed-exitcodes site.yaml
    status_is 2
    says 'would also install: rt-lib 1.0'
    says 'ensure absent → 1.0'
    says 'version 1.1 → 2.0~rc1'
    says 'ensure 1.0 → absent'
    inside dpkg-query -W >after
    cmp before after
    [ "$(transactions)" -eq 1 ]

    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    says 'also installed: rt-lib 1.0'
    says 'version 1.1 → 2.0~rc1'
    [ "$(transactions)" -eq 2 ]
    inside dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\n' 'rt-*' | grep ' installed$' >now
    cat >wanted <<END
rt-lib 1.0 installed
rt-one 2.0~rc1 installed
rt-top 1.0 installed
rt-two 1.0 installed
END
    diff wanted now
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "what would take another package with it says so, and what the manifest wants is not taken" {
    inside apt-get -qq -y install rt-top >/dev/null 2>&1
    run rhost resource --noop package rt-lib ensure=absent
    status_is 0
    says 'would also remove: rt-top'
    run apply <<END
resources:
  - package: rt-top
  - package: rt-two
  - package: rt-lib
    ensure: absent
END
    status_is 4
    says "this would remove 'rt-top', which package[rt-top] wants to be there"
    [ "$(state_of rt-lib)" = '1.0 installed' ]
    [ "$(state_of rt-two)" = '1.0 installed' ]
    run rhost resource package rt-lib ensure=absent
    status_is 0
    says 'also removed: rt-top'
    [ -z "$(state_of rt-top)" ]
}

# bats test_tags=inline
@test "packages that cannot be installed leave the others alone, and each says why" {
    run apply <<END
resources:
  - package: [rt-one, rt-onne, rt-mail, rt-lost, rt-bad, rt-top]
  - package: rt-conf
    version: 9
END
    status_is 4
    says "package 'rt-onne' is not in the package lists: did you mean 'rt-one'?"
    says "'rt-mail' is a virtual package; name one of those that provide it: rt-mailer"
    says "it cannot be installed: Depends: rt-nowhere but it is not installable"
    says "version: '9' is not in the package lists; available: 2.0, 1.0"
    says 'failed: it is half-configured'
    says 'the cupboard is bare'
    says_not 'Selecting previously'
    [ "$(state_of rt-one)" = '2.0~rc1 installed' ]
    [ "$(state_of rt-top)" = '1.0 installed' ]
    [ "$(transactions)" -eq 1 ]
    run rhost apply "$BATS_TEST_TMPDIR/site.yaml"
    status_is 4
    says "in the middle of rt-bad (half-configured); running 'dpkg --configure -a' first"
    says 'the cupboard is bare'
}

# What apt-get leaves when it is killed between two packages.
unpacked_without_dependency() {
    inside dpkg --force-depends --unpack "$repo/rt-top_1.0.deb" >/dev/null
    [ "$(state_of rt-top)" = '1.0 unpacked' ]
}

# bats test_tags=inline
@test "what a killed apt-get has unpacked without its dependency gets it" {
    unpacked_without_dependency
    cat >site.yaml <<END
resources:
  - package: rt-two
END
    run rhost apply --noop --detailed-exitcodes site.yaml
    status_is 2
    says "in the middle of rt-top (unpacked); would run 'dpkg --configure -a' first"
    says "dependencies are missing: rt-lib 1.0; would run 'apt-get -f install' first"
    says 'would also install: rt-lib 1.0'
    [ "$(state_of rt-top)" = '1.0 unpacked' ]
    [ -z "$(state_of rt-lib)" ]

    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    says "dependencies are missing: rt-lib 1.0; running 'apt-get -f install' first"
    says 'also installed: rt-lib 1.0'
    [ "$(state_of rt-top)" = '1.0 installed' ]
    [ "$(state_of rt-lib)" = '1.0 installed' ]
    [ "$(state_of rt-two)" = '1.0 installed' ]
    inside apt-mark showauto | grep -qx rt-lib

    # Nothing is missing any more, and so nothing is said.
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    says_not 'dependencies are missing'
}

@test "a dependency that was half unpacked is unpacked again" {
    unpacked_without_dependency
    printf 'Package: rt-lib\nStatus: install reinstreq half-installed\nMaintainer: x\nArchitecture: all\nVersion: 1.0\nDescription: x\n\n' |
        inside sh -c 'cat >>/var/lib/dpkg/status'
    run apply <<END
resources:
  - package: rt-top
END
    status_is 0
    says "packages are unpacked in part: rt-lib 1.0 → 1.0; running 'apt-get install --reinstall' first"
    [ "$(state_of rt-top)" = '1.0 installed' ]
    [ "$(state_of rt-lib)" = '1.0 installed' ]
}

@test "what was half removed is not installed again" {
    printf 'Package: rt-lib\nStatus: deinstall reinstreq half-installed\nMaintainer: x\nArchitecture: all\nVersion: 1.0\nDescription: x\n\n' |
        inside sh -c 'cat >>/var/lib/dpkg/status'
    run apply <<END
resources:
  - package: rt-two
END
    says 'in the middle of rt-lib (half-installed)'
    says_not 'unpacked in part'
}

@test "the package that lacks its dependency may be the one that is wanted" {
    unpacked_without_dependency
    run apply <<END
resources:
  - package: [rt-top, rt-lib]
END
    status_is 0
    says "running 'apt-get -f install' first"
    says_not 'also installed'
    [ "$(state_of rt-top)" = '1.0 installed' ]
    [ "$(state_of rt-lib)" = '1.0 installed' ]
}

@test "a repair that would remove a package is refused, unless the manifest wants it gone" {
    inside dpkg --force-depends --unpack "$repo/rt-lost_1.0.deb" >/dev/null
    run apply <<END
resources:
  - package: rt-two
END
    status_is 4
    says "'apt-get -f install' would remove rt-lost to repair this; going on without it"
    [ "$(state_of rt-lost)" = '1.0 unpacked' ]
    [ -z "$(state_of rt-two)" ]
    run apply <<END
resources:
  - package: rt-lost
END
    status_is 4
    says 'would remove rt-lost'
    [ "$(state_of rt-lost)" = '1.0 unpacked' ]
    run apply <<END
resources:
  - package: rt-two
  - package: rt-lost
    ensure: absent
END
    status_is 0
    [ -z "$(state_of rt-lost)" ]
    [ "$(state_of rt-two)" = '1.0 installed' ]
}

@test "what cannot be fetched leaves the others alone" {
    inside mount --bind /dev/null "$repo/rt-two_1.0.deb"
    run apply <<END
resources:
  - package: [rt-two, rt-lib]
END
    status_is 4
    says 'failed: Failed to fetch file:'
    [ -z "$(state_of rt-two)" ]
    [ "$(state_of rt-lib)" = '1.0 installed' ]
}

@test "two that cannot be had together are refused, and the rest goes on" {
    run apply <<END
resources:
  - package: [rt-one, rt-rival, rt-two]
END
    status_is 4
    says 'Conflicts: rt-one'
    [ "$(state_of rt-two)" = '1.0 installed' ]
}

@test "versions: exact ones, patterns, the latest, and older ones only when that is allowed" {
    run rhost resource package rt-one version=1.0
    status_is 0
    [ "$(state_of rt-one)" = '1.0 installed' ]
    run rhost resource package rt-one version='1.*'
    status_is 0
    says '1 ok'
    run rhost resource package rt-one version='1.1*'
    status_is 0
    says 'version 1.0 → 1.1'
    run rhost resource package rt-one version=latest
    status_is 0
    says 'version 1.1 → 2.0~rc1'
    run rhost resource package rt-one version=latest
    says '1 ok'
    run rhost resource package rt-one version=1.0
    status_is 4
    says "1.0 is older than 2.0~rc1, which is installed; 'allow_downgrade: true' allows it"
    run rhost resource package rt-one version=1.0 allow_downgrade=true
    status_is 0
    [ "$(state_of rt-one)" = '1.0 installed' ]
}

@test "what looks like something else is refused, with a hint" {
    run apply <<END
resources:
  - package: rt-one
    ensure: latest
END
    status_is 1
    says "also the newest"
    run rhost resource package rt-one=1.0
    [ "$status" -ne 0 ]
    says "write 'package: rt-one' and 'version: 1.0'"
    run rhost resource package ./rt-one_1.0.deb
    [ "$status" -ne 0 ]
    says "a file is named by 'source'"
    run rhost resource package 'rt-*'
    [ "$status" -ne 0 ]
    says "'*' cannot be in one"
    run rhost resource package -- -oDir=/
    [ "$status" -ne 0 ]
    run rhost resource package RT-one ensure=present
    [ "$status" -ne 0 ]
    says 'they are lower case'
}

@test "a name with the machine's own architecture is the name without it" {
    arch=$(dpkg --print-architecture)
    for RHOST_ISOLATION in $isolations; do
        printf 'resources:\n  - package: [rt-two, "rt-two:%s"]\n' "$arch" >site.yaml
        run rhost validate site.yaml
        status_is 1
        says "declared twice"
        converges < <(printf 'resources:\n  - package: ["rt-two:%s"]\n' "$arch")
        [ "$(state_of rt-two)" = '1.0 installed' ]
        inside dpkg --purge rt-two >/dev/null
    done
}

@test "many that are to be the latest are asked about once" {
    inside apt-get -qq -y install rt-one=1.0 rt-conf=1.0 rt-two >/dev/null 2>&1
    run apply --debug <<END
resources:
  - package: [rt-one, rt-conf, rt-two]
    version: latest
END
    status_is 0
    [ "$(grep -c "Executing 'apt-cache " <<<"$output")" -eq 2 ]
    [ "$(transactions)" -eq 2 ]
    [ "$(state_of rt-conf)" = '2.0 installed' ]
}

@test "a package that no manifest has is removed as one of its type" {
    rhost resource package >site.yaml
    inside apt-get -qq -y install rt-two >/dev/null 2>&1
    echo '  - purge: package' >>site.yaml
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    says 'package[rt-two]'
    says '1.0 → absent'
    says 'purged: no manifest has it'
    [ -z "$(state_of rt-two)" ]
}

@test "what is recommended is installed or not, as is said" {
    run rhost resource package rt-rec ensure=present install_recommends=false
    status_is 0
    [ -z "$(state_of rt-lib)" ]
    inside apt-get -qq -y remove rt-rec >/dev/null 2>&1
    run rhost resource package rt-rec ensure=present install_recommends=true
    status_is 0
    [ "$(state_of rt-lib)" = '1.0 installed' ]
}

@test "options that differ make transactions of their own" {
    run apply <<END
resources:
  - package: [rt-one, rt-two]
    install_recommends: false
  - package: rt-conf
    options: ['-o', 'Debug::NoDropPrivs=true']
  - package: rt-lib
    install_recommends: false
END
    status_is 0
    [ "$(transactions)" -eq 2 ]
    inside grep -q 'NoDropPrivs=true install -- rt-conf' /var/log/apt/history.log
}

# bats test_tags=inline
@test "a file is installed, with what it needs from the package lists" {
    converges <<END
resources:
  - file: /tmp/rt-top.deb
    source: $repo/rt-top_1.0.deb
  - package: rt-top
    source: /tmp/rt-top.deb
END
    [ "$(state_of rt-lib)" = '1.0 installed' ]
    run rhost resource package rt-one version=latest source="$repo/rt-one_1.0.deb"
    status_is 0
    [ "$(state_of rt-one)" = '1.0 installed' ]
    run rhost resource package rt-one version=latest source="$repo/rt-one_1.1.deb"
    status_is 0
    says '1.0 → 1.1'
    run rhost resource package rt-one version=latest source="$repo/rt-one_1.0.deb"
    status_is 4
    says '1.0 is older than 1.1'
    run rhost resource package rt-two source="$repo/rt-one_1.0.deb" ensure=present
    status_is 4
    says "has the package 'rt-one', and not 'rt-two'"
}

@test "the package lists are brought up to date when that is asked for, once in a run" {
    inside sh -c 'rm -rf /var/lib/apt/lists/*'
    run rhost resource package rt-two ensure=present
    status_is 4
    says "package 'rt-two' is not in the package lists; 'refresh: true' brings them up to date"
    run apply --noop -v <<END
resources:
  - package: rt-two
    refresh: true
END
    status_is 0
    says 'rt-two is not in the package lists as they are, which would be brought up to date first'
    says 'ensure absent → present'
    says 'would bring the package lists up to date'
    run apply --debug <<END
resources:
  - package: rt-two
    refresh: true
  - log: between
  - package: rt-one
    refresh: 0
    require: log[between]
END
    status_is 0
    [ "$(grep -c "Executing 'apt-get -q update'" <<<"$output")" -eq 1 ]
    run apply --debug <<END
resources:
  - package: rt-conf
    refresh: 86400
END
    status_is 0
    says_not 'apt-get -q update'
    echo 'deb [trusted=yes] file:/nowhere ./' | put_inside /etc/apt/sources.list
    run rhost resource package rt-lib ensure=present refresh=true
    status_is 4
    says 'the package lists could not be brought up to date'
}

@test "the package lists are brought up to date after a repository of the run, also without being asked" {
    inside sh -c ': >/etc/apt/sources.list; rm -rf /var/lib/apt/lists/*; mkdir /var/lib/apt/lists/partial'
    inside apt-get -q update >/dev/null
    cat >site.yaml <<END
resources:
  - apt_repository: more
    uris: file:$repo
    suites: ./
    fields: {Trusted: "yes"}
  - package: rt-one
    version: 1.0
    require: apt_repository[more]
END
    run rhost apply --noop -v site.yaml
    status_is 0
    says 'would bring the package lists up to date'
    says 'ensure absent → present'
    run rhost apply site.yaml
    status_is 0
    [ "$(state_of rt-one)" = '1.0 installed' ]
    run rhost apply --debug site.yaml
    status_is 0
    says_not 'apt-get -q update'

    # A repository that changes is seen by `latest`, however new the lists are.
    inside sh -c 'rm /etc/apt/sources.list.d/more.sources; apt-get -q update >/dev/null'
    sed -i 's/version: 1.0/version: latest\n    refresh: 86400/' site.yaml
    run rhost apply site.yaml
    status_is 0
    [ "$(state_of rt-one)" = '2.0~rc1 installed' ]
}

@test "repositories that have changed and cannot be read are a warning where nobody asked for them" {
    echo 'deb [trusted=yes] file:/nowhere ./' | put_inside /etc/apt/sources.list.d/nowhere.list
    run rhost resource package rt-two ensure=present
    status_is 0
    says 'the repositories have changed, and the package lists could not be brought up to date'
    run rhost resource package rt-two ensure=absent
    status_is 0
    run rhost resource package rt-lib ensure=present refresh=false
    status_is 0
    says_not 'could not be brought up to date'
}

@test "apt serves packages here, before dpkg" {
    run rhost types --suits
    says 'package apt 1.0 30 chosen'
    says 'package dpkg 1.0 15'
}

@test "the example of the page works, with packages that are there" {
    inside apt-get -qq -y install rt-conf >/dev/null 2>&1
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' \
        "$abs_top_srcdir/plugins/package/package.md" |
        sed 's/nginx/rt-two/; s/telnet/rt-top/; s/postgresql/rt-one/; s/exim4/rt-conf/' | converges
    [ "$(state_of rt-top)" = '1.0 installed' ]
    [ "$(state_of rt-one)" = '1.1 installed' ]
    [ -z "$(state_of rt-conf)" ]
}
