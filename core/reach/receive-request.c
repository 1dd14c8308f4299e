/* SPDX-License-Identifier: Apache-2.0 */
/* receive-request - the frames that a controller sends: what to run, the files of the site, go and stop. */
#include "config.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"
#include "reach/receive-parts.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 4096 };

/* A text of the request that must be there. */
static const char *
need_text(const struct rh_value *v, const char *key, struct rh_error *err)
{
    const char *text = rh_value_get_str(v, key, NULL);

    if (!text || !*text)
        (void)rh_error_set(err, RH_EINPUT, "the request lacks '%s'", key);
    return text && *text ? text : NULL;
}

static bool
is_true(const struct rh_value *v, const char *key)
{
    const struct rh_value *one = rh_value_get(v, key);

    return rh_value_is(one, RH_BOOLEAN) && one->u.integer;
}

/* This program: by the name that the controller knows it by (a kit is started by a script), or as the system
 * knows it. */
static int
own_program(struct rh_arena *a, char **argv, const struct rh_value *program, struct rh_error *err)
{
    char self[PATH_MAX];
    ssize_t n;

    for (size_t i = 0; i < rh_value_count(program); i++)
        argv[i] = rh_arena_strdup(a, rh_value_str(rh_value_at(program, i), ""));
    if (rh_value_count(program))
        return *argv[0] == '/'
                   ? (int)rh_value_count(program)
                   : rh_error_set(err, RH_EINPUT, "the program '%s' is no absolute path", argv[0]);
    n = readlink("/proc/self/exe", self, sizeof self);
    if (n <= 0)
        return rh_error_set(err, RH_ESYSTEM, "cannot find this program: is /proc mounted?");
    argv[0] = rh_arena_strndup(a, self, (size_t)n);
    return 1;
}

static int
read_command(struct rh_receiver *r, const struct rh_value *v, struct rh_error *err)
{
    const struct rh_value *command = rh_value_get(v, "command"), *program = rh_value_get(v, "program");
    size_t n = rh_value_count(command);
    char **argv = rh_arena_alloc(r->arena, (n + 10) * sizeof *argv);
    int first;

    if (!n || n > MOST_ARGUMENTS || !rh_value_is(command, RH_ARRAY) || rh_value_count(program) > 8)
        return rh_error_set(err, RH_EINPUT, "the request lacks '%s'", "command");
    first = own_program(r->arena, argv, program, err);
    if (first < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const char *word = rh_value_str(rh_value_at(command, i), NULL);

        if (!word || strlen(word) != rh_value_at(command, i)->count)
            return rh_error_set(err, RH_EINPUT, "an argument of the command is not a text");
        argv[(size_t)first + i] = rh_arena_strdup(r->arena, word);
    }
    r->argv = argv;
    return 0;
}

/* The name of a file that the command writes beside the site: NULL where none is asked for. */
static int
take_name(const struct rh_value *v, const char *key, const char **name, struct rh_error *err)
{
    *name = rh_value_get_str(v, key, NULL);
    if (!*name || (rh_wire_is_path(*name) && !strchr(*name, '/')))
        return 0;
    return rh_error_set(err, RH_EINPUT, "the path '%s' is invalid", *name);
}

static int
take_request(struct rh_receiver *r, const struct rh_value *v, struct rh_error *err)
{
    const struct rh_value *protocol = rh_value_get(v, "protocol"), *bytes = rh_value_get(v, "bytes");
    int64_t size = rh_value_is(bytes, RH_INTEGER) ? bytes->u.integer : 0;

    if (!rh_value_is(protocol, RH_INTEGER) || protocol->u.integer != RH_WIRE_PROTOCOL)
        return rh_error_set(err, RH_EINPUT,
                            "the controller speaks another protocol: use the same version of rhost");
    if (!(r->push = need_text(v, "push", err)) || !(r->from = need_text(v, "from", err)))
        return -1;
    if (strchr(r->push, '/') || !rh_wire_is_path(r->push) || r->push[0] == '.')
        return rh_error_set(err, RH_EINPUT, "the id '%s' of the push is invalid", r->push);
    if (take_name(v, "report", &r->report, err) < 0 || take_name(v, "result", &r->result, err) < 0)
        return -1;
    r->detach = is_true(v, "detach");
    r->changes = is_true(v, "changes");
    if (read_command(r, v, err) < 0)
        return -1;
    if (size < 0 || size > (int64_t)RH_SITE_BYTES * 2)
        return rh_error_set(err, RH_EINPUT, "the site is too large");
    r->step = RH_RECEIVE_FILES;
    return rh_scratch_site_open(&r->site, rh_value_get_str(v, "place", NULL), (uint64_t)size, err);
}

