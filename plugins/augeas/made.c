/* SPDX-License-Identifier: Apache-2.0 */
/* made - what changes have made of a text, by the digest of both. */

#include "made.h"

#include <rhost/keep.h>
#include <rhost/sha256.h>

#include <stdlib.h>

struct made {
    char key[65];
    char *result; /* NULL: nothing is changed */
};

struct all {
    struct made made[4];
    unsigned next; /* gives way to the next one */
};

static void
forget(void *data)
{
    struct all *all = data;

    for (size_t i = 0; i < sizeof all->made / sizeof *all->made; i++)
        free(all->made[i].result);
    free(all);
}

static struct all *
all_of(rhost_ctx *ctx)
{
    void **word = rhost_keep_word(ctx, "augeas made", forget);

    if (word && !*word)
        *word = calloc(1, sizeof(struct all));
    return word ? *word : NULL;
}

/* A text with its length, so that no two lists of texts are the same bytes. */
static void
add_text(struct rhost_sha256 *sum, const char *text)
{
    size_t len = text ? strlen(text) : SIZE_MAX;

    rhost_sha256_add(sum, &len, sizeof len);
    if (text)
        rhost_sha256_add(sum, text, len);
}

static void
add_value(struct rhost_sha256 *sum, const rhost_value *v)
{
    size_t n = v && v->host->kind(v) == RHOST_ARRAY ? rhost_count(v) : SIZE_MAX;

    rhost_sha256_add(sum, &n, sizeof n);
    if (n == SIZE_MAX)
        add_text(sum, v ? v->host->string(v, NULL) : NULL);
    for (size_t i = 0; n != SIZE_MAX && i < n; i++)
        add_value(sum, rhost_at(v, i, NULL));
}

static void
key_of(const rhost_value *wanted, const char *text, char key[65])
{
    static const char *const attributes[] = { "path", "lens", "context", "conditions", "changes" };
    struct rhost_sha256 sum;

    rhost_sha256_init(&sum);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        add_value(&sum, rhost_get(wanted, attributes[i]));
    add_text(&sum, text);
    rhost_sha256_hex(&sum, key);
}

int
made_find(rhost_ctx *ctx, const rhost_value *wanted, const char *text, const char **result)
{
    const struct all *all = all_of(ctx);
    char key[65];

    key_of(wanted, text, key);
    for (size_t i = 0; all && i < sizeof all->made / sizeof *all->made; i++)
        if (strcmp(all->made[i].key, key) == 0) {
            *result = all->made[i].result ? rhost_strdup(ctx, all->made[i].result) : text;
            return 1;
        }
    return 0;
}

void
made_keep(rhost_ctx *ctx, const rhost_value *wanted, const char *text, const char *result)
{
    struct all *all = all_of(ctx);
    char *copy = all && result != text ? strdup(result) : NULL;
    struct made *made;

    if (!all || (result != text && !copy))
        return; /* it will be made again */
    made = &all->made[all->next++ % (sizeof all->made / sizeof *all->made)];
    free(made->result);
    made->result = copy;
    key_of(wanted, text, made->key);
}
