# SPDX-License-Identifier: Apache-2.0
# rhost as a distribution ships it: packages built from a tarball, installed on a machine that boots,
# each alone and all together, upgraded, used, taken away again.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/machine.bash"

# repack VERSION TO DEB...: the packages as an other version has them. A version before ours has one file more,
# and another text in what may be configured.
repack() {
    local version=$1 to=$2 deb dir=$BATS_FILE_TMPDIR/repacked

    shift 2
    mkdir -p "$to"
    for deb; do
        rm -rf "$dir"
        dpkg-deb -R "$deb" "$dir"
        sed -i -e "s/^Version: .*/Version: $version/" -e "s/\(rhost[a-z-]* (= \)[^)]*)/\1$version)/g" "$dir/DEBIAN/control"
        if [ "$version" = 0.0.9-1 ] && [ -e "$dir/etc/default/rhost" ]; then
            echo '# as it was' >>"$dir/etc/default/rhost"
            echo '#!/bin/sh' >"$dir/usr/bin/rhost-as-it-was"
            chmod 755 "$dir/usr/bin/rhost-as-it-was"
        fi
        dpkg-deb --root-owner-group -Znone -b "$dir" "$to/" >/dev/null
    done
    rm -rf "$dir"
}

setup_file() {
    machine_wanted || return 0
    export packages=$BATS_FILE_TMPDIR/packages machine=$BATS_FILE_TMPDIR/machine
    machine_base "$machine_tarball"
    machine_packages_built "$packages"
    machine_make "$machine_tarball" "$machine"
    # rhost-dev is for those who build: what it needs is not on a minimal machine.
    rm -f "$packages"/*-dbgsym_*.deb "$packages"/rhost-dev_*.deb
    mkdir "$machine/packages"
    cp "$packages"/*.deb "$machine/packages/"
    repack 0.0.9-1 "$machine/before" "$packages"/*.deb
    repack 9.0-1 "$machine/after" "$packages"/*.deb
    machine_boot "$machine"
}

teardown_file() {
    machine_leave
}

on_the_machine() {
    [ -z "$MACHINE_WHY" ] || skip "$MACHINE_WHY"
    run machine_run "$machine" "$@"
}

# Installed with all that is in their directory, and nothing else.
@test "each package with plugins works when nothing else is installed but rhost" {
    on_the_machine sh -c 'dpkg -i /packages/rhost_*.deb && rhost types'
    status_is 0
    for deb in "$packages"/rhost-plugin*.deb; do
        name=$(dpkg-deb -f "$deb" Package)
        echo "# $name"
        on_the_machine sh -c "dpkg -i /packages/${name}_*.deb && rhost types --format=json"
        status_is 0
        diff <(sed -En 's/^ *"(type|lookup)": *"([^"]*)".*/rhost-\1-\2/p' <<<"$output" | sed 's/::/./g; s/_/-/g' | sort -u) \
            <(dpkg-deb -f "$deb" Provides | tr -d ' ' | tr , '\n' | sed '/^$/d' | sort -u)
        on_the_machine sh -c "dpkg --purge $name && rhost types"
        status_is 0
    done
}

@test "a package with plugins says which libraries it needs" {
    requires_command objdump
    on_the_machine true
    for deb in "$packages"/*.deb; do
        rm -rf unpacked
        dpkg-deb -x "$deb" unpacked
        depends=$(dpkg-deb -f "$deb" Depends)
        # shellcheck disable=SC2046 # the libraries, one a word
        set -- $(find unpacked -type f '(' -name '*.so' -o -path '*/bin/*' -o -path '*/libexec/*' ')' -exec objdump -p {} + \
            | sed -n 's/^ *NEEDED *//p' | sort -u)
        for library; do
            on_the_machine dpkg-query -S "*/$library"
            status_is 0
            [[ ", $depends," == *", ${output%%:*}"[\ ,]* ]] || {
                echo "$deb does not depend on ${output%%:*}, which has $library"
                return 1
            }
        done
    done
}

