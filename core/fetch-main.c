/* SPDX-License-Identifier: Apache-2.0 */
/* fetch-main - rhost-fetch UID GID: gets or puts one file for the agent, which is root. It speaks to the
 * network as another user that can write nothing, and gives the agent bytes on standard input, a socket. A
 * program of its own, so that what parses HTTP and TLS has no privileges, and the host needs no libcurl. */
#include "config.h"

#include "agent/confine.h"
#include "agent/fetch-request.h"
#include "agent/fetch-wire.h"
#include "base/start.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { CONNECT = 15, SLOW_BYTES = 256, SLOW_SECONDS = 30, LONGEST_ETAG = 200 };

/* A request, and how far its answer is. */
struct job {
    struct rh_fetch_parts r;
    CURL *curl;
    size_t sent, got, most;
    char tag[LONGEST_ETAG + 1]; /* of the answer */
    bool status_sent, broken;   /* the status was sent; the agent is gone */
};

static void
say(struct job *j, enum rh_fetch_part type, const char *text, size_t n)
{
    if (!rh_fetch_send(STDIN_FILENO, type, text, n))
        j->broken = true;
}

/* A file has no status: it is there, or libcurl says that it is not. */
static long
status_of(const struct job *j)
{
    long status = 0;

    (void)curl_easy_getinfo(j->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status == 0)
        status = j->r.from.s ? 206 : 200;
    return status;
}

static void
print_status(struct job *j)
{
    char text[32];

    if (j->status_sent)
        return;
    j->status_sent = true;
    (void)snprintf(text, sizeof text, "%ld", status_of(j));
    say(j, RH_FETCH_STATUS, text, strlen(text));
    if (*j->tag)
        say(j, RH_FETCH_ETAG, j->tag, strlen(j->tag));
}

static size_t
take_header(char *p, size_t size, size_t n, void *data)
{
    static const char name[] = "etag:";
    struct job *j = data;
    size_t got = size * n, from = sizeof name - 1;

    if (got > from && strncasecmp(p, name, from) == 0) {
        while (from < got && p[from] == ' ')
            from++;
        for (n = got; n > from && (p[n - 1] == '\r' || p[n - 1] == '\n' || p[n - 1] == ' '); n--)
            continue;
        if (n - from <= LONGEST_ETAG) {
            memcpy(j->tag, p + from, n - from);
            j->tag[n - from] = '\0';
        }
    }
    return got;
}

/* What comes with an error is not handed on. */
static size_t
take_body(char *p, size_t size, size_t n, void *data)
{
    struct job *j = data;
    size_t got = size * n;
    long status = status_of(j);

    print_status(j);
    j->got += got;
    if (j->broken || j->got > j->most)
        return 0;
    if ((status == 200 || status == 206) && !rh_fetch_send_all(STDIN_FILENO, RH_FETCH_BODY, p, got)) {
        j->broken = true;
        return 0;
    }
    return got;
}

static size_t
give_body(char *p, size_t size, size_t n, void *data)
{
    struct job *j = data;
    size_t room = size * n, left = j->r.body.n - j->sent;

    if (left > room)
        left = room;
    if (left)
        memcpy(p, j->r.body.s + j->sent, left);
    j->sent += left;
    return left;
}

#define SET(option, value) (curl_easy_setopt(curl, option, value) == CURLE_OK)

static bool
set_blob(CURL *curl, CURLoption option, const struct rh_fetch_text *t)
{
    struct curl_blob blob = { t->s, t->n, CURL_BLOB_NOCOPY };

    return !t->s || curl_easy_setopt(curl, option, &blob) == CURLE_OK;
}

static const char *
protocol_of(const struct job *j)
{
    if (strncasecmp(j->r.url.s, "https://", 8) == 0)
        return "https";
    if (strncasecmp(j->r.url.s, "file:///", 8) == 0)
        return "file";
    if (strncasecmp(j->r.url.s, "http://", 7) == 0
        && (j->r.plain.s || rh_fetch_is_local(j->r.url.s, "http://")))
        return "http";
    return NULL;
}

static bool
set_security(CURL *curl, const struct job *j)
{
    const char *protocol = protocol_of(j);

    return protocol && SET(CURLOPT_PROTOCOLS_STR, protocol) && SET(CURLOPT_FOLLOWLOCATION, 0L)
           && SET(CURLOPT_SSL_VERIFYPEER, 1L) && SET(CURLOPT_SSL_VERIFYHOST, 2L)
           && SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) && SET(CURLOPT_NETRC, 0L)
           && set_blob(curl, CURLOPT_CAINFO_BLOB, &j->r.ca)
           && (!j->r.ca.s || SET(CURLOPT_CAPATH, (char *)NULL)) /* beside it, the system's would count */
           && set_blob(curl, CURLOPT_SSLCERT_BLOB, &j->r.certificate)
           && set_blob(curl, CURLOPT_SSLKEY_BLOB, &j->r.key);
}

