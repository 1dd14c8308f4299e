/* SPDX-License-Identifier: Apache-2.0 */
/* error - why something failed. */
#include "config.h"

#include "base/error.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/message-code.h"
#include "base/suggest.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 8 };

static void __attribute__((format(printf, 4, 0)))
set(struct rh_error *err, enum rh_error_kind kind, unsigned code, const char *fmt, va_list ap)
{
    if (!err || err->message)
        return;
    err->message = rh_vprintf(fmt, ap);
    err->kind = kind;
    err->format = fmt;
    err->code = code;
}

int
rh_error_set(struct rh_error *err, enum rh_error_kind kind, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)set(err, kind, 0, fmt, ap);
    va_end(ap);
    return -1;
}

int
rh_error_set_code(struct rh_error *err, enum rh_error_kind kind, unsigned code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)set(err, kind, code, fmt, ap);
    va_end(ap);
    return -1;
}

int
rh_error_system(struct rh_error *err, int number, const char *fmt, ...)
{
    rh_autofree char *what = NULL;
    va_list ap;

    if (!err || err->message)
        return -1;
    va_start(ap, fmt);
    what = rh_vprintf(fmt, ap);
    va_end(ap);
    err->message = rh_printf("%s: %s", what, strerror(number));
    err->kind = RH_ESYSTEM;
    err->format = fmt;
    return -1;
}

unsigned
rh_error_code(const struct rh_error *err)
{
    return err->message ? rh_message_code_of(err->code, err->format, err->message) : 0;
}

int
rh_error_prefix(struct rh_error *err, const char *fmt, ...)
{
    rh_autofree char *what = NULL;
    rh_autofree char *old = NULL;
    va_list ap;

    if (!err || !err->message)
        return -1;
    va_start(ap, fmt);
    what = rh_vprintf(fmt, ap);
    va_end(ap);
    old = rh_take(&err->message);
    err->message = rh_printf("%s: %s", what, old);
    return -1;
}

int
rh_error_suggest(struct rh_error *err, const char *best, const char *otherwise)
{
    if (err && err->message && !err->hint)
        err->hint = rh_did_you_mean(best, otherwise);
    return -1;
}

void
rh_error_relate(struct rh_error *err, struct rh_place place, const char *what)
{
    const struct rh_related *last = err->n_related ? &err->related[err->n_related - 1] : NULL;

    if (err->n_related == MOST_PLACES)
        return;
    if (last && rh_place_same(last->place, place) && strcmp(last->what, what) == 0)
        return; /* what uses itself */
    err->related = rh_xgrow(err->related, &err->cap_related, err->n_related, sizeof *err->related);
    err->related[err->n_related++] = (struct rh_related){ .place = place, .what = rh_xstrdup(what) };
}

void
rh_error_move(struct rh_error *to, struct rh_error *from)
{
    if (!to || to->message) {
        rh_error_clear(from);
        return;
    }
    *to = *from;
    *from = (struct rh_error){ 0 };
}

void
rh_error_clear(struct rh_error *err)
{
    if (!err->message && !err->hint && !err->related) { /* mostly nothing has failed */
        *err = (struct rh_error){ 0 };
        return;
    }
    free(err->message);
    free(err->hint);
    for (size_t i = 0; i < err->n_related; i++)
        free(err->related[i].what);
    free(err->related);
    *err = (struct rh_error){ 0 };
}
