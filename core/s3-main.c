/* SPDX-License-Identifier: Apache-2.0 */
/* s3-main - rhost-s3 get|put BUCKET/KEY: one object of a store that speaks S3. `get` prints its ETag, a new
 * line and its bytes; `put` sends standard input, and only where the object is new or still has the ETag that
 * is given. A program of its own, so that what verifies signatures needs no library for HTTP. Signatures of
 * AWS (version 4) are made by libcurl.
 *
 * The credentials come from the environment or a file, as all programs for S3 take them, and go nowhere else.
 * Exit status: 0, 1 it failed (it says why), 3 there is no such object, 4 the condition was not met. */
#include "config.h"

#include "base/start.h"
#include "sender/s3.h"
#include "sender/sender.h"

#include <rhost/sha256.h>

#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    FAILED = 1,
    MISSING = 3,
    CHANGED = 4,
    USAGE = 64,
    LARGEST = 64 << 20,
    LONGEST_ETAG = 200,
    LONGEST = 2048,
    SECONDS_CONNECT = 20,
    SLOWEST = 1024 /* bytes in a second, for a minute */
};

struct answer {
    struct rh_sender_text body;
    char etag[LONGEST_ETAG + 1];
};

static size_t
take_body(char *p, size_t size, size_t n, void *data)
{
    struct answer *a = data;

    return a->body.n + size * n <= LARGEST && rh_sender_add(&a->body, p, size * n) ? size * n : 0;
}

static size_t
take_header(char *p, size_t size, size_t n, void *data)
{
    struct answer *a = data;
    size_t all = size * n, from = 5;

    if (all <= 5 || strncasecmp(p, "etag:", 5) != 0)
        return all;
    while (from < all && p[from] == ' ')
        from++;
    n = all - from;
    while (n && (p[from + n - 1] == '\r' || p[from + n - 1] == '\n'))
        n--;
    if (n > LONGEST_ETAG || memchr(p + from, '\n', n))
        return 0;
    memcpy(a->etag, p + from, n);
    a->etag[n] = '\0';
    return all;
}

static bool
add_header(struct curl_slist **list, const char *name, const char *value)
{
    char line[LONGEST * 3];
    int n = snprintf(line, sizeof line, "%s: %s", name, value);
    bool added = n > 0 && (size_t)n < sizeof line && rh_sender_add_header(list, line);

    explicit_bzero(line, sizeof line);
    return added;
}

/* `condition` "new": If-None-Match; an ETag: If-Match; "": none. */
static bool
make_headers(struct curl_slist **list, const struct rh_s3_account *account, const struct rh_sender_text *body,
             const char *condition)
{
    struct rhost_sha256 sum;
    unsigned char digest[32];
    char hex[65];

    rhost_sha256_init(&sum);
    if (body)
        rhost_sha256_add(&sum, body->s, body->n);
    rhost_sha256_bytes(&sum, digest);
    for (int i = 0; i < 32; i++)
        (void)snprintf(hex + 2 * (size_t)i, 3, "%02x", digest[i]);
    if (!add_header(list, "x-amz-content-sha256", hex)
        || (*account->token && !add_header(list, "x-amz-security-token", account->token)))
        return false;
    if (!body)
        return true;
    if (!add_header(list, "Content-Type", "application/octet-stream"))
        return false;
    return !*condition
           || (strcmp(condition, "new") == 0 ? add_header(list, "If-None-Match", "*")
                                             : add_header(list, "If-Match", condition));
}

#define SET(option, value) (curl_easy_setopt(curl, option, value) == CURLE_OK)

static bool
prepare(CURL *curl, const char *url, const struct rh_s3_account *account, const struct rh_sender_text *body,
        struct curl_slist *headers, struct answer *answer)
{
    char how[LONGEST];

