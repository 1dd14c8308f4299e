#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What is mounted here is in a mount namespace that ends with the test, with a copy of /etc.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/scratch.bash"

teardown() {
    scratch_close
}

sample() {
    printf '# static\n\nUUID=aa-bb  /      ext4\terrors=remount-ro  0 1\t# the root\n' >fstab
    printf 'server:/export\\040a /mnt/with\\040blank nfs _netdev,ro\n\tLABEL=sw none swap sw 0 0\n' >>fstab
    printf '/dev/fd0 /media/floppy auto rw,user,noauto 0 0' >>fstab
}

# An entry for nothing but the file, with more lines on standard input.
entry() {
    { printf 'resources:\n  - mount: %s\n    fstab: %s\n' "$1" "$work/fstab"; sed 's/^/    /'; } >site.yaml
    shift
    "$@" <site.yaml
}

# How it is mounted, in there: FSTYPE SOURCE OPTIONS.
mounted() {
    in_scratch findmnt -rno FSTYPE,SOURCE,OPTIONS "$1"
}

nothing_at() {
    not in_scratch findmnt -rn "$1"
}

@test "an entry is added at the end, and the rest stays byte for byte" {
    sample
    cp fstab before
    entry /srv/data converges <<'END'
device: UUID=1234-abcd
fstype: ext4
options: [noatime, nodev]
pass: 2
END
    { cat before && printf '\n%b\n' 'UUID=1234-abcd\t/srv/data\text4\tnoatime,nodev\t0 2'; } >wanted
    # The last line lacked its newline, which it had to be given, and the new one ends with one.
    cmp fstab wanted
}

@test "an entry goes in front of what is mounted below it" {
    sample
    entry /media converges <<'END'
device: LABEL=media
fstype: ext4
END
    [ "$(grep -n 'LABEL=media' fstab | cut -d: -f1)" -lt "$(grep -n floppy fstab | cut -d: -f1)" ]
    grep -qx "LABEL=media	/media	ext4	defaults	0 0" fstab
}

@test "of a line only what differs is written" {
    sample
    entry / converges <<'END'
device: UUID=aa-bb
fstype: ext4
options: [noatime, errors=remount-ro]
remount: false
END
    [ "$(sed -n 3p fstab)" = "UUID=aa-bb  /      ext4	noatime,errors=remount-ro  0 1	# the root" ]
    sample
    entry '/mnt/with blank' converges <<<'pass: 2'
    [ "$(sed -n 4p fstab)" = 'server:/export\040a /mnt/with\040blank nfs _netdev,ro 0 2' ]
    entry '/mnt/with\040blank' is_in_sync <<<'device: "server:/export a"'
    [ "$(sed -n 1,2p fstab)" = "$(printf '# static\n')" ]
}

@test "options are compared in any order, and defaults are none" {
    sample
    cp fstab before
    for RHOST_ISOLATION in $isolations; do
        entry /media/floppy is_in_sync <<'END'
device: /dev//fd0/
fstype: auto
options: noauto,defaults,rw,user
dump: 0
END
    done
    cmp fstab before
}

