/* SPDX-License-Identifier: Apache-2.0 */
/* engine - asks a container engine over its Unix socket. */

#include "engine.h"

#include "../json_setting/json-read.h"
#include "../json_setting/json-write.h"

#include <rhost/dry-run.h>
#include <rhost/lines.h>
#include <rhost/path.h>

enum { LARGEST_ANSWER = 32 << 20, LONGEST_REASON = 600 };

void
engine_answer_clear(struct engine_answer *a)
{
    pool_clear(&a->pool);
    a->json = NULL;
}

void
engine_init(struct engine *e, rhost_ctx *ctx, const rhost_value *should)
{
    memset(e, 0, sizeof *e);
    e->ctx = ctx;
    e->socket = rhost_str_or(should, "socket", ENGINE_SOCKET);
    e->timeout = (long)rhost_int(should, "timeout", 120);
}

int
engine_exists(const struct engine *e)
{
    struct stat st;

    return rhost_path_stat(e->ctx, e->socket, RHOST_PATH_FOLLOW, &st) == 0
           || (errno != ENOENT && errno != ENOTDIR);
}

const struct tree *
engine_at(const struct tree *json, const char *keys)
{
    char key[64];

    while (json && *keys) {
        size_t n = strcspn(keys, "/");

        (void)snprintf(key, sizeof key, "%.*s", (int)n, keys);
        json = json->kind == TREE_MAPPING ? tree_child(json, key) : NULL;
        keys += n + (keys[n] == '/');
    }
    return json;
}

const char *
engine_text(const struct tree *json, const char *keys)
{
    const struct tree *found = engine_at(json, keys);

    return found && found->kind == TREE_STRING ? found->text : NULL;
}

/* An answer is one value, or values in lines, as the engine gets on. */
static const char *
parse(struct engine_answer *a, const char *text, size_t len)
{
    const char *why = json_read(&a->pool, text, len, &a->json), *end;

    for (; why && len; text += end - text, len = strlen(text)) {
        struct tree *one;
        const char *line;

        end = text + strcspn(text, "\n");
        line = pool_copy(&a->pool, text, (size_t)(end - text));
        if (json_read(&a->pool, line, strlen(line), &one) != NULL)
            return why;
        a->json = one ? one : a->json;
        if (!a->error && engine_text(one, "error"))
            a->error = rhost_strdup(a->pool.ctx, engine_text(one, "error"));
        end += *end == '\n';
    }
    if (!a->error && engine_text(a->json, "error"))
        a->error = rhost_strdup(a->pool.ctx, engine_text(a->json, "error"));
    return NULL;
}

static int
read_answer(const struct engine *e, const struct transfer *t, struct engine_answer *a)
{
    a->status = t->status;
    if (rhost_is_utf8(t->answer, t->len) && !memchr(t->answer, '\0', t->len) && !parse(a, t->answer, t->len))
        return 0;
    return rhost_fail(e->ctx, "the engine at '%s' answered %s with status %ld, and not with JSON", e->socket,
                      t->method, t->status);
}

/* Content-Type, and the body. */
static int
prepare(struct transfer *t, const rhost_value *body)
{
    static const struct json_style style = { .unit = NULL, .colon = ":", .comma = ",", .newline = "\n" };
    const char *why = NULL;

    if (body) {
        t->body.bytes = json_write(t->ctx, body, &style, "", &why);
        if (!t->body.bytes)
            return rhost_fail(t->ctx, "%s", why);
        t->body.len = strlen(t->body.bytes);
    }
    if (transfer_header(t,
                        t->file >= 0 ? "Content-Type: application/x-tar" : "Content-Type: application/json")
            < 0
        || transfer_header(t, "Expect:") < 0)
        return rhost_fail(t->ctx, "out of memory");
    return 0;
}

int
engine_ask(const struct engine *e, const char *method, const char *path, const rhost_value *body, int file,
           struct engine_answer *a)
{
    int32_t missing = rhost_noop(e->ctx) ? RHOST_MISSING : 0; /* an earlier resource may start it */
    struct transfer t;
    int result = -1;

    transfer_init(&t, e->ctx);
    t.method = method;
    t.url = rhost_fmt(e->ctx, "http://engine%s", path);
    t.timeout = e->timeout;
    t.most = LARGEST_ANSWER;
    t.file = file;
    t.socket = transfer_open_socket(e->ctx, "socket", e->socket, missing);
    if (t.socket >= 0 && prepare(&t, body) == 0) {
        if (transfer_perform(&t) == 0)
            result = read_answer(e, &t, a);
        else
            result =
                e->ctx->host->fail(e->ctx, t.unreachable ? missing : 0, "socket",
                                   rhost_fmt(e->ctx, "cannot ask the engine at '%s': %s", e->socket, t.why));
    }
    transfer_clear(&t);
    return result;
}

int
engine_fail(const struct engine *e, const struct engine_answer *a, const char *attribute, const char *what)
{
    const char *why = a->error ? a->error : engine_text(a->json, "message");
    const char *reason = e->secret ? "[redacted]" : why ? why : "no reason was given";
    char *line = rhost_copy(e->ctx, reason, strnlen(reason, LONGEST_REASON));

    for (char *p = line; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = ' ';
    while (!rhost_is_utf8(line, strlen(line))) /* cut in the middle of a character */
        line[strlen(line) - 1] = '\0';
    return rhost_fail_attr(e->ctx, attribute, "cannot %s: the engine answered with status %ld: %s", what,
                           a->status, line);
}

int
engine_do(const struct engine *e, const char *method, const char *path, const rhost_value *body, int absent,
          const char *what)
{
    ENGINE_ANSWER(a, e->ctx);

    if (engine_ask(e, method, path, body, -1, &a) < 0)
        return -1;
    if (absent && a.status == 404)
        return 1;
    return (a.status >= 200 && a.status < 300) || a.status == 304 ? 0 : engine_fail(e, &a, NULL, what);
}

int
engine_inspect(const struct engine *e, const char *path, const char *what, const char *key,
               struct engine_answer *a)
{
    if (engine_ask(e, "GET", path, NULL, -1, a) < 0)
        return -1;
    if (a->status == 404)
        return 1;
    if (a->status != 200)
        return engine_fail(e, a, NULL, rhost_fmt(e->ctx, "inspect %s", what));
    return !key || engine_text(a->json, key)
               ? 0
               : rhost_fail(e->ctx, "the engine at '%s' answered without '%s' of %s", e->socket, key, what);
}

int32_t
engine_remove(const struct engine *e, const char *path, const char *what)
{
    return engine_do(e, "DELETE", path, NULL, 1, rhost_fmt(e->ctx, "remove %s", what)) < 0 ? -1 : 0;
}
