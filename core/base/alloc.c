/* SPDX-License-Identifier: Apache-2.0 */
/* alloc - heap memory that is there, or the process ends. */
#include "config.h"

#include "base/alloc.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
rh_out_of_memory(void)
{
    static const char text[] = "rhost: out of memory\n";

    /* Nothing that allocates may run here, nor atexit handlers of a plugin. */
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(70); /* as plugin/spawn.h has it */
}

void
rh_alloc_tune(void)
{
#ifdef M_MMAP_THRESHOLD
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
    (void)mallopt(M_TOP_PAD, 1 << 20);
#endif
}

void *
rh_xalloc(size_t n)
{
    void *p = calloc(1, n ? n : 1);

    if (!p)
        rh_out_of_memory();
    return p;
}

void *
rh_xrealloc(void *p, size_t n)
{
    void *q = realloc(p, n ? n : 1);

    if (!q)
        rh_out_of_memory();
    return q;
}

char *
rh_xstrndup(const char *s, size_t n)
{
    char *p = rh_xalloc(n + 1);

    memcpy(p, s, n);
    return p;
}

char *
rh_xstrdup(const char *s)
{
    return rh_xstrndup(s, strlen(s));
}

char *
rh_vprintf(const char *fmt, va_list ap)
{
    char *s = NULL;

    if (vasprintf(&s, fmt, ap) < 0)
        rh_out_of_memory();
    return s;
}

char *
rh_printf(const char *fmt, ...)
{
    va_list ap;
    char *s;

    va_start(ap, fmt);
    s = rh_vprintf(fmt, ap);
    va_end(ap);
    return s;
}

size_t
rh_xmul(size_t n, size_t size)
{
    size_t product;

    if (__builtin_mul_overflow(n, size, &product))
        rh_out_of_memory();
    return product;
}

void *
rh_xgrow(void *p, size_t *cap, size_t used, size_t size)
{
    if (p && used < *cap)
        return p;
    if (*cap > SIZE_MAX / 2)
        rh_out_of_memory();
    *cap = *cap ? *cap * 2 : 8;
    return rh_xrealloc(p, rh_xmul(*cap, size));
}
