/* SPDX-License-Identifier: Apache-2.0 */
/* server - the worker's side of the frames. */
#include "config.h"

#include "plugin/server.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value-json.h"
#include "base/value.h"
#include "plugin/data-types.h"
#include "plugin/load.h"
#include "plugin/message.h"
#include "plugin/server-parts.h"
#include "provider/call.h"
#include "provider/describe.h"
#include "provider/extensions.h"
#include "provider/log-record.h"
#include "provider/outgoing.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* What a provider that collects is given in one call of get or set; rhost-provider(7) says so. */
    MOST_AT_ONCE = 10240,
    MOST_TOGETHER = 2048, /* of a provider that is given one at a time */
    MOST_BYTES = 32 << 20,
    BYTES_TOGETHER = 1 << 20,
};

struct rh_server *
rh_server_new(const struct rh_server_io *io)
{
    struct rh_server *s = rh_xalloc(sizeof *s);

    s->io = *io;
    s->batch = rh_arena_new(&rh_host_table);
    s->last_later = &s->later;
    return s;
}

void
rh_server_free(struct rh_server *s)
{
    if (!s)
        return;
    rh_runtime_free(s->rt);
    while (s->later) {
        struct rh_deferred_request *next = s->later->next;

        free(s->later->payload);
        free(s->later);
        s->later = next;
    }
    rh_arena_free(s->batch);
    rh_large_texts_clear(&s->texts);
    rh_buf_clear(&s->out);
    free(s->wants);
    free(s);
}

bool
rh_server_take_text(struct rh_server *s, int fd)
{
    return rh_large_text_receive(&s->texts, fd) == 0;
}

static void
send_description(struct rh_server *s, const struct rh_value *description)
{
    rh_autobuf struct rh_buf text = { 0 };

    rh_value_to_json(&text, description, true);
    rh_server_send_text(s, RH_READY, rh_buf_text(&text));
    rh_server_flush(s);
}

/* Why not, and whether that may pass: the plugin itself has not been asked then. */
static void
send_refusal(struct rh_server *s, const struct rh_error *err)
{
    size_t frame = rh_frame_begin(&s->out, RH_REFUSED);

    rh_put_text(&s->out, err->message ? err->message : "no reason given");
    rh_put_u8(&s->out, err->kind == RH_ESYSTEM);
    rh_put_u32(&s->out, rh_error_code(err));
    rh_frame_end(&s->out, frame);
    rh_server_flush(s);
}

static bool
hello(struct rh_server *s, struct rh_in *in)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_runtime_options options;
    struct rh_hello h;
    struct rh_target target;
    const struct rhost_plugin *plugin;
    struct rh_value *types = NULL;
    const struct rh_type *t;
    const struct rh_sink sink = rh_server_sink(s);

    if (!rh_message_take_hello(in, s->batch, &h, &target) || s->rt)
        return false;
    rh_server_doing(s, RH_NOBODY, "loading");
    options = (struct rh_runtime_options){ .strict = h.strict,
                                           .debug = h.debug,
                                           .notices = h.notices,
                                           .tail = h.tail,
                                           .noop = h.noop,
                                           .diff = h.diff,
                                           .sole = h.sole,
                                           .time_limit = h.time_limit,
                                           .source = h.source };
    plugin = rh_plugin_load(h.path, &err);
    if (plugin && h.target) {
        options.remote.plugin = rh_plugin_load(h.target->path, &err);
        options.remote.name = h.target->transport;
        options.remote.info = h.target->info;
        options.remote.facts_only = h.facts;
    }
    if (plugin && !h.target == !options.remote.plugin
        && rh_plugin_types_read(s->batch, h.path, &types, &err) == 0)
        s->rt = rh_runtime_new(plugin, types, h.type, h.provider, &options, &sink, &err);
    if (!s->rt) {
        send_refusal(s, &err);
        return true;
    }
    s->connected = h.target != NULL;
    s->live = h.live;
    t = rh_runtime_type(s->rt);
    s->collects = t->slots & RH_HAS_SET || (t->slots & RH_HAS_GET && !(t->slots & RH_HAS_LOAD));
    send_description(s, rh_runtime_description(s->rt));
    return true;
}

