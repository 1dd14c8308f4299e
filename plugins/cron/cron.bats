#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Crontabs are those of a crontab(1) of our own; /etc/cron.d and the accounts are ours as well.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

# alice and bob have crontabs in "spool".
with_crontabs() {
    requires_root
    unshare -m true 2>/dev/null || skip "needs mounts of its own"
    printf 'root:x:0:0::/root:/bin/sh\nalice:x:70001:70001::/:/bin/sh\nbob:x:70002:70002::/:/bin/sh\n' >passwd
    mkdir -p bin spool cron.d
    cat >bin/crontab <<END
#!/bin/sh
echo "\$*" >>$work/calls
[ "\$1" = -u ] || exit 9
file=$work/spool/\$2
case \$3 in
-l) [ -e "\$file" ] || { echo "no crontab for \$2" >&2; exit 1; }; cat "\$file" ;;
-r) rm "\$file" ;;
-) cat >"\$file.new"
    if grep -q forbidden "\$file.new"; then
        printf '"-":1: bad command\nerrors in crontab file, can'"'"'t install.\n' >&2
        rm "\$file.new"
        exit 1
    fi
    mv "\$file.new" "\$file" ;;
esac
END
    chmod +x bin/crontab
    cat >inside <<END
#!/bin/sh
exec unshare -m sh -c '
    mount --bind $work/passwd /etc/passwd && mount --bind $work/bin /usr/local/bin &&
    mkdir -p /etc/cron.d && mount --bind $work/cron.d /etc/cron.d &&
    mount -t tmpfs none /var/spool && mkdir -p /var/spool/cron/crontabs &&
    mount --bind $work/spool /var/spool/cron/crontabs && exec "${RHOST:-$abs_top_builddir/rhost}" "\$@"' sh "\$@"
END
    chmod +x inside
    RHOST=$work/inside
}

# One job of the file "jobs".
cron() {
    local name=$1
    shift
    one "cron: $name" "target: ${target:-$work/jobs}" -- "$@"
}

jobs_are() {
    printf %b "$1" | diff - "${2:-jobs}"
}

# bats test_tags=inline
@test "a job is written with its name, and left alone afterwards" {
    for RHOST_ISOLATION in $isolations; do
        rm -f jobs
        cron 'back up' converges <<'END'
command: echo  a | b > c
hour: 3
minute: 5
END
        jobs_are '# rhost: back up\n5 3 * * * root echo  a | b > c\n'
        [ "$(mode_of jobs)" = 644 ]
    done
}

@test "what others have in the file stays" {
    printf 'MAILTO=x\n# rhost is nice\n0 1 * * *  root  theirs\n\n#0 2 * * * root off' >jobs
    cp jobs before
    cron mine converges <<<'command: a'
    jobs_are "$(cat before)"'\n# rhost: mine\n* * * * * root a\n'
    cron mine converges <<<'command: b'
    jobs_are "$(cat before)"'\n# rhost: mine\n* * * * * root b\n'
    cron mine converges <<<'ensure: absent'
    jobs_are "$(cat before)"'\n'
}

@test "a job is changed in its place" {
    printf '# rhost: a\n1 * * * * root a\n# rhost: b\n2 * * * * root b\n' >jobs
    cron a converges <<'END'
command: a
minute: 9
END
    says '1 ok'
    jobs_are '# rhost: a\n9 * * * * root a\n# rhost: b\n2 * * * * root b\n'
}

@test "times are the same in whichever way they are written" {
    printf '# rhost: a\n00,30 8-18/2 */1 Jan,3 mon-FRI root a\n' >jobs
    cron a is_in_sync <<'END'
command: a
minute: [0, "30"]
hour: 8-18/2
month: "1,mar"
weekday: 1-5
END
    printf '# rhost: a\n* * * * 7 root a\n' >jobs
    cron a is_in_sync <<'END'
command: a
weekday: sun
END
}

