/* SPDX-License-Identifier: Apache-2.0 */
/* read-check - holding what a provider says is there against its type (S25, S62 to S73). */
#include "config.h"

#include "base/cleanup.h"
#include "base/draft.h"
#include "base/error.h"
#include "base/message-code.h"
#include "base/text.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "datatype/rich.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "provider/secret.h"
#include "schema/attribute-value.h"
#include "schema/type.h"

static const char not_canonical[] = RH_WORDING("%s[%s]#get has not provided canonicalized values.");
static const char wrong_title[] =
    RH_WORDING("%s[%s]#get has provided a title attribute which does not match all namevars.");
static const char wrong_schema[] =
    RH_WORDING("Provider returned data that does not match the Type Schema for `%s[%s]`%s");

/* Attribute `i` as a rich scalar, for which a provider has only text. */
static bool
take_rich(struct rh_runtime *rt, const struct rh_attr *attr, struct rh_value *is, size_t i)
{
    const struct rh_entry *e = rh_value_entry(is, i);
    struct rh_value *v = rh_value_copy_sharing(rh_value_arena(is), e->value);

    if (!rh_rich_take(rt->arena, attr->type, v))
        return false;
    rh_draft_set_entry(is, i, e->key, v);
    return true;
}

/* What the type says about a reading; nothing when it fits. */
static void
find_misfits(struct rh_runtime *rt, struct rh_value *is, struct rh_buf *b)
{
    rh_autobuf struct rh_buf unknown = { 0 };
    rh_autobuf struct rh_buf mismatch = { 0 };

    for (size_t i = 0; i < is->count; i++) {
        const struct rh_entry *e = rh_value_entry(is, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);

        if (!attr) {
            rh_buf_addf(&unknown, "\n    * %s", e->key);
        } else if (!rh_datatype_match(attr->type, e->value) && !take_rich(rt, attr, is, i)) {
            rh_autobuf struct rh_buf why = { 0 };

            rh_datatype_explain(attr->type, "", e->value, &why);
            rh_buf_addf(&mismatch, "\n    * %s: ", e->key);
            rh_outgoing_show(rt, &mismatch, e->value, 100);
            rh_buf_addf(&mismatch, " (%s)", rh_buf_text(&why));
        } else if (rh_attribute_find_nul(attr, e->value)) {
            rh_buf_addf(&mismatch, "\n    * %s: ", e->key);
            rh_outgoing_show(rt, &mismatch, e->value, 100);
            rh_buf_add(&mismatch, " (" RH_NUL_REFUSED ")");
        }
    }
    if (unknown.n)
        rh_buf_addf(b, "\n Unknown attribute:%s", rh_buf_text(&unknown));
    if (mismatch.n)
        rh_buf_addf(b, "\n Value type mismatch:%s", rh_buf_text(&mismatch));
}

/* A complaint about what a provider returned, as the strict mode has it; -1 when it is an error. */
static int
judge(struct rh_runtime *rt, const char *title, const char *wording, const char *text, struct rh_error *err)
{
    if (rt->options.strict == RH_STRICT_ERROR)
        return rh_error_set_code(err, RH_EPROVIDER, rh_message_code(wording), "%s", text);
    if (rt->options.strict == RH_STRICT_WARNING)
        rh_provider_log_code(rt, RH_WARNING, RH_NOBODY, title, rh_message_code(wording), "%s", text);
    else
        rh_provider_debug(rt, title, "%s", text);
    return 0;
}

/* The desired state is canonical, and so is what equals all of it: canonicalize() takes its own answer as it
 * is. What is only edited has the form of a whole once the edit is made. */
static bool
is_as_desired(const struct rh_value *should, const struct rh_value *is)
{
    if (!rh_value_equal(should, is))
        return false;
    for (size_t i = 0; i < rh_value_count(should); i++)
        if (rh_value_entry(should, i)->value->marks & (RH_APPEND | RH_REMOVE))
            return false;
    return true;
}

/* Canonicalizing what get returned must not change it (S62); where it does and that is let pass,
 * the canonical values are what is used. */
static int
check_canonical(struct rh_runtime *rt, struct rh_arena *a, const char *title, const struct rh_value *should,
                struct rh_value **is, struct rh_error *err)
{
    struct rh_value *copy;
    rh_autobuf struct rh_buf text = { 0 };

    if (!rt->provider.canonicalize || is_as_desired(should, *is))
        return 0;
    copy = rh_value_copy_top(a, *is); /* a provider can only put other values, never edit one */
    if (rh_runtime_canonicalize(rt, a, copy, NULL, err) < 0)
        return -1;
    if (rh_value_equal(copy, *is))
        return 0;
    rh_buf_addf(&text, not_canonical, rt->type->type, title);
    rh_buf_add(&text, "\n Returned values:       ");
    rh_outgoing_show(rt, &text, *is, 1000);
    rh_buf_add(&text, "\n Canonicalized values:  ");
    rh_outgoing_show(rt, &text, copy, 1000);
    *is = copy;
    return judge(rt, title, not_canonical, rh_buf_text(&text), err);
}

