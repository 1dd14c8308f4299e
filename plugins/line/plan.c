/* SPDX-License-Identifier: Apache-2.0 */
/* plan - what is to be done to the lines of a file for one resource. */

#include "plan.h"

#include "insertion.h"
#include "pattern.h"

enum { NAMED = 5 /* lines, in a message */ };

/* What a plan is made of. */
struct asked {
    rhost_ctx *ctx;
    const struct rhost_lines *l;
    const char *line; /* NULL: none */
    size_t len;
    const char *attribute, *why;
};

static int
refuse(struct asked *a, const char *attribute, const char *why)
{
    size_t size = strlen(why) + 1;
    char *copy = rhost_alloc(a->ctx, size);

    memcpy(copy, why, size);
    a->attribute = attribute;
    a->why = copy;
    return -1;
}

/* All lines that match, in memory of the call; with `or_line` also those that are the line itself.
 * -1 after refuse(). */
static int
find_all(struct asked *a, const char *attribute, const char *text, int literal, int or_line,
         struct plan *found)
{
    struct pattern p;
    char why[512];
    size_t room = 0;

    if (pattern_init(&p, text, literal ? PATTERN_LITERAL : PATTERN_REGEX, why, sizeof why) < 0)
        return refuse(a, attribute, why);
    found->n = 0;
    for (size_t i = 0; i < a->l->n; i++) {
        const struct rhost_line *line = &a->l->at[i];
        int rc = or_line && a->line && rhost_line_is(a->l, i, a->line, a->len)
                     ? 1
                     : pattern_matches(&p, line->text, line->len);

        if (rc < 0) {
            snprintf(why, sizeof why, "'%.200s' takes too many steps for line %zu", text, i + 1);
            pattern_clear(&p);
            return refuse(a, attribute, why);
        }
        if (!rc)
            continue;
        if (found->n == room) {
            size_t *more = rhost_alloc(a->ctx, (room = room ? room * 2 : 16) * sizeof *more);

            if (found->n)
                memcpy(more, found->which, found->n * sizeof *more);
            found->which = more;
        }
        found->which[found->n++] = i;
    }
    pattern_clear(&p);
    return 0;
}

static int
refuse_several(struct asked *a, const struct plan *found)
{
    char numbers[160] = "", why[512];
    size_t used = 0;

    for (size_t i = 0; i < found->n && i < NAMED; i++)
        used += (size_t)snprintf(numbers + used, sizeof numbers - used, "%s%zu",
                                 !i                  ? ""
                                 : i + 1 == found->n ? " and "
                                                     : ", ",
                                 found->which[i] + 1);
    if (found->n > NAMED)
        snprintf(numbers + used, sizeof numbers - used, " and %zu more", found->n - NAMED);
    snprintf(why, sizeof why,
             "%zu lines match (%s): make it match one, or say which is meant by multiple: first, last "
             "or all",
             found->n, numbers);
    return refuse(a, "match", why);
}

/* Of the lines that match, those that are meant and are not as wanted. */
static int
choose(struct asked *a, const char *multiple, struct plan *plan)
{
    size_t n = 0;

    if (strcmp(multiple, "first") == 0 && plan->n > 1)
        plan->n = 1;
    if (strcmp(multiple, "last") == 0 && plan->n > 1)
        plan->which[0] = plan->which[plan->n - 1], plan->n = 1;
    for (size_t i = 0; i < plan->n; i++)
        n += !rhost_line_is(a->l, plan->which[i], a->line, a->len);
    if (n && plan->n > 1 && strcmp(multiple, "fail") == 0)
        return refuse_several(a, plan);
    n = 0;
    for (size_t i = 0; i < plan->n; i++)
        if (!rhost_line_is(a->l, plan->which[i], a->line, a->len))
            plan->which[n++] = plan->which[i];
    plan->n = n;
    plan->what = n ? PLAN_CHANGE : PLAN_FINE;
    return 0;
}

static int
place(struct asked *a, const rhost_value *wanted, struct plan *plan)
{
    plan->what = PLAN_ADD;
    return insertion_point(a->ctx, a->l, wanted, &plan->at, &a->attribute, &a->why);
}

static int
plan_present(struct asked *a, const rhost_value *wanted, struct plan *plan)
{
    const char *match = rhost_str(wanted, "match");
    int literal = rhost_bool(wanted, "literal", 0);

    if (!a->line)
        return refuse(a, "text", "it has to say which line there should be");
    if (match && find_all(a, "match", match, literal, 0, plan) < 0)
        return -1;
    if (plan->n)
        return rhost_bool(wanted, "replace", 1) ? choose(a, rhost_str_or(wanted, "multiple", "fail"), plan)
                                                : 0;
    for (size_t i = 0; i < a->l->n; i++)
        if (rhost_line_is(a->l, i, a->line, a->len))
            return 0;
    return rhost_bool(wanted, "append", 1) ? place(a, wanted, plan) : 0;
}

int
plan_make(rhost_ctx *ctx, const struct rhost_lines *l, const rhost_value *wanted, int gone, struct plan *plan,
          const char **attribute, const char **why)
{
    struct asked a = { .ctx = ctx, .l = l };
    int rc;

    memset(plan, 0, sizeof *plan);
    a.line = rhost_bytes(wanted, "text", &a.len);
    if (gone) {
        rc = find_all(&a, "match", rhost_str(wanted, "match"), rhost_bool(wanted, "literal", 0), 1, plan);
        plan->what = plan->n ? PLAN_DROP : PLAN_FINE;
    } else {
        rc = plan_present(&a, wanted, plan);
    }
    *attribute = a.attribute;
    *why = a.why;
    return rc;
}

void
plan_carry_out(struct rhost_lines *l, const struct plan *plan, const char *line, size_t len)
{
    if (plan->what == PLAN_ADD)
        rhost_lines_insert(l, plan->at, line, len);
    for (size_t i = plan->n; i-- > 0;) {
        if (plan->what == PLAN_DROP)
            rhost_lines_remove(l, plan->which[i], 1);
        else if (plan->what == PLAN_CHANGE)
            rhost_lines_put(l, plan->which[i], line, len);
    }
}
