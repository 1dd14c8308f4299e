#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

setup() {
    work_open
    mkdir -p in/app/bin srv
    echo one >in/app/conf
    printf '#!/bin/sh\n' >in/app/bin/run
    chmod 755 in/app/bin/run
    ln -s bin/run in/app/start
    tar -C in -czf a.tar.gz app
}

# The directory srv/app, whose other attributes stand on standard input.
archive() {
    one "archive: $work/srv/app" -- "$@"
}

sum_of() {
    sha256sum "$1" | cut -d' ' -f1
}

# What is below a directory, and what the files have.
tree() {
    (cd "$1" && find . -mindepth 1 -printf '%P %y %l\n' | LC_ALL=C sort && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 cat)
}

# Python writes what tar refuses to write: the entries on standard input, each "NAME TYPE [LINK]".
hostile() {
    python3 - "$1" 3<&0 <<'END'
import io, os, sys, tarfile
kinds = {"file": tarfile.REGTYPE, "dir": tarfile.DIRTYPE, "link": tarfile.SYMTYPE, "hard": tarfile.LNKTYPE,
         "char": tarfile.CHRTYPE, "fifo": tarfile.FIFOTYPE}
with tarfile.open(sys.argv[1], "w") as out, os.fdopen(3) as lines:
    for line in lines:
        name, kind, *link = line.split()
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname, entry.mode = kinds[kind], link[0] if link else "", 0o6777
        data = b"evil\n" if kind == "file" else b""
        entry.size = len(data)
        out.addfile(entry, io.BytesIO(data))
END
}

# Nothing is at the path, and nothing is left beside it.
nothing_is_there() {
    is "$(ls -A srv)" ''
}

# bats test_tags=inline
@test "an archive is unpacked, and left alone once it is" {
    archive converges <<<"source: $work/a.tar.gz"
    tree in >expected
    tree srv/app >there
    diff expected there
    is "$(ls -A srv)" app
}

@test "every format and compression gives the same tree" {
    requires_command zip
    requires_command bsdtar
    tree in/app >expected
    for name in a.tar a.tar.gz a.tar.bz2 a.tar.xz a.tar.zst a.cpio a.zip a.7z; do
        rm -rf srv/app "$name"
        case $name in
        *.zip) (cd in && zip -qry "../$name" app) ;;
        *.cpio) bsdtar -C in --format=newc -cf "$name" app ;;
        *.7z) bsdtar -C in --format=7zip -cf "$name" app ;;
        *) tar -C in -caf "$name" app ;;
        esac
        archive run apply <<END
source: $work/$name
strip: 1
END
        status_is 0
        tree srv/app >there
        diff expected there
        is "$(mode_of srv/app/bin/run)" 755
    done
}

@test "another content of the source is unpacked anew, and what is gone from it goes" {
    archive converges <<<"source: $work/a.tar.gz"
    inode=$(stat -c %i srv/app)
    rm in/app/conf
    echo two >in/app/second
    tar -C in -czf a.tar.gz app
    archive run apply --noop <<<"source: $work/a.tar.gz"
    status_is 0
    says "was unpacked"
    [ -e srv/app/app/conf ]
    archive converges <<<"source: $work/a.tar.gz"
    [ ! -e srv/app/app/conf ]
    is "$(cat srv/app/app/second)" two
    [ "$(stat -c %i srv/app)" != "$inode" ]
    is "$(ls -A srv)" app
}

@test "the checksum decides: a source that has it may go, and one that has it not is not unpacked" {
    sum=$(sum_of a.tar.gz)
    archive converges <<END
source: $work/a.tar.gz
checksum: sha256:${sum^^}
END
    mv a.tar.gz kept
    archive is_in_sync <<END
source: $work/a.tar.gz
checksum: $sum
END
    echo other >in/app/conf
    tar -C in -czf a.tar.gz app
    archive run apply <<END
source: $work/a.tar.gz
checksum: $(sum_of kept | tr 0-9 1-90)
END
    status_is 4
    says "checksum: the SHA-256 of '$work/a.tar.gz' is $(sum_of a.tar.gz), expected"
    is "$(cat srv/app/app/conf)" one
    is "$(ls -A srv)" app
}

