/* SPDX-License-Identifier: Apache-2.0 */
/* cleanup - who frees is said in the declaration, and the compiler does it. */
#ifndef RH_BASE_CLEANUP_H
#define RH_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A result that says whether it worked: the compiler refuses a call that drops it. */
#define RH_CHECKED __attribute__((warn_unused_result))

/* For a result that is dropped on purpose: the error has it as well, or nothing depends on it. */
static inline void
rh_discard(int result)
{
    (void)result;
}

static inline void
rh_cleanup_free(void *p)
{
    free(*(void **)p);
}

static inline void
rh_cleanup_close(const int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}

static inline void
rh_cleanup_fclose(FILE **f)
{
    if (*f)
        (void)fclose(*f);
}

static inline void
rh_cleanup_closedir(DIR **d)
{
    if (*d)
        (void)closedir(*d);
}

#define rh_autofree __attribute__((cleanup(rh_cleanup_free)))
#define rh_autoclose __attribute__((cleanup(rh_cleanup_close)))
#define rh_autofclose __attribute__((cleanup(rh_cleanup_fclose)))
#define rh_autoclosedir __attribute__((cleanup(rh_cleanup_closedir)))

/* Hands a pointer on: returns it and leaves NULL behind, so that the cleanup frees nothing. */
#define rh_take(p)                                                                                           \
    __extension__({                                                                                          \
        __typeof__(*(p)) rh_taken = *(p);                                                                    \
        *(p) = NULL;                                                                                         \
        rh_taken;                                                                                            \
    })

/* The same for a descriptor, leaving -1. */
static inline int
rh_take_fd(int *fd)
{
    int taken = *fd;

    *fd = -1;
    return taken;
}

#endif
