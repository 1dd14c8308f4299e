/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-facts - facts of one's own: what a program prints, and a file of JSON or YAML. */
#include "config.h"

#include "base/alloc.h"
#include "base/complaint.h"
#include "base/io.h"
#include "base/source.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *input;
static size_t input_size;

static char *
fuzz_text(size_t *n)
{
    char *text = rh_xalloc(input_size + 1);

    if (input_size)
        memcpy(text, input, input_size);
    text[input_size] = '\0';
    *n = input_size;
    return text;
}

#define rh_read_file(path, most, n, err) ((void)(path), fuzz_text(n))
#define rh_program_run(path, limit, n, err) fuzz_text(n)
#include "../../core/facts/own.c"

static bool
is_built_in(const char *name)
{
    return strcmp(name, "os") == 0;
}

static void
read_as(const char *path, bool program)
{
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    const struct rh_facts_options options = { .complaints = &complaints };
    struct rh_own *o = rh_own_new(&options, is_built_in);
    const struct rh_value *facts;

    o->searched = true;
    o->found = rh_xgrow(o->found, &o->cap_found, o->n_found, sizeof *o->found);
    o->found[o->n_found++] = (struct found){ .path = rh_arena_strdup(o->arena, path), .program = program };
    facts = program ? rh_own_programs(o) : rh_own_files(o);
    for (size_t i = 0; i < rh_value_count(facts); i++)
        if (program && is_built_in(rh_value_entry(facts, i)->key)) {
            (void)fprintf(stderr, "broken: a program replaces a built-in fact\n");
            abort();
        }
    rh_own_free(o);
    rh_complaints_clear(&complaints);
    rh_sources_clear(&sources);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input = data;
    input_size = size;
    read_as("/facts.d/program", true);
    read_as("/facts.d/data.yaml", false);
    read_as("/facts.d/data.json", false);
    return 0;
}
