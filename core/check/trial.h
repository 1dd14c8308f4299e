/* SPDX-License-Identifier: Apache-2.0 */
/* trial - all that a fixture has a provider do while something fails, and how it is judged: what the checks
 * of memory and of faults share. A trial runs in a process of its own. */
#ifndef RH_CHECK_TRIAL_H
#define RH_CHECK_TRIAL_H

#include "check/subject.h"

#include <stdbool.h>
#include <stdint.h>

enum { RH_TRIAL_TEXT = 512 };

struct rh_trial {
    struct rh_subject subject;
    struct rh_checker *checker;
    char *text; /* the first defect that was found, or empty: RH_TRIAL_TEXT bytes that outlive the process */
    void *data; /* of the functions */
    void (*disturb)(void *data, bool on); /* makes things fail from now on, or no more */
    bool (*disturbed)(void *data); /* whether what was done since may differ for no other reason; NULL: yes */
    /* After each step; `over` as rh_subject_converge() takes it. Nothing fails meanwhile. */
    void (*judge)(struct rh_trial *t, const struct rh_fixture_state *state, const struct rh_value *over);
};

void rh_trial_note(struct rh_trial *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Says so where a failure has no message. */
void rh_trial_expect_reason(struct rh_trial *t, const char *reason);

/* Lists all resources without and with the disturbance: the same, or a failure or a warning. */
void rh_trial_read(struct rh_trial *t);

/* Makes the states, changes and removes them, each with the disturbance. */
void rh_trial_write(struct rh_trial *t);

/* Asks each question without and with the disturbance: the same answer, or a failure. */
void rh_trial_ask(struct rh_trial *t);

/* A number that shares no divisor with n, about five eighths of it: whoever goes on by it, modulo n, comes to
 * each number below n once. */
uint64_t rh_trial_stride(uint64_t n);

#endif
