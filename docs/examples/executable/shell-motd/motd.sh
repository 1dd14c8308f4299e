#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# motd - parts of the message of the day. Each request is a line, and each answer; jq reads and
# writes them, and makes shell words of what is asked, quoted by @sh.

ask() { # what the request says, by a filter of jq
    printf '%s\n' "$request" | jq -cr "$1"
}

get() { # paths; none of them means all. One jq for all of them: it is slow to start
    [ $# -gt 0 ] || set -- /etc/motd.d/*
    for path; do
        if [ -f "$path" ]; then
            printf '%s\n' "$path"
            sed 's/^/ /' "$path"
        fi
    done | jq -Rcn 'reduce inputs as $line ([];
            if $line[:1] == " " then .[-1].lines += [$line[1:]]
            else .[length] = {path: $line, lines: []} end)
        | .[] | {resource: {path, ensure: "present", text: .lines | join("\n")}}'
}

change() { # title, path, ensure, text
    if [ "$3" = absent ]; then
        why=$(rm -f "$2" 2>&1)
    else
        why=$({ printf '%s\n' "$4" >"$2.new" && mv "$2.new" "$2"; } 2>&1)
    fi || jq -cn --arg title "$1" --arg message "$why" '{failed: {$title, $message}}'
}

while IFS= read -r request; do
    case $request in
    '{"hello":'*)
        echo '{"hello":{"protocol":1}}'
        continue
        ;;
    '{"get":'*)
        eval "get $(ask '.get.names // [] | map(.path) | @sh')"
        ;;
    '{"set":'*)
        eval "$(ask '.set.changes[] | @sh "change \(.title) \(.name.path) \(.should.ensure // "absent") \(.should.text // .is.text)"')"
        ;;
    '{"act":'*)
        ask '{log: {title: .act.change.title, text: "it says: \(.act.change.is.text)"}}'
        ;;
    esac
    echo '{"done":true}'
done
