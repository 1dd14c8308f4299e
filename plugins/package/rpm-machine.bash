# SPDX-License-Identifier: Apache-2.0
# A machine that lives by rpm, and packages for it: what the tests of the providers dnf and rpm share. The
# packages are in $repo.

source "$abs_top_srcdir/plugins/package/machine.bash"

# A package with these fields; what standard input says runs, in Lua, before it is installed.
package() {
    local name=$1 version=$2 script
    shift 2
    script=$(cat)
    {
        printf '%s\n' "Name: $name" "Version: $version" 'Release: 1' 'Summary: a package to try' \
            'License: none' 'BuildArch: noarch' "$@" '%description' 'A package to try.'
        [ -z "$script" ] || printf '%%pre -p <lua>\n%s\n' "$script"
        echo '%files'
    } >"$repo/$name.spec"
    HOME=$repo rpmbuild --quiet -bb --define "_topdir $repo/build" --define "_rpmdir $repo" \
        --define '_build_name_fmt %%{NAME}-%%{VERSION}.rpm' "$repo/$name.spec" >/dev/null 2>&1
}

setup() {
    work_open
    machine_needs rpm rpmbuild
    repo=$BATS_FILE_TMPDIR/repo
    machine_make
    inside rm -rf /var/lib/rpm /etc/yum.repos.d
    inside mkdir -p /var/lib/rpm /var/log
    echo '%_dbpath /var/lib/rpm' | put_inside /etc/rpm/macros
    inside rpm --initdb 2>/dev/null
}

teardown() {
    machine_end
}

# "1.0-1", as rpm has it.
version_of() {
    inside rpm -q --qf '%{VERSION}-%{RELEASE}' "$1" 2>/dev/null | grep -v 'not installed' || true
}

# What the tests of rpm and of dnf both have to install.
common_packages() {
    package rt-one 1.0
    package rt-one 1.1
    package rt-two 1.0
    package rt-lib 1.0
    package rt-top 1.0 'Requires: rt-lib'
    package rt-lost 1.0 'Requires: rt-nowhere'
    package rt-mailer 1.0 'Provides: rt-mail'
    package rt-bad 1.0 <<<'error("the cupboard is bare")'
}
