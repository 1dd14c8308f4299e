/* SPDX-License-Identifier: Apache-2.0 */
/* record - records of an HTTP API, and the transport that reaches it. An example for the guide.
 *
 * It speaks HTTP over a socket of the file system; over a network only connect_to() would be another,
 * and a library such as libcurl would do all of request(). */
#include <rhost/provider.h>

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { LARGEST = 1 << 20, SECONDS = 30 };

/* --- The transport. --------------------------------------------------------------------------- */

/* What it gives to the provider, which asks for it by this name. */
#define HTTP_API_ID "example.http_api/1"

struct http_api {
    char *path, *token;
};

static const struct rhost_attr http_attrs[] = {
    { .name = "socket", .type = "Pattern[/\\A\\/[^\\n]{1,90}\\z/]", .desc = "The socket of the API." },
    { .name = "token", .type = "Sensitive[Pattern[/\\A[!-~]{1,200}\\z/]]", .desc = "Who asks has to know it." },
};

/* What the API answered, in memory of the call. */
struct answer {
    int status;
    const char *body;
};

static int
connect_to(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const struct timeval limit = { .tv_sec = SECONDS };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0
        && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int
send_all(int fd, const char *text)
{
    for (size_t n = strlen(text); n;) {
        ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);

        if (sent < 0)
            return -1;
        text += sent;
        n -= (size_t)sent;
    }
    return 0;
}

/* Everything up to the end of the connection; NULL with errno. */
static char *
receive_all(rhost_ctx *ctx, int fd)
{
    char *text = ctx->host->alloc(ctx, LARGEST + 1);
    size_t n = 0;

    for (;;) {
        ssize_t got = recv(fd, text + n, LARGEST - n, 0);

        if (got < 0)
            return NULL;
        n += (size_t)got;
        if (got == 0)
            return text;
        if (n == LARGEST) {
            errno = EFBIG;
            return NULL;
        }
    }
}

/* 0, or -1 after rhost_fail(), with the reason that the API gives, and never with the token. That there is
 * no such record (404), or that its value is not allowed (422), is for the caller to judge. */
static int32_t
request(rhost_ctx *ctx, const struct http_api *api, const char *method, const char *path,
        const char *body, struct answer *answer)
{
    const char *text = rhost_fmt(ctx,
                                 "%s %s HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                                 "Content-Length: %zu\r\n\r\n%s",
                                 method, path, api->token, strlen(body), body);
    int fd = connect_to(api->path);
    char *got = NULL;
    char *end;

    if (fd < 0)
        return rhost_fail_errno(ctx, "cannot reach the API at '%s'", api->path);
    if (send_all(fd, text) == 0)
        got = receive_all(ctx, fd);
    if (!got)
        rhost_fail_errno(ctx, "cannot talk to the API at '%s'", api->path);
    close(fd);
    if (!got)
        return -1;
    end = strstr(got, "\r\n\r\n");
    if (!end || sscanf(got, "HTTP/%*s %d", &answer->status) != 1)
        return rhost_fail(ctx, "the API at '%s' does not speak HTTP", api->path);
    answer->body = end + 4;
    if (answer->status >= 400 && answer->status != 404 && answer->status != 422)
        return rhost_fail(ctx, "the API refuses %s %s: %.200s", method, path, answer->body);
    return 0;
}

static int32_t
http_open(rhost_ctx *ctx, const rhost_value *info)
{
    struct http_api *api = calloc(1, sizeof *api);

    *ctx->host->state(ctx) = api;
    if (!api || !(api->path = strdup(rhost_str(info, "socket")))
        || !(api->token = strdup(rhost_str(info, "token"))))
        return rhost_fail(ctx, "out of memory");
    return 0;
}

static void
http_close(rhost_ctx *ctx)
{
    struct http_api *api = *ctx->host->state(ctx);

    if (api) {
        free(api->path);
        free(api->token);
    }
    free(api);
}

/* A wrong token is found before anything is read or written. */
static int32_t
http_verify(rhost_ctx *ctx)
{
    struct answer answer;

    return request(ctx, *ctx->host->state(ctx), "GET", "/records", "", &answer);
}

