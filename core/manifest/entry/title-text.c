/* SPDX-License-Identifier: Apache-2.0 */
/* title-text - the text of titles. */
#include "config.h"

#include "manifest/entry/parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/text.h"
#include "base/value.h"
#include "manifest/expression/expression.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"

#include <stdint.h>
#include <string.h>

/* A title is text, also when an expression gives a number. */
static void
number_to_text(struct rh_load *load, struct rh_value *v)
{
    rh_autobuf struct rh_buf text = { 0 };

    if ((v->kind != RH_INTEGER && v->kind != RH_FLOAT) || v->marks & RH_SENSITIVE)
        return;
    rh_value_show(&text, v, 0);
    v->kind = RH_STRING;
    v->u.string = rh_arena_strndup(load->catalog->arena, rh_buf_text(&text), text.n);
    v->count = (uint32_t)text.n;
}

void
rh_entry_substitute_titles(struct rh_load *load, struct rh_value *titles)
{
    bool list = titles->kind == RH_ARRAY;

    (void)rh_substitute(load, titles); /* those that were refused are marked */
    number_to_text(load, titles);
    for (size_t i = 0; titles->kind == RH_ARRAY && i < titles->count; i++) {
        struct rh_value *v = rh_draft_part(titles, i);

        number_to_text(load, v);
        if (list)
            continue;
        v->marks |= titles->marks & RH_SENSITIVE;
        rh_value_set_place(v, rh_value_place(titles));
    }
}

const char *
rh_entry_title_text(struct rh_load *load, const struct rh_type *t, struct rh_value *v, struct rh_place key)
{
    rh_autofree char *hint = NULL;
    struct rh_place place = rh_value_place(v);

    if (v->marks & RH_SENSITIVE) {
        rh_complain(load->complaints, place, "only values of attributes can be secret",
                    "the title of '%s' appears in messages and cannot be secret", t->type);
        return NULL;
    }
    if (rh_scalar_is_null(v) || (v->kind == RH_STRING && !v->count)) {
        rh_complain(load->complaints, place.line == key.line ? key : place,
                    "the title follows the type: - file: /etc/motd", "missing title for type '%s'", t->type);
        return NULL;
    }
    if (v->kind == RH_STRING && strlen(v->u.string) == v->count)
        return v->u.string;
    if (v->kind == RH_STRING) {
        rh_complain(load->complaints, place, NULL, "a title must not contain a NUL character");
        return NULL;
    }
    if (v->kind == RH_UNKNOWN) {
        if (!(v->marks & RH_INVALID))
            rh_complain(load->complaints, place, NULL, "the title of '%s' is not known before the run",
                        t->type);
        return NULL;
    }
    if (v->kind == RH_HASH)
        hint = rh_printf("write '- %s: TITLE', and the attributes below it in the same column as "
                         "'%s'",
                         t->type, t->type);
    rh_complain(load->complaints, key.line ? key : place, hint, "the title of '%s' must be text, not %s",
                t->type, rh_kind_name(v->kind));
    return NULL;
}
