/* SPDX-License-Identifier: Apache-2.0 */
/* log-scope - the logging context of the specification (S91 to S116), with the rules it has: only
 * resources of this call, attribute_changed before the action, blocks before anything else. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/call.h"
#include "provider/extensions.h"
#include "provider/log-record.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

enum { MOST_TITLES = 100000, MANY_JOBS = 16, LONGEST_MESSAGE = 64 << 10, LONGEST_LABEL = 1000 };

struct rh_scope {
    struct rh_scope *outer;
    uint64_t number;
    int doing;
    const char *label; /* "Updating", or the plugin's own words */
    const char *start; /* the same where a sentence goes on */
    struct rh_job **jobs;
    size_t n_jobs;
    const struct rh_value *is, *should;
    double started;
    bool failed;
    const char *why, *attribute; /* of the failure; the attribute that it is due to, or NULL */
};

static const char *const present[] = { "Creating", "Updating", "Deleting", "Processing", "Failing" };
static const char *const past[] = { "Created", "Updated", "Deleted", "Processed", "Failed" };
static const char *const lower[] = { "created", "updated", "deleted", "processed", "failed" };
static const char *const started[] = { "creating", "updating", "deleting", "processing", "failing" };

static int
check_doing(int32_t doing)
{
    return doing >= RHOST_CREATING && doing <= RHOST_FAILING ? doing : RHOST_PROCESSING;
}

/* What the host says by itself under noop says so. */
static void
say(struct rh_call *call, enum rh_level level, bool generated, struct rh_job *const *jobs, size_t n,
    const char *label, const char *message)
{
    struct rh_runtime *rt = call->rt;
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_log_about about[RH_LOG_NAMED];
    struct rh_log_record record = {
        .level = level, .generated = generated, .type = rt->type->type, .about = about, .total = n
    };

    if ((level == RH_DEBUG && !rt->options.debug)
        || (level == RH_NOTICE && generated && !rt->options.notices))
        return;
    for (; record.n < n && record.n < (n > RH_LOG_NAMED ? RH_LOG_NAMED - 2 : RH_LOG_NAMED); record.n++)
        about[record.n] = (struct rh_log_about){ jobs[record.n]->want->id, jobs[record.n]->want->title };
    record.label = label ? rh_outgoing_text(rt, a, label, LONGEST_LABEL, false) : NULL;
    record.message = rh_outgoing_text(rt, a, message, LONGEST_MESSAGE, true);
    if (generated && call->noop)
        record.message = rh_arena_printf(a, "%s (noop)", record.message);
    rh_outgoing_log(rt, &record);
}

static struct rh_job *
find_among_many(struct rh_call *call, const char *title)
{
    if (!call->by_title.used)
        for (size_t i = 0; i < call->n_jobs; i++)
            (void)rh_map_put(&call->by_title, call->jobs[i]->want->title, call->jobs[i]);
    return rh_map_get(&call->by_title, title);
}

static struct rh_job *
find_job(struct rh_call *call, const char *title)
{
    struct rh_job *found = NULL;

    if (title && call->n_jobs > MANY_JOBS)
        found = find_among_many(call, title);
    else
        for (size_t i = 0; title && !found && i < call->n_jobs; i++)
            if (strcmp(call->jobs[i]->want->title, title) == 0)
                found = call->jobs[i];
    if (found)
        return found;
    if (!title)
        rh_call_break(call, NULL,
                      "it logged for a resource without a title, outside a block for one resource");
    else
        rh_call_break(call, NULL, "it logged for '%s', which is not part of this call", title);
    return NULL;
}

struct rh_job *
rh_scope_job(struct rh_call *call, const char *title)
{
    if (title)
        return find_job(call, title);
    if (call->scope)
        return call->scope->n_jobs == 1 ? call->scope->jobs[0] : NULL;
    return call->n_jobs == 1 ? call->jobs[0] : NULL;
}