static int32_t
http_facts(rhost_ctx *ctx)
{
    const struct http_api *api = *ctx->host->state(ctx);
    rhost_value *facts = ctx->host->new_hash(ctx);
    struct answer answer;
    int64_t n = 0;

    if (request(ctx, api, "GET", "/records", "", &answer) < 0)
        return -1;
    for (const char *c = answer.body; *c; c++)
        n += *c == '\n';
    rhost_put_str(facts, "socket", api->path);
    rhost_put_int(facts, "records", n);
    return ctx->host->emit(ctx, facts);
}

static const void *
http_api(rhost_ctx *ctx, const char *id)
{
    return strcmp(id, HTTP_API_ID) == 0 ? *ctx->host->state(ctx) : NULL;
}

static const char *const http_needs[] = { "socket[$socket]", NULL };

static const struct rhost_transport http_transport = {
    RHOST_TRANSPORT("http_api", "Reach an API for records."),
    RHOST_ATTRS(http_attrs),
    .open = http_open,
    .close = http_close,
    .verify = http_verify,
    .facts = http_facts,
    .api = http_api,
    .needs = http_needs,
};

/* --- The provider. ---------------------------------------------------------------------------- */

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "Pattern[/\\A[a-z0-9_]{1,60}\\z/]", .behaviour = RHOST_NAMEVAR,
      .desc = "The name of the record." },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"",
      .desc = "Whether there should be such a record." },
    { .name = "value", .type = "Pattern[/\\A[^\\n]{1,200}\\z/]", .desc = "What it says." },
};

static const struct http_api *
api_of(rhost_ctx *ctx)
{
    return ctx->host->transport(ctx, HTTP_API_ID);
}

/* One request tells all of them, whichever are asked for. */
static int32_t
record_get(rhost_ctx *ctx, const rhost_value *names)
{
    struct answer answer;

    (void)names;
    if (!api_of(ctx))
        return rhost_fail(ctx, "the transport of this target reaches no API for records");
    if (request(ctx, api_of(ctx), "GET", "/records", "", &answer) < 0)
        return -1;
    for (const char *line = answer.body; *line; line += strcspn(line, "\n") + 1) {
        size_t name = strcspn(line, " \n"), all = strcspn(line, "\n");
        rhost_value *one = ctx->host->new_hash(ctx);

        if (!line[all] || name == all)
            return rhost_fail(ctx, "cannot understand the API: its list of records is cut");
        rhost_put_str(one, "name", rhost_copy(ctx, line, name));
        rhost_put_str(one, "ensure", "present");
        rhost_put_str(one, "value", rhost_copy(ctx, line + name + 1, all - name - 1));
        if (ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return 0;
}

static const char *
path_of(rhost_ctx *ctx, const struct rhost_change *change)
{
    return rhost_fmt(ctx, "/records/%s", rhost_str(change->name, "name"));
}

/* Serves create and update. */
static int32_t
record_write(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct answer answer;

    if (request(ctx, api_of(ctx), "PUT", path_of(ctx, change), rhost_str_of(change, "value"), &answer) < 0)
        return -1;
    if (answer.status == 422)
        return rhost_fail_attr(ctx, "value", "the API refuses it: %.200s", answer.body);
    return 0;
}

static int32_t
record_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct answer answer;

    return request(ctx, api_of(ctx), "DELETE", path_of(ctx, change), "", &answer);
}

static const char *const nothing[] = { NULL }; /* beside what the transport needs */

static const struct rhost_provider record_provider = {
    RHOST_PROVIDER("record", "Keep records of an API."),
    RHOST_ATTRS(attrs),
    .features = RHOST_REMOTE_RESOURCE,
    .get = record_get,
    .create = record_write,
    .update = record_write,
    .remove = record_remove,
    .needs = nothing,
};

static const struct rhost_provider *const providers[] = { &record_provider, NULL };
static const struct rhost_transport *const transports[] = { &http_transport, NULL };

RHOST_PLUGIN_WITH_TRANSPORTS(record, "1.0", providers, transports)