@test "what is no time is refused, and why" {
    bad() {
        cron a fails "$3" <<END
command: a
$1: $2
END
    }
    bad minute 60 "minute: '60' is not between 0 and 59"
    bad minute '"60"' "minute: '60' is not between 0 and 59"
    bad hour '[1, "24"]' "hour: '24' is not between 0 and 23"
    bad monthday '"0"' "monthday: '0' is not between 1 and 31"
    bad month foo "month: 'foo' is neither a number nor a name of three letters"
    bad weekday '"8"' "weekday: '8' is not between 0 and 7"
    bad minute mon "minute: 'mon' is not a number"
    bad hour 5-2 "hour: '5-2' runs backwards"
    bad minute '"*/0"' "'*/0' has a step that is not between 1 and 59"
    bad minute '"5/10"' "'5/10' has a step and no range: write '5-59/10'"
    bad minute '"1,,2"' "is not a number"
    bad minute '"1-"' "is not a number"
    bad minute '"1 2"' "is no time"
    bad special sometimes 'special'
    [ ! -e jobs ]
}

@test "a word instead of times" {
    cron a converges <<'END'
command: a
special: midnight
END
    jobs_are '# rhost: a\n@daily root a\n'
    cron a is_in_sync <<'END'
command: a
special: daily
END
    cron a converges <<'END'
command: a
hour: 4
END
    jobs_are '# rhost: a\n* 4 * * * root a\n'
    cron a fails "a job that is run '@reboot' has no other times" <<'END'
command: a
hour: 4
special: reboot
END
}

@test "the user is root where nothing is said, and is left alone where one is there" {
    printf '# rhost: a\n1 * * * * daemon a\n' >jobs
    cron a is_in_sync <<'END'
command: a
minute: 1
END
    cron a converges <<'END'
command: a
user: root
END
    cron a fails "unknown user 'nosuchuser': cron would ignore the job" <<'END'
command: a
user: nosuchuser
END
    jobs_are '# rhost: a\n* * * * * root a\n'
}

@test "a job with an environment stands last, and there is one" {
    cron a converges <<END
command: a
environment: [MAILTO=x y, "PATH=/bin"]
  - cron: b
    command: b
    target: $work/jobs
END
    jobs_are '# rhost: b\n* * * * * root b\n# rhost: a\nMAILTO=x y\nPATH=/bin\n* * * * * root a\n'
    cron c fails "what 'a' sets in its environment would count for this job as well" <<'END'
command: c
environment: [A=b]
END
    cron b fails "what 'a' sets in its environment" <<'END'
command: b
environment: [A=b]
END
    cron a converges <<'END'
command: a
environment: []
END
    jobs_are '# rhost: b\n* * * * * root b\n# rhost: a\n* * * * * root a\n'
    cron b converges <<'END'
command: b
environment: [A=b]
END
    jobs_are '# rhost: a\n* * * * * root a\n# rhost: b\nA=b\n* * * * * root b\n'
}

@test "a job whose line is gone or commented out comes back" {
    printf '# rhost: a\n# 1 * * * * root a\n0 0 * * * root other\n' >jobs
    cron a converges <<<'command: a'
    jobs_are '# rhost: a\n* * * * * root a\n0 0 * * * root other\n'
    printf '# rhost: a\n# it ran each day * at noon\n0 0 * * * root other\n' >jobs
    cron a converges <<<'command: a'
    jobs_are '# rhost: a\n* * * * * root a\n# it ran each day * at noon\n0 0 * * * root other\n'
}

