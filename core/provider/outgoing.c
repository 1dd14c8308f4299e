/* SPDX-License-Identifier: Apache-2.0 */
/* outgoing - the way out of a runtime. */
#include "config.h"

#include "provider/outgoing.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/log-record.h"
#include "provider/redact.h"
#include "provider/runtime-parts.h"
#include "provider/secret.h"

#include <string.h>

/* The secrets that are known now, with those of a resource that the plugin is filling in. */
static struct rh_redaction
redaction(struct rh_runtime *rt, struct rh_arena *a)
{
    rh_secret_update(rt);
    return (struct rh_redaction){ .secrets = &rt->secrets, .arena = a, .type = rt->type };
}

void
rh_outgoing_outcome(struct rh_runtime *rt, const struct rh_outcome *outcome)
{
    struct rh_redaction r = redaction(rt, rt->arena_of_batch);
    struct rh_outcome out = *outcome;

    rh_redact_fields(&r, &rh_outcome_fields, &out);
    rh_runtime_heard(rt);
    rt->sink.outcome(rt->sink.data, &out);
}

void
rh_outgoing_log(struct rh_runtime *rt, const struct rh_log_record *record)
{
    struct rh_redaction r = redaction(rt, NULL);
    rh_autoarena struct rh_arena *a = r.secrets->n ? rh_arena_new(NULL) : NULL;
    struct rh_log_record out = *record;

    r.arena = a;
    rh_redact_fields(&r, &rh_log_fields, &out);
    rt->sink.log(rt->sink.data, &out);
}

void
rh_outgoing_item(struct rh_runtime *rt, struct rh_value *item)
{
    struct rh_redaction r = redaction(rt, rh_value_arena(item));

    rh_redact_item(&r, item);
    rh_runtime_heard(rt);
    rt->sink.item(rt->sink.data, item);
}

void
rh_outgoing_error(struct rh_runtime *rt, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = NULL;
    struct rh_redaction r;
    const char *text;

    if (!err || !err->message)
        return;
    a = rh_arena_new(NULL);
    r = redaction(rt, a);
    text = rh_redact_text(&r, err->message);
    if (text != err->message) {
        enum rh_error_kind kind = err->kind;
        unsigned code = rh_error_code(err);

        rh_error_clear(err);
        rh_error_set_code(err, kind, code, "%s", text);
    }
}

char *
rh_outgoing_text(struct rh_runtime *rt, struct rh_arena *a, const char *text, size_t longest, bool lines)
{
    rh_autobuf struct rh_buf b = { 0 };
    struct rh_redaction r = redaction(rt, a);

    text = rh_redact_text(&r, text);
    rh_buf_add_safe(&b, text, strnlen(text, longest), lines);
    return rh_arena_strdup(a, rh_buf_text(&b));
}

const struct rh_value *
rh_outgoing_value(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *v)
{
    struct rh_redaction r = redaction(rt, a);

    return rh_redact_value(&r, v);
}

void
rh_outgoing_show(struct rh_runtime *rt, struct rh_buf *b, const struct rh_value *v, size_t limit)
{
    struct rh_redaction r = redaction(rt, NULL);
    rh_autoarena struct rh_arena *a = r.secrets->n ? rh_arena_new(NULL) : NULL;

    r.arena = a;
    rh_value_show(b, rh_redact_value(&r, v), limit);
}
