/* SPDX-License-Identifier: Apache-2.0 */
/* scenario - a small apply that changes files, a link and a directory, or packages, units and crontabs, and
 * notifies: what the campaign and the power-loss rig interrupt.
 *
 * Below `top` are files/ (managed), state/ (the state directory), effects/ (what notified commands
 * write, which stands for what they do to a running system), and manifests. */
#ifndef TESTS_ROBUST_SCENARIO_H
#define TESTS_ROBUST_SCENARIO_H

#include "tree-copy.h"

struct scenario {
    const char *rhost, *plugins, *isolation;
    const char *stand_in; /* NULL: files are changed; otherwise packages, units and crontabs, see machine.h */
    char top[256];
    char picked[280]; /* copies of the plugins that it needs: the others would only be described */
    bool cold;        /* there is no state directory yet */
    struct tree base; /* below top before the apply */
    struct tree done; /* after it */
    char output[280]; /* what the last run printed goes there */
    const char *argv[16];
};

/* Makes the directory, applies the first manifest, and then the second for `done`; lays out `base`.
 * Ends the program when that fails. */
void scenario_open(struct scenario *s, const char *rhost, const char *plugins, const char *stand_in,
                   const char *isolation, bool cold);
void scenario_close(struct scenario *s);

/* Applies the manifest, untraced; the exit status as wait() has it. */
int scenario_apply(struct scenario *s);

/* The texts that the notified commands must have written when all is done. */
extern const char *const scenario_effects[];

/* Whether `path` below top is what base and done both have or one of them. */
bool scenario_is_managed(const char *path);

/* Looks at what is below top after a run that was not disturbed: NULL, or what is wrong (static). */
const char *scenario_check(struct scenario *s);

#endif
