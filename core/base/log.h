/* SPDX-License-Identifier: Apache-2.0 */
/* log - lines for people, on standard error.
 *
 * Code below run/ and cli/ logs at debug only; what a provider says comes through the run. */
#ifndef RH_BASE_LOG_H
#define RH_BASE_LOG_H

#include <stdbool.h>

struct rh_error;

/* The five of the ABI, in its order. */
enum rh_level { RH_DEBUG, RH_INFO, RH_NOTICE, RH_WARNING, RH_ERR };

void rh_log_set_level(enum rh_level least);
bool rh_log_enabled(enum rh_level level);
const char *rh_level_name(enum rh_level level);

/* Whether what is written to `fd` goes to the system's journal, as systemd says in JOURNAL_STREAM. A line
 * that begins with rh_level_prefix() has that priority there. */
bool rh_log_is_journal(int fd);
const char *rh_level_prefix(enum rh_level level); /* "<3>" */

/* One line "LEVEL: text"; control characters are escaped. A warning or an error has its code behind it. */
void rh_log(enum rh_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same with the message and the code of an error; or with a code that is known, where 0 says that it is
 * not. */
void rh_log_error(enum rh_level level, const struct rh_error *err);
void rh_log_code(enum rh_level level, unsigned code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#define rh_debug(...)                                                                                        \
    do {                                                                                                     \
        if (rh_log_enabled(RH_DEBUG))                                                                        \
            rh_log(RH_DEBUG, __VA_ARGS__);                                                                   \
    } while (0)

#endif
