# SPDX-License-Identifier: Apache-2.0
# Makes C of the catalogue of messages, docs/messages/*.md.
#
#   awk -f messages.awk -v make=wordings PAGE...   lines "WORDING<tab>CODE", to be sorted
#   awk -f messages.awk -v make=codes SORTED       the table that finds the code of a wording
#   awk -f messages.awk -v make=texts PAGE...      the texts that explain the codes
#
# Run it with LC_ALL=C: lengths are in bytes, and the table is searched in the order of bytes.

function quoted(text) {
    gsub(/\\/, "&&", text)
    gsub(/["?]/, "\\\\&", text)
    return "\"" text "\""
}

# Three texts for each code: the code, its wordings, and the explanation, each wording and line with a newline.
function finish_text(    n, i, line, made) {
    if (make != "texts" || code == "")
        return
    made = sprintf("    \"%s\\0\"\n", code)
    for (i = 1; i <= wordings; i++)
        made = made "    " quoted(wording[i]) " \"\\n\"\n"
    made = made "    \"\\0\"\n"
    sub(/\n+$/, "", explanation)
    n = split(explanation, line, "\n")
    for (i = 1; i <= n; i++)
        made = made "    " quoted(line[i]) " \"\\n\"\n"
    text_of[code] = made "    \"\\0\"\n"
}

BEGIN {
    if (make != "wordings")
        print "/* SPDX-License-Identifier: Apache-2.0 */\n/* Generated from docs/messages/ by docs/messages.awk. */\n" \
            "#include \"config.h\"\n"
    if (make == "codes")
        print "#include \"base/message-code.h\"\n\nconst char rh_message_wordings[] ="
    if (make == "texts")
        print "#include \"cli/message-text.h\"\n\nconst char rh_message_texts[] ="
}

make == "codes" {
    tab = index($0, "\t")
    text = substr($0, 1, tab - 1)
    number[NR] = substr($0, tab + 1)
    sub(/^0+/, "", number[NR]) # one awk takes 0010 for octal
    start[NR] = at + 0
    at += length(text) + 1
    printf "    %s \"\\0\"\n", quoted(text)
    next
}

FNR == 1 {
    finish_text()
    code = ""
}

/^## RH[0-9][0-9][0-9][0-9]$/ {
    finish_text()
    code = substr($0, 4)
    wordings = explained = 0
    explanation = ""
    next
}

code == "" || (!explained && /^$/) { next }

!explained && /^    / {
    wording[++wordings] = substr($0, 5)
    if (make == "wordings")
        print substr($0, 5) "\t" substr(code, 3)
    next
}

{
    explained = 1
    explanation = explanation $0 "\n"
}

END {
    if (make == "codes") {
        print "    \"\";\n\nconst struct rh_message_entry rh_message_entries[] = {"
        for (i = 1; i <= NR; i++)
            printf "    { %d, %d },\n", start[i], number[i]
        print "};\n\nconst size_t rh_message_count = sizeof rh_message_entries / sizeof rh_message_entries[0];"
    }
    if (make == "texts") {
        finish_text()
        for (i = 0; i <= 9999; i++) # in the order of codes, whatever page they are on
            printf "%s", text_of[sprintf("RH%04d", i)]
        print "    \"\";"
    }
}
