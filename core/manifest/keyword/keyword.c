/* SPDX-License-Identifier: Apache-2.0 */
/* keyword - the words that mean something on every resource. */
#include "config.h"

#include "manifest/keyword/keyword.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "manifest/expression/expression.h"
#include "manifest/expression/later.h"
#include "manifest/keyword/conduct.h"
#include "manifest/keyword/meta.h"
#include "manifest/keyword/schedule.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

void
rh_keyword_values_clear(struct rh_keyword_values *keywords)
{
    free(keywords->relations);
    free(keywords->actions);
    free(keywords->notifications);
    *keywords = (struct rh_keyword_values){ 0 };
}

/* The statuses that a command may return are not its type's to judge where an expression does. */
static void
let_all_return(struct rh_load *load, struct rh_resource *r)
{
    const struct rh_attr *attr = rh_type_attr(r->type, "returns");
    struct rh_value *any = rh_value_string(load->catalog->arena, "any"), *should;

    if (!attr || !rh_datatype_match(attr->type, any) || !r->should || rh_value_get(r->declared, "returns"))
        return;
    should = rh_value_copy_top(load->catalog->arena, r->should);
    rh_value_put_ref(should, attr->name, any);
    r->should = should;
}

void
rh_keyword_values_state(struct rh_load *load, const struct rh_keyword_values *keywords, struct rh_resource *r)
{
    struct rh_conduct *conduct = NULL;

    if (rh_conduct_needs_own_batch(&keywords->conduct) || keywords->conduct.ignore_failure) {
        conduct = rh_arena_alloc(load->catalog->arena, sizeof *conduct);
        *conduct = keywords->conduct;
    }
    if (keywords->conduct.only_if)
        (void)rh_later_note(load, r, keywords->conduct.only_if);
    if (keywords->conduct.not_if)
        (void)rh_later_note(load, r, keywords->conduct.not_if);
    if (keywords->conduct.success_when)
        let_all_return(load, r);
    r->conduct = conduct; /* an edit may have taken back what there was */
    rh_keyword_values_relate(load, keywords, r);
}

void
rh_keyword_values_relate(struct rh_load *load, const struct rh_keyword_values *keywords,
                         struct rh_resource *r)
{
    for (size_t i = 0; i < keywords->n_relations; i++)
        rh_catalog_state(load->catalog, r, keywords->relations[i].kind, &keywords->relations[i].to);
    for (size_t i = 0; i < keywords->n_notifications; i++) {
        struct rh_stated_notification *s = rh_arena_alloc(load->catalog->arena, sizeof *s);

        *s = keywords->notifications[i];
        rh_catalog_notify(r, s);
    }
}

void
rh_keyword_values_trigger(struct rh_load *load, const struct rh_keyword_values *keywords,
                          struct rh_resource *r)
{
    for (size_t i = 0; i < keywords->n_actions; i++)
        rh_catalog_trigger_at(load->catalog, r, keywords->actions[i], keywords->anchor,
                              keywords->anchor_after);
    if (!keywords->n_actions)
        rh_catalog_trigger_at(load->catalog, r, r->type->default_action, keywords->anchor,
                              keywords->anchor_after);
}

/* Relations. */

static int
add_relation(struct rh_load *load, struct rh_keyword_values *keywords, enum rh_relation_kind kind,
             const struct rh_value *v)
{
    struct rh_relation_word *word;
    struct rh_reference to;

    if (rh_keyword_reference(load, v, &to) < 0)
        return -1;
    keywords->relations =
        rh_xgrow(keywords->relations, &keywords->cap_relations, keywords->n_relations, sizeof *word);
    keywords->relations[keywords->n_relations++] = (struct rh_relation_word){ .kind = kind, .to = to };
    return 0;
}

static const char wanted_reference[] = "expected a reference, like package[nginx], or a list of them";

static int
one_require(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_value *v)
{
    return add_relation(load, keywords, RH_REQUIRE, v);
}

static int
read_require(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    return rh_keyword_texts(load, keywords, v, wanted_reference, one_require);
}

static int
one_before(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_value *v)
{
    return add_relation(load, keywords, RH_BEFORE, v);
}

static int
read_before(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    return rh_keyword_texts(load, keywords, v, wanted_reference, one_before);
}

static int
one_notify(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_value *v)
{
    return add_relation(load, keywords, RH_NOTIFY, v);
}

static int
read_notify(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    return rh_keyword_texts(load, keywords, v, wanted_reference, one_notify);
}

static int
one_subscribe(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_value *v)
{
    return add_relation(load, keywords, RH_SUBSCRIBE, v);
}

static int
read_subscribe(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    return rh_keyword_texts(load, keywords, v, wanted_reference, one_subscribe);
}

