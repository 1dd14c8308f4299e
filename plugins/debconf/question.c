/* SPDX-License-Identifier: Apache-2.0 */
/* question - the questions in the database of debconf. */

#include "question.h"

#include "dialog.h"

#include <stdio.h>
#include <stdlib.h>

#define NOBODY "rhost" /* in whose name is only read */

enum { REPLIES = 4 };

int32_t
question_read(rhost_ctx *ctx, struct question *all, size_t n)
{
    struct reply *replies;
    struct dialog d;

    dialog_begin(ctx, &d);
    for (size_t i = 0; i < n; i++) {
        dialog_say(&d, "GET", all[i].name);
        dialog_say(&d, "FGET", all[i].name, "seen");
        dialog_say(&d, "METAGET", all[i].name, "Type");
        dialog_say(&d, "METAGET", all[i].name, "owners");
    }
    if (n == 0)
        return 0;
    if (dialog_send(&d, NOBODY, &replies) < 0)
        return -1;
    for (size_t i = 0; i < n; i++, replies += REPLIES) {
        all[i].exists = replies[0].code == 0;
        if (replies[0].code >= 20)
            return rhost_fail(ctx, "debconf cannot read '%s': %s", all[i].name, replies[0].text);
        all[i].value = replies[0].text;
        all[i].seen = strcmp(replies[1].text, "true") == 0;
        all[i].type = replies[2].code == 0 ? replies[2].text : "";
        all[i].owners = replies[3].code == 0 ? replies[3].text : "";
    }
    return 0;
}

/* Of "* QUESTION: VALUE", or with "  " at the beginning, the question; NULL: it is none. */
static const char *
name_in(rhost_ctx *ctx, const char *line, size_t len)
{
    size_t n = 0;

    if (len < 3 || (line[0] != ' ' && line[0] != '*') || line[1] != ' ')
        return NULL;
    while (2 + n < len && line[2 + n] != ':' && line[2 + n] > ' ')
        n++;
    /* The name may have a colon itself, which no blank follows. */
    while (2 + n + 1 < len && line[2 + n] == ':' && line[2 + n + 1] != ' ') {
        n++;
        while (2 + n < len && line[2 + n] != ':' && line[2 + n] > ' ')
            n++;
    }
    return n && line[2 + n] == ':' ? rhost_copy(ctx, line + 2, n) : NULL;
}

static int
by_name(const void *a, const void *b)
{
    const struct question *x = a, *y = b;

    return strcmp(x->name, y->name);
}

static size_t
count_lines(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* A line of a value of several lines can look like a question; debconf knows none of that name then. */
int32_t
question_list(rhost_ctx *ctx, struct question **all, size_t *n)
{
    static const char *const owners_argv[] = { "debconf-show", "--listowners", NULL };
    const char *out, **argv;
    size_t words = 1, kept = 0;

    *n = 0;
    *all = NULL;
    if (dialog_run(ctx, owners_argv, NULL, &out) < 0)
        return -1;
    argv = rhost_alloc(ctx, (count_lines(out) + 3) * sizeof *argv);
    argv[0] = "debconf-show";
    while (*out) {
        size_t len = strcspn(out, "\n");

        if (len)
            argv[words++] = rhost_copy(ctx, out, len);
        out += len + (out[len] == '\n');
    }
    argv[words] = NULL;
    if (words == 1)
        return 0;
    if (dialog_run(ctx, argv, NULL, &out) < 0)
        return -1;
    *all = rhost_alloc(ctx, (count_lines(out) + 1) * sizeof **all);
    while (*out) {
        size_t len = strcspn(out, "\n");
        const char *name = name_in(ctx, out, len);

        if (name)
            (*all)[(*n)++] = (struct question){ .name = name };
        out += len + (out[len] == '\n');
    }
    qsort(*all, *n, sizeof **all, by_name);
    for (size_t i = 0; i < *n; i++)
        if (i == 0 || strcmp((*all)[i].name, (*all)[kept - 1].name) != 0)
            (*all)[kept++] = (*all)[i];
    *n = kept;
    return question_read(ctx, *all, *n);
}

static const char *
reason(const struct reply *reply)
{
    return *reply->text ? reply->text : "debconf gives no reason";
}

/* What is registered has no answer then, whatever it had. */
static int32_t
register_all(rhost_ctx *ctx, const struct answer *all, size_t n)
{
    static const char *const argv[] = { "debconf-set-selections", "--unseen", NULL };
    size_t room = 1;
    char *text, *end;
    const char *out;

    for (size_t i = 0; i < n; i++)
        if (all[i].type)
            room += strlen(all[i].package) + strlen(all[i].name) + strlen(all[i].type) + 4;
    if (room == 1)
        return 0;
    end = text = rhost_alloc(ctx, room);
    for (size_t i = 0; i < n; i++)
        if (all[i].type)
            end += snprintf(end, room - (size_t)(end - text), "%s %s %s \n", all[i].package, all[i].name,
                            all[i].type);
    return dialog_run(ctx, argv, text, &out);
}

int32_t
question_answer(rhost_ctx *ctx, struct answer *all, size_t n)
{
    struct reply *replies;
    struct dialog d;

    if (register_all(ctx, all, n) < 0)
        return -1;
    dialog_begin(ctx, &d);
    for (size_t i = 0; i < n; i++) {
        if (all[i].value)
            dialog_say(&d, "SET", all[i].name, all[i].value);
        dialog_say(&d, "FSET", all[i].name, "seen", all[i].seen ? "true" : "false");
    }
    if (dialog_send(&d, NOBODY, &replies) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        for (int left = all[i].value ? 2 : 1; left; left--, replies++)
            if (replies->code != 0 && !all[i].refused)
                all[i].refused = reason(replies);
    return 0;
}

/* Whether the package is in "one, two". */
static int
is_owner(const char *owners, const char *package, size_t len)
{
    for (const char *at = owners; *at; at += strspn(at, ", ")) {
        size_t n = strcspn(at, ",");

        if (n == len && strncmp(at, package, n) == 0)
            return 1;
        at += n;
    }
    return 0;
}

/* A name that debconf does not know any more is none that it has to forget. */
static int32_t
remove_of(rhost_ctx *ctx, const struct question *all, size_t n, const char *package, size_t len)
{
    struct reply *replies;
    struct dialog d;

    dialog_begin(ctx, &d);
    for (size_t i = 0; i < n; i++)
        if (is_owner(all[i].owners, package, len))
            dialog_say(&d, "UNREGISTER", all[i].name);
    if (dialog_send(&d, rhost_copy(ctx, package, len), &replies) < 0)
        return -1;
    for (size_t i = 0; i + 1 < d.n; i++)
        if (replies[i].code >= 20)
            return rhost_fail(ctx, "%s", reason(&replies[i]));
    return 0;
}

int32_t
question_remove(rhost_ctx *ctx, const struct question *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (const char *at = all[i].owners; *at; at += strspn(at, ", ")) {
            size_t len = strcspn(at, ",");
            int before = 0;

            for (size_t k = 0; k < i && !before; k++)
                before = is_owner(all[k].owners, at, len);
            if (!before && remove_of(ctx, all, n, at, len) < 0)
                return -1;
            at += len;
        }
    return 0;
}