@test "a dry run says that the source is missing, or has another checksum" {
    archive run apply --noop <<<"source: $work/nothing.tar"
    status_is 4
    says "source: '$work/nothing.tar' does not exist"
    archive run apply --noop <<END
source: $work/a.tar.gz
checksum: $(sum_of in/app/conf)
END
    status_is 4
    says 'checksum: the SHA-256 of'
    archive run apply --noop <<END
source: $work/nothing.tar

  - file: $work/nothing.tar
    source: $work/a.tar.gz
END
    status_is 0
    says '2 would change'
    nothing_is_there
}

# bats test_tags=inline
@test "leading directories are stripped, and another number unpacks anew" {
    archive converges <<END
source: $work/a.tar.gz
strip: 1
END
    is "$(ls srv/app | xargs)" 'bin conf start'
    archive converges <<<"source: $work/a.tar.gz"
    is "$(ls srv/app)" app
    archive fails "strip: nothing in '$work/a.tar.gz' has a name of more than 9 parts" <<END
source: $work/a.tar.gz
strip: 9
END
    is "$(ls srv/app)" app
}

@test "owner, group and mode hold, and stay when the archive is another one" {
    requires_root
    archive converges <<END
source: $work/a.tar.gz
owner: daemon
group: games
mode: 0710
END
    is "$(stat -c %U:%G:%a srv/app)" daemon:games:710
    is "$(find srv/app ! -user daemon -o ! -group games)" ''
    is "$(mode_of srv/app/app/conf)" 644
    echo two >in/app/conf
    tar -C in -czf a.tar.gz app
    archive converges <<<"source: $work/a.tar.gz"
    is "$(stat -c %U:%G:%a srv/app)" daemon:games:710
    is "$(find srv/app ! -user daemon -o ! -group games)" ''
    inode=$(stat -c %i srv/app)
    archive converges <<END
source: $work/a.tar.gz
owner: nobody
mode: 0755
END
    is "$(stat -c %i srv/app)" "$inode"
    is "$(find srv/app ! -user nobody)" ''
    is "$(stat -c %G:%a srv/app)" games:755
}

@test "no setuid bit, and no right for others to write, comes out of an archive" {
    chmod 6777 in/app/conf in/app/bin
    tar -C in -cf a.tar app
    archive converges <<<"source: $work/a.tar"
    is "$(mode_of srv/app/app/conf) $(mode_of srv/app/app/bin)" '755 755'
}

# bats test_tags=inline
@test "what leaves the tree is refused, and nothing of the archive stays" {
    requires_command python3
    ln -s ../a.tar.gz outside
    while read -r why entries; do
        tr ';' '\n' <<<"$entries" | hostile evil.tar
        archive run apply <<<"source: $work/evil.tar"
        status_is 4
        says "$(tr _ ' ' <<<"$why")"
        nothing_is_there
    done <<'END'
its_name_is_an_absolute_path ok file;/tmp/rhost-evil file
its_name_contains_'..' ok file;../evil file
its_name_contains_'..' a/../../evil file
it_points_to_an_absolute_path l link /etc
it_points_out_of_the_tree l link ..
it_points_out_of_the_tree a/l link ../../x
contains_'..'_behind_another_part d dir;d/up link ..;l link d/up/..
it_lies_below_what_the_archive_has_as_a_file_or_as_a_symbolic_link d dir;l link d;l/x file
it_lies_below_what_the_archive_has_as_a_file_or_as_a_symbolic_link f file;f/x file
the_archive_has_it_as_a_directory d/x file;d link .
the_file_that_it_is_a_hard_link_to:_its_name_is_an_absolute_path h hard /etc/passwd
the_archive_has_no_such_file_before_it h hard etc/passwd
the_archive_has_no_such_file_before_it l link x;h hard l
it_is_a_device,_a_named_pipe_or_a_socket null char
it_is_a_device,_a_named_pipe_or_a_socket pipe fifo
END
    [ ! -e /tmp/rhost-evil ]
    [ ! -e evil ]
}

@test "links within the tree, hard links and names that are there twice are unpacked" {
    requires_command python3
    hostile a.tar <<'END'
./d/ dir
d/f file
d/up link ../d
h hard d/f
d/f file
twice file
twice link d
END
    archive converges <<<"source: $work/a.tar"
    is "$(tree srv/app)" 'd d 
d/f f 
d/up l ../d
h f 
twice l d
evil
evil'
}

