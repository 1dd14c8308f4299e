/* SPDX-License-Identifier: Apache-2.0 */
/* otlp-main - rhost-otlp URL [HEADERS]: sends standard input, a trace as OTLP/JSON, to a collector of
 * OpenTelemetry. A program of its own, so that the host needs no library for HTTP. */
#include "config.h"

#include "base/start.h"
#include "sender/sender.h"

#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TRIES = 3,
    SECONDS_EACH = 10,
    SECONDS_CONNECT = 5,
    ANSWER = 64 << 10,
    LONGEST_LINE = 8192,
    LARGEST = 1 << 30
};

static bool
read_trace(struct rh_sender_text *t)
{
    if (!rh_sender_read_input(t, "the trace", LARGEST))
        return false;
    if (!t->n)
        rh_sender_complain("the trace is empty");
    return t->n;
}

/* Collectors take traces at /v1/traces, and are known by what stands before that. The caller's. */
static char *
complete_url(const char *url)
{
    const char *host = strstr(url, "://");
    size_t n = strlen(url), room = n + sizeof "/v1/traces";
    const char *path = host ? host + 3 + strcspn(host + 3, "/?#") : url + n;
    bool bare = host && (!*path || strcmp(path, "/") == 0);
    char *all = malloc(room);

    if (all)
        (void)snprintf(all, room, "%.*s%s", (int)(bare ? path - url : (long)n), url,
                       bare ? "/v1/traces" : "");
    return all;
}

/* Lines "Name: value"; blank ones and those that begin with '#' say nothing. */
static bool
read_headers(struct curl_slist **list, const char *path)
{
    FILE *f = rh_sender_open_secret(path);
    char line[LONGEST_LINE];
    bool good = f;
    int number = 0;

    if (!f && errno == ENOENT)
        rh_sender_complain("cannot open '%s': %s", path, strerror(errno));
    while (good && fgets(line, sizeof line, f)) {
        size_t n = strlen(line), name;

        number++;
        while (n && isspace((unsigned char)line[n - 1]))
            line[--n] = '\0';
        if (!n || line[0] == '#')
            continue;
        name = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
        if (n + 1 >= sizeof line || !name || line[name] != ':') {
            rh_sender_complain("line %d of '%s' must be 'Name: value'", number, path);
            good = false;
        } else if (!rh_sender_add_header(list, line)) {
            rh_sender_complain("out of memory");
            good = false;
        }
    }
    if (good && ferror(f)) {
        rh_sender_complain("cannot read '%s': %s", path, strerror(errno));
        good = false;
    }
    if (f)
        (void)fclose(f);
    return good;
}

/* Sending. */

static size_t
take_answer(char *p, size_t size, size_t n, void *data)
{
    struct rh_sender_text *t = data;
    size_t room = t->n < ANSWER ? ANSWER - t->n : 0, got = size * n;

    /* What is beyond the limit is read, so that the connection ends well, and dropped. */
    return rh_sender_add(t, p, got < room ? got : room) ? got : 0;
}

static bool
may_try_again(CURLcode code, long status)
{
    if (code == CURLE_OK)
        return status == 429 || status == 502 || status == 503 || status == 504;
    return code == CURLE_COULDNT_CONNECT || code == CURLE_GOT_NOTHING || code == CURLE_SEND_ERROR
           || code == CURLE_RECV_ERROR;
}

static bool
set_up(CURL *curl, const char *url, const struct rh_sender_text *trace, struct curl_slist *headers,
       struct rh_sender_text *answer, char *why)
{
#define SET(option, value) (curl_easy_setopt(curl, option, value) == CURLE_OK)
    return SET(CURLOPT_URL, url) && SET(CURLOPT_PROTOCOLS_STR, "http,https") && SET(CURLOPT_POST, 1L)
           && SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)trace->n) && SET(CURLOPT_POSTFIELDS, trace->s)
           && SET(CURLOPT_HTTPHEADER, headers) && SET(CURLOPT_FOLLOWLOCATION, 0L) && SET(CURLOPT_NOSIGNAL, 1L)
           && SET(CURLOPT_CONNECTTIMEOUT, (long)SECONDS_CONNECT) && SET(CURLOPT_TIMEOUT, (long)SECONDS_EACH)
           && SET(CURLOPT_USERAGENT, "rhost/" PACKAGE_VERSION) && SET(CURLOPT_WRITEFUNCTION, take_answer)
           && SET(CURLOPT_WRITEDATA, answer) && SET(CURLOPT_ERRORBUFFER, why);
#undef SET
}

/* A collector may take a part only, and say so in an answer that is a success:
 * {"partialSuccess": {"rejectedSpans": "2", "errorMessage": "..."}}. */
static bool
took_all(const struct rh_sender_text *answer)
{
    const char *rejected = answer->s ? strstr(answer->s, "\"rejectedSpans\"") : NULL;

    if (!rejected)
        return true;
    rejected += strlen("\"rejectedSpans\"");
    rejected += strspn(rejected, ": \t\r\n\"");
    return strtoul(rejected, NULL, 10) == 0;
}

static bool
post(CURL *curl, const struct rh_sender_text *answer, const char *why)
{
    CURLcode code = CURLE_OK;
    long status = 0;

    for (int i = 0; i < TRIES; i++) {
        if (i)
            (void)sleep((unsigned)i);
        code = curl_easy_perform(curl);
        (void)curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
        if (!may_try_again(code, status))
            break;
    }
    if (code != CURLE_OK)
        rh_sender_complain("%s", *why ? why : curl_easy_strerror(code));
    else if (status < 200 || status > 299)
        rh_sender_complain("the server answered with status %ld", status);
    else if (!took_all(answer))
        rh_sender_complain("the server rejected a part of the trace");
    else
        return true;
    return false;
}

static bool
send_trace(const char *url, const char *headers_file)
{
    struct curl_slist *headers = NULL;
    struct rh_sender_text trace = { 0 }, answer = { 0 };
    char why[CURL_ERROR_SIZE] = "";
    CURL *curl = curl_easy_init();
    bool sent = false;

    if (curl && read_trace(&trace) && rh_sender_add_header(&headers, "Content-Type: application/json")
        && rh_sender_add_header(&headers, "Expect:")
        && (!headers_file || read_headers(&headers, headers_file))) {
        if (set_up(curl, url, &trace, headers, &answer, why))
            sent = post(curl, &answer, why);
        else
            rh_sender_complain("cannot use '%s'", url);
    }
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    free(trace.s);
    free(answer.s);
    return sent;
}

int
main(int argc, char **argv)
{
    char *url;
    bool sent;

    if (rh_program_start() < 0)
        return 1;
    if (argc < 2 || argc > 3 || argv[1][0] == '-') {
        (void)fputs("Usage: rhost-otlp URL [HEADERS] <TRACE\n"
                    "Sends a trace as OTLP/JSON; HEADERS is a file of lines 'Name: value'.\n",
                    stderr);
        return 2;
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        rh_sender_complain("cannot use libcurl");
        return 1;
    }
    url = complete_url(argv[1]);
    sent = url && send_trace(url, argv[2]);
    free(url);
    curl_global_cleanup();
    return sent ? 0 : 1;
}
