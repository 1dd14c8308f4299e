/* SPDX-License-Identifier: Apache-2.0 */
/* Guards the blocks of the heap of a program in which a mutant is tried. */
/*
 * Behind each block, from its last byte on, are GUARD bytes of no meaning. Whoever has written to them is
 * ended when the block is freed or gets another size; whoever reads them gets what is no text, number or
 * address. New blocks that are not asked for as zeros are full of the same, and so are those that were freed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_memalign(size_t alignment, size_t n);
void *__libc_malloc(size_t n);
void __libc_free(void *p);
void *__libc_realloc(void *p, size_t n);

enum { FILL = 0xa5, GUARD = 16, MOST_FILLED = 1 << 16 };

#define MARK UINT32_C(0x6d757461)

/* Stands before each block. */
struct head {
    size_t size;
    uint32_t mark;
    uint32_t offset; /* of the block in what the library gave */
};

static void *
make(size_t alignment, size_t n)
{
    size_t offset = alignment > sizeof(struct head) ? alignment : sizeof(struct head);
    unsigned char *raw, *p;
    struct head h = { .size = n, .mark = MARK, .offset = (uint32_t)offset };

    if (n > PTRDIFF_MAX - offset - GUARD) {
        errno = ENOMEM;
        return NULL;
    }
    raw = alignment > sizeof h ? __libc_memalign(alignment, offset + n + GUARD)
                               : __libc_malloc(offset + n + GUARD);
    if (!raw)
        return NULL;
    p = raw + offset;
    memcpy(p - sizeof h, &h, sizeof h);
    memset(p + n, FILL, GUARD);
    return p;
}

/* The head of a block whose guard is whole. One without the mark is of another library that took our place,
 * as tests/robust/memory-fault.c does, or it was freed before, which the C library notices. */
static struct head
look(const void *block)
{
    const unsigned char *p = block;
    struct head h;

    memcpy(&h, p - sizeof h, sizeof h);
    for (size_t i = 0; h.mark == MARK && i < GUARD; i++)
        if (p[h.size + i] != FILL) {
            static const char text[] = "guard: something was written behind a block\n";

            (void)!write(STDERR_FILENO, text, sizeof text - 1);
            abort();
        }
    return h;
}

static void
fill(void *p, size_t n)
{
    memset(p, FILL, n < MOST_FILLED ? n : MOST_FILLED);
}

void *
malloc(size_t n)
{
    void *p = make(1, n);

    if (p)
        fill(p, n);
    return p;
}

void *
calloc(size_t n, size_t size)
{
    size_t product;
    void *p;

    if (__builtin_mul_overflow(n, size, &product)) {
        errno = ENOMEM;
        return NULL;
    }
    p = make(1, product);
    return p ? memset(p, 0, product) : NULL;
}

void
free(void *p)
{
    int before = errno;
    struct head h;

    if (!p)
        return;
    h = look(p);
    if (h.mark != MARK) {
        __libc_free(p);
        return;
    }
    fill(p, h.size);
    memset((unsigned char *)p - sizeof h, 0, sizeof h);
    __libc_free((unsigned char *)p - h.offset);
    errno = before;
}

void *
realloc(void *p, size_t n)
{
    struct head h;
    void *q;

    if (!p)
        return malloc(n);
    h = look(p);
    if (h.mark != MARK)
        return __libc_realloc(p, n);
    if (n == 0) {
        free(p);
        return NULL;
    }
    q = malloc(n);
    if (!q)
        return NULL;
    memcpy(q, p, n < h.size ? n : h.size);
    free(p);
    return q;
}

void *
reallocarray(void *p, size_t n, size_t size)
{
    size_t product;

    if (__builtin_mul_overflow(n, size, &product)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(p, product);
}

int
posix_memalign(void **at, size_t alignment, size_t n)
{
    void *p = make(alignment, n);

    if (!p)
        return ENOMEM;
    *at = p;
    return 0;
}

void *
aligned_alloc(size_t alignment, size_t n)
{
    return make(alignment, n);
}

void *
memalign(size_t alignment, size_t n)
{
    return make(alignment, n);
}

size_t
malloc_usable_size(void *p)
{
    return p ? look(p).size : 0;
}
