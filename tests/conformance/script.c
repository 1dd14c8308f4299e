/* SPDX-License-Identifier: Apache-2.0 */
/* script - what a resource's `tell` has its provider say in the logging context. */
#include "letter.h"

#include <rhost/catalog.h>
#include <stdlib.h>

enum { MOST_WORDS = 8, MOST_TITLES = 16, LONGEST = 1024, DEEPEST = 8 };

struct titles {
    char text[LONGEST];
    const char *v[MOST_TITLES];
    size_t n;
};

void
letter_look(rhost_ctx *ctx, const char *type, const char *title, bool all)
{
    const struct rhost_catalog *catalog = ctx->host->extension(ctx, RHOST_CATALOG_ID);
    const rhost_value *v;

    if (!catalog) {
        letter_note("catalog", "none");
        return;
    }
    v = all ? catalog->all(ctx, type) : catalog->find(ctx, type, title);
    letter_note("catalog", "%s %s: %s", type ? type : "NULL",
                all     ? "all"
                : title ? title
                        : "NULL",
                letter_show(ctx, v));
}

static int32_t
number_of(const char *word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n && word; i++)
        if (strcmp(word, words[i]) == 0)
            return (int32_t)i;
    return (int32_t)n;
}

static int32_t
doing_of(const char *word)
{
    static const char *const words[] = { "creating", "updating", "deleting", "processing", "failing" };

    return number_of(word, words, 5);
}

static int32_t
level_of(const char *word)
{
    static const char *const words[] = { "debug", "info", "notice", "warning", "err" };

    return number_of(word, words, 5);
}

static void
split_titles(struct titles *t, const char *text)
{
    char *rest = t->text, *one;

    t->n = 0;
    (void)snprintf(t->text, sizeof t->text, "%s", text ? text : "");
    while (text && t->n < MOST_TITLES && (one = strsep(&rest, ",")))
        t->v[t->n++] = one;
}

/* A word as a value in memory of the call; NULL for none. */
static const rhost_value *
value_of(rhost_ctx *ctx, const char *word)
{
    rhost_value *in = ctx->host->new_hash(ctx);
    char *end = NULL;
    long long number = strtoll(word ? word : "", &end, 10);

    if (!word)
        return NULL;
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        rhost_put_bool(in, "v", word[0] == 't');
    else if (*end == '\0')
        rhost_put_int(in, "v", number);
    else
        rhost_put_str(in, "v", word);
    return rhost_get(in, "v");
}

struct script {
    rhost_ctx *ctx;
    const struct rhost_change *change;
    uint64_t open[DEEPEST];
    size_t n_open;
};

static void
tell_one(struct script *s, const char *const *w)
{
    const struct rhost_host *host = s->ctx->host;
    rhost_ctx *ctx = s->ctx;
    struct titles t;

    if (strcmp(w[0], "log") == 0) {
        split_titles(&t, w[3]);
        host->log(ctx, level_of(w[1]), t.v, t.n, w[2]);
    } else if (strcmp(w[0], "begin") == 0 && s->n_open < DEEPEST) {
        split_titles(&t, w[2]);
        s->open[s->n_open++] =
            host->scope_begin(ctx, doing_of(w[1]), t.v, t.n, s->change->is, s->change->should, w[3]);
    } else if (strcmp(w[0], "end") == 0) {
        uint64_t number = w[1] ? strtoull(w[1], NULL, 10) : s->n_open ? s->open[s->n_open - 1] : 0;

        s->n_open -= s->n_open > 0;
        host->scope_end(ctx, number);
    } else if (strcmp(w[0], "did") == 0) {
        split_titles(&t, w[2]);
        (void)host->did(ctx, doing_of(w[1]), t.v, t.n, s->change->is, s->change->should, w[3]);
    } else if (strcmp(w[0], "unchanged") == 0) {
        if (host->unchanged(ctx, w[1], w[2]) < 0)
            host->log(ctx, RHOST_NOTICE, NULL, 0, "it was not taken");
    } else if (strcmp(w[0], "attr") == 0) {
        (void)host->attribute_changed(ctx, w[1], w[2], value_of(ctx, w[3]), value_of(ctx, w[4]), w[5]);
    } else if (strcmp(w[0], "find") == 0 || strcmp(w[0], "all") == 0) {
        letter_look(ctx, w[1], w[0][0] == 'f' ? w[2] : NULL, w[0][0] == 'a');
    } else if (strcmp(w[0], "fail") == 0) {
        (void)host->fail(ctx, 0, NULL, w[1]);
    }
}

int32_t
letter_tell(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *tell = rhost_get(change->should, "tell");
    struct script s = { .ctx = ctx, .change = change };

    for (size_t i = 0; i < rhost_count(tell); i++) {
        const char *words[MOST_WORDS] = { NULL };
        char text[LONGEST], *rest = text, *one;
        size_t n = 0;

        (void)snprintf(text, sizeof text, "%s", rhost_str_at(tell, i));
        while (n < MOST_WORDS && (one = strsep(&rest, "|"))) {
            words[n] = *one ? one : NULL;
            n++;
        }
        if (!words[0])
            continue;
        if (strcmp(words[0], "return") == 0)
            return -1;
        tell_one(&s, words);
    }
    return 0;
}
