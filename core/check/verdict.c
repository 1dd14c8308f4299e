/* SPDX-License-Identifier: Apache-2.0 */
/* verdict - how a check ends. */
#include "config.h"

#include "check/parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "check/check.h"

#include <stdarg.h>
#include <string.h>

const char *
rh_verdict_name(enum rh_verdict verdict)
{
    static const char *const names[] = { "pass", "skip", "warn", "fail", "crash" };

    return names[verdict];
}

/* A result is one line: what a message has on further lines follows with its indentation left out. */
static void
add_on_one_line(struct rh_buf *b, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");

        rh_buf_add_safe(b, text, n, false);
        text += n + strspn(text + n, "\n ");
        if (n && *text)
            rh_buf_addc(b, ' ');
    }
}

void
rh_check_say(struct rh_checker *c, enum rh_verdict verdict, const char *fmt, ...)
{
    va_list ap;
    rh_autofree char *text = NULL;

    if (verdict <= c->verdict)
        return;
    va_start(ap, fmt);
    text = rh_vprintf(fmt, ap);
    va_end(ap);
    c->verdict = verdict;
    rh_buf_truncate(&c->text, 0);
    add_on_one_line(&c->text, text);
}

bool
rh_check_is_program(const struct rh_check_options *options)
{
    size_t n = strlen(options->path);

    return n > 5 && strcmp(options->path + n - 5, ".yaml") == 0;
}

/* A program that is started for each request is slower than a shared object. */
unsigned
rh_check_seconds(const struct rh_check_options *options)
{
    if (options->time_limit)
        return options->time_limit;
    return rh_check_is_program(options) ? RH_CHECK_PROGRAM_TIME : RH_CHECK_TIME;
}