@test "a directory of the archive has the mode that it has there, with all of its owner's rights" {
    mkdir -m 700 in/app/private
    mkdir in/app/sealed
    chmod 050 in/app/sealed
    tar -C in -cf p.tar app
    archive converges <<<"source: $work/p.tar"
    is "$(mode_of srv/app/app/private) $(mode_of srv/app/app/sealed)" '700 750'
}

@test "a hard link to a symbolic link of the archive is refused by its name" {
    requires_command python3
    hostile a.tar <<'END'
f file
l link f
h hard l
END
    archive run apply <<<"source: $work/a.tar"
    status_is 4
    says "cannot unpack a hard link to 'l': the archive has no such file before it"
    nothing_is_there
}

@test "an archive with too many bytes or entries is refused, also one that hides it" {
    requires_command python3
    truncate -s 3M in/app/hole
    tar -C in -cSJf sparse.tar.xz app
    head -c 3M /dev/zero >in/app/zeros
    rm in/app/hole
    tar -C in -cJf zeros.tar.xz app
    (cd in && zip -qr ../zeros.zip app)
    for name in sparse.tar.xz zeros.tar.xz zeros.zip; do
        archive run apply <<END
source: $work/$name
size_limit: 1000000
END
        status_is 4
        says "size_limit: the files of '$work/$name' have more than 1000000 bytes"
        nothing_is_there
    done
    archive run apply <<END
source: $work/zeros.tar.xz
size_limit: 1000000
strip: 2
END
    status_is 4
    says 'size_limit'
    hostile many.tar < <(printf 'a%s/b/c/d file\n' 1 2 3 4 5)
    archive run apply <<END
source: $work/many.tar
entry_limit: 10
END
    status_is 4
    says 'entry_limit: the archive has more than 10 files, directories and links'
    hostile many.tar < <(printf 'a%s dir\n' 1 2 3 4 5)
    archive run apply <<END
source: $work/many.tar
strip: 1
entry_limit: 4
END
    status_is 4
    says "entry_limit: '$work/many.tar' has more than 4 entries"
    nothing_is_there
}

@test "what is no archive, cut off, damaged, empty or encrypted leaves the former tree" {
    requires_command zip
    archive converges <<<"source: $work/a.tar.gz"
    tree srv/app >expected
    head -c 100000 /dev/urandom >in/app/noise
    tar -C in -czf whole.tar.gz app
    head -c 50000 whole.tar.gz >cut.tar.gz
    tar -C in -cJf damaged.tar.xz app
    damage damaged.tar.xz 60000
    : >empty.tar
    tar -cf nothing.tar -T /dev/null
    (cd in && zip -qrP secret ../locked.zip app)
    cp in/app/noise noise.tar
    mkfifo fifo.tar
    for name in cut.tar.gz damaged.tar.xz empty.tar nothing.tar locked.zip noise.tar fifo.tar; do
        archive run apply <<<"source: $work/$name"
        status_is 4
        says "$name"
        tree srv/app | diff expected -
        is "$(ls -A srv)" app
    done
}

@test "a full disk leaves the former tree, and nothing beside it" {
    requires_root
    requires_command unshare
    head -c 3M /dev/urandom >in/app/big
    tar -C in -cf big.tar app
    cat >in-memory <<'END'
mount -t tmpfs -o size=2m tmpfs srv
"$@" apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" small.yaml || exit 10
"$@" apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" big.yaml
echo "status $? $(ls -A srv) $(cat srv/app/app/conf)"
END
    export RHOST_ISOLATION
    printf 'resources:\n  - archive: %s/srv/app\n    source: %s\n' "$work" "$work/a.tar.gz" >small.yaml
    printf 'resources:\n  - archive: %s/srv/app\n    source: %s\n' "$work" "$work/big.tar" >big.yaml
    run unshare -m sh in-memory "$abs_top_builddir/rhost"
    says 'No space left on device'
    says 'status 4 app one'
}