static int
read_anchor(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_value *v, bool after)
{
    if (keywords->anchor || !rh_value_is(v, RH_STRING) || !v->count) {
        rh_complain(load->complaints, rh_value_place(v), NULL,
                    keywords->anchor ? "'insert_before' and 'insert_after' cannot be used together"
                                     : "expected a reference, like service[nginx]");
        return -1;
    }
    keywords->anchor = rh_arena_alloc(load->catalog->arena, sizeof *keywords->anchor);
    keywords->anchor_after = after;
    return rh_keyword_reference(load, v, keywords->anchor);
}

static int
read_insert_before(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    return read_anchor(load, keywords, v, false);
}

static int
read_insert_after(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    return read_anchor(load, keywords, v, true);
}

/* The action. */

static int
refuse_action(struct rh_load *load, const struct rh_type *t, const struct rh_value *v)
{
    rh_autobuf struct rh_buf hint = { 0 };

    rh_buf_addf(&hint, "its actions are: converge, nothing");
    for (size_t i = 0; i < t->n_actions; i++)
        rh_buf_addf(&hint, ", %s", t->actions[i].name);
    rh_complain(load->complaints, rh_value_place(v), rh_buf_text(&hint), "unknown action '%s' for type '%s'",
                v->u.string, t->type);
    return -1;
}

static int
one_action(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_value *v)
{
    const struct rh_action *action = rh_type_action(keywords->type, v->u.string);

    if (strcmp(v->u.string, "nothing") == 0) {
        keywords->nothing = true;
        return 0;
    }
    if (!action && strcmp(v->u.string, "converge") != 0)
        return refuse_action(load, keywords->type, v);
    keywords->actions = rh_xgrow((void *)keywords->actions, &keywords->cap_actions, keywords->n_actions,
                                 sizeof *keywords->actions);
    keywords->actions[keywords->n_actions++] = action ? action->name : "converge";
    return 0;
}

static int
read_action(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    int rc = rh_keyword_texts(load, keywords, v, "expected an action or a list of actions", one_action);

    if (keywords->nothing && keywords->n_actions) {
        rh_complain(load->complaints, rh_value_place(v), "remove 'nothing' or the other actions",
                    "'nothing' cannot be combined with other actions");
        return -1;
    }
    return rc;
}

/* The rest. */

/* What was asked for before: which provider decides which attributes there are; and `when` and
 * `for_each` whether the entry is read, and how often. */
static int
read_before_all(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    (void)load;
    (void)keywords;
    (void)v;
    return 0;
}

static int
read_noop(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    (void)rh_scalar_read(load->catalog->arena, NULL, v);
    if (!rh_value_is(v, RH_BOOLEAN)) {
        rh_complain(load->complaints, rh_value_place(v), "write 'true' or 'false'",
                    "noop must be a boolean, not %s", rh_kind_name(v->kind));
        return -1;
    }
    keywords->noop = v->u.integer != 0;
    keywords->noop_specified = true;
    return 0;
}

static int
one_sensitive(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_value *v)
{
    const char *best;
    rh_autofree char *hint = NULL;

    if (rh_type_attr(keywords->type, v->u.string)) {
        rh_keyword_values_secret(load, keywords, rh_type_attr(keywords->type, v->u.string)->name);
        return 0;
    }
    best = rh_type_suggest(keywords->type, v->u.string);
    hint = rh_did_you_mean(best, NULL);
    rh_complain(load->complaints, rh_value_place(v), hint, "unknown attribute '%s' for type '%s'",
                v->u.string, keywords->type->type);
    return -1;
}

static int
read_sensitive(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    return rh_keyword_texts(load, keywords, v, "expected the name of an attribute, or a list of names",
                            one_sensitive);
}

/* Data types of values. Lists of notifications are held against the type of one by their reader only. */
#define TEXT "String[1]"
#define TEXTS "Variant[String[1], Array[String[1]]]"
#define GUARD "Variant[String[1], Array[Variant[String[1], Array[String[1]]]]]"
#define NOTIFICATION                                                                                         \
    "Struct[{action => String[1], resource => " TEXTS ", when => Enum[delayed, immediately, before], "       \
    "on_failure => Enum[run, hold, drop]}]"
#define NOTIFICATIONS "Variant[Array[Variant[String[1], Array, " NOTIFICATION "]], " NOTIFICATION "]"
#define LEVEL "Enum[debug, verbose, info, notice, warning, err, error, crit, alert, emerg]"
#define TEMPLATE "Variant[String[1], Struct[{file => String[1], variables => Optional[Hash]}]]"

