#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# With the gem of the machine, on gems of the test: no server is asked.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

setup() {
    work_open
    requires_root
    requires_command gem
    chmod 711 "$work" "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR" # a way in for others
}

# The gem "one" of the directory, whose other attributes stand on standard input.
package() {
    one "gem_package: 'one: $work/gems'" 'offline: true' -- "$@"
}

# make_gems NAME-VERSION[:DEPENDENCY]...
make_gems() {
    mkdir -p lib
    touch lib/one.rb
    ruby -rrubygems/package -e 'ARGV.each do |text|
        what, dependency = text.split(":")
        name, version = what.split("-")
        Gem::Package.build(Gem::Specification.new do |s|
            s.name = name; s.version = version; s.summary = "a test"; s.authors = ["a"]; s.files = ["lib/one.rb"]
            s.add_dependency dependency if dependency
        end, true)
    end' "$@" >/dev/null 2>&1
}

# installed DIRECTORY VERSION...: what gem has put there.
installed() {
    local directory=$1 version
    for version in "${@:2}"; do
        mkdir -p "$directory/specifications" "$directory/gems/one-$version"
        echo 'a specification' >"$directory/specifications/one-$version.gemspec"
    done
}

@test "a gem is installed, joined by another version, and removed" {
    make_gems one-1.0 one-1.1
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/gem_package/gem_package.md" |
        sed "s|/tmp/example|$work|" >example.yaml
    run rhost apply --noop --detailed-exitcodes example.yaml
    status_is 2
    [ ! -e gems ]
    run rhost apply --detailed-exitcodes example.yaml
    status_is 2
    run rhost apply --detailed-exitcodes example.yaml
    status_is 0
    is "$(GEM_HOME=$work/gems GEM_PATH=$work/gems ruby -e 'gem "one"; puts Gem.loaded_specs["one"].version')" 1.0
    package is_in_sync <<<'version: ~> 1.0'
    package run apply <<<"source: $work/one-1.1.gem"
    status_is 0
    says "version 1.0 is installed, and '$work/one-1.1.gem' has 1.1"
    is "$(ls gems/specifications)" $'one-1.0.gemspec\none-1.1.gemspec'
    package is_in_sync <<<'version: 1.0'
    package converges <<<'ensure: absent'
    is "$(ls gems/specifications)" ''
}

