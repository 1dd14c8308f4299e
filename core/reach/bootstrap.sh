# SPDX-License-Identifier: Apache-2.0
# The target's side of a kit: core/reach/bootstrap.h has the talk. The controller puts in front of this:
#   nonce=...             of this connection
#   kits='ARCH:DIGEST:KIB ...'  what there is, and the space that each takes unpacked, with its archive
#   cache=...             the directory to use, or nothing: the usual ones
#   patience=...          seconds for the kit to come
#   start() { exec /bin/sh "$1/rhost" ARGUMENTS; }

say() {
    printf '\nRHOST-KIT %s %s\n' "$nonce" "$*"
}

fail() {
    say "error $*"
    exit 1
}

has() {
    command -v "$1" >/dev/null 2>&1
}

yes_no() {
    if has "$1"; then echo 1; else echo 0; fi
}

# The stable word for what a command said.
reason() {
    case $1 in
    *[Rr]'ead-only file system'*) echo read-only ;;
    *'No space left'* | *'not enough space'* | *'Disk quota'*) echo no-space ;;
    *'ermission denied'* | *'not permitted'*) echo denied ;;
    *) echo "${2:-denied}" ;;
    esac
}

digest() {
    sum=$(sha256sum <"$1" 2>/dev/null) || return
    echo "${sum%% *}"
}

# Only root and this user can change the entries of directory $1.
private() {
    entry=$(LC_ALL=C ls -ldn "$1" 2>/dev/null) || return
    set -- $entry
    case $3 in 0 | "$uid") ;; *) return 1 ;; esac
    case $1 in
    d????????[tT]* | d?????????[tT]*) ;;
    d????w* | d???????w*) return 1 ;;
    d*) ;;
    *) return 1 ;;
    esac
}

# Directory $1 is there, and no other user can change what is in it. Sets dir, or why.
look() {
    dir= why=unsafe
    case $1 in
    *[!A-Za-z0-9/._+@=,~-]* | [!/]* | '') return 1 ;;
    esac
    [ -L "$1" ] || [ -L "${1%/*}" ] && return 1
    [ -d "$1" ] || { why=missing; return 1; }
    dir=$(CDPATH= cd -P "$1" 2>/dev/null && pwd -P) || { why=denied; return 1; }
    entry=$(LC_ALL=C ls -ldn "$dir" 2>/dev/null) || return 1
    set -- $entry
    [ "$3" = "$uid" ] || return 1
    case $1 in d????w* | d???????w*) return 1 ;; esac
    at=$dir
    while [ -n "$at" ]; do
        private "$at" || return 1
        at=${at%/*}
    done
    private / || return 1
    why=
}

# Goes to entry $1 of directory $at, which other users cannot change; makes it with mode $2 where it is missing.
# A link is followed only where root or this user made it, and to where other users cannot change anything.
enter() {
    at=${at%/}/$1
    if [ -L "$at" ]; then
        entry=$(LC_ALL=C ls -ldn "$at" 2>/dev/null) || { why=denied; return 1; }
        set -- $entry
        case $3 in 0 | "$uid") ;; *) why=unsafe; return 1 ;; esac
        at=$(CDPATH= cd -P "$at" 2>/dev/null && pwd -P) || { why=denied; return 1; }
        above=$at
        while [ -n "$above" ]; do
            private "$above" || { why=unsafe; return 1; }
            above=${above%/*}
        done
        return 0
    fi
    [ -d "$at" ] || message=$(LC_ALL=C mkdir -m "$2" "$at" 2>&1) || [ -d "$at" ] || {
        why=$(reason "$message")
        return 1
    }
    private "$at" || { why=unsafe; return 1; }
}

# The same as look, and makes what is missing: each directory only in one that other users cannot change.
create() {
    look "$1" && return
    [ "$why" = missing ] || return
    at=/ rest=${1#/}
    private / || { why=unsafe; return 1; }
    while [ -n "$rest" ]; do
        case $rest in
        */*) enter "${rest%%/*}" "$parents" || return ;;
        *) enter "$rest" 700 || return ;;
        esac
        case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
    done
    look "$1"
}

