#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# link - the plugin of the same name once more, in shell: it passes the same tests. jq reads what is asked and
# writes what is answered; what is there is told by one find for all links.

ask() { # what the request says, by a filter of jq
    printf '%s\n' "$request" | jq -jr "$1"
}

change() { # title, path, ensure, target, force
    if [ "$3" = absent ]; then
        why=$(rm -- "$2" 2>&1)
    elif [ "$5" = false ] && [ -e "$2" ] && [ ! -L "$2" ]; then
        why="'$2' exists, but is not a link"
        false
    else
        why=$(ln -sfT -- "$4" "$2" 2>&1) # makes it beside its place, and renames it
    fi || jq -cn --arg title "$1" --arg message "$why" '{failed: {$title, $message}}'
}

while IFS= read -r request; do
    case $request in
    '{"hello":'*)
        echo '{"hello":{"protocol":1}}'
        continue
        ;;
    '{"get":'*)
        # What is not a link counts as absent here: `change` knows whether it may be replaced.
        ask '.get.names // [] | .[] | .path + "\u0000"' |
            find -files0-from - -maxdepth 0 \( -type l -o -type d \) -printf '%y\0%p\0%l\0' 2>/dev/null |
            jq -Rcs 'split("\u0000") as $all | range(0; ($all | length) - 1; 3)
                | if $all[.] == "d" then {failed: {message: "\u0027\($all[. + 1])\u0027 is a directory, not a link"}}
                  else {resource: {path: $all[. + 1], ensure: "present", target: $all[. + 2]}} end'
        ;;
    '{"set":'*)
        eval "$(ask '.set.changes[]
            | @sh "change \(.title) \(.name.path) \(.should.ensure // "absent") \(.should.target // .is.target // "") \(.should.force // false)\n"')"
        ;;
    esac
    echo '{"done":true}'
done
