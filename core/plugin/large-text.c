/* SPDX-License-Identifier: Apache-2.0 */
/* large-text - texts that go to a worker as memory that both see: the numbers that they have. */
#include "config.h"

#include "plugin/large-text.h"

#include "base/alloc.h"
#include "base/shared-text.h"

#include <stdlib.h>
#include <unistd.h>

void
rh_large_text_add(struct rh_large_texts *t, struct rh_shared_text *text)
{
    size_t n;

    (void)rh_shared_text_bytes(text, &n);
    t->v = rh_xgrow(t->v, &t->cap, t->n, sizeof(struct rh_shared_text *));
    t->v[t->n++] = text;
    t->bytes += n;
}

void
rh_large_texts_clear(struct rh_large_texts *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i])
            rh_shared_text_release(t->v[i]);
    free(t->v);
    *t = (struct rh_large_texts){ 0 };
}

int
rh_large_text_receive(struct rh_large_texts *t, int fd)
{
    struct rh_shared_text *text = rh_shared_text_map(fd);

    (void)close(fd);
    if (!text)
        return -1;
    rh_large_text_add(t, text);
    return 0;
}

struct rh_shared_text *
rh_large_text_get(const struct rh_large_texts *t, uint32_t number)
{
    return number && number <= t->n ? t->v[number - 1] : NULL;
}

void
rh_large_text_drop(struct rh_large_texts *t, uint32_t number)
{
    struct rh_shared_text *text = rh_large_text_get(t, number);
    size_t n;

    if (!text)
        return;
    (void)rh_shared_text_bytes(text, &n);
    t->bytes -= n;
    t->v[number - 1] = NULL;
    rh_shared_text_release(text);
}