@test "a run that is killed leaves the former tree or the new one, and the next run removes the rest" {
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    archive converges <<<"source: $work/a.tar.gz"
    tree srv/app >former
    echo two >in/app/conf
    for i in $(seq 20); do echo "$i" >"in/app/f$i"; done
    tar -C in -czf b.tar.gz app
    tree in >new
    printf 'resources:\n  - archive: %s/srv/app\n    source: %s\n' "$work" "$work/b.tar.gz" >b.yaml
    cp -a srv kept
    for at in mkdirat:1 pwrite64:5 syncfs:1 renameat2:1 unlinkat:2 unlinkat:4 fdatasync:4; do
        archive run apply <<<"source: $work/a.tar.gz"
        status_is 0
        strace -f -o trace -e inject="${at%:*}:signal=KILL:when=${at#*:}" "$abs_top_builddir/rhost" apply \
            --state-dir "$BATS_TEST_TMPDIR/state" --isolation=none b.yaml >killed 2>&1 || true
        grep -q '+++ killed by SIGKILL' trace
        tree srv/app >there
        cmp -s there former || diff new there
        run rhost apply --detailed-exitcodes b.yaml
        status_is 2
        tree srv/app | diff new -
        is "$(ls -A srv)" app
    done
}

@test "a directory that something else made is replaced or removed only with force" {
    mkdir srv/app
    archive converges <<<"source: $work/a.tar.gz"
    rm -rf srv/app
    mkdir srv/app
    echo precious >srv/app/file
    for noop in '' --noop; do
        # shellcheck disable=SC2086 # perhaps none
        archive run apply $noop <<<"source: $work/a.tar.gz"
        status_is 4
        says "'$work/srv/app' has something in it, and rhost did not unpack it there"
        archive run apply $noop <<<'ensure: absent'
        status_is 4
        is "$(cat srv/app/file)" precious
    done
    archive converges <<END
source: $work/a.tar.gz
force: true
END
    [ ! -e srv/app/file ]
    : >srv/file
    one "archive: $work/srv/file" -- run apply <<<"source: $work/a.tar.gz"
    status_is 4
    says "exists, but is not a directory"
}

# bats test_tags=inline
@test "it goes with all that is in it, and the rest of a removal that was killed goes later" {
    archive converges <<<"source: $work/a.tar.gz"
    echo log >srv/app/log
    archive run apply --noop <<<'ensure: absent'
    status_is 0
    [ -e srv/app/log ]
    archive converges <<<'ensure: absent'
    nothing_is_there
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    archive converges <<<"source: $work/a.tar.gz"
    printf 'resources:\n  - archive: %s/srv/app\n    ensure: absent\n' "$work" >gone.yaml
    strace -f -o trace -e inject=unlinkat:signal=KILL:when=2 "$abs_top_builddir/rhost" apply \
        --state-dir "$BATS_TEST_TMPDIR/state" --isolation=none gone.yaml >killed 2>&1 || true
    [ ! -e srv/app ]
    [ -n "$(ls -A srv)" ]
    run rhost apply --detailed-exitcodes gone.yaml
    status_is 2
    nothing_is_there
}

@test "what is mounted in the tree, or immutable, keeps it as it is" {
    requires_root
    requires_command unshare
    archive converges <<<"source: $work/a.tar.gz"
    echo two >in/app/conf
    tar -C in -czf b.tar.gz app
    printf 'resources:\n  - archive: %s/srv/app\n    source: %s\n' "$work" "$work/b.tar.gz" >b.yaml
    export RHOST_ISOLATION
    run unshare -m sh -c 'mount -t tmpfs tmpfs srv/app/app/bin && echo kept >srv/app/app/bin/file || exit 1
"$@" apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" b.yaml
echo "status $? $(cat srv/app/app/bin/file) $(cat srv/app/app/conf)"' sh "$abs_top_builddir/rhost"
    says 'something is mounted there'
    says 'status 4 kept one'
    if chattr +i srv/app/app/conf; then
        run rhost apply b.yaml
        chattr -i srv/app/app/conf
        status_is 4
        says "'app/conf' in it is immutable"
        is "$(cat srv/app/app/conf)" one
    fi
    is "$(ls -A srv)" app
}

