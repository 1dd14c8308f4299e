# SPDX-License-Identifier: Apache-2.0
# A machine with dnf and a repository of its own: what the tests of the provider dnf share.

source "$abs_top_srcdir/plugins/package/rpm-machine.bash"

long_name=rt-with-a-name-that-no-column-of-any-table-on-any-terminal-was-ever-made-for

packages_of_dnf() {
    common_packages
    package rt-wish 1.0 'Recommends: rt-wished'
    package rt-wished 1.0
    package rt-late 9.0
    package rt-late 1.0 'Epoch: 1'
    package rt-young 1.0 'Obsoletes: rt-old < 2'
    package rt-old 1.0
    package rt-enemy 1.0 'Conflicts: rt-two'
    package "$long_name" 1.0.20261121.git0123456789abcdef0123456789abcdef
    package rt-slow 1.0 <<<'posix.sleep(3)'
    fifty_packages
    createrepo_c -q "$repo"
}

setup_file() {
    [ "$(id -u)" -eq 0 ] && command -v rpmbuild createrepo_c >/dev/null || return 0
    repo=$BATS_FILE_TMPDIR/repo
    kept_repo packages_of_dnf package common_packages fifty_packages
}

# rt-n01 to rt-n50, of one specification.
fifty_packages() {
    local i

    {
        printf '%s\n' 'Name: rt-n' 'Version: 1.0' 'Release: 1' 'Summary: fifty' 'License: none' \
            'BuildArch: noarch' '%description' 'Fifty packages.'
        for i in {01..50}; do
            printf '%s\n' "%package -n rt-n$i" 'Summary: one of fifty' "%description -n rt-n$i" 'One.' \
                "%files -n rt-n$i"
        done
    } >"$repo/fifty.spec"
    HOME=$repo rpmbuild --quiet -bb --define "_topdir $repo/build" --define "_rpmdir $repo" \
        --define '_build_name_fmt %%{NAME}-%%{VERSION}.rpm' "$repo/fifty.spec" >/dev/null 2>&1
}

eval "rpm_$(declare -f setup)"
setup() {
    rpm_setup
    requires_command dnf
    requires_command createrepo_c
    requires_command sqlite3
    inside rm -rf /var/lib/dnf /var/cache/dnf /var/log/dnf.log
    printf '[here]\nname=here\nbaseurl=file://%s\ngpgcheck=0\n' "$repo" | put_inside /etc/yum.repos.d/here.repo
}

# A manifest of packages, one a line as YAML in braces, behind options of apply.
packages() {
    local n=$1

    {
        printf 'resources:\n'
        printf '  - { provider: dnf, %s }\n' "${@:n+2}"
    } >site.yaml
    run rhost apply "${@:2:n}" site.yaml
}

until_locked() {
    local tries=300

    until [ "$(inside cat /var/lib/dnf/rpmdb_lock.pid 2>/dev/null)" ]; do
        [ $((tries -= 1)) -gt 0 ]
        sleep 0.1
    done
}

# As many as "dnf history list" has.
transactions() {
    inside sqlite3 /var/lib/dnf/history.sqlite 'SELECT count(*) FROM trans'
}