# bats test_tags=inline
@test "a disabled job is a comment in its place, and comes back" {
    for RHOST_ISOLATION in $isolations; do
        printf '# rhost: a\n1 * * * * daemon a\n# rhost: b\n2 * * * * root b\n' >jobs
        cron a run apply --noop <<'END'
command: a
minute: 1
enabled: false
END
        status_is 0
        says 'enabled  true → false'
        cron a run apply <<'END'
command: a
minute: 1
enabled: false
END
        status_is 0
        says 'enabled  true → false'
        cron a is_in_sync <<'END'
command: a
minute: 1
enabled: false
END
        jobs_are '# rhost: a\n#1 * * * * daemon a\n# rhost: b\n2 * * * * root b\n'
        # It is changed while it is disabled, and stays a comment.
        cron a run apply <<'END'
command: c
minute: 1
enabled: false
END
        status_is 0
        jobs_are '# rhost: a\n#1 * * * * daemon c\n# rhost: b\n2 * * * * root b\n'
        run rhost undo last
        status_is 0
        jobs_are '# rhost: a\n#1 * * * * daemon a\n# rhost: b\n2 * * * * root b\n'
        cron a converges <<'END'
command: a
minute: 1
END
        jobs_are '# rhost: a\n1 * * * * daemon a\n# rhost: b\n2 * * * * root b\n'
        printf '# rhost: a\n#@daily root a\n' >jobs
        cron a converges <<<'ensure: absent'
        [ ! -e jobs ]
    done
}

# bats test_tags=inline
@test "a disabled job is created and listed as one, also in a crontab" {
    with_crontabs
    printf '# rhost: a\n#5 4 * * * root a\n# rhost: off\n#* * * * *\n' >cron.d/some
    target=crontab:alice cron x converges <<'END'
command: x
special: daily
enabled: false
environment: [A=b]
END
    jobs_are '# rhost: x\nA=b\n#@daily x\n' spool/alice
    rhost resource cron >listed.yaml
    cat listed.yaml
    is "$(grep -c 'enabled: false' listed.yaml)" 2
    run rhost apply --noop --detailed-exitcodes listed.yaml
    status_is 0
    says '2 resources: 2 ok'
    run apply <<<'resources: [purge: cron]'
    status_is 0
    jobs_are '# rhost: off\n#* * * * *\n' cron.d/some
    [ ! -e spool/alice ]
}

@test "drift is repaired, also where it cannot be understood" {
    printf '# rhost: a\n99 * * * * root a\n' >jobs
    cron a run apply --noop <<<'command: a'
    status_is 0
    says '1 would change'
    cron a converges <<<'command: a'
    jobs_are '# rhost: a\n* * * * * root a\n'
    printf '# rhost: a\n@sometimes root a\n' >jobs
    cron a converges <<<'command: a'
    jobs_are '# rhost: a\n* * * * * root a\n'
    printf '# rhost: a\nX=\351\n* * * * * root \351\n' >jobs
    cron a converges <<'END'
command: a
environment: []
END
    jobs_are '# rhost: a\n* * * * * root a\n'
}

@test "a file of which nothing is left is removed" {
    cron a converges <<<'command: a'
    cron a converges <<<'ensure: absent'
    [ ! -e jobs ]
    printf '# rhost: a\n* * * * * root a\n# mine\n' >jobs
    cron a converges <<<'ensure: absent'
    [ "$(cat jobs)" = '# mine' ]
}

