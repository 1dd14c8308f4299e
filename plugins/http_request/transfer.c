/* SPDX-License-Identifier: Apache-2.0 */
/* transfer - one HTTP request by libcurl, and its answer. */

#include "transfer.h"

#include <rhost/path.h>

#include <curl/curl.h>
#include <stdlib.h>

enum { CONNECT = 15, FIRST_ROOM = 4096, MOST_DROPPED = 1 << 16 };

void
transfer_init(struct transfer *t, rhost_ctx *ctx)
{
    memset(t, 0, sizeof *t);
    t->ctx = ctx;
    t->socket = t->file = -1;
    t->timeout = 30;
    t->most = 1 << 20;
    t->length = -1;
}

static void
forget_answer(struct transfer *t)
{
    if (t->answer)
        explicit_bzero(t->answer, t->len);
    free(t->answer);
    t->answer = NULL;
    t->len = 0;
}

void
transfer_clear(struct transfer *t)
{
    forget_answer(t);
    for (struct curl_slist *h = t->headers; h; h = h->next)
        explicit_bzero(h->data, strlen(h->data));
    curl_slist_free_all(t->headers);
    t->headers = NULL;
    rhost_path_close(t->socket);
    t->socket = -1;
}

int
transfer_header(struct transfer *t, const char *line)
{
    struct curl_slist *more = curl_slist_append(t->headers, line);

    if (!more)
        return -1;
    t->headers = more;
    return 0;
}

int
transfer_open_socket(rhost_ctx *ctx, const char *attribute, const char *path, int32_t missing)
{
    int fd = rhost_path_open(ctx, path, RHOST_PATH_FOLLOW, O_PATH, 0);
    struct stat st;

    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return ctx->host->fail(ctx, missing, attribute, rhost_fmt(ctx, "'%s' does not exist", path));
    if (fd < 0)
        return rhost_fail_path(ctx, "cannot open '%s'", path);
    if (fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode))
        return fd;
    rhost_path_close(fd);
    return rhost_fail_attr(ctx, attribute, "'%s' is not a socket", path);
}

struct receiver {
    struct transfer *t;
    CURL *curl;
    size_t room, dropped;
    int too_large, no_memory, has_headers, ended_headers, stopped, was_tls, downgraded;
    off_t sent;
};

static const char *
header(const struct receiver *r, const char *name)
{
    struct curl_header *h;

    return curl_easy_header(r->curl, name, 0, CURLH_HEADER, -1, &h) == CURLHE_OK
               ? rhost_strdup(r->t->ctx, h->value)
               : NULL;
}

