#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Does what npm would for rhost check, which starts it hundreds of times: installs and removes packages by their names alone.
verb=$1
while [ "$1" != --prefix ]; do shift; done
modules=$2/lib/node_modules
for last; do :; done
case $last in
?*@*) name=${last%@*} version=${last##*@} ;;
*) name=$last version=1.0.0 ;;
esac
if [ "$verb" = uninstall ]; then
    rm -rf "${modules:?}/$name"
    exit
fi
mkdir -p "$modules/$name" || exit 1
echo "{\"name\": \"$name\", \"version\": \"$version\"}" >"$modules/$name/new"
mv "$modules/$name/new" "$modules/$name/package.json"
