/* SPDX-License-Identifier: Apache-2.0 */
/* named - the rules that have a name: their comment.
 *
 * A rule that takes the place of another one is added under a name of its own, then the other one goes, and
 * then it gets its name. So a change that is cut off is seen as such, and the next run goes on with it. */

#include "named.h"

#define COMING " (rhost: it replaces the rule of this name)"

const char *
named_coming(rhost_ctx *ctx, const char *name)
{
    return rhost_fmt(ctx, "%s" COMING, name);
}

const char *
named_base(rhost_ctx *ctx, const char *comment)
{
    size_t n = strlen(comment), end = sizeof COMING - 1;

    return n > end && strcmp(comment + n - end, COMING) == 0 ? rhost_copy(ctx, comment, n - end) : comment;
}

struct named
named_find(rhost_ctx *ctx, const struct tuples *tuples, const char *name)
{
    const char *coming = named_coming(ctx, name);
    const struct tuple *any = NULL;
    struct named named = { .v4 = NULL };

    for (size_t i = 0; i < tuples->n; i++) {
        const struct tuple *t = &tuples->all[i], **of = t->v6 ? &named.v6 : &named.v4;

        if (strcmp(t->rule.comment, coming) == 0 && !named.coming)
            named.coming = t;
        if (strcmp(t->rule.comment, name) != 0)
            continue;
        if (any && !ufw_same(&any->rule, &t->rule))
            named.several = 1;
        any = any ? any : t;
        *of = *of ? *of : t; /* an application has a line for each protocol */
    }
    return named;
}

const struct tuple *
named_any(const struct named *named)
{
    return named->v4 ? named->v4 : named->v6;
}

int
named_is_whole(const struct tuples *tuples, const struct named *named)
{
    const struct ufw_rule *rule = &named_any(named)->rule;

    if (named->v4 && named->v6)
        return 1;
    if (!tuples->ipv6 || strcmp(rule->from, UFW_ANY) != 0 || strcmp(rule->to, UFW_ANY) != 0)
        return 1;
    return strcmp(rule->proto, "igmp") == 0 || strcmp(rule->proto, "ipv6") == 0;
}
