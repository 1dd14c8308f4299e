#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Does what flatpak would for rhost check, which starts it hundreds of times: notes remotes, and applications by their
# names alone.
verb=$1 url='' title='' gpg='' disable=''
directory=${FLATPAK_SYSTEM_DIR:-$FLATPAK_USER_DIR}
shift
while [ "$1" != -- ]; do
    case $1 in
    --url=*) url=${1#*=} ;;
    --title=*) title=${1#*=} ;;
    --gpg-verify) gpg=true ;;
    --no-gpg-verify) gpg=false ;;
    --enable) disable=false ;;
    --disable) disable=true ;;
    esac
    shift
done
shift
mkdir -p "$directory/repo" || exit 1
config=$directory/repo/config
[ -e "$config" ] || echo '[core]' >"$config" || exit 1

# Writes the file without the remote $1, and with what stands on standard input.
replace() {
    awk -v group="[remote \"$1\"]" '/^\[/ { inside = $0 == group } !inside' "$config" >"$config.new" && sed '/=$/d' >>"$config.new" &&
        mv "$config.new" "$config"
}

case $verb in
remote-add | remote-modify)
    before=$(awk -v group="[remote \"$1\"]" '/^\[/ { inside = $0 == group } inside' "$config")
    had() { printf '%s\n' "$before" | sed -n "s/^$1=//p"; }
    replace "$1" <<END
[remote "$1"]
url=${2:-${url:-$(had url)}}
xa.title=${title:-$(had xa.title)}
gpg-verify=${gpg:-$(had gpg-verify | grep . || echo true)}
xa.disable=${disable:-$(had xa.disable | grep . || echo false)}
END
    ;;
remote-delete) replace "$1" </dev/null ;;
install)
    remote=$1 ref=$2
    branch=${ref##*//}
    [ "$branch" != "$ref" ] || branch=stable
    to=$directory/app/${ref%//*}/x86_64/$branch
    mkdir -p "$to/1" && printf '%s\0more' "$remote" >"$to/1/new" && mv "$to/1/new" "$to/1/deploy" && ln -sfn 1 "$to/active"
    ;;
uninstall)
    for ref; do
        rm -rf "${directory:?}/$ref" || exit 1
    done
    ;;
esac
