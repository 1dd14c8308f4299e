#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The programs that change a machine (crontab, systemd-analyze, apt-get and what it runs, such as dpkg; the real ones) fail or are
# killed at one of their system calls, while rhost applies a manifest with them. Whatever fails there:
# - rhost says so, and says that all is done (exit status 2 or 0) only where it is;
# - what belongs to somebody else is still there, and whole;
# - the next run, undisturbed, converges, and the one after it changes nothing.
# A call fails in each process of the program that comes to it, or with "passing" in the first of each list of arguments.
#
# PROGRAM_POINTS says how many points of each case are tried, 0 all of them, and PROGRAM_SEED which. PROGRAM_ONLY is a
# pattern of grep -E that the names of points have. The short form is
# this file as it is; the long one belongs to make check-campaign.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/apt-machine.bash"

setup() {
    work_open
    machine_needs apt-get apt-mark crontab dpkg-deb strace systemd-analyze
    strace -qq -o /dev/null true 2>/dev/null || skip "no tracing here"
    repo=$BATS_FILE_TMPDIR/repo
    machine_make
    inside sh -c 'rm -f /etc/apt/apt.conf.d/20packagekit /etc/apt/apt.conf.d/50appstream /etc/apt/apt.conf.d/70debconf
        rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /etc/apt/preferences* /var/lib/apt/lists /etc/systemd/system
        mkdir -p /var/lib/apt/lists/partial /var/spool/cron/crontabs /etc/systemd/system; rm -f /var/spool/cron/crontabs/*
        : >/var/log/apt/history.log; : >/var/log/dpkg.log'
    echo 'APT::Sandbox::User "root";' | put_inside /etc/apt/apt.conf.d/99here
    echo "deb [trusted=yes] file:$repo ./" | put_inside /etc/apt/sources.list
    # All of this is copied for each point: of this machine's packages nothing is needed.
    inside sh -c 'rm -rf /var/cache/apt && mkdir -p /var/cache/apt/archives/partial
        find /var/lib/dpkg/info -type f ! -name format -delete'
    small_database
    echo '7 7 * * * somebody else' | inside crontab -u root -
    printf '[Service]\nExecStart=/bin/true\n' | put_inside /etc/systemd/system/other.service
    inside apt-get -q update >/dev/null
    mkdir real traces
}

teardown() {
    machine_end
}

# What is kept and put back between the points.
places='/var/lib/dpkg /var/lib/apt /var/cache/apt /var/spool/cron /etc/apt /etc/systemd/system /usr/share/rt-top
    /usr/share/rt-lib /usr/share/rt-conf /etc/rt-conf.conf'

keep() {
    inside sh -c 'rm -rf /kept; for p; do [ ! -e "$p" ] || { mkdir -p "/kept${p%/*}" && cp -a "$p" "/kept$p"; }; done' \
        sh $places "$work/state"
}

put_back() {
    inside sh -c 'for p; do rm -rf "$p"; [ ! -e "/kept$p" ] || cp -a "/kept$p" "$p"; done' sh $places "$work/state"
}

# The programs are traced from now on: each call of one is noted or, as the file "fault" says, disturbed.
trace() {
    local name path
    for name; do
        path=$(inside sh -c 'readlink -f "$(command -v "$1")"' sh "$name")
        cp -p "$path" "real/$name"
        inside cat "$path" >"real/$name"
        cat >"traced-$name" <<END
#!/bin/sh
grep -q '^TracerPid:.0\$' /proc/\$\$/status || exec '$work/real/$name' "\$@" # its parent is traced, and it with it
read -r tool call how when 2>/dev/null <'$work/fault' || tool=none
case \$tool in
all) exec strace -qq -ff -o '$work/traces/$name.'\$\$ '$work/real/$name' "\$@" ;;
$name)
    hit='$work/hit-'\$(echo "\$*" | tr -c 'a-z\n' _)
    [ ! -e '$work/passing' ] || ! grep -q INJECTED "\$hit" 2>/dev/null || exec '$work/real/$name' "\$@"
    exec strace -qq -f -o "\$hit" -e trace="\$call" -e inject="\$call:\$how:when=\$when" '$work/real/$name' "\$@" ;;
esac
exec '$work/real/$name' "\$@"
END
        chmod 755 "traced-$name"
        inside mount --bind "$work/traced-$name" "$path"
    done
}

# Each "PROGRAM CALL HOW WHEN" that is to be tried, in the order of the seed: the calls that can fail, each one of the first
# of a program in a process.
points() {
    awk '
        function base(f) { sub(/.*\//, "", f); sub(/\.[0-9]+\.[0-9]+$/, "", f); return f }
        FNR == 1 { for (c in n) delete n[c]; name = base(FILENAME) }
        match($0, /^[a-z0-9_]+\(/) {
            call = substr($0, 1, RLENGTH - 1)
            if (call !~ /^(openat|read|write|pwrite64|pread64|renameat2?|rename|linkat?|unlink(at)?|fsync|fdatasync|sync_file_range|clone3?|vfork|execve|fcntl|ftruncate|f?chmod|fchmodat|f?chown|fchownat|mkdir(at)?|rmdir|getdents64|newfstatat|fstat|statx|wait4|dup2|pipe2?|mmap|brk|lseek|socket|connect|poll|pselect6|ppoll|utimensat|symlink(at)?)$/) next
            if (++n[call] > most[name, call]) most[name, call] = n[call]
        }
        END {
            for (both in most) {
                split(both, part, SUBSEP)
                for (i = 1; i <= most[both]; i++) {
                    print part[1], part[2], "error=EIO", i
                    # What only reads never lacks space.
                    if (part[2] ~ /^(openat|p?write(64)?|(sym)?link(at)?|unlink(at)?|rename|mkdir|rmdir|f(data)?sync|ftruncate|f?ch(mod|own)|utimensat)/)
                        print part[1], part[2], "error=ENOSPC", i
                    print part[1], part[2], "error=ENOMEM", i
                    print part[1], part[2], "signal=KILL", i
                }
            }
        }' traces/* | sort | shuf --random-source=<(yes "${PROGRAM_SEED:-1}")
}

apply_inside() {
    rhost apply --detailed-exitcodes --color=never --state-dir "$work/state" site.yaml >output 2>&1
}

violation() {
    echo "# $point: $1"
    sed 's/^/#     /' "$2"
    violations=$((violations + 1))
}

# `desired` and `foreign` say whether all is as the manifest has it, and whether what is none of its matters is.
campaign() {
    local point status=0 again tried=0 reached=0 violations=0 most=${PROGRAM_POINTS:-3}
    : >fault
    keep
    echo all >fault
    apply_inside || status=$?
    [ "$status" -eq 2 ] && desired && foreign || {
        echo "the undisturbed run:"
        cat output
        return 1
    }
    : >fault
    points | grep -E "${PROGRAM_ONLY-}" >points
    [ -s points ]
    put_back
    while read -r point; do
        [ "$most" -eq 0 ] || [ "$tried" -lt "$most" ] || break
        tried=$((tried + 1))
        rm -f hit-*
        echo "$point" >fault
        status=0
        apply_inside || status=$?
        : >fault
        cp output first
        ! grep -qs 'INJECTED\|SIGKILL' hit-* || reached=$((reached + 1))
        case $status in
        0 | 2) desired || violation "exit status $status, and not all is done" first ;;
        4 | 6) grep -q failed first || violation "exit status $status without a reason" first ;;
        *) violation "exit status $status" first ;;
        esac
        foreign || violation "what belongs to others was changed" first
        again=0
        apply_inside || again=$?
        case $again in
        0 | 2) desired || violation "the next run ends with $again, and not all is done" output ;;
        *) violation "the next run ends with $again" output ;;
        esac
        foreign || violation "the next run has changed what belongs to others" output
        again=0
        apply_inside || again=$?
        [ "$again" -eq 0 ] || violation "the run after the next one ends with $again" output
        put_back
    done <points
    echo "# $(wc -l <points) points, $tried tried, $reached reached, $violations violations" | tee summary
    [ -z "${PROGRAM_SUMMARY-}" ] || sed "s/^#/$BATS_TEST_DESCRIPTION:/" summary >>"$PROGRAM_SUMMARY"
    [ "$reached" -gt 0 ]
    [ "$violations" -eq 0 ]
}

@test "crontab that fails" {
    cat >site.yaml <<'END'
resources:
  - cron: nightly
    target: crontab:root
    command: /bin/true
    hour: 3
  - cron: weekly
    target: crontab:daemon
    command: /bin/true
    weekday: 1
END
    desired() {
        inside crontab -u root -l | grep -qx '[*0-9]* 3 .*/bin/true' && inside crontab -u daemon -l | grep -q /bin/true
    }
    foreign() {
        inside crontab -u root -l | grep -qx '7 7 \* \* \* somebody else'
    }
    trace crontab
    touch passing # crontab(1) that can never read installs an empty table, whatever it is given, and says nothing
    campaign
}

