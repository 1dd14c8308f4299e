/* SPDX-License-Identifier: Apache-2.0 */
/* parallel - a type whose resources are gathered, and all set at the same time: each takes as many tenths of
 * a second as it says, and `ends` says how. */
#include <rhost/provider.h>

#include <rhost/overlap.h>
#include <string.h>
#include <unistd.h>

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "String[1]", .desc = "What it is called.", .behaviour = RHOST_NAMEVAR },
    { .name = "tenths", .type = "Integer[0, 20]", .desc = "How long it takes." },
    { .name = "ends",
      .type = "Enum[well, badly, never, twice]",
      .desc = "How it ends.",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"well\"" },
};

static int32_t
get(rhost_ctx *ctx, const rhost_value *names)
{
    (void)ctx;
    (void)names;
    return 0;
}

static int32_t
set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    const struct rhost_overlap *ext = rhost_overlap_extension(ctx);
    uint64_t *blocks = (uint64_t *)rhost_alloc(ctx, (n + 1) * sizeof *blocks);

    for (size_t i = 0; i < n; i++)
        blocks[i] = ext->begin(ctx, RHOST_UPDATING, changes[i]->title, NULL);
    for (int64_t now = 0; now <= 20; now++) {
        size_t left = 0;

        for (size_t i = 0; i < n; i++) {
            const char *ends = rhost_str(changes[i]->should, "ends");
            int64_t tenths = rhost_int(changes[i]->should, "tenths", 0);

            left += tenths > now;
            if (tenths != now || strcmp(ends, "never") == 0)
                continue;
            ext->end(ctx, blocks[i], strcmp(ends, "badly") == 0 ? "the server says no" : NULL);
            if (strcmp(ends, "twice") == 0)
                ext->end(ctx, blocks[i], NULL);
        }
        if (!left)
            break;
        (void)usleep(100000);
    }
    return 0;
}

static const struct rhost_provider parallel = {
    RHOST_PROVIDER("parallel", "Things that are set at the same time."),
    RHOST_ATTRS(attrs),
    .features = RHOST_GATHERS,
    .get = get,
    .set = set,
};

RHOST_PLUGIN(parallel, "1.0", &parallel)
