/* SPDX-License-Identifier: Apache-2.0 */
/* generated - log lines of the host itself about a provider. */
#include "config.h"

#include "provider/runtime-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "provider/log-record.h"
#include "provider/outgoing.h"
#include "schema/type.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

void
rh_provider_log(struct rh_runtime *rt, enum rh_level level, uint32_t id, const char *title, const char *fmt,
                ...)
{
    const struct rh_log_about about = { id, title };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autofree char *text = NULL;
    struct rh_log_record record = {
        .level = level,
        .generated = true,
        .type = rt->type->type,
        .about = &about,
        .n = title != NULL,
        .total = title != NULL,
    };
    va_list ap;

    va_start(ap, fmt);
    text = rh_vprintf(fmt, ap);
    va_end(ap);
    record.message = rh_outgoing_text(rt, a, text, SIZE_MAX, true);
    rh_outgoing_log(rt, &record);
}
