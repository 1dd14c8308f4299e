/* SPDX-License-Identifier: Apache-2.0 */
/* no-memory - the libraries that rhost uses get memory, or the process ends, as with rh_xalloc().
 *
 * Of those that read JSON, YAML and patterns not all check each allocation: json-c crashes, or drops a key
 * of a hash in silence. The description of a plugin that lacked a key was then kept for later runs. So
 * rhost defines the functions that they call. The worker does not: a plugin may do with less. */
#include "config.h"

#include "base/alloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED
#endif

#ifndef SANITIZED /* its own functions must be the first ones */
static void *(*next_malloc)(size_t n);
static void *(*next_calloc)(size_t n, size_t size);
static void *(*next_realloc)(void *p, size_t n);

/* False while dlsym() looks: should it want memory itself, it does without. */
static bool
find_next(void)
{
    static bool looking;

    if (looking)
        return false;
    looking = true;
    *(void **)&next_malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&next_calloc = dlsym(RTLD_NEXT, "calloc");
    *(void **)&next_realloc = dlsym(RTLD_NEXT, "realloc");
    looking = false;
    if (!next_malloc || !next_calloc || !next_realloc)
        rh_out_of_memory();
    return true;
}

static void *
refuse(void)
{
    errno = ENOMEM;
    return NULL;
}

void *
malloc(size_t n)
{
    void *p;

    if (!next_realloc && !find_next())
        return refuse();
    p = next_malloc(n);
    if (!p)
        rh_out_of_memory();
    return p;
}

void *
calloc(size_t n, size_t size)
{
    void *p;

    if (!next_realloc && !find_next())
        return refuse();
    p = next_calloc(n, size);
    if (!p)
        rh_out_of_memory();
    return p;
}

void *
realloc(void *old, size_t n)
{
    void *p;

    if (!next_realloc && !find_next())
        return refuse();
    p = next_realloc(old, n);
    if (!p && n)
        rh_out_of_memory();
    return p;
}
#endif
