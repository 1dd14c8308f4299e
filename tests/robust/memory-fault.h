/* SPDX-License-Identifier: Apache-2.0 */
/* memory-fault - what the campaign and the processes that it lets run out of memory share. */
#ifndef TESTS_ROBUST_MEMORY_FAULT_H
#define TESTS_ROBUST_MEMORY_FAULT_H

#include <stdint.h>

#define MEMORY_FAULT_FILE "RHOST_MEMORY_FAULT"

enum { MEMORY_FAULT_PROCESSES = 64 };

struct memory_fault {
    uint32_t processes; /* so many have begun */
    uint32_t process;   /* this one, from 0, in the order in which they begin */
    uint64_t at;        /* gets no memory at this call of it, from 1 */
    uint64_t counts[MEMORY_FAULT_PROCESSES];
};

#endif
