/* SPDX-License-Identifier: Apache-2.0 */
/* bridge - providers that are programs: a folder with type.yaml and something to execute, which is
 * asked by lines of JSON what a shared object would be asked by calls.
 *
 * The program is started when it is first needed, at most once in a transaction unless it ends too early, and
 * all its types share the process. All that it says is held against what it was asked. */

#include "json.h"
#include "parts.h"
#include "talk.h"
#include "type.h"

#include <rhost/bridge.h>
#include <rhost/provider.h>

#include <string.h>

static int32_t
bridge_open(rhost_ctx *ctx)
{
    struct talk talk;
    int rc = talk_begin(&talk, ctx, "hello");

    talk_end(&talk);
    if (rc < 0 && talk.seat)
        seat_drop(ctx, talk.seat); /* it will not be closed */
    return rc;
}

static void
bridge_close(rhost_ctx *ctx)
{
    const struct served *served = ctx->host->extension(ctx, RHOST_SERVED_ID);
    struct seat *seat = served ? seat_of(ctx, served->of, false) : NULL;

    if (seat)
        seat_leave(ctx, seat);
}

/* {"failed":{"name":{...},"message":"...","attribute":"..."}}, in answer to get: of this name alone. */
static int
fail_name(struct talk *talk, const rhost_value *name, const char *attribute, const char *message)
{
    const struct rhost_provider *p = &talk->served->provider;

    for (size_t i = 0; i < p->n_attrs; i++)
        if (p->attrs[i].behaviour & RHOST_NAMEVAR && !rhost_has(name, p->attrs[i].name))
            return talk_refuse(talk, "a 'name' has all namevars, and '%s' is not in it", p->attrs[i].name);
    if (RHOST_HAS(talk->ctx, fail_name))
        (void)talk->ctx->host->fail_name(talk->ctx, name, 0, attribute, message);
    else
        (void)talk->ctx->host->fail(talk->ctx, 0, attribute, message);
    return 0;
}

/* {"failed":{"message":"...","attribute":"...","title":"..."}}; without a title or a name all of it fails. */
int
take_failed(struct talk *talk, const rhost_value *says, bool reading)
{
    static const char *const keys[] = { "message", "attribute", "title", NULL };
    static const char *const keys_of_get[] = { "message", "attribute", "name", NULL };
    const struct rhost_change *about = NULL;
    const char *message, *attribute;

    if (talk_check_keys(talk, says, reading ? keys_of_get : keys, 1) < 0
        || talk_text(talk, says, "message", false, &message) < 0
        || talk_text(talk, says, "attribute", true, &attribute) < 0
        || (attribute && talk_check_path(talk, attribute) < 0)
        || (!reading && rhost_has(says, "title") && !(about = talk_change(talk, says))))
        return -1;
    if (reading && rhost_has(says, "name"))
        return fail_name(talk, rhost_get(says, "name"), attribute, message);
    if (!about) {
        talk->failed = true;
        (void)talk->ctx->host->fail(talk->ctx, 0, attribute, message);
        return 0;
    }
    if (attribute) { /* did() knows none */
        uint64_t scope =
            talk->ctx->host->scope_begin(talk->ctx, RHOST_FAILING, &about->title, 1, NULL, NULL, NULL);

        (void)talk->ctx->host->fail(talk->ctx, 0, attribute, message);
        talk->ctx->host->scope_end(talk->ctx, scope);
    } else {
        (void)talk->ctx->host->did(talk->ctx, RHOST_FAILING, &about->title, 1, NULL, NULL, message);
    }
    return 0;
}

static int32_t
doing_of(const struct rhost_change *change)
{
    if (rhost_gone(change))
        return RHOST_DELETING;
    return change->is ? RHOST_UPDATING : RHOST_CREATING;
}

/* {"changed":{"title":"...","attribute":"...","is":...,"should":...,"message":"..."}}; without an
 * attribute the resource is done. */
static int
take_changed(struct talk *talk, const rhost_value *says)
{
    static const char *const keys[] = { "title", "attribute", "is", "message", "should", NULL };
    const struct rhost_host *h = talk->ctx->host;
    const struct rhost_change *about;
    const char *attribute, *message;

    if (talk_check_keys(talk, says, keys, 0) < 0 || talk_text(talk, says, "attribute", true, &attribute) < 0
        || talk_text(talk, says, "message", true, &message) < 0
        || (attribute && talk_check_attribute(talk, attribute) < 0))
        return -1;
    about = talk_change(talk, says);
    if (!about)
        return -1;
    if (!attribute) {
        if (h->get(says, "is") || h->get(says, "should"))
            return talk_refuse(talk, "'is' and 'should' need an 'attribute'");
        (void)h->did(talk->ctx, doing_of(about), &about->title, 1, NULL, NULL, message);
        return 0;
    }
    (void)h->attribute_changed(
        talk->ctx, about->title, attribute,
        h->get(says, "is") ? h->get(says, "is") : rhost_get(about->is, attribute),
        h->get(says, "should") ? h->get(says, "should") : rhost_get(about->should, attribute), message);
    return 0;
}

