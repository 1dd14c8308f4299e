/* SPDX-License-Identifier: Apache-2.0 */
/* attributes - whether a manifest can give each attribute, by its name and by each name that it had. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/source.h"
#include "base/value.h"
#include "check/parts.h"
#include "manifest/keyword/keyword.h"
#include "schema/type.h"
#include "schema/validate.h"

#include <string.h>

/* A name that means something else on every resource. */
static void
compare_with_keywords(struct rh_checker *c, const struct rh_attr *attr, const char *name)
{
    const char *what = name == attr->name ? "name" : "former name";

    if (rh_keyword_leads(name))
        rh_check_say(c, RH_CHECK_FAIL,
                     "no manifest can give attribute '%s' by its %s '%s', which is a keyword", attr->name,
                     what, name);
    else if (name != attr->name && rh_keyword_find(name))
        rh_check_say(c, RH_CHECK_WARN,
                     "former name '%s' of '%s' hides a keyword: no manifest can use that with this type",
                     name, attr->name);
}

/* A state with one attribute under a former name means the same. */
static void
try_former(struct rh_checker *c, const struct rh_fixture_state *state, const struct rh_attr *attr,
           const char *name)
{
    struct rh_value *given = rh_value_new(c->arena, RH_HASH);
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    struct rh_validated now, then;

    for (size_t i = 0; i < rh_value_count(state->given); i++) {
        const struct rh_entry *e = rh_value_entry(state->given, i);

        rh_value_put(given, strcmp(e->key, attr->name) == 0 ? name : e->key,
                     rh_value_copy(c->arena, e->value));
    }
    if (rh_validate(c->arena, c->type, state->title, (struct rh_place){ 0 },
                    rh_value_copy(c->arena, state->given), &now, &complaints)
            == 0
        && (rh_validate(c->arena, c->type, state->title, (struct rh_place){ 0 }, given, &then, &complaints)
                < 0
            || !rh_value_equal(now.should, then.should)))
        rh_check_say(c, RH_CHECK_FAIL, "'%s' of '%s' is not accepted by its former name '%s'", attr->name,
                     state->title, name);
    rh_complaints_clear(&complaints);
    rh_sources_clear(&sources);
}

void
rh_check_attributes(struct rh_checker *c)
{
    const struct rh_fixture *f = c->fixture;

    for (size_t i = 0; i < c->type->n_attrs; i++) {
        const struct rh_attr *attr = &c->type->attrs[i];

        compare_with_keywords(c, attr, attr->name);
        for (size_t k = 0; k < rh_value_count(attr->formerly); k++) {
            const char *name = rh_value_str(rh_value_at(attr->formerly, k), "");

            compare_with_keywords(c, attr, name);
            for (size_t n = 0; f && n < f->n; n++)
                if (rh_value_get(f->states[n].given, attr->name))
                    try_former(c, &f->states[n], attr, name);
        }
    }
}
