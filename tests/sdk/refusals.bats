#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Types that cannot work are refused when they are described, each with its reason.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
fixtures=$abs_top_builddir/tests/sdk/.libs

types_of() {
    mkdir -p plugins
    cp "$fixtures/$1.so" plugins/
    run rhost types --plugin-dir plugins --state-dir state
    status_is 0
}

@test "each way of being wrong has its own reason" {
    types_of worse
    n=0
    while IFS='|' read -r type reason; do
        says "worse.so' is not used: type '$type': $reason"
        says_not "$type $type 0.1"
        n=$((n + 1))
    done <<'END'
bad_initial|attribute 'size': invalid initial value: expects an Integer value, got String
bad_twice|duplicate attribute 'path'
bad_name|'Size' is not a valid name for an attribute
bad_untyped|attribute 'size': missing type
bad_attributes|missing attributes
bad_both|attribute 'size' cannot have both a default and an initial value
bad_read_only|attribute 'size' is read-only and cannot have a default
bad_behaviours|attribute 'size' cannot be both a parameter and init-only
bad_behaviour|attribute 'size': unknown behaviour (bits 0x40000000): the plugin needs a newer rhost than
bad_secret|attribute 'key' is a namevar, which appears in messages: it cannot have the sensitive type Sensitive[String]
bad_bounds|attribute 'size': invalid type 'Integer[5, 0]' at character 9:
ensure_third|attribute 'ensure' must have the type Enum[present, absent] or Optional[Enum[present, absent]], not Enum[present, absent, latest]
ensure_string|attribute 'ensure' must have the type Enum[present, absent] or Optional[Enum[present, absent]], not String
ensure_words|attribute 'ensure' must have the type Enum[present, absent] or Optional[Enum[present, absent]], not Enum[on, off]
ensure_half|attribute 'ensure' must have the type Enum[present, absent] or Optional[Enum[present, absent]], not Enum[present]
ensure_fold|attribute 'ensure' must have the type Enum[present, absent] or Optional[Enum[present, absent]], not Enum[present, absent, true]
ensure_variant|attribute 'ensure' must have the type Enum[present, absent] or Optional[Enum[present, absent]], not Variant[Boolean, Enum[present, absent]]
ensure_parameter|attribute 'ensure' cannot be a parameter
bad_pattern|title pattern /^(?<path>.*/: bad pattern: a group is not closed
bad_group|title pattern /^(?<path>.*)/(?<size>.*)$/: the group 'size' is not a namevar
bad_groupless|title pattern /^(.*)$/ must contain a named group
bad_overlay|action 'grow': the overlay must be a hash
bad_overlay_name|action 'grow': unknown attribute 'sise' in the overlay: did you mean 'size'?
bad_overlay_value|action 'grow': invalid value for attribute 'size' in the overlay: expects a value of type Undef or Integer, got String
bad_overlay_key|action 'grow': the overlay cannot change 'path', which is a namevar
bad_action|'Grow' is not a valid name for an action
bad_action_taken|action 'converge': the name is reserved
bad_action_empty|action 'grow' needs an overlay or an act callback
bad_refresh|unknown refresh action 'shrink'
bad_default_action|unknown default action 'shrink'
bad_relation_form|invalid relation 'autorequire file': expected 'autorequire type[title]'
bad_restore_form|invalid relation 'restores with path': expected 'restores with PARAMETER=WORD'
bad_restore_name|unknown attribute in the relation 'restores with pth=all'
bad_restore_kind|invalid relation 'restores with path=/a': 'path' is not a parameter
bad_restore_value|invalid relation 'restores with way=all': 'way' does not have this value
bad_relation_near|unknown attribute in the relation 'autonotify file[$pth]': did you mean '$path'?
bad_reader|missing callback: the provider needs get or load
bad_writer|set, create/update/remove and converge cannot be used together
END
    [ "$(grep -c "type '\(bad\|ensure\)_" <<<"$output")" -eq $n ]
}

@test "words that mean something on every resource are no attributes" {
    types_of worse
    for word in alias audit before consume export loglevel noop notify provider require schedule \
        stage subscribe tag title; do
        says "type 'taken_$word': attribute '$word': the name is reserved"
    done
}

@test "other words of manifests may be attributes" {
    types_of worse
    says "taken_when taken_when 0.1"
}

@test "what is right is used, among all that is wrong" {
    types_of worse
    for type in good_order good_optional good_undef good_action undocumented; do
        says "$type $type 0.1"
    done
}

@test "a default that is not JSON is refused with its type and attribute" {
    types_of garbled
    says "garbled.so' is not used: type 'garbled': attribute or action 'size': its default: invalid JSON"
    says 'a JSON string needs quotes: "\"large\""'
}

@test "what lacks documentation is named to who looks at it, and not in every run" {
    types_of worse
    says_not 'no documentation'
    run rhost describe --plugin-dir plugins --state-dir state undocumented
    status_is 0
    says "warning: no documentation for 'undocumented', 'undocumented.size': add 'desc' in the plugin"
    run rhost describe --plugin-dir plugins --state-dir state good_order
    says_not 'no documentation'
}