/* Waits for the end of the answer, where nothing else but failures is to come. */
int
talk_finish(struct talk *talk, unsigned allowed)
{
    const rhost_value *says;
    int which;

    for (;;) {
        which = talk_next(talk, allowed | 1U << ANSWER_DONE | 1U << ANSWER_FAILED, &says);
        if (which == ANSWER_DONE)
            return 0;
        if (which < 0
            || (which == ANSWER_FAILED ? take_failed(talk, says, false) : take_changed(talk, says)) < 0)
            return -1;
    }
}

int
talk_complete(struct talk *talk, int rc, unsigned allowed)
{
    if (rc == 0)
        rc = talk_ask(talk);
    if (rc == 0)
        rc = talk_finish(talk, allowed);
    talk_end(talk);
    return rc;
}

int
take_resource(struct talk *talk, const rhost_value *says)
{
    /* An attribute that the type does not have is for the host to judge, or it would take the other
     * resources with it. */
    return talk->ctx->host->kind(says) == RHOST_HASH ? 0 : talk_refuse(talk, "a resource is an object");
}

static void
ask_attributes(struct talk *talk)
{
    const struct rhost_provider *p = &talk->served->provider;
    const char *between = "";

    text_adds(&talk->question, "[");
    for (size_t i = 0; i < p->n_attrs; i++) {
        const struct rhost_attr *attr = &p->attrs[i];

        if (!(attr->behaviour & RHOST_NAMEVAR) && !talk->ctx->host->wants(talk->ctx, attr->name))
            continue;
        text_adds(&talk->question, between);
        json_string(&talk->question, attr->name, strlen(attr->name));
        between = ",";
    }
    text_adds(&talk->question, "]");
}

/* The parameters that the manifest gives, for each name: they may say where to look. */
static void
ask_parameters(struct talk *talk)
{
    const struct rhost_provider *p = &talk->served->provider;
    const struct rhost_host *h = talk->ctx->host;
    const rhost_value *asked = RHOST_HAS(talk->ctx, asked) ? h->asked(talk->ctx) : NULL;
    bool any = false;

    for (size_t i = 0; i < p->n_attrs; i++)
        any |= (p->attrs[i].behaviour & RHOST_PARAMETER) != 0;
    if (!any || !asked)
        return;
    text_adds(&talk->question, ",\"parameters\":[");
    for (size_t i = 0; i < h->count(asked); i++) {
        const char *between = "";

        text_adds(&talk->question, i ? ",{" : "{");
        for (size_t k = 0; k < p->n_attrs; k++) {
            const rhost_value *v = rhost_get(h->at(asked, i, NULL), p->attrs[k].name);

            if (!v || !(p->attrs[k].behaviour & RHOST_PARAMETER))
                continue;
            text_adds(&talk->question, between);
            json_string(&talk->question, p->attrs[k].name, strlen(p->attrs[k].name));
            text_adds(&talk->question, ":");
            json_write(&talk->question, v);
            between = ",";
        }
        text_adds(&talk->question, "}");
    }
    text_adds(&talk->question, "]");
}

/* The whole of what the manifest gives, for each name. */
static void
ask_desired(struct talk *talk)
{
    const rhost_value *asked = RHOST_HAS(talk->ctx, asked) ? talk->ctx->host->asked(talk->ctx) : NULL;

    if (!asked || !talk->served->get_desired)
        return;
    text_adds(&talk->question, ",\"desired\":");
    json_write(&talk->question, asked);
}

static int
get(struct talk *talk, const rhost_value *names)
{
    const rhost_value *says;
    int which;

    talk_object(talk, true);
    text_adds(&talk->question, "\"names\":");
    json_write(&talk->question, names);
    text_adds(&talk->question, ",\"attributes\":");
    ask_attributes(talk);
    if (names) {
        ask_parameters(talk);
        ask_desired(talk);
    }
    text_adds(&talk->question, "}");
    if (talk_ask(talk) < 0)
        return -1;
    for (;;) {
        which = talk_next(talk, 1U << ANSWER_RESOURCE | 1U << ANSWER_DONE | 1U << ANSWER_FAILED, &says);
        if (which == ANSWER_DONE)
            return 0;
        if (which < 0)
            return -1;
        if (which == ANSWER_FAILED
                ? take_failed(talk, says, true) < 0
                : take_resource(talk, says) < 0 || talk->ctx->host->emit(talk->ctx, says) < 0)
            return -1;
    }
}

