/* SPDX-License-Identifier: Apache-2.0 */
/* listed - lines of /etc/locale.gen, by which locale-gen(8) of Debian makes all locales anew.
 *
 * The package has a line for each locale that there is, "# de_DE.UTF-8 UTF-8", most of them as comments. */

#include "listed.h"

#include "spelling.h"

#define BLANK " \t\r"

/* What line i names, and whether it is a comment; NULL: nothing. */
static const char *
name_at(rhost_ctx *ctx, const struct rhost_lines *l, size_t i, int *is_comment)
{
    char *text = rhost_copy(ctx, l->at[i].text, l->at[i].len), *name = text + strspn(text, BLANK);

    *is_comment = *name == '#';
    if (*is_comment) {
        name += strspn(name, "#");
        name += strspn(name, BLANK);
    }
    name[strcspn(name, BLANK)] = '\0';
    return *name ? name : NULL;
}

int
listed_has(rhost_ctx *ctx, const struct rhost_lines *l, const char *name)
{
    int is_comment;

    for (size_t i = 0; i < l->n; i++) {
        const char *one = name_at(ctx, l, i, &is_comment);

        if (one && !is_comment && spelling_same(one, name))
            return 1;
    }
    return 0;
}

void
listed_add(rhost_ctx *ctx, struct rhost_lines *l, const char *name, const char *charset)
{
    const char *line = rhost_fmt(ctx, "%s %s", name, charset);
    int is_comment;

    for (size_t i = 0; i < l->n; i++) {
        const char *one = name_at(ctx, l, i, &is_comment);
        const char *rest = one ? one + strlen(one) + 1 : NULL;

        /* A comment that only begins with the name is left alone. */
        if (one && is_comment && spelling_same(one, name) && strlen(one) + strlen(charset) < l->at[i].len
            && strncmp(rest + strspn(rest, BLANK), charset, strlen(charset)) == 0) {
            rhost_lines_put(l, i, line, strlen(line));
            return;
        }
    }
    rhost_lines_append(l, line);
}

void
listed_remove(rhost_ctx *ctx, struct rhost_lines *l, const char *name)
{
    int is_comment;

    for (size_t i = 0; i < l->n; i++) {
        const char *one = name_at(ctx, l, i, &is_comment);

        if (one && !is_comment && spelling_same(one, name)) {
            const char *line = rhost_fmt(ctx, "# %s", rhost_copy(ctx, l->at[i].text, l->at[i].len));

            rhost_lines_put(l, i, line, strlen(line));
        }
    }
}
