#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# With the flatpak of the machine, on a repository of the test, in installations of the test.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/flatpak/flatpak.bash"

@test "an application is installed with its remote and its runtime, and removed" {
    export_runtime 1
    export_app org.example.One stable
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/flatpak/flatpak.md" |
        sed "s|/srv/example|$work|" >example.yaml
    run rhost apply --noop --detailed-exitcodes example.yaml
    status_is 2
    [ ! -e apps ]
    run rhost apply --detailed-exitcodes example.yaml
    status_is 2
    run rhost apply --detailed-exitcodes example.yaml
    status_is 0
    is "$(installed)" $'org.example.One/x86_64/stable ours\norg.example.Platform/x86_64/1 ours'
    is "$(sh apps/app/org.example.One/current/active/files/bin/it)" stable
    application is_in_sync <<<'remote: ours'
    one "flatpak: 'org.example.Platform//1: $work/apps'" -- is_in_sync </dev/null
    one "flatpak: 'org.example.Platform//1: $work/apps'" -- fails "cannot remove 'org.example.Platform': Failed to uninstall org.example.Platform: Can't remove org.example.Platform/x86_64/1, it is needed for: org.example.One" <<<'ensure: absent'
    application converges <<<'ensure: absent'
    is "$(installed)" 'org.example.Platform/x86_64/1 ours'
    one "flatpak: 'org.example.Platform: $work/apps'" -- converges <<<'ensure: absent'
    is "$(installed)" ''
}

@test "branches are resources of their own, and without a branch any of them counts" {
    export_app org.example.One stable
    export_app org.example.One beta
    remote ours
    application run apply <<<'dependencies: false'
    status_is 4
    says "cannot install 'org.example.One': No ref chosen to resolve matches for"
    one "flatpak: 'org.example.One//beta: $work/apps'" 'dependencies: false' -- converges </dev/null
    is "$(installed)" 'org.example.One/x86_64/beta ours'
    application is_in_sync </dev/null
    one "flatpak: 'org.example.One//stable: $work/apps'" 'dependencies: false' 'remote: ours' -- converges </dev/null
    is "$(installed)" $'org.example.One/x86_64/beta ours\norg.example.One/x86_64/stable ours'
    one "flatpak: 'org.example.One//beta: $work/apps'" -- converges <<<'ensure: absent'
    is "$(installed)" 'org.example.One/x86_64/stable ours'
    one "flatpak: 'org.example.One//beta: $work/apps'" 'dependencies: false' -- converges </dev/null
    application converges <<<'ensure: absent'
    is "$(installed)" ''
}

@test "an application of another remote is installed anew" {
    export_app org.example.One stable
    export_app org.example.One stable others
    remote ours
    remote others others
    application converges <<<$'remote: ours\ndependencies: false'
    application run apply <<<$'remote: others\ndependencies: false'
    status_is 0
    says 'remote  ours → others'
    is "$(installed)" 'org.example.One/x86_64/stable others'
}

@test "one that is half installed counts as absent, and is installed anew" {
    export_app org.example.One stable
    remote ours
    application converges <<<'dependencies: false'
    rm apps/app/org.example.One/x86_64/stable/active
    application is_in_sync <<<'ensure: absent'
    application run apply <<<'dependencies: false'
    status_is 0
    says "'org.example.One' is half installed, so this branch of it counts as absent: '$work/apps/app/org.example.One/x86_64/stable/active' leads nowhere"
    is "$(installed)" 'org.example.One/x86_64/stable ours'
    deploy=$(readlink -f apps/app/org.example.One/current/active)/deploy
    : >"$deploy"
    application run apply <<<'dependencies: false'
    status_is 0
    says "'$deploy' is damaged"
    is "$(installed)" 'org.example.One/x86_64/stable ours'
    rm "$deploy"
    application converges <<<'dependencies: false'
    is "$(installed)" 'org.example.One/x86_64/stable ours'
}

@test "flatpak runs as the owner, and as root only where nobody else can change the installation" {
    export_runtime 1
    mkdir home
    chown daemon home
    printf 'resources:\n  - flatpak_remote: "ours: %s/home/apps"\n    url: file://%s/repo\n    gpg_verify: false\n    owner: daemon\n  - flatpak: "org.example.Platform: %s/home/apps"\n    remote: ours\n    owner: daemon\n' "$work" "$work" "$work" >site.yaml
    run rhost apply site.yaml
    status_is 0
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    is "$(find home/apps -not -user daemon)" ''
    is "$(readlink home/apps/runtime/org.example.Platform/x86_64/1/active | wc -c)" 65
    one "flatpak: 'org.example.Platform: $work/home/apps'" -- fails "owner: '$work/home/apps' belongs to user 'daemon'" <<<'owner: root'
    remote ours
    for path in apps apps/repo apps/repo/config; do
        chown daemon "$path"
        application run apply </dev/null
        [ "$status" = 4 ]
        chown root "$path"
    done
    chmod 777 apps/repo
    application fails "cannot run flatpak in '$work/apps' as root: another user can change '$work/apps/repo'" </dev/null
}

@test "what a manifest cannot say is refused" {
    for name in one org.example -org.example.one org.example.one/x86_64 'org.example.one//'; do
        one "flatpak: '$name'" -- run apply </dev/null
        status_is 1
    done
    application run apply <<<'remote: --all'
    status_is 1
    one "flatpak: 'org.example.One: apps'" -- run apply </dev/null
    status_is 1
}
