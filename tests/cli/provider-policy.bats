#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the operator lets providers do: --provider-policy, /etc/rhost/providers.yaml.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# Two plugins of others: one declares what it needs, and one does not.
setup() {
    work_open
    plugins=$BATS_TEST_TMPDIR/plugins
    for name in acme-open acme-shut; do
        mkdir -p "$plugins/$name"
        cat >"$plugins/$name/type.yaml" <<END
type: ${name/-/_}
version: "1.0"
desc: A text.
program: ./answer.sh
features: simple_get_filter
attributes:
  path: {type: 'Pattern[/\A\//]', desc: Where., behaviour: namevar}
  text: {type: 'Optional[String]', desc: What.}
END
        cat >"$plugins/$name/answer.sh" <<'END'
#!/bin/sh
while read -r line; do
    case $line in
    '{"hello"'*) echo '{"hello":{"protocol":1}}' ;;
    '{"get"'*)
        path=${line#*'"path":"'}
        path=${path%%'"'*}
        text=refused
        (: >"$path") 2>/dev/null && text=written
        printf '{"resource":{"path":"%s","text":"%s"}}\n{"done":true}\n' "$path" $text
        ;;
    *) echo '{"done":true}' ;;
    esac
done
END
        chmod +x "$plugins/$name/answer.sh"
    done
    echo "needs: 'write[\$path]'" >>"$plugins/acme-shut/type.yaml"
    cat >site.yaml <<END
resources:
  - acme_open: $work/open
    text: x
  - acme_shut: $work/shut
    text: x
END
}

policy() {
    cat >providers.yaml
}

noop() {
    run rhost apply --plugin-dir "$plugins" --provider-policy providers.yaml --noop "$@" site.yaml
}

@test "without a policy all providers are used, and nothing is said" {
    run rhost apply --plugin-dir "$plugins" --noop site.yaml
    status_is 0
    says_not warning
}

@test "providers that declare nothing are allowed, warned of, or refused" {
    policy <<<'undeclared: allow'
    noop
    status_is 0
    says_not warning
    policy <<<'undeclared: warn'
    noop
    status_is 0
    says "warning: provider 'acme_open' of the type 'acme_open' declares no needs: it is not confined"
    [ "$(grep -c 'declares no needs' <<<"$output")" -eq 1 ]
    policy <<<'undeclared: refuse'
    noop
    status_is 1
    says "provider 'acme_open' of the type 'acme_open' declares no needs, and 'providers.yaml' refuses that"
    says_not "'acme_shut' declares"
}

@test "plugins that are not listed are not used" {
    local built=$abs_top_builddir/plugins/.libs # where those of rhost are in the build tree
    policy <<<"plugins: ['acme-s*', '$built']"
    cat >>site.yaml <<END
  - file: $work/a
    content: x
END
    noop
    status_is 1
    says "the plugin '$plugins/acme-open/type.yaml' is not used: it is not one of the 'plugins' in 'providers.yaml'"
    says "unknown type 'acme_open'"
    says_not "unknown type 'acme_shut'"
    policy <<<"plugins: ['$plugins', '$built']"
    noop
    status_is 0
    policy <<<'plugins: []'
    noop
    says "unknown type 'acme_shut'"
    says "unknown type 'file'"
}

@test "a need that is denied is refused by the kernel, also without --isolation=confined" {
    requires_root
    [ "$RHOST_ISOLATION" != none ] || skip "a process of its own is confined"
    sed -i '2,3d' site.yaml
    noop
    policy <<<'undeclared: allow'
    noop
    status_is 0
    says 'text written → x'
    rm -f shut
    policy <<END
deny:
  - provider: acme_shut
    needs: ['write[$work]']
END
    noop
    status_is 0
    says 'text refused → x'
    [ ! -e shut ]
    policy <<END
deny:
  - {provider: other, needs: [write]}
END
    noop
    says 'text written → x'
}

@test "what is denied to a provider that declares nothing can't be enforced, and it is refused" {
    policy <<'END'
deny:
  - {provider: '*', needs: [network]}
END
    RHOST_ISOLATION=worker noop
    status_is 1
    says "declares no needs: what 'providers.yaml' denies it cannot be enforced"
    RHOST_ISOLATION=none noop
    status_is 1
    says "'providers.yaml' denies needs, which --isolation=none cannot enforce"
}

