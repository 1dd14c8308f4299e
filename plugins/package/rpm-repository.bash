# SPDX-License-Identifier: Apache-2.0
# A machine that lives by rpm, with a repository in $repo: what the tests of the providers dnf and zypper share.

source "$abs_top_srcdir/plugins/package/rpm-machine.bash"

long_name=rt-with-a-name-that-no-column-of-any-table-on-any-terminal-was-ever-made-for

packages_of_repository() {
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
    file_package rt-lamp
    file_package rt-candle
    script_package rt-after
    fifty_packages
    createrepo_c -q "$repo"
}

setup_file() {
    [ "$(id -u)" -eq 0 ] && command -v rpmbuild createrepo_c >/dev/null || return 0
    repo=$BATS_FILE_TMPDIR/repo
    kept_repo packages_of_repository package common_packages fifty_packages specified file_package script_package
}

# specified NAME LINE...: a package of these further lines.
specified() {
    printf '%s\n' "Name: $1" 'Version: 1.0' 'Release: 1' 'Summary: a package to try' 'License: none' \
        'BuildArch: noarch' '%description' 'A package to try.' "${@:2}" >"$repo/$1.spec"
    HOME=$repo rpmbuild --quiet -bb --define "_topdir $repo/build" --define "_rpmdir $repo" \
        --define '_build_name_fmt %%{NAME}-%%{VERSION}.rpm' "$repo/$1.spec" >/dev/null 2>&1
}

# One with a file that all packages made so have, and that differs.
file_package() {
    specified "$1" '%install' 'mkdir -p %{buildroot}/opt' "echo $1 >%{buildroot}/opt/rt-light" '%files' /opt/rt-light
}

# One with a script that fails after it was installed.
script_package() {
    specified "$1" '%post -p <lua>' 'error("the lamp is out")' '%files'
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

# A manifest of packages, one a line as YAML in braces, behind options of apply.
packages_of() {
    local provider=$1 n=$2

    {
        printf 'resources:\n'
        printf "  - { provider: $provider, %s }\n" "${@:n+3}"
    } >site.yaml
    run rhost apply "${@:3:n}" site.yaml
}
