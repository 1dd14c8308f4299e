#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A machine as a manifest. What is captured of a machine that boots, and applied to a fresh one, is in
# tests/system/capture.bats.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"
source "$abs_top_srcdir/tests/scratch.bash"

teardown() {
    scratch_close
}

needs_dpkg() {
    [ -s /var/lib/dpkg/status ] || skip "needs the database of dpkg"
}

# captured OPTION...: into site.yaml, which is valid, and by which nothing is to be changed here.
captured() {
    split rhost capture --output=site.yaml "$@"
    status_is 0
    run rhost validate site.yaml
    status_is 0
    run rhost apply --noop --detailed-exitcodes site.yaml
    status_is 0
}

# The lines of an entry, TYPE: TITLE.
entry() {
    awk -v start="  - $1" '/^  - |^$/ { on = $0 == start } on' site.yaml
}

has_entry() {
    grep -qxF -e "  - $1" site.yaml && return
    echo "no '$1' in:"
    cat site.yaml
    return 1
}

# A format of printf on each line.
texts='one line\n
no end of line
two\nlines\n
two\nlines without an end
\n\nempty lines in front\n
an empty line\n\nwithin\n
empty lines\n\n\n
  blanks in front\n and less\n
\ttab in front\nof it\n
\n\ttab in the second line\n
blanks  \nat the end \t\n
blanks in the last line\n   
   \n  \n
