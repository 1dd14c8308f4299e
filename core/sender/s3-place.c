/* SPDX-License-Identifier: Apache-2.0 */
/* s3-place - where an object of a store is. */
#include "config.h"

#include "sender/s3.h"
#include "sender/sender.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
has_only(const char *s, const char *more)
{
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') || strchr(more, *s)))
            return false;
    return true;
}

const char *
rh_s3_region(void)
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
bool
rh_s3_make_url(const char *object, char *url, size_t size)
{
    const char *endpoint = getenv("AWS_ENDPOINT_URL_S3"), *slash = strchr(object, '/');
    int bucket = slash ? (int)(slash - object) : 0, n;

    if (!endpoint || !*endpoint)
        endpoint = getenv("AWS_ENDPOINT_URL");
    if (bucket < 3 || bucket > 63 || !slash[1] || strstr(object, "..") || strstr(object, "//")
        || !has_only(object, "ABCDEFGHIJKLMNOPQRSTUVWXYZ._-/") || !has_only(rh_s3_region(), "-")) {
        rh_sender_complain("'%s' in the region '%s' cannot be the name of an object", object, rh_s3_region());
        return false;
    }
    if (endpoint && *endpoint) {
        size_t end = strlen(endpoint);

        while (end && endpoint[end - 1] == '/')
            end--;
        if (!is_safe(endpoint) || strpbrk(endpoint, "@?# ")) {
            rh_sender_complain("the endpoint of the store must be https://HOST, or http:// to this machine");
            return false;
        }
        n = snprintf(url, size, "%.*s/%s", (int)end, endpoint, object);
    } else {
        n = snprintf(url, size, "https://%.*s.s3.%s.amazonaws.com%s", bucket, object, rh_s3_region(), slash);
    }
    return n > 0 && (size_t)n < size;
}