@test "systemd-analyze that fails" {
    cat >site.yaml <<'END'
resources:
  - systemd_unit: rt.service
    content: "[Unit]\nDescription=x\n[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n"
END
    desired() {
        inside grep -q Description=x /etc/systemd/system/rt.service
    }
    foreign() {
        [ "$(inside cat /etc/systemd/system/other.service)" = "[Service]
ExecStart=/bin/true" ]
    }
    trace systemd-analyze
    campaign
}

@test "apt-get and dpkg that fail, with a real repository" {
    # An apt-get that can make no pipe to its own program waits for it without end.
    cat >site.yaml <<END
defaults:
  package: {timeout: 60}
resources:
  - package: rt-top
  - package: rt-conf
    version: '2.0'
  - package: here-one
    ensure: absent
END
    # With its configuration files, if dpkg was stopped before it had forgotten a package without any.
    is_removed() {
        case $1 in '' | *config-files) ;; *) return 1 ;; esac
    }
    desired() {
        [ "$(state_of rt-top)" = "1.0 installed" ] && [ "$(state_of rt-lib)" = "1.0 installed" ] &&
            [ "$(state_of rt-conf)" = "2.0 installed" ] && is_removed "$(state_of here-one)" &&
            inside grep -q 2.0 /etc/rt-conf.conf && inside test -e /usr/share/rt-top/version
    }
    foreign() {
        [ "$(state_of dpkg)" = "1.0 installed" ]
    }
    trace apt-get apt-mark dpkg
    campaign
}
