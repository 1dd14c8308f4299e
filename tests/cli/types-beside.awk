# SPDX-License-Identifier: Apache-2.0
# The sections of docs/evidence/types-beside.md: the attributes of each type beside those of Puppet's and Ansible's types of
# the same purpose. Reads first "TYPE ATTRIBUTE..." of the types that there are, then docs/evidence/types-beside.list:
#
#   any NAME | TEXT          what NAME is in rhost, wherever it occurs
#   TYPE PEER THEIR-NAME     begins a comparison, with the lines:
#    has NAME...             their attributes
#    same NAME=OURS...       which of ours is the same
#    else NAME | TEXT        what it is in rhost, where no attribute is the same
#    rest | TEXT             the same, for all that are not named
#
# What is in neither 'same' nor 'else' is missing in rhost. A name that does not exist ends it with status 1.

function wrong(text) {
    printf "types-beside.list:%d: %s\n", FNR, text > "/dev/stderr"
    bad = 1
}
function code(text) {
    return "`" text "`"
}
function listed(text) {
    return text == "" ? "nothing" : substr(text, 3)
}
function finish(    i, n, same, other, missing, only, seen, k, count) {
    if (theirs == "")
        return
    for (i = 1; i <= has_count; i++) {
        n = has[i]
        if (n in same_as) {
            count++
            seen[same_as[n]] = 1
        } else if (n in otherwise)
            other = other ", " code(n) " (" otherwise[n] ")"
        else if (n in anywhere)
            other = other ", " code(n) " (" anywhere[n] ")"
        else if (rest != "")
            k++
        else
            missing = missing ", " code(n)
    }
    if (k)
        other = other ", " (k == has_count - count ? "all " : "the other ") k " (" rest ")"
    for (i = 1; i <= our_count[type]; i++)
        if (!(ours[type, i] in seen))
            only = only ", " code(ours[type, i])
    printf "* %s's %s: %d the same. In another way: %s. Only there: %s. Only here: %s.\n", peer, code(theirs), count,
        listed(other), listed(missing), listed(only)
    theirs = ""
    split("", has)
    split("", same_as)
    split("", otherwise)
    rest = ""
    has_count = 0
}
function section(    i, line) {
    printf "%s## %s\n\n", shown++ ? "\n" : "", code(type)
    for (i = 1; i <= our_count[type]; i++)
        line = line ", " code(ours[type, i])
    printf "%s\n\n", listed(line)
}
function there(name,    i) {
    for (i = 1; i <= has_count; i++)
        if (has[i] == name)
            return 1
    return 0
}

FNR == NR {
    our_count[$1] = NF - 1
    for (n = 2; n <= NF; n++) {
        ours[$1, n - 1] = $n
        is_ours[$1, $n] = 1
    }
    next
}
/^#/ || /^$/ {
    next
}
$1 == "any" {
    anywhere[$2] = substr($0, index($0, "|") + 2)
    next
}
/^[^ ]/ {
    finish()
    if (!($1 in our_count))
        wrong("there is no type '" $1 "'")
    if ($1 != type) {
        type = $1
        if (type in done)
            wrong("'" type "' stands in two places")
        done[type] = 1
        section()
    }
    peer = $2
    theirs = $3
    if (peer == "-") {
        print "* Neither has a type for this" (match($0, / - - /) ? ": " substr($0, RSTART + 5) : "") "."
        theirs = ""
    }
    next
}
$1 == "has" {
    for (n = 2; n <= NF; n++)
        has[++has_count] = $n
    next
}
$1 == "same" {
    for (n = 2; n <= NF; n++) {
        split($n, pair, "=")
        if (!there(pair[1]))
            wrong(theirs " has no '" pair[1] "'")
        if (!((type, pair[2]) in is_ours))
            wrong(type " has no '" pair[2] "'")
        same_as[pair[1]] = pair[2]
    }
    next
}
$1 == "else" {
    if (!there($2))
        wrong(theirs " has no '" $2 "'")
    otherwise[$2] = substr($0, index($0, "|") + 2)
    next
}
$1 == "rest" {
    rest = substr($0, index($0, "|") + 2)
    next
}
{
    wrong("not understood: " $0)
}

END {
    finish()
    for (t in our_count)
        if (!(t in done)) {
            printf "types-beside.list: nothing says what the type '%s' is beside\n", t > "/dev/stderr"
            bad = 1
        }
    exit bad
}
