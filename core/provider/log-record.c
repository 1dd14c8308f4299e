/* SPDX-License-Identifier: Apache-2.0 */
/* log-record - one line of a provider's log, as a record. */
#include "config.h"

#include "provider/log-record.h"

#include "base/cleanup.h"
#include "base/text.h"

#include <string.h>

void
rh_log_record_add_text(struct rh_buf *b, const struct rh_log_record *r)
{
    if (r->type) {
        rh_buf_add(b, r->type);
        for (size_t i = 0; i < r->n; i++) {
            rh_buf_add(b, i ? ", " : "[");
            rh_buf_add_safe(b, r->about[i].title, strlen(r->about[i].title), false);
        }
        if (r->total > r->n)
            rh_buf_addf(b, "%sand %zu more", r->n ? ", " : "[", r->total - r->n);
        rh_buf_add(b, r->total ? "]: " : ": ");
    }
    if (r->label)
        rh_buf_addf(b, "%s: ", r->label);
    rh_buf_add(b, r->message);
}

void
rh_log_record_print(void *data, const struct rh_log_record *r)
{
    rh_autobuf struct rh_buf text = { 0 };

    (void)data;
    if (!rh_log_enabled(r->level))
        return;
    rh_log_record_add_text(&text, r);
    rh_log_code(r->level, r->code, "%s", rh_buf_text(&text));
}