static void
note_headers(struct receiver *r)
{
    struct transfer *t = r->t;
    curl_off_t length = -1;

    if (r->has_headers)
        return;
    r->has_headers = 1;
    (void)curl_easy_getinfo(r->curl, CURLINFO_RESPONSE_CODE, &t->status);
    (void)curl_easy_getinfo(r->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    t->length = length;
    t->etag = header(r, "ETag");
    t->modified = header(r, "Last-Modified");
    t->range = header(r, "Content-Range");
}

/* An empty line ends the headers of an answer, of which there may be several. That a connection ends before
 * it is no failure to libcurl, which has an answer without content then. */
static size_t
receive_header(char *p, size_t size, size_t n, void *data)
{
    struct receiver *r = data;
    size_t got = size * n;

    if (got >= 5 && memcmp(p, "HTTP/", 5) == 0)
        r->ended_headers = 0;
    else if (got && (*p == '\r' || *p == '\n'))
        r->ended_headers = 1;
    return got;
}

static size_t
pass_on(struct receiver *r, const char *p, size_t n)
{
    struct transfer *t = r->t;

    note_headers(r);
    if (t->status != 200 && t->status != 206) {
        r->dropped += n;
        if (r->dropped <= MOST_DROPPED)
            return n;
    } else if (t->sink(t, p, n) == 0) {
        return n;
    }
    r->stopped = 1;
    return CURL_WRITEFUNC_ERROR;
}

static size_t
receive(char *p, size_t size, size_t n, void *data)
{
    struct receiver *r = data;
    struct transfer *t = r->t;
    size_t got = size * n;

    if (t->sink)
        return pass_on(r, p, got);
    if (got > t->most - t->len) {
        r->too_large = 1;
        return CURL_WRITEFUNC_ERROR;
    }
    if (t->len + got + 1 > r->room) {
        size_t room = 2 * (t->len + got) + FIRST_ROOM;
        char *more = malloc(room);

        if (!more) {
            r->no_memory = 1;
            return CURL_WRITEFUNC_ERROR;
        }
        if (t->len) {
            memcpy(more, t->answer, t->len);
            explicit_bzero(t->answer, t->len);
        }
        free(t->answer);
        t->answer = more;
        r->room = room;
    }
    memcpy(t->answer + t->len, p, got);
    t->len += got;
    t->answer[t->len] = '\0';
    return got;
}

static size_t
send_file(char *p, size_t size, size_t n, void *data)
{
    struct receiver *r = data;
    ssize_t got;

    do {
        got = pread(r->t->file, p, size * n, r->sent);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return CURL_READFUNC_ABORT;
    r->sent += got;
    return (size_t)got;
}

static int
look_up(void *data, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    const struct receiver *r = data;

    (void)a;
    (void)b;
    (void)c;
    (void)d;
    return rhost_stopping(r->t->ctx);
}

#define SET(option, value) (curl_easy_setopt(curl, option, value) == CURLE_OK)

static int
set_bytes(CURL *curl, CURLoption option, const struct transfer_bytes *b)
{
    struct curl_blob blob = { (void *)(uintptr_t)b->bytes, b->len, CURL_BLOB_NOCOPY };

    return !b->bytes || curl_easy_setopt(curl, option, &blob) == CURLE_OK;
}

/* Before each request is sent, that of a redirect as well: after one of https, none of http follows. */
static int
before_request(void *data, char *remote, char *local, int remote_port, int local_port)
{
    struct receiver *r = data;
    const char *scheme = "";
    int is_tls;

    (void)remote;
    (void)local;
    (void)remote_port;
    (void)local_port;
    (void)curl_easy_getinfo(r->curl, CURLINFO_SCHEME, &scheme);
    is_tls = scheme && strcasecmp(scheme, "https") == 0;
    r->downgraded = r->was_tls && !is_tls;
    r->was_tls |= is_tls;
    return r->downgraded ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static int
set_security(CURL *curl, const struct transfer *t)
{
    return SET(CURLOPT_PROTOCOLS_STR, "http,https") && SET(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
           && SET(CURLOPT_FOLLOWLOCATION, t->redirects ? 1L : 0L) && SET(CURLOPT_MAXREDIRS, t->redirects)
           && SET(CURLOPT_NETRC, 0L) && SET(CURLOPT_SSL_VERIFYPEER, 1L) && SET(CURLOPT_SSL_VERIFYHOST, 2L)
           && SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2)
           && (!t->ca.bytes || SET(CURLOPT_CAPATH, (char *)NULL)) /* beside it, the system's would count */
           && set_bytes(curl, CURLOPT_CAINFO_BLOB, &t->ca) && set_bytes(curl, CURLOPT_SSLCERT_BLOB, &t->cert)
           && set_bytes(curl, CURLOPT_SSLKEY_BLOB, &t->key);
}

static int
set_credentials(CURL *curl, const struct transfer *t)
{
    if (t->token)
        return SET(CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER) && SET(CURLOPT_XOAUTH2_BEARER, t->token);
    return !t->user
           || (SET(CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC) && SET(CURLOPT_USERNAME, t->user)
               && SET(CURLOPT_PASSWORD, t->password ? t->password : ""));
}

/* The socket is reached by its descriptor: nobody can put another one in its place. */
static int
set_socket(CURL *curl, const struct transfer *t)
{
    char path[40];

    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", t->socket);
    return t->socket < 0 || (SET(CURLOPT_UNIX_SOCKET_PATH, path) && SET(CURLOPT_PROXY, ""));
}

static int
set_body(CURL *curl, struct receiver *r)
{
    struct transfer *t = r->t;
    struct stat st;

    if (strcmp(t->method, "HEAD") == 0)
        return SET(CURLOPT_NOBODY, 1L);
    if (t->file >= 0)
        return fstat(t->file, &st) == 0 && SET(CURLOPT_UPLOAD, 1L) && SET(CURLOPT_CUSTOMREQUEST, t->method)
               && SET(CURLOPT_READFUNCTION, send_file) && SET(CURLOPT_READDATA, r)
               && SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)st.st_size);
    if (t->body.bytes)
        return SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->body.len)
               && SET(CURLOPT_POSTFIELDS, t->body.bytes) && SET(CURLOPT_CUSTOMREQUEST, t->method);
    if (strcmp(t->method, "POST") == 0 || strcmp(t->method, "PUT") == 0 || strcmp(t->method, "PATCH") == 0)
        return SET(CURLOPT_POSTFIELDSIZE, 0L) && SET(CURLOPT_POSTFIELDS, "")
               && SET(CURLOPT_CUSTOMREQUEST, t->method);
    return SET(CURLOPT_CUSTOMREQUEST, t->method);
}

