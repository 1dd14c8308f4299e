# SPDX-License-Identifier: Apache-2.0
# What an operator has: a machine that boots, with the packages of this tree to install, a repository of
# apt, and a site to apply. What is done there can be written down as a page: see tests/system/transcript.

source "$abs_top_srcdir/tests/system/machine.bash"

repository_possible() {
    local program

    for program in dpkg-scanpackages python3; do
        command -v "$program" >/dev/null || {
            echo "needs $program"
            return 1
        }
    done
}

# For setup_file. MACHINE_WHY says why there is none.
operator_machine() {
    machine_wanted repository_possible || return 0
    export machine=$BATS_FILE_TMPDIR/machine
    machine_base "$machine_tarball"
    machine_make "$machine_tarball" "$machine"
    machine_packages_built "$machine/packages"
    rm -f "$machine"/packages/*dbgsym*
    cp -R "$abs_top_srcdir/tests/system/site" "$machine/root/site"
    chmod -R u+w "$machine/root/site"
    "$machine/root/site/repository" "$machine/srv/repository"
    (cd "$machine/packages" && dpkg-scanpackages . >Packages 2>/dev/null)
    printf '%s\n' 'deb [trusted=yes] file:/packages ./' >"$machine/etc/apt/sources.list.d/rhost.list"
    : >"$machine/etc/apt/sources.list"
    cat >"$machine/usr/local/bin/wait-for" <<'END'
#!/bin/sh
# A file that is made in the next twenty seconds.
for i in $(seq 200); do
    [ ! -e "$1" ] || exec sleep 0.3
    sleep 0.1
done
exit 1
END
    chmod 755 "$machine/usr/local/bin/wait-for"
    machine_boot "$machine"
    inside 'apt-get -q update && apt-cache policy' >/dev/null
}

# In the machine, in the home of root.
inside() {
    machine_run "$machine" sh -c "cd /root; $1"
}

inside_is() {
    local is

    is=$(inside "$1") || true
    [ "$is" = "$2" ] && return
    printf '%s\nis:\n%s\nexpected:\n%s\n' "$1" "$is" "$2"
    return 1
}

# on COMMAND: runs a line of shell in the machine, as bats's `run` does, and writes it down. Of a long
# output the first $head and the last $tail lines are.
on() {
    local began=$EPOCHREALTIME

    run inside "$1"
    printed=$output took=$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
    [ -n "${RHOST_TRANSCRIPT-}" ] || return 0
    {
        printf '\n```console\n'
        sed 's/^/# /' <<<"$1"
        awk -v head="${head-14}" -v tail="${tail-6}" '
            { line[NR] = $0 }
            END {
                for (i = 1; i <= NR; i++) {
                    if (NR > head + tail + 2 && i == head + 1) {
                        printf "[... %d more lines]\n", NR - head - tail
                        i = NR - tail + 1
                    }
                    print line[i]
                }
            }' <<<"$output" | sed '/^$/d'
        [[ $1 != *rhost* ]] || printf '[exit status %s after %s s]\n' "$status" "$took"
        printf '```\n'
    } >>"$RHOST_TRANSCRIPT/$(basename "$BATS_TEST_FILENAME" .bats)"
}

# tell TEXT: a paragraph, or a heading, of the page.
tell() {
    [ -z "${RHOST_TRANSCRIPT-}" ] ||
        printf '\n%s\n' "$1" >>"$RHOST_TRANSCRIPT/$(basename "$BATS_TEST_FILENAME" .bats)"
}

eval "lib_$(declare -f setup)"
setup() {
    lib_setup
    [ -z "$MACHINE_WHY" ] || skip "$MACHINE_WHY"
}

# The resources that the last report has, sorted; with a status ("changed", "would_change"), those that have it.
reported() {
    local report=$machine/root/report.json

    python3 - "$report" "${1-}" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
names = {"%s[%s]" % (r["type"], r["title"]) for r in report["resources"]
         if sys.argv[2] in ("", r["status"])}
print("\n".join(sorted(names)))
PYTHON
}

# same WHAT EXPECTED IS
same() {
    diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") >"$BATS_TEST_TMPDIR/difference" && return
    echo "$1: expected < and is >"
    cat "$BATS_TEST_TMPDIR/difference"
    return 1
}

# All that is on the machine, but for what changes by itself, logs, and what dpkg notes of its own work.
inventory() {
    inside "find / -xdev '(' -path /packages -o -path /srv/repository -o -path /root/site -o -path /proc -o -path /sys \
        -o -path /dev -o -path /run -o -path /tmp -o -path /var/log -o -path /var/tmp -o -path /var/lib/systemd \
        -o -path '/var/lib/dpkg/*' -o -path '/var/cache/ldconfig/*' -o -path /var/lib/apt/extended_states -o -path '/var/cache/debconf/*' \
        ')' -prune -o -printf '%p %y %m %u %g %l\n' | sort
        find /etc -type f -exec sha256sum '{}' + | sort -k 2
        dpkg-query -W -f '\${Package} \${Version} \${db:Status-Abbrev}\n'"
}
