/* SPDX-License-Identifier: Apache-2.0 */
/* plan - what is to be done to the lines of a file for one resource. */

#include "plan.h"

#include "insertion.h"
#include "pattern.h"
#include "template.h"

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

static int
prepare(rhost_ctx *ctx, const rhost_value *wanted, struct pattern *p, const char **template, size_t *len,
        const char **attribute, const char **why)
{
    char reason[512];

    *attribute = "match";
    if (pattern_init(p, rhost_str_or(wanted, "match", ""), PATTERN_REGEX, reason, sizeof reason) < 0) {
        *why = rhost_strdup(ctx, reason);
        return -1;
    }
    *attribute = "text";
    *template = template_make(ctx, p, rhost_str_or(wanted, "text", ""), len, why);
    if (*template)
        return 0;
    pattern_clear(p);
    return -1;
}

int
plan_check_backrefs(rhost_ctx *ctx, const rhost_value *resource)
{
    static const char *const useless[] = { "below", "above" };
    const char *attribute, *why, *template;
    struct pattern p;
    size_t len;

    if (!rhost_bool(resource, "backrefs", 0) || rhost_wants_absence(resource))
        return 0;
    if (!rhost_has(resource, "match"))
        return rhost_fail_attr(ctx, "backrefs", "'match' is required: its groups are what 'text' refers to");
    if (rhost_bool(resource, "literal", 0))
        return rhost_fail_attr(ctx, "literal", "a whole line has no groups for 'backrefs'");
    for (size_t i = 0; i < sizeof useless / sizeof *useless; i++)
        if (rhost_has(resource, useless[i]))
            return rhost_fail_attr(ctx, useless[i],
                                   "with 'backrefs' no line is added: only one that matches is changed");
    if (prepare(ctx, resource, &p, &template, &len, &attribute, &why) < 0)
        return rhost_fail_attr(ctx, attribute, "%s", why);
    pattern_clear(&p);
    return 0;
}

int
plan_expand(rhost_ctx *ctx, const rhost_value *wanted, const char *line, size_t len,
            struct plan_text *becomes)
{
    const char *attribute, *why, *template;
    struct pattern p;
    size_t template_len;
    int rc;

    if (prepare(ctx, wanted, &p, &template, &template_len, &attribute, &why) < 0)
        return -1;
    rc = template_expand(ctx, &p, template, template_len, line, len, &becomes->text, &becomes->len);
    pattern_clear(&p);
    return rc;
}

/* What each of these lines becomes by its groups. A result that would change again would do so in every run.
 */
static int
expand(struct asked *a, const rhost_value *wanted, const struct plan *plan)
{
    const rhost_value *text = rhost_get(wanted, "text");
    const char *template;
    struct pattern p;
    size_t len;
    int rc = 0;

    if (prepare(a->ctx, wanted, &p, &template, &len, &a->attribute, &a->why) < 0)
        return -1;
    for (size_t i = 0; i < plan->n && rc == 0; i++) {
        const struct rhost_line *line = &a->l->at[plan->which[i]];
        struct plan_text *once = &plan->becomes[i], twice;

        rc = template_expand(a->ctx, &p, template, len, line->text, line->len, &once->text, &once->len);
        if (rc > 0)
            rc = template_expand(a->ctx, &p, template, len, once->text, once->len, &twice.text, &twice.len);
        if (rc < 0) {
            a->attribute = "match";
            a->why = rhost_fmt(a->ctx, "it takes too many steps for line %zu", plan->which[i] + 1);
        } else if (rc > 0 && (once->len != twice.len || memcmp(once->text, twice.text, once->len) != 0)) {
            a->attribute = "text";
            a->why =
                text->host->sensitive(text)
                    ? rhost_fmt(a->ctx, "what line %zu becomes matches again and would change in every run",
                                plan->which[i] + 1)
                    : rhost_fmt(a->ctx,
                                "what line %zu becomes matches again and would change in every run: "
                                "'%.200s', and then '%.200s'",
                                plan->which[i] + 1, once->text, twice.text);
            rc = -1;
        } else {
            rc = 0;
        }
    }
    pattern_clear(&p);
    return rc;
}

/* Of the lines that match, those that are meant and are not as wanted. */
static int
choose(struct asked *a, const rhost_value *wanted, struct plan *plan)
{
    const char *multiple = rhost_str_or(wanted, "multiple", "fail");
    size_t n = 0;

    if (strcmp(multiple, "first") == 0 && plan->n > 1)
        plan->n = 1;
    if (strcmp(multiple, "last") == 0 && plan->n > 1)
        plan->which[0] = plan->which[plan->n - 1], plan->n = 1;
    plan->becomes = rhost_alloc(a->ctx, (plan->n + 1) * sizeof *plan->becomes);
    for (size_t i = 0; i < plan->n; i++)
        plan->becomes[i] = (struct plan_text){ a->line, a->len };
    if (rhost_bool(wanted, "backrefs", 0) && expand(a, wanted, plan) < 0)
        return -1;
    for (size_t i = 0; i < plan->n; i++)
        n += !rhost_line_is(a->l, plan->which[i], plan->becomes[i].text, plan->becomes[i].len);
    if (n && plan->n > 1 && strcmp(multiple, "fail") == 0)
        return refuse_several(a, plan);
    n = 0;
    for (size_t i = 0; i < plan->n; i++)
        if (!rhost_line_is(a->l, plan->which[i], plan->becomes[i].text, plan->becomes[i].len)) {
            plan->becomes[n] = plan->becomes[i];
            plan->which[n++] = plan->which[i];
        }
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
        return rhost_bool(wanted, "replace", 1) ? choose(a, wanted, plan) : 0;
    if (rhost_bool(wanted, "backrefs", 0))
        return 0;
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
            rhost_lines_put(l, plan->which[i], plan->becomes[i].text, plan->becomes[i].len);
    }
}
