# SPDX-License-Identifier: Apache-2.0
# What of the tree goes through rhost check: the plugins that were built, each with its fixture. The bridge serves
# types of others, which are its examples here.

checked_examples=$abs_top_srcdir/docs/examples/executable

checked_names() {
    local so
    for so in "$abs_top_builddir"/plugins/.libs/*.so; do
        [ "$(basename "$so" .so)" = bridge ] || basename "$so" .so
    done
    basename -a "$checked_examples"/*/
}

checked_plugin() {
    if [ -d "$checked_examples/$1" ]; then
        echo "$checked_examples/$1"
    else
        echo "$abs_top_builddir/plugins/.libs/$1.so"
    fi
}

checked_fixture() {
    if [ -d "$checked_examples/$1" ]; then
        echo "$checked_examples/$1/fixture.yaml"
    else
        find "$abs_top_srcdir/plugins" -name "$1.fixture.yaml"
    fi
}

# checks_that_end_soon NAME: leaves in `checks` the options for a plugin whose answers take a program that starts slowly.
# "make check-plugins" (RHOST_TEST_ALL_CHECKS=1) has all checks, as any other plugin has here.
checks_that_end_soon() {
    local check

    checks=(--rounds=20 --allocations=1 --faults=40)
    [ -z "${RHOST_TEST_ALL_CHECKS-}" ] || return 0
    checks=(--rounds=5 --allocations=1 --faults=3)
    if [[ $1 = debconf || $1 = firewalld_rule || $1 = ufw* ]]; then # each of its answers takes a tenth of a second, and more than one program
        for check in static reads writes creates idempotent updates removes noop refuses secret needs confined; do
            checks+=(--only "$check")
        done
        return
    fi
    for check in static suits reads writes creates idempotent updates replaces alone batch acts removes removes-anyway \
        removes-again afresh noop noop-tells refuses secret secret-files stops needs confined descriptors random no-memory; do
        checks+=(--only "$check")
    done
    # Of manners, which are one run for all: see rh_check_side_effects.
    for check in children umask directory locale signals kinds environment threads timers quiet; do
        checks+=(--only "$check")
    done
    # What dnf is read by is that of rpm, which has these as well.
    [ "$1" = package-dnf ] || for check in fits canonical stable validates once by-name agrees absent listed; do
        checks+=(--only "$check")
    done
}

# checks_that_find_most: leaves in `checks` the options for those that found most of the defects of plugins so far.
checks_that_find_most() {
    local check

    checks=(--rounds=5 --allocations=1 --faults=2)
    for check in static reads writes creates idempotent updates alone removes noop refuses secret needs confined faults; do
        checks+=(--only "$check")
    done
}

# Those of files to themselves are left out: see check-packages.bats and check-programs.bats.
most_names() {
    checked_names | grep -vE '^(package|python|shell)-|^(mysql|postgresql)_'
}

# plugin_passes NAME: in a test.
plugin_passes() {
    local name=$1 checks=(--rounds=200 --allocations=3 --faults=14)

    case $name in
    debconf | firewalld_rule | ufw | ufw_rule | package-dnf | git | mysql_* | postgresql_* | python-* | shell-*) checks_that_end_soon "$name" ;;
    apt_upgrade | package-* | ssh_key | user) checks=(--rounds=20 --allocations=1 --faults=5) ;;
    esac
    [ -z "${RHOST_TEST_FEW_CHECKS-}" ] || checks_that_find_most
    run rhost check "$(checked_plugin "$name")" --fixture "$(checked_fixture "$name")" --time-limit=60 \
        --seed=1 "${checks[@]}"
    [ "$status" -eq 0 ] || echo "$name:"
    status_is 0
    if [ -d "$(checked_plugin "$name")" ]; then # the examples of docs/authors/executable-providers.md
        says_not warn
        says "pass idempotent"
        says "pass noop"
    fi
    grep '^skip .* the fixture needs' <<<"$output" | head -n 1 | sed "s/^/# $name: /" >&3 || true
}

# postgresql_passes NAME: the same, where each check has a server. What that begins with is made once.
postgresql_passes() {
    [ -e "$(checked_plugin "$1")" ] || skip "built without libpq or libcrypto"
    export PG_CLUSTER=$work/cluster
    sh "$abs_top_srcdir/plugins/postgresql_role/server.sh" --make "$PG_CLUSTER" || unset PG_CLUSTER
    plugin_passes "$1"
}

# mysql_passes NAME: the same with a server of MariaDB.
mysql_passes() {
    [ -e "$(checked_plugin "$1")" ] || skip "built without libmariadb or libcrypto"
    export MYSQL_DATA=$work/data
    sh "$abs_top_srcdir/plugins/mysql_user/server.sh" --make "$MYSQL_DATA" || unset MYSQL_DATA
    plugin_passes "$1"
}
