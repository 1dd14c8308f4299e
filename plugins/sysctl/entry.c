/* SPDX-License-Identifier: Apache-2.0 */
/* entry - "key = value" in a file of sysctl.d(5). */

#include "entry.h"

#include "kernel.h"

#define BLANK " \t\r"
#define NONE ((size_t)-1)

/* Whether line i is for this key; *value is where its value begins. */
static int
is_for(rhost_ctx *ctx, const struct rhost_lines *l, size_t i, const char *key, size_t *value)
{
    const struct rhost_line *line = &l->at[i];
    char *text, *name, *mark, *end;

    if (!memchr(line->text, '=', line->len))
        return 0;
    text = rhost_alloc(ctx, line->len + 1);
    memcpy(text, line->text, line->len);
    name = text + strspn(text, BLANK);
    if (*name == '#' || *name == ';' || *name == '=')
        return 0;
    name += *name == '-'; /* it may fail */
    mark = strchr(name, '=');
    if (!mark)
        return 0;
    *value = (size_t)(mark + 1 - text);
    *value += strspn(mark + 1, BLANK);
    for (end = mark; strchr(BLANK, end[-1]); end--)
        continue; /* no further than to what is no blank, before the mark */
    *end = '\0';
    return kernel_tidy_key(name) == 0 && strcmp(name, key) == 0;
}

static size_t
find(rhost_ctx *ctx, const struct rhost_lines *l, const char *key, size_t from, size_t *value)
{
    for (size_t i = from; i-- > 0;)
        if (is_for(ctx, l, i, key, value))
            return i;
    return NONE;
}

char *
entry_value(rhost_ctx *ctx, const struct rhost_lines *l, const char *key)
{
    size_t value, at = find(ctx, l, key, l->n, &value);
    char *text;

    if (at == NONE)
        return NULL;
    text = rhost_alloc(ctx, l->at[at].len - value + 1);
    memcpy(text, l->at[at].text + value, l->at[at].len - value);
    kernel_tidy_value(text);
    return text;
}

void
entry_put(rhost_ctx *ctx, struct rhost_lines *l, const char *key, const char *value)
{
    size_t from = 0, at = find(ctx, l, key, l->n, &from);
    size_t size = (at == NONE ? strlen(key) + 3 : from) + strlen(value) + 1;
    char *text = rhost_alloc(ctx, size);

    if (at == NONE)
        snprintf(text, size, "%s = %s", key, value);
    else
        snprintf(text, size, "%.*s%s", (int)from, l->at[at].text, value);
    if (at == NONE)
        rhost_lines_append(l, text);
    else if (!rhost_line_is(l, at, text, strlen(text)))
        rhost_lines_put(l, at, text, strlen(text));
}

void
entry_remove(rhost_ctx *ctx, struct rhost_lines *l, const char *key)
{
    size_t value;

    for (size_t at = l->n; (at = find(ctx, l, key, at, &value)) != NONE;)
        rhost_lines_remove(l, at, 1);
}