static bool
set_up(CURL *curl, struct job *j, char *why)
{
    return set_security(curl, j) && SET(CURLOPT_URL, j->r.url.s) && SET(CURLOPT_NOSIGNAL, 1L)
           && SET(CURLOPT_CONNECTTIMEOUT, (long)CONNECT)
           && SET(CURLOPT_TIMEOUT, strtol(j->r.seconds.s, NULL, 10))
           && SET(CURLOPT_LOW_SPEED_LIMIT, (long)SLOW_BYTES)
           && SET(CURLOPT_LOW_SPEED_TIME, (long)SLOW_SECONDS)
           && SET(CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)j->most)
           && SET(CURLOPT_USERAGENT, "rhost/" PACKAGE_VERSION) && SET(CURLOPT_WRITEFUNCTION, take_body)
           && SET(CURLOPT_WRITEDATA, j) && SET(CURLOPT_HEADERFUNCTION, take_header)
           && SET(CURLOPT_HEADERDATA, j) && SET(CURLOPT_ERRORBUFFER, why);
}

static bool
add_header(struct curl_slist **list, const char *header)
{
    struct curl_slist *more = curl_slist_append(*list, header);

    if (more)
        *list = more;
    return more;
}

static bool
set_method(CURL *curl, struct job *j, struct curl_slist **headers)
{
    char text[LONGEST_ETAG + 32];

    if (j->r.method.s && strcmp(j->r.method.s, "PUT") == 0)
        return SET(CURLOPT_UPLOAD, 1L) && SET(CURLOPT_READFUNCTION, give_body) && SET(CURLOPT_READDATA, j)
               && SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)j->r.body.n)
               && add_header(headers, "Content-Type: application/json") && add_header(headers, "Expect:")
               && SET(CURLOPT_HTTPHEADER, *headers);
    if (j->r.from.s) {
        (void)snprintf(text, sizeof text, "%s-", j->r.from.s);
        if (!SET(CURLOPT_RANGE, text))
            return false;
    }
    if (!j->r.etag.s || j->r.etag.n > LONGEST_ETAG)
        return true;
    (void)snprintf(text, sizeof text, "If-None-Match: %s", j->r.etag.s);
    return add_header(headers, text) && SET(CURLOPT_HTTPHEADER, *headers);
}

static void
print_reason(struct job *j, CURLcode code, const char *why)
{
    const char *reason = j->got > j->most || code == CURLE_FILESIZE_EXCEEDED ? "the answer is too large"
                         : *why                                              ? why
                                                                             : curl_easy_strerror(code);

    if (code == CURLE_FILE_COULDNT_READ_FILE) {
        say(j, RH_FETCH_STATUS, "404", 3);
        return;
    }
    say(j, RH_FETCH_REASON, reason, strlen(reason));
}

static void
perform(struct job *j)
{
    struct curl_slist *headers = NULL;
    char why[CURL_ERROR_SIZE] = "";
    CURLcode code;

    j->curl = curl_easy_init();
    j->most = strtoul(j->r.limit.s, NULL, 10);
    if (!j->curl || !set_up(j->curl, j, why) || !set_method(j->curl, j, &headers)) {
        const char *reason = protocol_of(j)
                                 ? "its URL, certificate or key cannot be used"
                                 : "http:// leads to this machine only, unless 'allow_http' is set";

        say(j, RH_FETCH_REASON, reason, strlen(reason));
    } else {
        code = curl_easy_perform(j->curl);
        if (code == CURLE_OK)
            print_status(j);
        else
            print_reason(j, code, why);
    }
    curl_slist_free_all(headers);
    curl_easy_cleanup(j->curl);
}

int
main(int argc, char **argv)
{
    struct job job = { .status_sent = false };
    const char *what = NULL;
    char reason[200];

    if (rh_program_start() < 0)
        return 1;
    if (argc != 3) {
        (void)fputs("rhost-fetch is started by 'rhost agent', and does nothing by itself\n", stderr);
        return 64;
    }
    if (!rh_agent_confine((uid_t)strtoul(argv[1], NULL, 10), (gid_t)strtoul(argv[2], NULL, 10), &what)) {
        (void)snprintf(reason, sizeof reason, "rhost-fetch cannot %s: %s", what, strerror(errno));
        (void)rh_fetch_send(STDIN_FILENO, RH_FETCH_REASON, reason, strlen(reason));
        (void)rh_fetch_send(STDIN_FILENO, RH_FETCH_END, "", 0);
        return 1;
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !rh_fetch_read_request(STDIN_FILENO, &job.r))
        return 1;
    perform(&job);
    say(&job, RH_FETCH_END, "", 0);
    return job.broken;
}
