/* SPDX-License-Identifier: Apache-2.0 */
/* substitute - `${name}` in the values of a definition: what its parameters are for an instance. */
#include "config.h"

#include "manifest/substitute.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/source.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value-parts.h"
#include "base/value.h"
#include "manifest/load.h"

#include <string.h>

enum { DEEPEST = 64 };

static int
refuse_name(struct rh_load *load, const struct rh_value *v, const char *name)
{
    rh_autofree char *hint = NULL;
    struct rh_suggest near;

    if (!load->scope) {
        rh_complain(load->complaints, rh_value_place(v), "a literal '${' is written '$${'",
                    "'${...}' is not supported by this version of rhost, save in a 'define'");
        return -1;
    }
    rh_suggest_init(&near, name);
    for (size_t i = 0; i < rh_value_count(load->scope); i++)
        rh_suggest_try(&near, rh_value_entry(load->scope, i)->key);
    hint = near.best ? rh_printf("did you mean '%s'?", near.best)
                     : rh_xstrdup("a definition knows its parameters, and 'title'");
    rh_complain(load->complaints, rh_value_place(v), hint, "there is no '%s' here", name);
    return -1;
}

/* What "a.b" means; NULL after a complaint. */
static const struct rh_value *
look_up(struct rh_load *load, const struct rh_value *v, const char *name, size_t n)
{
    rh_autofree char *word = rh_xstrndup(name, n);
    const struct rh_value *found = load->scope;

    for (char *part = word, *dot; part && found; part = dot) {
        dot = strchr(part, '.');
        if (dot)
            *dot++ = '\0';
        found = rh_value_get(found, part);
        if (!found && dot)
            dot[-1] = '.';
    }
    if (!found)
        (void)refuse_name(load, v, word);
    return found;
}

/* The end of "${...}" that starts at `s`, past its brace; NULL after a complaint. */
static const char *
end_of(struct rh_load *load, const struct rh_value *v, const char *s, const char *end)
{
    const char *brace = memchr(s, '}', (size_t)(end - s));

    if (brace || !load->scope)
        return brace ? brace + 1 : end;
    rh_complain(load->complaints, rh_value_place(v), "a literal '${' is written '$${'",
                "the '}' of a '${' is missing");
    return NULL;
}

static int
add_text(struct rh_load *load, const struct rh_value *at, const struct rh_value *v,
         struct rh_buf *out)
{
    if (v->kind == RH_STRING) {
        rh_buf_addn(out, v->u.string, v->count);
        return 0;
    }
    if (v->kind == RH_UNDEF || v->kind == RH_ARRAY || v->kind == RH_HASH) {
        rh_complain(load->complaints, rh_value_place(at), "as the whole value it could stand alone",
                    "%s can't be part of a text", rh_kind_name(v->kind));
        return -1;
    }
    rh_value_show(out, v, 1000);
    return 0;
}

/* A text that is one "${...}" and nothing else is that value, whatever its type. */
static int
replace_whole(struct rh_load *load, struct rh_value *v, const char *name, size_t n)
{
    const struct rh_value *found = look_up(load, v, name, n);
    struct rh_place place = rh_value_place(v);

    if (!found)
        return -1;
    *v = *rh_value_copy(load->catalog->arena, found);
    rh_value_set_place(v, place);
    return 0;
}

static int
substitute_text(struct rh_load *load, struct rh_value *v)
{
    const char *s = v->u.string, *end = s + v->count, *from;
    rh_autobuf struct rh_buf out = { 0 };
    bool secret = false;

    while ((from = memmem(s, (size_t)(end - s), "${", 2))) {
        const struct rh_value *found;
        const char *past;

        if (from > s && from[-1] == '$') { /* "$${" */
            rh_buf_addn(&out, s, (size_t)(from - 1 - s));
            rh_buf_add(&out, "${");
            s = from + 2;
            continue;
        }
        past = end_of(load, v, from + 2, end);
        if (!past)
            return -1;
        if (from == v->u.string && past == end)
            return replace_whole(load, v, from + 2, (size_t)(past - from) - 3);
        found = load->scope ? look_up(load, v, from + 2, (size_t)(past - from) - 3) : NULL;
        if (!found)
            return load->scope ? -1 : refuse_name(load, v, "");
        rh_buf_addn(&out, s, (size_t)(from - s));
        if (add_text(load, v, found, &out) < 0)
            return -1;
        secret |= rh_value_sensitive(found);
        s = past;
    }
    rh_buf_addn(&out, s, (size_t)(end - s));
    v->u.string = rh_arena_strndup(load->catalog->arena, rh_buf_text(&out), out.n);
    v->count = (uint32_t)out.n;
    if (load->scope)
        v->marks &= (uint8_t)~RH_PLAIN;
    if (secret)
        v->marks |= RH_SENSITIVE;
    return 0;
}

int
rh_substitute(struct rh_load *load, struct rh_value *v)
{
    int rc = 0;

    if (v->kind == RH_STRING && memmem(v->u.string, v->count, "${", 2))
        return substitute_text(load, v);
    for (size_t i = 0; i < rh_value_count(v); i++)
        if (rh_substitute(load, v->kind == RH_HASH ? v->u.entries->e[i].value : v->u.items->v[i]) < 0)
            rc = -1;
    return rc;
}
