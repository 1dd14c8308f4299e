/* SPDX-License-Identifier: Apache-2.0 */
/* template - what replaces a match: text with references to the groups of a regular expression. */

#include "template.h"

#include <ctype.h>
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Whether the expression has this group: digits, or a name. */
static int
has_group(const struct pattern *p, const char *name)
{
    uint32_t groups = 0;

    if (!*name || name[strspn(name, "0123456789")])
        return pcre2_substring_number_from_name(p->code, (PCRE2_SPTR)name) > 0;
    return pcre2_pattern_info(p->code, PCRE2_INFO_CAPTURECOUNT, &groups) == 0
           && strtoul(name, NULL, 10) <= groups;
}

const char *
template_make(rhost_ctx *ctx, const struct pattern *p, const char *text, size_t *len, const char **why)
{
    size_t room = 3 * strlen(text) + 8;
    char *made = rhost_alloc(ctx, room), *to = made;

    for (const char *at = text; *at; at++) {
        size_t n = at[1] == '{' ? strcspn(at + 2, "}") : 1;
        const char *name = at[1] == '{' ? at + 2 : at + 1;

        if (*at == '$')
            *to++ = '$';
        if (*at != '%' || at[1] == '%') {
            *to++ = *at;
            at += *at == '%';
            continue;
        }
        if ((at[1] == '{' && !name[n]) || (at[1] != '{' && !isdigit((unsigned char)at[1]))) {
            *why = rhost_fmt(ctx, "a '%%' at character %zu is neither %%0 to %%9, %%{name} nor %%%%",
                             (size_t)(at - text) + 1);
            return NULL;
        }
        name = rhost_copy(ctx, name, n);
        if (!has_group(p, name)) {
            *why = rhost_fmt(ctx, "the regular expression has no group '%s'", name);
            return NULL;
        }
        to += snprintf(to, room - (size_t)(to - made), "${%s}", name);
        at += at[1] == '{' ? n + 2 : 1;
    }
    *len = (size_t)(to - made);
    return made;
}

int
template_expand(rhost_ctx *ctx, const struct pattern *p, const char *template, size_t template_len,
                const char *line, size_t len, const char **made, size_t *made_len)
{
    const uint32_t options = PCRE2_SUBSTITUTE_UNSET_EMPTY | PCRE2_SUBSTITUTE_OVERFLOW_LENGTH;
    size_t room = len + template_len + 256, before, after, used = room;
    const PCRE2_SIZE *at;
    char *all = NULL;
    int rc = pattern_matches(p, line, len);

    if (rc <= 0)
        return rc;
    at = pcre2_get_ovector_pointer(p->data);
    before = at[0] < at[1] ? at[0] : at[1]; /* \K in a lookahead can turn them round */
    after = len - (at[0] < at[1] ? at[1] : at[0]);
    rc = PCRE2_ERROR_NOMEMORY;
    for (int attempt = 0; attempt < 2 && rc == PCRE2_ERROR_NOMEMORY; attempt++) {
        room = used;
        all = rhost_alloc(ctx, room + 1);
        rc = pcre2_substitute(p->code, (PCRE2_SPTR)line, len, 0, options, p->data, p->limits,
                              (PCRE2_SPTR) template, template_len, (PCRE2_UCHAR *)all, &used);
    }
    if (rc <= 0 || used < before + after)
        return -1;
    all[used - after] = '\0';
    *made = all + before;
    *made_len = used - before - after;
    return 1;
}
