#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Upgrades by apt, in a machine of their own, from package lists of their own.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/apt-machine.bash"
source "$abs_top_srcdir/tests/one.bash"

debs_to_upgrade() {
    deb ru-one 1.0
    deb ru-one 1.1
    deb ru-lib 1.0
    deb ru-new 1.0
    deb ru-new 2.0 'Depends: ru-lib'
    deb ru-old 1.0
    deb ru-rival 1.0
    deb ru-rival 2.0 'Conflicts: ru-old'
    deb ru-bad 1.0
    deb ru-bad 2.0 <<<'[ -e /tmp/ru-good ] || { echo the cupboard is bare >&2; exit 3; }'
}

setup_file() {
    [ "$(id -u)" -eq 0 ] && command -v dpkg-deb >/dev/null || return 0
    repo=$BATS_FILE_TMPDIR/repo
    kept_repo debs_to_upgrade deb
}

# Installs these, as NAME=VERSION.
installed() {
    inside apt-get -qq -y install "$@" >/dev/null 2>&1
}

# The upgrade, whose attributes stand on standard input.
upgrade() {
    one 'apt_upgrade: all' -- "$@"
}

# bats test_tags=inline
@test "what is outdated is upgraded, in one transaction, and left alone afterwards" {
    installed ru-one=1.0 ru-new=1.0
    upgrade run apply --noop --detailed-exitcodes </dev/null
    status_is 2
    says 'state  ru-new 1.0 → 2.0, ru-one 1.0 → 1.1, ru-lib 1.0 (new)'
    is "$(state_of ru-one)" '1.0 installed'
    before=$(transactions)
    upgrade converges </dev/null
    is "$(state_of ru-one)" '1.1 installed'
    is "$(state_of ru-new)" '2.0 installed'
    is "$(state_of ru-lib)" '1.0 installed'
    is "$(transactions)" $((before + 1))
}

@test "an upgrade removes nothing, and dist-upgrade only where that is permitted" {
    installed ru-rival=1.0 ru-old=1.0
    upgrade is_in_sync </dev/null
    upgrade run apply --noop <<<'mode: dist-upgrade'
    says "failed: this would remove ru-old; 'removals: true' permits it"
    upgrade run apply <<<'mode: dist-upgrade'
    status_is 4
    says "failed: this would remove ru-old; 'removals: true' permits it"
    is "$(state_of ru-old)" '1.0 installed'
    { printf 'resources:\n  - package: ru-old\n  - {apt_upgrade: all, mode: dist-upgrade, removals: true}\n'; } >site.yaml
    run rhost apply site.yaml
    status_is 4
    says "this would remove 'ru-old', which package[ru-old] wants to be there"
    upgrade run apply --noop <<<$'mode: dist-upgrade\nremovals: true'
    says 'state  ru-rival 1.0 → 2.0, ru-old (removed)'
    upgrade converges <<<$'mode: dist-upgrade\nremovals: true'
    is "$(state_of ru-old)" ''
    is "$(state_of ru-rival)" '2.0 installed'
    upgrade run apply <<<'removals: true'
    status_is 1
    says "removals: it needs 'mode: dist-upgrade'"
}

@test "a package that is held stays, and what nobody needs goes where that is asked for" {
    installed ru-one=1.0 ru-lib
    inside apt-mark -qq hold ru-one
    inside apt-mark -qq auto ru-lib
    upgrade run apply -v --detailed-exitcodes </dev/null
    status_is 0
    says 'kept back: ru-one'
    upgrade run apply --noop <<<'autoremove: true'
    says 'ru-lib (not needed any more)'
    is "$(state_of ru-lib)" '1.0 installed'
    upgrade converges <<<'autoremove: true'
    is "$(state_of ru-lib)" ''
    is "$(state_of ru-one)" '1.0 installed'
}

@test "a package that fails is told, and finished by the next run" {
    installed ru-bad=1.0 ru-one=1.0
    upgrade run apply </dev/null
    status_is 4
    says 'failed: apt-get failed: '
    says 'the cupboard is bare'
    says 'also changed: '
    upgrade run apply --noop --detailed-exitcodes </dev/null
    says 'packages are incomplete'
    inside touch /tmp/ru-good
    upgrade run apply --detailed-exitcodes </dev/null
    status_is 2
    says "running 'dpkg --configure -a' first"
    is "$(state_of ru-bad)" '2.0 installed'
    upgrade is_in_sync </dev/null
}

@test "trouble is explained: a lock, a repository that is lost, a file that is lost" {
    installed ru-one=1.0
    # Holds the lock as apt-get does.
    inside python3 -c 'import fcntl, time; f = open("/var/lib/dpkg/lock-frontend", "w"); fcntl.lockf(f, fcntl.LOCK_EX); open("/run/locked", "w"); time.sleep(30)' 3>&- 4>&- &
    holder=$!
    until_true inside test -e /run/locked
    upgrade run apply <<<'lock_timeout: 0'
    status_is 4
    says "the package manager is in use: '/var/lib/dpkg/lock-frontend' is held by process"
    kill "$holder"
    echo 'deb [trusted=yes] file:/nowhere ./' | put_inside /etc/apt/sources.list.d/lost.list
    upgrade run apply <<<'refresh: true'
    status_is 4
    says 'refresh: the package lists could not be brought up to date'
    inside rm /etc/apt/sources.list.d/lost.list
    inside apt-get -qq update >/dev/null
    mv "$repo/ru-one_1.1.deb" "$repo/away"
    upgrade run apply </dev/null
    status_is 4
    says 'failed: apt-get failed: '
    says 'ru-one_1.1.deb'
    mv "$repo/away" "$repo/ru-one_1.1.deb"
}

@test "the lists are brought up to date first, where that is asked for" {
    installed ru-one=1.0
    inside sh -c 'rm -rf /var/lib/apt/lists; mkdir -p /var/lib/apt/lists/partial'
    upgrade converges <<<'refresh: true'
    is "$(state_of ru-one)" '1.1 installed'
}

@test "the example of the page works, and a second run finds nothing to do" {
    installed ru-one=1.0
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/apt_upgrade/apt_upgrade.md" >page.yaml
    run rhost apply --detailed-exitcodes page.yaml
    status_is 2
    run rhost apply --detailed-exitcodes page.yaml
    status_is 0
}