@test "an option with a comma in quotes is one" {
    entry /x converges <<'END'
device: LABEL=x
fstype: ext4
options: [noatime, 'context="a:b:c0,c1"']
END
    grep -qF 'noatime,context="a:b:c0,c1"' fstab
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "options are added to and taken from by the marks of manifests" {
    sample
    entry / converges <<<'options: !append [noatime, errors=remount-ro]'
    grep -q '/      ext4	errors=remount-ro,noatime  0 1' fstab
    entry / converges <<<'options: !remove [noatime, errors=remount-ro]'
    grep -q '/      ext4	defaults  0 1' fstab
    entry / converges <<<'options: !append noatime,nodev'
    grep -q '/      ext4	noatime,nodev  0 1' fstab
}

@test "a swap area goes by its device" {
    sample
    entry LABEL=sw is_in_sync <<'END'
device: LABEL="sw"
fstype: swap
options: sw
END
    entry /swapfile converges <<'END'
device: /swapfile
fstype: swap
END
    [ "$(tail -n 1 fstab)" = "/swapfile	none	swap	defaults	0 0" ]
    entry LABEL=sw converges <<'END'
fstype: swap
ensure: absent
END
    not grep -q LABEL=sw fstab
    grep -q floppy fstab
}

@test "noop shows what differs, and writes nothing" {
    sample
    cp fstab before
    entry / run apply --noop <<'END'
options: [ro]
pass: 0
END
    status_is 0
    says 'pass 1 → 0'
    cmp fstab before
}

@test "both forms of removal take out all entries of the name, and nothing else" {
    sample
    printf '\n/dev/sr0 /media/floppy/ iso9660 ro 0 0\n' >>fstab
    entry /media/floppy converges <<<'ensure: absent'
    not grep -q floppy fstab
    [ "$(wc -l <fstab)" -eq 5 ]
    entry /media/floppy is_in_sync <<<'ensure: absent'
}

# bats test_tags=inline
@test "a file system is mounted, and gets its entry" {
    for RHOST_ISOLATION in $isolations; do
        rm -rf data
        mkdir data
        scratch_open
        converges <<END
resources:
  - mount: $work/data
    device: scratch
    fstype: tmpfs
    options: [size=4m, mode=0700, nosuid]
    mounted: true
END
        [[ "$(mounted "$work/data")" == "tmpfs scratch "*nosuid*size=4096k* ]]
        in_scratch grep -q "^scratch	$work/data	tmpfs	size=4m,mode=0700,nosuid	0 0$" /etc/fstab
        scratch_close
    done
}

# bats test_tags=inline
@test "drift of either is shown by noop, and repaired" {
    scratch_open
    mkdir data
    converges <<END
resources:
  - mount: $work/data
    device: tmpfs
    fstype: tmpfs
    options: [size=4m, noexec]
    mounted: true
END
    in_scratch umount "$work/data"
    run rhost apply --noop --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 2
    says 'mounted false → true'
    nothing_at "$work/data"
    run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 2
    in_scratch mount -o remount,exec,size=8m tmpfs "$work/data"
    run rhost apply --noop "$BATS_TEST_TMPDIR/site.yaml"
    says "it is mounted without 'size=4m'"
    run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 2
    [[ "$(mounted "$work/data")" == *noexec*size=4096k* ]]
    in_scratch sed -i "\|$work/data|d" /etc/fstab
    run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 2
    says 'persist false → true'
    run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
}

@test "options that change are given to what is mounted, those that go are taken back" {
    scratch_open
    mkdir data
    tmpfs() {
        apply --detailed-exitcodes <<END
resources:
  - mount: $work/data
    device: tmpfs
    fstype: tmpfs
    options: $1
    remount: ${2-true}
END
    }
    run tmpfs '[nosuid, noexec, ro]'
    status_is 2
    nothing_at "$work/data"
    in_scratch mount "$work/data"
    run tmpfs '[nodev]'
    status_is 2
    [[ "$(mounted "$work/data")" == *" rw,nodev,relatime"* ]]
    run tmpfs '[nodev]'
    status_is 0
    run tmpfs '[nodev, noatime]' false
    status_is 2
    [[ "$(mounted "$work/data")" == *" rw,nodev,relatime"* ]]
    in_scratch grep -q "nodev,noatime" /etc/fstab
    run tmpfs '[nodev, noatime]'
    status_is 2
    says "it is mounted without 'noatime'"
    [[ "$(mounted "$work/data")" == *noatime* ]]
    # Of two that are opposites the last one counts; each of several others counts.
    run tmpfs '[ro, rw]'
    status_is 2
    run tmpfs '[ro, rw]'
    status_is 0
    run tmpfs '[noexec, nosuid]'
    status_is 2
    in_scratch mount -o remount,exec,nosuid tmpfs "$work/data"
    run tmpfs '[noexec, nosuid]'
    status_is 2
    says "it is mounted without 'noexec'"
}

# bats test_tags=inline
@test "what cannot be changed while mounted is not unmounted where its content would be lost" {
    scratch_open
    mkdir data
    run apply <<END
resources:
  - mount: $work/data
    device: tmpfs
    fstype: tmpfs
    options: [size=4m]
    mounted: true
END
    status_is 0
    in_scratch dd if=/dev/zero of="$work/data/big" bs=1M count=3 2>/dev/null
    sed -i 's/size=4m/size=1m/' "$BATS_TEST_TMPDIR/site.yaml"
    run rhost apply "$BATS_TEST_TMPDIR/site.yaml"
    status_is 4
    says 'unmounting it would lose what is in it'
    in_scratch test -s "$work/data/big"
    in_scratch grep -q size=4m /etc/fstab
}

# bats test_tags=inline
@test "unmounted, present, absent" {
    scratch_open
    mkdir data
    site() {
        printf 'resources:\n  - mount: %s\n    device: tmpfs\n    fstype: tmpfs\n    %s\n' "$work/data" "$1" \
            >"$BATS_TEST_TMPDIR/site.yaml"
        run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
        status_is 2
        run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
        status_is 0
    }
    site 'ensure: present'
    nothing_at "$work/data"
    site 'mounted: true'
    mounted "$work/data"
    in_scratch mount -t tmpfs over "$work/data"
    site 'mounted: false'
    nothing_at "$work/data"
    in_scratch grep -q "$work/data" /etc/fstab
    site 'mounted: true'
    site 'ensure: absent'
    nothing_at "$work/data"
    not in_scratch grep -q "$work/data" /etc/fstab
}

# bats test_tags=inline
@test "what is in no manifest is purged, from both" {
    scratch_open
    mkdir data kept
    in_scratch sh -c "cat >>/etc/fstab" <<END
# mine
tmpfs $work/kept tmpfs noauto 0 0
tmpfs $work/data tmpfs noauto 0 0
END
    in_scratch mount "$work/data"
    run apply <<END
resources:
  - mount: $work/kept
    device: tmpfs
    fstype: tmpfs
  - purge: mount
    keep: "/^(?!$work).*/"
END
    status_is 0
    nothing_at "$work/data"
    [ "$(in_scratch tail -n 2 /etc/fstab)" = "# mine
tmpfs $work/kept tmpfs noauto 0 0" ]
}

@test "a purge leaves what the machine runs and starts from" {
    scratch_open
    mkdir data
    in_scratch sh -c "cat >/etc/fstab" <<END
/dev/vda1 / ext4 defaults 0 1
/dev/vda2 /boot/efi vfat noauto 0 0
/dev/vda3 /usr ext4 noauto 0 2
proc /proc proc defaults 0 0
tmpfs $work/data tmpfs noauto 0 0
END
    run apply --noop <<<'resources: [{purge: mount, limit: none}]'
    status_is 0
    says "mount[$work/data]"
    for name in / /boot/efi /usr /proc; do
        says_not "mount[$name]"
    done
    run apply --noop <<<'resources: [{purge: mount, limit: none, system: true}]'
    for name in / /boot/efi /usr /proc "$work/data"; do
        says "mount[$name]"
    done
    run rhost resource mount /boot/efi
    says 'system: true'
}

@test "what is mounted elsewhere, since a user replaced the directory meanwhile, is unmounted there" {
    scratch_open
    mkdir -p home/data real
    chown -R 1234 home
    cp "$(command -v mount)" own-mount
    cat >swap <<END
#!/bin/sh
mv '$work/home/data' '$work/home/old'
ln -s '$work/real' '$work/home/data'
chown -h 1234 '$work/home/data'
exec '$work/own-mount' "\$@"
END
    chmod +x swap
    in_scratch mount --bind "$work/swap" "$(readlink -f "$(command -v mount)")"
    run apply <<END
resources:
  - mount: $work/home/data
    device: tmpfs
    fstype: tmpfs
    mounted: true
    persist: false
END
    status_is 4
    says "'$work/home/data' was replaced meanwhile, so that it was mounted at '$work/real', and unmounted again"
    nothing_at "$work/real"
}

@test "what is mounted without an entry" {
    scratch_open
    mkdir data
    converges <<END
resources:
  - mount: $work/data
    device: tmpfs
    fstype: tmpfs
    mounted: true
    persist: false
END
    mounted "$work/data"
    not in_scratch grep -q "$work/data" /etc/fstab
    converges <<END
resources:
  - mount: $work/data
    ensure: absent
END
    nothing_at "$work/data"
}

# bats test_tags=inline
@test "a directory is shown elsewhere, read-only, and compared by what it shows" {
    scratch_open
    mkdir -p from/a from/b to
    site() {
        cat <<END
resources:
  - mount: $work/to
    device: $work/from/$1
    fstype: none
    options: [bind, ro]
    mounted: true
END
    }
    converges < <(site a)
    [[ "$(mounted "$work/to")" == *"from/a] ro,"* ]]
    in_scratch mount -o remount,bind,rw "$work/to"
    run rhost apply --noop "$BATS_TEST_TMPDIR/site.yaml"
    says "it is mounted without 'ro'"
    run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 2
    [[ "$(mounted "$work/to")" == *" ro,"* ]]
    run apply --noop < <(site b)
    says "is mounted there"
    nothing_at "$work/from/b"
    converges < <(site b)
    [[ "$(mounted "$work/to")" == *"from/b] ro,"* ]]
    in_scratch grep -q "^$work/from/b	$work/to	none	bind,ro	0 0$" /etc/fstab ||
        in_scratch grep -q "^$work/from/b" /etc/fstab
    [ "$(in_scratch grep -c "$work/to" /etc/fstab)" -eq 1 ]
}

@test "a file system is shown elsewhere by the directory that it is mounted on" {
    scratch_open
    mkdir disk to
    in_scratch mount -t tmpfs disk "$work/disk"
    converges <<END
resources:
  - mount: $work/to
    device: $work/disk
    fstype: none
    options: bind
    mounted: true
END
    mounted "$work/to"
    in_scratch mount -t tmpfs other "$work/to"
    run rhost apply --noop "$BATS_TEST_TMPDIR/site.yaml"
    says "'other' (tmpfs) is mounted there"
}

@test "a symbolic link on the way, as source or mount point, is the same" {
    scratch_open
    mkdir -p real/from real/to
    ln -s real link
    converges <<END
resources:
  - mount: $work/link/to
    device: $work/link/from
    fstype: none
    options: bind
    mounted: true
END
    mounted "$work/real/to"
    converges <<END
resources:
  - mount: $work/link/to
    ensure: absent
END
    nothing_at "$work/real/to"
}

# bats test_tags=inline
@test "a link that another user could have made is neither mounted on nor unmounted through" {
    scratch_open
    mkdir -m 755 theirs
    mkdir real data
    ln -s "$work/real" theirs/to
    ln -s "$work/data" theirs/from
    chown -h nobody theirs theirs/to theirs/from
    for RHOST_ISOLATION in $isolations; do
        run apply <<END
resources:
  - mount: $work/theirs/to
    device: tmpfs
    fstype: tmpfs
    mounted: true
  - mount: $work/data
    device: $work/theirs/from
    fstype: none
    options: bind
    mounted: true
END
        status_is 4
        [ "$(grep -c 'unsafe path' <<<"$output")" -eq 2 ]
        nothing_at "$work/real"
        nothing_at "$work/data"
        in_scratch mount -t tmpfs none "$work/real"
        run apply <<END
resources:
  - mount: $work/theirs/to
    ensure: absent
END
        status_is 4
        says 'unsafe path'
        in_scratch umount "$work/real"
        run in_scratch grep "$work" /etc/fstab
        status_is 1
    done
}

@test "what another user puts in the path while it is unmounted is not unmounted" {
    scratch_open
    mkdir -p theirs/dir/mnt victim/mnt
    chown -R nobody theirs
    # The moment before umount(8) would follow its path.
    umount=$(in_scratch sh -c 'readlink -f "$(command -v umount)"')
    cp "$umount" real-umount
    cat >swap <<END
#!/bin/sh
if [ -d '$work/theirs/dir' ] && [ ! -L '$work/theirs/dir' ]; then
    mv '$work/theirs/dir' '$work/theirs/moved'
    ln -s '$work/victim' '$work/theirs/dir'
fi
exec '$work/real-umount' "\$@"
END
    chmod +x swap
    in_scratch mount --bind swap "$umount"
    for RHOST_ISOLATION in $isolations; do
        in_scratch mount -t tmpfs -o x-test=1 none "$work/theirs/dir/mnt"
        in_scratch mount -t tmpfs none "$work/victim/mnt"
        grep -q "TARGET=$work/theirs/dir/mnt " /run/mount/utab
        run apply <<END
resources:
  - mount: $work/theirs/dir/mnt
    ensure: absent
END
        status_is 4 # it is read again, and its path is what the user made of it
        says "unsafe path: '$work/theirs/dir' is a symbolic link that user 'nobody' can change"
        in_scratch mountpoint -q "$work/victim/mnt"
        nothing_at "$work/theirs/moved/mnt"
        not grep "$work/theirs" /run/mount/utab # the options that mount(8) keeps are forgotten
        rm theirs/dir
        mv theirs/moved theirs/dir
        in_scratch "$work/real-umount" "$work/victim/mnt"
    done
    # What is in use stays, and who uses it is named.
    in_scratch mount -t tmpfs none "$work/theirs/dir/mnt"
    in_scratch sh -c "cd '$work/theirs/dir/mnt' && echo \$\$ >'$work/user' && exec sleep 60" 3>&- &
    until [ -s user ]; do sleep 0.05; done
    run apply <<END
resources:
  - mount: $work/theirs/dir/mnt
    ensure: absent
END
    kill "$(cat user)"
    status_is 4
    says "cannot unmount '$work/theirs/dir/mnt': $work/theirs/dir/mnt: target is busy; used by $(cat user) (sleep)"
}

@test "an image with a file system, and one that is replaced by another" {
    scratch_open
    requires_command mkfs.ext4
    for i in 1 2; do
        truncate -s 4M "image$i"
        mkfs.ext4 -q "image$i"
    done
    mkdir data
    in_scratch mount -o loop "$work/image1" "$work/data" 2>/dev/null || skip "no loop devices here"
    in_scratch umount "$work/data"
    site() {
        cat <<END
resources:
  - mount: $work/data
    device: $work/image$1
    fstype: ext4
    options: [loop, ro]
    mounted: true
END
    }
    converges < <(site 1)
    run apply --noop < <(site 2)
    says 'is mounted there'
    converges < <(site 2)
    [[ "$(in_scratch losetup -nO BACK-FILE "$(in_scratch findmnt -no SOURCE "$work/data")")" == *image2 ]]
}

# bats test_tags=inline
@test "options that are refused leave mounted what is mounted, and do not get into fstab" {
    scratch_open
    requires_command mkfs.ext4
    truncate -s 4M image
    mkfs.ext4 -q image
    mkdir data
    in_scratch mount -o loop "$work/image" "$work/data" 2>/dev/null || skip "no loop devices here"
    in_scratch umount "$work/data"
    site() {
        cat <<END
resources:
  - mount: $work/data
    device: $work/image
    fstype: ext4
    options: $1
    ${2-remount: true}
END
    }
    converges < <(site '[loop, nosuid]' 'mounted: true')
    in_scratch stat -c %i "$work/data" >before
    id=$(in_scratch findmnt -no ID "$work/data")
    run apply --noop < <(site '[loop, nosiud]')
    status_is 0
    says 'loop,nosuid → loop,nosiud'
    says 'it will be unmounted and mounted again'
    for round in 1 2; do
        run apply < <(site '[loop, nosiud]')
        status_is 4
        says 'with these options'
        says 'it stays mounted as before'
        [[ "$(mounted "$work/data")" == "ext4 /dev/loop"*nosuid* ]]
        # It was not even unmounted meanwhile.
        is "$(in_scratch findmnt -no ID "$work/data")" "$id"
        in_scratch grep -qF 'loop,nosuid' /etc/fstab
        run in_scratch grep -F nosiud /etc/fstab
        status_is 1
    done
    # Good options that a remount refuses are given to it by mounting it again.
    converges < <(site '[loop, nosuid, data=journal]')
    [[ "$(mounted "$work/data")" == *nosuid*data=journal* ]]
    # The same where a flag goes with them: of one device there cannot be a mount with each.
    converges < <(site '[loop, ro, data=ordered]')
    [[ "$(mounted "$work/data")" == *" ro,"* ]]
}

@test "what cannot be mounted in place of something else leaves that mounted, all layers of it" {
    scratch_open
    mkdir data
    in_scratch mount -t tmpfs one "$work/data"
    in_scratch touch "$work/data/one"
    in_scratch mount -t tmpfs two "$work/data"
    in_scratch touch "$work/data/two"
    for round in 1 2; do
        run apply <<END
resources:
  - mount: $work/data
    device: /dev/no-such-device
    fstype: ext4
    mounted: true
END
        status_is 4
        says "cannot mount '/dev/no-such-device'"
        says "; 'two' is still mounted there"
        in_scratch test -e "$work/data/two"
        is "$(in_scratch findmnt -no SOURCE "$work/data" | wc -l)" 2
        run in_scratch grep "$work/data" /etc/fstab
        status_is 1
    done
    run rhost apply --noop "$BATS_TEST_TMPDIR/site.yaml"
    says "'two' (tmpfs) is mounted there and will be unmounted"
    # What is mounted alone, without an entry, in the same way.
    run apply <<END
resources:
  - mount: $work/data
    device: three
    fstype: ramfs
    mounted: true
    persist: false
END
    status_is 0
    [[ "$(mounted "$work/data")" == "ramfs three "* ]]
    in_scratch umount "$work/data"
    nothing_at "$work/data"
}

@test "what cannot be mounted again with other options is mounted as before" {
    scratch_open
    mkdir data
    in_scratch mount -t overlay -o lowerdir=/etc:/usr one "$work/data" || skip "no overlay here"
    in_scratch sh -c "echo 'one $work/data overlay lowerdir=/etc:/usr 0 0' >>/etc/fstab"
    in_scratch cp /etc/fstab "$work/fstab.before"
    run apply <<END
resources:
  - mount: $work/data
    device: one
    fstype: overlay
    options: [lowerdir=/etc:/no/such/directory]
END
    status_is 4
    says "cannot mount 'one'"
    says "'$work/data' is mounted again as before"
    [[ "$(mounted "$work/data")" == *lowerdir=/etc:/usr* ]]
    in_scratch cmp /etc/fstab "$work/fstab.before"
}

@test "systemd reads fstab again when it has changed" {
    scratch_open
    in_scratch sh -c 'mount -t tmpfs none /run && mkdir -p /run/systemd/system /run/mount && mount -t tmpfs none /sbin &&
        printf "#!/bin/sh\necho \$* >>/run/asked\n" >/sbin/systemctl && chmod +x /sbin/systemctl' ||
        skip "no place for a systemctl"
    [ "$(in_scratch env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin sh -c 'command -v systemctl')" = /usr/sbin/systemctl ] ||
        skip "another systemctl comes first"
    converges <<END
resources:
  - mount: /srv/data
    device: LABEL=data
    fstype: ext4
END
    is "$(in_scratch cat /run/asked)" daemon-reload
    # A file that systemd does not read is none of its business, and neither is a machine without it.
    entry /srv/more converges <<'END'
device: LABEL=more
fstype: ext4
END
    in_scratch rmdir /run/systemd/system
    run apply <<END
resources:
  - mount: /srv/data
    ensure: absent
END
    status_is 0
    is "$(in_scratch cat /run/asked)" daemon-reload
}

# bats test_tags=inline
@test "mounts in mounts come in order, and go the other way round" {
    scratch_open
    cat >site.yaml <<END
resources:
  - mount: $work/a/b/c
    device: tmpfs
    fstype: tmpfs
    mounted: true
  - directory: $work/a/b
  - directory: $work/a/b/c
  - mount: $work/a
    device: tmpfs
    fstype: tmpfs
    mounted: true
  - directory: $work/a
  - file: $work/a/b/c/file
    content: x
END
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    in_scratch test -e "$work/a/b/c/file"
    [ ! -e a/b ]
    cat >gone.yaml <<END
resources:
  - mount: $work/a
    ensure: absent
  - mount: $work/a/b/c
    ensure: absent
END
    run rhost apply --detailed-exitcodes gone.yaml
    status_is 2
    nothing_at "$work/a"
    run rhost apply --detailed-exitcodes gone.yaml
    status_is 0
}

@test "who keeps it busy is named, and the entry stays" {
    scratch_open
    mkdir data
    run apply <<END
resources:
  - mount: $work/data
    device: tmpfs
    fstype: tmpfs
    mounted: true
END
    status_is 0
    in_scratch sh -c "cd '$work/data' && mkdir sub && mount -t tmpfs sub sub && exec sleep 60" 3>&- &
    holder=$!
    while ! in_scratch mountpoint -q "$work/data/sub"; do sleep 0.05; done
    run apply <<END
resources:
  - mount: $work/data
    ensure: absent
END
    status_is 4
    says "'$work/data/sub' is mounted in it"
    says '(sleep)'
    in_scratch grep -q "$work/data" /etc/fstab
    kill "$holder"
}

@test "what cannot be mounted does not get into fstab, and says why" {
    scratch_open
    run apply <<END
resources:
  - mount: $work/nowhere
    device: tmpfs
    fstype: tmpfs
    mounted: true
END
    status_is 4
    says "mount point '$work/nowhere' does not exist: 'directory: $work/nowhere' creates it"
    mkdir data
    run apply <<END
resources:
  - mount: $work/data
    device: /dev/no-such-device
    fstype: ext4
    mounted: true
END
    status_is 4
    says "cannot mount '/dev/no-such-device'"
    says 'does not exist'
    not in_scratch grep -q "$work" /etc/fstab
}

# bats test_tags=inline
@test "one that hangs is ended after its time, and reading waits for nobody" {
    scratch_open
    mkdir data
    in_scratch sh -c 'mount -t tmpfs none /sbin && printf "#!/bin/sh\nsleep 60\n" >/sbin/mount.slow &&
        chmod +x /sbin/mount.slow' || skip "no place for a helper"
    run apply <<END
resources:
  - mount: $work/data
    device: server:/x
    fstype: slow
    timeout: 1
    mounted: true
END
    status_is 4
    says '1 s'
    not in_scratch grep -q "$work" /etc/fstab
}

@test "a refresh has the options taken again" {
    scratch_open
    mkdir data
    cat >site.yaml <<END
resources:
  - mount: $work/data
    device: tmpfs
    fstype: tmpfs
    mounted: true
  - file: $work/note
    content: x
    notify: mount[$work/data]
END
    run rhost apply --debug site.yaml
    status_is 0
    says "remount"
}

@test "mistakes are named" {
    entry relative run apply <<<'fstype: ext4'
    [ "$status" -ne 0 ]
    says 'expects a match for Pattern'
    entry /a/../b run apply <<<'fstype: ext4'
    says "has '.' or '..' in it"
    entry UUID=1 run apply <<<'fstype: ext4'
    says "'UUID=1' is not a directory"
    entry /a run apply <<'END'
fstype: swap
device: /b
END
    says 'a swap area goes by its device'
    entry /a run apply <<'END'
fstype: swap
device: /a
mounted: true
END
    says 'a swap area is not mounted'
    entry /a run apply <<'END'
mounted: false
persist: false
END
    says "that is 'ensure: absent'"
    entry /a run apply <<<'fstype: ext4'
    says "cannot be created without 'device'"
    entry /a run apply <<'END'
device: LABEL=a
fstype: ext4
persist: false
END
    says "has to be 'mounted: true'"
    [ ! -e fstab ]
}

# bats test_tags=inline
@test "what is listed is as wanted" {
    scratch_open
    requires_command mkfs.ext4
    mkdir data
    in_scratch sh -c "cat >>/etc/fstab" <<END
# the floppy
/dev/fd0  /media/floppy  auto  rw,user,noauto  0 0
tmpfs $work/data tmpfs defaults,size=1m,nodev 0 0
UUID=1234 none swap sw 0 0
/dev/fd0  /media/floppy  vfat  rw,user,noauto  0 0
END
    in_scratch mount "$work/data"
    for RHOST_ISOLATION in $isolations; do
        run rhost resource mount
        status_is 0
        says 'mount: /media/floppy'
        says "mount: $work/data"
        says 'mount: "UUID=1234"'
        printf '%s\n' "$output" >listed.yaml
        run rhost apply --noop --detailed-exitcodes listed.yaml
        status_is 0
        says_not 'would change'
    done
}

# bats test_tags=inline
@test "nothing is changed where the kernel does not say what is mounted" {
    requires_root
    unshare --mount true 2>/dev/null || skip "no mount namespaces here"
    sample
    cp fstab before
    entry /srv/data cat <<'END'
device: UUID=1234-abcd
fstype: ext4
END
    state_open
    # What rhost finds itself by stays. A sanitizer looks for leaks by /proc, and reads its options there.
    run unshare --mount sh -c "
        mount -t tmpfs none /proc && mkdir -p /proc/self/fd && ln -s '$abs_top_builddir/core/rhost' /proc/self/exe &&
            printf 'ASAN_OPTIONS=detect_leaks=0\\0' >/proc/self/environ &&
            exec '$abs_top_builddir/rhost' apply --isolation=$RHOST_ISOLATION --state-dir '$BATS_TEST_TMPDIR/state' site.yaml"
    status_is 4
    says "failed: cannot read what is mounted: No such file or directory"
    diff before fstab
}
