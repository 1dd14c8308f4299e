/* SPDX-License-Identifier: Apache-2.0 */
/* filter - the system calls that a filter refuses, as data. */
#ifndef RH_SANDBOX_FILTER_H
#define RH_SANDBOX_FILTER_H

#include <stddef.h>
#include <stdint.h>

/* A call that is refused whatever its arguments are, unless one of `permissions` is given. */
struct rh_refused_call {
    const char *name;     /* as the C library has it */
    uint16_t newer;       /* its number where all architectures have the same, from 424 on; else 0 */
    uint16_t permissions; /* enum rh_permission */
};
extern const struct rh_refused_call rh_refused_calls[];
extern const size_t rh_n_refused_calls;

/* A call that is refused for some values of an argument: where (argument & mask) == value, or with RH_IS_NOT
 * where all of the argument is another value. With two conditions, both must hold. */
enum rh_compare { RH_NO_MORE, RH_IS, RH_IS_NOT };
struct rh_refused_value {
    const char *name;
    uint16_t newer, permissions;
    struct {
        uint8_t argument;
        uint8_t compare; /* enum rh_compare */
        uint32_t mask, value;
    } where[2];
};
extern const struct rh_refused_value rh_refused_values[];
extern const size_t rh_n_refused_values;

/* The newest system call that these tables were made with, in the numbering of asm-generic. */
enum { RH_NEWEST_CALL = 469 };

#endif
