# SPDX-License-Identifier: Apache-2.0
# A machine with dnf and a repository of its own: what the tests of the provider dnf share.

source "$abs_top_srcdir/plugins/package/rpm-repository.bash"

setup() {
    rpm_setup
    requires_command dnf
    requires_command createrepo_c
    requires_command sqlite3
    inside rm -rf /var/lib/dnf /var/cache/dnf /var/log/dnf.log
    printf '[here]\nname=here\nbaseurl=file://%s\ngpgcheck=0\n' "$repo" | put_inside /etc/yum.repos.d/here.repo
}

packages() {
    packages_of dnf "$@"
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
