/* SPDX-License-Identifier: Apache-2.0 */
/* s3-main - rhost-s3 get|put BUCKET/KEY: one object of a store that speaks S3. `get` prints its ETag, a new
 * line and its bytes; `put` sends standard input, and only where the object is new or still has the ETag that
 * is given. A program of its own, so that what verifies signatures needs no library for HTTP. Signatures of
 * AWS (version 4) are made by libcurl.
 *
 * The credentials come from the environment or a file, as all programs for S3 take them, and go nowhere else.
 * Exit status: 0, 1 it failed (it says why), 3 there is no such object, 4 the condition was not met. */
#include "config.h"

#include <rhost/sha256.h>

#include <curl/curl.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

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

struct text {
    char *s;
    size_t n, cap;
};

struct account {
    char id[256], secret[256], token[4096]; /* token "": there is none */
};

struct answer {
    struct text body;
    char etag[LONGEST_ETAG + 1];
};

#define complain(...)                                                                                        \
    ((void)fputs("rhost-s3: ", stderr), (void)fprintf(stderr, __VA_ARGS__), (void)fputc('\n', stderr))

static bool
add(struct text *t, const void *p, size_t n)
{
    if (n > LARGEST || t->n + n > LARGEST)
        return false;
    if (t->cap - t->n <= n) {
        size_t cap = (t->cap + n) * 2 + 4096;
        char *s = realloc(t->s, cap);

        if (!s)
            return false;
        t->s = s;
        t->cap = cap;
    }
    memcpy(t->s + t->n, p, n);
    t->n += n;
    t->s[t->n] = '\0';
    return true;
}

static bool
read_input(struct text *t)
{
    char part[16 << 10];
    ssize_t n;

    if (!add(t, "", 0))
        return false;
    while ((n = read(STDIN_FILENO, part, sizeof part)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || !add(t, part, (size_t)n)) {
            complain("cannot read what is to be sent: %s", n < 0 ? strerror(errno) : "it is too large");
            return false;
        }
    }
    return true;
}

/* --- Credentials. ----------------------------------------------------------------------------- */

/* A header or a password has no other characters, and is not cut. */
static bool
take(char *to, size_t size, const char *value)
{
    size_t n = strlen(value);

    for (size_t i = 0; i < n; i++)
        if (value[i] <= ' ' || value[i] > '~')
            return false;
    if (n >= size)
        return false;
    memcpy(to, value, n + 1);
    return true;
}

static char *
strip(char *s)
{
    size_t n;

    while (*s == ' ' || *s == '\t')
        s++;
    for (n = strlen(s); n && strchr(" \t\r\n", s[n - 1]); n--)
        s[n - 1] = '\0';
    return s;
}

/* "aws_access_key_id = ..." in the section of the profile. */
static bool
read_lines(FILE *f, const char *profile, struct account *to)
{
    char line[5000];
    bool ours = false, good = true;

    while (good && fgets(line, sizeof line, f)) {
        char *key = strip(line), *value = strchr(key, '=');

        if (*key == '[') {
            char *end = strchr(key, ']');

            if (end)
                *end = '\0';
            ours = strcmp(strip(key + 1), profile) == 0;
        } else if (ours && value && *key != '#' && *key != ';') {
            *value++ = '\0';
            key = strip(key);
            value = strip(value);
            if (strcasecmp(key, "aws_access_key_id") == 0)
                good = take(to->id, sizeof to->id, value);
            else if (strcasecmp(key, "aws_secret_access_key") == 0)
                good = take(to->secret, sizeof to->secret, value);
            else if (strcasecmp(key, "aws_session_token") == 0)
                good = take(to->token, sizeof to->token, value);
        }
    }
    explicit_bzero(line, sizeof line);
    return good && !ferror(f);
}

static bool
read_file(struct account *to)
{
    const char *path = getenv("AWS_SHARED_CREDENTIALS_FILE"), *home = getenv("HOME"),
               *profile = getenv("AWS_PROFILE");
    char usual[LONGEST];
    struct stat st;
    bool good;
    FILE *f;

    (void)snprintf(usual, sizeof usual, "%s/.aws/credentials", home ? home : "");
    if (!path)
        path = usual;
    f = fopen(path, "re");
    if (!f) {
        complain("no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or make '%s': %s", path,
                 strerror(errno));
        return false;
    }
    if (fstat(fileno(f), &st) < 0 || !S_ISREG(st.st_mode) || (st.st_mode & 077)) {
        complain("'%s' is not a file that only its owner can read", path);
        (void)fclose(f);
        return false;
    }
    good = read_lines(f, profile ? profile : "default", to);
    (void)fclose(f);
    if (good && *to->id && *to->secret)
        return true;
    complain("'%s' has no aws_access_key_id and aws_secret_access_key for the profile '%s'", path,
             profile ? profile : "default");
    return false;
}

