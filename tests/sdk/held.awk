# SPDX-License-Identifier: Apache-2.0
# Holds a layout (the second file) against the golden one (the first): what stood there must stand
# there still; a struct may grow, and only behind what it was.

function refuse(text) {
    print text
    refused = 1
}


NR == FNR {
    if ($1 == "struct") {
        sub(/,$/, "", $2)
        old_size[$2] = $3 + 0
    } else {
        old_line[$1] = $0
        order[++n] = $1
    }
    next
}

$1 == "struct" {
    sub(/,$/, "", $2)
    new_size[$2] = $3 + 0
    next
}

{
    new_line[$1] = $0
    if ($1 in old_line || $2 != "at")
        next
    of = $1
    sub(/\..*/, "", of)
    if (of in old_size && $3 + 0 < old_size[of])
        refuse("member " $1 " was added inside of struct " of ", and not behind its " \
               old_size[of] " bytes: an older side would take it for something else")
}

END {
    for (i = 1; i <= n; i++) {
        name = order[i]
        if (!(name in new_line))
            refuse(name " is gone: the ABI has '" old_line[name] "'")
        else if (new_line[name] != old_line[name])
            refuse(name " has changed: the ABI has '" old_line[name] "', this is '" \
                   new_line[name] "'")
    }
    for (of in old_size) {
        if (!(of in new_size))
            refuse("struct " of " is gone")
        else if (new_size[of] < old_size[of])
            refuse("struct " of " has shrunk from " old_size[of] " to " new_size[of] " bytes")
    }
    exit refused
}
