# SPDX-License-Identifier: Apache-2.0
# A machine with zypper and a repository of its own: what the tests of the provider zypper share.

source "$abs_top_srcdir/plugins/package/rpm-repository.bash"

setup() {
    rpm_setup
    requires_command zypper
    requires_command createrepo_c
    inside rm -rf /var/cache/zypp /var/lib/zypp /etc/zypp/locks /etc/zypp/repos.d /usr/lib/sysimage/rpm
    inside mkdir -p /var/log/zypp
    repository_is "dir://$repo"
}

# repository_is URI [LINE...]: the one that zypper knows.
repository_is() {
    printf '%s\n' '[here]' 'name=here' 'enabled=1' 'type=rpm-md' "baseurl=$1" 'gpgcheck=0' "${@:2}" |
        put_inside /etc/zypp/repos.d/here.repo
}

packages() {
    packages_of zypper "$@"
}

# zypper_does WORD...: as somebody at a terminal would.
zypper_does() {
    inside zypper -n "$@" >/dev/null 2>&1
}

# As many as zypper has begun, of those that change something.
transactions() {
    inside grep -cE '^[^#|]+\|command\|' /var/log/zypp/history || true
}
