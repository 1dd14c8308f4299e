/* SPDX-License-Identifier: Apache-2.0 */
/* store - which database a URL names. */
#include "config.h"

#include "collect/store.h"

#include "base/error.h"
#include "collect/store-parts.h"

#include <string.h>
#include <strings.h>

/* SQLite has names that are no files: their reports would be gone with the program. */
static bool
is_file(const char *name)
{
    return name[0] != ':' && strncasecmp(name, "file:", 5) != 0;
}

static struct rh_store *
refuse_kind(const char *scheme, const char *library, enum rh_store_fault *fault, struct rh_error *err)
{
    *fault = RH_FAULT_REFUSED;
    rh_error_set(err, RH_EINPUT, "this rhost-collect was built without %s, which '%s' needs", library,
                 scheme);
    return NULL;
}

struct rh_store *
rh_store_open(const char *url, bool writes, enum rh_store_fault *fault, struct rh_error *err)
{
    static const char file[] = "sqlite:";

    if (strncmp(url, file, sizeof file - 1) == 0 && url[sizeof file - 1]) {
        if (!is_file(url + sizeof file - 1)) {
            *fault = RH_FAULT_REFUSED;
            rh_error_set(err, RH_EINPUT, "the name of the database must not begin with ':' or 'file:'");
            return NULL;
        }
#if HAVE_SQLITE
        return rh_store_sqlite.open(url + sizeof file - 1, writes, fault, err);
#else
        return refuse_kind("sqlite:", "libsqlite3", fault, err);
#endif
    }
    if (strncmp(url, "postgresql://", 13) == 0 || strncmp(url, "postgres://", 11) == 0) {
#if HAVE_PQ
        return rh_store_postgresql.open(url, writes, fault, err);
#else
        return refuse_kind("postgresql:", "libpq", fault, err);
#endif
    }
    *fault = RH_FAULT_REFUSED;
    (void)refuse_kind;
    rh_error_set(err, RH_EINPUT, "a database is named by sqlite:FILE or postgresql://HOST/DATABASE");
    return NULL;
}

int
rh_store_put(struct rh_store *s, const struct rh_record *const *records, size_t n, size_t *added,
             enum rh_store_fault *fault, struct rh_error *err)
{
    return s->kind->put(s, records, n, added, fault, err);
}

int
rh_store_retain(struct rh_store *s, unsigned seconds, size_t *removed, enum rh_store_fault *fault,
                struct rh_error *err)
{
    return s->kind->retain(s, seconds, removed, fault, err);
}

void
rh_store_set_retention(struct rh_store *s, unsigned seconds)
{
    s->retention = seconds;
}

int
rh_store_set_silence(struct rh_store *s, unsigned seconds, enum rh_store_fault *fault, struct rh_error *err)
{
    return s->kind->set_silence(s, seconds, fault, err);
}

int
rh_store_query(struct rh_store *s, const char *sql, const char *const *parameters, size_t n, rh_store_row row,
               void *data, struct rh_error *err)
{
    return s->kind->query(s, sql, parameters, n, row, data, err);
}

void
rh_store_close(struct rh_store *s)
{
    if (s)
        s->kind->close(s);
}
