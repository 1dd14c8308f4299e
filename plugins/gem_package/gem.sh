#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Does what gem would for rhost check, which starts it hundreds of times: installs and removes gems by their names alone.
verb=$1 version=1.0
while [ "$1" != --install-dir ]; do shift; done
directory=$2
for last; do
    [ "${before-}" != --version ] || version=$last
    before=$last
done
if [ "$verb" = uninstall ]; then
    rm -rf "${directory:?}/specifications/$last"-* "$directory/gems/$last"-*
    exit
fi
mkdir -p "$directory/specifications" "$directory/gems/$last-$version" || exit 1
echo "$last $version" >"$directory/specifications/$last-$version.gemspec"