/* The jobs that `titles` name, in memory of the call; fewer when some are not of this call. */
static struct rh_job **
find_jobs(struct rh_call *call, const char *const *titles, size_t n, size_t *found)
{
    struct rh_job **jobs;

    *found = 0;
    if (n > MOST_TITLES || (n && !titles)) {
        rh_call_break(call, NULL, "it passed more than %d titles, or a count without titles", MOST_TITLES);
        n = 0;
    }
    jobs = rh_arena_alloc(call->arena, n * sizeof(struct rh_job *));
    for (size_t i = 0; i < n; i++) {
        struct rh_job *job = find_job(call, titles[i]);

        if (job)
            jobs[(*found)++] = job;
    }
    return jobs;
}

void
rh_table_log(rhost_ctx *ctx, int32_t level, const char *const *titles, size_t n, const char *message)
{
    struct rh_call *call = rh_call_of(ctx);
    const struct rh_scope *scope = call->scope;
    enum rh_level l = level == RH_LOG_COMMAND                      ? RH_DEBUG
                      : level >= RHOST_DEBUG && level <= RHOST_ERR ? (enum rh_level)level
                                                                   : RH_NOTICE;
    size_t found;
    struct rh_job **jobs;

    if (!message || (l == RH_DEBUG && !call->rt->options.debug))
        return;
    jobs = find_jobs(call, titles, n, &found);
    for (size_t i = 0; i < found; i++)
        jobs[i]->logged = true;
    if (n)
        say(call, l, false, jobs, found, NULL, message);
    else if (scope)
        say(call, l, false, scope->jobs, scope->n_jobs, level == RH_LOG_COMMAND ? NULL : scope->label,
            message);
    else
        say(call, l, false, NULL, 0, NULL, message);
}

static void
add_change(struct rh_call *call, struct rh_buf *b, bool hidden, const struct rh_value *from,
           const struct rh_value *to)
{
    if (hidden) {
        rh_buf_add(b, "changed from [redacted] to [redacted]");
        return;
    }
    rh_buf_add(b, "changed from ");
    rh_outgoing_show(call->rt, b, from, 200);
    rh_buf_add(b, " to ");
    rh_outgoing_show(call->rt, b, to, 200);
}

/* "Updating content: ..." inside a block, "content: ..." outside of one. */
static void
log_attribute(struct rh_call *call, struct rh_job *job, const char *label, const char *attribute,
              const struct rh_value *from, const struct rh_value *to, const char *message)
{
    bool hidden = rh_job_hides(call->rt, job, attribute, from, to);
    rh_autobuf struct rh_buf b = { 0 };

    rh_buf_addf(&b, "%s%s%s: ", label ? label : "", label ? " " : "", attribute);
    if (message && !hidden)
        rh_buf_add(&b, message);
    else
        add_change(call, &b, hidden, from, to);
    say(call, RH_NOTICE, true, &job, 1, NULL, rh_buf_text(&b));
}

/* One line per attribute that differs: the default report of processing and processed. */
static void
log_differences(struct rh_call *call, struct rh_job *job, const struct rh_value *is,
                const struct rh_value *should, const char *label)
{
    static const char *const gone = "absent";
    const struct rh_value *ensure = rh_value_get(is, "ensure");

    if (!should && ensure) /* without what is wanted it is to go */
        log_attribute(call, job, label, "ensure", ensure, rh_value_string(call->arena, gone), NULL);
    for (size_t i = 0; i < rh_value_count(should); i++) {
        const struct rh_entry *e = rh_value_entry(should, i);
        const struct rh_attr *attr = rh_type_attr(call->rt->type, e->key);
        const struct rh_value *was = rh_value_get(is, e->key);

        if (attr && rh_attr_is_property(attr) && !rh_value_equal(was, e->value))
            log_attribute(call, job, label, e->key, was, e->value, NULL);
    }
}

