/* SPDX-License-Identifier: Apache-2.0 */
/* option-table - each option: what it is called, and what becomes of its value. */
#ifndef RH_CLI_OPTION_TABLE_H
#define RH_CLI_OPTION_TABLE_H

#include <stddef.h>

struct rh_settings;

struct rh_option {
    const char *name, *argument, *help;
    const char *expected; /* of the argument; NULL when anything goes */
    unsigned groups;
    char letter;
    /* -1: the value is no good. */
    int (*take)(const struct rh_option *o, struct rh_settings *s, const char *value);
    size_t at; /* the setting that it is about, where `take` asks for it */
};

/* How many there are; the compiler refuses another number. The same name may be there several times,
 * in groups that no command has together. */
enum { RH_OPTIONS = 51 };
extern const struct rh_option rh_option_table[RH_OPTIONS];

#endif
