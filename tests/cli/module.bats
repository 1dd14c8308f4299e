#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# rhost module: definitions of others, by repositories of git.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

setup() {
    requires_command git
    work_open
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
    mkdir site out
    repository base <<<$'name: base\nversion: "2.0"'
    cat >base/main.yaml <<'END'
resources:
  - define: base::directory
    resources:
      - directory: ${title}
END
    tagged base v2
    repository acme <<END
name: acme
version: 1.2.0
desc: Sites of ACME.
requires:
  rhost: ">= 0.1, < 2"
  plugins: {file: ">= 0.1"}
  modules: {base: "git+file://$work/base@v2"}
END
    mkdir acme/files acme/definitions
    echo 'resources: [include: definitions/*.yaml]' >acme/main.yaml
    cat >acme/definitions/site.yaml <<END
resources:
  - define: acme::site
    parameters: {text: String}
    resources:
      - base::directory: $work/out/\${title}
      - file: $work/out/\${title}/page
        template: {file: ../files/page.tmpl, variables: {text: "\${text}"}}
      - file: $work/out/\${title}/logo
        source: ../files/logo
END
    echo '{{ text }}!' >acme/files/page.tmpl
    echo logo >acme/files/logo
    tagged acme v1.2.0
    cat >site/site.yaml <<'END'
resources:
  - acme::site: example.org
    text: Hello
END
    cd site || return
}

# repository NAME: one whose module.yaml is on standard input.
repository() {
    git init -q "$1"
    cat >"$1/module.yaml"
}

# tagged NAME TAG: what is in the repository, committed.
tagged() {
    git -C "$1" add -A
    git -C "$1" -c user.name=tester -c user.email=tester@localhost commit -q --allow-empty -m "$2"
    git -C "$1" tag -f "$2" >/dev/null
}

added() {
    rhost module add "git+file://$work/$1@$2" >/dev/null
}

@test "a module comes with what it requires, and its types are used without the repository" {
    run rhost module add "git+file://$work/acme@v1.2.0"
    status_is 0
    says 'acme 1.2.0: added (commit '
    says 'base 2.0: added (commit '
    says ', required by acme)'
    [ ! -e modules/.fetched ]
    [ ! -e modules/acme/.git ]
    mv "$work/acme" "$work/gone"
    run rhost apply site.yaml
    status_is 0
    says 'file[/'
    says 'modules/acme/definitions/site.yaml:'
    [ "$(cat "$work/out/example.org/page")" = 'Hello!' ]
    [ "$(cat "$work/out/example.org/logo")" = logo ]
    run rhost apply site.yaml
    says '5 resources: 5 ok'
    run rhost module list
    status_is 0
    says 'acme                 1.2.0        ok '
}

@test "the lock names the commit and the digest, and is stable" {
    added acme v1.2.0
    json_is modules.lock 'd["format"]' 1
    json_is modules.lock 'sorted(d["modules"])' "['acme', 'base']"
    json_is modules.lock 'd["modules"]["acme"]["commit"]' "$(git -C "$work/acme" rev-parse HEAD)"
    json_is modules.lock 'd["modules"]["base"]["dependency"]' True
    json_is modules.lock 'len(d["modules"]["acme"]["digest"])' 71
    cp modules.lock before
    run rhost module update
    status_is 0
    says 'acme 1.2.0: unchanged'
    cmp modules.lock before
    rhost module list --format=json >list
    json_is list '[(m["name"], m["state"]) for m in d]' "[('acme', 'ok'), ('base', 'ok')]"
}

@test "nothing of a module is used that the lock does not have" {
    added acme v1.2.0
    mv modules.lock aside
    run rhost apply site.yaml
    status_is 1
    says "modules.lock does not have module 'acme'"
    says "'rhost module add SOURCE' adds it"
    echo 'resources: [include: modules/acme/definitions/site.yaml]' >other.yaml
    run rhost validate other.yaml
    status_is 1
    says "modules.lock does not have module 'acme'"
    mv aside modules.lock
    for change in 'echo x >>modules/acme/files/logo' 'touch modules/acme/more' 'chmod +x modules/acme/files/logo' 'rm modules/acme/files/logo' \
        'mv modules/acme/files/logo modules/acme/logo' 'ln -s /etc/passwd modules/acme/link' 'mkfifo modules/acme/pipe'; do
        eval "$change"
        run rhost apply site.yaml
        status_is 1
        not [ -e "$work/out/example.org" ]
        run rhost validate other.yaml
        status_is 1
        printf 'resources:\n  - {file: %s/copy, source: modules/acme/files/page.tmpl}\n  - {tree: %s/t, source: modules/acme/files}\n' "$work" "$work" >copy.yaml
        run rhost validate copy.yaml
        status_is 1
        says '2 errors'
        run rhost module list
        status_is 1
        says 'acme                 1.2.0        different'
        run rhost module install
        status_is 1
        says "the files of module 'acme' were changed here: nothing was installed"
        run rhost module update
        status_is 1
        says "the files of module 'acme' were changed here"
        run rhost module install --force
        status_is 0
        says 'acme 1.2.0: installed'
        rhost validate site.yaml >/dev/null
        rhost validate copy.yaml >/dev/null
    done
}

