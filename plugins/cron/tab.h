/* SPDX-License-Identifier: Apache-2.0 */
/* tab - jobs with a name in the lines of a crontab.
 *
 * A job of ours is a line "# rhost: NAME", the settings of its environment, and the job itself, with a '#' in
 * front when it is disabled. What has no such line above it belongs to others. */
#ifndef CRON_TAB_H
#define CRON_TAB_H

#include "times.h"

#include <rhost/lines.h>

struct tab_part {
    const char *at;
    size_t len;
};

struct tab_job {
    size_t from;  /* the line with its name */
    size_t n;     /* lines, with that one */
    size_t n_env; /* of the environment, below the name */
    int there;    /* 0: there is a name, and no job below it */
    int disabled; /* its line is a comment */
    struct tab_part name;
    struct tab_part special; /* without '@'; empty when it has times */
    struct tab_part times[TIMES];
    struct tab_part user, command; /* no user in the crontab of one */
};

/* The next job of ours from line *from on, which is moved behind it; 0 when there is none left. `system`:
 * its lines name a user. */
int tab_next(const struct rhost_lines *l, int system, size_t *from, struct tab_job *job);

/* The first job of this name; 0 when there is none. */
int tab_find(const struct rhost_lines *l, int system, const char *name, struct tab_job *job);

/* Whether line i runs something, whoever's it is. */
int tab_is_job(const struct rhost_lines *l, size_t i);

/* Takes all jobs of this name out. */
void tab_remove(struct rhost_lines *l, int system, const char *name);

#endif