# A program in directory $1 can be started, and there is room for the kit.
fits() {
    probe=$1/.exec-$$
    message=$( { printf '#!/bin/sh\nexit 0\n' >"$probe"; } 2>&1) || {
        why=$(reason "$message")
        rm -f "$probe" 2>/dev/null
        return 1
    }
    chmod 700 "$probe"
    "$probe" </dev/null >/dev/null 2>&1
    status=$?
    rm -f "$probe"
    [ "$status" = 0 ] || { why=no-exec; return 1; }
    free=$(LC_ALL=C df -Pk "$1" 2>/dev/null | {
        read -r line
        read -r line
        set -- $line
        echo "$4"
    })
    # Some cannot tell where /proc is missing.
    [ -n "$free" ] || free=$(stat -f -c '%a %S' "$1" 2>/dev/null | {
        read -r blocks size
        [ -z "$size" ] || echo $((blocks * size / 1024))
    })
    case $free in
    '' | *[!0-9]*) ;;
    *) [ "$free" -ge "$space" ] || { why=no-space; return 1; } ;;
    esac
}

# The unpacked kit in directory $1 has the digest, its files have theirs, and nothing else is in it: no other file, no
# other directory, no link, nothing with a dot.
intact() {
    [ -d "$1" ] && [ ! -L "$1" ] && [ -f "$1/SHA256SUMS" ] && [ ! -L "$1/SHA256SUMS" ] || return
    [ "$(digest "$1/SHA256SUMS")" = "$kit" ] || return
    n=1
    while read -r line; do n=$((n + 1)); done <"$1/SHA256SUMS"
    # What a directory has is looked at only after the directory itself.
    for file in "$1"/* "$1"/.* "$1"/*/* "$1"/*/.*; do
        [ -e "$file" ] || [ -L "$file" ] || continue
        case ${file##*/} in . | ..) continue ;; .*) return 1 ;; esac
        [ ! -L "$file" ] || return
        case ${file#"$1/"} in
        bin | plugins | lib | libc) [ -d "$file" ] || return ;;
        *) [ -f "$file" ] && n=$((n - 1)) || return ;;
        esac
    done
    [ "$n" = 0 ] && (CDPATH= cd "$1" && sha256sum -c SHA256SUMS >/dev/null 2>&1)
}

# The kit in directory $1 runs here; else why and message.
works() {
    message=$(LC_ALL=C /bin/sh "$1/rhost" --version 2>&1 </dev/null) && return
    case $message in
    *'ermission denied'*) why=no-exec ;;
    *'xec format error'*) why=wrong-arch ;;
    *) why=no-start ;;
    esac
    message=$(printf %s "$message" | tr '\n' ' ')
    return 1
}

usual() {
    if [ -n "$cache" ]; then
        "$1" "$cache"
        return
    fi
    if [ "$uid" = 0 ]; then
        "$1" /var/cache/rhost/kits && return
        "$1" /run/rhost/kits && return
    else
        "$1" "${XDG_CACHE_HOME:-${HOME-}/.cache}/rhost/kits" && return
        "$1" "/run/user/$uid/rhost/kits" && return
    fi
    "$1" "/var/tmp/rhost-$uid/kits" && return
    "$1" "/tmp/rhost-$uid/kits" && return
    "$1" "/dev/shm/rhost-$uid/kits"
}

find_kit() {
    look "$1" && [ -e "$dir/$kit" ] || return
    if intact "$dir/$kit"; then
        if works "$dir/$kit"; then return; fi
        note "$1" "$message"
    else
        damaged=1
    fi
    return 1
}

find_place() {
    create "$1" && fits "$dir" && return
    note "$1"
    return 1
}

# Why a directory can't be used; the first reason is the word of the error.
note() {
    first=${first:-$why}
    case $notes in
    *"$1: "*) ;;
    *) notes="${notes:+$notes; }$1: $why${2:+ ($2)}" ;;
    esac
}

# Ends this script, and what it waits for, after so many seconds: a controller that is gone without a word would be
# waited for without end. Nothing of it holds the channel open.
guard() {
    {
        nap=
        trap 'kill $nap; exit' TERM
        sleep "$patience" &
        nap=$!
        wait "$nap" && kill -TERM 0
    } </dev/null >/dev/null 2>&1 &
    guard=$!
}

# The kit is there and intact, within $1 seconds if somebody else is just putting it there.
settled() {
    left=$1
    until intact "$dir/$kit"; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || return
        sleep 1
    done
}

