/* SPDX-License-Identifier: Apache-2.0 */
/* fixture - a catalog, and a few types that no plugin serves, for tests that read manifests. */
#ifndef RH_TESTS_FIXTURE_H
#define RH_TESTS_FIXTURE_H

#include "base/complaint.h"
#include "base/source.h"
#include "catalog/catalog.h"
#include "catalog/order.h"
#include "manifest/manifest.h"

#include <stddef.h>

/* file, user, group, exec, cron, package (whose titles are name/version), and 'refused', which
 * can't be used. */
struct fixture {
    struct rh_arena *arena;
    struct rh_sources sources;
    struct rh_complaints complaints;
    struct rh_catalog catalog;
    struct rh_order order;
    struct rh_type *types[8];
    size_t n_types, asked; /* how often a type was looked up */
    struct rh_manifest_types lookup;
    char *text; /* what was returned last */
};

void fixture_open(struct fixture *f);
void fixture_close(struct fixture *f);

/* The same for cmocka, whose state is a new one. */
int fixture_setup(void **state);
int fixture_teardown(void **state);

/* The text as site.yaml. Both return what the room returns; the second goes on to the order. */
int fixture_load(struct fixture *f, const char *text);
int fixture_run(struct fixture *f, const char *text);

/* Each stands until the next call. */
const char *fixture_said(struct fixture *f); /* all complaints, as they are printed */
const char *fixture_list(struct fixture *f); /* "file[/a] exec[x]:run", in order */
const char *fixture_should(struct fixture *f, const char *type, const char *title);
const char *fixture_json(struct fixture *f); /* the compiled catalog */

const struct rh_value *fixture_value(const struct fixture *f, const char *type, const char *title,
                                     const char *attribute);

#endif
