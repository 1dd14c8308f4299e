# SPDX-License-Identifier: Apache-2.0
# The table of docs/security/needs.md, of what 'rhost types --needs --format=json' prints.
def code: "`" + . + "`";
def of_files: "chown dac_override dac_read_search fowner fsetid";
def those(word): map(select(startswith(word + "[")) | sub("^" + word + "\\["; "") | sub("\\](?<rest>.*)$"; .rest));
def listed: if length > 0 then join(", ") + " " else "" end;
"| type | provider | writes | reads | programs | capabilities | other needs |",
"|---|---|---|---|---|---|---|",
(map(select(.provider)) | sort_by(.type, .provider)[] | .needs as $n |
    "| \(.type | code) | \(if .provider == .type then "" else (.provider | code) + " " end)| " + ([
        ($n | those("write") | map(code) | listed),
        ($n | those("read") | map(code) | listed),
        ($n | those("run") | map(code) | listed),
        ($n | those("capability") | map(if . == of_files then "those of files" else code end) | listed),
        ($n | map(select(test("^(write|read|run|capability)\\[") | not) | code) | listed)
    ] | join("| ")) + "|")