    (void)snprintf(how, sizeof how, "aws:amz:%s:s3", rh_s3_region());
    return SET(CURLOPT_URL, url) && SET(CURLOPT_PROTOCOLS_STR, "http,https") && SET(CURLOPT_NOSIGNAL, 1L)
           && SET(CURLOPT_FOLLOWLOCATION, 0L) && SET(CURLOPT_CONNECTTIMEOUT, (long)SECONDS_CONNECT)
           && SET(CURLOPT_LOW_SPEED_LIMIT, (long)SLOWEST) && SET(CURLOPT_LOW_SPEED_TIME, 60L)
           && SET(CURLOPT_AWS_SIGV4, how) && SET(CURLOPT_USERNAME, account->id)
           && SET(CURLOPT_PASSWORD, account->secret) && SET(CURLOPT_HTTPHEADER, headers)
           && SET(CURLOPT_WRITEFUNCTION, take_body) && SET(CURLOPT_WRITEDATA, answer)
           && SET(CURLOPT_HEADERFUNCTION, take_header) && SET(CURLOPT_HEADERDATA, answer)
           && (!body
               || (SET(CURLOPT_POSTFIELDS, body->s) && SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->n)
                   && SET(CURLOPT_CUSTOMREQUEST, "PUT")));
}

/* What a store says of an error, within "<Message>": printable characters of it. */
static void
complain_of(const char *object, long status, const struct answer *answer)
{
    const char *from = answer->body.s ? strstr(answer->body.s, "<Message>") : NULL,
               *end = from ? strstr(from, "</Message>") : NULL;
    char message[200] = "";
    size_t n = 0;

    for (from = from ? from + 9 : NULL; end && from < end && n < sizeof message - 1; from++)
        message[n++] = *from >= ' ' && *from <= '~' ? *from : '?';
    rh_sender_complain("the store answered with status %ld for '%s'%s%s", status, object, n ? ": " : "",
                       message);
}

/* The exit status. */
static int
ask(const char *object, const struct rh_sender_text *body, const char *condition, struct answer *answer)
{
    struct rh_s3_account account = { .id = "" };
    struct curl_slist *headers = NULL;
    char url[LONGEST * 2];
    CURL *curl;
    CURLcode code = CURLE_FAILED_INIT;
    long status = 0;

    if (!rh_s3_make_url(object, url, sizeof url) || !rh_s3_read_account(&account))
        return FAILED;
    curl = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? curl_easy_init() : NULL;
    if (curl && make_headers(&headers, &account, body, condition)
        && prepare(curl, url, &account, body, headers, answer))
        code = curl_easy_perform(curl);
    if (curl)
        (void)curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    explicit_bzero(&account, sizeof account);
    if (code != CURLE_OK) {
        rh_sender_complain("cannot reach the store: %s", curl_easy_strerror(code));
        return FAILED;
    }
    if (status >= 200 && status <= 299)
        return 0;
    if (status == 404 && !body)
        return MISSING;
    if (status == 412 || status == 409)
        return CHANGED;
    complain_of(object, status, answer);
    return FAILED;
}

int
main(int argc, char **argv)
{
    struct rh_sender_text body = { .s = NULL };
    struct answer answer = { .etag = "" };
    int status = FAILED;

    if (rh_program_start() < 0)
        return FAILED;
    if (argc == 3 && strcmp(argv[1], "get") == 0) {
        status = ask(argv[2], NULL, "", &answer);
        if (status == 0
            && (printf("%s\n", answer.etag) < 0
                || fwrite(answer.body.s ? answer.body.s : "", 1, answer.body.n, stdout) != answer.body.n
                || fflush(stdout) != 0))
            status = FAILED;
    } else if ((argc == 3 || argc == 4) && strcmp(argv[1], "put") == 0) {
        if (rh_sender_read_input(&body, "the object", LARGEST))
            status = ask(argv[2], &body, argc == 4 ? argv[3] : "", &answer);
    } else {
        (void)fputs("rhost-s3 is started by 'rhost bundle publish', and does nothing by itself\n", stderr);
        return USAGE;
    }
    free(body.s);
    free(answer.body.s);
    return status;
}