static const struct rh_keyword keywords[] = {
    { "require", "Resources that are applied before this one.", TEXTS, read_require },
    { "before", "Resources that are applied after this one.", TEXTS, read_before },
    { "notify", "Resources that are applied after this one and refreshed when it changes.", TEXTS,
      read_notify },
    { "subscribe", "Resources that are applied before this one and refresh it when they change.", TEXTS,
      read_subscribe },
    { "notifies", "Actions of others to run when this one changes.", NOTIFICATIONS, rh_read_notifies },
    { "subscribes", "Actions of this one to run when others change.", NOTIFICATIONS, rh_read_subscribes },
    { "action", "The actions to run, or 'nothing'.", TEXTS, read_action },
    { "insert_before", "Insert the entry into the action list before the first entry of this resource.", TEXT,
      read_insert_before },
    { "insert_after", "Insert the entry into the action list after the last entry of this resource.", TEXT,
      read_insert_after },
    { "provider", "The provider to use, where the type has several.", TEXT, read_before_all },
    { "noop", "Whether to show only what would change.", "Boolean", read_noop },
    { "sensitive", "Attributes whose values are secret and never shown.", TEXTS, read_sensitive },
    { "only_if", "A command, or several: the resource is skipped unless all succeed.", GUARD,
      rh_read_only_if },
    { "not_if", "A command, or several: the resource is skipped when one succeeds.", GUARD, rh_read_not_if },
    { "retries", "The number of further attempts after a failure.", "Integer", rh_read_retries },
    { "retry_delay", "Seconds between attempts.", "Numeric", rh_read_retry_delay },
    { "timeout", "The time limit of each attempt, in seconds.", "Numeric", rh_read_timeout },
    { "success_when", "An expression over the result: whether the resource has succeeded.", "String[1]",
      rh_read_success_when },
    { "changed_when", "An expression over the result: whether the resource was changed.", "String[1]",
      rh_read_changed_when },
    { "until", "An expression over the result: it is tried again until this is true.", "String[1]",
      rh_read_until },
    { "ignore_failure", "Whether the run continues when the resource fails.", "Boolean",
      rh_read_ignore_failure },
    { "tag", "Tags for --tags and --skip-tags.", TEXTS, rh_read_tag },
    { "alias", "Other names of the resource, for references.", TEXTS, rh_read_alias },
    { "loglevel", "The level at which changes are reported.", LEVEL, rh_read_loglevel },
    { "audit", "Attributes whose changes are reported, or 'all'.", TEXTS, rh_read_audit },
    { "verify", "Whether to read the resource again after a change, and fail when it differs.", "Boolean",
      rh_read_verify },
    { "replace",
      "Whether to remove the resource and create it again, where an attribute differs that can only be set "
      "then.",
      "Boolean", rh_read_replace },
    { "backup",
      "Whether the state before a change is kept, so that the change can be undone; 'sensitive': with "
      "sensitive values, encrypted.",
      "Variant[Boolean, Enum[sensitive]]", rh_read_backup },
    { "schedule", "When the resource may be applied.", "Variant[String[1], " RH_SCHEDULE_TYPE "]",
      rh_read_schedule },
    { "when", "A condition: the entry is ignored when it is false.", "Variant[Boolean, String[1]]",
      read_before_all },
    { "for_each", "A list or hash: the entry is repeated for each element, which is named 'each'.",
      "Variant[Array, Hash]", read_before_all },
    { "template", "A template file that makes the attribute 'content'.", TEMPLATE, rh_read_template },
};

const struct rh_keyword *
rh_keyword_at(size_t i)
{
    return i < sizeof keywords / sizeof keywords[0] ? &keywords[i] : NULL;
}

const struct rh_keyword *
rh_keyword_find(const char *word)
{
    enum { MANY = sizeof keywords / sizeof keywords[0] };
    static unsigned char first[256],
        next[MANY + 1]; /* the numbers, from 1, of those that begin with one letter */
    static bool linked;

    for (size_t i = MANY; !linked && i; i--) {
        unsigned char *head = &first[(unsigned char)keywords[i - 1].word[0]];

        next[i] = *head;
        *head = (unsigned char)i;
    }
    linked = true;
    for (size_t i = first[(unsigned char)word[0]]; i; i = next[i])
        if (strcmp(keywords[i - 1].word, word) == 0)
            return &keywords[i - 1];
    return NULL;
}

static bool
is_one_of(const char *const *words, const char *word)
{
    for (size_t i = 0; words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

bool
rh_keyword_leads(const char *word)
{
    static const char *const words[] = { "for_each", "provider", "sensitive", "when", NULL };

    return is_one_of(words, word);
}

bool
rh_keyword_adds_up(const char *word)
{
    static const char *const words[] = { "before", "notify", "require", "subscribe", "tag", NULL };

    return is_one_of(words, word);
}

bool
rh_keyword_is_common(const char *word)
{
    static const char *const words[] = { "backup",   "ignore_failure", "loglevel", "noop",    "not_if",
                                         "notifies", "only_if",        "replace",  "retries", "retry_delay",
                                         "schedule", "timeout",        "verify",   NULL };

    return rh_keyword_adds_up(word) || is_one_of(words, word);
}

void
rh_keyword_suggest(struct rh_suggest *s)
{
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        rh_suggest_try(s, keywords[i].word);
}