@test "a clone of the site installs the same files, or nothing" {
    added acme v1.2.0
    rm -rf modules
    run rhost validate site.yaml
    status_is 1
    says "module 'acme' 1.2.0 is not installed in 'modules/acme'"
    says "'rhost module install' fetches what modules.lock has"
    # The tag leads to another commit, and the lock to the one that it has.
    echo more >"$work/acme/files/more"
    tagged "$work/acme" v1.2.0
    run rhost module install
    status_is 0
    says 'acme 1.2.0: installed'
    [ ! -e modules/acme/files/more ]
    run rhost module install
    says 'nothing to do'
    # Files that are not those of the digest.
    rm -rf modules
    sed -i 's/"sha256:[0-9a-f]\{8\}/"sha256:00000000/' modules.lock
    run rhost module install
    status_is 1
    says "does not have the files that modules.lock has for module 'acme'"
    [ ! -e modules/acme ]
}

@test "an update takes what the source means now" {
    added acme v1.2.0
    sed -i 's/1\.2\.0/1.3.0/' "$work/acme/module.yaml"
    tagged "$work/acme" v1.2.0
    run rhost module update acme
    status_is 0
    says 'acme 1.2.0 -> 1.3.0: updated'
    rhost validate site.yaml >/dev/null
    # Another source, by name.
    tagged "$work/acme" v1.3.0
    run rhost module add "git+file://$work/acme@v1.3.0"
    status_is 0
    json_is modules.lock 'd["modules"]["acme"]["source"]' "git+file://$work/acme@v1.3.0"
    run rhost module update acm
    status_is 1
    says "the site does not have module 'acm'"
    says "did you mean 'acme'?"
}

@test "a module goes with what nothing else requires" {
    added acme v1.2.0
    run rhost module remove base
    status_is 1
    says "module 'base' is required by 'acme'"
    run rhost module remove acme
    status_is 0
    says 'acme 1.2.0: removed'
    says 'base 2.0: removed'
    [ ! -e modules ]
    [ ! -e modules.lock ]
    added base v2
    added acme v1.2.0
    rhost module remove acme >/dev/null
    [ -e modules/base ]
}

@test "nothing that is only here is replaced or removed" {
    mkdir -p modules/base
    echo mine >modules/base/mine
    run rhost module add "git+file://$work/base@v2"
    status_is 1
    says "'modules/base' exists, and modules.lock does not have it: move it away"
    [ "$(cat modules/base/mine)" = mine ]
    rm -r modules
    added acme v1.2.0
    echo mine >modules/base/mine
    run rhost module remove acme
    status_is 1
    says "the files of module 'base' were changed here: nothing was removed"
    [ "$(cat modules/base/mine)" = mine ]
    [ -e modules/acme ]
    run rhost module remove acme --force
    status_is 0
    [ ! -e modules ]
    # A command that was killed before it wrote the lock is repeated.
    added base v2
    rm modules.lock
    run rhost module add "git+file://$work/base@v2"
    status_is 0
    says 'base 2.0: added'
}

