/* SPDX-License-Identifier: Apache-2.0 */
/* insertion - where new lines of a file come. */

#include "insertion.h"

#include "pattern.h"

int
insertion_point(rhost_ctx *ctx, const struct rhost_lines *l, const rhost_value *wanted, size_t *at,
                const char **attribute, const char **why)
{
    const char *below = rhost_str(wanted, "below"), *above = rhost_str(wanted, "above");
    const char *text = below ? below : above;
    char reason[512];
    struct pattern p;
    int rc = 0;

    *at = l->n;
    if (!text)
        return 0;
    *attribute = below ? "below" : "above";
    if (pattern_init(&p, text, rhost_bool(wanted, "literal", 0) ? PATTERN_LITERAL : PATTERN_REGEX, reason,
                     sizeof reason)
        < 0) {
        *why = rhost_strdup(ctx, reason);
        return -1;
    }
    for (size_t i = 0; i < l->n && rc >= 0; i++) {
        size_t line = below ? l->n - 1 - i : i;

        rc = pattern_matches(&p, l->at[line].text, l->at[line].len);
        if (rc < 0)
            *why = rhost_fmt(ctx, "'%.200s' takes too many steps for line %zu", text, line + 1);
        if (rc <= 0)
            continue;
        *at = below ? line + 1 : line;
        break;
    }
    pattern_clear(&p);
    return rc < 0 ? -1 : 0;
}

int
insertion_check(rhost_ctx *ctx, const rhost_value *resource, const char *attribute)
{
    struct pattern p;
    char why[512];

    if (pattern_init(&p, rhost_str(resource, attribute),
                     rhost_bool(resource, "literal", 0) ? PATTERN_LITERAL : PATTERN_REGEX, why, sizeof why)
        < 0)
        return rhost_fail_attr(ctx, attribute, "%s", why);
    pattern_clear(&p);
    return 0;
}
