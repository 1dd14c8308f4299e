/* SPDX-License-Identifier: Apache-2.0 */
/* interrupt - signals that ask a run to end: the first lets what is under way come to its end, the
 * second ends the process. */
#ifndef RH_BASE_INTERRUPT_H
#define RH_BASE_INTERRUPT_H

#include <stdint.h>

/* From now on SIGINT, SIGTERM and SIGHUP are noted, except where the caller had them ignored. `notice`
 * is called once, out of rh_interrupted(), when the first was noted. */
void rh_interrupt_open(void (*notice)(void *data, int signal), void *data);

/* No callback is called any more; the signals are still recorded. */
void rh_interrupt_forget(void);
void rh_interrupt_close(void);

/* The signal that asks us to end, or 0. */
int rh_interrupted(void);

/* Where else the signal is noted at once: in the memory of a worker, which watches it. To be taken back
 * before that memory goes. */
void rh_interrupt_share(volatile uint32_t *flag);
void rh_interrupt_unshare(const volatile uint32_t *flag);
void rh_interrupt_watch(const volatile uint32_t *flag);

const char *rh_interrupt_name(int signal);

#endif