static int
set_up(CURL *curl, struct receiver *r, char *why)
{
    struct transfer *t = r->t;

    return SET(CURLOPT_ERRORBUFFER, why) && SET(CURLOPT_URL, t->url) && set_security(curl, t)
           && set_credentials(curl, t) && set_socket(curl, t) && set_body(curl, r)
           && SET(CURLOPT_NOSIGNAL, 1L)
           && SET(CURLOPT_CONNECTTIMEOUT, t->connect             ? t->connect
                                          : t->timeout < CONNECT ? t->timeout
                                                                 : (long)CONNECT)
           && SET(CURLOPT_LOW_SPEED_LIMIT, t->stall ? 1L : 0L) && SET(CURLOPT_LOW_SPEED_TIME, t->stall)
           && SET(CURLOPT_TIMEOUT, t->timeout) && SET(CURLOPT_HTTPHEADER, (struct curl_slist *)t->headers)
           && SET(CURLOPT_USERAGENT, "rhost") && SET(CURLOPT_WRITEFUNCTION, receive)
           && SET(CURLOPT_WRITEDATA, r) && SET(CURLOPT_HEADERFUNCTION, receive_header)
           && SET(CURLOPT_HEADERDATA, r) && SET(CURLOPT_NOPROGRESS, 0L)
           && SET(CURLOPT_XFERINFOFUNCTION, look_up) && SET(CURLOPT_XFERINFODATA, r)
           && SET(CURLOPT_PREREQFUNCTION, before_request) && SET(CURLOPT_PREREQDATA, r);
}

static const char *
general_reason(const struct transfer *t, const struct receiver *r, CURLcode code)
{
    if (r->no_memory)
        return "out of memory";
    if (r->downgraded)
        return "the server redirects from https to http, which is not followed";
    if (r->too_large)
        return rhost_fmt(t->ctx, "the answer is larger than %zu bytes", t->most);
    switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
        return rhost_fmt(t->ctx, "timed out after %ld s", t->timeout);
    case CURLE_ABORTED_BY_CALLBACK:
        return "the run is to end: the request was given up";
    case CURLE_UNSUPPORTED_PROTOCOL:
        return t->status >= 300 && t->status < 400 ? "the server redirects to a URL that is not followed"
                                                   : "the server does not answer as HTTP has it";
    case CURLE_GOT_NOTHING:
        return "the server closed the connection without an answer";
    case CURLE_PARTIAL_FILE:
        return "the server closed the connection in the middle of its answer";
    case CURLE_OUT_OF_MEMORY:
        return "out of memory";
    case CURLE_COULDNT_CONNECT:
        return "cannot connect to the server";
    default:
        return curl_easy_strerror(code);
    }
}

static int
is_worded(CURLcode code)
{
    return code == CURLE_OPERATION_TIMEDOUT || code == CURLE_ABORTED_BY_CALLBACK
           || code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_GOT_NOTHING || code == CURLE_PARTIAL_FILE
           || code == CURLE_OUT_OF_MEMORY || code == CURLE_WRITE_ERROR;
}

static int
fail(struct transfer *t, const struct receiver *r, CURLcode code, const char *why)
{
    t->reason = general_reason(t, r, code);
    t->unreachable = code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST;
    (void)snprintf(t->why, sizeof t->why, "%s", *why && !is_worded(code) ? why : t->reason);
    forget_answer(t);
    return -1;
}

/* What is known when a transfer has ended, however it did. */
static void
note_end(struct receiver *r, CURLcode code)
{
    struct transfer *t = r->t;
    curl_off_t connected = 0, all = 0;
    const char *location = NULL;
    long number = 0;

    note_headers(r);
    (void)curl_easy_getinfo(r->curl, CURLINFO_REDIRECT_URL, &location);
    (void)curl_easy_getinfo(r->curl, CURLINFO_OS_ERRNO, &number);
    (void)curl_easy_getinfo(r->curl, CURLINFO_PRETRANSFER_TIME_T, &connected);
    (void)curl_easy_getinfo(r->curl, CURLINFO_TOTAL_TIME_T, &all);
    t->location = location ? rhost_strdup(t->ctx, location) : NULL;
    t->failure = (int)code;
    t->system_error = (int)number;
    t->waited = code != CURLE_OPERATION_TIMEDOUT                    ? TRANSFER_NOT
                : all / 1000 + 100 >= (curl_off_t)t->timeout * 1000 ? TRANSFER_ALL
                : connected == 0                                    ? TRANSFER_CONNECTING
                                                                    : TRANSFER_STALLED;
}

int
transfer_perform(struct transfer *t)
{
    char why[CURL_ERROR_SIZE] = "";
    CURL *curl = curl_easy_init();
    struct receiver r = { .t = t, .curl = curl };
    CURLcode code = CURLE_OUT_OF_MEMORY;

    forget_answer(t);
    if (curl && set_up(curl, &r, why)) {
        rhost_busy(t->ctx, t->timeout < 86395 ? (double)t->timeout + 5 : 86400, "waiting for an answer");
        code = curl_easy_perform(curl);
        if (code == CURLE_OK && !r.ended_headers)
            code = CURLE_PARTIAL_FILE;
        if (r.stopped && code == CURLE_WRITE_ERROR)
            code = CURLE_OK;
        note_end(&r, code);
    }
    curl_easy_cleanup(curl);
    if (code != CURLE_OK)
        return fail(t, &r, code, why);
    if (!t->answer && !(t->answer = calloc(1, 1)))
        return fail(t, &r, CURLE_OUT_OF_MEMORY, "");
    return 0;
}