static int32_t
bridge_get(rhost_ctx *ctx, const rhost_value *names)
{
    struct talk talk;
    int rc = talk_begin(&talk, ctx, "get");

    batch_forget(ctx);
    if (rc == 0)
        rc = get(&talk, names);
    talk_end(&talk);
    return rc;
}

void
ask_change(struct talk *talk, const struct rhost_change *change)
{
    text_adds(&talk->question, "{\"title\":");
    json_string(&talk->question, change->title, strlen(change->title));
    text_adds(&talk->question, ",\"name\":");
    json_write(&talk->question, change->name);
    text_adds(&talk->question, ",\"is\":");
    json_write(&talk->question, change->is);
    text_adds(&talk->question, ",\"should\":");
    json_write(&talk->question, change->should);
    text_adds(&talk->question, "}");
}

static int32_t
bridge_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    struct talk talk;
    int rc = talk_begin(&talk, ctx, "set");

    batch_forget(ctx);
    if (rc == 0) {
        talk.changes = changes;
        talk.n_changes = n;
        talk.takes_blocks = true;
        talk_object(&talk, true);
        text_addf(&talk.question, "\"noop\":%s,\"changes\":[", ctx->host->noop(ctx) ? "true" : "false");
        for (size_t i = 0; i < n; i++) {
            text_adds(&talk.question, i ? "," : "");
            ask_change(&talk, changes[i]);
        }
        text_adds(&talk.question, "]}");
    }
    return talk_complete(&talk, rc, 1U << ANSWER_CHANGED);
}

static int32_t
bridge_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    struct talk talk;
    int rc = talk_begin(&talk, ctx, "act");

    batch_forget(ctx);
    if (rc == 0) {
        talk.changes = &change;
        talk.n_changes = 1;
        talk.takes_blocks = true;
        talk_object(&talk, true);
        text_adds(&talk.question, "\"action\":");
        json_string(&talk.question, action, strlen(action));
        text_adds(&talk.question, ",\"change\":");
        ask_change(&talk, change);
        text_adds(&talk.question, "}");
    }
    return talk_complete(&talk, rc, 0);
}

/* {"suits":{"level":0,"message":"why not"}} */
static int
suits(struct talk *talk)
{
    static const char *const keys[] = { "level", "message", NULL };
    const rhost_value *says;
    const char *message;
    int64_t level;

    talk_object(talk, false);
    text_adds(&talk->question, "}");
    if (talk_ask(talk) < 0 || talk_next(talk, 1U << ANSWER_SUITS, &says) < 0
        || talk_check_keys(talk, says, keys, 1) < 0 || talk_text(talk, says, "message", true, &message) < 0)
        return 0;
    level = rhost_int(says, "level", -1);
    if (level < 0 || level > 1000000 || (!level && !message)) {
        (void)talk_refuse(talk, "'level' is a number from 0 to 1000000, and 0 needs a 'message' that "
                                "says why");
        return 0;
    }
    if (!level)
        (void)talk->ctx->host->fail(talk->ctx, 0, NULL, message);
    return talk_finish(talk, 0) < 0 || talk->failed ? 0 : (int)level;
}

static int32_t
bridge_suits(rhost_ctx *ctx)
{
    struct talk talk;
    int level = talk_begin(&talk, ctx, "suits") < 0 ? 0 : suits(&talk);

    talk_end(&talk);
    return level;
}

const struct rhost_provider bridge_callbacks = {
    .struct_size = sizeof bridge_callbacks,
    .suits = bridge_suits,
    .open = bridge_open,
    .close = bridge_close,
    .canonicalize = compare_canonicalize,
    .insync = compare_insync,
    .get = bridge_get,
    .set = bridge_set,
    .validate = compare_validate,
    .act = bridge_act,
};

static const void *
bridge_extension(const char *id)
{
    static const struct rhost_bridge bridge = { .struct_size = sizeof bridge, .open = type_open };

    return strcmp(id, RHOST_BRIDGE_ID) == 0 ? &bridge : NULL;
}

static const struct rhost_plugin bridge_plugin = {
    .struct_size = sizeof bridge_plugin,
    .name = "bridge",
    .version = "1.0",
    .extension = bridge_extension,
};

RHOST_ENTRY const struct rhost_plugin *rhost_plugin_v1(void);

const struct rhost_plugin *
rhost_plugin_v1(void)
{
    return &bridge_plugin;
}
