/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-manifest - any text as a manifest: read, resolved, ordered, shown and compiled. What was
 * accepted must read back from its compiled form as the same. */
#include "config.h"

#include "../unit/fixture.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/text.h"
#include "catalog/export.h"
#include "catalog/order.h"
#include "script/script.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Manifests are YAML, or Lua where this is called fuzz-recipe. */
static const char *manifest_name = "site.yaml";

int LLVMFuzzerInitialize(int *argc, char ***argv);

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    if (*argc > 0 && strstr((*argv)[0], "fuzz-recipe"))
        manifest_name = "site.lua";
    return 0;
}

static int
run(struct fixture *f, const char *name, const char *text, size_t n)
{
    /* So that expressions that run for ever take no time. */
    static const struct rh_script_limits small = { .instructions = 20000,
                                                   .memory = 8 << 20,
                                                   .output = 64 << 10 };
    int rc;

    f->lookup.limits = &small;
    rc = rh_manifest_load_text(&f->catalog, &f->lookup, name, text, n, &f->complaints);
    if ((rc < 0) != (rh_complaints_count(&f->complaints) > 0))
        abort(); /* refused without a word, or accepted with one */
    rh_relations_resolve(&f->catalog, &f->complaints);
    if (rh_complaints_count(&f->complaints) > 0)
        rc = -1;
    if (rc == 0)
        rc = rh_order_make(&f->catalog, &f->order, &f->complaints);
    if ((rc < 0) != (rh_complaints_count(&f->complaints) > 0))
        abort(); /* refused without a word, or accepted with one */
    return rc;
}

static void
read_back(struct fixture *f)
{
    rh_autofree char *json = rh_xstrdup(fixture_json(f));
    struct fixture again;

    if (strstr(json, "\"$sensitive\""))
        return;
    fixture_open(&again);
    if (run(&again, "site.yaml", json, strlen(json)) < 0 || strcmp(fixture_json(&again), json) != 0) {
        (void)fprintf(stderr, "%s\n%s\n%s\n", json, fixture_said(&again), fixture_json(&again));
        abort();
    }
    fixture_close(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fixture f;
    rh_autobuf struct rh_buf dot = { 0 };

    fixture_open(&f);
    if (run(&f, manifest_name, (const char *)data, size) == 0) {
        rh_catalog_to_dot(&f.catalog, &f.order, NULL, &dot);
        read_back(&f);
    }
    (void)fixture_said(&f);
    fixture_close(&f);
    return 0;
}
