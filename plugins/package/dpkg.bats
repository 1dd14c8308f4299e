#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What apt and dpkg keep in their databases, what they leave when they are killed, and the provider dpkg.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/apt-machine.bash"

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

@test "what the manifest names is marked as manually installed, so that autoremove keeps it" {
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
    says "'/etc/rt-conf.conf' was edited and has a new version in the package, keeping it as it is; the new version is '/etc/rt-conf.conf.dpkg-dist'"
    [ "$(inside cat /etc/rt-conf.conf)" = mine ]
    [ "$(inside cat /etc/rt-conf.conf.dpkg-dist)" = 'of 2.0' ]
    run rhost resource package rt-conf version=1.0 allow_downgrade=true config_files=replace
    status_is 0
    says "'/etc/rt-conf.conf' was edited, and is replaced; the edited one is '/etc/rt-conf.conf.dpkg-old'"
    [ "$(inside cat /etc/rt-conf.conf)" = 'of 1.0' ]
    [ "$(inside cat /etc/rt-conf.conf.dpkg-old)" = mine ]
    inside rm /etc/rt-conf.conf
    run rhost resource package rt-conf version=2.0
    status_is 0
    says "'/etc/rt-conf.conf' was removed and has a new version in the package"
    run inside test -e /etc/rt-conf.conf
    status_is 1
    # One that nobody has edited is replaced without a word.
    inside apt-get -qq -y -o Dpkg::Options::=--force-confmiss --reinstall install rt-conf=2.0 >/dev/null 2>&1
    run rhost resource package rt-conf version=1.0 allow_downgrade=true
    status_is 0
    says_not rt-conf.conf
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
    says '1 ok'
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
