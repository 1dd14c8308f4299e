# SPDX-License-Identifier: Apache-2.0
# Makes docs/evidence/specification.md, in the root of the tree:
#
#     awk -f tests/tree/specification.awk docs/evidence/specification.list $(tests with marks) >docs/evidence/specification.md
#
# A mark is a line of its own above a test: "# S43 S44" in .bats, a comment that begins with S43 S44 in C.
# A requirement with a third column is one that is not met, and says so.
# What does not fit together is said on standard error, and the exit status is 1.

function complain(text) {
    print text > "/dev/stderr"
    bad = 1
}

function take_marks(text,    n, i, words) {
    n = split(text, words, /[^A-Z0-9]+/)
    for (i = 1; i <= n; i++)
        if (words[i] ~ /^[SL][0-9]+$/)
            marks = marks " " words[i]
}

# The test `name` proves what was marked above it.
function give_marks(name,    n, i, words) {
    n = split(marks, words, " ")
    for (i = 1; i <= n; i++) {
        if (!(words[i] in text))
            complain(FILENAME ":" FNR ": there is no " words[i])
        proof[words[i]] = proof[words[i]] (proof[words[i]] ? "<br>" : "") "`" FILENAME "`: " name
    }
    marks = ""
}

FILENAME ~ /\.list$/ {
    if ($0 ~ /^## /) {
        heading[n + 1] = substr($0, 4)
    } else if ($0 ~ /^[SL][0-9]+\t/) {
        split($0, field, "\t")
        order[++n] = field[1]
        text[field[1]] = field[2]
        ours[field[1]] = field[3]
    } else if ($0 !~ /^#/) {
        complain(FILENAME ":" FNR ": what is this?")
    }
    next
}

FILENAME ~ /\.bats$/ && /^# ([SL][0-9]+ ?)+$/ {
    take_marks($0)
}

FILENAME ~ /\.bats$/ && /^@test "/ {
    name = $0
    sub(/^@test "/, "", name)
    sub(/" \{$/, "", name)
    give_marks(name)
}

FILENAME ~ /\.c$/ && /^\/\* ([SL][0-9]+ ?)+(:| \*\/|\*\/)/ {
    sub(/:.*/, "")
    take_marks($0)
}

FILENAME ~ /\.c$/ && marks && /^[a-z_]+\(/ {
    name = $0
    sub(/\(.*/, "", name)
    gsub(/_/, " ", name)
    give_marks(name)
}

END {
    print "# The specification, line by line"
    print ""
    print "What the specification of the Puppet Resource API requires, and the tests that hold rhost to it. This page"
    print "is made from the marks in these tests; `make check` makes it again, and refuses a requirement without a"
    print "test, a mark without a requirement, and a page that is out of date. How often providers are called is in"
    print "`docs/evidence/calls.md`. The contract itself is `<rhost/abi.h>`, which says these things in terms of C."
    for (i = 1; i <= n; i++) {
        if (i in heading) {
            limits = order[i] ~ /^L/
            printf "\n## %s\n\n", heading[i]
            print limits ? "| | limitation | what rhost does | proved by |" : "| | requirement | proved by |"
            print limits ? "|---|---|---|---|" : "|---|---|---|"
        }
        gap = !limits && ours[order[i]] != ""
        if (gap && proof[order[i]])
            complain(order[i] " is said not to be there, and is proved")
        else if (!gap && !proof[order[i]])
            complain(order[i] " is proved by no test: " text[order[i]])
        if (limits)
            printf "| %s | %s | %s | %s |\n", order[i], text[order[i]], ours[order[i]], proof[order[i]]
        else
            printf "| %s | %s | %s |\n", order[i], text[order[i]], gap ? ours[order[i]] : proof[order[i]]
    }
    exit bad
}