/* "Making a key" as it goes on after other words: "making a key". */
static const char *
within_sentence(struct rh_call *call, const char *message)
{
    char *text = rh_arena_strdup(call->arena, message);

    if (text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a' && text[1] <= 'z')
        text[0] = (char)(text[0] - 'A' + 'a');
    return text;
}

static struct rh_scope *
open_scope(struct rh_call *call, int doing, struct rh_job **jobs, size_t n, const char *message)
{
    struct rh_scope *scope = rh_arena_alloc(call->arena, sizeof *scope);

    *scope = (struct rh_scope){
        .outer = call->scope,
        .number = call->scope ? call->scope->number + 1 : 1,
        .doing = doing,
        .label = message ? rh_arena_strdup(call->arena, message) : present[doing],
        .start = message ? within_sentence(call, message) : started[doing],
        .jobs = jobs,
        .n_jobs = n,
        .started = call->rt->options.debug ? rh_now() : 0,
    };
    call->scope = scope;
    if (call->rt->options.debug) {
        rh_autofree char *text = rh_printf("Started %s", scope->start);

        say(call, RH_DEBUG, true, jobs, n, NULL, text);
    }
    return scope;
}

/* Whether a block for this job is open; one more inside it is no late one. */
static bool
is_within(const struct rh_call *call, const struct rh_job *job)
{
    for (const struct rh_scope *s = call->scope; s; s = s->outer)
        for (size_t i = 0; i < s->n_jobs; i++)
            if (s->jobs[i] == job)
                return true;
    return false;
}

/* What came of these jobs is known, unless a block around them is still open. */
static void
report(struct rh_call *call, struct rh_job *const *jobs, size_t n)
{
    for (size_t i = 0; call->definite && i < n; i++)
        if (!jobs[i]->delivered && !is_within(call, jobs[i]))
            call->definite(call, jobs[i]);
}

static void
fail_definitely(struct rh_call *call, struct rh_job *job, const char *attribute, const char *why)
{
    if (job->delivered && job->status != RH_FAILED)
        rh_call_fail_late(call, job, why);
    rh_job_fault(job, attribute);
    rh_job_fail_code(job, NULL, rh_provider_words_code(), "%.*s", LONGEST_MESSAGE, why);
}

/* A state that the plugin passed: a hash, or nothing. */
static const struct rh_value *
state_of(struct rh_call *call, const rhost_value *state)
{
    const struct rh_value *v = (const struct rh_value *)(const void *)state;

    if (!v || rh_value_is(v, RH_UNDEF))
        return NULL;
    if (rh_value_is(v, RH_HASH))
        return v;
    rh_call_break(call, NULL, "it logged with a state that is no hash of attributes");
    return NULL;
}

uint64_t
rh_table_scope_begin(rhost_ctx *ctx, int32_t doing, const char *const *titles, size_t n,
                     const rhost_value *is, const rhost_value *should, const char *message)
{
    struct rh_call *call = rh_call_of(ctx);
    size_t found;
    struct rh_job **jobs = find_jobs(call, titles, n, &found);
    struct rh_scope *scope;

    for (size_t i = 0; i < found; i++)
        if (jobs[i]->logged && !is_within(call, jobs[i]))
            rh_call_break(call, jobs[i], "it opened a block for '%s' after logging about it",
                          jobs[i]->want->title);
    scope = open_scope(call, check_doing(doing), jobs, found, message);
    if (found == 1)
        rh_runtime_doing(call->rt, jobs[0], started[scope->doing]);
    scope->is = state_of(call, is);
    scope->should = state_of(call, should);
    return scope->number;
}

/* "Updating failed: it is full"; what is there to record a failure has no need to say so twice. */
static char *
failure_text(const struct rh_scope *scope)
{
    if (scope->doing != RHOST_FAILING)
        return rh_printf("%s failed: %s", scope->label, scope->why);
    return scope->why ? rh_printf("%s: %s", scope->label, scope->why) : rh_xstrdup(scope->label);
}

/* Says how a block ended; success or failure is then definite for its jobs. */
static void
end_scope(struct rh_call *call)
{
    struct rh_scope *scope = call->scope;
    struct rh_runtime *rt = call->rt;
    bool failed = scope->failed || scope->doing == RHOST_FAILING;

    call->scope = scope->outer;
    if (scope->n_jobs == 1 && call->n_jobs > 1)
        rh_runtime_doing(rt, NULL, "setting"); /* any of them may be next */
    if (scope->doing == RHOST_PROCESSING && !failed && scope->n_jobs == 1)
        log_differences(call, scope->jobs[0], scope->is, scope->should, scope->label);
    if (failed) {
        rh_autofree char *text = failure_text(scope);

        say(call, RH_ERR, true, scope->jobs, scope->n_jobs, NULL, text);
    } else if (call->rt->options.notices) {
        rh_autofree char *text = rt->options.debug ? rh_printf("Successfully %s (%.6f seconds)",
                                                               lower[scope->doing], rh_now() - scope->started)
                                                   : rh_printf("Successfully %s", lower[scope->doing]);

        say(call, RH_NOTICE, true, scope->jobs, scope->n_jobs, NULL, text);
    }
    for (size_t i = 0; i < scope->n_jobs; i++) {
        struct rh_job *job = scope->jobs[i];

        job->logged = job->action_logged = job->definite = true;
        if (failed)
            fail_definitely(call, job, scope->attribute, scope->why ? scope->why : scope->label);
    }
    report(call, scope->jobs, scope->n_jobs);
    if (failed && !scope->n_jobs && !call->failed) { /* nobody else has it */
        call->failed = true;
        call->message = rh_arena_strdup(call->arena, scope->why ? scope->why : scope->label);
        call->code = rh_provider_words_code();
    }
}

void
rh_table_scope_end(rhost_ctx *ctx, uint64_t number)
{
    struct rh_call *call = rh_call_of(ctx);

    if (!call->scope || call->scope->number != number) {
        rh_call_break(call, NULL, "it ended a block that is not the innermost open one");
        return;
    }
    end_scope(call);
}

/* What a check of the plugin watches. */
static rh_left_open_fn *watcher;
static void *watcher_data;

void
rh_scope_watch(rh_left_open_fn *fn, void *data)
{
    watcher = fn;
    watcher_data = data;
}

static void
note_left_open(const struct rh_call *call, const struct rh_scope *scope)
{
    if (watcher)
        watcher(watcher_data, call->what, scope->n_jobs == 1 ? scope->jobs[0]->want->title : NULL);
}

static void
end_left_open(struct rh_call *call)
{
    note_left_open(call, call->scope);
    rh_call_break(call, call->scope->n_jobs == 1 ? call->scope->jobs[0] : NULL, "it left a block open");
    end_scope(call);
}

uint64_t
rh_scope_detach(struct rh_call *call, struct rh_job *job, int32_t doing, const char *message)
{
    struct rh_job **jobs = rh_arena_alloc(call->arena, sizeof(struct rh_job *));
    struct rh_scope *scope;

    jobs[0] = job;
    scope = open_scope(call, check_doing(doing), jobs, 1, message);
    call->scope = scope->outer;
    scope->number = ++call->n_detached;
    scope->outer = call->detached;
    call->detached = scope;
    return scope->number;
}

/* As the innermost block of all, for as long as it takes. */
bool
rh_scope_end_detached(struct rh_call *call, uint64_t number, const char *failure)
{
    struct rh_scope **at = &call->detached, *scope, *innermost = call->scope;

    while (*at && (*at)->number != number)
        at = &(*at)->outer;
    scope = *at;
    if (!scope)
        return false;
    *at = scope->outer;
    scope->outer = NULL;
    call->scope = scope;
    if (failure) {
        scope->failed = true;
        scope->why = rh_outgoing_text(call->rt, call->arena, failure, LONGEST_MESSAGE, true);
    }
    end_scope(call);
    call->scope = innermost;
    return true;
}

void
rh_scope_end_all(struct rh_call *call)
{
    while (call->scope)
        end_left_open(call);
    while (call->detached) {
        note_left_open(call, call->detached);
        (void)rh_scope_end_detached(call, call->detached->number, "the provider did not report a result");
    }
}

uint64_t
rh_scope_open(struct rh_call *call, struct rh_job *job, int doing)
{
    struct rh_job **jobs = rh_arena_alloc(call->arena, sizeof(struct rh_job *));

    jobs[0] = job;
    return open_scope(call, doing, jobs, 1, NULL)->number;
}

void
rh_scope_close(struct rh_call *call, uint64_t number)
{
    while (call->scope && call->scope->number > number)
        end_left_open(call);
    if (call->scope)
        end_scope(call);
}

void
rh_scope_drop(struct rh_call *call, uint64_t number)
{
    while (call->scope && call->scope->number > number)
        end_left_open(call);
    if (call->scope)
        call->scope = call->scope->outer;
}

bool
rh_scope_fail(struct rh_call *call, const char *attribute, const char *text)
{
    if (!call->scope)
        return false;
    call->scope->failed = true;
    if (!call->scope->why) {
        call->scope->why = text;
        call->scope->attribute = attribute;
    }
    if (!call->scope_failure)
        call->scope_failure = text;
    return true;
}

int32_t
rh_table_did(rhost_ctx *ctx, int32_t doing, const char *const *titles, size_t n, const rhost_value *is,
             const rhost_value *should, const char *message)
{
    struct rh_call *call = rh_call_of(ctx);
    size_t found;
    struct rh_job **jobs = find_jobs(call, titles, n, &found);
    const char *fault = NULL;

    doing = check_doing(doing);
    if (found != n)
        return -1;
    if (doing == RHOST_FAILING && !message) {
        message = call->last_failure;
        fault = call->last_fault;
    }
    for (size_t i = 0; i < found; i++) {
        if (doing == RHOST_PROCESSING)
            log_differences(call, jobs[i], state_of(call, is), state_of(call, should),
                            call->scope ? call->scope->label : NULL);
        jobs[i]->logged = jobs[i]->action_logged = jobs[i]->definite = true;
        if (doing == RHOST_FAILING)
            fail_definitely(call, jobs[i], fault, message ? message : past[doing]);
    }
    say(call, doing == RHOST_FAILING ? RH_ERR : RH_NOTICE, true, jobs, found, NULL,
        message ? message : past[doing]);
    report(call, jobs, found);
    return 0;
}

int32_t
rh_table_unchanged(rhost_ctx *ctx, const char *title, const char *message)
{
    struct rh_call *call = rh_call_of(ctx);
    struct rh_job *job = find_job(call, title);

    if (!job)
        return -1;
    job->logged = job->action_logged = job->definite = true;
    if (!job->done) /* what has failed stays so */
        job->status = RH_UNCHANGED;
    job->done = true;
    say(call, RH_INFO, true, &job, 1, NULL, message ? message : "Unchanged");
    report(call, &job, 1);
    return 0;
}

int32_t
rh_table_attribute_changed(rhost_ctx *ctx, const char *title, const char *attribute, const rhost_value *is,
                           const rhost_value *should, const char *message)
{
    struct rh_call *call = rh_call_of(ctx);
    const struct rh_value *from = (const struct rh_value *)(const void *)is;
    const struct rh_value *to = (const struct rh_value *)(const void *)should;
    struct rh_job *job;

    if (!title && call->scope && call->scope->n_jobs == 1)
        job = call->scope->jobs[0];
    else
        job = find_job(call, title);
    if (!job || !attribute)
        return -1;
    if (!rh_type_attr(call->rt->type, attribute))
        rh_call_break(call, job, "it reported a change of unknown attribute '%s'", attribute);
    if (job->action_logged)
        rh_call_break(call, job, "it reported a change of '%s' after it reported the result for '%s'",
                      attribute, job->want->title);
    job->logged = true;
    log_attribute(call, job, call->scope ? call->scope->label : NULL, attribute, from, to, message);
    rh_job_differs(call->rt, job, attribute, from, to, false, message);
    return 0;
}