/* Looks at each attribute of a reading once: it goes by the type's own name from now on, and is
 * secret where its type says so or what is wanted is secret. False when something does not fit. */
static bool
check_attributes(const struct rh_runtime *rt, const struct rh_value *should, struct rh_value *is)
{
    bool fits = true;

    for (uint32_t i = 0; i < is->count; i++) {
        const struct rh_entry *e = &is->u.entries[i];
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);
        const struct rh_value *wanted = rh_value_get(should, attr ? attr->name : e->key), *v = e->value;
        struct rh_arena *a = rh_value_arena(is);

        if (wanted != v || !attr) { /* otherwise not read, but given to load, and validated by the host */
            if (attr)
                v = rh_attribute_marked(a, attr, v);
            if (wanted
                && (attr && attr->sensitive_within ? wanted->marks & RH_SENSITIVE
                                                   : rh_value_sensitive(wanted)))
                v = rh_value_marked(a, v, RH_SENSITIVE);
            fits = fits && attr && rh_datatype_match(attr->type, v) && !rh_attribute_find_nul(attr, v);
        }
        rh_draft_set_entry(is, i, attr ? attr->name : e->key, v);
    }
    return fits;
}

/* A title beside the attributes is allowed (I30); where titles have patterns it must say what the
 * namevars say, or listing would show what is another resource when it is applied. */
static int
check_title(struct rh_runtime *rt, struct rh_arena *a, const char *shown, struct rh_value *is,
            struct rh_error *err)
{
    const struct rh_value *title = rh_value_get(is, "title");
    struct rh_value *parsed, *shown_name, *expected;
    rh_autobuf struct rh_buf wrong = { 0 };
    rh_autobuf struct rh_buf text = { 0 };

    if (!title)
        return 0;
    parsed = rh_value_new(a, RH_HASH);
    shown_name = rh_value_new(a, RH_HASH);
    expected = rh_value_new(a, RH_HASH);
    if (rt->type->n_patterns && rh_value_str(title, NULL)
        && rh_title_parse(rt->type, rh_value_str(title, NULL), parsed, err) < 0)
        return -1;
    for (size_t i = 0; rt->type->n_patterns && i < rt->type->n_namevars; i++) {
        const char *key = rt->type->namevars[i]->name;
        const struct rh_value *v = rh_value_get(is, key), *other = rh_value_get(parsed, key);

        if (other)
            rh_value_put(shown_name, key, rh_value_copy(a, other));
        else /* what a title leaves out has its default */
            other = rt->type->namevars[i]->default_value;
        rh_value_put(expected, key, rh_value_copy(a, v));
        if (!rh_value_equal(v, other))
            rh_buf_addf(&wrong, "%s%s", wrong.n ? ", " : "", key);
    }
    rh_value_drop(is, "title");
    if (!wrong.n)
        return 0;
    rh_buf_addf(&text, wrong_title, rt->type->type, shown);
    rh_buf_addf(&text,
                "\n Namevars which do not match: %s\n Returned parsed title hash:  ", rh_buf_text(&wrong));
    rh_outgoing_show(rt, &text, shown_name, 1000);
    rh_buf_add(&text, "\n Expected hash:               ");
    rh_outgoing_show(rt, &text, expected, 1000);
    return judge(rt, shown, wrong_title, rh_buf_text(&text), err);
}

struct rh_value *
rh_read_prepared(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *should,
                 const struct rh_value *is)
{
    struct rh_value *copy = rh_value_copy_top(a, is);

    (void)check_attributes(rt, should, copy);
    rh_secret_read(rt, should, copy);
    rh_value_drop(copy, "title");
    return is_as_desired(should, copy) ? NULL : copy;
}

int
rh_read_check(struct rh_runtime *rt, struct rh_arena *a, const char *title, const struct rh_value *should,
              struct rh_value **is, struct rh_error *err)
{
    rh_autobuf struct rh_buf misfits = { 0 };
    bool fits = check_attributes(rt, should, *is);

    rh_secret_read(rt, should, *is);
    for (size_t i = 0; i < rt->type->n_namevars; i++)
        if (!rh_value_get(*is, rt->type->namevars[i]->name))
            return rh_error_set(err, RH_EPROVIDER,
                                "`%s.get` did not return a value for the `%s` namevar attribute",
                                rt->type->type, rt->type->namevars[i]->name);
    if (check_title(rt, a, title, *is, err) < 0)
        return -1;
    if (!fits)
        find_misfits(rt, *is, &misfits);
    if (misfits.n) {
        rh_autofree char *text = rh_printf(wrong_schema, rt->type->type, title, rh_buf_text(&misfits));

        if (judge(rt, title, wrong_schema, text, err) < 0)
            return -1;
    }
    return check_canonical(rt, a, title, should, is, err);
}
