/* SPDX-License-Identifier: Apache-2.0 */
/* pending - notifications that are pending, on disk: a file of JSON lines, which is only added to while
 * a run goes on, and written anew when it ends. */
#include "config.h"

#include "run/pending.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/json-writer.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "run/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

struct rh_pending_list {
    struct rh_arena *arena;
    char *folder, *path;
    const char *run, *started; /* NULL: only to be looked at */
    struct rh_pending *v;
    size_t n, cap;
    int fd; /* -1 until something is written */
    struct rh_buf out;
    bool must_sync; /* what waits in `out` is to be on disk before anything is changed */
    bool written;   /* the file is not what it was */
    bool fresh;     /* it was not there */
    bool zeros;     /* it ends with some, and is written anew in any case */
    off_t end;      /* of its last whole line */
};

/* Reading. */

static const char *
text_of(const struct rh_value *line, const char *key)
{
    return rh_value_get_str(line, key, NULL);
}

/* The notification whose number a line like {"certain": 3} has, or NULL. */
static struct rh_pending *
pending_of(struct rh_pending_list *o, const struct rh_value *line, const char *key)
{
    const struct rh_value *number = rh_value_get(line, key);

    if (!rh_value_is(number, RH_INTEGER) || number->u.integer < 0 || (uint64_t)number->u.integer >= o->n)
        return NULL;
    return &o->v[number->u.integer];
}

static bool
take_line(struct rh_pending_list *o, const struct rh_value *line)
{
    const struct rh_value *number = rh_value_get(line, "pending");
    const struct rh_value *certain = rh_value_get(line, "certain");
    struct rh_pending pending = {
        .type = text_of(line, "type"),
        .title = text_of(line, "title"),
        .action = text_of(line, "action"),
        .by = text_of(line, "notified_by"),
        .run = text_of(line, "notified_in_run"),
        .since = text_of(line, "since"),
        .certain = rh_value_is(certain, RH_BOOLEAN) && certain->u.integer,
    };
    struct rh_pending *known;

    if (pending.type && pending.title && pending.action && pending.by && pending.run && pending.since
        && rh_value_is(number, RH_INTEGER) && number->u.integer == (int64_t)o->n
        && rh_on_failure_read(rh_value_get_str(line, "on_failure", ""), &pending.on_failure)) {
        o->v = rh_xgrow(o->v, &o->cap, o->n, sizeof *o->v);
        o->v[o->n++] = pending;
        return true;
    }
    if ((known = pending_of(o, line, "certain")))
        known->certain = true;
    else if ((known = pending_of(o, line, "dropped")))
        known->dropped = true;
    return known != NULL;
}

/* A power loss leaves zeros for what was not on disk yet. Every note is on disk before its change is begun,
 * and so is all that stands before it: what was lost here was not acted upon. Damage looks the same, so it is
 * said. */
static void
warn_of_zeros(const struct rh_pending_list *o, size_t number)
{
    rh_log(RH_WARNING,
           "'%s' contains zero bytes from line %zu on, as after a power loss; ignoring the rest of the file",
           o->path, number);
}

static int
read_lines(struct rh_pending_list *o, const char *text, size_t n, struct rh_error *err)
{
    size_t number = 1;

    for (const char *end; n; number++, n -= (size_t)(end + 1 - text), text = end + 1) {
        rh_autoerror struct rh_error why = { 0 };
        const struct rh_value *line;

        end = memchr(text, '\n', n);
        if (memchr(text, '\0', end ? (size_t)(end - text) : n)) {
            warn_of_zeros(o, number);
            o->zeros = true;
            break;
        }
        if (!end)
            break; /* it was being written when the run was killed: nothing was begun after it */
        line = rh_value_from_json(o->arena, text, (size_t)(end - text), &why);
        if (!line || !take_line(o, line))
            return rh_error_set(err, RH_EINPUT,
                                "'%s' is damaged in line %zu%s%s; repair the line, or remove the file if no "
                                "notification is pending",
                                o->path, number, why.message ? ": " : "", why.message ? why.message : "");
        o->end += end + 1 - text;
    }
    return 0;
}

