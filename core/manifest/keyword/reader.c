/* SPDX-License-Identifier: Apache-2.0 */
/* reader - what the readers of several keywords need. */
#include "config.h"

#include "manifest/keyword/keyword.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/value.h"
#include "manifest/load/load.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* "service: nginx" is what somebody writes for service[nginx]; the caller's, or NULL. */
static char *
reference_hint(const struct rh_value *v, const char *wanted)
{
    const struct rh_entry *e = rh_value_entry(v, 0);

    if (!strstr(wanted, "reference") || rh_value_count(v) != 1 || !e || !rh_value_is(e->value, RH_STRING))
        return NULL;
    if (rh_value_sensitive(e->value))
        return NULL;
    return rh_printf("write it with brackets: %s[%s]", e->key, e->value->u.string);
}

static int
refuse_text(struct rh_load *load, const struct rh_value *v, const char *wanted)
{
    rh_autofree char *hint = reference_hint(v, wanted);

    rh_complain(load->complaints, rh_value_place(v), hint, "%s", wanted);
    return -1;
}

int
rh_keyword_texts(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_value *v,
                 const char *wanted,
                 int (*one)(struct rh_load *, struct rh_keyword_values *, const struct rh_value *))
{
    int rc = 0;

    if (v->kind == RH_STRING && (v->count || !(v->marks & RH_PLAIN)))
        return one(load, keywords, v);
    if (v->kind == RH_ARRAY) {
        for (size_t i = 0; i < v->count; i++) {
            const struct rh_value *item = rh_value_at(v, i);

            if (rh_value_is(item, RH_STRING) && item->count)
                rc |= one(load, keywords, item);
            else
                rc = refuse_text(load, item, wanted);
        }
        return rc;
    }
    return refuse_text(load, v, wanted);
}

/* Whether a name of a handler is written where a reference is wanted: "restart nginx". */
static bool
is_handler(const char *text)
{
    static const char *const verbs[] = { "restart ", "reload ", "start ", "stop ", "run ", "enable ", NULL };

    for (size_t i = 0; verbs[i]; i++)
        if (strncasecmp(text, verbs[i], strlen(verbs[i])) == 0)
            return true;
    return false;
}

static int
refuse_reference(struct rh_load *load, const struct rh_value *v)
{
    const char *text = v->u.string, *open = strchr(text, '[');
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
    rh_autofree char *hint = NULL;
    rh_autofree char *lower = NULL;

    if (open && open > text && isupper((unsigned char)*text)) {
        lower = rh_xstrdup(text);
        for (char *p = lower; *p && *p != '['; p++)
            *p = (char)tolower((unsigned char)*p);
        hint = rh_printf("write types in lower case: %s", lower);
    } else if (open && !strchr(open, ']')) {
        hint = rh_printf("add the missing ']'");
    } else if (is_handler(text)) {
        hint = rh_printf("name the resource: service[nginx]; 'notifies' names an action too: "
                         "{action: restart, resource: service[nginx]}");
    } else if (n && n < 40 && strlen(text + n) > 1 && strlen(text + n) < 80 && strchr(" :/.", text[n])
               && text[n + 1] != ' ') {
        hint = rh_printf("write it with brackets: %.*s[%s]", (int)n, text, text + n + (text[n] != '/'));
    } else {
        hint = rh_printf("write the type and the title, for example: package[nginx]");
    }
    rh_complain(load->complaints, rh_value_place(v), hint, "'%s' is not a reference", text);
    return -1;
}

int
rh_keyword_reference(struct rh_load *load, const struct rh_value *v, struct rh_reference *to)
{
    if (strlen(v->u.string) != v->count || !rh_reference_parse(load->catalog->arena, v->u.string, to))
        return refuse_reference(load, v);
    to->place = rh_value_place(v);
    return 0;
}