@test "many jobs are one rewrite" {
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    {
        echo 'resources:'
        for i in $(seq 1 40); do
            printf '  - cron: j%s\n    command: c%s\n    target: %s\n' "$i" "$i" "$work/jobs"
        done
    } >site.yaml
    run strace -f -e trace=linkat,renameat,rename -o trace "${RHOST:-$abs_top_builddir/rhost}" \
        apply --state-dir state --isolation="$RHOST_ISOLATION" site.yaml
    status_is 0
    [ "$(wc -l <jobs)" -eq 80 ]
    [ "$(grep -c 'jobs"' trace)" -eq 1 ]
}

@test "a file that cron would not read is refused" {
    target=/etc/cron.d/my.jobs cron a fails "cron does not read '/etc/cron.d/my.jobs'" <<<'command: a'
}

# bats test_tags=inline
@test "the crontab of a user, through crontab" {
    with_crontabs
    for RHOST_ISOLATION in $isolations; do
        printf '# theirs\n1 1 * * * theirs' >spool/alice
        target=crontab:alice cron a converges <<'END'
command: a b
special: reboot
END
        jobs_are '# theirs\n1 1 * * * theirs\n# rhost: a\n@reboot a b\n' spool/alice
        target=crontab:alice cron a converges <<<'ensure: absent'
        jobs_are '# theirs\n1 1 * * * theirs\n' spool/alice
    done
    target=crontab:bob cron a converges <<<'command: a'
    jobs_are '# rhost: a\n* * * * * a\n' spool/bob
    target=crontab:bob cron a converges <<<'ensure: absent'
    [ ! -e spool/bob ]
}

# bats test_tags=inline
@test "what a user writes into a crontab while it is edited stays" {
    with_crontabs
    echo '0 1 * * * mine' >spool/alice
    cat >"$BATS_TEST_TMPDIR/meddle" <<END
#!/bin/sh
# Called for the second look at the crontab, which is the one before it is written.
echo >>$work/looks
[ "\$(wc -l <$work/looks)" -ne 2 ] || echo '0 2 * * * later' >>$work/spool/alice
END
    sed -i "2i [ \"\$3\" != -l ] || sh $BATS_TEST_TMPDIR/meddle" bin/crontab
    touch -d '1 hour ago' spool/alice
    target=crontab:alice cron a run apply <<<'command: a'
    status_is 0
    grep -q '^0 1 \* \* \* mine$' spool/alice
    grep -q '^0 2 \* \* \* later$' spool/alice
    grep -q '# rhost: a' spool/alice
}

# bats test_tags=inline
@test "thousands of jobs in a crontab cost one pass" {
    with_crontabs
    seq 20000 | awk '{ print "# rhost: j" $1 % 19000 "\n1 * * * * true" }' >spool/alice
    run timeout 20 "$RHOST" resource --isolation="$RHOST_ISOLATION" --state-dir state cron
    status_is 0
    is "$(grep -cE 'cron: .?crontab:alice j' <<<"$output")" 19000
    yes $'# rhost: a\n1 * * * * true' | head -n 40000 >spool/alice
    printf 'resources:\n  - cron: crontab:alice a\n    ensure: absent\n' >site.yaml
    run timeout 20 "$RHOST" apply --isolation="$RHOST_ISOLATION" --state-dir state site.yaml
    status_is 0
    [ ! -s spool/alice ]
}

# bats test_tags=inline
@test "a crontab is written once for all its jobs, and not under noop" {
    with_crontabs
    printf '# x\n' >spool/alice
    {
        echo 'resources:'
        for i in $(seq 1 20); do
            printf '  - cron: crontab:alice j%s\n    command: c%s\n' "$i" "$i"
        done
    } >site.yaml
    sleep 2.1
    run rhost apply --noop site.yaml
    status_is 0
    [ "$(grep -vc -e '-l' calls)" -eq 0 ]
    : >calls
    run rhost apply --no-verify site.yaml
    status_is 0
    [ "$(wc -l <spool/alice)" -eq 41 ]
    [ "$(grep -vc -e '-l' calls)" -eq 1 ]
    [ "$(grep -c -e '-l' calls)" -le 3 ]
}

@test "what crontab refuses is said in its words, and fails that crontab alone" {
    with_crontabs
    run apply <<END
resources:
  - cron: crontab:alice a
    command: forbidden
  - cron: crontab:bob b
    command: fine
  - cron: c
    command: fine
    target: $work/jobs
END
    status_is 4
    says "cannot write the crontab of 'alice': crontab says"
    says 'bad command'
    [ ! -e spool/alice ]
    grep -q fine spool/bob
    grep -q fine jobs
}

# crontab(1) that can't read on installs what it has read, with exit status 0. The first times here, as the file "cuts" says.
cuts_off() {
    mv bin/crontab bin/whole
    cat >bin/crontab <<END
#!/bin/sh
[ "\$3" = - ] || exec $work/bin/whole "\$@"
echo >>$work/installed
if [ "\$(wc -l <$work/installed)" -le "\$(cat $work/cuts)" ]; then head -n1; else cat; fi | $work/bin/whole "\$@"
END
    chmod +x bin/crontab
}

# bats test_tags=inline
@test "a crontab that is installed only in part is installed again, or put back" {
    with_crontabs
    cuts_off
    printf '# theirs\n1 1 * * * theirs\n' >spool/alice
    echo 1 >cuts
    target=crontab:alice cron a run apply <<<'command: a'
    status_is 0
    jobs_are '# theirs\n1 1 * * * theirs\n# rhost: a\n* * * * * a\n' spool/alice
    is "$(wc -l <installed)" 2

    : >installed
    echo 2 >cuts
    target=crontab:alice cron b run apply <<<'command: b'
    status_is 4
    says "crontab installs only a part of what it is given: the crontab of 'alice' is what it was before"
    jobs_are '# theirs\n1 1 * * * theirs\n# rhost: a\n* * * * * a\n' spool/alice

    : >installed
    echo 9 >cuts
    target=crontab:alice cron b run apply <<<'command: b'
    status_is 4
    says "crontab installs only a part of what it is given: jobs may be missing in the crontab of 'alice' now"
}

# bats test_tags=inline
@test "a crontab that is listed only in part is not written" {
    with_crontabs
    cp bin/crontab bin/whole
    printf '# theirs\n1 1 * * * theirs\n' >spool/alice
    sed -i 's/^-l) .*/-l) echo >>'"${work//\//\\/}"'\/lists; head -n "$(cat '"${work//\//\\/}"'\/shown)" "$file" ;;/' bin/crontab
    for shown in 0 1; do
        echo $shown >shown
        target=crontab:alice cron a run apply <<<'command: a'
        status_is 4
        says "cannot read the crontab of 'alice': crontab lists only a part of it"
        jobs_are '# theirs\n1 1 * * * theirs\n' spool/alice
    done
    # A header that crontab(1) writes, and does not list, is no missing part.
    printf '# DO NOT EDIT\n# (installed)\n# (version)\n' >spool/alice
    echo 0 >shown
    run rhost resource --state-dir state cron
    status_is 0
    printf '# DO NOT EDIT\n# (installed)\n# (version)\n# theirs\n' >spool/alice
    sed -i 's/^-l) .*/-l) tail -n +4 "$file" ;;/' bin/crontab
    target=crontab:alice cron a run apply --noop <<<'command: a'
    status_is 0
}

# bats test_tags=inline
@test "the jobs in a crontab are those of its user" {
    with_crontabs
    target=crontab:alice cron a fails "the jobs in the crontab of 'alice' are run as 'alice'" <<'END'
command: a
user: bob
END
    target=crontab:carol cron a run apply --noop <<<'command: a'
    status_is 4
    says "unknown user 'carol'"
    target=crontab:carol cron a fails "unknown user 'carol'" <<<'command: a'
}

@test "what somebody has written into a crontab does not keep the others from being listed" {
    with_crontabs
    printf '%b' '# rhost: vt\v\n* * * * * x\n# rhost: \f\n* * * * * x\n# rhost: c\rr\n* * * * * x\n' \
        '# rhost: n\0ul\n* * * * * x\n# rhost: \xff\n* * * * * x\n# rhost: one\n* * * * * x\v\n' \
        '# rhost: two\n1A=x\n"B C"=x\n@ x\n# rhost: three\n"A=\n99 * * * * x\0\n# rhost: four\n@reboo x\n' \
        '# rhost: five\n*\n# rhost: six\nA=\r x\n* * * * * x\ry\n' >spool/alice
    printf '# rhost: b\n* * * * * bob\n' >spool/bob
    printf '# rhost: c\n* * * * * root x\n' >'cron.d/a b'
    printf '# rhost: c\n* * * * * x\vy z\n# rhost: d\n* * * * * :y z\n' >cron.d/some
    for RHOST_ISOLATION in $isolations; do
        run rhost resource cron
        status_is 0
        says '- cron: "crontab:bob b"'
        says '- cron: "crontab:alice six"'
        says '- cron: "/etc/cron.d/some d"'
        says_not 'nul'
        says_not 'a b'
    done
    yes '# more and more' | head -c 17M >spool/alice
    run rhost resource cron
    status_is 0
    says "the crontab of 'alice' is too long, continuing without it"
    says '- cron: "crontab:bob b"'
}

# bats test_tags=inline
@test "what is listed is as wanted, and purge removes what is in no manifest and ours" {
    with_crontabs
    printf '0 1 * * * root theirs\n# rhost: a\n5-9/2 * * * sat alice a\n# rhost: b\nX=1\n@weekly root b %% c\n' >cron.d/some
    printf 'theirs\n# rhost: never\n* * * * * root x\n' >cron.d/not.read
    printf '0 1 * * * theirs\n# rhost: a\n* * * * * x\n' >spool/alice
    for RHOST_ISOLATION in $isolations; do
        rhost resource cron >listed.yaml
        cat listed.yaml
        grep -qF '  - cron: "/etc/cron.d/some a"' listed.yaml
        grep -qF '  - cron: "crontab:alice a"' listed.yaml
        run rhost apply --noop --detailed-exitcodes listed.yaml
        status_is 0
        says '3 resources: 3 ok'
    done
    run apply <<'END'
resources:
  - cron: /etc/cron.d/some a
    command: a
    minute: 5-9/2
    weekday: sat
  - purge: cron
END
    status_is 0
    jobs_are '0 1 * * * root theirs\n# rhost: a\n5-9/2 * * * 6 alice a\n' cron.d/some || cat cron.d/some
    jobs_are '0 1 * * * theirs\n' spool/alice
    grep -q never cron.d/not.read
}

@test "without a directory of jobs there are the crontabs; what is none is named" {
    program=${RHOST:-$abs_top_builddir/rhost}
    with_crontabs
    printf '# rhost: a\n* * * * * x\n' >spool/alice
    mkdir etc
    cp /etc/nsswitch.conf /etc/group /etc/ld.so.cache passwd etc/
    cat >inside <<END
#!/bin/sh
exec unshare -m sh -c '
    mount --bind $work/etc /etc && mount --bind $work/bin /usr/local/bin &&
    mount -t tmpfs none /var/spool && mkdir -p /var/spool/cron/crontabs &&
    mount --bind $work/spool /var/spool/cron/crontabs && exec "$program" "\$@"' sh "\$@"
END
    run rhost resource cron
    status_is 0
    says '- cron: "crontab:alice a"'
    touch etc/cron.d
    run rhost resource cron
    [ "$status" -ne 0 ]
    says "cannot read '/etc/cron.d'"
}

@test "what is purged and kept goes by the titles that are listed" {
    with_crontabs
    printf '# rhost: a b\n* * * * * root a\n# rhost: c\n* * * * * root c\n# rhost: d\n* * * * * root d\n# rhost: e\n* * * * * root e\n' >cron.d/some
    run apply <<'END'
resources:
  - purge: cron
    keep: [/etc/cron.d/some a b, /etc/cron.d//some c, "/e*/some d"]
END
    status_is 0
    says 'cron[/etc/cron.d/some e]'
    says 'removed 1 of 4'
    says_not '{'
    jobs_are '# rhost: a b\n* * * * * root a\n# rhost: c\n* * * * * root c\n# rhost: d\n* * * * * root d\n' cron.d/some
    run apply <<'END'
resources:
  - cron: daily
    name: c
    target: /etc/cron.d/some
    command: c
  - log: it is there
    require: cron[/etc/cron.d/some c]
END
    status_is 0
    says 'it is there'
}

@test "mistakes are named" {
    cron a fails "cannot be created without 'command'" <<<'hour: 1'
    cron a fails 'command' <<<'command: "a\nb"'
    cron a fails 'environment' <<'END'
command: a
environment: ["A B=c"]
END
    for bad in '=c' '1A=c' 'A' 'A-B=c' 'A=c\rd'; do
        cron a fails 'environment' <<END
command: a
environment: ["$bad"]
END
    done
    cron a fails "did you mean 'minute'" <<'END'
command: a
minutes: 1
END
    target=somewhere cron a fails 'target' <<<'command: a'
    [ ! -e jobs ]
}
