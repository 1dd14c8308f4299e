/* SPDX-License-Identifier: Apache-2.0 */
/* others - what other files of apt say of repositories and keys. */

#include "others.h"

#include <rhost/lines.h>

struct question {
    rhost_ctx *ctx;
    const rhost_value *types, *uris, *suites;
    const char *but, *path;
    int found, unread; /* unread: some file could not be read */
};

typedef void visit_fn(struct question *q, const char *name, const struct rhost_lines *l);

static int
ends_with(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);

    return n > m && strcmp(name + n - m, suffix) == 0;
}

static void
read_file(struct question *q, const char *path, visit_fn *visit)
{
    struct rhost_lines *l = rhost_lines_read(q->ctx, path);

    q->unread |= !l;
    if (l)
        visit(q, path, l);
    rhost_lines_free(l);
}

/* sources.list, and what apt reads beside it. */
static void
each_file(struct question *q, const char *root, visit_fn *visit)
{
    char path[4096];
    const char **names = NULL;
    ssize_t n;

    snprintf(path, sizeof path, "%s/sources.list", root);
    read_file(q, path, visit);
    snprintf(path, sizeof path, "%s/sources.list.d", root);
    n = rhost_path_list(q->ctx, path, RHOST_PATH_FOLLOW, &names);
    q->unread |= n < 0 && errno != ENOENT;
    for (ssize_t i = 0; i < n; i++) {
        if (!ends_with(names[i], ".list") && !ends_with(names[i], ".sources"))
            continue;
        snprintf(path, sizeof path, "%s/sources.list.d/%s", root, names[i]);
        read_file(q, path, visit);
    }
}

static int
has(const rhost_value *array, const char *word, size_t len, int without_slash)
{
    for (size_t i = 0; i < rhost_count(array); i++) {
        const char *one = rhost_str_at(array, i);
        size_t n = one ? strlen(one) : 0, m = len;

        while (without_slash && n && one[n - 1] == '/')
            n--;
        while (without_slash && m && word[m - 1] == '/')
            m--;
        if (n == m && one && memcmp(one, word, n) == 0)
            return 1;
    }
    return 0;
}

static size_t
next_word(const struct rhost_line *line, size_t *at)
{
    size_t start;

    while (*at < line->len && (line->text[*at] == ' ' || line->text[*at] == '\t'))
        ++*at;
    start = *at;
    while (*at < line->len && line->text[*at] != ' ' && line->text[*at] != '\t')
        ++*at;
    return *at - start;
}

/* "deb [options] URI SUITE COMPONENT..." */
static void
find_twin(struct question *q, const char *name, const struct rhost_lines *l)
{
    if (ends_with(name, ".sources"))
        return;
    for (size_t i = 0; i < l->n; i++) {
        const struct rhost_line *line = &l->at[i];
        const char *text = line->text;
        size_t at = 0, n = next_word(line, &at), from;

        if (!n || !has(q->types, text + at - n, n, 0))
            continue;
        from = at;
        n = next_word(line, &at);
        if (n && text[at - n] == '[') {
            const char *end = memchr(text + from, ']', line->len - from);

            if (!end)
                continue;
            at = (size_t)(end - text) + 1;
            n = next_word(line, &at);
        }
        if (!n || !has(q->uris, text + at - n, n, 1))
            continue;
        n = next_word(line, &at);
        if (n && has(q->suites, text + at - n, n, 0))
            rhost_warning(q->ctx,
                          "line %zu of '%s' has it as well; leaving that alone, and apt will "
                          "say that it is configured twice",
                          i + 1, name);
    }
}

static void
find_path_user(struct question *q, const char *name, const struct rhost_lines *l)
{
    size_t len = strlen(q->path);

    for (size_t i = 0; strcmp(name, q->but) != 0 && i < l->n; i++)
        q->found = q->found || memmem(l->at[i].text, l->at[i].len, q->path, len) != NULL;
}

void
others_warn(rhost_ctx *ctx, const char *root, const rhost_value *types, const rhost_value *uris,
            const rhost_value *suites)
{
    struct question q = { .ctx = ctx, .types = types, .uris = uris, .suites = suites };

    each_file(&q, root, find_twin);
}

int
others_mention(rhost_ctx *ctx, const char *root, const char *but, const char *path)
{
    struct question q = { .ctx = ctx, .but = but, .path = path };

    each_file(&q, root, find_path_user);
    return q.found || q.unread; /* what could not be read may well */
}
