/* SPDX-License-Identifier: Apache-2.0 */
/* s3-account - the credentials of a store, from the environment or a file. */
#include "config.h"

#include "sender/s3.h"
#include "sender/sender.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_PATH = 2048 };

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
read_lines(FILE *f, const char *profile, struct rh_s3_account *to)
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
read_file(struct rh_s3_account *to)
{
    const char *path = getenv("AWS_SHARED_CREDENTIALS_FILE"), *home = getenv("HOME"),
               *profile = getenv("AWS_PROFILE");
    char usual[LONGEST_PATH];
    bool good;
    FILE *f;

    (void)snprintf(usual, sizeof usual, "%s/.aws/credentials", home ? home : "");
    if (!path)
        path = usual;
    f = rh_sender_open_secret(path);
    if (!f && errno == ENOENT)
        rh_sender_complain("no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or make '%s'",
                           path);
    if (!f)
        return false;
    good = read_lines(f, profile ? profile : "default", to);
    (void)fclose(f);
    if (good && *to->id && *to->secret)
        return true;
    rh_sender_complain("'%s' has no aws_access_key_id and aws_secret_access_key for the profile '%s'", path,
                       profile ? profile : "default");
    return false;
}

bool
rh_s3_read_account(struct rh_s3_account *to)
{
    const char *id = getenv("AWS_ACCESS_KEY_ID"), *secret = getenv("AWS_SECRET_ACCESS_KEY"),
               *token = getenv("AWS_SESSION_TOKEN");

    if (!id || !*id || !secret || !*secret)
        return read_file(to);
    if (take(to->id, sizeof to->id, id) && take(to->secret, sizeof to->secret, secret)
        && take(to->token, sizeof to->token, token ? token : ""))
        return true;
    rh_sender_complain("AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or AWS_SESSION_TOKEN cannot be used");
    return false;
}
