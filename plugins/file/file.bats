#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# bats test_tags=inline
@test "a file is created with content and mode, and left alone afterwards" {
    converges <<END
resources:
  - file: $work/motd
    content: "Hello\n"
    mode: 0640
END
    [ "$(cat motd)" = Hello ]
    [ "$(mode_of motd)" = 640 ]
    [ "$(ls -A)" = motd ]
}

@test "a new file without a mode has 0644" {
    converges <<END
resources:
  - file: $work/empty
END
    [ "$(mode_of empty)" = 644 ]
    [ ! -s empty ]
}

@test "a change of content shows both" {
    printf 'old\n' >motd
    run apply <<END
resources:
  - file: $work/motd
    content: "new\n"
END
    status_is 0
    says 'content "old\n" → "new\n"'
    [ "$(cat motd)" = new ]
}

@test "what is not asked for is left alone" {
    printf 'old\n' >motd
    chmod 0751 motd
    run apply <<END
resources:
  - file: $work/motd
    content: "new\n"
END
    status_is 0
    [ "$(mode_of motd)" = 751 ]
}

@test "when only the mode differs the file is not written again" {
    printf 'same\n' >motd
    chmod 0600 motd
    before=$(stat -c %i motd)
    run apply <<END
resources:
  - file: $work/motd
    content: "same\n"
    mode: 0644
END
    status_is 0
    says 'mode'
    says_not 'content'
    [ "$(mode_of motd)" = 644 ]
    [ "$(stat -c %i motd)" = "$before" ]
}

@test "a mode of three digits is the same as one of four" {
    printf x >motd
    chmod 0644 motd
    is_in_sync <<END
resources:
  - file: $work/motd
    mode: 644
END
}

@test "names and numbers of owners are the same" {
    requires_root
    printf x >motd
    for root in root 0 '"0"'; do
        is_in_sync <<END
resources:
  - file: $work/motd
    owner: $root
    group: $root
END
    done
}

# bats test_tags=inline
@test "owner and group are changed" {
    requires_root
    printf x >motd
    converges <<END
resources:
  - file: $work/motd
    owner: daemon
    group: 12345
END
    [ "$(stat -c %U:%g motd)" = daemon:12345 ]
}

# bats test_tags=inline
@test "setuid bits do not survive a change of owner" {
    requires_root
    printf x >tool
    chown 1234 tool
    chmod 6755 tool
    converges <<END
resources:
  - file: $work/tool
    owner: root
END
    [ "$(mode_of tool)" = 755 ]
    [ "$(stat -c %u tool)" = 0 ]
}

# Those of CAP_NET_RAW, effective and permitted.
gives_capabilities() {
    requires_command setfattr
    setfattr -n security.capability -v 0x0100000200200000000000000000000000000000 "$1" || skip "no capabilities here"
}

has_no_capabilities() {
    run getfattr --absolute-names -d -m security.capability "$work/$1"
    status_is 0
    is "$output" ''
}

# bats test_tags=inline
@test "capabilities survive neither a change of owner nor new content" {
    requires_root
    printf x >tool
    chown 1234 tool
    gives_capabilities tool
    converges <<END
resources:
  - file: $work/tool
    owner: root
END
    has_no_capabilities tool
    for mode in '' 'mode: "0755"'; do
        rm -f tool
        printf x >tool
        gives_capabilities tool
        converges <<END
resources:
  - file: $work/tool
    content: y
    $mode
END
        has_no_capabilities tool
    done
}

@test "setuid bits that the manifest states are kept with another owner" {
    requires_root
    printf x >tool
    chown 1234 tool
    converges <<END
resources:
  - file: $work/tool
    owner: root
    mode: 4755
END
    [ "$(mode_of tool)" = 4755 ]
}

# bats test_tags=inline
@test "setuid bits were granted to the old content" {
    requires_root
    printf x >tool
    chmod 6755 tool
    converges <<END
resources:
  - file: $work/tool
    content: y
END
    [ "$(mode_of tool)" = 755 ]
}

