/* SPDX-License-Identifier: Apache-2.0 */
/* batch - answers that the program gave about several resources at once.
 *
 * The host asks about one resource after another, and tells which it is going to ask about
 * (RHOST_UPCOMING_ID). The program is asked about all of those, and its answers wait here until the host
 * comes to them. They are found by the text of the question, so an answer is never used for another one;
 * each is used once, and none survives what changes the world. */

#include "json.h"
#include "parts.h"

#include <rhost/keep.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 1000, MOST_TEXT = 1 << 20 };

struct part {
    char *key, *answer;
    size_t n;
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
batch_add(struct batch *b, const struct text *key)
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
    b->parts[b->n++] = (struct part){ .key = need_text(key->s, key->n) };
    return true;
}

static int
by_key(const void *a, const void *b)
{
    return strcmp(((const struct part *)a)->key, ((const struct part *)b)->key);
}

int
batch_hear(struct talk *talk, struct batch *b, enum answer word)
{
    const rhost_value *says;

    for (size_t i = 0; i < b->n; i++) {
        struct text answer = { 0 };
        int which = talk_next(talk, 1U << word | 1U << ANSWER_FAILED | 1U << ANSWER_DONE, &says);

        if (which == ANSWER_DONE)
            which = talk_refuse(talk, "%zu answers were expected before it, and %zu came", b->n, i);
        if (which < 0) {
            clear(b);
            return -1;
        }
        json_write(&answer, says);
        b->parts[i].word = (enum answer)which;
        b->parts[i].answer = answer.s;
        b->parts[i].n = answer.n;
    }
    if (talk_next(talk, 1U << ANSWER_DONE, &says) < 0) {
        clear(b);
        return -1;
    }
    qsort(b->parts, b->n, sizeof *b->parts, by_key);
    return 0;
}

enum answer
batch_take(rhost_ctx *ctx, const char *key, const char **answer, size_t *n)
{
    struct batch *b = find(ctx);
    const struct part wanted = { .key = (char *)(uintptr_t)key };
    struct part *p = b && b->n ? bsearch(&wanted, b->parts, b->n, sizeof *b->parts, by_key) : NULL;

    if (!p || p->used)
        return N_ANSWERS;
    p->used = true;
    *answer = p->answer;
    *n = p->n;
    return p->word;
}
