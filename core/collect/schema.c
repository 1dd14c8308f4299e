/* SPDX-License-Identifier: Apache-2.0 */
/* schema - the views, which are the same in both databases but for a few words. */
#include "config.h"

#include "base/error.h"
#include "base/text.h"
#include "collect/store-parts.h"

#include <string.h>

static const struct {
    const char *word, *sqlite, *server;
} words[] = {
    { "$seconds_since(", "(86400.0 * (julianday('now') - julianday(", "extract(epoch FROM now() - (" },
    { "$hour_of(", "(substr(", "(date_trunc('hour', " },
    { "$end_hour)", ", 1, 13) || ':00:00.000Z')", "))" },
    { "$end)", ")))", "))" },
};

void
rh_schema_add_views(struct rh_buf *b, bool server)
{
    const char *p = rh_schema_views;

    while (*p) {
        size_t n = strcspn(p, "$"), i = 0;

        rh_buf_addn(b, p, n);
        p += n;
        if (!*p)
            return;
        while (i < sizeof words / sizeof words[0] && strncmp(p, words[i].word, strlen(words[i].word)) != 0)
            i++;
        if (i < sizeof words / sizeof words[0]) {
            rh_buf_add(b, server ? words[i].server : words[i].sqlite);
            p += strlen(words[i].word);
        } else {
            rh_buf_addc(b, *p++);
        }
    }
}

int
rh_schema_check(long version, bool writes, struct rh_error *err)
{
    if (version > RH_SCHEMA)
        return rh_error_set(err, RH_EINPUT,
                            "the database has version %ld, and this rhost-collect knows version %d: use the "
                            "newer program",
                            version, RH_SCHEMA);
    if (!writes && version == 0)
        return rh_error_set(err, RH_EINPUT, "the database has no reports: run 'rhost collect' first");
    if (!writes && version < RH_SCHEMA)
        return rh_error_set(
            err, RH_EINPUT,
            "the database has version %ld, and this rhost-collect reads version %d: run 'rhost "
            "collect' first",
            version, RH_SCHEMA);
    return 0;
}