# bats test_tags=inline
@test "a secret is not written for those in the access ACL of the old content, though the owner stays" {
    requires_root
    requires_command setfacl
    for file in public secret; do
        printf x >$file
        chmod 0640 $file
        setfacl -m u:4321:r $file
    done
    converges <<END
resources:
  - file: $work/public
    content: known
  - file: $work/secret
    content: hidden
    sensitive: [content]
END
    run getfacl --absolute-names "$work/public"
    says 'user:4321:r--'
    run getfacl --absolute-names "$work/secret"
    says_not 4321
    is "$(stat -c '%u %a' secret)" '0 640'
}

# bats test_tags=inline
@test "the access ACL of an earlier owner goes with that owner" {
    requires_root
    requires_command setfacl
    printf x >letter
    chown 1234 letter
    chmod 0600 letter
    setfacl -m u:4321:rw letter
    converges <<END
resources:
  - file: $work/letter
    owner: root
END
    [ "$(mode_of letter)" = 600 ]
    run getfacl --absolute-names "$work/letter"
    says_not 4321

    setfacl -m u:4321:rw letter
    converges <<END
resources:
  - file: $work/letter
    owner: daemon
    content: secret
    sensitive: [content]
END
    [ "$(mode_of letter)" = 600 ]
    run getfacl --absolute-names "$work/letter"
    says_not 4321
}

# bats test_tags=inline
@test "a new secret cannot be read by users of the default ACL of its directory" {
    requires_root
    requires_command setfacl
    mkdir letters
    setfacl -d -m u:4321:rwx letters
    converges <<END
resources:
  - file: $work/letters/secret
    mode: 0640
    content: secret
    sensitive: [content]
  - file: $work/letters/plain
    mode: 0640
    content: x
END
    [ "$(mode_of letters/secret)" = 640 ]
    run getfacl --absolute-names letters/secret
    says_not 4321
    run getfacl --absolute-names letters/plain
    says 4321
}

# bats test_tags=inline
@test "the holes of a source stay holes" {
    truncate -s 256M source
    printf end >>source
    converges <<END
resources:
  - file: $work/copy
    source: $work/source
END
    cmp source copy
    [ "$(stat -c %b copy)" -lt 1000 ]
}

@test "an owner that does not exist is an error that names it" {
    run apply <<END
resources:
  - file: $work/motd
    owner: no-such-user
END
    status_is 4
    says "unknown user 'no-such-user'"
    [ ! -e motd ]
}

# bats test_tags=inline
@test "the content of a source is copied and compared" {
    seq 1 100000 >source
    converges <<END
resources:
  - file: $work/copy
    source: $work/source
END
    cmp source copy
    sed -i 's/^5$/6/' source
    converges <<END
resources:
  - file: $work/copy
    source: $work/source
END
    cmp source copy
}

@test "content and source together are refused" {
    run apply <<END
resources:
  - file: $work/motd
    content: x
    source: $work/other
END
    [ "$status" -ne 0 ]
    says "not both"
    [ ! -e motd ]
}

@test "replace: false creates, and never overwrites" {
    converges <<END
resources:
  - file: $work/conf
    content: first
    replace: false
END
    printf edited >conf
    is_in_sync <<END
resources:
  - file: $work/conf
    content: first
    replace: false
END
    [ "$(cat conf)" = edited ]
}

