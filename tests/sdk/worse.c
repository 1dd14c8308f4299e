/* SPDX-License-Identifier: Apache-2.0 */
/* worse - types that are wrong in one way each, told apart by their names; the others are right. */
#include "note.h"

#define PATH                                                                                                 \
    {                                                                                                        \
        .name = "path", .type = "String[1]", .behaviour = RHOST_NAMEVAR, .desc = "Where."                    \
    }
#define ATTR(n, t, ...)                                                                                      \
    {                                                                                                        \
        .name = n, .type = t, .desc = "What.", __VA_ARGS__                                                   \
    }
#define CALLBACKS .load = note_load, .update = note_write
#define PROVIDER(t, ...)                                                                                     \
    static const struct rhost_provider t = { RHOST_PROVIDER(#t, "Is wrong."), RHOST_ATTRS(t##_attrs),        \
                                             __VA_ARGS__ }
/* A type with one more attribute. */
#define WITH_ATTR(t, n, type_text, ...)                                                                      \
    static const struct rhost_attr t##_attrs[] = { PATH, ATTR(n, type_text, __VA_ARGS__) };                  \
    PROVIDER(t, CALLBACKS)
/* A type with an action. */
#define WITH_ACTION(t, n, laid_over, ...)                                                                    \
    static const struct rhost_attr t##_attrs[] = { PATH, ATTR("size", "Optional[Integer]", 0) };             \
    static const struct rhost_action t##_actions[] = { { n, "Does it.", laid_over } };                       \
    PROVIDER(t, CALLBACKS, RHOST_ACTIONS(t##_actions), __VA_ARGS__)
/* A type with a title pattern. */
#define WITH_PATTERN(t, pattern)                                                                             \
    static const struct rhost_attr t##_attrs[] = { PATH, ATTR("size", "Optional[Integer]", 0) };             \
    static const char *const t##_patterns[] = { pattern, NULL };                                             \
    PROVIDER(t, CALLBACKS, .title_patterns = t##_patterns)

WITH_ATTR(bad_initial, "size", "Integer[0, 5]", .initial = "\"five\"");
WITH_ATTR(bad_twice, "path", "String", 0);
WITH_ATTR(bad_name, "Size", "String", 0);
WITH_ATTR(bad_untyped, "size", NULL, 0);
WITH_ATTR(bad_both, "size", "Integer", .default_value = "1", .initial = "2");
WITH_ATTR(bad_read_only, "size", "Integer", .default_value = "1", .behaviour = RHOST_READ_ONLY);
WITH_ATTR(bad_behaviours, "size", "Integer", .behaviour = RHOST_PARAMETER | RHOST_INIT_ONLY);
WITH_ATTR(bad_behaviour, "size", "Integer", .behaviour = UINT64_C(1) << 30);
WITH_ATTR(bad_secret, "key", "Sensitive[String]", .behaviour = RHOST_NAMEVAR);
WITH_ATTR(bad_bounds, "size", "Integer[5, 0]", 0);

WITH_ATTR(ensure_third, "ensure", "Enum[present, absent, latest]", 0);
WITH_ATTR(ensure_string, "ensure", "String", 0);
WITH_ATTR(ensure_words, "ensure", "Enum[on, off]", 0);
WITH_ATTR(ensure_half, "ensure", "Enum[present]", 0);
WITH_ATTR(ensure_fold, "ensure", "Enum[present, absent, true]", 0);
WITH_ATTR(ensure_variant, "ensure", "Variant[Boolean, Enum[present, absent]]", 0);
WITH_ATTR(ensure_parameter, "ensure", "Enum[present, absent]", .behaviour = RHOST_PARAMETER);
WITH_ATTR(good_order, "ensure", "Enum[absent, present]", 0);
WITH_ATTR(good_optional, "ensure", "Optional[Enum[present, absent]]", 0);
WITH_ATTR(good_undef, "ensure", "Variant[Undef, Enum[present, absent]]", 0);

WITH_PATTERN(bad_pattern, "^(?<path>.*");
WITH_PATTERN(bad_group, "^(?<path>.*)/(?<size>.*)$");
WITH_PATTERN(bad_groupless, "^(.*)$");

WITH_ACTION(bad_overlay, "grow", "[1]", 0);
WITH_ACTION(bad_overlay_name, "grow", "{\"sise\": 1}", 0);
WITH_ACTION(bad_overlay_value, "grow", "{\"size\": \"x\"}", 0);
WITH_ACTION(bad_overlay_key, "grow", "{\"path\": \"x\"}", 0);
WITH_ACTION(bad_action, "Grow", "{\"size\": 1}", 0);
WITH_ACTION(bad_action_taken, "converge", "{\"size\": 1}", 0);
WITH_ACTION(bad_action_empty, "grow", NULL, 0);
WITH_ACTION(bad_refresh, "grow", "{\"size\": 1}", .refresh_action = "shrink");
WITH_ACTION(bad_default_action, "grow", "{\"size\": 1}", .default_action = "shrink");
WITH_ACTION(good_action, "grow", "{\"size\": 1}", .refresh_action = "grow");

static const struct rhost_provider bad_attributes = { RHOST_PROVIDER("bad_attributes", "Is wrong."),
                                                      CALLBACKS };

#define WAY                                                                                                  \
    {                                                                                                        \
        .name = "way", .type = "Enum[one, other]", .behaviour = RHOST_PARAMETER, .desc = "How."              \
    }
static const char *const bad_restore_form_relations[] = { "restores with path", NULL };
static const struct rhost_attr bad_restore_form_attrs[] = { PATH, WAY };
PROVIDER(bad_restore_form, CALLBACKS, .relations = bad_restore_form_relations);
static const char *const bad_restore_name_relations[] = { "restores with pth=all", NULL };
static const struct rhost_attr bad_restore_name_attrs[] = { PATH, WAY };
PROVIDER(bad_restore_name, CALLBACKS, .relations = bad_restore_name_relations);
static const char *const bad_restore_kind_relations[] = { "restores with path=/a", NULL };
static const struct rhost_attr bad_restore_kind_attrs[] = { PATH, WAY };
PROVIDER(bad_restore_kind, CALLBACKS, .relations = bad_restore_kind_relations);
static const char *const bad_restore_value_relations[] = { "restores with way=all", NULL };
static const struct rhost_attr bad_restore_value_attrs[] = { PATH, WAY };
PROVIDER(bad_restore_value, CALLBACKS, .relations = bad_restore_value_relations);
static const char *const bad_relation_form_relations[] = { "autorequire file", NULL };
static const struct rhost_attr bad_relation_form_attrs[] = { PATH };
PROVIDER(bad_relation_form, CALLBACKS, .relations = bad_relation_form_relations);

static const char *const bad_relation_near_relations[] = { "autonotify file[$pth]", NULL };
static const struct rhost_attr bad_relation_near_attrs[] = { PATH };
PROVIDER(bad_relation_near, CALLBACKS, .relations = bad_relation_near_relations);

static const struct rhost_attr bad_reader_attrs[] = { PATH };
PROVIDER(bad_reader, .update = note_write);

static const struct rhost_attr bad_writer_attrs[] = { PATH };
PROVIDER(bad_writer, CALLBACKS, .converge = note_write);

/* Each word that means something on every resource. */
#define TAKEN(n) WITH_ATTR(taken_##n, #n, "String", 0)
TAKEN(alias);
TAKEN(audit);
TAKEN(before);
TAKEN(consume);
TAKEN(export);
TAKEN(loglevel);
TAKEN(noop);
TAKEN(notify);
TAKEN(provider);
TAKEN(require);
TAKEN(schedule);
TAKEN(stage);
TAKEN(subscribe);
TAKEN(tag);
TAKEN(title);
TAKEN(when);

static const struct rhost_attr undocumented_attrs[] = {
    PATH,
    { .name = "size", .type = "Optional[Integer]" },
};
static const struct rhost_provider undocumented = { RHOST_PROVIDER("undocumented", NULL),
                                                    RHOST_ATTRS(undocumented_attrs), CALLBACKS };

RHOST_PLUGIN(worse, "0.1", &bad_initial, &bad_twice, &bad_name, &bad_untyped, &bad_both, &bad_read_only,
             &bad_behaviours, &bad_behaviour, &bad_secret, &bad_bounds, &ensure_third, &ensure_string,
             &ensure_words, &ensure_half, &ensure_fold, &ensure_variant, &ensure_parameter, &good_order,
             &good_optional, &good_undef, &bad_pattern, &bad_group, &bad_groupless, &bad_overlay,
             &bad_overlay_name, &bad_overlay_value, &bad_overlay_key, &bad_action, &bad_action_taken,
             &bad_action_empty, &bad_refresh, &bad_default_action, &good_action, &bad_relation_form,
             &bad_restore_form, &bad_restore_name, &bad_restore_kind, &bad_restore_value, &bad_relation_near,
             &bad_reader, &bad_writer, &taken_alias, &taken_audit, &taken_before, &taken_consume,
             &taken_export, &taken_loglevel, &taken_noop, &taken_notify, &taken_provider, &taken_require,
             &taken_schedule, &taken_stage, &taken_subscribe, &taken_tag, &taken_title, &taken_when,
             &bad_attributes, &undocumented)