struct rh_pending_list *
rh_pending_open(const char *state_dir, const char *run, const char *started, struct rh_error *err)
{
    struct rh_pending_list *o = rh_xalloc(sizeof *o);
    rh_autoerror struct rh_error why = { 0 };
    rh_autofree char *text = NULL;
    size_t n = 0;

    *o = (struct rh_pending_list){ .arena = rh_arena_new(NULL), .run = run, .started = started, .fd = -1 };
    o->folder = rh_xstrdup(state_dir);
    o->path = rh_printf("%s/pending.jsonl", state_dir);
    if (run)
        rh_state_remove_leftovers(o->folder);
    if (faccessat(AT_FDCWD, o->path, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
        return o;
    text = rh_read_kept_file(o->path, 0, &n, &why);
    if (!text)
        rh_error_set(err, RH_ESYSTEM, "cannot read the pending notifications: %s", why.message);
    if (!text || read_lines(o, text, n, err) < 0) {
        o->run = NULL; /* leave the file as it is */
        rh_discard(rh_pending_close(o, &why));
        return NULL;
    }
    return o;
}

size_t
rh_pending_count(const struct rh_pending_list *o)
{
    return o->n;
}

const struct rh_pending *
rh_pending_at(const struct rh_pending_list *o, size_t i)
{
    return &o->v[i];
}

/* Writing. */

void
rh_pending_to_json(struct rh_buf *b, const struct rh_pending *d)
{
    rh_json_text(b, "type", d->type);
    rh_json_text(b, "title", d->title);
    rh_json_text(b, "action", d->action);
    rh_json_text(b, "notified_by", d->by);
    rh_json_text(b, "notified_in_run", d->run);
    rh_json_text(b, "since", d->since);
    rh_json_text(b, "on_failure", rh_on_failure_name(d->on_failure));
    rh_json_boolean(b, "certain", d->certain);
}

static void
add_pending(struct rh_buf *b, size_t i, const struct rh_pending *d)
{
    rh_buf_addc(b, '{');
    rh_json_number(b, "pending", (int64_t)i);
    rh_pending_to_json(b, d);
    rh_buf_add(b, "}\n");
}

size_t
rh_pending_note(struct rh_pending_list *o, const struct rh_pending *pending)
{
    struct rh_pending d = *pending;

    d.by = rh_arena_strdup(o->arena, pending->by);
    d.run = o->run ? o->run : "";
    d.since = o->started ? o->started : "";
    o->v = rh_xgrow(o->v, &o->cap, o->n, sizeof *o->v);
    o->v[o->n] = d;
    if (o->run) {
        add_pending(&o->out, o->n, &d);
        o->must_sync = true;
    }
    return o->n++;
}

void
rh_pending_certain(struct rh_pending_list *o, size_t i)
{
    if (o->v[i].certain)
        return;
    o->v[i].certain = true;
    if (o->run)
        rh_buf_addf(&o->out, "{\"certain\": %zu}\n", i);
}

void
rh_pending_drop(struct rh_pending_list *o, size_t i)
{
    if (o->v[i].dropped)
        return;
    o->v[i].dropped = true;
    if (o->run)
        rh_buf_addf(&o->out, "{\"dropped\": %zu}\n", i);
}

int
rh_pending_flush(struct rh_pending_list *o, struct rh_error *err)
{
    if (!o->out.n)
        return 0;
    if (o->fd < 0) {
        o->fresh = access(o->path, F_OK) < 0;
        o->fd = open(o->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    }
    /* A line that was cut off must not stay: the next would be added to it. */
    if (o->fd < 0 || (!o->written && ftruncate(o->fd, o->end) < 0)
        || rh_write_all_at(o->fd, o->out.s, o->out.n, o->end) < 0)
        return rh_error_system(err, errno, "cannot record the pending notifications in '%s'", o->path);
    if (o->fresh && rh_sync_directory(o->folder, err) < 0)
        return -1;
    o->end += (off_t)o->out.n;
    o->fresh = false;
    o->written = true;
    rh_buf_truncate(&o->out, 0);
    return 0;
}

int
rh_pending_sync(struct rh_pending_list *o, struct rh_error *err)
{
    if (!o->must_sync)
        return 0;
    if (rh_pending_flush(o, err) < 0)
        return -1;
    if (fdatasync(o->fd) < 0)
        return rh_error_system(err, errno, "cannot sync '%s' to disk", o->path);
    o->must_sync = false;
    return 0;
}

static int
write_anew(struct rh_pending_list *o, struct rh_error *err)
{
    rh_autobuf struct rh_buf b = { 0 };
    size_t left = 0;

    for (size_t i = 0; i < o->n; i++)
        if (!o->v[i].dropped)
            add_pending(&b, left++, &o->v[i]);
    if (left)
        return rh_replace_file(o->path, b.s, b.n, 0600, err);
    if (unlink(o->path) < 0 && errno != ENOENT)
        return rh_error_system(err, errno, "cannot remove '%s'", o->path);
    return 0;
}

void
rh_pending_abandon(struct rh_pending_list *o)
{
    o->run = NULL;
    o->must_sync = false;
    rh_buf_truncate(&o->out, 0);
}

int
rh_pending_close(struct rh_pending_list *o, struct rh_error *err)
{
    int rc = 0;

    if (!o)
        return 0;
    if (o->run && (o->written || o->out.n || o->zeros))
        rc = write_anew(o, err);
    if (o->fd >= 0 && close(o->fd) < 0 && rc == 0)
        rc = rh_error_system(err, errno, "cannot close '%s'", o->path);
    rh_buf_clear(&o->out);
    free(o->v);
    free(o->folder);
    free(o->path);
    rh_arena_free(o->arena);
    free(o);
    return rc;
}
