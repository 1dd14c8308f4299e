#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Works out what a package with plugins of rhost provides and requires: for rpm what dh_rhost is for
# debhelper. rpmbuild runs it for each plugin (rhost.attr), with the plugin's path on standard input.
#
#   rhostdeps.sh --provides|--requires [--rhost=PROGRAM] [--pc=FILE]
#
# --provides: rhost-type(NAME) for each type that the plugin serves, and rhost-lookup(NAME) for each of its lookups, as the
# plugin itself says.
# --requires: rhost-abi(MAJOR), with the revision that it was built against.
#
# PROGRAM is the rhost to ask and FILE the rhost.pc to read, where they are not those installed.
set -eu

what= rhost=rhost pc=rhost
for word; do
    case $word in
    --provides | --requires) what=$word ;;
    --rhost=*) rhost=${word#*=} ;;
    --pc=*) pc=${word#*=} ;;
    *)
        echo "rhostdeps.sh: what is '$word'?" >&2
        exit 1
        ;;
    esac
done

# Before 4.20 rpmbuild goes on when a generator fails, but not with what is not a dependency.
finish() {
    status=$?
    rm -rf "$work"
    if [ "$status" -ne 0 ]; then
        echo "= rhostdeps.sh failed: ${why:-see above}"
    fi
}
umask 022
why=
work=$(mktemp -d)
trap finish EXIT

# A plugin is asked where it is alone: a shared object, with the data types that it brings, or a program,
# which is a directory.
types_of() {
    rm -rf "$work/plugins"
    mkdir "$work/plugins"
    case $1 in
    *.so)
        file=${1##*/}
        cp "$1" "$work/plugins/"
        if [ -f "${1%.so}.types" ]; then
            cp "${1%.so}.types" "$work/plugins/"
        fi
        ;;
    *)
        file=${1#"${1%/*/*}/"}
        cp -R "${1%/*}" "$work/plugins/"
        ;;
    esac
    "$rhost" types --format=json --state-dir "$work/state" --plugin-dir "$work/plugins" >"$work/types"
    awk -v path="\"$work/plugins/$file\"" '
        { value = $0; sub(/^[^:]*: */, "", value); sub(/,$/, "", value) }
        $1 == "{" { provided = "" }
        $1 == "\"type\":" || $1 == "\"lookup\":" {
            gsub(/[":]/, "", $1)
            provided = "rhost-" $1 "(" value ")"
        }
        $1 == "\"path\":" && value == path && provided != "" { gsub(/"/, "", provided); print provided }
    ' "$work/types"
}

while IFS= read -r plugin; do
    case $plugin in
    */rhost/plugins/*.so | */rhost/plugins/*/type.yaml | */rhost/plugins/*/type.json) ;;
    *) continue ;;
    esac
    if [ "$what" = --requires ]; then
        abi=$(pkg-config --variable=abi "$pc")
        revision=$(pkg-config --variable=revision "$pc")
        echo "rhost-abi($abi) >= $revision"
        case $plugin in
        */type.yaml | */type.json) echo rhost-plugin-bridge ;;
        esac
        continue
    fi
    types=$(types_of "$plugin")
    if [ -z "$types" ]; then
        # One that serves nothing of its own may be there to serve others.
        "$rhost" check --only=loads --state-dir "$work/state" "$plugin" >&2 || {
            why="${plugin#*/rhost/plugins/} is not a plugin that rhost can load"
            exit 1
        }
        continue
    fi
    printf '%s\n' "$types"
done
