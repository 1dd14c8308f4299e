/* SPDX-License-Identifier: Apache-2.0 */
/* script-fixture - a script with what its tests look at. */
#ifndef TESTS_UNIT_SCRIPT_FIXTURE_H
#define TESTS_UNIT_SCRIPT_FIXTURE_H

#include "base/source.h"
#include "base/text.h"
#include "script/script.h"

struct rh_value;

struct script_fixture {
    struct rh_arena *arena;
    struct rh_script *script;
    struct rh_node *node;
    struct rh_sources sources;
    const struct rh_value *scope, *files;
    struct rh_value *result; /* of a recipe */
    struct rh_script_limits limits;
    struct rh_buf said, printed;
};

int script_open(void **state);
int script_close(void **state);
/* Begins anew, with the limits that were set. */
void script_reopen(struct script_fixture *f);
#define SCRIPT_TEST(fn) cmocka_unit_test_setup_teardown(fn, script_open, script_close)

/* Sets the names of expressions, as JSON. */
void script_scope(struct script_fixture *f, const char *json);

/* The value of an expression that must be accepted, as JSON, with secrets as "[redacted]". */
const char *script_json(struct script_fixture *f, const char *text);

/* The problem of one that must be refused: "at: message | hint". */
const char *script_error(struct script_fixture *f, const char *text);

/* What a template, file 1, makes; or its problem: 1000 times the line, and the column. */
const char *script_rendered(struct script_fixture *f, const char *text);

/* The files that can be read: a hash of texts, as JSON. */
void script_files(struct script_fixture *f, const char *json);

/* Runs a recipe that calls `result(value)`, which is returned as JSON; or the problem. The scope is
 * `given` there. */
const char *script_run(struct script_fixture *f, const char *text);

#endif
