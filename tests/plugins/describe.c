/* SPDX-License-Identifier: Apache-2.0 */
/* describe - what a resource of the misbehaving plugin is, told truly or not. */
#include "fault.h"

#include <stdlib.h>

static void
put_large(rhost_ctx *ctx, rhost_value *resource)
{
    char *large = malloc(FAULT_LARGEST);

    (void)ctx;
    if (!large)
        abort();
    memset(large, 'x', FAULT_LARGEST);
    rhost_put_bytes(resource, "value", large, FAULT_LARGEST);
    free(large);
}

/* Hashes in hashes, so deep. */
static void
put_deep(rhost_value *resource, int depth)
{
    rhost_value *at = resource->host->put_hash(resource, "data");

    for (int i = 1; i < depth && at; i++)
        at = at->host->put_hash(at, "deeper");
}

static void
put_wide(rhost_value *resource)
{
    rhost_value *list = resource->host->put_array(resource, "data");

    for (int i = 0; i < 1000000; i++)
        rhost_put_str(list, NULL, "one of very many");
}

void
fault_describe(rhost_ctx *ctx, const char *at, rhost_value *resource)
{
    const char *name = rhost_str(resource, "name");

    rhost_put_str(resource, "value", "old");
    rhost_put_int(resource, "number", 1);
    if (!fault_meant(name))
        return;
    if (fault_is(at, "wrong type"))
        rhost_put_str(resource, "number", "one");
    if (fault_is(at, "wrong namevar"))
        rhost_put_int(resource, "name", 5);
    if (fault_is(at, "unknown attribute"))
        rhost_put_str(resource, "colour", "red");
    if (fault_is(at, "no namevar"))
        resource->host->put_undef(resource, "name");
    if (fault_is(at, "not canonical"))
        rhost_put_str(resource, "value", "OLD");
    if (fault_is(at, "no text"))
        rhost_put_bytes(resource, "value", "bad \xff\xfe bytes", 12);
    if (fault_is(at, "nul"))
        rhost_put_bytes(resource, "value", "a\0b\0", 4);
    if (fault_is(at, "control"))
        rhost_put_str(resource, "value", "red \033[31m bell \a");
    if (fault_is(at, "deep"))
        put_deep(resource, 1000);
    if (fault_is(at, "abyss"))
        put_deep(resource, 1000000);
    if (fault_is(at, "wide"))
        put_wide(resource);
    if (fault_is(at, "large"))
        put_large(ctx, resource);
    if (fault_is(at, "secret shown")) {
        rhost_put_str(resource, "secret", "hunter2");
        rhost_info(ctx, "the secret is %s", "hunter2");
    }
}
