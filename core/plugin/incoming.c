/* SPDX-License-Identifier: Apache-2.0 */
/* incoming - the way into the host: what a worker sends, without the secrets of the run. */
#include "config.h"

#include "plugin/incoming.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/secrets.h"
#include "base/value.h"
#include "provider/redact.h"
#include "schema/type.h"

static struct rh_redaction
redaction(const struct rh_intake *intake)
{
    static struct rh_secrets none;

    return (struct rh_redaction){ .secrets = intake->secrets ? intake->secrets : &none,
                                  .arena = intake->arena,
                                  .type = intake->type };
}

static bool
take_outcome(const struct rh_intake *intake, struct rh_in *in, struct rh_incoming *to)
{
    const struct rh_redaction r = redaction(intake);

    if (!rh_message_take_outcome(in, intake->arena, &to->outcome))
        return false;
    rh_redact_fields(&r, &rh_outcome_fields, &to->outcome);
    return true;
}

static bool
take_log(const struct rh_intake *intake, struct rh_in *in, struct rh_incoming *to)
{
    const struct rh_redaction r = redaction(intake);

    if (!rh_message_take_log(in, intake->arena, intake->type ? intake->type->type : NULL, &to->log))
        return false;
    rh_redact_fields(&r, &rh_log_fields, &to->log);
    return true;
}

static bool
take_item(const struct rh_intake *intake, struct rh_in *in, struct rh_incoming *to)
{
    const struct rh_redaction r = redaction(intake);

    to->item = rh_take_value(in, intake->arena);
    rh_redact_item(&r, to->item);
    return to->item != NULL;
}

static void
take_text(const struct rh_intake *intake, struct rh_in *in, struct rh_incoming *to)
{
    const struct rh_redaction r = redaction(intake);

    to->text = rh_redact_text(&r, rh_take_text(in));
}

static bool
take_done(const struct rh_intake *intake, struct rh_in *in, struct rh_incoming *to)
{
    take_text(intake, in, to);
    to->code = rh_take_code(in);
    return !in->bad;
}

static bool
take_refusal(const struct rh_intake *intake, struct rh_in *in, struct rh_incoming *to)
{
    take_text(intake, in, to);
    to->passing = rh_take_u8(in);
    to->code = rh_take_code(in);
    return !in->bad;
}

/* What a plugin declares is compared with what is known of it, byte by byte, and has no secret of a run. */
static bool
take_description(const struct rh_intake *intake, struct rh_in *in, struct rh_incoming *to)
{
    (void)intake;
    to->text = rh_take_text(in);
    return !in->bad;
}

static bool
take_busy(const struct rh_intake *intake, struct rh_in *in, struct rh_incoming *to)
{
    (void)intake;
    to->silence = rh_take_u32(in);
    return !in->bad && to->silence <= RH_MOST_SILENCE;
}

static bool
take_progress(const struct rh_intake *intake, struct rh_in *in, struct rh_incoming *to)
{
    const struct rh_redaction r = redaction(intake);

    if (!rh_message_take_progress(in, &to->progress))
        return false;
    to->progress.text = rh_redact_text(&r, to->progress.text);
    to->progress.unit = rh_redact_text(&r, to->progress.unit);
    return true;
}

/* What is kept is used, not shown. A value with a secret in it is marked as a whole; of a state after a
 * change, which has records of secrets, it is left out. */
static bool
take_backup(const struct rh_intake *intake, struct rh_in *in, struct rh_incoming *to)
{
    const struct rh_redaction r = redaction(intake);
    struct rh_value *all;

    if (!rh_message_take_backup(in, intake->arena, &to->backup, &to->wait))
        return false;
    if (!to->backup.state || to->backup.state->kind != RH_HASH)
        return true;
    all = rh_value_hash(intake->arena, to->backup.state->count);
    for (size_t i = 0; i < rh_value_count(to->backup.state); i++) {
        const struct rh_entry *e = rh_value_entry(to->backup.state, i);
        const struct rh_attr *attr = intake->type ? rh_type_attr(intake->type, e->key) : NULL;
        const char *name = to->backup.file ? e->key : attr ? attr->name : NULL;

        if (!name)
            continue;
        if (!rh_value_sensitive(e->value) && rh_redact_value(&r, e->value) == e->value) {
            rh_value_put_ref(all, name, e->value);
        } else if (to->backup.stage == RH_BACKUP_BEFORE) {
            rh_value_put_ref(all, name, rh_value_marked(intake->arena, e->value, RH_SENSITIVE));
        }
    }
    to->backup.state = all;
    return true;
}

static bool
take_question(const struct rh_intake *intake, struct rh_in *in, struct rh_incoming *to)
{
    (void)intake;
    return rh_message_take_question(in, &to->question);
}

static bool
take_secret(const struct rh_intake *intake, struct rh_in *in, struct rh_incoming *to)
{
    to->secret = rh_take_value(in, intake->arena);
    return rh_value_is(to->secret, RH_BINARY);
}

static const struct {
    const char *name;
    bool (*take)(const struct rh_intake *intake, struct rh_in *in, struct rh_incoming *to);
} answers[] = {
    [RH_READY] = { "READY", take_description },
    [RH_REFUSED] = { "REFUSED", take_refusal },
    [RH_OUTCOME] = { "OUTCOME", take_outcome },
    [RH_LOG] = { "LOG", take_log },
    [RH_BUSY] = { "BUSY", take_busy },
    [RH_ITEM] = { "ITEM", take_item },
    [RH_DONE] = { "DONE", take_done },
    [RH_ASK] = { "ASK", take_question },
    [RH_SECRET_MET] = { "SECRET_MET", take_secret },
    [RH_PROGRESS] = { "PROGRESS", take_progress },
    [RH_BACKUP] = { "BACKUP", take_backup },
};

const char *
rh_incoming_name(uint32_t type)
{
    return type < sizeof answers / sizeof answers[0] ? answers[type].name : NULL;
}

bool
rh_incoming_take(const struct rh_intake *intake, uint32_t type, char *payload, size_t n,
                 struct rh_incoming *to)
{
    struct rh_in in = { .at = payload, .end = payload + n };

    *to = (struct rh_incoming){ .type = (enum rh_answer)type };
    return rh_incoming_name(type) && answers[type].take(intake, &in, to);
}

char *
rh_incoming_text(const struct rh_intake *intake, const char *text, size_t n)
{
    rh_autofree char *copy = rh_xstrndup(text, n);
    const struct rh_redaction r = redaction(intake);
    const char *shown = rh_redact_text(&r, copy);

    return shown == copy ? rh_take(&copy) : rh_xstrdup(shown);
}
