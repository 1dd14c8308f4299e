/* SPDX-License-Identifier: Apache-2.0 */
/* generated - log lines of the host itself about a provider. */
#include "config.h"

#include "provider/runtime-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/message-code.h"
#include "provider/log-record.h"
#include "provider/outgoing.h"
#include "schema/type.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

static void __attribute__((format(printf, 6, 0)))
give(struct rh_runtime *rt, enum rh_level level, uint32_t id, const char *title, unsigned code,
     const char *fmt, va_list ap)
{
    const struct rh_log_about about = { id, title };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autofree char *text = rh_vprintf(fmt, ap);
    struct rh_log_record record = {
        .level = level,
        .generated = true,
        .type = rt->type->type,
        .about = &about,
        .n = title != NULL,
        .total = title != NULL,
        .code = level >= RH_WARNING ? rh_message_code_of(code, fmt, text) : 0,
    };

    record.message = rh_outgoing_text(rt, a, text, SIZE_MAX, true);
    rh_outgoing_log(rt, &record);
}

void
rh_provider_log(struct rh_runtime *rt, enum rh_level level, uint32_t id, const char *title, const char *fmt,
                ...)
{
    va_list ap;

    va_start(ap, fmt);
    give(rt, level, id, title, 0, fmt, ap);
    va_end(ap);
}

void
rh_provider_log_code(struct rh_runtime *rt, enum rh_level level, uint32_t id, const char *title,
                     unsigned code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    give(rt, level, id, title, code, fmt, ap);
    va_end(ap);
}