@test "the packages install on a machine that boots" {
    on_the_machine sh -c 'dpkg -i /packages/*.deb'
    status_is 0
    on_the_machine rhost types
    status_is 0
    says "file file"
    on_the_machine sh -c 'systemctl is-enabled rhost.timer; systemctl is-active rhost.timer'
    [ "$output" = "disabled
inactive" ]
}

@test "what plugins say of themselves was kept when they were installed" {
    on_the_machine test -s /var/cache/rhost/plugins.json
    status_is 0
}

@test "a manifest converges there, and the second time there is nothing to change" {
    on_the_machine rhost apply --detailed-exitcodes /usr/share/doc/rhost/examples/quickstart.yaml
    status_is 2
    on_the_machine rhost apply --detailed-exitcodes /usr/share/doc/rhost/examples/quickstart.yaml
    status_is 0
}

@test "the timer's service applies /etc/rhost/site.yaml" {
    on_the_machine sh -c 'printf "resources:\n  - file: /etc/from-timer\n    content: made\n" \
        >/etc/rhost/site.yaml && systemctl start rhost.service && cat /etc/from-timer'
    status_is 0
    says "made"
}

@test "the agent's service applies what its source says, and that of the collector stores the report" {
    command -v ssh-keygen >/dev/null || skip "needs ssh-keygen"
    mkdir "$work/site" "$machine/srv/source"
    ssh-keygen -q -t ed25519 -N '' -f "$work/key"
    printf 'it namespaces="rhost-bundle,rhost-channel" %s\n' "$(cat "$work/key.pub")" >"$machine/etc/rhost/allowed_signers"
    printf 'resources:\n  - file: /etc/from-agent\n    content: made\n' >"$work/site/site.yaml"
    rhost bundle make "$work/site" -o "$machine/srv/source"
    rhost bundle sign "$machine/srv/source/r1.json" --key "$work/key"
    rhost bundle channel "$machine/srv/source" --to 1 --key "$work/key" --signers "$machine/etc/rhost/allowed_signers"
    chmod -R a+rX "$machine/srv/source"
    echo 'source: file:///srv/source' >"$machine/etc/rhost/agent.yaml"
    cat >"$machine/root/agent-and-collector" <<'END'
set -e
wait_for() {
    for try in $(seq 300); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    journalctl --no-pager -n 30 || :
    echo "not in time: $*"
    return 1
}
systemctl start rhost-agent
wait_for test -e /etc/from-agent
systemctl show -p ActiveState -p NotifyAccess -p WatchdogUSec rhost-agent
stored() { ls /var/lib/rhost-agent/spool/*-c.json; }
wait_for stored
systemctl stop rhost-agent
systemctl show -p Result rhost-agent
install -d -o rhost-collect /srv/reports "/srv/reports/$(uname -n)"
cp "$(stored)" /srv/reports/report
run=$(sed -n 's/.*"run": "\([^"]*\)".*/\1/p' /srv/reports/report | head -1)
install -o rhost-collect /srv/reports/report "/srv/reports/$(uname -n)/$run.json"
rm /srv/reports/report
systemctl start rhost-collect
gone() { ! test -e "/srv/reports/$(uname -n)/$run.json"; }
wait_for gone
systemctl is-active rhost-collect
systemctl stop rhost-collect
rhost fleet status --db=sqlite:/var/lib/rhost-collect/fleet.db
END
    on_the_machine sh /root/agent-and-collector
    status_is 0
    says 'ActiveState=active'
    says 'Result=success'
    says 'changed'
    [ "$(cat "$machine/etc/from-agent")" = made ]
}

@test "a package says which types it provides, and which ABI it needs" {
    on_the_machine dpkg-query -W -f '${Provides}\n' rhost-plugins-base
    says "rhost-type-file"
    on_the_machine dpkg-query -W -f '${Depends}\n' rhost-plugins-base
    says "rhost-abi-1 (>= 0)"
}

@test "without its plugin a type is gone, with a clear message" {
    on_the_machine sh -c 'dpkg -r rhost-plugins-base && rhost apply /etc/rhost/site.yaml'
    status_is 1
    says "unknown type 'file'"
    on_the_machine sh -c 'dpkg -i /packages/rhost-plugins-base_*.deb && rhost apply /etc/rhost/site.yaml'
    status_is 0
}

@test "the shell completes commands, options, types and files" {
    cat >"$machine/root/complete" <<'END'
source /usr/share/bash-completion/completions/rhost
complete -p rhost >/dev/null || exit
completed() {
    COMP_WORDS=(rhost "$@")
    COMP_CWORD=$#
    COMP_LINE="${COMP_WORDS[*]}"
    COMP_POINT=${#COMP_LINE}
    _rhost 2>/dev/null
    echo "$*: ${COMPREPLY[*]}"
}
completed app
completed apply --noo
completed describe hostn
completed apply --detailed site
completed --no-such-option-
cd /etc/rhost && compgen -o default si
END
    on_the_machine bash /root/complete
    status_is 0
    [ "$output" = "app: apply
apply --noo: --noop
describe hostn: hostname
apply --detailed site: 
--no-such-option-: 
site.yaml" ]
}

@test "an upgrade keeps what the operator wrote, and takes the rest from the new version" {
    on_the_machine sh -c 'dpkg --purge $(dpkg-query -W -f "\${Package} " "rhost*") && dpkg -i /before/*.deb'
    status_is 0
    on_the_machine sh -c 'test -x /usr/bin/rhost-as-it-was && grep "as it was" /etc/default/rhost'
    status_is 0
    on_the_machine sh -c 'systemctl enable --now rhost.timer && dpkg -i /packages/*.deb </dev/null && dpkg -V'
    status_is 0
    on_the_machine sh -c 'ls /usr/bin/rhost-as-it-was; grep "as it was" /etc/default/rhost'
    says "No such file or directory"
    status_is 1
    on_the_machine sh -c 'echo RHOST_OPTIONS=--quiet >/etc/default/rhost; dpkg -i /after/*.deb </dev/null'
    status_is 0
    on_the_machine sh -c 'dpkg-query -W -f "\${Package} \${Version}\n" "rhost*"; cat /etc/default/rhost; ls /etc/rhost'
    says "rhost 9.0-1"
    says "RHOST_OPTIONS=--quiet"
    says "site.yaml"
    on_the_machine sh -c 'systemctl is-enabled rhost.timer; systemctl is-active rhost.timer; rhost types'
    says "enabled
active"
    says "file file"
}

@test "the options of /etc/default/rhost are those of the timer's service" {
    on_the_machine sh -c 'rm -f /etc/from-timer; echo "RHOST_OPTIONS=\"--noop --quiet\"" >/etc/default/rhost &&
        systemctl start rhost.service && test ! -e /etc/from-timer'
    status_is 0
}

@test "what is removed leaves its configuration, and what is purged does not" {
    on_the_machine sh -c 'dpkg -r $(dpkg-query -W -f "\${Package} " "rhost*"); cat /etc/default/rhost /etc/rhost/site.yaml'
    status_is 0
    says "--noop --quiet"
    on_the_machine systemctl is-active rhost.timer
    [ "$output" = inactive ]
    on_the_machine sh -c 'dpkg --purge $(dpkg-query -W -f "\${Package} " "rhost*"); ls /etc/default/rhost'
    says "'/etc/rhost' not empty"
    says "cannot access '/etc/default/rhost'"
    on_the_machine cat /etc/rhost/site.yaml
    status_is 0
}

@test "after a purge nothing is left but what the operator wrote" {
    on_the_machine sh -c 'rm -r /etc/rhost && rm -f /root/complete'
    status_is 0
    on_the_machine find / -xdev '(' -path /packages -o -path /before -o -path /after -o -path /proc -o -path /sys -o -path /var/log ')' -prune \
        -o -name '*rhost*' ! -name 'pam_rhosts*' -print
    [ -z "$output" ] || {
        echo "left behind:"
        echo "$output"
        return 1
    }
}
