/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/fake-overlap.h - the extension rhost.overlap/1 for <rhost/fake-host.h>, which includes it where
 * <rhost/overlap.h> was included: blocks are said as "begin creating a", "end creating a" and, where one fails,
 * "fail creating a: why". Ending one that is not open ends the test by abort(). */
#ifndef RHOST_FAKE_OVERLAP_H
#define RHOST_FAKE_OVERLAP_H

#include <rhost/fake-value.h>
#include <rhost/keep.h>
#include <rhost/overlap.h>
#include <rhost/provider.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rhost_fake_overlap {
    uint64_t last;
    struct {
        uint64_t number; /* 0: free */
        int32_t doing;
        char title[256];
    } open[64];
};

static inline struct rhost_fake_overlap *
rhost_fake_overlaps(rhost_ctx *ctx)
{
    void **word = rhost_keep_word(ctx, RHOST_OVERLAP_ID, free);

    if (!*word) {
        *word = rhost_fake_memory(NULL, sizeof(struct rhost_fake_overlap));
        memset(*word, 0, sizeof(struct rhost_fake_overlap));
    }
    return (struct rhost_fake_overlap *)*word;
}

RHOST_UNUSED static inline uint64_t
rhost_fake_overlap_begin(rhost_ctx *ctx, int32_t doing, const char *title, const char *message)
{
    struct rhost_fake_overlap *all = rhost_fake_overlaps(ctx);
    size_t i = 0;

    while (i < sizeof all->open / sizeof all->open[0] && all->open[i].number)
        i++;
    if (i == sizeof all->open / sizeof all->open[0])
        abort();
    all->open[i].number = ++all->last;
    all->open[i].doing = doing;
    (void)snprintf(all->open[i].title, sizeof all->open[i].title, "%s", title);
    rhost_fake_say(rhost_fake_from(ctx), "begin %s %s%s%s", rhost_fake_doing(doing), title, message ? ": " : "",
                   message ? message : "");
    return all->last;
}

RHOST_UNUSED static inline void
rhost_fake_overlap_end(rhost_ctx *ctx, uint64_t block, const char *failure)
{
    struct rhost_fake_overlap *all = rhost_fake_overlaps(ctx);
    struct rhost_fake *f = rhost_fake_from(ctx);
    size_t i = 0;

    while (i < sizeof all->open / sizeof all->open[0] && (!block || all->open[i].number != block))
        i++;
    if (i == sizeof all->open / sizeof all->open[0])
        abort();
    all->open[i].number = 0;
    f->failures += failure != NULL;
    rhost_fake_say(f, "%s %s %s%s%s", failure ? "fail" : "end", rhost_fake_doing(all->open[i].doing),
                   all->open[i].title, failure ? ": " : "", failure ? failure : "");
}

/* For the test: how many blocks are open. When a callback has returned, each of them would fail its resource. */
RHOST_UNUSED static inline size_t
rhost_fake_open_overlaps(struct rhost_fake *f)
{
    const struct rhost_fake_overlap *all = rhost_fake_overlaps(&f->ctx);
    size_t n = 0;

    for (size_t i = 0; i < sizeof all->open / sizeof all->open[0]; i++)
        n += all->open[i].number != 0;
    return n;
}

static inline const struct rhost_overlap *
rhost_fake_overlap(void)
{
    static const struct rhost_overlap extension = { sizeof extension, rhost_fake_overlap_begin,
                                                    rhost_fake_overlap_end };

    return &extension;
}

#ifdef __cplusplus
}
#endif

#endif