static bool
describe(struct rh_server *s, struct rh_in *in)
{
    rh_autoerror struct rh_error err = { 0 };
    const char *path = rh_take_text(in);
    const struct rhost_plugin *plugin = in->bad ? NULL : rh_plugin_load(path, &err);
    struct rh_value *types = NULL, *v = NULL;

    if (plugin && rh_plugin_types_read(s->batch, path, &types, &err) == 0)
        v = rh_describe_plugin(s->batch, plugin, types, &err);
    if (v)
        send_description(s, v);
    else
        send_refusal(s, &err);
    return true;
}

/* Ends a request: complaints about manners, what went wrong, and the memory that it took. */
static void
finish(struct rh_server *s, const struct rh_error *trouble)
{
    rh_autobuf struct rh_buf bad = { 0 };

    if (s->io.side_effects && s->rt && rh_side_effects_watch(s->io.side_effects, &bad)) {
        const struct rh_type *t = rh_runtime_type(s->rt);
        rh_autofree char *text = rh_printf("provider '%s' %s %s", t->provider, t->version, rh_buf_text(&bad));

        rh_outgoing_log(s->rt, &(struct rh_log_record){ .level = RH_WARNING, .message = text });
    }
    rh_server_send_done(s, trouble && trouble->message ? trouble : &s->unshown);
    rh_error_clear(&s->unshown);
    rh_arena_reset(s->batch);
    s->n_wants = 0;
    rh_server_doing(s, RH_NOBODY, "waiting");
}

/* Closes the provider, then judges what it has left open: the last one of a process, for what others share
 * with it. */
static void
bye(struct rh_server *s, bool others)
{
    const struct rh_type *t = s->rt ? rh_runtime_type(s->rt) : NULL;
    rh_autofree char *who = t ? rh_printf("provider '%s' %s", t->provider, t->version) : NULL;
    rh_autobuf struct rh_buf bad = { 0 };
    const struct rh_sink sink = rh_server_sink(s);

    rh_runtime_free(s->rt);
    s->rt = NULL;
    if (who && s->io.side_effects && !others
        && rh_side_effects_check_closed(s->io.side_effects, s->connected, &bad)) {
        rh_autofree char *text = rh_printf("%s %s", who, rh_buf_text(&bad));

        sink.log(sink.data, &(struct rh_log_record){ .level = RH_WARNING, .message = text });
    }
    rh_server_send_done(s, NULL);
}

/* Whether to take more requests into the batch. The host is waited for once in each batch, so what has
 * arrived already is taken together. */
static bool
are_more(const struct rh_server *s)
{
    size_t most = s->n_wants + RH_MOST_WANTS;

    if (s->collects)
        return most <= MOST_AT_ONCE && s->bytes < MOST_BYTES;
    return s->later && s->later->type == RH_WANTS && most <= MOST_TOGETHER && s->bytes < BYTES_TOGETHER;
}

static bool
take_wants(struct rh_server *s, struct rh_in *in)
{
    rh_autoerror struct rh_error err = { 0 };
    bool last;

    s->bytes += (size_t)(in->end - in->at);
    last = rh_take_u8(in);
    while (!in->bad && in->at < in->end) {
        s->wants = rh_xgrow(s->wants, &s->cap_wants, s->n_wants, sizeof *s->wants);
        if (!rh_message_take_want(in, s->batch, rh_runtime_type(s->rt), &s->wants[s->n_wants]))
            return false;
        s->n_wants++;
    }
    s->bytes += in->beside;
    if (in->bad)
        return false;
    if (!last && are_more(s))
        return true;
    rh_runtime_converge(s->rt, s->batch, s->wants, s->n_wants);
    s->n_wants = 0;
    s->bytes = 0;
    if (!last) {
        rh_server_keep_owed(s);
        rh_server_flush_some(s);
        rh_arena_reset(s->batch);
        return true;
    }
    rh_discard(rh_runtime_sync(s->rt, &err));
    finish(s, &err);
    return true;
}

static bool
take_read(struct rh_server *s, struct rh_in *in)
{
    rh_autoerror struct rh_error err = { 0 };
    unsigned all = rh_take_u8(in);
    struct rh_value *names = all ? NULL : rh_take_value(in, s->batch);

    if (in->bad)
        return false;
    if (all == RH_READ_KNOWN)
        rh_discard(rh_runtime_list(s->rt, s->batch, &err));
    else
        rh_discard(rh_runtime_read(s->rt, s->batch, names, &err));
    finish(s, &err);
    return true;
}

/* Tells of a name that is another one afterwards, and of what the provider does not take. */
static struct rh_value *
text_or_undef(struct rh_arena *a, const char *text)
{
    return text ? rh_value_string(a, text) : rh_value_new(a, RH_UNDEF);
}

