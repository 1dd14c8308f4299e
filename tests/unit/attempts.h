/* SPDX-License-Identifier: Apache-2.0 */
/* attempts - what a hostile provider may try, each as a function. */
#ifndef RH_TESTS_ATTEMPTS_H
#define RH_TESTS_ATTEMPTS_H

#include <stddef.h>
#include <sys/types.h>

/* What there is to attack: made by the test before, and anew for each attempt. */
struct scene {
    char top[64];        /* a directory with these: */
    char inside[80];     /* to be written to, with "file" */
    char readable[80];   /* to be read, with "file" */
    char outside[80];    /* of which the plan says nothing: "file", and an empty "directory" */
    char socket[96];     /* a Unix socket that listens, outside */
    char abstract[32];   /* the name of another one, without the NUL in front */
    unsigned short port; /* of 127.0.0.1, that listens */
    pid_t victim;        /* another process of the same user */
};

/* What refuses it, if it is in force: each of these alone. */
enum {
    BY_LANDLOCK = 7, /* the first version, 1 to 7; 0: none */
    BY_SECCOMP = 8,
    BY_CAPABILITIES = 16, /* as root */
    BY_VIEW = 32,         /* the read-only mount namespace */
    BY_NETWORK = 64,      /* the network namespace */
    BY_OLD_SECCOMP = 128, /* seccomp, where Landlock does not do it */
};

struct attempt {
    const char *name;
    int (*run)(const struct scene *s); /* 0: it worked; else errno */
    int before;                        /* as root, without confinement; ANY: depends on the machine */
    int after;                         /* with all mechanisms, as root */
    unsigned by;
};
enum { ANY = -1 };

extern const struct attempt attempts[];
extern const size_t n_attempts;

#endif
