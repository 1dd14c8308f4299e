/* SPDX-License-Identifier: Apache-2.0 */
/* facts - what came of a vector of converge.json, or should; and what Chef made of it. */
#ifndef RH_TESTS_CONFORMANCE_FACTS_H
#define RH_TESTS_CONFORMANCE_FACTS_H

#include <json.h>
#include <stdbool.h>

/* What came of a vector, or should. */
struct facts {
    bool failed, updated;
    struct json_object *blocks;  /* numbers of groups whose block ran, in order */
    struct json_object *answers; /* of changed(), as far as it was asked */
    struct json_object *changes; /* [attribute, from, to, hidden] */
};

enum { FAILED = 1, UPDATED = 2, BLOCKS = 4, ANSWERS = 8, CHANGES = 16, ALL = 31 };

void facts_init(struct facts *f);
void facts_clear(struct facts *f);
void facts_add_change(struct facts *f, const char *name, struct json_object *from, struct json_object *to,
                      bool hidden);
unsigned facts_compare(const struct facts *a, const struct facts *b);
void facts_fail(struct facts *f);
void facts_of_chef(struct json_object *vector, struct facts *f);

#endif