# differ TEXT: the summary of a dry run of the pairs "VERSION WANTED" on standard input.
differ() {
    local n=0 version wanted
    echo resources: >site.yaml
    rm -rf e*
    while read -r version wanted; do
        n=$((n + 1))
        installed "e$n" ${version//,/ }
        printf '  - gem_package: "one: %s/e%s"\n    version: "%s"\n' "$work" "$n" "$wanted" >>site.yaml
    done
    run rhost apply --noop site.yaml
    status_is 0
    says "$n resources: $1"
}

@test "versions and requirements are compared by the rules of RubyGems" {
    differ '14 ok' <<'END'
1.0 1
1.0 = 1.0.0
1.0.a 1.a
1.2.9 ~> 1.2.3
1.9 ~> 1.2
1.9 ~> 1
1.2.3 >= 1.2, < 2
1.10 > 1.9
2.0.0.rc1 < 2.0.0
2.0.0.rc2 > 2.0.0.rc1
2.0.0.rc1 2.0.0.rc1
1.0.b > 1.0.a
1.5-x86_64-linux 1.5
1.0,2.0,3.0 ~> 2.0
END
    differ '10 would change' <<'END'
1.0 1.1
1.3 ~> 1.2.3
2.0 ~> 1.2
2.0 ~> 1
1.2.3 != 1.2.3
1.9 > 1.10
2.0.0.rc1 >= 2.0.0
2.0.0.rc1 ~> 2.0
1.5-x86_64-linux 1.4
1.0,3.0 ~> 2.0
END
}

@test "a gem whose name begins the same is another one" {
    installed gems 1.0
    mv gems/specifications/one-1.0.gemspec gems/specifications/one-2-1.0.gemspec
    touch gems/specifications/one-two-1.0.gemspec gems/specifications/lone-1.0.gemspec
    package run apply --noop --detailed-exitcodes </dev/null
    status_is 2
    says 'absent → present'
}

@test "a gem that is half installed counts as absent, and is installed anew" {
    make_gems one-1.0
    installed gems 1.0
    : >gems/specifications/one-1.0.gemspec
    package run apply <<<"source: $work/one-1.0.gem"
    status_is 0
    says "gem 'one' is half installed, so this version of it counts as absent: '$work/gems/specifications/one-1.0.gemspec' is empty"
    [ -e gems/gems/one-1.0/lib/one.rb ]
    rm -r gems/gems/one-1.0
    package run apply --noop </dev/null
    says "'$work/gems/gems/one-1.0' does not exist"
}

@test "gem runs as the owner, and as root only where nobody else can change what it obeys" {
    make_gems one-1.0
    package run apply <<END
source: $work/one-1.0.gem
owner: daemon
END
    status_is 0
    is "$(stat -c %U gems gems/specifications/one-1.0.gemspec | sort -u)" daemon
    package fails "owner: '$work/gems' belongs to user 'daemon'" <<<'owner: root'
    package fails "unknown user 'nobody-here'" <<<'owner: nobody-here'
    chown root gems
    package fails "cannot run gem in '$work/gems' as root: another user can change '$work/gems/specifications'" <<<'version: 2'
    chmod 777 gems
    package fails "another user can change '$work/gems'" <<<'ensure: absent'
    chmod 755 gems
    chown -R root gems
    chown daemon gems/specifications/one-1.0.gemspec
    package fails "another user can change '$work/gems/specifications/one-1.0.gemspec'" <<<'ensure: absent'
    chown root gems/specifications/one-1.0.gemspec
    mkdir served
    mv one-1.0.gem served/one-1.1.gem
    touch served/two-1.0.gem
    for path in served served/two-1.0.gem served/one-1.1.gem; do
        chown daemon "$path"
        package fails "another user can change '$work/$path'" <<<"source: $work/served/one-1.1.gem"
        chown root "$path"
    done
}

@test "a missing gem or server, a damaged file and a gem that others need are named" {
    make_gems one-1.0 two-1.0:one
    package fails "cannot install 'one': Could not find a valid gem 'one' (= 7)" <<<'version: 7'
    one "gem_package: 'one: $work/gems'" 'server: http://127.0.0.1:9/' -- run apply </dev/null
    status_is 4
    says 'Unable to download data from http://127.0.0.1:9/'
    says 'Connection refused'
    one "gem_package: 'two: $work/gems'" "source: $work/two-1.0.gem" 'offline: true' -- run apply </dev/null
    status_is 0
    is "$(ls gems/specifications)" $'one-1.0.gemspec\ntwo-1.0.gemspec'
    # With a server, what lies beside the file is not taken.
    one "gem_package: 'two: $work/others'" "source: $work/two-1.0.gem" 'server: http://127.0.0.1:9/' -- fails "cannot install '$work/two-1.0.gem': " </dev/null
    [ ! -e others/specifications/one-1.0.gemspec ]
    package fails "cannot remove 'one': " <<<'ensure: absent'
    is "$(ls gems/specifications)" $'one-1.0.gemspec\ntwo-1.0.gemspec'
    echo no gem >one-2.0.gem
    package fails "cannot install '$work/one-2.0.gem': package metadata is missing in" <<<"source: $work/one-2.0.gem"
    one "gem_package: 'one: $work/none'" -- run apply --noop <<<"source: $work/one-9.0.gem"
    status_is 4
    says "source: '$work/one-9.0.gem' does not exist"
}

@test "a full disk, a read-only file system and a missing program are named" {
    requires_command unshare
    make_gems one-1.0
    printf 'resources:\n  - gem_package: "one: %s/gems"\n    source: %s/one-1.0.gem\n    offline: true\n' "$work" "$work" >site.yaml
    mkdir gems
    export RHOST_ISOLATION
    for trouble in 'mount -t tmpfs -o size=4k,mode=755 tmpfs gems && dd if=/dev/zero of=gems/zero bs=4k count=1 2>/dev/null' \
        'mount --bind gems gems && mount -o remount,ro,bind gems' \
        'mount --bind /dev/null "$(command -v gem)"'; do
        run unshare -m sh -c "$trouble || exit 10
\"\$@\" apply --state-dir \"\$BATS_TEST_TMPDIR/state\" --isolation=\"\$RHOST_ISOLATION\" site.yaml; echo status \$?" \
            sh "$abs_top_builddir/rhost"
        says 'status 4'
        says 'failed: cannot '
        case $trouble in
        *size*) says 'No space left on device' ;;
        *ro,bind*) says "cannot install '$work/one-1.0.gem': " ;;
        *) says "cannot execute 'gem': Permission denied" ;;
        esac
    done
}

@test "what a manifest cannot say is refused" {
    package fails "version: 'new' is not a version, nor requirements such as '~> 1.2, >= 1.2.3'" <<<'version: new'
    package fails "server: 'offline' says that no server is asked" <<<'server: https://example.org/'
    one "gem_package: 'one: $work/gems'" -- run apply <<<'server: https://me:secret@example.org/'
    status_is 1
    says 'must not have a user or a password'
    says_not 'secret@'
    package fails "it must be a file of 'one'" <<<"source: $work/two-1.0.gem"
    package fails "version: the file has version '1.0'" <<END
source: $work/one-1.0.gem
version: '> 1'
END
    one "gem_package: 'one: gems'" -- run apply </dev/null
    status_is 1
    one "gem_package: '--help: $work/gems'" -- run apply </dev/null
    status_is 1
}