/* What else is wrong with it: [message, path], one after the other. */
static struct rh_value *
further(struct rh_arena *a, const struct rh_refusal *first)
{
    struct rh_value *list = rh_value_new(a, RH_ARRAY);

    for (const struct rh_refusal *r = first->next; r; r = r->next) {
        rh_value_append(list, rh_value_string(a, r->message));
        rh_value_append(list, text_or_undef(a, r->path));
    }
    return list;
}

/* The same value, or another one that says the same: providers may put what was there already. */
static bool
is_same(const struct rh_value *a, const struct rh_value *b)
{
    return a == b
           || (a->kind == b->kind && a->marks == b->marks && a->kind != RH_HASH && !rh_kind_has_items(a->kind)
               && rh_value_equal(a, b));
}

/* Whether canonicalize() left everything as it was, so that a run need not have it done again. What is edited
 * is not known before it was read. */
static bool
is_untouched(const struct rh_value *was, const struct rh_value *now)
{
    if (rh_value_count(was) != rh_value_count(now))
        return false;
    for (size_t i = 0; i < rh_value_count(was); i++) {
        const struct rh_entry *a = rh_value_entry(was, i), *b = rh_value_entry(now, i);

        if (!is_same(a->value, b->value) || strcmp(a->key, b->key) != 0 || a->value->kind == RH_UNDEF
            || a->value->marks & (RH_APPEND | RH_REMOVE))
            return false;
    }
    return true;
}

enum form { FORM_TOUCHED, FORM_CANONICAL, FORM_FIXED };

/* The form of the resource: changed by canonicalize(); canonical now; or canonical for all of the run. */
static enum form
validate(struct rh_server *s, const struct rh_value *given, bool whole)
{
    struct rh_value *resource = rh_value_copy_top(s->batch, given);
    const struct rh_type *t = rh_runtime_type(s->rt);
    const struct rh_value *was = rh_resource_name(t, s->batch, resource);
    rh_autoerror struct rh_error why = { 0 };
    struct rh_refusal refusal;
    bool fixed = false;
    int rc = rh_runtime_validate(s->rt, s->batch, resource, whole, &fixed, &refusal, &why);
    struct rh_value *now = rh_resource_name(t, s->batch, resource), *item;

    if (rc == 0 && rh_value_equal(was, now))
        return !is_untouched(given, resource) ? FORM_TOUCHED : fixed ? FORM_FIXED : FORM_CANONICAL;
    item = rh_value_new(s->batch, RH_ARRAY);
    rh_value_append(item, rh_value_integer(s->batch, (int64_t)s->n_validated));
    rh_value_append(item, rc == 0 ? now : rh_value_new(s->batch, RH_UNDEF));
    if (rc < 0) {
        rh_value_append(item, rh_value_string(s->batch, why.message));
        rh_value_append(item, text_or_undef(s->batch, refusal.path));
        rh_value_append(item, rh_value_boolean(s->batch, why.kind == RH_ESYSTEM));
        rh_value_append(item, rh_value_integer(s->batch, rh_error_code(&why)));
        rh_value_append(item, further(s->batch, &refusal));
        s->not_yet |= why.kind == RH_ESYSTEM;
    }
    rh_server_item(s, item);
    return FORM_TOUCHED;
}

/* Which of a part of the resources are not as they were, and which may be others later. */
static void
give_forms(struct rh_server *s, const struct rh_value *touched, const struct rh_value *changeable)
{
    struct rh_value *item = rh_value_new(s->batch, RH_ARRAY);

    if (!rh_value_count(touched) && !rh_value_count(changeable))
        return;
    rh_value_append(item, rh_value_integer(s->batch, -1));
    rh_value_append(item, touched);
    rh_value_append(item, changeable);
    rh_server_item(s, item);
}

