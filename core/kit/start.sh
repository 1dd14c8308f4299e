#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Starts the rhost of this kit with the libraries of the kit: with the C library of this machine where that is new
# enough, so that its name services work, and else with that of the kit. No environment variable is set: what rhost
# starts gets the libraries of the machine.
case $0 in
*/*) kit=${0%/*} ;;
*) kit=. ;;
esac
kit=$(CDPATH= cd -P "$kit" && pwd -P) || exit 1
if [ ! -f "$kit/kit.json" ]; then
    echo "rhost: start the kit by the path of its own file 'rhost', not by a link" >&2
    exit 1
fi
loader=$kit/libc/@LOADER@
libraries=$kit/lib:$kit/libc
# "ld.so (Debian GLIBC 2.36-9) stable release version 2.36."
said=$('@SYSTEM_LOADER@' --version 2>/dev/null) || said=
case $said in
*'release version '*)
    said=${said#*release version }
    major=${said%%.*}
    minor=${said#*.}
    minor=${minor%%[!0-9]*}
    case $major$minor in
    '' | *[!0-9]*) ;;
    *)
        if [ "$major" -gt @MAJOR@ ] || { [ "$major" -eq @MAJOR@ ] && [ "${minor:-0}" -ge @MINOR@ ]; }; then
            loader=@SYSTEM_LOADER@
            libraries=$kit/lib
        fi
        ;;
    esac
    ;;
esac
exec "$loader" --library-path "$libraries" "$kit/bin/rhost" --from-kit="$kit" --kit-loader="$loader" "$@"
