#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Links of the test, to zones of the machine's tzdata.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

setup() {
    work_open
    [ -e /usr/share/zoneinfo/Europe/Berlin ] || skip "needs tzdata"
    mkdir etc
}

zone() {
    one "timezone: $work/etc/localtime" -- "$@"
}

@test "the link leads to the zone, and the file of Debian has it where it exists" {
    zone converges <<<'value: Europe/Berlin'
    is "$(readlink etc/localtime)" /usr/share/zoneinfo/Europe/Berlin
    is "$(TZ=:$work/etc/localtime date -d '2024-07-01 12:00 UTC' +%H)" 14
    [ ! -e etc/timezone ]
    echo Europe/Berlin >etc/timezone
    zone is_in_sync <<<'value: Europe/Berlin'
    echo Etc/UTC >etc/timezone
    zone run apply --noop <<<'value: Europe/Berlin'
    says "'$work/etc/timezone' has the zone 'Etc/UTC'"
    is "$(cat etc/timezone)" Etc/UTC
    zone converges <<<'value: Europe/Berlin'
    zone run apply <<<'value: America/Argentina/Ushuaia'
    is "$(cat etc/timezone) $(readlink etc/localtime)" \
        'America/Argentina/Ushuaia /usr/share/zoneinfo/America/Argentina/Ushuaia'
    run rhost undo last
    status_is 0
    is "$(cat etc/timezone) $(readlink etc/localtime)" 'Europe/Berlin /usr/share/zoneinfo/Europe/Berlin'
}

@test "links of other systems are understood, and a copy of rules gives way" {
    ln -s ../usr/share/zoneinfo/Etc/GMT+5 etc/localtime
    zone is_in_sync <<<'value: Etc/GMT+5'
    ln -sfn ../usr/share/zoneinfo/posix/Etc/UTC etc/localtime
    zone is_in_sync <<<'value: Etc/UTC'
    for RHOST_ISOLATION in $isolations; do
        rm etc/localtime
        cp /usr/share/zoneinfo/Asia/Tokyo etc/localtime
        zone converges <<<'value: Asia/Kolkata'
        ln -sfn nowhere etc/localtime
        zone converges <<<'value: Asia/Kolkata'
    done
    mkdir data
    head -c 20 /usr/share/zoneinfo/Etc/UTC >data/Short
    printf 'TZ no\n%0100d\n' 1 >data/Text
    cp /usr/share/zoneinfo/Etc/UTC data/Own
    zone converges <<<$'value: Own\nzoneinfo: '"$work/data"
    for name in Short Text; do
        zone fails "'$work/data' has no zone '$name'" <<<"value: $name"$'\nzoneinfo: '"$work/data"
    done
    rm data/Own
    zone fails "'$work/data' has no zone 'Own'" <<<$'value: Own\nzoneinfo: '"$work/data"
}

@test "a title that is no path is the zone of the machine" {
    requires_root
    requires_command unshare
    mkdir up scratch
    ln -s /usr/share/zoneinfo/Etc/UTC up/localtime
    echo Etc/UTC >up/timezone
    printf '#!/bin/sh\nexec unshare -m sh -c '\''mount -t overlay overlay -o lowerdir=/etc,upperdir=%s/up,workdir=%s/scratch /etc && exec "$@"'\'' sh %s "$@"\n' \
        "$work" "$work" "$abs_top_builddir/rhost" >inside
    chmod 755 inside
    RHOST=$work/inside
    converges <<'END'
resources:
  - timezone: Australia/Lord_Howe
END
    is "$(readlink up/localtime) $(cat up/timezone)" '/usr/share/zoneinfo/Australia/Lord_Howe Australia/Lord_Howe'
    run rhost resource --format=yaml timezone
    printf '%s\n' "$output" >list.yaml
    says Australia/Lord_Howe
    run rhost apply --detailed-exitcodes list.yaml
    status_is 0
}

@test "a zone that tzdata does not have is named, with those that are near" {
    zone fails "'/usr/share/zoneinfo' has no zone 'Europe/Berlni'; similar: 'Europe/Berlin'" <<<'value: Europe/Berlni'
    zone fails "similar: 'Europe/Berlin'" <<<'value: berlin'
    zone fails "similar: 'America/New_York'" <<<'value: America/NewYork'
    zone fails "has no zone 'Qwertzuiop'" <<<'value: Qwertzuiop'
    says_not similar
    zone fails "has no zone 'Europe'" <<<'value: Europe'
    zone run apply --noop <<<'value: Europe/Berlni'
    status_is 4
    says "similar: 'Europe/Berlin'"
    run apply --noop <<END
resources:
  - exec: newer tzdata
    command: ["true"]
  - timezone: $work/etc/localtime
    value: Xyzzy/Plugh
END
    status_is 0
    says "unknown: value: '/usr/share/zoneinfo' has no zone 'Xyzzy/Plugh'"
    [ ! -L etc/localtime ]
    for value in ../../etc/passwd /etc/passwd 'a b' a/b/c/d/e ''; do
        zone fails value <<<"value: '$value'"
    done
    printf 'resources:\n  - timezone: Etc/UTC\n  - timezone: Etc/GMT\n' >site.yaml
    run rhost apply site.yaml
    status_is 1
    printf 'resources:\n  - timezone: Etc/UTC\n    value: Etc/GMT\n' >site.yaml
    run rhost apply site.yaml
    status_is 1
    says "value: the title says that it is 'Etc/UTC'"
    one "timezone: $work/none/localtime" -- fails "directory '$work/none' does not exist" <<<'value: Etc/UTC'
    mkdir etc/localtime
    zone fails 'is neither a link nor a file' <<<'value: Etc/UTC'
}

@test "a full disk, a read-only one and a link of a user leave the zone as it was" {
    requires_root
    requires_command unshare
    mkdir full home
    for trouble in "mount -t tmpfs -o size=4k,nr_inodes=3 tmpfs full && ln -s /usr/share/zoneinfo/Etc/UTC full/localtime && echo Etc/UTC >full/timezone" \
        "mount --bind full full && ln -sf /usr/share/zoneinfo/Etc/UTC full/localtime && echo Etc/UTC >full/timezone && mount -o remount,ro,bind full"; do
        printf '#!/bin/sh\nexec unshare -m sh -c '\''%s && "$@"; s=$?; { readlink full/localtime; cat full/timezone; } >after; exit $s'\'' sh %s "$@"\n' \
            "$trouble" "$abs_top_builddir/rhost" >inside
        chmod 755 inside
        RHOST=$work/inside
        one "timezone: $work/full/localtime" -- run apply <<<'value: Europe/Berlin'
        status_is 4
        says "$work/full/"
        is "$(xargs <after)" '/usr/share/zoneinfo/Etc/UTC Etc/UTC'
    done
    unset RHOST
    echo precious >etc/precious
    ln -s "$work/etc/precious" home/timezone
    chown -h daemon home home/timezone
    one "timezone: $work/home/localtime" -- fails 'unsafe path' <<<'value: Europe/Berlin'
    is "$(cat etc/precious)" precious
}