# bats test_tags=inline
@test "all that a validator prints is shown, with the name of the file" {
    run apply <<END
resources:
  - file: $work/conf
    content: "a b c\n"
    validate: [sh, -c, 'echo "\$0:1: bad word"; echo "  a b c"; echo "    ^"; exit 3', "%"]
END
    status_is 4
    [[ $output == *"failed: cannot write '$work/conf': 'sh' refuses the new content with status 3:
    $work/conf:1: bad word
      a b c
        ^
"* ]]
    [ "$(ls -A)" = "" ]
}

@test "what validate refuses does not get into place" {
    printf 'good\n' >conf
    run apply <<END
resources:
  - file: $work/conf
    content: "bad\n"
    validate: [grep, good, "%"]
END
    status_is 4
    says "'grep' refuses the new content with status 1"
    [ "$(cat conf)" = good ]
    [ "$(ls -A)" = conf ]
}

@test "what validate accepts does" {
    converges <<END
resources:
  - file: $work/conf
    content: "good\n"
    validate: [grep, good, "%"]
END
}

@test "what gets there while a file is created is looked at, and replaced" {
    converges <<END
resources:
  - file: $work/conf
    content: "good\n"
    mode: 0600
    validate: [sh, -c, 'echo x >>$work/tried; [ -e $work/conf ] || { echo mine >$work/conf; chmod 0666 $work/conf; }', "%"]
END
    [ "$(cat conf)" = good ]
    [ "$(stat -c %a conf)" = 600 ]
    [ "$(wc -l <tried)" -eq 2 ]
    [ "$(echo *)" = "conf tried" ]
    run apply <<END
resources:
  - file: $work/directory
    content: "good\n"
    validate: [sh, -c, 'mkdir -p $work/directory', "%"]
END
    status_is 4
    says "'$work/directory' exists, but is not a regular file: it is a directory"
    [ "$(ls -A)" = "$(printf 'conf\ndirectory\ntried')" ]
}

@test "what gets there while a file is created is kept, and undo brings it back" {
    run apply <<END
resources:
  - file: $work/conf
    content: "good\n"
    validate: [sh, -c, '[ -e $work/conf ] || echo theirs >$work/conf', "%"]
END
    status_is 0
    [ "$(cat conf)" = good ]
    rhost undo last
    [ "$(cat conf)" = theirs ]
}

@test "a symbolic link is replaced" {
    printf target >target
    ln -s target conf
    converges <<END
resources:
  - file: $work/conf
    content: mine
END
    [ ! -L conf ]
    [ "$(cat target)" = target ]
}

@test "a symbolic link is followed when asked" {
    printf target >target
    ln -s target conf
    converges <<END
resources:
  - file: $work/conf
    content: mine
    follow: true
END
    [ -L conf ]
    [ "$(cat target)" = mine ]
}

@test "a directory in the way is an error" {
    mkdir conf
    run apply <<END
resources:
  - file: $work/conf
    content: x
END
    status_is 4
    says "not a regular file"
    [ -d conf ]
}

@test "a file is removed" {
    printf x >conf
    converges <<END
resources:
  - file: $work/conf
    ensure: absent
END
    [ ! -e conf ]
}

# bats test_tags=inline
@test "noop says what would change, and changes nothing" {
    printf old >conf
    run apply --noop <<END
resources:
  - file: $work/conf
    content: new
  - file: $work/other
    content: new
END
    status_is 0
    says 'would change'
    [ "$(cat conf)" = old ]
    [ ! -e other ]
}

# bats test_tags=inline
@test "sensitive content is not shown" {
    printf 'old-secret' >conf
    run apply --diff -v <<END
resources:
  - file: $work/conf
    content: new-secret
    sensitive: [content]
END
    status_is 0
    says_not old-secret
    says_not new-secret
    [ "$(cat conf)" = new-secret ]
}

# bats test_tags=inline
@test "a new file with sensitive content and without a mode has 0600" {
    printf old >other
    chmod 0644 other
    printf source >source
    ln -s other link
    converges <<END
resources:
  - {file: $work/conf, content: secret, sensitive: content}
  - {file: $work/copy, source: $work/source, sensitive: source}
  - {file: $work/open, content: secret, sensitive: content, mode: 0640}
  - {file: $work/other, content: secret, sensitive: content}
  - {file: $work/link, content: secret, sensitive: content}
END
    [ "$(mode_of conf)" = 600 ]
    [ "$(mode_of copy)" = 600 ]
    [ "$(mode_of open)" = 640 ]
    [ "$(mode_of other)" = 644 ]
    [ "$(mode_of link)" = 600 ]
}

# bats test_tags=inline
@test "extended attributes stay with the file" {
    requires_command setfattr
    printf old >conf
    setfattr -n user.note -v kept conf || skip "no extended attributes here"
    run apply <<END
resources:
  - file: $work/conf
    content: new
END
    status_is 0
    [ "$(getfattr --only-values -n user.note conf)" = kept ]
}

@test "a large file of another size is not read to be compared" {
    truncate -s 1T conf || skip "no sparse files here"
    start=$SECONDS
    run apply --noop <<END
resources:
  - file: $work/conf
    content: x
END
    [ $((SECONDS - start)) -lt 60 ]
    status_is 0
    says 'too long to be shown'
}

# bats test_tags=inline
@test "a large content is compared, shown and written as a small one is" {
    seq 400000 >wanted
    {
        echo resources:
        for name in one two; do
            printf -- '  - file: %s\n    content: |\n' "$work/$name"
            sed 's/^/      /' wanted
        done
    } >site.yaml
    converges <site.yaml
    cmp one wanted
    cmp two wanted
    printf x | dd of=one bs=1 seek=2000000 conv=notrunc status=none
    printf 'short\n' >two
    run rhost apply --noop --diff site.yaml
    status_is 0
    says "2 resources: 2 would change"
    says "has other content, too long to be shown"
    grep -q -e "-short" <<<"$output"
    grep -q "^ *+1$" <<<"$output"
    is "$(cat two)" short
    run rhost apply --diff site.yaml
    status_is 0
    says "2 resources: 2 changed"
    cmp one wanted
    cmp two wanted
}

@test "a large content that is in sync is not sent to the worker" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline nothing is sent"
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    seq 400000 >one
    { printf 'resources:\n  - file: %s\n    content: |\n' "$work/one" && sed 's/^/      /' one; } >site.yaml
    run strace -f -e trace=sendmsg,sendto -o trace "${RHOST:-$abs_top_builddir/rhost}" \
        apply --state-dir state --isolation=worker site.yaml
    status_is 0
    says "1 resource: 1 ok"
    awk '/send(msg|to)\(.* = [0-9]+$/ { bytes += $NF }
         END { print bytes; exit !bytes || bytes > 10000 }' trace
}

@test "a file can be looked at" {
    printf 'Hello\n' >motd
    chmod 0600 motd
    run rhost resource file "$work/motd"
    status_is 0
    says 0600
    says 66a045b452102c59d840ec097d59d9467e13a3f34f6494e539ffd32c1bb35f18
}

@test "a large file makes no other file fail, and has no time limit" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline there is no time limit"
    truncate -s 500M slow
    truncate -s 4T huge || skip "no such files here"
    echo x >small
    cat >site.yaml <<END
resources:
  - file: $work/slow
    audit: all
  - file: $work/huge
    audit: all
  - file: $work/small
    audit: all
END
    run rhost apply --time-limit=1 site.yaml
    status_is 4
    says "checksum: the file is too large for a checksum: the limit is 1 TiB"
    says "3 resources: 2 ok, 1 failed"
}

