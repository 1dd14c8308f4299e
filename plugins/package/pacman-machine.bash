# SPDX-License-Identifier: Apache-2.0
# A machine with pacman and a repository of its own: what the tests of the provider pacman share. The packages are in
# $repo, and the repository is "here".

source "$abs_top_srcdir/plugins/package/machine.bash"

# package NAME VERSION [FIELD...]: with these fields; standard input is its file of scripts.
package() {
    local name=$1 version=$2 tree=$repo/tree
    shift 2
    rm -rf "$tree"
    mkdir -p "$tree/usr/share/$name"
    echo "$version" >"$tree/usr/share/$name/version"
    printf '%s\n' "pkgname = $name" "pkgbase = $name" "pkgver = $version" 'pkgdesc = a package to try' \
        'url = https://example.org' 'builddate = 1700000000' 'packager = A Test <test@example.org>' 'size = 4' \
        'arch = any' "$@" >"$tree/.PKGINFO"
    cat >"$tree/.INSTALL"
    [ -s "$tree/.INSTALL" ] || rm "$tree/.INSTALL"
    case $name in
    rt-lamp | rt-candle) mkdir "$tree/opt" && echo "$name" >"$tree/opt/rt-light" ;;
    rt-conf) mkdir "$tree/etc" && echo "of $version" >"$tree/etc/rt-conf.conf" ;;
    esac
    (cd "$tree" && bsdtar -czf "$repo/$name-$version-any.pkg.tar.gz" --uid 0 --gid 0 .PKGINFO $(ls -A | grep -v PKGINFO))
    rm -rf "$tree"
}

packages_of_pacman() {
    local i

    package rt-one 1.0-1
    package rt-two 1.0-1
    package rt-lib 1.0-1
    package rt-top 1.0-1 'depend = rt-lib'
    package rt-lost 1.0-1 'depend = rt-nowhere'
    package rt-mailer 1.0-1 'provides = rt-mail'
    package rt-enemy 1.0-1 'conflict = rt-two'
    package rt-late 9.0-1
    package rt-member 1.0-1 'group = rt-group'
    package rt-conf 1.0-1 'backup = etc/rt-conf.conf'
    package rt-lamp 1.0-1
    package rt-candle 1.0-1
    package rt-bad 1.0-1 <<<'post_install() { echo the cupboard is bare >&2; return 1; }'
    package rt-slow 1.0-1 <<<'pre_install() { sleep 6; }'
    for i in {01..50}; do
        package "rt-n$i" 1.0-1
    done
    (cd "$repo" && repo-add -q here.db.tar.gz ./*.pkg.tar.gz)
    package rt-one 1.1-1
    package rt-late 1:1.0-1
    (cd "$repo" && repo-add -q here.db.tar.gz ./rt-one-1.1-1-any.pkg.tar.gz ./rt-late-1:1.0-1-any.pkg.tar.gz)
} </dev/null

setup_file() {
    [ "$(id -u)" -eq 0 ] && command -v repo-add bsdtar >/dev/null || return 0
    repo=$BATS_FILE_TMPDIR/repo
    kept_repo packages_of_pacman package
}

setup() {
    work_open
    machine_needs pacman pacman-conf repo-add bsdtar
    repo=$BATS_FILE_TMPDIR/repo
    machine_make
    inside rm -rf /var/lib/pacman /var/cache/pacman /var/log/pacman.log
    inside mkdir -p /var/lib/pacman /var/cache/pacman/pkg /var/log
    repository_is "file://$repo"
    pacman_does -Sy
}

# repository_is URI [LINE...]: the one that pacman knows; LINEs are options of pacman itself.
repository_is() {
    printf '%s\n' '[options]' 'Architecture = auto' 'SigLevel = Optional TrustAll' "${@:2}" '[here]' "Server = $1" |
        put_inside /etc/pacman.conf
}

teardown() {
    machine_end
}

# A manifest of packages, one a line as YAML in braces, behind options of apply.
packages() {
    local n=$1

    {
        printf 'resources:\n'
        printf '  - { provider: pacman, %s }\n' "${@:n+2}"
    } >site.yaml
    run rhost apply "${@:2:n}" site.yaml
}

# pacman_does WORD...: as somebody at a terminal would.
pacman_does() {
    inside pacman --noconfirm "$@" >/dev/null 2>&1
}

# "1.0-1", as pacman has it.
version_of() {
    inside pacman -Q "$1" 2>/dev/null | cut -d ' ' -f 2
}

# As many as pacman has begun.
transactions() {
    inside grep -c 'transaction started' /var/log/pacman.log || true
}