static bool
take_validate(struct rh_server *s, struct rh_in *in)
{
    bool last = rh_take_u8(in);
    struct rh_value *all = rh_value_new(s->batch, RH_ARRAY);
    struct rh_value *whole = rh_value_new(s->batch, RH_ARRAY); /* of each: it is no name alone */
    struct rh_value *touched = rh_value_new(s->batch, RH_ARRAY);
    struct rh_value *changeable = rh_value_new(s->batch, RH_ARRAY);

    while (!in->bad && in->at < in->end) {
        bool is_whole = rh_take_u8(in);
        struct rh_value *resource = rh_take_value(in, s->batch);

        if (!rh_value_is(resource, RH_HASH))
            return false;
        rh_value_append(all, resource);
        rh_value_append(whole, rh_value_boolean(s->batch, is_whole));
    }
    if (in->bad)
        return false;
    rh_runtime_upcoming(s->rt, all);
    for (size_t i = 0; i < rh_value_count(all); i++, s->n_validated++) {
        rh_server_doing(s, (uint32_t)s->n_validated, "canonicalizing");
        if (!s->not_yet) {
            bool is_whole = rh_value_at(whole, i)->u.integer;
            enum form form = validate(s, rh_value_at(all, i), is_whole);

            if (is_whole && form != FORM_FIXED)
                rh_value_append(form == FORM_TOUCHED ? touched : changeable,
                                rh_value_integer(s->batch, (int64_t)s->n_validated));
        }
    }
    rh_runtime_upcoming(s->rt, NULL);
    give_forms(s, touched, changeable);
    if (!last) {
        rh_server_flush_some(s);
        rh_arena_reset(s->batch);
        return true;
    }
    finish(s, NULL);
    s->not_yet = false;
    s->n_validated = 0;
    return true;
}

static bool
take_suits(struct rh_server *s)
{
    rh_autoerror struct rh_error why = { 0 };
    struct rh_value *item = rh_value_new(s->batch, RH_ARRAY);
    int how_well = rh_runtime_suits(s->rt, &why);

    rh_value_append(item, rh_value_integer(s->batch, how_well));
    if (why.message) {
        rh_value_append(item, rh_value_string(s->batch, why.message));
        rh_value_append(item, rh_value_integer(s->batch, rh_error_code(&why)));
    }
    rh_server_item(s, item);
    finish(s, NULL);
    return true;
}

static bool
take_lookup(struct rh_server *s, struct rh_in *in)
{
    rh_autoerror struct rh_error err = { 0 };
    bool fact = rh_take_u8(in);
    const char *name = rh_take_text(in);
    const struct rh_value *parameters = rh_take_value(in, s->batch);

    if (in->bad)
        return false;
    rh_discard(rh_runtime_lookup(s->rt, s->batch, name, fact, parameters, &err));
    finish(s, &err);
    return true;
}

/* A request, as long as its batch lasts: values point into it. */
struct request {
    char *payload;
    size_t n;
    const struct rh_arena *batch;
};

static void
free_request(void *data)
{
    struct request *r = data;

    if (rh_arena_keeps_secret(r->batch))
        explicit_bzero(r->payload, r->n);
    free(r->payload);
}

static bool
handle(struct rh_server *s, uint32_t type, char *payload, size_t n)
{
    struct rh_in in = { .at = payload, .end = payload + n, .texts = &s->texts };
    rh_autoerror struct rh_error err = { 0 };
    struct request *r = rh_arena_alloc(s->batch, sizeof *r);

    *r = (struct request){ payload, n, s->batch };
    rh_arena_defer(s->batch, free_request, r);
    rh_ext_ids_forget(); /* another provider may have changed accounts since the last request */
    if (type == RH_HELLO)
        return hello(s, &in);
    if (type == RH_DESCRIBE)
        return describe(s, &in);
    if (type == RH_BYE) {
        bye(s, n && rh_take_u8(&in));
        return false;
    }
    if (!s->rt)
        return false;
    rh_runtime_heard(s->rt);
    switch (type) {
    case RH_WANTS:
        return take_wants(s, &in);
    case RH_READ:
        return take_read(s, &in);
    case RH_VALIDATE:
        return take_validate(s, &in);
    case RH_FACTS:
        rh_discard(rh_runtime_facts(s->rt, s->batch, &err));
        finish(s, &err);
        return true;
    case RH_LOOKUP:
        return take_lookup(s, &in);
    case RH_FORGET:
        rh_runtime_forget(s->rt);
        return true;
    case RH_SUITS:
        return take_suits(s);
    case RH_RELEASE:
        rh_large_text_drop(&s->texts, rh_take_u32(&in));
        return !in.bad;
    default:
        return false;
    }
}

bool
rh_server_handle(struct rh_server *s, uint32_t type, char *payload, size_t n)
{
    bool more = handle(s, type, payload, n);

    while (more && s->later) {
        struct rh_deferred_request *first = s->later;

        s->later = first->next;
        if (!s->later)
            s->last_later = &s->later;
        more = handle(s, first->type, first->payload, first->n);
        free(first);
    }
    return more;
}