# bats test_tags=inline
@test "content is shown as text when it is UTF-8, and else by its size" {
    # The first and the last of each length, and around the surrogates.
    text='a ,302,200 ,337,277 ,340,240,200 ,355,237,277 ,356,200,200 ,357,277,277 ,360,220,200,200 ,364,217,277,277'
    # Longer than needed, a surrogate, beyond Unicode, not a beginning, cut off, no continuation, a NUL.
    bytes=',300,200 ,301,277 ,340,237,277 ,355,240,200 ,360,217,277,277 ,364,220,200,200 ,365,200,200,200 ,200 ,303
        ,342,202 ,360,237,230 ,303a ,342,202a ,302,300 a,000b'
    mkdir text bytes
    for name in $text; do printf '%b' "${name//,/\\0}" >"text/$name"; done
    for name in $bytes; do printf '%b' "${name//,/\\0}" >"bytes/$name"; done
    for kind in text bytes; do
        run apply --noop < <(
            echo resources:
            for name in "$kind"/*; do printf -- '  - file: %s\n    content: other\n' "$work/$name"; done
        )
        status_is 0
        shown=$(grep -c 'content .* → other' <<<"$output")
        binary=$(grep -c 'content *(binary, ' <<<"$output") || true
        echo "$output"
        if [ "$kind" = text ]; then
            is "$shown $binary" "9 0"
        else
            is "$shown $binary" "15 15"
        fi
    done
}

@test "a mode in symbols is what chmod makes of the mode that there is" {
    printf 'resources:\n' >site.yaml
    for mode in u=rw,g=r,o= g+w o-rwx a=rX u+x,g-w go=u-w u=rwx,g=u,o=g a-w+x u+s g+s +t a= =r ug+rw,o=; do
        for now in 0644 0600 0755 4755 2711 0000 1777; do
            touch "f $now $mode" "c $now $mode"
            chmod "$now" "f $now $mode" "c $now $mode"
            (umask 0 && chmod "$mode" "c $now $mode")
            printf '  - file: "%s/f %s %s"\n    mode: "%s"\n' "$work" "$now" "$mode" "$mode" >>site.yaml
        done
    done
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    for file in f*; do
        [ "$(stat -c %a "$file")" = "$(stat -c %a "c${file#f}")" ] || { echo "$file: $(stat -c %a "$file"), chmod: $(stat -c %a "c${file#f}")"; false; }
    done
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "a mode in symbols that copies a class depends on what is there, though none and all become the same" {
    touch it
    chmod 0007 it
    run rhost apply --noop - <<END
resources:
  - {file: $work/it, mode: 'o-u,u=rwx,g=rwx,o-t'}
END
    status_is 0
    says 'o-u,u=rwx,g=rwx,o-t'
    run rhost apply --noop - <<END
resources:
  - {file: $work/it, mode: 'u=rwx,g=u,o-u,a-st'}
END
    status_is 0
    says 0770
}

@test "new content keeps no setuid that a mode in symbols does not ask for" {
    requires_root
    for mode in u+s g+w g+r; do
        echo old >"f $mode"
        chmod 6755 "f $mode"
    done
    converges <<END
resources:
  - {file: "$work/f u+s", content: new, mode: u+s}
  - {file: "$work/f g+w", content: new, mode: g+w}
  - {file: "$work/f g+r", content: new, mode: g+r}
END
    [ "$(stat -c %a f* | xargs)" = "755 775 4755" ]
}

@test "a mode in symbols counts from 0644 for a new file, 0600 for a secret one, and the old one for new content" {
    echo old >old
    chmod 0751 old
    converges <<END
resources:
  - file: $work/new
    content: x
    mode: +x
  - file: $work/secret
    content: \${secret("correct horse")}
    mode: g+r
  - file: $work/old
    content: new
    mode: o-x
END
    [ "$(stat -c %a new secret old | xargs)" = "755 640 750" ]
    [ "$(cat old)" = new ]
    run rhost apply - <<END
resources:
  - file: $work/new
    mode: u=rw;g=r
END
    status_is 1
    says "mode expects"
}

# The entries of an ACL that mode does not say, on one line.
acl_of() {
    getfacl --absolute-names --omit-header --no-effective "$1" | grep -E '^(default:)?(user|group):[^:]|^default:' | paste -sd' '
}

# bats test_tags=inline
@test "an ACL is given, kept, changed and taken away, and mode means what it says" {
    requires_root
    requires_command setfacl
    for RHOST_ISOLATION in $isolations; do
        rm -f letter
        converges <<END
resources:
  - file: $work/letter
    content: x
    mode: 0640
    acl: ['u:nobody:rwX', 'group:games:r', 'u:4321:r-x']
END
        is "$(acl_of letter)" 'user:4321:r-x user:nobody:rw- group:games:r--'
        run getfacl --absolute-names --omit-header letter
        says 'group::r--'
        says 'mask::rwx'
        # In any order, and by numbers.
        is_in_sync <<END
resources:
  - file: $work/letter
    mode: u=rw,g=r,o=
    acl: ['u:4321:xr', 'g:games:r', "u:$(id -u nobody):rw"]
END
        # New content keeps it, by itself and where it is said.
        converges <<END
resources:
  - file: $work/letter
    content: y
END
        is "$(acl_of letter)" 'user:4321:r-x user:nobody:rw- group:games:r--'
        setfacl -x u:4321 letter
        printf 'resources:\n  - file: %s\n    content: z\n    mode: 0600\n    acl: ["u:nobody:r"]\n' "$work/letter" >site.yaml
        run rhost apply --noop site.yaml
        status_is 0
        says 'mode     0640 → 0600'
        says '["u:nobody:rw-", "g:games:r--"] → ["u:nobody:r--"]'
        is "$(acl_of letter)" 'user:nobody:rw- group:games:r--'
        run rhost apply site.yaml
        status_is 0
        is "$(acl_of letter)" 'user:nobody:r--'
        run getfacl --absolute-names --omit-header letter
        says 'group::---'
        run rhost apply --detailed-exitcodes site.yaml
        status_is 0
        run rhost undo last
        status_is 0
        # What chmod makes of it is a difference, and repaired.
        rhost apply site.yaml
        chmod 0600 letter
        run rhost apply --detailed-exitcodes site.yaml
        status_is 2
        is "$(acl_of letter)" 'user:nobody:r--'
        converges <<END
resources:
  - file: $work/letter
    acl: []
END
        is "$(acl_of letter)" ''
        is "$(stat -c %a letter)" 600
    done
}

# bats test_tags=inline
@test "an ACL is shown with its file, as a manifest that is in sync, and undone" {
    requires_root
    requires_command setfacl
    printf x >letter
    chmod 0640 letter
    setfacl -m u:nobody:rw,g:games:r letter
    rhost resource file "$work/letter" >listed.yaml
    cat listed.yaml
    grep -q 'u:nobody:rw-' listed.yaml
    grep -q 'mode: "*0640' listed.yaml
    run rhost apply --noop --detailed-exitcodes listed.yaml
    status_is 0
    run apply <<END
resources:
  - file: $work/letter
    acl: ['u:daemon:r']
    owner: daemon
END
    status_is 0
    is "$(acl_of letter)" 'user:daemon:r--'
    run rhost undo last
    status_is 0
    is "$(acl_of letter)" 'user:nobody:rw- group:games:r--'
    is "$(stat -c '%U' letter)" root
    run getfacl --absolute-names --omit-header letter
    says 'group::r--'
}

@test "entries that mean nothing are refused, and unknown names" {
    : >letter
    while read -r entry why; do
        run apply <<END
resources:
  - file: $work/letter
    acl: ['$entry']
END
        status_is 1
        says "$why"
    done <<'END'
u::rwx come from 'mode'
o::r come from 'mode'
o:x:r others have no name
d:u:nobody:r only a directory has entries
u:nobody:rwz acl
m::r acl
END
    run apply <<END
resources:
  - file: $work/letter
    acl: ['u:nobody:r', 'user:$(id -u nobody):w']
END
    status_is 1
    says 'another entry is for the same'
    run apply <<END
resources:
  - file: $work/letter
    acl: ['u:no-such-user:r']
END
    status_is 4
    says "unknown user 'no-such-user'"
}

# bats test_tags=inline
@test "a program has the capabilities that are wanted, also with new content and another owner" {
    requires_root
    requires_command setcap
    for RHOST_ISOLATION in $isolations; do
        printf x >tool
        setcap cap_net_raw=ep tool || skip "no capabilities here"
        rm tool
        converges <<END
resources:
  - file: $work/tool
    content: one
    mode: 0755
    capabilities: cap_net_raw,cap_net_bind_service+pe
END
        is "$(getcap tool)" 'tool cap_net_bind_service,cap_net_raw=ep'
        printf 'resources:\n  - file: %s\n    content: two\n    owner: daemon\n    capabilities: %s\n' "$work/tool" \
            'cap_net_raw=ep' >site.yaml
        run rhost apply --noop site.yaml
        status_is 0
        says 'cap_net_bind_service,cap_net_raw=ep → cap_net_raw=ep'
        run rhost apply site.yaml
        status_is 0
        is "$(getcap tool)" 'tool cap_net_raw=ep'
        run rhost apply --detailed-exitcodes site.yaml
        status_is 0
        rhost resource file "$work/tool" >listed.yaml
        cat listed.yaml
        grep -q 'capabilities: .*cap_net_raw=ep' listed.yaml
        run rhost apply --noop --detailed-exitcodes listed.yaml
        status_is 0
        printf 'resources:\n  - file: %s\n    capabilities: none\n' "$work/tool" >site.yaml
        run rhost apply site.yaml
        status_is 0
        is "$(getcap tool)" ''
        run rhost undo last
        status_is 0
        is "$(getcap tool)" 'tool cap_net_raw=ep'
        converges <<END
resources:
  - file: $work/tool
    capabilities: cap_net_raw,cap_kill=i cap_kill,cap_bpf=p
END
        run getfattr --absolute-names -n security.capability -e hex tool
        says 0x0000000220000000202000008000000000000000
        rm tool
    done
    run apply <<<"resources: [{file: $work/tool, capabilities: cap_nothing=ep}]"
    status_is 1
    says "unknown capability 'cap_nothing'"
    run apply <<<"resources: [{file: $work/tool, capabilities: 'cap_kill=ep cap_chown=p'}]"
    status_is 1
    says "a file has 'e' for all of its capabilities"
}