static int
take_file(struct rh_receiver *r, const struct rh_value *v, struct rh_error *err)
{
    const char *path = need_text(v, "path", err);
    const struct rh_value *size = rh_value_get(v, "size");

    if (!path)
        return -1;
    if (!rh_wire_is_path(path) || strlen(path) != rh_value_get(v, "path")->count)
        return rh_error_set(err, RH_EINPUT, "the path '%s' is invalid", path);
    if (!rh_value_is(size, RH_INTEGER) || size->u.integer < 0 || size->u.integer > RH_SITE_BYTES * 2LL)
        return rh_error_set(err, RH_EINPUT, "the request lacks '%s'", "size");
    return rh_scratch_site_file(&r->site, path, (uint64_t)size->u.integer, is_true(v, "executable"), err);
}

static int
start(struct rh_receiver *r, struct rh_error *err)
{
    struct rh_child_options o = { .argv = r->argv,
                                  .cwd = r->site.path,
                                  .flags = RH_CHILD_SESSION | RH_CHILD_PIPE_3 | RH_CHILD_DIES };
    struct rh_value *begun = rh_value_new(r->arena, RH_HASH);

    if (r->site.missing)
        return rh_error_set(err, RH_EINPUT, "a file of the site is not complete");
    r->began = time(NULL);
    rh_value_put(begun, "push", rh_value_string(r->arena, r->push));
    rh_value_put(begun, "from", rh_value_string(r->arena, r->from));
    rh_value_put(begun, "began", rh_value_integer(r->arena, r->began));
    if (r->changes && !r->state_dir)
        return rh_error_set(err, RH_ESYSTEM, "no state directory");
    if (r->changes && rh_push_record_open(&r->record, r->state_dir, r->push, begun, err) < 0)
        return -1;
    if (rh_child_start(&r->child, &o, err) < 0)
        return -1;
    (void)close(r->child.in); /* nothing is read by the command */
    r->child.in = -1;
    r->progress = o.more;
    r->started = true;
    r->step = RH_RECEIVE_RUN;
    return 0;
}

void
rh_receive_stop(struct rh_receiver *r)
{
    if (r->stopping || !r->child.pid)
        return;
    r->stopping = true;
    (void)kill(r->child.pid, SIGTERM);
}

int
rh_receive_frame(struct rh_receiver *r, enum rh_wire_kind kind, const char *content, size_t n,
                 struct rh_error *err)
{
    struct rh_value *v = NULL;

    if ((kind == RH_WIRE_REQUEST || kind == RH_WIRE_FILE) && !(v = rh_wire_value(r->arena, content, n, err)))
        return -1;
    if (kind == RH_WIRE_PING)
        return 0;
    if (kind == RH_WIRE_STOP && r->step == RH_RECEIVE_RUN)
        rh_receive_stop(r);
    else if (kind == RH_WIRE_STOP && r->step != RH_RECEIVE_END)
        return rh_error_set(err, RH_EINPUT, "the push was stopped before it began");
    if (kind == RH_WIRE_REQUEST && r->step == RH_RECEIVE_REQUEST)
        return take_request(r, v, err);
    if (kind == RH_WIRE_FILE && r->step == RH_RECEIVE_FILES)
        return take_file(r, v, err);
    if (kind == RH_WIRE_DATA && r->step == RH_RECEIVE_FILES)
        return rh_scratch_site_data(&r->site, content, n, err);
    if (kind == RH_WIRE_GO && r->step == RH_RECEIVE_FILES)
        return start(r, err);
    if (kind == RH_WIRE_ACK && r->step == RH_RECEIVE_END) {
        r->acknowledged = true;
        return 0;
    }
    return kind == RH_WIRE_STOP ? 0 : rh_error_set(err, RH_EINPUT, "unexpected data on the channel");
}