\n
\r\nCR and LF\r\n
${not.an.expression} $${nor this} $\n$$\n
# no comment\n# nor this\n
--- \n...\n%%YAML 1.1\n- [a, {b: c}]\n? x\n: y\n
"quoted"\n\\n\n
null\n
\xc2\x85 next line\nx\n
\xe2\x80\xa8 line separator\nx\n
\xe2\x80\xae turned around\nx\n
\xef\xbb\xbfmark\nx\n
\x1b[31m red\nx\n
\xf0\x9f\x90\xa7 penguin\nund Ümlaute\n
key: |\n  block\n   in\n  block\n
!append [x]\n&a *a\n@x `y\n'

@test "text of any form comes back as it was" {
    mkdir texts
    i=10
    while IFS= read -r text; do
        i=$((i + 1))
        # shellcheck disable=SC2059
        printf -- "$text" >"texts/$i"
    done <<<"$texts"
    head -c 60000 /dev/zero | tr '\0' 'x' >texts/long
    seq 1 5000 >texts/lines
    printf 'one' >"texts/a name: with # [signs]"
    cp -a texts as-they-were
    for RHOST_ISOLATION in confined none; do
        rm -f site.yaml
        captured --only=file,directory --files="$work/texts"
        [ "$(grep -c '^  - file: .*/texts/' site.yaml)" -eq 31 ]
        [ "$(grep -c '^    content: |' site.yaml)" -ge 12 ]
        for file in texts/*; do
            echo damaged >"$file"
        done
        run rhost apply site.yaml
        status_is 0
        diff -r texts as-they-were
    done
}

@test "what is no text, too large or not a file is left out, and said" {
    mkdir files
    printf 'a\0b\n' >files/binary
    printf '\xff\xfe\n' >files/latin
    head -c 1100000 /dev/zero | tr '\0' x >files/large
    mkfifo files/pipe
    ln -s binary files/link
    echo hidden >files/.hidden
    mkdir files/.directory
    captured --only=file,link,directory --files="$work/files"
    [ "$(grep -c '^  # left out' site.yaml)" -eq 3 ]
    has_entry "file: $work/files/.hidden"
    has_entry "directory: $work/files/.directory"
    grep -q '# left out, as it is larger than 1 MiB: file\[.*/files/large\]' site.yaml
    entry "link: $work/files/link" | grep -qx '    target: binary'
    split rhost capture --only=file --files="$work/files"
    grep -q '^warning: 3 resources cannot be captured' err
    # Each by itself.
    split rhost capture --only=file --files="$work/files/pipe"
    status_is 4
    says 'it is no file, link or directory'
    split rhost capture --only=file --files="$work/files/none"
    status_is 4
    says "cannot capture '$work/files/none'"
    is_empty out
}

@test "what is mounted below a directory is not captured as if it was part of it" {
    requires_root
    unshare -m true 2>/dev/null || skip "cannot make a mount namespace here"
    mkdir -p real tree/sub tree/own
    echo theirs >real/file
    echo theirs >real/single
    echo ours >tree/own/file
    : >tree/single
    state_open
    # A bind mount has the number of the same device.
    unshare -m sh -c 'mount --bind real tree/sub && mount --bind real/single tree/single && exec "$@"' sh \
        "$abs_top_builddir/rhost" capture --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" \
        --only=file,directory --files="$work/tree" >site.yaml
    has_entry "file: $work/tree/own/file"
    not grep -qE 'tree/(sub|single)' site.yaml
    # What is asked for is captured, also where something is mounted on it.
    unshare -m sh -c 'mount --bind real tree/sub && exec "$@"' sh \
        "$abs_top_builddir/rhost" capture --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" \
        --only=file,directory --files="$work/tree/sub" >site.yaml
    has_entry "file: $work/tree/sub/file"
}

@test "large files and holes are left out without being read into memory" {
    needs_python
    [ "${RHOST_WATCHED-}" != asan ] || skip "with sanitizers"
    mkdir large
    for i in 1 2 3 4 5 6; do
        truncate -s 200M large/holes$i
    done
    head -c 1048577 /dev/zero | tr '\0' x >large/more
    head -c 1048576 /dev/zero | tr '\0' x >large/text
    # Bytes that are no text are given back.
    for i in $(seq 100); do
        truncate -s 1M large/binary$i
    done
    state_open
    python3 - "$abs_top_builddir/rhost" capture --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" \
        --only=file --files="$work/large" --output=site.yaml 2>err <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert used < 80000, f"{used} KiB"
END
    is "$(grep -c 'left out, as it is larger than 1 MiB' site.yaml)" 7
    is "$(grep -c 'left out, as it is not text' site.yaml)" 100
    has_entry "file: $work/large/text"
    grep -q 'warning: 107 resources cannot be captured' err
}

@test "secrets are captured only where nobody else reads them" {
    mkdir secret
    printf 'hushhush secret\n' >secret/one
    chmod 0640 secret/one
    printf -- '-----BEGIN OPENSSH PRIVATE KEY-----\nhushhush secret\n' >secret/key
    printf 'deb https://anna:hush%%20secret@example.org/ ./\n' >secret/url
    printf 'https://example.org/a@b:c\n' >secret/none
    captured --only=file --files="$work/secret"
    [ "$(grep -c '^  # left out' site.yaml)" -eq 3 ]
    not grep -q 'hush' site.yaml
    grep -qF "# left out, as not everybody may read it: file[$work/secret/one]; --secrets captures it" site.yaml
    split rhost capture --only=file --files="$work/secret"
    grep -q '^warning: secrets of 3 resources were not captured: --secrets captures them' err
    # To others.
    split rhost capture --secrets --only=file --files="$work/secret"
    status_is 1
    says 'writes only to a pipe, or to a file that nobody but its owner may read'
    is_empty out
    (umask 077 && : >private)
    rhost capture --secrets --only=file --files="$work/secret" >private
    [ "$(grep -c 'hush' private)" -eq 3 ]
    rhost capture --secrets --only=file --files="$work/secret" | cmp - private
    # A file of its own, also in the place of an earlier one that others may read.
    [ "$(stat -c %a site.yaml)" = 644 ]
    split rhost capture --secrets --only=file --files="$work/secret" --output=site.yaml
    status_is 0
    [ "$(stat -c %a site.yaml)" = 600 ]
    cmp site.yaml private
    not grep -q secrets err
    split rhost capture --secrets --only=file --files="$work/secret" --output=new.yaml
    status_is 0
    [ "$(stat -c %a new.yaml)" = 600 ]
    # Applied, they are what they were, and nobody is shown them.
    rm -r secret/*
    run rhost apply --diff --report=report.json site.yaml
    status_is 0
    says_not 'hush'
    not grep -q hush report.json
    grep -q hushhush secret/one
    [ "$(stat -c %a secret/one secret/url | tr '\n' ' ')" = '640 644 ' ]
}

@test "what is read by a provider from a file that not everybody may read is secret too" {
    scratch_open
    in_scratch sh -e <<'END'
mkdir -p /etc/cron.d /etc/sysctl.d /etc/apt/sources.list.d /etc/systemd/system
printf '# rhost: backup\n1 2 * * * root backup --password=hush\n' >/etc/cron.d/private
printf '# rhost: tidy\n1 2 * * * root tidy\n' >/etc/cron.d/public
printf 'kernel.of_no_machine = hush\n' >/etc/sysctl.d/60-private.conf
printf 'Types: deb\nURIs: https://example.org/hush\nSuites: ./\nTrusted: yes\n' >/etc/apt/sources.list.d/private.sources
printf '[Service]\nExecStart=/bin/true\nEnvironment=PASSWORD=hush\n' >/etc/systemd/system/private.service
printf '//nas/share /srv/share cifs noauto,username=anna,password=hush 0 0\nnas:/a /srv/a nfs noauto 0 0\n' >/etc/fstab
chmod 0600 /etc/cron.d/private /etc/sysctl.d/60-private.conf /etc/apt/sources.list.d/private.sources \
    /etc/systemd/system/private.service
groupadd secretive
useradd -g secretive -M -d /nonexistent -p '$6$saltsalt$qFmFH.bQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2/jctKu9YterLp8wwnSq.qc.eoxqOmSuNp2xS0ktL3nh/' secretive
END
    types=cron,file,apt_repository,sysctl,systemd_unit,mount,user
    captured --only=$types
    not grep -qE 'hush|saltsalt' site.yaml
    has_entry 'cron: "/etc/cron.d/public tidy"'
    has_entry 'mount: /srv/a'
    has_entry 'user: secretive'
    for name in 'cron\[.*backup' sysctl 'apt_repository\[private' 'file\[/etc/systemd/system/private.service' \
        'mount\[.*/srv/share'; do
        grep -q "^  # left out, as .*: $name" site.yaml
    done
    grep -q '^    # password: \[redacted\]  (not captured: --secrets captures it)' site.yaml
    captured --secrets --only=$types
    [ "$(grep -cE 'hush|saltsalt' site.yaml)" -eq 6 ]
    # As it is written: on another machine it is the password.
    grep -q '^    password: "$6$saltsalt' site.yaml
    in_scratch usermod -p '*' secretive
    run rhost apply site.yaml
    status_is 0
    in_scratch grep -q '^secretive:$6$saltsalt' /etc/shadow
}

@test "accounts are those that somebody made, with what they have of their own" {
    needs_dpkg
    scratch_open
    in_scratch sh -e <<'END'
groupadd --gid 4711 staffing
groupadd --system ownsystem
useradd --create-home --comment 'Zoë Example' --shell /bin/bash --groups staffing,audio zoe-example
useradd --system --gid ownsystem --home-dir /nonexistent --shell /usr/sbin/nologin ownsystem
useradd --no-create-home --home-dir /nonexistent --expiredate 2031-02-28 --inactive 30 yves-example
gpasswd -a games staffing
chage --maxdays 90 zoe-example
usermod -p '*' yves-example
END
    captured --only=user,group
    entry 'user: zoe-example' >zoe
    grep -q 'comment: "Zoë Example"' zoe
    grep 'groups:' zoe | grep audio | grep -q staffing
    grep -q 'create_home: true' zoe
    grep -q 'password_max_age: 90' zoe
    not grep -q 'password_min_age\|locked\|expiry\|system' zoe
    entry 'user: yves-example' >yves
    grep -q 'expiry: "2031-02-28"' yves
    grep -q 'password_inactive_days: 30' yves
    grep -qF 'password: "*"' yves
    not grep -q 'create_home' yves
    entry 'user: ownsystem' | grep -q 'system: true'
    entry 'group: staffing' >staffing
    grep -q 'gid: 4711' staffing
    grep 'members' staffing >members
    grep -q games members
    not grep -q zoe members
    for name in root daemon _apt nobody; do
        not grep -qE "^  - user: \"?$name\"?\$" site.yaml
    done
    not grep -qE '^  - group: (root|audio|nogroup)$' site.yaml
    # Gone, they come back.
    in_scratch sh -ec 'userdel zoe-example; userdel yves-example; userdel ownsystem; groupdel staffing'
    cp site.yaml before.yaml
    run rhost apply site.yaml
    status_is 0
    captured --only=user,group
    diff before.yaml site.yaml
}

@test "configuration files of packages are captured when they were changed or removed" {
    needs_dpkg
    scratch_open
    # Three files of packages, as they came.
    in_scratch sh -c 'awk "/^Conffiles:/ { on = 1; next } !/^ / { on = 0 } on && NF == 2 { print \$2 \"  \" \$1 }" \
        /var/lib/dpkg/status | md5sum --check 2>/dev/null | sed -n "s/: OK\$//p" | grep "/etc/[a-z]*/" | sort' >same
    [ "$(wc -l <same)" -ge 3 ] || skip "no three configuration files that were not changed"
    changed=$(sed -n 1p same) removed=$(sed -n 2p same) left=$(sed -n 3p same)
    in_scratch sh -c "echo '# by hand' >>'$changed'; rm '$removed'; touch '$left'"
    captured --only=file
    grep -qE "^  - file: \"?$changed\"?\$" site.yaml
    [ "$(grep -A1 -E "^  - file: \"?$removed\"?\$" site.yaml | tail -n 1)" = '    ensure: absent' ]
    not grep -qE "^  - file: \"?$left\"?\$" site.yaml
    in_scratch cp "$changed" "$work/changed"
    in_scratch sh -c "echo other >'$changed'; echo back >'$removed'"
    run rhost apply site.yaml
    status_is 0
    in_scratch cmp "$changed" "$work/changed"
    in_scratch test ! -e "$removed"
}

@test "files with jobs of others are captured whole, those of rhost job by job" {
    scratch_open
    in_scratch sh -e <<'END'
mkdir -p /etc/cron.d /etc/cron.daily
printf '# rhost: one\n1 2 * * * root one\n\n# rhost: two\nMAILTO=ops\n*/5 * * * 1 nobody two \\%% x\n' >/etc/cron.d/of-rhost
printf '# rhost: one\n1 2 * * * root one\n3 4 * * * root other\n' >/etc/cron.d/mixed
printf '#!/bin/sh\nexit 0\n' >/etc/cron.daily/local-job
chmod 755 /etc/cron.daily/local-job
echo x >/etc/cron.d/x.dpkg-old
END
    captured --only=cron,file
    has_entry 'cron: "/etc/cron.d/of-rhost one"'
    has_entry 'cron: "/etc/cron.d/of-rhost two"'
    has_entry 'file: /etc/cron.d/mixed'
    entry 'file: /etc/cron.daily/local-job' | grep -q 'mode: "0755"'
    not grep -q 'of-rhost$\|cron: .*mixed\|dpkg-old' site.yaml
    in_scratch sh -c 'cp -a /etc/cron.d /etc/cron.were; rm /etc/cron.d/of-rhost /etc/cron.d/mixed'
    run rhost apply site.yaml
    status_is 0
    in_scratch cmp /etc/cron.d/mixed /etc/cron.were/mixed
    in_scratch sh -c 'grep -v "^$" /etc/cron.were/of-rhost >/etc/without; grep -v "^$" /etc/cron.d/of-rhost | cmp - /etc/without'
}

@test "parameters, hosts and mounts are captured from their files" {
    scratch_open
    in_scratch sh -e <<'END'
mkdir -p /etc/sysctl.d
printf '# ours\nkernel.of_no_machine = 7\nnet/ipv4/conf/eth0.7/of_no_machine=a  b\n' >/etc/sysctl.d/60-ours.conf
printf 'kernel.of_no_machine = 8\n' >/etc/sysctl.d/70-ours.conf
printf 'net.ipv4.conf.*.of_no_machine = 1\n' >/etc/sysctl.d/80-pattern.conf
umount /etc/hosts 2>/dev/null || true
printf '127.0.0.1 localhost\n::1 localhost ip6-localhost\nff02::1 ip6-allnodes\n127.0.1.1 self.example.org\n192.0.2.7 db.example.org db # the first\n' >/etc/hosts
printf 'UUID=1234 / ext4 defaults 0 1\n/dev/sdb1 /data ext4 nofail 0 2\n/swapfile none swap sw 0 0\ntmpfs /srv/scratch tmpfs noauto,size=1m 0 0\n' >/etc/fstab
END
    captured --only=sysctl,file,host,mount
    entry 'sysctl: kernel.of_no_machine' >entry
    grep -q 'value: "8"' entry
    grep -q 'target: /etc/sysctl.d/70-ours.conf' entry
    grep -q 'apply: false' entry
    entry 'sysctl: net.ipv4.conf.eth0/7.of_no_machine' | grep -q 'value: "a  b"'
    has_entry 'file: /etc/sysctl.d/80-pattern.conf'
    entry 'host: db.example.org' | grep -q 'comment: "the first"'
    [ "$(grep -c '^  - host: ' site.yaml)" -eq 1 ]
    entry 'mount: /srv/scratch' | grep -q 'size=1m'
    [ "$(grep -c '^  - mount: ' site.yaml)" -eq 1 ]
    # Of a disk that no other machine has: to be looked at by somebody.
    grep -qx '  # left out, as it is on a disk of this machine: mount\[/data\]' site.yaml
    grep -qx '  #   - mount: /data' site.yaml
    grep -qx '  #     device: /dev/sdb1' site.yaml
}

@test "repositories are captured with their keys, whatever form these have" {
    needs_dpkg
    requires_command gpg
    scratch_open
    export GNUPGHOME=$work/gnupg
    mkdir -m 700 "$GNUPGHOME"
    gpg --batch --quiet --passphrase '' --quick-generate-key 'Example <key@example.org>' ed25519 sign never 2>/dev/null
    gpg --export >key.gpg
    gpg --export --armor >key.asc
    gpgconf --kill all
    in_scratch sh -e <<END
mkdir -p /etc/apt/sources.list.d /etc/apt/keyrings /etc/apt/elsewhere
cp '$work/key.gpg' /etc/apt/keyrings/binary.gpg
cp '$work/key.asc' /etc/apt/elsewhere/armored.asc
cp '$work/key.asc' /etc/apt/keyrings/old.asc
printf 'Types: deb\nURIs: https://example.org/b\nSuites: ./\nSigned-By: /etc/apt/keyrings/binary.gpg\n' \
    >/etc/apt/sources.list.d/binary.sources
printf 'Types: deb\nURIs: https://example.org/a\nSuites: stable\nComponents: main\nSigned-By: /etc/apt/elsewhere/armored.asc\nX-Other: y\n' \
    >/etc/apt/sources.list.d/armored.sources
printf 'deb [arch=amd64 signed-by=/etc/apt/keyrings/old.asc] https://example.org/c stable main\n' \
    >/etc/apt/sources.list.d/old.list
printf '# nothing\n' >/etc/apt/sources.list.d/empty.list
printf 'Types: deb\nURIs: https://example.org/1\nSuites: ./\n\nTypes: deb\nURIs: https://example.org/2\nSuites: ./\n' \
    >/etc/apt/sources.list.d/two.sources
END
    split rhost capture --only=apt_repository,file,directory --output=site.yaml
    status_is 0
    has_entry 'apt_repository: binary'
    has_entry 'apt_repository: armored'
    has_entry 'directory: /etc/apt/elsewhere'
    has_entry 'file: /etc/apt/elsewhere/armored.asc'
    has_entry 'file: /etc/apt/keyrings/old.asc'
    has_entry 'file: /etc/apt/sources.list.d/old.list'
    has_entry 'file: /etc/apt/sources.list.d/two.sources'
    not grep -q 'empty.list' site.yaml
    in_scratch sh -ec 'rm -r /etc/apt/elsewhere; rm /etc/apt/keyrings/*.* /etc/apt/sources.list.d/*'
    run rhost apply site.yaml
    status_is 0
    in_scratch cmp /etc/apt/elsewhere/armored.asc "$work/key.asc"
    in_scratch grep -qx 'X-Other: y' /etc/apt/sources.list.d/armored.sources
    in_scratch grep -qx 'Signed-By: /etc/apt/keyrings/binary.asc' /etc/apt/sources.list.d/binary.sources
    in_scratch cat /etc/apt/keyrings/binary.asc | gpg --dearmor | cmp - key.gpg
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "--only chooses types, and an error lists them" {
    split rhost capture --only=package --only=group,user
    status_is 0
    not grep -qE '^  - (file|host|cron):' out
    split rhost capture --only=packages
    status_is 1
    says "type 'packages' cannot be captured"
    says 'apt_repository, package, group'
    split rhost capture --only=exec
    status_is 1
    split "$abs_top_builddir/core/rhost" capture --only=package --no-installed-plugins --state-dir "$work/state"
    status_is 1
    says "type 'package' cannot be captured here"
    split rhost capture site.yaml
    status_is 1
    says "unexpected argument 'site.yaml'; --output=FILE writes to a file"
    split rhost capture --files=texts
    status_is 1
    says "'texts' is not an absolute path"
}

@test "packages are those that somebody asked for, without a version unless that is asked for" {
    needs_dpkg
    requires_command apt-mark
    split rhost capture --output=site.yaml --only=package
    status_is 0
    run rhost validate site.yaml
    status_is 0
    not grep -qx '    version:.*\|  - package: "\?\(dpkg\|libc-bin\)"\?' site.yaml
    first=$(sed -n 's/^  - package: //p' site.yaml | head -n 1)
    [ -n "$first" ] || skip "nothing is marked manual here"
    name=${first//\"/}
    [ "$(apt-mark showmanual "$name" | wc -l)" -eq 1 ]
    split rhost capture --output=site.yaml --only=package --versions
    [ "$(entry "package: $first" | grep version: | tr -d ' "' | cut -d: -f2-)" = "$(dpkg-query -W -f '${Version}' "$name")" ]
}

@test "only an earlier capture is written over" {
    echo 'resources: []' >site.yaml
    split rhost capture --only=group --output=site.yaml
    status_is 1
    says "was not written by 'rhost capture': it is not overwritten"
    [ "$(cat site.yaml)" = 'resources: []' ]
    split rhost capture --only=group --output=other.yaml
    status_is 0
    is_empty out
    head -n 1 other.yaml | grep -q '^# Captured by rhost on '
    ln other.yaml second
    split rhost capture --only=group --output=other.yaml
    status_is 0
    cmp other.yaml second
    [ "$(stat -c %h second)" -eq 1 ]
    ln -s second link.yaml
    : >second
    split rhost capture --only=group --output=link.yaml
    status_is 0
    [ -L link.yaml ]
    cmp second other.yaml
    ln -sf site.yaml link.yaml
    split rhost capture --only=group --output=link.yaml
    status_is 1
    [ "$(cat site.yaml)" = 'resources: []' ]
    # Twice the same.
    rhost capture --only=package,group,user,file >first 2>/dev/null
    rhost capture --only=package,group,user,file 2>/dev/null | cmp - first
}

@test "what cannot be written is said" {
    [ ! -w /dev/full ] || {
        status=0
        rhost capture --only=group >/dev/full 2>err || status=$?
        [ "$status" -ne 0 ]
    }
    split rhost capture --only=group --output=none/site.yaml
    status_is 4
    says "none/site.yaml"
    umask_is 027
    split rhost capture --only=group --output=site.yaml
    [ "$(stat -c %a site.yaml)" = 640 ]
}

@test "when one provider cannot read, the others are captured" {
    scratch_open
    in_scratch rm /etc/group
    split rhost capture --only=group,host --output=site.yaml
    status_is 4
    grep -q '^error: .*/etc/group' err
    grep -q '^  # group: not captured: .*/etc/group' site.yaml
    run rhost validate site.yaml
    status_is 0
}

@test "another user than root captures what everybody may read, and is told" {
    requires_root
    requires_command setpriv
    setpriv --reuid 65534 --clear-groups test -x "$abs_top_builddir/rhost" || skip "nobody may not run what was built"
    mkdir -m 777 others
    cd others
    split setpriv --reuid 65534 --regid 65534 --clear-groups "$abs_top_builddir/rhost" capture \
        --state-dir "$work/others/state" --only=group,user,file
    status_is 0
    grep -q "^warning: not everything can be read without root's rights" err
    not grep -q 'password' out
}