static bool
read_account(struct account *to)
{
    const char *id = getenv("AWS_ACCESS_KEY_ID"), *secret = getenv("AWS_SECRET_ACCESS_KEY"),
               *token = getenv("AWS_SESSION_TOKEN");

    if (!id || !*id || !secret || !*secret)
        return read_file(to);
    if (take(to->id, sizeof to->id, id) && take(to->secret, sizeof to->secret, secret)
        && take(to->token, sizeof to->token, token ? token : ""))
        return true;
    complain("AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or AWS_SESSION_TOKEN cannot be used");
    return false;
}

/* --- Where the store is. ------------------------------------------------------------------------ */

static bool
has_only(const char *s, const char *more)
{
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') || strchr(more, *s)))
            return false;
    return true;
}

static const char *
region(void)
{
    const char *r = getenv("AWS_REGION");

    if (!r || !*r)
        r = getenv("AWS_DEFAULT_REGION");
    return r && *r ? r : "us-east-1";
}

/* Without TLS, everybody on the way could change what is published. */
static bool
is_safe(const char *endpoint)
{
    static const char *const here[] = { "http://localhost", "http://127.0.0.1", "http://[::1]" };

    if (strncmp(endpoint, "https://", 8) == 0)
        return true;
    for (size_t i = 0; i < sizeof here / sizeof here[0]; i++)
        if (strncmp(endpoint, here[i], strlen(here[i])) == 0 && strchr(":/", endpoint[strlen(here[i])]))
            return true;
    return false;
}

/* The name of the bucket is a part of the path where an endpoint is given, and of the host at AWS. */
static bool
make_url(const char *object, char *url, size_t size)
{
    const char *endpoint = getenv("AWS_ENDPOINT_URL_S3"), *slash = strchr(object, '/');
    int bucket = slash ? (int)(slash - object) : 0, n;

    if (!endpoint || !*endpoint)
        endpoint = getenv("AWS_ENDPOINT_URL");
    if (bucket < 3 || bucket > 63 || !slash[1] || strstr(object, "..") || strstr(object, "//")
        || !has_only(object, "ABCDEFGHIJKLMNOPQRSTUVWXYZ._-/") || !has_only(region(), "-")) {
        complain("'%s' in the region '%s' cannot be the name of an object", object, region());
        return false;
    }
    if (endpoint && *endpoint) {
        size_t end = strlen(endpoint);

        while (end && endpoint[end - 1] == '/')
            end--;
        if (!is_safe(endpoint) || strpbrk(endpoint, "@?# ")) {
            complain("the endpoint of the store must be https://HOST, or http:// to this machine");
            return false;
        }
        n = snprintf(url, size, "%.*s/%s", (int)end, endpoint, object);
    } else {
        n = snprintf(url, size, "https://%.*s.s3.%s.amazonaws.com%s", bucket, object, region(), slash);
    }
    return n > 0 && (size_t)n < size;
}

/* --- A request. ------------------------------------------------------------------------------- */

static size_t
take_body(char *p, size_t size, size_t n, void *data)
{
    struct answer *a = data;

    return add(&a->body, p, size * n) ? size * n : 0;
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
    struct curl_slist *more;
    int n = snprintf(line, sizeof line, "%s: %s", name, value);

    more = n > 0 && (size_t)n < sizeof line ? curl_slist_append(*list, line) : NULL;
    explicit_bzero(line, sizeof line);
    if (more)
        *list = more;
    return more != NULL;
}

/* `condition` "new": If-None-Match; an ETag: If-Match; "": none. */
static bool
make_headers(struct curl_slist **list, const struct account *account, const struct text *body,
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
prepare(CURL *curl, const char *url, const struct account *account, const struct text *body,
        struct curl_slist *headers, struct answer *answer)
{
    char how[LONGEST];

    (void)snprintf(how, sizeof how, "aws:amz:%s:s3", region());
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
    complain("the store answered with status %ld for '%s'%s%s", status, object, n ? ": " : "", message);
}

/* The exit status. */
static int
ask(const char *object, const struct text *body, const char *condition, struct answer *answer)
{
    struct account account = { .id = "" };
    struct curl_slist *headers = NULL;
    char url[LONGEST * 2];
    CURL *curl;
    CURLcode code = CURLE_FAILED_INIT;
    long status = 0;

    if (!make_url(object, url, sizeof url) || !read_account(&account))
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
        complain("cannot reach the store: %s", curl_easy_strerror(code));
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
    struct text body = { .s = NULL };
    struct answer answer = { .etag = "" };
    int status = FAILED;

    if (argc == 3 && strcmp(argv[1], "get") == 0) {
        status = ask(argv[2], NULL, "", &answer);
        if (status == 0
            && (printf("%s\n", answer.etag) < 0
                || fwrite(answer.body.s ? answer.body.s : "", 1, answer.body.n, stdout) != answer.body.n
                || fflush(stdout) != 0))
            status = FAILED;
    } else if ((argc == 3 || argc == 4) && strcmp(argv[1], "put") == 0) {
        if (read_input(&body))
            status = ask(argv[2], &body, argc == 4 ? argv[3] : "", &answer);
    } else {
        (void)fputs("rhost-s3 is started by 'rhost bundle publish', and does nothing by itself\n", stderr);
        return USAGE;
    }
    free(body.s);
    free(answer.body.s);
    return status;
}
