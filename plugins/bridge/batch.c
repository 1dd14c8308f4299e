/* SPDX-License-Identifier: Apache-2.0 */
/* batch - answers that the program gave about several resources at once.
 *
 * The host asks about one resource after another, and tells which it is going to ask about
 * (RHOST_UPCOMING_ID). The program is asked about all of those, and its answers wait here until the host
 * comes to them. They are found by the text of the question, so an answer is never used for another one;
 * each is used once, and none survives what changes the world.
 *
 * The answers come in the order of the question. One that is out of order would be taken for that of another
 * resource, so each says what it is about: "insync" with its title and attribute, "resource" with its name.
 */

#include "json.h"
#include "parts.h"

#include <rhost/keep.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 1000, MOST_TEXT = 1 << 20 };

struct part {
    char *key, *answer;
    struct asked about; /* while the answers are heard, as is the next */
    const rhost_value *canonical;
    size_t n;
    uint64_t line; /* of the program's output */
    enum answer word;
    bool used;
};

struct batch {
    struct part *parts;
    size_t n, room, bytes;
};

static void
clear(struct batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        struct text key = { b->parts[i].key, b->parts[i].key ? strlen(b->parts[i].key) : 0, 0 };
        struct text answer = { b->parts[i].answer, b->parts[i].n, 0 };

        text_clear(&key);
        text_clear(&answer);
    }
    free(b->parts);
    *b = (struct batch){ 0 };
}

static void
release(void *kept)
{
    clear(kept);
    free(kept);
}

static struct batch *
find(rhost_ctx *ctx)
{
    void **word = rhost_keep_word(ctx, "rhost.bridge.batch", release);

    if (!word)
        return NULL;
    if (!*word)
        *word = need(sizeof(struct batch));
    return *word;
}

void
batch_forget(rhost_ctx *ctx)
{
    struct batch *b = find(ctx);

    if (b)
        clear(b);
}

struct batch *
batch_new(rhost_ctx *ctx)
{
    struct batch *b = find(ctx);

    if (b)
        clear(b);
    return b;
}

bool
batch_add(struct batch *b, const struct text *key, const struct asked *about)
{
    if (b->n && (b->n == MOST_PARTS || b->bytes + key->n > MOST_TEXT))
        return false;
    if (b->n == b->room) {
        struct part *more = need((b->room = 2 * b->room + 16) * sizeof *more);

        if (b->n)
            memcpy(more, b->parts, b->n * sizeof *more);
        free(b->parts);
        b->parts = more;
    }
    b->bytes += key->n;
    b->parts[b->n++] = (struct part){ .key = need_text(key->s, key->n), .about = *about };
    return true;
}

static int
by_key(const void *a, const void *b)
{
    return strcmp(((const struct part *)a)->key, ((const struct part *)b)->key);
}

/* {"insync":{"title":"...","attribute":"..."}}: whether it is about this part. */
static int
check_about(struct talk *talk, const struct part *p, const rhost_value *says)
{
    const char *title, *attribute, *asked = p->about.attribute;

    if (talk->ctx->host->kind(says) != RHOST_HASH)
        return talk_refuse(talk, "what it says must be an object");
    if (!talk->ctx->host->get(says, "title") || !talk->ctx->host->get(says, "attribute"))
        return talk_refuse(talk, "in a batch it needs the 'title' and the 'attribute' that it is about");
    if (talk_text(talk, says, "title", false, &title) < 0
        || talk_text(talk, says, "attribute", true, &attribute) < 0)
        return -1;
    if (strcmp(title, p->about.change->title) == 0 && strcmp(attribute ? attribute : "", asked) == 0)
        return 0;
    return talk_refuse(talk, "it is about '%.*s' of '%.*s', and the next answer is about '%s' of '%.*s'", 60,
                       attribute ? attribute : "null", 200, title, *asked ? asked : "null", 200,
                       p->about.change->title);
}

/* A resource by its namevars. */
struct named {
    struct text name, canonical;
    bool is_answer;
};

static int
by_name(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name.s, ((const struct named *)b)->name.s);
}

