#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

setup() {
    work_open
    requires_command apt-get
    mkdir -p "$work/apt/preferences.d"
    file=$work/apt/preferences.d/tool.pref
}

# The pin "tool", whose other attributes stand on standard input.
pin() {
    one 'apt_pin: tool' "root: $work/apt" -- "$@"
}

# What apt makes of the pins: the priority of the version of dpkg that is installed, and its complaints.
priority_of_dpkg() {
    apt-cache -o Dir::Etc::PreferencesParts="$work/apt/preferences.d" policy dpkg 2>&1 | sed -n '/^[EW]:/p; s/^ \*\*\* [^ ]* //p'
}

# bats test_tags=inline
@test "a pin is written as apt reads it, changed, and removed" {
    pin run apply --noop <<<$'packages: dpkg\npin: version 1*\npriority: 700'
    status_is 0
    [ ! -e "$file" ]
    pin converges <<<$'packages: dpkg\npin: "  version   1*"\npriority: 700'
    printf '%s\n' 'Package: dpkg' 'Pin: version 1*' 'Pin-Priority: 700' | diff - "$file"
    is "$(mode_of "$file")" 644
    is "$(priority_of_dpkg)" 700
    pin converges <<<$'packages: [/^dpk/, apt*]\npin: release now\npriority: -5\nexplanation: it is for a test'
    printf '%s\n' 'Explanation: it is for a test' 'Package: /^dpk/ apt*' 'Pin: release now' 'Pin-Priority: -5' | diff - "$file"
    is "$(priority_of_dpkg)" -5
    pin is_in_sync <<<'priority: -5
packages: apt* /^dpk/
pin: release now
explanation: it is for a test'
    pin run apply --noop <<<'ensure: absent'
    [ -e "$file" ]
    pin converges <<<'ensure: absent'
    [ ! -e "$file" ]
    pin is_in_sync <<<'ensure: absent'
}

@test "keys of a release are compared in any order, and an undo restores what was there" {
    printf '# by hand\nExplanation: mine\nPackage: *\nPin: release  l=A Label,a=stable\nPin-Priority: 90\n' >"$file"
    pin is_in_sync <<<$'packages: "*"\npin: release a=stable, l=A Label\npriority: 90\nexplanation: mine'
    pin converges <<<$'packages: "*"\npin: origin deb.example.org\npriority: 90'
    printf '# by hand\nPackage: *\nPin: origin deb.example.org\nPin-Priority: 90\n' | diff - "$file"
    pin run apply <<<$'packages: a\npin: origin ""\npriority: 91'
    status_is 0
    run rhost undo last
    status_is 0
    is "$(sed -n 's/^Pin: //p' "$file")" 'origin deb.example.org'
    # One of its attributes alone.
    pin converges <<<$'packages: "*"\npin: origin deb.example.org\npriority: 90\nexplanation: mine'
    pin run apply <<<$'packages: "*"\npin: origin deb.example.org\npriority: 91\nexplanation: mine'
    run rhost undo last
    status_is 0
    is "$(cut -d' ' -f2- "$file" | paste -sd,)" 'by hand,mine,*,origin deb.example.org,90'
}

@test "what apt would skip is refused before anything is done" {
    wrong() {
        pin run apply <<<"$1"
        [ "$status" -ne 0 ]
        says "$2"
        [ ! -e "$file" ]
    }
    wrong $'pin: version 1\npriority: 1' "packages: 'packages' is required"
    wrong $'packages: a\npriority: 1' "pin: 'pin' is required"
    wrong $'packages: a\npin: version 1' "priority: 'priority' is required"
    wrong $'packages: a\npin: version 1\npriority: 0' 'apt takes no 0'
    wrong $'packages: a\npin: version 1\npriority: 40000' priority
    wrong $'packages: "a;b"\npin: version 1\npriority: 1' "packages: 'a;b' is no name or pattern of packages"
    wrong $'packages: "/a[/"\npin: version 1\npriority: 1' "packages: '/a[/' is no regular expression"
    wrong $'packages: a\npin: release x=1\npriority: 1' "pin: 'x=1' of 'release' must be a=, c="
    wrong $'packages: a\npin: release a=1, a=2\npriority: 1' "pin: duplicate 'a=' of 'release'"
    wrong $'packages: a\npin: stable\npriority: 1' "pin: it must be 'release KEY=VALUE, ...'"
    wrong $'packages: a\npin: version 1\npriority: 1\nexplanation: "a\\nPackage: *"' 'explanation: it must be one line'
    wrong $'packages: a\npin: "version 1\\nPin-Priority: 9"\npriority: 1' 'pin: it must be one line'
}

@test "trouble is explained: several pins in a file, no directory, a file that is none" {
    good=$'packages: a\npin: version 1\npriority: 1'
    printf 'Package: a\nPin: version 1\nPin-Priority: 1\n\nPackage: b\nPin: version 1\nPin-Priority: 1\n' >"$file"
    pin run apply <<<"$good"
    status_is 4
    says "has 2 pins, and a resource has one: give each a file of its own"
    pin run apply <<<'ensure: absent'
    status_is 4
    says "has 2 pins, and a resource has one: give each a file of its own"
    is "$(grep -c ^Package: "$file")" 2
    echo nonsense >"$file"
    pin run apply <<<"$good"
    status_is 4
    says "line 1 of '$file' is not of the format of apt"
    rm "$file"
    mkdir "$file"
    pin run apply <<<"$good"
    status_is 4
    says "'$file'"
    rm -r "$work/apt/preferences.d"
    pin run apply <<<"$good"
    status_is 4
    says "$work/apt/preferences.d"
}

@test "what is there is damaged, and is put right" {
    printf 'Package: a\nPin: nonsense\nPin-Priority: many\n' >"$file"
    pin converges <<<$'packages: a\npin: version 1\npriority: 1'
    is "$(sed -n 's/^Pin: //p' "$file")" 'version 1'
}

@test "a pin comes before the packages that it names" {
    cat >site.yaml <<END
resources:
  - {package: rt-tool, noop: true}
  - {apt_pin: tool, root: $work/apt, packages: [rt-tool, other], pin: version 1, priority: 1}
END
    run rhost why 'package[rt-tool]' site.yaml
    says 'apt_pin[tool]'
}

@test "the pins of this machine are listed, and a manifest of them changes nothing" {
    requires_root
    unshare --mount true 2>/dev/null || skip "no namespaces here"
    printf 'Package: a b\nPin: release n=x\nPin-Priority: 7\n' >"$file"
    printf 'Package: a\nPin: version 1\nPin-Priority: 1\n\nPackage: b\nPin: version 1\nPin-Priority: 1\n' >"${file%/*}/two.pref"
    cp "$file" "${file%/*}/ignored.txt"
    printf '#!/bin/sh\nexec unshare --mount sh -c '\''mount --bind "$0" /etc/apt && exec "$@"'\'' "%s" "%s" "$@"\n' "$work/apt" "$abs_top_builddir/rhost" >"$work/rhost"
    chmod 755 "$work/rhost"
    RHOST=$work/rhost
    run rhost resource --format=yaml apt_pin
    status_is 0
    is "$(grep -c apt_pin: <<<"$output")" 1
    printf '%s\n' "$output" >list.yaml
    run rhost apply --noop --detailed-exitcodes list.yaml
    status_is 0
}

@test "the example of the page works, and a second run finds nothing to do" {
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/apt_pin/apt_pin.md" | sed "s|/srv/apt|$work/apt|" >page.yaml
    run rhost apply page.yaml
    status_is 0
    run rhost apply --detailed-exitcodes page.yaml
    status_is 0
}
