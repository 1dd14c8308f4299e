/* SPDX-License-Identifier: Apache-2.0 */
/* alloc - heap memory that is there, or the process ends.
 *
 * A run that cannot allocate cannot promise anything, and a plugin runs in a worker that we can
 * afford to lose; so nobody above this line has a failure path for memory. */
#ifndef RH_BASE_ALLOC_H
#define RH_BASE_ALLOC_H

#include <stdarg.h>
#include <stddef.h>

/* Each ends the process with status 70 when memory runs out; the result is the caller's to free. */
void *rh_xalloc(size_t n) __attribute__((malloc, returns_nonnull)); /* zeroed */
void *rh_xrealloc(void *p, size_t n) __attribute__((returns_nonnull));
char *rh_xstrdup(const char *s) __attribute__((returns_nonnull));
char *rh_xstrndup(const char *s, size_t n) __attribute__((returns_nonnull));
char *rh_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
char *rh_vprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0), returns_nonnull));

/* For a process that grows and ends: memory that was freed is used again, instead of being given back to the
 * kernel and asked for once more, page by page. Nothing where the C library has no such setting. */
void rh_alloc_tune(void);

/* Ends the process with status 70 and a message. */
void rh_out_of_memory(void) __attribute__((noreturn));

/* n * size without overflow, or the end of the process. */
size_t rh_xmul(size_t n, size_t size);

/* Room for one more in a growing array: doubles *cap when `used` has reached it. */
void *rh_xgrow(void *p, size_t *cap, size_t used, size_t size) __attribute__((returns_nonnull));

#endif