receive() {
    new=
    guard
    trap 'kill "$guard"; rm -rf "$new"' EXIT
    trap 'exit 1' HUP INT TERM PIPE
    read -r form size sum && [ -n "$sum" ] || fail truncated "the connection ended before the kit came"
    new=$dir/.new-$nonce.$node.$$
    message=$(LC_ALL=C mkdir -m 700 "$new" 2>&1) || fail "$(reason "$message")" "$message"
    if head -c 0 </dev/null >/dev/null 2>&1; then
        message=$( { LC_ALL=C head -c "$size" >"$new/archive"; } 2>&1)
    else
        message=$( { LC_ALL=C dd bs=1 count="$size" >"$new/archive"; } 2>&1)
    fi || fail "$(reason "$message" no-space)" "cannot write to '$dir': $message"
    got=$(($(wc -c <"$new/archive")))
    [ "$got" = "$size" ] || fail truncated "$got of $size bytes of the kit came"
    [ "$(digest "$new/archive")" = "$sum" ] || fail bad-digest "the kit was changed on its way"
    mkdir "$new/kit"
    message=$( {
        umask 022
        if [ "$form" = plain ]; then
            cat "$new/archive"
        else
            gzip -dc <"$new/archive"
        fi | (CDPATH= cd "$new/kit" && LC_ALL=C tar xof -)
    } 2>&1) || fail "$(reason "$message" bad-digest)" "cannot unpack the kit: $message"
    rm -f "$new/archive"
    intact "$new/kit" || fail bad-digest "the kit is not what its digest says"
    works "$new/kit" || fail "$why" "cannot run the kit from '$dir': $message"
    if ! { [ -e "$dir/$kit" ] && settled 2; }; then
        [ ! -e "$dir/$kit" ] || mv "$dir/$kit" "$new/old"
        mv "$new/kit" "$dir/$kit"
        # Another one may have been faster: then ours lies inside.
        rm -rf "$dir/$kit/kit"
        settled 10 || fail bad-digest "the kit is not what its digest says"
    fi
    rm -rf "$new"
    kill "$guard"
    wait "$guard" 2>/dev/null
    trap - EXIT HUP INT TERM PIPE
}

# Whether process $1 is there.
lives() {
    kill -0 "$1" 2>/dev/null || [ -d "/proc/$1" ]
}

# The process that made $1, .NAME.HOST.PID, has ended. Machines can share the directory, and their processes cannot be
# seen: what they made counts as left after two days.
is_left() {
    maker=${1##*/}
    process=${maker##*.}
    maker=${maker%.*}
    if [ "${maker##*.}" = "$node" ]; then
        ! lives "$process"
    else
        [ -n "$(find "$1" -prune -mtime +1 2>/dev/null)" ]
    fi
}

# Removes kits that are neither among the newest three nor in use, and what interrupted transfers left.
clean() {
    used=
    for file in "$dir"/.use-*.* "$dir"/.new-*.*; do
        [ -e "$file" ] || continue
        if is_left "$file"; then
            rm -rf "$file"
        else
            used="$used ${file##*/}"
        fi
    done
    n=0
    for name in $(LC_ALL=C ls -1t "$dir" 2>/dev/null); do
        case $name in *[!0-9a-f]*) continue ;; esac
        [ "${#name}" = 64 ] && [ -d "$dir/$name" ] || continue
        n=$((n + 1))
        [ "$n" -gt 3 ] && [ "$name" != "$kit" ] || continue
        case $used in *".use-$name."*) continue ;; esac
        rm -rf "$dir/$name"
    done
}

main() {
    mask=$(umask)
    umask 077
    uid=$(id -u)
    if [ "$uid" = 0 ]; then parents=755; else parents=700; fi
    machine=$(uname -m)
    node=$(uname -n | tr -c 'A-Za-z0-9_\n-' _)
    case $machine in
    x86_64 | amd64) arch=x86_64 ;;
    aarch64 | arm64) arch=aarch64 ;;
    i?86) arch=i386 ;;
    armv[678]*) arch=arm ;;
    *) arch=$machine ;;
    esac
    said="arch=$arch uid=$uid tar=$(yes_no tar) gzip=$(yes_no gzip) sha256sum=$(yes_no sha256sum)"
    kit=
    for one in $kits; do
        case $one in
        "$arch":*)
            one=${one#*:}
            kit=${one%:*}
            space=${one##*:}
            ;;
        esac
    done
    [ -n "$kit" ] || fail wrong-arch "$said there is no kit for this machine, $machine"
    has sha256sum || fail no-sha256sum "$said the target has no sha256sum to check the kit with"
    damaged=0 first='' notes=''
    if usual find_kit; then
        word=have
    else
        has tar || fail no-tar "$said the target has no tar to unpack the kit with"
        usual find_place || fail "${first:-denied}" "$said no directory for the kit: $notes"
        say "need kit=$kit $said damaged=$damaged dir=$dir"
        receive
        word=ready
    fi
    touch "$dir/$kit" 2>/dev/null
    { printf '' >"$dir/.use-$kit.$node.$$"; } 2>/dev/null && clean
    say "$word kit=$kit $said damaged=$damaged dir=$dir"
    umask "$mask"
    start "$dir/$kit"
}

main
