#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Packages by apt and dpkg, in a machine of their own, from package lists of their own.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/machine.bash"

# A package with these fields; what standard input says is its postinst.
deb() {
    local name=$1 version=$2 tree=$repo/tree script
    shift 2
    rm -rf "$tree"
    mkdir -p "$tree/DEBIAN" "$tree/usr/share/$name"
    echo "$version" >"$tree/usr/share/$name/version"
    printf '%s\n' "Package: $name" "Version: $version" 'Architecture: all' \
        'Maintainer: A Test <test@example.org>' "$@" 'Description: a package to try' \
        >"$tree/DEBIAN/control"
    if [ "$name" = rt-conf ]; then
        mkdir -p "$tree/etc"
        echo "of $version" >"$tree/etc/rt-conf.conf"
        echo /etc/rt-conf.conf >"$tree/DEBIAN/conffiles"
    fi
    script=$(cat)
    if [ -n "$script" ]; then
        printf '#!/bin/sh\nset -e\n%s\n' "$script" >"$tree/DEBIAN/postinst"
        chmod 755 "$tree/DEBIAN/postinst"
    fi
    dpkg-deb --root-owner-group -Znone --build "$tree" "$repo/${name}_$version.deb" >/dev/null
    {
        cat "$tree/DEBIAN/control"
        printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "${name}_$version.deb" \
            "$(stat -c %s "$repo/${name}_$version.deb")" \
            "$(sha256sum <"$repo/${name}_$version.deb" | cut -d' ' -f1)"
    } >>"$repo/Packages"
}

setup_file() {
    local i
    [ "$(id -u)" -eq 0 ] && command -v dpkg-deb >/dev/null || return 0
    repo=$BATS_FILE_TMPDIR/repo
    mkdir -p "$repo"
    {
        deb rt-one 1.0
        deb rt-one 1.1
        deb rt-one '2.0~rc1'
        deb rt-two 1.0
        deb rt-conf 1.0
        deb rt-conf 2.0
        deb rt-lib 1.0
        deb rt-top 1.0 'Depends: rt-lib'
        deb rt-rec 1.0 'Recommends: rt-lib'
        deb rt-rival 1.0 'Conflicts: rt-one'
        deb rt-lost 1.0 'Depends: rt-nowhere'
        deb rt-mailer 1.0 'Provides: rt-mail'
        for i in $(seq -w 1 50); do
            deb "rt-p$i" 1.0
        done
    } </dev/null
    deb rt-bad 1.0 <<<'echo the cupboard is bare >&2
exit 3'
    deb rt-slow 1.0 <<<'[ -e /tmp/rt-quick ] || { touch /tmp/rt-slow-began; sleep 60; }'
}

# Two packages are installed. That of this machine, with a thousand of them, would be read by apt and dpkg again
# and again.
small_database() {
    inside sh -c 'cd /var/lib/dpkg && rm -rf updates/* info/*.list status && for name in dpkg here-one; do
            printf "/.\n" >"info/$name.list"
            [ "$name" = dpkg ] && arch=$(dpkg --print-architecture) || arch=all
            printf "%s\n" "Package: $name" "Status: install ok installed" "Architecture: $arch" "Version: 1.0" \
                "Maintainer: A Test <test@example.org>" "Description: a package that is there" ""
        done >status'
}

setup() {
    work_open
    machine_needs apt-cache apt-get dpkg-deb dpkg-query
    repo=$BATS_FILE_TMPDIR/repo
    machine_make
    inside sh -c 'rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /etc/apt/preferences* /var/lib/apt/lists
        mkdir -p /var/lib/apt/lists/partial; : >/var/log/apt/history.log; : >/var/log/dpkg.log'
    echo 'APT::Sandbox::User "root";' | put_inside /etc/apt/apt.conf.d/99here
    echo "deb [trusted=yes] file:$repo ./" | put_inside /etc/apt/sources.list
    [[ "$BATS_TEST_DESCRIPTION" == *"of this machine"* ]] || small_database
    inside apt-get -q update >/dev/null
}

