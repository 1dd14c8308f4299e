/* SPDX-License-Identifier: Apache-2.0 */
/* store - the database that reports go to: a file of SQLite, or a server of PostgreSQL. */
#ifndef RH_COLLECT_STORE_H
#define RH_COLLECT_STORE_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rh_error;
struct rh_record;
struct rh_store;

/* What an error of a store means. */
enum rh_store_fault {
    RH_FAULT_AWAY,    /* it cannot be reached, is busy or full: the same may work later */
    RH_FAULT_DATA,    /* it takes everything but this record */
    RH_FAULT_REFUSED, /* it never works: a wrong URL, a database of a newer version */
};

/* Whether a URL of PostgreSQL has a password, in front of the host or as a parameter, for programs that do
 * not have libpq: all users can see the arguments of a program. A URL that cannot be read may have one. */
static inline bool
rh_store_url_has_password(const char *url)
{
    const char *rest = strncmp(url, "postgres", 8) == 0 ? strstr(url, "://") : NULL, *at, *colon;

    if (!rest)
        return false;
    rest += 3;
    at = rest + strcspn(rest, "@/");
    colon = *at == '@' ? memchr(rest, ':', (size_t)(at - rest)) : NULL;
    if (colon && colon + 1 < at)
        return true;
    for (const char *p = strchr(rest, '?'); p; p = strchr(p, '&')) {
        size_t n = strcspn(++p, "=&");

        /* Names of parameters need no escape: one that has it may be meant to hide this one. */
        if (memchr(p, '%', n) || (n == 8 && strncmp(p, "password", n) == 0)
            || (n == 11 && strncmp(p, "sslpassword", n) == 0))
            return true;
    }
    return false;
}

/* Opens sqlite:FILE, or postgresql://... as libpq(3) reads it. With `writes`, tables are created, and brought
 * to the version of this program; otherwise nothing can be changed. A URL with a password is refused:
 * arguments of programs can be seen by all users. NULL with an error. */
RH_CHECKED struct rh_store *rh_store_open(const char *url, bool writes, enum rh_store_fault *fault,
                                          struct rh_error *err);

/* Stores these records in one transaction, which is on disk when this returns. Records that are there already
 * are left out; `added` is the number of the others. */
RH_CHECKED int rh_store_put(struct rh_store *s, const struct rh_record *const *records, size_t n,
                            size_t *added, enum rh_store_fault *fault, struct rh_error *err);

/* Removes what was received longer ago; `removed`: the number of reports, or of days, also with an error. */
RH_CHECKED int rh_store_retain(struct rh_store *s, unsigned seconds, size_t *removed,
                               enum rh_store_fault *fault, struct rh_error *err);

/* After how many seconds reports will be removed; 0: never. A day that is older gets no partition. */
void rh_store_set_retention(struct rh_store *s, unsigned seconds);

/* After how many seconds without a report a host is silent. */
RH_CHECKED int rh_store_set_silence(struct rh_store *s, unsigned seconds, enum rh_store_fault *fault,
                                    struct rh_error *err);

enum rh_store_cell_kind { RH_CELL_NULL, RH_CELL_NUMBER, RH_CELL_BOOLEAN, RH_CELL_TEXT, RH_CELL_JSON };

struct rh_store_cell {
    enum rh_store_cell_kind kind;
    const char *text; /* "" for NULL; "t" or "f" for a boolean */
    size_t n;
};

/* Called for each row, and once before with `cells` NULL. It returns -1 to end the query. */
typedef int (*rh_store_row)(void *data, size_t n, const char *const *names,
                            const struct rh_store_cell *cells);

/* Runs one statement that changes nothing, with `?` (in PostgreSQL $1, $2...) for each parameter. */
RH_CHECKED int rh_store_query(struct rh_store *s, const char *sql, const char *const *parameters, size_t n,
                              rh_store_row row, void *data, struct rh_error *err);

void rh_store_close(struct rh_store *s); /* NULL is fine */

static inline void
rh_cleanup_store(struct rh_store **s)
{
    rh_store_close(*s);
}
#define rh_autostore __attribute__((cleanup(rh_cleanup_store)))

#endif
