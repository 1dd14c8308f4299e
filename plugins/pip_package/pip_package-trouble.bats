#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What goes wrong with pip, and who it runs as.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/pip_package/pip.bash"

@test "pip runs as the owner, and as root only where nobody else can change what it obeys" {
    wheels one-1.0
    package run apply <<END
source: $work/wheels/one-1.0-py3-none-any.whl
create: true
pip: false
owner: daemon
END
    status_is 0
    is "$(stat -c %U env "$site" "$site/one/__init__.py" | sort -u)" daemon
    package fails "owner: '$work/env' belongs to user 'daemon'" <<<'owner: root'
    package fails "unknown user 'nobody-here'" <<<'owner: nobody-here'
    chown root env
    package fails "cannot run pip in '$work/env' as root: " <<<'version: 2'
    chmod 777 env
    package fails "another user can change '$work/env'" <<<'version: 2'
    chown -R root env
    chmod 755 env
    echo 'one<2' >constraints
    cp /bin/true python
    for path in "$site/one" env/bin/activate env/pip.conf constraints wheels wheels/one-1.0-py3-none-any.whl python; do
        touch "$path"
        chown daemon "$path"
        package fails "cannot run pip in '$work/env' as root: another user can change '$work/$path'" <<END
version: '2'
constraints: $work/constraints
find_links: ['file://$work/wheels']
python: $work/python
END
        chown root "$path"
    done
    chown daemon wheels/one-1.0-py3-none-any.whl
    rm -r "$site/one-1.0.dist-info"
    package fails "another user can change '$work/wheels/one-1.0-py3-none-any.whl'" <<END
source: $work/wheels/one-1.0-py3-none-any.whl
END
    mkdir -m 775 third
    mv env third/env
    chown -R daemon third/env
    chgrp daemon third
    one "pip_package: 'one: $work/third/env'" -- fails "cannot run pip in '$work/third/env' as its owner: another user can change '$work/third'" <<<'version: 2'
}

@test "an index that does not answer is named" {
    environment
    one "pip_package: 'one: $work/env'" -- run apply <<<'index_url: http://127.0.0.1:9/simple'
    status_is 4
    says 'pip could not reach the index'
}

@test "a full disk, a read-only file system, a missing Python and one that is too slow are named" {
    requires_command unshare
    environment
    mkdir "$site/one"
    wheels one-1.0
    printf 'resources:\n  - pip_package: "one: %s/env"\n    source: %s/wheels/one-1.0-py3-none-any.whl\n    no_index: true\n' "$work" "$work" >site.yaml
    sed 's#/env"#/ro/env"\n    create: true#' site.yaml >ro.yaml
    mkdir ro
    export RHOST_ISOLATION
    for trouble in "site mount -t tmpfs -o size=4k,mode=755 tmpfs $site/one && dd if=/dev/zero of=$site/one/zero bs=4k count=1 2>/dev/null" \
        'ro mount --bind ro ro && mount -o remount,ro,bind ro'; do
        run unshare -m sh -c "${trouble#* } || exit 10
\"\$@\" apply --state-dir \"\$BATS_TEST_TMPDIR/state\" --isolation=\"\$RHOST_ISOLATION\" ${trouble%% *}.yaml; echo status \$?" \
            sh "$abs_top_builddir/rhost"
        says 'status 4'
        if [ "${trouble%% *}" = ro ]; then
            says "cannot create directory '$work/ro/env'"
        else
            says 'No space left on device'
        fi
    done
    printf '#!/bin/sh\nsleep 60\n' >slow
    chmod 755 slow
    one "pip_package: 'one: $work/new'" 'create: true' "python: $work/slow" 'timeout: 1' -- run apply </dev/null
    status_is 4
    says 'slow -I -m venv'
    one "pip_package: 'one: $work/newer'" 'create: true' "python: $work/none" -- run apply </dev/null
    status_is 4
    says "cannot execute '$work/none': No such file or directory"
}

@test "what a manifest cannot say is refused" {
    mkdir -p env
    package fails "version: 'new' is not a version, nor specifiers such as '>=1.2, <2'" <<<'version: new'
    package fails "'1,2' is not a version" <<<'version: 1,2'
    package fails "'1.0; python_version' is not a version" <<<'version: 1.0; python_version'
    package fails 'a URL must not have a user or a password' <<<"find_links: ['https://me:secret@example.org/']"
    says_not 'secret@'
    package fails "it must be an archive of 'one'" <<<"source: $work/two-1.0-py3-none-any.whl"
    package fails "it must be an archive of 'one'" <<<"source: $work/one"
    package fails "a source archive runs its own code while it is built: it needs 'build: true'" <<<"source: $work/one-1.0.tar.gz"
    package fails "write the path of the directory in place of 'file:///%41'" <<<"find_links: ['file:///%41']"
    package fails "'===1;x' is not a version" <<<"version: '===1;x'"
    package fails "'=== /x' is not a version" <<<"version: '=== /x'"
    package fails "version: the archive has version '1.0'" <<END
source: $work/one-1.0.tar.gz
version: '>1'
END
    package fails "index_url: 'no_index' says that no index is asked" <<<'index_url: https://example.org/simple'
    one "pip_package: 'one: env'" -- run apply </dev/null
    status_is 1
    one "pip_package: '--help: $work/env'" -- run apply </dev/null
    status_is 1
}