teardown() {
    machine_end
}

# "1.0 installed", as dpkg has it.
state_of() {
    inside dpkg-query -W -f '${Version} ${db:Status-Status}\n' "$1" 2>/dev/null | grep -v not-installed || true
}

transactions() {
    inside grep -c ^Commandline: /var/log/apt/history.log
}

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
@test "packages that can't be installed leave the others alone, and each says why" {
    run apply <<END
resources:
  - package: [rt-one, rt-onne, rt-mail, rt-lost, rt-bad, rt-top]
  - package: rt-conf
    version: 9
END
    status_is 4
    says "there is no package 'rt-onne' in the package lists: did you mean 'rt-one'?"
    says "'rt-mail' is a virtual package; name one of those that provide it: rt-mailer"
    says "it can't be installed: Depends: rt-nowhere but it is not installable"
    says "version: there is no '9' in the package lists; there is 2.0, 1.0"
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

@test "what can't be fetched leaves the others alone" {
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

@test "two that can't be had together are refused, and the rest goes on" {
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
    says '1 as wanted'
    run rhost resource package rt-one version='1.1*'
    status_is 0
    says 'version 1.0 → 1.1'
    run rhost resource package rt-one version=latest
    status_is 0
    says 'version 1.1 → 2.0~rc1'
    run rhost resource package rt-one version=latest
    says '1 as wanted'
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
    says "'*' can't be in one"
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

@test "a package is held, kept, and let go, with one call for all" {
    cat >site.yaml <<END
resources:
  - package: [rt-one, rt-conf]
    version: 1.0
    held: true
  - package: rt-two
    held: true
END
    run rhost apply --debug --detailed-exitcodes site.yaml
    status_is 2
    [ "$(grep -c "Executing 'dpkg --set-selections'" <<<"$output")" -eq 1 ]
    [ "$(inside apt-mark showhold | tr '\n' ' ')" = 'rt-conf rt-one rt-two ' ]
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    run rhost resource package rt-one version=latest
    status_is 4
    says "it is held at 1.0; 'held: false' lets go of it"
    run rhost resource package rt-one version=1.1 held=true
    status_is 0
    [ "$(state_of rt-one)" = '1.1 installed' ]
    run rhost resource package rt-one version=latest held=false
    status_is 0
    says 'held true → false'
    [ "$(state_of rt-one)" = '2.0~rc1 installed' ]
    [ "$(inside apt-mark showhold | tr '\n' ' ')" = 'rt-conf rt-two ' ]
    run rhost resource package rt-two ensure=absent
    status_is 4
    [ "$(state_of rt-two)" = '1.0 installed' ]
}

@test "what the manifest names is marked as wanted by somebody, so that autoremove leaves it alone" {
    for RHOST_ISOLATION in $isolations; do
        inside apt-get -qq -y install rt-top rt-two rt-one=1.0 >/dev/null 2>&1
        inside apt-mark auto rt-two rt-one rt-lib >/dev/null
        cat >site.yaml <<END
resources:
  - package: rt-lib
  - package: rt-two
  - package: rt-one
    version: 1.1
END
        run rhost apply --noop --detailed-exitcodes site.yaml
        status_is 2
        says "package[rt-lib]"
        says "mark auto → manual"
        [ "$(inside apt-mark showauto 'rt-*' | wc -l)" -eq 3 ]
        run rhost apply --debug --detailed-exitcodes site.yaml
        status_is 2
        says "mark auto → manual"
        # rt-one has become so by being upgraded.
        [ "$(grep -c "Executing 'apt-mark manual -- rt-lib rt-two'" <<<"$output")" -eq 1 ]
        [ "$(grep -c "debug: package: Executing 'apt-mark" <<<"$output")" -eq 1 ]
        [ -z "$(inside apt-mark showauto 'rt-*')" ]
        run rhost apply --detailed-exitcodes site.yaml
        status_is 0
        inside dpkg --remove rt-top >/dev/null
        inside apt-get -qq -y autoremove >/dev/null 2>&1
        [ "$(state_of rt-lib)" = '1.0 installed' ]
        [ "$(state_of rt-two)" = '1.0 installed' ]
        # The other mark, also for what is installed now.
        converges <<END
resources:
  - package: [rt-two, rt-mailer]
    mark: auto
END
        [ "$(inside apt-mark showauto 'rt-*' | sort | xargs)" = 'rt-mailer rt-two' ]
        inside dpkg --purge rt-two rt-one rt-lib rt-mailer >/dev/null
        run apply <<END
resources:
  - package: rt-two
    provider: dpkg
    mark: auto
END
        [ "$status" -ne 0 ]
        says "dpkg marks nothing: 'provider: apt' does"
    done
}

@test "edited configuration files are kept, or replaced when that is said" {
    inside apt-get -qq -y install rt-conf=1.0 >/dev/null 2>&1
    echo mine | put_inside /etc/rt-conf.conf
    run rhost resource package rt-conf version=2.0
    status_is 0
    [ "$(inside cat /etc/rt-conf.conf)" = mine ]
    run rhost resource package rt-conf version=1.0 allow_downgrade=true config_files=replace
    status_is 0
    [ "$(inside cat /etc/rt-conf.conf)" = 'of 1.0' ]
}

# bats test_tags=inline
@test "removing leaves configuration files, and purge takes them, also later" {
    inside apt-get -qq -y install rt-conf rt-one rt-two >/dev/null 2>&1
    run apply --detailed-exitcodes <<END
resources:
  - package: rt-conf
    ensure: absent
  - package: rt-one
    ensure: absent
    purge: true
END
    status_is 2
    [ "$(state_of rt-conf)" = '2.0 config-files' ]
    [ -z "$(state_of rt-one)" ]
    run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
    run rhost resource --noop package rt-conf ensure=absent purge=true
    says 'configuration files → absent'
    [ "$(state_of rt-conf)" = '2.0 config-files' ]
    run rhost resource package rt-conf ensure=absent purge=true
    status_is 0
    says 'configuration files → absent'
    [ -z "$(state_of rt-conf)" ]
    inside test ! -e /etc/rt-conf.conf
    run rhost resource package rt-conf ensure=absent purge=true
    says '1 as wanted'
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
    says "there is no package 'rt-two' in the package lists; 'refresh: true' brings them up to date"
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

# Holds dpkg's lock for so many seconds.
hold_lock() {
    rm -f "$work/lock" # of an earlier holder
    inside python3 -c "
import fcntl, os, time
f = open('/var/lib/dpkg/lock-frontend', 'w')
fcntl.lockf(f, fcntl.LOCK_EX)
print(os.getpid(), 'held', flush=True)
time.sleep($1)" >"$work/lock" 2>&1 3>&- &
    until grep -qs held "$work/lock"; do sleep 0.05; done
}

# bats test_tags=inline
@test "whoever holds the lock is named, waited for, and given up on in the end" {
    requires_command python3
    hold_lock 30
    run rhost resource package rt-two ensure=present lock_timeout=1
    status_is 4
    says "the package manager is in use: '/var/lib/dpkg/lock-frontend' is held by process"
    says '(python3); waiting up to 1 s'
    says 'and was so for 1 s (lock_timeout)'
    [ -z "$(state_of rt-two)" ]
    run rhost resource --noop package rt-two ensure=present
    status_is 0
    says "is held by process"
    says 'a run would wait until that is done'
    kill "$(cut -d ' ' -f 1 lock)"
    wait $! || true
    hold_lock 60
    # Inline what is said comes when the call is over.
    RHOST_ISOLATION=worker rhost resource package rt-two ensure=present >out 2>&1 3>&- &
    waiting=$!
    for _ in $(seq 600); do
        ! grep -q 'waiting up to 300 s' out || break
        sleep 0.05
    done
    kill "$(cut -d ' ' -f 1 lock)"
    wait $waiting
    grep -q 'waiting up to 300 s' out
    [ "$(state_of rt-two)" = '1.0 installed' ]
}

# Every process in the machine but the one that does this.
kill_all_inside() {
    inside sh -c 'root=$(stat -Lc %d:%i /)
        for p in /proc/[0-9]*; do
            [ "${p#/proc/}" = $$ ] || [ "$(stat -Lc %d:%i "$p/root" 2>/dev/null)" != "$root" ] ||
                kill -9 "${p#/proc/}" 2>/dev/null
        done' || true
}

@test "after a kill in the middle the next run says so, ends what was begun, and goes on" {
    {
        echo 'resources:'
        seq -w 1 9 | sed 's/.*/  - package: rt-p0&/'
        echo '  - package: rt-slow'
    } >site.yaml
    rhost apply site.yaml >"$work/out" 2>&1 3>&- &
    until inside test -e /tmp/rt-slow-began; do sleep 0.05; done
    kill_all_inside
    wait $! || true
    [ "$(state_of rt-slow)" = '1.0 half-configured' ]
    inside touch /tmp/rt-quick

    run rhost apply --noop site.yaml
    says "the last work of dpkg was interrupted or failed, in the middle of"
    says 'rt-slow (half-configured)'
    says "would run 'dpkg --configure -a' first"
    says 'state half-configured → installed'
    [ "$(state_of rt-slow)" = '1.0 half-configured' ]

    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    says "running 'dpkg --configure -a' first"
    says 'state half-configured → installed'
    [ "$(inside dpkg-query -W -f '${db:Status-Status}\n' 'rt-*' | grep -cx installed)" -eq 10 ]
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "what was half unpacked is unpacked again" {
    inside apt-get -qq -y install rt-one=1.1 >/dev/null 2>&1
    inside sed -i '/^Package: rt-one$/,/^$/s/^Status: .*/Status: install reinstreq half-installed/' \
        /var/lib/dpkg/status
    run rhost resource package rt-one
    says 'state: half-installed'
    run rhost resource package rt-one version=1.1
    status_is 0
    says 'state half-installed → installed'
    [ "$(state_of rt-one)" = '1.1 installed' ]
}

@test "drift is shown by noop and repaired" {
    cat >site.yaml <<END
resources:
  - package: rt-one
    version: 1.1
    held: true
    allow_downgrade: true
  - package: rt-two
  - package: rt-lib
    ensure: absent
END
    run rhost apply site.yaml
    status_is 0
    inside apt-mark unhold rt-one
    inside apt-get -qq -y install rt-one rt-two- rt-lib >/dev/null 2>&1
    run rhost apply --noop --detailed-exitcodes site.yaml
    status_is 2
    says 'version 2.0~rc1 → 1.1'
    says 'held false → true'
    says 'absent → 1.0'
    says '1.0 → absent'
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

# bats test_tags=inline
@test "all packages of this machine are listed, and the list applied back is no change" {
    rhost resource package >site.yaml
    [ "$(grep -c '^  - package:' site.yaml)" -eq \
        "$(inside dpkg-query -W -f '${db:Status-Status}\n' | grep -cv 'config-files\|not-installed')" ]
    run rhost apply --noop --detailed-exitcodes site.yaml
    status_is 0
}

@test "what is installed is read from the file of dpkg, and asked of dpkg-query while dpkg has more notes" {
    inside apt-get -qq -y install rt-one rt-two >/dev/null 2>&1
    inside apt-mark hold rt-one
    inside dpkg --add-architecture i386
    printf '\nPackage: rt-foreign\nStatus: install reinstreq half-installed\nMaintainer: x\nArchitecture: i386\nVersion: 1:2-3\nDescription: x\n Status: none\n\nPackage: rt-gone\nStatus: deinstall ok config-files\nMaintainer: x\nArchitecture: all\nVersion: 1\nDescription: x\n\n' |
        inside sh -c 'cat >>/var/lib/dpkg/status'
    inside dpkg-query -W -f '${Package} ${Architecture} ${Version} ${db:Status-Want} ${db:Status-Status}\n' |
        awk -v native="$(inside dpkg --print-architecture)" '$5 != "config-files" && $5 != "not-installed" {
            print $1 ($2 == native || $2 == "all" ? "" : ":" $2), $3, $4 == "hold" ? "true" : "false", $5 }' |
        LC_ALL=C sort >expected
    grep -qxF 'rt-foreign:i386 1:2-3 false half-installed' expected
    for RHOST_ISOLATION in $isolations; do
        rhost resource package --debug >listed.yaml 2>log
        not grep "Executing 'dpkg-query" log
        tr -d '"' <listed.yaml | awk '$2 == "package:" { name = $3 } { is[$1] = $2 }
            $1 == "state:" { print name, is["version:"], is["held:"], $2 }' | LC_ALL=C sort >listed
        diff expected listed
        inside sed -n '/^Package: rt-two$/,/^$/s/^Status: .*/Status: hold ok installed/;/^Package: rt-two$/,/^$/p' \
            /var/lib/dpkg/status | put_inside /var/lib/dpkg/updates/0001
        run rhost resource package rt-two --debug
        says "Executing 'dpkg-query"
        says 'held: true'
        inside rm /var/lib/dpkg/updates/0001
        run rhost resource package rt-two --debug
        says 'held: false'
    done
    echo 'Package: rt-odd' | inside sh -c 'cat >>/var/lib/dpkg/status'
    run rhost resource package --debug
    says "Executing 'dpkg-query"
    # Lines that are blank but for a carriage return end no stanza; what dpkg-query says of them counts.
    for i in $(seq 2000); do
        printf 'Package: rt-%s\nStatus: install ok installed\nArchitecture: all\nVersion: 1\n\r\n' "$i"
    done | put_inside /var/lib/dpkg/status
    for RHOST_ISOLATION in $isolations; do
        run rhost resource package --debug
        [ "$status" -ne 0 ]
        says "Executing 'dpkg-query"
        says 'cannot read the database of dpkg'
    done
}

# bats test_tags=inline
@test "dpkg: files are one call, what they need is not looked for, and noop changes nothing" {
    cat >site.yaml <<END
resources:
  - package: rt-one
    provider: dpkg
    source: $repo/rt-one_1.1.deb
  - package: rt-two
    provider: dpkg
    source: $repo/rt-two_1.0.deb
  - package: rt-top
    provider: dpkg
    source: $repo/rt-top_1.0.deb
END
    run rhost apply --noop site.yaml
    says 'absent → 1.1'
    [ -z "$(state_of rt-one)" ]
    run rhost apply --debug site.yaml
    status_is 4
    says 'dependency problems'
    says 'rt-top depends on rt-lib'
    [ "$(grep -c "Executing 'dpkg .*--install" <<<"$output")" -eq 1 ]
    [ "$(state_of rt-one)" = '1.1 installed' ]
    [ "$(state_of rt-two)" = '1.0 installed' ]
    run rhost resource --provider=dpkg package rt-top ensure=absent
    status_is 0
    run rhost resource --provider=dpkg package rt-one version=latest source="$repo/rt-one_1.0.deb"
    status_is 4
    run rhost resource --provider=dpkg package rt-one ensure=absent purge=true
    status_is 0
    [ -z "$(state_of rt-one)" ]
    run rhost resource --provider=dpkg package rt-conf ensure=present
    status_is 4
    says "the provider 'dpkg' installs from files"
    run rhost resource --provider=dpkg package rt-conf ensure=present refresh=true
    [ "$status" -ne 0 ]
    says "the provider 'dpkg' has no package lists: 'apt' does"
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