@test "what a module must not have is refused, and the site stays as it was" {
    added base v2
    cp modules.lock before
    refused() {
        tagged "$work/acme" v1
        run rhost module add "git+file://$work/acme@v1${2-}"
        status_is 1
        says "$1"
        cmp modules.lock before
        [ "$(ls -A modules)" = base ]
        git -C "$work/acme" reset -q --hard v1.2.0
    }
    ln -s /etc/passwd "$work/acme/link"
    refused "'link' is a symbolic link, which a module must not have"
    touch "$work/acme/old~"
    refused "'old~' is a file that sites do not carry"
    mkdir -p "$work/acme/files/secrets"
    touch "$work/acme/files/secrets/x"
    refused "'files/secrets/x' is in a directory of secrets"
    git -C "$work/acme" rm -q main.yaml
    refused "it is not a module: it lacks 'main.yaml'"
    git -C "$work/acme" rm -q module.yaml
    refused "it is not a module: it lacks 'module.yaml'"
    refused "the repository does not have the directory 'files/none'" '#files/none'
    while IFS='|' read -r text why; do
        printf '%b\n' "$text" >"$work/acme/module.yaml"
        refused "$why"
    done <<'END'
name: Acme\nversion: "1"|'name' must be the name of the module
name: acme\nversion: 1.0|'version' must be text
name: acme\nversion: "1 0"|'version' must be a version, as '1.2.0' is
name: acme\nversion: "1"\nrequire: {}|unknown key 'require' in the description of a module
name: acme\nversion: "1"\nrequires: {plugin: {}}|did you mean 'plugins'?
name: acme\nversion: "1"\nrequires: {rhost: newest}|'newest' is not a requirement on a version
name: acme\nversion: "1"\nrequires: {rhost: "=> 1"}|'=> 1' is not a requirement on a version
name: acme\nversion: "1"\nrequires: {rhost: ">= 99"}|module 'acme' 1 requires rhost >= 99
name: acme\nversion: "1"\nrequires: {modules: {base: "git+file:///nowhere@v1"}}|and the site has it from
name: acme\nversion: "1"\nrequires: {modules: {other: "git+file:///nowhere@v1"}}|module 'acme' requires 'other': cannot use 'git+file:///nowhere@v1'
- a|'module.yaml' must be a hash with 'name' and 'version'
name: [|cannot read 'module.yaml'
END
}

@test "a source is a URL for git, with something of the repository" {
    while IFS='|' read -r source why; do
        run rhost module add "$source"
        status_is 1
        says "$why"
        [ ! -e modules ]
    done <<'END'
acme|it has to begin with git+https://, git+ssh:// or git+file:///
git+http://example.org/acme.git@v1|it has to begin with git+https://
git+file://relative@v1|it has to begin with git+https://
git+https://example.org/acme.git|it lacks '@' and a tag, a branch or a commit
git+ssh://git@example.org/acme.git|it lacks '@' and a tag, a branch or a commit
git+https://example.org/acme.git@--upload-pack=x|what stands after '@' is no name
git+https://example.org/acme.git@a..b|what stands after '@' is no name
git+https://example.org/acme.git@|what stands after '@' is no name
git+https://example.org/acme.git@v1#../x|what stands after '#' is no directory
git+https://example.org/acme.git@v1#:(top)|what stands after '#' is no directory
git+https://user:secret@example.org/acme.git@v1|'git+https://...@example.org/acme.git@v1' is not the source of a module: it has a user, a password or a token
git+https://token@example.org/acme.git@v1|it has a user, a password or a token
git+ssh://git:secret@example.org/acme.git@v1|it has a user, a password or a token
git+https://token@example.org/acme.git|'git+https://...@example.org/acme.git' is not
git+https://example.org/a b.git@v1|it has a blank
END
    run rhost module add "git+file://$work/acme@v9"
    status_is 1
    says "cannot use 'git+file://$work/acme@v9'"
    run rhost module add "git+file://$work/nowhere@v1"
    status_is 1
    for ref in "$(git -C "$work/acme" rev-parse HEAD)" "$(git -C "$work/acme" symbolic-ref --short HEAD)"; do
        run rhost module add "git+file://$work/acme@$ref"
        status_is 0
    done
    mkdir "$work/many"
    git init -q "$work/many"
    git -C "$work/acme" archive --prefix=modules/acme/ HEAD | tar -C "$work/many" -xf -
    ln -s / "$work/many/link"
    tagged "$work/many" v1
    run rhost module add "git+file://$work/many@v1#modules/acme"
    status_is 0
    rhost validate site.yaml >/dev/null
}

@test "what a module defines begins with its name, and it does nothing by itself" {
    refused() {
        cat >"$work/acme/main.yaml"
        tagged "$work/acme" v1
        added acme v1
        run rhost validate site.yaml
        status_is 1
        says "$1"
        says '1 error'
    }
    refused "a definition of the module 'acme' needs a name that begins with 'acme::'" <<<'resources: [{define: other, resources: []}]'
    refused "the module 'acme' declares file[/tmp/x], and may only define types" <<<'resources: [file: /tmp/x]'
    refused "the module 'acme' sets attributes" <<<'{attributes: {default: {a: 1}}, resources: []}'
    refused "'data' cannot be used in an included manifest" <<<'{data: [x], resources: []}'
    refused "unknown key 'resource' at the top level" <<<'resource: []'
    refused "module 'acme' 1.2.0 does not define 'acme::site'" <<<'resources: [{define: acme::sites, resources: []}]'
    says "did you mean 'acme::sites'?"
    printf 'resources:\n  - file: /tmp/x\n' >"$work/acme/definitions/site.yaml"
    refused "the module 'acme' declares file[/tmp/x]" <<<'resources: [include: definitions/*.yaml]'
    printf 'rhost = 1\nfile "/tmp/x" { content = "x" }\n' >"$work/acme/recipe.lua"
    refused "the module 'acme' declares file[/tmp/x]" <<<'resources: [include: recipe.lua]'
}

@test "a recipe of a module defines types" {
    cat >"$work/acme/recipe.lua" <<END
define("acme::site", {
    parameters = { text = "String" },
    resources = function(self)
        file("$work/out/" .. self.title) { content = self.text }
    end,
})
END
    echo 'resources: [include: recipe.lua]' >"$work/acme/main.yaml"
    tagged "$work/acme" v2
    added acme v2
    run rhost apply site.yaml
    status_is 0
    [ "$(cat "$work/out/example.org")" = Hello ]
}

@test "what a module requires is checked where it is used" {
    added acme v1.2.0
    sed -i 's/"file": ">= 0.1"/"file": ">= 99"/' modules.lock
    run rhost validate site.yaml
    status_is 1
    says "module 'acme' 1.2.0 requires plugin 'file' >= 99; "
    sed -i 's/"file": ">= 99"/"nginx": "1"/' modules.lock
    run rhost validate site.yaml
    says "module 'acme' 1.2.0 requires plugin 'nginx' 1, which is not installed"
    sed -i 's/"nginx": "1"/"file": "> 0"/; s/"rhost": ">= 0.1, < 2"/"rhost": ">= 99"/' modules.lock
    run rhost validate site.yaml
    says "module 'acme' 1.2.0 requires rhost >= 99; this is "
    sed -i 's/"rhost": ">= 99"/"rhost": "!= 99"/; s/"base": "git/"bass": "git/' modules.lock
    run rhost validate site.yaml
    says "module 'acme' requires module 'bass', which modules.lock does not have"
    sed -i 's/"bass": "git/"base": "git/' modules.lock
    rhost validate site.yaml >/dev/null
    for damage in 's/"format": 1/"format": 2/' 's/"commit": "/"commit": "x/' 's/^{/[/' 's/"acme": {/"..": {/'; do
        cp modules.lock kept
        sed -i "$damage" modules.lock
        run rhost validate site.yaml
        status_is 1
        says 'modules.lock'
        run rhost module list
        status_is 1
        mv kept modules.lock
    done
}

@test "a bundle carries modules" {
    added acme v1.2.0
    run rhost bundle make . -o "$work/out"
    status_is 0
    run rhost apply --noop --insecure "$work/out/r1.json"
    status_is 0
    says 'file[/'
}

@test "a push carries modules, and a target does not use one that differs from the lock" {
    added acme v1.2.0
    cat >"$work/remote" <<END
#!/bin/sh
command=\$1
shift
exec "$abs_top_builddir/rhost" "\$command" --state-dir "$work/target" "\$@"
END
    chmod +x "$work/remote"
    rm -rf "$work/acme" "$work/base"
    run rhost push --remote-rhost "$work/remote" local: site.yaml
    status_is 0
    is "$(cat "$work/out/example.org/page")" 'Hello!'
    echo changed >>modules/acme/files/logo
    run rhost push --remote-rhost "$work/remote" local: site.yaml
    [ "$status" -ne 0 ]
    says "the files in 'modules/acme' are not those of module 'acme' 1.2.0 in modules.lock"
    is "$(cat "$work/out/example.org/logo")" logo
}

@test "one command changes a site at a time, and what a killed one left is removed" {
    added base v2
    mkdir -p modules/.fetched/0
    exec 8<modules
    flock 8
    run rhost module list 8<&-
    exec 8<&-
    status_is 1
    says "another command of 'rhost module' changes 'modules'"
    run rhost module list
    status_is 0
    [ ! -e modules/.fetched ]
}

@test "a module of a directory that another user can change is no module for root" {
    [ "$(id -u)" = 0 ] || skip "not root"
    chown 65534 .
    run rhost module add "git+file://$work/base@v2"
    status_is 1
    says 'cannot change the modules of this site as root'
    [ ! -e modules ]
}

@test "messages of the command line" {
    run rhost module
    status_is 1
    says 'missing command: add, update, install, remove or list'
    run rhost module ad x
    status_is 1
    says "did you mean 'add'?"
    run rhost module add
    says "missing SOURCE after 'rhost module add'"
    run rhost module add a b
    says "unexpected argument 'b'"
    run rhost module list --site=nowhere
    status_is 1
    says "cannot open the directory 'nowhere'"
    run rhost module list
    status_is 0
    says 'no modules'
    [ ! -e modules ]
    cd ..
    run rhost module add --site=site "git+file://$work/base@v2" --format=json
    status_is 0
    says '"change": "added"'
    [ -e site/modules/base/main.yaml ]
}
