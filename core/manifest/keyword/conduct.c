/* SPDX-License-Identifier: Apache-2.0 */
/* conduct - the keywords that say how a resource is to be dealt with: guards, retries, limits. */
#include "config.h"

#include "manifest/keyword/conduct.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/conduct.h"
#include "manifest/expression/expression.h"
#include "manifest/expression/later.h"
#include "manifest/keyword/keyword.h"
#include "manifest/keyword/meta.h"
#include "manifest/load/load.h"
#include "manifest/load/purge-type.h"
#include "manifest/text/scalar.h"

#include <string.h>

enum { MOST_RETRIES = 1000, LONGEST = 604800 };

static int
refuse(struct rh_load *load, const struct rh_value *v, const char *hint, const char *message)
{
    rh_complain(load->complaints, rh_value_place(v), hint, "%s", message);
    return -1;
}

/* An instance is not tried itself: its resources are. Nor is a purge: it lists and removes. */
static int
check_tried(struct rh_load *load, const struct rh_keyword_values *keywords, const struct rh_value *v,
            const char *word)
{
    if (rh_keyword_check_instance(load, keywords, v, word) < 0)
        return -1;
    if (strcmp(keywords->type->type, rh_purge_word) != 0)
        return 0;
    rh_complain(load->complaints, rh_value_place(v), "remove it", "'%s' cannot be used with 'purge'", word);
    return -1;
}

static bool
is_text(const struct rh_value *v)
{
    return rh_value_is(v, RH_STRING) && strlen(v->u.string) == v->count;
}

/* An argument list, or a text for the shell. What is not known yet is held against it later. */
static bool
is_command(const struct rh_value *v)
{
    bool fits = (is_text(v) && v->count) || v->kind == RH_UNKNOWN;

    if (rh_value_is(v, RH_ARRAY) && v->count) {
        fits =
            rh_value_at(v, 0)->kind == RH_UNKNOWN || (is_text(rh_value_at(v, 0)) && rh_value_at(v, 0)->count);
        for (size_t i = 0; i < v->count; i++)
            fits &= is_text(rh_value_at(v, i)) || rh_value_at(v, i)->kind == RH_UNKNOWN;
    }
    return fits;
}

/* A command, or a list of them. */
static int
read_guard(struct rh_load *load, const struct rh_value *v, const struct rh_value **guard)
{
    static const char hint[] = "write an argument list, [test, -e, /etc/motd], or a text for the "
                               "shell, \"test -e /etc/motd\"";
    bool several = rh_guard_is_list(v), fits = several || is_command(v);

    for (size_t i = 0; several && i < v->count; i++)
        fits &= is_command(rh_value_at(v, i));
    if (!fits)
        return refuse(load, v, hint, "expected a command");
    *guard = v;
    return 0;
}

int
rh_read_only_if(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    return read_guard(load, v, &keywords->conduct.only_if);
}

int
rh_read_not_if(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    return read_guard(load, v, &keywords->conduct.not_if);
}

int
rh_read_retries(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    if (check_tried(load, keywords, v, "retries") < 0)
        return -1;
    (void)rh_scalar_read(load->catalog->arena, NULL, v);
    if (!rh_value_is(v, RH_INTEGER) || v->u.integer < 0 || v->u.integer > MOST_RETRIES)
        return refuse(load, v, NULL, "retries must be an integer between 0 and 1000");
    keywords->conduct.retries = (uint32_t)v->u.integer;
    return 0;
}

static int
read_seconds(struct rh_load *load, struct rh_value *v, double least, const char *message, double *seconds)
{
    double d = -1;

    (void)rh_scalar_read(load->catalog->arena, NULL, v);
    if (rh_value_is(v, RH_INTEGER))
        d = (double)v->u.integer;
    else if (rh_value_is(v, RH_FLOAT))
        d = v->u.real;
    if (!(d >= least && d <= LONGEST)) /* so written, what is not a number fails too */
        return refuse(load, v, NULL, message);
    *seconds = d;
    return 0;
}

int
rh_read_retry_delay(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    if (check_tried(load, keywords, v, "retry_delay") < 0)
        return -1;
    return read_seconds(load, v, 0, "retry_delay must be a number of seconds between 0 and 604800",
                        &keywords->conduct.retry_delay);
}

int
rh_read_timeout(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    if (check_tried(load, keywords, v, "timeout") < 0)
        return -1;
    return read_seconds(load, v, 0.1, "timeout must be a number of seconds between 0.1 and 604800",
                        &keywords->conduct.timeout);
}

int
rh_read_ignore_failure(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    (void)rh_scalar_read(load->catalog->arena, NULL, v);
    if (!rh_value_is(v, RH_BOOLEAN))
        return refuse(load, v, "write 'true' or 'false'", "ignore_failure must be a boolean");
    keywords->conduct.ignore_failure = v->u.integer != 0;
    return 0;
}

/* Over its own result: "result.exit_code == 0". */
static int
read_judgement(struct rh_load *load, const struct rh_keyword_values *keywords, const struct rh_value *v,
               const char *word, const struct rh_value **to)
{
    if (check_tried(load, keywords, v, word) < 0)
        return -1;
    if (!is_text(v) || !v->count || (!rh_is_one_expression(v) && rh_has_expression(v)))
        return refuse(load, v, "write it like this: result.exit_code == 0",
                      "expected an expression over the result of the resource");
    *to = rh_later_judgement(load, v);
    return *to ? 0 : -1;
}

int
rh_read_success_when(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    return read_judgement(load, keywords, v, "success_when", &keywords->conduct.success_when);
}

int
rh_read_changed_when(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    return read_judgement(load, keywords, v, "changed_when", &keywords->conduct.changed_when);
}

int
rh_read_until(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    return read_judgement(load, keywords, v, "until", &keywords->conduct.until);
}
