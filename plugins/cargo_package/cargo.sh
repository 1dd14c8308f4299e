#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Does what cargo would for rhost check, which starts it hundreds of times: notes crates by their names alone, one in each
# directory.
verb=$1 version=1.0.0 features='' without=false
while [ $# -gt 1 ]; do
    case $1 in
    --root) root=$2 ;;
    --version) version=$2 ;;
    --features) features="\"$(echo "$2" | sed 's/,/","/g')\"" ;;
    --no-default-features) without=true ;;
    esac
    shift
done
if [ "$verb" = uninstall ]; then
    rm "$root/bin/$1" && echo '[v1]' >"$root/.new" && mv "$root/.new" "$root/.crates.toml" &&
        echo '{"installs":{}}' >"$root/.new" && mv "$root/.new" "$root/.crates2.json"
    exit
fi
id="$1 $version (registry+https://github.com/rust-lang/crates.io-index)"
mkdir -p "$root/bin" && touch "$root/bin/$1" || exit 1
printf '[v1]\n"%s" = ["%s"]\n' "$id" "$1" >"$root/.new" && mv "$root/.new" "$root/.crates.toml" || exit 1
printf '{"installs":{"%s":{"bins":["%s"],"features":[%s],"all_features":false,"no_default_features":%s}}}' \
    "$id" "$1" "$features" "$without" >"$root/.new" && mv "$root/.new" "$root/.crates2.json"
