/* SPDX-License-Identifier: Apache-2.0 */
/* zones - the time zones that a directory of tzdata has. */

#include "zones.h"

#include <rhost/path.h>

#include <ctype.h>

enum { LARGEST = 1 << 20, LONGEST = 64, DEEPEST = 3, MOST_HINTS = 3 };

int
zones_have(rhost_ctx *ctx, const char *folder, const char *zone)
{
    const char *path = rhost_fmt(ctx, "%s/%s", folder, zone);
    size_t len = 0;
    const char *rules = rhost_path_read(ctx, path, RHOST_PATH_FOLLOW, LARGEST, &len, NULL);

    if (rules)
        return len > 44 && memcmp(rules, "TZif", 4) == 0; /* tzfile(5): a header and something */
    if (errno == ENOENT || errno == ENOTDIR || errno == EISDIR || errno == EINVAL || errno == EFBIG)
        return 0;
    return rhost_fail_path(ctx, "cannot read '%s'", path);
}

/* How many letters have to be put in, taken out or exchanged, whatever their case. */
static size_t
distance(const char *a, const char *b)
{
    size_t n = strlen(b), row[LONGEST + 1];

    if (n > LONGEST)
        return LONGEST;
    for (size_t k = 0; k <= n; k++)
        row[k] = k;
    for (size_t i = 1; *a; a++, i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t k = 1; k <= n; k++) {
            int same = tolower((unsigned char)*a) == tolower((unsigned char)b[k - 1]);
            size_t best = diagonal + (same ? 0 : 1);

            diagonal = row[k];
            best = best < row[k] + 1 ? best : row[k] + 1;
            row[k] = best < row[k - 1] + 1 ? best : row[k - 1] + 1;
        }
    }
    return row[n];
}

struct search {
    const char *zone, *near[MOST_HINTS];
    size_t distance[MOST_HINTS];
};

/* Europe/Berlin is near to "Berlin" and to "Europe/Berlni". */
static void
consider(rhost_ctx *ctx, struct search *s, const char *zone)
{
    const char *city = strrchr(zone, '/'), *wanted = strrchr(s->zone, '/');
    size_t d = distance(s->zone, zone), at = MOST_HINTS;

    if (d > 1 + strlen(zone) / 6)
        d = LONGEST;
    if (city) {
        size_t of_city = distance(wanted ? wanted + 1 : s->zone, city + 1);

        if (of_city <= strlen(city + 1) / 4 && of_city + (wanted != NULL) < d)
            d = of_city + (wanted != NULL);
    }
    while (at > 0 && (!s->near[at - 1] || d < s->distance[at - 1]))
        at--;
    if (at == MOST_HINTS || d == LONGEST)
        return;
    for (size_t i = MOST_HINTS - 1; i > at; i--) {
        s->near[i] = s->near[i - 1];
        s->distance[i] = s->distance[i - 1];
    }
    s->near[at] = rhost_strdup(ctx, zone);
    s->distance[at] = d;
}

/* Zones begin with a capital letter: the directory has other files, and the zones once more in posix/ and
 * right/. */
static void
search_below(rhost_ctx *ctx, struct search *s, const char *folder, const char *prefix, int depth)
{
    const char **names;
    ssize_t n = rhost_path_list(ctx, *prefix ? rhost_fmt(ctx, "%s/%s", folder, prefix) : folder,
                                RHOST_PATH_FOLLOW, &names);

    for (ssize_t i = 0; i < n; i++) {
        const char *zone = rhost_fmt(ctx, "%s%s%s", prefix, *prefix ? "/" : "", names[i]);
        struct stat st;

        if (!isupper((unsigned char)*names[i])
            || rhost_path_stat(ctx, rhost_fmt(ctx, "%s/%s", folder, zone), RHOST_PATH_FOLLOW, &st) < 0)
            continue;
        if (S_ISDIR(st.st_mode) && depth < DEEPEST)
            search_below(ctx, s, folder, zone, depth + 1);
        else if (S_ISREG(st.st_mode))
            consider(ctx, s, zone);
    }
}

const char *
zones_hint(rhost_ctx *ctx, const char *folder, const char *zone)
{
    struct search s = { .zone = zone };
    const char *text = "";

    search_below(ctx, &s, folder, "", 0);
    for (size_t i = 0; i < MOST_HINTS && s.near[i] && s.distance[i] == s.distance[0]; i++)
        text = rhost_fmt(ctx, "%s%s'%s'", text, i ? " or " : "; similar: ", s.near[i]);
    return text;
}