@test "a source that an ordinary user can change is copied before its checksum is taken" {
    requires_root
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    chown daemon a.tar.gz
    printf 'resources:\n  - archive: %s/srv/app\n    source: %s\n' "$work" "$work/a.tar.gz" >a.yaml
    strace -f -o trace -e trace=openat,unlinkat "$abs_top_builddir/rhost" apply \
        --state-dir "$BATS_TEST_TMPDIR/state" --isolation=none a.yaml
    grep -q '"\.source", O_RDWR|O_CREAT|O_EXCL' trace
    is "$(ls -A srv/app)" app
    # The path of the source leads through a link of theirs.
    mkdir home
    chown daemon home
    su -s /bin/sh daemon -c "ln -s ../a.tar.gz home/a.tar.gz" || ln -s ../a.tar.gz home/a.tar.gz
    chown -h daemon home/a.tar.gz
    archive run apply <<<"source: $work/home/a.tar.gz"
    status_is 4
    says 'unsafe path'
}

@test "undo removes what was created, and unpacks the former archive where that still exists" {
    archive run apply <<<"source: $work/a.tar.gz"
    status_is 0
    run rhost undo last
    status_is 0
    nothing_is_there
    archive run apply <<<"source: $work/a.tar.gz"
    echo two >in/app/conf
    tar -C in -czf b.tar.gz app
    archive run apply <<<"source: $work/b.tar.gz"
    status_is 0
    is "$(cat srv/app/app/conf)" two
    run rhost undo last
    status_is 0
    is "$(cat srv/app/app/conf)" one
    archive run apply <<<'ensure: absent'
    run rhost undo last
    status_is 0
    is "$(cat srv/app/app/conf)" one
    # The same path with other content: what was there is nowhere any more.
    cp b.tar.gz a.tar.gz
    archive run apply <<<"source: $work/a.tar.gz"
    is "$(cat srv/app/app/conf)" two
    run rhost undo last
    says "'source' cannot be restored"
    is "$(cat srv/app/app/conf)" two
}

@test "names that are no ASCII keep their bytes, whatever the format" {
    requires_command zip
    echo kaese >'in/app/käse'
    tar -C in --format=pax -cf a.tar app
    (cd in && zip -qr ../a.zip app)
    bsdtar -C in --format=7zip -cf a.7z app
    for name in a.tar a.zip a.7z; do
        rm -rf srv/app
        LC_ALL=C archive run apply <<<"source: $work/$name"
        status_is 0
        is "$(cat 'srv/app/app/käse')" kaese
    done
}

@test "parents that do not exist are created where that is desired" {
    one "archive: $work/srv/x/app" -- run apply <<<"source: $work/a.tar.gz"
    status_is 4
    says "directory '$work/srv/x' does not exist"
    one "archive: $work/srv/x/app" -- converges <<END
source: $work/a.tar.gz
parents: true
END
    [ -e srv/x/app/app/conf ]
}

@test "the example of the page with a download works, and a second run finds nothing to do" {
    requires_command python3

    mkdir www
    cp a.tar.gz www/app.tar.gz
    : >port.log
    : >ready
    python3 "$abs_top_srcdir/plugins/remote_file/server.py" "$work/www" "$work/port" >ready 2>/dev/null 3>&- &
    server=$!
    until [ -s ready ]; do
        kill -0 "$server"
        sleep 0.02
    done
    awk '/^# an archive that is downloaded/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/archive/archive.md" |
        sed "s|/tmp/example|$work/example|; s|:18203|:$(cat port)|; s|sha256:[0-9a-f]\{64\}|sha256:$(sum_of a.tar.gz)|" >example.yaml
    for expected in 2 0; do
        run rhost apply --detailed-exitcodes example.yaml
        status_is $expected
    done
    kill "$server"
    is "$(cat example/app/conf)" one
    # What was downloaded is no longer needed.
    sed -i "/remote_file:/,/checksum:/d" example.yaml
    rm example/app.tar.gz
    run rhost apply --detailed-exitcodes example.yaml
    status_is 0
}

@test "mistakes are named" {
    archive fails "source: there is nothing to unpack" <<<'mode: 0755'
    archive fails 'checksum' <<<'checksum: md5:abc'
    one 'archive: /' -- run apply <<<"source: $work/a.tar.gz"
    status_is 1
    says "'/' cannot be replaced or removed"
}
