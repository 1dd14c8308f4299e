#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Does what Python would for rhost check, which starts it hundreds of times: makes virtual environments, and installs
# and removes packages by their names alone.
[ "$1 $2" = '-I -m' ] || exit 2
tool=$3
shift 3
for last; do :; done
if [ "$tool" = venv ]; then
    mkdir -p "$last/bin" "$last/lib/python3.11/site-packages/pip" || exit 1
    : >"$last/pyvenv.cfg"
    : >"$last/lib/python3.11/site-packages/pip/__main__.py"
    [ -e "$last/bin/python3" ] || cp "$0" "$last/bin/python3"
    exit
fi
site=${0%/bin/*}/lib/python3.11/site-packages
case $last in
/*) last=${last##*/} last=${last%-py3*} name=${last%%-*} version=${last#*-} ;;
*==*) name=${last%%==*} version=${last#*==} ;;
*) name=$last version=1.0 ;;
esac
rm -rf "$site/$name"-*.dist-info
[ "$1" = install ] || exit 0
mkdir "$site/$name-$version.dist-info" || exit 1
echo "Name: $name" >"$site/$name-$version.dist-info/METADATA"
echo pip >"$site/$name-$version.dist-info/INSTALLER"
: >"$site/$name-$version.dist-info/RECORD"