@test "the isolation of the policy counts where none is given" {
    requires_root
    sed -i '2,3d' site.yaml
    sed -i "s/^needs:.*/needs: []/" "$plugins/acme-shut/type.yaml"
    policy <<<'isolation: confined'
    run "$abs_top_builddir/rhost" apply --state-dir "$BATS_TEST_TMPDIR/state" --plugin-dir "$plugins" \
        --provider-policy providers.yaml --noop site.yaml
    status_is 0
    says 'text refused → x'
    run "$abs_top_builddir/rhost" apply --state-dir "$BATS_TEST_TMPDIR/state" --plugin-dir "$plugins" \
        --provider-policy providers.yaml --isolation=worker --noop site.yaml
    status_is 0
    says 'text written → x'
}

@test "what is wrong with a policy is refused with its place, all at once" {
    policy <<'END'
isolation: none
undeclared: maybe
plugin: [a]
plugins: [a/b]
deny:
  - provider: x
    needs: [networks, 'network[tcp:0]', 'read[~anna/x]']
  - needs: [run]
  - {provider: y, need: []}
END
    noop
    status_is 1
    says "providers.yaml:1:12: error: 'isolation' must be worker or confined"
    says "providers.yaml:2:13: error: 'undeclared' must be allow, warn or refuse"
    says "providers.yaml:3:1: error: unknown key 'plugin' in the policy for providers"
    says "did you mean 'plugins'?"
    says "providers.yaml:4:11: error: a plugin must be given by its name, or by its directory as an absolute path"
    says "providers.yaml:7:13: error: 'networks' is not a need"
    says "providers.yaml:7:23: error: 'network[tcp:0]' is not a need"
    says "providers.yaml:7:41: error: 'read[~anna/x]' is not a need"
    says "providers.yaml:8:5: error: 'provider' must be the name of a provider or type, TYPE/PROVIDER, or '*' for each"
    says "unknown key 'need' in an entry of 'deny'"
    says 'nothing was changed'
    noop --format=json
    status_is 1
    echo "$output" >out.json
    json_is out.json 'len(d["errors"]) >= 9' True
}

@test "a policy that is named and not there is refused, and one that others can change is, as root" {
    noop
    status_is 1
    says "providers.yaml"
    requires_root
    policy <<<'undeclared: allow'
    chown 12345 providers.yaml
    noop
    status_is 1
    says "the policy for providers in 'providers.yaml' cannot be trusted"
}

@test "the policy that is packaged is one" {
    cp "$abs_top_srcdir/packaging/providers.yaml" .
    noop
    status_is 0
    says "'acme_open' declares no needs"
    sed -i 's/^#\(isolation\|plugins\|deny\|  -\|    needs\)/\1/' providers.yaml
    [ "$(grep -c '^ *[a-z-]' providers.yaml)" -eq 6 ]
    RHOST_ISOLATION=worker noop
    status_is 0
}

@test "an undo is possible although the policy of the machine is wrong, and says so" {
    requires_root
    cat >site.yaml <<END
resources:
  - file: $work/f
    content: new
END
    echo old >f
    mkdir -p etc/rhost
    echo 'isolation: jail' >etc/rhost/providers.yaml
    cp -a /etc/passwd /etc/group /etc/nsswitch.conf etc/
    rhost apply site.yaml
    is "$(cat f)" new
    with_policy() {
        run unshare -m sh -c 'mount --bind etc /etc && exec "$@"' sh \
            "$abs_top_builddir/rhost" "$@" --state-dir "$BATS_TEST_TMPDIR/state"
    }
    with_policy apply site.yaml
    status_is 1
    says "'isolation' must be worker or confined"
    with_policy undo last
    status_is 0
    says "'isolation' must be worker or confined"
    says "the policy for providers in '/etc/rhost/providers.yaml' is wrong, going on without it"
    is "$(cat f)" old
    # One that was asked for by name counts.
    run rhost undo --provider-policy etc/rhost/providers.yaml last
    status_is 1
}
