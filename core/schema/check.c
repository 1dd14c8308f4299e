/* SPDX-License-Identifier: Apache-2.0 */
/* check - whether what a type says of itself goes together. */
#include "config.h"

#include "schema/check.h"

#include "base/error.h"
#include "base/text.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "schema/type.h"

#include <string.h>

/* Each says what an attribute is for, and an attribute is for one thing (S9). */
static const struct {
    uint32_t bit;
    const char *word;
} behaviours[] = {
    { RH_NAMEVAR, "a namevar" },
    { RH_PARAMETER, "a parameter" },
    { RH_READ_ONLY, "read-only" },
    { RH_INIT_ONLY, "init-only" },
};

enum { N_BEHAVIOURS = sizeof behaviours / sizeof behaviours[0] };

static int
check_behaviour(const struct rh_attr *attr, struct rh_error *err)
{
    const char *first = NULL;

    for (size_t i = 0; i < N_BEHAVIOURS; i++) {
        if (!(attr->behaviour & behaviours[i].bit))
            continue;
        if (first)
            return rh_error_set(err, RH_EINPUT, "attribute '%s' cannot be both %s and %s", attr->name, first,
                                behaviours[i].word);
        first = behaviours[i].word;
    }
    if (attr->behaviour & RH_NAMEVAR && (attr->sensitive || attr->sensitive_within))
        return rh_error_set(
            err, RH_EINPUT,
            "attribute '%s' is a namevar, which appears in messages: it cannot have the sensitive type %s",
            attr->name, attr->type_text);
    if (attr->behaviour & RH_READ_ONLY && (attr->default_value || attr->initial))
        return rh_error_set(err, RH_EINPUT, "attribute '%s' is read-only and cannot have %s", attr->name,
                            attr->default_value ? "a default" : "an initial value");
    if (attr->default_value && attr->initial)
        return rh_error_set(err, RH_EINPUT, "attribute '%s' cannot have both a default and an initial value",
                            attr->name);
    return 0;
}

static bool
is_printed(const struct rh_datatype *t, const char *as)
{
    rh_autobuf struct rh_buf text = { 0 };

    rh_datatype_print(t, &text);
    return strcmp(rh_buf_text(&text), as) == 0;
}

static const struct rh_datatype *
through_aliases(const struct rh_datatype *t)
{
    while (t && rh_datatype_kind(t) == RH_T_ALIAS)
        t = rh_datatype_inner(t, 0);
    return t;
}

/* This Enum, also as Optional, or as a Variant with Undef. */
static bool
is_maybe(const struct rh_datatype *t, const char *words)
{
    size_t found = 0, undef = 0;

    t = through_aliases(t);
    if (t && rh_datatype_kind(t) == RH_T_OPTIONAL)
        t = through_aliases(rh_datatype_inner(t, 0));
    if (!t || rh_datatype_kind(t) != RH_T_VARIANT)
        return t && is_printed(t, words);
    for (size_t i = 0; i < rh_datatype_count(t); i++) {
        const struct rh_datatype *member = through_aliases(rh_datatype_inner(t, i));

        if (member && rh_datatype_kind(member) == RH_T_UNDEF)
            undef++;
        else if (member && is_printed(member, words))
            found++;
    }
    return found == 1 && found + undef == rh_datatype_count(t);
}

bool
rh_type_has_run_state(const struct rh_attr *ensure)
{
    return is_maybe(ensure->type, "Enum['running', 'stopped']");
}

static int
check_ensure(const struct rh_attr *ensure, struct rh_error *err)
{
    if (!ensure)
        return 0;
    if (!is_maybe(ensure->type, "Enum['absent', 'present']"))
        return rh_error_set(err, RH_EINPUT,
                            "attribute 'ensure' must have the type Enum[present, absent] or "
                            "Optional[Enum[present, absent]], not %s",
                            ensure->type_text);
    for (size_t i = 0; i < N_BEHAVIOURS; i++)
        if (ensure->behaviour & behaviours[i].bit)
            return rh_error_set(err, RH_EINPUT, "attribute 'ensure' cannot be %s", behaviours[i].word);
    return 0;
}

int
rh_type_check(const struct rh_type *t, struct rh_error *err)
{
    for (size_t i = 0; i < t->n_attrs; i++)
        if (check_behaviour(&t->attrs[i], err) < 0)
            return -1;
    return check_ensure(t->ensure, err);
}

int
rh_type_check_action(const struct rh_type *t, const struct rh_action *action, struct rh_error *err)
{
    if (action->overlay && !rh_value_is(action->overlay, RH_HASH))
        return rh_error_set(err, RH_EINPUT, "action '%s': the overlay must be a hash", action->name);
    for (size_t i = 0; i < rh_value_count(action->overlay); i++) {
        const struct rh_entry *e = rh_value_entry(action->overlay, i);
        const struct rh_attr *attr = rh_type_attr(t, e->key);
        const char *best = attr ? NULL : rh_type_suggest(t, e->key);
        rh_autobuf struct rh_buf why = { 0 };

        if (!attr)
            return rh_error_set(err, RH_EINPUT, "action '%s': unknown attribute '%s' in the overlay%s%s%s",
                                action->name, e->key, best ? ": did you mean '" : "", best ? best : "",
                                best ? "'?" : "");
        if (attr->behaviour & (RH_NAMEVAR | RH_READ_ONLY))
            return rh_error_set(err, RH_EINPUT, "action '%s': the overlay cannot change '%s', which is %s",
                                action->name, e->key,
                                attr->behaviour & RH_NAMEVAR ? "a namevar" : "read-only");
        if (rh_datatype_match(attr->type, e->value))
            continue;
        rh_datatype_explain(attr->type, "", e->value, &why);
        return rh_error_set(err, RH_EINPUT,
                            "action '%s': invalid value for attribute '%s' in the overlay: %s", action->name,
                            e->key, rh_buf_text(&why));
    }
    if (!action->overlay && !(t->slots & RH_HAS_ACT))
        return rh_error_set(err, RH_EINPUT, "action '%s' needs an overlay or an act callback", action->name);
    return 0;
}

void
rh_type_undocumented(const struct rh_type *t, struct rh_buf *names)
{
    if (!*t->desc)
        rh_buf_addf(names, "'%s'", t->type);
    for (size_t i = 0; i < t->n_attrs; i++)
        if (!*t->attrs[i].desc)
            rh_buf_addf(names, "%s'%s.%s'", names->n ? ", " : "", t->type, t->attrs[i].name);
}