static struct text
name_in(const struct talk *talk, const rhost_value *resource)
{
    const struct rhost_provider *p = &talk->served->provider;
    struct text name = { 0 };

    for (size_t i = 0; i < p->n_attrs; i++)
        if (p->attrs[i].behaviour & RHOST_NAMEVAR) {
            text_adds(&name, name.n ? " " : "");
            json_write(&name, rhost_get(resource, p->attrs[i].name));
        }
    return name;
}

/* An answer can have another name than its question, the canonical one. Where that is the name of another
 * question, that one is canonical, and its answer keeps it: else the answers were exchanged. */
static int
check_names(struct talk *talk, const struct batch *b)
{
    struct named *all = need(b->n * sizeof *all);
    int rc = 0;

    for (size_t i = 0; i < b->n; i++)
        all[i] = (struct named){ name_in(talk, b->parts[i].about.resource),
                                 name_in(talk, b->parts[i].canonical), b->parts[i].word == ANSWER_RESOURCE };
    qsort(all, b->n, sizeof *all, by_name);
    for (size_t i = 0; rc == 0 && i < b->n; i++) {
        const struct named wanted = { .name = all[i].canonical };
        const struct named *other = all[i].is_answer && strcmp(all[i].name.s, all[i].canonical.s) != 0
                                        ? bsearch(&wanted, all, b->n, sizeof *all, by_name)
                                        : NULL;

        if (other && other->is_answer && strcmp(other->name.s, other->canonical.s) != 0)
            rc = talk_refuse(talk,
                             "its answers are not in the order of the question: that for %.*s is about %.*s",
                             200, all[i].name.s, 200, all[i].canonical.s);
    }
    for (size_t i = 0; i < b->n; i++) {
        text_clear(&all[i].name);
        text_clear(&all[i].canonical);
    }
    free(all);
    return rc;
}

static void
put_answer(struct talk *talk, struct part *p, int which, const rhost_value *says)
{
    struct text answer = { 0 };

    json_write(&answer, says);
    p->word = (enum answer)which;
    p->answer = answer.s;
    p->n = answer.n;
    p->line = talk->line;
    p->canonical = says;
}

static int
hear(struct talk *talk, struct batch *b, enum answer word)
{
    const rhost_value *says, *failed = NULL;

    for (size_t i = 0; i < b->n; i++) {
        int which = talk_next(talk, 1U << word | 1U << ANSWER_FAILED | 1U << ANSWER_DONE, &says);

        if (which == ANSWER_DONE && i == 1 && failed) { /* it could do none of it */
            for (size_t k = 1; k < b->n; k++)
                put_answer(talk, &b->parts[k], ANSWER_FAILED, failed);
            return 0;
        }
        if (which == ANSWER_DONE)
            return talk_refuse(talk, "%zu answers were expected before it, and %zu came", b->n, i);
        if (which < 0 || (which == ANSWER_INSYNC && check_about(talk, &b->parts[i], says) < 0))
            return -1;
        failed = which == ANSWER_FAILED ? says : NULL;
        put_answer(talk, &b->parts[i], which, says);
    }
    switch (talk_next(talk, 1U << word | 1U << ANSWER_FAILED | 1U << ANSWER_DONE, &says)) {
    case ANSWER_DONE:
        return 0;
    case -1:
        return -1;
    default:
        return talk_refuse(talk, "%zu answers were expected, and this is one more", b->n);
    }
}

int
batch_hear(struct talk *talk, struct batch *b, enum answer word)
{
    if (hear(talk, b, word) < 0 || (word == ANSWER_RESOURCE && check_names(talk, b) < 0)) {
        clear(b);
        return -1;
    }
    qsort(b->parts, b->n, sizeof *b->parts, by_key);
    return 0;
}

enum answer
batch_take(struct talk *talk, const char *key, const char **answer, size_t *n)
{
    struct batch *b = find(talk->ctx);
    const struct part wanted = { .key = (char *)(uintptr_t)key };
    struct part *p = b && b->n ? bsearch(&wanted, b->parts, b->n, sizeof *b->parts, by_key) : NULL;

    if (!p || p->used)
        return N_ANSWERS;
    p->used = true;
    talk->line = p->line;
    *answer = p->answer;
    *n = p->n;
    return p->word;
}
